"""`check`, `hint` and `solution`: what a learner calls in a notebook cell."""

from __future__ import annotations

from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Exercise
from cutelab.course.lab.lessons import find_exercise
from cutelab.course.lab.reply import Card, Folded
from cutelab.course.lab.store import now, store

SIGNS = {"good": "✓", "bad": "✗", "note": "…"}


def check(id: str, answer: Any = ...) -> Card:
    """Is this answer right? Says so at once: right, or yours against right at the first place where they differ.

    An untouched starter (`...`) is "not answered yet" and counts as no try. Each try of a function's exercise draws new
    random inputs.

    >>> check("00.1", ...)
    … 00.1 Give an answer: not answered yet.
      How many elements has a tile of 4 rows and 8 columns? Put the number in place of `...` and run the cell again.
    """
    try:
        exercise = find_exercise(id)
    except CuteLabError as error:
        return trouble(error)
    kept = store()
    verdict = exercise.check(answer, seed=kept.item(id).get("tries", 0))
    if verdict.state != "note":
        kept.change(id, lambda item: tried(item, verdict.state == "good"))
    sentence = f"{exercise.id} {exercise.title}: {verdict.sentence}"
    return Card(verdict.state, SIGNS[verdict.state], sentence, (verdict.second, kept.take_notice()))


def tried(item: dict[str, Any], right: bool) -> dict[str, Any]:
    """The record of an exercise after one more try."""
    time = now()
    done = {"done": item.get("done", time)} if right or "done" in item else {}
    state = "done" if done else "tried"
    return {
        **item,
        "state": state,
        "tries": item.get("tries", 0) + 1,
        "first": item.get("first", time),
        "last": time,
        **done,
    }


def hint(id: str, n: int | None = None) -> Card:
    """What would help with this exercise? Hint 1, 2 or 3; without a number, the next one that you have not seen.

    >>> hint("00.1", 9)
    ✗ 00.1 has hints 1 to 2, not 9.
    """
    try:
        exercise = find_exercise(id)
        number = pick_hint(exercise, n, store().item(id).get("hints", 0))
    except CuteLabError as error:
        return trouble(error)
    kept, count = store(), len(exercise.hints)
    kept.change(id, lambda item: {**item, "hints": max(number, item.get("hints", 0))})
    sentence = f"{exercise.id} {exercise.title}, hint {number} of {count}."
    return Card("note", "?", sentence, (exercise.hints[number - 1], kept.take_notice()))


def pick_hint(exercise: Exercise, n: int | None, seen: int) -> int:
    """Which hint is meant? Raises CuteLabError for one that does not exist."""
    count = len(exercise.hints)
    if n is None:
        return min(seen + 1, count)
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= count:
        raise CuteLabError(f"{exercise.id} has hints 1 to {count}, not {n!r}")
    return n


def solution(id: str) -> Folded | Card:
    """How could this exercise be answered? Folded away; open it with a click, or print `solution(id).source`.

    >>> solution("00.1")
    ▸ Solution of 00.1 Give an answer: folded away. To read it as text: print(solution("00.1").source)
    """
    try:
        exercise = find_exercise(id)
    except CuteLabError as error:
        return trouble(error)
    return Folded(
        f"Solution of {exercise.id} {exercise.title}",
        exercise.solution,
        exercise.because,
        f'solution("{exercise.id}")',
    )


def trouble(error: CuteLabError) -> Card:
    """The card for a call that cannot be answered: the error in words, without a traceback."""
    text = str(error)
    return Card("bad", "✗", text[:1].upper() + text[1:] + ".")
