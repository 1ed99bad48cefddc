"""Which exercises and predictions are there?

Notebook NN_name has its exercises in `ex_NN_name.py` (EXERCISES) and its predictions in `predict_NN_name.py`
(PREDICTIONS), beside this file. A new notebook adds these two and changes nothing else.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cutelab.errors import CuteLabError
from cutelab.lessons.exercise import Exercise, Prediction


@dataclass(frozen=True)
class Lesson:
    """The exercises and predictions of one notebook, `notebook` being its file name without .ipynb."""

    notebook: str
    exercises: tuple[Exercise, ...]
    predictions: tuple[Prediction, ...]


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons, in the order of their numbers."""
    modules = {m.name for m in pkgutil.iter_modules([str(Path(__file__).parent)])}
    notebooks = sorted({name.partition("_")[2] for name in modules if re.match(r"(ex|predict)_\d\d_", name)})

    def entries(prefix: str, notebook: str, what: str) -> tuple[Any, ...]:
        name = f"{prefix}_{notebook}"
        return getattr(importlib.import_module(f"cutelab.lessons.{name}"), what) if name in modules else ()

    return tuple(
        Lesson(notebook, entries("ex", notebook, "EXERCISES"), entries("predict", notebook, "PREDICTIONS"))
        for notebook in notebooks
    )


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
