"""Maps made from another map: the shared-memory side of a copy whose tile is transposed on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from cutelab.core.errors import CuteLabError, shown
from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.thread_map.base import Mode, ThreadMap, near_multiples
from cutelab.cutlass.thread_map.stripmined import (
    PitchLinearTilePolicyStripminedThreadContiguous,
    PitchLinearTilePolicyStripminedThreadStrided,
)
from cutelab.cutlass.thread_map.warps import WarpMap

GEMV = (PitchLinearTilePolicyStripminedThreadContiguous, PitchLinearTilePolicyStripminedThreadStrided)


class TransposedMap(ThreadMap):
    """Base of the three transposed maps: Shape, Threads and ElementsPerAccess are those of the base map.

    In CUTLASS `Shape` stays the base map's shape although the coordinates live in the transposed tile; `tile` is that tile.
    """

    thread_map: ThreadMap

    TRANSPOSED: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.thread_map, ThreadMap):
            raise CuteLabError(f"{type(self).__name__} is made from another thread map, got {shown(self.thread_map)}")
        super().__post_init__()

    @property
    def shape(self) -> PitchLinearShape:  # type: ignore[override]
        """The base map's shape, as in CUTLASS; see `tile`."""
        return self.thread_map.shape

    @property
    def threads(self) -> int:  # type: ignore[override]
        """The base map's threads."""
        return self.thread_map.threads

    @property
    def elements_per_access(self) -> int:  # type: ignore[override]
        """The base map's vector width."""
        return self.thread_map.elements_per_access

    @property
    def tile(self) -> PitchLinearShape:
        base = self.thread_map.tile
        return PitchLinearShape(base.strided, base.contiguous)

    @property
    def iterations(self) -> PitchLinearShape:
        base = self.thread_map.iterations
        return PitchLinearShape(base.strided, base.contiguous)

    @property
    def delta(self) -> PitchLinearShape:
        base = self.thread_map.delta
        return PitchLinearShape(base.strided, base.contiguous)

    def _start(self, t: Any) -> tuple[Any, Any]:
        contiguous, strided = self.thread_map._start(t)
        return strided, contiguous

    def _thread_modes(self) -> tuple[Mode, ...]:
        return tuple((extent, (s, c)) for extent, (c, s) in self.thread_map._thread_modes())

    def _check_base(self) -> None:
        if isinstance(self.thread_map, GEMV):
            self._reject(
                f"{type(self.thread_map).__name__} has no Shape and no ThreadAccessShape to transpose",
                "Use a strip-mined map or a map by warps",
            )
        if not self.iterations.count:
            self._reject("the number of iterations must not be zero", "Use a larger tile")


