"""A cutelab layout as a device function: (row, column) of a tile -> element offset in shared memory.

The numbers of Shape:Stride and Swizzle become constants of the compiled kernel; nothing is looked up at run time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutelab import ComposedLayout, Layout, Swizzle, offsets
from cutelab.errors import CuteLabError
from cutelab.int_tuple import flatten
from cutelab.kernels._cuda import cuda


def address_function(layout: Layout | ComposedLayout) -> Any:
    """Which device function computes this layout? address(i, j) = swizzle(offset + sum of coordinate * stride).

    layout: two top-level modes, each nested as you like, alone or under a `Swizzle`. Raises CuteLabError for another rank.

    >>> address = address_function(ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1))))
    >>> plain(address)(2, 3)
    17
    """
    inner, start, swizzle = _parts(layout)
    row, col = (_mode(flatten(inner.shape[i]), flatten(inner.stride[i])) for i in (0, 1))  # type: ignore[index]
    if swizzle is None or not swizzle.bits:

        @cuda.jit(device=True)
        def address(i, j):
            return start + row(i) + col(j)

        return address
    mask, shift = swizzle.yyy, swizzle.shift
    if shift >= 0:

        @cuda.jit(device=True)
        def address(i, j):
            x = start + row(i) + col(j)
            return x ^ ((x & mask) >> shift)
    else:
        left = -shift

        @cuda.jit(device=True)
        def address(i, j):
            x = start + row(i) + col(j)
            return x ^ ((x & mask) << left)

    return address


def plain(function: Any) -> Callable[..., Any]:
    """The Python function that a device function computes, its callees included (to try it without a kernel)."""
    from cutelab.kernels.simulator import as_python

    return as_python(function, {})


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

        @cuda.jit(device=True)
        def offset(i):
            return i * step

        return offset
    rest = _mode(shape[1:], stride[1:])
    if extent & (extent - 1) == 0:
        low, bits = extent - 1, extent.bit_length() - 1

        @cuda.jit(device=True)
        def offset(i):
            return (i & low) * step + rest(i >> bits)
    else:

        @cuda.jit(device=True)
        def offset(i):
            return (i % extent) * step + rest(i // extent)

    return offset


def tile_elements(layout: Layout | ComposedLayout) -> int:
    """How many elements of shared memory does this tile need? The largest offset plus one.

    >>> tile_elements(Layout((32, 32), (33, 1)))
    1055
    """
    table = offsets(layout)
    if table.min() < 0:
        raise CuteLabError(f"{layout} reaches offset {table.min()}; a tile's offsets start at 0")
    if len(np.unique(table)) < table.size:
        raise CuteLabError(f"{layout} puts two elements of the tile in one place; every element needs its own")
    return int(table.max()) + 1


def row_vector(layout: Layout | ComposedLayout, mode: int = 1) -> int:
    """How many neighbours along a mode (1: a row's columns) lie together and aligned, so that one access can take them?

    >>> row_vector(Layout((32, 32), (33, 1))), row_vector(Layout((32, 32), (36, 1)))
    (1, 4)
    """
    table = offsets(layout)
    table = table.T if mode == 0 else table
    best = 1
    for width in (2, 4, 8):
        if table.shape[1] % width:
            break
        groups = table.reshape(table.shape[0], -1, width)
        if not ((groups - groups[..., :1] == np.arange(width)).all() and (groups[..., 0] % width == 0).all()):
            break
        best = width
    return best
