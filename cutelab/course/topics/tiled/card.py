"""The card of topic "tiled": the sides of a copy beside each other, an MMA's operands as they multiply, one thread's registers."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.parts.frames import boxes
from cutelab.course.card.parts.legend import modulo
from cutelab.course.card.parts.window import window
from cutelab.course.card.picture import Grid, Key, Lines, Panel, Picture, Ring
from cutelab.course.topics.tiled import words as say
from cutelab.course.topics.tiled.model import Array, Result, Side
from cutelab.cutlass.tv import TiledCopy

MOST_RINGS = 48
LISTED = 16  # values of a thread that are listed


def panels(result: Result) -> Picture:
    """The whole card, as plain data."""
    tables = tuple(_registers(result, number) for number in range(len(result.sides)))
    body: tuple[tuple[tuple[Panel, ...], ...], ...]
    widths: tuple[tuple[int, ...], ...]
    if isinstance(result.found, TiledCopy):
        wide = result.params.whole
        most = (48, 64) if wide else (16, 8)
        tiles = [_tile(result, n, most, 308, 6 if wide else 20) for n in (0, 1)]
        body = (((tiles[0],), (tiles[1],)), ((tables[0],), (tables[1],)))
        widths = ((334, 334), (334, 334))
    else:
        a, c = (_tile(result, n, (16, 16), 300 if n == 0 else 328, 18) for n in (0, 2))
        b = _tile(result, 1, (16, 16), 328, 18, turned=True)
        body = (((tables[0], tables[1]), (b,)), ((a, tables[2]), (c,)))
        widths = ((324, 354), (324, 354))
    copies = say.copies(result)
    row, column = result.at(result.picked)
    one = result.sides[result.picked]
    return Picture(
        title=say.title(result),
        call=copies["cutelab"],
        subtitle=say.subtitle(result),
        body=(*body, ((Lines("parts", say.reading(result)),),)),
        widths=(*widths, (688,)),
        legend=(
            _colours(result),
            Key(f"T{result.params.thread}, its values", "access"),
            Key("picked value", "probe"),
        ),
        verdicts=say.verdicts(result),
        status=say.status(result),
        reads=say.what(result),
        copies=copies,
        tips=say.tips(result),
        probed=result.bases[result.picked] + row * one.columns + column,
    )


def _colours(result: Result) -> Key:
    threads, values = np.max([one.held.shape for one in result.sides], axis=0).tolist()
    if result.params.colour == "warp":
        return modulo("warp", "W", -(-threads // result.params.chip.lanes))
    return modulo("value", "v", values)


def _fill(result: Result, thread: Array, value: Array) -> Array:
    """The warp or the value, modulo 8."""
    number = thread // result.params.chip.lanes if result.params.colour == "warp" else value
    return np.where(thread < 0, -1, number % 8)


def _tile(result: Result, number: int, most: tuple[int, int], room: int, height: int, turned: bool = False) -> Grid:
    """A side's tile: thread and value in each cell, a window around the picked value. turned: rows and columns exchanged."""
    one: Side = result.sides[number]
    row, column = result.at(number)
    down, across = window(one.rows, row, most[0]), window(one.columns, column, most[1])
    at = np.ix_(down, across)
    thread, value = one.thread[at], one.value[at]
    cell = result.bases[number] + down[:, None] * one.columns + across
    codes = down[:, None] + one.rows * across
    mine = np.isin(codes, one.held[result.params.thread])
    held = one.held[result.params.thread]
    order = np.argsort(held, kind="stable")
    own = order[np.minimum(np.searchsorted(held[order], codes), len(held) - 1)]
    thread = np.where(mine, result.params.thread, thread)  # of those who share a cell the picked one is named
    value = np.where(mine, own, value)
    heads, sides = down, across
    picked = codes == row + one.rows * column
    if turned:
        thread, value, cell, mine, picked = (x.T for x in (thread, value, cell, mine, picked))
        heads, sides = across, down
    width = max(3, min(40, room // len(sides)))
    names = thread.astype("U6")
    labels, second = names, np.char.add("v", value.astype("U6"))
    if width >= 36:
        labels = np.char.add("T", names)
    found = boxes(mine)
    i, j = (int(x[0]) for x in np.nonzero(picked))
    rings = [Ring(*box, "access") for box in found[:MOST_RINGS]] + [Ring(i, j, i, j)]
    letters = {"A": "mk", "B": "kn" if turned else "nk", "C": "mn"}.get(one.name, "mn")
    part = thread.size < one.thread.size
    return Grid(
        name=one.name,
        fill=_fill(result, thread, value),
        scale="category",
        labels=np.where(thread < 0, "", labels),
        second=np.where(thread < 0, "", second) if width >= 36 else None,
        style="pair",
        heading=f"{one.name}: {one.rows} x {one.columns}",
        subheading=f"rows {down[0]} to {down[-1]}, columns {across[0]} to {across[-1]}" if part else "",
        corner=f"{letters[0]}\\{letters[1]}",
        row_heads=tuple(map(str, heads.tolist())),
        col_heads=tuple(map(str, sides.tolist())),
        cell=(width, height),
        rings=tuple(rings),
        probe=cell,
    )


def _registers(result: Result, number: int) -> Grid:
    """What the picked thread holds on this side: value after value, its place in the tile; those around the picked one."""
    one, params = result.sides[number], result.params
    held = one.held[params.thread]
    which = window(len(held), min(params.value, len(held) - 1), LISTED)
    columns = min(4, len(which))
    rows = -(-len(which) // columns)
    code = np.full(rows * columns, -1, np.int64)
    code[: len(which)] = held[which]
    values = np.full(rows * columns, -1, np.int64)
    values[: len(which)] = which
    place = np.char.add(np.char.add((code % one.rows).astype("U6"), ","), (code // one.rows).astype("U6"))
    cell = result.bases[number] + code % one.rows * one.columns + code // one.rows
    thread = np.full_like(values, params.thread)
    shape = (rows, columns)
    rings: tuple[Ring, ...] = ()
    if number == result.picked or isinstance(result.found, TiledCopy):
        i, j = divmod(int(min(params.value, len(held) - 1) - which[0]), columns)
        rings = (Ring(i, j, i, j),)
    return Grid(
        name=f"registers of {one.name}",
        fill=np.where(code < 0, -1, _fill(result, thread, values)).reshape(shape),
        scale="category",
        labels=np.where(code < 0, "", place).reshape(shape),
        heading=f"T{params.thread}, {one.name}",
        subheading=f"v{which[0]} to v{which[-1]} of {len(held)}"
        if len(which) < len(held)
        else f"{len(held)} value{'s' * (len(held) != 1)}",
        row_heads=tuple(f"v{which[r * columns]}" for r in range(rows)),
        cell=(64, 18),
        show_labels="always",
        rings=rings,
        probe=np.where(code < 0, -1, cell).reshape(shape),
    )
