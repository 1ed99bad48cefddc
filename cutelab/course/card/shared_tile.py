"""A tile in shared memory as a person types it: its layout with its pitch and its swizzle, read and checked."""

from __future__ import annotations

from typing import Any

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import flatten, is_int
from cutelab.core.layout import Layout, as_layout, cosize, rank, size
from cutelab.core.swizzle import Swizzle, parse_swizzle
from cutelab.hardware.chip import H200

PADDINGS = 32  # pitches that the slider offers beyond the row


def read_layout(value: Any) -> Layout | ComposedLayout:
    """The layout that this text names."""
    return as_layout(value)


def split(layout: Any) -> tuple[Layout, Swizzle | None]:
    """The layout without its swizzle, and the swizzle.

    >>> split("Sw<5,0,5> o 0 o (32,32):(32,1)")
    (Layout('(32,32):(32,1)'), Swizzle(5, 0, 5))
    """
    parsed = read_layout(layout)
    if isinstance(parsed, Layout):
        return parsed, None
    if parsed.offset or not isinstance(parsed.outer, Swizzle) or not isinstance(parsed.inner, Layout):
        raise CuteLabError(
            f"{parsed}: a tile starts at offset 0, with a swizzle at most; write Sw<B,M,S> o 0 o (rows,columns)"
        )
    return parsed.inner, parsed.outer


def read_swizzle(value: Any) -> Swizzle | None:
    """The swizzle that this text names; None for no text."""
    if value is None or isinstance(value, Swizzle):
        return value
    return parse_swizzle(value) if str(value).strip() else None


def say_swizzle(swizzle: Swizzle | None) -> str:
    """The text of a swizzle; nothing for none."""
    return "" if swizzle is None else str(swizzle)


def check_tile(layout: Layout, element_bytes: int, shared_bytes: int = H200.shared_bytes) -> None:
    """Raise unless this is a tile of rows and columns that fits into shared memory."""
    if rank(layout) != 2 or not isinstance(layout.shape, tuple):
        raise CuteLabError(
            f"{layout} has {rank(layout)} mode{'' if rank(layout) == 1 else 's'}; a tile has two, rows and columns: "
            "(32,32):(32,1), or with nested modes (32,(4,8)):(4,(1,128))"
        )
    if min(flatten(layout.stride)) < 0:
        raise CuteLabError(
            f"{layout} walks backwards; addresses in shared memory start at 0, so strides must be 0 or more"
        )
    size_bytes = max(cosize(layout), size(layout)) * element_bytes
    if size_bytes > shared_bytes:
        raise CuteLabError(
            f"{layout} with elements of {element_bytes} bytes takes {size_bytes:,} bytes; shared memory of a block has {shared_bytes:,}"
        )


def plain_modes(layout: Layout) -> tuple[int, int, int, int] | None:
    """Rows, columns, and their strides, where neither mode is nested; None otherwise."""
    if not isinstance(layout.shape, tuple) or not isinstance(layout.stride, tuple) or len(layout.shape) != 2:
        return None
    (rows, cols), (down, across) = layout.shape, layout.stride
    return (rows, cols, down, across) if all(map(is_int, (rows, cols, down, across))) else None


def pitched(layout: Layout) -> int | None:
    """Which mode has the pitch: 0 for plain rows of neighbours, 1 for plain columns, None for other layouts?

    >>> pitched(Layout((32, 32), (33, 1))), pitched(Layout((32, 8), (1, 32))), pitched(Layout((4, 4), (8, 2)))
    (0, 1, None)
    """
    modes = plain_modes(layout)
    if modes is None:
        return None
    rows, cols, down, across = modes
    if across == 1 and down >= cols:
        return 0
    return 1 if down == 1 and across >= rows else None


def pitch_of(layout: Layout) -> int | None:
    """The distance from row to row (column to column, where columns lie in one piece); None where there is no such number."""
    place, modes = pitched(layout), plain_modes(layout)
    return None if place is None or modes is None else modes[2 + place]


def least_pitch(layout: Layout) -> int:
    """The pitch at which rows (or columns) touch; 0 where the layout has none."""
    place, modes = pitched(layout), plain_modes(layout)
    return 0 if place is None or modes is None else modes[1 - place]


def pitch_tip(layout: Layout) -> str:
    """What the slider of the pitch counts."""
    return f"from one {('row', 'column')[pitched(layout) or 0]} to the next, in elements"


def with_pitch(layout: Layout, pitch: Any) -> Layout:
    """The same tile with its rows (or columns) this many elements apart."""
    place = pitched(layout)
    if place is None:
        raise CuteLabError(f"{layout} has no single pitch; set its strides in the layout, or start from (32,32):(32,1)")
    if not is_int(pitch):
        raise CuteLabError(f"pitch must be a whole number of elements, got {pitch!r}")
    least = least_pitch(layout)
    if pitch < least:
        raise CuteLabError(
            f"pitch must be {least} elements or more, or the {('rows', 'columns')[place]} overlap; got {pitch}"
        )
    return Layout(layout.shape, (int(pitch), 1) if place == 0 else (1, int(pitch)))
