"""Right answers are accepted in every spelling; plausible wrong ones are told what is wrong with them. `tests/data/answers.json`
holds both, with the misconception behind each wrong one; `answers_early.json` holds more for the first ten lessons."""

import ast
import json
import linecache
import re
import time
from pathlib import Path

import numpy as np
import pytest

import cutelab
from cutelab.course.ask import functions
from cutelab.course.ask.exercise import NOT_YET
from cutelab.course.lab.lessons import find_exercise, find_prediction, lessons
from tests.every import every

DATA = Path(__file__).resolve().parents[1] / "data"
CASES = json.loads((DATA / "answers.json").read_text())
EARLY = json.loads((DATA / "answers_early.json").read_text())  # more of the same for lessons 00 to 09
CASES += [{**c, "wrong": [{"answer": w, "misconception": w} for w in c["wrong"]]} for c in EARLY]
RIGHT = [(case["exercise"], answer) for case in CASES for answer in case["right"]]
WRONG = [(case["exercise"], wrong) for case in CASES for wrong in case["wrong"] if "note" not in wrong]
WRONG = [(id, wrong) for id, wrong in WRONG if wrong["misconception"] != "unchanged"]  # that is no answer yet
VAGUE = ("not right yet.", NOT_YET)


def built(source):
    """What a learner who types this answers."""
    names = {name: getattr(cutelab, name) for name in re.findall(r"[A-Za-z]\w+", source) if hasattr(cutelab, name)}
    names |= {"np": np}
    if "cuda" in source:
        from cutelab.kernels import cuda, trace

        names |= {"cuda": cuda, "trace": trace}
    file = f"<answer {abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    try:
        tree = ast.parse(source, mode="eval")
    except SyntaxError:
        exec(compile(source, file, "exec"), names)
        return names["answer"] if "answer" in names else names[re.findall(r"def (\w+)", source)[0]]
    return eval(compile(tree, file, "eval"), names)


def asked(id):
    """The question, and a function that gives its reply."""
    if id.rpartition(".")[2].isalpha():
        prediction = find_prediction(id)
        return prediction, prediction.reveal
    exercise = find_exercise(id)
    return exercise, exercise.check


@every(RIGHT)
def test_a_right_answer_is_accepted_however_it_is_spelled(id, source):
    assert asked(id)[1](built(source)).state == "good"


@pytest.mark.long
@every(WRONG, lambda id, wrong: (id, wrong["misconception"], wrong["answer"]))
def test_a_wrong_answer_is_told_what_is_wrong(id, wrong):
    with pytest.MonkeyPatch.context() as patch:
        if "while" in wrong["answer"]:  # the whole time before a loop is stopped is waited for once, below
            patch.setattr(functions, "SECONDS", 0.3)
        is_told(id, wrong)


def is_told(id, wrong):
    question, reply = asked(id)
    begun = time.monotonic()
    try:
        answer = built(wrong["answer"])
    except cutelab.CuteLabError:  # the tracer has said it already
        return
    try:
        found = reply(answer)
    except cutelab.CuteLabError as error:  # a prediction of another form: the control says so
        assert "must be" in str(error)
        return
    assert time.monotonic() - begun < 60
    assert found.state in ("bad", "note") and found.sentence not in VAGUE
    assert found.second != question.because
    text = f"{found.sentence} {found.second}"
    assert not re.search(r"the right number is (larger|smaller)", text) and "Traceback" not in text


def test_a_wrong_form_costs_no_try():
    for id, odd in (
        ("start.1", (4, 8)),
        ("layout.2", 24),
        ("swizzle.4", "e"),
        ("tiling.2", "c"),
        ("layout.1", "row*cols+col"),
    ):
        found = find_exercise(id).check(odd)
        assert not found.counts and found.state == "bad"
    assert "the rows and the columns" in find_exercise("start.1").check((4, 8)).second


def test_units_are_read_and_other_units_are_told():
    sectors = find_exercise("coalescing.1")
    assert sectors.check("24 sectors").state == "good"
    assert "yours is in bytes" in sectors.check("24 bytes").second


@pytest.mark.long
@every([e.id for lesson in lessons() for e in lesson.exercises])
def test_the_first_two_replies_to_a_wrong_answer_do_not_hold_the_right_one(id):
    exercise = find_exercise(id)
    right = exercise.solution.rpartition("answer = ")[2].strip().strip('"')
    bare = "".join(right.split())
    if "\n" in exercise.solution or len(bare) < 3 or "*" in bare or exercise.kind.form.startswith("one of"):
        return
    for wrong in exercise.wrong:
        for tries in (0, 1):
            found = exercise.check(wrong.answer, tries=tries)
            assert bare not in "".join(f"{found.sentence}{found.second}".split()).replace('"', "")


def test_a_program_that_reads_replies_cannot_read_off_a_tuple_before_the_third_try():
    place = find_exercise("thread_map.4")
    assert not any("right 21" in place.check((40, 20), tries=tries).second for tries in (0, 1))
    assert "right 21" in place.check((40, 20), tries=2).second


@pytest.mark.long
def test_an_endless_loop_is_stopped_and_its_line_is_shown():
    source = "def offset(row, col, rows, cols):\n    n = 0\n    while n >= 0: n += 1\n    return n"
    begun = time.monotonic()
    found = find_exercise("layout.1").check(built(source))
    assert time.monotonic() - begun < 20
    assert "does not come to an end" in found.second and "in line 3, `while n >= 0: n += 1`" in found.second


def test_stop_leaves_no_traceback(monkeypatch, tmp_path):
    from cutelab.lessons import check

    def interrupted(row, col, rows, cols):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    card = check("layout.1", interrupted)
    assert "stopped" in card.sentence and card.state == "note" and not (tmp_path / "progress.json").exists()
