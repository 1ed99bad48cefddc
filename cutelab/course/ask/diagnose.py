"""Where does an answer go wrong, when nobody foresaw it? Numbers, tuples and layouts; functions are in `trials.py`.

A diagnosis states facts about the learner's own answer: which quantity it is, what it would mean, what is right in it
already. Before the third try it does not say the right value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.int_tuple import is_int
from cutelab.course.ask.reading import to_words

Named = tuple[tuple[str, int], ...]
"""Quantities of a question by their names: (("rows", 4), ("columns", 8))."""


@dataclass(frozen=True)
class Diagnosis:
    """named: what was probably meant or forgotten, "" if unknown. where: the place, or what the learner's value would mean."""

    named: str = ""
    where: str = ""


BYTES_OF_ONE = "bytes of an element"  # the name by which a question gives them


def _many(n: int, one: str) -> str:
    return f"{n} {one}{'s' * (n != 1)}"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


UNITS: dict[str, tuple[str, Callable[[int], str] | None]] = {
    "sectors": ("a sector is 32 bytes", lambda n: f"{_many(n, 'sector')} {_are(n)} {32 * n} bytes"),
    "wavefronts": (
        "a wavefront brings 32 words of 4 bytes",
        lambda n: f"{_many(n, 'wavefront')} bring{'s' * (n == 1)} up to {32 * n} words, {128 * n} bytes",
    ),
    "bytes": (
        "the question asks for bytes",
        lambda n: f"{_many(n, 'byte')} {_are(n)} {n / 4:g} float32 or {n / 2:g} half",
    ),
    "elements": ("the question asks for elements", None),
}
"""Of a unit: what it is, and what n of it are (None: that depends on the question)."""


def measured(n: int, unit: str, given: Named) -> str:
    """What are n of this unit? "" where the question does not settle it.

    >>> measured(66, "elements", (("bytes of an element", 2),)), measured(66, "elements", ())
    ('66 elements are 132 bytes', '')
    """
    if unit == "elements" and (item := dict(given).get(BYTES_OF_ONE)):
        return f"{_many(n, 'element')} {_are(n)} {item * n} bytes"
    words = UNITS[unit][1] if unit in UNITS else None
    return words(n) if words else ""


FACTORS = (2, 4, 8, 16, 32, 64)


def moderate(value: Any) -> bool:
    """Are all its numbers of a size that a question could be about?"""
    return all(map(moderate, value)) if isinstance(value, tuple) else abs(value) < 2**31


def expressions(given: Named, differences: bool = True) -> Iterator[tuple[int, str]]:
    """Every value that one step makes of the given quantities, with its words: the short ones first."""
    for name, a in given:
        yield (
            a,
            f"this is the given number of {name} alone" if name.endswith("s") else f"this is the given {name} alone",
        )
    for i, (one, a) in enumerate(given):
        for other, b in given[i + 1 :]:
            yield a + b, f"this is {one} plus {other}, {a} + {b}"
            yield a * b, f"this is {one} times {other}, {a} · {b}, which is not the whole way"
            if differences:
                yield abs(a - b), f"this is the difference of {one} and {other}, {max(a, b)} - {min(a, b)}"
            if min(a, b) > 0 and max(a, b) % min(a, b) == 0:
                yield max(a, b) // min(a, b), f"this is {max(a, b)} / {min(a, b)}, of {one} and {other}"
    if len(given) == 3:
        (one, a), (other, b), (third, c) = given
        yield a * b * c, f"this is the product of all three, {one}, {other} and {third}"
        yield a + b + c, f"this is the sum of all three, {one}, {other} and {third}"


