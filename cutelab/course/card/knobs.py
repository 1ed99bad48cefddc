"""Parameters of a view: frozen values, and each declares its control where it is declared. Nothing declares it again.

    @dataclass(frozen=True)
    class XParams(Params):
        layout: Layout = text(Layout((8, 8), (8, 1)), read=read_layout, group="Tile", placeholder="(8,8):(8,1)")
        pitch = derived("slider", lambda p: p.layout.stride[0], turn=with_pitch, lo=8, hi=64, group="Tile")
        row: int = index(0, hi=lambda p: size(p.layout[0]) - 1, group="Probe")

A parameter holds a value (a Layout, a number), never a text to be parsed again: `read` turns what a person types into the
value, once. Each word of a declaration may be a function of the parameters, where it depends on them: limits, choices,
whether the knob is shown. `change` is the one way to other parameters; it builds them once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, Self

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import INT64_MAX, is_int
from cutelab.hardware.chip import H200, Chip

Kind = Literal["slider", "powers", "toggle", "dropdown", "text", "check", "index"]
UNLAWFUL = (CuteLabError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
CHOOSING = ("powers", "toggle", "dropdown")
OWN = "own"  # what a preset says where none stands


@dataclass(frozen=True)
class Control:
    """One knob as it stands now: which parameter, which widget, which values.

    kind     "slider" (lo..hi, every `step`), "powers" (choices, a SelectionSlider), "toggle" (2 to 4 choices), "dropdown", "text", "check",
             "index" (a number box lo..hi: the probe)
    label    one lower-case word; unit: "elements", "bytes", ...: "<label>, <unit>" is the accessible name
    wide     a text box for long texts (C++ types): it stands above knobs and picture, as wide as both
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
    wide: bool = False


@dataclass(frozen=True, eq=False)
class Knob:
    """What a declaration says about one knob. Each entry of `spec` is a value, or a function of the parameters.

    spec    the words of `Control`, and
            shown        is the knob on the card? (True)
            least, most  the values that are lawful, where the control offers fewer (lo and hi); choices are lawful as they stand
            show         what the control shows, where that is not the value itself
    read    what a person types or code gives -> the value; raises CuteLabError
    say     the value -> what the text box shows and `code()` writes
    keep    True: where other knobs move and this one is not asked for, it stays inside its limits
    check   False: the topic checks the value in words of its own
    """

    kind: Kind
    spec: dict[str, Any]
    read: Callable[[Any], Any] | None = None
    say: Callable[[Any], Any] | None = None
    keep: bool = False
    check: bool = True

    def word(self, name: str, params: Any, default: Any = None) -> Any:
        """One word of the declaration, for these parameters."""
        value = self.spec.get(name, default)
        return value(params) if callable(value) else value

    def control(self, name: str, value: Any, params: Any) -> Control:
        """The knob as it stands now."""
        words = {key: self.word(key, params) for key in self.spec if key not in ("shown", "least", "most", "show")}
        if "show" in self.spec:
            value = self.word("show", params)
        elif self.say is not None:
            value = self.say(value)
        return Control(name=name, value=value, **{"kind": self.kind, "label": name, **words})

    def limits(self, params: Any) -> tuple[int, int]:
        """The lawful values of a number."""
        return self.word("least", params, self.spec.get("lo", 0)), self.word("most", params, self.spec.get("hi", 0))

    def inside(self, value: Any, params: Any) -> Any:
        """The lawful value next to this one."""
        if self.kind in CHOOSING:
            choices = self.word("choices", params)
            return value if value in choices or not choices else choices[0]
        if not is_int(value):
            return value
        low, high = self.limits(params)
        return max(low, min(value, high))

    def refuse(self, name: str, value: Any, params: Any) -> None:
        """Raise CuteLabError unless the value is lawful."""
        if self.kind in CHOOSING:
            choices = self.word("choices", params)
            if value not in choices or isinstance(value, bool):
                raise CuteLabError(f"{name} must be one of {', '.join(map(str, choices))}; got {shown(value)}")
        elif self.kind in ("slider", "index"):
            low, high = self.limits(params)
            if not is_int(value):
                raise CuteLabError(f"{name} must be a whole number, got {shown(value)}")
            if not low <= value <= high:
                raise CuteLabError(f"{name} must be from {low} to {high}, got {value}")
        elif self.kind == "check" and not isinstance(value, bool):
            raise CuteLabError(f"{name} must be True or False, got {shown(value)}")


