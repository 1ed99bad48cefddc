"""Targets that are accesses: what was built must hold a tile in so many bytes, and no warp's access may conflict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab import ComposedLayout, TileAccess, WarpAccess, offsets, wavefronts
from cutelab.core.errors import CuteLabError
from cutelab.course.ask.diagnose import shared_offset, span
from cutelab.course.ask.target import Built, modes
from cutelab.course.card.picture import Grid, Key
from cutelab.course.topics.puzzles.card import Aim, Cell, place, tile
from cutelab.hardware.chip import H200, Address

Named = tuple[str, TileAccess]
"""What an access is for ("reading a column"), and the access."""


@dataclass(frozen=True, eq=False)
class Free:
    """A tile in shared memory that every access meets without a bank conflict.

    shape     rows and columns of the tile; item: bytes of an element
    accesses  each with its name
    limit     bytes that it may take
    make      makes the layout of what was answered; None: the answer is that layout
    plain     True: one stride a direction, without swizzle
    rule      one more rule: which is broken by this layout? "" for none
    score     what the par counts; None: bytes
    """

    shape: tuple[int, int]
    item: int
    accesses: tuple[Named, ...]
    limit: int
    make: Callable[[Any], Any] | None = None
    plain: bool = False
    rule: Callable[[Any], str] | None = None
    score: Callable[[Any], int] | None = None

    def __call__(self, thing: Any) -> Built:
        made = thing if self.make is None else self.make(thing)
        if self.plain and (isinstance(made, ComposedLayout) or modes(made) != 2):
            raise CuteLabError(
                f"This puzzle is about padding: one stride for the rows, one for the columns; yours is {made}."
            )
        table = offsets(made)
        extents = tuple(table.shape)
        if extents != self.shape:
            fault = f"the tile has {span(self.shape)} elements, yours {span(extents)}."
            return Built(str(thing), 0, fault, "Rows come first, then columns.", extents)
        taken = (int(table.max()) + 1) * self.item
        fault, where, lanes = self._fault(made, table, taken)
        score = taken if self.score is None else 0 if fault else self.score(thing)
        text = str(thing)
        drawn = self._yours(text, table, lanes)
        where = f"{where} It takes {taken:,} of {self.limit:,} bytes." if fault else ""
        return Built(text, score, fault, where, table.tolist() if fault else None, drawn)

    def _fault(self, made: Any, table: np.ndarray, taken: int) -> tuple[str, str, tuple[Cell, ...]]:
        """The first rule that is broken, where, and the cells that show it."""
        twice = shared_offset(table)
        if twice:
            one, other, offset = twice
            fault = f"two elements share one place: {place(one)} and {place(other)} both lie at offset {offset}."
            return (
                fault,
                f"All {table.size:,} elements need a place of their own.",
                ((one[0], one[1]), (other[0], other[1])),
            )
        for name, access in self.accesses:
            found = self._conflict(name, access, table)
            if found:
                return found
        if taken > self.limit:
            fault = f"no access conflicts, but this takes {taken:,} bytes and {self.limit:,} are allowed."
            return fault, "How small can the step be?", ()
        broken = "" if self.rule is None else self.rule(made)
        return broken, f"With {made}." if broken else "", ()

    def _conflict(self, name: str, access: TileAccess, table: np.ndarray) -> tuple[str, str, tuple[Cell, ...]] | None:
        vector = access.access_bytes // self.item
        first = table[access.row, access.col]
        pieces = table[access.row[..., None], access.col[..., None] + np.arange(vector)]
        torn = (pieces != first[..., None] + np.arange(vector)).any(axis=-1) | (first % vector != 0)
        if torn.any():
            n, lane = (int(x) for x in np.argwhere(torn)[0])
            row, col = int(access.row[n, lane]), int(access.col[n, lane])
            whole = (pieces[n, lane] == first[n, lane] + np.arange(vector)).all()
            why = (
                f"they begin at byte {first[n, lane] * self.item}, no multiple of {access.access_bytes}"
                if whole
                else ("they do not lie in one piece")
            )
            fault = f"{name} takes {access.access_bytes} bytes a lane, and here that cannot be: {why}."
            return fault, f"The {vector} elements from {place((row, col))} on are meant.", ((row, col),)
        for n in range(access.instructions):
            found = wavefronts(WarpAccess(first[n] * self.item, access.access_bytes, access.kind, access.active[n]))
            if found.excess:
                lanes, bank = _meeting(found)
                cells = tuple((int(access.row[n, i]), int(access.col[n, i])) for i in lanes)
                listed = ", ".join(map(str, lanes[:6])) + (" ..." if len(lanes) > 6 else "")
                return f"{name}: {found.summary()}.", f"Lanes {listed} meet in bank {bank}.", cells
        return None

    def _yours(self, text: str, table: np.ndarray, lanes: tuple[Cell, ...]) -> Grid:
        """The tile, coloured by bank, the lanes that meet ringed."""
        bank = Address(table, self.item, H200).bank
        return tile("yours", bank, None, scale="bank", heading=f"Yours, by bank: {text}", rings=lanes)

    def target(self, built: Built | None) -> Aim:
        """Which cells does the first instruction of each access touch?"""
        fill = np.full(self.shape, -1)
        for k, (_, access) in enumerate(self.accesses):
            vector = access.access_bytes // self.item
            on = access.active[0]
            fill[access.row[0, on][:, None], access.col[0, on][:, None] + np.arange(vector)] = k
        legend = tuple(Key(name, "fill", "category", k) for k, (name, _) in enumerate(self.accesses))
        names = "; ".join(name for name, _ in self.accesses)
        words = f"tile of {span(self.shape)}, {self.item} bytes each, at most {self.limit:,} bytes; free of conflicts: {names}"
        grid = tile("target", fill, None, scale="category", heading=f"Target: free of conflicts, {self.limit:,} bytes")
        return Aim(grid, words, legend)


def _meeting(found: Any) -> tuple[list[int], int]:
    """Lanes of one group that meet in one bank with different words, and the bank: the first such."""
    for group in range(int(found.groups.max()) + 1):
        here = np.flatnonzero(found.groups == group)
        for bank in range(32):
            lane, at = np.nonzero(found.banks[here] == bank)
            words = found.words[here][lane, at]
            if len(np.unique(words)) > 1:
                return here[np.unique(lane)].tolist(), bank
    raise AssertionError("an access with a conflict has lanes that meet")
