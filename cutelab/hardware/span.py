"""The swizzle that the copy unit and wgmma apply: an XOR on byte addresses of shared memory, named by its span.

    span 32, 64, 128   address ^ (((address >> 7) & m) << 4),  m = 1, 3, 7      = Swizzle<1|2|3, 4, 3>
    span 0             no swizzle

It acts on addresses, not on offsets in a tile: a tile that does not start at a multiple of 1,024 bytes begins in the midst of
the pattern. Twice applied it changes nothing. Measured on an NVIDIA H200.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, offsets
from cutelab.core.swizzle import Swizzle

SPANS = {0: Swizzle(0, 4, 3), 32: Swizzle(1, 4, 3), 64: Swizzle(2, 4, 3), 128: Swizzle(3, 4, 3)}
PIECE = 16  # bytes that a swizzle moves whole: what coordinates and boxes of the copy unit are multiples of
PATTERN = 1024  # bytes after which the widest pattern begins again
MAX_TILE = 1 << 20  # elements of a tile that is tabulated


def swizzled(byte: np.ndarray, span: int) -> np.ndarray:
    """Where does a byte that lies here without swizzle lie with it?

    >>> swizzled(np.array([0, 128, 256, 1024]), 128).tolist(), swizzled(np.array([0, 128, 256, 1024]), 32).tolist()
    ([0, 144, 288, 1024], [0, 144, 256, 1024])
    """
    moved: np.ndarray = SPANS[span](byte) if span else byte
    return moved


def want_span(span: object) -> None:
    """Raise CuteLabError unless this is one of the four spans."""
    if not is_int(span) or span not in SPANS:
        raise CuteLabError(f"swizzle_bytes must be 0 (none), 32, 64 or 128, got {shown(span)}")


def tile_bytes(layout: Any, element_bytes: int, what: str) -> tuple[Layout | ComposedLayout, np.ndarray]:
    """A layout of two modes (a text is read), and the byte of each (row, column); for those who ask what the unit makes of it."""
    if isinstance(layout, str):
        layout = parse_layout(layout)
    if not isinstance(layout, Layout | ComposedLayout):
        raise CuteLabError(f"{what} needs a layout of shared memory such as (64,64):(64,1), got {shown(layout)}")
    inner = layout.inner if isinstance(layout, ComposedLayout) else layout
    if not isinstance(inner, Layout) or len(inner) != 2:
        raise CuteLabError(f"{what} needs a layout with two modes, (m, k); {layout} has another rank")
    if not is_int(element_bytes) or element_bytes not in (1, 2, 4, 8):
        raise CuteLabError(f"{what} moves elements of 1, 2, 4 or 8 bytes, got {shown(element_bytes)}")
    table = offsets(layout)
    if table.size > MAX_TILE or int(table.min()) < 0:
        raise CuteLabError(
            f"{what} needs a tile of at most {MAX_TILE:,} elements with offsets from 0 on; {layout} is none"
        )
    return layout, table * element_bytes
