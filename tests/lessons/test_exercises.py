"""Every registered exercise and prediction keeps its promises."""

import importlib.util
import re
from pathlib import Path

import pytest

from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice
from cutelab.course.lab.lessons import lessons
from cutelab.course.topics.claims.lesson import ClaimQuestion
from cutelab.lessons import check, hint, solution
from tests.every import every

spec = importlib.util.spec_from_file_location("by_hand", Path(__file__).with_name("test_by_hand.py"))
by_hand = importlib.util.module_from_spec(spec)
spec.loader.exec_module(by_hand)
BY_HAND = by_hand.BY_HAND

EXERCISES = [e for lesson in lessons() for e in lesson.exercises]
PREDICTIONS = [
    p for lesson in lessons() for p in lesson.predictions if not isinstance(p, ClaimQuestion)
]  # those: test_claims.py
WRONG = [(e, w) for e in EXERCISES for w in e.wrong]
REPLIES = [(p, r) for p in PREDICTIONS for r in p.replies]
each = every(EXERCISES, lambda e: e.id)
each_prediction = every(PREDICTIONS, lambda p: p.id)


def seeds(exercise, count):
    """Of a function each seed draws other inputs; nothing else is drawn."""
    return range(count if isinstance(exercise.kind, Function) else 1)


def solved(exercise):
    """What the solution's source text binds."""
    names = {}
    exec(exercise.solution, names)
    return names[exercise.name]


@every([(e, seed) for e in EXERCISES for seed in seeds(e, 5)], lambda e, seed: (e.id, seed))
def test_the_solution_passes(exercise, seed):
    assert exercise.check(solved(exercise), seed=seed).state == "good"


@pytest.mark.long
@every([(e, w, seed) for e, w in WRONG for seed in seeds(e, 3)], lambda e, w, seed: (e.id, w.answer, seed))
def test_a_typical_wrong_answer_gets_its_own_words(exercise, wrong, seed):
    verdict = exercise.check(wrong.answer, seed=seed)
    assert (verdict.state, verdict.sentence) == ("bad", wrong.words) and verdict.counts


@each
def test_the_wrong_answers_are_several_and_their_words_differ(exercise):
    words = [w.words for w in exercise.wrong]
    assert len(words) >= 3 and len(set(words)) == len(words)
    assert all(w.endswith(".") for w in words)


@every([(e, starter) for e in EXERCISES for starter in (..., None, "", "...")], lambda e, starter: (e.id, starter))
def test_the_untouched_starter_is_not_answered_yet(exercise, starter):
    card = check(exercise.id, starter)
    assert (card.state, card.sign) == ("note", "…")
    assert "not answered yet" in card.sentence
    assert card.lines == (exercise.question, f"Answer with {exercise.kind.form}.")


@each
def test_hints_are_there_and_do_not_contain_the_solution(exercise):
    assert 1 <= len(exercise.hints) <= 3
    lines = [line.strip().removeprefix("answer = ").removeprefix("return ") for line in exercise.solution.splitlines()]
    for n, text in enumerate(exercise.hints, 1):
        assert text in hint(exercise.id, n).lines
        for line in lines:
            assert line not in text and line.strip('"') not in re.findall(r"`([^`]+)`", text)


@each
def test_the_solution_is_folded(exercise):
    folded = solution(exercise.id)
    assert exercise.solution not in repr(folded) and folded.source == exercise.solution
    assert folded._repr_html_().startswith("<details") and "open" not in folded._repr_html_().split(">")[0]


@each
def test_an_answer_of_another_kind_is_refused_in_words(exercise):
    for odd in (object(), 2.5, b"x", {"a": 1}, [[]], "((((", print, lambda: 0, 10**30, float("nan")):
        verdict = exercise.check(odd)
        assert verdict.state == "bad"
        assert len(verdict.second) > 10 and "Traceback" not in verdict.second


def test_ids_are_unique_and_belong_to_their_topic():
    ids = [e.id for lesson in lessons() for e in (*lesson.exercises, *lesson.predictions)]
    assert len(set(ids)) == len(ids)
    for lesson in lessons():
        for i, e in enumerate(lesson.exercises, 1):
            assert e.id == f"{lesson.topic}.{i}"
        lettered = [p for p in lesson.predictions if not isinstance(p, ClaimQuestion)]
        for letter, p in zip("abcdefgh", lettered, strict=False):
            assert p.id == f"{lesson.topic}.{letter}"


@each_prediction
def test_the_right_prediction_is_good(prediction):
    verdict = prediction.reveal(BY_HAND[prediction.id])
    assert verdict.state == "good" and verdict.second == prediction.because


@every(REPLIES, lambda p, r: (p.id, r.answer))
def test_a_foreseen_prediction_gets_its_own_words(prediction, reply):
    verdict = prediction.reveal(reply.answer)
    assert verdict.state == "note"
    right = prediction.answer()
    right = dict(getattr(prediction.kind, "options", ())).get(right, right)  # of a choice: what stands on the button
    words = reply.words[:1].upper() + reply.words[1:]  # a reveal begins a sentence
    assert verdict.second.startswith(words) and str(right).replace(", ", ",") in verdict.sentence.replace(", ", ",")


@each_prediction
def test_each_option_but_the_right_one_has_a_reply(prediction):
    if isinstance(prediction.kind, Choice):
        foreseen = {prediction.kind.read(r.answer) for r in prediction.replies}
        assert foreseen == {key for key, _ in prediction.kind.options} - {prediction.answer()}


@each
def test_each_wrong_option_of_a_choice_has_words(exercise):
    if isinstance(exercise.kind, Choice):
        foreseen = {exercise.kind.read(w.answer) for w in exercise.wrong}
        assert foreseen == {key for key, _ in exercise.kind.options} - {exercise.kind.read(exercise.right())}
