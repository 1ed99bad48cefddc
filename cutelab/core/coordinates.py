"""Coordinate layouts: strides that are basis elements, so that a coordinate gives a coordinate instead of an offset.

`(128,64):(1@0,1@1)` is the identity: (i, j) -> (i, j). `1@0` is CuTe's E<0>, the unit of mode 0 of the result; `1@1@0` is
E<0,1>, the unit of mode 1 inside mode 0: the innermost mode is written first. Used for predication and by TMA.
Source: cute/numeric/arithmetic_tuple.hpp; CuTe's documentation, "TMA Tensors".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import INT64_MAX, MAX_DEPTH, Int, IntTuple, is_int, shown_text, to_text
from cutelab.core.leaves import Coordinate, Path, ScaledBasis, assemble, stride_leaves, strides_text

MAX_TABLE = 2**24  # numbers of the largest table that is ever allocated
Stride = Any  # an integer 0, a ScaledBasis, or a tuple of them


@dataclass(frozen=True, slots=True)
class CoordLayout:
    """Which coordinate does a coordinate have? The sum of c_i * stride_i, where strides are basis elements.

    shape: positive integers, nested as you like. stride: of the same profile, ScaledBasis or 0 (a mode that moves nothing).
    Called, it gives a coordinate: a tuple, nested as the basis elements say. With one basis element in all it gives a
    ScaledBasis, as CuTe does. Raises CuteLabError for another profile, for integers other than 0 (an offset is no coordinate)
    and where one basis element lies inside another.

    >>> identity = make_identity_layout((128, 64))
    >>> identity(5, 3), str(CoordLayout((4, 5), (ScaledBasis(1, (0, 0)), ScaledBasis(1, (0, 1)))))
    ((5, 3), '(4,5):(1@0@0,1@1@0)')
    >>> str(CoordLayout(8, ScaledBasis(1, (0,)))(5))
    '5@0'
    """

    shape: IntTuple
    stride: Stride

    def __init__(self, shape: Any, stride: Any) -> None:
        shape = int_tuple.as_int_tuple(shape, "shape")
        if any(extent < 1 for extent in int_tuple.flatten(shape)):
            raise CuteLabError(f"shape {shown_text(shape)} holds an extent below 1; use 1 or more")
        if int_tuple.product(shape) > INT64_MAX:
            raise CuteLabError(f"shape {shown_text(shape)} has 2^63 elements or more; keep it below")
        stride = _as_strides(stride, 0)
        if not _same_profile(shape, stride):
            raise CuteLabError(
                f"stride {strides_text(stride)[:60]} does not have the profile of shape {shown_text(shape)}; "
                f"for example {strides_text(make_identity_layout(shape).stride)[:60]}"
            )
        paths = sorted({d.path for d in stride_leaves(stride) if isinstance(d, ScaledBasis)})
        for first, second in pairwise(paths):
            if second[: len(first)] == first:
                raise CuteLabError(
                    f"{ScaledBasis(1, first)} and {ScaledBasis(1, second)} cannot stand together: the first is an integer "
                    "where the second is a tuple"
                )
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "stride", stride)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Which modes of the result do the strides name? In ascending order.

        >>> make_identity_layout((4, (2, 3))).paths
        ((0,), (1, 0), (1, 1))
        """
        return tuple(sorted({d.path for d in stride_leaves(self.stride) if isinstance(d, ScaledBasis)}))

    def component(self, path: Path) -> tuple[IntTuple, IntTuple]:
        """Shape and integer strides of one mode of the result: a coordinate layout is one layout for each path.

        >>> from cutelab.core.layout import Layout
        >>> Layout(*make_identity_layout((4, 3)).component((1,)))
        Layout('(4,3):(0,1)')
        """

        def pick(stride: Stride) -> IntTuple:
            if isinstance(stride, tuple):
                return tuple(pick(d) for d in stride)
            return int(stride.value) if isinstance(stride, ScaledBasis) and stride.path == path else 0

        return self.shape, pick(self.stride)

    def __call__(self, *coord: Any) -> Any:
        """The coordinate of a 1-D, rank-D or hierarchical coordinate. With `None` in it: the layout of what is kept.

        >>> make_identity_layout((8, 6))(None, 3)
        CoordLayout('8:1@0')
        """
        if not coord:
            raise CuteLabError(f"give a coordinate of {self}, for example {to_text(int_tuple.idx2crd(0, self.shape))}")
        whole = int_tuple.as_coord(coord[0] if len(coord) == 1 else coord, self.shape)
        if _has_none(whole):
            return self.slice_and_offset(whole)[0]
        values = {path: int_tuple.crd2idx(whole, *self.component(path)) for path in self.paths}
        leaves = [d for d in stride_leaves(self.stride) if isinstance(d, ScaledBasis)]
        if len(leaves) == 1:
            return ScaledBasis(values[leaves[0].path], leaves[0].path)
        return assemble(values)

    def slice_and_offset(self, coord: Any) -> tuple[CoordLayout, Coordinate]:
        """Fix some modes and keep those that are None: which layout is left, and at which coordinate does it start?

        >>> make_identity_layout((8, 6)).slice_and_offset((2, None))
        (CoordLayout('6:1@1'), (2, 0))
        """
        coord = int_tuple.as_coord(coord, self.shape)
        start = {path: _fixed(coord, *self.component(path), self.shape) for path in self.paths}
        kept = _kept(coord, self.shape, self.stride)
        if len(kept) == 1:
            return CoordLayout(*kept[0]), assemble(start)
        shapes, strides = tuple(s for s, _ in kept), tuple(d for _, d in kept)
        return (CoordLayout(shapes, strides) if kept else CoordLayout(1, 0)), assemble(start)

    def coordinates(self) -> np.ndarray:
        """The coordinates of all elements, in the order of the 1-D index: int64 (size, number of paths), read-only.

        >>> make_identity_layout((2, 2)).coordinates().tolist()
        [[0, 0], [1, 0], [0, 1], [1, 1]]
        """
        table = _tables([self.component(path) for path in self.paths], self.shape)
        table.flags.writeable = False
        return table

    def __str__(self) -> str:
        return f"{to_text(self.shape)}:{strides_text(self.stride)}"

    def __repr__(self) -> str:
        return f"CoordLayout('{self}')"

    def __len__(self) -> int:
        return int_tuple.rank(self.shape)

    def __getitem__(self, mode: int) -> CoordLayout:
        """The layout of one top-level mode."""
        if not is_int(mode) or not -len(self) <= mode < len(self):
            raise CuteLabError(f"{str(self)[:60]} has modes 0 to {len(self) - 1}, not {shown(mode)}")
        if not isinstance(self.shape, tuple):
            return self
        return CoordLayout(self.shape[mode], self.stride[mode])