def name_number(mine: int, right: int, given: Named = (), unit: str = "", guess: bool = True) -> str:
    """What is this number, if not the right one? "" if nothing is known about it. `guess`: say what may have happened, too.

    >>> name_number(12, 32, (("rows", 4), ("columns", 8)))
    'this is rows plus columns, 4 + 8.'
    >>> name_number(31, 32)
    'this is off by one: counting from 0, the last number is one less than how many there are.'
    """
    if mine < 0 <= right:
        return "a count or an offset is never negative here."
    for value, words in expressions(given, guess):
        if value == mine and mine not in (0, 1, right):
            return f"{words}."
    if not guess:
        return ""
    if abs(mine - right) == 1 and mine > 0:
        if unit == "wavefronts" and mine < right:
            return (
                "this is off by one: the conflicts are what comes on top of the first wavefront; count all wavefronts."
            )
        return "this is off by one: counting from 0, the last number is one less than how many there are."
    if mine == 0:
        return f"0 would mean no {unit or 'step'} at all."
    if mine == 1:
        return f"1 would mean that one {unit.removesuffix('s')} does for all." if unit else "1 would mean one for all."
    high, low = max(mine, right), min(mine, right)
    if low > 0 and high % low == 0 and high // low in FACTORS:
        return (
            "this is off by a power of two: "
            + (f"{UNITS[unit][0]}; " if unit in UNITS else "")
            + "was something counted in another unit (bytes, elements, words, sectors), twice, or by halves?"
        )
    return ""


def of_number(mine: int, right: int, given: Named, unit: str, told: bool, guess: bool = True) -> Diagnosis:
    """The diagnosis of one number. On the third try it says how far off, never the number itself."""
    where = f"{measured(mine, unit, given) or f'Yours is {mine}'}."
    if told:
        where += f" The right number is {'smaller' if mine > right else 'larger'} by {_about(abs(mine - right))}."
    return Diagnosis(name_number(mine, right, given, unit, guess), where[:1].upper() + where[1:])


def _about(n: int) -> str:
    return "a little" if n < 4 else f"more than {2 ** ((n - 1).bit_length() - 1) - 1}"


def name_tuple(
    mine: tuple[Any, ...], right: tuple[Any, ...], parts: tuple[str, ...], given: Named, unit: str, guess: bool = True
) -> str:
    """What is wrong with this tuple: order, unit, counting from 1, or one of its numbers? "" if nothing is known.

    >>> name_tuple((3, 1), (1, 3), ("row", "column"), (), "")
    'the right numbers in another order: row, then column.'
    """
    names = parts or tuple(f"number {i + 1}" for i in range(len(right)))
    if len(mine) != len(right):
        return f"this has {len(mine)} {'entry' if len(mine) == 1 else 'entries'}; {len(right)} are asked for: {', '.join(names)}."
    if sorted(map(str, mine)) == sorted(map(str, right)):
        return "the right numbers in another order" + (f": {', then '.join(names)}." if parts else ".")
    pairs = list(zip(mine, right, strict=True))
    if all(is_int(a) and is_int(b) for a, b in pairs):
        if len({a - b for a, b in pairs}) == 1 and abs(mine[0] - right[0]) == 1:
            return "all of them are off by one: places are counted from 0."
        for k in FACTORS if guess else ():
            if all(a == k * b or b == k * a for a, b in pairs):
                return "all of them are off by the same factor: were they counted in another unit?"
    elif all(isinstance(a, tuple) and isinstance(b, tuple) and a == b[::-1] for a, b in pairs):
        return "in each pair the two numbers have changed places."
    same = [n for n, (a, b) in zip(names, pairs, strict=True) if a == b]
    wrong = [(n, a, b) for n, (a, b) in zip(names, pairs, strict=True) if a != b]
    if not same:
        return ""
    _, a, b = wrong[0]
    why = name_number(a, b, given, unit, guess) if is_int(a) and is_int(b) else ""
    good = f"{_listed(same)} {'is' if len(same) == 1 else 'are'} right"
    return f"{good}; {_listed([w[0] for w in wrong])} {'is' if len(wrong) == 1 else 'are'} not" + (
        f": {to_words(a)}, {why}" if why else "."
    )


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def of_tuple(
    mine: tuple[Any, ...],
    right: tuple[Any, ...],
    parts: tuple[str, ...],
    given: Named,
    unit: str,
    told: bool,
    guess: bool = True,
) -> Diagnosis:
    """The diagnosis of a tuple whose order counts."""
    named = name_tuple(mine, right, parts, given, unit, guess)
    where = f"Yours is {to_words(mine)}."
    if len(mine) == len(right):
        at = next(i for i in range(len(right)) if mine[i] != right[i])
        where = f"The first difference is at number {at + 1} of {len(right)}: yours {to_words(mine[at])}"
        where += f", right {to_words(right[at])}." if told else "."
    return Diagnosis(named, where)


