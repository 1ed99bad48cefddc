"""`review`: two or three old questions with new numbers, at the start of a lesson. Nobody is forced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Exercise, Prediction
from cutelab.course.ask.ids import changed
from cutelab.course.lab.checking import trouble
from cutelab.course.lab.html import live_and_kept, show
from cutelab.course.lab.lessons import Lesson, find_lesson, find_prediction, lessons
from cutelab.course.lab.predicting import WAKE, PredictView, predict
from cutelab.course.lab.reply import Card
from cutelab.course.lab.report import is_right
from cutelab.course.lab.store import Items, store

MOST, LEAST = 3, 2  # questions of a review
BACK = (2, 4)  # lessons back, where nothing was wrong or guessed


@dataclass(frozen=True)
class Review:
    """The questions of a review: each is a prediction with new numbers. `ids` name them, for `predict(id)`.

    lesson  before which it stands; "" for a review of all that was done
    """

    lesson: str
    ids: tuple[str, ...]
    why: str

    def views(self) -> list[PredictView]:
        """A control for each question."""
        return [view for id in self.ids if isinstance(view := predict(id), PredictView)]

    def __repr__(self) -> str:
        asked = "".join(f'\n  predict("{id}")  {find_prediction(id).question}' for id in self.ids)
        return f"{self.why}{asked}"

    def outputs(self) -> tuple[dict[str, Any], ...]:
        """The live controls, and what is kept of them for another day."""
        return self._outputs(self.views())

    @property
    def call(self) -> str:
        """What makes this review."""
        return f'review("{self.lesson}")' if self.lesson else "review()"

    def _outputs(self, views: list[PredictView]) -> tuple[dict[str, Any], ...]:
        box = widgets.VBox([widgets.HTML(f"<p>{self.why}</p>"), *(view.box for view in views)])
        asked = "".join(view.kept() for view in views)
        wake = "" if all(view.locked for view in views) else WAKE
        return live_and_kept(box, self.call, repr(self), f"<p>{self.why}</p>{asked}", wake)

    def _ipython_display_(self) -> None:
        views = self.views()
        renew = show(self._outputs(views))
        for view in views:
            view.watch(lambda: renew(self._outputs(views)[-1]))


def review(lesson: str | None = None) -> Review | Card:
    """What do I still know? Two or three old questions with new numbers, before this lesson ("banks", "03").

    Without a lesson: of every lesson up to the last one in which something was answered.

    First what was wrong, needed several tries or was locked in as a guess in the lessons before; where that is not enough,
    from two and from four lessons back. A question comes back with other numbers each time.

    >>> review("banks").ids
    ('layout.a+1', 'start.a+1')
    """
    kept = store().items()
    try:
        here = None if lesson is None else find_lesson(lesson)
    except CuteLabError as error:
        return trouble(error)
    before = begun(kept) if here is None else lessons()[: lessons().index(here)]
    weak = [entry for one in reversed(before) for entry in renewable(one) if was_weak(entry, kept)][:MOST]
    chosen = weak + [entry for entry in from_back(before) if entry not in weak][: max(0, LEAST - len(weak))]
    ids = tuple(f"{entry.id}+{next_number(entry.id, kept)}" for entry in chosen)
    if not ids:
        return Card(
            "note",
            "…",
            "Nothing to look back on yet.",
            ("Questions come from lessons in which you answered something.",)
            if here is None
            else ("This is the beginning of the course.",),
        )
    why = (
        "Before you begin: what went wrong, or was a guess, with new numbers."
        if weak
        else "Before you begin: two old questions with new numbers."
    )
    return Review("" if here is None else here.topic, ids, why)


def begun(kept: Items) -> tuple[Lesson, ...]:
    """The lessons up to the last one in which something was answered."""
    asked = {changed(key)[0] for key in kept}
    known = [{*(e.id for e in one.predictions), *(e.id for e in one.exercises)} for one in lessons()]
    last = max((i for i, ids in enumerate(known, 1) if ids & asked), default=0)
    return lessons()[:last]


def renewable(lesson: Lesson) -> list[Exercise | Prediction]:
    """What of a lesson can be asked again with other numbers?"""
    every: list[Exercise | Prediction] = [*lesson.predictions, *lesson.exercises]
    return [entry for entry in every if entry.again is not None]


def from_back(before: Sequence[Lesson]) -> list[Exercise | Prediction]:
    """Questions of two and of four lessons back, and then of the others, the nearest first, one of each lesson at a time."""
    order = [before[-n] for n in BACK if n <= len(before)]
    order += [one for one in reversed(before) if one not in order]
    lines = [[entry for entry in renewable(one) if isinstance(entry, Prediction)] for one in order]
    return [line[i] for i in range(max(map(len, lines), default=0)) for line in lines if i < len(line)]


def was_weak(entry: Exercise | Prediction, items: Items) -> bool:
    """Was it wrong, a guess, or right only after several tries, and not answered rightly in a review since?"""
    item = items.get(entry.id, {})
    if isinstance(entry, Prediction):
        weak = "answer" in item and (not item.get("sure", True) or is_right(entry, item["answer"]) is False)
    else:
        weak = item.get("tries", 0) > 1 or item.get("state") == "tried"
    return weak and not any(
        is_right(find_prediction(key), later["answer"]) and later.get("sure", True)
        for key, later in items.items()
        if changed(key)[0] == entry.id and changed(key)[1] and "answer" in later
    )


def next_number(id: str, items: Items) -> int:
    """The number of the next change of this question: one that was not answered yet."""
    used = {changed(key)[1] for key, item in items.items() if changed(key)[0] == id and "answer" in item}
    return next(n for n in range(1, len(used) + 2) if n not in used)
