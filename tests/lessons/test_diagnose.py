"""What a wrong answer is told where nobody foresaw it: the cause by name, and never a cause that is not there."""

import random

import numpy as np
import pytest

from cutelab import CuteLabError, Layout, Swizzle
from cutelab.course.ask.diagnose import name_number, of_number
from cutelab.course.ask.kinds import LayoutMap, Value
from cutelab.course.ask.reading import read_labelled
from cutelab.course.ask.trials import Reading, name_function
from cutelab.course.lab.lessons import find_exercise, find_prediction, lessons
from cutelab.lessons import check, predict
from tests.every import every

NAMES = ("row", "col", "rows", "cols")
INPUTS = [
    (r, c, rows, cols) for rows, cols in ((4, 8), (6, 5), (3, 16)) for r in range(rows) for c in range(0, cols, 2)
]


def right(row, col, rows, cols):
    return row * cols + col


def told(function, good=right, names=NAMES, inputs=INPUTS, parts=()):
    rows = tuple((args, function(*args)) for args in inputs)
    return name_function(rows, Reading(tuple((args, good(*args)) for args in inputs), good), names, parts)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda r, c, rows, cols: c * cols + r, "right with row and col in each other's place"),
        (lambda r, c, rows, cols: r * rows + c, "right with rows in the place of cols"),
        (lambda r, c, rows, cols: r * 8 + c, "takes 8 for cols"),
        (lambda r, c, rows, cols: 4 * (r * cols + c), "4 times too large: is it in another unit, bytes"),
        (lambda r, c, rows, cols: r * cols + c + 1, "one too large"),
        (lambda r, c, rows, cols: (r - 1) * cols + c - 1, "row and col one less: places are counted from 0"),
        (lambda r, c, rows, cols: r * cols, "leaves col out"),
        (lambda r, c, rows, cols: r * cols + 2 * c, "too large by col"),
        (lambda r, c, rows, cols: r * cols + c + rows, "too large by rows"),
        (lambda r, c, rows, cols: 7, "always returns 7"),
        (lambda r, c, rows, cols: (r * cols + c) % 16, "modulo 16"),
        (lambda r, c, rows, cols: (r, c), "returns several numbers"),
        (lambda r, c, rows, cols: str(r * cols + c), "returns texts"),
        (lambda r, c, rows, cols: r * cols + c if r else 0, "only where row = 0"),
        (lambda r, c, rows, cols: r * cols + c if rows != 6 else 99, "goes wrong"),
        (
            lambda r, c, rows, cols: r * rows + c + 1,
            "two things at once: every result is one too large; and without that",
        ),
        (lambda r, c, rows, cols: rows * cols - (r * cols + c), "counts from the other end"),
    ],
)
def test_the_cause_is_named(function, words):
    assert words in told(function)


@pytest.mark.long
def test_what_is_named_is_true():
    """Of random faults: where a place, a factor or a part is named, mending it gives the right function."""
    draw = random.Random(3)
    for _ in range(300):
        k, m, n, p = (draw.choice((0, 1, 2, 4)) for _ in range(4))

        def fault(r, c, rows, cols, k=k, m=m, n=n, p=p):
            return k * r * cols + m * c + n * r + p

        words = told(fault)
        gaps = [fault(*args) - right(*args) for args in INPUTS]
        if not any(gaps):
            continue
        for i, name in enumerate(NAMES):
            if f"too large by {name}:" in words:
                assert gaps == [args[i] for args in INPUTS]
            if f"too small by {name}:" in words:
                assert gaps == [-args[i] for args in INPUTS]
        if "one too large" in words:
            assert set(gaps) == {1}
        if "times too large" in words:
            factor = int(words.split(" times too large")[0].rpartition(" ")[2])
            assert all(fault(*a) == factor * right(*a) for a in INPUTS)