def of_set(mine: tuple[int, ...], right: tuple[int, ...], told: bool) -> Diagnosis:
    """The diagnosis of numbers whose order does not count."""
    extra, missing = sorted(set(mine) - set(right)), sorted(set(right) - set(mine))
    parts = [f"{extra[0]} does not belong there"] if extra else []
    parts += [f"{missing[0]} is missing" if told or extra else "one is missing, or more"] if missing else []
    if not told and extra and missing:
        parts = parts[:1]
    kept = sorted(set(mine) & set(right))
    named = (
        f"{', '.join(map(str, kept))} {'is' if len(kept) == 1 else 'are'} right, but not all that there is."
        if (kept and not extra)
        else f"not all of these: {extra[0]} does not belong there."
        if extra and kept
        else ""
    )
    return Diagnosis(named, f"In yours, {' and '.join(parts)}.")


@dataclass(frozen=True, eq=False)
class Mapped:
    """What a layout maps: its text, its shape's modes, the size of each top-level mode, the offset of each coordinate.

    accepted  it has the property that was asked for, where a question has more than one right answer
    strides   the numbers of its stride, without brackets; () where it is no plain layout
    """

    text: str
    extents: tuple[int, ...]
    offsets: np.ndarray
    accepted: bool = False
    strides: tuple[int, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapped):
            return NotImplemented
        same = self.extents == other.extents and bool((self.offsets == other.offsets).all())
        return same or (self.accepted and other.accepted)


def span(extents: tuple[int, ...]) -> str:
    """How many coordinates in each mode, in words.

    >>> span((6, 4)), span((6,))
    ('6 x 4', '6 in one mode')
    """
    return " x ".join(map(str, extents)) if len(extents) > 1 else f"{extents[0]} in one mode"


ELSEWHERE = "the right strides, but at other modes: each belongs to the mode that stands at its place in the shape."


def name_layout(mine: Mapped, right: Mapped) -> str:
    """What is wrong with this layout as a whole? "" if nothing is known."""
    a, b = mine.offsets, right.offsets
    if mine.extents != right.extents:
        if mine.extents == right.extents[::-1] and a.ndim > 2:
            return "the modes stand in the reverse order."
        if mine.extents == right.extents[::-1]:
            turned = np.array_equal(b, a.T)
            return "rows and columns have changed places: the shape names the rows first" + (
                "; turned round, it is right." if turned else "."
            )
        if a.size == b.size and np.array_equal(a.ravel(order="F"), b.ravel(order="F")):
            return (
                "by 1-D index this is the same map, but it stands in other modes: keep the modes that were asked for."
            )
        if a.size == b.size:
            return "the number of elements is right, but they stand in other modes: keep the modes that were asked for."
        return f"this has {a.size} elements, in the shape {span(mine.extents)}; another number is asked for."
    if (a % 2 == 0).all() and a.any():
        for k in FACTORS:
            if (a == k * b).all():
                bytes_too = ": are these bytes? Strides count elements." if k in (2, 4, 8) else "."
                return f"every offset is too large by the same factor{bytes_too}"
    if a.ndim == 2 and np.array_equal(b, a.T):
        return "row and column have changed places."
    if dealt_otherwise(a, b):
        return "every mode has the right offsets, but in another order: the mode that counts fastest stands first."
    if a.ndim > 1 and plain_order(a) and not plain_order(b):
        return "this is column-major without a gap, what a shape alone gives: the strides have to say more."
    exchanged = mine.strides != right.strides and sorted(mine.strides) == sorted(right.strides) and not right.accepted
    if exchanged and len(mine.strides) > 2:
        return ELSEWHERE
    if still := standing(a, b):
        return still
    meeting = shared_offset(a)
    if meeting and not shared_offset(b):
        one, other, offset = meeting
        return f"two elements share one place: {to_words(one)} and {to_words(other)} both lie at offset {offset}."
    if len(mine.extents) == 2 and min(mine.extents) > 1:
        down, across = int(a[1, 0] - a[0, 0]), int(a[0, 1] - a[0, 0])
        good_down, good_across = int(b[1, 0] - b[0, 0]), int(b[0, 1] - b[0, 0])
        if min(down, across) == 1 == min(good_down, good_across) and (down < across) != (good_down < good_across):
            first = "down a column" if down < across else "along a row"
            return f"in yours neighbours in memory lie {first}; here it is the other direction."
    if exchanged:
        return ELSEWHERE
    if not shared_offset(b):
        unused, fair = int(a.max() - a.min()) + 1 - a.size, int(b.max() - b.min()) + 1 - b.size
        if unused > fair:
            return f"this leaves {unused} offset{'s' * (unused != 1)} unused between its first and its last element; the right layout leaves fewer."
        if unused < fair:
            return f"this leaves {unused} offset{'s' * (unused != 1)} unused between its first and its last element; the right layout leaves more."
    return ""


