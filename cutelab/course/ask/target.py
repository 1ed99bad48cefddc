"""The kind of a puzzle: something is built that meets a target, and the fewest modes, bytes or bits that do are its par.

Any answer that meets the target is right, however it is spelled. One that takes more than the par is right too, and is told
that less will do; one that takes less is praised, and shows that the par is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from cutelab import ComposedLayout, Layout, Swizzle, size
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import flatten, is_int
from cutelab.course.ask.diagnose import Diagnosis
from cutelab.course.ask.kinds import from_pair, read_layout
from cutelab.course.ask.reading import MAX_SIZE, are_ints, describe, is_starter, plain, tidy, too_much
from cutelab.course.ask.swizzle_kinds import FORM, read_swizzle
from cutelab.cutlass.reading import read
from cutelab.cutlass.reading.tiler import Tiler
from cutelab.cutlass.tv import TiledCopy

MAX_TYPED = 4000  # characters of a typed answer


@dataclass(frozen=True, eq=False)
class Built:
    """What was built, and whether it meets the target.

    text     as it is written
    score    how much it takes, in the par's unit
    fault    the property that it lacks, as a sentence; "" if it meets the target
    where    the first place where that shows
    effect   what it does, as plain values: two answers with one effect get the same words
    drawn    what its picture shows
    par      (number, unit) of the puzzle
    """

    text: str
    score: int
    fault: str = ""
    where: str = ""
    effect: Any = None
    drawn: Any = field(default=None, repr=False)
    par: tuple[int, str] = (0, "")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Built):
            return NotImplemented
        return not (self.fault or other.fault) or (self.fault, self.effect) == (other.fault, other.effect)

    @property
    def verdict(self) -> str:
        """How good a right answer is this?

        >>> built = Built("(8,8):(8,1)", 2, par=(2, "mode"))
        >>> built.verdict, replace(built, score=3).verdict
        ('right, and at par: 2 modes.', 'right, with 3 modes. It can be done with 2.')
        """
        par, unit = self.par
        if self.score == par:
            return f"right, and at par: {amount(par, unit)}."
        if self.score > par:
            return f"right, with {amount(self.score, unit)}. It can be done with {par:,}."
        return (
            f"right, and below par: {amount(self.score, unit)} where the course knew {par:,}. "
            "Well done: the par is wrong, please report it."
        )


def amount(n: int, unit: str) -> str:
    """A number with its unit.

    >>> amount(1, "mode"), amount(4220, "byte"), amount(2, "box")
    ('1 mode', '4,220 bytes', '2 boxes')
    """
    return f"{n:,} {unit}" + ("" if n == 1 else "es" if unit.endswith("x") else "s")


def modes(thing: Any) -> int:
    """How many modes has a layout, a composed layout, or a tiler, counted inside all brackets? A swizzle has none.

    >>> from cutelab import parse_layout
    >>> modes(parse_layout("((2,2),8):((1,16),2)")), modes((4, Layout(2, 4)))
    (3, 2)
    """
    if isinstance(thing, ComposedLayout):
        return modes(thing.inner) + (0 if isinstance(thing.outer, Swizzle) else modes(thing.outer))
    if isinstance(thing, Layout):
        return len(flatten(thing.shape))
    return sum(map(modes, thing)) if isinstance(thing, tuple) else 1


Takes = Literal["layout", "swizzle", "tiler", "copy"]
FORMS: dict[Takes, str] = {
    "layout": 'a layout, as text such as "(4,2):(2,1)" or as a Layout',
    "swizzle": FORM,
    "tiler": 'a tiler, as text such as "<4, 2:4>" (by mode) or "4:2" (one layout), or as Python objects',
    "copy": "a TiledCopy, or the C++ text of `make_tiled_copy(Copy_Atom<...>{}, thread layout, value layout)`",
}


@dataclass(frozen=True)
class Target:
    """An answer that is built to meet a target.

    takes  what is built
    judge  does it meet the target, and if not, where does it fail? It may raise CuteLabError: then it cannot be judged
    par    the least that is known to do, counted in `unit`
    """

    takes: Takes
    judge: Callable[[Any], Built]
    par: int
    unit: str = "mode"

    @property
    def form(self) -> str:
        return FORMS[self.takes]

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Built:
        if isinstance(answer, str) and len(answer) > MAX_TYPED:
            raise CuteLabError(f"The answer must be {self.form}; yours is a text of {len(answer):,} characters.")
        return replace(self.judge(self._thing(answer)), par=(self.par, self.unit))

    def _thing(self, answer: Any) -> Any:
        if self.takes == "swizzle":
            return read_swizzle(answer)
        found = {"layout": _layout, "tiler": _tiler, "copy": _copy}[self.takes](answer)
        if found is None:
            raise CuteLabError(f"The answer must be {self.form}; yours is {describe(answer)}.")
        if isinstance(found, Layout | ComposedLayout) and size(found) > MAX_SIZE:
            raise CuteLabError(f"The layout {found} has {size(found):,} elements; this puzzle needs far fewer.")
        return found

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Built:
        return self.read(right())

    def diagnose(self, mine: Built, right: Built, told: bool) -> Diagnosis:
        return Diagnosis(mine.fault, mine.where)


def _layout(answer: Any) -> Any:
    """A Layout or ComposedLayout, its text, or a pair (shape, stride); None for anything else."""
    if isinstance(answer, str):
        answer = read_layout(tidy(answer))
    if isinstance(answer, tuple | list):
        value = plain(answer)
        answer = from_pair(value) if isinstance(value, tuple) and value and are_ints(value) else None
    return answer if isinstance(answer, Layout | ComposedLayout) else None


def _tiler(answer: Any) -> Any:
    """A Layout, a number of elements, or a tuple of such; None for anything else."""
    if isinstance(answer, str):
        text = tidy(answer)
        number = text.removeprefix("_")
        answer = int(number) if number.isdecimal() and len(number) < 9 else read(text)
    if isinstance(answer, Tiler):
        answer = tuple(answer)
    if isinstance(answer, Layout):
        return answer
    if is_int(answer):
        return int(answer) if 0 < answer <= MAX_SIZE else None
    if isinstance(answer, tuple | list) and 0 < len(answer) <= 8 and not too_much(answer):
        entries = tuple(None if entry is None else _tiler(entry) for entry in answer)
        return None if any(e is None and a is not None for e, a in zip(entries, answer, strict=True)) else entries
    return None


def _copy(answer: Any) -> Any:
    """A TiledCopy, or the C++ text that makes one; None for anything else."""
    found = read(tidy(answer)) if isinstance(answer, str) else answer
    return found if isinstance(found, TiledCopy) else None
