"""What one warp pays that reads a row, a column or the diagonal of a table of offsets, in shared and in global memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.course.card.picture import Verdict
from cutelab.course.card.words import count, state_of
from cutelab.hardware.access import WIDTHS, WarpAccess
from cutelab.hardware.chip import Chip
from cutelab.hardware.sectors import sectors
from cutelab.hardware.wavefronts import wavefronts


@dataclass(frozen=True)
class WarpRead:
    """One way to read the table: its name, and what it costs; wavefronts None where shared memory cannot hold it."""

    name: str
    wavefronts: tuple[int, int] | None
    sectors: tuple[int, int]


def _list(parts: list[tuple[str, tuple[int, int]]], noun: str) -> str:
    """`column 3: 32 wavefronts (1 would do), row 2: 1, the diagonal: 1`; what would do is said once where it is the same."""
    above = [ideal for _, (found, ideal) in parts if found > ideal]
    once = len(above) > 1 and len({ideal for _, (_, ideal) in parts}) == 1
    said = []
    for i, (name, (found, ideal)) in enumerate(parts):
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
    ways = {
        f"column {column}": (lane % rows, column + lane // rows),
        f"row {row}": (row + lane // columns, lane % columns),
        "the diagonal": (lane, lane),
    }
    return tuple(_read(name, table, i, j, item, chip) for name, (i, j) in ways.items())


def _read(
    name: str,
    table: np.ndarray[Any, Any],
    row: np.ndarray[Any, Any],
    column: np.ndarray[Any, Any],
    item: int,
    chip: Chip,
) -> WarpRead:
    active = (row < table.shape[0]) & (column < table.shape[1])
    byte = np.where(active, table[np.where(active, row, 0), np.where(active, column, 0)], 0) * item
    access = WarpAccess(byte, item, "load", active, chip=chip)
    lines = sectors(access)
    inside = int(byte.max()) + item <= chip.shared_bytes
    waves = wavefronts(access) if inside else None
    return WarpRead(
        name, None if waves is None else (int(waves.count), int(waves.ideal)), (int(lines.count), int(lines.ideal))
    )


def warp_verdict(reads: tuple[WarpRead, ...], item: int) -> Verdict | None:
    """The two sentences on what a warp pays; the worst of the reads decides the sign. None where nothing was counted."""
    if not reads:
        return None
    far = [(read.name, read.sectors) for read in reads]
    near = [(read.name, read.wavefronts) for read in reads if read.wavefronts is not None]
    worst = max((n for _, n in (near if len(near) == len(reads) else far)), key=lambda n: n[0] / n[1])
    lead = f"One warp, {count(item, 'byte')} a lane"
    if len(near) < len(reads):
        return Verdict(
            state_of(*worst), f"{lead}, {_list(far, 'sector')}.", "Shared memory is too small for this layout."
        )
    return Verdict(
        state_of(*worst), f"{lead}, {_list(near, 'wavefront')}.", f"From global memory, {_list(far, 'sector')}."
    )