def test_tuples_and_truth():
    pair = {"names": ("m", "n"), "inputs": [(m, n) for m in range(8) for n in range(8)], "parts": ("thread", "value")}

    def owner(m, n):
        return 4 * m + n // 2, n % 2

    assert "the order is the other way round" in told(lambda m, n: owner(m, n)[::-1], owner, **pair)
    assert "only the thread" in told(lambda m, n: owner(m, n)[0], owner, **pair)
    assert "the thread is always right, the value is not" in told(lambda m, n: (4 * m + n // 2, n // 4), owner, **pair)
    assert "with m and n in each other's place" in told(lambda m, n: owner(n, m), owner, **pair)
    rule = {"names": ("n", "d"), "inputs": [(n, d) for n in range(1, 9) for d in range(1, 9)]}
    assert "admits too much" in told(lambda n, d: True if d > 4 else n % d == 0, lambda n, d: n % d == 0, **rule)
    assert "admits too little" in told(lambda n, d: n == d, lambda n, d: n % d == 0, **rule)
    assert "always says True" in told(lambda n, d: True, lambda n, d: n % d == 0, **rule)
    assert "changed places" in told(lambda n, d: n % d != 0, lambda n, d: n % d == 0, **rule)


def test_numbers_by_the_questions_own_quantities():
    given = (("rows", 4), ("columns", 8))
    assert "rows plus columns" in name_number(12, 40, given) and "number of rows alone" in name_number(4, 40, given)
    assert "rows times columns" in name_number(32, 40, given)
    assert "power of two" in name_number(160, 40, given) and "off by one" in name_number(39, 40, given)
    assert name_number(23, 40, given) == ""


def test_a_meaning_stands_before_a_guess():
    kind = Value(means=lambda n: f"{n} would mean this.")
    assert kind.diagnose(39, 40, False).named == "39 would mean this."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(4,6):(1,4)", "rows and columns have changed places"),
        ("(6,4):(4,24)", "too large by the same factor"),
        ("(6,4):(1,5)", "share one place: (0,1) and (5,0) both lie at offset 5"),
        ("(6,4):(4,1)", "neighbours in memory lie along a row"),
        ("(6,4):(1,8)", "leaves 6 offsets unused"),
        ("24:1", "other modes"),
        ("(6,5):(1,6)", "30 elements"),
    ],
)
def test_layouts(text, words):
    kind = LayoutMap()
    assert words in kind.diagnose(kind.read(text), kind.read(Layout((6, 4))), False).named


@pytest.mark.parametrize(
    ("right", "text", "words"),
    [
        ("(4,8):(0,1)", "(4,8):(4,1)", "a step down leads to another element"),
        ("(4,8):(8,1)", "(4,8):(0,1)", "a step down goes nowhere"),
        ("(4,8):(0,1)", "(4,(2,4)):(0,(1,1))", "to the right, place 2 is the same element as an earlier one"),
        ("((4,2),8):((1,8),16)", "((2,4),8):((8,1),16)", "the right offsets, but in another order"),
        ("(4,8):(8,1)", "(4,8):(8,0)", "a step to the right goes nowhere"),
    ],
)
def test_layouts_that_stand_still_or_count_otherwise(right, text, words):
    kind = LayoutMap()
    assert words in kind.diagnose(kind.read(text), kind.read(right), False).named


