"""The strip formula of a published article: which thread works where, what that misses, what each warp pays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.topics.strips.knobs import StripsParams
from cutelab.cutlass.pitch_linear import Coverage
from cutelab.cutlass.strips import StripThreadMap
from cutelab.hardware.chip import Address
from cutelab.hardware.sectors import Sectors, sectors
from cutelab.hardware.wavefronts import Wavefronts, wavefronts
from cutelab.plans.access import by_warps

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found. Offsets count elements; row and column are those of memory rows, row_pitch long.

    offset, row, column   of each thread, int64 (threads,)
    tile                  (rows, columns) of the tile at offset 0
    reached               rows from 0 to the last one that a thread touches or the tile has
    coverage              what of the tile is touched, and who falls outside
    sectors, wavefronts   of each warp, in global and in shared memory: a batch of (warps,)
    """

    params: StripsParams
    thread_map: StripThreadMap
    offset: Array
    row: Array
    column: Array
    tile: tuple[int, int]
    reached: int
    coverage: Coverage
    sectors: Sectors
    wavefronts: Wavefronts

    @property
    def at(self) -> Address[Array]:
        """Where each thread works."""
        return Address(self.offset, self.params.item, self.params.chip)

    @property
    def probed(self) -> Address[int]:
        """Where the probed thread works."""
        return Address(int(self.offset[self.params.thread]), self.params.item, self.params.chip)

    @property
    def warp(self) -> Array:
        """In which warp is each thread?"""
        return np.arange(self.params.threads) // self.params.chip.lanes

    @property
    def touched(self) -> Array:
        """Which of the `reached` rows does a thread touch? bool."""
        found = np.zeros(self.reached, bool)
        found[self.row] = True
        return found

    @property
    def outside(self) -> Array:
        """Which threads fall outside the tile? bool (threads,)."""
        found: Array = (self.row >= self.tile[0]) | (self.column >= self.tile[1])
        return found

    @property
    def missed_rows(self) -> tuple[tuple[int, int], ...]:
        """Which rows of the tile does nobody touch, as runs (first, last)?"""
        free = np.flatnonzero(np.diff(np.r_[False, ~self.touched[: self.tile[0]], False]))
        return tuple((int(a), int(b) - 1) for a, b in free.reshape(-1, 2))

    @property
    def jump(self) -> int:
        """Which is the first thread with a third term? `threads` if none has."""
        return min(self.params.pitch * self.params.strips, self.params.threads)


def compute(params: StripsParams) -> Result:
    """Where does each thread work, what of the tile is missed, and what does each warp's access cost?"""
    found = params.thread_map
    offset = found.offsets()
    row, column = np.divmod(offset, params.row_pitch)
    last = int(row.max()) + 1
    tile = (params.rows or last, params.columns or params.row_pitch)
    access = by_warps(offset[None] * params.item, params.item, "load", chip=params.chip)
    for array in (row, column):
        array.flags.writeable = False
    return Result(
        params=params,
        thread_map=found,
        offset=offset,
        row=row,
        column=column,
        tile=tile,
        reached=max(last, tile[0]),
        coverage=found.coverage(tile[::-1]),
        sectors=sectors(access),
        wavefronts=wavefronts(access),
    )


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this thread?"""
    threads = result.params.threads
    if not 0 <= cell < threads:
        raise CuteLabError(f"there is no thread {cell}; the threads are 0 to {threads - 1}")
    return {"thread": cell}
