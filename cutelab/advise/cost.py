"""cost: what a tiled copy costs on both sides, and what frees its writes and the reads that follow of bank conflicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.advise.conflict_free import TileAccess, conflict_free
from cutelab.advise.conflict_free.fix import Fix
from cutelab.advise.copies.fragment import FragmentLoad, fragment_loads
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import ComposedLayout, Layout, check_table_size, offsets, size
from cutelab.cutlass.atoms.types import bits_of
from cutelab.cutlass.tv.thread_part import as_data
from cutelab.cutlass.tv.tiled_copy import TiledCopy
from cutelab.cutlass.tv.tiled_mma import TiledMMA
from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import H200, Chip
from cutelab.hardware.sectors import Sectors
from cutelab.hardware.wavefronts import Wavefronts

MEMORIES = ("global", "shared", "registers")
NOT_MODELLED = {"SM80_CP_ASYNC": "cp.async's writes to shared memory are not modelled"}


@dataclass(frozen=True)
class Side:
    """What one side of a copy costs.

    memory        "global", "shared" or "registers";  instruction  what each warp executes there
    access        the accesses, a WarpAccess batch (warps, instructions of a warp); None where nothing is counted
    counted       Sectors (global) or Wavefronts (shared) of the batch; None where nothing is counted
    allowed_bytes the widest vector that the layout would allow: values side by side and aligned
    note          what cannot be said, and why; else ""
    """

    memory: str
    instruction: str
    access: WarpAccess | None = field(repr=False)
    counted: Sectors | Wavefronts | None = field(repr=False)
    allowed_bytes: int
    note: str = ""

    @property
    def count(self) -> int | None:
        """Sectors or wavefronts of all instructions of all warps; None where nothing is counted."""
        return None if self.counted is None else int(np.sum(self.counted.count))

    @property
    def ideal(self) -> int | None:
        """The fewest that the bytes of each instruction allow, added up."""
        return None if self.counted is None else int(np.sum(self.counted.ideal))

    @property
    def worst(self) -> tuple[int, int, int] | None:
        """(warp, instruction, count) of the most expensive instruction; None where nothing is counted."""
        if self.counted is None:
            return None
        table = np.asarray(self.counted.count)
        warp, instruction = np.unravel_index(int(table.argmax()), table.shape)
        return int(warp), int(instruction), int(table.max())

    @property
    def worst_addresses(self) -> np.ndarray | None:
        """The byte address of each lane in that instruction; None where nothing is counted."""
        if self.access is None or self.worst is None:
            return None
        found: np.ndarray = self.access.byte_address[self.worst[0], self.worst[1]]
        return found

    def summary(self) -> str:
        """The verdict in words."""
        head = f"{self.memory}, {self.instruction}"
        if self.counted is None:
            return f"{head}: {self.note or 'nothing is counted'}"
        unit = "sector" if isinstance(self.counted, Sectors) else "wavefront"
        assert self.worst is not None
        ideal = ", the ideal" if self.count == self.ideal else f" where {self.ideal:,} would do"
        tail = (
            ""
            if self.count == self.ideal
            else f"; the worst instruction takes {self.worst[2]} (warp {self.worst[0]}, number {self.worst[1]})"
        )
        return f"{head}: {self.count:,} {unit}{'s' * (self.count != 1)}{ideal}{tail}"


@dataclass(frozen=True)
class CopyCost:
    """What a tiled copy costs: its source side and its destination side.

    >>> from cutelab.cutlass.reading import read
    >>> copy = read("make_tiled_copy(Copy_Atom<UniversalCopy<uint32_t>,float>{}, Layout<Shape<_32,_8>,Stride<_8,_1>>{})")
    >>> print(cost(copy, "(_128,_8):(_8,_1)", "(_128,_8):(_1,_129)", "float").summary())
    source: global, 32 x ld.b32: 128 sectors, the ideal
    destination: shared, 32 x st.b32: 128 wavefronts where 32 would do; the worst instruction takes 4 (warp 0, number 0)
    """

    source: Side
    destination: Side

    def summary(self) -> str:
        """The verdict in words, a line a side."""
        return f"source: {self.source.summary()}\ndestination: {self.destination.summary()}"


def cost(
    tiled_copy: TiledCopy,
    src: Any,
    dst: Any,
    element: str | int,
    src_memory: str = "global",
    dst_memory: str = "shared",
    *,
    chip: Chip = H200,
) -> CopyCost:
    """What does this tiled copy cost on each side: sectors of global memory, wavefronts of shared memory?

    src, dst: layouts (or their texts) of at least as many modes as the tile, offsets in elements; both begin aligned.
    element: the C++ type of an element, or its bytes. Every instruction of every warp is counted; values of one instruction
    must lie side by side and aligned, else CuTe refuses to compile it. What cp.async writes to shared memory is not modelled,
    nor what TMA does. Raises CuteLabError for layouts that the instruction does not fit, with the width that would.

    >>> from cutelab.cutlass.reading import read
    >>> copy = read("make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>,half_t>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})")
    >>> found = cost(copy, "(128,64):(5184,_1)", "Sw<3,3,3> o 0 o (_128,_64):(_64,_1)", "half_t")
    >>> found.destination.count, found.destination.ideal, found.source.count
    (128, 128, 512)
    """
    if not isinstance(tiled_copy, TiledCopy):
        raise CuteLabError(f"cost takes a TiledCopy, got {shown(tiled_copy)}; mma_cost takes a TiledMMA")
    item = _item(tiled_copy, element)
    sides = []
    for i, (data, memory) in enumerate(((src, src_memory), (dst, dst_memory))):
        if memory not in MEMORIES:
            raise CuteLabError(f"a memory is one of {', '.join(MEMORIES)}, got {shown(memory)}")
        sides.append(_side(tiled_copy, i, as_data(data), memory, item, chip))
    return CopyCost(*sides)


def _item(copy: TiledCopy, element: str | int) -> int:
    """Bytes of an element, held against the copy atom's."""
    bits = bits_of(element) if isinstance(element, str) else 8 * element if is_int(element) else 0
    if bits < 8 or bits % 8 or bits > 128:
        raise CuteLabError(
            f"an element is a C++ type or 1 to 16 bytes, got {shown(element)}; smaller elements are not modelled"
        )
    have = copy.atom.value_bits
    if have and have != bits:
        raise CuteLabError(f"the copy atom moves values of {have} bits, the element has {bits}; they must be the same")
    return bits // 8


