"""Slow, obvious models of CUTLASS's iterators: plain loops over threads and iterations, in the order of the C++ code."""

import itertools
from collections import Counter

from cutelab import CuteLabError
from cutelab.cutlass.thread_map import (
    THREAD_MAPS,
    PitchLinear2DThreadTileStripminedThreadMap,
    PitchLinearStripminedThreadMap,
    PitchLinearWarpRakedThreadMap,
)


def loop_accesses(thread_map, access_elements=None):
    """For each thread the list of (fragment access index, contiguous, strided), visited as PredicatedTileAccessIterator does."""
    it, delta = thread_map.iterations, thread_map.delta
    rows = thread_map.thread_access_shape.strided
    part = access_elements or thread_map.elements_per_access
    vectors = thread_map.elements_per_access // part
    found = []
    for thread in range(thread_map.threads):
        start = thread_map.initial_offset(thread)
        mine = []
        for s in range(it.strided):
            for c in range(it.contiguous):
                for ts in range(rows):
                    for v in range(vectors):
                        index = v + vectors * (ts + rows * (c + it.contiguous * s))
                        contiguous = start.contiguous + c * delta.contiguous + v * part
                        mine.append((index, contiguous, start.strided + s * delta.strided + ts))
        found.append(mine)
    return found


def loop_coverage(thread_map):
    """(times by coordinate inside the tile, touches outside)."""
    times, outside = Counter(), 0
    for mine in loop_accesses(thread_map):
        for _, contiguous, strided in mine:
            for e in range(thread_map.elements_per_access):
                if contiguous + e < thread_map.tile.contiguous and strided < thread_map.tile.strided:
                    times[contiguous + e, strided] += 1
                else:
                    outside += 1
    return times, outside


def loop_walk(thread_map, extent, block_offset, rank):
    """The (contiguous, strided) first elements that an iterator accesses, tile by tile, with its predicates."""
    tile, two_d = thread_map.tile, thread_map.thread_access_shape.strided > 1
    offset, steps = list(block_offset), []
    left = extent[rank] - block_offset[rank]
    tiles = (left + tile[rank] - 1) // tile[rank]
    if two_d:
        last = (left - 1) // tile[rank] * tile[rank]
        bound = list(extent)
        offset[rank] += last
    else:
        residue = left % tile[rank] or tile[rank]
        bound = list(extent)
        bound[rank] = min(block_offset[rank] + residue, extent[rank])
    for n in range(tiles):
        made = []
        for mine in loop_accesses(thread_map):
            for _, contiguous, strided in mine:
                at = (offset[0] + contiguous, offset[1] + strided)
                if n == 0:
                    guard = at[0] < bound[0] and at[1] < bound[1]
                else:
                    guard = at[1 - rank] < extent[1 - rank]
                if guard:
                    made.append(at)
        steps.append(made)
        if n == 0:
            offset[rank] += -last if two_d else residue
        else:
            offset[rank] += tile[rank]
    return steps


def small_maps():
    """Every class over a small complete domain of parameters; what CUTLASS rejects is left out."""
    for c, s, t, e in itertools.product((4, 6, 8, 12, 16), (1, 2, 3, 4, 8), (1, 2, 4, 6, 8, 16), (1, 2, 4)):
        for name, cls in THREAD_MAPS.items():
            wta = [(2, 2), (4, 1), (1, 4)] if "Warp" in name else [(4, 4)] if "2D" in name else [()]
            for extra in wta:
                try:
                    if name.startswith("Transpose"):
                        base = PitchLinearStripminedThreadMap((c, s), t, e)
                        if name.endswith("2DThreadTile"):
                            base = PitchLinear2DThreadTileStripminedThreadMap((c, s), t, (4, 4)) if e == 4 else base
                        if name == "TransposePitchLinearThreadMap":
                            yield cls(PitchLinearWarpRakedThreadMap((c * 4, s), t, (4, 1), e), (2, 2))
                        else:
                            yield cls(base)
                    elif "2D" in name:
                        yield cls((c, s), t, extra)
                    elif extra:
                        yield cls((c, s), t, extra, e)
                    else:
                        yield cls((c, s), t, e)
                except CuteLabError:
                    continue
