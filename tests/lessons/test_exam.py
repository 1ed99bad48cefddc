"""The exam: the same seed asks the same, nothing is said before it is handed in, nothing is lost, and the report is true."""

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from cutelab.course.ask.draw import Draw
from cutelab.course.ask.kinds import Choice
from cutelab.course.lab import exam as exam_view
from cutelab.course.lab import paper
from cutelab.course.lab import store as store_module
from cutelab.course.lab.lessons import find_lesson
from cutelab.course.lab.paper import LENGTH, choose, draw_paper, makers
from cutelab.course.lab.store import store
from cutelab.course.topics.exam.lesson import ALWAYS, SOME, SOURCES
from cutelab.lessons import check, exam, predict, progress, reset, results, review

SEEDS = [str(n) for n in range(12)]
FIRST_EVENING = ("start", "gpu", "layout")


def typed(item):
    """The right answer, as somebody would type it."""
    right = item.asked.answer()
    return getattr(right, "text", "") or str(right)


def wrong(item):
    """An answer of the right form that is not right."""
    kind, right = item.asked.kind, item.asked.answer()
    if isinstance(kind, Choice):
        return next(key for key, _ in kind.options if key != right)
    if isinstance(right, tuple):
        return str(tuple(n + 1 for n in right))
    return "(2,2):(1,7)" if hasattr(right, "text") else str(right + 1)


def all_state(view):
    """Everything that a browser is sent: the state of every widget, and what is stored in the notebook."""
    (_, kept) = view.outputs()
    found, seen = [], set()

    def walk(widget):
        if id(widget) not in seen:
            seen.add(id(widget))
            found.append({k: v for k, v in widget.get_state().items() if "model" not in k and "IPY_" not in str(v)})
            for child in getattr(widget, "children", ()):
                walk(child)

    walk(view.box)
    return repr(found) + repr(kept) + repr(view) + repr(view.report())


def test_a_seed_draws_the_same_exam_and_another_seed_another_one():
    asked = {seed: [(i.id, i.asked.question) for i in draw_paper(seed)] for seed in SEEDS}
    draw_paper.cache_clear()
    assert all([(i.id, i.asked.question) for i in draw_paper(seed)] == asked[seed] for seed in SEEDS[:5])
    assert len({str(x) for x in asked.values()}) == len(SEEDS)


def test_nothing_but_random_is_asked_for_numbers(monkeypatch):
    """Of all methods, Python promises the sequence of random() only."""
    before = [i.asked.question for i in draw_paper("7")]
    draw_paper.cache_clear()
    for name in ("getrandbits", "_randbelow", "choices", "uniform"):
        monkeypatch.setattr(Draw, name, None)
    assert [i.asked.question for i in draw_paper("7")] == before
    assert int(Draw("7").random() * 1e6) == 712437


def test_an_exam_is_the_same_in_a_fresh_process_with_other_hashes():
    look = "[(i.key, i.asked.question, i.asked.kind.form) for i in draw_paper('autumn')]"
    code = f"from cutelab.course.lab.paper import draw_paper; print({look})"
    env = {**os.environ, "PYTHONHASHSEED": "77"}
    run = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert run.stdout == f"{eval(look, {'draw_paper': draw_paper})}\n"


def test_fifteen_questions_none_twice_spread_over_the_course_and_a_third_of_the_first_evening():
    order = [source.topic for source in SOURCES]
    for seed in range(1000):
        chosen = choose(str(seed))
        topics = Counter(topic for topic, _, _ in chosen)
        assert len(chosen) == len({id for _, id, _ in chosen}) == LENGTH == 15
        assert 4 <= sum(topics[name] for name in FIRST_EVENING) <= 6
        assert all(topics[name] == 1 for name in ALWAYS) and sum(topics[name] for name in SOME) == 4
        assert [order.index(topic) for topic, _, _ in chosen] == sorted(order.index(topic) for topic, _, _ in chosen)


def test_every_question_is_drawn_by_some_seed():
    asked = {id for seed in range(1000) for _, id, _ in choose(str(seed))}
    assert asked == {id for source in SOURCES for id, _ in makers(source)}
    assert all(len(makers(source)) >= 3 for source in SOURCES if source.topic not in FIRST_EVENING)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_example_of_an_answers_form_is_never_the_answer(seed):
    items = draw_paper(seed)
    assert [i.number for i in items] == list(range(1, 16)) and len({i.key for i in items}) == 15
    for item in items:
        example = getattr(item.asked.kind, "example", None)
        assert example is None or item.asked.kind.read(example) != item.asked.answer(), item.asked.question
        assert item.mark(typed(item)).state == "right" and item.mark(wrong(item)).state == "wrong", item.asked.question
        assert item.mark("").state == item.mark("what?!").state == "open"
        assert all(item.asked.kind.read(r.answer) != item.asked.answer() for r in item.asked.replies), (
            item.asked.question
        )


