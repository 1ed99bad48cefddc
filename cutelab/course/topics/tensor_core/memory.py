"""The lower panels of topic "tensor_core": shared memory in lines, and the wavefronts of one instruction."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.parts.frames import boxes
from cutelab.course.card.parts.wavefront_chart import group_chart
from cutelab.course.card.picture import HOLE, Grid, Ring
from cutelab.course.topics.tensor_core.load import Feed
from cutelab.course.topics.tensor_core.model import Array, Result

HIGH = 160  # of the lines of memory, and of the chart
MOST_RINGS = 48


def memory(result: Result, feed: Feed, width: int) -> Grid:
    """Memory, a line a row: what the drawn instruction reads, with the lane that names it; the probed thread's part ringed."""
    waves, lines, chip = feed.waves, feed.memory, result.params.chip
    across, held = lines.across, lines.held
    active = np.flatnonzero(waves.access.active)[::-1]
    place = lines.places(waves.access.byte_address[active])
    fill, labels = np.full(held.shape, -1), np.full(held.shape, "", "U3")
    banked = lines.unit == chip.word_bytes
    fill[place] = waves.bank[active] if banked else waves.groups[active]
    cell = (width // across, max(5, min(14, HIGH // len(held))))
    letter = "" if banked else "m" if feed.load is None else "T"
    labels[place] = np.char.add(letter, active.astype("U2"))
    return Grid(
        name="memory",
        fill=fill,
        scale="bank" if banked else "category",
        labels=labels if cell[1] >= 9 else None,
        heading="shared memory",
        subheading=f"{lines.drawn or f'{chip.row_bytes} bytes a line'}: {_which(feed)}",
        states=np.where((held < 0) & (fill < 0), HOLE, 0).astype(np.uint8),
        row_heads=tuple(map(str, lines.lines.tolist())),
        cell=cell,
        field=True,
        field_every=1,
        axis=True,
        rings=_rings(result, feed) if cell[1] >= 7 else (),
        show_labels="always",
        probe=np.where(held < 0, -1, _cells(result, feed)),
    )


def _which(feed: Feed) -> str:
    if feed.load is None:
        return "8 rows of 16 bytes"
    which = feed.name + (f", {feed.step + 1} of {feed.steps}" if feed.steps > 1 else "")
    return which + (", T names its row" if "matrix" in feed.name else "")


def _cells(result: Result, feed: Feed) -> Array:
    """The probe cell of what lies in each drawn piece: the operand's own cells, if it is in it."""
    row, column = np.divmod(feed.memory.held, feed.table.shape[1])
    if feed.load is None:
        return result.drawn(row, np.where(column < result.tile[1], column, -1))
    row, column = row - result.params.start[0], column - result.params.start[1]
    inside = (row >= 0) & (row < result.tile[0]) & (column >= 0) & (column < result.tile[1])
    return np.where(inside, result.drawn(row, column), -1)


def _rings(result: Result, feed: Feed) -> tuple[Ring, ...]:
    """Around the pieces of memory that hold the probed thread's values."""
    if feed.load is None:
        return ()
    lines, (row, column), (top, left) = feed.memory, result.held.T, result.params.start
    byte = feed.table[row + top, column + left] * feed.item
    where = np.zeros(lines.held.shape, bool)
    cells = lines.cells(byte)
    where.ravel()[cells[cells >= 0]] = True
    found = boxes(where)
    return tuple(Ring(*box, "access") for box in found) if len(found) <= MOST_RINGS else ()


def chart(result: Result, feed: Feed) -> Grid:
    """Wavefronts down, banks across; one field for each group of lanes that goes together, as tall as its worst."""
    waves, unit, chip = feed.waves, feed.memory.unit, result.params.chip
    active = np.flatnonzero(waves.access.active)
    groups = int(waves.groups.max()) + 1
    alone = groups == 1 and unit == chip.word_bytes
    size = chip.lanes if alone else max(8, -(-int(active[-1] + 1) // groups))
    cell = (192 // feed.memory.across, min(12, HIGH // (groups * size)))
    return group_chart(waves, size, groups, cell, names=False, gap=5, subheading="down, banks across")
