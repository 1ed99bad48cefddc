"""The same question with other numbers: after a choice, and in a review of earlier lessons."""

import pytest

from cutelab.course.ask.exercise import Prediction
from cutelab.course.ask.kinds import Choice
from cutelab.course.lab.lessons import find_prediction, lessons
from cutelab.course.lab.predicting import PredictView
from cutelab.lessons import check, predict, review

AGAIN = [e for lesson in lessons() for e in (*lesson.predictions, *lesson.exercises) if e.again]


@pytest.mark.parametrize("entry", AGAIN, ids=lambda e: e.id)
def test_a_changed_question_has_one_right_answer_and_changes(entry):
    changes = [find_prediction(f"{entry.id}+{n}") for n in range(1, 41)]
    assert len({(c.question, getattr(c.kind, "options", ())) for c in changes}) >= 2
    for one in changes:
        right = one.answer()
        assert one.reveal(right).state == "good"
        assert all(one.kind.read(reply.answer) != right for reply in one.replies)
        options = getattr(one.kind, "options", ())
        assert len({text for _, text in options}) == len(options)


def test_every_choice_can_be_asked_again_and_every_lesson_has_something_for_a_review():
    choices = [e for lesson in lessons() for e in lesson.exercises if isinstance(e.kind, Choice)]
    assert choices and all(e.again for e in choices)
    asking = [lesson for lesson in lessons() if lesson.topic != "exam"]  # which asks with fresh numbers only
    assert all(any(p.again for p in lesson.predictions) for lesson in asking)


def test_after_a_choice_that_took_several_tries_a_changed_one_is_asked():
    assert "+" not in repr(check("swizzle.4", "b"))
    check("banks.3", "a")
    card = check("banks.3", "b")
    assert card.state == "good" and 'predict("banks.3+1")' in repr(card)
    view = predict("banks.3+1")
    assert isinstance(view, PredictView) and view.lock(view.prediction.answer()).locked


def test_a_review_goes_two_and_four_lessons_back_if_nothing_was_wrong():
    order = [lesson.topic for lesson in lessons()]
    assert [id.partition(".")[0] for id in review("thread_map").ids] == [
        order[order.index("thread_map") - n] for n in (2, 4)
    ]
    banks = next(lesson.notebook for lesson in lessons() if lesson.topic == "banks")
    assert review(banks[:2]).ids == review(banks).ids == review("banks").ids
    assert "beginning" in repr(review("start")) and "no lesson" in repr(review("99"))


def test_a_review_asks_what_was_wrong_or_guessed_until_it_is_right():
    predict("layout.a").lock(19)
    predict("banks.b").lock(32, sure=False)
    predict("swizzle.a").lock(46)
    assert set(review("thread_map").ids) == {"banks.b+1", "layout.a+1"}
    view = predict("layout.a+1")
    view.lock(view.prediction.answer())
    assert "layout.a+1" not in review("thread_map").ids and "layout.a+2" not in review("thread_map").ids
    wrong = predict("banks.b+1")
    wrong.lock(wrong.prediction.answer(), sure=False)
    assert "banks.b+2" in review("thread_map").ids


def test_a_review_without_a_lesson_asks_of_all_that_was_done():
    assert "Nothing to look back on yet" in repr(review()) and "beginning" not in repr(review())
    predict("banks.a").lock(3)
    assert {id.partition(".")[0] for id in review().ids} <= {"start", "gpu", "layout", "coalescing", "banks"}
    predict("layout.a").lock(1, sure=False)
    assert "layout.a+1" in review().ids and review(None).ids == review().ids
    assert "review()" in str(review().outputs())


def test_a_review_shows_its_questions():
    shown = review("thread_map")
    live, kept = shown.outputs()
    assert all(find_prediction(id).question in repr(shown) for id in shown.ids)
    assert "application/vnd.jupyter.widget-view+json" in live and kept["text/plain"] == repr(shown)


def test_a_prediction_is_locked_as_sure_or_as_a_guess(restart):
    assert predict("layout.a").lock(38).sure is True
    predict("layout.c")._guess.value = True
    view = predict("layout.c")
    view._guess.value, view._control.value = True, "8 holes"
    view._control._handle_msg(
        {"content": {"data": {"method": "custom", "content": {"event": "submit"}}}, "buffers": []}
    )
    assert view.answer == 8 and view.sure is False  # Enter locks it in
    restart()
    assert predict("layout.c").sure is False and predict("layout.c")._guess.value


def test_unknown_changes_are_said_in_words():
    for id in ("layout.a+0", "layout.b+1", "layout.a+x", "layout.a+99999999"):
        assert "there is no" in repr(predict(id)).lower(), id


def test_changed_questions_are_predictions():
    assert all(isinstance(find_prediction(f"{e.id}+1"), Prediction) for e in AGAIN)
