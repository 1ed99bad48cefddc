"""Topic "swizzle": a tile before and after Swizzle<B,M,S>, coloured by bank, and the bits of one offset.

SwizzleParams -> compute -> Result -> panels -> Picture. The panels are built in swizzle_panels.py, the words in
swizzle_words.py, the knobs' meaning in swizzle_params.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from cutelab.advise.conflict_free import TileAccess, conflict_free
from cutelab.core.layout import Layout, offsets
from cutelab.core.swizzle import Swizzle
from cutelab.course.card.picture import Picture
from cutelab.course.topics.swizzle import card as swizzle_panels
from cutelab.course.topics.swizzle.knobs import SwizzleParams, drawn, in_one_piece, pieces
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

__all__ = ["Result", "SwizzleParams", "compute", "panels"]


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found. Offsets count elements; [i, j] is drawn row i and drawn column j.

    swizzle           on elements, whatever the unit of the parameters is
    rows, columns     the drawn rows, and the first element of each drawn column
    vector            elements that a lane reads; drawn: elements that a cell stands for (vector, or 1 where pieces broke)
    before, after     offsets of the drawn cells' first elements, without and with the swizzle
    lane              the lane that reads each drawn cell, -1 for none
    read              the lanes' coordinates: (lanes, 2)
    wave, wave_after  the read's wavefronts without and with the swizzle; None where a lane's bytes are not one aligned piece
    table, table_after  all offsets of the tile
    """

    params: SwizzleParams
    layout: Layout
    swizzle: Swizzle
    rows: np.ndarray
    columns: np.ndarray
    vector: int
    drawn: int
    before: np.ndarray
    after: np.ndarray
    lane: np.ndarray
    read: np.ndarray
    wave: Wavefronts | None
    wave_after: Wavefronts | None
    table: np.ndarray
    table_after: np.ndarray

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
    layout, swizzle = params.parsed, params.on_elements
    vector = params.width // params.item
    table = offsets(layout)
    after = swizzle(table)
    lines, across = pieces(params)
    if params.access == "column":
        read = np.stack([lines, np.full(len(lines), params.column // vector * vector)], 1)
    else:
        read = np.stack([np.full(len(across), params.row), across], 1)
    whole = [in_one_piece(t, lines, across, vector) for t in (table, after)]
    rows, columns, step = drawn(params)
    lane = np.full((len(rows), len(columns)), -1)
    i, j = read[:, 0] - rows[0], (read[:, 1:] + np.arange(0, vector, step) - columns[0]) // step
    inside = (j >= 0) & (j < len(columns))
    at = np.broadcast_to(i[:, None], j.shape)[inside], j[inside]
    lane[at] = np.broadcast_to(np.arange(len(read))[:, None], j.shape)[inside]
    cells = np.ix_(rows, columns)
    waves = [
        count(t[read[:, 0], read[:, 1]], params) if ok else None for t, ok in zip((table, after), whole, strict=True)
    ]
    found = (table[cells], after[cells], lane, read, table, after)
    for array in found:
        array.flags.writeable = False
    before, after_drawn, lane, read, table, after = found
    return Result(
        params, layout, swizzle, rows, columns, vector, step, before, after_drawn, lane, read, *waves, table, after
    )


def count(offset: np.ndarray, params: SwizzleParams) -> Wavefronts:
    """The wavefronts of up to 32 lanes that read at these offsets."""
    active = np.arange(32) < len(offset)
    address = np.zeros(32, np.int64)
    address[: len(offset)] = offset * params.item
    return wavefronts(WarpAccess(address, params.width, "load", active))


@lru_cache(maxsize=64)
def candidates(rows: int, cols: int, item: int, access: str, width: int) -> tuple[Swizzle, ...]:
    """The best swizzles of a row-major tile, best first, for a warp that reads by columns or by rows; at most three.

    All pieces of a row are also read in turn, so that a fix for columns does not spoil the rows.
    """
    vector = width // item
    lines, across = min(rows, 32), min(cols // vector, 32)
    down = TileAccess(*_lanes(np.arange(lines), 0), width, active=np.arange(32) < lines)
    along = TileAccess(*_lanes(0, vector * np.arange(across)), width, active=np.arange(32) < across)
    both = (down, along) if access == "column" else (along, down)
    found = conflict_free(both, rows, cols, item, may_pad=False, keep_size=True)
    given = next(c for c in found if c.kind == "as given")
    best = [c.swizzle for c in found if c.swizzle and c.wavefronts < given.wavefronts]
    return tuple(best[:3])


def _lanes(row: int | np.ndarray, col: int | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    row, col = np.broadcast_arrays(row, col)
    fill = (0, 32 - len(row))
    return np.pad(row, fill), np.pad(col, fill)


def fixes(result: Result) -> tuple[tuple[Swizzle, int], ...]:
    """Which swizzles beat the tile as given for this read, and how many wavefronts do they take? For row-major tiles.

    The swizzle in use is among them where it is as good as the best and stays inside the tile.
    """
    params, shape = result.params, result.layout.shape
    if result.wave is None or str(result.layout) != f"({shape[0]},{shape[1]}):({shape[1]},1)":  # type: ignore[index]
        return ()
    if result.table.size * result.item > 228 * 1024:
        return ()
    at = result.table[result.read[:, 0], result.read[:, 1]]
    found = candidates(*result.table.shape, result.item, params.access, params.width)
    counted = [(swizzle, int(count(swizzle(at), params).count)) for swizzle in found]
    better = [(s, n) for s, n in counted if n < result.wave.count]
    mine = None if result.wave_after is None or not result.keeps else int(result.wave_after.count)
    if better and mine is not None and mine <= better[0][1] and result.swizzle not in found:
        better = [(result.swizzle, mine), *better[:2]]
    return tuple(better)


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: the tile before and after, the bits of the probed offset, the verdict."""
    return swizzle_panels.picture(result, fixes(result))
