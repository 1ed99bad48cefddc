"""How far is the learner? A table to look at, and a summary for a teacher."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Prediction
from cutelab.course.lab.lessons import Lesson, lessons
from cutelab.course.lab.reply import Table
from cutelab.course.lab.store import Items, now, store

RESULTS_SCHEMA = "cutelab-results/1"


def progress() -> Table:
    """How far am I? For each notebook: exercises done, tried and open, and predictions locked in.

    The record is the file `progress.json` beside the notebooks; delete it to start afresh.
    """
    kept = store()
    items = kept.items()
    rows = tuple(counts(lesson, items) for lesson in lessons())
    total = sum(len(lesson.exercises) for lesson in lessons())
    done = sum(int(row[1]) for row in rows)
    heads = ("notebook", "done", "tried", "open", "predicted")
    notes = tuple(filter(None, [kept.take_notice()]))
    return Table(f"{done} of {total} exercises done", heads, rows, notes)


def counts(lesson: Lesson, items: Items) -> tuple[str, ...]:
    """The row of one notebook."""
    states = [items.get(e.id, {}).get("state", "open") for e in lesson.exercises]
    locked = sum("answer" in items.get(p.id, {}) for p in lesson.predictions)
    numbers = (str(states.count(state)) for state in ("done", "tried", "open"))
    return (lesson.notebook, *numbers, f"{locked} of {len(lesson.predictions)}")


def summary(items: Items, name: str | None = None) -> dict[str, Any]:
    """The results as plain data. The only personal entry is the name, and only if one is given.

    state "open" | "tried" | "done"; tries and hints are counts; first, last and done are times in UTC or None. A solution
    opens without the program's knowledge, so nothing is said about it.
    """
    notebooks = []
    for lesson in lessons():
        exercises = []
        for e in lesson.exercises:
            item = items.get(e.id, {})
            kept = {
                "state": item.get("state", "open"),
                "tries": item.get("tries", 0),
                "hints": item.get("hints", 0),
            }
            times = {key: item.get(key) for key in ("first", "last", "done")}
            exercises.append({"id": e.id, "title": e.title, **kept, **times})
        predictions = []
        for p in lesson.predictions:
            item = items.get(p.id, {})
            answer, locked = item.get("answer"), item.get("locked")
            about = {"locked": locked, "answer": answer, "right": is_right(p, answer)}
            predictions.append({"id": p.id, "title": p.title, **about})
        notebooks.append({"notebook": lesson.notebook, "exercises": exercises, "predictions": predictions})
    every = [e for n in notebooks for e in n["exercises"]]
    totals = {state: sum(e["state"] == state for e in every) for state in ("done", "tried", "open")}
    return {
        "schema": RESULTS_SCHEMA,
        "name": name,
        "written": now(),
        "exercises": totals,
        "notebooks": notebooks,
    }


def is_right(prediction: Prediction, answer: Any) -> bool | None:
    """Is this locked answer right? None if there is none, or if it belongs to an older question."""
    if answer is None:
        return None
    try:
        return prediction.reveal(restore(answer)).state == "good"
    except CuteLabError:
        return None


def restore(answer: Any) -> Any:
    """A locked answer as it was before JSON: lists are tuples again."""
    return tuple(answer) if isinstance(answer, list) else answer


def results(name: str | None = None, path: str | Path = "results.json") -> Path:
    """Where are my results for the teacher? Writes them as JSON and returns the file's path.

    Per exercise: state, tries, hints used, times. Nothing personal but the name, if you give one.
    """
    if name is not None and not isinstance(name, str):
        raise CuteLabError(f'the name must be a text, got {name!r}; for example results("Ada")')
    text = json.dumps(summary(store().items(), name), indent=1, ensure_ascii=False)
    target = Path(path)
    try:
        target.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise CuteLabError(
            f"{target} cannot be written ({error.strerror}); give another place, results(path=...)"
        ) from None
    return target