def refuses():
    raise AssertionError("somebody asked for the right answer")


def test_until_it_is_handed_in_nothing_looks_at_a_right_answer(monkeypatch):
    """The page is made of the questions and of what was typed: here, whoever computes a right answer falls over."""
    sealed = tuple(replace(i, asked=replace(i.asked, right=refuses)) for i in draw_paper("3"))
    monkeypatch.setattr(exam_view, "draw_paper", lambda seed: sealed)
    view = exam(3)
    for item, give in zip(draw_paper("3"), [typed, wrong, lambda _: "what?!"] * 5, strict=True):
        view.answer(item.number, give(item))
    assert "handed in" in repr(view.report()) and all_state(view)
    view._press()
    assert "Press once more" in all_state(view)
    with pytest.raises(AssertionError, match="right answer"):
        view.hand_in()


def test_a_right_and_a_wrong_answer_look_alike_until_then():
    (one,) = [i for i in draw_paper("1") if i.id == "gpu.a"]
    exam(1).answer(one.number, "391")
    right = all_state(exam(1))
    exam(1).answer(one.number, "392")
    assert right.replace("391", "392") == all_state(exam(1)) and "✓" not in right and "✗" not in right


def test_a_wrong_form_is_said_at_once_and_kept():
    view = exam(1).answer(1, "a lot").answer(2, "430 of 96")
    assert (
        "cannot be read: the answer must be a whole number" in view.rows[0]._said.value
        and "Kept as" not in view.rows[1]._said.value
    )
    assert view.answers[view.paper[0].key] == "a lot" and view.open() == list(range(1, 16))
    assert "Kept as 8" in view.answer(1, "8 elements").rows[0]._said.value and view.open()[0] == 2
    with pytest.raises(Exception, match="questions 1 to 15"):
        view.answer(16, 1)


def test_typing_keeps_an_answer_and_enter_changes_it(restart):
    view = exam(1)
    view.rows[0]._control.value = " 12 "
    assert view.answers == {view.paper[0].key: "12"} and "1 of 15" in view._head.value
    view.rows[0]._control.value = "13"
    restart()
    again = exam(1)
    assert again is not view and again.rows[0]._control.value == "13"
    again.rows[0]._control.value = ""
    assert again.answers == {} and exam().seed == "1"


def test_nothing_is_lost_between_two_windows_and_a_restart(restart):
    one, two = exam_view.ExamView("2"), exam_view.ExamView("2")
    one.answer(1, "11")
    two.answer(2, "(1, 2)")
    restart()
    assert len(exam(2).answers) == 2
    one.hand_in()
    assert two.answer(3, "5").answers == one.answers and len(one.answers) == 2


@pytest.mark.parametrize("answers", [[1], None, "x", {"a": 5}])
def test_an_edited_record_of_answers_stops_nothing(answers, fresh, restart):
    exam(1).answer(1, "391")
    file = fresh / "progress.json"
    data = json.loads(file.read_text())
    data["items"]["exam.1"]["answers"] = answers
    file.write_text(json.dumps(data))
    restart()
    view = exam(1).answer(2, "(1, 2)")
    assert list(view.answers.values()) == ["(1, 2)"] and "0 of 15 right" in repr(view.hand_in())


def test_an_answer_goes_to_no_other_question():
    """After an update of the course the same seed may ask something else."""
    view = exam(4).answer(1, "11")
    kept = store().item("exam.4")["answers"]
    assert list(kept) == [view.paper[0].key]
    other = replace(view.paper[0], asked=replace(view.paper[0].asked, question="Something else?"))
    assert other.key not in kept


@pytest.mark.parametrize("seed", ["1", "2", "spring-2027"])
def test_the_report_of_all_right_all_wrong_and_nothing(seed, fresh):
    for give, right in ((typed, 15), (wrong, 0), (lambda _: "", 0)):
        reset("exam")
        view = exam(seed, name="Ada")
        for item in view.paper:
            view.answer(item.number, give(item))
        report = view.hand_in()
        assert report.right == right and sum(a for a, _ in report.topics.values()) == right
        assert sum(b for _, b in report.topics.values()) == 15
        assert set(report.repeat) == (set() if right else set(report.topics))
        data = json.loads((fresh / report.file).read_text(encoding="utf-8"))
        assert (data["right"], data["asked"], data["name"], data["seed"]) == (right, 15, "Ada", seed)
        states = {item["state"] for item in data["items"]}
        assert states == {"right" if right else "open" if give(view.paper[0]) == "" else "wrong"}
        html = view.report()._repr_html_()
        assert 'href="02_layout.ipynb"' in html and 'href="04_banks.ipynb"' in html and html in view._below.value
        assert all(f"{i.number} {i.asked.title}" in repr(report) for i in view.paper)
    assert len(list(fresh.glob("exam-*.json"))) == 3  # an earlier result is never written over


