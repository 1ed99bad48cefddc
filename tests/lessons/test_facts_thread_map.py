"""The numbers that stand in the words of lesson thread_map are what the library computes."""

import pytest

from cutelab import (
    PitchLinearStripminedThreadMap,
    PitchLinearWarpRakedThreadMap,
    PitchLinearWarpStripedThreadMap,
    StripThreadMap,
    parse_thread_map,
)
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.thread_map.lesson import FOUR, MISSING, touched


def test_the_predictions():
    assert [find_prediction(f"thread_map.{x}").answer() for x in "abcd"] == [4, "8 to 15", "past", 512]
    assert PitchLinearStripminedThreadMap((16, 8), 16).accesses_per_thread == 8
    striped = PitchLinearWarpStripedThreadMap((64, 32), 128, (8, 4), 8)
    lines = set(striped.accesses()[32:64, :, 1].ravel().tolist())
    assert lines == {4, 5, 6, 7, 20, 21, 22, 23}


def test_the_map_that_misses_four_lines():
    found = parse_thread_map(MISSING)
    assert found.coverage().uncovered == 4 * 64 and (found.warp_accesses.count, found.warps) == (3, 2)
    assert find_exercise("thread_map.2").check(MISSING.replace(" 64,", " 32,")).state == "good"
    assert find_exercise("thread_map.2").check(MISSING.replace(" 64,", " 96,")).state == "good"
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


def by_hand(text):
    """(thread, access) -> offset of a layout, its modes counted by hand."""
    shape, stride = text
    (lanes, rows, warps), accesses = shape
    (a, b, c), d = stride
    return [
        [t % lanes * a + t // lanes % rows * b + t // lanes // rows * c + d * n for n in range(accesses)]
        for t in range(lanes * rows * warps)
    ]


def test_thread_maps_are_layouts():
    raked = PitchLinearWarpRakedThreadMap((64, 32), 128, (8, 4), 8).accesses()
    striped = PitchLinearWarpStripedThreadMap((64, 32), 128, (8, 4), 8).accesses()
    assert (raked @ [1, 64]).tolist() == by_hand((((8, 4, 4), 2), ((8, 64, 512), 256)))
    assert (striped @ [1, 64]).tolist() == by_hand((((8, 4, 4), 2), ((8, 64, 256), 1024)))
    stripmined = PitchLinearStripminedThreadMap((16, 8), 32).accesses()
    assert (stripmined @ [1, 16]).tolist() == by_hand((((16, 2, 1), 4), ((1, 16, 0), 32)))


def test_the_strip_formula_is_a_layout():
    offset = [t % 8 + t // 8 % 4 * 16 + t // 8 // 4 * (8 * 4 * 16) for t in range(64)]
    assert offset == [row[0] for row in by_hand((((8, 4, 2), 1), ((1, 16, 512), 0)))]
    assert StripThreadMap(16, 64, 8, 4).offsets().tolist() == offset
