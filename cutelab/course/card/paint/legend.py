"""The legend: one entry for each key that the picture names, in rows that do not run over the card's edge."""

from __future__ import annotations

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint.glyphs import shorten, text_width
from cutelab.course.card.paint.ops import Cells, Fill, Frame, Hatch, Ints, Label, Text, Triangle
from cutelab.course.card.paint.palette import FRAME, fill_and_ink, scale_colours
from cutelab.course.card.paint.plan_grid import ACCESS_DASH, Block
from cutelab.course.card.picture import Key

_WIDTHS = {"ramp": 56, "banks": 32 * 15, "stripe": 24}
_BETWEEN = 18


def plan_legend(keys: tuple[Key, ...], x: float, y: float, right: float, dashed: bool = False) -> Block:
    """Which operations draw the legend from (x, y), and how high is it? Rows are 18 pixels high.

    dashed: are the picture's access rings dashed? Then so is their swatch.
    """
    block, at, top, after = Block(), x, y, ""
    for key in keys:
        swatch = _name_width(key) * len(key.names) if key.kind == "names" else _WIDTHS.get(key.kind, 14)
        text = shorten(key.text, "sans", 11, right - x - swatch - 6)
        wide = swatch + 6 + text_width(text, "sans", 11)
        if at > x and (at + wide > right or after == "banks"):
            at, top = x, top + 19
        _swatch(block, key, round(at), round(top + 2), dashed)
        block.ops.append(Text(at + swatch + 6, top + 9, text, 11, "sans", FRAME["muted"], FRAME["paper"]))
        at, after = at + wide + _BETWEEN, key.kind
    block.height = top - y + 18
    return block


def _name_width(key: Key) -> int:
    """How wide is each small cell of a legend that names its colours?"""
    return 5 + max(10, *(round(text_width(name, "sans", 8.5)) for name in key.names))


def _swatch(block: Block, key: Key, x: int, y: int, dashed: bool) -> None:
    say, ink, hatch = block.ops.append, FRAME["ink"], FRAME["hatch"]
    if key.kind == "fill":
        say(Fill(x, y, 14, 14, fill_and_ink(key.scale, key.fill)[0]))
    elif key.kind == "ramp":
        edges = np.round(np.linspace(0, 56, 33)).astype(int)
        _row(block, "offset", x + edges[:-1], np.diff(edges), y + 1, 12, np.arange(32))
    elif key.kind == "banks":
        at = x + 15 * np.arange(32)
        texts = np.arange(32).astype(np.str_)[None]
        labels = (Label(texts, "sans", 8.5, 7, 7),)
        _row(block, "bank", at, np.full(32, 14), y, 14, np.arange(32), labels, 15)
    elif key.kind == "names":
        wide, fills = _name_width(key), key.fill + np.arange(len(key.names))
        labels = (Label(np.array([key.names], np.str_), "sans", 8.5, (wide - 1) / 2, 7),)
        if key.scale == "category":
            fills %= len(scale_colours("category")) - 1
        _row(
            block,
            key.scale,
            x + wide * np.arange(len(fills)),
            np.full(len(fills), wide - 1),
            y,
            14,
            fills,
            labels,
            wide,
        )
    elif key.kind == "stripe":
        _row(block, "bank", x + 6 * np.arange(4), np.full(4, 6), y + 4, 6, 16 + np.arange(4))
    elif key.kind == "hole":
        say(Hatch(x, y, 14, 14))
    elif key.kind == "collision":
        say(Fill(x, y, 14, 14, fill_and_ink("offset", 12)[0]))
        say(Frame(x, y, 14, 14, FRAME["mark"]))
        say(Triangle(x + 8, y, 6, 6, FRAME["mark"]))
    elif key.kind == "outside":
        say(Fill(x, y, 14, 14, FRAME["bad_fill"]))
        say(Frame(x, y, 14, 14, FRAME["bad"], 1.5, (4, 3)))
    elif key.kind in ("inactive", "past_end"):
        say(Frame(x, y, 14, 14, hatch, 1, (2, 2)))
        if key.kind == "inactive":
            say(Fill(x + 3, y + 7, 8, 1, FRAME["muted"]))
    elif key.kind == "probe":
        say(Frame(x, y, 14, 14, ink, 2))
    elif key.kind == "twin":
        say(Frame(x, y, 14, 14, ink, 2, (4, 3)))
    elif key.kind == "access":
        say(Frame(x + 2, y, 10, 14, ink, 2, ACCESS_DASH if dashed else None))
    else:
        raise CuteLabError(
            f"there is no legend entry of kind {key.kind!r}; use fill, names, ramp, banks, hole, collision, outside, "
            "inactive, past_end, probe, twin, access or stripe"
        )


def _row(
    block: Block,
    scale: str,
    at: Ints,
    wide: Ints,
    y: int,
    high: int,
    fills: Ints,
    labels: tuple[Label, ...] = (),
    pitch: int = 0,
) -> None:
    pitch = pitch or int(wide.max())
    block.ops.append(Cells("", at, np.array([y]), wide, high, (pitch, high), fills[None], scale_colours(scale), labels))