@dataclass(frozen=True)
class TransposePitchLinearThreadMap(TransposedMap):
    """How is the shared side of an interleaved tensor-core GEMM shared out? (The global tile is congruous, shared crosswise.)

    Iterations = the base's, exchanged; Delta (wc * E, ws); warps arranged as the base's, exchanged: WA = (base.ns, base.nc).
    init(t), with w = t / (wc * ws) and l = t % (wc * ws): (((w / WA.s) * wc * It.c + l % wc) * E, (w % WA.s) * ws * It.s + l / wc).
    The tile is (K, M): a base tile (M * I, K / I) with interleave I = wc * E gives (K, M).
    Raises CuteLabError unless the base is a map by warps with one strided iteration.

    >>> from cutelab.cutlass.thread_map import PitchLinearWarpRakedThreadMap
    >>> base = PitchLinearWarpRakedThreadMap((2048, 2), 128, (32, 1), 16)
    >>> shared = TransposePitchLinearThreadMap(base, PitchLinearShape(2, 16))
    >>> str(shared.tile), str(shared.iterations), str(shared.delta), shared.coverage().exact
    ('PitchLinearShape<64,64>', 'PitchLinearShape<1,2>', 'PitchLinearShape<32,16>', True)
    """

    thread_map: ThreadMap
    warp_thread_arrangement: PitchLinearShape

    def _check(self) -> None:
        if not isinstance(self.thread_map, WarpMap):
            self._reject(
                f"{type(self.thread_map).__name__} does not say how warps are arranged",
                "Use PitchLinearWarpRakedThreadMap, PitchLinearStridedWarpRakedThreadMap or PitchLinearWarpStripedThreadMap",
            )
        if self.iterations.contiguous != 1:
            self._reject(
                f"its contiguous iterations must be 1, and the base map has {self.iterations.contiguous} strided ones",
                "Use more warps, or a base tile of fewer lines",
            )

    @property
    def tile(self) -> PitchLinearShape:
        interleave = self.warp_thread_arrangement.contiguous * self.elements_per_access
        return PitchLinearShape(self.shape.strided * interleave, max(1, self.shape.contiguous // interleave))

    @property
    def warp_arrangement(self) -> PitchLinearShape:
        """How are the warps arranged over the transposed tile? (WarpArrangement)"""
        assert isinstance(self.thread_map, WarpMap)
        base = self.thread_map.warp_arrangement
        return PitchLinearShape(base.strided, base.contiguous)

    @property
    def delta(self) -> PitchLinearShape:
        wta = self.warp_thread_arrangement
        return PitchLinearShape(wta.contiguous * self.elements_per_access, wta.strided)

    @property
    def _footprint(self) -> tuple[int, int]:
        wta, it = self.warp_thread_arrangement, self.iterations
        return wta.contiguous * it.contiguous * self.elements_per_access, wta.strided * it.strided

    def _start(self, t: Any) -> tuple[Any, Any]:
        wta, (across, down) = self.warp_thread_arrangement, self._footprint
        warp, lane, lines = t // wta.count, t % wta.count, self.warp_arrangement.strided
        return (
            warp // lines * across + lane % wta.contiguous * self.elements_per_access,
            warp % lines * down + lane // wta.contiguous,
        )

    def _thread_modes(self) -> tuple[Mode, ...]:
        wta, (across, down) = self.warp_thread_arrangement, self._footprint
        if self.threads % wta.count:
            self._no_layout(f"{self.threads} threads are no whole number of warps of {wta.count} lanes")
        warps, lines = self.threads // wta.count, self.warp_arrangement.strided
        if warps > lines and warps % lines:
            self._no_layout(f"{warps} warps do not fill columns of {lines} warps")
        lines = min(lines, warps)
        return (
            (wta.contiguous, (self.elements_per_access, 0)),
            (wta.strided, (0, 1)),
            (lines, (0, down)),
            (warps // lines, (across, 0)),
        )


@dataclass(frozen=True)
class TransposePitchLinearThreadMapSimt(TransposedMap):
    """The base map with contiguous and strided exchanged in Iterations, Delta and init. (SIMT GEMM, one element an access)

    Raises CuteLabError unless the base has E = 1 and one contiguous iteration.

    >>> from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap
    >>> shared = TransposePitchLinearThreadMapSimt(PitchLinearStripminedThreadMap((8, 128), 256, 1))
    >>> str(shared.tile), str(shared.iterations), str(shared.delta)
    ('PitchLinearShape<128,8>', 'PitchLinearShape<4,1>', 'PitchLinearShape<32,1>')
    """

    thread_map: ThreadMap

    def _check(self) -> None:
        e = self.elements_per_access
        if e != 1:
            self._reject(
                f"the SIMT transpose needs ElementsPerAccess 1, and the base map has {e}", "Use a base map with 1"
            )
        self._check_base()
        if (n := self.iterations.strided) != 1:
            base = self.thread_map.shape.contiguous
            self._reject(
                f"its strided iterations must be 1, and the base map has {n} contiguous ones",
                f"Use {near_multiples(self.threads, base)} threads, so that one step of the base map covers whole lines",
            )

    @property
    def thread_access_shape(self) -> PitchLinearShape:
        return self.thread_map.thread_access_shape


@dataclass(frozen=True)
class TransposePitchLinearThreadMap2DThreadTile(TransposedMap):
    """The base map with contiguous and strided exchanged; the thread tile stays 4 x 4. (int8 DP4A SIMT)

    Raises CuteLabError unless the base has more than one element an access.

    >>> from cutelab.cutlass.thread_map import PitchLinear2DThreadTileStripminedThreadMap
    >>> shared = TransposePitchLinearThreadMap2DThreadTile(PitchLinear2DThreadTileStripminedThreadMap((64, 32), 64, (4, 4)))
    >>> str(shared.iterations), str(shared.delta), shared.coverage().exact
    ('PitchLinearShape<2,1>', 'PitchLinearShape<16,64>', True)
    """

    thread_map: ThreadMap

    def _check(self) -> None:
        e = self.elements_per_access
        if e <= 1:
            self._reject(
                f"the 2-D transpose needs ElementsPerAccess above 1, and the base map has {e}",
                "Use PitchLinear2DThreadTileStripminedThreadMap, or TransposePitchLinearThreadMapSimt for one element",
            )
        self._check_base()

    @property
    def thread_access_shape(self) -> PitchLinearShape:
        return self.thread_map.thread_access_shape
