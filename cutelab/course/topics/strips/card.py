"""The card of topic "strips": memory rows with their threads, and each warp's cost."""

from __future__ import annotations

import numpy as np

from cutelab.core.counting import how_often
from cutelab.course.card.paint.labels import numbered
from cutelab.course.card.parts.legend import modulo
from cutelab.course.card.picture import (
    COLLISION,
    HOLE,
    OUTSIDE,
    Bar,
    Bars,
    Grid,
    Key,
    Line,
    Lines,
    Picture,
    Ring,
    Tips,
)
from cutelab.course.card.words import state_of
from cutelab.course.topics.strips import rows as memory_rows
from cutelab.course.topics.strips import words
from cutelab.course.topics.strips.model import Array, Result
from cutelab.hardware.sectors import Sectors
from cutelab.hardware.wavefronts import Wavefronts

FEW_COLUMNS = 32  # columns up to which a whole row is drawn


def panels(result: Result) -> Picture:
    """The whole card, as plain data: memory rows with their threads, the probe's three terms, each warp's cost."""
    params = result.params
    rows = memory_rows.rows_of(result)
    memory = _memory(result, rows)
    terms = Lines("terms", (Line(words.terms(result), "read", f"T{params.thread}"),))
    cost = (
        _cost("sectors", "global memory: sectors of each warp", result.sectors),
        _cost("wavefronts", "shared memory: wavefronts of each warp", result.wavefronts),
    )
    return Picture(
        title=words.title(params),
        call=params.call("strips"),
        subtitle=words.subtitle(result, rows, memory.shape[1], numbered(memory), memory.second is not None),
        body=(((memory, terms),), tuple((bars,) for bars in cost)),
        widths=((688,), (334, 334)),
        legend=_legend(result, memory),
        verdicts=(words.verdict(result),),
        status=words.status(result),
        reads=words.reads(result),
        copies=words.copies(result),
        tips=Tips(*words.tips(result)),
        probed=params.thread,
        offers=words.offers(result),
    )


def _kind(result: Result) -> Array:
    """What makes a thread's colour: its warp or its strip."""
    return result.thread_map.strip if result.params.colour == "strip" else result.warp


def _memory(result: Result, rows: memory_rows.Rows) -> Grid:
    params, (tile_rows, tile_columns) = result.params, result.tile
    pitch = params.row_pitch
    columns = pitch if pitch <= FEW_COLUMNS else max(FEW_COLUMNS, int(result.column.max()) + 1, params.columns)
    lines, start = int(rows.lines.sum()), rows.start
    band = np.repeat(rows.band, rows.lines)
    line_row = np.repeat(rows.first, rows.lines)
    where = np.full(result.reached, -1)
    where[rows.first[~rows.band]] = start[~rows.band]
    threads = np.flatnonzero(where[result.row] >= 0)[::-1]  # the last writer of a cell is its first thread
    cell = where[result.row[threads]] * columns + result.column[threads]
    times = how_often(cell, lines * columns).reshape(lines, columns)
    flat = np.full(lines * columns, -1)
    flat[cell] = threads
    probe = flat.reshape(lines, columns)
    used, first = probe >= 0, np.maximum(probe, 0)
    inside = (line_row < tile_rows)[:, None] & (np.arange(columns) < tile_columns)
    states = np.where(used, np.where(inside, 0, OUTSIDE) | np.where(times > 1, COLLISION, 0), np.where(inside, HOLE, 0))
    gap = memory_rows.row_gap(rows)
    kind = _kind(result)
    labels = second = None
    if columns <= FEW_COLUMNS and rows.height >= 9:
        name = np.char.add("T" if columns <= 20 else "", first.astype("U4"))
        if times.max() > 1:
            name = np.where(times > 1, np.char.add(np.char.add(name, "+"), (times - 1).astype("U4")), name)
        labels = np.where(used, name, "")
        if rows.height >= 20 and columns <= 20:
            second = np.where(used, result.offset[first].astype("U7"), "")
    i, j = np.argwhere(used & (result.offset[first] == result.offset[params.thread]))[0].tolist()
    return Grid(
        name="memory",
        fill=np.where(used, kind[first] % 8, -1),
        scale="category",
        labels=labels,
        second=second,
        states=states.astype(np.uint8),
        row_heads=memory_rows.row_heads(rows, gap),
        col_heads=tuple(map(str, range(columns))),
        cell=(37, rows.height),
        row_heights=tuple(np.where(band, memory_rows.STRIPE, rows.height).tolist()),
        row_gap=tuple(gap.tolist()),
        rings=(Ring(i, j, i, j, "probe"),),
        probe=probe,
        boxes=memory_rows.boxes(result, rows, columns),
        notes=memory_rows.notes(result, rows),
        jumps=memory_rows.jumps(result, where) if columns <= 100 else (),
    )


