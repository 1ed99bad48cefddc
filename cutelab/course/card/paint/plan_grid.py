"""A `Grid` as operations: where its cells lie, what is written around them, which frames stand over them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint.glyphs import shorten, text_width
from cutelab.course.card.paint.labels import STRIPE, cell_labels, margins, stripe_foot
from cutelab.course.card.paint.ops import Cells, Dash, Fill, Frame, GridBox, Hatch, Ints, Op, Text, Triangle
from cutelab.course.card.paint.palette import FRAME, scale_colours
from cutelab.course.card.picture import HOLE, INACTIVE, OUTSIDE, PAST_END, Box, Grid, Ring

INK, PAPER, MUTED, FAINT, BAD = (FRAME[n] for n in ("ink", "paper", "muted", "faint", "bad"))
SIDE, TALLEST = 36, 704
Box4 = tuple[int, int, int, int]
ACCESS_DASH = (5, 3)  # of an access ring on cells of 24 pixels or more; the legend follows
_STATE_COLOURS = (
    (FAINT, FRAME["hatch"]),  # hole
    (PAPER, MUTED),  # inactive, past the end
    (FRAME["bad_fill"], BAD),  # outside
    (FAINT, INK),  # empty field
)


@dataclass
class Block:
    """What a panel adds to the plan, and how high it is."""

    ops: list[Op] = field(default_factory=list)
    height: float = 0
    boxes: list[GridBox] = field(default_factory=list)


def head_height(grid: Grid) -> int:
    """How much stands above the cells: a heading, a row of column headers, both, or nothing?"""
    named = bool(grid.heading or grid.subheading)
    if grid.col_heads or grid.corner:
        return 18 + 17 * named
    return (18 + 3 * bool(grid.rings)) * named  # a ring around the first row would cut the heading's tails


def head_width(grid: Grid) -> int:
    """How wide is the column of row headers?"""
    if not any(grid.row_heads) and not grid.corner:
        return 0
    bold = set(grid.bold_rows)
    small = max(*grid.cell, *grid.row_heights) < 24 if grid.cell else max(grid.shape) > 18
    size = 9 if small else 10.5
    widths = [text_width(t, "bold" if i in bold else "sans", size) for i, t in enumerate(grid.row_heads)]
    return max(22, math.ceil(max([*widths, text_width(grid.corner, "sans", 10.5)]) + 5))


def _sums(gaps: tuple[int, ...], count: int) -> np.ndarray:
    given = np.zeros(count, int)
    given[: len(gaps)] = gaps[:count]
    return np.cumsum(given)


def _right(grid: Grid) -> int:
    """What a panel keeps free right of its cells: padding and brackets."""
    jump = max((13 + round(text_width(j.text, "bold", 11)) for j in grid.jumps), default=0)
    return (9 if grid.padding else 0) + jump


def _cell(grid: Grid, room: float, gaps: int) -> tuple[int, int]:
    rows, cols = grid.shape
    if grid.cell is not None:
        width, height = grid.cell
        width = int(min(width, (room - gaps) // max(cols, 1)))
    else:
        width = height = int(min(SIDE, (room - gaps) // max(cols, 1), TALLEST // max(rows, 1)))
    if width < 1 or height < 1:
        raise CuteLabError(
            f"{rows} x {cols} cells do not fit into a panel {room:.0f} pixels wide; "
            f"show a window of at most {TALLEST // 5} x {int((room - gaps) // 5)} cells"
        )
    return width, height


def plan_grid(grid: Grid, x: float, y: float, width: float, head: int | None = None, left: int | None = None) -> Block:
    """Which operations draw a grid whose panel begins at (x, y)? `head`, `left`: space above and left of the cells."""
    block = Block()
    rows, cols = grid.shape
    head = head_height(grid) if head is None else head
    left = head_width(grid) if left is None else left
    over, down = _sums(grid.col_gap, cols), _sums(grid.row_gap, rows)
    w, h = _cell(grid, width - left - _right(grid), int(over[-1]) if cols else 0)
    heights = np.full(rows, h)
    heights[: len(grid.row_heights)] = grid.row_heights[:rows]
    xs = round(x + left) + np.arange(cols) * w + over
    ys = round(y + head) + np.concatenate([[0], np.cumsum(heights)[:-1]]).astype(int) + down if rows else heights
    gap = 1 if min(w, h) > 3 else 0
    widths = np.full(cols, w - gap)
    if grid.field and grid.field_every:
        widths = np.where((np.arange(cols) + 1) % grid.field_every, w, w - gap)
    right, bottom = (
        (int(xs[-1]) + w, int(ys[-1] + heights[-1])) if rows and cols else (round(x + left), round(y + head))
    )
    _cells(block, grid, xs, ys, widths, heights, (w, gap))
    if grid.padding:
        block.ops.append(Hatch(right, int(ys[0]), 8, bottom - int(ys[0]) - gap))
    _heads(block, grid, x, xs, ys, (w, heights), x + width)
    _marks(block, grid, xs, ys, (w, heights), gap, x + width)
    if grid.axis:
        bottom = _axis(block, xs, widths, w, bottom)
    block.height = bottom - y
    block.boxes.append(GridBox(grid.name, np.stack([xs, xs + w], 1), np.stack([ys, ys + heights], 1), grid.probe))
    return block


def _stripe(banks: np.ndarray) -> np.ndarray:
    """Which colour has each bank of a stripe? There are 32, as in a cell."""
    return banks % (len(scale_colours("bank")) - 1)


def _pairs(grid: Grid) -> tuple[np.ndarray, tuple[tuple[str, str], ...]]:
    """Which (fill, ink) has each cell?"""
    table = scale_colours(grid.scale)
    last = len(table) - 1
    fill = np.where(grid.fill >= 0, grid.fill % last, grid.fill) if grid.scale in ("category", "bank") else grid.fill
    if fill.size and not (fill.min() >= -1 and fill.max() < last):
        raise CuteLabError(
            f"grid {grid.name!r}: the scale {grid.scale!r} has the fills 0 to {last - 1} and -1 for paper; "
            f"got {int(fill.min())} to {int(fill.max())}"
        )
    pair = np.where(fill < 0, last + 4 if grid.field else last, fill)
    if grid.states is not None and grid.states.any():
        for flag, entry in ((OUTSIDE, 3), (INACTIVE | PAST_END, 2), (HOLE, 1)):
            pair = np.where(grid.states & flag, last + entry, pair)
    return pair, table + _STATE_COLOURS


def _cells(block: Block, grid: Grid, xs: Ints, ys: Ints, widths: Ints, heights: Ints, size: tuple[int, int]) -> None:
    w, gap = size
    pair, colours = _pairs(grid)
    if not pair.size:
        return
    starts = np.flatnonzero(np.diff(heights, prepend=-1))
    for first, end in zip(starts, [*starts[1:], len(heights)], strict=True):
        part, height = slice(first, end), int(heights[first])
        foot = stripe_foot(grid, height)
        labels = cell_labels(grid, w, height, foot)
        if len(starts) > 1:
            labels = tuple(replace(lb, texts=lb.texts[part]) for lb in labels)
        states = grid.states[part] if grid.states is not None and grid.states[part].any() else None
        empty = (grid.fill[part] < 0) & (pair[part] == len(colours) - 1) if grid.field else None
        split = grid.second[part] != "" if grid.style == "split" and grid.second is not None else None
        block.ops.append(
            Cells(
                grid.name, xs, ys[part], widths, height - gap, (w, height), pair[part], colours, labels, states,
                _stripe(grid.stripe[part]) if foot and grid.stripe is not None else None, scale_colours("bank"), STRIPE, split, empty,
            )
        )  # fmt: skip


def _heads(block: Block, grid: Grid, x: float, xs: Ints, ys: Ints, cell: tuple[int, Ints], limit: float) -> None:
    (w, heights), say = cell, block.ops.append
    size: float
    if not len(xs) or not len(ys):
        return
    top = int(ys[0])
    if grid.heading or grid.subheading:
        middle = top - (28 if grid.col_heads or grid.corner else head_height(grid) - 9)
        at = float(xs[0])
        if grid.heading:
            text = shorten(grid.heading, "bold", 11.5, limit - at)
            say(Text(at, middle, text, 11.5, "bold", INK, PAPER))
            at += text_width(text, "bold", 11.5) + 8
        size = next((z for z in (11, 10.5, 10) if text_width(grid.subheading, "sans", z) <= limit - at), 10)
        if len(text := shorten(grid.subheading, "sans", size, limit - at)) > 1:
            say(Text(at, middle, text, size, "sans", MUTED, PAPER))
    if grid.corner:
        say(Text(xs[0] - 5, top - 9, grid.corner, 10.5, "sans", MUTED, PAPER, "right"))
    size = 10.5 if w >= 24 else 9
    widest = max((text_width(t, "sans", size) for t in grid.col_heads), default=0)
    step = _step(grid.col_heads, w >= 24, widest + 3, w)
    for j in range(0, min(len(xs), len(grid.col_heads)), step):
        if text := shorten(grid.col_heads[j], "sans", size, limit - x if len(xs) == 1 else step * w):
            at = max(xs[j] + (w - 1) / 2, x + text_width(text, "sans", size) / 2)
            say(Text(at, top - 9, text, size, "sans", MUTED, PAPER, "middle"))
    if grid.padding:
        say(Text(xs[-1] + w + 4, top - 9, f"+{grid.padding}", 9, "sans", MUTED, PAPER, "middle"))
    row = int(heights.max())
    size, bold = 10.5 if row >= 24 or w >= 24 else 9, set(grid.bold_rows)
    step = _step(grid.row_heads, row >= 24 or (w >= 24 and row >= 12), 9, row)
    for i in range(min(len(ys), len(grid.row_heads))):
        if (text := grid.row_heads[i]) and (i % step == 0 or i in bold):
            font, ink = ("bold", INK) if i in bold else ("sans", MUTED)
            text = shorten(text, font, size, xs[0] - 5 - x)
            say(Text(xs[0] - 5, ys[i] + (heights[i] - 1) / 2, text, size, font, ink, PAPER, "right"))


def _step(heads: tuple[str, ...], every: bool, need: float, pitch: float) -> int:
    """Every how many headers is one shown? All, where the scene has left some empty itself."""
    step = 1 if every or "" in heads or len(heads) < 2 else 4
    while step * pitch < need and step < len(heads) and "" not in heads:
        step *= 2
    return step


def _marks(block: Block, grid: Grid, xs: Ints, ys: Ints, size: tuple[int, Ints], gap: int, limit: float) -> None:
    (w, heights), say = size, block.ops.append
    reach = _reach(block, grid, w, gap)
    for ring in sorted(grid.rings, key=lambda r: ("box", "access", "twin", "probe").index(r.kind)):
        if not (0 <= ring.row <= ring.row_end < len(ys) and 0 <= ring.col <= ring.col_end < len(xs)):
            continue
        a, b = int(xs[ring.col]), int(ys[ring.row])
        wide = int(xs[ring.col_end]) + w - gap - a
        high = int(ys[ring.row_end] + heights[ring.row_end]) - gap - b
        if ring.kind == "box":
            say(Frame(a, b, wide, high, INK))
            continue
        big = min(w, int(heights[ring.row])) >= 24
        dash = ACCESS_DASH if ring.kind == "access" and big else (4, 3) if ring.kind == "twin" else None
        most = 2 if ring.kind == "access" else 3
        x, y = (min(most, max(r if ring.kind == "access" else r - 1, 1)) for r in reach)

        def frame(
            dx: int, dy: int, colour: str, thick: int = 1, dash: Dash | None = None, at: Box4 = (a, b, wide, high)
        ) -> None:
            say(Frame(at[0] - dx, at[1] - dy, at[2] + 2 * dx, at[3] + 2 * dy, colour, thick, dash))

        if ring.kind == "access":  # in the gap; the paper line lies on the cells' own edge
            if min(w, int(heights[ring.row])) >= 8 and min(x, y) == most:
                frame(0, 0, PAPER)
        else:
            if min(x, y) > 1:
                frame(x - 2, y - 2, PAPER)
            frame(x + (reach[0] > x), y + (reach[1] > y), PAPER)
            if ring.kind == "probe" and any(r.kind == "twin" for r in grid.rings):
                block.ops += _again(block, grid.name, ring)  # a twin beside it reaches into the probed cell
        if dash:
            frame(x, y, PAPER, 2)
        frame(x, y, INK, 2, dash)
    for note in grid.notes:
        if 0 <= note.row < len(ys) and 0 <= note.col < len(xs):
            font, at = "bold" if note.bold else "sans", int(xs[note.col]) + w + 8
            inside = grid.field and at < xs[-1]
            text = shorten(note.text, font, 10.5, limit - at)
            middle = ys[note.row] + (heights[note.row] - 1) / 2 + note.dy
            say(Text(at, middle, text, 10.5, font, FRAME[note.colour], FAINT if inside else PAPER))
    for box in grid.boxes:
        _box(block, box, xs, ys, w, heights)
    right = int(xs[-1]) + w if len(xs) else 0
    for jump in grid.jumps:
        start, end = (round(ys[r] + heights[r] / 2) for r in (jump.row, jump.row_end))
        low, high = min(start, end), max(start, end)
        say(Fill(right + 2, start - 1, 8, 2, BAD))
        say(Fill(right + 8, low - 1, 2, high - low + 2, BAD))
        say(Fill(right + 6, end - 1, 3, 2, BAD))
        say(Triangle(right + 1, end - 4, 7, 8, BAD, "left"))
        say(Text(right + 14, (start + end) / 2, jump.text, 11, "bold", BAD, PAPER))
    for i, start, end in grid.arrows:
        middle = round(ys[i] + heights[i] / 2)
        a, b = round(xs[start] + w / 2), round(xs[end] + (w if end > start else 0)) - 3
        say(Fill(min(a, b), middle - 1, abs(b - a), 2, INK))
        say(Triangle(b if end > start else b - 7, middle - 5, 7, 8, INK, "right" if end > start else "left"))


def _reach(block: Block, grid: Grid, w: int, gap: int) -> tuple[int, int]:
    """How far may a ring reach beyond its cells, across and down, without covering a neighbour's label? 4 pixels are enough."""
    cells = (op for op in block.ops if isinstance(op, Cells) and op.name == grid.name)
    room = [margins(label, w - gap, op.height) for op in cells for label in op.labels]
    across, down = (
        int(max(0, min([4.0, *(gap + m for m in side)]))) for side in (zip(*room, strict=True) if room else ((), ()))
    )
    return across, down


