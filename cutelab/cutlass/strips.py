"""The strip formula of an article about CUTLASS 2.x thread maps, under a name of its own: `StripThreadMap`.

It is a simplification, and no class of CUTLASS computes it: for the real ones see `cutelab.cutlass.thread_map`. It equals the
start offset of PitchLinearStripminedThreadMap only if Pitch is the tile's width and Strips >= threads / Pitch. Beyond that its
third term jumps too far by a factor Pitch: the next group of rows begins at Strips * row_pitch, not Pitch * Strips * row_pitch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout
from cutelab.cutlass.pitch_linear import Coverage, as_shape, by_warp, count_coverage, whole_number

MAX_THREADS = 1024  # of one thread block


@dataclass(frozen=True)
class StripThreadMap:
    """At which offset does a thread work? t % P + ((t / P) % S) * row_pitch + ((t / P) / S) * (P * S * row_pitch)

    P is Pitch, S is Strips, divisions are integer divisions, offsets count elements. One element for each thread.
    Raises CuteLabError for numbers below 1 and for more than 1024 threads.

    >>> article = StripThreadMap(row_pitch=16, threads=64, pitch=8, strips=4)
    >>> article.get_offset(8), article.get_offset(32)
    (16, 512)
    >>> article.rows
    (0, 1, 2, 3, 32, 33, 34, 35)
    """

    row_pitch: int
    threads: int
    pitch: int
    strips: int

    def __post_init__(self) -> None:
        for name, high in (("row_pitch", 2**20), ("threads", MAX_THREADS), ("pitch", 2**20), ("strips", 2**20)):
            object.__setattr__(self, name, whole_number(getattr(self, name), name, 1, high))

    def get_offset(self, thread: Any) -> Any:
        """Which offset has this thread (an integer), or have these threads (an integer array)?

        >>> StripThreadMap(16, 32, 8, 1).get_offset(np.array([0, 7, 8, 16])).tolist()
        [0, 7, 128, 256]
        """
        if isinstance(thread, np.ndarray):
            if thread.dtype.kind not in "iu" or (thread.size and not 0 <= thread.min() <= thread.max() < self.threads):
                raise CuteLabError(f"thread numbers are whole numbers from 0 to {self.threads - 1}")
            t: Any = thread.astype(np.int64)
        else:
            t = whole_number(thread, "thread", 0, self.threads - 1)
        row, column = t // self.pitch, t % self.pitch
        group, strip = row // self.strips, row % self.strips
        return column + strip * self.row_pitch + group * (self.pitch * self.strips * self.row_pitch)

    def offsets(self) -> np.ndarray:
        """Which offset has each thread? int64 (threads,), read-only.

        >>> StripThreadMap(16, 32, 8, 4).offsets()[::8].tolist()
        [0, 16, 32, 48]
        """
        found = np.asarray(self.get_offset(np.arange(self.threads, dtype=np.int64)))
        found.flags.writeable = False
        return found

    def coords(self) -> np.ndarray:
        """Which column and row of the matrix does each thread meet? int64 (threads, 2): contiguous, strided.

        >>> StripThreadMap(16, 64, 8, 4).coords()[[9, 41]].tolist()
        [[1, 1], [1, 33]]
        """
        offset = self.offsets()
        return np.stack([offset % self.row_pitch, offset // self.row_pitch], axis=-1)

    @property
    def strip(self) -> np.ndarray:
        """In which strip of its group is each thread? int64 (threads,): (t / P) % S."""
        return np.arange(self.threads, dtype=np.int64) // self.pitch % self.strips

    @property
    def rows(self) -> tuple[int, ...]:
        """Which rows of the matrix are touched?

        >>> StripThreadMap(16, 32, 8, 2).rows
        (0, 1, 16, 17)
        """
        return tuple(np.unique(self.offsets() // self.row_pitch).tolist())

    @property
    def skipped_rows(self) -> int:
        """How many rows between the first and the last touched one does nobody touch?

        >>> StripThreadMap(16, 64, 8, 4).skipped_rows
        28
        """
        rows = self.rows
        return rows[-1] - rows[0] + 1 - len(rows)

    @property
    def collisions(self) -> tuple[int, ...]:
        """Which offsets belong to more than one thread?

        >>> StripThreadMap(4, 16, 8, 2).collisions
        (4, 5, 6, 7)
        """
        offset, times = np.unique(self.offsets(), return_counts=True)
        return tuple(offset[times > 1].tolist())

    def gaps(self) -> np.ndarray:
        """Which offsets between 0 and the largest one belong to no thread? Ascending, int64.

        >>> StripThreadMap(16, 32, 8, 4).gaps().tolist()
        [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31, 40, 41, 42, 43, 44, 45, 46, 47]
        """
        used = self.offsets()
        top = int(used.max()) + 1
        if top > 2**26:
            raise CuteLabError(f"the offsets reach {top - 1:,}; gaps are listed up to 67,108,863")
        free = np.ones(top, bool)
        free[used] = False
        return np.flatnonzero(free)

    def coverage(self, tile: Any) -> Coverage:
        """What of a tile (columns, rows) at the origin is touched, missed, touched twice; who falls outside?

        >>> print(StripThreadMap(16, 32, 8, 2).coverage((8, 16)))
        128 elements: 112 missed, 16 touches outside the tile
        >>> StripThreadMap(16, 32, 8, 4).coverage((8, 4)).exact
        True
        """
        return count_coverage(self.coords()[:, None, :], as_shape(tile, "tile"))

    def layout(self) -> Layout:
        """Which CuTe layout is this formula, as a map from thread to offset?

        (P, S, threads / (P * S)) : (1, row_pitch, P * S * row_pitch). Raises CuteLabError where the threads do not fill it.

        >>> StripThreadMap(16, 64, 8, 4).layout()
        Layout('(8,4,2):(1,16,512)')
        """
        p, s, t = self.pitch, self.strips, self.threads
        if t <= p:
            return Layout(t)
        if t % p == 0 and t // p <= s:
            return Layout((p, t // p), (1, self.row_pitch))
        if t % (p * s) == 0:
            return Layout((p, s, t // (p * s)), (1, self.row_pitch, p * s * self.row_pitch))
        step = p if t // p < s else p * s
        raise CuteLabError(
            f"{t} threads do not fill strips of {step}, so this is no CuTe layout; "
            f"{t // step * step or step} or {-(-t // step) * step} threads do"
        )

    def warp_addresses(self, element_bytes: int = 4) -> tuple[np.ndarray, np.ndarray]:
        """Which byte addresses does each warp use? int64 (warps, 32), and a mask (warps, 32) of the lanes that exist.

        >>> address, active = StripThreadMap(16, 32, 8, 4).warp_addresses(4)
        >>> address[0, ::8].tolist(), bool(active.all())
        ([0, 64, 128, 192], True)
        """
        return by_warp(self.offsets() * whole_number(element_bytes, "element_bytes", 1, 16))
