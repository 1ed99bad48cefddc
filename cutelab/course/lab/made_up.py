"""A class that does not exist, to see the class table before there is a class."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Exercise, Prediction
from cutelab.course.ask.reading import shown
from cutelab.course.lab.lessons import lessons
from cutelab.course.lab.paper import TOPIC, Report, draw_paper, mark_all
from cutelab.course.lab.report import summary
from cutelab.course.lab.store import Item, Items, replace_file

MOST = 200  # learners
DAY = "2027-03-01T18:00:00Z"  # when all of it is said to have happened


def made_up_class(folder: str | Path, learners: int = 12, seed: int = 1) -> Path:
    """What does a folder of results look like? Writes those of so many learners who do not exist, and returns the folder.

    Each comes as far as chance says, and answers as the lessons foresee: right, or wrong in one of the typical ways; whoever
    comes to the end takes an exam. The same seed gives the same class. Raises CuteLabError for a folder that holds something.

    >>> import tempfile
    >>> from cutelab.lessons import classroom
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = classroom(made_up_class(folder, 3))
    >>> [row[0] for row in table.rows], table.damaged
    (['learner 01', 'learner 02', 'learner 03'], ())
    """
    if not isinstance(learners, int) or not 1 <= learners <= MOST:
        raise CuteLabError(f"a class has 1 to {MOST} learners, got {shown(learners)}")
    target = Path(folder)
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise CuteLabError(f"{target} is not empty; made-up results go into a folder of their own")
    target.mkdir(parents=True, exist_ok=True)
    draw = Random(seed)
    for number in range(1, learners + 1):
        name = f"learner {number:02d}"
        last = draw.randint(3, len(lessons()))
        written = {**summary(_items(draw, last), name), "written": DAY}
        replace_file(target / f"{name}.json", json.dumps(written, indent=1, ensure_ascii=False))
        if TOPIC in (one.topic for one in lessons()[:last]):
            replace_file(target / f"exam-{name}.json", json.dumps(_exam(draw, name), indent=1, ensure_ascii=False))
    return target


def _items(draw: Random, last: int) -> Items:
    """The record of somebody who came this far."""
    items: Items = {}
    for number, lesson in enumerate(lessons()[:last], 1):
        for asked in lesson.predictions:
            items |= _locked(draw, asked)
        for exercise in lesson.exercises:
            if number < last or draw.random() < 0.5:  # in the midst of the last one
                items[exercise.id] = _tried(draw, exercise)
    return items


def _locked(draw: Random, asked: Prediction) -> dict[str, Item]:
    """A prediction that is locked in, where its answer is one that a record can hold."""
    foreseen = [w.answer for w in asked.replies if isinstance(w.answer, int | str)]
    answer: Any = draw.choice(foreseen) if foreseen and draw.random() < 0.4 else asked.answer()
    if not isinstance(answer, int | str):
        return {}
    return {asked.id: {"answer": answer, "locked": DAY, "sure": draw.random() < 0.7}}


def _tried(draw: Random, asked: Exercise) -> Item:
    """An exercise that is done, after wrong answers that the lesson foresees."""
    foreseen = [[shown(w.answer).strip("'"), w.words] for w in asked.wrong if not callable(w.answer)]
    wrong = draw.sample(foreseen, min(len(foreseen), draw.choice((0, 0, 1, 2))))
    times = {"first": DAY, "last": DAY, "done": DAY}
    return {"state": "done", "tries": 1 + len(wrong), "hints": draw.choice((0, 0, 1)), "wrong": wrong, **times}


def _exam(draw: Random, name: str) -> dict[str, Any]:
    """An exam in which about every third answer is left open."""
    paper = draw_paper("spring-2027")
    given = {one.key: one.asked.words(one.asked.answer()) if draw.random() < 0.7 else "" for one in paper}
    return Report("spring-2027", name, DAY, DAY, mark_all(paper, given)).to_dict()
