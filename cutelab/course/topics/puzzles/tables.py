"""Targets that are tables of offsets: what was built must give the same number at every coordinate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab import ComposedLayout, Layout, Swizzle, offsets, size
from cutelab.algebra.explain import tiler_text
from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError
from cutelab.course.ask import diagnose
from cutelab.course.ask.diagnose import Mapped
from cutelab.course.ask.target import Built, modes
from cutelab.course.card.picture import Grid
from cutelab.course.topics.puzzles.card import Aim, number_tile, place, table_text, tile

LARGEST = 16384  # elements of what is built
NO_SWIZZLE = "A plain layout is asked for here: a shape and its strides, with no function around it."
MOST_WORDS = 300  # characters of an error that is passed on


@dataclass(frozen=True, eq=False)
class Table:
    """A table of offsets. One dimension: the 1-D order counts, whatever the modes; two: each needs its own mode.

    table  what is wanted
    make   makes the layout of what was answered; None: the answer is that layout
    score  what the par counts
    plain  the offsets before a swizzle: a fault then says which bits should change
    swizzled  may the answer itself be a layout under a swizzle?
    """

    table: np.ndarray
    make: Callable[[Any], Any] | None = None
    score: Callable[[Any], int] = modes
    plain: np.ndarray | None = None
    swizzled: bool = False

    def __call__(self, thing: Any) -> Built:
        if isinstance(thing, ComposedLayout) and not self.swizzled:
            raise CuteLabError(NO_SWIZZLE)
        try:
            made = thing if self.make is None else self.make(thing)
        except CuteLabError as error:  # the operation refuses it, and says why
            words = str(error)
            words = words if len(words) <= MOST_WORDS else words[: MOST_WORDS - 3] + "..."
            return Built(_spelled(thing), 0, "this cannot be put together.", words, words)
        if size(made) > LARGEST:
            raise CuteLabError(f"this makes {size(made):,} elements; the target has {self.table.size}")
        mine = self._mapped(made)
        right = Mapped("", self.table.shape, self.table)
        text = f"{made}" if self.make is None else f"{_spelled(thing)} makes {made}"
        score = self.score(thing)
        if mine.extents == right.extents and (mine.offsets == self.table).all():
            return Built(text, score, drawn=self._tile(text, mine.offsets, None))
        named = self._bits(mine) or diagnose.name_layout(mine, right)
        if mine.extents != right.extents:
            named = named or "this has another shape than the target."
            where = f"Yours, `{text}`, has coordinates {diagnose.span(mine.extents)}, the target {diagnose.span(right.extents)}."
            effect: Any = mine.extents
            drawn = self._tile(text, mine.offsets, None) if mine.offsets.ndim <= 2 else None
            return Built(text, score, named, where, effect, drawn)
        at = tuple(int(i) for i in np.argwhere(mine.offsets != self.table)[0])
        differ = f"yours gives {mine.offsets[at]}, the target {self.table[at]}"
        count = int((mine.offsets != self.table).sum())
        where = f"At {place(at)} {differ} ({count} of {self.table.size} differ)."
        leaf = "" if self.make is not None or isinstance(made, ComposedLayout) else self._leaf(made)
        if not named:
            named, leaf = leaf or f"{place(at)} lies at another offset.", ""
        drawn = self._tile(text, mine.offsets, at)
        return Built(text, score, named, f"{leaf} {where}".strip(), mine.offsets.tolist(), drawn)

    def _mapped(self, made: Any) -> Mapped:
        found = offsets(made)
        if self.table.ndim == 1:
            found = found.ravel(order="F")
        return Mapped(str(made), found.shape, found)

    def _bits(self, mine: Mapped) -> str:
        """Which bits of the offset are changed, and which should be?"""
        if self.plain is None or mine.extents != self.table.shape:
            return ""
        found, wanted = (_changed(table, self.plain) for table in (mine.offsets, self.table))
        if found == wanted:
            return "the right bits change, but not in the right rows: which bits of the row decide?"
        return f"yours changes {_bits_text(found)} of the offset, the target {_bits_text(wanted)}."

    def _leaf(self, made: Layout) -> str:
        """The first leaf of the layout whose step is not the target's."""
        if self.table.ndim != 1 and int_tuple.rank(made.shape) != self.table.ndim:
            return ""
        strides = int_tuple.modes(made.stride)
        groups = [int_tuple.flatten(m) for m in int_tuple.modes(made.shape)]
        step, axis_step = 1, 1
        for axis, (extents, group) in enumerate(zip(groups, map(int_tuple.flatten, strides), strict=True)):
            axis_step = 1
            for extent, stride in zip(extents, group, strict=True):
                at = (
                    (step,)
                    if self.table.ndim == 1
                    else tuple(axis_step if k == axis else 0 for k in range(len(groups)))
                )
                if extent > 1 and all(a < n for a, n in zip(at, self.table.shape, strict=True)):
                    wanted = int(self.table[at] - self.table[(0,) * self.table.ndim])
                    if wanted != stride:
                        mode = f"mode {axis}" if len(extents) == 1 else f"the part {extent}:{stride} of mode {axis}"
                        return f"{mode[:1].upper()}{mode[1:]} steps by {stride}; the target steps by {wanted} there."
                axis_step, step = axis_step * extent, step * extent
        return ""

    def _tile(self, text: str, table: np.ndarray, at: tuple[int, ...] | None) -> Grid:
        return number_tile("yours", table, int(self.table.max()), heading=f"Yours: {text}", at=_cell(at))

    def target(self, built: Built | None) -> Aim:
        """The tile of the target, and its words; what was built rings the first difference in it, too."""
        at = None
        if built is not None and isinstance(built.effect, list):
            mine = np.array(built.effect)
            at = tuple(int(i) for i in np.argwhere(mine != self.table)[0])
        grid = number_tile("target", self.table, int(self.table.max()), heading="Target", at=_cell(at))
        return Aim(grid, f"target {table_text(self.table)}")


