"""The chart of topic "banks": banks across, wavefronts down. One wavefront is one row, so that serialisation is height."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cutelab.course.card.picture import Grid, Note
from cutelab.course.topics.banks.access import KINDS

if TYPE_CHECKING:
    from cutelab.course.topics.banks.model import Result

FIELD = 32  # rows of the field: what the worst access takes
HEADING = "wavefronts down, banks across"


def group_lanes(result: Result) -> int:
    """How many lanes go together: 32, 16 or 8? A wide load whose lanes read in pairs goes in groups twice as large."""
    lanes = min(32, 128 // result.params.access_bytes)
    active = np.flatnonzero(result.access.active[0])
    return lanes if (result.waves.groups[active] == active // lanes).all() else 2 * lanes


def group_count(result: Result) -> int:
    """How many groups of lanes does the instruction have?"""
    return KINDS[result.params.kind][1] // group_lanes(result)


def narrow_chart(result: Result, cell: tuple[int, int]) -> Grid:
    """Lanes of up to 4 bytes: the bank's colour where a word goes, in a field of 32 x 32."""
    waves = result.waves
    active = result.access.active[0]
    wave, bank, lane = waves.wavefront[active], waves.bank[active], np.flatnonzero(active)
    fill = np.full((FIELD, 32), -1)
    fill[wave, bank] = bank
    heads = [""] * FIELD
    for i in (0, 7, 15, 23, 31):
        heads[i] = str(i + 1) if i < waves.count - 2 else ""
    heads[waves.count - 1] = str(waves.count)
    if waves.count == 1 and len(lane) > 3 and (fill[0] >= 0).sum() > 3:
        every = "all 32" if len(lane) == 32 else f"all {len(lane)} active"
        notes = (Note(0, 0, f"{every} lanes in wavefront 1", dy=18),)
    else:
        notes = tuple(_names(wave, bank, lane, cell[0]))
    return Grid(
        name="chart",
        fill=fill,
        scale="bank",
        subheading=HEADING,
        row_heads=tuple(heads),
        bold_rows=(waves.count - 1,),
        cell=cell,
        field=True,
        axis=True,
        notes=notes,
    )


def _names(wave: np.ndarray, bank: np.ndarray, lane: np.ndarray, width: int) -> list[Note]:
    """The lanes of each wavefront that serves three banks or fewer: right of its last cell, or left of its first."""
    notes = []
    for row in range(int(wave.max()) + 1):
        here = np.flatnonzero(wave == row)
        banks = np.unique(bank[here])
        if len(banks) > 3:
            continue
        served = [lane[here[bank[here] == b]] for b in banks]
        text = ", ".join(f"T{who[0]}" + (f" ×{len(who)}" if len(who) > 1 else "") for who in served)
        need = (7 * len(text) + 12) // width + 1
        if banks[-1] + need < 32:
            notes.append(Note(row, int(banks[-1]), text))
        elif banks[0] - need >= 0:
            notes.append(Note(row, int(banks[0]) - need, text))
    return notes


def wide_chart(result: Result) -> Grid:
    """Lanes of 8 or 16 bytes: one field for each group of lanes that goes together, with the lanes' names."""
    waves, size = result.waves, group_lanes(result)
    groups, across = group_count(result), 128 // result.params.access_bytes
    active = np.flatnonzero(result.access.active[0])[::-1]
    group = waves.groups[active]
    row = group * size + waves.wavefront_in_group[active]
    column = waves.bank[active] * 4 // result.params.access_bytes
    shape = (groups * size, across)
    fill, labels, lanes = np.full(shape, -1), np.full(shape, "", "U3"), np.zeros(shape, int)
    fill[row, column] = group
    labels[row, column] = np.char.add("T", active.astype("U2"))
    np.add.at(lanes, (row, column), 1)
    shared = (lanes > 1).any()
    heads, bold = [""] * shape[0], []
    for g in range(groups):
        at = g * size + max(0, int(waves.degree[g]) - 1) // 2
        heads[at] = str(int(waves.degree[g]))
        bold.append(at)
    return Grid(
        name="chart",
        fill=fill,
        scale="category",
        labels=labels,
        second=np.where(lanes > 1, np.char.add("×", lanes.astype("U2")), "") if shared else None,
        style="pair",
        heading=f"{waves.count} wavefront{'' if waves.count == 1 else 's'}",
        subheading=HEADING,
        row_heads=tuple(heads),
        bold_rows=tuple(bold),
        cell=(288 // across, 12),
        row_gap=tuple(7 if i and i % size == 0 else 0 for i in range(shape[0])),
        field=True,
        field_every=1,
        axis=True,
        notes=tuple(_sums(result, groups, size, shape)),
    )


def _sums(result: Result, groups: int, size: int, shape: tuple[int, int]) -> list[Note]:
    """Beside each group with a conflict: how many wavefronts in how many banks."""
    waves, words = result.waves, result.params.access_bytes // 4
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
