"""cost: what does a TiledCopy, or a TiledMMA that reads its operand, make of global and shared memory?

Every instruction of every warp is counted: its lanes' addresses follow from the copy's thread-value layout and the layout of
the data. cp.async and bulk copies have a shared side that is not modelled; they have no count there, and it says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cutelab.advise.conflict_free import Fix, TileAccess, conflict_free
from cutelab.advise.copies.fragment import FragmentLoad, as_atom, fragment_loads
from cutelab.algebra import logical_divide
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError, brief, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, offsets, size
from cutelab.cutlass.atoms.types import bits_of
from cutelab.cutlass.tv import TiledCopy
from cutelab.hardware.access import WIDTHS, WarpAccess
from cutelab.hardware.chip import H200, Chip, want_chip
from cutelab.hardware.sectors import Sectors, sectors
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

MEMORIES = ("global", "shared", "registers")
WIDEST = max(WIDTHS["load"])
MAX_ELEMENTS = 1 << 21


@dataclass(frozen=True, eq=False)
class Side:
    """What one side of a copy costs: the loads from the source, or the stores to the destination.

    memory   "global", "shared" or "registers"
    layout   of the data; element_bytes: bytes of an element
    access   the accesses, a WarpAccess batch (instructions, warps, lanes); None where nothing is counted
    row, col coordinates in the data of each lane's first element, of the same shape
    note     what cannot be said, or what is not as the atom has it; "" if there is nothing
    """

    memory: str
    layout: Layout | ComposedLayout
    element_bytes: int
    access: WarpAccess | None = field(repr=False)
    row: np.ndarray = field(repr=False)
    col: np.ndarray = field(repr=False)
    note: str = ""

    @cached_property
    def result(self) -> Sectors | Wavefronts | None:
        """Sectors (global) or wavefronts (shared) of each instruction of each warp; None where nothing is counted."""
        if self.access is None:
            return None
        return sectors(self.access) if self.memory == "global" else wavefronts(self.access)

    @property
    def unit(self) -> str:
        return "sectors" if self.memory == "global" else "wavefronts"

    @property
    def counts(self) -> np.ndarray | None:
        """The count of each (instruction, warp)."""
        return None if self.result is None else np.asarray(self.result.count)

    @property
    def count(self) -> int | None:
        """All instructions of all warps together; None where nothing is counted."""
        return None if self.result is None else int(np.sum(self.result.count))

    @property
    def ideal(self) -> int | None:
        """The fewest that the bytes of each instruction allow."""
        return None if self.result is None else int(np.sum(self.result.ideal))

    @property
    def worst(self) -> WarpAccess | None:
        """The worst instruction of the worst warp: its lanes' addresses."""
        if self.access is None or self.counts is None:
            return None
        at = np.unravel_index(int(self.counts.argmax()), self.counts.shape)
        access = self.access
        return WarpAccess(
            access.byte_address[at], access.access_bytes, access.kind, access.active[at], chip=access.chip
        )

    def explain(self) -> str:
        """The verdict, the worst instruction's reason, and what cannot be said."""
        if self.access is None or self.result is None:
            return self.note or f"{self.memory}: nothing to count"
        said = f"{self.memory}: {self.result.summary()}"
        worst = self.worst
        if isinstance(self.result, Wavefronts) and worst is not None and self.count != self.ideal:
            said += f"; worst: {wavefronts(worst).reason()}"
        return f"{said}; {self.note}" if self.note else said


@dataclass(frozen=True, eq=False)
class Cost:
    """What a TiledCopy costs on both sides, and how wide its accesses might be.

    source, target  a `Side` each
    access_bytes    what one lane moves with one instruction, as the atom has it
    allowed_bytes   the widest access that both layouts allow for the values of a thread, at most 16 bytes
    """

    source: Side
    target: Side
    access_bytes: int
    allowed_bytes: int

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.source, self.target

    def explain(self) -> str:
        """Both sides in words, and the width."""
        lines = [f"source, {self.source.explain()}", f"target, {self.target.explain()}"]
        if self.allowed_bytes > self.access_bytes:
            lines.append(f"{self.access_bytes} bytes a lane; the layouts would allow {self.allowed_bytes}")
        return "\n".join(lines)


