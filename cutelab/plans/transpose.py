"""The plan of a tiled transpose: tile, layout, block, width of an access. Numbers only; the kernel is in `cutelab.kernels`.

Thread (x, y) of a block loads pieces of `vector` neighbours of a row with one access and stores them so in the tile. After the
barrier it reads a square of vector x vector elements, column by column of pieces, turns it in registers and stores rows of the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, offsets, size
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import H200, Chip
from cutelab.plans.access import Access, by_warps
from cutelab.plans.tiles import VARIANTS, row_vector, tile_elements, tile_layout

Point = tuple[int, int, int]


@dataclass(frozen=True)
class TransposePlan:
    """How does a transpose work? The tile's edge and layout, the block, and elements of one access.

    tile     edge of the square tile, in elements
    layout   where (row, column) of the tile lies in shared memory: a Layout or ComposedLayout of shape (tile, tile),
             in elements; None: no shared memory (the naive transpose)
    vector   elements of one access: 1, 2, 4 or 8; the layout must keep that many neighbours of a row together
    block    threads (x, y): both divide tile / vector; None: the first of `blocks_of`
    dtype    float32, or any type of 1, 2 or 4 bytes
    group    how many tiles lie side by side in a band that blocks walk down; 0: whole rows
    hint     "" or "cs": streaming loads and stores
    chip     whose warps, banks and limits count

    Raises CuteLabError for numbers that do not fit each other.

    >>> plan = TransposePlan(32, Layout((32, 32), (33, 1)))
    >>> plan.block, plan.launch_shape(100, 50)
    ((32, 4), ((2, 4, 1), (32, 4, 1)))
    """

    tile: int
    layout: Layout | ComposedLayout | None
    vector: int = 1
    block: tuple[int, int] | None = None
    dtype: Any = np.float32
    group: int = 0
    hint: str = ""
    chip: Chip = field(default=H200, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", np.dtype(self.dtype))
        for name, least in (("tile", 1), ("vector", 1), ("group", 0)):
            value = getattr(self, name)
            if not is_int(value) or value < least:
                raise CuteLabError(f"{name} must be a whole number of {least} or more, got {shown(value)}")
        if self.dtype.itemsize not in (1, 2, 4):
            raise CuteLabError(f"the transpose moves elements of 1, 2 or 4 bytes, not {self.dtype}")
        if self.vector * self.dtype.itemsize not in (1, 2, 4, 8, 16):
            raise CuteLabError(f"one access moves 1 to 16 bytes; {self.vector} x {self.dtype} does not fit")
        if self.tile % self.vector:
            raise CuteLabError(f"tile {self.tile} is not a multiple of vector {self.vector}")
        self._check_block()
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
        taken = tile_elements(self.layout) * self.dtype.itemsize
        if taken > self.chip.static_bytes:
            raise CuteLabError(
                f"{self.layout} takes {taken:,} bytes of shared memory; a block has {self.chip.static_bytes:,}"
            )

    def _check_block(self) -> None:
        block = self.block_shape
        if not isinstance(block, tuple | list) or len(block) != 2 or not all(is_int(n) and n > 0 for n in block):
            raise CuteLabError(f"a block is two whole numbers of threads, for example (32, 8); got {shown(block)}")
        x, y = int(block[0]), int(block[1])
        object.__setattr__(self, "block", (x, y))
        if self.chunks % x or self.chunks % y or x * y > self.chip.block_threads:
            raise CuteLabError(
                f"a block of {x} x {y} threads does not divide a tile of {self.tile} with {self.vector} elements an access: "
                f"both must divide {self.chunks}, with at most {self.chip.block_threads:,} threads; {_examples(self.tile, self.vector, self.chip)} would do"
            )

    @property
    def chunks(self) -> int:
        """Accesses along a row of the tile."""
        return self.tile // self.vector

    @property
    def block_shape(self) -> tuple[int, int]:
        """Threads (x, y); where none were given, the first of `blocks_of`."""
        return blocks_of(self.tile, self.vector, chip=self.chip)[0] if self.block is None else self.block

    @property
    def threads(self) -> int:
        return math.prod(self.block_shape)

    def launch_shape(self, rows: int, columns: int) -> tuple[Point, Point]:
        """The grid and the block for a matrix of this shape: one block a tile."""
        down, across = -(-rows // self.tile), -(-columns // self.tile)
        grid = (down * across, 1, 1) if self.group else (across, down, 1)
        return grid, (*self.block_shape, 1)

    def fitted(self, rows: int, columns: int) -> Self:
        """The same with single elements, if rows of the matrix or of its transpose do not start aligned."""
        if rows % self.vector == 0 and columns % self.vector == 0:
            return self
        return replace(self, vector=1, hint="")

    @property
    def variant(self) -> str:
        """What this plan is called in the course: "naive", "conflicting", "padded", "swizzled", or "own"."""
        for name in VARIANTS:
            try:
                if tile_layout(name, self.tile, self.vector, self.dtype.itemsize, chip=self.chip) == self.layout:
                    return name
            except CuteLabError:
                continue
        return "own"

    def accesses(self, edge: int = 0) -> tuple[Access, ...]:
        """Every access of one block to memory, in the order of the source. edge: of the square matrix; 0: a large one.

        >>> [(a.name, a.count, a.ideal) for a in TransposePlan(32, Layout((32, 32), (32, 1))).accesses()]
        [('read a', 128, 128), ('write tile', 32, 32), ('read tile', 1024, 32), ('write out', 128, 128)]
        """
        v, item, (bx, by) = self.vector, self.dtype.itemsize, self.block_shape
        edge = edge or 64 * self.tile
        thread = np.arange(self.threads, dtype=np.int64)
        x, y = thread % bx, thread // bx
        i, h = _pairs(self.tile // by, self.chunks // bx)  # rows of the tile, pieces of a row
        row, column = y + i * by, (x + h * bx) * v
        nbytes = v * item

        def batch(offset: np.ndarray, kind: str) -> WarpAccess:
            return by_warps(offset * item, nbytes, kind, chip=self.chip)

        load = Access("read a", "mine[...] = a[r, c]", "global", batch(row * edge + column, "load"))
        if self.layout is None:
            store = Access("write out", "out[c, r] = mine[...]", "global", batch(column * edge + row, "store"))
            return load, store
        table = offsets(self.layout)
        j, h, k = _pairs(self.chunks // by, self.chunks // bx, v)  # squares down, squares across, rows of a square
        tile_row, down = (x + h * bx) * v + k, (y + j * by) * v
        out_row, out_column = (y + j * by) * v + k, (x + h * bx) * v
        write_tile, read_tile = batch(table[row, column], "store"), batch(table[tile_row, down], "load")
        return (
            load,
            Access("write tile", "tile[...] = mine[...]", "shared", write_tile),
            Access("read tile", "square[...] = tile[...]", "shared", read_tile),
            Access("write out", "out[c, r] = square[...]", "global", batch(out_row * edge + out_column, "store")),
        )


def _pairs(*extents: int) -> tuple[np.ndarray, ...]:
    """All combinations of loop counters, each as a column, the last one fastest."""
    return tuple(n.reshape(-1, 1) for n in np.indices(extents, dtype=np.int64).reshape(len(extents), -1))


def blocks_of(tile: int, vector: int = 1, *, chip: Chip = H200) -> tuple[tuple[int, int], ...]:
    """Which blocks suit a tile? The usual one first: up to 32 threads across, and eight elements for each thread.

    >>> blocks_of(64), blocks_of(32)
    (((32, 16), (64, 4), (64, 8), (32, 8)), ((32, 4), (32, 16), (32, 8), (16, 16)))
    """
    chunks = tile // vector
    fits = [n for n in range(1, chunks + 1) if chunks % n == 0]
    x = max(n for n in fits if n <= chip.lanes)
    first = (x, max(n for n in fits if n * x <= min(tile * tile // 8, chip.block_threads // 2) or n == 1))
    usual = [first, (64, 4), (64, 8), (32, 16), (32, 8), (32, 4), (16, 16), (16, 8), (8, 16), (8, 8), (8, 4)]
    found = [b for b in usual if chunks % b[0] == 0 and chunks % b[1] == 0 and b[0] * b[1] <= chip.block_threads]
    return tuple(dict.fromkeys(found))[:4]


def _examples(tile: int, vector: int, chip: Chip) -> str:
    return " or ".join(f"({x}, {y})" for x, y in blocks_of(tile, vector, chip=chip)[:2])
