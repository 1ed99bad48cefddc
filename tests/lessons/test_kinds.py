"""How answers are compared, and what the learner reads about the difference."""

import os
import subprocess
import sys

import numpy as np
import pytest

from cutelab import CuteLabError, Layout
from cutelab.course.ask.functions import RANDOM_INPUTS
from cutelab.course.ask.kinds import Choice, LayoutMap, Value
from cutelab.course.lab.lessons import find_exercise
from cutelab.lessons import check

OFFSET = find_exercise("layout.1")


def test_a_layout_counts_by_what_it_maps():
    for same in (
        "(6,4):(1,6)",
        "(_6,_4):(_1,_6)",
        "((2,3),4):((1,2),6)",
        "Layout<Shape<_6,_4>,Stride<_1,_6>>",
        Layout((6, 4)),
    ):
        assert find_exercise("layout.2").check(same).state == "good"


def test_the_first_difference_of_a_layout_is_named():
    verdict = find_exercise("layout.2").check("(6,4):(1,5)")
    assert "at (0,1): yours 5 (18 of 24" in verdict.second and "right 6" not in verdict.second
    assert "two elements share one place: (0,1) and (5,0) both lie at offset 5" in verdict.sentence
    told = find_exercise("layout.2").check("(6,4):(1,5)", tries=2)
    assert "at (0,1): yours 5, right 6 (18 of 24" in told.second


def test_another_shape_is_named():
    verdict = find_exercise("layout.2").check("(4,4):(1,4)", tries=2)
    assert "has coordinates 4 x 4; the right layout has 6 x 4" in verdict.second


def test_an_unreadable_layout_shows_the_place():
    second = find_exercise("layout.2").check("(6,4:(1,6)").second
    assert "(6,4:(1,6)\n" in second and "^" in second


def test_a_huge_layout_is_refused_before_anything_is_allocated():
    with pytest.raises(CuteLabError, match="far fewer"):
        LayoutMap().read("(1000000,1000000):(1,1000000)")


def test_values_in_other_types_count():
    tuples = Value("tuple")
    assert tuples.read([1, 3]) == tuples.read((np.int64(1), 3)) == tuples.read(np.array([1, 3])) == (1, 3)
    assert Value("tuple", unordered=True).read({11, 3, 7}) == (3, 7, 11)


@pytest.mark.parametrize("odd", [True, 2.5, "12 or 13", (1, 2), 1 + 0j])
def test_a_number_must_be_a_whole_number(odd):
    with pytest.raises(CuteLabError, match="a whole number"):
        Value("int").read(odd)


def test_the_first_difference_of_tuples():
    tuples = Value("tuple")
    assert "number 2 of 3: yours 5." in tuples.diagnose((1, 5, 3), (1, 2, 3), False).where
    assert "number 2 of 3: yours 5, right 2." in tuples.diagnose((1, 5, 3), (1, 2, 3), True).where
    assert "this has 2 entries; 3 are asked for" in tuples.diagnose((1, 2), (1, 2, 3), False).named
    sets = Value("tuple", unordered=True)
    assert sets.diagnose((3, 7, 15), (3, 7, 11), True).where == "In yours, 15 does not belong there and 11 is missing."


@pytest.mark.parametrize("mine", [26, 37, 39, 76, 19, 4 * 38, 1000, 1, 0, -38])
def test_a_single_number_is_not_given_away(mine):
    for told in (False, True):
        found = Value(unit="sectors").diagnose(mine, 38, told)
        assert "38" not in f"{found.named} {found.where}".replace(str(mine), "")
        assert ("larger" in found.where or "smaller" in found.where) == told


def test_a_choice_is_answered_by_key_or_text():
    choice = Choice((("a", "Row-major"), ("b", "column-major")))
    assert choice.read(" A ") == choice.read("row-major") == "a"
    lines = Choice.of("t(2, 3)", "t(_, make_coord(2,3))")
    for said in ("t(_,make_coord(2,3))", "t(_, make_coord(2, 3))", " t( _ , make_coord(2,\n3) ) "):
        assert lines.read(said) == "t(_, make_coord(2,3))"


def test_the_first_failing_input_is_named_yours_against_right():
    verdict = OFFSET.check(lambda row, col, rows, cols: row * rows + col + 0 * cols)
    assert "For row = 1, col = 0, rows = 4, cols = 2: yours 4, right 2" in verdict.second


