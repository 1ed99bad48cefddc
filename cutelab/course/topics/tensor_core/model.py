"""Who holds what in a matrix instruction, and how it gets there from shared memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.course.card.parts.window import window
from cutelab.course.topics.tensor_core.knobs import TensorCoreParams
from cutelab.course.topics.tensor_core.load import Feed, core_matrix, feed
from cutelab.course.topics.tensor_core.typed import operand_of
from cutelab.cutlass.atoms import MmaAtom, tmem_layout
from cutelab.cutlass.tv import Owners, owners

Array = np.ndarray[Any, Any]
MOST_ROWS, MOST_COLUMNS = 64, 256  # of an operand that is drawn whole


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found.

    table          the code of each (thread, value): row + rows * column of the operand's tile
    rows, columns  of the tile, those that are drawn
    owned          which logical thread holds each element, as which value
    lanes          the lane (or thread of the warp group) of each logical thread
    feed           the shared-memory side; None where it is not shown
    tmem           the layout in tensor memory, where the operand lies there
    """

    params: TensorCoreParams
    owned: Owners
    table: Array
    lanes: Array
    rows: Array
    columns: Array
    feed: Feed | None
    tmem: Layout | None

    @property
    def atom(self) -> MmaAtom:
        return self.params.atom

    @property
    def layout(self) -> Layout:
        """(thread, value) -> code."""
        return self.params.held.layout

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of the operand."""
        return self.params.held.tile

    @property
    def bits(self) -> int:
        """Of an element of the operand."""
        return self.params.held.bits

    @property
    def place(self) -> str:
        """Where the operand lies: registers, shared memory or tensor memory."""
        return self.params.held.place

    @property
    def threads(self) -> int:
        return int(self.table.shape[0])

    @property
    def values(self) -> int:
        """How many values has each thread?"""
        return int(self.table.shape[1])

    @property
    def code(self) -> int:
        """The code of the probed (thread, value)."""
        return int(self.table[self.params.thread, self.params.value])

    @cached_property
    def held(self) -> Array:
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

    def drawn(self, row: Array, column: Array) -> Array:
        """The probe cell of each element: its place among the drawn cells; -1 where it is not drawn."""
        i, j = row - self.rows[0], column - self.columns[0]
        inside = (i >= 0) & (i < len(self.rows)) & (j >= 0) & (j < len(self.columns))
        return np.where(inside, i * len(self.columns) + j, -1)


@lru_cache(maxsize=64)
def who(atom: MmaAtom, operand: str) -> tuple[Owners, Array]:
    """Owners of an operand's tile, and the code of each (thread, value); remembered, since the probe asks again for the same."""
    held = operand_of(atom, operand)
    return owners(held.layout, held.tile), offsets(held.layout)


def compute(params: TensorCoreParams) -> Result:
    """Who holds each element of the operand, and which wavefronts does its load take?"""
    atom, which, held = params.atom, params.operand, params.held
    owned, table = who(atom, which)
    lanes = offsets(atom.thr_id).ravel(order="F")
    (rows, cols), code = held.tile, int(table[params.thread, params.value])
    drawn = window(rows, code % rows, MOST_ROWS, half=True), window(cols, code // rows, MOST_COLUMNS, half=True)
    found, tmem = None, None
    if params.way is not None:
        found = feed(params.laid_out, params.item, params.ways, params.way, params.step)
    elif params.side == "core":
        found = core_matrix(params.laid_out, params.item, params.start, params.chip)
    if held.place == "tensor memory":
        lines, wide = min(rows, 128), cols if which == "C" else cols * held.bits // 32
        tmem = tmem_layout(lines, cols, held.bits) if wide <= 512 else None
    for array in drawn:
        array.flags.writeable = False
    return Result(params, owned, table, lanes, *drawn, found, tmem)


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this probe cell of the picture? None where nobody holds it."""
    rows, columns, owned = result.rows, result.columns, result.owned
    if not 0 <= cell < len(rows) * len(columns):
        raise CuteLabError("this probe cell is outside the cells that are drawn")
    i, j = divmod(cell, len(columns))
    thread, value = (int(a[rows[i], columns[j]]) for a in owned)
    if value < 0:
        return {}
    return {"value": value} if owned.every_thread else {"thread": thread, "value": value}
