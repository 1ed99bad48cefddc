"""How an answer is read and compared: a value, a choice, a layout; functions that the learner wrote are in functions.py.

Each kind turns an answer into a plain reading; two answers are the same exactly if their readings are equal. So a layout
counts by what it maps, a function by what it returns, and a typical wrong answer is recognised however it is spelled.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np

from cutelab import Layout, offsets, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import IntTuple, congruent, flatten, is_int, product
from cutelab.course.ask import diagnose
from cutelab.course.ask.diagnose import Diagnosis, Mapped, Named
from cutelab.course.ask.reading import (
    MAX_SIZE,
    Odd,
    are_ints,
    describe,
    is_starter,
    plain,
    read_labelled,
    read_number,
    read_tuple,
    shown,
    tidy,
    to_words,
)


class Kind(Protocol):
    """What an exercise asks of its kind."""

    @property
    def form(self) -> str:
        """What an answer looks like, in words: "a whole number, for example 12"."""

    def untouched(self, answer: Any) -> bool:
        """Does the starter still stand here?"""

    def read(self, answer: Any, seed: str) -> Any:
        """The plain reading of this answer. Raises CuteLabError if it is no answer of this kind."""

    def read_right(self, right: Callable[..., Any], seed: str) -> Any:
        """The reading of the right answer, computed by `right`."""

    def diagnose(self, mine: Any, right: Any, told: bool) -> Diagnosis:
        """What is wrong with this reading, and where. `told`: the right value may be shown at that place."""


BITS = ("B", "M", "S")  # of a swizzle: three numbers, which may also be written as CuTe prints them
SWIZZLE = re.compile(
    r"(?:Sw|S|(?:cute::)?Swizzle)\s*[<(]\s*(-?\d{1,3})\s*,\s*(-?\d{1,3})\s*,\s*(-?\d{1,3})\s*[>)](?:\{\})?"
)
OTHER_UNITS = {"bytes": "bytes", "byte": "bytes", "b": "bytes", "bits": "bits", "elements": "elements"} | {
    word: word for word in ("sectors", "lines", "wavefronts", "words", "banks", "lanes", "threads", "warps", "cycles")
}


@dataclass(frozen=True)
class Value:
    """A number, or a tuple of numbers (`unordered`: their order does not count).

    example  an answer's form; it is not the right one
    unit     what is counted: "sectors"
    given    the question's own numbers by name; a wrong answer that is one of them, or one step from them, is told so
    parts    what the numbers of a tuple are: ("row", "column")
    means    what a wrong answer would mean, in a sentence: it shows where that leads, and not the right answer
    same     brings readings that say the same to one form
    nested   a tuple may hold tuples
    """

    what: Literal["int", "tuple"] = "int"
    example: str = "12"
    unordered: bool = False
    unit: str = ""
    given: Named = ()
    parts: tuple[str, ...] = ()
    means: Callable[[Any], str] | None = None
    same: Callable[[Any], Any] | None = None
    nested: bool = False

    @property
    def form(self) -> str:
        if self.what == "int":
            return f"a whole number{f' of {self.unit}' if self.unit else ''}, for example {self.example}"
        named = f", ({', '.join(self.parts)})" if self.parts else ""
        return f"whole numbers in brackets{named}, for example {self.example}"

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Any:
        value = plain(answer)
        if isinstance(value, str):
            value = self._read_text(value)
        if self.what == "int" and isinstance(value, tuple) and len(value) == 1 and is_int(value[0]):
            value = value[0]
        if self.what == "tuple" and self.unordered and is_int(value):
            value = (value,)
        if self.what == "int":
            fits = is_int(value)
        else:
            fits = isinstance(value, tuple) and (are_ints(value) if self.nested else all(map(is_int, value)))
        if not fits:
            raise CuteLabError(f"The answer must be {self.form}; yours is {self._odd(value, answer)}.")
        if self.unordered:
            value = tuple(sorted(set(value)))
        elif self.what == "tuple" and self.parts and len(value) != len(self.parts) and self.same is None:
            raise CuteLabError(f"The answer must be {self.form}; yours, {to_words(value)}, has {len(value)}.")
        return value if self.same is None else self.same(value)

    def _read_text(self, text: str) -> Any:
        if self.what == "tuple":
            if self.parts == BITS and (swizzle := SWIZZLE.fullmatch(text.strip(" \"'`"))):
                return tuple(map(int, swizzle.groups()))
            several = (
                read_labelled(text.strip(" \"'"), self.parts)
                or read_labelled(tidy(text), self.parts)
                or read_tuple(text)
            )
            if several is not None:
                return several
        found = read_number(text)
        if found is None:
            several = read_tuple(text)
            return text if several is None else several
        number, words = found
        said = [OTHER_UNITS[w] for w in words.split() if w in OTHER_UNITS]
        if self.unit in OTHER_UNITS.values() and said and self.unit not in said:
            raise CuteLabError(f"The answer counts {self.unit}; yours is in {said[0]}.")
        return number

    def _odd(self, value: Any, answer: Any) -> str:
        if isinstance(value, Odd):
            return value.text
        if isinstance(value, tuple) and are_ints(value) and len(value) <= 8:
            names = [next((n for n, v in self.given if v == entry), "") for entry in value]
            known = f", the {' and the '.join(names)}" if all(names) and names else ""
            return f"{to_words(value)}{known}: {len(value)} numbers where one is asked for"
        return describe(answer)

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Any:
        return self.read(right())

    def diagnose(self, mine: Any, right: Any, told: bool) -> Diagnosis:
        guess = self.means is None
        if self.what == "int":
            found = diagnose.of_number(mine, right, self.given, self.unit, told, guess)
        elif self.unordered:
            found = diagnose.of_set(mine, right, told)
        else:
            found = diagnose.of_tuple(mine, right, self.parts, self.given, self.unit, told, guess)
        if self.means is None:
            return found
        meaning = self.means(mine) if diagnose.moderate(mine) else ""
        if not meaning:
            return found
        where = found.where if told or self.what == "tuple" else ""
        return Diagnosis(found.named, f"{meaning} {where}".strip()) if found.named else Diagnosis(meaning, where)


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

    @property
    def form(self) -> str:
        return "one of " + ", ".join(f'"{key}"' for key, _ in self.options)

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> str:
        value = plain(answer)
        said = value if isinstance(value, str) else str(value) if is_int(value) else _printed(answer)
        key = self._meant(said)
        if key is None:
            raise CuteLabError(f"The answer must be {self.form}; yours is {describe(answer)}.")
        return key

    def _meant(self, said: str) -> str | None:
        """Which option is meant: by key, by text, by key and bracket, by number, by the words that only one has?"""
        text = tidy(said)
        for key, words in self.options:
            if _letters(text) in (_letters(key), _letters(words)):
                return key
        found = re.fullmatch(r"\(?\s*(?:option\s+|answer\s+)?(\w+)\s*[).:]?.{0,200}", text, re.IGNORECASE)
        keys = {_letters(key): key for key, _ in self.options}
        marked = re.match(r"\s*\(?\s*(?:option\s+|answer\s+)?(\w+)\s*[).:]", text, re.IGNORECASE)
        if found and re.fullmatch(r"\(?\s*(?:option|answer)?\s*\w+\s*[).:]?", text, re.IGNORECASE):
            if _letters(found[1]) in keys:
                return keys[_letters(found[1])]
        elif marked and _letters(marked[1]) in keys and len(marked[1]) == 1:
            return keys[_letters(marked[1])]
        number = read_number(text)
        if number is not None:
            by_number = [k for k, w in self.options if (n := read_number(w)) is not None and n[0] == number[0]]
            return by_number[0] if len(by_number) == 1 else None
        mine = _content(text)
        numbers = frozenset(filter(str.isdigit, mine))  # one that an option does not have speaks of something else
        near = [
            k
            for k, w in self.options
            if mine and (mine <= (its := _content(w)) or (its and its <= mine and numbers <= its))
        ]
        return near[0] if len(near) == 1 else None

    def read_right(self, right: Callable[..., Any], seed: str = "") -> str:
        return self.read(right())

    def diagnose(self, mine: str, right: str, told: bool) -> Diagnosis:
        words = dict(self.options)[mine]
        text = words if words.startswith(mine) else f"{mine}: {words}"
        return Diagnosis("", f"You chose {text}.")


def _printed(answer: Any) -> str:
    """A value that is no text, as it would be typed."""
    try:
        return str(answer)[:300]
    except Exception:
        return shown(answer)


def _letters(text: str) -> str:
    """A text without spaces and capitals; `_8` is 8, as CuTe prints what the compiler knows."""
    return re.sub(r"(?<![a-z0-9])_(?=\d)", "", "".join(text.lower().split()))


SMALL_WORDS = {
    "the",
    "a",
    "an",
    "of",
    "it",
    "is",
    "its",
    "and",
    "to",
    "at",
    "in",
    "as",
    "be",
    "i",
    "think",
    "that",
    "s",
}


def _content(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning."""
    if re.search(r"[<>{}_()]|\d\s*:\s*\d", text):  # code: compared letter by letter only
        return frozenset()
    return frozenset(re.findall(r"[a-z]+|\d+", text.lower())) - SMALL_WORDS


