"""Tiled matrix product in float32, C = A B, whose tiles in shared memory take any layout. No Tensor Cores.

A block computes a tile of C, `m` x `n`; it walks along K in steps of `k`. Each thread keeps values x values sums in registers.
The 32 lanes of a warp stand as 8 x 4 threads in pairs (the order of CUTLASS's RowMajorInterleaved<2>): lanes that differ
in bit 0 read the same elements of A, lanes that differ in bit 1 the same of B, so wide loads of both go in half the groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from cutelab import ComposedLayout, Layout, Swizzle
from cutelab.errors import CuteLabError
from cutelab.int_tuple import is_int
from cutelab.kernels._cuda import cuda
from cutelab.kernels.address import address_function, row_vector, tile_elements
from cutelab.kernels.launch import launch
from cutelab.kernels.transpose import _aligned
from cutelab.kernels.vector import vector_access
from cutelab.layout import LayoutLeft, LayoutRight

VARIANTS = ("conflicting", "padded", "swizzled", "fastest")
F32 = np.dtype(np.float32)


@dataclass(frozen=True)
class Gemm:
    """How does a matrix product work? Tile sizes, the two tiles' layouts, registers, buffers.

    m, n, k         the tile of C, and the step along K
    a_layout        (m, k) -> element offset in shared memory: a Layout or ComposedLayout
    b_layout        (k, n) -> element offset in shared memory
    values          each thread computes values x values sums: 4 or 8
    vector          elements of one access to shared memory, down A's m and along B's n: 1, 2 or 4
    double_buffer   True: the next tiles are stored while these are used, one barrier a step; False: one buffer, two barriers

    Raises CuteLabError for numbers that do not fit each other.

    >>> variant("padded").threads
    256
    """

    m: int
    n: int
    k: int
    a_layout: Layout | ComposedLayout
    b_layout: Layout | ComposedLayout
    values: int = 8
    vector: int = 1
    double_buffer: bool = False

    def __post_init__(self) -> None:
        for name in ("m", "n", "k", "values", "vector"):
            if not is_int(getattr(self, name)) or getattr(self, name) < 1:
                raise CuteLabError(f"{name} must be a whole number of 1 or more, got {getattr(self, name)!r}")
        if self.vector not in (1, 2, 4) or self.values % self.vector:
            raise CuteLabError(f"vector must be 1, 2 or 4 and divide values {self.values}, got {self.vector}")
        if self.m % (8 * self.values) or self.n % (4 * self.values):
            raise CuteLabError(
                f"tile {self.m} x {self.n}: with {self.values} x {self.values} values a thread, a warp covers "
                f"{8 * self.values} x {4 * self.values}; m and n must be multiples of these"
            )
        if self.threads > 1024:
            raise CuteLabError(f"{self.threads:,} threads are too many for a block; at most 1,024")
        for name, layout, shape in (("a", self.a_layout, (self.m, self.k)), ("b", self.b_layout, (self.k, self.n))):
            inner = getattr(layout, "inner", layout)
            if not isinstance(inner, Layout) or len(inner) != 2 or (inner.shape and _extents(inner) != shape):
                raise CuteLabError(f"{name}_layout must have the shape {shape}, got {layout}")
        both = (row_vector(self.a_layout, 0), row_vector(self.b_layout, 1))
        if min(both) < self.vector:
            raise CuteLabError(
                f"accesses of {self.vector} elements need {self.vector} neighbours together, down A's m and along B's n; "
                f"these layouts keep {both[0]} and {both[1]}"
            )
        if self.shared_elements * 4 > 48 * 1024:
            raise CuteLabError(
                f"the tiles take {self.shared_elements * 4:,} bytes of shared memory; a block has 49,152"
            )

    @property
    def threads(self) -> int:
        return (self.m // self.values) * (self.n // self.values)

    @property
    def a_elements(self) -> int:
        """Shared elements of one A tile, rounded up so that the B tile starts aligned to 16 bytes."""
        return -(-tile_elements(self.a_layout) // 4) * 4

    @property
    def stage_elements(self) -> int:
        return self.a_elements + -(-tile_elements(self.b_layout) // 4) * 4

    @property
    def shared_elements(self) -> int:
        return self.stage_elements * (2 if self.double_buffer else 1)

    def launch_shape(self, m: int, n: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """The grid and the block for C of shape (m, n)."""
        return (-(-n // self.n), -(-m // self.m), 1), (self.threads, 1, 1)

    def kernel(self, wide: bool = True) -> Any:
        """The Numba CUDA kernel: kernel[grid, block](c, a, b). wide: rows of A, B and C start at multiples of 16 bytes."""
        return _kernel(self, wide)

    def __call__(self, c: Any, a: Any, b: Any) -> None:
        """Write A B to c, on the GPU or in the simulator. float32, C-contiguous, any sizes. Raises CuteLabError."""
        _check(c, a, b)
        (m, k), n = a.shape, b.shape[1]
        wide = k % 4 == 0 and n % 4 == 0 and all(map(_aligned, (c, a, b)))
        launch(self.kernel(wide), *self.launch_shape(m, n), c, a, b)


def _extents(layout: Layout) -> tuple[int, int]:
    from cutelab.int_tuple import product

    return product(layout.shape[0]), product(layout.shape[1])  # type: ignore[index]


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
    M, N, K, T, V = plan.m, plan.n, plan.k, plan.values, plan.vector
    W = (
        4 if wide and plan.k % 4 == 0 and (plan.m * plan.k) % (4 * plan.threads) == 0 else 1
    )  # elements of a global access
    W = W if (plan.k * plan.n) % (W * plan.threads) == 0 else 1
    THREADS, PARTS, SUMS = plan.threads, plan.values // plan.vector, plan.values**2
    A_ROW, B_ROW = plan.k // W, plan.n // W  # accesses along a row of the tile
    A_LOADS, B_LOADS = -(-plan.m * plan.k // (W * THREADS)), -(-plan.k * plan.n // (W * THREADS))
    A_KEPT, B_KEPT = A_LOADS * W, B_LOADS * W
    A_ALL, B_ALL = plan.m * A_ROW, plan.k * B_ROW
    WARPS_N, SPAN_M, SPAN_N = plan.n // plan.values // 4, plan.m // PARTS, plan.n // PARTS
    STAGE, B_START, SIZE = plan.stage_elements, plan.a_elements, plan.shared_elements
    DOUBLE = plan.double_buffer
    OUT = V if wide else 1  # elements of a store to C
    UNROLL = 2 if K % 2 == 0 else 1
    OUT_PARTS = plan.values // OUT
    a_at, b_at = address_function(plan.a_layout), address_function(plan.b_layout)
    load, _ = vector_access(W, 4)
    load_tile, _ = vector_access(V, 4)
    _, store = vector_access(OUT, 4)
    _, put_wide = vector_access(W if row_vector(plan.b_layout, 1) >= W else 1, 4)
    PUT = W if row_vector(plan.b_layout, 1) >= W else 1
    PUTS = W // PUT
    ZERO = np.float32(0)

    @cuda.jit
    def gemm(c, a, b):
        tiles = cuda.shared.array(SIZE, F32)
        next_a = cuda.local.array(A_KEPT, F32)
        next_b = cuda.local.array(B_KEPT, F32)
        mine_a = cuda.local.array(T, F32)
        mine_b = cuda.local.array(T, F32)
        sums = cuda.local.array(SUMS, F32)
        rows, depth, columns = a.shape[0], a.shape[1], b.shape[1]
        t = cuda.threadIdx.x
        row0, column0 = cuda.blockIdx.y * M, cuda.blockIdx.x * N
        lane, warp = t & 31, t >> 5
        tm = (warp // WARPS_N) * 8 + ((lane >> 1) & 1) + ((lane >> 3) << 1)
        tn = (warp % WARPS_N) * 4 + (lane & 1) + ((lane >> 1) & 2)
        for i in range(SUMS):
            sums[i] = ZERO
        stage = 0
        for k0 in range(-K, depth, K):
            k1 = k0 + K  # the next step's tiles: fetched now, used in the next round
            if k1 < depth:
                for i in range(A_LOADS):
                    e = t + i * THREADS
                    r, d = row0 + e // A_ROW, k1 + e % A_ROW * W
                    for v in range(W):
                        next_a[i * W + v] = ZERO
                    if e < A_ALL and r < rows and d < depth:
                        load(next_a, i * W, a, (r, d))
                for i in range(B_LOADS):
                    e = t + i * THREADS
                    d, r = k1 + e // B_ROW, column0 + e % B_ROW * W
                    for v in range(W):
                        next_b[i * W + v] = ZERO
                    if e < B_ALL and d < depth and r < columns:
                        load(next_b, i * W, b, (d, r))
            if k0 >= 0:
                for kk in range(0, K, UNROLL):
                    for u in range(UNROLL):
                        k = kk + u
                        for p in range(PARTS):
                            load_tile(mine_a, p * V, tiles, stage + a_at(p * SPAN_M + tm * V, k))
                        for p in range(PARTS):
                            load_tile(mine_b, p * V, tiles, stage + B_START + b_at(k, p * SPAN_N + tn * V))
                        for i in range(T):
                            for j in range(T):
                                sums[i * T + j] += mine_a[i] * mine_b[j]
            if DOUBLE:
                stage = STAGE - stage
            else:
                cuda.syncthreads()
            if k1 < depth:
                for i in range(A_LOADS):
                    e = t + i * THREADS
                    if e < A_ALL:
                        for v in range(W):
                            tiles[stage + a_at(e // A_ROW, e % A_ROW * W + v)] = next_a[i * W + v]
                for i in range(B_LOADS):
                    e = t + i * THREADS
                    if e < B_ALL:
                        for v in range(PUTS):
                            put_wide(
                                tiles,
                                stage + B_START + b_at(e // B_ROW, e % B_ROW * W + v * PUT),
                                next_b,
                                i * W + v * PUT,
                                1,
                            )
            cuda.syncthreads()
        for i in range(T):
            r = row0 + i // V * SPAN_M + tm * V + i % V
            for p in range(OUT_PARTS):
                j = p * OUT
                d = column0 + j // V * SPAN_N + tn * V + j % V
                if r < rows and d < columns:
                    store(c, (r, d), sums, i * T + j, 1)

    return gemm


def variant(name: str, tile: int = 128, k: int = 8, values: int = 8, **options: Any) -> Gemm:
    """The product of this name, with square tiles of C.

    "conflicting"  A as it lies in memory, (m,k):(k,1): the lanes that read a column of it meet in a few banks
    "padded"       A with one unused element a row: the same accesses, fewer conflicts
    "swizzled"     A stored k-slowest, (m,k):(1,m), swizzled so that its stores are free too
    "fastest"      A k-slowest with 4 unused elements a column, (m,k):(1,m+4); 16-byte accesses, two buffers

    >>> str(variant("conflicting").a_layout), str(variant("padded").a_layout)
    ('(128,8):(8,1)', '(128,8):(9,1)')
    """
    if name not in VARIANTS:
        raise CuteLabError(f"there is no variant {name!r}; there are {', '.join(VARIANTS)}")
    b_layout = LayoutRight((k, tile))
    if name == "conflicting":
        a_layout: Any = LayoutRight((tile, k))
    elif name == "padded":
        a_layout = Layout((tile, k), (k + 1, 1))
    elif name == "swizzled":
        a_layout = swizzled_a(tile, k)
    else:
        a_layout = Layout((tile, k), (1, tile + 4))
        options = {"vector": 4, "double_buffer": True} | options
    return Gemm(tile, tile, k, a_layout, b_layout, values, **options)


def swizzled_a(m: int, k: int) -> ComposedLayout | Layout:
    """A's tile with m fastest; the k of a store's lanes, in steps of 4, is XORed into bits 4 and up of m.

    >>> str(swizzled_a(128, 8))
    'Sw<1,4,5> o 0 o (128,8):(1,128)'
    """
    across = m.bit_length() - 1
    groups = max(1, k // 4).bit_length() - 1
    if not groups or m != 1 << across or across < 5:
        return LayoutLeft((m, k))
    return ComposedLayout(Swizzle(groups, 4, across + 2 - 4), 0, LayoutLeft((m, k)))
