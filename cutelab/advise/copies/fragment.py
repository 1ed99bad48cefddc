"""fragment_loads, fragment_stores: from a shared-memory layout and an operand of an MMA to the warp accesses that move it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from cutelab.advise.conflict_free import Fix, TileAccess, conflict_free, store_rows
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, offsets
from cutelab.cutlass.atoms.atom import MmaAtom
from cutelab.cutlass.atoms.mma import mma_atom
from cutelab.hardware.access import WIDTHS, WarpAccess
from cutelab.hardware.chip import H200, Chip, want_chip
from cutelab.hardware.rules import MATRIX_ROWS
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

MOST_BYTES = 64  # of one element; three complex doubles of an MMA are 24
REGISTER_BYTES = 4
STEMS = {"load": ("ldmatrix", "ld"), "store": ("stmatrix", "st")}


@dataclass(frozen=True)
class FragmentLoad:
    """One way to load a fragment: which instruction, how often, at which addresses, for how many wavefronts?

    instruction   "ldmatrix.x4", "ldmatrix.x2.trans", "ld.shared.b32" and the like, one for each kind of access
    accesses      the accesses: WarpAccess batches of shape (warps, instructions of that kind, lanes)
    instructions  instructions of one warp
    wavefronts    of all warps and instructions together; ideal: the fewest that the bytes allow

    >>> from cutelab.cutlass.atoms import mma_atom
    >>> load = fragment_loads(Layout((8, 16), (16, 1)), mma_atom("SM80_16x8x16_F32F16F16F32_TN"), "B", 2)[0]
    >>> load.instruction, load.accesses[0].byte_address[0, 0, :4].tolist(), load.wavefronts
    ('ldmatrix.x2', [0, 32, 64, 96], 4)
    """

    instruction: str
    accesses: tuple[WarpAccess, ...] = field(repr=False)
    instructions: int
    wavefronts: int
    ideal: int

    @property
    def results(self) -> tuple[Wavefronts, ...]:
        """The wavefronts of each batch, with banks, groups and words of every lane."""
        return tuple(wavefronts(access) for access in self.accesses)

    def summary(self) -> str:
        """The verdict in words: instruction, count, wavefronts."""
        times = "" if self.instructions == 1 else f"{self.instructions} x "
        noun = "wavefront" if self.wavefronts == 1 else "wavefronts"
        would = ", the ideal" if self.wavefronts == self.ideal else f" where {self.ideal} would do"
        return self.accesses[0].chip.said(f"{times}{self.instruction}: {self.wavefronts} {noun}{would}")


@dataclass(frozen=True)
class FragmentStore(FragmentLoad):
    """One way to store a fragment: which instruction, how often, at which addresses, for how many wavefronts?

    As `FragmentLoad`, with "stmatrix.x4", "stmatrix.x2.trans", "st.shared.b32" and the like.
    """


Way = TypeVar("Way", bound=FragmentLoad)


def fragment_loads(
    smem_layout: Any,
    atom: Any,
    operand: str,
    element_bytes: int,
    *,
    at: tuple[int, int] = (0, 0),
    chip: Chip = H200,
) -> tuple[FragmentLoad, ...]:
    """How can a warp load this operand of an MMA from shared memory, and for how many wavefronts?

    smem_layout    (m, k), (n, k) or (m, n) -> element offset in shared memory, from byte 0 on; a swizzle counts elements
    atom, operand  an MmaAtom or a TiledMMA, and "A", "B" or "C"
    at             where in the layout the atom's tile begins

    Tried, on a chip with warps of 32 lanes: ldmatrix (4-byte registers of a row of 16 bytes), ldmatrix.trans (2-byte elements); and everywhere loads of 16, 8, 4, 2 and 1 bytes
    whose values lie side by side and aligned. Fewest wavefronts first, then fewest instructions. Raises CuteLabError when
    the layout is too small, the element does not fit the operand, or the operand does not lie in registers.

    >>> from cutelab.cutlass.atoms import mma_atom
    >>> atom = mma_atom("SM80_16x8x16_F32F16F16F32_TN")
    >>> for load in fragment_loads(Layout((16, 64), (64, 1)), atom, "A", 2): print(load.summary())
    ldmatrix.x4: 32 wavefronts where 4 would do
    4 x ld.shared.b32: 32 wavefronts where 4 would do
    8 x ld.shared.b16: 64 wavefronts where 8 would do
    >>> from cutelab.core.composed import parse_layout
    >>> print(fragment_loads(parse_layout("Sw<3,3,3> o 0 o (16,64):(64,1)"), atom, "A", 2)[0].summary())
    ldmatrix.x4: 4 wavefronts, the ideal
    """
    atom = as_atom(atom)
    address, lanes = _addresses(smem_layout, atom, operand, element_bytes, at, chip, atom.bits(operand))
    return tuple(_ways(address, element_bytes, lanes, chip, "load", FragmentLoad))


def fragment_stores(
    smem_layout: Any,
    atom: Any,
    element_bytes: int,
    *,
    operand: str = "C",
    at: tuple[int, int] = (0, 0),
    chip: Chip = H200,
) -> tuple[FragmentStore, ...]:
    """How can a warp store its part of a result to shared memory, and for how many wavefronts?

    smem_layout    (m, n) -> element offset in shared memory, from byte 0 on; a swizzle counts elements
    atom           an MmaAtom or a TiledMMA; operand: whose fragment, "C" unless told otherwise
    element_bytes  bytes of what is stored: 2 for sums of 4 bytes that are rounded to half first

    Tried: stmatrix and stmatrix.trans (2-byte elements; Hopper and later), and stores of 16 to 1 bytes whose values lie side by side
    and aligned. Fewest wavefronts first, then fewest instructions. Errors as for `fragment_loads`.

    >>> from cutelab.cutlass.atoms import mma_atom
    >>> atom = mma_atom("SM80_16x8x16_F32F16F16F32_TN")
    >>> for store in fragment_stores(Layout((16, 8), (72, 1)), atom, 2): print(store.summary())
    stmatrix.x2: 2 wavefronts, the ideal
    2 x st.shared.b32: 2 wavefronts, the ideal
    4 x st.shared.b16: 4 wavefronts, the ideal
    """
    atom = as_atom(atom)
    address, lanes = _addresses(smem_layout, atom, operand, element_bytes, at, chip, 0)
    return tuple(_ways(address, element_bytes, lanes, chip, "store", FragmentStore))


def _ways(address: np.ndarray, element_bytes: int, active: Any, chip: Chip, kind: str, made: type[Way]) -> list[Way]:
    """Every way to move these values, the best first."""
    found = []
    if active is None and chip.lanes == H200.lanes:
        both = _ldmatrix(address, element_bytes, chip, kind), _ldmatrix_trans(address, element_bytes, chip, kind)
        found += [way for way in both if way]
    found += list(_plain(address, element_bytes, active, chip, kind))
    ways = []
    for name, accesses in found:
        counted = [wavefronts(access) for access in accesses]
        total, ideal = (int(sum(np.sum(getattr(c, key)) for c in counted)) for key in ("count", "ideal"))
        ways.append(made(name, accesses, sum(a.shape[1] for a in accesses), total, ideal))
    return sorted(ways, key=lambda way: (way.wavefronts, way.instructions))


def as_atom(atom: Any) -> Any:
    """The atom that somebody gave (or a TiledMMA, which answers the same questions), or the atom of this name.

    >>> as_atom("SM80_16x8x16_F32F16F16F32_TN").shape_mnk
    (16, 8, 16)
    """
    if isinstance(atom, str):
        return mma_atom(atom)
    if not isinstance(atom, MmaAtom) and not hasattr(type(atom), "operand"):
        raise CuteLabError(f"the atom must be an MmaAtom or the name of one, got {shown(atom)}; mma_atoms() lists them")
    return atom


def _addresses(
    layout: Any, atom: Any, operand: str, element_bytes: int, at: tuple[int, int], chip: Chip, bits: int
) -> tuple[np.ndarray, Any]:
    """Byte address of each (warp, lane, value); and which lanes take part (None: all of each warp).

    bits: that the operand's elements must have; 0: any
    """
    want_chip(chip)
    layout_tv, (rows, cols) = atom.operand(operand)
    if not is_int(element_bytes) or element_bytes < 1:
        raise CuteLabError(
            f"element_bytes must be a whole number of 1 or more, got {shown(element_bytes)}; elements below a byte are not modelled"
        )
    if element_bytes > MOST_BYTES:
        raise CuteLabError(f"an element has 1 to {MOST_BYTES} bytes, got {shown(element_bytes)}")
    if bits and bits != 8 * element_bytes:
        raise CuteLabError(
            f"operand {operand} of {atom.name} has elements of {bits} bits, the layout elements of {8 * element_bytes}; they must be the same"
        )
    if atom.place(operand) != "registers":
        raise CuteLabError(
            f"operand {operand} of {atom.name} lies in {atom.place(operand)}: the instruction works on it there, no thread holds it"
        )
    table = offsets(layout)
    if table.ndim != 2:
        raise CuteLabError(f"the shared-memory layout needs two modes, (row, column) of the operand; got {layout}")
    (top, left), (height, width) = at, table.shape
    if not (is_int(top) and is_int(left) and top >= 0 and left >= 0) or top + rows > height or left + cols > width:
        raise CuteLabError(
            f"operand {operand} of {atom.name} needs {rows} x {cols} elements from {tuple(at)} on; the layout {layout} has {height} x {width}"
        )
    tile = table[top : top + rows, left : left + cols].ravel(order="F")
    held = tile[offsets(layout_tv)] * element_bytes
    lane = offsets(atom.thr_id).ravel(order="F")
    lanes, warps = chip.lanes, int(lane.max()) // chip.lanes + 1
    spread = np.repeat(held[:1], warps * lanes, axis=0)  # lanes that take no part repeat an address that is in order
    active = np.zeros(warps * lanes, dtype=bool)
    spread[lane], active[lane] = held, True
    return spread.reshape(warps, lanes, -1), None if active.all() else active.reshape(warps, 1, lanes)


def _grouped(address: np.ndarray, element_bytes: int, width: int) -> np.ndarray | None:
    """First address of each run of `width` bytes, (warps, lanes, runs), if the values lie side by side and aligned."""
    values = width // element_bytes
    if values < 1 or address.shape[2] % values:
        return None
    runs = address.reshape(*address.shape[:2], -1, values)
    first = runs[..., 0]
    side_by_side = (runs == first[..., None] + element_bytes * np.arange(values, dtype=np.int64)).all()
    return first if side_by_side and not (first % width).any() else None


def _plain(
    address: np.ndarray, element_bytes: int, active: Any, chip: Chip, kind: str
) -> Iterator[tuple[str, tuple[WarpAccess, ...]]]:
    for width in reversed(WIDTHS["load"]):
        first = _grouped(address, element_bytes, width)
        if first is not None:
            access = WarpAccess(np.swapaxes(first, 1, 2), width, kind, active, chip=chip)
            yield f"{STEMS[kind][1]}.shared.b{8 * width}", (access,)


def _ldmatrix(
    address: np.ndarray, element_bytes: int, chip: Chip, kind: str
) -> tuple[str, tuple[WarpAccess, ...]] | None:
    """Lane 4r + c receives bytes 4c to 4c + 3 of row r: its register must lie there."""
    first = _grouped(address, element_bytes, REGISTER_BYTES)
    if first is None:
        return None
    rows = first[:, ::4]  # lanes 0, 4, 8 ... stand at the beginning of a row: (warps, 8, registers)
    lane = np.arange(chip.lanes, dtype=np.int64)
    fits = (first == rows[:, lane // 4] + (REGISTER_BYTES * (lane % 4))[None, :, None]).all()
    return _matrices(rows, "", chip, kind) if fits and not (rows % 16).any() else None


def _ldmatrix_trans(
    address: np.ndarray, element_bytes: int, chip: Chip, kind: str
) -> tuple[str, tuple[WarpAccess, ...]] | None:
    """Lane 4c + r receives elements (2r, c) and (2r + 1, c): row 2r + j of a matrix begins at value j of lane r."""
    if element_bytes != 2 or address.shape[2] % 2:
        return None
    pairs = address.reshape(*address.shape[:2], -1, 2)  # (warps, lane, register, j)
    rows = np.transpose(pairs[:, :4], (0, 1, 3, 2)).reshape(
        len(pairs), MATRIX_ROWS, -1
    )  # lanes 0 to 3: column 0 of all rows
    lane = np.arange(chip.lanes, dtype=np.int64)
    wanted = rows[:, 2 * (lane % 4)[:, None] + np.arange(2, dtype=np.int64)]  # (warps, lane, j, register)
    fits = (np.swapaxes(pairs, 2, 3) == wanted + 2 * (lane // 4)[None, :, None, None]).all()
    return _matrices(rows, ".trans", chip, kind) if fits and not (rows % 16).any() else None


def _matrices(rows: np.ndarray, end: str, chip: Chip, kind: str) -> tuple[str, tuple[WarpAccess, ...]]:
    """Row addresses (warps, 8, registers) as ldmatrix.x4 (or stmatrix.x4) as often as possible, then x2 and x1."""
    stem = STEMS[kind][0]
    left, start, names, accesses = rows.shape[2], 0, [], []
    for count in (4, 2, 1):
        times = left // count
        if not times:
            continue
        part = rows[:, :, start : start + times * count]
        part = np.swapaxes(part, 1, 2).reshape(len(rows), times, count * MATRIX_ROWS)
        lanes = np.zeros((len(rows), times, chip.lanes), dtype=np.int64)
        lanes[..., : count * MATRIX_ROWS] = part
        accesses.append(
            WarpAccess(lanes, 16, stem, np.arange(chip.lanes, dtype=np.int64) < count * MATRIX_ROWS, chip=chip)
        )
        names.append(f"{stem}.x{count}{end}")
        start, left = start + times * count, left - times * count
    return " + ".join(names), tuple(accesses)


def tensor_core_fixes(
    atom: Any,
    operand: str,
    rows: int,
    cols: int,
    element_bytes: int,
    *,
    store_bytes: int = 16,
    chip: Chip = H200,
    **limits: Any,
) -> tuple[Fix, ...]:
    """Which padding or swizzle lets a row-major tile be stored in vectors and loaded as MMA fragments without conflicts?

    Stores: the whole tile row by row, `store_bytes` a lane, out of registers; a tile that cp.async or a bulk copy fills has
    stores that are not modelled, so only the loads of the answer hold for it. Loads: ldmatrix where the operand allows it, else the widest loads,
    for every atom's tile in it. limits: those of conflict_free (may_pad, keep_size, max_pad ...). Raises CuteLabError as
    fragment_loads and conflict_free do.

    >>> from cutelab.cutlass.atoms import mma_atom
    >>> fixes = tensor_core_fixes(mma_atom("SM80_16x8x16_F32F16F16F32_TN"), "A", 16, 64, 2)
    >>> fixes[0].name, fixes[0].units, fixes[0].free
    ('Sw<3,3,3>', 'Sw<3,3,3> on 2-byte elements = Sw<3,4,3> on bytes', True)
    """
    atom = as_atom(atom)
    height, width = atom.operand(operand)[1]
    for name, value in (("rows", rows), ("cols", cols)):
        if not is_int(value) or value < 1:
            raise CuteLabError(f"{name} must be a whole number of 1 or more, got {shown(value)}")
    if rows % height or cols % width or not rows or not cols:
        raise CuteLabError(f"a tile of {rows} x {cols} is not made of whole operands {operand} of {height} x {width}")
    loads = [
        load
        for m in range(0, rows, height)
        for k in range(0, cols, width)
        for load in fragment_loads(Layout((rows, cols), (cols, 1)), atom, operand, element_bytes, at=(m, k), chip=chip)[
            :1
        ]
    ]
    accesses = [store_rows(store_bytes, rows=rows, cols=cols, element_bytes=element_bytes, chip=chip)]
    for access in (access for load in loads for access in load.accesses):
        row, col = np.divmod(access.byte_address.reshape(-1, chip.lanes) // element_bytes, cols)
        active = access.active.reshape(-1, chip.lanes)
        accesses.append(TileAccess(row, col, access.access_bytes, access.kind, active, chip=chip))
    return conflict_free(accesses, rows, cols, element_bytes, **limits)
