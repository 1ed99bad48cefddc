"""The painter of the library's results: a card, as HTML for a notebook, as a Figure, as a file."""

from __future__ import annotations

import base64
import html as markup
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.card import paint
from cutelab.course.card.paint.export import export
from cutelab.course.card.picture import Picture
from cutelab.course.topics.trace.report import measured_card, trace_card

CARDS = {"Trace": trace_card, "Measured": measured_card}
"""The name of a result's class -> its card. (The class itself lives in a room that is loaded only where it is asked for.)"""


def card_of(thing: Any) -> Picture:
    """The picture of a result, as plain data. Raises CuteLabError for what has none."""
    for kind in type(thing).__mro__:
        if kind.__name__ in CARDS:
            return CARDS[kind.__name__](thing)
    raise CuteLabError(f"there is no picture of a {type(thing).__name__}; pictures are made of {', '.join(CARDS)}")


def html(thing: Any) -> str:
    """The card as an image in HTML, 720 CSS pixels wide."""
    picture = card_of(thing)
    data = base64.b64encode(paint.render(picture, 2).png).decode("ascii")
    return (
        f'<img width="720" style="max-width:100%" alt="{markup.escape(picture.alt)}" '
        f'src="data:image/png;base64,{data}">'
    )


def figure(thing: Any) -> Any:
    """The card as a matplotlib Figure."""
    from cutelab.course.card.paint.figure import figure

    return figure(card_of(thing))


def file(thing: Any, suffix: str) -> bytes:
    """The card as the bytes of a "png", "svg" or "pdf" file."""
    picture = card_of(thing)
    return paint.render(picture, 2).png if suffix == "png" else export(picture, suffix)
