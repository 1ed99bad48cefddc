"""Chip: the numbers of the hardware that every count rests on, in the one place where they stand."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypeVar

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int

Where = TypeVar("Where", int, "np.ndarray[Any, Any]")
"""A number, or an integer array: what is asked of an address is answered in the same form."""

_MEASURED = "NVIDIA H200"
_WIDTHS = (  # what the rules count with, and between which powers of two they hold
    ("lanes", 8, 1024),
    ("banks", 4, 1024),
    ("word_bytes", 4, 16),
    ("sector_bytes", 16, 4096),
    ("line_bytes", 16, 4096),
)


@dataclass(frozen=True)
class Chip:
    """How wide are a warp, a bank, a sector and a line, and how much is there of what blocks share?

    name           as it is called on a picture
    lanes          threads of a warp
    banks          banks of shared memory; word_bytes: bytes of one word of a bank
    sector_bytes   the piece in which global memory moves; line_bytes: a cache line
    shared_bytes   shared memory of one multiprocessor; block_bytes: the most of one block; static_bytes: of arrays of fixed size
                   (both no more than shared_bytes)
    reserved_bytes what the system takes of shared memory for each block
    registers      32-bit registers of one multiprocessor
    threads, blocks  the most that one multiprocessor holds at once; block_threads: the most of one block

    Frozen: `dataclasses.replace(H200, banks=64)` is another chip, and one that nobody measured. Raises CuteLabError for
    numbers that no rule here can count with: widths are powers of two, 8 lanes and 4 banks or more, words of 4, 8 or 16 bytes.

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
    reserved_bytes: int = 1024
    registers: int = 64 * 1024
    threads: int = 2048
    blocks: int = 32
    block_threads: int = 1024

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise CuteLabError(f"a chip's name is a text, got {shown(self.name)}")
        for each in fields(self)[1:]:
            value = getattr(self, each.name)
            if not is_int(value) or not 0 <= value < 2**40 or (value == 0 and each.name != "reserved_bytes"):
                raise CuteLabError(f"{each.name} of a chip must be a whole number of 1 or more, got {shown(value)}")
        for name, least, most in _WIDTHS:
            value = getattr(self, name)
            if value & (value - 1) or not least <= value <= most:
                raise CuteLabError(f"{name} of a chip must be a power of two from {least} to {most:,}, got {value}")
        if self.line_bytes < self.sector_bytes:
            raise CuteLabError(f"a line of {self.line_bytes} bytes is shorter than a sector of {self.sector_bytes}")
        for part in ("block_bytes", "static_bytes"):  # no block has more than its multiprocessor
            object.__setattr__(self, part, min(getattr(self, part), self.shared_bytes))

    @property
    def measured(self) -> bool:
        """Were counts by these numbers held against hardware counters?"""
        return self.name == _MEASURED and not self._other_widths()

    @property
    def note(self) -> str:
        """What must be said beside a count: that nobody measured this chip; empty for the one that was.

        >>> from dataclasses import replace
        >>> AMD_LDS.note, replace(H200, banks=64).note, H200.note
        ('not measured on AMD LDS', 'not measured with banks 64', '')
        """
        if self.measured:
            return ""
        if self.name != _MEASURED:
            return f"not measured on {self.name}"
        return f"not measured with {', '.join(self._other_widths())}"

    def said(self, words: str) -> str:
        """These words, and the note behind them if there is one."""
        return f"{words}; {self.note}" if self.note else words

    def _other_widths(self) -> list[str]:
        """The widths that differ from the measured chip's."""
        return [
            f"{name.replace('_bytes', '')} {getattr(self, name)}"
            for name, *_ in _WIDTHS
            if getattr(self, name) != getattr(Chip, name)
        ]

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


def want_chip(value: object) -> None:
    """Raise CuteLabError unless this is a Chip."""
    if not isinstance(value, Chip):
        raise CuteLabError(f"chip must be a Chip such as H200 or AMD_LDS, got a value of type {type(value).__name__}")


def _nvidia(name: str, shared: int, block: int, threads: int = 2048, blocks: int = 32, reserved: int = 1) -> Chip:
    """An architecture by its KB of shared memory, of a multiprocessor and of a block, and what it holds at once."""
    return replace(
        H200,
        name=name,
        shared_bytes=shared * 1024,
        block_bytes=block * 1024,
        reserved_bytes=reserved * 1024,
        threads=threads,
        blocks=blocks,
    )


CHIPS = {
    "sm_70": _nvidia("sm_70", 96, 96, reserved=0),
    "sm_75": _nvidia("sm_75", 64, 64, threads=1024, blocks=16, reserved=0),
    "sm_80": _nvidia("sm_80", 164, 163),
    "sm_86": _nvidia("sm_86", 100, 99, threads=1536, blocks=16),
    "sm_87": _nvidia("sm_87", 164, 163, threads=1536, blocks=16),
    "sm_89": _nvidia("sm_89", 100, 99, threads=1536, blocks=24),
    "sm_90": H200,
    "sm_100": _nvidia("sm_100", 228, 227),
    "sm_103": _nvidia("sm_103", 228, 227),
    "sm_120": _nvidia("sm_120", 100, 99, threads=1536, blocks=24),
}
"""The architectures by their names. Source: CUDA programming guide, technical specifications per compute capability."""


def chip_named(name: str) -> Chip | None:
    """Which architecture is this? "sm_90a" allows more instructions than "sm_90", on the same chip. None if it is not known.

    >>> chip_named("sm_90a") is CHIPS["sm_90"], chip_named("sm_80a")
    (True, None)
    """
    plain = name.removesuffix("a")
    return CHIPS.get(plain) if plain == name or plain in WITH_A else None


WITH_A = ("sm_90", "sm_100", "sm_103", "sm_120")
"""Those that compilers also know with an a at the end."""


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
        return f"offset {self.offset} element{'' if self.offset == 1 else 's'} · byte {self.byte} · word {self.word} · bank {self.bank}"
