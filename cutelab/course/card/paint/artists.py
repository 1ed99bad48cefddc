"""The plan's operations as matplotlib artists: true text, one collection for all cells of a grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Polygon, Rectangle
from matplotlib.text import Text as MplText

from cutelab.course.card.paint.canvas import HATCH
from cutelab.course.card.paint.glyphs import CAP
from cutelab.course.card.paint.ops import Bools, Cells, Dash, Fill, Floats, Frame, Hatch, Ints, Op, Text, Triangle
from cutelab.course.card.paint.palette import FRAME
from cutelab.course.card.paint.stamp_cells import corner_side
from cutelab.course.card.picture import COLLISION, HOLE, INACTIVE, OUTSIDE, PAST_END

_ALIGN = {"left": "left", "middle": "center", "right": "right"}


def add_ops(ax: Axes, ops: tuple[Op, ...], points: float) -> tuple[Artist, ...]:
    """Which artists draw these operations? They are added to `ax`; `points` is the length of a CSS pixel there."""
    made: list[Artist] = []
    for order, op in enumerate(ops):
        for artist in _MAKERS[type(op)](op, points):
            artist.set_zorder(1 + order / 1000)
            if isinstance(artist, PolyCollection | LineCollection):
                ax.add_collection(artist, autolim=False)
            else:
                ax.add_artist(artist)
            made.append(artist)
    return tuple(made)


def _font(font: str) -> FontProperties:
    family = "DejaVu Sans Mono" if font.startswith("mono") else "DejaVu Sans"
    return FontProperties(family=family, weight="bold" if font.endswith("bold") else "normal")


def _text(op: Text, points: float) -> list[Artist]:
    return [_words(op.x, op.y, op.text, op.size, _font(op.font), op.ink, op.align, points)] if op.text else []


def _words(
    x: float, y: float, text: str, size: float, font: FontProperties, ink: str, align: str, points: float
) -> MplText:
    baseline = y + CAP * size / 2
    return MplText(
        x, baseline, text, color=ink, fontproperties=font, fontsize=size * points, ha=_ALIGN[align],
        va="baseline", parse_math=False,
    )  # fmt: skip


def _fill(op: Fill, points: float) -> list[Artist]:
    return [Rectangle((op.x, op.y), op.w, op.h, facecolor=op.colour, edgecolor="none")]


def _line_style(width: float, dash: tuple[float, float] | None, points: float) -> dict[str, Any]:
    style: dict[str, Any] = {"linewidth": width * points}
    if dash:
        style["linestyle"] = (0, (dash[0] / width, dash[1] / width))
    return style


def _frame(op: Frame, points: float) -> list[Artist]:
    t = op.width
    style = _line_style(t, op.dash, points)
    corner, size = (op.x + t / 2, op.y + t / 2), (op.w - t, op.h - t)
    return [
        Rectangle(corner, *size, facecolor="none", edgecolor=op.colour, joinstyle="miter", capstyle="butt", **style)
    ]


def _triangle(op: Triangle, points: float) -> list[Artist]:
    x, y, right, foot = op.x, op.y, op.x + op.w, op.y + op.h
    corners = {
        "corner": ((x, y), (right, y), (right, foot)),
        "left": ((x, (y + foot) / 2), (right, y), (right, foot)),
        "right": ((right, (y + foot) / 2), (x, y), (x, foot)),
    }[op.toward]
    return [Polygon(corners, closed=True, facecolor=op.colour, edgecolor="none")]


def hatch_lines(left: Any, top: Any, right: Any, foot: Any) -> Any:
    """Which 45 degree segments (n, 2, 2) hatch these rectangles? The lines run on from one to the next."""
    first, last = np.floor((left + top) / HATCH), np.ceil((right + foot) / HATCH)
    most = int((last - first).max()) + 1 if len(first) else 0
    sums = (first[:, None] + np.arange(most)) * HATCH + 0.5
    x0 = np.maximum(left[:, None], sums - foot[:, None])
    x1 = np.minimum(right[:, None], sums - top[:, None])
    seen = x1 > x0
    x0, x1, sums = x0[seen], x1[seen], sums[seen]
    return np.stack([np.stack([x0, sums - x0], -1), np.stack([x1, sums - x1], -1)], 1)


def _hatch(op: Hatch, points: float) -> list[Artist]:
    edges = (np.array([v], float) for v in (op.x, op.y, op.x + op.w, op.y + op.h))
    ground = Rectangle((op.x, op.y), op.w, op.h, facecolor=FRAME["faint"], edgecolor="none")
    return [ground, LineCollection(hatch_lines(*edges), colors=FRAME["hatch"], linewidths=points)]


def rectangles(left: Any, top: Any, right: Any, foot: Any) -> Any:
    """The corners (n, 4, 2) of rectangles, from the upper left one."""
    x, y = np.stack([left, right, right, left], -1), np.stack([top, top, foot, foot], -1)
    return np.stack([x, y], -1)


def _cells(op: Cells, points: float) -> list[Artist]:
    rows, cols = op.pair.shape
    if not rows or not cols:
        return []
    left = np.broadcast_to(op.xs, (rows, cols)).ravel().astype(float)
    top = np.repeat(op.ys, cols).astype(float)
    right = left + np.broadcast_to(op.widths, (rows, cols)).ravel()
    foot = top + op.height
    colours = np.array([fill for fill, _ in op.colours])[op.pair.ravel()]
    if op.empty is not None and rows > 1:
        below = np.zeros((rows, cols), bool)
        below[:-1] = op.empty[:-1] & op.empty[1:] & (np.diff(op.ys) == op.pitch[1])[:, None]
        foot = np.where(below.ravel(), top + op.pitch[1], foot)
    made: list[Artist] = [
        PolyCollection(rectangles(left, top, right, foot), facecolors=list(colours), edgecolors="none")
    ]
    if op.stripe is not None:
        made.append(_stripe(op, op.stripe, left, right, foot))
    for label in op.labels:
        font = _font(label.font)
        texts, inks = label.texts.ravel(), op.pair.ravel()
        for n in np.flatnonzero(texts != "").tolist():
            x, y, ink = left[n] + label.x, top[n] + label.middle, op.colours[inks[n]][1]
            made.append(_words(x, y, str(texts[n]), label.size, font, ink, label.align, points))
    if op.states is not None:
        made += _states(op, op.states, left, top, right, top + op.height, points)
    return made


def _stripe(op: Cells, stripe: Ints, left: Floats, right: Floats, foot: Floats) -> Artist:
    k = stripe.shape[2]
    at = left[:, None] + (right - left)[:, None] * np.arange(k + 1) / k
    low = np.repeat(foot, k)
    corners = rectangles(at[:, :-1].ravel(), low - op.stripe_height, at[:, 1:].ravel(), low)
    colours = np.array([fill for fill, _ in op.stripe_colours])[stripe.ravel()]
    return PolyCollection(corners, facecolors=list(colours), edgecolors="none")


def _states(
    op: Cells, given: Ints, left: Floats, top: Floats, right: Floats, foot: Floats, points: float
) -> list[Artist]:
    states, made = given.ravel(), list[Artist]()
    split = np.zeros(len(states), bool) if op.split is None else op.split.ravel()

    def frames(
        which: Bools, colour: str, width: float, dash: Dash | None = None, a: Floats = top, b: Floats = foot
    ) -> None:
        if which.any():
            t = width / 2
            corners = rectangles((left + t)[which], (a + t)[which], (right - t)[which], (b - t)[which])
            style = {k + "s": v for k, v in _line_style(width, dash, points).items()}
            made.append(PolyCollection(corners, facecolors="none", edgecolors=FRAME[colour], **style))

    hole = (states & HOLE) > 0
    if hole.any():
        lines = hatch_lines(left[hole], top[hole], right[hole], foot[hole])
        made.append(LineCollection(lines, colors=FRAME["hatch"], linewidths=points))
    frames((states & (INACTIVE | PAST_END)) > 0, "hatch", 1, (2, 2))
    off = (states & INACTIVE) > 0
    if off.any():
        middle, fifth = ((top + foot) / 2)[off], ((right - left) / 5)[off]
        ends = np.stack([left[off] + fifth, middle], -1), np.stack([right[off] - fifth, middle], -1)
        made.append(LineCollection(list(np.stack(ends, 1)), colors=FRAME["muted"], linewidths=points))
    frames((states & OUTSIDE) > 0, "bad", 1.5, (4, 3))
    clash = (states & COLLISION) > 0
    frames(clash & ~split, "mark", 1)
    frames(clash & split, "mark", 1, b=(top + foot) / 2 + 0.5)
    frames(clash & split, "mark", 1, a=(top + foot) / 2 - 0.5)
    one = clash & ~split
    if one.any():
        side = corner_side(int(op.widths.min()), op.height)
        x, y = right[one], top[one]
        corners = [np.stack(p, -1) for p in ((x - side, y), (x, y), (x, y + side))]
        made.append(PolyCollection(list(np.stack(corners, 1)), facecolors=FRAME["mark"], edgecolors="none"))
    return made


_MAKERS: dict[type[Op], Callable[[Any, float], list[Artist]]] = {
    Fill: _fill,
    Frame: _frame,
    Hatch: _hatch,
    Text: _text,
    Triangle: _triangle,
    Cells: _cells,
}
