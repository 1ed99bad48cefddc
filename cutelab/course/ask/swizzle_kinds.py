"""The kinds of exercises whose answer is a swizzle: by its name, or by what it does for a tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab import Layout, Swizzle, TileAccess, WarpAccess, offsets, parse_swizzle, wavefronts
from cutelab.core.errors import CuteLabError
from cutelab.course.ask.kinds import describe, is_starter


def read_swizzle(answer: Any) -> Swizzle:
    """The swizzle of an answer, typed as text or given as a Swizzle."""
    if isinstance(answer, Swizzle):
        return answer
    if not isinstance(answer, str):
        raise CuteLabError(f'The answer must be a swizzle, such as "Sw<3,4,3>"; yours is {describe(answer)}.')
    return parse_swizzle(answer)


@dataclass(frozen=True)
class SwizzleName:
    """A swizzle, by its three numbers."""

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Swizzle:
        return read_swizzle(answer)

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Swizzle:
        return self.read(right())

    def difference(self, mine: Swizzle, right: Swizzle) -> str:
        names = [n for n in ("bits", "base", "shift") if getattr(mine, n) != getattr(right, n)]
        return f"Yours is {mine}: {' and '.join(names)} {'differs' if len(names) == 1 else 'differ'}."


@dataclass(frozen=True, eq=False)
class Effect:
    """What a swizzle does to the accesses of a tile. All that are free of conflicts are equal; others by their map."""

    swizzle: Swizzle
    wavefronts: int | None  # None: a lane's bytes are taken apart
    ideal: int
    table: np.ndarray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Effect):
            return NotImplemented
        best = self.wavefronts == self.ideal and other.wavefronts == other.ideal
        return best or bool((self.table == other.table).all())

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class SwizzleFor:
    """A swizzle on elements for a row-major tile: every one that makes these accesses ideal is a right answer."""

    rows: int
    cols: int
    element_bytes: int
    accesses: tuple[TileAccess, ...]

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Effect:
        swizzle = read_swizzle(answer)
        table = swizzle(offsets(Layout((self.rows, self.cols), (self.cols, 1))))
        total, ideal = 0, 0
        for access in self.accesses:
            vector = access.access_bytes // self.element_bytes
            first = table[access.row, access.col]
            pieces = table[access.row[..., None], access.col[..., None] + np.arange(vector)]
            if (first % vector).any() or (pieces != first[..., None] + np.arange(vector)).any():
                return Effect(swizzle, None, 1, table)
            found = wavefronts(WarpAccess(first * self.element_bytes, access.access_bytes, access.kind, access.active))
            total, ideal = total + int(np.sum(found.count)), ideal + int(np.sum(found.ideal))
        return Effect(swizzle, total, ideal, table)

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Effect:
        return self.read(right())

    def difference(self, mine: Effect, right: Effect) -> str:
        if mine.wavefronts is None:
            return f"With {mine.swizzle} the bytes of one lane no longer lie in one piece."
        return f"With {mine.swizzle}: {mine.wavefronts} wavefronts where {mine.ideal} would do."