def plain_order(offsets: np.ndarray) -> bool:
    """Is this the layout of a shape without strides of its own: 0, 1, 2 ... with the first mode fastest?"""
    return bool((offsets.ravel(order="F") == np.arange(offsets.size)).all())


def lead(offsets: np.ndarray, axis: int) -> np.ndarray:
    """The offsets along one mode, from the origin."""
    return np.moveaxis(offsets, axis, 0).reshape(offsets.shape[axis], -1)[:, 0]


def dealt_otherwise(a: np.ndarray, b: np.ndarray) -> bool:
    """Has each mode the right offsets, each once, but in another order?"""
    if np.array_equal(a, b) or len(np.unique(b)) < b.size or not np.array_equal(np.unique(a), np.unique(b)):
        return False
    return all(np.array_equal(np.sort(lead(a, i)), np.sort(lead(b, i))) for i in range(a.ndim))


def standing(a: np.ndarray, b: np.ndarray) -> str:
    """A mode in which one of the two stands still, and the other does not; "" if there is none. a: the learner's."""
    names = ("down", "to the right") if a.ndim == 2 else tuple(f"in mode {i}" for i in range(a.ndim))
    for axis, name in enumerate(names):
        mine, right = lead(a, axis), lead(b, axis)
        if len(np.unique(right)) == 1 < right.size and len(np.unique(mine)) > 1:
            return f"in yours a step {name} leads to another element; here it must lead to the same one again."
        if len(np.unique(right)) == right.size and len(np.unique(mine)) == 1 < mine.size:
            return f"in yours a step {name} goes nowhere: all these places are one element."
        if len(np.unique(b)) < b.size and len(np.unique(right)) == right.size and len(np.unique(mine)) < mine.size:
            first = int(np.argmax([v in mine[:i] for i, v in enumerate(mine)]))
            return f"{name}, place {first} is the same element as an earlier one: offset {mine[first]} comes again."
    return ""


def shared_offset(offsets: np.ndarray) -> tuple[tuple[int, ...], tuple[int, ...], int] | None:
    """Two coordinates that share an offset, the first in the order of offsets; None if there are none."""
    flat = offsets.ravel()
    order = np.argsort(flat, kind="stable")
    equal = np.flatnonzero(flat[order][1:] == flat[order][:-1])
    if not equal.size:
        return None
    one, other = (tuple(int(i) for i in np.unravel_index(order[equal[0] + d], offsets.shape)) for d in (0, 1))
    return one, other, int(flat[order[equal[0]]])


def of_layout(mine: Mapped, right: Mapped, told: bool) -> Diagnosis:
    """The diagnosis of a layout: which of its modes step rightly, and where it first differs."""
    named = name_layout(mine, right)
    if mine.extents != right.extents:
        asked = f"; the right layout has {span(right.extents)}" if told else ""
        return Diagnosis(named, f"Yours, `{mine.text}`, has coordinates {span(mine.extents)}{asked}.")
    a, b = mine.offsets, right.offsets
    at = tuple(int(i) for i in np.argwhere(a != b)[0])
    count = int((a != b).sum())
    where = f"The first difference, row by row, is at {to_words(at)}: yours {a[at]}"
    where += f", right {b[at]} " if told else " "
    where += f"({count} of {b.size} coordinates differ)."
    axes = []
    for axis in range(a.ndim):
        line = tuple(slice(None) if i == axis else 0 for i in range(a.ndim))
        axes.append(bool((a[line] == b[line]).all()))
    if a.ndim == 2 and any(axes) and not all(axes):
        good, bad = (0, 1) if axes[0] else (1, 0)
        names = ("down the rows", "along the columns")
        line = (slice(None), 0) if bad == 0 else (0, slice(None))
        first = int(np.argmax(a[line] != b[line]))
        step = f"the step to number {first}, from offset {a[line][first - 1]} to {a[line][first]}, is not"
        where = f"{names[good].capitalize()} all steps are right; {names[bad]} {step}. {where}"
    return Diagnosis(named, where)
