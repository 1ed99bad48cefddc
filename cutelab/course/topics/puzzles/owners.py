"""Targets that are owners: each element of a tile must belong to the wanted thread, as the wanted one of its values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab import ComposedLayout, Layout, cosize, rank, size
from cutelab.advise.cost import cost
from cutelab.core.errors import CuteLabError
from cutelab.course.ask.diagnose import span
from cutelab.course.ask.target import Built, modes
from cutelab.course.card.picture import Grid
from cutelab.course.topics.puzzles.card import Aim, place, tile
from cutelab.cutlass.tv import TiledCopy, owners
from cutelab.hardware.chip import H200, Address


def instructions(copy: TiledCopy) -> int:
    """How many instructions does a thread need for its part of the pattern?"""
    return size(copy.layout_tv[1]) // size(copy.atom.layouts[2][1])


@dataclass(frozen=True, eq=False)
class Owned:
    """Who holds what in a tile.

    thread, value  int (rows, columns): the owner of each element, and which of its values it is
    score          what the par counts
    """

    thread: np.ndarray
    value: np.ndarray
    score: Callable[[Any], int] = modes

    def __call__(self, thing: Any) -> Built:
        if isinstance(thing, ComposedLayout):
            raise CuteLabError("A plain layout is asked for here: (thread, value) to a place in the tile.")
        text = str(thing) if isinstance(thing, Layout) else f"a copy of {span(thing.tile)} with {thing.threads} threads"
        shape = self.thread.shape
        if isinstance(thing, TiledCopy):
            layout, tile_shape = thing.layoutS_TV, tuple(thing.tile)
            if tile_shape != shape:
                fault = f"all threads together cover {span(tile_shape)} elements; the target is {span(shape)}."
                return Built(text, 0, fault, "Threads times values, in each direction, give the tile.", tile_shape)
        else:
            layout = thing
            if rank(layout) != 2:
                raise CuteLabError(
                    f"A thread-value layout has two modes, (thread, value); yours, {layout}, has {rank(layout)}."
                )
        threads, values = size(layout[0]), size(layout[1])
        wanted = int(self.thread.max()) + 1, int(self.value.max()) + 1
        if (threads, values) != wanted:
            fault = f"this has {threads} threads of {values} values; the target has {wanted[0]} threads of {wanted[1]}."
            return Built(text, 0, fault, "Mode 0 counts the threads, mode 1 the values of each.", (threads, values))
        if cosize(layout) > self.thread.size:
            fault = f"this reaches place {cosize(layout) - 1}; the tile has places 0 to {self.thread.size - 1}."
            return Built(text, 0, fault, f"Place = row + {shape[0]} x column.", cosize(layout))
        found = owners(layout, shape)
        thread, value = np.asarray(found.thread), np.asarray(found.value)
        score = self.score(thing)
        wrong = (thread != self.thread) | (value != self.value) | (found.count != 1)
        if not wrong.any():
            return Built(text, score, drawn=self._tile("yours", thread, value, f"Yours: {text}", None))
        at = tuple(int(i) for i in np.argwhere(wrong)[0])
        has = "nobody" if thread[at] < 0 else f"T{thread[at]} v{value[at]}"
        also = f" and {int(found.count[at]) - 1} more" if found.count[at] > 1 else ""
        differ = f"yours gives {has}{also}, the target T{self.thread[at]} v{self.value[at]}"
        where = f"At {place(at)} {differ} ({int(wrong.sum())} of {wrong.size} differ)."
        drawn = self._tile("yours", thread, value, f"Yours: {text}", (at[0], at[1]))
        effect = (at, thread.tolist(), value.tolist())
        return Built(text, score, self._named(thread, value, found.count), where, effect, drawn)

    def _named(self, thread: np.ndarray, value: np.ndarray, count: np.ndarray) -> str:
        if (count > 1).any() or (count == 0).any():
            return f"{int((count > 1).sum())} elements have several owners, and {int((count == 0).sum())} have none."
        if (thread == self.thread).all():
            return "every thread holds the right elements, but numbers its values in another order."
        if all(set(self.thread[thread == t].tolist()) == {self.thread[thread == t][0]} for t in np.unique(thread)):
            return "the pieces have the right form, but the threads are counted in another order."
        return "the threads hold other elements."

    def _tile(self, name: str, thread: np.ndarray, value: np.ndarray, heading: str, at: tuple[int, int] | None) -> Grid:
        labels = np.where(thread < 0, "", np.char.add("T", thread.astype("U4")))
        second = np.where(thread < 0, "", np.char.add("v", value.astype("U4")))
        fill = np.where(thread < 0, -1, thread % 8)
        return tile(name, fill, labels, scale="category", heading=heading, at=at, second=second)

    def target(self, built: Built | None) -> Aim:
        """The tile of the target, and its words; the first difference of what was built is ringed."""
        at = (
            built.effect[0]
            if built is not None and isinstance(built.effect, tuple) and len(built.effect) == 3
            else None
        )
        rows = [
            " ".join(f"T{t}v{v}" for t, v in zip(*pair, strict=True))
            for pair in zip(self.thread[:4, :16], self.value[:4, :16], strict=True)
        ]
        words = "target " + " / ".join(rows) + (" ..." if self.thread.shape[0] > 4 or self.thread.shape[1] > 16 else "")
        return Aim(self._tile("target", self.thread, self.value, "Target: thread and value", at), words)


@dataclass(frozen=True)
class Moves:
    """A tile of halves that goes from global memory, rows of 4096, into swizzled shared memory: the fewest sectors, no conflict."""

    rows: int = 64
    columns: int = 64
    threads: int = 256

    def __call__(self, thing: TiledCopy) -> Built:
        text = f"a copy of {span(thing.tile)} with {thing.threads} threads"
        if thing.threads != self.threads:
            return Built(text, 0, f"this has {thing.threads} threads; the block has {self.threads}.", "", thing.threads)
        try:
            found = cost(
                thing,
                f"({self.rows},{self.columns}):(4096,1)",
                f"Sw<3,3,3> o 0 o ({self.rows},{self.columns}):(64,1)",
                "half_t",
            )
        except CuteLabError as error:
            return Built(text, 0, "this copy does not fit the tile.", str(error)[:300], tuple(thing.tile))
        sides = (("reads", found.source, "sectors"), ("stores", found.target, "wavefronts"))
        owner = owners(thing.layoutS_TV, thing.tile)
        lanes = np.argwhere((np.asarray(owner.thread) < 32) & (np.asarray(owner.value) == 0))  # where a warp begins
        effect = (*((side.count, side.ideal) for _, side, _ in sides), tuple(lanes.ravel().tolist()))
        for verb, side, unit in sides:
            if side.count != side.ideal:
                fault = f"the block {verb} with {side.count} {unit} where {side.ideal} would do."
                return Built(text, 0, fault, f"{text[:1].upper()}{text[1:]}.", effect, self._tile(thing))
        score = self.rows * self.columns // self.threads // size(thing.atom.layouts[2][1])
        return Built(text, score, drawn=self._tile(thing))

    def _tile(self, copy: TiledCopy) -> Grid:
        """Who takes what in the first rows of the pattern: one cell for each element."""
        found = owners(copy.layoutS_TV, copy.tile)
        thread, value = np.asarray(found.thread), np.asarray(found.value)
        labels = np.where(value == 0, np.char.add("T", thread.astype("U4")), "")
        return tile(
            "yours", thread % 8, labels, scale="category", heading=f"Yours: {copy.threads} threads on {span(copy.tile)}"
        )

    def target(self, built: Built | None) -> Aim:
        """The tile in shared memory, as the banks of its first rows."""
        row, column = np.indices((8, self.columns))
        byte = 2 * (64 * row + (column // 8 ^ row % 8) * 8 + column % 8)
        grid = tile(
            "target",
            Address(byte, 1, H200).bank,
            None,
            scale="bank",
            heading="Target: 8 rows in shared memory, by bank",
        )
        return Aim(
            grid,
            "64 x 64 halves go from rows of 4096 to Sw<3,3,3> o 0 o (64,64):(64,1): every sector once, no bank conflict",
        )
