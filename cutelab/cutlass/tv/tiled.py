"""TiledCopy and TiledMMA: an atom, repeated over threads and over values, covers a tile.

Source: cute/atom/copy_atom.hpp, make_tiled_copy; cute/atom/mma_atom.hpp, TiledMMA.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.algebra import composition, tiled_product, zipped_divide
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, offsets, size
from cutelab.cutlass.tv.thread_value import AnyLayout, make_layout_tv

MODES = {"A": (0, 2), "B": (1, 2), "C": (0, 1)}  # of (M, N, K)


@dataclass(frozen=True)
class TiledCopy:
    """Which thread copies what? The tile that thr_layout x val_layout covers, and its thread-value layout.

    >>> copy = TiledCopy(Layout((16, 8), (8, 1)), Layout((1, 8)))
    >>> copy.tiler, str(copy.layout_tv)
    ((16, 64), '((8,16),8):((128,1),16)')
    """

    thr_layout: Layout
    val_layout: Layout
    tiler: tuple[int, ...] = field(init=False)
    layout_tv: Layout = field(init=False)

    def __post_init__(self) -> None:
        tiler, layout_tv = make_layout_tv(self.thr_layout, self.val_layout)
        object.__setattr__(self, "tiler", tiler)
        object.__setattr__(self, "layout_tv", layout_tv)

    def partition(self, data: AnyLayout) -> AnyLayout:
        """Where in memory are the values of each thread? (thread, (value, repetitions)) -> offset.

        data: a layout that whole tiles cover. Raises CuteLabError when they do not.

        >>> copy = TiledCopy(Layout((16, 8), (8, 1)), Layout((1, 8)))
        >>> print(copy.partition(Layout((32, 128), (128, 1))))
        ((8,16),(8,(2,2))):((8,128),(1,(2048,64)))
        """
        inner = data.inner if isinstance(data, ComposedLayout) else data
        sizes = tuple(size(inner[i]) for i in range(len(inner)))
        if len(sizes) != len(self.tiler) or any(s % t for s, t in zip(sizes, self.tiler, strict=True)):
            raise CuteLabError(f"{data} is not covered by whole tiles of {self.tiler}; its sizes are {sizes}")
        divided = composition(zipped_divide(inner, self.tiler), (self.layout_tv, None))
        (thread, value), (thread_step, value_step) = divided.shape[0], divided.stride[0]  # type: ignore[index,union-attr]
        parts = Layout((thread, (value, divided.shape[1])), (thread_step, (value_step, divided.stride[1])))  # type: ignore[index,union-attr]
        return ComposedLayout(data.outer, data.offset, parts) if isinstance(data, ComposedLayout) else parts


@dataclass(frozen=True)
class TiledMMA:
    """Which thread holds what when an MMA atom is repeated over threads and over a tile?

    atom              has shape_mnk, thr_id, a, b, c (an MmaAtom)
    atom_layout_mnk   how many atoms side by side along M, N and K, each with threads of its own: a Layout or three integers
    tile_mnk          the whole tile: for each of M, N, K an integer (repeated in the values), a Layout (a permutation of that
                      mode, CuTe's PermutationMNK) or None (as large as the atoms)

    `a`, `b`, `c` map (thread, value) to the index in the tile, m + TileM * k and so on. Their first mode counts logical threads
    (atom's thread, (m, n, k) of the atom), first fastest; `thread_index` gives the thread of each. A mode that an operand does
    not depend on has stride 0: the atoms along N hold the same A. Raises CuteLabError when the tile is not whole atoms.

    >>> from cutelab.cutlass.atoms import mma_atom
    >>> mma = TiledMMA(mma_atom("SM80_16x8x16_F32F16F16F32_TN"), (2, 2, 1), (32, 32, 16))
    >>> mma.threads, mma.tile, str(mma.c)
    (128, (32, 32, 16), '(((4,8),(2,2,1)),((2,2),(1,2))):(((64,1),(16,256,0)),((32,8),(0,512)))')
    """

    atom: Any
    atom_layout_mnk: Any = (1, 1, 1)
    tile_mnk: tuple[Any, Any, Any] = (None, None, None)

    def __post_init__(self) -> None:
        if not hasattr(self.atom, "shape_mnk"):
            raise CuteLabError(
                f"TiledMMA needs an MmaAtom, got {self.atom!r}; for example mma_atom('SM80_16x8x16_F32F16F16F32_TN')"
            )
        layout = self.atom_layout_mnk
        layout = layout if isinstance(layout, Layout) else Layout(layout)
        if len(layout) != 3:
            raise CuteLabError(f"atom_layout_mnk needs three modes (M, N, K), got {layout}")
        object.__setattr__(self, "atom_layout_mnk", layout)
        if len(self.tile_mnk) != 3:
            raise CuteLabError(f"tile_mnk needs three entries for M, N and K, got {self.tile_mnk!r}")
        for name, whole, unit in zip("MNK", self.tile, self._atoms, strict=True):
            if not is_int(whole) or whole < 1 or whole % unit:
                raise CuteLabError(f"the tile has {whole} along {name}, which is not a multiple of the atoms' {unit}")

    @property
    def _atoms(self) -> tuple[int, ...]:
        counts = (size(self.atom_layout_mnk[i]) for i in range(3))
        return tuple(s * n for s, n in zip(self.atom.shape_mnk, counts, strict=True))

    @property
    def tile(self) -> tuple[int, int, int]:
        """The tile's (M, N, K)."""
        given = (size(t) if isinstance(t, Layout) else t for t in self.tile_mnk)
        return tuple(unit if t is None else t for t, unit in zip(given, self._atoms, strict=True))  # type: ignore[return-value]

    @property
    def thr_layout_vmnk(self) -> Layout:
        """The thread of each (atom's thread, m, n, k): tiled_product(thr_id, atom_layout_mnk)."""
        return tiled_product(self.atom.thr_id, self.atom_layout_mnk)  # type: ignore[return-value]

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
        return self.atom.bits(which)

    def place(self, which: str) -> str:
        """Where does the operand lie? As for the atom."""
        return self.atom.place(which)

    def _operand(self, which: str) -> Layout:
        row, col = MODES[which]
        shape, tile = self.atom.shape_mnk, self.tile
        height = tile[row]
        step = {row: shape[row], col: shape[col] * height}  # from one atom to the next
        atom = composition(Layout((shape[row], shape[col]), (1, height)), getattr(self.atom, which.lower()))
        modes = [self.atom_layout_mnk[i] for i in range(3)]
        counts = tuple(size(mode) for mode in modes)
        thread = (
            (atom.shape[0], counts),  # type: ignore[index]
            (atom.stride[0], tuple(step.get(i, 0) if counts[i] > 1 else 0 for i in range(3))),  # type: ignore[index]
        )
        repeats = tuple(tile[i] // self._atoms[i] for i in (row, col))
        strides = tuple(step[i] * counts[i] if n > 1 else 0 for i, n in zip((row, col), repeats, strict=True))
        value = (atom.shape[1], repeats), (atom.stride[1], strides)  # type: ignore[index]
        layout = Layout((thread[0], value[0]), (thread[1], value[1]))
        order = tuple(self.tile_mnk[i] if isinstance(self.tile_mnk[i], Layout) else None for i in (row, col))
        if order == (None, None):
            return layout
        return composition(composition(Layout((height, tile[col])), order), layout)  # type: ignore[return-value]
