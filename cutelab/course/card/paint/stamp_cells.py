"""Cells stamped all at once: fills, labels, stripes and states as array operations, no Python loop over cells."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.core.counting import how_often
from cutelab.course.card.paint.canvas import HATCH, Canvas, corner_mask, frame_mask, hatch_levels
from cutelab.course.card.paint.glyphs import CAP, LOCK, charset, code_points, sheet
from cutelab.course.card.paint.ops import Bools, Bytes, Cells, Ints, Label, Words
from cutelab.course.card.paint.palette import FRAME
from cutelab.course.card.picture import COLLISION, HOLE, INACTIVE, OUTSIDE, PAST_END

Run = tuple[int, int]
"""First and last plus one of rows, or of columns, that follow each other without a gap."""


def stamp_cells(canvas: Canvas, op: Cells) -> None:
    """Draw the cells of one plan operation: [row, y, column, x], on the sheet itself where no gap interrupts them."""
    rows, cols = op.pair.shape
    if not rows or not cols:
        return
    scale = canvas.scale
    w, h, high = op.pitch[0] * scale, op.pitch[1] * scale, op.height * scale
    inner = op.widths * scale
    least = int(inner.min())
    runs = [(r, c) for r in _runs(op.ys, op.pitch[1]) for c in _runs(op.xs, op.pitch[0])]
    whole = _block(canvas, op, *runs[0], w) if len(runs) == 1 else None
    cells = np.empty((rows, h, cols, w), np.uint8) if whole is None else whole
    paper = canvas.solid(FRAME["paper"])
    line = np.where(np.arange(w) < inner[:, None], _entries(canvas, op)[op.pair][:, :, None], np.uint8(paper))
    lines = cells.reshape(rows, h, cols * w)
    lines[:, :high] = line.reshape(rows, 1, cols * w)  # all of a row of cells at once
    lines[:, high:] = paper
    if op.empty is not None:
        _field(canvas, op, op.empty, cells, high, inner)
    full = cells[:, :high, :, :least]
    if op.stripe is not None:
        _stripe(canvas, op, op.stripe, full)
    for label in op.labels:
        stamp_label(cells[:, :high], label, scale, least)
    if op.states is not None:
        _states(canvas, op, op.states, full)
    if whole is None:
        for (r0, r1), (c0, c1) in runs:
            _place(canvas, op, cells[r0:r1, :, c0:c1], (r0, r1), (c0, c1))


def _block(canvas: Canvas, op: Cells, rows: Run, cols: Run, w: int) -> Bytes | None:
    """The sheet's own pixels under these rows and columns, as [row, y, column, x]; None where they reach over its edge."""
    s, (r0, r1), (c0, c1) = canvas.scale, rows, cols
    high = op.pitch[1] * s
    y, x = int(op.ys[r0]) * s, int(op.xs[c0]) * s
    out = canvas.pixels[y : y + (r1 - r0) * high, x : x + (c1 - c0) * w]
    if y < 0 or x < 0 or out.shape != ((r1 - r0) * high, (c1 - c0) * w):
        return None
    return out.reshape(r1 - r0, high, c1 - c0, w)


def _place(canvas: Canvas, op: Cells, cells: Bytes, rows: Run, cols: Run) -> None:
    """Copy finished cells to the sheet: rows and columns without a gap."""
    s, (c0, c1) = canvas.scale, cols
    if c1 - c0 == 1:  # a column of another width: its own part only
        cells = cells[..., : int(op.widths[c0]) * s]
    out = _block(canvas, op, rows, cols, cells.shape[3])
    if out is not None:
        out[...] = cells
        return
    y, x = int(op.ys[rows[0]]) * s, int(op.xs[c0]) * s
    image = cells.reshape(cells.shape[0] * cells.shape[1], -1)
    seen = canvas.pixels[y : y + image.shape[0], x : x + image.shape[1]]
    seen[...] = image[: seen.shape[0], : seen.shape[1]]


def _entries(canvas: Canvas, op: Cells) -> np.ndarray:
    """First palette entry of each pair that occurs. Cells without ink need one entry, not four."""
    used = how_often(op.pair.ravel(), len(op.colours))
    entries = np.zeros(len(op.colours), np.uint8)
    inked = bool(op.labels) or op.states is not None
    for n in np.flatnonzero(used):
        fill, ink = op.colours[n]
        entries[n] = canvas.pair(fill, ink) if inked else canvas.solid(fill)
    return entries


