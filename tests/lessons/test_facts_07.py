"""The numbers that stand in the words of notebook 07's exercises are what the library computes."""

import itertools

import numpy as np

from cutelab import Layout, composition, holes, max_common_vector, offsets
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.algebra.lesson import (
    BY_THREE,
    GLOBAL,
    PADDED,
    SHARED,
    THREADS,
    THREE_MODES,
    UNCHECKED,
    admitted,
)


def test_the_rule_by_hand_is_the_librarys():
    names = {}
    exec(find_exercise("07.3").solution, names)
    for n, d, s in itertools.product(range(2, 20), range(1, 40), range(2, 20)):
        assert names["admitted"](n, d, s) == admitted(n, d, s), (n, d, s)


def test_what_cxx_checks_is_not_enough():
    checks = find_exercise("07.3").wrong[3].answer
    assert checks(4, 5, 8) and not admitted(4, 5, 8)
    assert all(
        checks(n, d, s) or not admitted(n, d, s)
        for n, d, s in itertools.product(range(2, 9), range(1, 20), range(2, 12))
    )


def test_the_silent_composition():
    a, b, r = (offsets(x).ravel(order="F") for x in (THREE_MODES, BY_THREE, UNCHECKED))
    assert a[b].tolist() == [0, 6, 7, 8, 9, 15] and r.tolist() == [0, 6, 3, 9, 6, 12]
    assert find_exercise("07.4").right() == 2


def test_predictions_and_padding():
    assert [find_prediction(f"07.{x}").answer() for x in "abc"] == ["5:8", "refused", "0"]
    assert np.diff([PADDED(i) for i in (0, 12, 24, 36)]).tolist() == [13, 14, 13] and PADDED(12) == 13
    assert holes(PADDED).size == 7
    assert str(composition(PADDED, THREADS)) == "((4,8),2):((18,1),9)"


def test_the_copy():
    assert max_common_vector(SHARED, GLOBAL) == 4
    assert SHARED(0, 4) - SHARED(0, 0) == 32 and sorted(offsets(SHARED)[:, :4].ravel()) == list(range(32))


def test_every_second_row():
    assert composition(Layout((8, 4), (4, 1)), Layout((4, 4), (2, 8))) == Layout((4, 4), (8, 1))
