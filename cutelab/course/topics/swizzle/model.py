"""A tile before and after Swizzle<B,M,S>: where each element lies, what one warp's read costs, which swizzles would do better."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cutelab.advise.conflict_free import TileAccess, conflict_free
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.core.swizzle import Swizzle
from cutelab.course.card.parts.window import window
from cutelab.course.card.shared_tile import plain_modes
from cutelab.course.topics.swizzle.knobs import SwizzleParams
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import Chip
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found. Offsets count elements; [i, j] is drawn row i and drawn column j.

    swizzle           on elements, whatever the unit of the parameters is
    rows, columns     the drawn rows, and the first element of each drawn column
    drawn             elements that a cell stands for: the vector that a lane reads, or 1 where pieces broke
    before, after     offsets of the drawn cells' first elements, without and with the swizzle
    lane              the lane that reads each drawn cell, -1 for none
    read              the lanes' coordinates: (lanes, 2)
    wave, wave_after  the read's wavefronts without and with the swizzle; None where a lane's bytes are not one aligned piece
    table, table_after  all offsets of the tile
    """

    params: SwizzleParams
    swizzle: Swizzle
    rows: Array
    columns: Array
    drawn: int
    before: Array
    after: Array
    lane: Array
    read: Array
    wave: Wavefronts | None
    wave_after: Wavefronts | None
    table: Array
    table_after: Array

    @property
    def layout(self) -> Layout:
        """The tile without the swizzle."""
        return self.params.layout

    @property
    def vector(self) -> int:
        """Elements that a lane reads."""
        return self.params.vector

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return self.params.item

    @property
    def probed(self) -> int:
        """The position of the probe among the drawn cells."""
        i = self.params.row - int(self.rows[0])
        return i * len(self.columns) + (self.params.column - int(self.columns[0])) // self.drawn

    @property
    def offset(self) -> tuple[int, int]:
        """The probed element's offset before and after."""
        at = self.params.row, self.params.column
        return int(self.table[at]), int(self.table_after[at])

    @cached_property
    def moves(self) -> bool:
        """Does the swizzle move any element of this tile?"""
        return bool((self.table != self.table_after).any())

    @cached_property
    def keeps(self) -> str:
        """What keeps its set of offsets: each "row", each "column", the whole "tile", or nothing ("")?"""
        for name, axis in (("row", 1), ("column", 0), ("tile", None)):
            if (np.sort(self.table, axis) == np.sort(self.table_after, axis)).all():
                return name
        return ""

    @cached_property
    def bits_of(self) -> tuple[int, int]:
        """Which bits of the offset does the row set, and which the column? (0, 0) where they are not disjoint."""
        row, column = (int(np.bitwise_or.reduce(line)) for line in (self.table[:, 0], self.table[0]))
        return (0, 0) if row & column else (row, column)


