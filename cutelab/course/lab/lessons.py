"""Which exercises and predictions are there? Each topic has its own in `course/topics/x/lesson.py`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Exercise, Prediction
from cutelab.course.ask.ids import canonical, changed, topic_of
from cutelab.course.ask.reading import shown


@dataclass(frozen=True)
class Lesson:
    """The exercises and predictions of one notebook, `notebook` being its file name without .ipynb."""

    notebook: str
    exercises: tuple[Exercise, ...]
    predictions: tuple[Prediction, ...]

    @property
    def topic(self) -> str:
        return self.notebook.partition("_")[2]


LESSONS = (
    "00_start",
    "01_gpu",
    "02_layout",
    "03_coalescing",
    "04_banks",
    "05_swizzle",
    "06_composition",
    "07_tiling",
    "08_thread_map",
    "09_inverse",
    "10_tensor_core",
    "11_partition",
    "12_pipeline",
    "13_hopper",
    "14_kernel",
    "15_claims",
    "16_puzzles",
    "17_exam",
    "case_strips",
)
"""The notebooks in their order. NN_x has its exercises and predictions, named by topic, in `course/topics/x/lesson.py`:
another order is another order of these lines, and nothing else."""


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, in their order."""
    found = []
    for notebook in LESSONS:
        module = importlib.import_module(f"cutelab.course.topics.{notebook.partition('_')[2]}.lesson")
        found.append(Lesson(notebook, module.EXERCISES, module.PREDICTIONS))
    return tuple(found)


def find_lesson(name: str) -> Lesson:
    """The lesson of this notebook, topic or number: "04_banks", "banks", "04"."""
    for lesson in lessons():
        if isinstance(name, str) and name.removesuffix(".ipynb") in (
            lesson.notebook,
            lesson.topic,
            lesson.notebook.partition("_")[0],
        ):
            return lesson
    raise CuteLabError(f"there is no lesson {shown(name)}; there are {', '.join(one.topic for one in lessons())}")


def find_exercise(id: str) -> Exercise:
    """The exercise of this id. Raises CuteLabError, naming those that exist, if there is none."""
    entries = [e for lesson in lessons() for e in lesson.exercises]
    wanted = canonical(id) if isinstance(id, str) else ""
    found = next((e for e in entries if e.id == wanted), None)
    if found is None:
        raise CuteLabError(_unknown(id, "exercise", entries))
    return found


def find_prediction(id: str) -> Prediction:
    """The prediction of this id; "layout.a+1" is prediction a with other numbers, and so is "layout.4+1" for exercise 4.

    Raises CuteLabError, naming those that exist, if there is none.
    """
    entries = [p for lesson in lessons() for p in lesson.predictions]
    wanted, number = changed(id) if isinstance(id, str) else ("", 0)
    if number:
        every: list[Exercise | Prediction] = [*entries, *(e for lesson in lessons() for e in lesson.exercises)]
        for entry in every:
            if entry.id == wanted and entry.again is not None:
                return entry.again(Random(f"{wanted}+{number}"))
    found = next((p for p in entries if p.id == wanted), None)
    if found is None or number:
        raise CuteLabError(_unknown(id, "prediction", entries))
    return found


def _unknown(id: object, what: str, entries: Sequence[Exercise | Prediction]) -> str:
    """Names those of the same topic, or else the topics."""
    topic = topic_of(id) if isinstance(id, str) else ""
    near = [e.id for e in entries if topic_of(e.id) == topic]
    if not near:
        topics = dict.fromkeys(topic_of(e.id) for e in entries)
        return f"there is no {what} {shown(id)}; there are {entries[0].id} and others, of {', '.join(topics)}"
    return f"there is no {what} {shown(id)}; there are {', '.join(near)}"
