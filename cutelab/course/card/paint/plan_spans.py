"""`Spans` as operations: rows of stretches of time over an axis, with labels where they fit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint.glyphs import shorten, text_width
from cutelab.course.card.paint.ops import Fill, Floats, Frame, GridBox, Hatch, Ints, Text
from cutelab.course.card.paint.palette import FRAME, fill_and_ink
from cutelab.course.card.paint.plan_grid import Block
from cutelab.course.card.picture import Spans

INK, PAPER, MUTED, FAINT = (FRAME[n] for n in ("ink", "paper", "muted", "faint"))
HIGH, AXIS, HEAD, MOST = 20, 18, 18, 4000
SIZES = (10, 9, 8, 7)


def rows_width(panel: Spans) -> int:
    """How wide is the column of row names?"""
    return max(22, math.ceil(max((text_width(t, "sans", 10.5) for t in panel.rows), default=0) + 7))


def ticks(first: float, last: float, most: int = 9) -> np.ndarray:
    """Which round numbers stand on the axis? At most `most` of them, 1, 2 or 5 times a power of ten apart.

    >>> ticks(0, 9000).tolist(), ticks(130, 150, 5).tolist()
    ([0.0, 2000.0, 4000.0, 6000.0, 8000.0], [130.0, 135.0, 140.0, 145.0, 150.0])
    """
    least = (last - first) / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(least)) if least > 0 else 1.0
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= least * 0.999999)
    return np.arange(math.ceil(first / step - 1e-9), math.floor(last / step + 1e-9) + 1) * step


def plan_spans(panel: Spans, x: float, y: float, width: float, left: int | None = None) -> Block:
    """Which operations draw these spans, whose panel begins at (x, y)? `left`: space for the rows' names."""
    if not panel.last > panel.first or len(panel.row) > MOST:
        raise CuteLabError(
            f"spans {panel.name!r}: an axis needs a first before its last, and at most {MOST} spans; "
            f"got {panel.first} to {panel.last} and {len(panel.row)} spans"
        )
    block = Block()
    x0 = round(x + (rows_width(panel) if left is None else left))
    room = round(x + width) - x0
    high = np.full(len(panel.rows), HIGH)
    high[: len(panel.row_heights)] = panel.row_heights
    gap = np.zeros(len(panel.rows), int)
    gap[: len(panel.row_gap)] = panel.row_gap
    ys = round(y + HEAD) + np.concatenate([[0], np.cumsum(high)[:-1]]) + np.cumsum(gap)
    bottom = int(ys[-1] + high[-1])
    place = x0 + (np.stack([panel.start, panel.end]) - panel.first) * room / (panel.last - panel.first)
    a, b = np.clip(np.round(place), x0, x0 + room).astype(int)
    for name, top, tall in zip(panel.rows, ys.tolist(), high.tolist(), strict=True):
        block.ops.append(Text(x0 - 6, top + (tall - 1) / 2, name, 10.5, "sans", MUTED, PAPER, "right"))
        block.ops.append(Fill(x0, top, room, tall - 1, FAINT))
    _stretches(block, panel, place, a, b, ys, high)
    _head(block, panel, x0, y, x + width, room, int(ys[0]), bottom)
    for t in ticks(panel.first, panel.last).tolist():
        at = x0 + round((t - panel.first) * room / (panel.last - panel.first))
        block.ops.append(Fill(min(at, x0 + room - 1), bottom, 1, 3, FRAME["hatch"]))
        words = f"{t:,.10g}" if abs(t) > 9999 else f"{t:.10g}"
        half = text_width(words, "sans", 9) / 2
        block.ops.append(Text(min(at, x0 + room - half), bottom + 10, words, 9, "sans", MUTED, PAPER, "middle"))
    block.height = bottom + AXIS - y
    return block


