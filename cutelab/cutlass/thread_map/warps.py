"""Maps that place whole warps on the tile: raked (each warp owns a block) and striped (warps take turns)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.thread_map.base import Mode, ThreadMap, near_multiples


class WarpMap(ThreadMap):
    """Base of the three maps by warps. n = threads / (wc * ws) warps of wc x ws lanes; W = how many warp-wide accesses the
    tile has, (contiguous / E / wc, strided / ws); `warp_arrangement` = (nc, ns), how the warps share them."""

    warp_thread_arrangement: PitchLinearShape

    @property
    def warps(self) -> int:
        """How many warps? threads / (wc * ws), rounded down, as CUTLASS does."""
        return self.threads // self.warp_thread_arrangement.count

    @property
    def warp_accesses(self) -> PitchLinearShape:
        """How many warp-wide accesses does the tile have? (WarpAccessIterations)"""
        wta = self.warp_thread_arrangement
        return PitchLinearShape(
            self.shape.contiguous // self.elements_per_access // wta.contiguous, self.shape.strided // wta.strided
        )

    @property
    def warp_arrangement(self) -> PitchLinearShape:
        """How are the warps arranged over the tile? (WarpArrangement)"""
        raise NotImplementedError

    def _check_vectors(self) -> None:
        c, e = self.shape.contiguous, self.elements_per_access
        if c % e:
            self._reject(
                f"Shape must be divisible by the vector length; ElementsPerAccess {e} does not divide {c}",
                f"Use {near_multiples(c, e * self.warp_thread_arrangement.contiguous)} columns",  # whole accesses of a warp
            )

    def _check_lanes(self) -> None:
        e, wta = self.elements_per_access, self.warp_thread_arrangement
        vectors = self.shape.contiguous // e
        if vectors % wta.contiguous:
            self._reject(
                f"the tile is {vectors} vectors wide, no multiple of the warp's {wta.contiguous} lanes",
                f"Use {near_multiples(self.shape.contiguous, e * wta.contiguous)} columns",
            )
        if self.shape.strided % wta.strided:
            self._reject(
                f"the tile has {self.shape.strided} lines, no multiple of the warp's {wta.strided}",
                f"Use {near_multiples(self.shape.strided, wta.strided)} lines",
            )

    def _check_work(self) -> None:
        count, accesses = self.warps, self.warp_accesses
        if not count:
            self._reject(
                f"{self.threads} threads are less than one warp of {self.warp_thread_arrangement.count}",
                f"Use {self.warp_thread_arrangement.count} threads or more",
            )
        if not accesses.count:
            wta, e = self.warp_thread_arrangement, self.elements_per_access
            self._reject(
                f"the number of iterations must not be zero: one access of a warp covers {wta.contiguous * e} x {wta.strided} "
                f"elements, more than the tile of {self.shape.contiguous} x {self.shape.strided}",
                "Use a tile of at least one access of a warp",
            )
        if not self.warp_arrangement.count or not self.iterations.count:
            self._reject(
                f"the number of iterations must not be zero: the tile has {accesses.contiguous} x {accesses.strided} "
                f"warp-wide accesses for {count} warps",
                f"Use {self.warp_thread_arrangement.count} threads, or a tile of more warp-wide accesses",
            )

    @property
    def iterations(self) -> PitchLinearShape:
        accesses, warps = self.warp_accesses, self.warp_arrangement
        return PitchLinearShape(accesses.contiguous // warps.contiguous, accesses.strided // warps.strided)

    @property
    def delta(self) -> PitchLinearShape:
        wta = self.warp_thread_arrangement
        return PitchLinearShape(wta.contiguous * self.elements_per_access, wta.strided)

    @property
    def _footprint(self) -> tuple[int, int]:
        """From one warp to the next, in elements."""
        wta, it = self.warp_thread_arrangement, self.iterations
        return wta.contiguous * it.contiguous * self.elements_per_access, wta.strided * it.strided

    def _start(self, t: Any) -> tuple[Any, Any]:
        wta, (across, down) = self.warp_thread_arrangement, self._footprint
        warp, lane = t // wta.count, t % wta.count
        columns = self.warp_arrangement.contiguous
        return (
            warp % columns * across + lane % wta.contiguous * self.elements_per_access,
            warp // columns * down + lane // wta.contiguous,
        )

    def _thread_modes(self) -> tuple[Mode, ...]:
        wta, (across, down) = self.warp_thread_arrangement, self._footprint
        columns = self.warp_arrangement.contiguous
        if self.threads % wta.count and self.threads > wta.count:
            self._no_layout(f"{self.threads} threads are no whole number of warps of {wta.count} lanes")
        if self.warps > columns and self.warps % columns:
            self._no_layout(f"{self.warps} warps do not fill lines of {columns} warps")
        columns = min(columns, self.warps)
        return (
            (wta.contiguous, (self.elements_per_access, 0)),
            (wta.strided, (0, 1)),
            (columns, (across, 0)),
            (self.warps // columns, (0, down)),
        )


@dataclass(frozen=True)
class PitchLinearWarpRakedThreadMap(WarpMap):
    """How do warps share a tile when each owns one block, spread over strided first? (Tensor cores: Volta, Turing, Ampere)

    ns = min(n, W.s), nc = n / ns if n > W.s else 1; Iterations (W.c / nc, W.s / ns); Delta (wc * E, ws).
    init(t): warp w = t / (wc * ws) begins at ((w % nc) * wc * It.c * E, (w / nc) * ws * It.s); its lanes lie in wc x ws.
    Not rejected: W.s no multiple of ns or W.c of nc (the rest of the tile is missed); threads no multiple of wc * ws.
    Raises CuteLabError unless E divides contiguous and the lanes divide the tile, and for more warps than accesses.

    >>> raked = PitchLinearWarpRakedThreadMap(PitchLinearShape(128, 32), 128, PitchLinearShape(8, 4), 8)
    >>> str(raked.warp_arrangement), str(raked.iterations), str(raked.delta)
    ('PitchLinearShape<1,4>', 'PitchLinearShape<2,2>', 'PitchLinearShape<64,4>')
    >>> print(PitchLinearWarpRakedThreadMap((64, 12), 64, (8, 4), 8).coverage())
    768 elements: 256 missed
    """

    shape: PitchLinearShape
    threads: int
    warp_thread_arrangement: PitchLinearShape
    elements_per_access: int = 1

    def _check(self) -> None:
        self._check_vectors()
        self._check_lanes()
        self._check_work()

    @property
    def warp_arrangement(self) -> PitchLinearShape:
        n, rows = self.warps, self.warp_accesses.strided
        down = min(n, rows)
        return PitchLinearShape(n // down if n > rows else 1, down)


@dataclass(frozen=True)
class PitchLinearStridedWarpRakedThreadMap(WarpMap):
    """The same as PitchLinearWarpRakedThreadMap, with the warps spread over contiguous first. (NCxHWx; no header uses it)

    nc = min(n, W.c), ns = n / nc if n > W.c else 1; Iterations, Delta and init as there. Rejections of that map apply too.

    >>> strided = PitchLinearStridedWarpRakedThreadMap(PitchLinearShape(128, 32), 128, PitchLinearShape(8, 4), 8)
    >>> str(strided.warp_arrangement), str(strided.iterations)
    ('PitchLinearShape<2,2>', 'PitchLinearShape<1,4>')
    """

    shape: PitchLinearShape
    threads: int
    warp_thread_arrangement: PitchLinearShape
    elements_per_access: int = 1

    def _check(self) -> None:
        self._check_vectors()
        self._check_lanes()
        self._check_work()
        base = (self.shape, self.threads, self.warp_thread_arrangement, self.elements_per_access)
        PitchLinearWarpRakedThreadMap(*base)

    @property
    def warp_arrangement(self) -> PitchLinearShape:
        n, columns = self.warps, self.warp_accesses.contiguous
        across = min(n, columns)
        return PitchLinearShape(across, n // across if n > columns else 1)


@dataclass(frozen=True)
class PitchLinearWarpStripedThreadMap(WarpMap):
    """How do warps share a tile when they take turns along strided? (FP64 and complex tensor cores of SM80)

    ns = n if W.s >= n else n / W.s; nc = W.c / ns if n > W.s else 1; Iterations (W.c / nc, W.s / ns); Delta (wc * E, ws * ns).
    init(t): warp w begins at ((w % nc) * wc * It.c * E, (w / nc) * ws). Not rejected: lanes that do not divide the tile (the
    rest is missed), and more warps than W.s, where the formulas for ns and nc can send warps past the tile.
    Raises CuteLabError unless E divides contiguous, and where a count becomes zero.

    >>> print(PitchLinearWarpStripedThreadMap((64, 8), 128, (8, 4), 4).coverage())
    512 elements: 512 touches outside the tile
    """

    shape: PitchLinearShape
    threads: int
    warp_thread_arrangement: PitchLinearShape
    elements_per_access: int = 1

    def _check(self) -> None:
        self._check_vectors()
        self._check_work()

    @property
    def warp_arrangement(self) -> PitchLinearShape:
        n, accesses = self.warps, self.warp_accesses
        down = n if accesses.strided >= n else n // accesses.strided
        return PitchLinearShape(accesses.contiguous // down if n > accesses.strided else 1, down)

    @property
    def delta(self) -> PitchLinearShape:
        wta = self.warp_thread_arrangement
        return PitchLinearShape(wta.contiguous * self.elements_per_access, wta.strided * self.warp_arrangement.strided)

    @property
    def _footprint(self) -> tuple[int, int]:
        wta = self.warp_thread_arrangement
        return wta.contiguous * self.iterations.contiguous * self.elements_per_access, wta.strided
