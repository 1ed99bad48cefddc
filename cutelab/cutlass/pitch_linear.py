"""Pitch-linear coordinates of CUTLASS 2.x: how far along memory (contiguous), and in which line (strided).

What the thread maps, the matrix layouts and the strips share: the pair types, the count of who covers what, and the
cut into warps. Source: cutlass/pitch_linear_coord.h, cutlass/layout/pitch_linear.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cutelab.core.counting import how_often
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import check_table_size

WARP_SIZE = 32
INT32_MAX = 2**31 - 1


class PitchLinearCoord(NamedTuple):
    """Where, in elements? `contiguous` along memory, `strided` across the lines.

    >>> PitchLinearCoord(3, 1)
    PitchLinearCoord(contiguous=3, strided=1)
    """

    contiguous: int
    strided: int


class _Pair(NamedTuple):
    contiguous: int
    strided: int


class PitchLinearShape(_Pair):
    """How large, in elements (or in threads, or in accesses)? A pair of whole numbers of 0 or more.

    >>> tile = PitchLinearShape(16, 8)
    >>> tile.contiguous, tile.count, str(tile)
    (16, 128, 'PitchLinearShape<16,8>')
    """

    __slots__ = ()

    def __new__(cls, contiguous: int, strided: int) -> PitchLinearShape:
        for value in (contiguous, strided):
            if not is_int(value) or not 0 <= value <= INT32_MAX:
                raise CuteLabError(
                    f"PitchLinearShape<contiguous,strided> holds two whole numbers from 0 to 2^31 - 1, got {shown(value)}; "
                    "for example PitchLinearShape(16, 8)"
                )
        return super().__new__(cls, int(contiguous), int(strided))

    @property
    def count(self) -> int:  # type: ignore[override]
        """The product of both extents."""
        return self.contiguous * self.strided

    def __str__(self) -> str:
        return f"PitchLinearShape<{self.contiguous},{self.strided}>"


def as_shape(value: Any, what: str) -> PitchLinearShape:
    """Is this a shape of at least 1 x 1? A PitchLinearShape, or a tuple of two numbers.

    >>> as_shape((16, 8), "Shape")
    PitchLinearShape(contiguous=16, strided=8)
    """
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise CuteLabError(
            f"{what} must be PitchLinearShape<contiguous,strided>, got {shown(value)}; for example (16, 8)"
        )
    shape = PitchLinearShape(*value)
    if shape.count < 1:
        raise CuteLabError(f"{what} {shape} is empty; both extents must be 1 or more")
    return shape


def whole_number(value: Any, what: str, low: int = 1, high: int = INT32_MAX) -> int:
    """Is this a whole number from low to high? Return it as a plain integer.

    >>> whole_number(32, "threads")
    32
    """
    if not is_int(value):
        raise CuteLabError(f"{what} must be a whole number, got {shown(value)}; for example {low}")
    if not low <= value <= high:
        limit = "2^31 - 1" if high == INT32_MAX else str(high)
        raise CuteLabError(f"{what} must be from {low} to {limit}, got {shown(value)}")
    return int(value)


@dataclass(frozen=True, eq=False)
class Coverage:
    """How often is each element of a tile touched, and which touches fall outside the tile?

    times            int (strided, contiguous): how often; read-only
    outside          int (n, 2): contiguous, strided of each touch outside the tile, in the order of the threads
    outside_threads  int (n,): which thread makes that touch

    >>> both = count_coverage(np.array([[[0, 0], [1, 0]], [[1, 0], [2, 0]]]), PitchLinearShape(2, 2))
    >>> both.times.tolist(), both.uncovered, both.outside.tolist(), both.outside_threads.tolist()
    ([[1, 2], [0, 0]], 2, [[2, 0]], [1])
    >>> print(both)
    4 elements: 2 missed, 1 touched more than once (up to 2 times), 1 touch outside the tile
    """

    times: np.ndarray
    outside: np.ndarray
    outside_threads: np.ndarray

    @property
    def tile_elements(self) -> int:
        """How many elements the tile has."""
        return self.times.size

    @property
    def covered(self) -> int:
        """How many elements of the tile are touched."""
        return int((self.times > 0).sum())

    @property
    def uncovered(self) -> int:
        """How many elements of the tile are never touched."""
        return self.tile_elements - self.covered

    @property
    def repeated_elements(self) -> int:
        """How many elements of the tile are touched more than once."""
        return int((self.times > 1).sum())

    @property
    def max_times_covered(self) -> int:
        """How often the most touched element is touched."""
        return int(self.times.max())

    @property
    def out_of_tile_elements(self) -> int:
        """How many touches fall outside the tile."""
        return len(self.outside)

    @property
    def missed(self) -> np.ndarray:
        """Which elements are never touched? int (n, 2): contiguous, strided."""
        return np.argwhere(self.times == 0)[:, ::-1]

    @property
    def repeated(self) -> np.ndarray:
        """Which elements are touched more than once? int (n, 2): contiguous, strided."""
        return np.argwhere(self.times > 1)[:, ::-1]

    @property
    def exact(self) -> bool:
        """Is every element of the tile touched exactly once, and nothing else?"""
        return bool((self.times == 1).all()) and not len(self.outside)

    def __str__(self) -> str:
        if self.exact:
            return f"{self.tile_elements} elements, each touched once"
        parts = []
        if self.uncovered:
            parts.append(f"{self.uncovered} missed")
        if self.repeated_elements:
            parts.append(f"{self.repeated_elements} touched more than once (up to {self.max_times_covered} times)")
        if n := self.out_of_tile_elements:
            parts.append(f"{n} {'touch' if n == 1 else 'touches'} outside the tile")
        return f"{self.tile_elements} elements: " + ", ".join(parts)


def count_coverage(elements: np.ndarray, tile: PitchLinearShape) -> Coverage:
    """Who touches what? elements: int (threads, touches, 2) of contiguous, strided. The counts add up to threads * touches.

    >>> count_coverage(np.zeros((4, 1, 2), int), PitchLinearShape(1, 1)).max_times_covered
    4
    """
    check_table_size(tile.count, tile)
    c, s = elements[..., 0], elements[..., 1]
    inside = (c >= 0) & (c < tile.contiguous) & (s >= 0) & (s < tile.strided)
    flat = (s * tile.contiguous + c)[inside]
    times = how_often(flat, tile.count).reshape(tile.strided, tile.contiguous)
    found = Coverage(times, elements[~inside], np.nonzero(~inside)[0])
    for array in (found.times, found.outside, found.outside_threads):
        array.flags.writeable = False
    return found


def by_warp(values: np.ndarray, lanes: int = WARP_SIZE) -> tuple[np.ndarray, np.ndarray]:
    """Which values has each warp? (threads, ...) becomes (warps, 32, ...) and a mask (warps, 32) of the lanes that exist.

    lanes   of a warp, where it has another number. A last warp that is not full is filled with copies of its last thread, and the mask is False there.

    >>> lanes, active = by_warp(np.arange(40))
    >>> lanes.shape, active.sum(axis=1).tolist()
    ((2, 32), [32, 8])
    """
    threads = len(values)
    warps = -(-threads // lanes)
    thread = np.arange(warps * lanes, dtype=np.int64)
    held = values[np.minimum(thread, threads - 1)]
    return held.reshape(warps, lanes, *values.shape[1:]), (thread < threads).reshape(warps, lanes)
