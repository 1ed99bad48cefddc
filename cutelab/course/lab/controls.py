"""Knobs as stock ipywidgets: built from `params.controls()`, kept in step with it, closed with all that belongs to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from html import escape
from typing import Any

import ipywidgets as widgets

from cutelab.course.card.knobs import Control, Params
from cutelab.course.card.picture import Offer

FIXES = "Fixes, best first"
WIDE = ""  # the group without a name: above all others


def close_widget(widget: widgets.Widget) -> None:
    """Close a widget, what it contains, and its layout and style: each of them holds a comm."""
    for child in getattr(widget, "children", ()):
        close_widget(child)
    for part in ("layout", "style"):
        owned = getattr(widget, part, None)
        if isinstance(owned, widgets.Widget):
            owned.close()
    widget.close()


def heading(text: str) -> widgets.HTML:
    """The name of a group: a button that folds it (the page does that)."""
    return widgets.HTML(
        f'<button type="button" class="cutelab-heading" title="Fold or unfold" aria-expanded="true">{escape(text)}</button>'
    )


class Controls:
    """The column of knobs, and the wide ones above it. `change(**changes)` is called when a person moves one, never by `sync`.

    It returns the parameters that it led to, or None where it was refused. What a person typed stays in its box as long as the
    parameter has the value that it led to: (64,8) does not turn into (64,8):(1,64) under the hand.
    """

    def __init__(self, change: Callable[..., Params | None], lock: Any) -> None:
        self._change, self._lock = change, lock
        self._syncing = False
        self._typing: tuple[str, str] | None = None  # the change that is under way: (name, text)
        self._typed: dict[str, tuple[str, str]] = {}  # name -> what was typed, and the value that it led to
        self._knobs: dict[str, tuple[tuple[Any, ...], widgets.Widget]] = {}
        self._groups: dict[str, widgets.VBox] = {}
        self._buttons: list[widgets.Button] = []
        self._offers: tuple[Offer, ...] = ()
        self.box, self.wide = widgets.Box(), widgets.Box()
        self.box.add_class("cutelab-controls")
        self.wide.add_class("cutelab-wide")

    def widget(self, name: str) -> widgets.Widget:
        """Which widget is the knob of this parameter?"""
        return self._knobs[name][1]

    def sync(self, controls: tuple[Control, ...], fixes: tuple[Offer, ...] = ()) -> None:
        """Bring the knobs in step: a knob whose kind, words or choices changed is built anew, the others get their value."""
        with self._lock:
            self._syncing = True
            try:
                groups = self._sync_knobs(controls)
                wide = tuple(groups.pop(WIDE, ()))
                if self.wide.children != wide:
                    self.wide.children = wide
                groups[FIXES] = self._sync_offers(fixes)
                self._arrange({name: rows for name, rows in groups.items() if rows})
            finally:
                self._syncing = False

    def names(self) -> dict[str, list[str]]:
        """Label -> accessible name ("pitch, elements") and hint, for the view to put on the page."""
        return {
            signature[3]: [", ".join(filter(None, signature[3:5])), signature[5]]
            for signature, _ in self._knobs.values()
        }

    def _sync_knobs(self, controls: tuple[Control, ...]) -> dict[str, list[widgets.Widget]]:
        groups: dict[str, list[widgets.Widget]] = {}
        old, self._knobs = self._knobs, {}
        for control in map(self._as_typed, controls):
            signature, knob = old.pop(control.name, (None, None))
            if signature != _signature(control):
                if knob is not None:
                    close_widget(knob)
                knob = build(control)
                self._watch(knob, control.name)
            else:
                update(knob, control)
            self._knobs[control.name] = (_signature(control), knob)
            groups.setdefault(WIDE if control.wide else control.group, []).append(knob)
        for _, knob in old.values():
            close_widget(knob)
        return groups

    def _watch(self, knob: widgets.Widget, name: str) -> None:
        def moved(change: dict[str, Any]) -> None:
            with self._lock:
                if self._syncing:
                    return
                self._typing = (name, change["new"]) if isinstance(knob, widgets.Text) else None
                try:
                    params = self._change(**{name: change["new"]})
                    if self._typing and params is not None:  # the picture may come later, when the browser is ready
                        for control in params.controls():
                            self._as_typed(control)
                finally:
                    self._typing = None

        knob.observe(moved, "value")
        under(self._lock, knob)

    def _as_typed(self, control: Control) -> Control:
        """The control in the words that a person typed for this very value."""
        if control.kind != "text":
            return control
        if self._typing and self._typing[0] == control.name:
            self._typed[control.name] = (self._typing[1], control.value)
        text, value = self._typed.get(control.name, (control.value, control.value))
        return replace(control, value=text) if value == control.value else control

    def _sync_offers(self, fixes: tuple[Offer, ...]) -> list[widgets.Widget]:
        self._offers = fixes
        while len(self._buttons) > len(fixes):
            close_widget(self._buttons.pop())
        while len(self._buttons) < len(fixes):
            button, place = widgets.Button(), len(self._buttons)
            button.add_class("cutelab-fix")
            button.on_click(lambda _, place=place: self._change(**self._offers[place].changes))
            self._buttons.append(button)
        for button, fix in zip(self._buttons, fixes, strict=True):
            second = f"✓ in use  {fix.second}" if fix.in_use else fix.second
            button.description = f"{fix.line}\n{second}"
        return list(self._buttons)

    def _arrange(self, groups: dict[str, list[widgets.Widget]]) -> None:
        for name, rows in groups.items():
            if name not in self._groups:
                self._groups[name] = widgets.VBox([heading(name)])
                self._groups[name].add_class("cutelab-group")
            box = self._groups[name]
            if list(box.children[1:]) != rows:
                box.children = [box.children[0], *rows]
        for name in self._groups.keys() - groups.keys():
            gone = self._groups.pop(name)
            gone.children = gone.children[:1]  # its knobs are closed already, or live on in another group
            close_widget(gone)
        children = [self._groups[name] for name in groups]
        if list(self.box.children) != children:
            self.box.children = children


def _signature(control: Control) -> tuple[Any, ...]:
    return (
        control.name,
        control.kind,
        control.group,
        control.label,
        control.unit,
        control.tip,
        control.choices,
        control.placeholder,
    )


def under(lock: Any, knob: widgets.Widget) -> None:
    """A message from the browser, which arrives in another thread, changes the knob only under the lock.

    It is not echoed: the page knows what it sent, and a message less for each step is worth more than a second page in step.
    """
    plain, told = knob.set_state, knob.trait_metadata

    def set_state(state: dict[str, Any]) -> None:
        with lock:
            plain(state)

    def metadata(name: str, key: str, default: Any = None) -> Any:
        return False if key == "echo_update" else told(name, key, default)

    knob.set_state, knob.trait_metadata = set_state, metadata


def _limits(control: Control) -> tuple[int, int]:
    return min(control.lo, control.value), max(control.hi, control.value)


def build(control: Control) -> widgets.Widget:
    """Which widget is this knob? One stock ipywidget a kind."""
    common = {
        "value": control.value,
        "description": control.label,
        "style": {"description_width": "72px"},
        "layout": {"width": "auto"},
    }
    choices = {"options": [(str(choice), choice) for choice in control.choices]}
    match control.kind:
        case "slider":
            lo, hi = _limits(control)
            return widgets.IntSlider(**common, min=lo, max=hi, step=control.step, continuous_update=True)
        case "index":
            lo, hi = _limits(control)
            return widgets.BoundedIntText(**common, min=lo, max=hi)
        case "powers":
            return widgets.SelectionSlider(**common, **choices, continuous_update=True)
        case "toggle":
            return widgets.ToggleButtons(**common, **choices)
        case "dropdown":
            return widgets.Dropdown(**common, **choices)
        case "text":
            return widgets.Text(**common, placeholder=control.placeholder, continuous_update=False)
        case "check":
            return widgets.Checkbox(**{**common, "style": {"description_width": "0"}}, indent=False)
    raise AssertionError(f"no widget for a knob of kind {control.kind!r}")


def update(knob: widgets.Widget, control: Control) -> None:
    """Give the knob its value and limits: first the range grows, then comes the value, then the range shrinks.

    Each goes out as a message of its own. In one message the browser's slider would meet the new value before the new range,
    clamp it, and send the clamped value back as if a person had moved it.
    """
    if control.kind in ("slider", "index"):
        lo, hi = _limits(control)
        knob.min, knob.max = min(knob.min, lo), max(knob.max, hi)
        knob.value = control.value
        knob.min, knob.max, knob.step = lo, hi, control.step
    else:
        knob.value = control.value