def cost(
    tiled: TiledCopy,
    src: Any,
    dst: Any,
    element: Any,
    src_memory: str = "global",
    dst_memory: str = "shared",
    *,
    chip: Chip = H200,
) -> Cost:
    """What does this TiledCopy cost, instruction by instruction and warp by warp?

    tiled       a TiledCopy; its atom says how many bytes a lane moves (ldmatrix and stmatrix: 16)
    src, dst    the layouts of the data, element offsets, of as many modes as the tile, covered by whole tiles; texts are read
    element     a C++ type such as "half_t", or the bytes of an element
    src_memory, dst_memory   "global", "shared" or "registers" (which costs nothing)

    Raises CuteLabError for data that whole tiles do not cover, and for an element that is not the atom's.

    >>> from cutelab.cutlass.atoms.copy import copy_atom
    >>> from cutelab.cutlass.tv import make_tiled_copy
    >>> copy = make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), Layout((32, 8), (8, 1)), Layout((1, 1)))
    >>> [cost(copy, "(128,8):(8,1)", f"(128,8):(1,{pitch})", "float").target.count for pitch in (129, 132)]
    [128, 32]
    """
    want_chip(chip)
    if not isinstance(tiled, TiledCopy):
        raise CuteLabError(f"cost takes a TiledCopy, got {shown(tiled)}; for an operand of an MMA use operand_cost")
    item = _item(element, tiled.atom.value_bits)
    for name, memory in (("src_memory", src_memory), ("dst_memory", dst_memory)):
        if memory not in MEMORIES:
            raise CuteLabError(f'{name} must be "global", "shared" or "registers", got {shown(memory)}')
    sides, tables = [], []
    for side, (data, memory) in enumerate(((src, src_memory), (dst, dst_memory))):
        layout = _data(data)
        made, table = _side(tiled, side, layout, memory, item, chip)
        sides.append(made)
        tables.append(table)
    widths = [_widest(t, item) for t, m in zip(tables, (src_memory, dst_memory), strict=True) if m != "registers"]
    atom_bytes = max((_lane_values(tiled, side) * item for side in (0, 1)), default=item)
    return Cost(sides[0], sides[1], min(atom_bytes, WIDEST), min(widths, default=item))


def operand_cost(
    mma: Any, operand: str, smem_layout: Any, element: Any, *, chip: Chip = H200
) -> tuple[FragmentLoad, ...]:
    """What does it cost to load a whole operand of an MMA from shared memory, with each instruction that can?

    mma          a TiledMMA or an MmaAtom; smem_layout: (m, k) or (n, k) -> element offset, covered by whole tiles of the operand

    The best way first: ldmatrix, ldmatrix.trans or plain loads, for all tiles together. Ways that some tile does not allow are left out.

    >>> from cutelab.cutlass.tv import TiledMMA
    >>> mma = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
    >>> for way in operand_cost(mma, "A", "(64,64):(64,1)", "half_t")[:2]: print(way.summary())
    8 x ldmatrix.x4: 1024 wavefronts where 128 would do
    32 x ld.shared.b32: 1024 wavefronts where 128 would do
    >>> print(operand_cost(mma, "A", "Sw<3,3,3> o 0 o (64,64):(64,1)", "half_t")[0].summary())
    8 x ldmatrix.x4: 128 wavefronts, the ideal
    """
    mma = as_atom(mma)
    layout, item = _data(smem_layout), _item(element, mma.bits(operand))
    rows, cols = mma.operand(operand)[1]
    table = offsets(layout)
    if table.ndim != 2 or table.shape[0] % rows or table.shape[1] % cols:
        raise CuteLabError(f"{brief(layout)} is not covered by whole operands {operand} of {rows} x {cols}")
    found: dict[str, list[FragmentLoad]] = {}
    tiles = [(m, k) for m in range(0, table.shape[0], rows) for k in range(0, table.shape[1], cols)]
    for at in tiles:
        for way in fragment_loads(layout, mma, operand, item, at=at, chip=chip):
            found.setdefault(way.instruction, []).append(way)
    whole = [
        FragmentLoad(
            name,
            tuple(access for way in ways for access in way.accesses),
            sum(way.instructions for way in ways),
            sum(way.wavefronts for way in ways),
            sum(way.ideal for way in ways),
        )
        for name, ways in found.items()
        if len(ways) == len(tiles)
    ]
    return tuple(sorted(whole, key=lambda way: (way.wavefronts, way.instructions)))


