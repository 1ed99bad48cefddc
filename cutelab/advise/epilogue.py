"""epilogues: how does a result get out of the registers of an MMA, and what does each way cost?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.advise.conflict_free import TileAccess, conflict_free, store_rows
from cutelab.advise.copies.fragment import FragmentStore, as_atom, fragment_stores
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, offsets
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import H200, Chip, want_chip
from cutelab.hardware.sectors import sectors
from cutelab.hardware.wavefronts import wavefronts

WIDEST = 16


@dataclass(frozen=True)
class Step:
    """One step of an epilogue: what it does, with which instruction, how often, and what it costs all warps together.

    unit  "sectors" (global memory) or "wavefronts" (shared memory)
    """

    what: str
    instruction: str
    instructions: int
    count: int
    ideal: int
    unit: str

    def __str__(self) -> str:
        would = "the ideal" if self.count == self.ideal else f"where {self.ideal:,} would do"
        return f"{self.what}: {self.instructions} x {self.instruction}, {self.count:,} {self.unit}, {would}"


@dataclass(frozen=True)
class Epilogue:
    """One way from the registers to global memory.

    name    "direct", or "staged" through shared memory
    steps   its steps, in order
    layout  of the tile in shared memory, (m, n) -> element offset; None where it does not go there
    holds   who holds the result, in words
    """

    name: str
    steps: tuple[Step, ...]
    layout: Layout | ComposedLayout | None
    holds: str
    chip: Chip = field(default=H200, repr=False, kw_only=True)

    @property
    def sectors(self) -> int:
        """Sectors of global memory that are written."""
        return sum(step.count for step in self.steps if step.unit == "sectors")

    @property
    def wavefronts(self) -> int:
        """Wavefronts of shared memory, stores and loads."""
        return sum(step.count for step in self.steps if step.unit == "wavefronts")

    def summary(self) -> str:
        """The steps in words."""
        where = "" if self.layout is None else f" through {self.layout}"
        return self.chip.said(f"{self.name}{where}: " + "; ".join(map(str, self.steps)))


def epilogues(
    atom: Any, element_bytes: int, *, pitch: int = 4096, smem_layout: Any = None, chip: Chip = H200
) -> tuple[Epilogue, ...]:
    """How can the result C of an MMA be written to global memory, straight from the fragment or staged through shared memory?

    atom           an MmaAtom or a TiledMMA whose C lies in registers
    element_bytes  of what is written: 2 for sums of 4 bytes that are rounded to half first
    pitch          elements from row to row of the matrix in global memory; rows of the tile begin aligned
    smem_layout    (m, n) -> element offset of the staging tile; None: the best padding or swizzle for its stores and loads

    Direct: the widest stores whose values lie together. Staged: the best of `fragment_stores` (stmatrix where it fits), then rows
    are read and written 16 bytes a lane. Fewest sectors first. A TMA store of the staged tile costs no thread anything; what it
    costs in shared memory is not modelled.

    >>> from cutelab.cutlass.atoms import mma_atom
    >>> for way in epilogues(mma_atom("SM90_64x64x16_F32F16F16_SS"), 2): print(way.summary())
    staged through Sw<3,3,3> o 0 o (64,64):(64,1): write tile: 4 x stmatrix.x4, 64 wavefronts, the ideal; read rows: 4 x ld.shared.b128, 64 wavefronts, the ideal; write rows: 4 x st.global.b128, 256 sectors, the ideal
    direct: write C: 16 x st.global.b32, 512 sectors, where 256 would do
    >>> way.holds
    '128 threads hold 64 x 64; each has 32 values, 2 neighbours of a row at a time'
    """
    want_chip(chip)
    if not is_int(pitch) or pitch < 1:
        raise CuteLabError(f"pitch must be a whole number of elements of 1 or more, got {pitch!r}")
    atom = as_atom(atom)
    _, (rows, cols) = atom.operand("C")
    plain = fragment_stores(Layout((rows, cols), (cols, 1)), atom, element_bytes, chip=chip)
    holds = _holds(atom, rows, cols)
    ways = [Epilogue("direct", (_direct(atom, element_bytes, pitch, rows, cols, chip),), None, holds, chip=chip)]
    if cols * element_bytes % WIDEST == 0:
        layout = smem_layout
        if layout is None:
            layout = _best_layout(plain, rows, cols, element_bytes, chip)
        stores = fragment_stores(layout, atom, element_bytes, chip=chip)
        ways.append(
            Epilogue(
                "staged", _staged(stores[0], layout, rows, cols, element_bytes, pitch, chip), layout, holds, chip=chip
            )
        )
    return tuple(sorted(ways, key=lambda way: (way.sectors, way.wavefronts)))


def _holds(atom: Any, rows: int, cols: int) -> str:
    layout_tv, _ = atom.operand("C")
    code = offsets(layout_tv)
    row, col = code % rows, code // rows
    values = code.shape[1]
    run = 1
    while values % (2 * run) == 0 and run < cols:
        r, c = (x.reshape(len(code), -1, 2 * run) for x in (row, col))
        if (r != r[..., :1]).any() or (c - c[..., :1] != np.arange(2 * run, dtype=np.int64)).any():
            break
        run *= 2
    many = "1 at a time" if run == 1 else f"{run} neighbours of a row at a time"
    return f"{len(code)} threads hold {rows} x {cols}; each has {values} values, {many}"


def _direct(atom: Any, item: int, pitch: int, rows: int, cols: int, chip: Chip) -> Step:
    """The stores straight to rows of the matrix that need the fewest sectors, then the fewest instructions."""
    found = []
    for way in fragment_stores(Layout((rows, cols), (pitch, 1)), atom, item, chip=chip):
        if "matrix" not in way.instruction:
            counted = [sectors(access) for access in way.accesses]
            count, ideal = (int(sum(np.sum(getattr(c, key)) for c in counted)) for key in ("count", "ideal"))
            name = way.instruction.replace("shared", "global")
            found.append(Step("write C", name, way.instructions, count, ideal, "sectors"))
    least = -(-rows * cols * item // chip.sector_bytes)
    best = min(found, key=lambda step: (step.count, step.instructions))
    return Step(best.what, best.instruction, best.instructions, best.count, least, best.unit)


def _best_layout(
    ways: tuple[FragmentStore, ...], rows: int, cols: int, item: int, chip: Chip
) -> Layout | ComposedLayout:
    """The padding or swizzle that suits the stores of the fewest wavefronts and the loads of whole rows."""
    best = min(ways, key=lambda way: (way.ideal, way.instructions))
    accesses = [store_rows(WIDEST, rows=rows, cols=cols, element_bytes=item, kind="load", chip=chip)]
    for access in best.accesses:
        row, col = np.divmod(access.byte_address.reshape(-1, chip.lanes) // item, cols)
        active = access.active.reshape(-1, chip.lanes)
        accesses.append(TileAccess(row, col, access.access_bytes, access.kind, active, chip=chip))
    return conflict_free(accesses, rows, cols, item)[0].layout


def _staged(
    store: FragmentStore, layout: Any, rows: int, cols: int, item: int, pitch: int, chip: Chip
) -> tuple[Step, ...]:
    first = Step("write tile", store.instruction, store.instructions, store.wavefronts, store.ideal, "wavefronts")
    dealt = store_rows(WIDEST, rows=rows, cols=cols, element_bytes=item, chip=chip)
    warps = store.accesses[0].shape[0]
    times = -(-dealt.instructions // warps)
    table = offsets(layout)
    byte = np.where(dealt.active, table[dealt.row, dealt.col], 0) * item
    wide = _together(table, dealt, item)
    read = wavefronts(WarpAccess(byte, WIDEST, "load", dealt.active, chip=chip)) if wide else None
    if read is None:
        raise CuteLabError(
            f"{layout} does not keep 16 bytes of a row together and aligned, so rows cannot be read 16 bytes a lane; "
            "use a pitch that is a multiple of 16 bytes"
        )
    out = sectors(WarpAccess((dealt.row * pitch + dealt.col) * item, WIDEST, "store", dealt.active, chip=chip))
    name = f"b{8 * WIDEST}"
    return (
        first,
        Step("read rows", f"ld.shared.{name}", times, int(np.sum(read.count)), int(np.sum(read.ideal)), "wavefronts"),
        Step("write rows", f"st.global.{name}", times, int(np.sum(out.count)), int(np.sum(out.ideal)), "sectors"),
    )


def _together(table: np.ndarray, dealt: TileAccess, item: int) -> bool:
    """Do the 16 bytes of each lane lie side by side and aligned?"""
    step = np.arange(WIDEST // item, dtype=np.int64)
    row, col = dealt.row[dealt.active][:, None], dealt.col[dealt.active][:, None]
    held = table[row, col + step]
    return bool((held - held[:, :1] == step).all() and (held[:, 0] * item % WIDEST == 0).all())