def _tables(components: list[tuple[IntTuple, IntTuple]], shape: IntTuple) -> np.ndarray:
    count = int_tuple.product(shape) * max(1, len(components))
    if count > MAX_TABLE:
        raise CuteLabError(
            f"the coordinates of {shown_text(shape)} are {count:.3g} numbers; a table holds at most {MAX_TABLE:,}"
        )
    tables = []
    for extents, steps in components:
        table = np.zeros(1, np.int64)
        for extent, step in zip(int_tuple.flatten(extents), int_tuple.flatten(steps), strict=True):
            table = (np.arange(int(extent), dtype=np.int64)[:, None] * int(step) + table).reshape(-1)
        tables.append(table)
    return np.stack(tables, axis=-1) if tables else np.zeros((int_tuple.product(shape), 0), np.int64)


def _fixed(coord: Any, shape: IntTuple, stride: IntTuple, outer: IntTuple) -> int:
    """What the fixed modes of a coordinate add up to."""
    if coord is None:
        return 0
    if not _has_none(coord):
        return int_tuple.crd2idx(coord, shape, stride)
    if not isinstance(shape, tuple) or len(coord) != len(shape):
        raise CuteLabError(f"coordinate {shown_text(coord)} does not fit shape {shown_text(outer)}")
    assert isinstance(stride, tuple)
    return sum(_fixed(c, s, d, outer) for c, s, d in zip(coord, shape, stride, strict=True))


@dataclass(frozen=True, slots=True)
class CoordTensor:
    """A coordinate layout that starts somewhere: start + layout(c). CuTe prints it as `ArithTuple(2,0) o layout`.

    >>> tensor = CoordTensor((2, 0), make_identity_layout((8, 6)))
    >>> tensor(1, 3), str(tensor)
    ((3, 3), 'ArithTuple(2,0) o (8,6):(1@0,1@1)')
    """

    start: Coordinate
    layout: CoordLayout

    def __post_init__(self) -> None:
        if not isinstance(self.layout, CoordLayout):
            raise CuteLabError(f"a coordinate tensor has a CoordLayout, got {shown(self.layout)}"[:200])
        object.__setattr__(self, "start", int_tuple.as_int_tuple(self.start, "the start"))

    @property
    def shape(self) -> IntTuple:
        return self.layout.shape

    def __call__(self, *coord: Any) -> Coordinate:
        found = self.layout(*coord)
        return _add(self.start, found.coordinate if isinstance(found, ScaledBasis) else found)

    def coordinates(self) -> np.ndarray:
        """The coordinates of all elements in the order of the 1-D index: int64 (size, number of leaves of the start)."""
        paths = _leaf_paths(self.start)
        table = _tables([self.layout.component(path) for path in paths], self.shape)
        table += np.array([_value_at(self.start, path) for path in paths], np.int64)
        table.flags.writeable = False
        return table

    def __str__(self) -> str:
        start = self.start if isinstance(self.start, tuple) else (self.start,)
        return f"ArithTuple{to_text(start)} o {self.layout}"


