"""TiledCopy: a copy atom, repeated over threads and over values, covers a tile.

Source: cute/atom/copy_atom.hpp; CuTe's documentation, "Tensors: Partitioning".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from cutelab.algebra import composition, typed, zipped_divide
from cutelab.algebra.typed import Typed
from cutelab.core.display import Pictured
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import Int, as_int_tuple, product
from cutelab.core.layout import ComposedLayout, Layout, size
from cutelab.core.leaves import mark, mul
from cutelab.cutlass.atoms.copy import CopyAtom, mark_layout
from cutelab.cutlass.tv.thread_part import AnyLayout, Part, Spelled, as_data, check_thread, part, spelled, split
from cutelab.cutlass.tv.thread_value import make_layout_tv
from cutelab.cutlass.tv.tiled_mma import TiledMMA

ONE = mark_layout(Layout((1, 1), (0, 0)))
ONE_VALUE = CopyAtom("one value", 0, mark_layout(Layout(1, 0)), ONE, ONE, ONE)


@dataclass(frozen=True, init=False)
class TiledCopy(Pictured):
    """Which thread copies what? A copy atom, the layout (thread, value) -> index in the tile, and the tile.

    TiledCopy(atom, layout_tv, tiler) as the C++ type; TiledCopy(thr_layout, val_layout) is make_tiled_copy with an atom that
    moves one value. tiler: for each mode of the tile its size, or a Layout that selects coordinates.
    Raises CuteLabError where the atom does not divide the threads or the values of the tile, as C++ does.

    >>> copy = TiledCopy(Layout((16, 8), (8, 1)), Layout((1, 8)))
    >>> copy.tiler, str(copy.layout_tv)
    ((16, 64), '((8,16),8):((128,1),16)')
    >>> from cutelab.cutlass.atoms.copy import copy_atom
    >>> half = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((16, 8), (8, 1)), Layout((1, 8)))
    >>> print(half.partition_S("(_128,_64,_3):(_64,_1,_8192)"), half.partition_S("(128,64):(5184,_1)", 9)[1])
    ((_8,_1),_8,_1,_3):((_1,_0),_1024,_0,_8192) 5192
    """

    atom: CopyAtom
    layout_tv: Layout
    tiler: tuple[Any, ...]

    def __init__(self, atom: Any, layout_tv: Any = None, tiler: Any = None) -> None:
        if isinstance(atom, Layout):
            tiler, layout_tv = make_layout_tv(atom, Layout(1) if layout_tv is None else layout_tv)
            atom = ONE_VALUE
        if not isinstance(atom, CopyAtom):
            raise CuteLabError(
                f"a TiledCopy has a copy atom, got {shown(atom)}; for example copy_atom('UniversalCopy<uint128_t>', 'half_t')"
            )
        if not isinstance(layout_tv, Layout) or len(layout_tv) != 2:
            raise CuteLabError(f"a thread-value layout has two modes, (thread, value); got {str(layout_tv)[:80]}")
        if not isinstance(tiler, tuple | list) or not tiler:
            raise CuteLabError(f"the tiler is a tuple of sizes such as (16, 64), got {str(tiler)[:80]}")
        entries = tuple(t if isinstance(t, Layout) else product(as_int_tuple(t, "the tiler")) for t in tiler)
        _, _, ref = atom.layouts
        for name, have, need in (
            ("threads", size(layout_tv[0]), size(ref[0])),
            ("values", size(layout_tv[1]), size(ref[1])),
        ):
            if have % need:
                below = f"{have // need * need} or " if have > need else ""
                raise CuteLabError(
                    f"{atom.name} works on {need} {name}, and the tile has {have} {name}, not a multiple; "
                    f"use {below}{(have // need + 1) * need}"
                )
        object.__setattr__(self, "atom", atom)
        object.__setattr__(self, "layout_tv", layout_tv)
        object.__setattr__(self, "tiler", entries)

    @property
    def threads(self) -> int:
        """How many threads copy together?"""
        return size(self.layout_tv[0])

    @property
    def values(self) -> int:
        """How many values of the tile has each thread?"""
        return size(self.layout_tv[1])

    @property
    def tile(self) -> tuple[int, ...]:
        """The sizes of the tile."""
        return tuple(size(t) if isinstance(t, Layout) else t for t in self.tiler)

    @property
    def layoutS_TV(self) -> Layout:
        """CuTe's get_layoutS_TV: which element of the tile is a thread's value on the side that is read?"""
        return self._layout_tv(0)

    @property
    def layoutD_TV(self) -> Layout:
        """CuTe's get_layoutD_TV: which element of the tile is a thread's value on the side that is written?"""
        return self._layout_tv(1)

    def partition_S(self, data: Any, thread: int | None = None) -> Any:
        """Which part of the source does a thread read? (CPY, CPY_M, CPY_N, further modes) -> offset.

        data: a layout, or its text, of at least as many modes as the tile; further modes (stages) are kept. Without a thread the
        layout of thread 0's part as CuTe prints it; with a thread (layout, offset of its start): element c is at offset + layout(c).
        Sizes that tiles do not cover are rounded up, as in CuTe; `predicate` says what must not be touched.
        """
        return self._partition(0, data, thread)

    def partition_D(self, data: Any, thread: int | None = None) -> Any:
        """Which part of the destination does a thread write? As `partition_S`."""
        return self._partition(1, data, thread)

    def tidfrg_S(self, data: Any) -> AnyLayout:
        """Where does every thread read? (thread, (FrgV, FrgX), (RestM, RestN, ...)) -> offset: FrgV are the values of one instruction.

        The parts of all threads at once; `partition_S` cuts out one. Source: CuTe's tidfrg_S.

        >>> print(TiledCopy(Layout((2, 2)), Layout(1)).tidfrg_S("(4,4):(4,1)"))
        ((2,2),(1,1),(2,2)):((4,1),(0,0),(8,2))
        """
        return self._all_parts(0, data)

    def tidfrg_D(self, data: Any) -> AnyLayout:
        """Where does every thread write? As `tidfrg_S`."""
        return self._all_parts(1, data)

    def _all_parts(self, side: int, data: Any) -> AnyLayout:
        data = as_data(data)
        self._check_rank(data)
        x, marks = split(data)
        inner = typed.lower(typed.join(list(self._fragments(side, x))), marks)
        if not isinstance(data, ComposedLayout):
            return inner
        assert isinstance(inner, Layout)
        return ComposedLayout(data.outer, data.offset, inner)

    def _check_rank(self, data: AnyLayout) -> None:
        if len(data) < len(self.tiler):
            raise CuteLabError(
                f"{str(data)[:80]} has {len(data)} modes; a tile of {len(self.tiler)} modes needs as many or more"
            )

    def retile_S(self, fragment: Any) -> AnyLayout:
        """The registers of an MMA's fragment in the order of this copy's values, as the side that is read.

        fragment: the layout of a partition, (MMA, MMA_M, MMA_K). Gives (CPY, CPY_M, CPY_K).

        >>> from cutelab.cutlass.atoms.copy import copy_atom
        >>> mma = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
        >>> copy = make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), mma)
        >>> print(copy.retile_D("((_2,_2,_2),_4,_4):((_1,_2,_4),_32,_8)"))
        ((_8,_1),_4,_4):((_1,_0),_32,_8)
        """
        return self._retile(fragment)

    def retile_D(self, fragment: Any) -> AnyLayout:
        """The registers in the order of this copy's values, as the side that is written. As `retile_S`."""
        return self._retile(fragment)

    def partition(self, data: AnyLayout) -> AnyLayout:
        """Where in memory are the values of all threads? (thread, (value, repetitions)) -> offset.

        data: a layout that whole tiles cover. Raises CuteLabError when they do not.

        >>> copy = TiledCopy(Layout((16, 8), (8, 1)), Layout((1, 8)))
        >>> print(copy.partition(Layout((32, 128), (128, 1))))
        ((8,16),(8,(2,2))):((8,128),(1,(2048,64)))
        """
        data = as_data(data)
        inner = data.inner if isinstance(data, ComposedLayout) else data
        if not isinstance(inner, Layout):
            raise CuteLabError(f"{data} must be a layout of offsets; partition_S takes coordinate layouts")
        sizes = tuple(size(inner[i]) for i in range(len(inner)))
        if len(sizes) != len(self.tiler) or any(s % t for s, t in zip(sizes, self.tile, strict=True)):
            raise CuteLabError(f"{data} is not covered by whole tiles of {self.tile}; its sizes are {sizes}")
        divided = composition(zipped_divide(inner, self.tiler), (self.layout_tv, None))
        assert isinstance(divided, Layout)
        tile, rest = divided[0], divided[1]
        parts = Layout((tile[0].shape, (tile[1].shape, rest.shape)), (tile[0].stride, (tile[1].stride, rest.stride)))
        return ComposedLayout(data.outer, data.offset, parts) if isinstance(data, ComposedLayout) else parts

    # -- as CuTe does it

    def _tv(self) -> Typed:
        return typed.lift(mark_layout(self.layout_tv))[0]

    def _tiler(self) -> Any:
        return typed.typed_tiler(tuple(mark_layout(t) if isinstance(t, Layout) else t for t in self.tiler))

    def _side(self, side: int) -> Typed:
        """(thread, value) of one side -> (thread, value) of the reference."""
        ref = typed.lift(self.atom.layouts[2])[0]
        return typed.composition(typed.right_inverse(ref), typed.lift(self.atom.layouts[side])[0])

    def _threads_and_values(self, side: int) -> Typed:
        """((thread),(value, repetitions of the atom)) -> index in the tile."""
        ref = self.atom.layouts[2]
        atoms = typed.zipped_divide(self._tv(), (Int(size(ref[0])), Int(size(ref[1]))))
        cut = typed.composition(atoms, (self._side(side), None))
        first, second = (typed.modes_of(m) for m in typed.modes_of(cut))
        zipped = typed.join([typed.join([a, b]) for a, b in zip(first, second, strict=True)])
        return typed.coalesce(zipped, (1, (1, 1)))

    def _fragments(self, side: int, data: Typed) -> tuple[Typed, Typed, Typed]:
        """(thread, (FrgV, FrgX), (RestM, RestN, ...)): CuTe's tidfrg_S and tidfrg_D."""
        tiles = typed.zipped_divide(data, self._tiler())
        cut = typed.composition(tiles, (self._threads_and_values(side), None))
        pair, rest = typed.modes_of(cut)
        thread, value = typed.modes_of(pair)
        return thread, value, rest

    def _layout_tv(self, side: int) -> Layout:
        shape = tuple(mark(t) for t in self.tile)
        cut = typed.composition(
            typed.zipped_divide(typed.compact(shape), shape), (self._threads_and_values(side), None)
        )
        found = typed.lower(typed.modes_of(cut)[0])
        assert isinstance(found, Layout)
        return found

    def _partition(self, side: int, data: Any, thread: int | None) -> Any:
        data = as_data(data)
        self._check_rank(data)
        threads, kept, marks = _cut(self, side, spelled(data))
        number = 0 if thread is None else check_thread(thread, self.threads, self.atom.name)
        found: Part = part(data, [threads], [number], kept, marks)
        return found[0] if thread is None else found

    def _retile(self, fragment: Any) -> AnyLayout:
        data = as_data(fragment, "the fragment")
        x, marks = split(data)
        modes = typed.modes_of(x)
        if len(modes) < 1 + len(self.tiler):
            raise CuteLabError(
                f"a fragment has {1 + len(self.tiler)} modes or more, (value, repetitions along each mode), got {data}"
            )
        v = typed.product(modes[0].shape)
        shape = tuple(mark(t) for t in self.tile)
        inverse = typed.composition(typed.right_inverse(self._tv()), typed.compact(shape))
        try:
            by_values = typed.upcast(inverse, mul(Int(self.threads), v))
            mnk = typed.right_inverse(by_values)
            order = typed.zipped_divide(
                typed.logical_product(typed.compact(v), mnk), typed.compact(Int(size(self.atom.layouts[2][1])))
            )
            sizes = tuple(typed.product(m.shape) for m in typed.modes_of(by_values))
            tiles = typed.zipped_divide(x, (v, *sizes))
            cut = typed.composition(tiles, (order, None))
        except CuteLabError as error:
            raise CuteLabError(f"{data} cannot be retiled for {self.atom.name}: {error}") from None
        first, rest = typed.modes_of(cut)
        kept = typed.join([first, *typed.modes_of(rest)[1:]])
        return part(data, [typed.modes_of(rest)[0]], [0], kept, marks)[0]

    def __str__(self) -> str:
        """The text that CuTe prints for a TiledCopy; `read` reads it."""
        tiler = ",".join(str(mark_layout(t)) if isinstance(t, Layout) else f"_{t}" for t in self.tiler)
        return f"TiledCopy\n  Tiler_MN:       ({tiler})\n  TiledLayout_TV: {mark_layout(self.layout_tv)}\n{self.atom}"


