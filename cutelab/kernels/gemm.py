"""Tiled matrix product in float32, C = A B, whose tiles in shared memory take any layout. No Tensor Cores.

The numbers are those of a `GemmPlan`: a block computes a tile of C and walks along K; each thread keeps values x values sums in
registers, and reads wide pieces of both tiles for each of the k columns.
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
from cutelab.kernels.transpose import _aligned
from cutelab.kernels.vector import vector_access
from cutelab.plans.gemm import VARIANTS, GemmPlan, a_layout
from cutelab.plans.tiles import row_vector

__all__ = ["VARIANTS", "Gemm", "variant"]

F32 = np.dtype(np.float32)
UNROLLED = 2  # columns that the compiler sees at once: more take registers, fewer leave gaps


@dataclass(frozen=True)
class Gemm(GemmPlan):
    """A `GemmPlan` that runs: call it with (c, a, b), or take its kernel.

    >>> variant("padded").threads
    256
    """

    def kernel(self, wide: bool = True) -> Any:
        """The Numba CUDA kernel: kernel[grid, block](c, a, b). wide: rows of A, B and C start at multiples of 16 bytes."""
        return _kernel(self, wide)

    def __call__(self, c: Any, a: Any, b: Any) -> None:
        """Write A B to c, on the GPU or in the simulator. float32, C-contiguous, any sizes. Raises CuteLabError."""
        _check(c, a, b)
        (m, k), n = a.shape, b.shape[1]
        wide = k % 4 == 0 and n % 4 == 0 and all(map(_aligned, (c, a, b)))
        launch(self.kernel(wide), *self.launch_shape(m, n), c, a, b)


def _check(c: Any, a: Any, b: Any) -> None:
    for name, array in (("c", c), ("a", a), ("b", b)):
        if len(array.shape) != 2 or min(array.shape) < 1 or array.dtype != F32:
            raise CuteLabError(f"{name} must be a float32 matrix, got {array.dtype} of shape {tuple(array.shape)}")
        if array.strides != (array.shape[1] * 4, 4):
            raise CuteLabError(f"{name} must be C-contiguous (row-major); use np.ascontiguousarray")
    want = (a.shape[0], b.shape[1])
    if a.shape[1] != b.shape[0] or tuple(c.shape) != want:
        raise CuteLabError(
            f"A {tuple(a.shape)} times B {tuple(b.shape)} "
            + (f"has shape {want}; c has {tuple(c.shape)}" if a.shape[1] == b.shape[0] else "does not fit")
        )


@cache
def _kernel(plan: Gemm, wide: bool) -> Any:
    M, N, K, T, V, W = plan.m, plan.n, plan.k, plan.values, plan.vector, plan.width(wide)
    THREADS, PARTS, SUMS = plan.threads, plan.values // plan.vector, plan.values**2
    A_ROW, B_ROW = K // W, N // W  # accesses along a row of the tile
    A_STEP, B_STEP = THREADS // A_ROW, THREADS // B_ROW  # rows that all threads fetch at once
    A_LOADS, B_LOADS = M // A_STEP, K // B_STEP
    A_KEPT, B_KEPT = A_LOADS * W, B_LOADS * W
    WARPS_N, SPAN_M, SPAN_N = N // T // 4, M // PARTS, N // PARTS
    STAGE, B_START, SIZE = plan.stage_elements, plan.a_elements, plan.shared_elements
    DOUBLE = plan.double_buffer
    OUT = V if wide else 1  # elements of a store to C
    OUT_PARTS = T // OUT
    PUT = W if row_vector(plan.b_layout, 1) >= W else 1
    PUTS = W // PUT
    a_at, b_at = address_function(plan.a_layout), address_function(plan.b_layout)
    a_write, b_write, a_read, b_read = _steps(plan, W, PUT)
    load, _ = vector_access(W, 4)
    load_tile, put_one = vector_access(V, 4)[0], vector_access(1, 4)[1]
    put_wide, store = vector_access(PUT, 4)[1], vector_access(OUT, 4)[1]
    UNROLL = UNROLLED if K % UNROLLED == 0 else 1
    ZERO = np.float32(0)

    @kernel
    def gemm(c: Any, a: Any, b: Any) -> None:
        tiles = cuda.shared.array(SIZE, F32)
        next_a, next_b = cuda.local.array(A_KEPT, F32), cuda.local.array(B_KEPT, F32)
        mine_a, mine_b = cuda.local.array(T, F32), cuda.local.array(T, F32)
        sums = cuda.local.array(SUMS, F32)
        rows, depth, columns = a.shape[0], a.shape[1], b.shape[1]
        t = cuda.threadIdx.x
        row0, column0 = cuda.blockIdx.y * M, cuda.blockIdx.x * N
        lane, warp = t & 31, t >> 5
        tm = (warp // WARPS_N) * 8 + ((lane >> 1) & 1) + ((lane >> 3) << 1)
        tn = (warp % WARPS_N) * 4 + (lane & 1) + ((lane >> 1) & 2)
        ai, aj, bi, bj = t // A_ROW, t % A_ROW * W, t // B_ROW, t % B_ROW * W
        a_put, b_put, a_get, b_get = a_at(ai, aj), b_at(bi, bj), a_at(tm * V, 0), b_at(0, tn * V)
        for i in range(SUMS):
            sums[i] = ZERO
        stage = 0
        for k0 in range(-K, depth, K):
            k1 = k0 + K  # the next step's tiles: fetched now, used in the next round
            if k1 < depth:
                for i in range(A_LOADS):
                    r, d = row0 + ai + i * A_STEP, k1 + aj
                    for v in range(W):
                        next_a[i * W + v] = ZERO
                    if r < rows and d < depth:
                        load(next_a, i * W, a, r * depth + d)
                for i in range(B_LOADS):
                    d, r = k1 + bi + i * B_STEP, column0 + bj
                    for v in range(W):
                        next_b[i * W + v] = ZERO
                    if d < depth and r < columns:
                        load(next_b, i * W, b, d * columns + r)
            if k0 >= 0:
                for kk in range(0, K, UNROLL):
                    for u in range(UNROLL):
                        k = kk + u
                        for p in range(PARTS):
                            load_tile(mine_a, p * V, tiles, stage + a_read(a_get, tm * V, 0, p * SPAN_M, k))
                        for p in range(PARTS):
                            load_tile(mine_b, p * V, tiles, stage + B_START + b_read(b_get, 0, tn * V, k, p * SPAN_N))
                        for i in range(T):
                            for j in range(T):
                                sums[i * T + j] += mine_a[i] * mine_b[j]
            if DOUBLE:
                stage = STAGE - stage
            else:
                cuda.syncthreads()
            if k1 < depth:
                for i in range(A_LOADS):
                    for v in range(W):
                        put_one(tiles, stage + a_write(a_put, ai, aj, i * A_STEP, v), next_a, i * W + v, 1)
                for i in range(B_LOADS):
                    for v in range(PUTS):
                        to = stage + B_START + b_write(b_put, bi, bj, i * B_STEP, v * PUT)
                        put_wide(tiles, to, next_b, i * W + v * PUT, 1)
            cuda.syncthreads()
        for i in range(T):
            r = row0 + i // V * SPAN_M + tm * V + i % V
            for p in range(OUT_PARTS):
                j = p * OUT
                d = column0 + j // V * SPAN_N + tn * V + j % V
                if r < rows and d < columns:
                    store(c, r * columns + d, sums, i * T + j, 1)

    return gemm


def _steps(plan: Gemm, width: int, put: int) -> tuple[Any, Any, Any, Any]:
    """How the addresses of a thread's writes and reads in A's and B's tile follow from the first one."""
    v, parts, (down, across) = plan.vector, plan.values // plan.vector, plan.place()
    a_start, b_start = plan.fetched(width)
    a_rows, b_rows = plan.threads * width // plan.k, plan.threads * width // plan.n
    i, j = (n.ravel() for n in np.indices((plan.m // a_rows, width)))
    a_write = step_function(plan.a_layout, a_start, (i * a_rows, j))
    i, j = (n.ravel() for n in np.indices((plan.k // b_rows, width // put)))
    b_write = step_function(plan.b_layout, b_start, (i * b_rows, j * put))
    p, k = (n.ravel() for n in np.indices((parts, plan.k)))
    a_read = step_function(plan.a_layout, (down * v, 0 * down), (p * (plan.m // parts), k))
    b_read = step_function(plan.b_layout, (0 * across, across * v), (k, p * (plan.n // parts)))
    return a_write, b_write, a_read, b_read


def variant(name: str, tile: int = 128, k: int = 8, values: int = 8, **options: Any) -> Gemm:
    """The product of this name, with square tiles of C and 16-byte accesses to shared memory. They differ in A's layout:

    conflicting  groups of 4 rows one after the other: lanes that read down a column of groups meet in banks
    padded       the same with 4 unused elements after each group
    swizzled     the same with the group's number XORed into the column; no element more
    column-major  all m of a column together, (m,k):(1,m+4)

    >>> str(variant("conflicting").a_layout), str(variant("padded").a_layout)
    ('((4,32),8):((1,32),4)', '((4,32),8):((1,36),4)')
    """
    options = {"vector": 4} | options
    return Gemm(tile, tile, k, a_layout(name, tile, k), LayoutRight((k, tile)), values, **options)
