"""What all thread maps of CUTLASS 2.x have in common: the order of the accesses, coverage, the CuTe layout, text.

A thread map is a stateless set of numbers (Iterations, Delta) and one function, `initial_offset(thread)`. An iterator visits
init(t) + (c * Delta.contiguous, s * Delta.strided), the strided loop s outermost. A map never gives a linear offset: the
leading dimension belongs to the matrix layout. Source: cutlass/transform/pitch_linear_thread_map.h, 4.7.0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

import numpy as np

from cutelab.core.display import Pictured
from cutelab.core.errors import MAX_MESSAGE, CuteLabError
from cutelab.core.int_tuple import IntTuple, product
from cutelab.core.layout import Layout, check_table_size, offsets
from cutelab.cutlass.pitch_linear import (
    Coverage,
    PitchLinearCoord,
    PitchLinearShape,
    as_shape,
    by_warp,
    count_coverage,
    whole_number,
)

MAX_THREADS = 1024  # of one thread block
Mode = tuple[int, tuple[int, int]]  # extent, (contiguous, strided) step in elements


class ThreadMap(Pictured):
    """Base of the ten classes. Each is a frozen dataclass whose fields are the template parameters, in CUTLASS's order.

    A subclass gives `iterations`, `delta`, `_start(t)` (start offset of an array of threads) and `_thread_modes()`.
    """

    shape: PitchLinearShape
    threads: int
    elements_per_access: int

    TRANSPOSED: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name in ("shape", "warp_thread_arrangement", "thread_tile_shape"):
                object.__setattr__(self, field.name, as_shape(value, WORDS[field.name]))
            elif field.name != "thread_map":
                high = MAX_THREADS if field.name == "threads" else 2**31 - 1
                object.__setattr__(self, field.name, whole_number(value, WORDS[field.name], 1, high))
        self._check()

    def _check(self) -> None:
        """Raise where CUTLASS's static assertions do."""

    def _reject(self, rule: str, remedy: str) -> NoReturn:
        text = f" is rejected: {rule}. {remedy}"
        whole = str(self)
        raise CuteLabError((whole if len(whole) + len(text) <= MAX_MESSAGE else type(self).__name__) + text)

    @property
    def iterations(self) -> PitchLinearShape:
        """How many accesses has each thread, along contiguous and along strided? (Iterations)"""
        raise NotImplementedError

    @property
    def delta(self) -> PitchLinearShape:
        """How far apart are they, in elements? (Delta)"""
        raise NotImplementedError

    @property
    def storage_shape(self) -> PitchLinearShape | None:
        """How large must storage be? (StorageShape; only PitchLinearStripminedThreadMap has one, None elsewhere.)"""
        return None

    @property
    def thread_access_shape(self) -> PitchLinearShape:
        """What does one access of one thread cover? (ThreadAccessShape; the GEMV policies have none and cover E x 1.)"""
        return PitchLinearShape(self.elements_per_access, 1)

    @property
    def tile(self) -> PitchLinearShape:
        """In which tile do the coordinates live? The shape; for the transposed maps the transposed tile."""
        return self.shape

    @property
    def accesses_per_thread(self) -> int:
        """How many accesses has each thread? Iterations, times the rows of a thread tile."""
        return self.iterations.count * self.thread_access_shape.strided

    @property
    def fragment_size(self) -> int:
        """How many elements does each thread hold for one tile?"""
        return self.accesses_per_thread * self.elements_per_access

    def _start(self, t: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    def _thread_modes(self) -> tuple[Mode, ...]:
        raise NotImplementedError

    def initial_offset(self, thread: int) -> PitchLinearCoord:
        """Where does this thread start, in elements? (initial_offset)

        >>> from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap
        >>> PitchLinearStripminedThreadMap((16, 8), 32).initial_offset(17)
        PitchLinearCoord(contiguous=1, strided=1)
        """
        contiguous, strided = self._start(whole_number(thread, "thread", 0, self.threads - 1))
        return PitchLinearCoord(int(contiguous), int(strided))

    def initial_offsets(self) -> np.ndarray:
        """Where does each thread start? int64 (threads, 2): contiguous, strided."""
        t = np.arange(self.threads, dtype=np.int64)
        contiguous, strided = self._start(t)
        starts: np.ndarray = np.stack([contiguous + 0 * t, strided + 0 * t], axis=-1)
        return starts

    def accesses(self, access_elements: int | None = None) -> np.ndarray:
        """Which accesses does each thread make? int64 (threads, accesses, 2): contiguous, strided of the first element.

        In the order of CUTLASS's iterators: strided iteration outermost, contiguous iteration, then the rows of a thread
        tile (2-D maps) or the parts of a vector. An access spans `access_elements` (default: ElementsPerAccess) along
        contiguous. Raises CuteLabError unless access_elements divides ElementsPerAccess.

        >>> from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap
        >>> PitchLinearStripminedThreadMap((16, 8), 32).accesses()[17].tolist()
        [[1, 1], [1, 3], [1, 5], [1, 7]]
        """
        e, rows = self.elements_per_access, self.thread_access_shape.strided
        part = e if access_elements is None else whole_number(access_elements, "access_elements", 1, e)
        if e % part or (rows > 1 and part != e):
            works = [n for n in range(1, min(e, 1024) + 1) if e % n == 0] if rows == 1 else [e]
            raise CuteLabError(
                f"access_elements must divide ElementsPerAccess {e}, got {part}; {', '.join(map(str, works))} work"
            )
        self._check_table(self.iterations.count * rows * (e // part))
        s, c, ts, v = (
            axis.ravel()
            for axis in np.indices((self.iterations.strided, self.iterations.contiguous, rows, e // part), np.int64)
        )
        step = np.stack([c * self.delta.contiguous + v * part, s * self.delta.strided + ts], axis=-1)
        places: np.ndarray = self.initial_offsets()[:, None, :] + step
        places.setflags(write=False)
        return places

    def fragment_index(self, strided: int, contiguous: int, row: int = 0, element: int = 0) -> int:
        """At which index of the fragment does an element of an access land? E * (row + rows * (c + It.c * s)) + element

        >>> from cutelab.cutlass.thread_map import PitchLinearWarpRakedThreadMap
        >>> PitchLinearWarpRakedThreadMap((128, 32), 128, (8, 4), 8).fragment_index(1, 0, element=3)
        19
        """
        it, rows = self.iterations, self.thread_access_shape.strided
        for value, extent, what in (
            (strided, it.strided, "strided iteration"),
            (contiguous, it.contiguous, "contiguous iteration"),
            (row, rows, "row"),
            (element, self.elements_per_access, "element"),
        ):
            whole_number(value, what, 0, extent - 1)
        return (row + rows * (contiguous + it.contiguous * strided)) * self.elements_per_access + element

    def elements(self) -> np.ndarray:
        """Which element is at each index of each thread's fragment? int64 (threads, fragment_size, 2): contiguous, strided.

        >>> from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap
        >>> PitchLinearStripminedThreadMap((8, 16), 32, 4).elements()[1].tolist()
        [[4, 0], [5, 0], [6, 0], [7, 0]]
        """
        self._check_table(self.fragment_size)
        along = np.stack(
            [np.arange(self.elements_per_access, dtype=np.int64), np.zeros(self.elements_per_access, np.int64)], axis=-1
        )
        return (self.accesses()[:, :, None, :] + along).reshape(self.threads, self.fragment_size, 2)

    def coverage(self) -> Coverage:
        """Is each element of the tile touched once? What is missed, repeated, outside?

        >>> from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap
        >>> print(PitchLinearStripminedThreadMap((16, 5), 32).coverage())
        80 elements: 16 touches outside the tile
        """
        return count_coverage(self.elements(), self.tile)

    def warp_addresses(
        self,
        element_bits: int = 32,
        leading_dimension: int | None = None,
        layout: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which byte addresses does each warp use in each access? int64 (accesses, warps, 32), and a mask (warps, 32).

        An address is that of the access's first element: contiguous + strided * leading_dimension (default: the tile's
        width), or what `layout(contiguous, strided)` says, times element_bits / 8.

        >>> from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap
        >>> address, active = PitchLinearStripminedThreadMap((16, 8), 32).warp_addresses(32)
        >>> address.shape, address[1, 0, :3].tolist()
        ((4, 1, 32), [128, 132, 136])
        """
        lanes, active = by_warp(self.accesses())
        c, s = lanes[..., 0], lanes[..., 1]
        if layout is None:
            width = self.tile.contiguous if leading_dimension is None else leading_dimension
            offset = c + s * whole_number(width, "leading_dimension")
        else:
            offset = layout(c, s)
        return np.moveaxis(offset * whole_number(element_bits, "element_bits", 1, 128) // 8, 2, 0), active

    def layout_tv(self) -> Layout:
        """Which CuTe layout maps (thread, fragment index) to contiguous + strided * width of the tile?

        Modes of extent 1 are left out. Checked at every (thread, index). Raises CuteLabError, with the reason, where the
        map is no such layout.

        >>> from cutelab.cutlass.thread_map import PitchLinearStripminedThreadMap
        >>> PitchLinearStripminedThreadMap((16, 8), 32, 2).layout_tv()
        Layout('((8,4),(2,2)):((2,16),(1,64))')
        """
        it, delta, width = self.iterations, self.delta, self.tile.contiguous
        found = self.elements()
        if not self.fragment_size:
            raise CuteLabError(f"{self} makes no access, so it is no layout; its tile is narrower than one vector")
        if int(found[..., 0].max()) >= width:
            raise CuteLabError(
                f"{self} touches column {int(found[..., 0].max())} of a tile {width} wide, so its places in the tile are "
                "no layout; look at coverage()"
            )
        value_modes: tuple[Mode, ...] = (
            (self.elements_per_access, (1, 0)),
            (self.thread_access_shape.strided, (0, 1)),
            (it.contiguous, (delta.contiguous, 0)),
            (it.strided, (0, delta.strided)),
        )
        layout = _layout_of([self._thread_modes(), value_modes], width)
        table = offsets(layout)
        if table.shape != found.shape[:2] or not (table == found[..., 0] + found[..., 1] * width).all():
            raise CuteLabError(f"{self} is not the layout {layout}; use elements()")
        return layout

    def _no_layout(self, why: str) -> NoReturn:
        raise CuteLabError(f"{self} is not a CuTe layout: {why}. Use elements() for its coordinates")

    def _check_table(self, touches: int) -> None:
        check_table_size(2 * self.threads * touches, f"the table of {self}")

    def __str__(self) -> str:
        values = (getattr(self, f.name) for f in dataclasses.fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}<{', '.join(map(str, values))}>"


WORDS = {
    "shape": "Shape",
    "threads": "Threads",
    "elements_per_access": "ElementsPerAccess",
    "warp_thread_arrangement": "WarpThreadArrangement",
    "thread_tile_shape": "ThreadTileShape",
}


def _layout_of(modes: list[tuple[Mode, ...]], width: int) -> Layout:
    """The layout of some (extent, (contiguous, strided)) modes in a tile of this width, without modes of extent 1."""
    shape: list[IntTuple] = []
    stride: list[IntTuple] = []
    for group in modes:
        kept = [(extent, c + s * width) for extent, (c, s) in group if extent != 1]
        if len(kept) == 1:
            shape.append(kept[0][0])
            stride.append(kept[0][1])
        else:
            shape.append(tuple(extent for extent, _ in kept) or 1)
            stride.append(tuple(step for _, step in kept) or 0)
    assert product(tuple(shape))
    return Layout(tuple(shape), tuple(stride))


def near_multiples(number: int, of: int) -> str:
    """Which multiples of a number are near? For the remedy of an error.

    >>> near_multiples(30, 4), near_multiples(3, 4)
    ('28 or 32', '4')
    """
    low = number // of * of
    return f"{low} or {low + of}" if low else f"{of}"
