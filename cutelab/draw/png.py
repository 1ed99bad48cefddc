"""An index canvas as a PNG file: 8 bits a pixel, lines filtered with Up, zlib level 3 to 8.

Palette entries are `4 * pair + ink level`, so a digit's vertical differences are the same bytes on every
fill: that is why filter Up makes the file half as large as no filter. Only a line that is simpler than its
difference to the line above (the paper between two rows of cells) stays as it is.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

_MANY = 120_000
"""Bytes that differ from the line above: with more of them (a thousand long labels) level 3 makes too large a file."""


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _steps(lines: np.ndarray) -> np.ndarray:
    """About how often does each line change its value? Every eighth pixel is asked: enough to choose a filter."""
    some = lines[:, ::8]
    return np.not_equal(some[:, 1:], some[:, :-1]).view(np.uint8).sum(1, dtype=np.uint16)


def encode(canvas: np.ndarray, colours: np.ndarray, scale: int = 1) -> bytes:
    """Which PNG file shows this canvas? `canvas` uint8 [y, x], `colours` uint8 (up to 256, 3), 96 dpi times `scale`.

    >>> encode(np.zeros((1, 1), np.uint8), np.zeros((1, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = canvas.shape
    raw = np.empty((height, width + 1), np.uint8)
    raw[:, 0] = 2
    raw[0, 1:] = canvas[0]
    np.subtract(canvas[1:], canvas[:-1], out=raw[1:, 1:])
    plain = _steps(canvas) < _steps(raw[:, 1:])
    raw[plain, 0] = 0
    raw[plain, 1:] = canvas[plain]
    level = 8 if scale == 1 else 4 if np.count_nonzero(raw) > _MANY else 3
    density = round(96 * scale / 0.0254)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">IIB", density, density, 1)),
            _chunk(b"PLTE", np.ascontiguousarray(colours, np.uint8).tobytes()),
            _chunk(b"IDAT", zlib.compress(raw, level)),
            _chunk(b"IEND", b""),
        )
    )