def _cost(unit: str, heading: str, found: Sectors | Wavefronts) -> Bars:
    """One bar for each cost that occurs, with the warps that pay it; four bars at most."""
    pairs = np.stack([found.count, found.ideal], axis=-1)
    _, first, inverse = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.ravel()
    bars = []
    order = np.argsort(first)
    for k in order[:4].tolist():
        rest = len(order) > 4 and k == order[3]
        warps = np.flatnonzero(np.isin(inverse, order[3:])) if rest else np.flatnonzero(inverse == k)
        worst = warps[np.argmax(pairs[warps, 0] - pairs[warps, 1])]
        value, ideal = pairs[worst].tolist()
        ways = int(np.ravel(found.ways)[worst]) if isinstance(found, Wavefronts) else 0
        label = f"{len(warps)} others, up to" if rest else _warps(warps, len(pairs))
        bars.append(Bar(label, value, ideal, unit, state_of(value, ideal, ways), most=found.access.chip.lanes))
    return Bars(unit, tuple(bars), heading)


def _warps(warps: Array, total: int) -> str:
    """Which warps, in few letters?

    >>> _warps(np.arange(8), 8), _warps(np.array([0, 1]), 3), _warps(np.array([0, 2, 4, 6]), 8), _warps(np.array([2]), 3)
    ('each of 8 warps', 'W0 and W1', 'W0, W2, ... W6', 'W2')
    """
    a, b = int(warps[0]), int(warps[-1])
    if len(warps) == total > 1:
        return f"each of {total} warps"
    if len(warps) <= 2:
        return " and ".join(f"W{w}" for w in warps.tolist())
    return f"W{a} to W{b}" if b - a + 1 == len(warps) else f"W{a}, W{int(warps[1])}, ... W{b}"


def _legend(result: Result, memory: Grid) -> tuple[Key, ...]:
    params, states, lanes = result.params, memory.states, result.params.chip.lanes
    threads = np.arange(0) if memory.probe is None else memory.probe
    shown = np.unique(threads[threads >= 0])
    found = np.unique(_kind(result)[shown])
    names = {k: f"{params.colour} {k}" for k in found.tolist()}
    if params.colour == "warp" and len(found) <= 2:
        for k in names:
            first, last = k * lanes, min(k * lanes + lanes, params.threads) - 1
            names[k] += f" (T{first} to T{last})" if last > first else f" (T{last})"
    if len(found) > 8:
        names = {}
    keys = [Key(name, "fill", "category", k % 8) for k, name in names.items()] or [
        modulo(params.colour, "", len(found))
    ]
    for flag, kind_name, text in (
        (HOLE, "hole", "untouched"),
        (OUTSIDE, "outside", "outside the tile"),
        (COLLISION, "collision", "T4+1: T4 and one thread more"),
    ):
        if states is not None and (states & flag).any():
            keys.append(Key(text, kind_name))
    return (*keys, Key("probe", "probe"))
