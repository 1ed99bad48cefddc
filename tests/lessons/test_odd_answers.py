"""An answer that nobody foresaw gets a gentle sentence, at once."""

import sys
import time

import numpy as np
import pytest

from cutelab import Layout
from cutelab.course.ask import functions
from cutelab.course.lab.lessons import find_exercise
from cutelab.lessons import check, hint, predict, solution

LONG = 10**5000


@pytest.mark.parametrize(
    ("id", "answer", "words"),
    [
        ("banks.5", (4, (2, 2)), "must be whole numbers in brackets"),
        ("banks.5", {4, LONG}, "must be whole numbers in brackets"),
        ("banks.5", range(10**12), "far too long"),
        ("start.1", range(10**12), "far too long"),
        ("start.1", range(10**30), "far too long"),
        ("start.1", np.zeros(10**6, np.int8), "far too long"),
        ("start.2", [4, 8], "must be one of"),
        ("start.1", LONG, "far too large"),
        ("start.1", -LONG, "far too large"),
        ("start.1", [LONG], "must be a whole number"),
    ],
    ids=range(10),
)
def test_odd_answers(id, answer, words):
    verdict = find_exercise(id).check(answer)
    assert verdict.state == "bad" and words in verdict.second


def test_a_tiler_that_holds_itself_is_no_answer():
    loop = [1]
    loop.append(loop)
    for id in ("puzzles.14", "puzzles.16", "puzzles.17"):
        assert "cannot be checked" in repr(check(id, loop))


def test_a_loop_that_catches_everything_is_stopped(monkeypatch):
    def offset(row, col, rows, cols):
        while True:
            try:
                inner()
            except BaseException:
                caught.append(row)

    def inner():
        while True:
            pass

    caught = []
    monkeypatch.setattr(functions, "SECONDS", 0.2)
    before = sys.gettrace()
    assert "does not come to an end" in repr(check("layout.1", offset))
    assert caught and sys.gettrace() is before


def test_a_function_that_is_slow_is_not_told_that_it_returns_nothing(monkeypatch):
    def offset(row, col, rows, cols):
        end = time.monotonic() + 0.06
        while time.monotonic() < end:
            pass
        return row * cols + col

    monkeypatch.setattr(functions, "SECONDS", 0.2)
    said = repr(check("layout.1", offset))
    assert "in time for all inputs" in said and "returns nothing" not in said


def test_every_exercise_survives_a_long_number():
    from cutelab.course.lab.lessons import lessons

    for exercise in (e for lesson in lessons() for e in lesson.exercises):
        assert exercise.check(LONG).state == "bad", exercise.id


def nested(levels):
    found = (1,)
    for _ in range(levels):
        found = (found, found)
    return found


def within_itself():
    found = [1]
    found.append(found)
    return found


class Unprintable:
    def __repr__(self):
        raise ValueError


@pytest.mark.parametrize(
    ("id", "make", "words"),
    [
        ("start.1", lambda: np.zeros(3 * 10**7), "far too long"),
        ("start.1", lambda: np.arange(5 * 10**6), "far too long"),
        ("strips.4", lambda: nested(22), "far too long"),
        ("strips.4", lambda: nested(10), "must be whole numbers in brackets"),
        ("start.1", within_itself, "far too deep"),
        ("layout.2", lambda: Layout, "the class Layout itself"),
        ("layout.2", lambda: "o" * 1000, "..."),
        ("start.1", lambda: "o" * 10**6, "far too long"),
        ("start.1", lambda: "\u202e\x00", "'\\u202e\\x00', a text"),
        ("start.1", object, "something of type object"),
        ("start.1", Unprintable, "something of type Unprintable"),
    ],
    ids=range(11),
)
def test_an_answer_is_measured_before_it_is_read(id, make, words):
    verdict = find_exercise(id).check(make())
    assert verdict.state == "bad" and words in verdict.second and len(verdict.second) <= 300 and not verdict.counts


@pytest.mark.parametrize("id", [np.array([1, 2]), None, 3, "x" * 10**5, "\u202e", []])
def test_a_name_that_is_none(id, fresh):
    for call in (check, hint, solution, predict):
        card = call(id)
        assert "There is no" in repr(card) and len(repr(card)) <= 300
