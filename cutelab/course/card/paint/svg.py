"""A plan as an SVG file: text stays text, cells of one colour are one path. A thousand numbered cells are about 80 KB."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import numpy as np

from cutelab.course.card.paint.canvas import HATCH
from cutelab.course.card.paint.glyphs import CAP
from cutelab.course.card.paint.ops import Bools, Cells, Fill, Frame, Hatch, Ints, Op, Plan, Text, Triangle
from cutelab.course.card.paint.palette import FRAME
from cutelab.course.card.paint.stamp_cells import corner_side
from cutelab.course.card.picture import COLLISION, HOLE, INACTIVE, OUTSIDE, PAST_END

_FONTS = {
    "sans": 'font-family="DejaVu Sans,Verdana,sans-serif"',
    "bold": 'font-family="DejaVu Sans,Verdana,sans-serif" font-weight="bold"',
    "mono": 'font-family="DejaVu Sans Mono,Consolas,monospace"',
    "mono_bold": 'font-family="DejaVu Sans Mono,Consolas,monospace" font-weight="bold"',
}
_ANCHOR = {"left": "", "middle": ' text-anchor="middle"', "right": ' text-anchor="end"'}
_HATCH = (
    f'<pattern id="hatch" width="{HATCH}" height="{HATCH}" patternUnits="userSpaceOnUse">'
    f'<path d="M-1 1l2-2M0 {HATCH}l{HATCH}-{HATCH}M{HATCH - 1} {HATCH + 1}l2-2" stroke="{FRAME["hatch"]}"/></pattern>'
)


def write(made: Plan, title: str, words: str) -> bytes:
    """Which SVG file shows this plan? `title` and `words` are what a screen reader says."""
    frame = Frame(0, 0, made.width, made.height, FRAME["rule"])
    paper = Fill(0, 0, made.width, made.height, FRAME["paper"])
    parts = [part for op in (paper, *made.ops, frame) for part in _WRITERS[type(op)](op)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{made.width}" height="{made.height}" '
        f'viewBox="0 0 {made.width} {made.height}" role="img" xml:space="preserve">'
    )
    names = f"<title>{escape(title)}</title><desc>{escape(words)}</desc><defs>{_HATCH}</defs>"
    return "\n".join(('<?xml version="1.0" encoding="UTF-8"?>', head, names, *parts, "</svg>\n")).encode()


def _n(value: float) -> str:
    return f"{round(float(value), 2):g}"


def _rects(x: Any, y: Any, w: Any, h: Any) -> str:
    """Rectangles as one path."""
    sides = np.broadcast_arrays(*(np.round(np.asarray(v, float), 2) for v in (x, y, w, h)))
    return "".join(
        f"M{a:g} {b:g}h{c:g}v{d:g}h{-c:g}z" for a, b, c, d in zip(*(s.ravel().tolist() for s in sides), strict=True)
    )


def _fill(op: Fill) -> Iterable[str]:
    yield f'<rect x="{_n(op.x)}" y="{_n(op.y)}" width="{_n(op.w)}" height="{_n(op.h)}" fill="{op.colour}"/>'


def _stroke(colour: str, width: float, dash: tuple[float, float] | None) -> str:
    dashes = f' stroke-dasharray="{_n(dash[0])} {_n(dash[1])}"' if dash else ""
    return f'fill="none" stroke="{colour}" stroke-width="{_n(width)}"{dashes}'


def _frame(op: Frame) -> Iterable[str]:
    t = op.width
    yield f'<path d="{_rects(op.x + t / 2, op.y + t / 2, op.w - t, op.h - t)}" {_stroke(op.colour, t, op.dash)}/>'


def _hatch(op: Hatch) -> Iterable[str]:
    path = _rects(op.x, op.y, op.w, op.h)
    yield f'<path d="{path}" fill="{FRAME["faint"]}"/><path d="{path}" fill="url(#hatch)"/>'


def _text(op: Text) -> Iterable[str]:
    if op.text.strip():
        baseline = op.y + CAP * op.size / 2
        yield (
            f'<text x="{_n(op.x)}" y="{_n(baseline)}" font-size="{_n(op.size)}" {_FONTS[op.font]} fill="{op.ink}"'
            f"{_ANCHOR[op.align]}>{escape(op.text, quote=False)}</text>"
        )


def _triangle(op: Triangle) -> Iterable[str]:
    x, y, right, foot = op.x, op.y, op.x + op.w, op.y + op.h
    middle = (y + foot) / 2
    corners = {
        "corner": ((x, y), (right, y), (right, foot)),
        "left": ((x, middle), (right, y), (right, foot)),
        "right": ((right, middle), (x, y), (x, foot)),
    }[op.toward]
    path = "L".join(f"{_n(a)} {_n(b)}" for a, b in corners)
    yield f'<path d="M{path}z" fill="{op.colour}"/>'


def _cells(op: Cells) -> Iterable[str]:
    rows, cols = op.pair.shape
    if not rows or not cols:
        return
    left, top = np.broadcast_to(op.xs, (rows, cols)), np.broadcast_to(op.ys[:, None], (rows, cols))
    wide = np.broadcast_to(op.widths, (rows, cols))
    high = np.full((rows, cols), op.height)
    if op.empty is not None and rows > 1:  # a chart's field has no lines between its rows
        joined = op.empty[:-1] & op.empty[1:] & (np.diff(op.ys) == op.pitch[1])[:, None]
        high[:-1][joined] = op.pitch[1]
    fills = np.array([fill for fill, _ in op.colours])[op.pair]
    for colour in dict.fromkeys(fills.ravel().tolist()):
        here = fills == colour
        yield f'<path d="{_rects(left[here], top[here], wide[here], high[here])}" fill="{colour}"/>'
    if op.stripe is not None:
        k = op.stripe.shape[2]
        colours = np.array([fill for fill, _ in op.stripe_colours])[op.stripe]
        at = left[..., None] + wide[..., None] * np.arange(k) / k
        low = np.broadcast_to((top + op.height - op.stripe_height)[..., None], at.shape)
        parts = np.broadcast_to((wide / k)[..., None], at.shape)
        for colour in dict.fromkeys(colours.ravel().tolist()):
            here = colours == colour
            yield f'<path d="{_rects(at[here], low[here], parts[here], op.stripe_height)}" fill="{colour}"/>'
    for label in op.labels:
        inks = np.array([ink for _, ink in op.colours])[op.pair]
        baseline = label.middle + CAP * label.size / 2
        for ink in dict.fromkeys(inks.ravel().tolist()):
            here = (label.texts != "") & (inks == ink)
            if here.any():
                yield f'<g font-size="{_n(label.size)}" {_FONTS[label.font]} fill="{ink}"{_ANCHOR[label.align]}>'
                yield "".join(
                    f'<text x="{x:g}" y="{y:g}">{escape(text, quote=False)}</text>'
                    for x, y, text in zip(
                        np.round(left[here] + label.x, 2).tolist(),
                        np.round(top[here] + baseline, 2).tolist(),
                        label.texts[here].tolist(),
                        strict=True,
                    )
                )
                yield "</g>"
    if op.states is not None:
        yield from _states(op, op.states, left, top, wide)


def _states(op: Cells, states: Ints, left: Ints, top: Ints, wide: Ints) -> Iterable[str]:
    split = np.zeros(states.shape, bool) if op.split is None else op.split
    clash, high = (states & COLLISION) > 0, op.height

    def frames(
        here: Bools, colour: str, t: float, dash: Any = None, down: float = 0, tall: float = high
    ) -> Iterable[str]:
        if here.any():
            path = _rects(left[here] + t / 2, top[here] + down + t / 2, wide[here] - t, tall - t)
            yield f'<path d="{path}" {_stroke(FRAME[colour], t, dash)}/>'

    hole = (states & HOLE) > 0
    if hole.any():
        yield f'<path d="{_rects(left[hole], top[hole], wide[hole], high)}" fill="url(#hatch)"/>'
    yield from frames((states & (INACTIVE | PAST_END)) > 0, "hatch", 1, (2, 2))
    off = (states & INACTIVE) > 0
    if off.any():
        path = _rects(left[off] + wide[off] / 5, top[off] + high / 2 - 0.5, wide[off] * 3 / 5, 1)
        yield f'<path d="{path}" fill="{FRAME["muted"]}"/>'
    yield from frames((states & OUTSIDE) > 0, "bad", 1.5, (4, 3))
    yield from frames(clash & ~split, "mark", 1)
    yield from frames(clash & split, "mark", 1, tall=high / 2 + 0.5)
    yield from frames(clash & split, "mark", 1, down=high / 2 - 0.5, tall=high / 2 + 0.5)
    one = clash & ~split
    if one.any():
        side = corner_side(int(op.widths.min()), high)
        ends = zip((left[one] + wide[one] - side).tolist(), top[one].tolist(), strict=True)
        path = "".join(f"M{x:g} {y:g}h{side}v{side}z" for x, y in ends)
        yield f'<path d="{path}" fill="{FRAME["mark"]}"/>'


_WRITERS: dict[type[Op], Callable[[Any], Iterable[str]]] = {
    Fill: _fill,
    Frame: _frame,
    Hatch: _hatch,
    Text: _text,
    Triangle: _triangle,
    Cells: _cells,
}
