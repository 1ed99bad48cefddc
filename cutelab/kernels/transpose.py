"""Tiled matrix transpose whose tile in shared memory takes any layout: one kernel body for every variant.

The numbers are those of a `TransposePlan`. A thread loads pieces of a row, stores them in the tile, and after the barrier reads
squares down the tile, turns them in registers and stores rows of the result. The reads go down a column of the tile: the layout
decides whether they meet in one bank.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.layout import LayoutRight
from cutelab.kernels._cuda import cuda, kernel
from cutelab.kernels.address import address_function, step_function
from cutelab.kernels.launch import launch
from cutelab.kernels.vector import vector_access
from cutelab.plans.tiles import VARIANTS, tile_elements, tile_layout
from cutelab.plans.transpose import TransposePlan

__all__ = ["VARIANTS", "Transpose", "candidates", "conflicting", "naive", "padded", "swizzled", "variant"]


@dataclass(frozen=True)
class Transpose(TransposePlan):
    """A `TransposePlan` that runs: call it with (out, a), or take its kernel.

    >>> padded(32).launch_shape(100, 50)
    ((2, 4, 1), (32, 4, 1))
    """

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
    TILE, V, GROUP, (X, Y) = plan.tile, plan.vector, plan.group, plan.block_shape
    DOWN, ACROSS, SQUARES = TILE // Y, plan.chunks // X, plan.chunks // Y
    LOADED, SQUARE = DOWN * ACROSS * V, V * V
    STAGED = plan.layout is not None
    layout = plan.layout if plan.layout is not None else LayoutRight((TILE, TILE))
    SIZE, dtype = (tile_elements(layout) if STAGED else 1), plan.kernel_dtype
    address, write_at, read_at = address_function(layout), *_steps(plan, layout)
    load, store = vector_access(V, plan.dtype.itemsize, plan.hint)  # global memory
    load_tile, store_tile = vector_access(V, plan.dtype.itemsize)  # shared memory

    @kernel
    def transpose(out: Any, a: Any) -> None:
        tile = cuda.shared.array(SIZE, dtype)
        mine = cuda.local.array(LOADED, dtype)
        rows, columns = a.shape
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        row0, column0 = cuda.blockIdx.y * TILE, cuda.blockIdx.x * TILE
        if GROUP > 0:  # blocks walk down bands of GROUP tiles
            tiles_x, tiles_y = (columns + TILE - 1) // TILE, (rows + TILE - 1) // TILE
            band = cuda.blockIdx.x // (GROUP * tiles_y) * GROUP
            width = min(GROUP, tiles_x - band)
            place = cuda.blockIdx.x - band * tiles_y
            row0, column0 = place // width * TILE, (band + place % width) * TILE
        r, c = row0 + y, column0 + x * V
        start = r * columns + c
        for i in range(DOWN):
            for h in range(ACROSS):
                if r + i * Y < rows and c + h * X * V < columns:
                    load(mine, (i * ACROSS + h) * V, a, start + i * Y * columns + h * X * V)
        if not STAGED:
            start = c * rows + r
            for i in range(DOWN):
                for h in range(ACROSS):
                    if r + i * Y < rows and c + h * X * V < columns:
                        store(out, start + h * X * V * rows + i * Y, mine, (i * ACROSS + h) * V, 1)
            return
        base = address(y, x * V)
        for i in range(DOWN):
            for h in range(ACROSS):
                store_tile(tile, write_at(base, y, x * V, i * Y, h * X * V), mine, (i * ACROSS + h) * V, 1)
        cuda.syncthreads()
        square = cuda.local.array(SQUARE, dtype)
        base = address(x * V, y * V)
        r, c = row0 + x * V, column0 + y * V
        start = c * rows + r
        for j in range(SQUARES):
            for h in range(ACROSS):
                for k in range(V):
                    load_tile(square, k * V, tile, read_at(base, x * V, y * V, h * X * V + k, j * Y * V))
                for k in range(V):
                    if r + h * X * V < rows and c + j * Y * V + k < columns:
                        store(out, start + (j * Y * V + k) * rows + h * X * V, square, k, V)

    return transpose


def _steps(plan: Transpose, layout: Any) -> tuple[Any, Any]:
    """How the addresses of a thread's writes and reads in the tile follow from the first one."""
    v, (bx, by) = plan.vector, plan.block_shape
    x, y = (n.ravel() for n in np.indices((bx, by)))
    i, h = (n.ravel() for n in np.indices((plan.tile // by, plan.chunks // bx)))
    write = step_function(layout, (y, x * v), (i * by, h * bx * v))
    j, h, k = (n.ravel() for n in np.indices((plan.chunks // by, plan.chunks // bx, v)))
    return write, step_function(layout, (x * v, y * v), (h * bx * v + k, j * by * v))


def variant(name: str, tile: int = 32, vector: int = 1, **options: Any) -> Transpose:
    """The transpose of this name: "naive", "conflicting", "padded" or "swizzled".

    naive        no shared memory: rows are read, columns written, one sector for each element
    conflicting  pitch = tile: a column of the tile lies in one bank (or a few, with wide accesses)
    padded       one unused element after each row (with vectors: `vector` after each group of `vector` rows)
    swizzled     the row's number (with vectors: the row group's) is XORed into the column; no element more than the tile

    >>> [str(variant(name, 32).layout) for name in VARIANTS[1:]]
    ['(32,32):(32,1)', '(32,32):(33,1)', 'Sw<5,0,5> o 0 o (32,32):(32,1)']
    """
    itemsize = np.dtype(options.get("dtype", np.float32)).itemsize
    return Transpose(tile, tile_layout(name, tile, vector, itemsize), 1 if name == "naive" else vector, **options)


def naive(tile: int = 32, **options: Any) -> Transpose:
    """`variant("naive", ...)`: without shared memory."""
    return variant("naive", tile, **options)


def conflicting(tile: int = 32, vector: int = 1, **options: Any) -> Transpose:
    """`variant("conflicting", ...)`: pitch = tile."""
    return variant("conflicting", tile, vector, **options)


def padded(tile: int = 32, vector: int = 1, **options: Any) -> Transpose:
    """`variant("padded", ...)`: one unused element after each row."""
    return variant("padded", tile, vector, **options)


def swizzled(tile: int = 32, vector: int = 1, **options: Any) -> Transpose:
    """`variant("swizzled", ...)`: the row's number XORed into the column."""
    return variant("swizzled", tile, vector, **options)


def candidates(dtype: Any = np.float32) -> tuple[Transpose, ...]:
    """The transposes worth trying on a GPU: tile, width of an access, block, layout, order of blocks, cache hint."""
    found = []
    for tile, vector, block in (
        (64, 1, (32, 8)),
        (64, 2, (32, 8)),
        (64, 2, (32, 16)),
        (64, 4, (16, 8)),
        (64, 4, (16, 16)),
    ):
        for name in ("padded", "swizzled"):
            for group in (0, 8):
                for hint in ("", "cs"):
                    found.append(variant(name, tile, vector, block=block, group=group, hint=hint, dtype=dtype))
    return tuple(found)
