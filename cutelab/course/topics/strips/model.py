"""Topic "strips": the strip formula of a published article: which thread works where, what that misses, what it costs.

StripsParams -> compute -> Result -> panels -> Picture. Words are in strips_words.py, panels in strips_panels.py, the choice of
rows in strips_rows.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.course.card.knobs import Control, Params, dropdown, index, powers, slider, toggle
from cutelab.course.card.picture import Offer, Picture
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.strips import card as strips_panels
from cutelab.course.topics.strips import words as strips_words
from cutelab.cutlass.pitch_linear import Coverage
from cutelab.cutlass.strips import MAX_THREADS, StripThreadMap
from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.sectors import Sectors
from cutelab.hardware.wavefronts import Wavefronts

THREADS = (8, 16, 32, 64, 128, 256, 512, MAX_THREADS)
MAX_ROW_PITCH, MAX_PITCH, MAX_STRIPS, MAX_ROWS = 1024, 128, 1024, 1024
TWO = ("warp", "strip")


@dataclass(frozen=True)
class StripsParams(Params):
    """What the strips explorer shows. The tile lies at offset 0; 0 rows: as many as the threads reach; 0 columns: whole rows."""

    row_pitch: int = slider(
        16, 1, 128, group="Tile", label="row pitch", unit="elements", tip="from one row to the next"
    )
    rows: int = slider(0, 0, 64, group="Tile", unit="of the tile", tip="0: as many rows as the threads reach")
    columns: int = slider(0, 0, 128, group="Tile", unit="of the tile", tip="0: the whole row")
    element: str = dropdown("float32", tuple(ELEMENTS), group="Tile", tip="its size makes bytes, sectors and banks")
    threads: int = powers(64, THREADS, group="Access", tip="of one thread block")
    pitch: int = slider(
        8, 1, MAX_PITCH, group="Access", label="Pitch", unit="threads", tip="threads side by side in a row"
    )
    strips: int = slider(4, 1, 64, group="Access", label="Strips", unit="rows", tip="rows before the third term jumps")
    colour: str = toggle("warp", TWO, group="Access", tip="what the colour of a cell means")
    thread: int = index(0, group="Probe", unit="of the block")

    def __post_init__(self) -> None:
        self.check_range("row_pitch", 1, MAX_ROW_PITCH)
        self.check_range("rows", 0, MAX_ROWS)
        self.check_range("columns", 0, MAX_ROW_PITCH)
        if self.columns > self.row_pitch:
            raise CuteLabError(
                f"columns {self.columns} do not fit into rows of {self.row_pitch}: "
                f"take 0 to {self.row_pitch} columns, or a larger row pitch"
            )
        self.check_choice("element")
        self.check_range("threads", 1, MAX_THREADS)
        self.check_range("pitch", 1, MAX_PITCH)
        self.check_range("strips", 1, MAX_STRIPS)
        self.check_choice("colour")
        self.check_range("thread", 0, self.threads - 1)

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; tile and probe stay inside a smaller row pitch and fewer threads."""
        if is_int(changes.get("row_pitch")):
            changes.setdefault("columns", min(self.columns, changes["row_pitch"]))
        if is_int(changes.get("threads")):
            changes.setdefault("thread", max(0, min(self.thread, changes["threads"] - 1)))
        return super().change(**changes)

    def controls(self) -> tuple[Control, ...]:
        def fit(control: Control) -> Control:
            if control.name == "columns":
                return replace(control, hi=self.row_pitch)
            if control.name == "thread":
                return replace(control, hi=self.threads - 1)
            if control.kind == "powers":
                return replace(control, choices=tuple(sorted({*control.choices, control.value})))
            return replace(control, hi=max(control.hi, control.value)) if control.kind == "slider" else control

        return tuple(map(fit, super().controls()))

    def probe(self, cell: int) -> dict[str, Any]:
        if not 0 <= cell < self.threads:
            raise CuteLabError(f"there is no thread {cell}; the threads are 0 to {self.threads - 1}")
        return {"thread": cell}

    @property
    def thread_map(self) -> StripThreadMap:
        return StripThreadMap(self.row_pitch, self.threads, self.pitch, self.strips)


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
    offset: np.ndarray
    row: np.ndarray
    column: np.ndarray
    tile: tuple[int, int]
    reached: int
    coverage: Coverage
    sectors: Sectors
    wavefronts: Wavefronts

    @property
    def touched(self) -> np.ndarray:
        """Which of the `reached` rows does a thread touch? bool."""
        found = np.zeros(self.reached, bool)
        found[self.row] = True
        return found

    @property
    def outside(self) -> np.ndarray:
        """Which threads fall outside the tile? bool (threads,)."""
        return (self.row >= self.tile[0]) | (self.column >= self.tile[1])

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
    size = ELEMENTS[params.element]
    address, active = found.warp_addresses(size)
    access = WarpAccess(address, size, "load", active)
    for array in (row, column):
        array.flags.writeable = False
    return Result(
        params, found, offset, row, column, tile, max(last, tile[0]), found.coverage(tile[::-1]), sectors(access), wavefronts(access)
    )  # fmt: skip


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: memory rows with their threads, the probe's three terms, each warp's cost."""
    return strips_panels.picture(result, fixes(result))


def fixes(result: Result) -> tuple[Offer, ...]:
    """Which Pitch and Strips help? Whole coverage first, then the lower cost; none with a bad verdict.

    Enough Strips that no row is skipped; and a Pitch as wide as the tile, so that whole rows are touched.
    """
    params, columns = result.params, result.tile[1]
    found = []
    enough, rows = -(-params.threads // params.pitch), -(-params.threads // columns)
    if enough > 1 and params.pitch > 1:
        strips = max(enough, params.strips)
        found.append(Offer(f"Strips {strips}", "no row is skipped", {"strips": strips}, params.strips >= enough))
    if params.pitch != columns <= MAX_PITCH or (params.strips >= rows and params.pitch == columns):
        changes = {"pitch": columns, "strips": rows}
        use = params.pitch == columns and params.strips >= rows
        found.append(Offer(f"Pitch {columns}, Strips {rows}", "whole rows", changes, use))
    tried = [(fix, result if fix.in_use else compute(params.change(**fix.changes))) for fix in found]
    good = [(fix, after) for fix, after in tried if strips_words.verdict(after).state != "bad"]
    return tuple(fix for fix, _ in sorted(good, key=lambda one: _rank(one[1])))


def _rank(result: Result) -> tuple[float, int]:
    cost = int(result.sectors.count.sum() + result.wavefronts.count.sum())
    return -result.coverage.covered / max(result.coverage.tile_elements, 1), cost
