"""Topic "tensor_core": who holds what in a matrix instruction, and how it gets there from shared memory.

TensorCoreParams -> compute -> Result -> panels -> Picture. What may be chosen: tensor_core_params.py and tensor_core_input.py.
From shared memory to registers: tensor_core_load.py. The picture: tensor_core_panels.py, its words: tensor_core_words.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cutelab.core.layout import Layout, offsets
from cutelab.course.card.picture import Picture
from cutelab.course.topics.tensor_core import card as tensor_core_panels
from cutelab.course.topics.tensor_core.knobs import TensorCoreParams, who
from cutelab.course.topics.tensor_core.load import Feed, core_matrix, feed
from cutelab.course.topics.tensor_core.typed import operand_of
from cutelab.cutlass.atoms import MmaAtom, tmem_layout
from cutelab.cutlass.tv import Owners

__all__ = ["Result", "TensorCoreParams", "compute", "panels"]


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found.

    layout         (thread, value) -> code, row + rows * column of the operand's tile; table: all codes
    tile           rows and columns of the operand; rows, columns: those that are drawn
    owned          which logical thread holds each element, as which value
    lanes          the lane (or thread of the warp group) of each logical thread
    bits, place    of an element of the operand; registers, shared memory or tensor memory
    feed           the shared-memory side; None where it is not shown
    tmem           the layout in tensor memory, where the operand lies there
    """

    params: TensorCoreParams
    atom: MmaAtom
    layout: Layout
    tile: tuple[int, int]
    bits: int
    place: str
    owned: Owners
    table: np.ndarray
    lanes: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    feed: Feed | None
    tmem: Layout | None

    @property
    def threads(self) -> int:
        return self.table.shape[0]

    @property
    def values(self) -> int:
        """How many values has each thread?"""
        return self.table.shape[1]

    @property
    def code(self) -> int:
        """The code of the probed (thread, value)."""
        return int(self.table[self.params.thread, self.params.value])

    @cached_property
    def held(self) -> np.ndarray:
        """(row, column) of each value of the probed thread."""
        return np.stack(np.divmod(self.table[self.params.thread], self.tile[0]), axis=1)[:, ::-1]

    @property
    def by_lane(self) -> bool:
        """Do lanes have other numbers than threads (Volta's quad pairs)?"""
        return bool((self.lanes != np.arange(len(self.lanes))).any())

    @property
    def everyone(self) -> bool:
        """Is there no thread of its own for an element: all see it in shared memory, or one thread stands for all?"""
        return self.owned.every_thread or (self.place != "registers" and self.threads == 1)

    @property
    def letter(self) -> str:
        """T for a thread; B for a thread block, where two blocks share an operand."""
        return "B" if self.place != "registers" and self.threads == 2 else "T"

    @property
    def name(self) -> str:
        """The probed thread's name, T and its lane."""
        return f"{self.letter}{self.lanes[self.params.thread]}"

    def drawn(self, row: np.ndarray, column: np.ndarray) -> np.ndarray:
        """The probe cell of each element: its place among the drawn cells; -1 where it is not drawn."""
        i, j = row - self.rows[0], column - self.columns[0]
        inside = (i >= 0) & (i < len(self.rows)) & (j >= 0) & (j < len(self.columns))
        return np.where(inside, i * len(self.columns) + j, -1)


def compute(params: TensorCoreParams) -> Result:
    """Who holds each element of the operand, and which wavefronts does its load take?"""
    atom, which = params.found, params.operand
    layout, tile, bits, place = operand_of(atom, which)
    owned, table = who(atom.name, which)
    lanes = offsets(atom.thr_id).ravel(order="F")
    found, tmem = None, None
    if params.side == "load":
        start = (params.down * tile[0], params.across * tile[1])
        found = feed(params.laid_out, atom.name, which, bits // 8, start, params.load, params.step)
    elif params.side == "core":
        start = (params.down * 8, params.across * 16 // params.item)
        found = core_matrix(params.laid_out, params.item, start)
    if place == "tensor memory":
        rows, wide = min(tile[0], 128), tile[1] if which == "C" else tile[1] * bits // 32
        tmem = tmem_layout(rows, tile[1], bits) if wide <= 512 else None
    return Result(params, atom, layout, tile, bits, place, owned, table, lanes, *params.window, found, tmem)


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: the tile, the registers, shared memory, the verdicts."""
    return tensor_core_panels.picture(result)
