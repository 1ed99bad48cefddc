"""An exam on paper: which questions a seed draws, and what is found of the answers. No screen, no file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any, Literal

from cutelab import __version__
from cutelab.core.errors import CuteLabError
from cutelab.course.ask.draw import Draw
from cutelab.course.ask.exercise import Exercise, Prediction
from cutelab.course.ask.reading import shown
from cutelab.course.lab.lessons import find_lesson, lessons
from cutelab.course.lab.reply import Card, Table
from cutelab.course.topics.exam.lesson import ALWAYS, EVENING, HOW_MANY, SOME, SOURCES, Maker, Source

SCHEMA = "cutelab-exam/"
TOPIC = "exam"
LENGTH, MINUTES = 15, 45
SEED = re.compile(r"[A-Za-z0-9_-]{1,40}")
SIGNS = {"right": "✓", "wrong": "✗", "open": "…"}
STATES: dict[str, Literal["good", "bad", "note"]] = {"right": "good", "wrong": "bad", "open": "note"}


@dataclass(frozen=True)
class Item:
    """One question of an exam. id: which question it is, whatever its numbers; topic: of the lesson that teaches it."""

    number: int
    topic: str
    id: str
    asked: Prediction

    @property
    def key(self) -> str:
        """The question as it is asked: its answer is kept under this name, and goes to no other question."""
        options = getattr(self.asked.kind, "options", ())
        return hashlib.sha256(f"{self.id} {self.asked.question} {options}".encode()).hexdigest()[:12]

    def reading(self, text: str) -> str:
        """How is this answer understood? Raises CuteLabError if its form is not the one that is asked for."""
        return self.asked.words(self.asked.kind.read(text, self.asked.id))

    def mark(self, text: str) -> Mark:
        """Is this answer right, and why?"""
        right = self.asked.words(self.asked.answer())
        try:
            found = self.asked.reveal(text) if text.strip() else None
        except CuteLabError:
            found = None
        if found is None:
            return Mark(self, text, right, "open", self.asked.because)
        return Mark(self, text, right, "right" if found.state == "good" else "wrong", found.second)


@dataclass(frozen=True)
class Mark:
    """What was found of one answer. state: "right", "wrong", or "open" for one that is missing or cannot be read."""

    item: Item
    given: str
    right: str
    state: str
    why: str

    def card(self) -> Card:
        words = {"right": "right", "wrong": "not right", "open": "no answer that can be read" if self.given else "open"}
        given = self.given and (self.item.reading(self.given) if self.state != "open" else self.given)
        lines = (
            self.item.asked.question,
            f"Your answer: {given}." if given else "",
            "" if self.state == "right" else f"Right: `{self.right}`.",
            self.why,
            "" if self.state == "right" else f"Lesson: {linked(self.item.topic)}.",
        )
        title = self.item.asked.title
        sentence = f"{self.item.number} {title}{'' if title.endswith('?') else ':'} {words[self.state]}."
        return Card(STATES[self.state], SIGNS[self.state], sentence, lines)


@dataclass(frozen=True)
class Report:
    """An exam that was handed in: what was right, by topic, and why."""

    seed: str
    name: str | None
    begun: str
    handed_in: str
    marks: tuple[Mark, ...]
    file: str = ""

    @property
    def right(self) -> int:
        """How many answers were right."""
        return sum(mark.state == "right" for mark in self.marks)

    @property
    def topics(self) -> dict[str, tuple[int, int]]:
        """Of each topic: how many answers were right, and how many questions there were."""
        names = dict.fromkeys(mark.item.topic for mark in self.marks)
        states = {name: [mark.state for mark in self.marks if mark.item.topic == name] for name in names}
        return {name: (found.count("right"), len(found)) for name, found in states.items()}

    @property
    def repeat(self) -> tuple[str, ...]:
        """The topics whose lessons are worth taking again."""
        return tuple(topic for topic, (right, asked) in self.topics.items() if right < asked)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data; `exam-SEED.json` holds it. The only personal entry is the name, and only if one was given."""
        marks = [
            {
                "number": mark.item.number,
                "id": mark.item.id,
                "topic": mark.item.topic,
                "question": mark.item.asked.question,
                "given": mark.given,
                "right": mark.right,
                "state": mark.state,
            }
            for mark in self.marks
        ]
        topics = [{"topic": name, "right": right, "asked": asked} for name, (right, asked) in self.topics.items()]
        about = {"schema": SCHEMA + "1", "version": __version__, "seed": self.seed, "name": self.name}
        times = {"begun": self.begun, "handed_in": self.handed_in}
        return {**about, **times, "right": self.right, "asked": len(self.marks), "topics": topics, "items": marks}

    def _head(self) -> Card:
        again = ", ".join(map(linked, self.repeat))
        lines = (
            f"Worth another look: {again}." if again else "Nothing is left to repeat.",
            f"The result is in {self.file}." if self.file else "No file was written.",
        )
        return Card("good" if not again else "note", "✓" if not again else "…", self._sentence(), lines)

    def _sentence(self) -> str:
        evening = [mark.state == "right" for mark in self.marks if mark.item.topic in EVENING]
        return f"Exam {self.seed}: {self.right} of {len(self.marks)} right; of the first evening {sum(evening)} of {len(evening)}."

    def _table(self) -> Table:
        rows = tuple((linked(topic), f"{right} of {asked}") for topic, (right, asked) in self.topics.items())
        return Table("By topic", ("lesson", "right"), rows)

    def __repr__(self) -> str:
        return "\n".join(map(repr, (self._head(), self._table(), *(mark.card() for mark in self.marks))))

    def _repr_html_(self) -> str:
        cards = "".join(f'<div style="margin-top:6px">{mark.card()._repr_html_()}</div>' for mark in self.marks)
        return f"{self._head()._repr_html_()}{self._table()._repr_html_()}{cards}"