@dataclass(frozen=True)
class Said:
    """What `read` may return where a text says more than its value: `smem_ptr[16b]` names the element too.

    more   changes that hold unless they are asked for otherwise
    """

    value: Any
    more: dict[str, Any]


def _field(kind: Kind, default: Any, spec: dict[str, Any]) -> Any:
    options = {name: spec.pop(name) for name in ("read", "say", "keep", "check") if name in spec}
    return dataclasses.field(default=default, metadata={"knob": Knob(kind, spec, **options)})


def slider(default: int, lo: Any, hi: Any, **spec: Any) -> Any:
    """A number from lo to hi (at most 64 steps). Words: group, label, unit, tip, step, shown, least, most; keep, check, read."""
    return _field("slider", default, {"lo": lo, "hi": hi, **spec})


def powers(default: int, choices: Any, **spec: Any) -> Any:
    """A power of two out of `choices`."""
    return _field("powers", default, {"choices": choices, **spec})


def toggle(default: Any, choices: Any, **spec: Any) -> Any:
    """One of 2 to 4 choices, all seen."""
    return _field("toggle", default, {"choices": choices, **spec})


def dropdown(default: Any, choices: Any, **spec: Any) -> Any:
    """One of many choices."""
    return _field("dropdown", default, {"choices": choices, **spec})


def text(default: Any, **spec: Any) -> Any:
    """A layout, a swizzle, a thread map, typed. `default` is the value; words also: placeholder (a valid spelling), read, say."""
    return _field("text", default, {"read": str, "say": str, **spec})


def check(default: bool, **spec: Any) -> Any:
    """A layer that can be switched on."""
    return _field("check", default, spec)


def index(default: int, lo: Any = 0, hi: Any = 0, **spec: Any) -> Any:
    """A coordinate of the probe, which stays inside its limits where they shrink."""
    return _field("index", default, {"lo": lo, "hi": hi, "keep": True, **spec})


@dataclass(frozen=True, eq=False)
class Derived:
    """A knob that is no parameter: what it shows follows from the others, and turning it changes them.

    get     parameters -> its value
    turn    (parameters, value) -> the changes that it stands for
    start   True: a starting point (a preset): `turn` sees what else is asked for as a draft, and that comes on top of it again
    """

    knob: Knob
    get: Callable[[Any], Any]
    turn: Callable[[Any, Any], dict[str, Any]]
    start: bool = False

    def __get__(self, params: Any, owner: Any = None) -> Any:
        return self if params is None else self.get(params)


def derived(
    kind: Kind,
    get: Callable[[Any], Any],
    turn: Callable[[Any, Any], dict[str, Any]],
    *,
    start: bool = False,
    say: Callable[[Any], Any] | None = None,
    **spec: Any,
) -> Any:
    """Declare a derived knob, in its place among the fields."""
    return Derived(Knob(kind, spec, say=say), get, turn, start)


def preset(choices: dict[str, Any], current: Callable[[Any], str | None], turn: Callable[[Any, Any], dict[str, Any]], *, what: str, **spec: Any) -> Any:  # fmt: skip
    """A dropdown of named starting points; where none is as it stands, it says "own". `what`: "preset" or "example"."""

    def start(params: Any, name: Any) -> dict[str, Any]:
        if not isinstance(name, str) or name not in choices:
            raise CuteLabError(f"there is no {what} {shown(name)}; there are {', '.join(choices)}")
        return turn(params, choices[name])

    def offered(params: Any) -> tuple[str, ...]:
        return tuple(choices) if current(params) else (*choices, OWN)

    return derived("dropdown", lambda p: current(p) or OWN, start, start=True, choices=offered, **spec)


