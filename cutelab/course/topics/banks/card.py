"""The panels of topic "banks": the tile by bank, or memory by 128-byte lines, with the lanes on it. Computes no offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cutelab.course.card.picture import HOLE, Grid, Key, Picture, Ring, Tips
from cutelab.course.topics.banks import words as banks_words
from cutelab.course.topics.banks.chart import group_count, group_lanes, narrow_chart, wide_chart

if TYPE_CHECKING:
    from cutelab.course.topics.banks.model import Result

NAMED = 29  # the cell side from which a lane's name fits above the bank


def flat(rows: int, cols: int) -> bool:
    """Is the tile so wide that the chart stands below it?"""
    return cols > 64 or (cols > 32 and rows <= 16)


def picture(result: Result) -> Picture:
    """The whole card."""
    params = result.params
    if result.wide:
        body, widths = (((_memory(result),), (wide_chart(result),)),), ((334, 334),)
    else:
        tile, below = _tile(result), flat(*result.table.shape)
        wide = min(464, 24 + len(result.columns) * tile.cell[0] + 9)  # type: ignore[index]
        chart = narrow_chart(result, (9, 7) if below else (min(9, (680 - wide - 24) // 32), 13))
        body = (((tile,),), ((chart,),)) if below else (((tile,), (chart,)),)
        widths = ((688,), (688,)) if below else ((wide, min(320, 680 - wide)),)
    return Picture(
        title=str(result.layout),
        call=params.call("banks"),
        subtitle=banks_words.subtitle(result),
        body=body,
        widths=widths,
        legend=tuple(_legend(result, body[0][0][0])),
        verdicts=banks_words.verdicts(result),
        status=banks_words.status(result),
        reads=banks_words.reads(result),
        copies=banks_words.copies(result),
        tips=_tips(result),
        probed=result.probed,
        cures=banks_words.offers(result),
    )


def _tile(result: Result) -> Grid:
    """The tile, element by element, in the colours of the banks."""
    rows, columns = result.rows, result.columns
    side = 664 if flat(*result.table.shape) else 416
    side = max(5, min(36, side // len(columns), (260 if side == 664 else 416) // len(rows)))
    bank = _window(result, result.table) * result.params.element_bytes // 4 % 32
    lane, lanes = touched(result)
    labels, second = bank.astype("U3"), None
    if side >= NAMED:  # the lane above, the bank below
        second = np.where(lanes > 1, np.char.add("×", lanes.astype("U3")), labels)
        labels = np.where(lanes > 0, np.char.add("T", lane.astype("U3")), "")
    one_a_row = (lanes > 0).sum(axis=1) == 1
    names = lane.max(axis=1)
    heads = [f"T{n}" for n in names] if one_a_row.all() and len(rows) <= 32 else list(map(str, rows.tolist()))
    pitch, cols = result.params.pitch, result.table.shape[1]
    padding = pitch - cols if result.params.row_major and pitch is not None and columns[-1] == cols - 1 else 0
    rings = [Ring(*box, "access") for box in boxes(lanes > 0)]
    if result.probed >= 0:
        probed = divmod(result.probed, len(columns))
        rings.append(Ring(*probed, *probed, "probe"))
    return Grid(
        name="tile",
        fill=bank,
        scale="bank",
        labels=labels if side >= 13 else None,
        second=second,
        style="stack",
        heading="the tile in shared memory",
        row_heads=tuple(heads),
        col_heads=tuple(map(str, columns.tolist())),
        cell=(side, side),
        padding=padding,
        rings=tuple(rings),
        probe=np.arange(bank.size).reshape(bank.shape),
    )


def _window(result: Result, table: np.ndarray) -> np.ndarray:
    rows, columns = result.rows, result.columns
    return table[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def touched(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Of each drawn element of the tile: the lowest lane that takes it (-1 for none), and how many lanes do."""
    first, lanes = np.full(result.table.shape, -1), np.zeros(result.table.shape, int)
    active = np.flatnonzero(result.access.active[0])[::-1]
    row = result.access.row[0][active][:, None]
    col = result.access.col[0][active][:, None] + np.arange(result.params.vector)
    first[row, col] = active[:, None]  # the lowest lane comes last and stays
    np.add.at(lanes, (np.broadcast_to(row, col.shape), col), 1)
    return _window(result, first), _window(result, lanes)


