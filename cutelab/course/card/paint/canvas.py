"""A sheet of palette entries, and the colours that it uses so far.

An entry is `4 * pair + ink level` where a pair is (fill, ink): entries of one pair go from fill to ink in three steps.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cutelab.course.card.paint.ops import Bytes

FULL = 256


@lru_cache(maxsize=1024)
def rgb(colour: str) -> tuple[int, int, int]:
    """Which red, green, blue (0 to 255) is a hex colour?

    >>> rgb("#0b6b50")
    (11, 107, 80)
    """
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@lru_cache(maxsize=1024)
def levels(fill: str, ink: str) -> Bytes:
    """The four colours from fill to ink: uint8 (4, 3)."""
    a, b = np.array(rgb(fill), float), np.array(rgb(ink), float)
    found: Bytes = np.round(a + (b - a) * np.arange(4)[:, None] / 3).astype(np.uint8)
    found.flags.writeable = False
    return found


class Canvas:
    """`pixels` uint8 [y, x] of palette entries; `pair` and `solid` hand out entries; `colours` is the palette so far."""

    def __init__(self, width: int, height: int, scale: int, paper: str, ink: str) -> None:
        self.scale = scale
        self._pairs: dict[tuple[str, str], int] = {}
        self._solids: dict[str, int] = {}
        self._rows: list[np.ndarray] = []
        self._used = 0
        self.pixels = np.full((height * scale, width * scale), self.pair(paper, ink), np.uint8)

    @property
    def colours(self) -> np.ndarray:
        """uint8 (entries, 3)."""
        return np.concatenate(self._rows)

    def pair(self, fill: str, ink: str) -> int:
        """The first of the four entries from fill to ink."""
        key = (fill, ink)
        if key not in self._pairs:
            if self._used + 4 > FULL:
                self._pairs[key] = self._nearest(fill, ink)
            else:
                self._rows.append(levels(fill, ink))
                self._pairs[key] = self._used
                self._solids.setdefault(fill, self._used)
                self._solids.setdefault(ink, self._used + 3)
                self._used += 4
        return self._pairs[key]

    def solid(self, colour: str) -> int:
        """An entry of this colour."""
        if colour not in self._solids:
            if self._used + 1 > FULL:
                known = np.array([rgb(c) for c in self._solids], float)
                nearest = int(((known - rgb(colour)) ** 2).sum(1).argmin())
                self._solids[colour] = list(self._solids.values())[nearest]
            else:
                self._rows.append(np.array([rgb(colour)], np.uint8))
                self._solids[colour] = self._used
                self._used += 1
        return self._solids[colour]

    def _nearest(self, fill: str, ink: str) -> int:
        """The pair whose fill and ink are nearest: a full palette repeats a neighbouring colour."""
        keys = list(self._pairs)
        known = np.array([rgb(f) + rgb(i) for f, i in keys], float)
        return self._pairs[keys[int(((known - (rgb(fill) + rgb(ink))) ** 2).sum(1).argmin())]]

    def box(self, x: float, y: float, w: float, h: float) -> np.ndarray:
        """The pixels of a rectangle given in CSS pixels, cut at the sheet's edge: a view."""
        s = self.scale
        top, foot, left, right = round(y * s), round((y + h) * s), round(x * s), round((x + w) * s)
        return self.pixels[max(top, 0) : max(foot, 0), max(left, 0) : max(right, 0)]


def along(length: int, dash: tuple[float, float], scale: int) -> np.ndarray:
    """Which of `length` pixels does a dashed line ink?"""
    on, off = round(dash[0] * scale), round(dash[1] * scale)
    return np.arange(length) % (on + off) < on


def frame_mask(h: int, w: int, width: float, dash: tuple[float, float] | None, scale: int) -> np.ndarray:
    """Which pixels [y, x] belong to a frame inside h x w pixels?"""
    thick = max(1, round(width * scale))
    across = along(w, dash, scale) if dash else np.ones(w, bool)
    down = along(h, dash, scale) if dash else np.ones(h, bool)
    mask = np.zeros((h, w), bool)
    mask[:thick] = mask[-thick:] = across
    mask[:, :thick] |= down[:, None]
    mask[:, -thick:] |= down[:, None]
    return mask


def corner_mask(h: int, w: int) -> np.ndarray:
    """Which pixels of a box lie in its upper right half?"""
    y, x = np.arange(h)[:, None], np.arange(w)
    return (x + 0.5) / w >= (y + 0.5) / h


HATCH = 7
"""CSS pixels from one hatch line to the next, measured across: 5 measured at a right angle."""


def hatch_levels(x: int, y: int, w: int, h: int, scale: int) -> Bytes:
    """The ink levels of 45 degree lines over the rectangle that begins at pixel (x, y)."""
    wave: Bytes = np.zeros(HATCH * scale, np.uint8)
    wave[:scale] = 3
    wave[[scale, -1]] = 1
    found: Bytes = wave[(np.arange(y, y + h)[:, None] + np.arange(x, x + w)) % (HATCH * scale)]
    return found
