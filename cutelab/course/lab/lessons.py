"""Which exercises and predictions are there?

Notebook NN_name has its exercises in `ex_NN_name.py` (EXERCISES) and its predictions in `predict_NN_name.py`
(PREDICTIONS), beside this file. A new notebook adds these two and changes nothing else.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Exercise, Prediction


@dataclass(frozen=True)
class Lesson:
    """The exercises and predictions of one notebook, `notebook` being its file name without .ipynb."""

    notebook: str
    exercises: tuple[Exercise, ...]
    predictions: tuple[Prediction, ...]


LESSONS = (
    "00_start",
    "01_layout",
    "02_coalescing",
    "03_banks",
    "04_swizzle",
    "05_strips",
    "06_thread_map",
    "07_algebra",
    "08_tiling",
    "09_tensor_core",
    "10_pipeline",
    "11_kernel",
)
"""The notebooks in their order. NN_x has its exercises and predictions in `course/topics/x/lesson.py`."""


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, in the order of their numbers."""
    found = []
    for notebook in LESSONS:
        module = importlib.import_module(f"cutelab.course.topics.{notebook[3:]}.lesson")
        found.append(Lesson(notebook, module.EXERCISES, module.PREDICTIONS))
    return tuple(found)


def find_exercise(id: str) -> Exercise:
    """The exercise of this id. Raises CuteLabError, naming those that exist, if there is none."""
    return _find(id, "exercise", [e for lesson in lessons() for e in lesson.exercises])


def find_prediction(id: str) -> Prediction:
    """The prediction of this id. Raises CuteLabError, naming those that exist, if there is none."""
    return _find(id, "prediction", [p for lesson in lessons() for p in lesson.predictions])


def _find(id: str, what: str, entries: list[Any]) -> Any:
    for entry in entries:
        if entry.id == id:
            return entry
    near = [e.id for e in entries if e.id[:2] == str(id)[:2]] or [e.id for e in entries]
    raise CuteLabError(f"there is no {what} {id!r}; there are {', '.join(near)}")
