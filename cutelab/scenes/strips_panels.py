"""The panels of topic "strips": memory rows with their threads, and each warp's cost. Reads a `Result` of scenes/strips.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cutelab.scenes import strips_words as words
from cutelab.scenes.panels import (
    COLLISION,
    HOLE,
    OUTSIDE,
    Bar,
    Bars,
    Box,
    Cure,
    Grid,
    Jump,
    Key,
    Line,
    Lines,
    Note,
    Picture,
    Ring,
    Tips,
)
from cutelab.scenes.words import ELEMENTS, count, number

if TYPE_CHECKING:
    from cutelab.scenes.strips import Result

TALL, LOW, STRIPE = 27, 5, 5  # height of a row of cells, its least, and the height of a skipped row
HEIGHT = 356  # CSS pixels for all memory rows; more: a window
BAND = 4  # so many untouched rows in a run are drawn as a band
WINDOW_ROW = 13  # height of a row in a window
FEW_COLUMNS = 32  # columns up to which a whole row is drawn


@dataclass(frozen=True, eq=False)
class Rows:
    """Which lines of cells stand for which memory rows? One item is a row, or a band of untouched rows.

    first, last   the memory rows of each drawn item; band: is it a band?
    lines         how many lines of cells it takes; height: of one line, in CSS pixels
    total         memory rows there are in all
    """

    first: np.ndarray
    last: np.ndarray
    band: np.ndarray
    lines: np.ndarray
    height: int
    total: int

    @property
    def start(self) -> np.ndarray:
        """The first line of each item."""
        return np.cumsum(self.lines) - self.lines

    @property
    def whole(self) -> bool:
        return self.first[0] == 0 and self.last[-1] == self.total - 1


def rows_of(result: Result) -> Rows:
    """All rows if they fit; otherwise the page that holds the probed thread."""
    untouched = ~result.touched
    inside = np.arange(result.reached) < result.tile[0]
    key = untouched * 2 + inside
    new = np.diff(key, prepend=-1) != 0
    run = np.cumsum(new) - 1
    long = untouched & (np.bincount(run)[run] >= BAND)
    first = np.flatnonzero(new | ~long)
    last = np.r_[first[1:] - 1, result.reached - 1]
    band = long[first]
    bands = int(band.sum())
    singles = len(first) - bands
    height = min(TALL, (HEIGHT - bands * BAND * STRIPE) // max(singles, 1))
    most = BAND
    if height >= LOW:
        if bands:
            most = max(BAND, (HEIGHT - singles * height) // bands // STRIPE)
    else:
        height = WINDOW_ROW
        ends = np.cumsum(np.where(band, (BAND + 2) * STRIPE, height))
        page = (ends - 1) // HEIGHT
        probed = np.searchsorted(first, result.row[result.params.thread], "right") - 1
        here = page == page[probed]
        first, last, band = first[here], last[here], band[here]
    lines = np.where(first < result.tile[0], np.minimum(last - first + 1, most), BAND)
    return Rows(first, last, band, np.where(band, lines, 1), height, result.reached)


def picture(result: Result) -> Picture:
    """The whole card."""
    params = result.params
    rows = rows_of(result)
    memory = _memory(result, rows)
    subtitle = f"offset = {words.formula(params)}. "
    if rows.whole:
        subtitle += "Upper number: thread. Lower: offset." if memory.second is not None else "Number: thread."
    else:
        subtitle += f"Rows {rows.first[0]} to {rows.last[-1]} of {number(rows.total)}."
    terms = Lines("terms", (Line(words.terms(result), "read", f"T{params.thread}"),))
    cost = (
        _cost("sectors", "global memory: sectors of each warp", result.sectors),
        _cost("wavefronts", "shared memory: wavefronts of each warp", result.wavefronts),
    )
    return Picture(
        title=words.title(params),
        call=params.call("strips"),
        subtitle=subtitle,
        body=(((memory, terms),), tuple((bars,) for bars in cost)),
        widths=((688,), (334, 334)),
        legend=_legend(result, memory),
        verdicts=(words.verdict(result),),
        status=words.status(result),
        reads=words.reads(result),
        copies=words.copies(result),
        tips=_tips(result),
        probed=params.thread,
        cures=_cures(result),
    )


def _memory(result: Result, rows: Rows) -> Grid:
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
    times = np.bincount(cell, minlength=lines * columns).reshape(lines, columns)
    probe = np.full(lines * columns, -1)
    probe[cell] = threads
    probe = probe.reshape(lines, columns)
    used, first = probe >= 0, np.maximum(probe, 0)
    inside = (line_row < tile_rows)[:, None] & (np.arange(columns) < tile_columns)
    states = np.where(used, np.where(inside, 0, OUTSIDE) | np.where(times > 1, COLLISION, 0), np.where(inside, HOLE, 0))
    gap = _row_gap(rows)
    kind = result.thread_map.strip if params.colour == "strip" else np.arange(params.threads) // 32
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
        row_heads=_row_heads(rows, gap),
        col_heads=tuple(map(str, range(columns))),
        cell=(37, rows.height),
        row_heights=tuple(np.where(band, STRIPE, rows.height).tolist()),
        row_gap=tuple(gap.tolist()),
        rings=(Ring(i, j, i, j, "probe"),),
        probe=probe,
        padding=pitch - columns if tile_columns == pitch else 0,
        boxes=_boxes(result, rows, columns),
        notes=_notes(result, rows),
        jumps=_jumps(result, where) if columns <= 100 else (),
    )


def _row_gap(rows: Rows) -> np.ndarray:
    """4 pixels above and below a band."""
    gap = np.zeros(int(rows.lines.sum()), int)
    gap[rows.start[1:][rows.band[1:] | rows.band[:-1]]] = 4
    return gap


def _row_heads(rows: Rows, gap: np.ndarray) -> tuple[str, ...]:
    """Row numbers as far as they do not touch: 11 pixels each; a band names its first and its last row."""
    heads, free, top = [], 0, 0
    columns = (rows.first, rows.last, rows.band, rows.lines, gap[rows.start])
    for first, last, band, lines, above in zip(*map(np.ndarray.tolist, columns), strict=True):
        names, each = [""] * lines, STRIPE if band else rows.height
        middle, end = top + above + each // 2, top + above + lines * each
        if middle >= free:
            names[0], free = str(first), middle + 11
        if band and end - each // 2 >= free:
            names[-1], free = str(last), end - each // 2 + 11
        heads += names
        top = end
    return tuple(heads)


def _boxes(result: Result, rows: Rows, columns: int) -> tuple[Box, ...]:
    """A boxed sentence in each band that is high enough for it; in the first one a short one will do."""
    found: list[Box] = []
    end = int(result.row.max())
    for first, last, start, lines in _bands(rows):
        if columns < 4 or first >= result.tile[0] or lines * STRIPE < (36 if found else 20):
            continue
        missed = last - first + 1
        verb = "skipped" if first < end else "missed"
        says, elements = f"rows {first} to {last}", f", {count(missed * result.tile[1], 'element')}"
        says += ": no thread ever comes here" if columns >= 10 else f": {verb}" if columns >= 6 else ""
        what = f"{missed} rows{elements if columns >= 6 else ''} {verb}"
        found.append(Box(start, start + lines - 1, says, what if lines * STRIPE >= 36 else ""))
    return tuple(found)


def _bands(rows: Rows) -> list[list[int]]:
    """First and last memory row, first line and number of lines of each band."""
    return np.stack([rows.first, rows.last, rows.start, rows.lines], axis=-1)[rows.band].tolist()


def _notes(result: Result, rows: Rows) -> tuple[Note, ...]:
    """What an empty band outside the tile is."""
    return tuple(
        Note(start + 1, 0, f"rows {first} to {last}: outside the tile, untouched", colour="muted", dy=3)
        for first, last, start, _ in _bands(rows)
        if first >= result.tile[0]
    )


def _jumps(result: Result, where: np.ndarray) -> tuple[Jump, ...]:
    """From the start of each group of rows to the start of the next, where rows are skipped on the way."""
    params = result.params
    if params.pitch == 1 or result.jump == params.threads:
        return ()
    step = params.pitch * params.strips
    line = where[result.row[::step]]
    text = f"+{number(step * params.row_pitch)}"
    return tuple(Jump(a, b, text) for a, b in zip(line[:4].tolist(), line[1:5].tolist(), strict=False) if a >= 0 <= b)


def _cost(unit: str, heading: str, found: Any) -> Bars:
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
        label = f"{len(warps)} others, up to" if rest else _warps(warps, len(pairs))
        bars.append(Bar(label, value, ideal, unit, "good" if value == ideal else "bad"))
    return Bars(unit, tuple(bars), heading)


def _warps(warps: np.ndarray, total: int) -> str:
    """Which warps, in few letters?

    >>> _warps(np.arange(8), 8), _warps(np.array([0, 1]), 3), _warps(np.array([0, 2, 4, 6]), 8), _warps(np.array([2]), 3)
    ('all 8 warps', 'W0 and W1', 'W0, W2, ... W6', 'W2')
    """
    a, b = int(warps[0]), int(warps[-1])
    if len(warps) == total > 1:
        return "both warps" if total == 2 else f"all {total} warps"
    if len(warps) <= 2:
        return " and ".join(f"W{w}" for w in warps.tolist())
    return f"W{a} to W{b}" if b - a + 1 == len(warps) else f"W{a}, W{int(warps[1])}, ... W{b}"


def _legend(result: Result, memory: Grid) -> tuple[Key, ...]:
    params, states = result.params, memory.states
    shown = np.unique(memory.probe[memory.probe >= 0])
    kind = result.thread_map.strip[shown] if params.colour == "strip" else shown // 32
    found = np.unique(kind)
    names = {k: f"{params.colour} {k}" for k in found.tolist()}
    if params.colour == "warp" and len(found) <= 2:
        for k in names:
            last = min(32 * k + 31, params.threads - 1)
            names[k] += f" (T{32 * k} to T{last})" if last > 32 * k else f" (T{last})"
    if len(found) > 8:
        names = {int(found[0]): f"colour = {params.colour} modulo 8"}
    keys = [Key(name, "fill", "category", k % 8) for k, name in names.items()]
    for flag, kind_name, text in (
        (HOLE, "hole", "untouched"),
        (OUTSIDE, "outside", "outside the tile"),
        (COLLISION, "collision", "T4+1: T4 and one thread more"),
    ):
        if states is not None and (states & flag).any():
            keys.append(Key(text, kind_name))
    return (*keys, Key("probe", "probe"))


def _tips(result: Result) -> Tips:
    thread = np.arange(result.params.threads)
    byte = result.offset * ELEMENTS[result.params.element]
    columns = [
        thread,
        result.offset,
        result.row,
        result.column,
        byte,
        byte // 4 % 32,
        thread // 32,
        result.thread_map.strip,
    ]
    template = "T{0} → offset {1}\nrow {2}, column {3} · byte {4} · bank {5}\nwarp {6} · strip {7}"
    return Tips(template, np.clip(np.stack(columns, axis=-1), 0, 2**31 - 1).astype(np.int32))


def _cures(result: Result) -> tuple[Cure, ...]:
    """Enough Strips that no row is skipped; and a Pitch as wide as the tile, so that whole rows are touched."""
    params, columns = result.params, result.tile[1]
    found = []
    enough = -(-params.threads // params.pitch)
    if enough > 1 and params.pitch > 1:
        strips = max(enough, params.strips)
        found.append(Cure(f"Strips {strips}", "no row is skipped", {"strips": strips}, params.strips >= enough))
    rows = -(-params.threads // columns)
    if params.pitch != columns <= 128 or (params.strips >= rows and params.pitch == columns):
        use = params.pitch == columns and params.strips >= rows
        found.append(Cure(f"Pitch {columns}, Strips {rows}", "whole rows", {"pitch": columns, "strips": rows}, use))
    return tuple(found)
