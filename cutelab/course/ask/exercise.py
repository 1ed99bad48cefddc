"""An exercise and a prediction, as frozen data with pure logic: no screen, no file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.kinds import Kind, to_words
from cutelab.course.card.picture import Verdict

NOT_YET = "not answered yet."


@dataclass(frozen=True)
class Wrong:
    """A typical wrong answer, and the words that it gets: what was probably meant, and what is different."""

    answer: Any
    words: str


@dataclass(frozen=True)
class Exercise:
    """One question with its checker.

    id        "01.2": notebook 01, exercise 2
    kind      how an answer is read and compared: Value, LayoutMap, Function or Choice
    question  one to three sentences; `code` in backticks
    right     computes the right answer with the library
    solution  source text that binds `name` to a right answer, written as a learner would
    wrong     typical wrong answers with their words
    hints     one to three, from a nudge to nearly there
    because   one sentence that goes with a right answer
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

    def check(self, answer: Any, *, seed: int = 0) -> Verdict:
        """Is this answer right, and if not, where does it differ from the right one?

        "good", "bad", or "note" for an answer that is not there yet. `seed` chooses the random inputs of a function's
        test: the same seed draws the same inputs, in every process.
        """
        if self.kind.untouched(answer):
            return Verdict("note", NOT_YET, self.question)
        try:
            mine = self.kind.read(answer, f"{self.id}/{seed}")
        except CuteLabError as error:
            return Verdict("bad", "this cannot be checked yet.", str(error))
        right = self.kind.read_right(self.right, f"{self.id}/{seed}")
        if mine == right:
            return Verdict("good", "right.", self.because)
        where = self.kind.difference(mine, right)
        for wrong in self.wrong:
            if self.kind.read(wrong.answer, f"{self.id}/{seed}") == mine:
                return Verdict("bad", wrong.words, where)
        return Verdict("bad", "not right yet.", where)


@dataclass(frozen=True)
class Prediction:
    """A question that the learner answers before the cell that shows the answer.

    id       "01.a": notebook 01, prediction a
    kind     Value or Choice
    right    computes the right answer with the library: it is stored nowhere
    replies  what each foreseen answer gets to hear
    because  one sentence that explains the right answer
    """

    id: str
    title: str
    kind: Kind
    question: str
    right: Callable[[], Any]
    replies: tuple[Wrong, ...]
    because: str

    def answer(self) -> Any:
        """What is the right answer? Computed anew at each call."""
        return self.kind.read_right(self.right, self.id)

    def reveal(self, answer: Any) -> Verdict:
        """What does this prediction get to hear? "good" when it is right, otherwise "note" with words of its own."""
        mine, right = self.kind.read(answer, self.id), self.answer()
        words = dict(getattr(self.kind, "options", ()))  # of a choice: what stands on the buttons
        shown = f"You predicted {words.get(mine) or to_words(mine)}"
        if mine == right:
            return Verdict("good", f"{shown}, and that is what the library computes.", self.because)
        reply = next((r.words for r in self.replies if self.kind.read(r.answer, self.id) == mine), "")
        return Verdict(
            "note",
            f"{shown}; the library computes {words.get(right) or to_words(right)}.",
            f"{reply} {self.because}".strip(),
        )
