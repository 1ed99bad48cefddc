"""Topic "tensor_core", the lower panels: shared memory in lines of 32 banks, and the wavefronts of one instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cutelab.course.card.picture import HOLE, Grid, Ring
from cutelab.course.topics.banks.card import boxes

if TYPE_CHECKING:
    from cutelab.course.topics.tensor_core.model import Result

HIGH = 160  # of the lines of memory, and of the chart
MOST_RINGS = 48


def memory(result: Result, width: int) -> Grid:
    """Memory, 128 bytes a row: what the drawn instruction reads, with the lane that names it; the probed thread's part ringed."""
    feed = result.feed
    waves, unit, lines = feed.waves, feed.unit, feed.lines  # type: ignore[union-attr]
    across = 128 // unit
    shape = (len(lines), across)
    active = np.flatnonzero(waves.access.active)[::-1]
    piece = waves.access.byte_address[active] // unit
    line = np.searchsorted(lines, piece // across)
    fill, labels = np.full(shape, -1), np.full(shape, "", "U3")
    banked = unit == 4
    fill[line, piece % across] = waves.bank[active] if banked else waves.groups[active]
    cell = (width // across, max(5, min(14, HIGH // len(lines))))
    letter = "" if banked else "m" if feed.load is None else "T"  # type: ignore[union-attr]
    labels[line, piece % across] = np.char.add(letter, active.astype("U2"))
    held = _held(result, across, lines)
    last = int(feed.table.max()) * feed.item // 128 + 1  # type: ignore[union-attr]
    together = lines[-1] - lines[0] == len(lines) - 1
    part = f"lines {lines[0]} to {lines[-1]} of {last}" if together else f"{len(lines)} of {last} lines"
    part = part if len(lines) < last else "128 bytes a line"
    return Grid(
        name="memory",
        fill=fill,
        scale="bank" if banked else "category",
        labels=labels if cell[1] >= 9 else None,
        heading="shared memory",
        subheading=f"{part}: {_which(result)}",
        states=np.where((held < 0) & (fill < 0), HOLE, 0).astype(np.uint8),
        row_heads=tuple(map(str, lines.tolist())),
        cell=cell,
        field=True,
        field_every=1,
        axis=True,
        rings=_rings(result, lines, across) if cell[1] >= 7 else (),
        show_labels="always",
        probe=np.where(held < 0, -1, _cells(result, held)),
    )


def _which(result: Result) -> str:
    feed = result.feed
    if feed.load is None:  # type: ignore[union-attr]
        return "8 rows of 16 bytes"
    nth = f", {feed.step + 1} of {feed.steps}" if feed.steps > 1 else ""  # type: ignore[union-attr]
    return f"{feed.name}{nth}"  # type: ignore[union-attr]


def _held(result: Result, across: int, lines: np.ndarray) -> np.ndarray:
    """Which element of the tile (its number, row after row) is the first in each drawn piece, -1 for none."""
    feed = result.feed
    piece = feed.table.ravel() * feed.item // feed.unit  # type: ignore[union-attr]
    first = np.full((int(piece.max()) // across + 1) * across, -1)
    first[piece[::-1]] = np.arange(piece.size)[::-1]
    return first.reshape(-1, across)[lines]


def _cells(result: Result, held: np.ndarray) -> np.ndarray:
    """The probe cell of those elements: the operand's own cells, if they are in it."""
    row, column = np.divmod(held, result.feed.table.shape[1])  # type: ignore[union-attr]
    if result.feed.load is None:  # type: ignore[union-attr]
        return result.drawn(row, np.where(column < result.tile[1], column, -1))
    row, column = row - result.params.down * result.tile[0], column - result.params.across * result.tile[1]
    inside = (row >= 0) & (row < result.tile[0]) & (column >= 0) & (column < result.tile[1])
    return np.where(inside, result.drawn(row, column), -1)


def _rings(result: Result, lines: np.ndarray, across: int) -> tuple[Ring, ...]:
    """Around the pieces of memory that hold the probed thread's values."""
    feed = result.feed
    if feed.load is None:  # type: ignore[union-attr]
        return ()
    row, column = result.held.T
    offset = feed.table[row + result.params.down * result.tile[0], column + result.params.across * result.tile[1]]  # type: ignore[union-attr]
    piece = offset * feed.item // feed.unit  # type: ignore[union-attr]
    where = np.zeros((len(lines), across), bool)
    place = np.minimum(np.searchsorted(lines, piece // across), len(lines) - 1)
    drawn = lines[place] == piece // across
    where[place[drawn], piece[drawn] % across] = True
    found = boxes(where)
    return tuple(Ring(*box, "access") for box in found) if len(found) <= MOST_RINGS else ()


def chart(result: Result) -> Grid:
    """Wavefronts down, banks across; one field for each group of lanes that goes together, as tall as its worst."""
    waves, unit = result.feed.waves, result.feed.unit  # type: ignore[union-attr]
    across = 128 // unit
    active = np.flatnonzero(waves.access.active)
    groups = int(waves.groups.max()) + 1
    size = 32 if groups == 1 and unit == 4 else max(8, -(-int(active[-1] + 1) // groups))
    row = waves.groups[active] * size + waves.wavefront_in_group[active]
    fill = np.full((groups * size, across), -1)
    fill[row, waves.bank[active] * 4 // unit] = waves.bank[active] if unit == 4 else waves.groups[active]
    heads, bold = [""] * len(fill), []
    for g in range(groups):
        at = g * size + max(0, int(waves.degree[g]) - 1)
        heads[at] = str(int(waves.degree[g]))
        bold.append(at)
    return Grid(
        name="chart",
        fill=fill,
        scale="bank" if unit == 4 else "category",
        heading=f"{waves.count} wavefront{'' if waves.count == 1 else 's'}",
        subheading="down, banks across",
        row_heads=tuple(heads),
        bold_rows=tuple(bold),
        cell=(192 // across, min(12, HIGH // len(fill))),
        row_gap=tuple(5 if i and i % size == 0 else 0 for i in range(len(fill))),
        field=True,
        field_every=4 if unit == 4 else 1,
        axis=True,
    )
