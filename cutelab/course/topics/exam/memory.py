"""Questions of the exam on global and shared memory: coalescing, banks, swizzles."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab.core import Layout, Swizzle
from cutelab.course.ask.exercise import Prediction, Wrong
from cutelab.course.ask.kinds import Value
from cutelab.hardware import WarpAccess, sectors, wavefronts
from cutelab.hardware.chip import H200, Address

LANES = np.arange(H200.lanes)


def column_in_global(random: Random) -> Prediction:
    """Sectors of a column of a narrow row-major matrix."""
    cols, item = random.choice((2, 3, 4, 6, 12, 16, 20)), random.choice((2, 4))
    layout = Layout((H200.lanes, cols), (cols, 1))
    name = {2: "half", 4: "float32"}[item]
    return Prediction(
        id="exam.column_in_global",
        title="A column of global memory",
        kind=Value(unit="sectors", example="12", given=(("columns", cols), ("bytes of an element", item))),
        question=(
            f"In global memory lies `{layout}` of {name}, {item} bytes each, from the start of a line. Lane i loads element "
            "(i,0). How many sectors does the warp request?"
        ),
        right=lambda: int(sectors(WarpAccess(item * np.array([layout(row, 0) for row in range(32)]), item)).count),
        replies=(),
        because=f"The lanes are {cols * item} bytes apart, and a sector is {H200.sector_bytes} bytes.",
    )


def wide_stride(random: Random) -> Prediction:
    """Sectors of a stride, with elements of 8 or 16 bytes."""
    stride, item = random.choice((2, 3, 5)), random.choice((8, 16))
    return Prediction(
        id="exam.wide_stride",
        title="A stride of wide elements",
        kind=Value(unit="sectors", example="12", given=(("stride", stride), ("bytes of an element", item))),
        question=(
            f"Lane i loads the {item}-byte element {stride}·i, from the start of a line. How many sectors does the warp "
            "request?"
        ),
        right=lambda: int(sectors(WarpAccess(stride * item * LANES, item)).count),
        replies=(),
        because=f"The lanes are {stride * item} bytes apart: count the sectors of {H200.sector_bytes} bytes that hold a byte of any lane.",
    )


def bank_of(random: Random) -> Prediction:
    """The bank of an element of a padded tile."""
    pitch, row, col = random.choice((33, 34, 36, 40)), random.randint(3, 30), random.randint(1, 31)
    layout = Layout((32, 32), (pitch, 1))
    return Prediction(
        id="exam.bank_of",
        title="The bank of an element",
        kind=Value(example="12", given=(("pitch", pitch), ("row", row), ("column", col))),
        question=f"`{layout}` of float32 begins in bank 0 of shared memory. In which bank does element ({row},{col}) lie?",
        right=lambda: int(Address(layout(row, col), 4).bank),
        replies=(),
        because=f"Its offset is {row}·{pitch} + {col}, and banks repeat after {H200.banks} words.",
    )


def groups_of_lanes(random: Random) -> Prediction:
    """Lanes that share a word, and words that share a bank."""
    together, stride = random.choice((2, 4, 8)), random.choice((8, 16, 32))
    return Prediction(
        id="exam.groups_of_lanes",
        title="Several lanes, one word",
        kind=Value(unit="wavefronts", example="3", given=(("stride", stride), ("lanes on one word", together))),
        question=(
            f"Lane i reads the float32 element {stride}·(i // {together}) of shared memory, which begins in bank 0. "
            "How many wavefronts?"
        ),
        right=lambda: int(wavefronts(WarpAccess(4 * stride * (LANES // together), 4)).count),
        replies=(),
        because=(
            f"{together} lanes read the same word, and that is one read. There are {32 // together} different words, "
            f"{stride} apart."
        ),
    )


def column_of_halves(random: Random) -> Prediction:
    """A column of 2-byte elements."""
    pitch = random.choice((16, 32, 34, 48, 64, 66, 72))
    return Prediction(
        id="exam.column_of_halves",
        title="A column of halves",
        kind=Value(unit="wavefronts", example="3", given=(("pitch", pitch),)),
        question=(
            f"A tile `(32,16):({pitch},1)` of half, 2 bytes each, lies in shared memory. Lane i reads element (i,0). "
            "How many wavefronts?"
        ),
        right=lambda: int(wavefronts(WarpAccess(2 * pitch * LANES, 2)).count),
        replies=(),
        because=f"Rows are {2 * pitch} bytes apart, which is {pitch / 2:g} words. Count the rows that begin in one bank, each on its own word.",
    )


def swizzled_offset(random: Random) -> Prediction:
    """A swizzle applied to one offset."""
    bits, base, shift = random.choice(((2, 0, 3), (2, 1, 3), (3, 0, 4), (2, 2, 3), (3, 1, 3)))
    low, high = 1 << (base + shift), 1 << (base + shift + bits)
    offset = random.randint(low, high - 1)
    swizzle = Swizzle(bits, base, shift)
    return Prediction(
        id="exam.swizzled_offset",
        title="One offset by hand",
        kind=Value(example="12", given=(("offset", offset),)),
        question=f"To which offset does `{swizzle}` move offset {offset}?",
        right=lambda: swizzle(offset),
        replies=(Wrong(offset, "The source bits of this offset are not all 0, so it moves."),),
        because=f"Bits {base + shift} to {base + shift + bits - 1} are XORed into bits {base} to {base + bits - 1}.",
    )


def swizzled_column(random: Random) -> Prediction:
    """What a swizzle of few bits leaves of a column's conflict."""
    bits = random.choice((1, 2, 3, 4))
    swizzle = Swizzle(bits, 0, 5)
    return Prediction(
        id="exam.swizzled_column",
        title="A swizzle with few bits",
        kind=Value(unit="wavefronts", example="3", given=(("B", bits),)),
        question=(
            f"A tile `{swizzle} o 0 o (32,32):(32,1)` of float32 lies in shared memory. Lane i reads element (i,0). "
            "How many wavefronts?"
        ),
        right=lambda: int(wavefronts(WarpAccess(4 * np.asarray(swizzle(32 * LANES)), 4)).count),
        replies=(Wrong(1, "That takes as many bits as there are bits in the number of banks: five."),),
        because=f"{bits} bit{'s' * (bits > 1)} of the row reach the bank, so the 32 rows share {1 << bits} banks.",
    )


def other_unit(random: Random) -> Prediction:
    """A swizzle of bytes, written for elements."""
    bits, item = random.choice((2, 3)), random.choice((2, 4, 8))
    swizzle = Swizzle(bits, 4, 3)
    return Prediction(
        id="exam.other_unit",
        title="Another unit",
        kind=Value("tuple", example="(1, 2, 5)", parts=("B", "M", "S"), given=(("bytes of an element", item),)),
        question=(
            f"On byte addresses a swizzle is `{swizzle}`. Which one does the same on offsets of {item}-byte elements? "
            "Write (B, M, S)."
        ),
        right=lambda: (lambda s: (s.bits, s.base, s.shift))(swizzle.recast(1, item)),
        replies=(Wrong((bits, 4, 3), "This is the one that counts bytes; elements are larger."),),
        because=f"{item} bytes are {item.bit_length() - 1} bit{'s' * (item > 2)} of an address: M becomes smaller by that, and B and S stay.",
    )


COALESCING = (column_in_global, wide_stride)
BANKS = (bank_of, groups_of_lanes, column_of_halves)
SWIZZLE = (swizzled_offset, swizzled_column, other_unit)