def boxes(where: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Frames around the true cells: (row, col, last row, last col). Runs of a row, joined downwards where they are equal.

    >>> boxes(np.array([[0, 1, 1], [0, 1, 1], [1, 0, 0]], bool))
    [(0, 1, 1, 2), (2, 0, 2, 0)]
    """
    edges = np.diff(np.pad(where.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    found: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for (row, start), (_, end) in zip(starts.tolist(), ends.tolist(), strict=True):
        runs = found.setdefault((start, end - 1), [])
        if runs and runs[-1][2] == row - 1:
            runs[-1] = (runs[-1][0], start, row, end - 1)
        else:
            runs.append((row, start, row, end - 1))
    return sorted(box for runs in found.values() for box in runs)


def _memory(result: Result) -> Grid:
    """Memory itself, one line of 128 bytes a row: each piece that a lane takes with the lane's group, name and banks."""
    held, waves, size = result.held, result.waves, result.params.access_bytes
    lines, across = held.shape
    active = np.flatnonzero(result.access.active[0])[::-1]
    line, piece = np.divmod(waves.access.byte_address[active] // size, across)
    place = np.searchsorted(result.lines, line) * across + piece
    fill, labels, lanes = np.full(held.size, -1), np.full(held.size, "", "U3"), np.zeros(held.size, int)
    fill[place] = waves.groups[active]
    labels[place] = np.char.add("T", active.astype("U2"))
    np.add.at(lanes, place, 1)
    second = np.where(lanes > 1, np.char.add("×", lanes.astype("U2")), "") if (lanes > 1).any() else None
    words, whole = size // 4, int(result.table.max()) * result.params.element_bytes // 128 + 1
    height = min(25, 416 // lines)
    stripe = np.broadcast_to(np.arange(32).reshape(across, words), (lines, across, words)) if height >= 18 else None
    rings = []
    if result.probed >= 0:
        probed = divmod(result.probed, across)
        rings.append(Ring(*probed, *probed, "probe"))
    number = np.arange(held.size)
    return Grid(
        name="memory",
        fill=fill.reshape(held.shape),
        scale="category",
        labels=labels.reshape(held.shape),
        second=None if second is None else second.reshape(held.shape),
        style="stack",
        states=np.where((held < 0) & (fill.reshape(held.shape) < 0), HOLE, 0).astype(np.uint8),
        heading="shared memory",
        subheading=f"{lines} of {whole} lines of 32 banks" if lines < whole else "a line of 32 banks in each row",
        corner="bank",
        row_heads=tuple(map(str, result.lines.tolist())),
        col_heads=tuple(f"{4 * j}-{4 * j + 3}" for j in range(8))
        if words == 4
        else tuple(str(2 * j) for j in range(16)),
        cell=(9 * words, height),
        stripe=stripe,
        axis=stripe is None,
        field=True,
        field_every=1,
        rings=tuple(rings),
        probe=np.where(result.cells[:, 0] < 0, -1, number).reshape(held.shape),
    )


def _legend(result: Result, grid: Grid) -> list[Key]:
    if result.wide:
        size, count = group_lanes(result), group_count(result)
        keys = [Key(f"lanes {g * size} to {g * size + size - 1}", "fill", "category", g) for g in range(count)]
        if grid.stripe is not None:
            keys.append(Key(f"its {result.params.access_bytes // 4} banks", "stripe"))
        keys += [Key("no element", "hole")] if (grid.states & HOLE).any() else []
    else:
        keys = [Key("accessed by this warp", "access")]
    keys += [Key("probe", "probe")] if result.probed >= 0 else []
    return keys + ([Key("bank", "banks")] if grid.name == "tile" and grid.labels is None else [])


def _tips(result: Result) -> Tips:
    row, column = np.maximum(result.cells, 0).T
    offset = result.table[row, column]
    byte = offset * result.params.element_bytes
    table = np.stack([row, column, offset, byte, byte // 4, byte // 4 % 32], axis=-1)
    return Tips("({0},{1}) → offset {2}\nbyte {3} · word {4} · bank {5}", table.astype(np.int32))
