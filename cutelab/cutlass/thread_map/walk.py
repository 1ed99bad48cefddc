"""How a predicated tile iterator of CUTLASS 2.x walks a thread map over a matrix: the residue tile first, then whole tiles.

Source: cutlass/transform/threadblock/predicated_tile_access_iterator.h and predicated_tile_access_iterator_2dthreadtile.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.layout import check_table_size
from cutelab.cutlass.pitch_linear import PitchLinearCoord, as_shape, whole_number
from cutelab.cutlass.thread_map.base import ThreadMap

MAX_STEPS = 4096


@dataclass(frozen=True, eq=False)
class TileStep:
    """One tile of the walk.

    origin    where the tile begins in the matrix
    residue   is this the first step, the partial tile with its own predicates?
    accesses  int64 (threads, accesses, 2): contiguous, strided in the matrix, in CUTLASS's order
    active    bool (threads, accesses): the predicate; False is an access that is not made
    """

    origin: PitchLinearCoord
    residue: bool
    accesses: np.ndarray
    active: np.ndarray


def walk_tiles(
    thread_map: ThreadMap,
    extent: Any,
    *,
    block_offset: Any = (0, 0),
    advance_rank: int = 1,
    access_elements: int | None = None,
) -> tuple[TileStep, ...]:
    """Which tiles does an iterator visit over a matrix (contiguous, strided), in which order, and which accesses are masked?

    The first tile is the residue: it begins at the block offset, and its accesses are masked to
    residue = (extent - block_offset) % tile along the advance rank (a whole tile if that is 0). Then the iterator moves on by
    the residue once and by whole tiles afterwards. 2-D thread tiles start with the *last* tile instead, and jump back to the
    first. From the second step on, predicates look only at the other rank. A predicate looks at an access's first element.
    advance_rank: 0 along contiguous, 1 along strided. Raises CuteLabError for a block offset outside the matrix.

    >>> from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap
    >>> steps = walk_tiles(PitchLinearStripminedThreadMap((16, 8), 32), (16, 20))
    >>> [(step.origin.strided, int(step.active.sum())) for step in steps]
    [(0, 64), (4, 128), (12, 128)]
    """
    if not isinstance(thread_map, ThreadMap):
        raise CuteLabError(
            f"walk_tiles needs a thread map, got {shown(thread_map)}; for example PitchLinearStripminedThreadMap((16, 8), 32)"
        )
    tile = thread_map.tile
    size = as_shape(extent, "extent")
    rank = whole_number(advance_rank, "advance_rank", 0, 1)
    if not isinstance(block_offset, tuple | list) or len(block_offset) != 2:
        raise CuteLabError(f"block_offset must be (contiguous, strided), got {shown(block_offset)}; for example (0, 0)")
    start = [whole_number(block_offset[i], "block_offset", 0, size[i] - 1) for i in (0, 1)]
    left, step = size[rank] - start[rank], tile[rank]
    count = -(-left // step)
    if count > MAX_STEPS:
        raise CuteLabError(f"the walk has {count:,} tiles; at most {MAX_STEPS:,} are listed. Use a smaller extent")
    places = thread_map.accesses(access_elements)
    check_table_size(count * places.size, "the walk")

    limit = np.array(size, dtype=np.int64)
    if thread_map.thread_access_shape.strided > 1:
        along = [(count - 1) * step, *range(0, (count - 1) * step, step)]
    else:
        residue = left % step or step
        along = [0, *range(residue, left, step)]
        limit[rank] = min(start[rank] + residue, size[rank])
    steps = []
    for i, distance in enumerate(along):
        origin = np.array(start, dtype=np.int64)
        origin[rank] += distance
        accesses = origin + places
        inside = accesses < (limit if i == 0 else np.array(size, dtype=np.int64))
        active = inside.all(axis=-1) if i == 0 else inside[..., 1 - rank]
        for array in (accesses, active):
            array.flags.writeable = False
        steps.append(TileStep(PitchLinearCoord(*origin.tolist()), i == 0, accesses, active))
    return tuple(steps)
