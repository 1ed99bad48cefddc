"""Occupancy: how many blocks does a multiprocessor hold at once, and what holds it back?

Threads, blocks, registers and shared memory are each a limit; the smallest counts. Source: CUDA's occupancy calculator: registers
are given to warps in pieces of 256, out of 4 parts of the multiprocessor; shared memory in pieces of 128 bytes, and 1,024 bytes more a block.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.hardware.chip import H200, Chip, want_chip

REGISTER_PIECE, PARTS, SHARED_PIECE, MAX_REGISTERS = 256, 4, 128, 255


@dataclass(frozen=True)
class Occupancy:
    """How many blocks fit, by each limit, and which one is the smallest?

    blocks      blocks of one multiprocessor; warps: their warps; share: of the warps that it could hold
    limits      blocks that each limit alone would allow: "threads", "blocks", "registers", "shared memory"
    limited_by  the names of the smallest limits
    """

    chip: Chip
    blocks: int
    warps: int
    share: float
    limits: Mapping[str, int] = field(hash=False)

    @property
    def limited_by(self) -> tuple[str, ...]:
        return tuple(name for name, blocks in self.limits.items() if blocks == self.blocks)

    def cycles_a_tile(self, steady: float, bound: float) -> float:
        """What do the blocks hide from one another? Cycles a tile of the multiprocessor, if all of them take turns.

        steady: of one block alone; bound: what the copy unit and the MMA need for a tile, whoever asks. max(bound, steady / blocks):
        an assumption (blocks share one copy channel and one MMA, and wait independently), not measured.
        """
        return max(bound, steady / self.blocks)

    def summary(self) -> str:
        """The verdict in words.

        >>> occupancy(256, 128, 100_000).summary()
        '2 blocks, 16 of 64 warps (25 %); limited by registers and shared memory'
        """
        most = self.chip.threads // self.chip.lanes
        many = "1 block" if self.blocks == 1 else f"{self.blocks} blocks"
        names = " and ".join(self.limited_by)
        return f"{many}, {self.warps} of {most} warps ({100 * self.share:.0f} %); limited by {names}"


def occupancy(threads: int, registers: int, shared_bytes: int, *, chip: Chip = H200) -> Occupancy:
    """How many blocks does a multiprocessor hold at once?

    threads       of a block
    registers     32-bit registers of a thread, up to 255
    shared_bytes  shared memory of a block, static and dynamic, without what the system takes

    Raises CuteLabError for a block that no multiprocessor of the chip can hold.

    >>> found = occupancy(384, 168, 3 * 32768)
    >>> found.blocks, dict(found.limits)
    (1, {'threads': 5, 'blocks': 32, 'registers': 1, 'shared memory': 2})
    """
    want_chip(chip)
    for name, value, most in (
        ("threads", threads, chip.block_threads),
        ("registers", registers, MAX_REGISTERS),
        ("shared_bytes", shared_bytes, chip.block_bytes),
    ):
        least = 0 if name == "shared_bytes" else 1
        if not is_int(value) or not least <= value <= most:
            raise CuteLabError(f"{name} of a block must be a whole number from {least} to {most:,}, got {shown(value)}")
    warps = -(-threads // chip.lanes)
    a_warp = -(-registers * chip.lanes // REGISTER_PIECE) * REGISTER_PIECE
    fitting_warps = chip.registers // PARTS // a_warp * PARTS
    a_block = -(-shared_bytes // SHARED_PIECE) * SHARED_PIECE + chip.reserved_bytes
    limits = {
        "threads": chip.threads // (warps * chip.lanes),
        "blocks": chip.blocks,
        "registers": fitting_warps // warps,
        "shared memory": chip.shared_bytes // a_block if a_block else chip.blocks,
    }
    blocks = min(limits.values())
    if not blocks:
        short = next(name for name, value in limits.items() if not value)
        raise CuteLabError(
            f"a block of {threads} threads with {registers} registers each and {shared_bytes:,} bytes of shared memory does not "
            f"fit: too much of {short}; a multiprocessor has {chip.registers:,} registers and {chip.shared_bytes:,} bytes"
        )
    return Occupancy(chip, blocks, blocks * warps, blocks * warps * chip.lanes / chip.threads, MappingProxyType(limits))
