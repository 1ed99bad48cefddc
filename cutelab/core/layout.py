"""Layout: a function from logical coordinates to offsets, written Shape:Stride.

The offset of a coordinate is the sum, over the leaf modes, of coordinate times stride. Offsets count elements, not bytes.
Source: CuTe's documentation, "CuTe Layouts"; cute/layout.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import INT64_MAX, IntTuple, to_text

MAX_TABLE = 2**26  # elements of the largest table that is ever allocated (512 MiB of int64)


MAX_AXES = 64  # of a NumPy array


@dataclass(frozen=True, slots=True)
class Layout:
    """Which offset does a coordinate have? offset(c) = sum of c_i * stride_i over the leaf modes.

    shape: positive integers, nested as you like. stride: integers of the same profile; `None` means compact with the first mode
    fastest (CuTe's LayoutLeft). A stride of 0 repeats the same offsets (broadcast); a negative stride walks backwards, so
    offsets lie below the layout's origin. Frozen, hashable, compared by shape and stride. Raises CuteLabError for a shape
    below 1, a stride of another profile, and offsets beyond 2^63.

    >>> row_major = Layout((8, 8), (8, 1))
    >>> row_major(2, 3), row_major(19), str(row_major)
    (19, 26, '(8,8):(8,1)')
    >>> Layout(((4, 8), 2), ((16, 1), 8))((1, 1), 1)
    25
    """

    shape: IntTuple
    stride: IntTuple

    def __init__(self, shape: Any, stride: Any = None) -> None:
        shape = int_tuple.as_int_tuple(shape, "shape")
        for extent in int_tuple.flatten(shape):
            if extent < 1:
                raise CuteLabError(f"shape {to_text(shape)} holds {extent}; every extent must be 1 or more")
        if int_tuple.product(shape) > INT64_MAX:
            raise CuteLabError(
                f"shape {to_text(shape)} has {int_tuple.product(shape):.3g} elements; keep it below 2^63"
            )
        stride = int_tuple.compact_left(shape) if stride is None else int_tuple.as_int_tuple(stride, "stride")
        if not int_tuple.congruent(shape, stride):
            raise CuteLabError(
                f"stride {to_text(stride)} does not have the profile of shape {to_text(shape)}; "
                f"it needs one integer for each integer of the shape, for example "
                f"{to_text(int_tuple.compact_left(shape))}"
            )
        reach = sum((s - 1) * abs(d) for s, d in _modes(shape, stride))
        if reach > INT64_MAX or any(abs(d) > INT64_MAX for d in int_tuple.flatten(stride)):
            raise CuteLabError(
                f"{to_text(shape)}:{to_text(stride)} reaches offset {reach}; offsets must stay below 2^63"
            )
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "stride", stride)

    def __call__(self, *coord: Any) -> Any:
        """The offset of a 1-D, rank-D or hierarchical coordinate. With `None` in it: the layout of what is kept.

        >>> Layout((8, 8), (8, 1))(None, 3)
        Layout('8:8')
        """
        if not coord:
            raise CuteLabError(f"give a coordinate of {self}, for example {to_text(int_tuple.idx2crd(0, self.shape))}")
        whole = _plain(coord[0] if len(coord) == 1 else coord)
        if _has_none(whole):
            return slice_and_offset(self, whole)[0]
        return int_tuple.crd2idx(whole, self.shape, self.stride)

    def __str__(self) -> str:
        return f"{to_text(self.shape)}:{to_text(self.stride)}"

    def __repr__(self) -> str:
        return f"Layout('{self}')"

    def __len__(self) -> int:
        return int_tuple.rank(self.shape)

    def __getitem__(self, mode: int) -> Layout:
        """The layout of one top-level mode.

        >>> Layout((4, (2, 3)))[1]
        Layout('(2,3):(4,8)')
        """
        if not int_tuple.is_int(mode) or not -len(self) <= mode < len(self):
            raise IndexError(f"{self} has modes 0 to {len(self) - 1}, not {mode!r}")
        if not isinstance(self.shape, tuple):
            return self
        return Layout(self.shape[mode], self.stride[mode])  # type: ignore[index]


def LayoutLeft(shape: Any) -> Layout:
    """Which layout is compact with the first mode fastest (column-major, CuTe's default)?

    >>> LayoutLeft((4, 2))
    Layout('(4,2):(1,4)')
    """
    return Layout(shape)


def LayoutRight(shape: Any) -> Layout:
    """Which layout is compact with the last mode fastest (row-major)?

    >>> LayoutRight((4, 2)), LayoutRight((2, (3, 4)))
    (Layout('(4,2):(2,1)'), Layout('(2,(3,4)):(12,(4,1))'))
    """
    shape = int_tuple.as_int_tuple(shape, "shape")
    return Layout(shape, int_tuple.compact_right(shape))


def _modes(shape: IntTuple, stride: IntTuple) -> list[tuple[int, int]]:
    return list(zip(int_tuple.flatten(shape), int_tuple.flatten(stride), strict=True))


def _plain(coord: Any) -> Any:
    if isinstance(coord, tuple | list):
        return tuple(_plain(c) for c in coord)
    return coord


def _has_none(coord: Any) -> bool:
    return coord is None or (isinstance(coord, tuple) and any(map(_has_none, coord)))


def check_layout(layout: Any) -> None:
    """Raise CuteLabError unless this is a layout (a composed one, or one of CUTLASS 2.x, is one too).

    >>> check_layout("(4,2):(2,1)")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: '(4,2):(2,1)' is no layout; parse_layout makes one of a text, Layout(shape, stride) of numbers
    """
    if not isinstance(layout, Layout) and not (hasattr(layout, "offsets") and hasattr(layout, "shape")):
        shown = repr(layout)
        shown = shown if len(shown) < 60 else shown[:57] + "..."
        raise CuteLabError(f"{shown} is no layout; parse_layout makes one of a text, Layout(shape, stride) of numbers")


def size(layout: Any) -> int:
    """How many coordinates does it have? (Elements of the domain.)

    >>> size(Layout((8, 8), (8, 1))), size((4, (2, 3)))
    (64, 24)
    """
    return int_tuple.product(_shape(layout))


def cosize(layout: Any) -> int:
    """How many elements must memory hold for it? The largest offset plus one (strides taken without sign).

    Behind a swizzle too, where CUTLASS's own cosize looks at the inner layout only. Above 2^20 elements a composed layout
    gets an upper bound: whole periods of the swizzle.

    >>> cosize(Layout((8, 8), (9, 1))), cosize(Layout(8, 0))
    (71, 1)
    """
    check_layout(layout)
    if hasattr(layout, "inner"):
        if size(layout) <= 2**20 or not hasattr(layout.outer, "period"):
            return int(offsets(layout).max()) + 1
        period = layout.outer.period
        return -(-(layout.offset + cosize(layout.inner)) // period) * period
    return 1 + sum((s - 1) * abs(d) for s, d in _modes(layout.shape, layout.stride))


def rank(layout: Any) -> int:
    """How many top-level modes?

    >>> rank(Layout(((4, 8), 2))), rank(Layout(8))
    (2, 1)
    """
    return int_tuple.rank(_shape(layout))


def depth(layout: Any) -> int:
    """How deep is the nesting? 0 for an integer shape.

    >>> depth(Layout(((4, 8), 2))), depth(Layout(8))
    (2, 0)
    """
    return int_tuple.depth(_shape(layout))


def flatten(layout: Any) -> Any:
    """The same function with all leaf modes at the top level.

    >>> flatten(Layout(((4, 8), 2), ((16, 1), 8)))
    Layout('(4,8,2):(16,1,8)')
    """
    check_layout(layout)
    if hasattr(layout, "inner"):
        return replace(layout, inner=flatten(layout.inner))
    if not isinstance(layout.shape, tuple):
        return layout
    return Layout(int_tuple.flatten(layout.shape), int_tuple.flatten(layout.stride))


def congruent(a: Any, b: Any) -> bool:
    """Do two shapes (or two layouts' shapes) have the same profile?

    >>> congruent(Layout((4, (2, 2))), Layout((8, (1, 3))))
    True
    """
    return int_tuple.congruent(_shape(a), _shape(b))


def compatible(a: Any, b: Any) -> bool:
    """Is every coordinate of a's shape a coordinate of b's shape? Not symmetric.

    >>> compatible(64, (8, 8)), compatible((8, 8), 64)
    (True, False)
    """
    return int_tuple.compatible(_shape(a), _shape(b))


def _shape(x: Any) -> IntTuple:
    return x.shape if hasattr(x, "stride") or hasattr(x, "layout") else int_tuple.as_int_tuple(x, "shape")


def slice_and_offset(layout: Layout, coord: Any) -> tuple[Layout, int]:
    """Fix some modes of a coordinate and keep those that are `None`: which layout is left, and from which offset?

    >>> slice_and_offset(Layout((8, 8), (8, 1)), (2, None))
    (Layout('8:1'), 16)
    """
    kept: list[tuple[IntTuple, IntTuple]] = []

    def walk(c: Any, s: IntTuple, d: IntTuple) -> int:
        if c is None:
            kept.append((s, d))
            return 0
        if isinstance(c, tuple) and _has_none(c):
            if not isinstance(s, tuple) or len(c) != len(s):
                raise CuteLabError(
                    f"{to_text(coord)} does not fit shape {to_text(layout.shape)}: {to_text(c)} for {to_text(s)}"
                )
            return sum(walk(ci, si, di) for ci, si, di in zip(c, s, d, strict=True))  # type: ignore[arg-type]
        return int_tuple.crd2idx(c, s, d)

    offset = walk(_plain(coord), layout.shape, layout.stride)
    if not kept:
        return Layout(1, 0), offset
    if len(kept) == 1:
        return Layout(*kept[0]), offset
    return Layout(tuple(s for s, _ in kept), tuple(d for _, d in kept)), offset


def mode_offsets(shape: IntTuple, stride: IntTuple) -> np.ndarray:
    """The offsets of one mode by its 1-D index: int64 (size,), the first leaf fastest.

    >>> mode_offsets((2, 3), (1, 10)).tolist()
    [0, 1, 10, 11, 20, 21]
    """
    table = np.zeros(1, np.int64)
    for extent, step in _modes(shape, stride):
        table = (np.arange(extent, dtype=np.int64)[:, None] * step + table).reshape(-1)
    return table


def check_table_size(elements: int, what: object) -> None:
    """Raise CuteLabError if a table of so many elements must not be allocated.

    >>> check_table_size(10**15, "(1000000,1000000000):(1,1000000)")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: (1000000,1000000000):(1,1000000) has 1e+15 elements; a table holds at most 67,108,864
    """
    if elements > MAX_TABLE:
        count = f"{elements:,}" if elements < 10**9 else f"{elements:.3g}"
        raise CuteLabError(f"{what} has {count} elements; a table holds at most {MAX_TABLE:,}")


def offsets(layout: Any) -> np.ndarray:
    """Which offset has each coordinate? A read-only int64 array, one axis for each top-level mode.

    `.ravel(order="F")` is the order of the 1-D index. Unit: elements. Works on composed layouts too.
    Raises CuteLabError above 2^26 elements, before anything is allocated.

    >>> offsets(Layout((2, 4), (4, 1)))
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    """
    check_layout(layout)
    if not isinstance(layout, Layout):
        return layout.offsets() if callable(layout.offsets) else layout.offsets
    check_table_size(size(layout), layout)
    if rank(layout) > MAX_AXES:
        raise CuteLabError(f"{layout} has {rank(layout)} modes; a table has at most {MAX_AXES} axes: group modes first")
    if not isinstance(layout.shape, tuple):
        table = mode_offsets(layout.shape, layout.stride)
    else:
        modes = [mode_offsets(s, d) for s, d in zip(layout.shape, layout.stride, strict=True)]  # type: ignore[arg-type]
        table = modes[0]
        for mode in modes[1:]:
            table = np.add(table[..., None], mode)
    table.flags.writeable = False
    return table
