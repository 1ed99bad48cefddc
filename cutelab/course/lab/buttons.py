"""The card of an exercise in a notebook: the strip of `reply.Card`, and under it buttons for the next hint and the solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import ipywidgets as widgets

from cutelab.course.card.picture import Picture
from cutelab.course.lab.html import image_tag, live_and_kept, show
from cutelab.course.lab.reply import Card


class Shown(Protocol):
    """What a button brings: anything with HTML."""

    def _repr_html_(self) -> str: ...


@dataclass(frozen=True, repr=False)
class ExerciseCard(Card):
    """A card with buttons. id: the exercise's. offers: what stands on each button, and what it brings. picture: below the words."""

    id: str = ""
    offers: tuple[tuple[str, Callable[[], Shown]], ...] = ()
    picture: Picture | None = None

    def __repr__(self) -> str:
        return super().__repr__() + (f"\n  Picture: {self.picture.alt}" if self.picture is not None else "")

    def _repr_html_(self) -> str:
        return self.html(1)

    def html(self, scale: int) -> str:
        """The words, and below them the picture with so many file pixels a CSS pixel."""
        words = super()._repr_html_()
        if self.picture is None:
            return words
        style = "display:block;width:720px;max-width:100%;margin-top:4px"
        return words + image_tag(self.png(scale), self.picture.alt, "cutelab-last", style)

    def png(self, scale: int) -> bytes:
        """The picture as a file; empty if there is none."""
        if self.picture is None:
            return b""
        from cutelab.course.card.paint import render

        return render(self.picture, scale).png

    def outputs(self) -> tuple[dict[str, Any], ...]:
        """The live card with its buttons, and what is kept of it for another day. Closes the buttons that it had before."""
        if self.id in _shown:
            _shown.pop(self.id).close()
        row = _shown[self.id] = Buttons(self)
        return live_and_kept(row.box, f'check("{self.id}")', repr(self), self._repr_html_(), "", self.png(1))

    def _ipython_display_(self) -> None:
        show(self.outputs())


class Buttons:
    """The widgets of one card."""

    def __init__(self, card: ExerciseCard) -> None:
        self.strip = widgets.HTML(card.html(2))
        self.below = widgets.HTML()
        self.buttons = [
            widgets.Button(description=name, layout=widgets.Layout(width="auto")) for name, _ in card.offers
        ]
        for button, (name, bring) in zip(self.buttons, card.offers, strict=True):
            button.tooltip = f"{name} for {card.id}"
            button.on_click(lambda _, bring=bring: self._show(bring))
        self.row = widgets.HBox(self.buttons, layout=widgets.Layout(margin="2px 0 2px 10px"))
        self.box = widgets.VBox([self.strip, self.row, self.below], layout=widgets.Layout(max_width="736px"))

    def _show(self, bring: Callable[[], Shown]) -> None:
        self.below.value = f'<div role="status">{bring()._repr_html_()}</div>'

    def close(self) -> None:
        for widget in (self.strip, self.below, *self.buttons, self.row, self.box):
            widget.close()


_shown: dict[str, Buttons] = {}