def _side(copy: TiledCopy, side: int, data: Any, memory: str, item: int, chip: Chip) -> Side:
    name = copy.atom.name
    shared_matrix = name.startswith(("SM75_U", "SM90_U")) and ("LDSM" in name) == (side == 0)
    values = size(copy.atom.layouts[side][1])
    width = values * item
    if memory == "registers":
        return Side(memory, "registers", None, None, width, "registers have no banks that are counted here")
    layout = copy.tidfrg_S(data) if side == 0 else copy.tidfrg_D(data)
    if not isinstance(layout, Layout | ComposedLayout):
        raise CuteLabError(f"{shown(str(data))} leads to coordinates; cost takes layouts of offsets")
    check_table_size(size(layout), f"the accesses to {shown(str(data))}")
    table = offsets(layout)
    table = table.reshape(table.shape[0], table.shape[1], -1, order="F")
    byte = table.reshape(len(table), values, -1, order="F") * item  # (threads, values of an instruction, instructions)
    allowed = _allowed(byte.reshape(len(byte), -1, order="F"), item)
    if not _side_by_side(byte, item, width):
        raise CuteLabError(
            f"{name} moves {width} bytes a thread, and the {values} values of a thread do not lie side by side and aligned in "
            f"{shown(str(data))}: CuTe refuses it when it vectorizes. Use UniversalCopy<uint{8 * max(allowed, item)}_t>"
        )
    address = byte[:, 0, :].T  # (instructions, threads)
    lanes = chip.lanes
    warps = -(-address.shape[1] // lanes)
    padded = np.pad(address, ((0, 0), (0, warps * lanes - address.shape[1])), mode="edge")
    batch = np.ascontiguousarray(padded.reshape(len(address), warps, lanes).transpose(1, 0, 2))
    active = (np.arange(warps * lanes) < address.shape[1]).reshape(warps, 1, lanes)
    noted = next((why for key, why in NOT_MODELLED.items() if name.startswith(key)), "")
    if memory == "shared" and noted:
        return Side(memory, f"{warps * len(address)} x cp.async.b{8 * width}", None, None, allowed, noted)
    kind = "load" if side == 0 else "store"
    if shared_matrix and memory == "shared":
        kind = "ldmatrix" if side == 0 else "stmatrix"
        matrices = {"1": 8, "2": 16, "4": 32}[_matrices(name)]
        active = active & (np.arange(lanes) < matrices)
    access = WarpAccess(batch, width, kind, np.broadcast_to(active, batch.shape), chip=chip)
    short = {"load": f"ld.b{8 * width}", "store": f"st.b{8 * width}"}.get(kind) or f"{kind}.x{_matrices(name)}"
    counted = sectors(access) if memory == "global" else wavefronts(access)
    return Side(memory, f"{warps * len(address)} x {short}", access, counted, allowed)


def _matrices(name: str) -> str:
    count = int(name.split("x")[1].split("_")[0])
    return str(count // 2 if "U16" in name else count)


def _side_by_side(byte: np.ndarray, item: int, width: int) -> bool:
    steps = np.diff(byte, axis=1)
    return bool((steps == item).all()) and not int(np.bitwise_or.reduce(byte[:, 0, :], axis=None)) & (width - 1)


def _allowed(byte: np.ndarray, item: int) -> int:
    """The widest vector, in bytes, in which every thread's values lie side by side and aligned, as the parts stand."""
    width = item
    while 2 * width <= 16:
        count = 2 * width // item
        if byte.shape[1] % count or not _side_by_side(byte.reshape(len(byte), count, -1, order="F"), item, 2 * width):
            break
        width *= 2
    return width


def mma_cost(
    mma: TiledMMA, operand: str, layout: Any, element: str | int, *, chip: Chip = H200
) -> tuple[FragmentLoad, ...]:
    """How do the warps of a tiled MMA read an operand from shared memory, and what does each way cost? Best first.

    The tile at the beginning of the layout: ldmatrix, ldmatrix.trans, and plain loads as wide as the layout allows.

    >>> mma = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
    >>> mma_cost(mma, "A", "(64,64):(64,1)", "half_t")[0].summary()
    'ldmatrix.x4: 128 wavefronts where 16 would do'
    """
    if not isinstance(mma, TiledMMA):
        raise CuteLabError(f"mma_cost takes a TiledMMA, got {shown(mma)}; cost takes a TiledCopy")
    bits = bits_of(element) if isinstance(element, str) else 8 * element if is_int(element) else 0
    if bits < 8:
        raise CuteLabError(
            f"an element is a C++ type or 1 to 16 bytes, got {shown(element)}; smaller elements are not modelled"
        )
    return fragment_loads(as_data(layout), mma, operand, bits // 8, chip=chip)


def tile_accesses(
    copy: TiledCopy, side: str, rows: int, cols: int, element: str | int, *, chip: Chip = H200
) -> TileAccess:
    """Which elements of a row-major tile does each lane of a copy touch? For `conflict_free`, with the reads that follow.

    side: "S" (it reads the tile) or "D" (it writes the tile). The values of one instruction must lie along a row.

    >>> from cutelab.cutlass.reading import read
    >>> copy = read("make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>,half_t>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})")
    >>> tile_accesses(copy, "D", 64, 64, "half_t").instructions
    16
    """
    if side not in ("S", "D"):
        raise CuteLabError(f"the side is S or D, got {shown(side)}")
    if not isinstance(copy, TiledCopy):
        raise CuteLabError(f"tile_accesses takes a TiledCopy, got {shown(copy)}")
    item = _item(copy, element)
    pitch = 1 << max(1, (cols - 1)).bit_length() if is_int(cols) and cols > 0 else 1
    tile = Layout((rows, cols), (pitch, 1))
    found = _side(copy, 0 if side == "S" else 1, tile, "shared", item, chip)
    if found.access is None:
        kind, width = "store", size(copy.atom.layouts[1][1]) * item
        plain = TiledCopy(_like(copy), copy.layout_tv, copy.tiler)
        found = _side(plain, 0 if side == "S" else 1, tile, "shared", item, chip)
        assert found.access is not None
    else:
        kind, width = found.access.kind, found.access.access_bytes
    element_offset = found.access.byte_address.reshape(-1, chip.lanes) // item
    active = np.asarray(found.access.active).reshape(-1, chip.lanes)
    return TileAccess(element_offset // pitch, element_offset % pitch, width, kind, active, chip=chip)


def _like(copy: TiledCopy) -> Any:
    """The same atom as plain stores: what cp.async moves, as st.shared would write it."""
    from_atom = copy.atom
    return type(from_atom)(
        "UniversalCopy", from_atom.value_bits, from_atom.thr_id, from_atom.src, from_atom.dst, from_atom.ref
    )


def free_both(
    writes: TiledCopy, reads: TiledCopy, rows: int, cols: int, element: str | int, *, chip: Chip = H200, **options: Any
) -> tuple[Fix, ...]:
    """Which swizzle or padding frees both the copy into a row-major shared tile and the copy out of it? Best first.

    writes: its destination is the tile; reads: its source is the tile (make_tiled_copy_A with ldmatrix, for example). A cp.async
    is tried as the store of the same width, since its own counts are not modelled. options: as for `conflict_free`.

    >>> from cutelab.cutlass.reading import read
    >>> mma = "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{}, Tile<_32,_32,_16>{})"
    >>> store = read("make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>,half_t>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})")
    >>> load = read(f"make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N,half_t>{{}}, {mma})")
    >>> fixes = free_both(store, load, 128, 64, "half_t")
    >>> fixes[0].name, fixes[0].free
    ('Sw<3,3,3>', True)
    """
    accesses = [
        tile_accesses(writes, "D", rows, cols, element, chip=chip),
        tile_accesses(reads, "S", rows, cols, element, chip=chip),
    ]
    return conflict_free(accesses, rows, cols, _item(writes, element), **options)
