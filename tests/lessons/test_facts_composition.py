"""The numbers that stand in lessons composition and inverse are right: mostly by brute force, without the library."""

import itertools

import numpy as np
import pytest

from cutelab import CuteLabError, Layout, composition, holes, left_inverse, max_common_vector, offsets, right_inverse
from cutelab.algebra import layout_of
from cutelab.algebra.exact import find_layout
from cutelab.course.ask.ids import canonical
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.composition.lesson import (
    BY_THREE,
    MEMORY,
    PADDED,
    SELECTED,
    THREADS,
    THREE_MODES,
    UNCHECKED,
    admitted,
)
from cutelab.course.topics.inverse.lesson import GLOBAL, SHARED, STRIDED


def at(shape, stride, index):
    """Offset of a layout of two plain modes at a 1-D index."""
    return index % shape[0] * stride[0] + index // shape[0] * stride[1]


def test_old_names_lead_to_the_new_lessons():
    assert [canonical(f"07.{x}") for x in "ac14"] == [f"composition.{x}" for x in "ac14"]
    assert canonical("07.5") == canonical("algebra.5") == "inverse.4" and canonical("algebra.a+3") == "composition.a+3"
    assert find_exercise("07.5").id == "inverse.4" and find_prediction("algebra.b").id == "composition.b"


@pytest.mark.long
def test_the_rule_by_hand_is_the_librarys():
    names = {}
    exec(find_exercise("composition.3").solution, names)
    for n, d, s in itertools.product(range(2, 20), range(1, 40), range(2, 20)):
        assert names["admitted"](n, d, s) == admitted(n, d, s), (n, d, s)


def test_what_cxx_checks_is_not_enough():
    checks = find_exercise("composition.3").wrong[3].answer
    assert checks(4, 5, 8) and not admitted(4, 5, 8)
    assert all(
        checks(n, d, s) or not admitted(n, d, s)
        for n, d, s in itertools.product(range(2, 9), range(1, 20), range(2, 12))
    )


def test_the_silent_compositions():
    a, b, r = (offsets(x).ravel(order="F") for x in (THREE_MODES, BY_THREE, UNCHECKED))
    assert a[b].tolist() == [0, 6, 7, 8, 9, 15] and r.tolist() == [0, 6, 3, 9, 6, 12]
    assert find_exercise("composition.4").right() == 2
    assert [at((8, 4), (2, 20), 3 * c) for c in range(6)] == [0, 6, 12, 22, 28, 34]
    with pytest.raises(CuteLabError, match=r"C\+\+ returns \(3,2\):\(6,20\); at coordinate 3"):
        composition(Layout((8, 4), (2, 20)), Layout(6, 3))


@pytest.mark.parametrize(("b", "exact"), [("8:9", "8:10"), ("4:12", "(2,2):(13,27)"), ("12:1", None)])
def test_a_stop_is_sufficient_and_not_necessary(b, exact):
    n, d = map(int, b.split(":"))
    numbers = [at((8, 8), (1, 9), d * c) for c in range(n)]
    with pytest.raises(CuteLabError):
        composition(PADDED, Layout(n, d))
    if exact is None:
        with pytest.raises(CuteLabError):
            layout_of(numbers)
    else:
        assert str(layout_of(numbers)) == exact


def test_what_the_table_says_about_layouts_that_exist():
    """How often is there a layout although composition refuses? Over all small A of two modes, and B inside A."""
    seen = {"stride div": set(), "shape div": set(), "does not hold": set()}
    for s0, s1, e, n, d in itertools.product(range(2, 6), range(2, 6), range(1, 9), range(2, 9), range(1, 9)):
        if (n - 1) * d < s0 * s1:
            try:
                composition(Layout((s0, s1), (1, e)), Layout(n, d))
            except CuteLabError as error:
                rule = next(rule for rule in seen if rule in str(error))
                numbers = [at((s0, s1), (1, e), d * c) for c in range(n)]
                seen[rule].add(find_layout(np.array(numbers), n) is not None)
    assert seen == {"stride div": {True, False}, "shape div": {False}, "does not hold": {True, False}}


def test_predictions_and_padding():
    assert [find_prediction(f"composition.{x}").answer() for x in "abcd"] == ["5:8", "refused", "0", 28]
    assert [PADDED(i) for i in (12, 24, 36)] == [13, 27, 40] and holes(PADDED).size == 7
    assert str(composition(PADDED, THREADS)) == "((4,8),2):((18,1),9)"


def test_the_order():
    assert str(composition(SELECTED, MEMORY)) == "(4,4):(8,1)" and str(composition(MEMORY, SELECTED)) == "(4,2):(4,2)"


def test_every_second_row():
    assert composition(Layout((8, 4), (4, 1)), Layout((4, 4), (2, 8))) == Layout((4, 4), (8, 1))


def test_inverses():
    assert [find_prediction(f"inverse.{x}").answer() for x in "abc"] == [9, "6", "1"]
    for shape, stride in (((4, 8), (8, 1)), ((3, 5), (5, 1)), ((6, 4), (4, 1))):
        back = right_inverse(Layout(shape, stride))
        assert [at(shape, stride, back(i)) for i in range(shape[0] * shape[1])] == list(range(shape[0] * shape[1]))
    undo = left_inverse(Layout((2, 2), (1, 3)))
    assert str(undo) == "(3,2):(1,2)" and [undo(i) for i in range(6)] == [0, 1, 2, 2, 3, 4]
    assert left_inverse(STRIDED)(18) == 8 and STRIDED(8) == 18


def test_the_copy():
    assert max_common_vector(SHARED, GLOBAL) == 4
    assert SHARED(0, 4) - SHARED(0, 0) == 32 and sorted(offsets(SHARED)[:, :4].ravel()) == list(range(32))
    assert np.array_equal(offsets(Layout((2, 2, 2), (1, 2, 4))).ravel(order="F"), np.arange(8))
