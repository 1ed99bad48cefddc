"""The numbers in the words of lesson 04, banks, are what the library computes."""

import numpy as np

from cutelab import CuteLabError, WarpAccess, wavefronts
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.banks.lesson import PIECES, ways

LANES = np.arange(32)


def pieces(pitch):
    """Wavefronts of the 16-byte loads of exercise 03.4."""
    return wavefronts(WarpAccess((PIECES.row[0] * pitch + PIECES.col[0]) * 2, 16)).count


def test_the_predictions():
    assert [find_prediction(f"03.{x}").answer() for x in "abc"] == [8, 32, "4"]
    assert (ways(16), ways(34), ways(31)) == (16, 2, 1)
    assert {8 * row % 32 for row in range(32)} == {0, 8, 16, 24}


def test_the_wide_pitch():
    assert find_exercise("03.4").right() == 72
    assert (pieces(64), pieces(72)) == (32, 4) and pieces(80) == 8 and 4 * 80 * 2 % 128 == 0
    for pitch, start in ((65, 130), (66, 132), (68, 136)):
        assert pitch * 2 == start
        try:
            pieces(pitch)
        except CuteLabError as error:
            assert str(start) in str(error) or "multiple of 16" in str(error)
        else:
            raise AssertionError(f"pitch {pitch} is not aligned")


def test_padding_that_hurts():
    assert find_exercise("03.5").right() == (23, 31, 63)
    assert [(ways(n), ways(n + 1)) for n in (16, 23, 31, 40, 63)] == [(16, 1), (1, 8), (1, 32), (8, 1), (1, 32)]
    assert all(ways(n) == 1 for n in range(1, 100, 2))


def test_a_wide_contiguous_load():
    result = wavefronts(WarpAccess(LANES * 16, 16))
    assert (result.count, result.ideal, result.ways) == (4, 4, 1)
    assert all(len(set(result.banks[g : g + 8].ravel())) == 32 for g in range(0, 32, 8))
