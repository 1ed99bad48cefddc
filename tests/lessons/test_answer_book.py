"""The answer book holds every question of the course, with the answer that its checker accepts."""

import pytest

from cutelab.core.errors import CuteLabError
from cutelab.course.lab.answers import answer_book
from cutelab.course.lab.lessons import find_exercise, find_prediction, lessons
from cutelab.course.lab.paper import draw_paper

WITHOUT_CLAIMS = [lesson.topic for lesson in lessons() if lesson.topic != "claims"]


@pytest.mark.parametrize("topic", WITHOUT_CLAIMS)
def test_a_lessons_questions_all_stand_there_with_an_answer_that_is_right(topic):
    (lesson,) = (one for one in lessons() if one.topic == topic)
    book = answer_book(topic)
    assert [e.id for e in book.entries] == [q.id for q in (*lesson.predictions, *lesson.exercises)]
    for entry in book.entries:
        if entry.solution:
            assert entry.solution == find_exercise(entry.id).solution and not entry.right
        else:
            assert find_prediction(entry.id).reveal(entry.right).state == "good", entry.id
        text = entry.markdown()
        assert all(part in text for part in (entry.id, entry.question, entry.why, entry.right, entry.solution))
        assert all(words in text for _, words in entry.wrong)
    assert all(entry.markdown() in book.markdown() for entry in book.entries)


def test_the_answers_of_an_exam_are_those_that_it_accepts():
    book = answer_book(exam="spring-2027")
    assert len(book.entries) == 15 and "## Exam spring-2027" in book.markdown()
    for entry, item in zip(book.entries, draw_paper("spring-2027"), strict=True):
        assert entry.question == item.asked.question and item.mark(entry.right).state == "right"


def test_what_does_not_exist_is_said():
    for lesson, exam in (("nothing", None), (None, "a b")):
        with pytest.raises(CuteLabError):
            answer_book(lesson, exam)