def linked(topic: str) -> str:
    """The lesson of a topic as a link."""
    notebook = find_lesson(topic).notebook
    return f"[{notebook}]({notebook}.ipynb)"


def want_seed(seed: object) -> str:
    """The seed as a text. Raises CuteLabError for what is neither a number nor a word."""
    if isinstance(seed, bool) or not isinstance(seed, int | str) or not SEED.fullmatch(str(seed)):
        raise CuteLabError(
            f"a seed is a number or a word of at most 40 letters, digits, - and _, not {shown(seed)}; for example exam(7)"
        )
    return str(seed)


@cache
def draw_paper(seed: str) -> tuple[Item, ...]:
    """The fifteen questions of this seed, in the order of the course. The same seed draws the same ones on every machine.

    >>> [item.topic for item in draw_paper("1")][:6]
    ['gpu', 'gpu', 'layout', 'layout', 'layout', 'coalescing']
    """
    drawn = enumerate(choose(seed), 1)
    return tuple(Item(n, topic, id, with_numbers(seed, id, make)) for n, (topic, id, make) in drawn)


def choose(seed: str) -> list[tuple[str, str, Maker]]:
    """Which questions has this seed, before they get their numbers? The topic, the name, and what draws the numbers."""
    draw = Draw(f"exam {seed}")
    once = (*ALWAYS, *draw.sample(SOME, HOW_MANY))
    many = {**EVENING, **dict.fromkeys(once, 1)}
    return [(one.topic, *two) for one in SOURCES for two in draw.sample(makers(one), many.get(one.topic, 0))]


def makers(source: Source) -> list[tuple[str, Maker]]:
    """The questions of a topic: the name of each, and what draws its numbers."""
    every: list[Exercise | Prediction] = []
    for one in lessons():
        every += [*one.predictions, *one.exercises]
    again = {entry.id: entry.again for entry in every}
    from_lesson = [(id, make) for id in source.lesson if (make := again[id]) is not None]
    return [*from_lesson, *((f"exam.{make.__name__}", make) for make in source.own)]


def with_numbers(seed: str, id: str, make: Maker) -> Prediction:
    """This question with the numbers of this seed: such that the example of an answer's form is not the right one."""
    for attempt in count():
        asked = make(Draw(f"{seed}/{id}/{attempt}"))
        example = getattr(asked.kind, "example", None)
        if example is None or asked.kind.read(example, asked.id) != asked.answer():
            return asked
    raise AssertionError


def mark_all(paper: tuple[Item, ...], answers: Mapping[str, str]) -> tuple[Mark, ...]:
    """What is found of all answers; `answers` are texts by the key of their question."""
    return tuple(item.mark(answers.get(item.key, "")) for item in paper)
