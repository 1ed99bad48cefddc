"""A matrix cut into tiles, or made of copies of a block, with one tile picked and sliced.

A tiler that the operation refuses still shows its tiles: what is missing is a layout for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.algebra import laws
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import AnyLayout, Layout, cosize
from cutelab.course.topics.tiling.cut import Cut, followed
from cutelab.course.topics.tiling.knobs import TilingParams

Array = np.ndarray[Any, Any]
WIDE = 16  # columns up to which the tile stands beside the matrix; more: below it


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
    rows: Array
    columns: Array
    pair: Array
    offsets: Array
    beyond: Array
    tile: int


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found: the drawn sheets, the picked tile's pairs, and the pairs that a click can reach (`ids`).

    place   row and column of the picked element; offset, where it lies; origin, where its tile begins
    met     the followed pairs: how many places inside the matrix they take, how many beyond it, and how many twice
    """

    params: TilingParams
    sheets: tuple[Sheet, ...]
    ids: Array
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
    at_row, at_column = first.places(np.array([picked]))
    spot = int(at_row[0]), int(at_column[0])
    limits = most_drawn(first.extent, len(params.cuts), first.layout)
    rows, columns = (
        _window(max(extent, int(met.max()) + 1), at, mine, limit)
        for extent, at, mine, met, limit in zip(
            first.extent, spot, first.places(own), (down, across), limits, strict=True
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


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this probe cell of the picture?"""
    if not 0 <= cell < len(result.ids):
        raise CuteLabError(f"probe cell {cell} is outside the {len(result.ids)} elements that are drawn")
    tile, element = divmod(int(result.ids[cell]), result.cut.elements)
    down = result.cut.grid[0]
    return {"i": tile % down, "j": tile // down, "element": element}


def most_drawn(extent: tuple[int, int], sheets: int, layout: AnyLayout) -> tuple[int, int]:
    """How many rows and columns of a matrix are drawn? Fewer columns where the offsets have four digits and more.

    >>> most_drawn((128, 128), 1, Layout((128, 128))), most_drawn((8, 64), 2, Layout((8, 64)))
    ((16, 24), (20, 16))
    """
    if sheets > 1 or extent[1] <= WIDE:
        return 20, WIDE
    inner = layout if isinstance(layout, Layout) else layout.inner
    return 16, 24 if cosize(inner) > 1000 else 32


def _bare(params: TilingParams) -> Result:
    """Nothing is known of the tiles: the matrix alone."""
    first, none = params.cut, np.zeros(0, np.int64)
    limits = most_drawn(first.extent, 1, first.layout)
    rows, columns = np.arange(min(first.extent[0], limits[0])), np.arange(min(first.extent[1], limits[1]))
    sheets = (_sheet(first, 0, none, (none, none), rows, columns),)
    return Result(params, sheets, np.zeros(1, np.int64), (0, 0), 0, 0, (0, 0, 0))


def _window(extent: int, at: int, mine: Array, most: int) -> Array:
    """At most so many rows (or columns) around the picked element, the whole tile if it fits."""
    low, high = int(mine.min()), int(mine.max())
    start = at // most * most
    if high - low < most and not start <= low <= high < start + most:
        start = low
    start = max(0, min(start, extent - most))
    return np.arange(start, min(start + most, extent), dtype=np.int64)


def _sheet(found: Cut, tile: int, ids: Array, places: Any, rows: Array, columns: Array) -> Sheet:
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
