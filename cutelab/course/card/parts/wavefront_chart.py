"""A chart of wavefronts: banks across, wavefronts down. One wavefront is one row, so that serialisation is height."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab.course.card.picture import Grid, Note
from cutelab.hardware.wavefronts import Wavefronts

HEADING = "wavefronts down, banks across"


def heading(waves: Wavefronts) -> str:
    """`1 wavefront`, `8 wavefronts`."""
    return f"{waves.count} wavefront{'' if waves.count == 1 else 's'}"


def narrow_chart(waves: Wavefronts, cell: tuple[int, int], beside: int | None = None) -> Grid:
    """Lanes of up to one word: the bank's colour where a word goes, in a field as tall as the worst access.

    beside   the height in pixels of what stands beside the chart: the field is no taller than that, and than the count needs
    """
    chip, active = waves.access.chip, waves.access.active
    wave, bank, lane = waves.wavefront[active], waves.bank[active], np.flatnonzero(active)
    rows = chip.lanes
    if beside is not None:
        rows = min(rows, max(beside // cell[1], -(-int(waves.count) // 8) * 8))
    fill = np.full((rows, chip.banks), -1)
    fill[wave, bank] = bank
    heads = [""] * rows
    for i in (0, *range(7, rows, 8)):
        heads[i] = str(i + 1) if i < waves.count - 2 else ""
    heads[waves.count - 1] = str(waves.count)
    if waves.count == 1 and len(lane) > 3 and (fill[0] >= 0).sum() > 3:
        every = f"all {chip.lanes}" if len(lane) == chip.lanes else f"all {len(lane)} active"
        notes: tuple[Note, ...] = (Note(0, 0, f"{every} lanes in wavefront 1", dy=18),)
    else:
        notes = tuple(_names(wave, bank, lane, cell[0], chip.banks))
    return Grid(
        name="chart",
        fill=fill,
        scale="bank",
        subheading=HEADING,
        row_heads=tuple(heads),
        bold_rows=(int(waves.count) - 1,),
        cell=cell,
        field=True,
        axis=True,
        notes=notes,
    )


def _names(
    wave: np.ndarray[Any, Any], bank: np.ndarray[Any, Any], lane: np.ndarray[Any, Any], width: int, banks: int
) -> list[Note]:
    """The lanes of each wavefront that serves three banks or fewer: right of its last cell, or left of its first."""
    notes = []
    for row in range(int(wave.max()) + 1):
        here = np.flatnonzero(wave == row)
        served = np.unique(bank[here])
        if len(served) > 3:
            continue
        lanes = [lane[here[bank[here] == b]] for b in served]
        text = ", ".join(f"T{who[0]}" + (f" ×{len(who)}" if len(who) > 1 else "") for who in lanes)
        need = (7 * len(text) + 12) // width + 1
        if served[-1] + need < banks:
            notes.append(Note(row, int(served[-1]), text))
        elif served[0] - need >= 0:
            notes.append(Note(row, int(served[0]) - need, text))
    return notes


def group_chart(
    waves: Wavefronts,
    size: int,
    groups: int,
    cell: tuple[int, int],
    *,
    names: bool = True,
    gap: int = 7,
    subheading: str = HEADING,
) -> Grid:
    """Lanes that move `unit` bytes: one field of `size` rows for each group of lanes that goes together.

    size, groups   lanes of a group, and how many groups the instruction has
    names          the lanes' names in the cells, and beside a group with a conflict its wavefronts in so many banks
    """
    chip, active = waves.access.chip, np.flatnonzero(waves.access.active)[::-1]
    unit = max(chip.word_bytes, waves.access.access_bytes)
    across, word = chip.row_bytes // unit, unit == chip.word_bytes
    group = waves.groups[active]
    row = group * size + waves.wavefront_in_group[active]
    column = waves.bank[active] * chip.word_bytes // unit
    shape = (groups * size, across)
    fill, labels, lanes = np.full(shape, -1), np.full(shape, "", "U3"), np.zeros(shape, int)
    fill[row, column] = waves.bank[active] if word else group
    labels[row, column] = np.char.add("T", active.astype("U2"))
    np.add.at(lanes, (row, column), 1)
    heads, bold = [""] * shape[0], []
    for g in range(groups):
        last = max(0, int(waves.degree[g]) - 1)
        at = g * size + (last // 2 if names else last)
        heads[at] = str(int(waves.degree[g]))
        bold.append(at)
    shared = np.where(lanes > 1, np.char.add("×", lanes.astype("U2")), "") if (lanes > 1).any() else None
    return Grid(
        name="chart",
        fill=fill,
        scale="bank" if word else "category",
        labels=labels if names else None,
        second=shared if names else None,
        style="pair" if names else "stack",
        heading=heading(waves),
        subheading=subheading,
        row_heads=tuple(heads),
        bold_rows=tuple(bold),
        cell=cell,
        row_gap=tuple(gap if i and i % size == 0 else 0 for i in range(shape[0])),
        field=True,
        field_every=4 if word and not names else 1,
        axis=True,
        notes=tuple(_sums(waves, size, groups, shape, unit // chip.word_bytes)) if names else (),
    )


def _sums(waves: Wavefronts, size: int, groups: int, shape: tuple[int, int], words: int) -> list[Note]:
    """Beside each group with a conflict: how many wavefronts in how many banks."""
    notes = []
    for g in range(groups):
        here = waves.groups == g
        degree, column = int(waves.degree[g]), waves.bank[here] // words
        used = len(np.unique(column))
        if degree > 1 and used <= shape[1] // 2 and int(column.max()) < shape[1] // 2:
            notes.append(
                Note(g * size + (degree - 1) // 2, int(column.max()), f"{degree} wavefronts, {used * words} banks")
            )
    return notes
