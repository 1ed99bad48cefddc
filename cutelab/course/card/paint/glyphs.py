"""Letters as small arrays of ink: the DejaVu fonts that matplotlib brings, rendered once by Pillow's FreeType.

Ink has four levels, 0 to 3 (none, 1/3, 2/3, full). Sizes in this file are device pixels, except in `text_width`.
Every function is pure and cached; one lock keeps FreeType to one thread at a time. matplotlib itself is not imported: a kernel that
shows live pictures only is a fifth smaller without it.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import accumulate
from operator import sub
from pathlib import Path

import numpy as np
from PIL import ImageFont

from cutelab.core.counting import how_often
from cutelab.course.card.paint.ops import Bytes, Floats, Ints, Words

LOCK = threading.RLock()
"""Held while FreeType or matplotlib works: neither is made for two threads."""

CAP = 0.729
"""Height of a digit or capital of DejaVu, as a part of the type size."""

_FILES = {
    "sans": "DejaVuSans.ttf",
    "bold": "DejaVuSans-Bold.ttf",
    "mono": "DejaVuSansMono.ttf",
    "mono_bold": "DejaVuSansMono-Bold.ttf",
}
_DIGITS = "0123456789"
_LEVELS = (64, 128, 200)  # from which coverage (of 255) on is ink 1, 2, 3: little grey, so that files are small
FINE = 15
"""Type smaller than so many pixels is placed at quarters of a pixel."""
_NEAR, _PLAIN = 80, 110  # coverage that may differ from the level above; in plain ink


_EM = 2048
"""Units of DejaVu's design: at this size an advance is a whole number of pixels, and exact."""


@lru_cache(maxsize=1)
def _folder() -> Path:
    """Where do matplotlib's fonts lie? Beside its code, or where a distribution of Linux has put them."""
    spec = find_spec("matplotlib")
    for home in spec.submodule_search_locations or () if spec else ():
        if (folder := Path(home, "mpl-data", "fonts", "ttf")).is_dir():
            return folder
    import matplotlib

    return Path(matplotlib.get_data_path(), "fonts", "ttf")


@lru_cache(maxsize=64)
def _face(font: str, pixels: float) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(_folder() / _FILES[font], pixels, layout_engine=ImageFont.Layout.BASIC)


def _coverage(font: str, pixels: float, char: str, quarter: int = 0) -> tuple[Bytes, int, int]:
    """Coverage 0 to 255 [y, x] of a character, its first column right of the pen, and its rows above the baseline."""
    with LOCK:
        mask, (left, top) = _face(font, pixels).getmask2(char, "L", anchor="ls", start=(quarter / 4, 0))
        wide, high = mask.size
        image = np.frombuffer(bytes(mask), np.uint8) if wide and high else np.zeros(0, np.uint8)
    return image.reshape(high if image.size else 0, wide), int(left), -int(top)


@lru_cache(maxsize=8)
def _missing(font: str) -> bytes:
    """The box that stands for what a font does not have, as bytes: U+FFFF is no character in any."""
    return _coverage(font, 64, "\uffff")[0].tobytes()


@lru_cache(maxsize=4096)
def code_of(font: str, char: str) -> int:
    """Which code point is drawn for this character? Its own, or that of the sign for what the font does not have.

    >>> code_of("sans", "x") == ord("x"), hex(code_of("mono", "😀"))
    (True, '0xfffd')
    """
    return 0xFFFD if _coverage(font, 64, char)[0].tobytes() == _missing(font) else ord(char)


@lru_cache(maxsize=4096)
def advance(font: str, char: str) -> float:
    """How far does the pen move for one character, as a part of the type size?

    >>> round(advance("mono", "x"), 3)
    0.602
    """
    with LOCK:
        return _face(font, _EM).getlength(chr(code_of(font, char))) / _EM


@lru_cache(maxsize=4096)
def text_width(text: str, font: str, size: float) -> float:
    """How wide is a line of text, in the unit of `size`?"""
    return sum(advance(font, c) for c in text) * size


