"""What lies where after the box has been loaded, by pieces of 16 bytes, in the matrix and in shared memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card.parts.window import window
from cutelab.course.topics.tma.knobs import TmaParams
from cutelab.hardware.span import PIECE
from cutelab.hardware.tma import UNTOUCHED, ZERO, TmaTile

Array = np.ndarray[Any, Any]
LINES, ROWS, PIECES = 32, 32, 12  # lines of memory, rows and pieces of the matrix that are drawn at most


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found. A piece is 16 bytes.

    memory       what `TmaTile.load` gives, element by element
    piece        int (box rows, pieces): the piece of shared memory where each piece of the box lies
    zeros        int (box rows, pieces): how many elements of it arrive as zero
    lines        which lines of shared memory are drawn, one word in each bank a line
    held         int (lines, pieces of a line): the piece of the box that lies there, row after row of the box; -1 untouched
    rows, first  the rows and pieces of the matrix that are drawn, from before its first where the box hangs over
    boxed        int (rows, first): the piece of the box that covers them, -1 for none
    """

    params: TmaParams
    memory: Array
    piece: Array
    zeros: Array
    lines: Array
    held: Array
    rows: Array
    first: Array
    boxed: Array

    @property
    def tile(self) -> TmaTile:
        return self.params.tile

    @property
    def probed(self) -> int:
        """The probe cell: the piece of the box, row after row."""
        return int(self.params.down * self.piece.shape[1] + self.params.across)

    @property
    def zero_elements(self) -> int:
        """How many elements of the box arrive as zero?"""
        return int(np.count_nonzero(self.memory == ZERO))

    @property
    def gap_bytes(self) -> int:
        """How many bytes between the tile's first and last are left untouched?"""
        first = self.params.smem_base // self.params.item
        return int(np.count_nonzero(self.memory[first:] == UNTOUCHED)) * self.params.item

    @property
    def shift(self) -> int:
        """By how many lines of 128 bytes is the pattern shifted?"""
        return int(self.params.smem_base % self.tile.boundary // 128)

    @property
    def matrix_row(self) -> Array:
        """The matrix row of each row of the box, also outside."""
        return self.params.row + np.arange(self.piece.shape[0])

    @property
    def matrix_column(self) -> Array:
        """The matrix column where each piece of a row begins, also outside."""
        return self.params.column + np.arange(self.piece.shape[1]) * self.params.vector


def compute(params: TmaParams) -> Result:
    """Where does the unit put each piece of the box?"""
    tile, vector = params.tile, params.vector
    memory = tile.load(params.column, params.row)
    piece = tile.addresses[:, ::vector] // PIECE
    zeros = (memory.reshape(-1, vector) == ZERO).sum(axis=1)[piece]
    across = params.chip.row_bytes // PIECE
    count = -(-len(memory) // vector // across)
    held = np.full(count * across, -1)
    held[piece] = np.arange(piece.size).reshape(piece.shape)
    lines = window(count, int(piece[params.down, params.across]) // across, LINES, half=True)
    rows, first, boxed = _matrix(params, piece.shape)
    found = Result(params, memory, piece, zeros, lines, held.reshape(count, across)[lines], rows, first, boxed)
    for array in (found.piece, found.zeros, found.held, rows, first, boxed):
        array.flags.writeable = False
    return found


def _matrix(params: TmaParams, box: tuple[int, int]) -> tuple[Array, Array, Array]:
    """Rows and pieces of the matrix that are drawn, around the probe, and the piece of the box on each."""
    start = (params.row, params.column // params.vector)
    whole = (params.rows, -(-params.cols // params.vector))
    shown, inside = [], []
    for at, extent, size, most, probed in zip(
        start, box, whole, (ROWS, PIECES), (params.down, params.across), strict=True
    ):
        low, high = min(0, at), max(size, at + extent)
        drawn = low + window(high - low, at + probed - low, most, half=True)
        shown.append(drawn)
        inside.append(np.where((drawn >= at) & (drawn < at + extent), drawn - at, -1))
    row, column = inside[0][:, None], inside[1]
    return shown[0], shown[1], np.where((row < 0) | (column < 0), -1, row * box[1] + column)


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this piece of the box?"""
    if not 0 <= cell < result.piece.size:
        raise CuteLabError(f"probe cell {cell} is not one of the {result.piece.size} pieces of the box")
    down, across = divmod(cell, result.piece.shape[1])
    return {"down": down, "across": across}