def test_a_short_formula_is_named():
    assert "this is elements · threads: too large for" in find_exercise("gpu.3").check(lambda e, t: e * t).sentence
    assert "this is 32 // pitch: too small" in find_exercise("banks.2").check(lambda p: 32 // p).sentence
    assert "this is (elements - threads) // threads" in find_exercise("gpu.3").check(lambda e, t: (e - t) // t).sentence
    wide = find_exercise("banks.1").check(lambda r, c, p, b: (r * p + c) * b // 4 % 64)
    assert "modulo 32 this is always right" in wide.sentence
    assert "this is max(stride · size, 32)" in find_exercise("coalescing.5").check(lambda n, b: max(32, n * b)).sentence


def test_labels_say_which_number_is_which():
    kind = Value("tuple", parts=("block", "thread"))
    for text in ("block 7, thread 104", "thread 104 of block 7", "block=7; thread=104", "(7, 104)", "7,104"):
        assert kind.read(text) == (7, 104)
    for text in ("warp 7, thread 104", "thread 7, thread 104"):
        with pytest.raises(CuteLabError):
            kind.read(text)
    with pytest.raises(CuteLabError, match=r"28\.125"):
        Value().read("28.125")
    assert Value().read("4 x 8 = 32") == 32


def test_a_choice_of_layouts_is_compared_as_it_is_written():
    kind = find_prediction("layout.d").kind
    assert kind.read("_8:_4") == "8:4"
    with pytest.raises(CuteLabError):
        kind.read("4:8")


def test_how_many_lanes_meet_is_shown_by_two_of_them():
    words = find_exercise("banks.6").check((1, 1, 2, 16)).second
    assert (
        "anti-diagonal: 16 wavefronts would mean that lanes 0 and 1 have banks of their own; lane 1 begins 128 bytes"
        in words
    )
    assert (
        "lanes 0 and 16 meet; lane 16 begins 2112 bytes further, in bank 16"
        in find_exercise("banks.6").check((1, 2, 2, 32)).second
    )


def test_swizzles_name_the_lanes_that_still_meet():
    column = find_exercise("swizzle.2")
    found = column.check("Sw<2,0,5>")
    assert "lanes 0, 8, 16, 24 (rows 0, 8, 16, 24) still meet in bank 0" in found.second
    assert "bits 7, 8 of the offset" in found.sentence
    assert "bits 0 to 2 of the offset must stay" in find_exercise("swizzle.5").check(Swizzle(3, 0, 4)).sentence
    assert "moves nothing" in find_exercise("swizzle.5").check(Swizzle(2, 3, 9)).sentence
    assert column.check("Sw<4,5,5>").sentence != column.check("Sw<0,0,0>").sentence


def test_a_layout_with_the_property_is_right_however_it_is_nested():
    for text in ("(16,64):(64,1)", "(16,(32,2)):(32,(1,512))", "((4,4),64):((64,256),1)"):
        assert find_exercise("coalescing.2").check(text).state == "good"
    assert find_exercise("coalescing.2").check("(16,64):(72,1)").state == "bad"
    assert find_exercise("strips.4").check((128, 1)).state == "good"
    assert find_exercise("kernel.2").check("36").state == "good"
    assert find_exercise("thread_map.2").check("96 threads").state == "good"


JUNK = [
    0, 1, -1, 7, 2**63, 10**40, 1e300, float("nan"), True, (), (1,), (1, 2), ((1, 2), (3,)), [[]], {"a": 1}, {1, 2}, b"x",
    "", "a", "((((", "0x", "Sw<", "Sw<9,9,9>", "(1,(2,3))", "\ud800", "\u202e", "_,_", "4:-1", "make_layout(", "１２",
    np.zeros((2, 2)), np.array([]), np.array(["a"]), np.float32(2), Layout((4, 8)), Layout, Swizzle(2, 3, -4), object(),
    print, len, lambda *a: None, lambda *a: a, lambda *a: 1 / 0, lambda *a: np.array([1, 2]), lambda a, b: (a, b),
]  # fmt: skip


@pytest.mark.long
@every([e for lesson in lessons() for e in (*lesson.exercises, *lesson.predictions)], lambda e: e.id)
def test_junk_gets_a_sentence(entry):
    for junk in JUNK:
        if hasattr(entry, "check"):
            found = entry.check(junk)
        else:
            try:
                found = entry.reveal(junk)
            except CuteLabError as error:
                assert len(str(error)) <= 400
                continue
        assert len(found.sentence) <= 400 and len(found.second) <= 500


def test_bytes_are_those_of_the_questions_elements():
    for id, mine, other in (("banks.4", 66, "264"), ("start.1", 31, "124")):
        second = find_exercise(id).check(mine, tries=5).second
        assert "float32" not in second and other not in second
    assert "66 elements are 132 bytes." in find_exercise("banks.4").check(66, tries=5).second
    assert "101 elements are 404 bytes." in find_exercise("coalescing.3").check(101, tries=5).second


def test_a_calculation_as_text_and_a_repeated_form():
    card = check("start.1", "4*8")
    assert "a calculation as text" in repr(card) and "leave out the quotation marks" in repr(card)
    assert repr(card).count("a whole number of elements, for example 12") == 1
    view = predict("start.a")
    view._control.value = "4*8*4"
    view._button.click()
    assert "a calculation as text" in view._reveal.value and not view.locked


def test_one_length_is_not_several_and_two_accesses_are_named():
    assert "31 becomes slower, but not only this one" in find_exercise("banks.5").check((31,)).second
    assert "31 and 63 become slower" in find_exercise("banks.5").check((31, 63)).second
    words = find_exercise("swizzle.5").check("Sw<3,4,4>").second
    assert "of the ldmatrix" in words and "18 wavefronts for both accesses together, where 17 would do" in words
    assert "1 wavefront would mean" in find_exercise("banks.6").check((1, 1, 1, 32)).second


def test_the_same_map_in_other_modes_is_said_to_be_the_same():
    kind, right = LayoutMap(), LayoutMap().read("(2,2,4):(2,1,4)")
    for text in ("(2,(2,4)):(2,(1,4))", "((2,2),4):((2,1),4)", "(2,2,2,2):(2,1,4,8)"):
        assert "the same map" in kind.diagnose(kind.read(text), right, False).named, text
    assert "the same map" not in kind.diagnose(kind.read("16:1"), right, False).named


def test_neighbours_are_spoken_of_only_where_there_are_some():
    kind = LayoutMap()
    for right, text in (("(3,(2,2)):(16,(80,4))", "(3,(2,2)):(16,(5,1))"), ("(5,3):(3,1)", "(5,3):(3,5)")):
        assert "neighbours in memory" not in kind.diagnose(kind.read(text), kind.read(right), False).named


def test_a_layout_that_is_read_but_not_accepted_says_what_it_would_mean():
    kind = LayoutMap(accept=lambda found: found.text == "(2,4):(4,1)", means=lambda found: f"{found.text} costs 2.")
    right = kind.read("(2,4):(4,1)")
    assert kind.diagnose(kind.read("(2,4):(1,2)"), right, False).named == "(2,4):(1,2) costs 2."
    assert kind.diagnose(kind.read("(2,4):(1,2)"), right, False).where.startswith("The first difference")


def test_a_text_that_looks_like_the_right_value_is_shown_as_a_text():
    admitted = find_exercise("composition.3")
    said = admitted.check(lambda n, d, s: str(admitted.right(n, d, s)))
    assert "True or False" in said.sentence and "yours 'True', a text, right True" in said.second


def test_one_is_no_plural():
    assert of_number(1, 8, (), "wavefronts", False).where == "1 wavefront brings up to 32 words, 128 bytes."
    four = (("bytes of an element", 4),)
    assert of_number(1, 4, four, "elements", False).where == "1 element is 4 bytes."
    assert of_number(2, 4, four, "elements", False).where == "2 elements are 8 bytes."


def test_the_codes_of_a_lane_are_known_as_codes():
    layout = Layout(((4, 8), (2, 2)), ((32, 1), (16, 8)))
    said = find_exercise("tensor_core.3").check(lambda lane: tuple(layout(lane, value) for value in range(4)))
    assert said.sentence.startswith("these are codes")
    owner = find_exercise("tensor_core.4")
    assert "32" in owner.check(lambda m, n: 4 * m + n // 2 + 32 * (n % 2)).sentence


def test_a_composition_that_fills_a_mode_is_not_said_to_stay_inside():
    for one in ("composition.1", "composition.2"):
        said = find_exercise(one).check("refused")
        assert not said.counts and "not refused" in said.sentence
    assert "fills" in find_exercise("composition.2").check("refused").sentence


@pytest.mark.parametrize("text", ["((8,4),4):((16,4),1)", "((2,16),4):((64,4),1)", "(128,1):(1,1)"])
def test_a_thread_layout_is_told_what_it_costs(text):
    said = find_exercise("partition.5").check(text).sentence
    assert ("sectors" in said and "wavefronts" in said) or "columns" in said


@pytest.mark.parametrize("text", ["((4,2),3,4):((1,12),4,24)", "(4,2,3,4):(1,12,4,24)"])
def test_the_other_divides_are_known_by_name(text):
    assert f"{'tiled' if '((' in text else 'flat'}_divide" in find_exercise("tiling.3").check(text).sentence


@pytest.mark.parametrize(
    ("id", "text"),
    [
        ("partition.1", "64 values, 16384 bytes"),
        ("partition.1", "16384 bytes and 64 values"),
        ("tensor_core.2", "v0 = (1,2), v1 = (1,3), v2 = (1,10), v3 = (1,11)"),
        ("tensor_core.7", "v1: (4,3); v0: (4,2); v2: (6,2); v3: (6,3)"),
    ],
)
def test_a_tuple_whose_numbers_are_named_is_read(id, text):
    assert find_exercise(id).check(text).state == "good"
    assert find_exercise(id).check(text.replace("1", "7")).state == "bad"


@pytest.mark.parametrize("piece", ["v0 (1,2) ", "a 1 ", "1 a and ", "v0 = ("])
def test_a_text_that_almost_names_its_numbers_is_refused_at_once(piece):
    parts = ("v0", "v1", "v2", "v3")
    for length in (60, 199, 5000):
        assert read_labelled((piece * length)[:length] + "!", parts) is None  # a backtracking reader would never return