@lru_cache(maxsize=256)
def _cut(copy: TiledCopy, side: int, data: Spelled) -> tuple[Typed, Typed, bool]:
    """The mode of the threads, what a thread keeps, and whether the result carries marks."""
    x, marks = split(data.data)
    threads, value, rest = copy._fragments(side, x)
    return threads, typed.join([value, *typed.modes_of(rest)]), marks


def make_tiled_copy(atom: CopyAtom, thr_layout: Layout, val_layout: Layout | None = None) -> TiledCopy:
    """Threads in this order, values in this order, moved by this atom: the TiledCopy. Source: CuTe's make_tiled_copy.

    thr_layout: (m, n) -> thread; val_layout: (m, n) -> value, one value where it is left out.

    >>> from cutelab.cutlass.atoms.copy import copy_atom
    >>> copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((32, 4), (4, 1)), Layout((1, 8)))
    >>> copy.tiler, str(copy.layoutS_TV)
    ((32, 32), '((_4,_32),(_8,_1)):((_256,_1),(_32,_0))')
    """
    tiler, layout_tv = make_layout_tv(thr_layout, Layout(1) if val_layout is None else val_layout)
    return TiledCopy(atom, layout_tv, tiler)


def _want_mma(mma: object) -> TiledMMA:
    if not isinstance(mma, TiledMMA):
        raise CuteLabError(f"the values are those of a TiledMMA, got {shown(mma)}; make_tiled_mma(atom) makes one")
    return mma


