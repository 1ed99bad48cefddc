"""The panels and the words of topic "layout". Reads a `Result` of scenes/layout.py; computes no offsets of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cutelab.core import int_tuple, notation
from cutelab.core.int_tuple import idx2crd, to_text
from cutelab.core.layout import Layout, rank, size
from cutelab.core.printing import print_layout
from cutelab.course.card.picture import COLLISION, HOLE, PAST_END, Grid, Key, Line, Lines, Picture, Ring, Scale, Tips
from cutelab.course.card.words import ELEMENTS, count, number
from cutelab.course.topics.layout.words import coordinate, coords, cosize_of, subtitle, verdict

if TYPE_CHECKING:
    from cutelab.course.topics.layout.model import Result

MAX_PRINTED = 4096  # elements up to which "Copy as" offers the text of print_layout


@dataclass(frozen=True)
class Room:
    """Where the two grids go: side by side, or one above the other where 17 to 32 columns need the card's width.

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
        if columns <= 32:
            return cls((688,), 664, 36, 64, (10, 6), 18, above=True)
        return cls((440, 224), 416, 36, 32, (6, 13), 34)

    @property
    def names(self) -> bool:
        """Do memory's cells name the coordinates that live there?"""
        return self.across == 16


def picture(result: Result) -> Picture:
    """The whole card."""
    params, layout, room = result.params, result.layout, Room.of(result)
    tile, arithmetic = _tile(result, room), _arithmetic(result)
    memory, past_end = _memory(result, room)
    beside = (((tile,), (memory, arithmetic)),) if room.names else (((tile,), (memory,)), ((arithmetic,),))
    shared = bool(result.shared.any())
    legend = [_colour_key(result), Key("probe", "probe")]
    legend += [Key("two coordinates, one offset", "collision")] if shared else []
    legend += [Key("hole", "hole")] if memory.states is not None and (memory.states & HOLE).any() else []
    legend += [Key("past the end", "past_end")] if past_end else []
    return Picture(
        title=params.layout,
        call=params.call("layout"),
        subtitle=subtitle(result),
        body=(((tile, memory, arithmetic),),) if room.above else beside,
        widths=(room.widths, (688,))[: 1 if room.above or room.names else 2],
        legend=tuple(legend),
        verdicts=(verdict(result),),
        status=_status(result),
        reads=f"{params.element}, {count(size(layout), 'element')}, cosize {number(cosize_of(result))}",
        copies=_copies(layout),
        tips=_tips(result),
        probed=result.probed,
    )


