"""Topic "tiling": a matrix cut into tiles, or made of copies of a block, with one tile picked and sliced.

TilingParams -> compute -> Result -> panels -> Picture. Who belongs to which tile stands in tiling_cut.py, the panels in
tiling_panels.py. A tiler that the operation refuses still shows its tiles: what is missing is a layout for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np

from cutelab.algebra import laws
from cutelab.algebra.simplify import top_modes
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, size
from cutelab.course.card.knobs import Control, Params, dropdown, index, text
from cutelab.course.card.picture import Picture
from cutelab.course.topics.tiling import card as tiling_panels
from cutelab.course.topics.tiling.cut import DIVIDES, PRODUCTS, Cut, cut, followed
from cutelab.course.topics.tiling.tilers import numbers, of_kind, parse_tiler, spell_tiler, turned

OPERATIONS = (*DIVIDES, *PRODUCTS)
EXAMPLES = {
    "tiles of 4 x 8": ("zipped_divide", "(16,32):(1,16)", "<4, 8>", ""),
    "128 x 128": ("zipped_divide", "(128,128):(1,128)", "<4, 8>", ""),
    "row-major": ("zipped_divide", "(16,32):(32,1)", "<4, 8>", ""),
    "every second row": ("zipped_divide", "(16,16):(1,16)", "<4:2, 8>", ""),
    "a column stays whole": ("zipped_divide", "(16,16):(16,1)", "<_, 4>", ""),
    "layout against tuple": ("zipped_divide", "(8,8):(1,8)", "<4, 2>", "(4,2):(1,4)"),
    "twelve tiles": ("logical_divide", "(12,32):(1,12)", "(4,8)", ""),
    "the last tile is short": ("zipped_divide", "(10,14):(1,10)", "<4, 4>", ""),
    "refused": ("zipped_divide", "(8,8):(1,9)", "6:1", ""),
    "blocked": ("blocked_product", "(4,8):(1,4)", "(2,5):(1,2)", ""),
    "raked": ("raked_product", "(4,8):(1,4)", "(2,5):(1,2)", ""),
}


@dataclass(frozen=True)
class TilingParams(Params):
    """What the tiling explorer shows. `example` and `tile_0`, `tile_1`, ... are knobs derived from the rest."""

    layout: str = text("(16,32):(1,16)", group="Matrix", placeholder="(16,32):(1,16)", tip="the matrix, or the block")
    operation: str = dropdown(
        "zipped_divide", OPERATIONS, group="Matrix", tip="a divide cuts the matrix; a product repeats the block"
    )
    tiler: str = text(
        "<4, 8>", group="Tiler", placeholder="<4, 8>", tip="<4, 8:2, _> by mode, or one layout (4,8):(1,16)"
    )
    other: str = text(
        "", group="Tiler", placeholder="a second tiler", tip="another tiler of the same matrix, beside the first"
    )
    i: int = index(1, group="Probe", unit="tile, down")
    j: int = index(2, group="Probe", unit="tile, across")
    element: int = index(0, group="Probe", unit="place in the tile")

    def __post_init__(self) -> None:
        if isinstance(self.layout, Layout | ComposedLayout):
            object.__setattr__(self, "layout", str(self.layout))
        for name in ("tiler", "other"):
            value = getattr(self, name)
            object.__setattr__(self, name, "" if value is None and name == "other" else spell_tiler(value))
        self.check_choice("operation")
        down, across = self.cut.grid
        self.check_range("i", 0, down - 1)
        self.check_range("j", 0, across - 1)
        self.check_range("element", 0, self.cut.elements - 1)
        if self.other:
            parse_tiler(self.other)

    @property
    def cut(self) -> Cut:
        """The operation, worked out; the same for every place of the probe."""
        return cut(self.operation, _read(self.layout), parse_tiler(self.tiler))

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The operation with the tiler, and with the other one if there is one."""
        return (
            (self.cut, cut(self.operation, _read(self.layout), parse_tiler(self.other))) if self.other else (self.cut,)
        )

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; the picked tile stays inside, and a tiler changes its kind with the operation."""
        example = changes.pop("example", None)
        if example is not None:
            if example not in EXAMPLES:
                raise CuteLabError(f"there is no example {example!r}; there are {', '.join(EXAMPLES)}")
            names = ("operation", "layout", "tiler", "other")
            changes = {**dict(zip(names, EXAMPLES[example], strict=True)), **changes}
        tiler = parse_tiler(spell_tiler(changes.get("tiler", self.tiler)))
        knobs = {k: changes.pop(k) for k in list(changes) if k.startswith("tile_")}
        if isinstance(changes.get("operation"), str) and "tiler" not in changes:
            tiler = of_kind(tiler, self.operation, changes["operation"])
        for knob, value in knobs.items():
            tiler = turned(tiler, knob, value)
        if knobs or tiler != parse_tiler(self.tiler):
            changes["tiler"] = spell_tiler(tiler)
        probe = ("i", "j", "element")
        if any(name not in probe for name in changes):
            moved = super().change(**{**changes, "i": 0, "j": 0, "element": 0})
            (down, across), elements = moved.cut.grid, moved.cut.elements
            for name, extent in zip(probe, (down, across, elements), strict=True):
                changes.setdefault(name, min(getattr(self, name), extent - 1))
        return super().change(**changes)

    def controls(self) -> tuple[Control, ...]:
        found = {c.name: c for c in super().controls()}
        spelled = (self.operation, self.layout, self.tiler, self.other)
        example = next((k for k, v in EXAMPLES.items() if v == spelled), "own")
        choices = (*EXAMPLES, "own") if example == "own" else tuple(EXAMPLES)
        (down, across), elements = self.cut.grid, self.cut.elements
        return (
            Control("example", "dropdown", example, "Matrix", "example", choices=choices, tip="tilings to start from"),
            found["operation"],
            found["layout"],
            found["tiler"],
            *self._sliders(),
            found["other"],
            replace(found["i"], hi=down - 1),
            replace(found["j"], hi=across - 1),
            replace(found["element"], hi=elements - 1),
        )

    def _sliders(self) -> list[Control]:
        """A slider for each number of a tiler by mode, and for each extent of a compact layout."""
        matrix = _read(self.layout)
        modes = top_modes(matrix.inner if isinstance(matrix, ComposedLayout) else matrix)
        whole = [size(m) for m in modes] + [16] * 8
        what = "tile" if self.cut.divides else "copies"
        return [
            Control(
                f"tile_{k}",
                "slider",
                n,
                "Tiler",
                f"{what} {k}",
                "elements",
                1,
                max(n, min(64, whole[k]) if what == "tile" else 16),
            )
            for k, n in numbers(parse_tiler(self.tiler))[:4]
        ]

    def probe(self, cell: int) -> dict[str, Any]:
        result = compute(self)
        if not 0 <= cell < len(result.ids):
            raise CuteLabError(f"probe cell {cell} is outside the {len(result.ids)} elements that are drawn")
        tile, element = divmod(int(result.ids[cell]), self.cut.elements)
        down = self.cut.grid[0]
        return {"i": tile % down, "j": tile // down, "element": element}


@lru_cache(maxsize=128)
def _read(said: str) -> Any:
    return parse_layout(said)


@dataclass(frozen=True, eq=False)
class Sheet:
    """The drawn part of a matrix under one tiler.

    rows, columns   the drawn rows and columns
    pair     int64 (R, C): which pair (element + elements·tile) stands in each cell, -1 for none that is followed
    offsets  int64 (R, C): the offset at each cell
    beyond   bool (R, C): outside the matrix (a tile that does not fit reaches there)
    tile     the picked tile; of a second tiler, the tile that holds the picked element (-1: none)
    """

    cut: Cut
    rows: np.ndarray
    columns: np.ndarray
    pair: np.ndarray
    offsets: np.ndarray
    beyond: np.ndarray
    tile: int


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found: the drawn sheets, the picked tile's pairs, and the pairs that a click can reach (`ids`).

    place   row and column of the picked element; offset, where it lies; origin, where its tile begins
    met     the followed pairs: how many places inside the matrix they take, how many beyond it, and how many twice
    """

    params: TilingParams
    sheets: tuple[Sheet, ...]
    ids: np.ndarray
    place: tuple[int, int]
    offset: int
    origin: int
    met: tuple[int, int, int]

    @property
    def cut(self) -> Cut:
        return self.sheets[0].cut

    @property
    def layout(self) -> Any:
        """What the operation returns, or None where it is refused."""
        return self.cut.result

    @property
    def picked(self) -> int:
        """The picked pair."""
        return self.sheets[0].tile * self.cut.elements + self.params.element

    @property
    def probed(self) -> int:
        """The position of the picked pair among `ids`."""
        return int(np.searchsorted(self.ids, self.picked))


