"""The laws that every algebra result is held to, point by point, and how a layout is read beyond its size.

A layout A of shape (s0, .., sn) is also defined for larger 1-D indices, as in CuTe: the last mode simply goes on.
Source: cute/layout.hpp, the post-conditions above each function; cute/stride.hpp, `crd2idx`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, brief
from cutelab.core.int_tuple import INT64_MAX, Int, IntTuple
from cutelab.core.layout import ComposedLayout, Layout, beyond, mode_offsets, modes, size
from cutelab.core.swizzle import Swizzle

MAX_CHECK = 2**22  # coordinates that are all checked; of larger domains a fixed sample is
SAMPLE = 2**16


def flat_modes(layout: Layout) -> list[tuple[int, int]]:
    """Which leaf modes (extent, stride) has a layout, from left to right?

    >>> flat_modes(Layout(((4, 8), 2), ((16, 1), 8)))
    [(4, 16), (8, 1), (2, 8)]
    """
    return modes(layout.shape, layout.stride)


def from_modes(modes: list[tuple[Any, Any]], *, static: bool = False) -> Layout:
    """Which layout has these (shape, stride) modes? One mode alone is not wrapped; none is 1:0 (static: `_1:_0`).

    >>> from_modes([(4, 1), ((2, 2), (8, 4))]), from_modes([(4, 2)]), from_modes([])
    (Layout('(4,(2,2)):(1,(8,4))'), Layout('4:2'), Layout('1:0'))
    """
    if not modes:
        return Layout(Int(1), Int(0)) if static else Layout(1, 0)
    if len(modes) == 1:
        return Layout(*modes[0])
    return Layout(tuple(s for s, _ in modes), tuple(d for _, d in modes))


def static(layout: Layout) -> bool:
    """Is anything in this layout static, so that results that C++ makes static are so too?

    >>> static(Layout("(4,_2):(2,1)")), static(Layout((4, 2)))
    (True, False)
    """
    return any(isinstance(v, Int) for mode in flat_modes(layout) for v in mode)


def points(shape: IntTuple) -> np.ndarray:
    """Which 1-D indices of a shape are checked? All up to 2^22; of more its corners, its ends and a fixed random sample.

    >>> points((2, 2)).tolist(), 10**4 < len(points((10**6, 10**6))) < 10**5
    ([0, 1, 2, 3], True)
    """
    return _points(int_tuple.flatten(shape))


@lru_cache(maxsize=16)
def _points(extents: tuple[int, ...]) -> np.ndarray:
    count = int_tuple.product(extents)
    if count <= MAX_CHECK:
        found = np.arange(count, dtype=np.int64)
    else:
        corners, step = np.zeros(1, np.int64), 1
        for extent in extents:  # each mode at its start, its second and its last coordinate
            if extent > 1 and len(corners) < SAMPLE:
                places = np.array(sorted({0, 1, extent - 1}), dtype=np.int64) * step
                corners = (places[:, None] + corners).reshape(-1)
            step *= extent
        inside = np.random.default_rng(0).integers(0, count, SAMPLE)
        ends = np.arange(2**12, dtype=np.int64)
        found = np.unique(np.concatenate([corners, ends, inside, count - 1 - ends]))
    found.flags.writeable = False
    return found


def values(function: Layout | ComposedLayout | Swizzle, index: np.ndarray) -> np.ndarray:
    """Which offsets do these 1-D indices have, the last mode going on beyond the size?

    Raises CuteLabError for a negative index of a layout of several modes, and for offsets beyond 2^63.

    >>> values(Layout((4, 2), (1, 8)), np.array([3, 4, 7, 8, 9])).tolist()
    [3, 8, 11, 16, 17]
    """
    if isinstance(function, Swizzle):
        return function(index)
    if isinstance(function, ComposedLayout):
        inner = values(function.inner, index)
        if abs(function.offset) + int(np.abs(inner).max(initial=0)) > INT64_MAX:
            raise CuteLabError(f"{brief(function)} reaches offsets beyond 2^63; use a smaller offset")
        return values(function.outer, int(function.offset) + inner)
    return beyond(function, index)


def domain_values(layout: Layout | ComposedLayout, shape: IntTuple | None = None) -> np.ndarray:
    """The offsets at `points(shape)`, by 1-D index; the shape is the layout's own or one of the same size.

    >>> domain_values(Layout((2, 2), (2, 1))).tolist()
    [0, 2, 1, 3]
    """
    if isinstance(layout, Layout) and size(layout) <= MAX_CHECK:
        return mode_offsets(layout.shape, layout.stride)
    return values(layout, points(layout.shape if shape is None else shape))


def first_difference(got: np.ndarray, want: np.ndarray, shape: IntTuple) -> tuple[int, int] | None:
    """Where do two tables over `points(shape)` first differ? (place in the table, 1-D index), or None.

    >>> first_difference(np.array([0, 1, 2, 9]), np.array([0, 1, 2, 3]), (2, 2))
    (3, 3)
    """
    same = got == want
    if same.all():
        return None
    at = int(np.argmin(same))
    return at, int(points(shape)[at])


def checked_phrase(shape: IntTuple) -> str:
    """How many coordinates were checked, in words?

    >>> checked_phrase((3, 4)), checked_phrase(10**9).endswith("sampled coordinates of 1,000,000,000")
    ('at all 12 coordinates', True)
    """
    count = int_tuple.product(shape)
    if count <= MAX_CHECK:
        return f"at all {count:,} coordinates" if count > 1 else "at its one coordinate"
    return f"at {len(points(shape)):,} sampled coordinates of {count:,}"


def check_same(name: str, result: Any, got: np.ndarray, want: np.ndarray, shape: IntTuple, rule: str) -> None:
    """Refuse a result that differs from its definition: raise CuteLabError with the first coordinate that differs.

    >>> check_same("f", Layout(2), np.array([0, 1]), np.array([0, 1]), 2, "R(i) = i")
    """
    found = first_difference(got, want, shape)
    if found:
        at, index = found
        raise CuteLabError(
            f"{name}: {rule} does not hold. C++ returns {brief(result)}; at coordinate "
            f"{int_tuple.shown_text(int_tuple.idx2crd(index, shape))} that gives {got[at]}, the definition {want[at]}"
        )
