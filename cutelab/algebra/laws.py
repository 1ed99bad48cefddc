"""The laws that every algebra result is held to, point by point, and how a layout is read beyond its size.

A layout A of shape (s0, .., sn) is also defined for larger 1-D indices, as in CuTe: the last mode simply goes on.
Source: cute/layout.hpp, the post-conditions above each function; cute/stride.hpp, `crd2idx`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab import int_tuple
from cutelab.composed import ComposedLayout
from cutelab.errors import CuteLabError
from cutelab.int_tuple import INT64_MAX, IntTuple, to_text
from cutelab.layout import Layout, mode_offsets, size
from cutelab.swizzle import Swizzle

MAX_CHECK = 2**22  # coordinates that are all checked; of larger domains a fixed sample is
SAMPLE = 2**18


def flat_modes(layout: Layout) -> list[tuple[int, int]]:
    """Which leaf modes (extent, stride) has a layout, from left to right?

    >>> flat_modes(Layout(((4, 8), 2), ((16, 1), 8)))
    [(4, 16), (8, 1), (2, 8)]
    """
    return list(zip(int_tuple.flatten(layout.shape), int_tuple.flatten(layout.stride), strict=True))


def from_modes(modes: list[tuple[Any, Any]]) -> Layout:
    """Which layout has these (shape, stride) modes? One mode alone is not wrapped; none is 1:0.

    >>> from_modes([(4, 1), ((2, 2), (8, 4))]), from_modes([(4, 2)]), from_modes([])
    (Layout('(4,(2,2)):(1,(8,4))'), Layout('4:2'), Layout('1:0'))
    """
    if not modes:
        return Layout(1, 0)
    if len(modes) == 1:
        return Layout(*modes[0])
    return Layout(tuple(s for s, _ in modes), tuple(d for _, d in modes))


def points(count: int) -> np.ndarray:
    """Which 1-D indices of a domain of `count` are checked? All up to 2^22; of more the ends, and a fixed random sample.

    >>> points(4).tolist(), len(points(10**12)) < 10**6
    ([0, 1, 2, 3], True)
    """
    if count <= MAX_CHECK:
        return np.arange(count, dtype=np.int64)
    inside = np.random.default_rng(0).integers(0, count, SAMPLE)
    powers = np.array([1 << b for b in range(63) if 1 << b < count], dtype=np.int64)
    ends = np.arange(2**14, dtype=np.int64)
    return np.unique(np.concatenate([ends, powers, inside, count - 1 - ends]))


def values(function: Layout | ComposedLayout | Swizzle, index: np.ndarray) -> np.ndarray:
    """Which offsets do these 1-D indices have, the last mode going on beyond the size?

    Raises CuteLabError for a negative index of a layout of several modes, and for offsets beyond 2^63.

    >>> values(Layout((4, 2), (1, 8)), np.array([3, 4, 7, 8, 9])).tolist()
    [3, 8, 11, 16, 17]
    """
    if isinstance(function, Swizzle):
        return function(index)
    if isinstance(function, ComposedLayout):
        return values(function.outer, function.offset + values(function.inner, index))
    modes = flat_modes(function)
    top = int(np.abs(index).max(initial=0))
    low = int(index.min(initial=0))
    if low < 0 and not _is_linear(modes):
        raise CuteLabError(
            f"index {low} is outside {function}: a layout of several modes has no value below index 0; "
            f"use strides of 0 or more on the right"
        )
    inner = int_tuple.product(tuple(s for s, _ in modes[:-1])) if len(modes) > 1 else 1
    reach = sum((s - 1) * abs(d) for s, d in modes[:-1]) + (top // inner) * abs(modes[-1][1])
    if reach > INT64_MAX:
        raise CuteLabError(
            f"{function} at index {top} reaches offset {reach:.4g}; offsets must stay below 2^63, so use smaller numbers"
        )
    if low < 0:
        return index * modes[0][1]
    result, rest = None, index
    for extent, stride in modes[:-1]:
        if extent == 1:
            continue
        rest, part = rest // extent, rest
        part = (part - rest * extent) * stride
        result = part if result is None else result + part
    last = rest * modes[-1][1]
    return last if result is None else result + last


def _is_linear(modes: list[tuple[int, int]]) -> bool:
    """Is the layout one multiplication, also beyond its size?"""
    step = modes[0][0] * modes[0][1]
    for extent, stride in modes[1:]:
        if stride != step:
            return False
        step *= extent
    return True


def domain_values(layout: Layout | ComposedLayout) -> np.ndarray:
    """The offsets at `points(size(layout))`, by 1-D index.

    >>> domain_values(Layout((2, 2), (2, 1))).tolist()
    [0, 2, 1, 3]
    """
    count = size(layout)
    if isinstance(layout, Layout) and count <= MAX_CHECK:
        return mode_offsets(layout.shape, layout.stride)
    return values(layout, points(count))


def first_difference(got: np.ndarray, want: np.ndarray, shape: IntTuple) -> tuple[int, IntTuple, int] | None:
    """Where do two tables over `points(size)` of a shape first differ? (place in the table, coordinate, 1-D index) or None.

    >>> first_difference(np.array([0, 1, 2, 9]), np.array([0, 1, 2, 3]), (2, 2))
    (3, (1, 1), 3)
    """
    same = got == want
    if same.all():
        return None
    at = int(np.argmin(same))
    index = int(points(int_tuple.product(shape))[at])
    return at, int_tuple.idx2crd(index, shape), index


def checked_phrase(count: int) -> str:
    """How many coordinates were checked, in words?

    >>> checked_phrase(12), checked_phrase(10**9).endswith("sampled coordinates of 1,000,000,000")
    ('at all 12 coordinates', True)
    """
    if count <= MAX_CHECK:
        return f"at all {count:,} coordinates" if count > 1 else "at its one coordinate"
    return f"at {len(points(count)):,} sampled coordinates of {count:,}"


def check_same(name: str, result: Any, got: np.ndarray, want: np.ndarray, shape: IntTuple, rule: str) -> None:
    """Refuse a result that differs from its definition: raise CuteLabError with the first coordinate that differs.

    >>> check_same("f", Layout(2), np.array([0, 1]), np.array([0, 1]), 2, "R(i) = i")
    """
    found = first_difference(got, want, shape)
    if found:
        at, coord, _ = found
        raise CuteLabError(
            f"{name}: {rule} does not hold. C++ would return {result}, which has {got[at]} at coordinate "
            f"{to_text(coord)} where the definition has {want[at]}"
        )