def _again(block: Block, name: str, ring: Ring) -> list[Op]:
    """The cells inside a ring, once more."""
    first = 0
    for op in [o for o in block.ops if isinstance(o, Cells) and o.name == name]:
        rows = slice(max(ring.row - first, 0), max(ring.row_end + 1 - first, 0))
        cols = slice(ring.col, ring.col_end + 1)
        first += len(op.ys)
        if not op.pair[rows].size:
            continue

        def cut(array: Any, rows: slice = rows, cols: slice = cols) -> Any:
            return None if array is None else array[rows, cols]

        labels = tuple(replace(lb, texts=lb.texts[rows, cols]) for lb in op.labels)
        arrays = {n: cut(getattr(op, n)) for n in ("pair", "states", "stripe", "split", "empty")}
        part = replace(op, name="", xs=op.xs[cols], ys=op.ys[rows], widths=op.widths[cols], labels=labels, **arrays)
        return [part]
    return []


def _box(block: Block, box: Box, xs: Ints, ys: Ints, w: int, heights: Ints) -> None:
    middle = (ys[box.row] + ys[box.row_end] + heights[box.row_end]) / 2
    room = int(xs[-1]) + w - int(xs[0]) - 40
    bold, second = shorten(box.bold, "bold", 11.5, room), shorten(box.second, "sans", 10.5, room)
    wide = max(text_width(bold, "bold", 11.5), text_width(second, "sans", 10.5)) + 32
    high = 34 if second else 20
    centre = (int(xs[0]) + int(xs[-1]) + w) / 2
    a, b = round(centre - wide / 2), round(middle - high / 2)
    block.ops.append(Fill(a, b, round(wide), high, PAPER))
    block.ops.append(Frame(a, b, round(wide), high, BAD))
    block.ops.append(Text(centre, b + 10, bold, 11.5, "bold", BAD, PAPER, "middle"))
    if second:
        block.ops.append(Text(centre, b + 25, second, 10.5, "sans", INK, PAPER, "middle"))


def _axis(block: Block, xs: Ints, widths: Ints, w: int, bottom: int) -> int:
    """Below the cells: a strip of the 32 bank colours, then 0, 8, 16, 24, 31. It returns where it ends."""
    parts = 32 // len(xs) if len(xs) <= 32 and 32 % len(xs) == 0 else 1
    edge = np.round(np.arange(parts + 1) * (w / parts)).astype(int)
    at = (xs[:, None] + edge[:-1]).ravel()
    wide = np.broadcast_to(np.diff(edge), (len(xs), parts)).copy()
    wide[:, -1] -= w - widths
    bank = np.arange(len(at))[None] % 32
    colours = scale_colours("bank")
    block.ops.append(Cells("", at, np.array([bottom + 3]), wide.ravel(), 4, (int(wide.max()), 4), bank, colours))
    for j in (0, 8, 16, 24, 31):
        if j < len(at):
            middle = at[j] + wide.ravel()[j] / 2
            block.ops.append(Text(middle, bottom + 15, str(j), 9, "sans", MUTED, PAPER, "middle"))
    return bottom + 22