def test_the_report_after_a_restart_is_the_same_and_nothing_changes_any_more(restart):
    view = exam(1).answer(1, "391").answer(4, "1")
    first = repr(view.hand_in())
    restart()
    again = exam(1)
    assert repr(again.report()) == first == repr(again.hand_in())
    assert again.answer(1, "7").answers == view.answers and again.rows[0]._control.disabled
    assert "1 of 15 right" in first and "first evening 1 of 5" in first


def test_half_right_is_counted_by_topic():
    view = exam(8)
    for item in view.paper:
        view.answer(item.number, typed(item) if item.topic in ("layout", "banks") else wrong(item))
    report = view.hand_in()
    assert report.topics["layout"] == (3, 3) and report.topics["banks"] == (1, 1) and report.right == 4
    assert "layout" not in report.repeat and "gpu" in report.repeat


def test_a_file_that_cannot_be_written_is_said_and_tried_again(monkeypatch, fresh):
    def full(path, text):
        raise OSError(28, "No space left on device")

    view = exam(1)
    with monkeypatch.context() as patch:
        patch.setattr(exam_view, "replace_file", full)
        assert "No file was written" in repr(view.hand_in())
    assert "exam-1.json" in repr(view.hand_in()) and (fresh / "exam-1.json").is_file()


def test_a_record_that_cannot_be_written_is_said_and_the_exam_goes_on(monkeypatch):
    def full(path, text):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store_module, "replace_file", full)
    view = exam(1).answer(1, "391")
    assert "cannot be written here" in view._below.value
    assert len(view.answer(2, "(1, 2)").answers) == 2 and "cannot be written here" in view._below.value


def test_without_progress_nothing_is_written(monkeypatch, fresh):
    monkeypatch.setenv("CUTELAB_PROGRESS", "off")
    assert "No file" in repr(exam("off").answer(1, "1").hand_in()) and list(fresh.iterdir()) == []


def test_an_exam_touches_neither_review_nor_progress_nor_results(fresh):
    predict("layout.a").lock(19)
    check("start.1", 12)
    before = (repr(progress()), review("thread_map").ids, without_time(results()))
    view = exam(1)
    for item in view.paper:
        view.answer(item.number, wrong(item))
    view.hand_in()
    assert (repr(progress()), review("thread_map").ids, without_time(results())) == before
    reset("exam")
    assert store().item("exam.1") == {} and store().item("layout.a")["answer"] == 19


def test_an_exam_has_no_row_of_exercises():
    assert "17_exam" not in repr(progress()) and "14_kernel" in repr(progress())


def without_time(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    return {**data, "written": ""}


def test_looking_at_an_exam_leaves_no_trace(fresh):
    assert "0 of 15 answered" in repr(exam()) and exam().seed == "1"
    assert "not handed in" in repr(exam().report()) and list(fresh.iterdir()) == []


def test_a_second_cell_that_asks_for_the_exam_leaves_the_controls_of_the_first():
    view = exam(1)
    view.outputs()
    exam(1).report()
    assert exam(1) is view and view.box.comm is not None and view.rows[0]._control.comm is not None
    exam_view.ExamView("1").answer(1, "12")  # another window
    assert exam(1).rows[0]._control.value == "12"


def test_a_seed_that_is_none_is_said_in_words():
    for seed in (True, 2.5, "", "a b", "x" * 41, "../x", [1]):
        assert "A seed is a number or a word" in repr(exam(seed)), seed
    assert "he name must be a text" in repr(exam(1, name=3))
    assert exam(-3).seed == "-3"


def test_every_topic_is_a_lesson():
    for source in SOURCES:
        assert find_lesson(source.topic).topic == source.topic
        assert f"({find_lesson(source.topic).notebook}.ipynb)" in paper.linked(source.topic)


def test_what_a_notebook_keeps_of_an_exam_is_its_report(monkeypatch):
    from IPython import display

    kept: dict[str, str] = {}

    def put(bundle, *, raw, display_id="", update=False):
        assert raw and update == (display_id in kept)
        if display_id:
            kept[display_id] = bundle["text/html"]

    monkeypatch.setattr(display, "display", put)
    view = exam(1)
    view._ipython_display_()
    (before,) = kept.values()
    view.answer(1, "391").hand_in()
    (after,) = kept.values()
    assert "Run this cell" in before and "1 of 15 right" not in before
    assert "Run this cell" not in after and "1 of 15 right" in after