def _colours(result: Result, table: np.ndarray, rows: Any, columns: Any) -> tuple[np.ndarray, Scale]:
    """The fill of cells with these offsets at these rows and columns, and the scale that it indexes."""
    colour, item = result.params.colour, ELEMENTS[result.params.element]
    if colour == "offset":
        span = result.high - result.low + 1
        return np.clip((table - result.low) * 32 // span, 0, 31), "offset"
    if colour == "bank":
        return table * item // 4 % 32, "bank"
    if colour == "128-byte line":
        return table * item // 128 % 8, "category"
    return np.broadcast_to((rows if colour == "row" else columns) % 8, table.shape), "category"


def _colour_key(result: Result) -> Key:
    colour = result.params.colour
    if colour == "offset":
        return Key(f"offset {number(result.low)} to {number(result.high)}", "ramp")
    if colour == "bank":
        return Key("bank", "banks")
    return Key(f"colour = {colour} modulo 8", "fill", "category", 0)


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
    inner = getattr(result.layout, "inner", result.layout)
    return Grid(
        name="tile",
        fill=np.where(result.inside, fill, -1),
        scale=scale,
        labels=np.where(result.inside, result.table.astype("U20"), ""),
        states=states,
        row_heads=tuple(map(str, heads.tolist())),
        col_heads=tuple(map(str, columns.tolist())),
        cell=(width, height),
        row_gap=() if one_mode else mode_gaps(inner.shape[0], rows, height),
        col_gap=() if one_mode else mode_gaps(inner.shape[1:], columns, width),
        rings=tuple(rings),
        probe=np.where(result.inside, np.arange(result.table.size).reshape(result.table.shape), -1),
    )


def mode_gaps(shape: Any, ids: np.ndarray, side: int) -> tuple[int, ...]:
    """Room between the inner modes of a nested mode: 5 at the innermost tile, 10 where a second level starts."""
    extents = [s for s in int_tuple.flatten(shape) if s > 1]
    if len(extents) < 2 or side < 9:
        return ()
    gaps = np.where(ids % extents[0] == 0, 5, 0)
    if len(extents) > 2:
        gaps = np.where(ids % (extents[0] * extents[1]) == 0, 10, gaps)
    gaps[0] = 0
    return tuple(gaps.tolist())


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
    row, column = coords(result, first)
    fill, scale = _colours(result, at, row, column)
    probe = _cell_of(result, row, column, lives)
    labels = others = None
    if room.names:
        labels = np.where(lives, _name(result, row, column), "")
        others = np.where(lives & (second >= 0), _name(result, *coords(result, second)), "")
        others = np.where(
            lives & (result.counts[place] > 2), np.char.add("+", (result.counts[place] - 1).astype("U8")), others
        )
    ring = np.argwhere(at == result.offset)
    probe = np.where(at == result.offset, result.probed, probe)
    heading = "memory: the coordinate that lives at each offset" if room.names else f"memory, {across} offsets a row"
    if lines * across <= result.high - result.low:
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


def _cell_of(result: Result, row: np.ndarray, column: np.ndarray, lives: np.ndarray) -> np.ndarray:
    i, j = row - int(result.rows[0]), column - int(result.columns[0])
    drawn = lives & (i >= 0) & (i < len(result.rows)) & (j >= 0) & (j < len(result.columns))
    return np.where(drawn, i * len(result.columns) + j, -1)


def _name(result: Result, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    if rank(result.layout) == 1:
        return (row * 16 + column).astype("U8")
    return np.char.add(np.char.add(row.astype("U8"), ","), column.astype("U8"))


def _arithmetic(result: Result) -> Lines:
    """(2,3) -> 2·8 + 3·1 = 19, then bytes, word and bank."""
    layout, params = result.layout, result.params
    inner = getattr(layout, "inner", layout)
    row, column = params.row, params.column
    index = row * 16 + column if rank(layout) == 1 else row + int_tuple.product(inner.shape[0]) * column
    coord = idx2crd(index, inner.shape)
    leaves = zip(int_tuple.flatten(coord), int_tuple.flatten(inner.stride), strict=True)
    before = int(result.before.ravel()[result.probed])
    terms = " + ".join(f"{c}·{d}" if d >= 0 else f"{c}·({d})" for c, d in leaves)
    lines = [
        Line("", "rule"),
        Line(f" → {terms} = {before}", "read", to_text(coord) if isinstance(coord, tuple) else f"({coord})"),
    ]
    if inner is not layout:
        shift = f"{before}" if not layout.offset else f"{layout.offset} + {before}"
        lines.append(Line(f"{layout.outer}({shift}) = {result.offset}", "read"))
    item = ELEMENTS[params.element]
    byte = result.offset * item
    lines.append(
        Line(
            f"{coordinate(result, row, column)}: byte {byte} as {params.element}  ·  word {byte // 4}  ·  bank {byte // 4 % 32}"
        )
    )
    return Lines("arithmetic", tuple(lines))


def _status(result: Result) -> str:
    byte = result.offset * ELEMENTS[result.params.element]
    at = coordinate(result, result.params.row, result.params.column)
    return f"{at} → offset {result.offset} elements · byte {byte} · word {byte // 4} · bank {byte // 4 % 32}"


def _tips(result: Result) -> Tips | None:
    """What the pointer reads; none where a number does not fit into the 32 bits that travel to the browser."""
    byte = result.table * ELEMENTS[result.params.element]
    row, column = np.broadcast_arrays(result.rows[:, None], result.columns)
    table = np.stack([row, column, result.table, byte, byte // 4, byte // 4 % 32], axis=-1).reshape(-1, 6)
    if np.abs(table).max() >= 2**31:
        return None
    where = "({0},{1})"
    if rank(result.layout) == 1:
        table[:, 0] = table[:, 0] * 16 + table[:, 1]
        where = "({0})"
    return Tips(where + " → offset {2}\nbyte {3} · word {4} · bank {5}", table.astype(np.int32))


def _copies(layout: Any) -> dict[str, str]:
    found = {"CuTe": str(layout)}
    if isinstance(layout, Layout):
        found["Python"] = f"Layout({_python(layout.shape)}, {_python(layout.stride)})"
        found["C++ type"] = notation.print_type(layout.shape, layout.stride)
    else:
        found["Python"] = f'parse_layout("{layout}")'
        inner = notation.print_type(layout.inner.shape, layout.inner.stride)
        offset = f"_{layout.offset}" if layout.offset >= 0 else f"Int<{layout.offset}>"
        found["C++ type"] = f"ComposedLayout<{str(layout.outer).replace('Sw', 'Swizzle')},{offset},{inner}>"
    if rank(layout) == 2 and size(layout) <= MAX_PRINTED:
        found["print_layout"] = print_layout(layout)
    return found


def _python(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_python, value)) + ("," if len(value) == 1 else "") + ")"
    return str(value)
