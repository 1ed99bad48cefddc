"""Which thread of a CUTLASS 2.x thread map touches which element of a tile, and what that costs. One path for all classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.topics.thread_map.cost import Side, side
from cutelab.course.topics.thread_map.knobs import ThreadMapParams, tile_of
from cutelab.course.topics.thread_map.typed import fits, shared_offsets


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found: one `Side` for each map, first the map itself, then `other`."""

    params: ThreadMapParams
    sides: tuple[Side, ...]


def compute(params: ThreadMapParams) -> Result:
    """Who touches what, in which order, and what does each access of each warp cost?"""
    sides = []
    for found in params.maps:
        tile = tile_of(found, params.thread_map.tile)
        shared = shared_offsets(params.shared, tile) if fits(params.shared, tile) else None
        sides.append(side(found, tile, (params.thread, params.access), params.item, params.ld, shared, params.chip))
    return Result(params, tuple(sides))


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this probe cell of the picture? None where nobody comes."""
    for part in result.sides:
        if 0 <= cell < part.owner.size:
            owner = int(part.owner.ravel()[cell])
            return {"thread": owner, "access": int(part.turn.ravel()[cell])} if owner >= 0 else {}
        cell -= part.owner.size
    raise CuteLabError("this probe cell is outside the cells that are drawn")
