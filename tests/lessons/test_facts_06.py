"""The numbers that stand in the words of notebook 06 are what the library computes."""

import pytest

from cutelab import (
    PitchLinearStripminedThreadMap,
    PitchLinearWarpRakedThreadMap,
    PitchLinearWarpStripedThreadMap,
    parse_thread_map,
)
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.thread_map.lesson import FOUR, MISSING, touched


def test_the_predictions():
    assert [find_prediction(f"06.{x}").answer() for x in "abc"] == [4, "8 to 15", "past"]
    assert PitchLinearStripminedThreadMap((16, 8), 16).accesses_per_thread == 8
    striped = PitchLinearWarpStripedThreadMap((64, 32), 128, (8, 4), 8)
    lines = set(striped.accesses()[32:64, :, 1].ravel().tolist())
    assert lines == {4, 5, 6, 7, 20, 21, 22, 23}


def test_the_map_that_misses_four_lines():
    found = parse_thread_map(MISSING)
    assert found.coverage().uncovered == 4 * 64 and (found.warp_accesses.count, found.warps) == (3, 2)
    assert find_exercise("06.2").check(MISSING.replace(" 64,", " 32,")).state == "good"
    assert find_exercise("06.2").check(MISSING.replace(" 64,", " 96,")).state == "good"
    assert parse_thread_map(MISSING.replace(" 64,", " 128,")).initial_offset(96).strided == 12


@pytest.mark.parametrize("key", FOUR)
def test_one_of_four_is_faulty(key):
    found = parse_thread_map(FOUR[key])
    assert found.coverage().exact == (key != "c")
    if key == "c":
        assert found.coverage().missed[:, 1].min() == 16 and found.warp_accesses.count == 6
    if key == "b":
        assert found.warp_accesses.count == 6 and found.warps == 3


def test_where_thread_77_goes():
    raked = PitchLinearWarpRakedThreadMap((64, 32), 128, (8, 4), 8)
    assert (tuple(raked.iterations), tuple(raked.delta)) == ((1, 2), (64, 4))
    assert touched(77, 1) == (40, 21) and touched(77, 0) == (40, 17) and touched(13, 1) == (40, 5)
    striped = PitchLinearWarpStripedThreadMap((64, 32), 128, (8, 4), 8)
    assert striped.accesses()[77, 1].tolist() == [40, 25]
