"""Matrix descriptors: 64 bits that tell wgmma (Hopper) and tcgen05 (Blackwell) where in shared memory an operand lies.

A core matrix is 8 rows of 16 bytes. Two strides, LBO and SBO, lead from core matrix to core matrix; a swizzle (span.py) acts on
the byte address in the end. With T = 16 / element bytes, s = the swizzle's span, byte address of (m, k), behind the start:

    major K,  no swizzle   m/8 SBO + k/T LBO + (m % 8) 16 + (k % T) item
    major K,  span s       m/8 SBO + (m % 8) s + k item                                   then swizzled; LBO is not used
    major MN, no swizzle   m/T SBO + k/8 LBO + (k % 8) 16 + (m % T) item
    major MN, span s       m/(s/item) LBO + k/8 SBO + (k % 8) s + (m % (s/item)) item     then swizzled

Source: measured on an NVIDIA H200 for operand A of 2 bytes (`measured_hopper("wgmma_descriptors")`); fields, other element sizes
and Blackwell: from CUTLASS's headers (cute/arch/mma_sm90_desc.hpp, mma_sm100_desc.hpp), not measured.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.hardware.span import PIECE, SPANS, swizzled, tile_bytes, want_span

ROWS = 8  # of a core matrix
INSTRUCTION_K = 32  # bytes along k that one instruction multiplies
FIELD = 1 << 14  # start, LBO and SBO have 14 bits, in units of 16 bytes
MAJORS = ("K", "MN")
LAYOUT_TYPES = {0: 0, 128: 1, 64: 2, 32: 3}
UMMA_LAYOUT_TYPES = {0: 0, 128: 2, 64: 4, 32: 6}
TYPE_NAMES = {0: "no swizzle", 32: "32-byte swizzle", 64: "64-byte swizzle", 128: "128-byte swizzle"}


@dataclass(frozen=True)
class Field:
    """One field of a descriptor: its bits from `low` to `high`, the number that stands there, and what it means."""

    name: str
    low: int
    high: int
    value: int
    meaning: str


@dataclass(frozen=True)
class MatrixDescriptor:
    """Where does wgmma read an operand from? The 64 bits, field by field, and the address of each element.

    start_bytes    byte address of the operand's first element in shared memory, a multiple of 16
    lbo_bytes      leading byte offset, sbo_bytes: stride byte offset; multiples of 16 below 262,144
    swizzle_bytes  0, 32, 64 or 128
    major          "K" or "MN": along which mode an operand's elements lie together. It stands in the instruction, not in the bits
    base_offset    0 for patterns that begin at a multiple of 1,024 bytes, which all measured ones do

    Raises CuteLabError for values that the fields cannot hold. Nothing faults on the hardware when a field is wrong: the unit
    reads other elements, and the product is wrong.

    >>> atom = MatrixDescriptor(0, 16, 1024, 128, "K")
    >>> hex(atom.encode()), atom.addresses(64, 16, 2)[9, :9].tolist()
    ('0x4000004000010000', [1168, 1170, 1172, 1174, 1176, 1178, 1180, 1182, 1152])
    >>> MatrixDescriptor.decode(atom.encode()) == atom
    True
    """

    start_bytes: int
    lbo_bytes: int
    sbo_bytes: int
    swizzle_bytes: int = 0
    major: str = "K"
    base_offset: int = 0

    def __post_init__(self) -> None:
        want_span(self.swizzle_bytes)
        if not isinstance(self.major, str) or self.major not in MAJORS:
            raise CuteLabError(f'major must be "K" or "MN", got {shown(self.major)}')
        for name in ("start_bytes", "lbo_bytes", "sbo_bytes"):
            value = getattr(self, name)
            if not is_int(value) or value % PIECE or not 0 <= value < PIECE * FIELD:
                raise CuteLabError(
                    f"{name} must be a multiple of 16 from 0 to {PIECE * (FIELD - 1):,} (14 bits hold it divided by 16), got {shown(value)}"
                )
        if not is_int(self.base_offset) or not 0 <= self.base_offset < 8:
            raise CuteLabError(f"base_offset must be a whole number from 0 to 7, got {shown(self.base_offset)}")

    def addresses(self, m: int, k: int, element_bytes: int) -> np.ndarray:
        """From which byte does the unit read element (m, k)? Read-only, shape (m, k); of B read n for m.

        m              rows: a multiple of 8, 64 for A, 8 to 256 for B
        k              columns; one instruction takes 32 bytes of them
        element_bytes  1, 2 or 4; MN-major operands of Hopper have 2

        >>> MatrixDescriptor(0, 256, 128, 0, "K").addresses(64, 16, 2)[8, 8:10].tolist()
        [384, 386]
        """
        item = self._check(m, k, element_bytes)
        byte = self.start_bytes + self._behind(
            np.arange(m, dtype=np.int64)[:, None], np.arange(k, dtype=np.int64), item
        )
        byte = swizzled(byte, self.swizzle_bytes)
        byte.setflags(write=False)
        return byte

    def _check(self, m: int, k: int, element_bytes: int) -> int:
        for name, value, most in (("m", m, 4096), ("k", k, 4096)):
            if not is_int(value) or not 1 <= value <= most:
                raise CuteLabError(f"{name} must be a whole number from 1 to {most:,}, got {shown(value)}")
        if not is_int(element_bytes) or element_bytes not in (1, 2, 4):
            raise CuteLabError(
                f"an operand in shared memory has elements of 1, 2 or 4 bytes, got {shown(element_bytes)}"
            )
        if self.base_offset:
            raise CuteLabError(f"addresses with base_offset {self.base_offset} are not modelled; start at 1,024 bytes")
        self._check_major(element_bytes)
        return int(element_bytes)

    def _check_major(self, element_bytes: int) -> None:
        if self.major == "MN" and element_bytes != 2:
            raise CuteLabError(
                f"wgmma reads MN-major operands of 2 bytes only, got {element_bytes}; K-major has all sizes"
            )

    def _behind(self, m: np.ndarray, k: np.ndarray, item: int) -> np.ndarray:
        """Bytes from the start to (m, k), before the swizzle."""
        span, lbo, sbo, t = self.swizzle_bytes, self.lbo_bytes, self.sbo_bytes, PIECE // item
        if self.major == "K" and span:
            byte = m // ROWS * sbo + m % ROWS * span + k * item
        elif self.major == "K":
            byte = m // ROWS * sbo + k // t * lbo + m % ROWS * PIECE + k % t * item
        elif span:
            wide = span // item
            byte = m // wide * lbo + k // ROWS * sbo + k % ROWS * span + m % wide * item
        else:
            byte = m // t * sbo + k // ROWS * lbo + k % ROWS * PIECE + m % t * item
        behind: np.ndarray = byte
        return behind

    def advance(self, nbytes: int) -> Self:
        """The same operand `nbytes` further on: how a kernel goes from one instruction's k to the next.

        In a K-major swizzled tile the next k-block begins 32 bytes on, since the swizzle is applied after the addition.

        >>> MatrixDescriptor(0, 16, 1024, 128, "K").advance(32).addresses(64, 16, 2)[1, 0]
        np.int64(176)
        """
        if not is_int(nbytes):
            raise CuteLabError(f"advance by a whole number of bytes, got {shown(nbytes)}")
        return replace(self, start_bytes=self.start_bytes + int(nbytes))

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the 64 bits, lowest first.

        >>> [(f.name, f.low, f.high, f.value) for f in MatrixDescriptor(64, 16, 1024, 128, "K").fields][:3]
        [('start_address', 0, 13, 4), ('leading_byte_offset', 16, 29, 1), ('stride_byte_offset', 32, 45, 64)]
        """
        return (*self._common(), Field("layout_type", 62, 63, LAYOUT_TYPES[self.swizzle_bytes], self._type_name()))

    def _common(self) -> tuple[Field, ...]:
        unused = " (not used here)" if self.major == "K" and self.swizzle_bytes else ""
        values = (
            ("start_address", 0, self.start_bytes, ""),
            ("leading_byte_offset", 16, self.lbo_bytes, unused),
            ("stride_byte_offset", 32, self.sbo_bytes, ""),
        )
        strides = (Field(n, low, low + 13, v // PIECE, f"{v:,} bytes / 16{more}") for n, low, v, more in values)
        return (*strides, Field("base_offset", 49, 51, self.base_offset, "of patterns that begin between 1,024 bytes"))

    def _type_name(self) -> str:
        return TYPE_NAMES[self.swizzle_bytes]

    def encode(self) -> int:
        """The 64 bits."""
        return sum(f.value << f.low for f in self.fields)

    @classmethod
    def decode(cls, bits: int, major: str = "K") -> Self:
        """Which descriptor do these 64 bits say? `major` stands in the instruction.

        >>> MatrixDescriptor.decode(0x4000004000010000).sbo_bytes
        1024
        """
        want_bits(bits)
        start, lbo, sbo = ((bits >> low) % FIELD * PIECE for low in (0, 16, 32))
        spans = {v: s for s, v in LAYOUT_TYPES.items()}
        found = cls(start, lbo, sbo, spans[bits >> 62], major, bits >> 49 & 7)
        _only_known(found, bits)
        return found

    def summary(self) -> str:
        """The descriptor in one sentence."""
        lbo = "LBO unused" if self.major == "K" and self.swizzle_bytes else f"LBO {self.lbo_bytes:,}"
        return (
            f"{self.major}-major, {self._type_name()}, start {self.start_bytes:,}, {lbo}, SBO {self.sbo_bytes:,} bytes"
        )


@dataclass(frozen=True)
class UmmaDescriptor(MatrixDescriptor):
    """Where does Blackwell's tcgen05 read an operand from? As `MatrixDescriptor`, with other bits; from the headers, not measured.

    The layout type has three bits (61 to 63: 0 none, 2, 4, 6 for 128, 64, 32 bytes, 1 for 128 bytes in pieces of 32), bits 46 and 47
    hold the version 1, bit 52 the mode of LBO, 0. MN-major operands of 1 and 4 bytes are read too.
    `pieces` 32: the swizzle that moves 32 bytes at a time, Swizzle<2,5,2>, with core matrices of 4 rows along k.

    >>> hex(UmmaDescriptor(0, 16, 1024, 128, "K").encode()), UmmaDescriptor(0, 16, 1024, 128, "K").measured
    ('0x4000404000010000', False)
    """

    pieces: int = field(default=PIECE, kw_only=True)
    measured = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if (
            not is_int(self.pieces)
            or self.pieces not in (PIECE, 32)
            or (self.pieces == 32 and (self.swizzle_bytes, self.major) != (128, "MN"))
        ):
            raise CuteLabError(
                f"pieces must be 16, or 32 with a 128-byte swizzle and MN-major; got {shown(self.pieces)}"
            )

    def _check_major(self, element_bytes: int) -> None:
        """All sizes in both majors."""

    def _check(self, m: int, k: int, element_bytes: int) -> int:
        if self.pieces == 32:
            raise CuteLabError("addresses in the swizzle of 32-byte pieces are not modelled; encode() and decode() are")
        return super()._check(m, k, element_bytes)

    @property
    def fields(self) -> tuple[Field, ...]:
        kind = 1 if self.pieces == 32 else UMMA_LAYOUT_TYPES[self.swizzle_bytes]
        start, lbo, sbo, base = self._common()
        return (
            start,
            lbo,
            sbo,
            Field("version", 46, 47, 1, "Blackwell"),
            base,
            Field("lbo_mode", 52, 52, 0, "LBO is an offset"),
            Field("layout_type", 61, 63, kind, self._type_name()),
        )

    def _type_name(self) -> str:
        return super()._type_name() + (" in pieces of 32" if self.pieces == 32 else "")

    @classmethod
    def decode(cls, bits: int, major: str = "K") -> Self:
        """Which descriptor do these 64 bits say?"""
        want_bits(bits)
        start, lbo, sbo = ((bits >> low) % FIELD * PIECE for low in (0, 16, 32))
        spans = {1: 128, **{v: s for s, v in UMMA_LAYOUT_TYPES.items()}}
        kind = bits >> 61
        if kind not in spans:
            raise CuteLabError(f"layout type {kind} names no layout; known are {', '.join(map(str, sorted(spans)))}")
        pieces = 32 if kind == 1 else PIECE
        found = cls(start, lbo, sbo, spans[kind], "MN" if kind == 1 else major, bits >> 49 & 7, pieces=pieces)
        _only_known(found, bits)
        return found


def want_bits(bits: Any) -> None:
    """Raise CuteLabError unless these are 64 bits."""
    if not is_int(bits) or not 0 <= bits < 2**64:
        raise CuteLabError(f"a descriptor is a whole number of 64 bits, such as 0x4000004000010000; got {shown(bits)}")


def _only_known(found: MatrixDescriptor, bits: int) -> None:
    """Refuse bits that no field explains."""
    rest = found.encode() ^ int(bits)
    if rest:
        at = ", ".join(str(i) for i in range(64) if rest >> i & 1)
        raise CuteLabError(f"{type(found).__name__} has other values in bits {at} of {int(bits):#018x}")


def descriptor_of(
    layout: Any,
    element_bytes: int,
    major: str = "K",
    *,
    k_block: int = 0,
    rows: int | None = None,
    blackwell: bool = False,
) -> MatrixDescriptor:
    """Which descriptor lets wgmma read this shared-memory layout?

    layout     (m, k) or (n, k) -> element offset, from a multiple of 1,024 bytes on; a swizzle counts elements. A text is read
    major      "K" or "MN": along which mode the elements lie together
    k_block    which instruction along k: each takes 32 bytes of k
    rows       how many rows it must reach; None: all of the layout
    blackwell  True: an `UmmaDescriptor`, from the headers, not measured

    The layout's table is compared with the addresses of the descriptor, element by element, for each of the four swizzles. A
    stride that is not used is 0, or 16 bytes for LBO of a K-major swizzled tile, as CuTe writes it. Raises CuteLabError for a layout
    that no descriptor says, naming an element that it misses.

    >>> descriptor_of("Sw<3,3,3> o 0 o ((8,8),64):((64,512),1)", 2, k_block=1)
    MatrixDescriptor(start_bytes=32, lbo_bytes=16, sbo_bytes=1024, swizzle_bytes=128, major='K', base_offset=0)
    >>> descriptor_of("(64,64):(64,1)", 2)
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: no descriptor reads (64,64):(64,1) as K-major operand of 2 bytes: element (1, 0) lies at byte 128, and a core matrix has its rows 16 bytes apart, or 32, 64 or 128 in a swizzle of that span
    """
    if not isinstance(major, str) or major not in MAJORS:
        raise CuteLabError(f'major must be "K" or "MN", got {shown(major)}')
    layout, byte = tile_bytes(layout, element_bytes, "a descriptor")
    if element_bytes == 8:
        raise CuteLabError("wgmma has no operands of 8 bytes; elements have 1, 2 or 4")
    width = INSTRUCTION_K // element_bytes
    blocks = byte.shape[1] // width
    rows = byte.shape[0] if rows is None else rows
    if not is_int(rows) or not 8 <= rows <= byte.shape[0] or rows % ROWS:
        raise CuteLabError(f"rows must be a multiple of 8 up to the layout's {byte.shape[0]}, got {shown(rows)}")
    if not is_int(k_block) or not 0 <= k_block < blocks:
        raise CuteLabError(
            f"the layout has {blocks} blocks of {width} columns (32 bytes) along k; k_block is {shown(k_block)}"
        )
    part = byte[:rows, k_block * width : (k_block + 1) * width]
    kind = UmmaDescriptor if blackwell else MatrixDescriptor
    misses = []
    for span in SPANS:
        found = _fitting(part, element_bytes, major, span, kind)
        if isinstance(found, MatrixDescriptor):
            return found
        misses.append(found)
    row, column = max(misses, key=lambda at: at[0] * width + at[1])
    apart = "its rows" if major == "K" else "its columns"
    raise CuteLabError(
        f"no descriptor reads {layout} as {major}-major operand of {element_bytes} bytes: element ({row}, {column}) lies at byte "
        f"{int(part[row, column])}, and a core matrix has {apart} 16 bytes apart, or 32, 64 or 128 in a swizzle of that span"
    )


def _fitting(
    part: np.ndarray, item: int, major: str, span: int, kind: type[MatrixDescriptor]
) -> MatrixDescriptor | tuple[int, int]:
    """The descriptor with this swizzle that reads these bytes, or the first element that it misses."""
    plain = swizzled(part, span)
    start, (rows, columns) = int(plain[0, 0]), plain.shape

    def step(m: int, k: int) -> int:
        """Bytes from the first element to (m, k); 0 beyond the tile."""
        found = int(plain[m, k]) - start if m < rows and k < columns else 0
        return found if 0 <= found < PIECE * FIELD and found % PIECE == 0 else 0

    wide = (span or PIECE) // item
    if major == "K":
        lbo, sbo = (PIECE if span else step(0, wide)), step(ROWS, 0)
    else:
        lbo, sbo = (step(wide, 0), step(0, ROWS)) if span else (step(0, ROWS), step(wide, 0))
    if start % PIECE or start >= PIECE * FIELD:
        return 0, 0
    found = kind(start, lbo, sbo, span, major)
    wrong = found.addresses(rows, columns, item) != part
    if not wrong.any():
        return found
    row, column = (int(x) for x in np.argwhere(wrong)[0])
    return row, column
