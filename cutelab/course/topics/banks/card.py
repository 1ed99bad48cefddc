"""The card of topic "banks": the tile by bank, or memory by lines, with the lanes on it; the wavefronts. Computes no offsets."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.parts.frames import boxes
from cutelab.course.card.parts.wavefront_chart import group_chart, narrow_chart
from cutelab.course.card.picture import HOLE, Grid, Key, Panel, Picture, Ring, Tips
from cutelab.course.topics.banks import words
from cutelab.course.topics.banks.model import Result

HEADED = 200  # a panel as wide as its heading
NAMED = 29  # the cell side from which a lane's name fits above the bank


def panels(result: Result) -> Picture:
    """The whole card, as plain data: the tile (or memory) with its lanes, the wavefronts, the verdict."""
    params, banks = result.params, result.params.chip.banks
    body: tuple[tuple[tuple[Panel, ...], ...], ...]
    widths: tuple[tuple[int, ...], ...]
    if result.wide:
        first = _memory(result)
        chart = group_chart(result.waves, result.group_lanes, result.group_count, (288 // result.memory.across, 12))
        body, widths = (((first,), (chart,)),), ((334, 334),)
    elif result.flat:
        first = _tile(result)
        chart = narrow_chart(result.waves, (9, 7), _side(result) * len(result.rows))
        body, widths = (((first,),), ((chart,),)), ((688,), (688,))
    else:
        first = _tile(result)
        side = _side(result)
        wide = min(464, max(HEADED, 24 + len(result.columns) * side + 9))
        chart = narrow_chart(result.waves, (min(9, (680 - wide - 24) // banks), 13), side * len(result.rows))
        body, widths = (((first,), (chart,)),), ((wide, min(320, 680 - wide)),)
    return Picture(
        title=str(result.layout),
        call=params.call("banks"),
        subtitle=words.subtitle(result),
        body=body,
        widths=widths,
        legend=tuple(_legend(result, first)),
        verdicts=words.verdicts(result),
        status=words.status(result),
        reads=words.reads(result),
        copies=words.copies(result),
        tips=Tips(*words.tips(result)),
        probed=result.probed,
        offers=words.offers(result),
    )


def _side(result: Result) -> int:
    """The side of a cell of the tile."""
    room = 664 if result.flat else 416
    return max(5, min(36, room // len(result.columns), (260 if result.flat else 416) // len(result.rows)))


def _tile(result: Result) -> Grid:
    """The tile, element by element, in the colours of the banks."""
    rows, columns = result.rows, result.columns
    side = _side(result)
    bank = result.params.chip.bank(result.window(result.table) * result.params.item)
    lane, lanes = result.touched
    labels, second = bank.astype("U3"), None
    if side >= NAMED:  # the lane above, the bank below
        second = np.where(lanes > 1, np.char.add("×", lanes.astype("U3")), labels)
        labels = np.where(lanes > 0, np.char.add("T", lane.astype("U3")), "")
    one_a_row = (lanes > 0).sum(axis=1) == 1
    names = lane.max(axis=1)
    heads = (
        [f"T{n}" for n in names]
        if one_a_row.all() and len(rows) <= result.params.chip.lanes
        else list(map(str, rows.tolist()))
    )
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


def _memory(result: Result) -> Grid:
    """Memory itself, one line of shared memory a row: each piece that a lane takes with the lane's group, name and banks."""
    memory, waves, chip = result.memory, result.waves, result.params.chip
    held, across = memory.held, memory.across
    lines = len(held)
    active = np.flatnonzero(result.access.active[0])[::-1]
    place = memory.places(waves.access.byte_address[active])
    fill, labels, lanes = np.full(held.shape, -1), np.full(held.shape, "", "U3"), np.zeros(held.shape, int)
    fill[place] = waves.groups[active]
    labels[place] = np.char.add("T", active.astype("U2"))
    np.add.at(lanes, place, 1)
    second = np.where(lanes > 1, np.char.add("×", lanes.astype("U2")), "") if (lanes > 1).any() else None
    pieces = memory.unit // chip.word_bytes
    height = min(25, 416 // lines)
    stripe = (
        np.broadcast_to(np.arange(chip.banks).reshape(across, pieces), (lines, across, pieces))
        if height >= 18
        else None
    )
    rings = []
    if result.probed >= 0:
        probed = divmod(result.probed, across)
        rings.append(Ring(*probed, *probed, "probe"))
    return Grid(
        name="memory",
        fill=fill,
        scale="category",
        labels=labels,
        second=second,
        style="stack",
        states=np.where((held < 0) & (fill < 0), HOLE, 0).astype(np.uint8),
        heading="shared memory",
        subheading=f"{memory.drawn} of {chip.banks} banks"
        if memory.drawn
        else f"a line of {chip.banks} banks in each row",
        corner="bank",
        row_heads=tuple(map(str, memory.lines.tolist())),
        col_heads=tuple(
            f"{pieces * j}-{pieces * (j + 1) - 1}" if pieces > 2 else str(pieces * j) for j in range(across)
        ),
        cell=(9 * pieces, height),
        stripe=stripe,
        axis=stripe is None,
        field=True,
        field_every=1,
        rings=tuple(rings),
        probe=np.where(result.cells[:, 0] < 0, -1, np.arange(held.size)).reshape(held.shape),
    )


def _legend(result: Result, grid: Grid) -> list[Key]:
    if result.wide:
        size, groups = result.group_lanes, range(result.group_count)
        keys = [Key(f"lanes {g * size} to {g * size + size - 1}", "fill", "category", g) for g in groups]
        if grid.stripe is not None:
            keys.append(Key(f"its {result.params.access_bytes // result.params.chip.word_bytes} banks", "stripe"))
        keys += [Key("no element", "hole")] if grid.states is not None and (grid.states & HOLE).any() else []
    else:
        keys = [Key("accessed by this warp", "access")]
    keys += [Key("probe", "probe")] if result.probed >= 0 else []
    return keys + ([Key("bank", "banks")] if grid.name == "tile" and grid.labels is None else [])