def _cell(at: tuple[int, ...] | None) -> tuple[int, int] | None:
    return None if at is None else (at[0], at[1]) if len(at) == 2 else (0, at[0])


def _spelled(thing: Any) -> str:
    """What was answered, as it is written."""
    return tiler_text(thing) if isinstance(thing, tuple) else str(thing)


def _changed(table: np.ndarray, plain: np.ndarray) -> int:
    """The bits in which the two tables differ anywhere."""
    return int(np.bitwise_or.reduce((table ^ plain).ravel()))


def _bits_text(mask: int) -> str:
    """Bits in words.

    >>> _bits_text(6), _bits_text(0), _bits_text(8)
    ('bits 1 and 2', 'no bit', 'bit 3')
    """
    found = [str(b) for b in range(mask.bit_length()) if mask >> b & 1]
    if len(found) < 2:
        return f"bit {found[0]}" if found else "no bit"
    return f"bits {', '.join(found[:-1])} and {found[-1]}"


def over(tile: Layout) -> Callable[[Swizzle], ComposedLayout]:
    """Puts a swizzle over this tile."""
    return lambda swizzle: ComposedLayout(swizzle, 0, tile)


def swizzle_bits(thing: Any) -> int:
    """How many bits does a swizzle change?"""
    bits: int = thing.bits
    return bits


@dataclass(frozen=True, eq=False)
class Gaps:
    """A block and the places that are still free: the block, repeated by the answer, must fill 0 to n - 1, each once."""

    block: Layout
    n: int

    def __call__(self, thing: Any) -> Built:
        if isinstance(thing, ComposedLayout):
            raise CuteLabError(NO_SWIZZLE)
        table = offsets(self.block).ravel()[:, None] + offsets(thing).ravel(order="F")
        text, score = str(thing), modes(thing)
        flat = np.sort(table, axis=None)
        at: tuple[int, ...] | None = None
        fault = where = ""
        twice = diagnose.shared_offset(table)
        if twice:
            one, other, offset = twice
            at = other
            fault = f"offset {offset} is filled twice, by element {one[0]} of copy {one[1]} and element {other[0]} of copy {other[1]}."
        elif flat[-1] >= self.n:
            at = tuple(int(i) for i in np.argwhere(table == flat[-1])[0])
            fault = f"this reaches offset {flat[-1]}; the last one is {self.n - 1}."
        elif flat.size < self.n:
            fault = "some places are still free."
        if fault:
            free = sorted(set(range(self.n)) - set(flat.tolist()))
            where = f"With {text}, {len(free)} of {self.n} offsets stay free" + (
                f", the first is {free[0]}." if free else "."
            )
        heading = f"Yours: {text}, a column for each copy of the block"
        drawn = number_tile("yours", table, self.n - 1, heading=heading, at=_cell(at))
        return Built(text, score, fault, where, flat.tolist() if fault else None, drawn)

    def target(self, built: Built | None) -> Aim:
        """The block as it is: the free places are drawn empty."""
        row = np.full(self.n, -1)
        block = offsets(self.block).ravel()
        row[block] = block
        labels = np.where(row < 0, "", row.astype("U4")).reshape(1, -1)
        fill = np.where(row < 0, -1, 12).reshape(1, -1)
        words = f"the block fills {table_text(block)}; 0 to {self.n - 1} are to be filled"
        heading = f"Filled by {self.block}; all of 0 to {self.n - 1} are to be filled"
        return Aim(tile("target", fill, labels, heading=heading), words)
