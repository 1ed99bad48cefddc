"""Topic "banks": one warp's access to a tile in shared memory; which lane's word goes in which wavefront.

BanksParams -> compute -> Result -> panels -> Picture. Who touches what: banks_access.py. The panels: banks_panels.py and
banks_chart.py. The words: banks_words.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from cutelab.advise.conflict_free import Fix, TileAccess
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import product
from cutelab.core.layout import Layout, offsets, rank
from cutelab.course.card.knobs import Control, Params, dropdown, slider, text, toggle
from cutelab.course.card.knobs import index as coordinate  # `index` is a parameter here
from cutelab.course.card.picture import Picture
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.banks import access as banks_access
from cutelab.course.topics.banks import card as banks_panels
from cutelab.course.topics.banks.access import KINDS, PATTERNS, widths
from cutelab.course.topics.banks.tile import (
    PADDINGS,
    SHARED_BYTES,
    check_tile,
    pitched,
    read_swizzle,
    split,
    with_pitch,
)
from cutelab.hardware.wavefronts import Wavefronts

ACCESS = "Access of one warp"
LINES = 36  # lines of memory up to which all are drawn


@dataclass(frozen=True)
class BanksParams(Params):
    """What the banks explorer shows. `pitch` is a knob derived from `layout`. Offsets and `index` count elements."""

    layout: str = text("(32,32):(32,1)", group="Tile", placeholder="(32,32):(32,1)", tip="rows and columns of the tile")
    element: str = dropdown("float32", tuple(ELEMENTS), group="Tile", tip="element type of the tile")
    swizzle: str = text("", group="Tile", placeholder="none, or Sw<5,0,5>", tip="acts on offsets in elements")
    kind: str = dropdown("load", tuple(KINDS), group=ACCESS, tip="the instruction")
    access_bytes: int = toggle(4, (4, 8, 16), group=ACCESS, label="bytes", unit="a lane", tip="bytes that a lane moves")
    read: str = dropdown("column", PATTERNS, group=ACCESS, tip="which elements the 32 lanes take")
    lane_row: str = text("t // 8", group=ACCESS, label="row of t", placeholder="t // 8", tip="row of lane t")
    lane_col: str = text("t % 8 * 4", group=ACCESS, label="col of t", placeholder="t % 8 * 4", tip="column of lane t")
    index: int = slider(12, 0, 31, group=ACCESS, tip="row or column where the lanes begin")
    row: int = coordinate(7, group="Probe", unit="down")
    column: int = coordinate(12, group="Probe", unit="across")

    def __post_init__(self) -> None:
        inner, found = split(self.layout)
        swizzle = read_swizzle(self.swizzle)
        if found is not None and swizzle is not None and found != swizzle:
            raise CuteLabError(
                f"{self.layout} has a swizzle already; leave `swizzle` empty, or give the layout without one"
            )
        swizzle = swizzle or found
        put = object.__setattr__
        put(self, "layout", str(inner))
        put(self, "swizzle", "" if swizzle is None else str(swizzle))
        put(self, "inner", inner)
        put(self, "swizzled", swizzle)
        put(self, "kind", {"ldmatrix": "ldmatrix x4", "stmatrix": "stmatrix x4"}.get(self.kind, self.kind))
        for name in ("element", "kind", "read"):
            self.check_choice(name)
        put(self, "element_bytes", ELEMENTS[self.element])
        check_tile(inner, self.element_bytes)
        put(self, "shape", (product(inner.shape[0]), product(inner.shape[1])))  # type: ignore[index]
        able = widths(self.kind, self.element_bytes, self.shape[1])
        if self.access_bytes not in able or isinstance(self.access_bytes, bool):
            choices = ", ".join(map(str, able)) or "none"
            raise CuteLabError(
                f"{self.kind} of {self.element} in rows of {self.shape[1]} can move these bytes a lane: {choices}; "
                f"got {self.access_bytes!r}"
            )
        put(self, "vector", self.access_bytes // self.element_bytes)
        for name in ("lane_row", "lane_col"):
            if not isinstance(getattr(self, name), str):
                put(self, name, str(getattr(self, name)))
        self.check_range("index", 0, self.last_index())
        self.check_range("row", 0, self.shape[0] - 1)
        self.check_range("column", 0, self.shape[1] - 1)

    def last_index(self) -> int:
        """How far may `index` go? For ldmatrix and stmatrix so far that all its lanes stay in the tile."""
        rows, cols = self.shape
        lanes = KINDS[self.kind][1] if "matrix" in self.kind else 1
        pieces = cols // self.vector
        if self.read == "row":
            return max(0, rows - -(-lanes // pieces))
        if lanes == 1 or self.read not in ("column", "block"):
            return cols - 1
        high = rows if self.read == "column" else banks_access.block_rows(self.kind)
        return max(0, (pieces - -(-lanes // high) + 1) * self.vector - 1)

    @property
    def pitch(self) -> int | None:
        """The distance from row to row (column to column, where columns lie in one piece); None where there is no such number."""
        place = pitched(self.inner)
        return None if place is None else self.inner.stride[place]

    @property
    def row_major(self) -> bool:
        """Is this plain rows of neighbours, one pitch apart?"""
        return pitched(self.inner) == 0

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; what depends on the changed knob follows: swizzle, access width, kind, index and probe."""
        layout, pitch = changes.get("layout", self.layout), changes.pop("pitch", None)
        inner, found = split(layout)
        if found is not None:
            changes.setdefault("swizzle", str(found))
        if pitch is not None:
            inner = with_pitch(inner, pitch)
        changes["layout"] = str(inner)
        if rank(inner) == 2 and changes.get("element", self.element) in ELEMENTS:
            self._follow(changes, product(inner.shape[1]))  # type: ignore[index]
        try:
            later = super().change(**{**changes, "index": 0, "row": 0, "column": 0})
        except CuteLabError:
            return super().change(**changes)  # with its own error
        ends = later.last_index(), later.shape[0] - 1, later.shape[1] - 1
        for name, end in zip(("index", "row", "column"), ends, strict=True):
            changes.setdefault(name, min(getattr(self, name), end))
        return super().change(**changes)

    def _follow(self, changes: dict[str, Any], cols: int) -> None:
        """Access width and kind after a change of the element, the kind or the tile."""
        item = ELEMENTS[changes.get("element", self.element)]
        kind = changes.get("kind", self.kind)
        kind = {"ldmatrix": "ldmatrix x4", "stmatrix": "stmatrix x4"}.get(kind, kind)
        if kind not in KINDS:
            return
        if "kind" not in changes and not widths(kind, item, cols):
            changes["kind"] = kind = "load"
        able = widths(kind, item, cols)
        if "access_bytes" not in changes and able:
            want = item if self.vector == 1 and "element" in changes else self.access_bytes
            changes["access_bytes"] = max((w for w in able if w <= want), default=able[0])

    def controls(self) -> tuple[Control, ...]:
        found = {c.name: c for c in super().controls()}
        rows, cols = self.shape
        place = pitched(self.inner)
        pitch = ()
        if place is not None:
            least, tip = self.shape[1 - place], f"from one {('row', 'column')[place]} to the next, in elements"
            pitch = (
                Control("pitch", "slider", self.pitch, "Tile", "pitch", "elements", least, least + PADDINGS, tip=tip),
            )
        able = widths(self.kind, self.element_bytes, cols)
        kinds = tuple(k for k in KINDS if widths(k, self.element_bytes, cols))
        unit = "row" if self.read == "row" else "column"
        own = (found["lane_row"], found["lane_col"])
        along = (replace(found["index"], hi=self.last_index(), unit=unit),)
        return (
            found["layout"],
            found["element"],
            *pitch,
            found["swizzle"],
            replace(found["kind"], choices=kinds),
            replace(found["access_bytes"], choices=able, kind="toggle" if len(able) <= 4 else "dropdown"),
            found["read"],
            *(own if self.read == "own" else along),
            replace(found["row"], hi=rows - 1),
            replace(found["column"], hi=cols - 1),
        )

    def call(self, name: str) -> str:
        """As `Params.call`; a default is written too where it would follow another knob (4 bytes a lane of half)."""
        plain = BanksParams()
        if self.read != "own":  # formulas that this picture does not use
            self = replace(self, lane_row=plain.lane_row, lane_col=plain.lane_col)
        given = {n: getattr(self, n) for n in self.names() if getattr(self, n) != getattr(plain, n)}
        rebuilt = plain.change(**given)
        given |= {n: getattr(self, n) for n in self.names() if getattr(self, n) != getattr(rebuilt, n)}
        parts = [f"{n}={given[n]!r}" for n in self.names() if n in given]
        return f"explore.{name}({', '.join(parts).removeprefix('layout=')})".replace("'", '"')

    def probe(self, cell: int) -> dict[str, Any]:
        cells = compute(self).cells
        if not 0 <= cell < len(cells) or cells[cell, 0] < 0:
            raise CuteLabError(f"probe cell {cell} is not one of the {len(cells)} cells that are drawn")
        return {"row": int(cells[cell, 0]), "column": int(cells[cell, 1])}


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found. Offsets count elements.

    table          the offset of each element, (rows, columns) of the tile
    access, waves  which element each lane starts at; what the hardware makes of it
    cures          what padding and swizzle could do, best first; () where the tile is not plain rows
    rows, columns  the window of the tile that is drawn, where lanes move 4 bytes or less
    lines          the 128-byte lines of memory that are drawn, where lanes move 8 or 16 bytes: all, or those with lanes
    held           which element (row * columns + column) is the first in each drawn piece of memory, -1 for none
    cells          (row, column) of each probe cell of the picture; -1 for none
    """

    params: BanksParams
    layout: Layout | ComposedLayout
    table: np.ndarray
    access: TileAccess
    waves: Wavefronts
    cures: tuple[Fix, ...]
    rows: np.ndarray
    columns: np.ndarray
    lines: np.ndarray
    held: np.ndarray
    cells: np.ndarray

    @property
    def wide(self) -> bool:
        """Do lanes move more than one word?"""
        return self.params.access_bytes > 4

    @property
    def probed(self) -> int:
        """The probe cell that holds the probed element; -1 where it is not drawn."""
        row, column = self.params.row, self.params.column
        if self.wide:
            unit = int(self.table[row, column]) * self.params.element_bytes // self.params.access_bytes
            line, piece = divmod(unit, self.held.shape[1])
            place = int(np.searchsorted(self.lines, line))
            there = place < len(self.lines) and self.lines[place] == line
            return place * self.held.shape[1] + piece if there else -1
        i, j = row - int(self.rows[0]), column - int(self.columns[0])
        return i * len(self.columns) + j if 0 <= i < len(self.rows) and 0 <= j < len(self.columns) else -1


def compute(params: BanksParams) -> Result:
    """Where does each element lie, which does each lane take, and how many wavefronts is that?"""
    inner, swizzle, (rows, cols) = params.inner, params.swizzled, params.shape
    table = offsets(inner) if swizzle is None else swizzle(offsets(inner))
    if swizzle is not None and (int(table.max()) + 1) * params.element_bytes > SHARED_BYTES:
        raise CuteLabError(
            f"{swizzle} moves elements to offset {int(table.max()):,}, beyond the {SHARED_BYTES:,} bytes of shared memory"
        )
    table.flags.writeable = False
    access = banks_access.places(params)
    waves = banks_access.count(params, access, table)
    cures = banks_access.cures(access, rows, cols, params.element_bytes) if params.row_major else ()
    layout = inner if swizzle is None else ComposedLayout(swizzle, 0, inner)
    return Result(params, layout, table, access, waves, cures, *_drawn(params, table, access, waves))


def _drawn(params: BanksParams, table: np.ndarray, access: TileAccess, waves: Wavefronts) -> tuple[np.ndarray, ...]:
    """rows, columns, lines, held, cells: the part of tile or memory that is drawn, from where the lanes are."""
    (rows, cols), size = params.shape, max(4, params.access_bytes)
    active = access.active[0]
    tall = 32 if banks_panels.flat(rows, cols) else 64
    at = window(rows, int(access.row[0][active].min()), tall), window(cols, int(access.col[0][active].min()), 128)
    across = 128 // size
    unit = table.ravel() * params.element_bytes // size
    count = int(unit.max()) // across + 1
    lines = np.arange(count) if count <= LINES else np.unique(waves.word[active] // 32)
    first = np.full(count * across, -1)
    first[unit[::-1]] = np.arange(unit.size)[::-1]
    held = first.reshape(count, across)[lines]
    number = held.ravel() if params.access_bytes > 4 else (at[0][:, None] * cols + at[1]).ravel()
    cells = np.where(number[:, None] < 0, -1, np.stack(np.divmod(number, cols), axis=1))
    found = (*at, lines, held, cells)
    for array in found:
        array.flags.writeable = False
    return found


def window(extent: int, at: int, most: int) -> np.ndarray:
    """Which of `extent` rows are drawn? All, or `most` of them from a multiple of half of `most` on, with `at` among them.

    >>> window(8, 3, 64).tolist(), window(200, 130, 64)[[0, -1]].tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7], [128, 191])
    """
    start = 0 if extent <= most else min(at // (most // 2) * (most // 2), extent - most)
    return np.arange(start, min(extent, start + most))


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: the tile (or memory) with its lanes, the wavefronts, the verdict."""
    return banks_panels.picture(result)
