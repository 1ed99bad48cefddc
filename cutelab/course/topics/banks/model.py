"""One warp's access to a tile in shared memory: which element each lane takes, and in which wavefront its words go."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.advise.conflict_free import Fix, TileAccess, conflict_free
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.formula import formula
from cutelab.core.layout import Layout, offsets
from cutelab.course.card.parts.memory_lines import MemoryLines, memory_lines
from cutelab.course.card.parts.window import window
from cutelab.course.topics.banks.knobs import KINDS, BanksParams
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

Array = np.ndarray[Any, Any]
LINES = 36  # lines of memory up to which all are drawn


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found. Offsets count elements.

    table          the offset of each element, (rows, columns) of the tile
    access, waves  which element each lane starts at; what the hardware makes of it
    fixes          what padding and swizzle could do, best first; () where the tile is not plain rows
    rows, columns  the window of the tile that is drawn, where lanes move a word or less
    memory         the lines of memory that are drawn, where lanes move more
    cells          (row, column) of each probe cell of the picture; -1 for none
    """

    params: BanksParams
    layout: Layout | ComposedLayout
    table: Array
    access: TileAccess
    waves: Wavefronts
    fixes: tuple[Fix, ...]
    rows: Array
    columns: Array
    memory: MemoryLines
    cells: Array

    @property
    def wide(self) -> bool:
        """Do lanes move more than one word?"""
        return self.params.wide

    @property
    def flat(self) -> bool:
        """Is the tile so wide that the chart stands below it?"""
        return flat(*self.table.shape)

    @property
    def group_lanes(self) -> int:
        """How many lanes go together? A wide load whose lanes read in pairs goes in groups twice as large."""
        return self.waves.group_lanes

    @property
    def group_count(self) -> int:
        """How many groups of lanes does the instruction have?"""
        return -(-self.params.addressing // self.group_lanes)

    @property
    def probed(self) -> int:
        """The probe cell that holds the probed element; -1 where it is not drawn."""
        row, column = self.params.row, self.params.column
        if self.wide:
            return self.memory.cell(int(self.table[row, column]) * self.params.item)
        i, j = row - int(self.rows[0]), column - int(self.columns[0])
        return i * len(self.columns) + j if 0 <= i < len(self.rows) and 0 <= j < len(self.columns) else -1

    @property
    def touched(self) -> tuple[Array, Array]:
        """Of each drawn element of the tile: the lowest lane that takes it (-1 for none), and how many lanes do."""
        first, lanes = np.full(self.table.shape, -1), np.zeros(self.table.shape, int)
        active = np.flatnonzero(self.access.active[0])[::-1]
        row = self.access.row[0][active][:, None]
        col = self.access.col[0][active][:, None] + np.arange(self.params.vector)
        first[row, col] = active[:, None]  # the lowest lane comes last and stays
        np.add.at(lanes, (np.broadcast_to(row, col.shape), col), 1)
        return self.window(first), self.window(lanes)

    def window(self, table: Array) -> Array:
        """The drawn part of a table of the tile."""
        return table[self.rows[0] : self.rows[-1] + 1, self.columns[0] : self.columns[-1] + 1]


def flat(rows: int, cols: int) -> bool:
    """Is a tile so wide that the chart stands below it?"""
    return cols > 64 or (cols > 32 and rows <= 16)


def compute(params: BanksParams) -> Result:
    """Where does each element lie, which does each lane take, and how many wavefronts is that?"""
    inner, swizzle, (rows, cols) = params.layout, params.swizzle, params.shape
    table = offsets(inner) if swizzle is None else swizzle(offsets(inner))
    limit = params.chip.block_bytes
    if swizzle is not None and (int(table.max()) + 1) * params.item > limit:
        raise CuteLabError(
            f"{swizzle} moves elements to offset {int(table.max()):,}, beyond the {limit:,} bytes of shared memory"
        )
    table.flags.writeable = False
    access = places(params)
    waves = count(params, access, table)
    fixes = _fixes(access, rows, cols, params.item) if params.row_major else ()
    layout = inner if swizzle is None else ComposedLayout(swizzle, 0, inner)
    return Result(params, layout, table, access, waves, fixes, *_drawn(params, table, access, waves))


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this probe cell of the picture?"""
    cells = result.cells
    if not 0 <= cell < len(cells) or cells[cell, 0] < 0:
        raise CuteLabError(f"probe cell {cell} is not one of the {len(cells)} cells that are drawn")
    return {"row": int(cells[cell, 0]), "column": int(cells[cell, 1])}


def places(params: BanksParams) -> TileAccess:
    """Where does each lane start? Lanes that leave the tile are idle.

    row       along row `index`, then along the next rows
    column    down column `index` (wide lanes: down the piece that holds it), then down the next ones
    diagonal  one row and one piece further with each lane, from (0, index) on; columns wrap around
    block     8 lanes down (ldmatrix 16), then the next piece, from (0, index) on
    own       the two formulas in t: row and column
    """
    (rows, cols), vector, read, lane = params.shape, params.vector, params.read, np.arange(params.chip.lanes)
    pieces, piece = cols // vector, params.index // vector
    if read == "row":
        row, col = params.index + lane // pieces, lane % pieces * vector
    elif read == "column":
        row, col = lane % rows, (piece + lane // rows) * vector
    elif read == "diagonal":
        row, col = lane, (piece + lane) % pieces * vector
    elif read == "block":
        row, col = lane % params.block_rows, (piece + lane // params.block_rows) * vector
    else:
        row, col = formula(params.lane_row, lane), formula(params.lane_col, lane)
    kind, lanes = KINDS[params.kind][0], params.addressing
    idle = (row < 0) | (row >= rows) | (col < 0) | (col + vector > cols) | (lanes <= lane)
    if "matrix" in kind and int((~idle).sum()) != lanes:
        lost = int(np.flatnonzero(idle)[0])
        raise CuteLabError(
            f"{params.kind} takes the addresses of lanes 0 to {lanes - 1}, and lane {lost} goes to ({row[lost]},{col[lost]}), "
            f"outside the tile of {rows} x {cols}; take a larger tile, another pattern or fewer matrices"
        )
    if idle.all():
        raise CuteLabError(
            f"no lane stays inside the tile of {rows} x {cols}: lane 0 goes to ({row[0]},{col[0]}); "
            "rows and columns count from 0"
        )
    crooked = ~idle & (col % vector != 0)
    if crooked.any():
        first = int(np.argmax(crooked))
        raise CuteLabError(
            f"lane {first} starts at ({row[first]},{col[first]}); {params.access_bytes} bytes a lane must start at a column that "
            f"is a multiple of {vector}"
        )
    return TileAccess(
        np.where(idle, 0, row), np.where(idle, 0, col), params.access_bytes, kind, ~idle, chip=params.chip
    )


def count(params: BanksParams, access: TileAccess, table: Array) -> Wavefronts:
    """How many wavefronts, in a tile with this table of offsets? Raises CuteLabError where a lane's elements are torn apart."""
    row, col, active = access.row[0], access.col[0], access.active[0]
    vector, item = params.vector, params.item
    start = np.where(active, table[row, col], 0)
    if vector > 1:
        reach = table[row[:, None], np.minimum(col[:, None] + np.arange(vector), table.shape[1] - 1)]
        torn = active & (reach != start[:, None] + np.arange(vector)).any(axis=1)
        crooked = active & (start % vector != 0)
        lane = int(np.argmax(torn if torn.any() else crooked))
        if torn.any():
            shown = ", ".join(map(str, reach[lane, :4].tolist())) + (" ..." if vector > 4 else "")
            raise CuteLabError(
                f"lane {lane} would move the {vector} elements from ({row[lane]},{col[lane]}) on, but they lie at the offsets "
                f"{shown}; {access.access_bytes} bytes a lane need neighbours: a stride of 1 along the row, and a swizzle whose "
                f"base is {vector.bit_length() - 1} or more"
            )
        if crooked.any():
            raise CuteLabError(
                f"lane {lane} starts at offset {start[lane]}, byte {start[lane] * item}, which is not a multiple of "
                f"{access.access_bytes}; {access.access_bytes} bytes a lane need a pitch that is a multiple of {vector} elements"
            )
    return wavefronts(WarpAccess(start * item, access.access_bytes, access.kind, active, chip=params.chip))


@lru_cache(maxsize=64)
def _fixes(access: TileAccess, rows: int, cols: int, element_bytes: int) -> tuple[Fix, ...]:
    """Which paddings and swizzles are there, best first? Of each kind the cheapest for each count of wavefronts."""
    kept: dict[tuple[str, int], Fix] = {}
    for fix in conflict_free(access, rows, cols, element_bytes):
        kept.setdefault((fix.kind, fix.wavefronts), fix)
    return tuple(kept.values())


def _drawn(
    params: BanksParams, table: Array, access: TileAccess, waves: Wavefronts
) -> tuple[Array, Array, MemoryLines, Array]:
    """rows, columns, memory, cells: the part of tile or memory that is drawn, from where the lanes are."""
    rows, cols = params.shape
    active = access.active[0]
    tall = 32 if flat(rows, cols) else 64
    at = (
        window(rows, int(access.row[0][active].min()), tall, half=True),
        window(cols, int(access.col[0][active].min()), 128, half=True),
    )
    memory = memory_lines(
        table, params.item, params.access_bytes, params.chip, waves.access.byte_address[active], LINES
    )
    number = memory.held.ravel() if params.wide else (at[0][:, None] * cols + at[1]).ravel()
    cells = np.where(number[:, None] < 0, -1, np.stack(np.divmod(number, cols), axis=1))
    for array in (*at, cells):
        array.flags.writeable = False
    return *at, memory, cells
