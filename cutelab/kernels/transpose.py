"""Tiled matrix transpose whose tile in shared memory takes any layout: one kernel body for every variant.

Each thread loads `vector` neighbouring elements of a row with one access, and stores them so in the tile. After the barrier it
reads a block of vector x vector elements down the tile, turns it in registers and stores rows of the result. The reads go down
a column of the tile: the layout decides whether they meet in one bank.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from cutelab import ComposedLayout, Layout, Swizzle
from cutelab.errors import CuteLabError
from cutelab.int_tuple import is_int
from cutelab.kernels._cuda import cuda
from cutelab.kernels.address import address_function, row_vector, tile_elements
from cutelab.kernels.launch import launch
from cutelab.kernels.vector import vector_access
from cutelab.layout import LayoutRight, size

VARIANTS = ("naive", "conflicting", "padded", "swizzled")


@dataclass(frozen=True)
class Transpose:
    """How does a transpose work? The tile's edge and layout, threads, and elements of one access.

    tile     edge of the square tile, in elements
    layout   where (row, column) of the tile lies in shared memory: a Layout or ComposedLayout of shape (tile, tile),
             in elements; None: no shared memory (the naive transpose)
    vector   elements of one access: 1, 2, 4 or 8; the layout must keep that many neighbours of a row together
    threads  of a block: tile / vector times a divisor of it; None: as many as possible up to 256
    dtype    float32, or any type of 2 or 4 bytes
    group    how many tiles lie side by side in a band that blocks walk down; 0: whole rows
    hint     "" or "cs": streaming loads and stores

    Raises CuteLabError for numbers that do not fit each other.

    >>> padded(32).launch_shape(100, 50)
    ((8, 1, 1), (32, 8, 1))
    """

    tile: int
    layout: Layout | ComposedLayout | None
    vector: int = 1
    threads: int | None = None
    dtype: Any = np.float32
    group: int = 0
    hint: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", np.dtype(self.dtype))
        if self.threads is None and is_int(self.tile) and is_int(self.vector) and 0 < self.vector <= self.tile:
            object.__setattr__(self, "threads", _fitting(self.chunks, 256))
        for name, least in (("tile", 1), ("vector", 1), ("threads", 1), ("group", 0)):
            value = getattr(self, name)
            if not is_int(value) or value < least:
                raise CuteLabError(f"{name} must be a whole number of {least} or more, got {value!r}")
        if self.dtype.itemsize not in (1, 2, 4):
            raise CuteLabError(f"the transpose moves elements of 1, 2 or 4 bytes, not {self.dtype}")
        if self.vector * self.dtype.itemsize not in (1, 2, 4, 8, 16):
            raise CuteLabError(f"one access moves 1 to 16 bytes; {self.vector} x {self.dtype} does not fit")
        if self.tile % self.vector:
            raise CuteLabError(f"tile {self.tile} is not a multiple of vector {self.vector}")
        if self.threads > 1024 or self.threads % self.chunks or self.chunks % self.rows_at_once:
            raise CuteLabError(
                f"{self.threads} threads do not divide a tile of {self.tile} with {self.vector} elements an access; "
                f"threads must be {self.chunks} times a divisor of {self.chunks}, at most 1,024"
            )
        if self.layout is None:
            if self.vector > 1:
                raise CuteLabError("the naive transpose writes single elements; use vector=1")
            return
        if size(self.layout) != self.tile**2 or len(self.layout) != 2 or size(self.layout(0, None)) != self.tile:
            raise CuteLabError(f"the tile's layout must have {self.tile} rows and columns, got {self.layout}")
        if row_vector(self.layout) < self.vector:
            raise CuteLabError(
                f"{self.layout} keeps {row_vector(self.layout)} neighbours of a row together and aligned, "
                f"but an access takes {self.vector}; use vector={row_vector(self.layout)} or another layout"
            )
        elements = tile_elements(self.layout)
        if elements * self.dtype.itemsize > 48 * 1024:
            raise CuteLabError(
                f"{self.layout} takes {elements * self.dtype.itemsize:,} bytes of shared memory; a block has 49,152"
            )

    @property
    def chunks(self) -> int:
        """Accesses along a row of the tile."""
        return self.tile // self.vector

    @property
    def rows_at_once(self) -> int:
        return self.threads // self.chunks

    def launch_shape(self, rows: int, columns: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """The grid and the block for a matrix of this shape."""
        tiles = -(-rows // self.tile) * -(-columns // self.tile)
        return (tiles, 1, 1), (self.chunks, self.rows_at_once, 1)

    def fitted(self, rows: int, columns: int) -> Transpose:
        """The same with single elements, if rows of the matrix or of its transpose do not start aligned."""
        if rows % self.vector == 0 and columns % self.vector == 0:
            return self
        return replace(self, vector=1, threads=_fitting(self.tile, self.threads or 256), hint="")

    @property
    def kernel_dtype(self) -> np.dtype:
        """The type of the arrays that the kernel takes: float32 itself, else whole numbers of the same size."""
        return self.dtype if self.dtype == np.float32 else np.dtype(f"u{self.dtype.itemsize}")

    @property
    def kernel(self) -> Any:
        """The Numba CUDA kernel: kernel[grid, block](out, a)."""
        return _kernel(self)

    def __call__(self, out: Any, a: Any) -> None:
        """Write the transpose of `a` (rows, columns) to `out` (columns, rows), on the GPU or in the simulator.

        NumPy or device arrays, C-contiguous. Raises CuteLabError for shapes or types that do not fit.
        """
        rows, columns = _check(out, a, self.dtype)
        plan = self.fitted(rows, columns) if _aligned(out) and _aligned(a) else self.fitted(1, 1)
        bits = self.kernel_dtype
        launch(plan.kernel, *plan.launch_shape(rows, columns), out.view(bits), a.view(bits))


def _fitting(chunks: int, most: int) -> int:
    """The most threads, up to `most`, that are `chunks` times a divisor of `chunks`."""
    return chunks * max(d for d in range(1, chunks + 1) if chunks % d == 0 and (d == 1 or chunks * d <= most))


def _aligned(array: Any) -> bool:
    """Does it start at a multiple of 16 bytes on the GPU? (Host arrays are copied to a place that does.)"""
    there = getattr(array, "__cuda_array_interface__", None)
    return there is None or there["data"][0] % 16 == 0


def _check(out: Any, a: Any, dtype: np.dtype) -> tuple[int, int]:
    if len(a.shape) != 2 or min(a.shape) < 1:
        raise CuteLabError(f"a transpose takes a matrix, got shape {tuple(a.shape)}")
    rows, columns = a.shape
    if tuple(out.shape) != (columns, rows):
        raise CuteLabError(
            f"the transpose of {(rows, columns)} has shape {(columns, rows)}; out has {tuple(out.shape)}"
        )
    for name, array in (("a", a), ("out", out)):
        if array.dtype != dtype:
            raise CuteLabError(f"{name} holds {array.dtype}, but this transpose is made for {dtype}")
        if array.strides != (array.shape[1] * dtype.itemsize, dtype.itemsize):
            raise CuteLabError(f"{name} must be C-contiguous (row-major); use np.ascontiguousarray")
    return rows, columns


@cache
def _kernel(plan: Transpose) -> Any:
    """The kernel of a plan. All numbers of the plan are constants in it."""
    TILE, V, STEP, GROUP = plan.tile, plan.vector, plan.rows_at_once, plan.group
    LOADS, BLOCKS = plan.tile // plan.rows_at_once, plan.chunks // plan.rows_at_once
    LOADED, BLOCK = LOADS * V, V * V
    STAGED = plan.layout is not None
    layout = plan.layout if plan.layout is not None else LayoutRight((1, 1))
    SIZE, address, dtype = tile_elements(layout), address_function(layout), plan.kernel_dtype
    load, store = vector_access(V, plan.dtype.itemsize, plan.hint)  # global memory
    load_tile, store_tile = vector_access(V, plan.dtype.itemsize)  # shared memory

    @cuda.jit
    def transpose(out, a):
        tile = cuda.shared.array(SIZE, dtype)
        mine = cuda.local.array(LOADED, dtype)
        rows, columns = a.shape
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        tiles_x, tiles_y = (columns + TILE - 1) // TILE, (rows + TILE - 1) // TILE
        band, width = 0, tiles_x
        if GROUP > 0:
            band = cuda.blockIdx.x // (GROUP * tiles_y) * GROUP
            width = min(GROUP, tiles_x - band)
        place = cuda.blockIdx.x - band * tiles_y
        row0, column0 = place // width * TILE, (band + place % width) * TILE
        c = column0 + x * V
        for i in range(LOADS):
            r = row0 + y + i * STEP
            if r < rows and c < columns:
                load(mine, i * V, a, (r, c))
        if not STAGED:
            for i in range(LOADS):
                r = row0 + y + i * STEP
                if r < rows and c < columns:
                    store(out, (c, r), mine, i * V, 1)
            return
        for i in range(LOADS):
            store_tile(tile, address(y + i * STEP, x * V), mine, i * V, 1)
        cuda.syncthreads()
        block = cuda.local.array(BLOCK, dtype)
        r = row0 + x * V
        for j in range(BLOCKS):
            down = (y + j * STEP) * V
            for i in range(V):
                load_tile(block, i * V, tile, address(x * V + i, down))
            for i in range(V):
                c = column0 + down + i
                if r < rows and c < columns:
                    store(out, (c, r), block, i, V)

    return transpose


def naive(tile: int = 32, **options: Any) -> Transpose:
    """The transpose without shared memory: rows are read, columns written, one sector for each element."""
    return Transpose(tile, None, **options)


def conflicting(tile: int = 32, vector: int = 1, **options: Any) -> Transpose:
    """Pitch = tile: a column of the tile lies in one bank (or a few, with wide accesses).

    >>> str(conflicting(32).layout)
    '(32,32):(32,1)'
    """
    return Transpose(tile, LayoutRight((tile, tile)), vector, **options)


def padded(tile: int = 32, vector: int = 1, **options: Any) -> Transpose:
    """Each row (with vectors: each group of `vector` rows) is followed by `vector` unused elements.

    >>> str(padded(32).layout), str(padded(64, vector=4).layout)
    ('(32,32):(33,1)', '((4,16),64):((64,260),1)')
    """
    if vector == 1:
        return Transpose(tile, Layout((tile, tile), (tile + 1, 1)), **options)
    _whole(tile, vector)
    rows = (vector, tile // vector)
    layout = Layout((rows, tile), ((tile, vector * tile + vector), 1))
    return Transpose(tile, layout, vector, **options)


def swizzled(tile: int = 32, vector: int = 1, **options: Any) -> Transpose:
    """The row's number (with vectors: the row group's) is XORed into the column: no element more than the tile.

    >>> str(swizzled(32).layout), str(swizzled(64, vector=4).layout)
    ('Sw<5,0,5> o 0 o (32,32):(32,1)', 'Sw<3,2,6> o 0 o (64,64):(64,1)')
    """
    _whole(tile, vector)
    itemsize = np.dtype(options.get("dtype", np.float32)).itemsize
    base, across = vector.bit_length() - 1, tile.bit_length() - 1
    row_group = across + base  # the bits of the offset that count groups of `vector` rows
    banks = max(1, 128 // (vector * max(itemsize, 4) if vector == 1 else vector * itemsize)).bit_length() - 1
    bits = min(banks, across - base)
    return Transpose(
        tile, ComposedLayout(Swizzle(bits, base, row_group - base), 0, LayoutRight((tile, tile))), vector, **options
    )


def _whole(tile: int, vector: int) -> None:
    if not (
        is_int(tile) and is_int(vector) and tile > 0 and vector > 0 and tile & (tile - 1) == 0 and tile % vector == 0
    ):
        raise CuteLabError(f"tile {tile!r} must be a power of two and a multiple of vector {vector!r}")


def variant(name: str, tile: int = 32, vector: int = 1, **options: Any) -> Transpose:
    """The transpose of this name: "naive", "conflicting", "padded" or "swizzled".

    >>> variant("padded").layout == padded(32).layout
    True
    """
    makers = {"naive": naive, "conflicting": conflicting, "padded": padded, "swizzled": swizzled}
    if name not in makers:
        raise CuteLabError(f"there is no variant {name!r}; there are {', '.join(VARIANTS)}")
    if name == "naive":
        return naive(tile, **options)
    return makers[name](tile, vector=vector, **options)


def candidates(dtype: Any = np.float32) -> tuple[Transpose, ...]:
    """The transposes worth trying on a GPU: tile, vector, threads, layout, order of blocks, cache hint."""
    found = []
    for tile, vector, threads in ((32, 1, 256), (64, 1, 512), (64, 2, 256), (64, 2, 512), (64, 4, 128), (64, 4, 256)):
        for name in ("padded", "swizzled"):
            for group in (0, 8, 32):
                for hint in ("", "cs"):
                    found.append(variant(name, tile, vector, threads=threads, group=group, hint=hint, dtype=dtype))
    return tuple(found)
