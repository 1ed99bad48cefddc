"""Letters as small arrays of ink: matplotlib's own DejaVu fonts, rendered once by FreeType.

Ink has four levels, 0 to 3 (none, 1/3, 2/3, full). Sizes in this file are device pixels, except in `text_width`.
Every function is pure and cached; one lock keeps FreeType to one thread at a time.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.ft2font import FT2Font

LOCK = threading.RLock()
"""Held while matplotlib or FreeType works: neither is made for two threads."""

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
_NEAR = 80  # coverage that may differ from the level above


@lru_cache(maxsize=8)
def _face(font: str) -> FT2Font:
    return FT2Font(str(Path(matplotlib.get_data_path(), "fonts", "ttf", _FILES[font])))


@lru_cache(maxsize=4096)
def advance(font: str, char: str) -> float:
    """How far does the pen move for one character, as a part of the type size?

    >>> round(advance("mono", "x"), 3)
    0.602
    """
    with LOCK:
        face = _face(font)
        face.set_size(64, 72)
        return face.load_char(ord(char)).linearHoriAdvance / 65536 / 64


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

    levels: np.ndarray
    left: int
    top: int


def _quantise(image: np.ndarray) -> np.ndarray:
    """Four levels of ink. Where the level of the pixel above is near enough it stays: lines that repeat make small files."""
    levels = np.digitize(image, _LEVELS).astype(np.uint8)
    for above, level, coverage in zip(levels, levels[1:], image[1:].astype(int), strict=False):
        near = np.abs(coverage - 85 * above.astype(int)) <= _NEAR
        np.copyto(level, above, where=near)
    return levels


@lru_cache(maxsize=8192)
def glyph_ink(char: str, font: str, pixels: float) -> Ink:
    """What does one character look like at this size?"""
    with LOCK:
        face = _face(font)
        face.set_size(pixels, 72)
        face.set_text(char)
        face.draw_glyphs_to_bitmap(antialiased=True)
        image = np.array(face.get_image())
        left, descent = face.get_bitmap_offset()[0] / 64, face.get_descent() / 64
    if char.isspace():
        image = image[:0, :0]
    levels = _quantise(image)
    levels.flags.writeable = False
    return Ink(levels, round(left), levels.shape[0] - round(descent))


@lru_cache(maxsize=4096)
def line_ink(text: str, font: str, pixels: float) -> Ink:
    """What does a line of text look like at this size? Its characters side by side, each at the nearest whole pixel."""
    inks = [glyph_ink(c, font, pixels) for c in text]
    pens = np.round(np.cumsum([0.0] + [advance(font, c) * pixels for c in text])).astype(int).tolist()
    seen = [(i, x + i.left) for i, x in zip(inks, pens, strict=False) if i.levels.size]
    if not seen:
        return Ink(np.zeros((0, 0), np.uint8), 0, 0)
    left, right = min(x for _, x in seen), max(x + i.levels.shape[1] for i, x in seen)
    top, foot = max(i.top for i, _ in seen), max(i.levels.shape[0] - i.top for i, _ in seen)
    levels = np.zeros((top + foot, right - left), np.uint8)
    for ink, x in seen:
        high, wide = ink.levels.shape
        part = levels[top - ink.top : top - ink.top + high, x - left : x - left + wide]
        np.maximum(part, ink.levels, out=part)
    levels.flags.writeable = False
    return Ink(levels, left, top)


@dataclass(frozen=True, eq=False)
class Sheet:
    """Glyphs of one size on one baseline: `levels` (glyph, y, x), whole-pixel `advance`, `index` from code point to glyph.

    Glyph 0 is empty and as wide as nothing: the padding of numpy strings. The pen stands `lead` columns right of a bitmap's first.
    """

    levels: np.ndarray
    advance: np.ndarray
    index: np.ndarray
    top: int
    lead: int


def charset(codes: np.ndarray) -> str:
    """Which characters must a sheet hold for these code points? The digits, and what else occurs.

    >>> charset(code_points(np.array(["T1", "T2"])))
    '0123456789T'
    """
    if not codes.size:
        return _DIGITS
    found = np.flatnonzero(np.bincount(codes.ravel())).tolist()
    return _DIGITS + "".join(c for c in map(chr, found) if c not in _DIGITS and c != "\0")


@lru_cache(maxsize=64)
def sheet(font: str, pixels: float, chars: str) -> Sheet:
    """All these characters at one size, ready to be stamped side by side."""
    inks = [glyph_ink(c, font, pixels) for c in chars]
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
def advances(font: str, chars: str) -> np.ndarray:
    """The advance of each code point, as a part of the type size; 0 for those not in `chars`."""
    table = np.zeros(max(map(ord, chars)) + 1)
    table[[ord(c) for c in chars]] = [advance(font, c) for c in chars]
    table.flags.writeable = False
    return table


def code_points(labels: np.ndarray) -> np.ndarray:
    """The characters of an array of strings as numbers: shape (labels, longest), 0 where a label has ended.

    >>> code_points(np.array(["T1", "7"])).tolist()
    [[84, 49], [55, 0]]
    """
    labels = np.ascontiguousarray(labels, dtype=np.str_)
    if labels.dtype.itemsize == 0 or labels.size == 0:
        return np.zeros((labels.size, 0), np.uint32)
    return labels.reshape(-1, 1).view(np.uint32)
