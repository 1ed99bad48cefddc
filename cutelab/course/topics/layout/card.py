"""The card of topic "layout": the grid of offsets beside memory itself. Computes no offsets of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.layout import rank, size
from cutelab.course.card.parts.gaps import mode_gaps
from cutelab.course.card.parts.legend import CATEGORIES, modulo
from cutelab.course.card.picture import COLLISION, HOLE, PAST_END, Grid, Key, Picture, Ring, Scale
from cutelab.course.card.words import count, labels_of, number
from cutelab.course.topics.layout import words
from cutelab.course.topics.layout.model import Array, Result
from cutelab.hardware.chip import Address

NUMBERED = 664 // 13  # columns whose cells are wide enough for a number, at the width of the card


@dataclass(frozen=True)
class Room:
    """Where the two grids go: side by side, or one above the other where the columns need the card's width for their numbers.

    width: room for the tile's columns; across, cell: memory's offsets a row and its cells' width and largest height.
    """

    widths: tuple[int, ...]
    width: int
    cap: int
    across: int
    cell: tuple[int, int]
    lines: int
    above: bool = False

    @classmethod
    def of(cls, result: Result) -> Room:
        columns = len(result.columns)
        if columns <= 8 and result.checked and result.high - result.low < 128:
            return cls((288, 376), 290, 30, 16, (23, 34), 8)
        if columns <= 16:
            return cls((334, 334), 310, 36, 32, (9, 13), 34)
        if columns <= 32 or (columns <= NUMBERED and len(result.rows) <= 32):
            return cls((688,), 664, 36, 64, (10, 6), 18, above=True)
        return cls((440, 224), 416, 36, 32, (6, 13), 34)

    @property
    def names(self) -> bool:
        """Do memory's cells name the coordinates that live there?"""
        return self.across == 16


def panels(result: Result) -> Picture:
    """The whole card, as plain data: the grid of offsets, memory, the probe's arithmetic, the verdict."""
    params, layout, room = result.params, result.layout, Room.of(result)
    tile, arithmetic = _tile(result, room), words.arithmetic(result)
    memory, past_end = _memory(result, room)
    beside = (((tile,), (memory, arithmetic)),) if room.names else (((tile,), (memory,)), ((arithmetic,),))
    shared = bool(result.shared.any())
    legend = [_colour_key(result), Key("probe", "probe")]
    legend += [Key("two coordinates, one offset", "collision")] if shared else []
    legend += [Key("hole", "hole")] if memory.states is not None and (memory.states & HOLE).any() else []
    legend += [Key("past the end", "past_end")] if past_end else []
    return Picture(
        title=str(params.layout),
        call=params.call("layout"),
        subtitle=words.subtitle(result),
        body=(((tile, memory, arithmetic),),) if room.above else beside,
        widths=(room.widths, (688,))[: 1 if room.above or room.names else 2],
        legend=tuple(legend),
        verdicts=words.verdicts(result),
        status=words.status(result),
        reads=f"{params.element}, {count(size(layout), 'element')}, cosize {number(words.cosize_of(result))}",
        copies=words.copies(layout),
        tips=words.tips(result),
        probed=result.probed,
    )


