"""The numbers that stand in the words of exercises are what the library computes."""

import numpy as np

from cutelab import Layout, cosize, holes, is_injective, offsets, parse_layout
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.layout.lesson import MANGLED


def words(id, answer):
    exercise = find_exercise(id)
    return exercise.check(answer).sentence


def test_the_mangled_layout_puts_two_elements_at_16():
    layout = parse_layout(MANGLED)
    assert layout(4, 0) == layout(0, 4) == 16 and not is_injective(layout)
    assert np.unique(offsets(layout)).size == 48


def test_what_the_words_say_about_other_repairs():
    far = parse_layout("((4,2),(2,4)):((2,64),(1,8))")
    assert is_injective(far) and holes(far).tolist() == list(range(32, 64))
    near = parse_layout("((4,2),(2,4)):((2,16),(1,4))")
    assert near(2, 0) == near(0, 2) == 4
    wide = parse_layout("((4,2),(2,4)):((2,16),(1,32))")
    assert is_injective(wide) and cosize(wide) - 1 == 119
    both = parse_layout("((4,2),(2,4)):((2,8),(1,16))")
    assert sorted(offsets(both).ravel()) == list(range(64))


def test_where_the_places_of_the_inverse_really_lie():
    layout = Layout((3, (2, 2)), (2, (1, 6)))
    assert layout(1, 3) == layout(1, (1, 1)) == 9 and layout(1, 2) == 8 and layout(2, 3) == 11
    assert Layout((3, 4), (4, 1))(2, 1) == 9 and Layout((3, 4))(0, 3) == 9
    assert "offset 8" in words("01.4", (1, 2)) and "offset 11" in words("01.4", (2, 3))


def test_interleaved_columns_are_the_four_by_four_case_of_the_general_layout():
    m, n = 4, 4
    general = Layout((m, (2, n // 2)), (2, (1, 2 * m)))
    assert find_exercise("01.5").check(general).state == "good"
    rows = [[0, 1, 8, 9], [2, 3, 10, 11], [4, 5, 12, 13], [6, 7, 14, 15]]
    assert offsets(general).tolist() == rows


def test_the_column_of_four_collides_where_six_are_needed():
    short = Layout((6, 4), (1, 4))
    assert short(4, 0) == short(0, 1) == 4


def test_the_predictions():
    assert [find_prediction(f"01.{x}").answer() for x in "abcd"] == [38, "1", 7, "8:4"]
    assert find_prediction("00.a").answer() == 128
    swapped = Layout((8, 8), (8, 1))(3, 2)
    assert (swapped, 2 * swapped) == (26, 52)
