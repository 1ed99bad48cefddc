"""recommend_copy: which threads should move which pieces of a tile from global to shared memory?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.advise.conflict_free import TileAccess, conflict_free
from cutelab.advise.cost import Cost, cost, fixes_for
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, cosize, size
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.atoms.types import bits_of
from cutelab.cutlass.thread_map import parse_thread_map
from cutelab.cutlass.tv import TiledCopy, make_tiled_copy
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import H200, Chip, want_chip
from cutelab.hardware.sectors import sectors

WIDTHS = (16, 8, 4, 2, 1)
SPARE = 3  # so many more than asked for are judged with a layout of their own
ORDERS = ("row", "column")


@dataclass(frozen=True, eq=False)
class Recommendation:
    """One way to copy a tile, and why it stands where it stands.

    copy          the TiledCopy, or the thread map of CUTLASS 2.x
    cpp           how it is written in C++
    smem_layout   where the tile lies in shared memory so that the stores are free of conflicts, if anything tried is
    access_bytes  what one lane moves; instructions: of one thread
    sectors, wavefronts  of all warps; with the fewest that the bytes allow
    """

    copy: Any
    cpp: str
    smem_layout: Layout | ComposedLayout
    access_bytes: int
    instructions: int
    sectors: int
    ideal_sectors: int
    wavefronts: int
    ideal_wavefronts: int
    chip: Chip = H200

    @property
    def plain(self) -> bool:
        """Is the staging tile neither padded nor swizzled?"""
        layout = self.smem_layout
        return isinstance(layout, Layout) and cosize(layout) == size(layout)

    @property
    def why(self) -> str:
        """The reasons in words: sectors, width, wavefronts."""
        moved = "the fewest" if self.sectors == self.ideal_sectors else f"where {self.ideal_sectors:,} would do"
        stored = (
            "the ideal" if self.wavefronts == self.ideal_wavefronts else f"where {self.ideal_wavefronts:,} would do"
        )
        times = "access" if self.instructions == 1 else "accesses"
        return self.chip.said(
            f"{self.sectors:,} sectors, {moved}; {self.instructions} {times} of {self.access_bytes} bytes a thread; "
            f"stored in {self.smem_layout} with {self.wavefronts:,} wavefronts, {stored}"
        )


def recommend_copy(
    tile: tuple[int, int],
    element: str,
    threads: int,
    order: str = "row",
    *,
    pitch: int = 4096,
    may_pad: bool = True,
    most: int = 5,
    chip: Chip = H200,
) -> tuple[Recommendation, ...]:
    """Which TiledCopy, and which 2.x thread map, should move this tile from global to shared memory?

    tile      (rows, columns); element: a C++ type such as "half_t"; threads: of the block
    order     "row": neighbours of a row lie together in global memory, and in shared memory too; "column": of a column
    pitch     elements from row to row (column to column) of the matrix; the tile begins aligned
    may_pad   False: the staging tile takes no more room than its elements
    most      how many of each kind to give

    Tried: accesses of 16 to 1 bytes, every power of two of threads along the contiguous mode. Ranked: fewest sectors, then fewest
    instructions, then fewest wavefronts of the store, then a staging tile without padding and swizzle. Copies first, then
    thread maps. Raises CuteLabError where no arrangement covers the tile.

    >>> best = recommend_copy((128, 64), "half_t", 128)[0]
    >>> best.cpp
    'make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<Int<16>, Int<8>>, Stride<Int<8>, Int<1>>>{}, Layout<Shape<Int<1>, Int<8>>>{})'
    >>> best.sectors, best.wavefronts, best.instructions
    (512, 128, 8)
    """
    want_chip(chip)
    rows, cols, item = _check(tile, element, threads, order, pitch)
    inner, outer = (cols, rows) if order == "row" else (rows, cols)
    src = Layout((rows, cols), (pitch, 1) if order == "row" else (1, pitch))
    plain = Layout((rows, cols), (cols, 1) if order == "row" else (1, rows))
    tried = []
    for width, along in _arrangements(inner, outer, item, threads, pitch):
        copy = _copy(width, width // item, along, threads // along, element, order)
        found = cost(copy, src, plain, element, chip=chip)
        tried.append(((found.source.count, len(found.source.row), -along), copy, found))
    if not tried:
        near = sorted((1 << n for n in range(11)), key=lambda n: abs(n - threads))
        works = [n for n in near if next(_arrangements(inner, outer, item, n, pitch), None)]
        remedy = f"{works[0]} threads would do" if works else "choose sides that are multiples of powers of two"
        raise CuteLabError(
            f"no arrangement of {threads} threads covers a tile of {rows} x {cols}: so many along the contiguous side, a power of two, "
            f"and the rest along the other must divide them; {remedy}"
        )
    tried.sort(key=lambda one: one[0])
    copies = [
        _judged(copy, src, plain, found, element, order, may_pad, chip) for _, copy, found in tried[: most + SPARE]
    ]
    copies.sort(key=_rank)
    return (*copies[:most], *_thread_maps(inner, outer, item, threads, order, pitch, may_pad, most, chip))


def _rank(found: Recommendation) -> tuple[int, int, int, bool]:
    """Sectors, instructions, wavefronts; then a tile as it is before a swizzled or padded one."""
    return found.sectors, found.instructions, found.wavefronts, not found.plain


def _arrangements(inner: int, outer: int, item: int, threads: int, pitch: int) -> Iterator[tuple[int, int]]:
    """(bytes of an access, threads along the contiguous side), as far as they cover the tile."""
    for width in WIDTHS:
        values = width // item
        if values >= 1 and inner % values == 0 and pitch % values == 0:
            for along in [1 << n for n in range(threads.bit_length())]:
                if threads % along == 0 and inner // values % along == 0 and outer % (threads // along) == 0:
                    yield width, along


def _check(tile: Any, element: Any, threads: Any, order: Any, pitch: Any) -> tuple[int, int, int]:
    if not isinstance(tile, tuple | list) or len(tile) != 2 or not all(is_int(n) and 1 <= n <= 4096 for n in tile):
        raise CuteLabError(f"a tile is two whole numbers such as (128, 64), got {shown(tile)}")
    if order not in ORDERS:
        raise CuteLabError(f'order must be "row" or "column", got {shown(order)}')
    if not is_int(threads) or not 1 <= threads <= 1024:
        raise CuteLabError(f"threads must be a whole number from 1 to 1,024, got {shown(threads)}")
    if not is_int(pitch) or pitch < tile[1 if order == "row" else 0]:
        raise CuteLabError(f"pitch must be as long as the tile's contiguous side, got {shown(pitch)}")
    if not isinstance(element, str) or bits_of(element) % 8:
        raise CuteLabError(f'element is a C++ type of whole bytes such as "half_t", got {shown(element)}')
    return int(tile[0]), int(tile[1]), bits_of(element) // 8


def _copy(width: int, values: int, along: int, other: int, element: str, order: str) -> TiledCopy:
    atom = copy_atom(f"UniversalCopy<uint{8 * width}_t>", element)
    if order == "row":
        return make_tiled_copy(atom, Layout((other, along), (along, 1)), Layout((1, values)))
    return make_tiled_copy(atom, Layout((along, other)), Layout((values, 1)))


def _judged(
    copy: TiledCopy,
    src: Layout,
    plain: Layout,
    found: Cost,
    element: str,
    order: str,
    may_pad: bool,
    chip: Chip,
) -> Recommendation:
    layout, found = _best(copy, src, plain, found, element, order, may_pad, chip)
    source, target = found.source, found.target
    thr = copy.tiler
    values = copy.values
    along = thr[1] // values if order == "row" else thr[0] // values
    other = thr[0] if order == "row" else thr[1]
    if order == "row":
        shape = f"Layout<Shape<Int<{other}>, Int<{along}>>, Stride<Int<{along}>, Int<1>>>{{}}, Layout<Shape<Int<1>, Int<{values}>>>{{}}"
    else:
        shape = f"Layout<Shape<Int<{along}>, Int<{other}>>>{{}}, Layout<Shape<Int<{values}>, Int<1>>>{{}}"
    assert source.counts is not None and target.counts is not None and source.access is not None
    useful = int(np.unique(source.access.byte_address // chip.sector_bytes).size)
    return Recommendation(
        copy=copy,
        cpp=f"make_tiled_copy(Copy_Atom<{copy.atom.name}, {element}>{{}}, {shape})",
        smem_layout=layout,
        access_bytes=source.access.access_bytes,
        instructions=source.counts.shape[0],
        sectors=source.count or 0,
        ideal_sectors=useful,
        wavefronts=target.count or 0,
        ideal_wavefronts=target.ideal or 0,
        chip=chip,
    )


def _best(
    copy: TiledCopy,
    src: Layout,
    plain: Layout,
    found: Cost,
    element: str,
    order: str,
    may_pad: bool,
    chip: Chip,
) -> tuple[Layout | ComposedLayout, Cost]:
    """The staging tile as it is if its stores are free, else with the best padding or swizzle that the copy can partition."""
    if found.target.count == found.target.ideal:
        return plain, found
    for fix in fixes_for(found.target, like=plain, element=element, may_pad=may_pad, max_pad=chip.banks):
        layout = _exchanged(fix.layout) if order == "column" else fix.layout
        try:
            copy.partition_D(layout)
        except CuteLabError:
            continue  # CuTe does not partition it: the parts do not go evenly into the swizzle
        return layout, cost(copy, src, layout, element, chip=chip)
    return plain, found


def _exchanged(layout: Layout | ComposedLayout) -> Layout | ComposedLayout:
    """The same with its two modes exchanged."""
    inner = layout.inner if isinstance(layout, ComposedLayout) else layout
    assert isinstance(inner, Layout)
    turned = Layout((inner[1].shape, inner[0].shape), (inner[1].stride, inner[0].stride))
    return ComposedLayout(layout.outer, layout.offset, turned) if isinstance(layout, ComposedLayout) else turned


def _thread_maps(
    inner: int, outer: int, item: int, threads: int, order: str, pitch: int, may_pad: bool, most: int, chip: Chip
) -> list[Recommendation]:
    """CUTLASS 2.x maps of the same tile: strip-mined, and raked by warps of every shape."""
    names = []
    for width in WIDTHS:
        values = width // item
        if values < 1 or inner % values or pitch % values:
            continue
        shape = f"PitchLinearShape<{inner}, {outer}>"
        names.append((width, values, f"PitchLinearStripminedThreadMap<{shape}, {threads}, {values}>"))
        for across in (2, 4, 8, 16, 32):
            warp = f"PitchLinearShape<{across}, {32 // across}>"
            names.append((width, values, f"PitchLinearWarpRakedThreadMap<{shape}, {threads}, {warp}, {values}>"))
    tried: list[tuple[tuple[int, int], Any, str, np.ndarray, int]] = []
    for width, values, name in names:
        try:
            map_ = parse_thread_map(name)
            accesses = np.asarray(map_.accesses())  # (thread, access, (contiguous, strided))
        except CuteLabError:
            continue
        number = accesses[..., 1] * inner + accesses[..., 0]
        if (
            number.size * values != inner * outer
            or len(np.unique(number)) != number.size
            or number.max() >= inner * outer
        ):
            continue  # elements that no thread copies, or several
        tried.append(((accesses.shape[1], len(tried)), map_, name, accesses, width))
    tried.sort(key=lambda one: one[0])
    judged = [
        _judged_map(map_, name, accesses, inner, outer, item, width, order, pitch, may_pad, chip)
        for _, map_, name, accesses, width in tried[: most + SPARE]
    ]
    return sorted(judged, key=_rank)[:most]


def _judged_map(
    map_: Any,
    name: str,
    accesses: np.ndarray,
    inner: int,
    outer: int,
    item: int,
    width: int,
    order: str,
    pitch: int,
    may_pad: bool,
    chip: Chip,
) -> Recommendation:
    threads, count, _ = accesses.shape
    warps = -(-threads // chip.lanes)
    active = np.zeros((warps * chip.lanes, count), dtype=bool)
    active[:threads] = True
    place = np.zeros((2, *active.shape), dtype=np.int64)
    place[:, :threads] = accesses.transpose(2, 0, 1)
    col, row = (x.reshape(warps, chip.lanes, count).transpose(2, 0, 1).reshape(-1, chip.lanes) for x in place)
    on = active.reshape(warps, chip.lanes, count).transpose(2, 0, 1).reshape(-1, chip.lanes)
    loaded = sectors(WarpAccess((row * pitch + col) * item, width, "load", on, chip=chip))
    fix = conflict_free(TileAccess(row, col, width, "store", on, chip=chip), outer, inner, item, may_pad=may_pad)[0]
    layout = fix.layout if order == "row" else _exchanged(fix.layout)
    byte = (row * pitch + col)[on] * item
    return Recommendation(
        copy=map_,
        cpp=f"cutlass::transform::{name}".replace("<PitchLinearShape", "<cutlass::layout::PitchLinearShape").replace(
            " PitchLinearShape", " cutlass::layout::PitchLinearShape"
        ),
        smem_layout=layout,
        access_bytes=width,
        instructions=count,
        sectors=int(np.sum(loaded.count)),
        ideal_sectors=int(np.unique(byte // chip.sector_bytes).size),
        wavefronts=fix.wavefronts,
        ideal_wavefronts=fix.ideal,
        chip=chip,
    )
