"""The answer book: every question of the course with its right answer, made from what the lessons themselves hold."""

from __future__ import annotations

from dataclasses import dataclass

from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.reading import shown
from cutelab.course.lab.lessons import find_lesson, lessons
from cutelab.course.lab.paper import draw_paper, want_seed


@dataclass(frozen=True)
class Entry:
    """One question. right: of a prediction; solution: of an exercise, as a learner would write it; wrong: answers and words."""

    id: str
    title: str
    question: str
    right: str
    solution: str
    why: str
    wrong: tuple[tuple[str, str], ...]

    def markdown(self) -> str:
        solution = f"```python\n{self.solution}\n```" if self.solution else ""
        right = f"**Right:** `{self.right}`" if self.right else ""
        foreseen = "\n".join(f"- `{said}`: {words}" if said else f"- {words}" for said, words in self.wrong)
        return "\n\n".join(
            filter(None, (f"### {self.id} {self.title}", self.question, right, solution, self.why, foreseen))
        )


@dataclass(frozen=True)
class Book:
    """The questions of some lessons, or of one exam, by the title of their part."""

    parts: tuple[tuple[str, tuple[Entry, ...]], ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for _, entries in self.parts for entry in entries)

    def markdown(self) -> str:
        """The book as Markdown."""
        parts = (
            f"## {title}\n\n" + "\n\n".join(e.markdown() for e in entries) for title, entries in self.parts if entries
        )
        return "# Answers\n\n" + "\n\n".join(parts)

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def __repr__(self) -> str:
        return f"answers to {len(self.entries)} questions; print(book.markdown()) shows them"


def answer_book(lesson: str | None = None, exam: int | str | None = None) -> Book:
    """What is the right answer to each question of this lesson, of this exam, or of the whole course?

    Right answers are computed now, and an exercise's solution is the one that `solution` folds away. Raises CuteLabError for
    a lesson that does not exist and for a seed that is none.

    >>> [entry.id for entry in answer_book("start").entries]
    ['start.a', 'start.1', 'start.2']
    """
    if exam is not None:
        seed = want_seed(exam)
        asked = tuple(of_prediction(item.asked, str(item.number)) for item in draw_paper(seed))
        return Book(((f"Exam {seed}", asked),))
    chosen = lessons() if lesson is None else (find_lesson(lesson),)
    return Book(
        tuple(
            (one.notebook, (*map(of_prediction, one.predictions), *map(of_exercise, one.exercises))) for one in chosen
        )
    )


def of_prediction(asked: Prediction, id: str = "") -> Entry:
    """A prediction with its right answer."""
    right = asked.words(asked.answer())
    return Entry(id or asked.id, asked.title, asked.question, right, "", asked.because, foreseen(asked.replies))


def of_exercise(asked: Exercise) -> Entry:
    """An exercise with its solution."""
    return Entry(asked.id, asked.title, asked.question, "", asked.solution, asked.because, foreseen(asked.wrong))


def foreseen(wrong: tuple[Wrong, ...]) -> tuple[tuple[str, str], ...]:
    """Typical wrong answers with what is said of each; of a function, only that."""
    return tuple(("" if callable(w.answer) else shown(w.answer).strip("'"), w.words) for w in wrong)