@dataclass(frozen=True, eq=False)
class Family:
    """Derived knobs whose number follows from the parameters: shape_0, shape_1, ...

    controls   parameters -> the knobs as they stand
    turn       (parameters, name, value) -> the changes; raises CuteLabError for a name that is none of them
    owns       is this the name of such a knob?
    """

    controls: Callable[[Any], Iterable[Control]]
    turn: Callable[[Any, str, Any], dict[str, Any]]
    owns: Callable[[str], bool]


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
        if abs(int(value)) > INT64_MAX:
            raise CuteLabError(f"{name} takes a number of 64 bits, got {shown(int(value))}")
        return int(value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return plain(name, value.item())
    if hasattr(value, "__array__") or isinstance(value, list | dict | set | bytes):
        kind = type(value).__name__
        raise CuteLabError(f"{name} takes one number, a text, or True and False; got a value of type {kind}")
    return value


def _same(one: Any, other: Any) -> bool:
    """Equal, and of one type: 1 is not True, nor is it 1.0."""
    return type(one) is type(other) and bool(one == other)


def _check_chip(chip: Any) -> None:
    """Every limit may rest on the chip, so it is checked before all others."""
    if not isinstance(chip, Chip):
        raise CuteLabError(f"chip must be a Chip, for example cutelab.hardware.H200; got {shown(chip)}")


@dataclass(frozen=True)
class Params:
    """Base of every topic's parameters: its fields, its derived knobs, and how one set of them becomes another.

    chip   whose banks, words, lanes and sectors the picture counts by; the one that was measured, unless another is asked for
    """

    chip: Chip = dataclasses.field(default=H200, kw_only=True, repr=False)

    _derived: ClassVar[dict[str, Derived]] = {}
    _families: ClassVar[tuple[Family, ...]] = ()
    _order: ClassVar[tuple[str | Family, ...]] = ()
    _knobs: ClassVar[dict[str, Knob]] = {}
    first: ClassVar[str] = ""
    """The parameter that `call` writes without its name; "" for the first field."""
    written: ClassVar[tuple[str, ...]] = ()
    """The names that `call` may write, in their order; () for all fields."""
    by_name: ClassVar[bool] = False
    """Does `call` write the first parameter by its name, too?"""

    def __init_subclass__(cls) -> None:
        """Note the knobs in the order in which they are declared: fields, derived ones and families."""
        found = {k: v for k, v in vars(cls).items() if isinstance(v, dataclasses.Field | Derived | Family)}
        cls._derived = {k: v for k, v in found.items() if isinstance(v, Derived)}
        cls._families = tuple(v for v in found.values() if isinstance(v, Family))
        cls._knobs = {
            k: v.metadata["knob"] for k, v in found.items() if isinstance(v, dataclasses.Field) and "knob" in v.metadata
        }
        cls._order = tuple(
            v if isinstance(v, Family) else k
            for k, v in found.items()
            if k in cls._knobs or isinstance(v, Derived | Family)
        )

    def __post_init__(self) -> None:
        """Read and check every field by its own declaration. A topic's own rules come after `super().__post_init__()`."""
        _check_chip(self.chip)
        for name, knob in self._knobs.items():
            if knob.read is not None:
                value = knob.read(getattr(self, name))
                object.__setattr__(self, name, value.value if isinstance(value, Said) else value)
        self.settle()
        for name, knob in self._knobs.items():
            if knob.check:
                knob.refuse(name, getattr(self, name), self)

    def settle(self) -> None:
        """A topic's own rules that come before each field's own check. All fields are read by now."""

    @classmethod
    @cache
    def names(cls) -> tuple[str, ...]:
        """The parameters; `chip`, which all topics share, comes last."""
        fields = [f.name for f in dataclasses.fields(cls) if f.name != "chip"]
        return (*sorted(fields, key=lambda name: name != cls.first), "chip")

    @classmethod
    @cache
    def default(cls) -> Self:
        """The parameters that nobody changed yet."""
        return cls()

    def check_number(self, name: str, low: int, high: int) -> None:
        """Raise unless the parameter is a whole number from low to high."""
        Knob("index", {"lo": low, "hi": high}).refuse(name, getattr(self, name), self)

    # -- from one set of parameters to another ----------------------------------------------------------------------

    def change(self, **changes: Any) -> Self:
        """The same parameters with some of them changed, and with what follows from that. Raises CuteLabError."""
        draft = self.draft(changes)
        if all(_same(getattr(draft, name), getattr(self, name)) for name in self.names()):
            return self
        return type(self)(**{name: getattr(draft, name) for name in self.names()})

    def draft(self, changes: dict[str, Any]) -> Self:
        """What `change` would build, not yet checked: cheap, and only to look at."""
        families = {name: f for name in changes for f in self._families if f.owns(name)}
        for name in changes:
            if name not in self.names() and name not in self._derived and name not in families:
                known = (*self.names(), *self._derived)
                raise CuteLabError(f"there is no parameter {shown(name)} here; the parameters are {', '.join(known)}")
        _check_chip(changes.get("chip", self.chip))
        fields = self._read({name: changes[name] for name in self.names() if name in changes})
        begin = self
        for name, knob in self._derived.items():
            if knob.start and name in changes:
                seen = begin._settled(begin._with(fields), fields)
                start = self._read(knob.turn(seen, changes[name]))
                begin = seen._settled(seen._with(start), start)
        asked = fields
        now = begin._with(asked)
        for name, value in changes.items():
            if name in self._derived and not self._derived[name].start:
                asked = asked | self._read(self._derived[name].turn(now, value))
                now = begin._with(asked)
            elif name in families:
                asked = asked | self._read(families[name].turn(now, name, value))
                now = begin._with(asked)
        return begin._settled(now, asked)

    def _settled(self, now: Self, asked: Collection[str]) -> Self:
        """The draft with what follows from it, seen from these parameters."""
        more = self._read(self.follow(now, asked))
        return (now._with(more) if more else now)._kept(asked)

    def follow(self, now: Self, asked: Collection[str]) -> dict[str, Any]:
        """What else moves with a change? A topic overrides this.

        self   the parameters before; now: the draft after, unchecked; asked: the names that were asked for
        """
        return {}

    def _read(self, changes: dict[str, Any]) -> dict[str, Any]:
        """The values that these texts and numbers stand for."""
        found: dict[str, Any] = {}
        more: dict[str, Any] = {}
        for name, value in changes.items():
            knob = self._knobs.get(name)
            if knob is not None and knob.read is not None:
                value = knob.read(value)
                if isinstance(value, Said):
                    value, more = value.value, more | value.more
            found[name] = value
        return {**{name: value for name, value in more.items() if name not in found}, **found}

    def _with(self, changes: dict[str, Any]) -> Self:
        """An unchecked copy with these values."""
        copy = object.__new__(type(self))
        copy.__dict__.update({name: changes.get(name, getattr(self, name)) for name in self.names()})
        return copy

    def _kept(self, asked: Collection[str]) -> Self:
        """The draft with every knob that is to keep inside its limits brought there, in the order of declaration."""
        now = self
        for name, knob in self._knobs.items():
            if knob.keep and name not in asked:
                try:
                    value = knob.inside(getattr(now, name), now)
                except UNLAWFUL:  # no limit can be told from other values of the draft: building it says so
                    continue
                if value != getattr(now, name):
                    now = now._with({name: value})
        return now

    # -- what the screen and the code show --------------------------------------------------------------------------

    def controls(self) -> tuple[Control, ...]:
        """The knobs that are shown, in the order of their declaration."""
        found: list[Control] = []
        for entry in self._order:
            if isinstance(entry, Family):
                found += entry.controls(self)
                continue
            knob = self._derived[entry].knob if entry in self._derived else self._knobs[entry]
            if knob.word("shown", self, True):
                found.append(knob.control(entry, getattr(self, entry), self))
        return tuple(found)

    def call(self, name: str) -> str:
        """The line that rebuilds this view: `explore.name(...)` with what does not follow from the rest."""
        base, first = self.default(), self.names()[0]
        said: dict[str, Any] = {}
        for key in self.written or self.names():
            if getattr(self, key) != getattr(base, key) and not (key in self._derived and getattr(self, key) == OWN):
                said[key] = getattr(self, key)
                if self.written or key == first:
                    base = base.draft({key: said[key]})
        rebuilt = self.default().draft(said)
        for key in self.names():
            if getattr(rebuilt, key) != getattr(self, key):
                said[key] = getattr(self, key)
        order = (*(self.written or ()), *self.names())
        parts = [
            self.spell(key) if key == first and not self.by_name else f"{key}={self.spell(key)}"
            for key in dict.fromkeys(order)
            if key in said
        ]
        return f"explore.{name}({', '.join(parts)})"

    def spell(self, name: str) -> str:
        """One parameter as code."""
        value = getattr(self, name)
        knob = self._knobs.get(name)
        if knob is not None and knob.say is not None:
            value = knob.say(value)
        return repr(value).replace("'", '"')