@dataclass(frozen=True)
class LayoutMap:
    """A layout, typed as text or given as a Layout. What counts is which offset each coordinate gets.

    accept  where more than one layout is right: has this one the property that was asked for?
    means   what a wrong layout would mean, in a sentence; "" where nothing is to be said
    number  where a question asks for one number of a layout: the layout with this number
    """

    example: str = '"(4,2):(2,1)"'
    accept: Callable[[Mapped], bool] | None = None
    means: Callable[[Mapped], str] | None = None
    number: Callable[[int], Any] | None = None

    @property
    def form(self) -> str:
        return f"a layout, as text such as {self.example} or as a Layout"

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Mapped:
        layout = self._layout(answer)
        if isinstance(layout, type) or not (hasattr(layout, "shape") and callable(layout)):
            raise CuteLabError(f"The answer must be {self.form}; yours is {describe(answer)}.")
        shape: IntTuple = layout.shape
        if product(shape) > MAX_SIZE:
            raise CuteLabError(f"The layout {layout} has {product(shape):,} elements; this exercise needs far fewer.")
        extents = tuple(map(product, shape)) if isinstance(shape, tuple) else (shape,)
        strides = tuple(map(int, flatten(layout.stride))) if isinstance(layout, Layout) else ()
        found = Mapped(str(layout), extents, offsets(layout), strides=strides)
        return found if self.accept is None else replace(found, accepted=self.accept(found))

    def _layout(self, answer: Any) -> Any:
        if isinstance(answer, str):
            answer = read_layout(answer) if self.number is None else _number_or_layout(answer)
        if self.number is not None and is_int(answer) and 0 < int(answer) < MAX_SIZE:
            return self.number(int(answer))
        if isinstance(answer, tuple | list):
            value = plain(answer)
            if isinstance(value, tuple) and value and are_ints(value):
                return from_pair(value)
        return answer

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Mapped:
        return self.read(right())

    def diagnose(self, mine: Mapped, right: Mapped, told: bool) -> Diagnosis:
        found = diagnose.of_layout(mine, right, told)
        meaning = self.means(mine) if self.means else ""
        return Diagnosis(meaning, found.where) if meaning else found


