"""Find the CuTe layout, with a swizzle if need be, that gives the offsets of a 2.x layout; nothing is believed unchecked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.layout import ComposedLayout, Layout, offsets
from cutelab.core.swizzle import Swizzle

Mode = tuple[Any, Any]  # shape, stride


class Matrix(Protocol):
    """What is asked of a MatrixLayout here."""

    @property
    def name(self) -> str: ...
    @property
    def extent(self) -> tuple[int, int]: ...
    @property
    def stride(self) -> tuple[int, ...]: ...
    @property
    def offsets(self) -> np.ndarray: ...
    @property
    def parameters(self) -> tuple[int, ...]: ...
    @property
    def is_affine(self) -> bool: ...
    @property
    def contiguous_first(self) -> bool: ...


def equivalent_layout(matrix: Matrix) -> Layout | ComposedLayout:
    """The CuTe layout of a MatrixLayout; see `MatrixLayout.to_layout`."""
    wanted = matrix.offsets
    for first, second in _candidates(matrix):
        inner = Layout((first[0], second[0]), (first[1], second[1]))
        linear = offsets(inner)
        if (linear == wanted).all():
            return inner
        swizzle = find_swizzle(linear, wanted)
        if swizzle is not None:
            return ComposedLayout(swizzle, 0, inner)
    if "Interleaved" in matrix.name:
        k = matrix.parameters[0]
        raise CuteLabError(
            f"{matrix} is no CuTe layout: the interleave {k} does not divide the lines; pad them to a multiple"
        )
    raise CuteLabError(
        f"{matrix} is no strided CuTe layout, and no single Swizzle<B,M,S> on one gives its offsets; use offsets"
    )


def find_swizzle(linear: np.ndarray, wanted: np.ndarray) -> Swizzle | None:
    """Which swizzle with the fewest bits turns these linear offsets into the wanted ones? None if no single one does.

    >>> find_swizzle(np.arange(64), Swizzle(3, 0, 3)(np.arange(64)))
    Swizzle(3, 0, 3)
    """
    for table in (linear, wanted):
        if (
            not isinstance(table, np.ndarray)
            or table.dtype.kind not in "iu"
            or table.shape != np.shape(linear)
            or not table.size
        ):
            raise CuteLabError(f"find_swizzle compares two arrays of offsets of one shape, got {shown(table)}")
    moved = int(np.bitwise_or.reduce(linear ^ wanted, axis=None))
    if not moved:
        return Swizzle(0, 0, 0)
    base = (moved & -moved).bit_length() - 1
    bits = moved.bit_length() - base
    for shift in range(bits, int(linear.max()).bit_length()):
        swizzle = Swizzle(bits, base, shift)
        if (swizzle(linear) == wanted).all():
            return swizzle
    return None


def _candidates(matrix: Matrix) -> Iterator[tuple[Mode, Mode]]:
    """Linear layouts to try, as (mode 0, mode 1)."""
    if matrix.is_affine:
        yield (matrix.extent[0], matrix.stride[0]), (matrix.extent[1], matrix.stride[1])
        return
    ld = matrix.stride[0]
    c, s = matrix.extent if matrix.contiguous_first else matrix.extent[::-1]
    for along, across in _pitch_linear(matrix, c, s, ld):
        yield (along, across) if matrix.contiguous_first else (across, along)


def _pitch_linear(matrix: Matrix, c: int, s: int, ld: int) -> Iterator[tuple[Mode, Mode]]:
    if "Interleaved" in matrix.name:
        (k,) = matrix.parameters
        if k == 1:
            yield (c, 1), (s, ld)
        elif s <= k:
            yield (c, k), (s, 1)
        elif s % k == 0:
            yield (c, k), ((k, s // k), (1, ld))
        return
    yield (c, 1), (s, ld)
    if len(matrix.parameters) == 2 and "Volta" not in matrix.name:  # f lines share one line of shared memory
        bits, wide = matrix.parameters
        f = 8 * (128 // bits) // wide
        if f >= 1:
            yield _split(c, wide, 1, wide * f), _split(s, f, wide, f * ld)


def _split(extent: int, inner: int, step: int, outer_step: int) -> Mode:
    if extent <= inner or extent % inner:
        return extent, step
    return ((inner, extent // inner), (step, outer_step)) if inner > 1 else (extent, outer_step)
