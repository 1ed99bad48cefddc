"""Parameters of a view: frozen, and each declares its control where it is declared.

    @dataclass(frozen=True)
    class LayoutParams(Params):
        layout: str = text("(8,8):(8,1)", group="Tile", placeholder="(8,8):(8,1)")
        row: int = index(0, group="Probe")

Floor 5 turns `params.controls()` into widgets; tests read the same list to try every knob at both ends.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, Self

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int

Kind = Literal["slider", "powers", "toggle", "dropdown", "text", "check", "index"]


@dataclass(frozen=True)
class Control:
    """One knob: which parameter, which widget, which values.

    kind     "slider" (lo..hi, every `step`), "powers" (choices, a SelectionSlider), "toggle" (2 to 4 choices), "dropdown", "text", "check",
             "index" (a number box lo..hi: the probe)
    label    one lower-case word; unit: "elements", "bytes", ...: "<label>, <unit>" is the accessible name
    """

    name: str
    kind: Kind
    value: Any
    group: str
    label: str
    unit: str = ""
    lo: int = 0
    hi: int = 0
    step: int = 1
    choices: tuple[Any, ...] = ()
    placeholder: str = ""
    tip: str = ""


def _knob(kind: Kind, default: Any, **spec: Any) -> Any:
    return dataclasses.field(default=default, metadata={"control": {"kind": kind, **spec}})


def slider(default: int, lo: int, hi: int, **spec: Any) -> Any:
    """A number from lo to hi (at most 64 steps). Options: group, label, unit, tip."""
    return _knob("slider", default, lo=lo, hi=hi, **spec)


def powers(default: int, choices: tuple[int, ...], **spec: Any) -> Any:
    """A power of two out of `choices`."""
    return _knob("powers", default, choices=choices, **spec)


def toggle(default: Any, choices: tuple[Any, ...], **spec: Any) -> Any:
    """One of 2 to 4 choices, all seen."""
    return _knob("toggle", default, choices=choices, **spec)


def dropdown(default: Any, choices: tuple[Any, ...], **spec: Any) -> Any:
    """One of many choices."""
    return _knob("dropdown", default, choices=choices, **spec)


def text(default: str, **spec: Any) -> Any:
    """A layout, a swizzle, a thread map, typed. Options also: placeholder (a valid spelling)."""
    return _knob("text", default, **spec)


def check(default: bool, **spec: Any) -> Any:
    """A layer that can be switched on."""
    return _knob("check", default, **spec)


def index(default: int, lo: int = 0, hi: int = 0, **spec: Any) -> Any:
    """A coordinate of the probe. A scene whose limits depend on other parameters overrides `controls`."""
    return _knob("index", default, lo=lo, hi=hi, **spec)


def plain(name: str, value: Any) -> Any:
    """What a parameter may be set to: a number, a text, yes or no, or one of cutelab's own values (a layout, a swizzle).

    NumPy's scalars become Python's own, so that a parameter can be compared, hashed and written as code.

    >>> import numpy as np
    >>> plain("pitch", np.int64(33))
    33
    """
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if is_int(value):
        return int(value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return plain(name, value.item())
    if hasattr(value, "__array__") or isinstance(value, list | dict | set | bytes):
        kind = type(value).__name__
        raise CuteLabError(f"{name} takes one number, a text, or True and False; got a value of type {kind}")
    return value


@dataclass(frozen=True)
class Params:
    """Base of every scene's parameters. Subclasses may raise CuteLabError in __post_init__."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        return tuple(f.name for f in dataclasses.fields(cls))

    def change(self, **changes: Any) -> Self:
        """The same parameters with some of them changed. A scene overrides this for knobs that are derived."""
        for name in changes:
            if name not in self.names():
                raise CuteLabError(f"there is no parameter {name!r} here; the parameters are {', '.join(self.names())}")
        return dataclasses.replace(self, **changes)

    def controls(self) -> tuple[Control, ...]:
        """The knobs, in order. A scene overrides this to add derived knobs or to set limits from other parameters."""
        found = []
        for f in dataclasses.fields(self):
            if "control" in f.metadata:
                spec = {"label": f.name, **f.metadata["control"]}
                found.append(Control(name=f.name, value=getattr(self, f.name), **spec))
        return tuple(found)

    def probe(self, cell: int) -> dict[str, Any]:
        """Which changes put the probe on this probe cell of the picture?"""
        return {}

    def call(self, name: str) -> str:
        """The line that rebuilds this view: `explore.name(...)` with what does not follow from the first parameter."""
        first, *others = self.names()
        value = getattr(self, first)
        plain = type(self)()
        try:
            base = plain.change(**{first: value})
        except CuteLabError:  # the first parameter alone does not stand with the other defaults
            base = plain
        parts = [] if value == getattr(plain, first) else [repr(value)]
        parts += [f"{n}={getattr(self, n)!r}" for n in others if getattr(self, n) != getattr(base, n)]
        return f"explore.{name}({', '.join(parts)})".replace("'", '"')

    def check_choice(self, name: str) -> None:
        """Raise unless the parameter is one of its declared choices."""
        spec = next(f.metadata["control"] for f in dataclasses.fields(self) if f.name == name)
        if getattr(self, name) not in spec["choices"]:
            raise CuteLabError(
                f"{name} must be one of {', '.join(map(str, spec['choices']))}; got {getattr(self, name)!r}"
            )

    def check_range(self, name: str, lo: int, hi: int) -> None:
        """Raise unless the parameter is an integer from lo to hi."""
        value = getattr(self, name)
        if not is_int(value):
            raise CuteLabError(f"{name} must be a whole number, got {value!r}")
        if not lo <= value <= hi:
            raise CuteLabError(f"{name} must be from {lo} to {hi}, got {value}")