def _number_or_layout(text: str) -> Any:
    found = read_number(text)
    return read_layout(text) if found is None else found[0]


def from_pair(value: tuple[Any, ...]) -> Layout:
    """The layout of a pair (shape, stride); of any other tuple, the layout with that shape.

    >>> print(from_pair(((6, 4), (1, 6))), from_pair((6, 4)))
    (6,4):(1,6) (6,4):(1,6)
    """
    if len(value) == 2 and isinstance(value[0], tuple) and congruent(value[0], value[1]):
        return Layout(value[0], value[1])
    return Layout(value)


MAKERS = re.compile(
    r"\b(?:cute(?:::|\.))?(?:make_(?:layout|shape|stride|tuple)|Layout|Shape|Stride)\s*[:=]?\s*(?=[(<])|\bstride\s*=|\{\}",
    re.IGNORECASE,
)
ORDER = re.compile(r",\s*(Layout(?:Right|Left)|Gen(?:Row|Col)Major)\b")


def read_layout(text: str) -> Any:
    """A layout as people write it: CuTe's spelling, its C++ types, `make_layout(...)`, `Layout(...)`, a pair of tuples.

    >>> print(read_layout("make_layout(make_shape(6, Int<4>{}), LayoutRight{});"), read_layout("((6,4),(1,6))"))
    (6,4):(4,1) (6,4):(1,6)
    """
    said = tidy(text)
    if ":" in MAKERS.sub("", said.replace("::", "")) or not (MAKERS.search(said) or said.startswith("((")):
        return parse_layout(said)
    order = ORDER.search(said)
    numbers = re.sub(r"Int<(\d+)>|_(?=\d)", lambda found: found[1] or "", ORDER.sub("", said))
    value = read_tuple(MAKERS.sub("", numbers))
    shape_only = order is not None
    while isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], tuple):
        (value,), shape_only = value, True
    if not isinstance(value, tuple) or not value:
        return parse_layout(said)
    if order and order[1] in ("LayoutRight", "GenRowMajor"):
        return row_major(value)
    if len(value) == 2 and congruent(value[0], value[1]) and not shape_only:
        return Layout(value[0], value[1])
    return Layout(value)


def row_major(shape: tuple[Any, ...]) -> Layout:
    """The layout of this shape whose last mode is the fastest (flat shapes)."""
    sizes = [product(extent) for extent in shape]
    return Layout(shape, tuple(int(np.prod(sizes[i + 1 :])) for i in range(len(sizes))))
