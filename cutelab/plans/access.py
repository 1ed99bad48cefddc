"""Access: what one line of a kernel does to memory, planned or traced, counted; and Uncounted, for what no rule counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import H200, Chip
from cutelab.hardware.constant import Passes, passes
from cutelab.hardware.sectors import Sectors, sectors
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

Counted = Sectors | Wavefronts | Passes
UNITS = {"global": "sectors", "shared": "wavefronts", "constant": "passes"}


@dataclass(frozen=True, eq=False)
class Access:
    """What does one access of a kernel's source cost? All its warp instructions together, as a plan says or a run shows.

    name     a plan: what it does, in a word or two ("read a", "write tile"); a trace: the array ("a", "shared")
    source   the line of the kernel; a plan shortens it
    space    "global", "shared" or "constant"
    warps    the warp instructions, as one batch of `WarpAccess`, shape (instructions, lanes)
    times    how often all of them are done (1; a loop along K repeats them)
    line     the line's number in its file or cell; 0 in a plan
    expression  a trace: what is accessed, as the source writes it ("a[i + 1]"), or the array's name

    >>> column = Access("read", "tile[t, 0]", "shared", WarpAccess(np.arange(32)[None] * 128, 4), times=2)
    >>> column.instructions, column.count, column.ideal, column.ways, column.efficiency
    (2, 64, 2, 32, 0.03125)
    """

    name: str
    source: str
    space: str
    warps: WarpAccess = field(repr=False)
    times: int = 1
    line: int = 0
    expression: str = ""

    @property
    def array(self) -> str:
        """A trace: the argument's name, or "shared"."""
        return self.name

    @property
    def accesses(self) -> int:
        """Warp instructions: one for each warp and repetition of the line."""
        return self.instructions

    @property
    def kind(self) -> str:
        return self.warps.kind

    @property
    def access_bytes(self) -> int:
        return self.warps.access_bytes

    @property
    def unit(self) -> str:
        """What is counted: "sectors", "wavefronts" or, of constant memory, "passes"."""
        return UNITS[self.space]

    @cached_property
    def result(self) -> Counted:
        """The count of each warp instruction, done once."""
        return _counted(self.space, self.warps)

    @property
    def instructions(self) -> int:
        """Warp instructions, repeats included."""
        return self.warps.warps * self.times

    @property
    def count(self) -> int:
        """Sectors (global) or wavefronts (shared), all instructions together."""
        return int(np.sum(self.result.count)) * self.times

    @property
    def ideal(self) -> int:
        """The fewest that would do."""
        return int(np.sum(self.result.ideal)) * self.times

    @property
    def excess(self) -> int:
        return self.count - self.ideal

    @property
    def sectors(self) -> int | None:
        """The count of a global access; None for a shared one."""
        return self.count if self.space == "global" else None

    @property
    def wavefronts(self) -> int | None:
        """The count of a shared access; None for a global one."""
        return self.count if self.space == "shared" else None

    @property
    def efficiency(self) -> float:
        """Global: bytes used / bytes moved; shared: ideal / count."""
        if isinstance(self.result, Sectors):
            moved = self.warps.chip.sector_bytes * int(np.sum(self.result.count))
            return int(np.sum(self.result.used_bytes)) / moved
        return self.ideal / self.count

    @property
    def ways(self) -> int:
        """Shared memory: the n of the worst "n-way bank conflict"; 1 means free of conflicts. Global memory: 0."""
        return int(np.max(self.result.ways)) if isinstance(self.result, Wavefronts) else 0

    @property
    def worst(self) -> WarpAccess:
        """The worst warp instruction."""
        warps, at = self.warps, int(np.argmax(self.result.count))
        return WarpAccess(warps.byte_address[at], warps.access_bytes, warps.kind, warps.active[at], chip=warps.chip)

    @property
    def worst_count(self) -> int:
        """What the worst warp instruction takes."""
        return int(np.max(self.result.count))

    def explain(self) -> str:
        """The worst warp instruction in words."""
        return _counted(self.space, self.worst).explain()


@dataclass(frozen=True, eq=False)
class Uncounted:
    """An access that no rule here counts (a global atomic, a compare-and-swap): what it is, and None for every number.

    It can stand where an `Access` stands; `isinstance(a, Access)`, or `a.count is not None`, tells them apart.
    """

    name: str
    source: str
    space: str
    kind: str
    access_bytes: int
    instructions: int
    line: int = 0
    expression: str = ""
    unit: ClassVar[str] = "not modelled"
    count: ClassVar[None] = None
    ideal: ClassVar[None] = None
    excess: ClassVar[None] = None
    sectors: ClassVar[None] = None
    wavefronts: ClassVar[None] = None
    efficiency: ClassVar[None] = None
    worst: ClassVar[None] = None
    worst_count: ClassVar[None] = None

    @property
    def array(self) -> str:
        return self.name

    @property
    def accesses(self) -> int:
        return self.instructions

    def explain(self) -> str:
        """That it is not modelled.

        >>> Uncounted("a", "atomic.add(a, 0, 1.0)", "global", "atomic", 8, 1).explain()
        'a atomic of 8 bytes on global memory: not modelled'
        """
        return f"a {self.kind} of {self.access_bytes} bytes on {self.space} memory: not modelled"


def _counted(space: str, warps: WarpAccess) -> Counted:
    if space == "constant":
        return passes(warps)
    return sectors(warps) if space == "global" else wavefronts(warps)


def by_warps(
    address: np.ndarray, nbytes: int, kind: str, active: np.ndarray | None = None, *, chip: Chip = H200
) -> WarpAccess:
    """Byte addresses (instructions, threads of the block) as a batch of warps: (instructions * warps, lanes).

    active: which threads take part, of the same shape. A block that does not fill its last warp has a part of one.
    """
    threads, lanes = address.shape[1], chip.lanes
    whole = -(-threads // lanes) * lanes
    if active is None:
        active = np.ones(address.shape, bool)
    if whole > threads:
        room = ((0, 0), (0, whole - threads))
        address, active = np.pad(address, room), np.pad(active, room)
    address, active = address.reshape(-1, lanes), active.reshape(-1, lanes)
    some = active.any(axis=1)
    every = bool(active.all())
    return WarpAccess(address if every else address[some], nbytes, kind, None if every else active[some], chip=chip)
