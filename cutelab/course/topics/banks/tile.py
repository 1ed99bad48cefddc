"""Topic "banks", what lies in memory: a tile's layout with its pitch and its swizzle, read and checked."""

from __future__ import annotations

from typing import Any

from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import flatten, is_int
from cutelab.core.layout import Layout, cosize, rank, size
from cutelab.core.swizzle import Swizzle, parse_swizzle

SHARED_BYTES = 228 * 1024  # of one multiprocessor of compute capability 9.0
PADDINGS = 32  # pitches that the slider offers beyond the row


def split(layout: Any) -> tuple[Layout, Swizzle | None]:
    """The layout without its swizzle, and the swizzle.

    >>> split("Sw<5,0,5> o 0 o (32,32):(32,1)")
    (Layout('(32,32):(32,1)'), Swizzle(5, 0, 5))
    """
    parsed = layout if isinstance(layout, Layout | ComposedLayout) else parse_layout(layout)
    if isinstance(parsed, Layout):
        return parsed, None
    if parsed.offset or not isinstance(parsed.outer, Swizzle):
        raise CuteLabError(
            f"{parsed}: a tile starts at offset 0, with a swizzle at most; write Sw<B,M,S> o 0 o (rows,columns)"
        )
    return parsed.inner, parsed.outer


def read_swizzle(value: Any) -> Swizzle | None:
    """The swizzle that this text names; None for no text."""
    if value is None or isinstance(value, Swizzle):
        return value
    return parse_swizzle(value) if str(value).strip() else None


def check_tile(layout: Layout, element_bytes: int) -> None:
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
    if size_bytes > SHARED_BYTES:
        raise CuteLabError(
            f"{layout} with elements of {element_bytes} bytes takes {size_bytes:,} bytes; shared memory has {SHARED_BYTES:,}"
        )


def pitched(layout: Layout) -> int | None:
    """Which mode has the pitch: 0 for plain rows of neighbours, 1 for plain columns, None for other layouts?

    >>> pitched(Layout((32, 32), (33, 1))), pitched(Layout((32, 8), (1, 32))), pitched(Layout((4, 4), (8, 2)))
    (0, 1, None)
    """
    if rank(layout) != 2 or not all(map(is_int, layout.shape)):  # type: ignore[arg-type]
        return None
    rows, cols = layout.shape  # type: ignore[misc]
    down, across = layout.stride  # type: ignore[misc]
    if across == 1 and down >= cols:
        return 0
    return 1 if down == 1 and across >= rows else None


def with_pitch(layout: Layout, pitch: Any) -> Layout:
    """The same tile with its rows (or columns) this many elements apart."""
    place = pitched(layout)
    if place is None:
        raise CuteLabError(f"{layout} has no single pitch; set its strides in the layout, or start from (32,32):(32,1)")
    if not is_int(pitch):
        raise CuteLabError(f"pitch must be a whole number of elements, got {pitch!r}")
    least = layout.shape[1 - place]  # type: ignore[index]
    if pitch < least:
        raise CuteLabError(
            f"pitch must be {least} elements or more, or the {('rows', 'columns')[place]} overlap; got {pitch}"
        )
    return Layout(layout.shape, (int(pitch), 1) if place == 0 else (1, int(pitch)))
