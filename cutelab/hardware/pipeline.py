"""A pipeline that feeds Tensor Cores: tiles are copied to shared memory and multiplied, in one or several stages.

Stage i % stages of shared memory holds tile i. A tile's copy takes `latency` until data flow, and then shares one channel with
the copies before it; its MMA waits for the data and for the MMA before it. Two loops are known:

    producer   a warp of its own issues the copy of a tile as soon as its stage is free (TMA, CUTLASS's sm90 kernels)
    together   the threads that multiply also copy: they issue the copy of tile k + S - 1 when tile k has arrived, and
               then multiply tile k (cp.async, CUTLASS's sm80 kernels). So S stages hide S - 1 copies

Time is counted in clock cycles of one multiprocessor. Held against loops timed on an NVIDIA H200: `measured_hopper("pipelines")`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.hardware.chip import CHIPS, H200, Chip, chip_named
from cutelab.hardware.occupancy import Occupancy, occupancy

MAX_TILES, MAX_STAGES = 100_000, 64
LOOPS = ("producer", "together")
H200_LOOPS = {
    "together": {"arrival": 642.0, "rate": 172.0, "issue": 480.0},
    "producer": {"arrival": 780.0, "rate": 172.0, "issue": 210.0},
}
"""Cycles that fit loops timed on an H200, tiles of 16 KB in L2: `cycles_a_tile(loop, stages, mma, **H200_LOOPS[loop])`."""


def cycles_a_tile(loop: str, stages: int, mma: float, *, arrival: float, rate: float, issue: float) -> float:
    """How many cycles does a tile take once the pipeline is full?

        producer   max(mma + issue, rate, (arrival + mma) / stages)
        together   max(mma + issue, rate, arrival / (stages - 1));  with one stage max(arrival, issue) + mma

    mma      cycles of multiplying a tile
    arrival  from the issue of a copy until its last byte is there: latency + copy
    rate     cycles that the copies need for a tile when they never stop
    issue    what waiting, signalling and (together) issuing the copies cost the multiplying threads for each tile

    With the numbers of `H200_LOOPS` it is within 7 % of all 30 measured points with an MMA and two or more stages.

    >>> [round(cycles_a_tile("producer", s, 128, **H200_LOOPS["producer"])) for s in (1, 2, 3, 4)]
    [908, 454, 338, 338]
    >>> [round(cycles_a_tile("together", s, 128, **H200_LOOPS["together"])) for s in (1, 2, 3, 4)]
    [770, 642, 608, 608]
    """
    want_loop(loop)
    if not is_int(stages) or not 1 <= stages <= MAX_STAGES:
        raise CuteLabError(f"stages must be a whole number from 1 to {MAX_STAGES}, got {shown(stages)}")
    for name, value in (("mma", mma), ("arrival", arrival), ("rate", rate), ("issue", issue)):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e12:
            raise CuteLabError(f"{name} must be a number of cycles of 0 or more, got {shown(value)}")
    if loop == "producer":
        return float(max(mma + issue, rate, (arrival + mma) / stages))
    return float(max(mma + issue, rate, arrival / (stages - 1)) if stages > 1 else max(rate, max(arrival, issue) + mma))


def want_loop(loop: object) -> None:
    """Raise CuteLabError unless this names a loop."""
    if not isinstance(loop, str) or loop not in LOOPS:
        raise CuteLabError(f'the loop must be "producer" (a warp of its own copies) or "together", got {shown(loop)}')


@dataclass(frozen=True)
class Pipeline:
    """How fast do tiles flow through shared memory into the MMA, and who waits for whom?

    m, n, k        the tile: A is m x k, B is n x k, and each step multiplies them
    element_bytes  bytes of an element of A and B; 0.5 for 4-bit elements, 0.125 for bits
    stages         how many tiles fit in shared memory at once: 1 overlaps nothing, 2 is double buffering
    latency        cycles from the issue of a copy until its data begin to arrive
    copy_rate      bytes a cycle into shared memory
    mma_rate       floating-point operations a cycle (a multiply and an add are two)
    tiles          how many steps along K
    arch           "sm_70" to "sm_120" (also "sm_90a"), or a Chip: the limit of shared memory; None: no limit
    loop           "producer": a warp of its own copies, as soon as a stage is free; "together": the multiplying threads copy too
    issue          cycles that each tile costs the multiplying threads besides the MMA: waiting, signalling, issuing copies

    Raises CuteLabError when the stages need more shared memory than a block of that architecture may have.

    >>> two = Pipeline(128, 128, 32, stages=2, latency=600, copy_rate=32, mma_rate=2048)
    >>> two.copy_cycles, two.mma_cycles, two.steady_state, two.stages_needed
    (512.0, 512.0, 812.0, 4)
    >>> print(two.summary())
    812 cycles a tile where 512 would do: 2 stages do not cover the latency of 600 cycles, 4 would
    """

    m: int
    n: int
    k: int
    element_bytes: float = 2
    stages: int = 2
    latency: float = 600
    copy_rate: float = 32
    mma_rate: float = 2048
    tiles: int = 16
    arch: str | Chip | None = "sm_80"
    loop: str = field(default="producer", kw_only=True)
    issue: float = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        for name, most in (("m", 4096), ("n", 4096), ("k", 4096), ("stages", MAX_STAGES), ("tiles", MAX_TILES)):
            value = getattr(self, name)
            if not is_int(value) or not 1 <= value <= most:
                raise CuteLabError(f"{name} must be a whole number from 1 to {most:,}, got {shown(value)}")
        want_loop(self.loop)
        for name in ("latency", "issue", "copy_rate", "mma_rate", "element_bytes"):
            value, may_be_0 = getattr(self, name), name in ("latency", "issue")
            number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12
            if not number or (not may_be_0 and not value):
                raise CuteLabError(
                    f"{name} must be a number above 0, got {shown(value)}" + (" (0 is allowed)" if may_be_0 else "")
                )
        if self.element_bytes not in (0.125, 0.5, 1, 2, 4, 8, 16):
            raise CuteLabError(f"an element has 0.125, 0.5, 1, 2, 4, 8 or 16 bytes, got {shown(self.element_bytes)}")
        if self.tile_bytes % 1:
            raise CuteLabError(f"the tile has {self.tile_bytes} bytes; choose sizes that fill whole bytes")
        limit = self.shared_limit
        if limit is not None and self.shared_bytes > limit:
            fits = int(limit // self.tile_bytes)
            advice = f"{fits} would fit" if fits else "not even one fits; choose a smaller tile"
            raise CuteLabError(
                f"{_count(self.stages, 'stage')} of {int(self.tile_bytes):,} bytes need {int(self.shared_bytes):,} bytes of shared memory; "
                f"a block of {self.arch_name} has at most {limit:,} ({limit // 1024} KB): {advice}"
            )

    @property
    def tile_bytes(self) -> float:
        """Bytes of one stage: the tiles of A and B."""
        return (self.m + self.n) * self.k * self.element_bytes

    @property
    def shared_bytes(self) -> float:
        """Shared memory of all stages."""
        return self.stages * self.tile_bytes

    @property
    def chip(self) -> Chip | None:
        """Whose limits hold? None without an architecture."""
        if self.arch is None or isinstance(self.arch, Chip):
            return self.arch
        found = chip_named(self.arch) if isinstance(self.arch, str) else None
        if found is None:
            raise CuteLabError(
                f"the architecture {shown(self.arch)} is not known; known are {', '.join(CHIPS)}, a Chip, or None for no limit"
            )
        return found

    @property
    def arch_name(self) -> str:
        """The architecture as it is written; "" without one."""
        return self.arch.name if isinstance(self.arch, Chip) else self.arch or ""

    @property
    def shared_limit(self) -> int | None:
        """The most shared memory that a block of this architecture may have, in bytes; None without an architecture."""
        return None if self.chip is None else self.chip.block_bytes

    @property
    def flops(self) -> int:
        """Floating-point operations of one tile: 2 m n k."""
        return 2 * self.m * self.n * self.k

    @property
    def intensity(self) -> float:
        """Operations for each byte that is copied. k cancels: only m, n and the element count.

        >>> Pipeline(128, 128, 32).intensity, Pipeline(64, 64, 32).intensity
        (64.0, 32.0)
        """
        return self.flops / self.tile_bytes

    @property
    def copy_cycles(self) -> float:
        """How long does one tile keep the copy channel busy? (Without the latency.)"""
        return self.tile_bytes / self.copy_rate

    @property
    def mma_cycles(self) -> float:
        """How long does the MMA take for one tile?"""
        return self.flops / self.mma_rate

    @property
    def bound(self) -> float:
        """The fewest cycles a tile, whatever the stages: max(copy, MMA + issue)."""
        return max(self.copy_cycles, self.mma_cycles + self.issue)

    @property
    def arrival(self) -> float:
        """From the issue of a copy until its last byte is there, if no other copy is in the way: latency + copy."""
        return self.latency + self.copy_cycles

    @property
    def round_trip(self) -> float:
        """From the issue of a copy until its stage is free again, if nothing else waits: latency + copy + MMA."""
        return self.arrival + self.mma_cycles

    @property
    def steady_state(self) -> float:
        """Cycles a tile once the pipeline is full: `cycles_a_tile` of these numbers.

        >>> [Pipeline(128, 128, 32, stages=s).steady_state for s in (1, 2, 3, 4, 5)]
        [1624.0, 812.0, 541.3333333333334, 512.0, 512.0]
        >>> [Pipeline(128, 128, 32, stages=s, loop="together", issue=480).steady_state for s in (1, 2, 3, 4)]
        [1624.0, 1112.0, 992.0, 992.0]
        """
        return cycles_a_tile(
            self.loop,
            self.stages,
            self.mma_cycles,
            arrival=self.arrival,
            rate=self.copy_cycles,
            issue=self.issue,
        )

    @property
    def stages_needed(self) -> int:
        """The fewest stages that reach the bound."""
        if self.loop == "together":
            alone = max(self.arrival, self.issue) + self.mma_cycles <= self.bound
            return 1 if alone else max(2, 1 + ceil(self.arrival / self.bound - 1e-9))
        return max(1, ceil(self.round_trip / self.bound - 1e-9))

    @property
    def limited_by(self) -> str:
        """What sets the steady state: "MMA" (with what its threads do besides), "copy" or "stages"?"""
        if self.steady_state > self.bound:
            return "stages"
        return "MMA" if self.mma_cycles + self.issue >= self.copy_cycles else "copy"

    def timeline(self) -> Timeline:
        """When is each tile copied and multiplied? Arrays, one entry a tile.

        >>> Pipeline(64, 64, 32, stages=1, latency=100, copy_rate=64, mma_rate=2048, tiles=3).timeline().mma_end.tolist()
        [356.0, 712.0, 1068.0]
        """
        copy, mma, latency = self.copy_cycles, self.mma_cycles, self.latency
        together = self.loop == "together"
        ahead = self.stages - 1 if together else self.stages  # so many copies are issued at once in the beginning
        turn = max(1, ahead)
        issue, copy_end, mma_end = np.zeros((3, self.tiles))
        more = mma + self.issue
        for first in range(0, self.tiles, turn):  # the copies of a turn wait for the turn before it
            here = slice(first, min(first + turn, self.tiles))
            i = np.arange(here.stop - first, dtype=np.int64)
            before_copy, before_mma = (copy_end[first - 1], mma_end[first - 1]) if first else (0.0, 0.0)
            if first and together and ahead:  # the threads issue it when an earlier tile is there and they are free
                issue[here] = mma_end[first - turn + i] - more
            elif first:
                issue[here] = mma_end[first - turn + i]
            ready = np.maximum.accumulate(np.maximum(issue[here] + latency, before_copy) - copy * i)
            copy_end[here] = ready + copy * (i + 1)
            arrived, free = copy_end[here], before_mma
            if together and ahead:  # wait, issue the next copy, multiply
                start = np.maximum.accumulate(np.maximum(arrived, free) - more * i)
                mma_end[here] = start + more * (i + 1)
            elif together:  # one stage: issue, wait, multiply
                mma_end[here] = np.maximum(arrived, issue[here] + self.issue) + mma
            else:  # multiply, signal that the stage is free
                pause = self.issue if first else 0.0
                start = np.maximum.accumulate(np.maximum(arrived, free + pause) - more * i)
                mma_end[here] = start + more * i + mma
        return Timeline.of(
            issue,
            copy_end - copy,
            copy_end,
            mma_end - mma,
            mma_end,
            np.arange(self.tiles, dtype=np.int64) % self.stages,
        )

    def occupancy(self, threads: int, registers: int) -> Occupancy:
        """How many blocks with these stages does a multiprocessor hold at once? threads of a block, registers of a thread.

        >>> Pipeline(128, 128, 64, stages=3, arch="sm_90").occupancy(256, 128).blocks
        2
        """
        return occupancy(threads, registers, int(self.shared_bytes), chip=self.chip or H200)

    def summary(self) -> str:
        """The verdict in words."""
        steady, bound = (f"{x:,.0f}" for x in (self.steady_state, self.bound))
        if self.limited_by != "stages":
            other = "copy" if self.limited_by == "MMA" else "MMA"
            busy = f"the {self.limited_by} is" if not self.issue or other == "MMA" else "the threads that multiply are"
            return f"{bound} cycles a tile, the bound: {busy} always busy, the {other} waits for {'it' if 'is' in busy else 'them'}"
        return (
            f"{steady} cycles a tile where {bound} would do: {_count(self.stages, 'stage')} "
            f"{'does' if self.stages == 1 else 'do'} not cover the latency of {self.latency:,.0f} cycles, {self.stages_needed} would"
        )


@dataclass(frozen=True, eq=False)
class Timeline:
    """When does each tile wait, move and multiply? Read-only arrays of cycles, one entry a tile.

    issue                   the copy is issued: its stage is free
    copy_start, copy_end    its data flow into shared memory
    mma_start, mma_end      it is multiplied
    stage                   the stage of shared memory that holds it
    copy_waits, mma_waits   what each was last to wait for: "stage", "channel" or "latency"; "data" or "MMA"

    >>> line = Pipeline(64, 64, 32, stages=2, latency=100, copy_rate=64, mma_rate=2048, tiles=4).timeline()
    >>> line.mma_start.tolist(), line.mma_waits.tolist()
    ([228.0, 356.0, 584.0, 712.0], ['data', 'data', 'data', 'data'])
    """

    issue: np.ndarray
    copy_start: np.ndarray
    copy_end: np.ndarray
    mma_start: np.ndarray
    mma_end: np.ndarray
    stage: np.ndarray
    copy_waits: np.ndarray = field(repr=False)
    mma_waits: np.ndarray = field(repr=False)

    @classmethod
    def of(
        cls,
        issue: np.ndarray,
        copy_start: np.ndarray,
        copy_end: np.ndarray,
        mma_start: np.ndarray,
        mma_end: np.ndarray,
        stage: np.ndarray,
    ) -> Timeline:
        """A timeline from its times; what waits for what follows from them."""
        before_copy, before_mma = (np.concatenate([[-np.inf], x[:-1]]) for x in (copy_end, mma_end))
        channel = np.isclose(copy_start, before_copy) & (copy_start > issue)
        copy_waits = np.where(channel, "channel", np.where(issue > 0, "stage", "latency"))
        mma_waits = np.where(np.isclose(mma_start, before_mma) & (before_mma > copy_end), "MMA", "data")
        arrays = (issue, copy_start, copy_end, mma_start, mma_end, stage, copy_waits, mma_waits)
        for array in arrays:
            array.setflags(write=False)
        return cls(*arrays)

    @property
    def full_phase(self) -> np.ndarray:
        """Which phase of its stage's full barrier does each tile complete, and its MMA wait for? 0, 1, 0, 1 ... of each stage.

        The barrier flips at `copy_end`, when all bytes are there.
        """
        return (np.arange(len(self.stage), dtype=np.int64) // self._stages) % 2

    @property
    def empty_phase(self) -> np.ndarray:
        """Which phase of its stage's empty barrier must be complete before each copy? The first round waits for phase 1.

        A new barrier is in phase 0, so that phase 1 counts as complete and the first copies go at once. It flips at `mma_end`.
        """
        return 1 - self.full_phase

    @property
    def _stages(self) -> int:
        return int(self.stage.max()) + 1

    @property
    def total(self) -> float:
        """Cycles until the last tile is multiplied."""
        return float(self.mma_end[-1])

    @property
    def mma_idle(self) -> np.ndarray:
        """How long does the MMA stand still before each tile?"""
        idle: np.ndarray = self.mma_start - np.concatenate([[0.0], self.mma_end[:-1]])
        return idle

    @property
    def mma_busy(self) -> float:
        """The share of the time in which the MMA works."""
        return float((self.mma_end - self.mma_start).sum() / self.total)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
