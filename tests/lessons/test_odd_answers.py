"""An answer that nobody foresaw gets a gentle sentence, at once."""

import numpy as np
import pytest

from cutelab.course.lab.lessons import find_exercise

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
        ("start.1", LONG, "far too large"),
        ("start.1", -LONG, "far too large"),
        ("start.1", [LONG], "must be a whole number"),
    ],
    ids=range(9),
)
def test_odd_answers(id, answer, words):
    verdict = find_exercise(id).check(answer)
    assert verdict.state == "bad" and words in verdict.second


def test_every_exercise_survives_a_long_number():
    from cutelab.course.lab.lessons import lessons

    for exercise in (e for lesson in lessons() for e in lesson.exercises):
        assert exercise.check(LONG).state == "bad", exercise.id