@lru_cache(maxsize=8)
def compute(params: TilingParams) -> Result:
    """Which tile does each drawn element belong to? Never allocates what is neither drawn nor near the picked tile."""
    first = params.cut
    tile = params.i + first.grid[0] * params.j
    if first.known is None:
        return _bare(params)
    ids = followed(first, tile, params.element)
    down, across = first.places(ids)
    own = ids[ids // first.elements == tile]
    picked = tile * first.elements + params.element
    spot = tuple(int(x[0]) for x in first.places(np.array([picked])))
    most = tiling_panels.most(first.extent, len(params.cuts), first.layout)
    rows, columns = (
        _window(max(extent, int(met.max()) + 1), at, mine, limit)
        for extent, at, mine, met, limit in zip(
            first.extent, spot, first.places(own), (down, across), most, strict=True
        )
    )
    sheets = [_sheet(first, tile, ids, (down, across), rows, columns)]
    for second in params.cuts[1:]:
        at = int(second.holders(*map(np.array, spot)))
        known = at >= 0
        more = followed(second, at, min(params.element, second.elements - 1)) if known else np.zeros(0, np.int64)
        places = second.places(more) if known else (more, more)
        sheets.append(_sheet(second, at, more, places, rows, columns))
    inside = (down < first.extent[0]) & (across < first.extent[1])
    drawn = sheets[0].pair
    reach = np.unique(np.concatenate([drawn[drawn >= 0], own[:1024], [picked]]))
    offset, origin = (int(v) for v in first.offsets(np.array([picked, tile * first.elements])))
    whole = len(ids) == first.elements * first.count
    twice = len(ids) - len(np.unique(down + (int(down.max()) + 1) * across)) if whole else 0
    met = int(inside.sum()), int((~inside).sum()), twice
    return Result(params, tuple(sheets), reach, spot, offset, origin, met)


def _bare(params: TilingParams) -> Result:
    """Nothing is known of the tiles: the matrix alone."""
    first, none = params.cut, np.zeros(0, np.int64)
    most = tiling_panels.most(first.extent, 1, first.layout)
    rows, columns = np.arange(min(first.extent[0], most[0])), np.arange(min(first.extent[1], most[1]))
    sheets = (_sheet(first, 0, none, (none, none), rows, columns),)
    return Result(params, sheets, np.zeros(1, np.int64), (0, 0), 0, 0, (0, 0, 0))


def _window(extent: int, at: int, mine: np.ndarray, most: int) -> np.ndarray:
    """At most so many rows (or columns) around the picked element, the whole tile if it fits."""
    low, high = int(mine.min()), int(mine.max())
    start = at // most * most
    if high - low < most and not start <= low <= high < start + most:
        start = low
    start = max(0, min(start, extent - most))
    return np.arange(start, min(start + most, extent), dtype=np.int64)


def _sheet(found: Cut, tile: int, ids: np.ndarray, places: Any, rows: np.ndarray, columns: np.ndarray) -> Sheet:
    down, across = places
    pair = np.full((len(rows), len(columns)), -1, np.int64)
    i, j = down - rows[0], across - columns[0]
    here = (i >= 0) & (i < len(rows)) & (j >= 0) & (j < len(columns))
    pair[i[here], j[here]] = ids[here]
    index = rows[:, None] + found.extent[0] * columns
    beyond = np.broadcast_to((rows[:, None] >= found.extent[0]) | (columns >= found.extent[1]), pair.shape)
    offsets = np.zeros(pair.shape, np.int64)
    if found.divides or found.known is None:
        whole = ~beyond
        offsets[whole] = laws.values(found.layout, index[whole])
    if found.known is not None:
        offsets[pair >= 0] = found.offsets(pair[pair >= 0])
    pair.flags.writeable = offsets.flags.writeable = False
    return Sheet(found, rows, columns, pair, offsets, beyond, tile)


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: the matrix in tiles, the picked tile, how to slice it, the verdict."""
    return tiling_panels.picture(result)
