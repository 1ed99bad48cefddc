"""The numbers that stand in the words of notebook 02's exercises and predictions are what the library computes."""

import numpy as np

from cutelab import WarpAccess, parse_layout, sectors
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.coalescing.lesson import aligned_pitch, strided, vector_against_scalar


def of_row(layout, row):
    return sectors(WarpAccess(np.array([4 * parse_layout(layout)(row, lane) for lane in range(32)]), 4))


def test_the_predictions():
    assert [find_prediction(f"02.{x}").answer() for x in "abcd"] == [8, "16", "5", "b"]
    every_second = sectors(WarpAccess(8 * np.arange(32), 4))
    assert every_second.lines == 2 and every_second.efficiency == 0.5
    assert of_row("(4,32):(32,1)", 0).count == 4
    late = WarpAccess(4 + 4 * np.arange(32), 4)
    assert late.byte_address[31] == 128 and (sectors(late).sector == 4).sum() == 1
    wide = sectors(WarpAccess(16 * np.arange(32), 16))
    assert (wide.lines, wide.used_bytes, wide.efficiency) == (4, 512, 1.0)


def test_a_stride_of_six():
    found = sectors(WarpAccess(24 * np.arange(32), 4))
    assert (found.count, found.lines, found.sector[31], 31 * 24) == (24, 6, 23, 744)


def test_the_layouts_that_do_not_coalesce():
    assert {of_row("(16,64):(64,1)", r).count for r in range(16)} == {4}
    assert {of_row("(16,64):(1,16)", r).count for r in range(16)} == {32}
    assert [of_row("(16,64):(65,1)", r).count for r in range(16)].count(5) == 14


def test_the_pitch_of_rows():
    def row(pitch, r):
        return sectors(WarpAccess(4 * (pitch * r + np.arange(32)), 4)).count

    assert [row(100, r) for r in range(4)] == [4, 5, 4, 5]
    works = [pitch for pitch in range(101, 129) if all(row(pitch, r) == 4 for r in range(8))]
    assert works == [104, 112, 120, 128] and aligned_pitch(100, 4) == 104
    assert [pitch * 4 for pitch in (100, 101, 102, 108)] == [400, 404, 408, 432] and round(100 * 4 / 100) == 4
    assert 104 * 4 == 13 * 32


def test_wide_against_narrow():
    assert vector_against_scalar() == (16, 16)


def test_the_rule_for_strides():
    right = find_exercise("02.5")
    assert right.check(lambda stride, size: min(32, stride * size)).state == "good"
    assert all(strided(k, size) == min(32, k * size) for k in range(1, 80) for size in (1, 2, 4, 8, 16))
