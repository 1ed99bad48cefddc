"""What a kernel's source does to memory, access by access: predicted from the plan alone, without running anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.access import WarpAccess

WARP = 32


@dataclass(frozen=True, eq=False)
class PlannedAccess:
    """What does one access of a kernel's source cost in a block? All its warp instructions together.

    name     what it does, in a word or two: "read a", "write tile"
    source   the line of the kernel, shortened
    space    "global" or "shared"
    warps    the warp instructions, as one batch of `WarpAccess`
    times    how often the block does all of them (1; a loop along K repeats them)
    """

    name: str
    source: str
    space: str
    warps: WarpAccess = field(repr=False)
    times: int = 1

    @property
    def kind(self) -> str:
        return self.warps.kind

    @property
    def access_bytes(self) -> int:
        return self.warps.access_bytes

    @property
    def unit(self) -> str:
        return "sectors" if self.space == "global" else "wavefronts"

    @cached_property
    def _counted(self) -> Any:
        return (sectors if self.space == "global" else wavefronts)(self.warps)

    @property
    def instructions(self) -> int:
        """Warp instructions in a block."""
        return self.warps.warps * self.times

    @property
    def count(self) -> int:
        """Sectors (global) or wavefronts (shared) in a block."""
        return int(self._counted.count.sum()) * self.times

    @property
    def ideal(self) -> int:
        return int(self._counted.ideal.sum()) * self.times

    @property
    def ways(self) -> int:
        """Shared memory: the n of the worst "n-way bank conflict"; 1 means free of conflicts. Global memory: 0."""
        return 0 if self.space == "global" else int(self._counted.ways.max())

    @property
    def worst(self) -> WarpAccess:
        """The worst warp instruction."""
        at = int(np.argmax(self._counted.count))
        return WarpAccess(self.warps.byte_address[at], self.access_bytes, self.kind, self.warps.active[at])

    def explain(self) -> str:
        """The worst warp instruction in words."""
        return (sectors if self.space == "global" else wavefronts)(self.worst).explain()


def by_warps(address: np.ndarray, nbytes: int, kind: str, active: np.ndarray | None = None) -> WarpAccess:
    """Byte addresses (instructions, threads of the block) as a batch of warps: (instructions * warps, 32).

    active: which threads take part, of the same shape. A block that is no multiple of 32 threads has a part of a warp.
    """
    threads = address.shape[1]
    whole = -(-threads // WARP) * WARP
    if active is None:
        active = np.ones(address.shape, bool)
    if whole > threads:
        room = ((0, 0), (0, whole - threads))
        address, active = np.pad(address, room), np.pad(active, room)
    address, active = address.reshape(-1, WARP), active.reshape(-1, WARP)
    some = active.any(axis=1)
    every = bool(active.all())
    return WarpAccess(address if every else address[some], nbytes, kind, None if every else active[some])
