"""One statement, and the computation that settles it: what is shown is what ran."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["true", "half", "false", "unknown"]
"""What a statement can be: true, half true, false, or not to be known from anything that can be looked at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a computation found: the verdict, and the figures that the corrected sentence names."""

    verdict: Verdict
    figures: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Which statement is meant, what settles it, and what would be right to say instead.

    - `text`: the statement in our own words, one or two sentences.
    - `correct`: the right sentence; `{name}` stands for a figure of the finding, so no number in it is typed.
    - `settle`: the computation; its source is shown to the reader, so it is short and speaks CuTe's words.
    - `picture`: the call of an explorer that shows the example or the counter-example, or "".
    - `source`: the file and version where it was looked up, where no computation can settle it, or "".
    - `lesson`: the lesson that teaches it, by topic or number as `find_lesson` takes it ("banks", "04"), or "".
    """

    id: str
    text: str
    correct: str
    settle: Callable[[], Finding]
    picture: str = ""
    source: str = ""
    lesson: str = ""

    def sentence(self) -> str:
        """The right sentence, with the figures that were just computed."""
        return self.correct.format(**self.settle().figures)

    @property
    def computed(self) -> bool:
        """Does a computation settle it? Otherwise it was looked up in `source`, and there is nothing to run."""
        return not (self.source and self.code().startswith(('return found("', "return found(\n")))

    def told(self) -> str:
        """What they found, as text: the verdict and each figure.

        >>> @claim("X1", "A warp has 64 lanes.", "A warp has {lanes} lanes.")
        ... def x1() -> Finding:
        ...     return found("false", lanes=32)
        >>> x1.told(), x1.sentence()
        ('verdict: false, lanes: 32', 'A warp has 32 lanes.')
        """
        finding = self.settle()
        return ", ".join([f"verdict: {finding.verdict}", *(f"{k}: {v}" for k, v in finding.figures.items())])

    def code(self) -> str:
        """The lines that settle it, as they are run."""
        lines = textwrap.dedent(inspect.getsource(self.settle)).splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("def "))
        return textwrap.dedent("\n".join(lines[start + 1 :])).strip()


def claim(
    id: str, text: str, correct: str, *, picture: str = "", source: str = "", lesson: str = ""
) -> Callable[[Callable[[], Finding]], Claim]:
    """Make a Claim of a function that settles it; the function's body is what a reader sees."""

    def made(settle: Callable[[], Finding]) -> Claim:
        return Claim(id=id, text=text, correct=correct, settle=settle, picture=picture, source=source, lesson=lesson)

    return made


def found(verdict: Verdict, **figures: object) -> Finding:
    """A finding: `return found("false", row=32)`."""
    return Finding(verdict, figures)