def test_a_function_that_knows_only_the_edges_fails_on_random_inputs():
    table = {args: OFFSET.right(*args) for args in OFFSET.kind.edges}
    verdict = OFFSET.check(lambda *args: table.get(args, 0))
    assert verdict.state == "bad"


def test_random_inputs_are_seeded_and_many():
    kind = OFFSET.kind
    assert kind.inputs("layout.1/0") == kind.inputs("layout.1/0") != kind.inputs("layout.1/1")
    drawn = kind.inputs("layout.1/0")[len(kind.edges) :]
    assert len(drawn) == RANDOM_INPUTS and len(set(drawn)) > RANDOM_INPUTS // 2
    assert all(0 <= row < rows and 0 <= col < cols for row, col, rows, cols in drawn)


def test_random_inputs_are_equal_in_every_process():
    code = "from cutelab.course.lab.lessons import find_exercise; print(find_exercise('layout.1').kind.inputs('layout.1/0'))"
    env = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    shown = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert shown.strip() == str(OFFSET.kind.inputs("layout.1/0"))


def test_each_try_draws_new_inputs(monkeypatch):
    seen = []

    def offset(row, col, rows, cols):
        seen.append((row, col, rows, cols))
        return 0

    check("layout.1", offset)
    first, seen = list(seen), []
    check("layout.1", offset)
    assert first and seen and first != seen


def test_an_exception_becomes_a_sentence_with_its_line():
    def offset(row, col, rows, cols):
        here = {}
        return here[row]

    verdict = OFFSET.check(offset)
    line = offset.__code__.co_firstlineno + 2
    assert "For row = 0, col = 0" in verdict.second
    assert f"your function stops with KeyError: 0 in line {line}, `return here[row]`" in verdict.second


def test_endless_recursion_and_exit_become_sentences():
    def deep(row, col, rows, cols):
        return deep(row, col, rows, cols)

    def leave(row, col, rows, cols):
        raise SystemExit(3)

    assert "RecursionError" in OFFSET.check(deep).second
    assert "SystemExit" in OFFSET.check(leave).second


def test_empty_bodies_are_not_answered_yet():
    def dots(row, col, rows, cols): ...

    def documented(row, col, rows, cols):
        """The offset."""

    def returns_dots(row, col, rows, cols):
        return ...

    for starter in (dots, documented, returns_dots):
        assert OFFSET.check(starter).state == "note"


def test_a_missing_return_is_named():
    def offset(row, col, rows, cols):
        row * cols + col

    assert "is the `return` missing?" in OFFSET.check(offset).second


def test_a_float_is_told_to_divide_whole():
    halves = find_exercise("coalescing.5").check(lambda stride, size: stride * size / 64)
    assert "Divide with //" in halves.second or "divide with //" in halves.sentence
    assert OFFSET.check(lambda row, col, rows, cols: float(row * cols + col)).state == "good"


def test_calls_and_wrong_parameters_are_explained():
    assert "without calling it" in OFFSET.check(7).second
    assert (
        "must take 4 arguments, (row, col, rows, cols); yours takes (row, col)"
        in OFFSET.check(lambda row, col: 0).second
    )


def test_a_float_that_is_whole_counts_as_a_number():
    assert Value().read(634.0) == 634 and Value().read(np.float32(8)) == 8
    assert Value("tuple", nested=True).read((1268.0, [np.float64(634), 2])) == (1268, (634, 2))
    assert Value("tuple").read(np.array([3.0, 4.0])) == (3, 4)
    assert Value("tuple", unordered=True).read({2.0, 1}) == (1, 2)
    for odd in (2.5, float("nan"), float("inf"), True):
        with pytest.raises(CuteLabError, match="whole number"):
            Value().read(odd)
    with pytest.raises(CuteLabError, match="whole numbers in brackets"):
        Value("tuple").read((1.0, 2.5))


@pytest.mark.parametrize(
    "said", ["Sw<2,3,3>", "Swizzle<2, 3, 3>", "Swizzle<2,3,3>{}", "S<2,3,3>", "(2, 3, 3)", "2 3 3"]
)
def test_the_numbers_of_a_swizzle_may_be_written_as_cute_prints_them(said):
    assert Value("tuple", example="(1, 2, 5)", parts=("B", "M", "S")).read(said) == (2, 3, 3)
    with pytest.raises(CuteLabError):
        Value("tuple", example="(1, 2, 5)", parts=("B", "M", "S")).read("Sw<2,3>")
