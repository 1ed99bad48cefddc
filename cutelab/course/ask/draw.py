"""The same numbers from the same seed, in every version of Python."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")


class Draw(Random):
    """A Random whose choices rest on `random()` alone.

    Python promises that `random()` gives the same sequence for a seed in every version, and promises it of no other method.
    So the methods that questions use are written with it here. A seed is a text.

    >>> draw = Draw("autumn")
    >>> draw.choice("abc"), draw.randint(1, 6), draw.randrange(10), draw.sample(range(5), 2)
    ('a', 6, 5, [0, 1])
    """

    def choice(self, seq: Any) -> Any:
        return seq[int(self.random() * len(seq))]

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        return int(self.choice(range(start) if stop is None else range(start, stop, step)))

    def randint(self, a: int, b: int) -> int:
        return self.randrange(a, b + 1)

    def shuffle(self, x: MutableSequence[Any]) -> None:
        for i in range(len(x) - 1, 0, -1):
            j = self.randrange(i + 1)
            x[i], x[j] = x[j], x[i]

    def sample(self, population: Sequence[T], k: int, *, counts: Any = None) -> list[T]:
        rest = list(population)
        self.shuffle(rest)
        return rest[:k]
