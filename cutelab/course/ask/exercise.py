"""An exercise and a prediction, as frozen data with pure logic: no screen, no file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.careful import looked_at
from cutelab.course.ask.kinds import Choice, Kind
from cutelab.course.ask.reading import plain, shown, tidy, to_words

NOT_YET = "not answered yet."
MAX_ERROR = 300  # characters of an error that is passed on
TOLD_FROM = 2  # tries before the one from which a reply may show a right value


@dataclass(frozen=True)
class Reply:
    """What an answer gets to hear: a bold sentence and a second line. `counts`: this was a try.

    reading  what was read of the answer, where it could be read
    said     the answer in at most 60 characters, of a try
    """

    state: Literal["good", "note", "bad"]
    sentence: str
    second: str = ""
    counts: bool = True
    reading: Any = field(default=None, repr=False, compare=False)
    said: str = field(default="", repr=False, compare=False)


@dataclass(frozen=True)
class Wrong:
    """A typical wrong answer, and the words that it gets: what was probably meant, and what is different."""

    answer: Any
    words: str


@dataclass(frozen=True)
class Exercise:
    """One question with its checker.

    id        "layout.2": topic layout, exercise 2
    kind      how an answer is read and compared: Value, LayoutMap, Function, Choice or Target
    question  one to three sentences; `code` in backticks
    right     computes the right answer with the library
    solution  source text that binds `name` to a right answer, written as a learner would
    wrong     typical wrong answers with their words
    hints     one to three, from a nudge to nearly there
    because   one sentence that goes with a right answer
    odd       answers of another form than the one that is asked for, with their words; they cost no try
    again     the same question with other numbers, as a prediction
    picture   draws the question, and an answer's reading beside it (None: there is none yet), as a card
    """

    id: str
    title: str
    kind: Kind
    question: str
    right: Callable[..., Any]
    solution: str
    hints: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    because: str
    name: str = "answer"
    odd: tuple[Wrong, ...] = ()
    again: Callable[[Random], Prediction] | None = None
    picture: Callable[[Any], Any] | None = None

    def check(self, answer: Any, *, seed: int = 0, tries: int = 0) -> Reply:
        """Is this answer right, and if not, what was meant, and where does it differ from the right one?

        "good", "bad", or "note" for an answer that is not there yet. `seed` chooses the random inputs of a function's
        test: the same seed draws the same inputs, in every process. `tries` that were made before: from the third try on
        a reply may show a right value.
        """
        draw = f"{self.id}/{seed}"
        try:
            found = looked_at(lambda: self._first_look(answer, draw))
        except CuteLabError as error:
            text = str(error) if len(str(error)) <= MAX_ERROR else str(error)[: MAX_ERROR - 3] + "..."
            return Reply("bad", "this cannot be checked yet, and costs no try.", text, counts=False)
        if isinstance(found, Reply):
            return found
        mine, said = found
        right = self.kind.read_right(self.right, draw)
        if mine == right:
            return Reply("good", getattr(mine, "verdict", "right."), self.because, reading=mine, said=said)
        wrong = self.kind.diagnose(mine, right, tries >= TOLD_FROM)
        words = foreseen(self.kind, self.wrong, mine, draw)
        return Reply("bad", words or wrong.named or "not right yet.", wrong.where, reading=mine, said=said)

    def _first_look(self, answer: Any, draw: str) -> Reply | tuple[Any, str]:
        """What is read of this answer, and how it looks; a Reply where it is none yet. This may run code of the learner's."""
        if self.kind.untouched(answer):
            return Reply("note", NOT_YET, counts=False)
        odd = next((w.words for w in self.odd if _same_text(w.answer, answer)), "")
        if odd:
            return Reply("bad", odd, "This costs no try.", counts=False)
        return self.kind.read(answer, draw), shown(answer)


def foreseen(kind: Kind, wrong: tuple[Wrong, ...], mine: Any, draw: str = "") -> str:
    """The words that were written for this answer: first for one that is spelled alike, then for one that means the same."""
    fitting = [(w, reading) for w in wrong if (reading := kind.read(w.answer, draw)) == mine]
    exact = [w.words for w, reading in fitting if getattr(reading, "text", "") == getattr(mine, "text", "")]
    alike = [w.words for w, reading in fitting if not getattr(reading, "only_exact", False)]
    return (exact or alike or [""])[0]


def _same_text(foreseen: Any, answer: Any) -> bool:
    """Is this the same answer, as text without spaces and capitals, or as plain value?"""
    a, b = plain(foreseen), plain(answer)
    if isinstance(a, str) and isinstance(b, str):
        return "".join(tidy(a).lower().split()) == "".join(tidy(b).lower().split())
    return type(a) is type(b) and bool(a == b)


@dataclass(frozen=True)
class Prediction:
    """A question that the learner answers before the cell that shows the answer.

    id       "layout.a": topic layout, prediction a
    kind     Value or Choice
    right    computes the right answer with the library: it is stored nowhere
    replies  what each foreseen answer gets to hear
    because  one sentence that explains the right answer
    source   who knows the right answer: "the library computes", "an H200 measured"
    again    the same question with other numbers
    """

    id: str
    title: str
    kind: Kind
    question: str
    right: Callable[[], Any]
    replies: tuple[Wrong, ...]
    because: str
    source: str = "the library computes"
    again: Callable[[Random], Prediction] | None = None

    def answer(self) -> Any:
        """What is the right answer? Computed anew at each call."""
        return self.kind.read_right(self.right, self.id)

    def words(self, reading: Any) -> str:
        """How does this reading of an answer appear in a sentence? A choice by what stands on its button, a layout by its text."""
        if isinstance(self.kind, Choice):
            return dict(self.kind.options)[reading]
        return str(getattr(reading, "text", "")) or to_words(reading)

    def read(self, answer: Any) -> Any:
        """What is read of this answer? Raises CuteLabError, also where the answer's own methods fail."""
        return looked_at(lambda: self.kind.read(answer, self.id))

    def reveal(self, answer: Any) -> Reply:
        """What does this prediction get to hear? "good" when it is right, otherwise "note" with words of its own."""
        mine, right = self.read(answer), self.answer()
        begin = f"You predicted {self.words(mine)}"
        if mine == right:
            return Reply("good", f"{begin}, and that is what {self.source}.", self.because)
        reply = foreseen(self.kind, self.replies, mine) or self.kind.diagnose(mine, right, False).named
        reply = reply[:1].upper() + reply[1:]
        return Reply(
            "note",
            f"{begin}; {self.source} {self.words(right)}.",
            f"{reply} {self.because}".strip(),
        )
