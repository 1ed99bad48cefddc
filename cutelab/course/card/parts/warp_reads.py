"""What one warp pays that reads a row, a column or the diagonal of a table of offsets, in shared and in global memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.course.card.picture import Verdict
from cutelab.course.card.words import count, state_of, worst_of
from cutelab.hardware.access import WIDTHS, WarpAccess
from cutelab.hardware.chip import Chip
from cutelab.hardware.sectors import sectors
from cutelab.hardware.wavefronts import wavefronts


@dataclass(frozen=True)
class WarpRead:
    """One way to read the table: its name, and what it costs, count, ideal and for wavefronts the n of an "n-way bank conflict".

    wavefronts   None where shared memory cannot hold the table
    """

    name: str
    wavefronts: tuple[int, int, int] | None
    sectors: tuple[int, int]


def _list(parts: Sequence[tuple[str, tuple[int, ...]]], noun: str) -> str:
    """`column 3: 32 wavefronts (1 would do), row 2: 1, the diagonal: 1`; what would do is said once where it is the same."""
    above = [ideal for _, (found, ideal, *_) in parts if found > ideal]
    once = len(above) > 1 and len({ideal for _, (_, ideal, *_) in parts}) == 1
    said = []
    for i, (name, (found, ideal, *_)) in enumerate(parts):
        number = count(found, noun) if i == 0 else f"{found}"
        said.append(f"{name}: {number}" + (f" ({ideal} would do)" if found > ideal and not once else ""))
    return ", ".join(said) + (f"; {above[0]} would do" if once else "")


def warp_reads(table: np.ndarray[Any, Any], row: int, column: int, item: int, chip: Chip) -> tuple[WarpRead, ...]:
    """What does a warp pay for a column, a row and the diagonal of this table, one element a lane?

    table        offsets in elements of `item` bytes, [row, column]
    row, column  where the lanes begin; they go on in the next row or column, and lanes that leave the table are idle

    () where an element has no access of its own width, or the offsets begin below 0.
    """
    if item not in WIDTHS["load"] or table.min() < 0:
        return ()
    lane, (rows, columns) = np.arange(chip.lanes), table.shape
    names = (f"column {column}", f"row {row}", "the diagonal")
    down = np.stack([lane % rows, row + lane // columns, lane])
    across = np.stack([column + lane // rows, lane % columns, lane])
    active = (down < rows) & (across < columns)
    byte = np.where(active, table[np.where(active, down, 0), np.where(active, across, 0)], 0) * item
    lines = sectors(WarpAccess(byte, item, "load", active, chip=chip))
    inside = byte.max(axis=1) + item <= chip.block_bytes
    near: list[tuple[int, int, int] | None] = [None] * len(names)
    if inside.any():
        waves = wavefronts(WarpAccess(byte[inside], item, "load", active[inside], chip=chip))
        for at, *found in _each(np.flatnonzero(inside), waves.count, waves.ideal, waves.ways):
            near[at] = (found[0], found[1], found[2])
    return tuple(
        WarpRead(name, waves, (n, ideal))
        for name, waves, (n, ideal) in zip(names, near, _each(lines.count, lines.ideal), strict=True)
    )


def _each(*found: Any) -> Iterator[tuple[int, ...]]:
    """These numbers of each read."""
    return zip(*(np.asarray(of).tolist() for of in found), strict=True)


def warp_verdict(reads: tuple[WarpRead, ...], item: int) -> Verdict | None:
    """The two sentences on what a warp pays; the worst of the reads decides the sign. None where nothing was counted."""
    if not reads:
        return None
    far = [(read.name, read.sectors) for read in reads]
    near = [(read.name, read.wavefronts) for read in reads if read.wavefronts is not None]
    state = worst_of(state_of(*n) for _, n in (near if len(near) == len(reads) else far))
    lead = f"One warp, {count(item, 'byte')} a lane"
    if len(near) < len(reads):
        return Verdict(state, f"{lead}, {_list(far, 'sector')}.", "Shared memory is too small for this layout.")
    return Verdict(state, f"{lead}, {_list(near, 'wavefront')}.", f"From global memory, {_list(far, 'sector')}.")
