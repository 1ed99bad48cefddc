"""An index canvas as a PNG file: 8 bits a pixel, lines filtered with Up, zlib level 3 to 6.

Palette entries are `4 * pair + ink level`, so a digit's vertical differences are the same bytes on every
fill: that is why filter Up makes the file half as large as no filter. Only a line that is simpler than its
difference to the line above (the paper between two rows of cells) stays as it is.

Lines are filtered and compressed a block at a time, so that nothing as large as the canvas is made again. The two
halves of a large picture are compressed at the same time and joined to one zlib stream.
"""

from __future__ import annotations

import struct
import threading
import zlib

import numpy as np

_BLOCK = 64
"""Lines that are filtered and compressed together: about 90 KB, which stays in the processor's cache."""

_LARGE = 1_000_000
"""Pixels from which on the two halves are worth a thread."""

_MANY = 120_000
"""Bytes that differ from the line above: with more of them (a thousand long labels) level 3 makes too large a file."""

_ADLER = 65521


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _steps(lines: np.ndarray) -> np.ndarray:
    """About how often does each line change its value? Every eighth pixel is asked: enough to choose a filter."""
    some = lines[:, ::8]
    return np.count_nonzero(some[:, 1:] != some[:, :-1], axis=1)


def _level(canvas: np.ndarray, scale: int) -> int:
    """How hard should zlib try? Every eighth line is asked how much it differs from the one above."""
    if scale == 1:
        return 6
    return 4 if 8 * np.count_nonzero(canvas[8::8] != canvas[7:-1:8]) > _MANY else 3


class _Half(threading.Thread):
    """Lines first to last of a canvas, filtered and compressed: `data` (raw deflate), `check` (Adler-32), `size` (bytes)."""

    def __init__(self, canvas: np.ndarray, first: int, last: int, level: int, end: int) -> None:
        super().__init__()
        self.canvas, self.first, self.last, self.level, self.end = canvas, first, last, level, end
        self.data, self.check, self.size = b"", 1, (last - first) * (canvas.shape[1] + 1)

    def run(self) -> None:
        stream = zlib.compressobj(self.level, zlib.DEFLATED, -15)
        pieces = []
        raw = np.empty((_BLOCK, self.canvas.shape[1] + 1), np.uint8)
        for top in range(self.first, self.last, _BLOCK):
            part = self.canvas[top : min(top + _BLOCK, self.last)]
            lines = raw[: len(part)]
            lines[:, 0] = 2
            lines[0, 1:] = part[0] - self.canvas[top - 1] if top else part[0]
            np.subtract(part[1:], part[:-1], out=lines[1:, 1:])
            plain = _steps(part) < _steps(lines[:, 1:])
            lines[plain, 0] = 0
            lines[plain, 1:] = part[plain]
            self.check = zlib.adler32(lines, self.check)
            pieces.append(stream.compress(lines))
        self.data = b"".join((*pieces, stream.flush(self.end)))


def _deflate(canvas: np.ndarray, level: int) -> bytes:
    """The filtered lines of a canvas as one zlib stream."""
    height = len(canvas)
    middle = height // 2 if canvas.size > _LARGE else 0
    low = _Half(canvas, middle, height, level, zlib.Z_FINISH)
    if not middle:
        low.run()
        return b"\x78\x5e" + low.data + struct.pack(">I", low.check)
    high = _Half(canvas, 0, middle, level, zlib.Z_FULL_FLUSH)
    low.start()
    high.run()
    low.join()
    a = ((high.check & 0xFFFF) + (low.check & 0xFFFF) - 1) % _ADLER
    b = ((high.check >> 16) + (low.check >> 16) + low.size * ((high.check & 0xFFFF) - 1)) % _ADLER
    return b"\x78\x5e" + high.data + low.data + struct.pack(">I", b << 16 | a)


def encode(canvas: np.ndarray, colours: np.ndarray, scale: int = 1) -> bytes:
    """Which PNG file shows this canvas? `canvas` uint8 [y, x], `colours` uint8 (up to 256, 3), 96 dpi times `scale`.

    >>> encode(np.zeros((1, 1), np.uint8), np.zeros((1, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = canvas.shape
    density = round(96 * scale / 0.0254)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">IIB", density, density, 1)),
            _chunk(b"PLTE", np.ascontiguousarray(colours, np.uint8).tobytes()),
            _chunk(b"IDAT", _deflate(canvas, _level(canvas, scale))),
            _chunk(b"IEND", b""),
        )
    )
