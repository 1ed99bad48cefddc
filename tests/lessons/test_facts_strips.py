"""The numbers that stand in the words of lesson strips are what the library computes."""

import numpy as np
import pytest

from cutelab import StripThreadMap, wavefronts
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.strips.lesson import cost, enough_strips, exact_map, least_pitch, mended_offset
from cutelab.hardware.sectors import sectors


def test_the_predictions():
    assert [find_prediction(f"strips.{x}").answer() for x in "abcde"] == [17, 12, 16, "8", "none"]


def test_the_walk_through_skips_rows_4_to_31():
    article = StripThreadMap(16, 64, 8, 4)
    assert article.rows == (0, 1, 2, 3, 32, 33, 34, 35) and article.get_offset(32) == 512


def test_mended_the_formula_is_the_plain_map_for_every_strips():
    t = np.arange(1024)
    for pitch in (1, 3, 8, 32):
        for strips in (1, 2, 5, 64):
            row = t // pitch
            follows_on = t % pitch + row % strips * 40 + row // strips * (strips * 40)
            assert (follows_on == t % pitch + row * 40).all()
            assert [mended_offset(x, 40, pitch, strips) for x in (0, 31, 500)] == follows_on[[0, 31, 500]].tolist()


def test_what_the_words_say_about_other_strips():
    assert enough_strips(256, 32) == 8
    assert StripThreadMap(32, 256, 32, 4).coords()[128, 1] == 128
    assert StripThreadMap(32, 256, 32, 1).rows[:2] == (0, 32)
    assert not StripThreadMap(32, 256, 32, 32).skipped_rows and StripThreadMap(32, 256, 32, 7).skipped_rows


def test_what_the_words_say_about_other_maps_of_the_tile():
    assert exact_map(128, 8, 16) == (16, 8)
    assert all(StripThreadMap(16, 128, 16, s).coverage((16, 8)).exact for s in (8, 16, 128))
    assert StripThreadMap(16, 128, 16, 4).coords()[64].tolist() == [0, 64]
    assert (
        StripThreadMap(16, 128, 8, 16).rows == tuple(range(16)) and StripThreadMap(16, 128, 8, 4).coords()[32, 1] == 32
    )
    assert StripThreadMap(16, 128, 16, 1).rows[:2] == (0, 16)


def test_sectors_of_the_pitches():
    assert [cost(sectors, 128, p, 32) for p in (1, 2, 4, 8, 16, 32, 64, 128)] == [32, 16, 8, 4, 4, 4, 4, 4]
    assert [cost(sectors, 128, p, 32, 2) for p in (4, 8, 16, 32, 64)] == [8, 4, 2, 2, 2]
    assert (least_pitch(128, 4), least_pitch(128, 2)) == (8, 16)


@pytest.mark.parametrize("row_pitch", [32, 64, 96, 128])
@pytest.mark.parametrize("pitch", [1, 2, 4, 8, 16, 32])
def test_strips_cannot_change_bank_conflicts_where_the_row_is_a_multiple_of_32(row_pitch, pitch):
    assert {cost(wavefronts, row_pitch, pitch, s) for s in (1, 2, 3, 4, 8, 32)} == {32 // pitch}


def test_elsewhere_strips_may_help_or_hurt():
    assert [cost(wavefronts, 36, 4, s) for s in (1, 8)] == [4, 1]
    assert [cost(wavefronts, 33, 8, s) for s in (1, 4)] == [1, 4]


def test_the_right_answers():
    assert [find_exercise(f"strips.{i}").right() for i in (3, 4, 5, 6)] == [8, (16, 8), 16, 8]
