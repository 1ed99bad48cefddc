"""The card of topic "tensor_core": the operand's tile, who holds what, shared memory below. Computes no layout of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from cutelab.course.card.parts.frames import boxes
from cutelab.course.card.parts.legend import modulo
from cutelab.course.card.picture import Grid, Key, Lines, Panel, Picture, Ring, Tips
from cutelab.course.topics.tensor_core import words as say
from cutelab.course.topics.tensor_core.memory import MOST_RINGS, chart, memory
from cutelab.course.topics.tensor_core.model import Array, Result
from cutelab.course.topics.tensor_core.typed import letters

TWO = 157  # width of one of two tables of 16 threads


@dataclass(frozen=True)
class Room:
    """Where the panels go. widths: the columns of the upper row; cell: of the operand's tile; row: height of a table's row."""

    widths: tuple[int, ...]
    cell: tuple[int, int]
    row: int
    wide: bool = False

    @classmethod
    def of(cls, result: Result) -> Room:
        rows, cols = len(result.rows), len(result.columns)
        tall = 288 if result.feed is not None else 400
        if cols > 64:
            low = 192 if result.feed is not None else 288
            return cls((688,), (660 // cols, max(1, min(660 // cols * 3, low // rows))), 14, wide=True)
        two = result.threads == 32 and result.values <= 4 and cols <= 8
        widths = (350, TWO, TWO) if two else (334, 334) if cols <= 8 else (416, 260) if cols <= 16 else (484, 188)
        across = min(40, (widths[0] - 24 - 5 * (cols // _step(result) - 1)) // cols)
        best = 24 if result.feed is None else 15
        height = max(3, min(max(best, min(30, tall // 2 // rows)), (tall - 5 * (rows // 8)) // rows, across))
        listed = min(result.threads, 16) if result.values <= 8 else 16
        return cls(widths, (across, height), max(14, min(24, height, (rows * height + 5) // listed)))


def panels(result: Result) -> Picture:
    """The whole card, as plain data: the tile, the registers, shared memory, the verdicts."""
    room, feed = Room.of(result), result.feed
    tile, tables = _tile(result, room), _registers(result, room)
    reading = Lines("probe", say.reading(result))
    upper: tuple[tuple[Panel, ...], ...] = ((tile,), *((t,) for t in tables))
    body: list[tuple[tuple[Panel, ...], ...]] = [((tile,),)] if room.wide else [upper]
    widths = [room.widths]
    if room.wide:
        body.append((tables, (memory(result, feed, 288),)) if feed is not None else (tables,))
        widths.append((334, 334) if feed is not None else (688,))
    elif feed is not None:
        body.append(((memory(result, feed, 416),), (chart(result, feed),)))
        widths.append((444, 224))
    copies = say.copies(result)
    return Picture(
        title=say.title(result),
        call=copies["cutelab"],
        subtitle=say.subtitle(result),
        body=(*body, ((reading,),)),
        widths=(*widths, (688,)),
        legend=_legend(result, tile),
        verdicts=say.verdicts(result),
        status=say.status(result),
        reads=f"{say.short(result)}, operand {result.params.operand} of {say.sizes(result)}",
        copies=copies,
        tips=Tips(*say.tips(result)),
        probed=int(result.drawn(*result.held[result.params.value])),
        offers=say.offers(result),
    )


def _step(result: Result) -> int:
    """How many columns stand together: the 16 bytes of an 8 x 8 matrix; 8 of an accumulator."""
    cols = result.tile[1]
    step = 8 if result.params.operand == "C" else max(4, 128 // result.bits)
    return step if cols % step == 0 else cols


def paint(result: Result, thread: Array, value: Array) -> Array:
    """The category of each (thread, value): thread mod 8, value mod 8 or warp; -1 for what the filter dims and for nobody."""
    params = result.params
    everyone = result.everyone
    what = params.colour if not (everyone and params.colour != "value") else "none"
    lane = result.lanes[np.maximum(thread, 0)]
    fill = {
        "thread": thread % 8,
        "value": value % 8,
        "warp": lane // result.params.chip.lanes % 8,
        "none": np.zeros_like(value),
    }[what]
    if params.show == "thread" and not everyone:
        fill = np.where(thread == params.thread, fill, -1)
    elif params.show == "value":
        fill = np.where(value == params.value, fill, -1)
    return np.where(value < 0, -1, fill)


def _tile(result: Result, room: Room) -> Grid:
    """The operand's tile: thread and value at each (row, column)."""
    rows, columns = result.rows, result.columns
    at = np.ix_(rows, columns)
    thread, value = result.owned.thread[at], result.owned.value[at]
    width, height = room.cell
    labels, second, shown = None, None, "thread"
    if min(width, height) >= 13:
        names, values = say.names(result.letter, result.lanes[np.maximum(thread, 0)]), say.names("v", value)
        if result.everyone:
            labels, shown = values, "value"
        elif width >= 36:
            labels, second, shown = names, values, "thread and value"
        else:  # too narrow for the letter T
            labels = result.lanes[np.maximum(thread, 0)].astype("U3")
            second = values if width >= 24 else None
            shown = "thread and value" if width >= 24 else "thread"
        labels = np.where(value < 0, "", labels)
    gap = 5 if height >= 8 else 0
    m, k = letters(result.params.operand)
    where = "" if (len(rows), len(columns)) == result.tile else f"rows {rows[0]} to {rows[-1]} of {result.tile[0]}"
    only = {"all": "", "thread": f"{result.name} alone", "value": f"v{result.params.value} alone"}[result.params.show]
    return Grid(
        name="tile",
        fill=paint(result, thread, value),
        scale="category",
        labels=labels,
        second=second,
        style="pair",
        heading=f"the tile: {shown} at ({m},{k})" if labels is not None else "the tile",
        subheading=", ".join(filter(None, (only, where))),
        corner=f"{m}\\{k}",
        row_heads=tuple(map(str, rows.tolist())),
        col_heads=tuple(map(str, columns.tolist())),
        cell=(width, height),
        row_gap=tuple(np.where((rows % 8 == 0) & (rows > rows[0]), gap, 0).tolist()),
        col_gap=tuple(np.where((columns % _step(result) == 0) & (columns > columns[0]), gap, 0).tolist()),
        rings=_rings(result, room),
        probe=np.arange(value.size).reshape(value.shape),
    )