def _stretches(block: Block, panel: Spans, place: Floats, a: Ints, b: Ints, ys: Any, high: Any) -> None:
    """The spans row by row, the ring around those of the probe, and where they may be clicked."""
    rings = []
    for row in range(len(panel.rows)):
        here = np.flatnonzero((panel.row == row) & (b > a))
        here = here[np.argsort(a[here])]
        if not here.size:
            continue
        top, tall = int(ys[row]), int(high[row])
        words = _labels(panel, place[1] - place[0], here, tall)
        for i, (text, size) in zip(here.tolist(), words, strict=True):
            left, wide = int(a[i]), int(b[i] - a[i])
            wide -= wide > 3
            if panel.fill[i] < 0:
                block.ops.append(Hatch(left, top, wide, tall - 1))
                continue
            fill, ink = fill_and_ink("category", int(panel.fill[i]))
            block.ops.append(Fill(left, top, wide, tall - 1, fill))
            if text:
                block.ops.append(Text(left + wide / 2, top + (tall - 1) / 2, text, size, "sans", ink, fill, "middle"))
        live = here[panel.probe[here] >= 0]
        if live.size:
            edges = np.stack([a[live], b[live]], 1)
            rows = np.array([[top, top + tall]])
            block.boxes.append(GridBox(f"{panel.name} {panel.rows[row]}", edges, rows, panel.probe[live][None]))
        mine = here[panel.probe[here] == panel.probed]
        if panel.probed >= 0 and mine.size:
            rings.append((int(a[mine].min()), top, int(b[mine].max() - a[mine].min()) - 1, tall - 1))
    for left, top, wide, tall in rings:
        block.ops.append(Frame(left - 1, top - 1, wide + 2, tall + 2, PAPER))
        block.ops.append(Frame(left - 4, top - 4, wide + 8, tall + 8, PAPER))
        block.ops.append(Frame(left - 3, top - 3, wide + 6, tall + 6, INK, 2))


def _labels(panel: Spans, wide: np.ndarray, here: np.ndarray, tall: int) -> list[tuple[str, float]]:
    """What does each span of a row say, at which size? The widest label of the row decides whether an alternative fits."""
    found, room = [("", 0.0)] * len(here), np.round(wide[here], 3)
    open_ = np.ones(len(here), bool)
    for n, alternative in enumerate(panel.labels):
        texts = [str(t) for t in alternative[here]]
        ems = max(text_width(t, "sans", 1.0) for t in texts)
        least = 9 if n < len(panel.labels) - 1 else 0  # small type is for the shortest words only
        for size in (z for z in SIZES if least <= z <= tall - 3):
            fits = open_ & (ems * size + 3 <= room)
            for i in np.flatnonzero(fits).tolist():
                found[i] = (texts[i], size)
            open_ &= ~fits
            if not open_.any():
                return found
    return found


def _head(block: Block, panel: Spans, x0: int, y: float, right: float, room: int, top: int, bottom: int) -> None:
    """Heading, subheading, and the upright lines with their words at the right."""
    limit = after = float(right)
    for time, words in panel.marks:
        mark = x0 + round((time - panel.first) * room / (panel.last - panel.first))
        if x0 <= mark <= x0 + room:
            block.ops.append(Fill(min(mark, x0 + room - 2), top - 4, 2, bottom - top + 4, INK))
            start = min(mark + 5, right - text_width(words, "sans", 10.5))
            block.ops.append(Text(start, y + 8, words, 10.5, "sans", INK, PAPER))
            limit = min(limit, mark - 8)
            after = start + text_width(words, "sans", 10.5) + 14
    at = float(x0)
    if panel.heading:
        text = shorten(panel.heading, "bold", 11.5, limit - at)
        block.ops.append(Text(at, y + 8, text, 11.5, "bold", INK, PAPER))
        at += text_width(text, "bold", 11.5) + 8
    if text_width(panel.subheading, "sans", 11) > limit - at and limit < right:
        at, limit = after, right  # right of the marks there may be room
    if len(text := shorten(panel.subheading, "sans", 11, limit - at)) > 1:
        block.ops.append(Text(at, y + 8, text, 11, "sans", MUTED, PAPER))
