"""The plan of a tiled matrix product in float32, C = A B: tiles, their layouts, registers. The kernel is in `cutelab.kernels`.

A block computes a tile of C, `m` x `n`; it walks along K in steps of `k`. Each thread keeps values x values sums in registers.
Each 32 threads in turn stand as 8 x 4 in pairs (the order of CUTLASS's RowMajorInterleaved<2>): lanes that differ
in bit 0 read the same elements of A, lanes that differ in bit 1 the same of B, so wide loads of both go in half the groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int, product
from cutelab.core.layout import Layout, offsets
from cutelab.core.swizzle import Swizzle
from cutelab.hardware.chip import H200, Chip
from cutelab.plans.access import Access, by_warps
from cutelab.plans.tiles import row_vector, tile_elements

Point = tuple[int, int, int]
VARIANTS = ("conflicting", "padded", "swizzled", "column-major")
ITEM = 4  # bytes of float32
GROUP = 4  # neighbours down A's m that one 16-byte access takes
DOWN, ACROSS = 8, 4  # how the kernel lets 32 threads stand over the tile of C, whatever the chip's warp


@dataclass(frozen=True)
class GemmPlan:
    """How does a matrix product work? Tile sizes, the two tiles' layouts, registers, buffers.

    m, n, k         the tile of C, and the step along K
    a_layout        (m, k) -> element offset in shared memory: a Layout or ComposedLayout
    b_layout        (k, n) -> element offset in shared memory
    values          each thread computes values x values sums: 4 or 8
    vector          elements of one access to shared memory, down A's m and along B's n: 1, 2 or 4
    double_buffer   True: the next tiles are stored while these are used, one barrier a step; False: one buffer, two barriers
    chip            whose warps, banks and limits count

    Raises CuteLabError for numbers that do not fit each other.

    >>> from cutelab.core.layout import LayoutRight
    >>> GemmPlan(128, 128, 8, a_layout("padded"), LayoutRight((8, 128)), vector=4).threads
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
    chip: Chip = field(default=H200, kw_only=True)

    def __post_init__(self) -> None:
        for name in ("m", "n", "k", "values", "vector"):
            if not is_int(getattr(self, name)) or getattr(self, name) < 1:
                raise CuteLabError(f"{name} must be a whole number of 1 or more, got {shown(getattr(self, name))}")
        if self.vector not in (1, 2, 4) or self.values % self.vector:
            raise CuteLabError(f"vector must be 1, 2 or 4 and divide values {self.values}, got {self.vector}")
        if self.m % (DOWN * self.values) or self.n % (ACROSS * self.values):
            raise CuteLabError(
                f"tile {self.m} x {self.n}: with {self.values} x {self.values} values a thread, {DOWN * ACROSS} threads cover "
                f"{DOWN * self.values} x {ACROSS * self.values}; m and n must be multiples of these"
            )
        if self.threads > self.chip.block_threads:
            raise CuteLabError(
                f"{self.threads:,} threads are too many for a block; at most {self.chip.block_threads:,}"
            )
        if self.threads % self.k or self.threads % self.n or self.m * self.k % self.threads:
            raise CuteLabError(
                f"{self.threads} threads cannot share out tiles of {self.m} x {self.k} and {self.k} x {self.n} evenly: "
                "k and n must divide the threads, and the threads m * k"
            )
        for name, layout, shape in (("a", self.a_layout, (self.m, self.k)), ("b", self.b_layout, (self.k, self.n))):
            inner = getattr(layout, "inner", layout)
            if not isinstance(inner, Layout) or len(inner) != 2 or tuple(map(product, inner.shape)) != shape:  # type: ignore[arg-type]
                raise CuteLabError(f"{name}_layout must have the shape {shape}, got {layout}")
        both = (row_vector(self.a_layout, 0), row_vector(self.b_layout, 1))
        if min(both) < self.vector:
            raise CuteLabError(
                f"accesses of {self.vector} elements need {self.vector} neighbours together, down A's m and along B's n; "
                f"these layouts keep {both[0]} and {both[1]}"
            )
        if self.shared_elements * ITEM > self.chip.static_bytes:
            raise CuteLabError(
                f"the tiles take {self.shared_elements * ITEM:,} bytes of shared memory; a block has {self.chip.static_bytes:,}"
            )

    @property
    def threads(self) -> int:
        return (self.m // self.values) * (self.n // self.values)

    @cached_property
    def a_elements(self) -> int:
        """Shared elements of one A tile, rounded up so that the B tile starts aligned to 16 bytes."""
        return -(-tile_elements(self.a_layout) // 4) * 4

    @cached_property
    def stage_elements(self) -> int:
        return self.a_elements + -(-tile_elements(self.b_layout) // 4) * 4

    @property
    def shared_elements(self) -> int:
        return self.stage_elements * (2 if self.double_buffer else 1)

    def launch_shape(self, m: int, n: int) -> tuple[Point, Point]:
        """The grid and the block for C of shape (m, n)."""
        return (-(-n // self.n), -(-m // self.m), 1), (self.threads, 1, 1)

    def width(self, wide: bool = True) -> int:
        """Elements of one access to A and B in global memory: 4 where rows are aligned and the tiles allow it, else 1."""
        both = (self.m * self.k, self.k * self.n)
        return 4 if wide and self.k % 4 == 0 and all(size % (4 * self.threads) == 0 for size in both) else 1

    def fetched(self, width: int) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """Which (row, column) of A's tile and of B's tile does each thread fetch first, with accesses of this width?"""
        t = np.arange(self.threads, dtype=np.int64)
        a_row, b_row = self.k // width, self.n // width
        return (t // a_row, t % a_row * width), (t // b_row, t % b_row * width)

    def place(self) -> tuple[np.ndarray, np.ndarray]:
        """Which place has each thread among the (m / values) x (n / values) threads that share out the tile of C?"""
        t = np.arange(self.threads, dtype=np.int64)
        warp, lane = np.divmod(t, DOWN * ACROSS)
        warps_n = self.n // self.values // ACROSS
        down = warp // warps_n * DOWN + (lane >> 1 & 1) + (lane >> 3 << 1)
        return down, warp % warps_n * ACROSS + (lane & 1) + (lane >> 1 & 2)

    def accesses(self, edge: int = 4096, steps: int = 1) -> tuple[Access, ...]:
        """Every access of one block to memory, in the order of the source, for `steps` steps along K.

        edge: of the square matrices, a multiple of the tiles

        >>> from cutelab.core.layout import LayoutRight
        >>> plan = GemmPlan(128, 128, 8, a_layout("conflicting"), LayoutRight((8, 128)), vector=4)
        >>> [(a.name, a.count, a.ideal) for a in plan.accesses() if a.name.startswith("read tile")]
        [('read tile A', 1024, 128), ('read tile B', 256, 128)]
        """
        w, v = self.width(), self.vector
        (ai, aj), (bi, bj) = self.fetched(w)
        a_step, b_step = self.threads * w // self.k, self.threads * w // self.n
        a_rows = ai + np.arange(0, self.m, a_step, dtype=np.int64)[:, None]
        b_rows = bi + np.arange(0, self.k, b_step, dtype=np.int64)[:, None]
        a_table, b_table = offsets(self.a_layout), offsets(self.b_layout)
        each = np.arange(w, dtype=np.int64)[:, None, None]
        put = w if row_vector(self.b_layout) >= w else 1
        down, across = self.place()
        parts = np.arange(self.values // v, dtype=np.int64)[None, :, None]
        k = np.arange(self.k, dtype=np.int64)[:, None, None]
        read_a = a_table[parts * (self.m * v // self.values) + down * v, k]
        read_b = b_table[k, parts * (self.n * v // self.values) + across * v]

        def shared(name: str, source: str, table: np.ndarray, kind: str, elements: int) -> Access:
            batch = by_warps(table.reshape(-1, self.threads) * ITEM, elements * ITEM, kind, chip=self.chip)
            return Access(name, source, "shared", batch, steps)

        def fetch(name: str, source: str, row: np.ndarray, column: np.ndarray) -> Access:
            batch = by_warps((row * edge + column) * ITEM, w * ITEM, "load", chip=self.chip)
            return Access(name, source, "global", batch, steps)

        return (
            fetch("read a", "next_a[...] = a[r, d]", a_rows, aj),
            fetch("read b", "next_b[...] = b[d, r]", b_rows, bj),
            shared("read tile A", "mine_a[...] = tile_a[...]", read_a, "load", v),
            shared("read tile B", "mine_b[...] = tile_b[...]", read_b, "load", v),
            shared("write tile A", "tile_a[...] = next_a[...]", a_table[a_rows, aj + each], "store", 1),
            shared("write tile B", "tile_b[...] = next_b[...]", b_table[b_rows, bj + each[:w:put]], "store", put),
            self._write_c(edge),
        )

    def _write_c(self, edge: int) -> Access:
        v, (down, across) = self.vector, self.place()
        i = np.arange(self.values, dtype=np.int64)[:, None, None]
        p = np.arange(self.values // v, dtype=np.int64)[None, :, None]
        row = i // v * (self.m * v // self.values) + down * v + i % v
        column = p * (self.n * v // self.values) + across * v
        batch = by_warps(((row * edge + column) * ITEM).reshape(-1, self.threads), v * ITEM, "store", chip=self.chip)
        return Access("write c", "c[r, d] = sums[...]", "global", batch)


def a_layout(name: str, m: int = 128, k: int = 8, *, chip: Chip = H200) -> Layout | ComposedLayout:
    """The layout of A's tile in a variant of the product.

    conflicting  groups of 4 rows, each group with its k columns in one piece: lanes that read different groups meet in banks
    padded       the same with 4 unused elements after each group
    swizzled     the same as conflicting, with the group's number XORed into the column
    column-major  all m of a column in one piece, and 4 unused elements after it

    >>> [str(a_layout(name)) for name in VARIANTS]
    ['((4,32),8):((1,32),4)', '((4,32),8):((1,36),4)', 'Sw<3,2,3> o 0 o ((4,32),8):((1,32),4)', '(128,8):(1,132)']
    """
    if name not in VARIANTS:
        raise CuteLabError(f"there is no variant {shown(name)}; there are {', '.join(VARIANTS)}")
    if name == "column-major":
        return Layout((m, k), (1, m + 4))
    if name == "swizzled":
        return ComposedLayout(group_swizzle(k, chip=chip), 0, grouped(m, k, GROUP * k))
    return grouped(m, k, GROUP * k + (GROUP if name == "padded" else 0))


def grouped(m: int, k: int, pitch: int) -> Layout:
    """A's tile in groups of 4 rows, one group `pitch` elements after the other.

    >>> str(grouped(64, 8, 36))
    '((4,16),8):((1,36),4)'
    """
    if m % GROUP or pitch < GROUP * k:
        raise CuteLabError(
            f"groups of {GROUP} rows and {k} columns need m a multiple of {GROUP} and a pitch of {GROUP * k}"
        )
    return Layout(((GROUP, m // GROUP), k), ((1, pitch), GROUP))


def group_swizzle(k: int, *, chip: Chip = H200) -> Swizzle:
    """Which Swizzle spreads the groups of A's tile over the banks? The group's number is XORed into k, 16 bytes at a time."""
    across = k.bit_length() - 1
    if k != 1 << across:
        raise CuteLabError(f"a swizzle needs k to be a power of two, got {k}")
    return Swizzle(min((chip.row_bytes // (GROUP * ITEM)).bit_length() - 1, across), 2, across)