def fixes_for(*users: Side | FragmentLoad, like: Any, element: Any, **limits: Any) -> tuple[Fix, ...]:
    """Which padding or swizzle frees a tile in shared memory for all who store to it and load from it?

    users   sides of `cost` in shared memory, and ways of `operand_cost`, all of the same tile
    like    the layout of that tile as it is: its contiguous mode and sizes are kept, its padding or swizzle is what is sought
    limits  those of conflict_free (may_pad, keep_size, max_pad ...)

    Best first. A Fix describes the tile by rows of its contiguous mode: for a tile that is contiguous along its first mode rows
    and columns are exchanged. Raises CuteLabError for users of another tile, and where nothing is counted.

    >>> from cutelab.cutlass.atoms.copy import copy_atom
    >>> from cutelab.cutlass.tv import make_tiled_copy
    >>> copy = make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), Layout((32, 8), (8, 1)), Layout((1, 1)))
    >>> store = cost(copy, "(128,8):(8,1)", "(128,8):(1,129)", "float").target
    >>> best = next(fix for fix in fixes_for(store, like="(128,8):(1,129)", element="float") if fix.kind == "padding")
    >>> best.name, best.wavefronts
    ('pitch 132', 32)
    """
    layout = _data(like)
    if len(layout) != 2:
        raise CuteLabError(f"a tile in shared memory has two modes, got {brief(layout)}")
    table = offsets(layout)
    item = _item(element, 0)
    along = 1 if table.shape[1] > 1 and (table.shape[0] == 1 or table[0, 1] < table[1, 0]) else 0
    rows, cols = table.shape if along == 1 else table.shape[::-1]
    order = np.argsort(table, axis=None)
    keys = table.ravel()[order]
    accesses = []
    for user in users:
        if not isinstance(user, Side | FragmentLoad):
            raise CuteLabError(f"the users of a tile are sides of a Cost or FragmentLoads, got {shown(user)}")
        batches = user.accesses if isinstance(user, FragmentLoad) else (user.access,)
        for access in batches:
            if access is None or (isinstance(user, Side) and user.memory != "shared"):
                raise CuteLabError("a user of the tile must store to or load from shared memory, and be modelled")
            byte = access.byte_address.reshape(-1, access.chip.lanes)
            active = access.active.reshape(-1, access.chip.lanes)
            wanted = np.where(active, byte // item, keys[0])
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            if (keys[at] != wanted).any():
                raise CuteLabError(
                    f"a user touches offset {int(wanted[keys[at] != wanted][0])}, which is not in {layout}"
                )
            m, k = np.unravel_index(order[at], table.shape)
            row, col = (m, k) if along == 1 else (k, m)
            accesses.append(TileAccess(row, col, access.access_bytes, access.kind, active, chip=access.chip))
    return conflict_free(accesses, int(rows), int(cols), item, **limits)


def _item(element: Any, bits: int) -> int:
    """Bytes of an element, from a C++ type or a number."""
    if isinstance(element, str):
        found = bits_of(element)
    elif is_int(element) and element in (1, 2, 4, 8, 16):
        found = 8 * int(element)
    else:
        raise CuteLabError(f'element is a C++ type such as "half_t", or 1, 2, 4, 8 or 16 bytes; got {shown(element)}')
    if found % 8:
        raise CuteLabError(f"{element} has {found} bits; elements below a byte are not modelled")
    if bits and bits != found:
        raise CuteLabError(f"the atom moves values of {bits} bits, and {element} has {found}; they must be the same")
    return int(found) // 8


def _data(data: Any) -> Layout | ComposedLayout:
    if isinstance(data, str):
        data = parse_layout(data)
    inner = getattr(data, "layout", None)
    if not isinstance(data, Layout | ComposedLayout) and isinstance(inner, Layout | ComposedLayout):
        data = inner
    if not isinstance(data, Layout | ComposedLayout):
        raise CuteLabError(f"the data need a layout of offsets or its text, got {shown(data)}")
    if size(data) > MAX_ELEMENTS:
        raise CuteLabError(
            f"{data} has {size(data):,} elements; counted are up to {MAX_ELEMENTS:,}: give one block's part"
        )
    return data


def _lane_values(tiled: TiledCopy, side: int) -> int:
    """Values that one thread moves with one instruction, on this side."""
    if tiled.atom.src is None:
        return 1
    return size(tiled.atom.layouts[side][1])


def _side(
    tiled: TiledCopy, side: int, layout: Layout | ComposedLayout, memory: str, item: int, chip: Chip
) -> tuple[Side, np.ndarray]:
    """A side, and the offsets of each (thread, value, tile) in order."""
    none = np.zeros((0, 0, chip.lanes), dtype=np.int64)
    name = tiled.atom.name
    if tiled.atom.src is None:
        note = f"{name} is issued by one thread and moves what its tensor map says: not modelled, see TmaTile"
        return Side(memory, layout, item, None, none, none, note), np.zeros((1, 1, 1), dtype=np.int64)
    table = offsets(layout)
    if table.ndim < len(tiled.tile):
        raise CuteLabError(f"{layout} has {table.ndim} modes; the tile of {tiled.tile} needs as many or more")
    tv = offsets(tiled.layoutS_TV if side == 0 else tiled.layoutD_TV)
    tv = tv.reshape(tiled.threads, -1, order="F")
    coordinates = np.unravel_index(tv, tiled.tile, order="F")
    index, rests = [], []
    for i, (tiler, extent) in enumerate(zip(tiled.tiler, table.shape, strict=False)):
        within = tiled.tile[i]
        if extent % within:
            raise CuteLabError(
                f"{layout} has {extent} along mode {i}, no multiple of the tile's {within}; count whole tiles, and `predicate` the rest"
            )
        divided = offsets(logical_divide(Layout(extent), tiler)).reshape(within, -1, order="F")
        index.append(divided[coordinates[i]])  # (thread, value, tiles along the mode)
        rests.append(divided.shape[1])
    further = table.shape[len(tiled.tile) :]
    shape = (*tv.shape, *rests, *further)
    full = []
    for i, x in enumerate(index):
        full.append(x.reshape(*tv.shape, *[r if j == i else 1 for j, r in enumerate(rests)], *[1] * len(further)))
    for j, extent in enumerate(further):
        full.append(
            np.arange(extent, dtype=np.int64).reshape(
                *[1] * (2 + len(rests) + j), extent, *[1] * (len(further) - j - 1)
            )
        )
    full = [np.broadcast_to(x, shape).reshape(*tv.shape, -1, order="F") for x in full]
    held = table[tuple(full)]  # (thread, value, tile)
    if memory == "registers":
        return Side(memory, layout, item, None, none, none, "registers: no memory is touched"), held
    if memory == "shared" and (name.startswith("SM80_CP_ASYNC") or "TMA" in name or "BULK" in name):
        return Side(memory, layout, item, None, none, none, f"what {name} costs in shared memory is not modelled"), held
    return _counted(tiled, side, layout, memory, item, chip, held, full), held


def _counted(
    tiled: TiledCopy,
    side: int,
    layout: Layout | ComposedLayout,
    memory: str,
    item: int,
    chip: Chip,
    held: np.ndarray,
    full: list[np.ndarray],
) -> Side:
    name, lane_values = tiled.atom.name, _lane_values(tiled, side)
    threads, values, tiles = held.shape
    runs = held.reshape(threads, values // lane_values, lane_values, tiles)
    note, kind, lanes = "", "load" if side == 0 else "store", chip.lanes
    matrices = 0
    if memory == "shared" and ("LDSM" in name or "STSM" in name):
        kind = "ldmatrix" if "LDSM" in name else "stmatrix"
        count = int(name.split("x")[1].split("_")[0])
        matrices = count // 2 if "U16" in name else count
        if lanes != H200.lanes:
            raise CuteLabError(f"{name} is an instruction of warps of 32 lanes; {chip.name} has {lanes}")
    width = _run(runs, lane_values, item)
    whole = lane_values * item
    if matrices and width < whole:
        raise CuteLabError(
            f"{name} reads rows of 16 bytes, and {layout} keeps {width} bytes of them together and aligned"
        )
    if width < whole:
        note = f"the {whole} bytes of {name} lie apart here ({width} together), which CuTe does not compile; counted by {width}"
    per = max(1, width // item)
    first = runs[:, :, ::per]  # (thread, instruction, piece, tile)
    byte = first.reshape(threads, -1) * item
    warps = -(-threads // lanes)
    active = np.zeros((warps * lanes, byte.shape[1]), dtype=bool)
    active[:threads] = True
    if matrices:
        active &= (np.arange(warps * lanes, dtype=np.int64) % lanes < 8 * matrices)[:, None]
    padded = np.zeros(active.shape, dtype=np.int64)
    padded[:threads] = byte

    def batch(x: np.ndarray) -> np.ndarray:
        return x.reshape(warps, lanes, -1).transpose(2, 0, 1)

    places = []
    for x in full[:2]:
        there = np.zeros(active.shape, dtype=np.int64)
        there[:threads] = x.reshape(threads, values // lane_values, lane_values, tiles)[:, :, ::per].reshape(
            threads, -1
        )
        places.append(batch(there))
    places += [places[0]] * (2 - len(places))
    access = WarpAccess(batch(padded), width if not matrices else 16, kind, batch(active), chip=chip)
    return Side(memory, layout, item, access, places[0], places[1], note)


def _run(runs: np.ndarray, values: int, item: int) -> int:
    """The widest access, in bytes, that takes these values (thread, instruction, value, tile) side by side and aligned."""
    width = min(values * item, WIDEST)
    while width > item:
        per = width // item
        if values % per == 0:
            parts = runs.reshape(*runs.shape[:2], values // per, per, runs.shape[3])
            step = np.arange(per, dtype=np.int64)[:, None]
            if (parts - parts[..., :1, :] == step).all() and not (parts[..., 0, :] * item % width).any():
                return width
        width //= 2
    return item


def _widest(held: np.ndarray, item: int) -> int:
    """The widest access that a thread's values allow, in their order."""
    values = held.shape[1]
    best = 1
    while values % (2 * best) == 0:
        best *= 2
    return _run(held[:, None], best, item) if best > 1 else item
