"""Words that every topic uses: element types with their sizes, and how a number is written on a picture."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

import numpy as np

State = Literal["good", "note", "bad"]

ELEMENTS = {"int8": 1, "half": 2, "float32": 4, "float64": 8, "uint128": 16}
"""Element types that the explorers offer, with their sizes in bytes."""


def element_of(bits: int | None) -> dict[str, str]:
    """Which element has so many bits, as a parameter? Empty where none has.

    >>> element_of(16), element_of(4)
    ({'element': 'half'}, {})
    """
    named = [name for name, size_bytes in ELEMENTS.items() if 8 * size_bytes == bits]
    return {"element": named[0]} if named else {}


def number(n: int) -> str:
    """How is a whole number written on a picture? Plain up to 9,999, then with commas, from 1e9 in short.

    >>> number(1024), number(65536), number(10**12)
    ('1024', '65,536', '1e12')
    """
    if abs(n) < 10_000:
        return str(n)
    return f"{n:,}" if abs(n) < 10**9 else f"{n:.3g}".replace("e+", "e")


def state_of(count: float, ideal: float, ways: int = 0) -> State:
    """Green, amber or red? One rule for all topics: green is the ideal, amber up to twice as much, red above.

    ways   wavefronts: the n of the worst "n-way bank conflict". Where it is 1 nothing conflicts, and the count is at worst
           amber: it is above the ideal of the bytes because of the width of the access or lanes that share.

    >>> state_of(4, 4), state_of(8, 4), state_of(9, 4), state_of(4, 1, ways=1)
    ('good', 'note', 'bad', 'note')
    """
    return "good" if count <= ideal else "note" if count <= 2 * ideal or ways == 1 else "bad"


def worst_of(states: Iterable[State]) -> State:
    """The state of several counts together: of the worst.

    >>> worst_of(["good", "note"])
    'note'
    """
    return max(states, key=("good", "note", "bad").index)


def above(ideal: int, ways: int = 0) -> str:
    """How does a sentence go on after a count above its ideal? `ways` as in `state_of`.

    >>> above(4), above(1024, ways=1)
    (' where 4 would do', ', free of bank conflicts; the bytes alone would need 1024')
    """
    if ways == 1:
        return f", free of bank conflicts; the bytes alone would need {number(ideal)}"
    return f" where {number(ideal)} would do"


def count(n: int, noun: str) -> str:
    """How many of a thing, in words?

    >>> count(1, "wavefront"), count(32, "wavefront")
    ('1 wavefront', '32 wavefronts')
    """
    return f"{number(n)} {noun}{'' if n == 1 else 's'}"


def labels_of(values: np.ndarray) -> np.ndarray:
    """How are these whole numbers written in cells? As plain text, in an array no wider than the longest of them.

    >>> labels_of(np.array([7, 1023])), labels_of(np.array([-5]))
    (array(['7', '1023'], dtype='<U4'), array(['-5'], dtype='<U2'))
    """
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    wide = max(len(str(low)), len(str(high)))
    if low >= 0 and wide <= 4:
        found: np.ndarray = _written(wide)[
            values
        ]  # looked up: NumPy takes a third of a millisecond to write a thousand
        return found
    return values.astype(f"U{wide}")


@lru_cache(maxsize=4)
def _written(wide: int) -> np.ndarray:
    """The whole numbers of so many digits, as text."""
    return np.arange(10**wide).astype(f"U{wide}")


def count_distinct(values: np.ndarray) -> int:
    """How many different values are there? Marks them where they lie close together, which is faster than sorting.

    >>> count_distinct(np.array([3, 1, 3, 7])), count_distinct(np.array([0, 2**62, 0]))
    (3, 2)
    """
    low, high = int(values.min()), int(values.max())
    if high - low < 2**25:
        marks = np.zeros(high - low + 1, bool)
        marks[values - low] = True
        return int(np.count_nonzero(marks))
    ordered = np.sort(values)
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))
