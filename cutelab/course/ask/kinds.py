"""How an answer is read and compared: a value, a choice, a layout, a function that the learner wrote (in functions.py).

Each kind turns an answer into a plain reading; two answers are the same exactly if their readings are equal. So a layout
counts by what it maps, a function by what it returns, and a typical wrong answer is recognised however it is spelled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from cutelab import offsets, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import IntTuple, is_int, product, to_text

MAX_SIZE = 65536  # elements of a layout, or numbers in a sequence, offered as an answer
MAX_BITS = 1024  # of a number offered as an answer


class Kind(Protocol):
    """What an exercise asks of its kind."""

    def untouched(self, answer: Any) -> bool:
        """Does the starter still stand here?"""

    def read(self, answer: Any, seed: str) -> Any:
        """The plain reading of this answer. Raises CuteLabError if it is no answer of this kind."""

    def read_right(self, right: Callable[..., Any], seed: str) -> Any:
        """The reading of the right answer, computed by `right`."""

    def difference(self, mine: Any, right: Any) -> str:
        """Yours against right: the first place where they differ."""


@dataclass(frozen=True)
class Odd:
    """A reading that equals no right answer: text says what it is ("2.0, a float")."""

    text: str

    def __str__(self) -> str:
        return self.text


def plain(value: Any) -> Any:
    """The same value in plain Python: NumPy's integers and arrays, lists and ranges become ints and tuples.

    >>> plain(np.int64(3)), plain([1, (2, 3)]), plain(np.arange(3))
    (3, (1, (2, 3)), (0, 1, 2))
    """
    if _count(value) > MAX_SIZE:
        return Odd(f"far too long: a {type(value).__name__} of more than {MAX_SIZE:,} values")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if is_int(value):
        large = abs(int(value)).bit_length() > MAX_BITS
        return Odd(f"far too large: a number beyond 2^{MAX_BITS}") if large else int(value)
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, set | frozenset):
        return tuple(sorted(map(plain, value), key=str))
    if isinstance(value, tuple | list | range):
        return tuple(map(plain, value))
    return Odd(describe(value))


def whole(value: Any) -> Any:
    """The same value, with floats that are whole numbers as ints: a lecture that prints 634.0 may be quoted.

    >>> whole(634.0), whole((1268.0, [634.0, 2.5]))
    (634, (1268, (634, 2.5)))
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    if isinstance(value, tuple | list):
        return tuple(map(whole, value))
    return set(map(whole, value)) if isinstance(value, set | frozenset) else value


def describe(value: Any) -> str:
    """How is this value named in a sentence?

    >>> describe(2.0), describe(None)
    ('2.0, a float', 'nothing (None): is the `return` missing?')
    """
    if value is None:
        return "nothing (None): is the `return` missing?"
    shown = _shown(value)
    shown = shown if len(shown) <= 60 else shown[:57] + "..."
    kind = type(value).__name__
    return f"{shown}, {'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _shown(value: Any) -> str:
    """repr, also of a value that has none, such as a number of thousands of digits."""
    try:
        return repr(value)
    except Exception:
        return "something that cannot be printed"


def _count(value: Any) -> int:
    """How many values are in a sequence? 0 for anything else."""
    if isinstance(value, np.ndarray):
        return value.size
    try:
        return len(value) if isinstance(value, tuple | list | range | set | frozenset) else 0
    except OverflowError:  # a range beyond 2^63
        return 2**63


def to_words(reading: Any) -> str:
    """How does a reading appear in a sentence?

    >>> to_words((1, 3)), to_words(38), to_words("8:4")
    ('(1,3)', '38', '8:4')
    """
    return to_text(reading) if isinstance(reading, tuple) else str(reading)


def is_starter(answer: Any) -> bool:
    """Is this `...`, None, or an empty text?

    >>> is_starter(...), is_starter(None), is_starter(" "), is_starter(0)
    (True, True, True, False)
    """
    return answer is None or answer is Ellipsis or (isinstance(answer, str) and answer.strip() in ("", "..."))


def are_ints(value: Any) -> bool:
    """Is this an integer, or a tuple of such (also nested)?"""
    return all(map(are_ints, value)) if isinstance(value, tuple) else is_int(value)


