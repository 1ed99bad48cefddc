"""Which memory rows topic "strips" draws: every touched row, long untouched runs as bands, a page where that is too much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutelab.core.counting import how_often
from cutelab.course.card.picture import Box, Jump, Note
from cutelab.course.card.words import count, number
from cutelab.course.topics.strips.model import Array, Result

TALL, LOW, STRIPE = 27, 5, 5  # height of a row of cells, its least, and the height of a skipped row
HEIGHT = 356  # CSS pixels for all memory rows; more: a window
BAND = 4  # so many untouched rows in a run are drawn as a band
WINDOW_ROW = 13  # height of a row in a window


@dataclass(frozen=True, eq=False)
class Rows:
    """Which lines of cells stand for which memory rows? One item is a row, or a band of untouched rows.

    first, last   the memory rows of each drawn item; band: is it a band?
    lines         how many lines of cells it takes; height: of one line, in CSS pixels
    total         memory rows there are in all
    """

    first: Array
    last: Array
    band: Array
    lines: Array
    height: int
    total: int

    @property
    def start(self) -> Array:
        """The first line of each item."""
        first: Array = np.cumsum(self.lines) - self.lines
        return first

    @property
    def whole(self) -> bool:
        """Are all rows drawn?"""
        return bool(self.first[0] == 0 and self.last[-1] == self.total - 1)


def rows_of(result: Result) -> Rows:
    """All rows if they fit; otherwise the page that holds the probed thread."""
    untouched = ~result.touched
    inside = np.arange(result.reached) < result.tile[0]
    key = untouched * 2 + inside
    new = np.diff(key, prepend=-1) != 0
    run = np.cumsum(new) - 1
    long = untouched & (how_often(run)[run] >= BAND)
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


def row_gap(rows: Rows) -> Array:
    """4 pixels above and below a band."""
    gap = np.zeros(int(rows.lines.sum()), int)
    gap[rows.start[1:][rows.band[1:] | rows.band[:-1]]] = 4
    return gap


def row_heads(rows: Rows, gap: Array) -> tuple[str, ...]:
    """Row numbers as far as they do not touch: 11 pixels each; a band names its first and its last row."""
    heads, free, top = [], 0, 0
    columns = (rows.first, rows.last, rows.band, rows.lines, gap[rows.start])
    for first, last, band, lines, above in zip(*(column.tolist() for column in columns), strict=True):
        names, each = [""] * lines, STRIPE if band else rows.height
        middle, end = top + above + each // 2, top + above + lines * each
        if middle >= free:
            names[0], free = str(first), middle + 11
        if band and end - each // 2 >= free:
            names[-1], free = str(last), end - each // 2 + 11
        heads += names
        top = end
    return tuple(heads)


def boxes(result: Result, rows: Rows, columns: int) -> tuple[Box, ...]:
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
    bands: list[list[int]] = np.stack([rows.first, rows.last, rows.start, rows.lines], axis=-1)[rows.band].tolist()
    return bands


def notes(result: Result, rows: Rows) -> tuple[Note, ...]:
    """What an empty band outside the tile is."""
    return tuple(
        Note(start + 1, 0, f"rows {first} to {last}: outside the tile, untouched", colour="muted", dy=3)
        for first, last, start, _ in _bands(rows)
        if first >= result.tile[0]
    )


def jumps(result: Result, where: Array) -> tuple[Jump, ...]:
    """From the start of each group of rows to the start of the next, where rows are skipped on the way."""
    params = result.params
    if params.pitch == 1 or result.jump == params.threads:
        return ()
    step = params.pitch * params.strips
    line = where[result.row[::step]]
    text = f"+{number(step * params.row_pitch)}"
    return tuple(Jump(a, b, text) for a, b in zip(line[:4].tolist(), line[1:5].tolist(), strict=False) if a >= 0 <= b)
