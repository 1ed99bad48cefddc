"""The walk of a tile iterator over a matrix, against plain loops written like the C++ iterator."""

import numpy as np
import pytest
from thread_map_oracle import loop_walk

from cutelab import CuteLabError
from cutelab.cutlass.thread_map import (
    PitchLinear2DThreadTileStripminedThreadMap,
    PitchLinearStripminedThreadMap,
    PitchLinearWarpRakedThreadMap,
    walk_tiles,
)


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("extent", [(16, 8), (20, 12), (33, 17), (5, 3), (64, 8)])
@pytest.mark.parametrize("block_offset", [(0, 0), (4, 2)])
@pytest.mark.parametrize(
    "found",
    [
        PitchLinearStripminedThreadMap((16, 8), 32, 1),
        PitchLinearStripminedThreadMap((16, 5), 32, 1),
        PitchLinearWarpRakedThreadMap((16, 8), 16, (4, 2), 2),
        PitchLinear2DThreadTileStripminedThreadMap((16, 8), 8, (4, 4)),
    ],
    ids=str,
)
def test_walk_is_the_loop_of_the_iterator(found, extent, block_offset, rank):
    steps = walk_tiles(found, extent, block_offset=block_offset, advance_rank=rank)
    made = [[tuple(at) for at in step.accesses[step.active].tolist()] for step in steps]
    assert made == loop_walk(found, extent, block_offset, rank)
    assert [step.residue for step in steps] == [True] + [False] * (len(steps) - 1)


@pytest.mark.parametrize("rank", [0, 1])
def test_law_a_walk_with_a_right_map_touches_each_element_once(rank):
    for found in (
        PitchLinearStripminedThreadMap((16, 8), 32, 2),
        PitchLinear2DThreadTileStripminedThreadMap((64, 32), 64, (4, 4)),
    ):
        assert found.coverage().exact
        width, height = (found.tile.contiguous, 44) if rank else (92, found.tile.strided)
        touched = np.zeros((width, height), int)
        for step in walk_tiles(found, (width, height), advance_rank=rank):
            for e in range(found.elements_per_access):
                at = step.accesses[step.active]
                np.add.at(touched, (at[:, 0] + e, at[:, 1]), 1)
        assert (touched == 1).all()


@pytest.mark.parametrize(
    ("extent", "options", "word"),
    [
        ((16, 8), {"block_offset": (0, 8)}, "block_offset must be from 0 to 7"),
        ((16, 8), {"block_offset": 3}, "block_offset must be"),
        ((16, 8), {"advance_rank": 2}, "advance_rank must be from 0 to 1"),
        ((16, 0), {}, "both extents must be 1 or more"),
        ((16, 10**6), {}, "at most 4,096 are listed"),
        ((16, 8), {"access_elements": 2}, "access_elements must be from 1 to 1"),
    ],
)
def test_bad_input_is_one_clear_sentence(extent, options, word):
    with pytest.raises(CuteLabError, match=word):
        walk_tiles(PitchLinearStripminedThreadMap((16, 8), 32), extent, **options)