@dataclass(frozen=True)
class Value:
    """A number, a truth value, a text, or a tuple of numbers (`unordered`: their order does not count)."""

    what: Literal["int", "bool", "str", "tuple"] = "int"
    example: str = "12"
    unordered: bool = False

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Any:
        value = plain(whole(answer))
        words = {
            "int": "a whole number",
            "bool": "True or False",
            "str": "a text in quotes",
            "tuple": "whole numbers in brackets",
        }[self.what]
        fits = {"int": is_int(value), "bool": isinstance(value, bool), "str": isinstance(value, str)}
        fits["tuple"] = isinstance(value, tuple) and (all(map(is_int, value)) if self.unordered else are_ints(value))
        if not fits[self.what]:
            shown = value.text if isinstance(value, Odd) else describe(answer)
            raise CuteLabError(f"The answer must be {words}, for example {self.example}; yours is {shown}.")
        return tuple(sorted(set(value))) if self.unordered else value

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Any:
        return self.read(right())

    def difference(self, mine: Any, right: Any) -> str:
        if self.what == "int":
            return f"Yours is {mine}; the right number is {'smaller' if mine > right else 'larger'}."
        if self.what != "tuple":
            return f"Yours is {mine}."
        if self.unordered:
            extra, missing = sorted(set(mine) - set(right)), sorted(set(right) - set(mine))
            parts = [f"{extra[0]} does not belong there"] if extra else []
            parts += [f"{missing[0]} is missing"] if missing else []
            return f"In yours, {' and '.join(parts)}."
        if len(mine) != len(right):
            return f"Yours {to_words(mine)} has {len(mine)} numbers; the right answer has {len(right)}."
        at = next(i for i in range(len(right)) if mine[i] != right[i])
        return f"The first difference is at number {at + 1} of {len(right)}: yours {to_words(mine[at])}, right {right[at]}."


@dataclass(frozen=True)
class Choice:
    """One of several options, each a key and a text; answered by its key or by its text, whatever its capitals and spaces."""

    options: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, *values: Any) -> Choice:
        """Options that are their own keys.

        >>> Choice.of(1, 2).options
        (('1', '1'), ('2', '2'))
        """
        return cls(tuple((str(v), str(v)) for v in values))

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> str:
        said = _letters(answer if isinstance(answer, str) else _shown(plain(answer)))
        for key, text in self.options:
            if said in (_letters(key), _letters(text)):
                return key
        keys = ", ".join(f'"{key}"' for key, _ in self.options)
        raise CuteLabError(f"The answer must be one of {keys}; yours is {describe(answer)}.")

    def read_right(self, right: Callable[..., Any], seed: str = "") -> str:
        return self.read(right())

    def difference(self, mine: str, right: str) -> str:
        return f"You chose {mine}: {dict(self.options)[mine]}." if mine != dict(self.options)[mine] else ""


def _letters(text: str) -> str:
    """A text without spaces and capitals."""
    return "".join(text.lower().split())


@dataclass(frozen=True)
class Mapped:
    """What a layout maps: its text, the size of each top-level mode, and the offset of each coordinate."""

    text: str
    extents: tuple[int, ...]
    offsets: np.ndarray

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Mapped) and self.extents == other.extents and bool((self.offsets == other.offsets).all())
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class LayoutMap:
    """A layout, typed as text or given as a Layout. What counts is which offset each coordinate gets."""

    example: str = '"(4,2):(2,1)"'

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Mapped:
        layout = parse_layout(answer) if isinstance(answer, str) else answer
        if not (hasattr(layout, "shape") and callable(layout)):
            raise CuteLabError(
                f"The answer must be a layout, as text such as {self.example} or as a Layout; yours is {describe(answer)}."
            )
        shape: IntTuple = layout.shape
        if product(shape) > MAX_SIZE:
            raise CuteLabError(f"The layout {layout} has {product(shape):,} elements; this exercise needs far fewer.")
        extents = tuple(map(product, shape)) if isinstance(shape, tuple) else (shape,)
        return Mapped(str(layout), extents, offsets(layout))

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Mapped:
        return self.read(right())

    def difference(self, mine: Mapped, right: Mapped) -> str:
        if mine.extents != right.extents:
            return f"Yours, `{mine.text}`, has coordinates {span(mine.extents)}; the right layout has {span(right.extents)}."
        at = tuple(int(i) for i in np.argwhere(mine.offsets != right.offsets)[0])
        count = int((mine.offsets != right.offsets).sum())
        return (
            f"The first difference, row by row, is at {to_words(at)}: yours {mine.offsets[at]}, right {right.offsets[at]} "
            f"({count} of {right.offsets.size} coordinates differ)."
        )


def span(extents: tuple[int, ...]) -> str:
    """How many coordinates in each mode, in words.

    >>> span((6, 4)), span((6,))
    ('6 x 4', '6 in one mode')
    """
    return " x ".join(map(str, extents)) if len(extents) > 1 else f"{extents[0]} in one mode"
