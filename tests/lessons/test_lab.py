"""check, hint, solution, predict, progress and results, as a notebook calls them."""

import json
import re
from datetime import datetime

import pytest

from cutelab import CuteLabError
from cutelab.course.lab import predicting as predict_view
from cutelab.course.lab.claims import ClaimsPage
from cutelab.course.lab.lessons import find_lesson, lessons
from cutelab.course.lab.predicting import OPEN, PredictView
from cutelab.course.lab.reply import COLOURS, INK, Card, calm, to_html
from cutelab.course.lab.review import Review
from cutelab.lessons import check, claims, header, hint, predict, progress, results, review, solution

EXERCISES = sum(len(lesson.exercises) for lesson in lessons())


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("state", COLOURS)
def test_cards_are_readable_in_both_themes(state):
    colour, fill = COLOURS[state]
    dark = "#" + "".join(f"{round(int(fill[i : i + 2], 16) * 0.93 + 17 * 0.07):02x}" for i in (1, 3, 5))  # on #111
    assert contrast(colour, fill) >= 5.5 and contrast(INK, fill) >= 7
    assert contrast(colour, dark) >= 4.5 and contrast(INK, dark) >= 7
    html = Card(state, "✓", "Sentence.", ("line `code`",))._repr_html_()
    assert f"background:{fill};background:{calm(fill)};color:{INK}" in html and "✓" in html and ">code</code>" in html


def test_text_is_escaped():
    assert "<b>" not in to_html("<b>") and "<b>" not in check("layout.2", "<b>")._repr_html_()
    assert "<pre" in to_html("two\nlines")


def test_nothing_shown_carries_a_script():
    shown = [check("layout.1"), check("layout.2", "(6,4):(4,1)"), hint("layout.1"), solution("layout.1"), progress()]
    html = "".join(item._repr_html_() for item in shown)
    assert "<script" not in html and not re.search(r"\son\w+=", html)


def test_a_right_answer_is_done_and_stays_done():
    assert repr(check("layout.2", "(6,4):(1,6)")).startswith("✓ layout.2 Column-major: right.\n")
    check("layout.2", "(6,4):(4,1)")
    assert f"1 of {EXERCISES} exercises done" in repr(progress())
    assert progress().rows[2][:3] == ("02_layout", "1", "0")


def solved(exercise):
    names = {}
    exec(exercise.solution, names)
    return names[exercise.name]


def test_the_line_at_the_top_of_a_lesson_says_how_far_one_is():
    gpu, layout = find_lesson("gpu"), find_lesson("layout")
    first = header("layout")
    assert (
        first.sentence
        == f"02_layout: {len(layout.exercises)} exercises and {len(layout.predictions)} predictions wait for you."
    )
    assert (first.sign, first.lines) == ("○", ())
    check("layout.1")  # asked, not answered: nothing has begun
    assert header("02") == first
    check("layout.2", "(6,4):(1,6)")
    predict("layout.a").lock(19)
    then = header("02_layout")
    assert (
        f"1 of {len(layout.exercises)} exercises done, 1 of {len(layout.predictions)} predictions locked in"
        in then.sentence
    )
    assert then.lines == (f"Next: `layout.1` {layout.exercises[0].title}.",)
    check(gpu.exercises[0].id, solved(gpu.exercises[0]))
    left = f"In [01_gpu](01_gpu.ipynb) you left {len(gpu.exercises) - 1} exercises open."
    assert header("layout").lines[-1] == left and left not in header("coalescing").lines
    for one in (*gpu.exercises, *layout.exercises):
        check(one.id, solved(one))
    for one in layout.predictions:
        predict(one.id).lock(one.answer())
    assert (header("layout").sign, header("layout").lines) == ("✓", ())
    assert header("nowhere").state == "bad" and header(5.5).state == "bad"


def test_a_starter_is_no_try():
    check("layout.2", ...)
    assert progress().rows[2][1:4] == ("0", "0", "9")


def test_hints_come_one_after_the_other():
    assert [hint("layout.1").sentence[-12:] for _ in range(4)] == [
        "hint 1 of 3.",
        "hint 2 of 3.",
        "hint 3 of 3.",
        "hint 3 of 3.",
    ]


@pytest.mark.parametrize(
    "call", [lambda: check("01.99", 1), lambda: hint("x"), lambda: solution(None), lambda: predict("9")]
)
def test_an_unknown_id_is_said_in_words(call):
    card = call()
    assert card.sign == "✗" and "; there are " in repr(card) and len(repr(card)) <= 300


@pytest.mark.parametrize("n", [0, 4, -1, True, "1", 1.0])
def test_a_hint_that_does_not_exist(n):
    assert "has hints 1 to 3" in repr(hint("layout.1", n))


def test_a_prediction_locks_once():
    view = predict("layout.a")
    assert repr(view) == OPEN and not view.locked and view.answer is None
    view.lock(19)
    assert view.locked and "You predicted 19; the library computes 38." in repr(view)
    assert "in elements" in repr(view)
    view.lock(38)
    assert view.answer == 19
    assert view._control.disabled and view._button.disabled and view._button.description == "Locked in"