def _runs(at: np.ndarray, pitch: int) -> list[Run]:
    breaks = (np.flatnonzero(at[1:] - at[:-1] != pitch) + 1).tolist()
    return list(zip([0, *breaks], [*breaks, len(at)], strict=True))


class _Atlas:
    """Labels of one type size at one place in cells of one size: each text is stamped once, then found again.

    size: height and width of a cell, and how far the next one is. `ink` [y, label, x] is as wide as that, so that the labels of a row of
    cells lie side by side. `tight`: one pixel less for each character, where whole pixels would make the longest label wider than the cell.
    """

    def __init__(
        self,
        font: str,
        pixels: float,
        x: int,
        baseline: int,
        align: str,
        size: tuple[int, int, int],
        plain: bool,
        tight: bool,
    ):
        self.font, self.pixels, self.x, self.baseline, self.align = font, pixels, x, baseline, align
        self.size, self.plain, self.tight = size, plain, tight
        self._clear()

    def _clear(self) -> None:
        self.index: dict[str, int] = {}
        self.first = self.baseline  # the row of the cell where the ink begins
        self.ink = np.zeros((0, 0, self.size[2]), np.uint8)
        self.wide = np.zeros(0, np.intp)

    def find(self, texts: Words) -> Ints:
        """The numbers of these labels in `ink` and `wide`."""
        words: list[str] = texts.ravel().tolist()
        new = [text for text in dict.fromkeys(words) if text not in self.index]
        if len(self.index) + len(new) > _KEPT:
            self._clear()
            new = list(dict.fromkeys(words))
        if new:
            self._add(new)
        return np.fromiter(map(self.index.__getitem__, words), np.intp, len(words))

    def _add(self, texts: list[str]) -> None:
        first, ink, wide = self._stamp(np.array(texts, np.str_))
        top = min(first, self.first)
        high = max(first + len(ink), self.first + len(self.ink)) - top
        known = len(self.wide)
        grown = np.zeros((high, known + len(texts), self.size[2]), np.uint8)
        for part, y, at in ((self.ink, self.first, slice(None, known)), (ink, first, slice(known, None))):
            grown[y - top : y - top + len(part), at] = part
        self.index.update(zip(texts, range(known, grown.shape[1]), strict=True))
        self.first, self.ink, self.wide = top, grown, np.concatenate([self.wide, wide])

    def _stamp(self, texts: Words) -> tuple[int, Bytes, Ints]:
        """First row, ink [y, label, x] and width of new labels.

        Glyphs with the same place in the cell are stamped together: a handful of array operations for any number of labels.
        """
        codes, (height, width, pitch) = code_points(texts), self.size
        count = len(codes)
        glyphs = sheet(self.font, self.pixels, charset(codes), self.plain)
        index = glyphs.index[codes]
        steps = glyphs.advance[index]
        if self.tight:
            steps = np.maximum(steps - 1, 0)
        total = steps.sum(1)
        x = self.x
        start = {"left": np.full(count, x), "right": x - total, "middle": (2 * x - total + 1) // 2}[self.align]
        top = self.baseline - glyphs.top
        tall, wide = glyphs.levels.shape[1:]
        y0, y1 = max(top, 0), max(min(top + tall, height), max(top, 0))
        ink = np.zeros((y1 - y0, count, pitch), np.uint8)
        pens = start[:, None] + np.cumsum(steps, 1) - steps - glyphs.lead
        for k in range(codes.shape[1]):
            live = index[:, k] > 0
            for pen in set(pens[live, k].tolist()):
                x0, x1 = max(pen, 0), min(pen + wide, width)
                if x0 >= x1:
                    continue
                which = np.flatnonzero(live & (pens[:, k] == pen))
                stamps = glyphs.levels[:, y0 - top : y1 - top, x0 - pen : x1 - pen].transpose(1, 0, 2)
                ink[:, which, x0:x1] = np.maximum(ink[:, which, x0:x1], stamps[:, index[which, k]])
        return y0, ink, total


_KEPT = 8192
"""So many labels an atlas keeps at most: a few megabytes."""


@lru_cache(maxsize=32)
def _atlas(*place: Any) -> _Atlas:
    return _Atlas(*place)


def stamp_label(cells: Bytes, label: Label, scale: int, wide: int) -> None:
    """Add the ink of one label a cell to finished fills [row, y, column, x], in the first `wide` pixels of each."""
    if not label.texts.size:
        return
    pixels = label.size * scale
    baseline = round(label.middle * scale + CAP * pixels / 2)
    rows, high, cols, pitch = cells.shape
    place = (label.font, pixels, round(label.x * scale), baseline, label.align, (high, wide, pitch), scale > 1)
    with LOCK:
        atlas = _atlas(*place, False)
        which = atlas.find(label.texts)
        if len(which) and atlas.wide[which].max() > wide:
            atlas = _atlas(*place, True)
            which = atlas.find(label.texts)
        first, ink = atlas.first, atlas.ink
    tall, across = len(ink), cols * pitch
    inked = ink.take(which, axis=1).reshape(tall, rows, across)
    cells.reshape(rows, high, across)[:, first : first + tall] += inked.transpose(1, 0, 2)


def _field(canvas: Canvas, op: Cells, empty: Bools, cells: Bytes, high: int, inner: Ints) -> None:
    """Empty cells of a chart have no line below them, as far as the next row belongs to the same field."""
    joined = op.ys[1:] == op.ys[:-1] + op.pitch[1]
    bare = empty[:-1] & empty[1:] & joined[:, None]
    for wide in np.unique(inner):
        i, j = np.nonzero(bare & (inner == wide))
        cells[i, high:, j, :wide] = canvas.solid(FRAME["faint"])


def _stripe(canvas: Canvas, op: Cells, stripe: Ints, full: Bytes) -> None:
    k, high, wide = stripe.shape[2], full.shape[1], full.shape[3]
    colours = np.array([canvas.solid(fill) for fill, _ in op.stripe_colours], np.uint8)
    edge = np.round(np.linspace(0, wide, k + 1)).astype(int)
    values, top = colours[stripe], high - op.stripe_height * canvas.scale
    for j in range(k):
        full[:, top:, :, edge[j] : edge[j + 1]] = values[:, None, :, j, None]


def _states(canvas: Canvas, op: Cells, states: Ints, full: Bytes) -> None:
    _, high, _, wide = full.shape
    s = canvas.scale
    hatch, mark = canvas.solid(FRAME["hatch"]), canvas.solid(FRAME["mark"])
    i, j = np.nonzero(states & HOLE)
    if i.size:
        base = canvas.pair(FRAME["faint"], FRAME["hatch"])
        phase = (op.ys[i] * s + op.xs[j] * s) % (HATCH * s)
        tile = hatch_levels(0, 0, wide + HATCH * s, high, s) + np.uint8(base)
        for shift in set(phase.tolist()):
            at = phase == shift
            full[i[at], :, j[at]] = tile[:, shift : shift + wide]

    def put(flag: int, mask: np.ndarray, entry: int, only: np.ndarray | bool = True) -> None:
        i, j = np.nonzero(((states & flag) > 0) & only)
        if i.size:
            full[i, :, j] = np.where(mask, np.uint8(entry), full[i, :, j])

    put(INACTIVE | PAST_END, frame_mask(high, wide, 1, (2, 2), s), hatch)
    if (states & INACTIVE).any():
        stroke = np.zeros((high, wide), bool)
        middle = round(high / 2)
        stroke[middle : middle + s, wide // 5 : wide - wide // 5] = True
        put(INACTIVE, stroke, canvas.solid(FRAME["muted"]))
    if (states & OUTSIDE).any():
        put(OUTSIDE, frame_mask(high, wide, 1.5, (4, 3), s), canvas.solid(FRAME["bad"]))
    if (states & COLLISION).any():
        whole, halves = collision_masks(high, wide, s)
        split = np.zeros(states.shape, bool) if op.split is None else op.split
        put(COLLISION, whole, mark, ~split)
        put(COLLISION, halves, mark, split)


def collision_masks(high: int, wide: int, scale: int) -> tuple[np.ndarray, np.ndarray]:
    """Where is a cell marked that two coordinates share: a frame with a corner, or two framed halves?"""
    whole = frame_mask(high, wide, 1, None, scale)
    size = min(corner_side(wide // scale, high // scale) * scale, high, wide)
    whole[:size, wide - size :] |= corner_mask(size, size)
    halves = frame_mask(high, wide, 1, None, scale)
    middle = high // 2
    halves[middle - (scale + 1) // 2 : middle + scale // 2 + scale % 2] = True
    return whole, halves


def corner_side(width: int, height: int) -> int:
    """How large is the red triangle of a cell? 9 CSS pixels, less in small cells."""
    return max(3, min(9, round(min(width, height) * 0.3)))
