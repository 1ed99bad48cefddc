"""The fast way: a plan carried out on one array of palette entries, written as an indexed PNG."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint import png
from cutelab.course.card.paint.canvas import Canvas, corner_mask, frame_mask, hatch_levels
from cutelab.course.card.paint.glyphs import CAP, line_ink
from cutelab.course.card.paint.ops import Cells, Fill, Frame, GridBox, Hatch, Op, Plan, Text, Triangle
from cutelab.course.card.paint.palette import FRAME
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.paint.stamp_cells import stamp_cells
from cutelab.course.card.picture import Picture


@dataclass(frozen=True, eq=False)
class Rendered:
    """A picture as a PNG file. `width` and `height` are CSS pixels (the file has `scale` times as many).

    `grids`: for each grid where its columns `x` (columns, 2) and rows `y` (rows, 2) begin and end, as fractions of the width and
    the height, and its `probe` array.
    """

    png: bytes
    width: int
    height: int
    grids: tuple[GridBox, ...]


def render(picture: Picture, scale: int = 2) -> Rendered:
    """How does this picture look, as a PNG file?

    `scale` is file pixels a CSS pixel: 2 (for sharp text on any screen), 1 (a quarter of the bytes), up to 4.

    >>> from cutelab.course.card.picture import Picture
    >>> made = render(Picture("(8,8):(8,1)", "", "64 elements", ()), scale=1)
    >>> made.width, made.png[:4]
    (720, b'\\x89PNG')
    """
    if scale not in (1, 2, 3, 4):
        raise CuteLabError(f"scale must be 1, 2, 3 or 4 file pixels a CSS pixel, got {scale!r}")
    made = plan(picture)
    canvas = stamp(made, scale)
    data = png.encode(canvas.pixels, canvas.colours, scale)
    grids = tuple(GridBox(g.name, g.x / made.width, g.y / made.height, g.probe) for g in made.grids)
    return Rendered(data, made.width, made.height, grids)


def stamp(made: Plan, scale: int = 2) -> Canvas:
    """Carry out a plan: the sheet of palette entries and its colours."""
    canvas = Canvas(made.width, made.height, scale, FRAME["paper"], FRAME["ink"])
    for op in made.ops:
        _STAMPS[type(op)](canvas, op)
    return canvas


def _fill(canvas: Canvas, op: Fill) -> None:
    canvas.box(op.x, op.y, op.w, op.h)[...] = canvas.solid(op.colour)


def _frame(canvas: Canvas, op: Frame) -> None:
    entry, t = canvas.solid(op.colour), op.width
    if op.dash:
        box = canvas.box(op.x, op.y, op.w, op.h)
        if box.size:
            box[frame_mask(box.shape[0], box.shape[1], t, op.dash, canvas.scale)] = entry
        return
    canvas.box(op.x, op.y, op.w, t)[...] = entry
    canvas.box(op.x, op.y + op.h - t, op.w, t)[...] = entry
    canvas.box(op.x, op.y, t, op.h)[...] = entry
    canvas.box(op.x + op.w - t, op.y, t, op.h)[...] = entry


def _hatch(canvas: Canvas, op: Hatch) -> None:
    box, s = canvas.box(op.x, op.y, op.w, op.h), canvas.scale
    base = canvas.pair(FRAME["faint"], FRAME["hatch"])
    box[...] = base + hatch_levels(round(op.x * s), round(op.y * s), box.shape[1], box.shape[0], s)


def _triangle(canvas: Canvas, op: Triangle) -> None:
    box = canvas.box(op.x, op.y, op.w, op.h)
    h, w = box.shape
    if op.toward == "corner":
        mask = corner_mask(h, w)
    else:
        y, x = np.abs(2 * np.arange(h)[:, None] + 1 - h), np.arange(w)
        mask = y * w <= (x if op.toward == "left" else w - 1 - x) * h + h
    box[mask] = canvas.solid(op.colour)


def _text(canvas: Canvas, op: Text) -> None:
    if not op.text.strip():
        return
    s = canvas.scale
    ink = line_ink(op.text, op.font, op.size * s)
    high, wide = ink.levels.shape
    x0 = round(op.x * s + ink.left if op.align == "left" else op.x * s - (wide / 2 if op.align == "middle" else wide))
    y0 = round((op.y + CAP * op.size / 2) * s) - ink.top
    y, x, levels = ink.spots
    down, across = canvas.pixels.shape
    at = ink.places(across)
    if min(x0, y0) < 0 or x0 + wide > across or y0 + high > down:  # cut at the sheet's edge
        seen = (y >= -y0) & (y < down - y0) & (x >= -x0) & (x < across - x0)
        at, levels = at[seen], levels[seen]
    canvas.pixels.reshape(-1)[at + (y0 * across + x0)] = levels + np.uint8(canvas.pair(op.ground, op.ink))


_STAMPS: dict[type[Op], Callable[[Canvas, Any], None]] = {
    Fill: _fill,
    Frame: _frame,
    Hatch: _hatch,
    Text: _text,
    Triangle: _triangle,
    Cells: stamp_cells,
}