def test_a_locked_prediction_survives_a_new_kernel(restart):
    predict("layout.b").lock(1)
    restart()
    view = predict("layout.b")
    assert view.locked and repr(view).startswith("✓ You predicted 1")
    assert view._control.value == "1"


def test_the_button_locks_what_was_typed():
    view = predict("layout.a")
    view._button.click()
    assert not view.locked and "Type a whole number" in view._reveal.value
    view._control.value = "38 or 39"
    view._button.click()
    assert not view.locked
    view._control.value = " 38 bytes "
    view._button.click()
    assert view.answer == 38 and "✓" in view._reveal.value


def test_the_box_says_what_is_asked_for():
    assert predict("layout.a")._control.placeholder == "a whole number"
    assert predict("partition.a")._control.placeholder == "(row, column)"


def test_the_button_locks_what_was_chosen():
    view = predict("layout.d")
    view._button.click()
    assert not view.locked and "Choose one" in view._reveal.value
    view._control.value = "(8,4):(1,8)"
    view._button.click()
    assert view.answer == "(8,4):(1,8)" and "make_shape" in view._reveal.value


def test_the_stored_output_is_stable_and_says_not_locked():
    live, bundle = predict("layout.a").outputs()
    assert bundle["text/plain"] == OPEN and OPEN in bundle["text/html"] and "Run this cell" in bundle["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in live
    assert predict("layout.a").outputs()[1] == bundle
    assert "38" not in bundle["text/html"]


@pytest.mark.parametrize(
    "call", [lambda: predict("layout.a"), lambda: review("thread_map"), lambda: claims("thread maps", 1)]
)
def test_what_a_notebook_keeps_follows_the_lock(monkeypatch, call):
    """A notebook that was saved after "Lock in" shows the locked answer on another day."""
    from IPython import display

    kept: dict[str, str] = {}

    def put(bundle, *, raw, display_id="", update=False):
        assert raw and update == (display_id in kept)
        if display_id:
            kept[display_id] = bundle["text/html"]

    monkeypatch.setattr(display, "display", put)
    view = call()
    view._ipython_display_()
    (before,) = kept.values()
    first = one_of(view)
    first.lock(first.prediction.answer())
    (after,) = kept.values()
    assert OPEN in before and before.count(OPEN) == after.count(OPEN) + 1
    assert "Run this cell" in before and ("Run this cell" in after) == (OPEN in after)


def one_of(view):
    """One control of a page of questions, or the control itself."""
    if isinstance(view, Review):
        return predict_view._shown[view.ids[0]]
    return view.views[0] if isinstance(view, ClaimsPage) else view


def test_running_the_cell_again_closes_the_control_before():
    first = predict("layout.a")
    comms = first.box.comm
    second = predict("layout.a")
    assert first.box.comm is None and comms is not None and second.box.comm is not None


def test_choices_may_be_offered_in_place_of_a_number_box():
    view = predict("layout.a", 19, 38, 76)
    assert isinstance(view, PredictView) and [label for label, _ in view._control.options] == ["19", "38", "76"]
    view._control.value = 76
    view._button.click()
    assert view.answer == 76
    assert "lack the right answer" in repr(predict("layout.a", 19, 76))


def test_a_damaged_lock_of_an_older_question_is_gentle(fresh):
    items = {"layout.b": {"answer": 77, "locked": "2020-01-01T00:00:00+00:00"}}
    (fresh / "progress.json").write_text(json.dumps({"version": 1, "items": items}))
    assert "older question" in repr(predict("layout.b"))
    results()


def test_the_results_follow_their_schema(fresh):
    check("layout.2", "(6,4):(4,1)")
    check("layout.2", "(6,4):(1,6)")
    hint("layout.2", 2)
    predict("layout.a").lock(19)
    path = results("Ada")
    data = json.loads(path.read_text(encoding="utf-8"))
    assert path.name == "results.json" and path.parent.resolve() == fresh.resolve()
    assert list(data) == ["schema", "name", "written", "exercises", "notebooks"]
    assert data["schema"] == "cutelab-results/2" and data["name"] == "Ada"
    assert data["exercises"] == {"done": 1, "tried": 0, "open": EXERCISES - 1}
    assert [n["notebook"] for n in data["notebooks"]] == [lesson.notebook for lesson in lessons()]
    exercise = data["notebooks"][2]["exercises"][1]
    assert list(exercise) == ["id", "title", "state", "tries", "hints", "first", "last", "done", "wrong"]
    assert (exercise["id"], exercise["state"], exercise["tries"], exercise["hints"]) == ("layout.2", "done", 2, 2)
    assert datetime.fromisoformat(exercise["done"]) >= datetime.fromisoformat(exercise["first"])
    prediction = data["notebooks"][2]["predictions"][0]
    assert (prediction["answer"], prediction["right"]) == (19, False)
    assert data["notebooks"][2]["predictions"][1] == {
        "id": "layout.b", "title": "From row to row", "locked": None, "answer": None, "right": None, "sure": None,
    }  # fmt: skip


def test_results_are_anonymous_by_default_and_refuse_a_place_that_is_not_there(tmp_path):
    assert json.loads(results().read_text())["name"] is None
    with pytest.raises(CuteLabError, match="another place"):
        results(path=tmp_path / "missing" / "results.json")
    with pytest.raises(CuteLabError, match="must be a text"):
        results(7)
