"""The panels of topic "swizzle". Reads a `Result` of scenes/swizzle.py; computes no offsets of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cutelab.core import notation
from cutelab.core.swizzle import Swizzle
from cutelab.course.card.picture import PAST_END, Grid, Key, Line, Lines, Offer, Panel, Picture, Ring, Tips
from cutelab.course.card.words import count
from cutelab.course.topics.swizzle import words
from cutelab.hardware.wavefronts import Wavefronts

if TYPE_CHECKING:
    from cutelab.course.topics.swizzle.model import Result

MOST_BITS = 12  # boxes in the picture of one offset
SOURCE, TARGET, PLAIN = 0, 1, 6  # categories


def picture(result: Result, found: tuple[tuple[Swizzle, int], ...]) -> Picture:
    """The whole card; `found` are the swizzles that beat the tile as given."""
    params = result.params
    body, widths = _body(result)
    source, target = (words.owner(result, mask) for mask in (result.swizzle.yyy, result.swizzle.zzz))
    legend = [Key("bank", "banks")]
    if params.given.bits:
        legend += [
            Key(f"source bits{': ' + source if source else ''}", "fill", "category", SOURCE),
            Key(f"target bits{': ' + target if target else ''}", "fill", "category", TARGET),
        ]
    legend += [Key(f"read by {count(len(result.read), 'lane')}", "access"), Key("probe", "probe")]
    return Picture(
        title=words.title(result),
        call=params.call("swizzle"),
        subtitle=words.subtitle(result),
        body=body,
        widths=widths,
        legend=tuple(legend),
        verdicts=(words.verdict(result),),
        status=words.status(result),
        reads=words.reads(result),
        copies=_copies(result),
        tips=_tips(result),
        probed=result.probed,
        offers=tuple(_offer(result, *one) for one in found),
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


def _tile(result: Result, heading: str, offset: np.ndarray, name: str, cell: tuple[int, int]) -> Grid:
    """The offsets of the drawn cells, coloured by bank, the read and the probe outlined."""
    byte, width = offset * result.item, result.params.width
    stripe = None
    if result.drawn > 1 and width > 4:
        stripe = (byte[..., None] // 4 + np.arange(width // 4)) % 32
    i, j = np.nonzero(result.lane >= 0)
    rings = [Ring(int(i.min()), int(j.min()), int(i.max()), int(j.max()), "access")] if len(i) else []
    at = divmod(result.probed, len(result.columns))
    return Grid(
        name=name,
        fill=byte // 4 % 32,
        scale="bank",
        labels=(byte if result.params.unit == "bytes" else offset).astype("U20"),
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
    bank = np.full(32, -1) if wave is None else wave.bank
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
    shift = result.params.given.shift
    return f"source bits, shifted {'right' if shift > 0 else 'left'} by {abs(shift)}"


def _said(result: Result) -> Lines:
    """What the boxes of bits say, in words, and both units."""
    lines = [Line(_place(result, 0), "muted"), Line(_place(result, 1), "plain")]
    if result.params.given.bits:
        lines.insert(1, Line(f"XOR: {_way(result)}", "muted"))
    return Lines("said", (*lines, Line(words.units(result), "muted")))


def _beside(result: Result) -> tuple[Panel, ...]:
    """The bits in the narrow column beside the tiles: one panel for each step, with words between."""
    whole = _bits(result, 28, narrow=True)
    both = tuple(Line(("= " if i else "") + t, "muted") for i, t in enumerate(words.units(result).split(" = ")))
    last = Lines("said", (Line(_place(result, 1), "plain"), *both))
    first = (_part(whole, 0, "bits"), Lines("before", (Line(_place(result, 0), "muted"),)))
    if not result.params.given.bits:
        return (*first, last)
    shifted = replace(_part(whole, 1, "shifted"), subheading=_way(result), row_heads=("XOR",), bold_rows=(0,))
    return (*first, shifted, Lines("rule", (Line(kind="rule"),)), _part(whole, 2, "result"), last)


def _part(whole: Grid, row: int, name: str) -> Grid:
    """One row of a grid as a grid of its own; the first keeps the headings."""
    rings = tuple(replace(r, row=0, row_end=0) for r in whole.rings if r.row == row)
    arrows = tuple((0, start, end) for r, start, end in whole.arrows if r == row)
    at = slice(row, row + 1)
    found = replace(
        whole, name=name, fill=whole.fill[at], labels=whole.labels[at], states=whole.states[at], rings=rings, arrows=arrows,
        row_heads=(), bold_rows=(), row_gap=(),
    )  # fmt: skip
    return found if row == 0 else replace(found, heading="", col_heads=())


def _bits(result: Result, high: int, *, narrow: bool = False) -> Grid:
    """The bits of the probed offset, the source bits shifted onto the target, and the result, in three rows."""
    given = result.params.given
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
    arrows, end = (), np.flatnonzero(target)
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


def _digits(value: int, order: np.ndarray) -> np.ndarray:
    return (value >> order & 1).astype("U1")


def _shown(result: Result) -> tuple[int, int]:
    """The lowest bit that is shown, and how many: all that the tile and the swizzle use, or a window on the swizzle's."""
    given = result.params.given
    highest = max(
        words.scaled(result, int(max(result.table.max(), result.table_after.max()))), given.yyy | given.zzz, 1
    )
    total = highest.bit_length()
    if total <= MOST_BITS:
        return 0, total
    return min(given.base if given.bits else 0, total - MOST_BITS), MOST_BITS


def _offer(result: Result, swizzle: Swizzle, taken: int) -> Offer:
    in_bytes = swizzle.recast(result.item, 1)
    shown = in_bytes if result.params.unit == "bytes" else swizzle
    return Offer(
        f"{shown}  {count(taken, 'wavefront')}",
        "no extra memory",
        {"swizzle": str(shown)},
        in_use=swizzle == result.swizzle,
    )


def _copies(result: Result) -> dict[str, str]:
    layout, s = result.layout, result.swizzle
    index = f"offset ^ ((offset & {s.yyy:#x}) {'>>' if s.shift >= 0 else '<<'} {abs(s.shift)})"
    cpp = notation.print_type(layout.shape, layout.stride)
    return {
        "CuTe": words.title(result),
        "Python": f'ComposedLayout({s!r}, 0, parse_layout("{layout}"))',
        "C++": f"composition(Swizzle<{s.bits},{s.base},{s.shift}>{{}}, {cpp}{{}})",
        "Numba": index,
    }


def _tips(result: Result) -> Tips:
    row, column = np.broadcast_arrays(result.rows[:, None], result.columns)
    bank = [offset * result.item // 4 % 32 for offset in (result.before, result.after)]
    table = np.stack([row, column, result.before, result.after, *bank], -1).reshape(-1, 6)
    table = np.clip(table, -(2**31), 2**31 - 1).astype(np.int32)
    return Tips("({0},{1}) → offset {3} elements, {2} before\nbank {5}, {4} before", table)
