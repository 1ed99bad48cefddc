"""The numbers that stand in the words of lesson 05, swizzle, are what the library computes."""

import numpy as np
import pytest

from cutelab import Swizzle, ldmatrix_tile, offsets, parse_layout, parse_swizzle, read_column
from cutelab.course.ask.swizzle_kinds import SwizzleFor
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.swizzle.lesson import DOWN, IDLE


def effect(id, swizzle):
    return find_exercise(id).kind.read(swizzle)


def test_the_predictions():
    assert [find_prediction(f"04.{x}").answer() for x in "abc"] == [46, 4, 8]
    assert (
        40 + (5 ^ 3) == 46
        and 40 + (5 & 3) == 41
        and 40 + (5 | 3) == 47
        and 8 * (5 ^ 3) + 3 == Swizzle(3, 0, -3)(43) == 51
    )


def test_the_wrong_offsets_come_from_the_mistakes_that_the_words_name():
    s = Swizzle(2, 1, 3)
    moved = (50 & s.yyy) >> 3
    assert s(50) == 52 and (50 | moved) == 50 & ~s.zzz | moved == 54
    assert Swizzle(2, 0, 3)(50) == 48 and Swizzle(2, 1, -3)(50) == 34 and 50 + moved == 56 and moved == 6


@pytest.mark.parametrize(("swizzle", "count"), [("Sw<3,0,3>", 8), ("Sw<4,0,4>", 2), ("Sw<3,0,5>", 2), ("Sw<4,2,5>", 4), ("Sw<0,0,0>", 16), ("Sw<4,0,5>", 1)])  # fmt: skip
def test_choices_for_the_column(swizzle, count):
    found = effect("04.2", swizzle)
    assert (found.wavefronts, found.ideal) == (count, 1)


def test_rows_that_still_meet():
    for text in ("Sw<4,0,4>", "Sw<3,0,5>"):
        swizzle = parse_swizzle(text)
        assert (swizzle(0) - swizzle(16 * 16)) % 32 == 0
    assert Swizzle(4, 2, 5).recast(1, 4) == Swizzle(4, 0, 5)


def test_units():
    byte = Swizzle(2, 4, 3)
    assert [str(byte.recast(1, n)) for n in (2, 4, 8, 16)] == ["Sw<2,3,3>", "Sw<2,2,3>", "Sw<2,1,3>", "Sw<2,0,3>"]
    printed = parse_layout("Sw<2,4,3> o smem_ptr[32b](unset) o (8,16):(16,1)")
    assert printed.outer == Swizzle(2, 2, 3)


def test_one_of_four_does_nothing():
    table = offsets(parse_layout("(16,32):(32,1)"))
    idle = [bool((parse_swizzle(s)(table) == table).all()) for s in IDLE]
    assert table.max() == 511 and idle == [False, True, False, False]
    assert [(parse_swizzle(s).yyy & -parse_swizzle(s).yyy).bit_length() - 1 for s in IDLE] == [7, 9, 8, 3]


def test_the_search_and_its_near_misses():
    assert ldmatrix_tile(matrices=1) == DOWN
    right = find_exercise("04.5").right()
    assert right == Swizzle(3, 3, 4) and effect("04.5", right).wavefronts == effect("04.5", right).ideal == 17
    counts = {t: effect("04.5", t).wavefronts for t in ("Sw<3,3,3>", "Sw<2,3,4>", "Sw<0,0,0>", "Sw<3,0,7>")}
    assert counts == {"Sw<3,3,3>": 18, "Sw<2,3,4>": 18, "Sw<0,0,0>": 24, "Sw<3,0,7>": None}


@pytest.mark.long
def test_every_free_swizzle_is_right_and_no_other():
    exercise, wrong = find_exercise("04.2"), 0
    for bits in range(6):
        for base in range(4):
            for shift in (*range(-7, -bits + 1), *range(max(bits, 1), 8)):
                swizzle = Swizzle(bits, base, shift)
                column = swizzle(np.arange(32) * 16) % 32
                free = len(set(column.tolist())) == 32
                wrong += not free
                assert (exercise.check(swizzle).state == "good") == free
    assert wrong > 50


def test_two_different_maps_that_are_both_free_are_the_same_answer():
    kind = SwizzleFor(8, 8, 4, (read_column(0, rows=8),))
    one, other, bad = (kind.read(text) for text in ("Sw<3,0,3>", "Sw<1,2,3>", "Sw<1,0,3>"))
    assert (one.table != other.table).any() and one.wavefronts == other.wavefronts == 1
    assert one == other and one != bad and bad.wavefronts == 2