def compute(params: SwizzleParams) -> Result:
    """Where does each element lie without and with the swizzle, and how many wavefronts does the read take each time?"""
    swizzle, vector, lanes = params.on_elements, params.vector, params.chip.lanes
    table = offsets(params.layout)
    after = swizzle(table)
    lines = window(params.extents[0], params.row, lanes)
    across = window(params.extents[1] // vector, params.column // vector, lanes) * vector
    if params.access == "column":
        read = np.stack([lines, np.full(len(lines), params.column // vector * vector)], 1)
    else:
        read = np.stack([np.full(len(across), params.row), across], 1)
    whole = [in_one_piece(t, lines, across, vector) for t in (table, after)]
    columns, step = (across, vector) if all(whole) else (window(params.extents[1], params.column, lanes), 1)
    lane = np.full((len(lines), len(columns)), -1)
    i, j = read[:, 0] - lines[0], (read[:, 1:] + np.arange(0, vector, step) - columns[0]) // step
    inside = (j >= 0) & (j < len(columns))
    at = np.broadcast_to(i[:, None], j.shape)[inside], j[inside]
    lane[at] = np.broadcast_to(np.arange(len(read))[:, None], j.shape)[inside]
    cells = np.ix_(lines, columns)
    wave, wave_after = (
        count(t[read[:, 0], read[:, 1]], params) if ok else None for t, ok in zip((table, after), whole, strict=True)
    )
    drawn = table[cells], after[cells]
    for array in (lines, columns, *drawn, lane, read, table, after):
        array.flags.writeable = False
    return Result(params, swizzle, lines, columns, step, *drawn, lane, read, wave, wave_after, table, after)


def in_one_piece(table: Array, rows: Array, columns: Array, vector: int) -> bool:
    """Does each piece of `vector` elements lie side by side in memory, from a multiple of its size on?"""
    if vector == 1:
        return True
    first = table[np.ix_(rows, columns)]
    each = table[rows[:, None, None], columns[:, None] + np.arange(vector)]
    return bool((first % vector == 0).all() and (each == first[..., None] + np.arange(vector)).all())


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this probe cell of the picture?"""
    rows, columns = result.rows, result.columns
    if not 0 <= cell < len(rows) * len(columns):
        raise CuteLabError(f"probe cell {cell} is outside the {len(rows)} x {len(columns)} cells that are drawn")
    return {"row": int(rows[cell // len(columns)]), "column": int(columns[cell % len(columns)])}


def count(offset: Array, params: SwizzleParams) -> Wavefronts:
    """The wavefronts of a warp whose first lanes read at these offsets."""
    active = np.arange(params.chip.lanes) < len(offset)
    address = np.zeros(params.chip.lanes, np.int64)
    address[: len(offset)] = offset * params.item
    return wavefronts(WarpAccess(address, params.width, "load", active, chip=params.chip))


@lru_cache(maxsize=64)
def candidates(rows: int, cols: int, item: int, access: str, width: int, chip: Chip) -> tuple[Swizzle, ...]:
    """The best swizzles of a row-major tile, best first, for a warp that reads by columns or by rows; at most three.

    All pieces of a row are also read in turn, so that a fix for columns does not spoil the rows.
    """
    vector, lane = width // item, np.arange(chip.lanes)
    lines, across = min(rows, chip.lanes), min(cols // vector, chip.lanes)
    down = TileAccess(np.where(lane < lines, lane, 0), 0 * lane, width, active=lane < lines, chip=chip)
    along = TileAccess(0 * lane, np.where(lane < across, vector * lane, 0), width, active=lane < across, chip=chip)
    both = (down, along) if access == "column" else (along, down)
    found = conflict_free(both, rows, cols, item, may_pad=False, keep_size=True)
    given = next(c for c in found if c.kind == "as given")
    best = [c.swizzle for c in found if c.swizzle and c.wavefronts < given.wavefronts]
    return tuple(best[:3])


def better(result: Result) -> tuple[tuple[Swizzle, int], ...]:
    """Which swizzles beat the tile as given for this read, and how many wavefronts do they take? For row-major tiles.

    The swizzle in use is among them where it is as good as the best and stays inside the tile.
    """
    params, modes = result.params, plain_modes(result.layout)
    if result.wave is None or modes is None or modes[2:] != (modes[1], 1):
        return ()
    if result.table.size * result.item > params.chip.block_bytes:
        return ()
    at = result.table[result.read[:, 0], result.read[:, 1]]
    found = candidates(*result.table.shape, result.item, params.access, params.width, params.chip)
    counted = [(swizzle, int(count(swizzle(at), params).count)) for swizzle in found]
    kept = [(s, n) for s, n in counted if n < result.wave.count]
    mine = None if result.wave_after is None or not result.keeps else int(result.wave_after.count)
    if kept and mine is not None and mine <= kept[0][1] and result.swizzle not in found:
        kept = [(result.swizzle, mine), *kept[:2]]
    return tuple(kept)
