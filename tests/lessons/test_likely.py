"""Whoever answers as people do who have not understood is told what it was: the likely wrong answers of every exercise."""

import pytest
from likely import likely

from cutelab.course.lab.lessons import find_exercise, lessons

VAGUE = ("", "not right yet.")
EXERCISES = [e for lesson in lessons() if not "15" <= lesson.notebook < "18" for e in lesson.exercises]
MADE_BY_HAND = {  # these kinds have no rule: a map as its C++ text
    "thread_map.2": [
        "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,12>, 64, PitchLinearShape<8,4>, 8>",
        "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,12>, 128, PitchLinearShape<8,4>, 8>",
        "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,16>, 96, PitchLinearShape<8,4>, 8>",
    ]
}
TRACED = {"kernel.3", "kernel.4", "kernel.5", "kernel.7"}  # a kernel that runs: test_traced.py and test_counted.py


def told(exercise):
    """(what was done, was it named?) of each likely answer that is wrong and is a try."""
    answers = [(text, text) for text in MADE_BY_HAND.get(exercise.id, ())] or likely(exercise)
    found = [(name, exercise.check(answer)) for name, answer in answers]
    return [(name, reply.sentence not in VAGUE) for name, reply in found if reply.state == "bad" and reply.counts]


@pytest.fixture(scope="module")
def every():
    return {e.id: told(e) for e in EXERCISES if e.id not in TRACED}


@pytest.mark.long
def test_of_the_three_likeliest_98_in_100_are_named(every):
    three = [(id, *answer) for id, answers in every.items() for answer in answers[:3]]
    assert len(three) > 250
    assert sum(named for *_, named in three) >= 0.98 * len(three), [x for x in three if not x[-1]]


def test_of_all_likely_ones_98_in_100_are_named(every):
    all_of_them = [(id, *answer) for id, answers in every.items() for answer in answers]
    assert len(all_of_them) > 600
    assert sum(named for *_, named in all_of_them) >= 0.98 * len(all_of_them), [x for x in all_of_them if not x[-1]]


def test_every_exercise_has_three_likely_wrong_answers(every):
    few = {id for id, answers in every.items() if len(answers) < 3}
    assert few == {"tensor_core.2", "tensor_core.7"}  # four pairs: the other way round, and each pair turned


@pytest.mark.parametrize(
    ("id", "answer", "words"),
    [
        ("start.1", 128, "bytes"),
        ("layout.6", "((4,2),(2,4)):((8,1),(32,2))", "the right strides, but at other modes"),
        ("composition.2", "(3,(2,2)):(1,(3,6))", "column-major without a gap"),
        ("inverse.2", "(4,2,2):(2,1,4)", "the reverse order"),
        ("kernel.2", "((4,32),8):((4,36),1)", "the right strides, but at other modes"),
    ],
)
def test_the_name_is_the_right_one(id, answer, words):
    assert words in find_exercise(id).check(answer).sentence
