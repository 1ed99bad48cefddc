"""Maps that deal a tile out thread by thread: strip-mined (SIMT), the two GEMV policies, and 4 x 4 thread tiles (DP4A)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.thread_map.base import MAX_THREADS, Mode, ThreadMap, near_multiples


@dataclass(frozen=True)
class PitchLinearStripminedThreadMap(ThreadMap):
    """How do threads share a tile when they are dealt out along contiguous first, then along strided? (SIMT, WMMA)

    With E = elements_per_access and V = contiguous / E vectors in a line: init(t) = ((t % V) * E, t / V).
    threads >= V: Iterations (1, ceil(strided / (threads / V))), Delta (1, threads / V). threads < V: (V / threads, strided),
    (threads * E, 1). Not rejected: a strided extent that is no multiple of threads / V; then the last iteration runs past the
    tile, and `storage_shape` says how much storage that needs.
    Raises CuteLabError unless E divides contiguous, and one of V and threads divides the other.

    >>> simt = PitchLinearStripminedThreadMap(PitchLinearShape(16, 8), 32, 1)
    >>> simt.iterations, simt.delta
    (PitchLinearShape(contiguous=1, strided=4), PitchLinearShape(contiguous=1, strided=2))
    >>> print(simt, "covers", simt.coverage())
    PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1> covers 128 elements, each touched once
    """

    shape: PitchLinearShape
    threads: int
    elements_per_access: int = 1

    @property
    def _vectors(self) -> int:
        return self.shape.contiguous // self.elements_per_access

    def _check(self) -> None:
        c, e, t = self.shape.contiguous, self.elements_per_access, self.threads
        if c % e:
            self._reject(
                f"ElementsPerAccess {e} does not divide the contiguous extent {c}",
                f"Use {near_multiples(c, e)} columns",
            )
        v = self._vectors
        if not (t < v and v % t == 0) and t % v:
            self._reject(
                f"a line has {v} vectors, and neither do {t} threads divide it nor does it divide {t} threads",
                f"Use {_fitting(t, v)} threads, or a line of {t} vectors ({t * e} columns)",
            )

    @property
    def iterations(self) -> PitchLinearShape:
        v, t = self._vectors, self.threads
        if t >= v:
            return PitchLinearShape(1, -(-self.shape.strided // (t // v)))
        return PitchLinearShape(v // t, self.shape.strided)

    @property
    def delta(self) -> PitchLinearShape:
        v, t = self._vectors, self.threads
        return PitchLinearShape(1, t // v) if t >= v else PitchLinearShape(t * self.elements_per_access, 1)

    @property
    def storage_shape(self) -> PitchLinearShape:
        v, t = self._vectors, self.threads
        if t >= v:
            return PitchLinearShape(self.shape.contiguous, self.iterations.strided * (t // v))
        return self.shape

    def _start(self, t: Any) -> tuple[Any, Any]:
        return t % self._vectors * self.elements_per_access, t // self._vectors

    def _thread_modes(self) -> tuple[Mode, ...]:
        v, e = self._vectors, self.elements_per_access
        if self.threads >= v:
            return ((v, (e, 0)), (self.threads // v, (0, 1)))
        return ((self.threads, (e, 0)),)


@dataclass(frozen=True)
class PitchLinearTilePolicyStripminedThreadContiguous(ThreadMap):
    """How do threads share a tile when each owns one run of every line? (GEMV)

    Iterations (contiguous / (threads * E), strided), Delta (1, 1), init(t) = (t * Iterations.contiguous * E, 0).
    Not rejected: Delta counts elements, so with Iterations.contiguous > 1 and E > 1 the accesses overlap and leave holes.
    Raises CuteLabError unless threads * E divides contiguous.

    >>> print(PitchLinearTilePolicyStripminedThreadContiguous((128, 1), 32, 2).coverage())
    128 elements: 32 missed, 32 touched more than once (up to 2 times)
    """

    shape: PitchLinearShape
    threads: int
    elements_per_access: int = 1

    def _check(self) -> None:
        c, step = self.shape.contiguous, self.threads * self.elements_per_access
        if c % step:
            self._reject(
                f"Threads * ElementsPerAccess = {step} does not divide the contiguous extent {c}",
                f"Use {near_multiples(c, step)} columns",
            )

    @property
    def iterations(self) -> PitchLinearShape:
        return PitchLinearShape(self.shape.contiguous // (self.threads * self.elements_per_access), self.shape.strided)

    @property
    def delta(self) -> PitchLinearShape:
        return PitchLinearShape(1, 1)

    def _start(self, t: Any) -> tuple[Any, Any]:
        return t * self.iterations.contiguous * self.elements_per_access, 0

    def _thread_modes(self) -> tuple[Mode, ...]:
        return ((self.threads, (self.iterations.contiguous * self.elements_per_access, 0)),)


@dataclass(frozen=True)
class PitchLinearTilePolicyStripminedThreadStrided(ThreadMap):
    """How do threads share a tile when each owns whole neighbouring lines? (GEMV)

    Iterations (contiguous / E, strided / threads), Delta (1, 1), init(t) = (0, t * Iterations.strided). Not rejected: an E
    that does not divide contiguous (the last columns are missed), and overlaps where contiguous / E > 1 and E > 1.
    Raises CuteLabError unless threads divides strided.

    >>> print(PitchLinearTilePolicyStripminedThreadStrided((6, 32), 16, 4).coverage())
    192 elements: 64 missed
    """

    shape: PitchLinearShape
    threads: int
    elements_per_access: int = 1

    def _check(self) -> None:
        if self.shape.strided % self.threads:
            self._reject(
                f"Threads {self.threads} does not divide the strided extent {self.shape.strided}",
                f"Use {near_multiples(self.shape.strided, self.threads)} lines",
            )

    @property
    def iterations(self) -> PitchLinearShape:
        return PitchLinearShape(self.shape.contiguous // self.elements_per_access, self.shape.strided // self.threads)

    @property
    def delta(self) -> PitchLinearShape:
        return PitchLinearShape(1, 1)

    def _start(self, t: Any) -> tuple[Any, Any]:
        return 0, t * self.iterations.strided

    def _thread_modes(self) -> tuple[Mode, ...]:
        return ((self.threads, (0, self.iterations.strided)),)


@dataclass(frozen=True)
class PitchLinear2DThreadTileStripminedThreadMap(ThreadMap):
    """How do threads share a tile when each takes 4 x 4 elements at a time? (int8 DP4A SIMT)

    With V = (contiguous / 4, strided / 4): init(t) = ((t % V.c) * 4, (t / V.c) * 4). threads >= V.c: Iterations
    (1, V.s / (threads / V.c)), Delta (contiguous, threads * 4 / V.c). threads < V.c: (V.c / threads, V.s), (threads * 4, 1).
    Not rejected: in the second case a Delta of 1 line under thread tiles of 4, so with V.s > 1 they overlap and miss lines.
    Raises CuteLabError for another thread tile than 4 x 4, unless 4 divides contiguous, 16 * threads divides the tile, and the
    vectors divide evenly.

    >>> print(PitchLinear2DThreadTileStripminedThreadMap((256, 8), 32, (4, 4)).coverage())
    2048 elements: 768 missed, 768 touched more than once (up to 2 times)
    """

    shape: PitchLinearShape
    threads: int
    thread_tile_shape: PitchLinearShape

    @property
    def elements_per_access(self) -> int:  # type: ignore[override]
        """4, the width of the thread tile."""
        return self.thread_tile_shape.contiguous

    @property
    def thread_access_shape(self) -> PitchLinearShape:
        return self.thread_tile_shape

    @property
    def _vectors(self) -> PitchLinearShape:
        return PitchLinearShape(self.shape.contiguous // 4, self.shape.strided // 4)

    def _check(self) -> None:
        t = self.threads
        if self.thread_tile_shape != (4, 4):
            self._reject(
                "the class exists only for thread tiles of 4 x 4 (the others are incomplete types)",
                "Use PitchLinearShape<4,4>",
            )
        if self.shape.contiguous % 4:
            self._reject(
                f"4 does not divide the contiguous extent {self.shape.contiguous}",
                f"Use {near_multiples(self.shape.contiguous, 4)} columns",
            )
        if self.shape.count % (16 * t):
            self._reject(
                f"{t} threads with 16 elements each do not divide the tile's {self.shape.count} elements",
                f"Use a tile of {near_multiples(self.shape.count, 16 * t)} elements",
            )
        v = self._vectors
        if not (t < v.contiguous and v.contiguous % t == 0) and (t % v.contiguous or v.strided % (t // v.contiguous)):
            self._reject(
                f"the tile has {v.contiguous} x {v.strided} thread tiles, and {t} threads do not divide them evenly",
                f"Use {v.contiguous} threads",
            )

    @property
    def iterations(self) -> PitchLinearShape:
        v, t = self._vectors, self.threads
        if t >= v.contiguous:
            return PitchLinearShape(1, v.strided // (t // v.contiguous))
        return PitchLinearShape(v.contiguous // t, v.strided)

    @property
    def delta(self) -> PitchLinearShape:
        v, t = self._vectors, self.threads
        if t >= v.contiguous:
            return PitchLinearShape(self.shape.contiguous, t * 4 // v.contiguous)
        return PitchLinearShape(t * 4, 1)

    def _start(self, t: Any) -> tuple[Any, Any]:
        v = self._vectors.contiguous
        return t % v * 4, t // v * 4

    def _thread_modes(self) -> tuple[Mode, ...]:
        v = self._vectors.contiguous
        if self.threads >= v:
            return ((v, (4, 0)), (self.threads // v, (0, 4)))
        return ((self.threads, (4, 0)),)


def _fitting(threads: int, vectors: int) -> str:
    """The thread counts nearest to this one that divide the vectors of a line or are a multiple of them."""
    fits = [n for n in range(1, min(vectors, MAX_THREADS + 1)) if vectors % n == 0] + [
        vectors,
        vectors * (threads // vectors + 1),
    ]
    fits += [vectors * (threads // vectors)] if threads >= vectors else []
    near = sorted(sorted({n for n in fits if n <= MAX_THREADS}, key=lambda n: abs(n - threads))[:2])
    return " or ".join(map(str, near))
