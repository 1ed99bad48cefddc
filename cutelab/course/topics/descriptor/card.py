"""The card of topic "descriptor": right and given addresses side by side, the 64 bits with their fields. Computes no address."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.picture import COLLISION, Grid, Key, Line, Lines, Picture, Ring, Tips
from cutelab.course.topics.descriptor import words
from cutelab.course.topics.descriptor.knobs import K
from cutelab.course.topics.descriptor.model import Array, Result

HALF = 32  # bits in a row of the picture


def panels(result: Result) -> Picture:
    """The whole card, as plain data: both tables of addresses, the bits, the verdicts."""
    params = result.params
    bits, fields = _bits(result), words.field_lines(params.given)
    said = Lines("fields", tuple(Line(text, "plain") for text in fields))
    keys = [Key(f.name, "fill", "category", i) for i, f in enumerate(params.given.fields)]
    keys.append(Key("bank", "banks"))
    if result.wrong.any():
        keys.append(Key("another element is read", "collision"))
    return Picture(
        title=f"{params.given.encode():#018x}",
        call=params.call("descriptor"),
        subtitle=words.subtitle(result),
        body=(((_table(result, True),), (_table(result, False),)), ((bits, said),)),
        widths=((334, 334), (688,)),
        legend=(*keys, Key("probe", "probe")),
        verdicts=words.verdicts(result),
        status=words.status(result),
        reads=f"{params.given.summary()}, of a tile {params.tile}",
        copies=words.copies(result),
        tips=Tips(*words.tips(result)),
        probed=result.probed,
        offers=words.offers(result),
    )


def _table(result: Result, right: bool) -> Grid:
    """The byte of each (m, k), or the byte that is read in its place."""
    rows = result.rows
    byte: Array = (result.right if right else result.read)[rows]
    wrong = np.zeros(byte.shape, bool) if right else result.wrong[rows]
    cells = rows[:, None] * K + np.arange(K)
    row = result.params.m - int(rows[0])
    return Grid(
        name="right" if right else "read",
        fill=result.params.chip.bank(byte),
        scale="bank",
        labels=byte.astype("U7"),
        states=np.where(wrong, COLLISION, 0).astype(np.uint8),
        heading="where it lies" if right else "where it is read",
        subheading=result.params.tile if right else "",
        corner="m\\k",
        row_heads=tuple(map(str, rows.tolist())),
        col_heads=tuple(map(str, range(K))),
        cell=(19, 19),
        rings=(Ring(row, result.params.k, row, result.params.k, "probe"),),
        probe=cells,
        show_labels="always",
    )


def _bits(result: Result) -> Grid:
    """The 64 bits, highest first, in the colours of their fields."""
    value = result.params.given.encode()
    order = np.arange(64)[::-1].reshape(-1, HALF)
    fill = np.full(order.shape, -1)
    for number, field in enumerate(result.params.given.fields):
        fill[(order >= field.low) & (order <= field.high)] = number
    bit = np.array([value >> int(i) & 1 for i in order.ravel()]).reshape(order.shape)
    return Grid(
        name="bits",
        fill=fill,
        scale="category",
        labels=bit.astype("U1"),
        heading="the 64 bits",
        subheading="colour = field",
        row_heads=tuple(f"{int(row[-1])} +" for row in order),
        col_heads=tuple(str(i) if i % 4 == 3 else "" for i in range(HALF - 1, -1, -1)),
        cell=(19, 22),
        bold_rows=(0, 1),
        mono=True,
    )
