"""Shared memory as lines: one word in each bank a line, cut into pieces of one access, and what lies in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.hardware.chip import Chip

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class MemoryLines:
    """The lines of shared memory that are drawn.

    unit     bytes of a piece: of one access, at least a word
    across   pieces of a line
    lines    int (L,): which lines are drawn, ascending; whole: how many there are
    held     int (L, across): which element (its number in the table, row after row) is the first in each piece, -1 for none
    """

    unit: int
    across: int
    lines: Array
    whole: int
    held: Array

    def cell(self, byte: int) -> int:
        """The place of the piece with this byte address among the drawn ones, line after line; -1 where it is not drawn."""
        return int(self.cells(np.array(byte)))

    def cells(self, byte: Array) -> Array:
        """The same of many byte addresses."""
        line, piece = np.divmod(byte // self.unit, self.across)
        place = np.minimum(np.searchsorted(self.lines, line), len(self.lines) - 1)
        return np.where(self.lines[place] == line, place * self.across + piece, -1)

    def places(self, byte: Array) -> tuple[Array, Array]:
        """Line and piece, as drawn, of byte addresses in drawn lines."""
        line, piece = np.divmod(byte // self.unit, self.across)
        return np.searchsorted(self.lines, line), piece

    @property
    def drawn(self) -> str:
        """`lines 4 to 7 of 32`, `8 of 64 lines`; "" where all are drawn."""
        if len(self.lines) == self.whole:
            return ""
        first, last = int(self.lines[0]), int(self.lines[-1])
        together = last - first == len(self.lines) - 1
        return f"lines {first} to {last} of {self.whole}" if together else f"{len(self.lines)} of {self.whole} lines"


def memory_lines(
    table: Array, item: int, access_bytes: int, chip: Chip, touched: Array, most: int, *, together: bool = False
) -> MemoryLines:
    """Which lines are drawn of the memory that a table of offsets fills? All up to `most`, otherwise those that are touched.

    table     the offset of each element, in elements of `item` bytes
    touched   byte addresses that must be seen
    together  where the touched lines lie within `most`, their neighbours are drawn too, in one block from a multiple of 8 on
    """
    size = max(chip.word_bytes, access_bytes)
    unit, across = table.ravel() * item // size, chip.row_bytes // size
    whole = int(unit.max()) // across + 1
    lines = np.arange(whole) if whole <= most else np.unique(chip.row(touched))
    if together and lines[-1] - lines[0] < most < whole:
        lines = min(int(lines[0]) // 8 * 8, whole - most) + np.arange(most)
    first = np.full(whole * across, -1)
    first[unit[::-1]] = np.arange(unit.size)[::-1]
    held = first.reshape(whole, across)[lines]
    for array in (lines, held):
        array.flags.writeable = False
    return MemoryLines(size, across, lines, whole, held)
