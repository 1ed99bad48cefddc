"""The card of topic "swizzle": the tile before and after by bank, and the bits of one offset. Computes no offsets of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cutelab.course.card.paint.labels import numbered
from cutelab.course.card.parts.frames import boxes
from cutelab.course.card.picture import PAST_END, Grid, Key, Line, Lines, Panel, Picture, Ring, Tips
from cutelab.course.card.words import count, labels_of
from cutelab.course.topics.swizzle import words
from cutelab.course.topics.swizzle.model import Array, Result
from cutelab.hardware.wavefronts import Wavefronts

MOST_BITS = 12  # boxes in the picture of one offset
SOURCE, TARGET, PLAIN = 0, 1, 6  # categories


def panels(result: Result) -> Picture:
    """The whole card, as plain data: the tile before and after, the bits of the probed offset, the verdict."""
    params = result.params
    body, widths = _body(result)
    source, target = (words.owner(result, mask) for mask in (result.swizzle.yyy, result.swizzle.zzz))
    legend = [Key("bank", "banks")]
    if params.swizzle.bits:
        legend += [
            Key(f"source bits{': ' + source if source else ''}", "fill", "category", SOURCE),
            Key(f"target bits{': ' + target if target else ''}", "fill", "category", TARGET),
        ]
    legend += [Key(f"read by {count(len(result.read), 'lane')}", "access"), Key("probe", "probe")]
    return Picture(
        title=words.title(result),
        call=params.call("swizzle"),
        subtitle=words.subtitle(result, numbered(body[0][0][0])),
        body=body,
        widths=widths,
        legend=tuple(legend),
        verdicts=(words.verdict(result),),
        status=words.status(result),
        reads=words.reads(result),
        copies=words.copies(result),
        tips=Tips(*words.tips(result)),
        probed=result.probed,
        offers=words.offers(result),
    )


def _body(result: Result) -> tuple[Any, Any]:
    """Where the panels go: beside each other up to 8 columns; the bits below, where the tiles need the card's width."""
    rows, columns = len(result.rows), len(result.columns)
    sides = (
        (f"before: {result.params.layout}", result.before, result.wave, "before"),
        (f"after: {result.params.swizzle} on {result.params.unit}", result.after, result.wave_after, "after"),
    )
    if columns <= 8:
        tiles = [
            (_tile(result, *s[:2], s[3], (26, max(12, min(26, 400 // rows)))), _line(result, *s[2:])) for s in sides
        ]
        return ((*tiles, _beside(result)),), ((240, 240, 206),)
    below, room = ((_bits(result, 22),), (_said(result),)), (392, 292)
    if columns > 16 and rows <= 12:
        cell = (664 // columns, min(16, 160 // rows))
        stacked = [((_tile(result, *s[:2], s[3], cell),),) for s in sides]
        return (*stacked, below), ((688,), (688,), room)
    wide = 310 // columns
    if wide >= 13 or result.params.access == "row":
        cell = (wide, max(9, min(wide, 288 // rows)))
        tiles = [(_tile(result, *s[:2], s[3], cell), _line(result, *s[2:])) for s in sides]
        return (tuple(tiles), below), ((334, 334), room)
    side = 288 // columns
    tiles = [(_tile(result, *s[:2], s[3], (side, 9)), _line(result, *s[2:])) for s in sides]
    strips = [(_strip(result, *s[2:]),) for s in sides]
    return ((tiles[0], strips[0], tiles[1], strips[1]), below), ((314, 28, 314, 28), room)


def _tile(result: Result, heading: str, offset: Array, name: str, cell: tuple[int, int]) -> Grid:
    """The offsets of the drawn cells, coloured by bank, the read and the probe outlined."""
    byte, width, chip = offset * result.item, result.params.width, result.params.chip
    stripe = None
    if result.drawn > 1 and width > chip.word_bytes:
        stripe = chip.bank(byte[..., None] + np.arange(0, width, chip.word_bytes))
    rings = [Ring(*box, "access") for box in boxes(result.lane >= 0)]
    at = divmod(result.probed, len(result.columns))
    return Grid(
        name=name,
        fill=chip.bank(byte),
        scale="bank",
        labels=labels_of(byte if result.params.unit == "bytes" else offset),
        heading=heading,
        row_heads=tuple(map(str, result.rows.tolist())),
        col_heads=tuple(map(str, result.columns.tolist())),
        cell=cell,
        stripe=stripe,
        rings=(*rings, Ring(*at, *at, "probe")),
        probe=np.arange(offset.size).reshape(offset.shape),
    )


def _strip(result: Result, wave: Wavefronts | None, name: str) -> Grid:
    """Beside each row: the bank that its lane reads."""
    bank = np.full(result.params.chip.lanes, -1) if wave is None else wave.bank
    bank = bank[: len(result.rows), None]
    return Grid(
        name=f"bank {name}",
        fill=bank,
        scale="bank",
        labels=np.where(bank < 0, "", bank.astype("U2")),
        col_heads=("bank",),
        cell=(17, 9),
        show_labels="always",
        probe=np.arange(len(bank))[:, None] * len(result.columns) + result.probed % len(result.columns),
    )


def _line(result: Result, wave: Wavefronts | None, name: str) -> Lines:
    return Lines(f"banks {name}", (Line(words.banks(result, wave), "muted"),))


def _place(result: Result, when: int) -> str:
    """`(2,3) is offset 19 before`."""
    params = result.params
    unit = "byte offset" if params.unit == "bytes" else "offset"
    value = words.scaled(result, result.offset[when])
    return f"({params.row},{params.column}) is {unit} {value} {('before', 'after')[when]}"


def _way(result: Result) -> str:
    shift = result.params.swizzle.shift
    return f"source bits, shifted {'right' if shift > 0 else 'left'} by {abs(shift)}"


def _said(result: Result) -> Lines:
    """What the boxes of bits say, in words, and both units."""
    lines = [Line(_place(result, 0), "muted"), Line(_place(result, 1), "plain")]
    if result.params.swizzle.bits:
        lines.insert(1, Line(f"XOR: {_way(result)}", "muted"))
    return Lines("said", (*lines, Line(words.units(result), "muted")))


def _beside(result: Result) -> tuple[Panel, ...]:
    """The bits in the narrow column beside the tiles: one panel for each step, with words between."""
    whole = _bits(result, 28, narrow=True)
    both = tuple(Line(("= " if i else "") + t, "muted") for i, t in enumerate(words.units(result).split(" = ")))
    last = Lines("said", (Line(_place(result, 1), "plain"), *both))
    first = (_part(whole, 0, "bits"), Lines("before", (Line(_place(result, 0), "muted"),)))
    if not result.params.swizzle.bits:
        return (*first, last)
    shifted = replace(_part(whole, 1, "shifted"), subheading=_way(result), row_heads=("XOR",), bold_rows=(0,))
    return (*first, shifted, Lines("rule", (Line(kind="rule"),)), _part(whole, 2, "result"), last)


def _part(whole: Grid, row: int, name: str) -> Grid:
    """One row of a grid as a grid of its own; the first keeps the headings."""
    rings = tuple(replace(r, row=0, row_end=0) for r in whole.rings if r.row == row)
    arrows = tuple((0, start, end) for r, start, end in whole.arrows if r == row)
    at = slice(row, row + 1)
    labels, states = (None if part is None else part[at] for part in (whole.labels, whole.states))
    found = replace(
        whole, name=name, fill=whole.fill[at], labels=labels, states=states, rings=rings, arrows=arrows,
        row_heads=(), bold_rows=(), row_gap=(),
    )  # fmt: skip
    return found if row == 0 else replace(found, heading="", col_heads=())


def _bits(result: Result, high: int, *, narrow: bool = False) -> Grid:
    """The bits of the probed offset, the source bits shifted onto the target, and the result, in three rows."""
    given = result.params.swizzle
    before, after = (words.scaled(result, offset) for offset in result.offset)
    low, bits = _shown(result)
    order = np.arange(low + bits - 1, low - 1, -1)  # the highest bit stands left
    source, target = (mask >> order & 1 for mask in (given.yyy, given.zzz))
    fill = np.where(source, SOURCE, np.where(target, TARGET, PLAIN))
    gap = np.zeros(bits, int)
    gap[np.flatnonzero(np.diff(fill)) + 1] = 4
    side = min(28, (172 if narrow else 350) // bits - (narrow and bits > 6))
    heads = tuple(f"b{k}" if side >= 20 else str(k) for k in order.tolist())
    unit = "byte offset" if result.params.unit == "bytes" else "offset"
    moved = given.yyy & before
    moved = moved >> given.shift if given.shift > 0 else moved << -given.shift
    arrows: tuple[tuple[int, int, int], ...] = ()
    end = np.flatnonzero(target)
    if given.bits:
        start = np.flatnonzero(source)
        goal = end[0] - 1 if given.shift > 0 else end[-1] + 1
        arrows = ((1, int(start[len(start) // 2]), int(goal)),)
    plain = np.zeros(bits, int)
    return Grid(
        name="bits",
        fill=np.stack([fill, np.where(target, SOURCE, -1), fill]),
        scale="category",
        labels=np.stack([_digits(before, order), np.where(target, _digits(moved, order), ""), _digits(after, order)]),
        heading=f"bits of one {unit}" if low == 0 else f"bits {low} to {low + bits - 1} of one {unit}",
        states=np.stack([plain, np.where(source, PAST_END, 0), plain]),
        row_heads=("before", "XOR", "after"),
        bold_rows=(1,),
        col_heads=(*heads, ""),
        cell=(side, high),
        row_gap=(0, 4, 4),
        col_gap=tuple(gap.tolist()),
        rings=tuple(Ring(1, int(k), 1, int(k), "box") for k in end),
        arrows=arrows,
        mono=True,
    )


def _digits(value: int, order: Array) -> Array:
    return (value >> order & 1).astype("U1")


def _shown(result: Result) -> tuple[int, int]:
    """The lowest bit that is shown, and how many: all that the tile and the swizzle use, or a window on the swizzle's."""
    given = result.params.swizzle
    highest = max(
        words.scaled(result, int(max(result.table.max(), result.table_after.max()))), given.yyy | given.zzz, 1
    )
    total = highest.bit_length()
    if total <= MOST_BITS:
        return 0, total
    return min(given.base if given.bits else 0, total - MOST_BITS), MOST_BITS
