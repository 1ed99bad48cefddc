"""TiledMMA: an MMA atom, repeated over threads and over a tile.

Source: cute/atom/mma_atom.hpp; CuTe's documentation, "MMA Atom".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cutelab.algebra import composition, tiled_product, typed
from cutelab.algebra.typed import Typed
from cutelab.core.display import Pictured
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import Int, is_int, to_text
from cutelab.core.layout import Layout, offsets, size
from cutelab.core.leaves import ONE, ZERO, mark
from cutelab.cutlass.atoms.atom import MmaAtom
from cutelab.cutlass.atoms.copy import mark_layout
from cutelab.cutlass.atoms.mma import mma_atom
from cutelab.cutlass.tv.thread_part import (
    AnyLayout,
    Part,
    Spelled,
    as_data,
    check_thread,
    fragment_like,
    part,
    spelled,
    split,
)

MODES = {"A": (0, 2), "B": (1, 2), "C": (0, 1)}  # of (M, N, K)


@dataclass(frozen=True)
class TiledMMA(Pictured):
    """Which thread holds what when an MMA atom is repeated over threads and over a tile?

    atom              an MmaAtom, or its name
    atom_layout_mnk   how many atoms side by side along M, N and K, each with threads of its own: a Layout or three integers
    tile_mnk          the whole tile: for each of M, N, K an integer (repeated in the values), a Layout (a permutation of that
                      mode, CuTe's PermutationMNK) or None (as large as the atoms)

    `a`, `b`, `c` map (thread, value) to the index in the tile, m + TileM * k and so on. Their first mode counts logical threads
    (atom's thread, (m, n, k) of the atom), first fastest; `thread_index` gives the thread of each. A mode that an operand does
    not depend on has stride 0: the atoms along N hold the same A. `layoutA_TV` and so on are CuTe's own layouts of threads.
    Raises CuteLabError when the tile is not whole atoms, and for a permutation that is none.

    >>> mma = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
    >>> mma.threads, mma.tile, str(mma.c)
    (128, (32, 32, 16), '(((4,8),(2,2,1)),((2,2),(1,2))):(((64,1),(16,256,0)),((32,8),(0,512)))')
    >>> print(mma.partition_A("(_128,_64,_3):(_64,_1,_8192)"))
    ((_2,_2,_2),_4,_4,_3):((_1,_512,_8),_2048,_16,_8192)
    """

    atom: Any
    atom_layout_mnk: Any = (1, 1, 1)
    tile_mnk: tuple[Any, Any, Any] = (None, None, None)

    def __post_init__(self) -> None:
        if isinstance(self.atom, str):
            object.__setattr__(self, "atom", mma_atom(self.atom))
        if not hasattr(self.atom, "shape_mnk"):
            raise CuteLabError(
                f"TiledMMA needs an MmaAtom, got {shown(self.atom)}; for example mma_atom('SM80_16x8x16_F32F16F16F32_TN')"
            )
        layout = self.atom_layout_mnk
        layout = layout if isinstance(layout, Layout) else Layout(layout)
        if len(layout) != 3:
            raise CuteLabError(f"atom_layout_mnk needs three modes (M, N, K), got {layout}")
        object.__setattr__(self, "atom_layout_mnk", layout)
        if not isinstance(self.tile_mnk, tuple | list) or len(self.tile_mnk) != 3:
            raise CuteLabError(
                f"tile_mnk needs three entries for M, N and K, got {shown(self.tile_mnk)}; for example (32, 32, 16)"
            )
        object.__setattr__(self, "tile_mnk", tuple(self.tile_mnk))
        for name, entry in zip("MNK", self.tile_mnk, strict=True):
            _check_entry(name, entry)
        for name, whole, unit in zip("MNK", self.tile, self._atoms, strict=True):
            if whole < 1 or whole % unit:
                raise CuteLabError(f"the tile has {whole} along {name}, which is not a multiple of the atoms' {unit}")

    @property
    def _atoms(self) -> tuple[int, ...]:
        counts = (size(self.atom_layout_mnk[i]) for i in range(3))
        return tuple(s * n for s, n in zip(self.atom.shape_mnk, counts, strict=True))

    @property
    def tile(self) -> tuple[int, int, int]:
        """The tile's (M, N, K)."""
        m, n, k = (
            unit if t is None else size(t) if isinstance(t, Layout) else int(t)
            for t, unit in zip(self.tile_mnk, self._atoms, strict=True)
        )
        return m, n, k

    @cached_property
    def thr_layout_vmnk(self) -> Layout:
        """The thread of each (atom's thread, m, n, k): tiled_product(thr_id, atom_layout_mnk)."""
        found = tiled_product(self.atom.thr_id, self.atom_layout_mnk)
        assert isinstance(found, Layout)
        return found

    @property
    def threads(self) -> int:
        """How many threads work together?"""
        return size(self.thr_layout_vmnk)

    @property
    def thread_index(self) -> np.ndarray:
        """The thread of each logical thread of `a`, `b`, `c`; pass `thr_layout_vmnk` to `owners` as thr_id."""
        return offsets(self.thr_layout_vmnk).ravel(order="F")

    @property
    def a(self) -> Layout:
        """(thread, value) -> m + TileM * k."""
        return self._operand("A")

    @property
    def b(self) -> Layout:
        """(thread, value) -> n + TileN * k."""
        return self._operand("B")

    @property
    def c(self) -> Layout:
        """(thread, value) -> m + TileM * n."""
        return self._operand("C")

    @property
    def name(self) -> str:
        """The atom's name and how many of them work side by side."""
        return f"{self.atom.name} {self.atom_layout_mnk}"

    @property
    def thr_id(self) -> Layout:
        """Logical thread to thread: thr_layout_vmnk."""
        return self.thr_layout_vmnk

    def operand(self, which: str) -> tuple[Layout, tuple[int, int]]:
        """The thread-value layout of operand "A", "B" or "C" and the shape of its part of the tile."""
        self.atom.operand(which)
        row, col = MODES[which.upper()]
        return self._operand(which.upper()), (self.tile[row], self.tile[col])

    def bits(self, which: str) -> int:
        """How many bits has an element of operand "A", "B" or "C"?"""
        return int(self.atom.bits(which))

    def place(self, which: str) -> str:
        """Where does the operand lie? As for the atom."""
        return str(self.atom.place(which))

    def _operand(self, which: str) -> Layout:
        row, col = MODES[which]
        shape, tile = self.atom.shape_mnk, self.tile
        height = tile[row]
        step = {row: shape[row], col: shape[col] * height}  # from one atom to the next
        atom = _plain(composition(Layout((shape[row], shape[col]), (1, height)), getattr(self.atom, which.lower())))
        counts = tuple(size(self.atom_layout_mnk[i]) for i in range(3))
        thread = (
            (atom[0].shape, counts),
            (atom[0].stride, tuple(step.get(i, 0) if counts[i] > 1 else 0 for i in range(3))),
        )
        repeats = tuple(tile[i] // self._atoms[i] for i in (row, col))
        strides = tuple(step[i] * counts[i] if n > 1 else 0 for i, n in zip((row, col), repeats, strict=True))
        value = (atom[1].shape, repeats), (atom[1].stride, strides)
        layout = Layout((thread[0], value[0]), (thread[1], value[1]))
        order = tuple(self.tile_mnk[i] if isinstance(self.tile_mnk[i], Layout) else None for i in (row, col))
        if order == (None, None):
            return layout
        return _plain(composition(composition(Layout((height, tile[col])), order), layout))

    # -- as CuTe does it

    @property
    def layoutA_TV(self) -> Layout:
        """CuTe's get_layoutA_TV: (thread, value) -> m + TileM * k, for the threads as the block numbers them."""
        return self._layout_tv("A")

    @property
    def layoutB_TV(self) -> Layout:
        """CuTe's get_layoutB_TV: (thread, value) -> n + TileN * k."""
        return self._layout_tv("B")

    @property
    def layoutC_TV(self) -> Layout:
        """CuTe's get_layoutC_TV: (thread, value) -> m + TileM * n."""
        return self._layout_tv("C")

    def partition_A(self, data: Any, thread: int | None = None) -> Any:
        """Which part of A does a thread multiply? (MMA, MMA_M, MMA_K, further modes) -> offset.

        data: a layout, or its text, of (M, K, ...); further modes (stages) are kept. Without a thread the layout of thread 0's
        part as CuTe prints it; with a thread (layout, offset of its start). A tile that does not fill it is rounded up, as in CuTe.
        """
        return self._partition("A", data, thread)

    def partition_B(self, data: Any, thread: int | None = None) -> Any:
        """Which part of B does a thread multiply? data: (N, K, ...). As `partition_A`."""
        return self._partition("B", data, thread)

    def partition_C(self, data: Any, thread: int | None = None) -> Any:
        """Which part of C does a thread accumulate? data: (M, N, ...). As `partition_A`."""
        return self._partition("C", data, thread)

    def partition_fragment_A(self, data: Any) -> AnyLayout:
        """The registers of a thread for its part of A: (MMA, MMA_M, MMA_K), compact in the order of the part's strides.

        >>> print(TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1)).partition_fragment_A("(_128,_64):(_64,_1)"))
        ((_2,_2,_2),_4,_4):((_1,_2,_4),_32,_8)
        """
        return self._fragment("A", data)

    def partition_fragment_B(self, data: Any) -> AnyLayout:
        """The registers of a thread for its part of B: (MMA, MMA_N, MMA_K). As `partition_fragment_A`."""
        return self._fragment("B", data)

    def partition_fragment_C(self, data: Any) -> AnyLayout:
        """The accumulators of a thread: (MMA, MMA_M, MMA_N), the first mode fastest. data: a layout or a shape (M, N)."""
        data = Layout(data) if isinstance(data, tuple | list) else data
        found = self._partition("C", data, None)
        marks = split(found)[1]
        return typed.lower(typed.compact(found.shape if marks else mark(found.shape)), marks)

    def _fragment(self, which: str, data: Any) -> AnyLayout:
        if self.place(which) != "registers":
            raise CuteLabError(
                f"{self.atom.name} reads {which} from {self.place(which)}: its fragment holds descriptors, no registers"
            )
        return fragment_like(self._partition(which, data, None))

    @cached_property
    def _vmnk(self) -> Typed:
        return _static(_plain(tiled_product(mark_layout(self.atom.thr_id), self.atom_layout_mnk)))

    def _entry(self, i: int) -> Any:
        entry = self.tile_mnk[i]
        if isinstance(entry, Layout):
            return typed.lift(mark_layout(entry))[0]
        return mark(self._atoms[i] if entry is None else int(entry))

    def _thread_fragments(self, which: str, data: Typed) -> Typed:
        """((ThrV,(ThrX,ThrY)),(FrgV,(RestX,RestY,...))): CuTe's thrfrg_A, _B, _C."""
        row, col = MODES[which]
        shape = self.atom.shape_mnk
        tile = typed.logical_divide(data, (self._entry(row), self._entry(col)))
        atoms = typed.zipped_divide(tile, tuple(typed.compact(mark(int(shape[i]))) for i in (row, col)))
        atom_tv = typed.lift(mark_layout(getattr(self.atom, which.lower())))[0]
        threads_values = typed.composition(atoms, (atom_tv, None))
        vmnk = typed.modes_of(self._vmnk)
        counts = tuple(typed.compact(typed.product(vmnk[1 + i].shape)) for i in (row, col))
        return typed.zipped_divide(threads_values, (None, counts))

    def _layout_tv(self, which: str) -> Layout:
        row, col = MODES[which]
        reference = typed.compact((mark(self.tile[row]), mark(self.tile[col])))
        fragments = self._thread_fragments(which, reference)
        vmnk = self._vmnk
        modes = typed.modes_of(vmnk)
        total = typed.product(vmnk.shape)
        numbers = typed.composition(
            Typed((total, ONE), (ONE, ZERO)),
            typed.right_inverse(typed.join([vmnk, typed.complement(vmnk, _cosize(vmnk))])),
        )
        if which != "C":
            m, n = typed.product(modes[1].shape), typed.product(modes[2].shape)
            spread = Typed((m, n), (ONE, ZERO) if which == "A" else (ZERO, ONE))
            fragments = typed.composition(fragments, ((None, (spread, None)), None))
        found = typed.lower(typed.composition(fragments, (numbers, None)))
        assert isinstance(found, Layout)
        return found

    def _partition(self, which: str, data: Any, thread: int | None) -> Any:
        data = as_data(data)
        row, col = MODES[which]
        if len(data) < 2:
            raise CuteLabError(
                f"partition_{which} needs a layout of ({'MNK'[row]}, {'MNK'[col]}), got {data}; give it two modes"
            )
        threads, kept, marks = _cut(self, which, spelled(data))
        number = 0 if thread is None else check_thread(thread, self.threads, self.name)
        vmnk = self._coordinate(number)
        found: Part = part(data, [threads], [(vmnk[0], (vmnk[1 + row], vmnk[1 + col]))], kept, marks)
        return found[0] if thread is None else found

    def _coordinate(self, thread: int) -> tuple[int, int, int, int]:
        """The flat (v, m, n, k) of a thread: CuTe's get_flat_coord."""
        found = []
        for mode in typed.modes_of(self._vmnk):
            index, before = 0, 1
            for extent, step in typed.flat_modes(mode):
                index += (thread // int(step) % int(extent) if step else 0) * before
                before *= int(extent)
            found.append(index)
        return found[0], found[1], found[2], found[3]

    def __str__(self) -> str:
        """The text that CuTe prints for a TiledMMA; `read` reads it."""
        entries = ",".join(
            "_" if t is None else str(mark_layout(t)) if isinstance(t, Layout) else f"_{int(t)}" for t in self.tile_mnk
        )
        head = f"TiledMMA\n  ThrLayoutVMNK:  {typed.lower(self._vmnk)}\n  PermutationMNK: ({entries})\n"
        return head + str(self.atom)


@lru_cache(maxsize=256)
def _cut(mma: TiledMMA, which: str, data: Spelled) -> tuple[Typed, Typed, bool]:
    """The modes of the threads, what a thread keeps, and whether the result carries marks."""
    x, marks = split(data.data)
    threads, values = typed.modes_of(mma._thread_fragments(which, x))
    first, rest = typed.modes_of(values)
    return threads, typed.join([first, *typed.modes_of(rest)]), marks


def _check_entry(name: str, entry: Any) -> None:
    if isinstance(entry, Layout):
        if not np.array_equal(np.sort(offsets(entry), axis=None), np.arange(size(entry), dtype=np.int64)):
            raise CuteLabError(
                f"the permutation {entry} of {name} does not reach each of 0 to {size(entry) - 1} once, so it is none; "
                f"for example {Layout(entry.shape)}"
            )
    elif entry is not None and not is_int(entry):
        raise CuteLabError(f"the tile's {name} is an integer, a Layout (a permutation) or None, got {shown(entry)}")


def _static(layout: Layout) -> Typed:
    """As CuTe has it at compile time: an extent of 1 has the stride 0, unless a compile-time stride was written for it."""

    def strides(shape: Any, stride: Any) -> Any:
        if isinstance(shape, tuple):
            return tuple(strides(s, d) for s, d in zip(shape, stride, strict=True))
        return ZERO if shape == 1 and not isinstance(stride, Int) else mark(stride)

    return Typed(mark(layout.shape), strides(layout.shape, layout.stride))


def _cosize(x: Typed) -> Any:
    total = ONE
    for s, d in typed.flat_modes(x):
        total = type(total)(int(total) + (int(s) - 1) * abs(int(d)))
    return total


def _plain(layout: Any) -> Layout:
    assert isinstance(layout, Layout)
    return layout


def make_tiled_mma(
    atom: MmaAtom | str, atom_layout: Any = (1, 1, 1), permutations: Any = (None, None, None)
) -> TiledMMA:
    """The TiledMMA of an atom, atoms side by side, and a tile: missing modes are 1 and None, as in C++.

    atom_layout: a Layout or a tuple of up to three integers (M, N, K). permutations: up to three of int, Layout or None.

    >>> make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2))).tile
    (32, 16, 16)
    """
    layout = atom_layout if isinstance(atom_layout, Layout) else Layout(atom_layout)
    shapes = [layout[i].shape for i in range(len(layout))]
    strides = [layout[i].stride for i in range(len(layout))]
    missing = 3 - len(shapes)
    if missing < 0:
        raise CuteLabError(f"the atoms lie along M, N and K: {to_text(layout.shape)[:60]} has more than three modes")
    entries = permutations if isinstance(permutations, tuple | list) else (permutations,)
    entries = (*entries, *[None] * (3 - len(entries)))
    return TiledMMA(atom, Layout((*shapes, *[1] * missing), (*strides, *[0] * missing)), entries)
