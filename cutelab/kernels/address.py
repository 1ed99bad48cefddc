"""A cutelab layout as a device function: (row, column) of a tile -> element offset in shared memory.

The numbers of Shape:Stride and Swizzle become constants of the compiled kernel; nothing is looked up at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import flatten
from cutelab.core.layout import Layout, offsets
from cutelab.core.swizzle import Swizzle
from cutelab.kernels._cuda import device_function

Coords = tuple[np.ndarray, np.ndarray]


def address_function(layout: Layout | ComposedLayout) -> Any:
    """Which device function computes this layout? address(i, j) = swizzle(offset + sum of coordinate * stride).

    layout: two top-level modes, each nested as you like, alone or under a `Swizzle`. Raises CuteLabError for another rank.

    >>> address = address_function(ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1))))
    >>> plain(address)(2, 3)
    17
    """
    inner, start, swizzle = _parts(layout)
    offset = _offset(inner)
    if swizzle is None or not swizzle.bits:

        @device_function
        def straight(i: Any, j: Any) -> Any:
            return start + offset(i, j)

        return straight
    swizzled = _swizzled(swizzle)

    @device_function
    def address(i: Any, j: Any) -> Any:
        return swizzled(start + offset(i, j))

    return address


def _offset(inner: Layout) -> Any:
    """(row, column) -> the sum of coordinate * stride."""
    shape, stride = inner.shape, inner.stride
    assert isinstance(shape, tuple) and isinstance(stride, tuple)  # two modes: _parts has asked
    row, col = (_mode(flatten(shape[i]), flatten(stride[i])) for i in (0, 1))

    @device_function
    def offset(i: Any, j: Any) -> Any:
        return row(i) + col(j)

    return offset


def _swizzled(swizzle: Swizzle) -> Any:
    mask, shift = swizzle.yyy, swizzle.shift
    if shift >= 0:

        @device_function
        def swizzled(x: Any) -> Any:
            return x ^ ((x & mask) >> shift)
    else:
        left = -shift

        @device_function
        def swizzled(x: Any) -> Any:
            return x ^ ((x & mask) << left)

    return swizzled


def step_function(layout: Layout | ComposedLayout, starts: Coords, steps: Coords) -> Any:
    """Which device function goes on from an address that is known? step(base, i, j, di, dj) = address(i + di, j + dj).

    base is address(i, j). starts, steps: all (i, j) and all (di, dj) that will occur, as two arrays each. Where each step moves
    the offset by the same amount from every start (but for a Swizzle's bits, which are XORed), the result is
    (base ^ low) + high with numbers that depend on the step alone: the compiler computes them once.

    >>> layout = ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1)))
    >>> step = step_function(layout, tuple(np.indices((2, 8)).reshape(2, -1)), (np.arange(0, 8, 2), np.zeros(4, int)))
    >>> plain(step)(plain(address_function(layout))(1, 3), 1, 3, 4, 0)
    46
    """
    inner, _, swizzle = _parts(layout)
    offset = _offset(inner)
    if not _steady(layout, starts, steps):
        address = address_function(layout)

        @device_function
        def anew(base: Any, i: Any, j: Any, di: Any, dj: Any) -> Any:
            return address(i + di, j + dj)

        return anew
    if swizzle is None or not swizzle.bits:

        @device_function
        def straight(base: Any, i: Any, j: Any, di: Any, dj: Any) -> Any:
            return base + offset(di, dj)

        return straight
    swizzled, low = _swizzled(swizzle), (1 << swizzle.zzz.bit_length()) - 1
    di, dj = steps
    moved, zero = offsets(inner)[di, dj], np.zeros_like(di)
    across = np.array_equal(swizzle(moved) & low, offsets(inner)[zero, dj])  # j alone moves the low bits
    if across and np.array_equal(swizzle(moved) & ~low, offsets(inner)[di, zero]):

        @device_function
        def apart(base: Any, i: Any, j: Any, di: Any, dj: Any) -> Any:
            return (base ^ offset(0, dj)) + offset(di, 0)

        return apart

    @device_function
    def step(base: Any, i: Any, j: Any, di: Any, dj: Any) -> Any:
        moved = swizzled(offset(di, dj))
        return (base ^ (moved & low)) + (moved & ~low)

    return step


def _steady(layout: Layout | ComposedLayout, starts: Coords, steps: Coords) -> bool:
    """Is (address(start) ^ low) + high the address of start + step, for all of them?"""
    table, (inner, _, swizzle) = offsets(layout), _parts(layout)
    (i, j), (di, dj) = starts, steps
    low = (1 << swizzle.zzz.bit_length()) - 1 if swizzle is not None and swizzle.bits else 0
    moved = offsets(inner)[di, dj]
    moved = swizzle(moved) if swizzle is not None and low else moved
    base = table[i, j][:, None]
    going = (base ^ (moved & low)) + (moved & ~low)
    return bool((going == table[i[:, None] + di, j[:, None] + dj]).all())


def plain(function: Any) -> Callable[..., Any]:
    """The Python function that a device function computes, its callees included (to try it without a kernel)."""
    from cutelab.kernels.as_python import as_python

    found: Callable[..., Any] = as_python(function, {})
    return found


def _parts(layout: Any) -> tuple[Layout, int, Swizzle | None]:
    swizzle, start, inner = None, 0, layout
    if isinstance(layout, ComposedLayout):
        if not isinstance(layout.outer, Swizzle):
            raise CuteLabError(f"a kernel's tile takes a Swizzle over a layout; {layout} has a layout outside")
        swizzle, start, inner = layout.outer, layout.offset, layout.inner
    if not isinstance(inner, Layout) or len(inner) != 2 or not isinstance(inner.shape, tuple):
        raise CuteLabError(f"a tile's layout has two modes, (rows, columns), for example (32,32):(33,1); got {layout}")
    return inner, start, swizzle


def _mode(shape: tuple[int, ...], stride: tuple[int, ...]) -> Any:
    """The offset of one mode by its 1-D index: a device function."""
    extent, step = shape[0], stride[0]
    if len(shape) == 1:

        @device_function
        def offset(i: Any) -> Any:
            return i * step

        return offset
    rest = _mode(shape[1:], stride[1:])
    if extent & (extent - 1) == 0:
        low, bits = extent - 1, extent.bit_length() - 1

        @device_function
        def offset(i: Any) -> Any:
            return (i & low) * step + rest(i >> bits)
    else:

        @device_function
        def offset(i: Any) -> Any:
            return (i % extent) * step + rest(i // extent)

    return offset