@lru_cache(maxsize=4096)
def shorten(text: str, font: str, size: float, room: float) -> str:
    """What of a text fits into `room`? The text itself, or its beginning with an ellipsis.

    >>> shorten("128 bytes a row", "sans", 10, 1000), shorten("128 bytes a row", "sans", 10, 50)
    ('128 bytes a row', '128 byt…')
    """
    if text_width(text, font, size) <= room:
        return text
    kept, used = 0, advance(font, "…") * size
    for kept, char in enumerate(text):  # noqa: B007
        used += advance(font, char) * size
        if used > room:
            break
    return text[:kept].rstrip() + "…" if kept else ""


@dataclass(frozen=True, eq=False)
class Ink:
    """Ink of a glyph or a line: levels 0 to 3 [y, x]; `left` from the pen to its first column, `top` rows above the baseline."""

    levels: Bytes
    left: int
    top: int

    @cached_property
    def spots(self) -> tuple[Ints, Ints, Bytes]:
        """Where is ink at all: y and x of these pixels, and their levels."""
        y, x = np.nonzero(self.levels)
        return y, x, self.levels[y, x]

    @cached_property
    def _places(self) -> dict[int, Ints]:
        return {}

    def places(self, across: int) -> Ints:
        """Where are the spots in a sheet so many pixels wide, counted line by line from the ink's upper left corner?"""
        if across not in self._places:
            y, x, _ = self.spots
            self._places[across] = y * across + x
        return self._places[across]


def _quantise(image: Bytes, most: int) -> Bytes:
    """Four levels of ink. Where the level of the pixel above is near enough it stays: lines that repeat make small files."""
    levels = np.digitize(image, _LEVELS).astype(np.uint8)
    for above, level, coverage in zip(levels, levels[1:], image[1:].astype(int), strict=False):
        near = np.abs(coverage - 85 * above.astype(int)) <= most
        np.copyto(level, above, where=near)
    return levels


@lru_cache(maxsize=8192)
def glyph_ink(char: str, font: str, pixels: float, quarter: int = 0, plain: bool = False) -> Ink:
    """What does one character look like at this size? `quarter`: it begins so many quarters of a pixel right of the pen.

    `plain`: fewer shades of grey, for a thousand small labels at two pixels a CSS pixel, where they cost bytes and are not seen.

    Type below `FINE` pixels is hinted in height only and may begin at any quarter: whole pixels would tear its words apart.
    """
    image, left, top = _coverage(font, pixels, chr(code_of(font, char)), quarter if pixels < FINE else 0)
    levels = _quantise(image[:0, :0] if char.isspace() else image, _PLAIN if plain and pixels < FINE else _NEAR)
    levels.flags.writeable = False
    return Ink(levels, left, top)


class _Slots(dict[tuple[str, int, int], Bytes]):
    """(Character, quarter, width) -> its ink in a slot that begins `lead` columns left of the pen. Slots are equally high."""

    def __init__(self, font: str, pixels: float) -> None:
        super().__init__()
        self.font, self.pixels = font, pixels
        self.steps: dict[str, float] = {}
        self.top, self.foot, self.lead = math.ceil(1.1 * pixels), math.ceil(0.4 * pixels), math.ceil(0.08 * pixels)

    def step(self, char: str) -> float:
        """How far does the pen move, in pixels?"""
        if char not in self.steps:
            self.steps[char] = advance(self.font, char) * self.pixels
        return self.steps[char]

    def __missing__(self, key: tuple[str, int, int]) -> Bytes:
        char, quarter, wide = key
        ink = glyph_ink(char, self.font, self.pixels, quarter)
        slot = np.zeros((self.top + self.foot, wide), np.uint8)
        y, x = max(self.top - ink.top, 0), max(self.lead + ink.left, 0)
        part = slot[y : y + ink.levels.shape[0], x : x + ink.levels.shape[1]]
        part[...] = ink.levels[: part.shape[0], : part.shape[1]]
        self[key] = slot
        return slot


@lru_cache(maxsize=64)
def _slots(font: str, pixels: float) -> _Slots:
    return _Slots(font, pixels)


