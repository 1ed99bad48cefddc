"""TMA: one thread names a box of a matrix, and the unit writes it into shared memory as a tile.

Inner rows lie densely, or, with a swizzle of 32, 64 or 128 bytes, that many bytes apart; the swizzle acts on byte addresses
(see span.py). Source: measured on an NVIDIA H200, boxes of two modes; `measured_hopper("tma_tiles")`. More modes follow the same
rule, and im2col, multicast, gather and scatter are not modelled.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.coordinates import CoordLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import Int, is_int
from cutelab.core.layout import Layout
from cutelab.core.leaves import ScaledBasis
from cutelab.hardware.chip import H200, Chip, want_chip
from cutelab.hardware.span import PATTERN, PIECE, SPANS, swizzled, tile_bytes, want_span

UNTOUCHED, ZERO = -1, -2
MAX_BOX, MAX_RANK, BASE = 256, 5, 128
OTHER_MODES = ("im2col", "multicast", "gather4", "scatter4")


@dataclass(frozen=True)
class TmaTile:
    """What does a tile in shared memory hold after a TMA load, byte for byte?

    matrix_shape   (rows, columns) of the matrix in global memory, in elements; more modes: slowest first. Rows start at
                   multiples of 16 bytes: `pitch_bytes` apart
    element_bytes  1, 2, 4 or 8
    box            (inner, rows): elements of the contiguous mode, rows; more modes: fastest first. Each 1 to 256
    swizzle_bytes  0, 32, 64 or 128: the rows of the box lie that many bytes apart (0: densely), and pieces of 16 bytes are moved
    smem_base      where the tile begins, in bytes from a multiple of 1,024; a multiple of 128
    mode           "tiled"; other ways of copying are not modelled

    Raises CuteLabError for what the unit refuses: an inner box that is no multiple of 16 bytes or wider than the swizzle's span,
    a base that is no multiple of 128, boxes beyond 256, and tiles beyond a block's shared memory.

    >>> tile = TmaTile((200, 300), 2, (64, 8), swizzle_bytes=128)
    >>> tile.load(0, 0).reshape(8, 64)[1, :10].tolist()  # row 1: the pieces of 8 elements are exchanged in pairs
    [308, 309, 310, 311, 312, 313, 314, 315, 300, 301]
    >>> tile.expect_bytes, tile.row_bytes, tile.boundary
    (1024, 128, 1024)
    """

    matrix_shape: tuple[int, ...]
    element_bytes: int
    box: tuple[int, ...]
    swizzle_bytes: int = 0
    smem_base: int = 0
    mode: str = field(default="tiled", kw_only=True)
    chip: Chip = field(default=H200, kw_only=True)

    def __post_init__(self) -> None:
        want_chip(self.chip)
        if self.mode != "tiled":
            known = f"; {', '.join(OTHER_MODES)} are known by name alone" if self.mode in OTHER_MODES else ""
            raise CuteLabError(f'TMA mode {shown(self.mode)} is not modelled{known}; modelled is "tiled"')
        if not is_int(self.element_bytes) or self.element_bytes not in (1, 2, 4, 8):
            raise CuteLabError(f"TMA moves elements of 1, 2, 4 or 8 bytes, got {shown(self.element_bytes)}")
        want_span(self.swizzle_bytes)
        for name, most in (("matrix_shape", 2**32), ("box", MAX_BOX)):
            object.__setattr__(self, name, _sizes(getattr(self, name), name, most))
        if len(self.box) != len(self.matrix_shape):
            raise CuteLabError(f"the box {self.box} has {len(self.box)} modes, the matrix {len(self.matrix_shape)}")
        if self.inner_bytes % PIECE:
            least = PIECE // self.element_bytes
            raise CuteLabError(
                f"the inner box of {self.box[0]} x {self.element_bytes} bytes has {self.inner_bytes} bytes, no multiple of 16; "
                f"use a multiple of {least} elements"
            )
        if self.swizzle_bytes and self.inner_bytes > self.swizzle_bytes:
            raise CuteLabError(
                f"the inner box of {self.inner_bytes} bytes is wider than the swizzle's span of {self.swizzle_bytes}; "
                f"use {self.swizzle_bytes // self.element_bytes} elements or fewer"
            )
        if not is_int(self.smem_base) or self.smem_base < 0 or self.smem_base % BASE:
            raise CuteLabError(f"smem_base must be a multiple of {BASE} bytes from 0 on, got {shown(self.smem_base)}")
        if self.smem_base + self.tile_bytes > self.chip.block_bytes:
            raise CuteLabError(
                f"the tile of {self.tile_bytes:,} bytes at {self.smem_base:,} does not fit in the {self.chip.block_bytes:,} bytes "
                "of shared memory that a block may have"
            )

    @property
    def inner_bytes(self) -> int:
        """Bytes of one row of the box."""
        return self.box[0] * self.element_bytes

    @property
    def row_bytes(self) -> int:
        """How far apart do the rows of the box lie in shared memory?"""
        return self.swizzle_bytes or self.inner_bytes

    @property
    def rows(self) -> int:
        """Rows of the box: the product of all modes but the contiguous one."""
        return prod(self.box[1:])

    @property
    def tile_bytes(self) -> int:
        """Bytes of shared memory from the tile's first to its last, gaps of short rows included."""
        return self.rows * self.row_bytes

    @property
    def expect_bytes(self) -> int:
        """Bytes that the barrier must be told to expect: the whole box, also where it hangs over the matrix's edge."""
        return self.rows * self.inner_bytes

    @property
    def pitch_bytes(self) -> int:
        """How far apart are the matrix's rows in global memory? A multiple of 16 bytes."""
        return -(-self.matrix_shape[-1] * self.element_bytes // PIECE) * PIECE

    @property
    def boundary(self) -> int:
        """Where must the tile start for its pattern to begin at the first row? A multiple of this many bytes; else it is shifted.

        >>> [TmaTile((64, 64), 2, (16, 8), swizzle_bytes=s).boundary for s in (0, 32, 64, 128)]
        [128, 256, 512, 1024]
        """
        return max(BASE, self.swizzle_bytes * PATTERN // 128)

    @property
    def addresses(self) -> np.ndarray:
        """The byte address of each element of the box in shared memory, shape (..., rows, inner): slowest mode first."""
        row, column = np.arange(self.rows, dtype=np.int64)[:, None], np.arange(self.box[0], dtype=np.int64)
        byte = self.smem_base + row * self.row_bytes + column * self.element_bytes
        address = swizzled(byte, self.swizzle_bytes).reshape(self.box[::-1])
        address.setflags(write=False)
        return address

    @property
    def coordinate_layout(self) -> CoordLayout:
        """The matrix as CuTe's TMA tensor: coordinates (of the unit: fastest first) in place of offsets.

        >>> tile = TmaTile((200, 300), 2, (64, 8))
        >>> print(tile.coordinate_layout, tile.coordinate_layout(7, 64))  # row 7, column 64
        (200,300):(_1@1,_1@0) (64, 7)
        """
        rank = len(self.matrix_shape)
        return CoordLayout(self.matrix_shape, tuple(ScaledBasis(Int(1), (rank - 1 - i,)) for i in range(rank)))

    def load(self, *start: int) -> np.ndarray:
        """Which element of the matrix lies where, after the box at this start has been loaded?

        start  (column, row) of the box's first element; more modes: fastest first. Any row; a column whose bytes are a multiple
               of 16, also below 0 or beyond the edge

        Returns row * columns + column for each element of shared memory from the 1,024-byte boundary to the tile's end; -1 where
        nothing was written, -2 where the box hangs over the edge and the unit writes zero. Raises CuteLabError for a column
        that ends in an illegal instruction on the hardware.

        >>> TmaTile((200, 300), 4, (4, 2)).load(296, 199).tolist()
        [59996, 59997, 59998, 59999, -2, -2, -2, -2]
        """
        self.check_start(*start)
        sizes = self.matrix_shape[::-1]
        index, inside = np.zeros(self.box[::-1], dtype=np.int64), np.ones(self.box[::-1], dtype=bool)
        step = 1
        for mode, (first, size, extent) in enumerate(zip(start, sizes, self.box, strict=True)):
            at = (int(first) + np.arange(extent, dtype=np.int64)).reshape(-1, *[1] * mode)
            index, inside = index + step * at, inside & (at >= 0) & (at < size)
            step *= size
        memory = np.full((self.smem_base + self.tile_bytes) // self.element_bytes, UNTOUCHED, dtype=np.int64)
        memory[self.addresses // self.element_bytes] = np.where(inside, index, ZERO)
        memory.setflags(write=False)
        return memory

    def check_start(self, *start: int) -> None:
        """Raise CuteLabError unless a box may start at this (column, row)."""
        if len(start) != len(self.box) or not all(is_int(x) and abs(x) < 2**31 for x in start):
            names = "(column, row)" if len(self.box) == 2 else f"{len(self.box)} whole numbers, fastest mode first"
            raise CuteLabError(f"a box starts at {names}, got {shown(start)}")
        if start[0] * self.element_bytes % PIECE:
            step = PIECE // self.element_bytes
            low = start[0] // step * step
            raise CuteLabError(
                f"column {start[0]} x {self.element_bytes} bytes is no multiple of 16 bytes: the hardware ends with an illegal "
                f"instruction; start at column {low} or {low + step}"
            )

    def summary(self) -> str:
        """The tile in one sentence."""
        swizzle = f"swizzled over {self.swizzle_bytes} bytes" if self.swizzle_bytes else "without swizzle"
        shifted = (
            ""
            if self.smem_base % self.boundary == 0
            else f", in the midst of the pattern (no multiple of {self.boundary})"
        )
        return f"a box of {_box_words(self.box)}, {swizzle}: {self.expect_bytes:,} bytes to byte {self.smem_base:,}{shifted}"


def _box_words(box: tuple[int, ...]) -> str:
    """A box as a reader of matrices says it, rows first; the unit counts its contiguous extent first.

    >>> _box_words((64, 8))
    '8 rows of 64'
    """
    return f"{box[1]} rows of {box[0]}" if len(box) == 2 else " x ".join(map(str, box))


@dataclass(frozen=True, eq=False)
class TmaBoxes:
    """How can TMA fill this layout: which box, which swizzle, how often, and from which coordinates?

    layout           the tile (m, k) in shared memory, element offsets
    box              (inner, rows) of each copy; swizzle_bytes: 0, 32, 64 or 128
    starts           byte in shared memory of each copy, shape (boxes along m, boxes along k)
    coordinate_layout  CuTe's coordinates of the tile, (m, k) -> (fastest mode, other mode) of the matrix
    expect_bytes     what the barrier must expect for all of them
    """

    layout: Layout | ComposedLayout
    element_bytes: int
    contiguous: int
    box: tuple[int, int]
    swizzle_bytes: int
    starts: np.ndarray = field(repr=False)

    @property
    def copies(self) -> int:
        """Copies that one thread issues."""
        return int(self.starts.size)

    @property
    def expect_bytes(self) -> int:
        return self.copies * self.box[0] * self.box[1] * self.element_bytes

    @property
    def coordinate_layout(self) -> CoordLayout:
        """The tile's coordinates as CuTe's TMA tensor has them.

        >>> print(tma_boxes("Sw<3,3,3> o 0 o (128,64):(64,1)", 2).coordinate_layout)
        (_128,_64):(_1@1,_1@0)
        """
        sizes = tuple(Int(n * b) for n, b in zip(self.starts.shape, self._box_mk, strict=True))
        first, second = (1, 0) if self.contiguous == 1 else (0, 1)
        return CoordLayout(sizes, (ScaledBasis(Int(1), (first,)), ScaledBasis(Int(1), (second,))))

    @property
    def coordinates(self) -> np.ndarray:
        """(fastest, other) coordinate in the tile of each copy's box, shape (boxes along m, boxes along k, 2)."""
        i, j = np.indices(self.starts.shape, dtype=np.int64)
        m, k = i * self._box_mk[0], j * self._box_mk[1]
        return np.stack((k, m) if self.contiguous == 1 else (m, k), axis=-1)

    @property
    def _box_mk(self) -> tuple[int, int]:
        return self.box[::-1] if self.contiguous == 1 else self.box

    def summary(self) -> str:
        """The answer in one sentence.

        >>> tma_boxes("Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))", 2).summary()
        '2 copies of a box of 128 rows of 64, swizzled over 128 bytes; the barrier expects 32,768 bytes'
        """
        many = "1 copy" if self.copies == 1 else f"{self.copies} copies"
        swizzle = f"swizzled over {self.swizzle_bytes} bytes" if self.swizzle_bytes else "without swizzle"
        return f"{many} of a box of {_box_words(self.box)}, {swizzle}; the barrier expects {self.expect_bytes:,} bytes"


def tma_boxes(layout: Any, element_bytes: int, *, contiguous: int = 1) -> TmaBoxes:
    """Can TMA fill a tile of this layout, and with which boxes and which swizzle?

    layout      (m, k) -> element offset in shared memory, from a multiple of 1,024 bytes on; a swizzle counts elements. A text is read
    contiguous  the mode that is contiguous in global memory: 1 (k, rows of the matrix) or 0 (m)

    The table of the layout is compared with what the unit writes, for each of the four swizzles; the largest box that fits is
    taken. Raises CuteLabError, with the rule that broke, for a layout whose elements, and nothing besides, no such boxes write: a
    padded row (a wider box would write the padding too), a start that is no multiple of 128 bytes, another swizzle.

    >>> boxes = tma_boxes("Sw<3,3,3> o 0 o (128,64):(64,1)", 2)
    >>> boxes.box, boxes.swizzle_bytes, boxes.copies
    ((64, 128), 128, 1)
    >>> tma_boxes("(64,64):(72,1)", 2)
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: no TMA boxes write just (64,64):(72,1): box 0 of row 1 would start at byte 144, no multiple of 128; rows of a box lie densely, or 32, 64 or 128 bytes apart with a swizzle
    """
    if not is_int(contiguous) or contiguous not in (0, 1):
        raise CuteLabError(f"contiguous must be the mode 0 or 1, got {shown(contiguous)}")
    layout, byte = tile_bytes(layout, element_bytes, "a TMA tile")
    if contiguous == 0:
        byte = byte.T
    reasons = []
    for span in SPANS:
        found = _boxes(swizzled(byte, span), element_bytes, span)
        if isinstance(found, tuple):
            box, starts = found
            starts = starts if contiguous == 1 else starts.T
            starts.setflags(write=False)
            return TmaBoxes(layout, element_bytes, contiguous, box, span, starts)
        reasons.append(found)
    raise CuteLabError(
        f"no TMA boxes write just {layout}: {reasons[0]}; rows of a box lie densely, or 32, 64 or 128 bytes apart with a swizzle"
    )


def _boxes(byte: np.ndarray, item: int, span: int) -> tuple[tuple[int, int], np.ndarray] | str:
    """Unswizzled bytes (rows, columns) as boxes, the largest ones: their (inner, rows) and their starts; or why not."""
    rows, columns = byte.shape
    run = _run(byte[0] - byte[0, 0], item)
    if rows > 1 and not span:  # rows of a box lie densely: the step to the next row is the box
        dense = int(byte[1, 0] - byte[0, 0]) // item
        run = dense if 0 < dense <= run else run
    inner = _divisor(columns, min(run, MAX_BOX, span // item if span else run))
    if inner * item % PIECE:
        return f"its rows hold {inner * item} bytes together, no multiple of 16"
    pitch = span or inner * item
    high = _divisor(rows, min(_run(byte[:, 0] - byte[0, 0], pitch), MAX_BOX))
    starts = byte[::high, ::inner]
    i, j = np.arange(rows, dtype=np.int64)[:, None], np.arange(columns, dtype=np.int64)
    wrong = byte != starts[i // high, j // inner] + i % high * pitch + j % inner * item
    if wrong.any():
        row, column = (int(x) for x in np.argwhere(wrong)[0])
        return (
            f"element ({row}, {column}) lies at byte {int(byte[row, column])}, where no box of {inner} x {high} puts it"
        )
    if (starts % BASE).any():
        row, column = (int(x) for x in np.argwhere(starts % BASE)[0])
        where = f"box {column} of row {row * high}"
        return f"{where} would start at byte {int(starts[row, column])}, no multiple of {BASE}"
    return (inner, high), starts.copy()


def _run(steps: np.ndarray, by: int) -> int:
    """How many entries from the first on grow by `by`?"""
    wrong = steps != by * np.arange(len(steps), dtype=np.int64)
    return int(wrong.argmax()) if wrong.any() else len(steps)


def _divisor(size: int, most: int) -> int:
    """The largest divisor of a size that is at most this."""
    return next(n for n in range(most, 0, -1) if size % n == 0)


def _sizes(value: Any, name: str, most: int) -> tuple[int, ...]:
    sizes = tuple(value) if isinstance(value, tuple | list) else ()
    if not 1 <= len(sizes) <= MAX_RANK or not all(is_int(n) and 1 <= n <= most for n in sizes):
        example = "(200, 300)" if name == "matrix_shape" else "(64, 8)"
        raise CuteLabError(
            f"{name} must be 1 to {MAX_RANK} whole numbers from 1 to {most:,}, such as {example}; got {shown(value)}"
        )
    return tuple(int(n) for n in sizes)
