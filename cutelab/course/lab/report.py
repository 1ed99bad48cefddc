"""How far is the learner? A table to look at, and a summary for a teacher."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Prediction
from cutelab.course.ask.ids import topic_of
from cutelab.course.ask.reading import shown
from cutelab.course.ask.target import Target, amount
from cutelab.course.card.words import count
from cutelab.course.lab.checking import trouble
from cutelab.course.lab.lessons import Lesson, find_lesson, lessons
from cutelab.course.lab.reply import Card, Table
from cutelab.course.lab.store import Items, now, numbered, replace_file, store

RESULTS = "cutelab-results/"
RESULTS_SCHEMA = RESULTS + "2"


def progress(lesson: str | None = None) -> Table | Card:
    """How far am I? For each notebook: exercises done, tried and open, and predictions locked in.

    With a lesson, by number, name or topic ("16", "puzzles"): each of its exercises, and of a puzzle the best answer so far.
    The record is the file `progress.json` beside the notebooks; delete it to start afresh.
    """
    kept = store()
    items = kept.items()
    if lesson is not None:
        try:
            return one_lesson(find_lesson(lesson), items, kept.take_notice())
        except CuteLabError as error:
            return trouble(error)
    rows = tuple(counts(one, items) for one in lessons() if one.exercises or one.predictions)
    total = sum(len(one.exercises) for one in lessons())
    done = sum(int(row[1]) for row in rows)
    heads = ("notebook", "done", "tried", "open", "predicted")
    notes = tuple(filter(None, [kept.take_notice()]))
    return Table(f"{done} of {total} exercises done", heads, rows, notes)


def header(lesson: str) -> Card:
    """How far am I in this lesson, and what was left open before it? The line at the top of each notebook.

    lesson  its number, name or topic ("04", "banks")

    >>> header("gpu").sentence
    '01_gpu: 4 exercises and 3 predictions wait for you.'
    """
    try:
        here = find_lesson(lesson)
    except CuteLabError as error:
        return trouble(error)
    kept = store()
    items = kept.items()
    todo = [e for e in here.exercises if items.get(e.id, {}).get("state") != "done"]
    locked = sum("answer" in items.get(p.id, {}) for p in here.predictions)
    done, tasks, asked = len(here.exercises) - len(todo), len(here.exercises), len(here.predictions)
    started = done or locked or any(e.id in items for e in here.exercises)
    lines = []
    if started:
        sentence = f"{here.notebook}: {done} of {tasks} exercises done, {locked} of {asked} predictions locked in."
        if todo:
            lines.append(f"Next: `{todo[0].id}` {todo[0].title}.")
    else:
        waiting = [count(n, noun) for n, noun in ((tasks, "exercise"), (asked, "prediction")) if n]
        sentence = f"{here.notebook}: {' and '.join(waiting)} wait{'s' * (tasks + asked == 1)} for you."
    earlier = [one for one in lessons() if one.notebook < here.notebook and one.exercises]
    for one in earlier[-1:] if here.notebook[0].isdigit() else []:
        left = sum(items.get(e.id, {}).get("state") != "done" for e in one.exercises)
        if left and left < len(one.exercises):
            lines.append(f"In [{one.notebook}]({one.notebook}.ipynb) you left {count(left, 'exercise')} open.")
    lines.append(kept.take_notice())
    over = not todo and locked == asked
    return Card("good", "✓" if over else "○", sentence, tuple(filter(None, lines)))


def one_lesson(lesson: Lesson, items: Items, notice: str) -> Table:
    """Each exercise of one notebook: its state, the tries, and of a puzzle the best answer beside its par."""
    puzzles = [e.kind for e in lesson.exercises if isinstance(e.kind, Target)]
    rows: list[tuple[str, ...]] = []
    at_par = 0
    for e in lesson.exercises:
        item = items.get(e.id, {})
        row: tuple[str, ...] = (f"{e.id} {e.title}", item.get("state", "open"), str(item.get("tries", 0)))
        if isinstance(e.kind, Target):
            best = item.get("best")
            at_par += best is not None and best <= e.kind.par
            row = (*row, "" if best is None else f"{best:,}", amount(e.kind.par, e.kind.unit))
        elif puzzles:
            row = (*row, "", "")
        rows.append(row)
    heads = ("exercise", "state", "tries") + (("best", "par") if puzzles else ())
    done = sum(row[1] == "done" for row in rows)
    caption = f"{lesson.notebook}: {done} of {len(rows)} done" + (
        f", {at_par} of {len(puzzles)} at par" if puzzles else ""
    )
    return Table(caption, heads, tuple(rows), tuple(filter(None, [notice])))


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
    notebooks: list[dict[str, Any]] = []
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
            wrong = [{"answer": said, "words": words} for said, words in item.get("wrong", [])]
            exercises.append({"id": e.id, "title": e.title, **kept, **times, "wrong": wrong})
        predictions = []
        for p in lesson.predictions:
            item = items.get(p.id, {})
            answer, locked = item.get("answer"), item.get("locked")
            sure = None if answer is None else bool(item.get("sure", True))
            about = {"locked": locked, "answer": answer, "right": is_right(p, answer), "sure": sure}
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
    return tuple(map(restore, answer)) if isinstance(answer, list) else answer


def results(name: str | None = None, path: str | Path = "results.json") -> Path:
    """Where are my results for the teacher? Writes them as JSON and returns the file's path.

    Per exercise: state, tries, hints used, times, wrong answers. Nothing personal but the name, if you give one. Only a file
    of results is written over, no other.
    """
    if name is not None and not isinstance(name, str):
        raise CuteLabError(f'the name must be a text, got {shown(name)}; for example results("Ada")')
    if not isinstance(path, str | Path) or not str(path) or "\0" in str(path):
        raise CuteLabError(f'the path must be a file name, got {shown(path)}; for example results(path="results.json")')
    target = Path(path)
    if target.exists() and not is_results(target):
        raise CuteLabError(
            f"{target} holds something else than results and stays as it is; give another name, results(path=...)"
        )
    text = json.dumps(summary(store().items(), name), indent=1, ensure_ascii=False)
    try:
        replace_file(target, text + "\n")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise CuteLabError(f"{target} cannot be written ({why}); give another place, results(path=...)") from None
    return target


def is_results(path: Path) -> bool:
    """Does this file hold results, of any version?"""
    try:
        data = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(data, dict) and str(data.get("schema", "")).startswith(RESULTS)


def reset(lesson: str | None = None) -> Card:
    """Start a lesson afresh, by number, name or topic ("03", "banks"); without one, the whole course.

    Its answers and predictions are forgotten; a copy of the record as it was is set aside first.
    """
    try:
        chosen = lessons() if lesson is None else (find_lesson(lesson),)
        kept = store()
        topics = {one.topic for one in chosen}
        gone = {key for key in kept.items() if lesson is None or topic_of(key) in topics}
        copy = None
        if gone and kept.path is not None and kept.path.is_file():
            copy = numbered(kept.path.with_name("progress.before-reset.json"))
            replace_file(copy, kept.path.read_text(encoding="utf-8"))
    except CuteLabError as error:
        return trouble(error)
    except (OSError, ValueError):
        return trouble(CuteLabError("the record cannot be copied here, so nothing was reset"))
    what = "the whole course" if lesson is None else f"lesson {chosen[0].notebook}"
    if not gone:
        return Card("good", "✓", f"Nothing to forget: no answer of {what} is kept.")
    kept.drop(gone)
    line = f"The record as it was is now {copy.name}." if copy else "Nothing had been saved before."
    return Card("good", "✓", f"Afresh: {what}, {len(gone)} record{'s' * (len(gone) != 1)}.", (line,))
