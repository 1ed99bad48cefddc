"""What may be typed in topic "swizzle": a swizzle, a tile, or a whole expression that holds both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutelab.core import notation
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import flatten, is_int, plain
from cutelab.core.layout import Layout, rank, size
from cutelab.core.swizzle import Swizzle, parse_swizzle
from cutelab.course.card.knobs import Said
from cutelab.course.card.words import ELEMENTS

MAX_ELEMENTS = 2**16


@dataclass(frozen=True)
class Turned:
    """A swizzle with some of its numbers turned, not yet checked: what turns together is looked at together.

    start    before they were turned; wanted: (name, value) of each that was
    """

    start: Swizzle
    wanted: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, swizzle: Any, name: str, value: Any) -> Turned:
        """This swizzle (or one that is being turned) with one more number turned."""
        if isinstance(swizzle, Turned):
            return cls(swizzle.start, (*swizzle.wanted, (name, value)))
        return cls(swizzle, ((name, value),))

    def apply(self, swizzle: Swizzle) -> Swizzle:
        """The swizzle with these numbers. Raises CuteLabError, which says what to turn first where bits would overlap."""
        wanted = {"bits": swizzle.bits, "base": swizzle.base, "shift": swizzle.shift, **dict(self.wanted)}
        try:
            return Swizzle(**wanted)
        except CuteLabError as error:
            bits, shift = wanted["bits"], wanted["shift"]
            if not (is_int(bits) and is_int(shift) and abs(shift) < bits):
                raise
            first = (
                f"To get there, turn shift to {bits} or -{bits} first."
                if "bits" in dict(self.wanted)
                else f"Go on to {bits if shift >= 0 else -bits}, or turn bits to {abs(shift)} first."
            )
            raise CuteLabError(
                f"{str(error).split(', so ')[0]}, so source and target bits would overlap. {first}"
            ) from error


def read_swizzle(value: Any) -> Any:
    """The swizzle that this text names; of a whole expression the rest, too."""
    if isinstance(value, Swizzle | Turned):
        return value
    if isinstance(value, ComposedLayout) or (isinstance(value, str) and ":" in value):
        swizzle, found = _whole(value)
        if swizzle is not None:
            return Said(swizzle, found)
    if not isinstance(value, str) or not value.strip():
        raise CuteLabError(f"the swizzle must be a text such as Sw<3,4,3>, got {shown(value)}")
    return parse_swizzle(value)


def read_layout(value: Any) -> Any:
    """The layout of a text or of itself, checked: two modes, not too large, no negative offset; of an expression the rest, too."""
    if isinstance(value, Layout):
        return check_layout(value)
    swizzle, found = _whole(value)
    layout = check_layout(found.pop("layout"))
    return layout if swizzle is None else Said(layout, {"swizzle": swizzle, **found})


def check_layout(layout: Layout) -> Layout:
    """The layout, if it is one of a tile that can be drawn; static integers are written as plain ones."""
    if rank(layout) != 2:
        raise CuteLabError(
            f"the tile needs two modes, rows and columns, for example (8,8):(8,1); {layout} has {rank(layout)}"
        )
    if size(layout) > MAX_ELEMENTS:
        raise CuteLabError(f"{layout} has {size(layout):.6g} elements; this explorer takes up to {MAX_ELEMENTS:,}")
    ends = [(s - 1) * d for s, d in zip(flatten(layout.shape), flatten(layout.stride), strict=True)]
    low, high = sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)
    if low < 0 or high >= 2**40:
        raise CuteLabError(f"the offsets of {layout} run from {low} to {high}; here they must be 0 to 2^40 - 1")
    return Layout(plain(layout.shape), plain(layout.stride))


def _whole(value: Any) -> tuple[Swizzle | None, dict[str, Any]]:
    """What an expression says: its swizzle (None for none), and layout, unit and element."""
    said = str(value) if isinstance(value, ComposedLayout) else value
    parsed = notation.parse(said)
    layout = Layout(parsed.shape, parsed.stride)
    if parsed.swizzle is None:
        return None, {"layout": layout}
    if parsed.offset:
        raise CuteLabError(f"{said} starts at offset {parsed.offset}; this explorer shows tiles that start at 0")
    found: dict[str, Any] = {"layout": layout, "unit": "elements" if parsed.pointer_bits is None else "bytes"}
    if parsed.pointer_bits is not None:
        fits = [e for e, n in ELEMENTS.items() if n * 8 == parsed.pointer_bits]
        if not fits:
            raise CuteLabError(f"{said}: elements of {parsed.pointer_bits} bits; this explorer has {listed(ELEMENTS)}")
        found["element"] = fits[0]
    return Swizzle(*parsed.swizzle), found


def listed(values: Any) -> str:
    """`4, 8 or 16`."""
    *first, last = map(str, values)
    return f"{', '.join(first)} or {last}" if first else last
