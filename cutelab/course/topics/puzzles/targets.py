"""The thirty targets: tables of offsets, tiles without conflicts, owners; each as a formula of its coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutelab import (
    Layout,
    TileAccess,
    blocked_product,
    composition,
    ldmatrix_tile,
    logical_divide,
    read_column,
    read_row,
    store_rows,
    tma_boxes,
    zipped_divide,
)
from cutelab.core.errors import CuteLabError
from cutelab.course.topics.puzzles.access import Free
from cutelab.course.topics.puzzles.owners import Moves, Owned, instructions
from cutelab.course.topics.puzzles.tables import Gaps, Table, over, swizzle_bits

Index = np.ndarray


def line(n: int, offset: Callable[[Index], Index], **more: Any) -> Table:
    """The target with this offset at 0, 1, ... n - 1, in the 1-D order."""
    return Table(np.asarray(offset(np.arange(n))), **more)


def grid(rows: int, columns: int, offset: Callable[[Index, Index], Index], **more: Any) -> Table:
    """The target with this offset at each row and column."""
    return Table(np.asarray(offset(*np.indices((rows, columns)))), **more)


def owned(
    rows: int,
    columns: int,
    thread: Callable[[Index, Index], Index],
    value: Callable[[Index, Index], Index],
    **more: Any,
) -> Owned:
    """The tile in which these formulas say who holds what."""
    r, c = np.indices((rows, columns))
    return Owned(thread(r, c), value(r, c), **more)


def together(*accesses: TileAccess) -> TileAccess:
    """The same access at several places, as one."""
    first = accesses[0]
    row, col, active = (np.concatenate([getattr(a, name) for a in accesses]) for name in ("row", "col", "active"))
    return TileAccess(row, col, first.access_bytes, first.kind, active)


def every_ldmatrix(rows: int, cols: int) -> TileAccess:
    """ldmatrix for each 8 x 8 halves of the tile."""
    starts = ((r, c) for r in range(0, rows, 8) for c in range(0, cols, 8))
    return together(*(ldmatrix_tile(r, c, matrices=1) for r, c in starts))


def pairs(column: int) -> TileAccess:
    """A warp that reads 16 rows of 2 neighbouring columns, one float a lane."""
    lane = np.arange(32)
    return TileAccess(lane % 16, column + lane // 16, 4)


def spread(n: Index) -> Index:
    """The three bits of a number at the places 0, 2 and 4."""
    found: Index = n % 2 + n // 2 % 2 * 4 + n // 4 * 16
    return found


COLUMNS = ("reading a column", together(*map(read_column, range(32))))
ROWS = ("reading a row", together(*map(read_row, range(16))))
LDMATRIX = "ldmatrix, 8 rows of 16 bytes"
STORING = "storing rows, 16 bytes a lane"
SQUARE, WIDE, SMALL = Layout((32, 32), (32, 1)), Layout((16, 64), (64, 1)), Layout((8, 8), (8, 1))


def unfit_for_tma(layout: Any) -> str:
    """Why can TMA not fill this tile of halves? "" if it can."""
    try:
        tma_boxes(layout, 2)
    except CuteLabError as error:
        return f"{error}."
    return ""


def boxes(layout: Any) -> int:
    """How many TMA boxes fill this tile of halves?"""
    return tma_boxes(layout, 2).copies


TARGETS: dict[int, Any] = {
    # strides
    1: line(8, lambda i: 3 * i),
    2: grid(3, 5, lambda r, c: 5 * r + c),
    3: grid(4, 6, lambda r, c: 2 * c + 0 * r),
    4: grid(4, 5, lambda r, c: 2 * r + c),
    # nested modes
    5: line(8, lambda i: i % 2 + i // 2 % 2 * 8 + i // 4 * 2),
    6: grid(4, 8, lambda r, c: 4 * r + c % 4 + c // 4 * 16),
    7: grid(4, 6, lambda r, c: c % 3 + r % 2 * 3 + c // 3 * 6 + r // 2 * 12),
    8: grid(8, 8, lambda r, c: spread(c) + 2 * spread(r)),
    # padding
    9: Free((32, 32), 4, (COLUMNS, ROWS), 4352, plain=True),
    10: Free((16, 32), 2, ((LDMATRIX, every_ldmatrix(16, 32)),), 1408, plain=True),
    11: Free(
        (16, 64),
        4,
        (("reading 16 rows of 2 columns", together(*map(pairs, range(0, 64, 2)))), ROWS),
        4608,
        plain=True,
    ),
    # composition
    12: line(8, lambda i: 6 * i, make=lambda b: composition(Layout(24, 2), b)),
    13: grid(8, 4, lambda i, j: i + 8 * j, make=lambda b: composition(Layout((4, 8), (8, 1)), b)),
    14: grid(4, 2, lambda i, j: 16 * i + 4 * j, make=lambda b: composition(Layout((8, 8), (8, 1)), b)),
    15: line(8, lambda i: i % 2 * 12 + i // 2 * 3, make=lambda b: composition(Layout(16, 3), b)),
    # divides and products
    16: grid(4, 6, lambda i, j: 6 * i + j, make=lambda t: logical_divide(Layout(24), t)),
    17: grid(
        6,
        4,
        lambda i, j: (i % 2 * 2 + j % 2) * 6 + i // 2 * 2 + j // 2,
        make=lambda t: zipped_divide(Layout((4, 6), (6, 1)), t),
    ),
    18: grid(
        4,
        6,
        lambda r, c: r % 2 + c % 2 * 2 + 4 * (r // 2 * 3 + c // 2),
        make=lambda t: blocked_product(Layout((2, 2)), t),
    ),
    19: Gaps(Layout(4, 2), 24),
    # swizzles
    20: Free((32, 32), 4, (COLUMNS, ("storing a row", store_rows(4))), 4096, make=over(SQUARE), score=swizzle_bits),
    21: Free(
        (16, 64),
        2,
        ((LDMATRIX, every_ldmatrix(16, 64)), (STORING, store_rows(16, rows=16, cols=64, element_bytes=2))),
        2048,
        make=over(WIDE),
        score=swizzle_bits,
    ),
    22: Free(
        (32, 32),
        2,
        ((LDMATRIX, every_ldmatrix(32, 32)), (STORING, store_rows(16, rows=32, cols=32, element_bytes=2))),
        2048,
        make=over(SQUARE),
        score=swizzle_bits,
    ),
    23: grid(
        8,
        8,
        lambda r, c: (8 * r + c) ^ (r >> 1 & 3) << 1,
        make=over(SMALL),
        score=swizzle_bits,
        plain=np.arange(64).reshape(8, 8),
    ),
    # owners
    24: owned(4, 8, lambda r, c: 2 * r + c // 4, lambda r, c: c % 4),
    25: owned(4, 8, lambda r, c: (r + 4 * c) % 8, lambda r, c: (r + 4 * c) // 8),
    26: owned(16, 8, lambda r, c: r % 8 * 4 + c // 2, lambda r, c: c % 2 + r // 8 * 2),
    # tiled copies
    27: owned(4, 32, lambda r, c: 8 * r + c // 4, lambda r, c: c % 4, score=instructions),
    28: Moves(),
    # a Hopper tile
    29: grid(16, 64, lambda r, c: 64 * r + (c // 8 ^ r % 8) * 8 + c % 8, swizzled=True),
    30: Free((64, 128), 2, ((LDMATRIX, every_ldmatrix(64, 128)),), 16384, rule=unfit_for_tma, score=boxes),
}
