"""Tiles in shared memory: how much room does a layout take, and which neighbours may one access take together?"""

from __future__ import annotations

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, LayoutRight, offsets
from cutelab.core.swizzle import Swizzle
from cutelab.hardware.chip import H200, Chip

VARIANTS = ("naive", "conflicting", "padded", "swizzled")


def tile_elements(layout: Layout | ComposedLayout) -> int:
    """How many elements of shared memory does this tile need? The largest offset plus one.

    Raises CuteLabError for offsets below 0 and for two elements in one place.

    >>> tile_elements(Layout((32, 32), (33, 1)))
    1055
    """
    table = offsets(layout)
    if table.min() < 0:
        raise CuteLabError(f"{layout} reaches offset {table.min()}; a tile's offsets start at 0")
    if len(np.unique(table)) < table.size:
        raise CuteLabError(f"{layout} puts two elements of the tile in one place; every element needs its own")
    return int(table.max()) + 1


def row_vector(layout: Layout | ComposedLayout, mode: int = 1) -> int:
    """How many neighbours along a mode (1: a row's columns) lie together and aligned, so that one access can take them?

    >>> row_vector(Layout((32, 32), (33, 1))), row_vector(Layout((32, 32), (36, 1)))
    (1, 4)
    """
    table = offsets(layout)
    table = table.T if mode == 0 else table
    best = 1
    for width in (2, 4, 8):
        if table.shape[1] % width:
            break
        groups = table.reshape(table.shape[0], -1, width)
        if not (
            (groups - groups[..., :1] == np.arange(width, dtype=np.int64)).all() and (groups[..., 0] % width == 0).all()
        ):
            break
        best = width
    return best


def pitched(tile: int, pitch: int, vector: int = 1) -> Layout:
    """Which layout has rows `pitch` elements apart? With vectors, groups of `vector` rows are `vector * pitch` apart.

    Rows of one group lie end to end, so that the padding comes in pieces of `vector` elements and rows stay aligned.

    >>> str(pitched(32, 33)), str(pitched(64, 65, 4)), str(pitched(64, 64, 4))
    ('(32,32):(33,1)', '((4,16),64):((64,260),1)', '(64,64):(64,1)')
    """
    if pitch < tile:
        raise CuteLabError(f"pitch {pitch} is shorter than a row of {tile} elements; use {tile} or more")
    if vector == 1 or pitch == tile:
        return Layout((tile, tile), (pitch, 1))
    rows = (vector, tile // vector)
    return Layout((rows, tile), ((tile, vector * pitch), 1))


def row_swizzle(tile: int, vector: int = 1, itemsize: int = 4, *, chip: Chip = H200) -> Swizzle:
    """Which Swizzle spreads a column of a row-major tile over the banks? The row's number (with vectors: the number of
    the group of `vector` rows) is XORed into the column, in pieces of `vector` elements.

    >>> row_swizzle(32), row_swizzle(64, vector=4)
    (Swizzle(5, 0, 5), Swizzle(3, 2, 6))
    """
    if not _powers(tile, vector) or tile % vector:
        raise CuteLabError(f"tile {shown(tile)} must be a power of two and a multiple of vector {shown(vector)}")
    base, across = vector.bit_length() - 1, tile.bit_length() - 1
    piece = max(vector * itemsize, chip.word_bytes)
    bits = min((chip.row_bytes // piece).bit_length() - 1, across - base)
    return Swizzle(bits, base, across)


def tile_layout(
    name: str, tile: int, vector: int = 1, itemsize: int = 4, *, chip: Chip = H200
) -> Layout | ComposedLayout | None:
    """The tile's layout in a variant of the transpose: "naive" (None), "conflicting", "padded" or "swizzled".

    >>> str(tile_layout("swizzled", 64, 4))
    'Sw<3,2,6> o 0 o (64,64):(64,1)'
    """
    if name == "naive":
        return None
    if name == "padded":
        return pitched(tile, tile + 1, vector)
    if name == "conflicting":
        return LayoutRight((tile, tile))
    if name == "swizzled":
        return ComposedLayout(row_swizzle(tile, vector, itemsize, chip=chip), 0, LayoutRight((tile, tile)))
    raise CuteLabError(f"there is no variant {shown(name)}; there are {', '.join(VARIANTS)}")


def _powers(*values: int) -> bool:
    return all(is_int(v) and v > 0 and v & (v - 1) == 0 for v in values)
