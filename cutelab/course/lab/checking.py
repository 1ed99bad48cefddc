"""`check`, `hint` and `solution`: what a learner calls in a notebook cell."""

from __future__ import annotations

from functools import partial
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Exercise, Reply
from cutelab.course.ask.kinds import Choice
from cutelab.course.ask.reading import shown
from cutelab.course.lab.buttons import ExerciseCard
from cutelab.course.lab.lessons import find_exercise
from cutelab.course.lab.reply import Card, Folded
from cutelab.course.lab.store import Item, now, store

SIGNS = {"good": "✓", "bad": "✗", "note": "…"}
STOPPED = Reply("note", "stopped.", "Your code was interrupted; this was no try.", counts=False)


def check(id: str, answer: Any = ...) -> Card:
    """Is this answer right? Says so at once, and if not, what was meant and where it differs. The card keeps the question.

    An untouched starter (`...`) is "not answered yet", an answer of another form is told which form is asked for; neither
    counts as a try. Each try of a function's exercise draws new random inputs. From the third try on, a reply may show a
    right value.

    >>> check("start.1", ...)
    … start.1 Give an answer: not answered yet.
      How many elements has a tile of 4 rows and 8 columns? Put the number in place of `...` and run the cell again.
      Answer with a whole number of elements, for example 12.
    """
    try:
        exercise = find_exercise(id)
    except CuteLabError as error:
        return trouble(error)
    kept = store()
    before = kept.item(exercise.id)
    tries = before.get("tries", 0)
    try:
        reply = exercise.check(answer, seed=tries, tries=tries)
    except KeyboardInterrupt:
        reply = STOPPED
    if reply.counts:
        pair = None if reply.state == "good" else [reply.said, reply.sentence]
        score = getattr(reply.reading, "score", None) if reply.state == "good" else None
        kept.change(exercise.id, lambda item: tried(item, reply.state == "good", pair, score))
    return exercise_card(exercise, reply, tries, kept.take_notice())


def exercise_card(exercise: Exercise, reply: Reply, tries: int, notice: str) -> Card:
    """The card of one exercise: what the answer gets to hear, the question, and which form an answer has."""
    sentence = f"{exercise.id} {exercise.title}{'' if exercise.title.endswith('?') else ':'} {reply.sentence}"
    form = exercise.kind.form
    asked = (exercise.question, "" if form in reply.second else f"Answer with {form}.")
    if reply.state == "good":
        lines: tuple[str, ...] = (reply.second, exercise.question, again(exercise, tries))
    else:
        lines = (reply.second, *asked)
    offers = (("Hint", partial(hint, exercise.id)), ("Solution", partial(solution, exercise.id)))
    shown_lines = tuple(filter(None, (*lines, notice)))
    drawn = None if exercise.picture is None else exercise.picture(reply.reading)
    return ExerciseCard(reply.state, SIGNS[reply.state], sentence, shown_lines, exercise.id, offers, drawn)


def again(exercise: Exercise, tries: int) -> str:
    """After a choice that took more than one try: the same question with other numbers, to be sure that it was no guess."""
    if exercise.again is None or not isinstance(exercise.kind, Choice) or not tries:
        return ""
    return f'Was the last one a guess? The same with other numbers: `predict("{exercise.id}+{tries}")`.'


def tried(item: Item, right: bool, wrong: list[str] | None = None, score: int | None = None) -> Item:
    """The record of an exercise after one more try; `wrong` is an answer that was not right, with the words that it got.

    score  of a right answer to a puzzle, how much it takes; the least is kept as `best`
    """
    time = now()
    done = {"done": item.get("done", time)} if right or "done" in item else {}
    state = "done" if done else "tried"
    said = {"wrong": [*item.get("wrong", []), wrong]} if wrong is not None else {}
    best = {"best": min(score, item.get("best", score))} if score is not None else {}
    return {
        **item,
        "state": state,
        "tries": item.get("tries", 0) + 1,
        "first": item.get("first", time),
        "last": time,
        **done,
        **said,
        **best,
    }


def hint(id: str, n: int | None = None) -> Card:
    """What would help with this exercise? Hint 1, 2 or 3; without a number, the next one that you have not seen.

    >>> hint("start.1", 9)
    ✗ Exercise start.1 has hints 1 to 2, not 9.
    """
    try:
        exercise = find_exercise(id)
        number = pick_hint(exercise, n, store().item(exercise.id).get("hints", 0))
    except CuteLabError as error:
        return trouble(error)
    kept, count = store(), len(exercise.hints)
    kept.change(exercise.id, lambda item: {**item, "hints": max(number, item.get("hints", 0))})
    sentence = f"{exercise.id} {exercise.title}, hint {number} of {count}."
    return Card("note", "?", sentence, tuple(filter(None, (exercise.hints[number - 1], kept.take_notice()))))


def pick_hint(exercise: Exercise, n: int | None, seen: int) -> int:
    """Which hint is meant? Raises CuteLabError for one that does not exist."""
    count = len(exercise.hints)
    if n is None:
        return min(seen + 1, count)
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= count:
        raise CuteLabError(f"exercise {exercise.id} has hints 1 to {count}, not {shown(n)}")
    return n


def solution(id: str) -> Folded | Card:
    """How could this exercise be answered? Folded away; open it with a click, or print `solution(id).source`.

    >>> solution("start.1")
    ▸ Solution of start.1 Give an answer: folded away. To read it as text: print(solution("start.1").source)
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
    text = str(error).rstrip(".")
    return Card("bad", "✗", text[:1].upper() + text[1:] + ".")