def _colours(result: Result, table: Array, rows: Any, columns: Any) -> tuple[Array, Scale]:
    """The fill of cells with these offsets at these rows and columns, and the scale that it indexes."""
    colour, at = result.params.colour, Address(table, result.params.item, result.params.chip)
    if colour == "offset":
        low, high = result.span
        return np.clip((table - low) * 32 // (high - low + 1), 0, 31), "offset"
    if colour == "bank":
        return at.bank, "bank"
    if colour == "128-byte line":
        return at.line % 8, "category"
    return np.broadcast_to((rows if colour == "row" else columns) % 8, table.shape), "category"


def _colour_key(result: Result) -> Key:
    colour = result.params.colour
    if colour == "offset":
        low, high = result.span
        return Key(f"{'' if result.whole else 'drawn: '}offset {number(low)} to {number(high)}", "ramp")
    if colour == "bank":
        return Key("bank", "banks")
    return modulo(colour, "", CATEGORIES + 1)


def _tile(result: Result, room: Room) -> Grid:
    rows, columns = result.rows, result.columns
    width = max(5, min(room.cap, room.width // len(columns)))
    height = max(5, min(width, 420 // len(rows)))
    if width < 13:
        width = height = min(width, height)  # too small for numbers: squares
    fill, scale = _colours(result, result.table, rows[:, None], columns)
    states = np.where(result.shared, COLLISION, 0).astype(np.uint8)
    one_mode = rank(result.layout) == 1
    heads = rows * int(result.columns[-1] + 1) if one_mode else rows
    probed = divmod(result.probed, len(columns))
    rings = [Ring(*probed, *probed, "probe")]
    if result.shared[probed]:
        twins = np.argwhere((result.table == result.offset) & result.inside)
        rings += [Ring(i, j, i, j, "twin") for i, j in twins.tolist() if (i, j) != probed][:64]
    inner = result.params.inner
    return Grid(
        name="tile",
        fill=np.where(result.inside, fill, -1),
        scale=scale,
        labels=np.where(result.inside, labels_of(result.table), ""),
        states=states,
        row_heads=tuple(map(str, heads.tolist())),
        col_heads=tuple(map(str, columns.tolist())),
        cell=(width, height),
        row_gap=() if one_mode else mode_gaps(inner[0].shape, rows, height),
        col_gap=() if one_mode else mode_gaps(tuple(m.shape for m in inner)[1:], columns, width),
        rings=tuple(rings),
        probe=np.where(result.inside, np.arange(result.table.size).reshape(result.table.shape), -1),
    )


def _memory(result: Result, room: Room) -> tuple[Grid, bool]:
    """Memory itself: who lives at each offset. A window around the probe where it is longer than the room."""
    across = room.across
    start = result.low // across * across
    lines = (result.high - start) // across + 1
    if lines > room.lines:
        lines = room.lines
        start = max(start, (result.offset // across - lines // 2) * across)
        start = min(start, (result.high // across - lines + 1) * across)
    elif room.names and lines < 4:
        lines += 1
    at = np.arange(start, start + lines * across, dtype=np.int64).reshape(lines, across)
    place = np.minimum(np.searchsorted(result.used, at), len(result.used) - 1)
    lives = result.used[place] == at
    first, second = result.first[place], result.second[place]
    past = (at > result.high) | (at < result.low)
    states = np.where(lives & (result.counts[place] > 1), COLLISION, 0)
    states = np.where(
        past, PAST_END if room.names else 0, np.where(lives, states, HOLE if result.checked else 0)
    ).astype(np.uint8)
    row, column = words.coords(result, first)
    fill, scale = _colours(result, at, row, column)
    probe = _cell_of(result, row, column, lives)
    labels = others = None
    if room.names:
        labels = np.where(lives, _name(result, row, column), "")
        others = np.where(lives & (second >= 0), _name(result, *words.coords(result, second)), "")
        others = np.where(
            lives & (result.counts[place] > 2), np.char.add("+", (result.counts[place] - 1).astype("U8")), others
        )
    ring = np.argwhere(at == result.offset)
    probe = np.where(at == result.offset, result.probed, probe)
    heading = "memory: the coordinate that lives at each offset" if room.names else f"memory, {across} offsets a row"
    if not result.checked:
        heading = "memory; blank: not drawn"
    elif lines * across <= result.high - result.low:
        heading += f": {start} to {start + lines * across - 1}"
    width, height = room.cell
    if lines > 5:
        height = 20 if room.names else max(5, min(height, 420 // lines))
    grid = Grid(
        name="memory",
        fill=np.where(lives, fill, -1),
        scale=scale,
        labels=labels,
        second=others,
        style="split",
        states=states,
        subheading=heading,
        row_heads=tuple(str(start + across * i) for i in range(lines)),
        cell=(width, height),
        row_gap=(0, *[7 if lines <= 5 else 3] * (lines - 1)) if room.names else (),
        rings=tuple(Ring(i, j, i, j, "probe") for i, j in ring.tolist()),
        probe=probe,
    )
    return grid, room.names and bool(past.any())


def _cell_of(result: Result, row: Array, column: Array, lives: Array) -> Array:
    i, j = row - int(result.rows[0]), column - int(result.columns[0])
    drawn = lives & (i >= 0) & (i < len(result.rows)) & (j >= 0) & (j < len(result.columns))
    return np.where(drawn, i * len(result.columns) + j, -1)


def _name(result: Result, row: Array, column: Array) -> Array:
    first, *more = (mode.astype("U8") for mode in words.by_mode(result, row, column))
    for mode in more:
        first = np.char.add(np.char.add(first, ","), mode)
    return first
