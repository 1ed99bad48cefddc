"""Chip: the numbers of the hardware that every count rests on, in the one place where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

Where = TypeVar("Where", int, "np.ndarray[Any, Any]")
"""A number, or an integer array: what is asked of an address is answered in the same form."""


@dataclass(frozen=True)
class Chip:
    """How wide are a warp, a bank, a sector and a line, and how much shared memory is there?

    name          as it is called on a picture
    lanes         threads of a warp
    banks         banks of shared memory; word_bytes: bytes of one word of a bank
    sector_bytes  the piece in which global memory moves; line_bytes: a cache line
    shared_bytes  shared memory of one multiprocessor; block_bytes: the most of one block; static_bytes: of arrays of fixed size

    Frozen: `dataclasses.replace(H200, banks=64)` is another chip, and one that nobody measured.

    >>> H200.bank(132), H200.word(132), H200.sector(132), H200.line(132)
    (1, 33, 4, 1)
    >>> AMD_LDS.bank(132), AMD_LDS.measured
    (33, False)
    """

    name: str = "NVIDIA H200"
    lanes: int = 32
    banks: int = 32
    word_bytes: int = 4
    sector_bytes: int = 32
    line_bytes: int = 128
    shared_bytes: int = 228 * 1024
    block_bytes: int = 227 * 1024
    static_bytes: int = 48 * 1024

    @property
    def measured(self) -> bool:
        """Were counts by these numbers held against hardware counters?"""
        numbers = self.lanes, self.banks, self.word_bytes, self.sector_bytes, self.line_bytes
        return self.name == "NVIDIA H200" and numbers == (32, 32, 4, 32, 128)

    @property
    def row_bytes(self) -> int:
        """Bytes of one word in each bank: the width of shared memory."""
        return self.banks * self.word_bytes

    def word(self, byte: Where) -> Where:
        """The word of shared memory that holds this byte address (or each of an array of them)."""
        return byte // self.word_bytes

    def bank(self, byte: Where) -> Where:
        """The bank of this byte address: its word modulo the number of banks."""
        return byte // self.word_bytes % self.banks

    def row(self, byte: Where) -> Where:
        """The row of shared memory, one word in each bank, that holds this byte address."""
        return byte // self.row_bytes

    def sector(self, byte: Where) -> Where:
        """The sector of global memory that holds this byte address."""
        return byte // self.sector_bytes

    def line(self, byte: Where) -> Where:
        """The cache line of global memory that holds this byte address."""
        return byte // self.line_bytes


H200 = Chip()
"""The chip whose counters every rule was fitted to; what no call names another chip for is counted for this one."""

AMD_LDS = Chip("AMD LDS", lanes=64, banks=64, shared_bytes=160 * 1024, block_bytes=160 * 1024, static_bytes=64 * 1024)
"""64 lanes and 64 banks, as in CDNA's local data share: the rules with other numbers, not measured."""


@dataclass(frozen=True)
class Address(Generic[Where]):
    """Where in memory does an offset lie: which byte, word, bank, sector and line?

    offset   in elements, a number or an integer array; item: bytes of an element; chip: whose banks and lines

    >>> print(Address(236, 4))
    offset 236 elements · byte 944 · word 236 · bank 12
    >>> Address(np.array([0, 33]), 4).bank.tolist()
    [0, 1]
    """

    offset: Where
    item: int
    chip: Chip = H200

    @property
    def byte(self) -> Where:
        return self.offset * self.item

    @property
    def word(self) -> Where:
        return self.chip.word(self.byte)

    @property
    def bank(self) -> Where:
        return self.chip.bank(self.byte)

    @property
    def row(self) -> Where:
        return self.chip.row(self.byte)

    @property
    def sector(self) -> Where:
        return self.chip.sector(self.byte)

    @property
    def line(self) -> Where:
        return self.chip.line(self.byte)

    def __str__(self) -> str:
        return f"offset {self.offset} elements · byte {self.byte} · word {self.word} · bank {self.bank}"