def make_tiled_copy_A(atom: CopyAtom, mma: TiledMMA) -> TiledCopy:
    """The TiledCopy that gives each thread the values of A that it will multiply.

    >>> from cutelab.cutlass.atoms.copy import copy_atom
    >>> mma = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
    >>> str(make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), mma).layoutS_TV)
    '((_16,_2,_2,_2),(_8,_1)):((_1,_256,_16,_0),(_32,_0))'
    """
    mma = _want_mma(mma)
    return TiledCopy(atom, mma.layoutA_TV, (mma.tile[0], mma.tile[2]))


def make_tiled_copy_B(atom: CopyAtom, mma: TiledMMA) -> TiledCopy:
    """The TiledCopy that gives each thread the values of B that it will multiply. As `make_tiled_copy_A`.

    >>> from cutelab.cutlass.atoms.copy import copy_atom
    >>> mma = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
    >>> make_tiled_copy_B(copy_atom("SM75_U32x4_LDSM_N", "half_t"), mma).tiler
    (32, 16)
    """
    mma = _want_mma(mma)
    return TiledCopy(atom, mma.layoutB_TV, (mma.tile[1], mma.tile[2]))


def make_tiled_copy_C(atom: CopyAtom, mma: TiledMMA) -> TiledCopy:
    """The TiledCopy of each thread's accumulators, as an epilogue stores them. As `make_tiled_copy_A`.

    >>> from cutelab.cutlass.atoms.copy import copy_atom
    >>> mma = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
    >>> make_tiled_copy_C(copy_atom("UniversalCopy<uint64_t>", "float"), mma).threads
    128
    """
    mma = _want_mma(mma)
    return TiledCopy(atom, mma.layoutC_TV, (mma.tile[0], mma.tile[1]))
