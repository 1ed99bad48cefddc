"""The painter of the library's results: a card, as HTML for a notebook, as a Figure, as a file."""

from __future__ import annotations

import base64
import html as markup
from types import ModuleType
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.card import paint
from cutelab.course.card.paint.export import export
from cutelab.course.card.picture import Picture
from cutelab.course.card.words import element_of


def scene_of(thing: Any) -> tuple[str, ModuleType, dict[str, Any]]:
    """Which topic shows this value: its name, its scene, and the parameters that hold the value? Loads no other topic.

    Raises CuteLabError for what no topic shows.

    >>> from cutelab.core.swizzle import Swizzle
    >>> scene_of(Swizzle(3, 0, 3))[::2]
    ('swizzle', {'swizzle': Swizzle(3, 0, 3)})
    """
    for kind in (one.__name__ for one in type(thing).__mro__):
        if kind in ("Layout", "ComposedLayout"):
            from cutelab.course.topics import layout

            return "layout", layout, {"layout": thing}
        if kind in ("Tensor", "SmemAtom"):
            from cutelab.course.topics import layout

            return "layout", layout, {"layout": thing.layout, **element_of(thing.bits)}
        if kind == "Swizzle":
            from cutelab.course.topics import swizzle

            return "swizzle", swizzle, {"swizzle": thing}
        if kind == "MmaAtom":
            from cutelab.course.topics import tensor_core

            return "tensor_core", tensor_core, {"atom": thing.name}
        if kind == "ThreadMap":
            from cutelab.course.topics import thread_map

            return "thread_map", thread_map, {"thread_map": thing}
        if kind in ("TiledCopy", "TiledMMA"):
            from cutelab.course.topics import tiled

            return "tiled", tiled, {"tiled": thing}
    raise CuteLabError(
        f"there is no picture of a {type(thing).__name__}; there are pictures of layouts, tensors, swizzles, MMA atoms, thread maps, "
        "tiled copies and tiled MMAs"
    )


def card_of(thing: Any) -> Picture:
    """The picture of a result or a value, as plain data. Raises CuteLabError for what has none."""
    for kind in type(thing).__mro__:
        if kind.__name__ in ("Trace", "Measured"):
            from cutelab.course.topics.trace.report import measured_card, trace_card

            return trace_card(thing) if kind.__name__ == "Trace" else measured_card(thing)
    name, scene, given = scene_of(thing)
    if name == "layout":
        given["warp"] = False  # what a warp pays is asked for, not told at the sight of any layout
    picture: Picture = scene.panels(scene.compute(scene.Params().change(**given)))
    return picture


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
