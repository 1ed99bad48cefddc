"""An answer whose own methods fail, lie or never end gets a sentence: never a traceback, never a hang."""

import itertools
import time

import numpy as np
import pytest

from cutelab.core.errors import CuteLabError
from cutelab.course.ask import careful, functions
from cutelab.course.lab.lessons import lessons
from cutelab.lessons import check

METHODS = (
    "__getattribute__", "__getattr__", "__str__", "__repr__", "__eq__", "__ne__", "__hash__", "__bool__",
    "__len__", "__iter__", "__index__", "__int__", "__float__", "__call__", "__getitem__", "__contains__",
    "__lt__", "__abs__", "__format__", "__array__", "__class__", "shape", "strip", "lower", "tolist", "totals",
)  # fmt: skip
BASES = {
    object: (),
    int: (77_777,),
    float: (77_777.0,),
    str: ("(4,8):(8,1)",),
    tuple: ((1, 3, 77),),
    list: ([4, 8],),
    set: ({1, 77},),
    dict: ({1: 3},),
    np.ndarray: ((2,),),
}
EXERCISES = [e for lesson in lessons() for e in lesson.exercises]
PREDICTIONS = [p for lesson in lessons() for p in lesson.predictions]
KINDS = {type(q.kind): q for q in reversed(EXERCISES + PREDICTIONS)}  # the first one of each


def fails(self, *_, **__):
    raise RuntimeError("mine")


def hangs(self, *_, **__):
    while True:
        pass


def hostile(base, methods, action=fails):
    """An object of a class of its own, whose methods do this."""
    body = {name: property(action) if name in ("__class__", "shape") else action for name in methods}
    return type("Mine", (base,), body)(*BASES[base])


ALL_FAIL = [[m for m in METHODS if m not in ("__getattribute__", "__class__")], METHODS]
OBJECTS = [(base, methods) for base in BASES for methods in ALL_FAIL]
ONE_FAILS = [(base, [method]) for base in BASES for method in METHODS]


def answered(exercise, answer):
    """The card's own two lines: what is said about the answer."""
    card = check(exercise.id, answer)
    assert card.state in ("bad", "note") and "Traceback" not in repr(card)
    return len(card.sentence) <= 400 and len(card.lines[0]) <= max(300, len(exercise.question))


def predicted(question, answer):
    """A prediction's answer of another form raises CuteLabError: its control shows that in words."""
    try:
        return question.reveal(answer).sentence
    except CuteLabError as error:
        assert len(str(error)) <= 300
        return str(error)


@pytest.mark.long
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_every_exercise_answers_an_object_whose_methods_all_fail(exercise):
    for base, methods in OBJECTS:
        for answer in (hostile(base, methods), (hostile(base, methods), 3), [hostile(base, methods)]):
            assert answered(exercise, answer)


@pytest.mark.parametrize("question", PREDICTIONS, ids=lambda p: p.id)
def test_every_prediction_does_too(question):
    for base, methods in OBJECTS:
        assert predicted(question, hostile(base, methods))


@pytest.mark.long
@pytest.mark.parametrize("question", KINDS.values(), ids=lambda q: type(q.kind).__name__)
def test_each_kind_answers_an_object_of_which_one_method_fails(question):
    for base, methods in ONE_FAILS:
        for answer in (hostile(base, methods), (hostile(base, methods), hostile(base, methods))):
            assert answered(question, answer) if hasattr(question, "check") else predicted(question, answer)


@pytest.mark.long
@pytest.mark.parametrize("base", [object, int, str, tuple])
@pytest.mark.parametrize("question", KINDS.values(), ids=lambda q: type(q.kind).__name__)
def test_a_method_that_never_ends_is_stopped(question, base, monkeypatch):
    monkeypatch.setattr(careful, "SECONDS", 0.02)
    monkeypatch.setattr(functions, "SECONDS", 0.01)
    for method in METHODS:
        begun = time.monotonic()
        answer = hostile(base, [method], hangs)
        assert answered(question, answer) if hasattr(question, "check") else predicted(question, answer)
        assert time.monotonic() - begun < 20


@pytest.mark.parametrize("base", [tuple, list, set])
def test_a_sequence_is_counted_by_what_it_holds(base):
    endless = type("Mine", (base,), {"__iter__": lambda self: itertools.count(), "__len__": lambda self: 1})
    assert check("banks.5", endless((4, 8))).state == check("banks.5", base((4, 8))).state
    assert "far too long" in repr(check("start.1", endless(range(10**6))))


def test_a_method_that_calls_itself_is_answered():
    class Mine:
        def __getattr__(self, name):
            return self.missing

    assert "RecursionError" in repr(check("layout.2", Mine()))


def test_right_answers_of_a_class_of_ones_own_stay_right():
    class Number(int):
        def __repr__(self):
            raise RuntimeError

    assert check("start.1", Number(32)).state == "good"