@lru_cache(maxsize=4096)
def line_ink(text: str, font: str, pixels: float) -> Ink:
    """What does a line of text look like at this size? Its characters side by side, each as near to its place as may be.

    A letter may reach over its neighbour's edge, so every other one is laid down in a layer of its own.
    """
    slots, per = _slots(font, pixels), 4 if pixels < FINE else 1
    places = [round(pen * per) for pen in accumulate(map(slots.step, text), initial=0.0)]
    pens, parts = (places, [0] * len(places)) if per == 1 else ([p // 4 for p in places], [p % 4 for p in places])
    end = pens[-1] + 2 * slots.lead
    layers = []
    for first in (0, 1):
        starts = [*pens[first:-1:2], end]
        keys = zip(text[first::2], parts[first::2], map(sub, starts[1:], starts), strict=False)
        before = np.zeros((slots.top + slots.foot, starts[0]), np.uint8)
        layers.append(np.concatenate([before, *map(slots.__getitem__, keys)], axis=1))
    levels = np.maximum(*layers)
    levels.flags.writeable = False
    seen = [i for i, char in enumerate(text) if not char.isspace()]
    if not seen:
        return Ink(levels[:, :0], 0, slots.top)
    ends = [(pens[i], glyph_ink(text[i], font, pixels, parts[i])) for i in (seen[0], seen[-1])]
    left, right = ends[0][0] + ends[0][1].left, ends[1][0] + ends[1][1].left + ends[1][1].levels.shape[1]
    rows = np.flatnonzero(levels.any(1))
    top, foot = (int(rows[0]), int(rows[-1]) + 1) if rows.size else (0, 0)
    return Ink(levels[top:foot, left + slots.lead : right + slots.lead], left, slots.top - top)


@dataclass(frozen=True, eq=False)
class Sheet:
    """Glyphs of one size on one baseline: `levels` (glyph, y, x), whole-pixel `advance`, `index` from code point to glyph.

    Glyph 0 is empty and as wide as nothing: the padding of numpy strings. The pen stands `lead` columns right of a bitmap's first.
    """

    levels: Bytes
    advance: Ints
    index: Ints
    top: int
    lead: int


def charset(codes: Ints) -> str:
    """Which characters must a sheet hold for these code points? The digits, and what else occurs.

    >>> charset(code_points(np.array(["T1", "T2"])))
    '0123456789T'
    """
    if not codes.size:
        return _DIGITS
    found = np.flatnonzero(how_often(codes.ravel())).tolist()
    return _DIGITS + "".join(c for c in map(chr, found) if c not in _DIGITS and c != "\0")


@lru_cache(maxsize=64)
def sheet(font: str, pixels: float, chars: str, plain: bool = False) -> Sheet:
    """All these characters at one size, ready to be stamped side by side."""
    inks = [glyph_ink(c, font, pixels, 0, plain) for c in chars]
    top = max(i.top for i in inks)
    bottom = max(i.levels.shape[0] - i.top for i in inks)
    lead = max(0, *(-i.left for i in inks))
    width = max(lead + i.left + i.levels.shape[1] for i in inks)
    levels = np.zeros((len(chars) + 1, top + bottom, width), np.uint8)
    for n, ink in enumerate(inks, 1):
        y, x = top - ink.top, lead + ink.left
        levels[n, y : y + ink.levels.shape[0], x : x + ink.levels.shape[1]] = ink.levels
    index = np.zeros(max(map(ord, chars)) + 1, np.intp)
    index[[ord(c) for c in chars]] = np.arange(1, len(chars) + 1)
    steps = np.array([0] + [max(1, round(advance(font, c) * pixels)) for c in chars])
    return Sheet(levels, steps, index, top, lead)


@lru_cache(maxsize=64)
def advances(font: str, chars: str) -> Floats:
    """The advance of each code point, as a part of the type size; 0 for those not in `chars`."""
    table = np.zeros(max(map(ord, chars)) + 1)
    table[[ord(c) for c in chars]] = [advance(font, c) for c in chars]
    table.flags.writeable = False
    return table


def code_points(labels: Words) -> Ints:
    """The characters of an array of strings as numbers: shape (labels, longest), 0 where a label has ended.

    >>> code_points(np.array(["T1", "7"])).tolist()
    [[84, 49], [55, 0]]
    """
    labels = np.ascontiguousarray(labels, dtype=np.str_)
    if labels.dtype.itemsize == 0 or labels.size == 0:
        return np.zeros((labels.size, 0), np.uint32)
    return labels.reshape(-1, 1).view(np.uint32)