def _leaf_paths(value: IntTuple) -> list[Path]:
    if not isinstance(value, tuple):
        return [()]
    return [(i, *path) for i, v in enumerate(value) for path in _leaf_paths(v)]


def _value_at(value: IntTuple, path: Path) -> int:
    for i in path:
        assert isinstance(value, tuple)
        value = value[i]
    assert isinstance(value, int)
    return value


def _add(a: Coordinate, b: Coordinate) -> Coordinate:
    if isinstance(a, tuple) or isinstance(b, tuple):
        x, y = (v if isinstance(v, tuple) else (() if v == 0 else (v,)) for v in (a, b))
        longest = max(len(x), len(y))
        return tuple(_add(x[i] if i < len(x) else 0, y[i] if i < len(y) else 0) for i in range(longest))
    return a + b


def make_identity_layout(shape: Any) -> CoordLayout:
    """Which layout gives each coordinate itself? Strides 1@0, 1@1 and so on, nested like the shape.

    Compile-time marks as in the shape. Source: cute/layout.hpp, `make_identity_layout`.

    >>> make_identity_layout((4, (2, 3)))
    CoordLayout('(4,(2,3)):(1@0,(1@0@1,1@1@1))')
    """
    shape = int_tuple.as_int_tuple(shape, "shape")
    one = Int(1) if any(isinstance(s, Int) for s in stride_leaves(shape)) else 1

    def basis(s: IntTuple, path: Path) -> Stride:
        if isinstance(s, tuple):
            return tuple(basis(mode, (*path, i)) for i, mode in enumerate(s))
        return ScaledBasis(one, path or (0,))

    return CoordLayout(shape, basis(shape, ()))


def make_identity_tensor(shape: Any) -> CoordTensor:
    """The identity layout from the origin on, as kernels use it for predicates.

    >>> print(make_identity_tensor((128, 64)))
    ArithTuple(0,0) o (128,64):(1@0,1@1)
    """
    layout = make_identity_layout(shape)
    marked = any(isinstance(s, Int) for s in stride_leaves(layout.shape))
    zeros = (Int(0) if marked else 0,) * len(int_tuple.flatten(layout.shape))
    return CoordTensor(int_tuple.unflatten(zeros, layout.shape), layout)


def _as_strides(stride: Any, level: int) -> Stride:
    if level > MAX_DEPTH:
        raise CuteLabError(f"the stride is nested more than {MAX_DEPTH} levels deep; real layouts need fewer than 6")
    if isinstance(stride, tuple | list):
        if not stride:
            raise CuteLabError("the stride has an empty tuple (); write at least one stride inside")
        return tuple(_as_strides(d, level + 1) for d in stride)
    if isinstance(stride, ScaledBasis):
        return stride
    if is_int(stride) and stride == 0:
        return stride if isinstance(stride, Int) else 0
    shown = repr(stride)
    shown = shown if len(shown) < 40 else shown[:37] + "..."
    raise CuteLabError(
        f"a coordinate layout's strides are basis elements such as 1@0, or 0, got {shown}; "
        "an integer stride leads to an offset, not to a coordinate"
    )


def _same_profile(shape: IntTuple, stride: Stride) -> bool:
    if isinstance(shape, tuple):
        return isinstance(stride, tuple) and len(shape) == len(stride) and all(map(_same_profile, shape, stride))
    return not isinstance(stride, tuple)


def _has_none(coord: Any) -> bool:
    return coord is None or (isinstance(coord, tuple | list) and any(map(_has_none, coord)))


def _kept(coord: Any, shape: IntTuple, stride: Stride) -> list[tuple[IntTuple, Stride]]:
    if coord is None:
        return [(shape, stride)]
    if not _has_none(coord):
        return []
    assert isinstance(shape, tuple)
    return [mode for c, s, d in zip(coord, shape, stride, strict=True) for mode in _kept(c, s, d)]