def ring_kind(height: int) -> Literal["probe", "access"]:
    """The probe's ring needs room around the cell; where rows are low, a frame in the gap does it."""
    return "probe" if height >= 22 else "access"


def _rings(result: Result, room: Room) -> tuple[Ring, ...]:
    """Around the probed thread's cells, run by run; around the probed value alone where these are too many."""
    at = result.drawn(*result.held.T)
    mine = np.zeros((len(result.rows), len(result.columns)), bool)
    if min(room.cell) >= 8 and not result.everyone:
        mine.ravel()[at[at >= 0]] = True
        found = boxes(mine)
        if len(found) <= MOST_RINGS:
            return tuple(Ring(*box, ring_kind(room.cell[1])) for box in found)
    i, j = divmod(int(at[result.params.value]), len(result.columns))
    return (Ring(i, j, i, j),)


def _registers(result: Result, room: Room) -> tuple[Grid, ...]:
    """What each thread holds as v0, v1 ...: threads down and values across; or the values of one thread, 4 or 8 in a row."""
    threads, values, probe = result.threads, result.values, result.params
    if values > 8 or result.everyone:
        return (_one_thread(result, room),)
    if len(room.widths) == 3:
        parts = [np.arange(16), np.arange(16, 32)]
    else:
        most = 16
        first = 0 if threads <= most else min(probe.thread // most * most, threads - most)
        parts = [np.arange(first, min(threads, first + most))]
    grids = []
    for n, who in enumerate(parts):
        t, v = np.meshgrid(who, np.arange(values), indexing="ij")
        there = np.flatnonzero(who == probe.thread)
        rings = tuple(Ring(int(i), 0, int(i), values - 1, ring_kind(room.row)) for i in there)
        m, k = letters(probe.operand)
        part = f"T{who[0]}-T{who[-1]}" if len(parts) == 1 and len(who) < threads else ""
        grids.append(
            _table(
                result,
                t,
                v,
                room,
                name=f"registers {n}" if n else "registers",
                heading=f"registers: ({m},{k})" if n == 0 else "",
                subheading=part,
                row_heads=tuple(f"T{lane}" for lane in result.lanes[who].tolist()),
                col_heads=tuple(f"v{i}" for i in range(values)),
                bold_rows=tuple(int(i) for i in there),
                row_gap=(0,) * 8 + (5,) if len(who) > 8 else (),
                col_gap=_register_gaps(result, values),
                rings=rings,
            )
        )
    return tuple(grids)


def _register_gaps(result: Result, values: int) -> tuple[int, ...]:
    """Some room between 4-byte registers."""
    packed = max(1, 32 // result.bits)
    return tuple(4 if packed > 1 and i and i % packed == 0 else 0 for i in range(values))


def _one_thread(result: Result, room: Room) -> Grid:
    """The values of the probed thread, around the probed one."""
    across = 8 if room.wide else 4
    most = 8 if room.wide else min(16, max(4, (len(result.rows) * room.cell[1] + 10) // room.row))
    total = -(-result.values // across)
    at = result.params.value // across
    first = 0 if total <= most else min(max(0, at - most // 2), total - most)
    v = np.arange(first * across, min(total, first + most) * across).reshape(-1, across)
    t = np.full_like(v, result.params.thread)
    i, j = at - first, result.params.value % across
    seen = f"v{v[0, 0]}-v{min(v[-1, -1], result.values - 1)}" if total > most else ""
    return _table(
        result,
        t,
        v,
        room,
        name="registers",
        heading=say.whose(result),
        subheading=seen,
        row_heads=tuple(f"v{x}" for x in v[:, 0].tolist()),
        rings=(Ring(i, j, i, j, ring_kind(room.row)),),
        bold_rows=(i,),
        col_gap=(0, 0, 0, 0, 4) if across == 8 else (),
    )


def _table(result: Result, t: Array, v: Array, room: Room, **more: Any) -> Grid:
    """A table of coordinates: cell (i, j) is what thread t holds as value v."""
    there = v < result.values
    code = result.table[t, np.where(there, v, 0)]
    column, row = np.divmod(code, result.tile[0])
    labels = np.char.add(np.char.add(row.astype("U4"), ","), column.astype("U4"))
    return Grid(
        fill=paint(result, t, np.where(there, v, -1)),
        scale="category",
        labels=np.where(there, labels, ""),
        cell=(40, room.row),
        show_labels="always",
        probe=np.where(there, result.drawn(row, column), -1),
        **more,
    )


def _legend(result: Result, tile: Grid) -> tuple[Key, ...]:
    """Only what occurs."""
    params, keys = result.params, []
    if not result.everyone or params.colour == "value":
        many = {"thread": result.threads, "value": result.values, "warp": -(-result.threads // params.chip.lanes)}
        letter = {"thread": "T", "value": "v", "warp": "W"}[params.colour]
        keys.append(modulo(params.colour, letter, many[params.colour]))
    whole = len(tile.rings) > 1 or (not result.everyone and min(tile.cell or (0,)) >= 8)
    keys.append(Key(f"{result.name}, its values" if whole else "probe", tile.rings[0].kind))
    if result.feed is not None:
        banked = result.feed.memory.unit == params.chip.word_bytes
        groups = int(result.feed.waves.groups.max()) + 1
        if banked:
            keys.append(Key("below: colour = bank", "stripe"))
        elif groups > 1:
            names = tuple(map(str, range(groups)))
            keys.append(Key("below: lanes that go together", "names", "category", 0, names))
    return tuple(keys)
