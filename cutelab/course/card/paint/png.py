"""An index canvas as a PNG file: 8 bits a pixel, lines filtered with Up, deflated by zlib-ng.

Palette entries are `4 * pair + ink level`, so a digit's vertical differences are the same bytes on every
fill: that is why filter Up makes the file half as large as no filter. Only a line that is simpler than its
difference to the line above (the paper between two rows of cells) stays as it is.

zlib-ng is three to six times as fast as zlib on these lines; where it cannot be imported zlib writes the same picture.
"""

from __future__ import annotations

import struct
import threading

import numpy as np

from cutelab.course.card.paint.ops import Bytes, Ints

try:
    from zlib_ng.zlib_ng import compress, crc32
except ImportError:  # a platform without a wheel, such as a browser
    from zlib import compress, crc32

_LEVEL, _SMALL = 2, 6
"""How hard to try: while a slider moves; for scale 1, which is stored in notebooks and sent over slow networks."""

_CALM = 2
"""A line is tried without a filter where it changes at fewer than one in so many of its words."""

_MOST = 80_000
"""Bytes of a picture at scale 2, at most where one level more is enough for that."""


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))


class _Room(threading.local):
    """The arrays of one encoding, kept for the next picture of the same size: fresh pages cost more than the arithmetic."""

    shape: tuple[int, ...] = ()

    def fit(self, shape: tuple[int, ...]) -> None:
        """Room for a canvas of this shape; what was held is lost."""
        if self.shape == shape:
            return
        self.shape, (height, width) = shape, shape
        self.lines = np.empty((height, width + 1), np.uint8)  # each behind its filter type
        words = width // 8 if width % 8 == 0 else width
        self.moved = np.empty((height - 1, words), bool)  # does a word differ from the one above?


_ROOM = _Room()


def _words(lines: Bytes) -> Ints:
    """The same lines in words of eight pixels, where they are whole words."""
    return lines.view(np.uint64) if lines.shape[1] % 8 == 0 else lines


def _steps(lines: Bytes) -> Ints:
    """How often does each line change, word by word? Enough to choose a filter."""
    words = _words(lines)
    found: Ints = np.add.reduce((words[:, 1:] != words[:, :-1]).view(np.uint8), axis=1, dtype=np.uint16)
    return found


def _filtered(canvas: Bytes) -> Bytes:
    """The lines of a canvas, each behind its filter type: 2 (difference to the line above) or 0 (as it is).

    Most lines repeat the one above, and are zeros then: only the others are tried without a filter, and of these only the calm ones. The
    array is used again for the next canvas.
    """
    _ROOM.fit(canvas.shape)
    lines, words = _ROOM.lines, _words(canvas)
    lines[:, 0] = 2
    lines[0, 1:] = canvas[0]  # above the first line is nothing
    np.subtract(canvas[1:], canvas[:-1], out=lines[1:, 1:])
    moved = np.not_equal(words[1:], words[:-1], out=_ROOM.moved).any(axis=1)
    at = np.flatnonzero(moved) + 1
    steps = _steps(canvas[at])
    calm = steps < words.shape[1] // _CALM
    at, steps = at[calm], steps[calm]
    plain = at[steps < _steps(canvas[at] - canvas[at - 1])]
    lines[plain, 0] = 0
    lines[plain, 1:] = canvas[plain]
    return lines


def encode(canvas: Bytes, colours: Bytes, scale: int = 1) -> bytes:
    """Which PNG file shows this canvas? `canvas` uint8 [y, x], `colours` uint8 (up to 256, 3), 96 dpi times `scale`.

    >>> encode(np.zeros((1, 1), np.uint8), np.zeros((1, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = canvas.shape
    density = round(96 * scale / 0.0254)
    lines = _filtered(np.ascontiguousarray(canvas, np.uint8))
    packed = compress(lines, _SMALL if scale == 1 else _LEVEL)
    if scale == 2 and len(packed) > _MOST - 1000:  # some hundred bytes are the palette
        packed = compress(lines, _LEVEL + 1)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">IIB", density, density, 1)),
            _chunk(b"PLTE", np.ascontiguousarray(colours, np.uint8).tobytes()),
            _chunk(b"IDAT", packed),
            _chunk(b"IEND", b""),
        )
    )
