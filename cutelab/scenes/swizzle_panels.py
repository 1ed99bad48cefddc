"""The panels of topic "swizzle". Reads a `Result` of scenes/swizzle.py; computes no offsets of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cutelab import notation
from cutelab.memory import Wavefronts
from cutelab.scenes import swizzle_words as words
from cutelab.scenes.panels import PAST_END, Cure, Grid, Key, Line, Lines, Panel, Picture, Ring, Tips
from cutelab.scenes.words import count
from cutelab.swizzle import Swizzle

if TYPE_CHECKING:
    from cutelab.scenes.swizzle import Result

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
        cures=tuple(_cure(result, *one) for one in found),
    )


def _body(result: Result) -> tuple[Any, Any]:
    """Where the panels go: beside each other up to 8 columns; the bits below, where the tiles need the card's width."""
    rows, columns = len(result.rows), len(result.columns)
    sides = (
        (f"before: {result.params.layout}", result.before, result.wave, "before"),
        (f"after: {result.params.swizzle} on {result.params.unit}", result.after, result.wave_after, "after"),
    )
    if columns <= 8:
        high = max(13, min(26, 416 // rows))
        tiles = [(_tile(result, *s, (26, high)), _line(result, s[2], s[3])) for s in sides]
        return ((tiles[0], tiles[1], (*_bits(result), *_said(result, narrow=True))),), ((240, 240, 206),)
    below, room = (_bits(result), (_said(result, narrow=False)[0],)), (400, 268)
    if columns <= 16 or rows > 12:
        wide = 310 // columns
        if wide >= 13 or result.params.access == "row":
            tiles = [
                (_tile(result, *s, (wide, min(wide, max(9, 288 // rows)))), _line(result, s[2], s[3])) for s in sides
            ]
            return (tuple(tiles), below), ((334, 334), room)
        side = min(9, 288 // columns)
        tiles = [
            ((_tile(result, *s, (side, side)), _line(result, s[2], s[3])), (_strip(result, s[2], s[3], side),))
            for s in sides
        ]
        return ((*tiles[0], *tiles[1]), below), ((316, 18, 316, 18), room)
    stacked = [_tile(result, *s, (min(36, 664 // columns), min(20, 160 // rows))) for s in sides]
    return (((stacked[0],),), ((stacked[1],),), below), ((688,), (688,), room)


def _tile(result: Result, heading: str, offset: np.ndarray, wave: Any, name: str, cell: tuple[int, int]) -> Grid:
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


def _strip(result: Result, wave: Wavefronts | None, name: str, height: int) -> Grid:
    """Beside each row: the bank that its lane reads."""
    bank = np.full(32, -1) if wave is None else wave.bank
    bank = bank[: len(result.rows), None]
    return Grid(
        name=f"bank {name}",
        fill=bank,
        scale="bank",
        labels=np.where(bank < 0, "", bank.astype("U2")),
        col_heads=("bank",),
        cell=(17, height),
        show_labels="always",
        probe=np.arange(len(bank))[:, None] * len(result.columns) + result.probed % len(result.columns),
    )


def _line(result: Result, wave: Wavefronts | None, name: str) -> Lines:
    return Lines(f"banks {name}", (Line(words.banks(result, wave), "muted"),))


def _said(result: Result, *, narrow: bool) -> tuple[Lines, ...]:
    """What the boxes of bits say, in words; in the narrow column the first lines stand among the boxes already."""
    params, (before, after) = result.params, result.offset
    at, unit = f"({params.row},{params.column})", "byte offset" if params.unit == "bytes" else "offset"
    now = Line(f"{at} is {unit} {words.scaled(result, after)} after", "plain")
    both = words.units(result).split(" = ")
    if narrow:
        return (Lines("after", (now, *(Line(("= " if i else "") + text, "muted") for i, text in enumerate(both)))),)
    first = Line(f"{at} is {unit} {words.scaled(result, before)} before", "muted")
    banks = (
        [Line(words.banks(result, w), "muted") for w in (result.wave, result.wave_after)]
        if len(result.rows) <= 12
        else []
    )
    return (Lines("said", (first, now, Line(" = ".join(both), "muted"), *banks)),)


def _bits(result: Result) -> tuple[Panel, ...]:
    """The bits of the probed offset, the source bits shifted onto the target, and the result."""
    params, given = result.params, result.params.given
    before, after = (words.scaled(result, offset) for offset in result.offset)
    low, bits = _shown(result)
    order = np.arange(low + bits - 1, low - 1, -1)  # the highest bit stands left
    source, target = (mask >> order & 1 for mask in (given.yyy, given.zzz))
    fill = np.where(source, SOURCE, np.where(target, TARGET, PLAIN))[None]
    edge = np.flatnonzero(np.diff(fill[0]))
    gap = np.zeros(bits, int)
    gap[edge + 1] = 4
    side = max(12, min(28, (172 if len(result.columns) <= 8 else 352) // bits - (bits > 6)))
    heads = tuple(f"b{k}" if side >= 20 else str(k) for k in order.tolist())
    common: dict[str, Any] = {"scale": "category", "cell": (side, 28), "col_gap": tuple(gap.tolist()), "mono": True}
    unit = "byte offset" if params.unit == "bytes" else "offset"
    heading = f"bits of one {unit}" if low == 0 else f"bits {low} to {low + bits - 1} of one {unit}"
    at = f"({params.row},{params.column})"
    rows: list[Panel] = [
        Grid("bits", fill, labels=_digits(before, order), heading=heading, col_heads=(*heads, ""), **common)
    ]
    if len(result.columns) <= 8:
        rows.append(Lines("before", (Line(f"{at} is {unit} {before} before", "muted"),)))
    if not given.bits:
        return tuple(rows)
    way = "right" if given.shift > 0 else "left"
    moved = given.yyy & before
    moved = moved >> given.shift if given.shift > 0 else moved << -given.shift
    start, end = (np.flatnonzero(run) for run in (source, target))
    middle, goal = int(start[len(start) // 2]), int(end[0] - 1 if way == "right" else end[-1] + 1)
    shifted = Grid(
        "shifted",
        np.where(target, SOURCE, -1)[None],
        labels=np.where(target, _digits(moved, order), ""),
        subheading=f"source bits, shifted {way} by {abs(given.shift)}",
        states=np.where(source, PAST_END, 0)[None],
        row_heads=("XOR",),
        bold_rows=(0,),
        arrows=((0, middle, goal),),
        rings=tuple(Ring(0, int(k), 0, int(k), "box") for k in end),
        **common,
    )
    done = Grid("result", fill, labels=_digits(after, order), **common)
    return (*rows, shifted, Lines("rule", (Line(kind="rule"),)), done)


def _digits(value: int, order: np.ndarray) -> np.ndarray:
    return (value >> order & 1).astype("U1")[None]


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


def _cure(result: Result, swizzle: Swizzle, taken: int) -> Cure:
    in_bytes = swizzle.recast(result.item, 1)
    shown = in_bytes if result.params.unit == "bytes" else swizzle
    return Cure(
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
