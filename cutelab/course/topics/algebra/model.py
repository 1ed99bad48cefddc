"""One operation on layouts, with one coordinate followed through all its maps.

A pair that the operation refuses is a result, too: its points show where the law fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.algebra import laws
from cutelab.core.errors import CuteLabError
from cutelab.course.card.parts.sheet import MOST, Sheet, sheet
from cutelab.course.topics.algebra.chain import Chain, Link
from cutelab.course.topics.algebra.knobs import AlgebraParams

Array = np.ndarray[Any, Any]
MAX_FOLLOWED = 4096  # elements that are all followed through the maps; of more, those that are drawn


@dataclass(frozen=True, eq=False)
class Map:
    """One panel: a map of the law, its drawn cells, its values there, and which followed coordinate meets each cell.

    cell    int (R, C): position in `Result.ids` of the first coordinate that comes here, -1 for none
    at      the 1-D index at which the probe meets this map; value, its offset there
    """

    link: Link
    sheet: Sheet
    values: Array
    cell: Array
    at: int
    value: int


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found: the operation, its maps, and the coordinates (1-D indices of the domain) that are followed."""

    params: AlgebraParams
    chain: Chain
    ids: Array
    maps: tuple[Map, ...]

    @property
    def probed(self) -> int:
        """The position of the probe among the followed coordinates."""
        return int(np.searchsorted(self.ids, self.params.index))

    @property
    def layout(self) -> Any:
        """The result R of the operation, or None where it is refused."""
        return self.chain.result

    @property
    def twins(self) -> Any:
        """The other followed coordinates that a composition sends to the same element of A as the probe."""
        if self.params.operation != "composition":
            return np.zeros(0, np.int64)
        met = self.chain.links[1].index(self.ids)
        same = np.flatnonzero(met == met[self.probed])
        return same[same != self.probed]


def compute(params: AlgebraParams) -> Result:
    """Where does each coordinate go in each map? Never allocates what is not drawn."""
    found = params.chain
    ids = followed(found, params.index)
    most = MOST if found.points is None else 12  # beside the table of points there is less room
    maps = tuple(_map(link, ids, params.index, most) for link in found.links)
    return Result(params, found, ids, maps)


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this probe cell of the picture?"""
    if not 0 <= cell < len(result.ids):
        raise CuteLabError(f"probe cell {cell} is outside the {len(result.ids)} coordinates that are drawn")
    return {"index": int(result.ids[cell])}


def followed(found: Chain, index: int) -> Array:
    """Which coordinates c of the domain are followed through the maps, ascending: all up to 4,096, else those drawn."""
    if found.count <= MAX_FOLLOWED:
        ids = np.arange(found.count, dtype=np.int64)
    else:
        own = next((link for link in found.links if link.before is None), None)
        if own is not None:
            cells = sheet(own.layout.shape, index)
            ids = np.sort(cells.index[cells.inside])
        else:
            start = min(index // MAX_FOLLOWED * MAX_FOLLOWED, found.count - MAX_FOLLOWED)
            ids = np.arange(start, start + MAX_FOLLOWED, dtype=np.int64)
    ids.flags.writeable = False
    return ids


def _map(link: Link, ids: Array, probe: int, most: int) -> Map:
    met = link.index(ids)
    at = int(link.index(np.array([probe], np.int64))[0])
    across = 16 if link.name == "offsets" else 8
    cells = sheet(link.layout.shape, max(at, 0), across=across, reach=int(met.max()) + 1, most=most)
    met, first = np.unique(met, return_index=True)
    place = np.minimum(np.searchsorted(met, cells.index), len(met) - 1)
    cell = np.where((met[place] == cells.index) & cells.inside, first[place], -1)
    drawn = cells.inside & (~cells.beyond | (cell >= 0))
    values = np.zeros(cells.index.shape, np.int64)
    values[drawn] = laws.values(link.layout, cells.index[drawn])
    try:
        value = int(laws.values(link.layout, np.array([at], np.int64))[0])
    except CuteLabError:  # an index below 0 of a layout of several modes
        value = -1
    for array in (values, cell):
        array.flags.writeable = False
    return Map(link, cells, values, cell, at, value)
