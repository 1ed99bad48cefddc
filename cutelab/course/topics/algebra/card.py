"""The card of topic "algebra": the maps of a law side by side, one coordinate on its way through them."""

from __future__ import annotations

import textwrap

import numpy as np

from cutelab.algebra import laws
from cutelab.core.int_tuple import modes, product
from cutelab.course.card.paint.labels import numbered
from cutelab.course.card.parts.sheet import crd_text, sum_text
from cutelab.course.card.picture import OUTSIDE, Grid, Key, Line, Lines, Offer, Panel, Picture, Ring, Scale, Tips
from cutelab.course.card.words import count, labels_of, number
from cutelab.course.topics.algebra import words
from cutelab.course.topics.algebra.model import Array, Map, Result

ROOM, BETWEEN = 688, 20
CAP, TALL = 34, 400  # the widest cell, and the highest panel
MAX_HUES = 64  # coordinates up to which each has one of the eight categories; more take the pale-to-blue scale
ROWS = 14  # rows of the point-by-point table
INT32 = 2**31 - 1


def panels(result: Result) -> Picture:
    """The whole card, as plain data: the maps side by side, one coordinate's way through them, the law."""
    columns = [m.sheet.columns for m in result.maps]
    table = result.chain.points
    table_width = 30 + 52 * (1 + len(table.columns)) if table and table.columns else 0
    spaces = BETWEEN * (len(columns) - (0 if table_width else 1))
    gaps = [sum(m.sheet.col_gap) + 34 for m in result.maps]
    cells = share(ROOM - spaces - table_width - sum(gaps), columns)
    grids = [_grid(result, m, cell) for m, cell in zip(result.maps, cells, strict=True)]
    shown: list[Panel] = [*grids]
    widths = [max(c * n + g, 110) for c, n, g in zip(cells, columns, gaps, strict=True)]
    if table_width:
        shown.append(_table(result))
        widths.append(table_width)
    return Picture(
        title=words.title(result),
        call=result.params.call("algebra"),
        subtitle=words.subtitle(result, any(numbered(grid) for grid in grids)),
        body=(tuple((p,) for p in shown), ((_lines(result),),)),
        widths=(tuple(_spread(widths)), (ROOM,)),
        legend=_legend(result),
        verdicts=(words.verdict(result),),
        status=words.status(result),
        reads=_reads(result),
        copies=words.copies(result),
        tips=_tips(result),
        probed=result.probed,
        offers=_offers(result),
    )


def share(room: int, columns: list[int]) -> list[int]:
    """How wide are the cells of panels side by side? Equal and at most 34, if that leaves 12; else small panels come first.

    >>> share(600, [3, 4, 3]), share(600, [12, 24]), share(300, [4, 32])
    ([34, 34, 34], [16, 16], [34, 5])
    """
    if (equal := min(CAP, room // sum(columns))) >= 12:
        return [equal] * len(columns)
    found: dict[int, int] = {}
    left, open_ = room, sorted(range(len(columns)), key=lambda i: columns[i])
    while open_:
        i = open_.pop(0)
        found[i] = max(5, min(CAP, left // (len(open_) + 1) // columns[i]))
        left -= found[i] * columns[i]
    return [found[i] for i in range(len(columns))]


def _spread(widths: list[int]) -> list[int]:
    """The columns' widths so that the panels stand 20 to 44 apart, from the left; the last one takes what is free."""
    free = ROOM - sum(widths) - BETWEEN * (len(widths) - 1)
    if free < 0:  # headings that are wider than their cells
        most = max(widths)
        return [w + free if w == most and i == widths.index(most) else w for i, w in enumerate(widths)]
    apart = min(24, free // len(widths))
    widths = [w + apart for w in widths[:-1]] + widths[-1:]
    return [*widths[:-1], ROOM - sum(widths[:-1]) - BETWEEN * (len(widths) - 1)]


def _hues(result: Result, cell: Array) -> tuple[Array, Scale]:
    """The fill of cells that these followed coordinates meet (-1: none)."""
    ids = result.ids[np.maximum(cell, 0)]
    if result.chain.hues is not None:
        ids = ids // product(modes(result.chain.hues.shape)[0])
    if result.chain.hue_count <= MAX_HUES:
        return np.where(cell >= 0, ids % 8, -1), "category"
    low, high = _hue_ends(result)
    return np.where(cell >= 0, (ids - low) * 32 // (high - low + 1), -1), "offset"


def _hue_ends(result: Result) -> tuple[int, int]:
    """The first and the last coordinate (or copy) on the pale-to-blue scale: of those that are followed."""
    ends = np.array([result.ids[0], result.ids[-1]])
    if result.chain.hues is not None:
        ends = ends // product(modes(result.chain.hues.shape)[0])
    return int(ends[0]), int(ends[1])


def _grid(result: Result, m: Map, width: int) -> Grid:
    sheet = m.sheet
    drawn = sheet.inside & (~sheet.beyond | (m.cell >= 0))
    labels = np.where(drawn, labels_of(m.values), "")
    height = max(5, min(30, TALL // sheet.rows))
    if width < 5 * np.char.str_len(labels).max() + 3 or height < 9:  # no room for numbers: squares
        width = height = min(width, height)
    fill, scale = _hues(result, m.cell)
    states = np.where(sheet.beyond & (m.cell >= 0), OUTSIDE, 0).astype(np.uint8)
    rings = []
    if (place := sheet.find(m.at)) is not None:
        rings.append(Ring(*place, *place))
    if m.link.before is None and len(result.twins):
        for k in result.twins[:32].tolist():
            if (place := sheet.find(int(result.ids[k]))) is not None:
                rings.append(Ring(*place, *place, "twin"))
    part = f", part of {sheet.whole[0]} x {sheet.whole[1]}" if sheet.cut else ""
    heading = m.link.name if m.link.name != "offsets" else f"offsets 0 to {number(product(m.link.layout.shape) - 1)}"
    return Grid(
        name=m.link.name,
        fill=fill,
        scale=scale,
        labels=labels,
        states=states,
        heading=heading,
        subheading=(str(m.link.layout) if m.link.name != "offsets" else "") + part,
        row_heads=sheet.row_heads,
        col_heads=sheet.col_heads,
        cell=(width, height),
        row_gap=sheet.row_gap if height >= 9 else (),
        col_gap=sheet.col_gap if width >= 9 else (),
        rings=tuple(rings),
        probe=m.cell,
    )


def _table(result: Result) -> Grid:
    """A refused operation point by point, around the first coordinate where the law fails."""
    points = result.chain.points
    assert points is not None
    total = len(next(iter(points.columns.values())))
    start = max(0, min((points.failing or 0) - ROWS // 2, total - ROWS))
    c = np.arange(start, min(total, start + ROWS), dtype=np.int64)
    texts = [np.array([words.short_text(result, i) for i in c.tolist()])]
    for name, values in points.columns.items():
        met = name == "met by"
        texts.append(
            np.array([words.short_text(result, i) for i in values[c].tolist()]) if met else labels_of(values[c])
        )
    labels = np.stack(texts, 1)
    states = np.zeros(labels.shape, np.uint8)
    if points.wrong is not None:
        states[:, -1] = np.where(points.wrong[c], OUTSIDE, 0)
    if points.missing is not None:
        none = "none" if "R(c)" in points.columns else ""
        labels = np.column_stack([labels[:, :-1], np.where(points.missing[c], none, labels[:, -1])])
    place = np.searchsorted(result.ids, c)
    place = np.where(result.ids[np.minimum(place, len(result.ids) - 1)] == c, place, -1)
    fill, scale = _hues(result, place)
    at = np.flatnonzero(c == result.params.index)
    return Grid(
        name="points",
        fill=np.repeat(fill[:, None], labels.shape[1], 1),
        scale=scale,
        labels=labels,
        states=states,
        heading="point by point",
        subheading="R without the check" if "R(c)" in points.columns and result.chain.where else "",
        col_heads=("c", *points.columns),
        cell=(52, 26),
        rings=tuple(Ring(int(i), 0, int(i), labels.shape[1] - 1) for i in at),
        probe=np.repeat(place[:, None], labels.shape[1], 1),
    )


def _lines(result: Result) -> Lines:
    """The probe through each map, then the line of the explanation that decides."""
    rows = []
    for m in result.maps:
        shape = m.link.layout.shape
        if m.link.name == "offsets":
            a, r = (x.value for x in result.maps[:2])
            rows.append(("A(i) + R(j)", "", f"{a} + {r} = {m.at}"))
            continue
        letter = {"A": "i", "R": "j"}[m.link.name] if result.chain.hues is not None else "c"
        index = letter if m.link.before is None or letter != "c" else str(m.at)
        where = f"{index} = {crd_text(m.at, shape)}" if m.at >= 0 else f"{index} is below 0"
        rows.append((f"{m.link.name}({index})", where, sum_text(m.link.layout, m.at) if m.at >= 0 else ""))
    wide = [max(len(r[k]) for r in rows) for k in (0, 1)]
    lines = [Line("", "rule")]
    lines += [Line(f"{w:<{wide[1]}}  →  {t}" if w and t else w or t, "read", f"{n:<{wide[0]}}") for n, w, t in rows]
    lines += [Line(t, "plain") for t in words.key_lines(result)]
    if result.layout is None and result.params.operation != "composition" and len(result.chain.refusal) > 150:
        lines += [Line(t, "muted") for t in textwrap.wrap(result.chain.refusal, 112)[:3]]
    return Lines("way", tuple(lines))


def _legend(result: Result) -> tuple[Key, ...]:
    what = "copy j" if result.chain.hues is not None else "coordinate c"
    if result.chain.hue_count <= MAX_HUES:
        keys = [Key(str(k), "fill", "category", k) for k in range(min(8, result.chain.hue_count))]
        last = f"{keys[-1].text}  = {what}" + (", modulo 8" if result.chain.hue_count > 8 else "")
        keys[-1] = Key(last, "fill", "category", len(keys) - 1)
    else:
        low, high = _hue_ends(result)
        keys = [Key(f"{what}, {number(low)} to {number(high)}", "ramp")]
    keys.append(Key("probe", "probe"))
    if len(result.twins):
        keys.append(Key("same element of A", "twin"))
    points = result.chain.points
    if points is not None and points.wrong is not None and points.wrong.any():
        keys.append(Key("the law fails", "outside"))
    elif any((m.sheet.beyond & (m.cell >= 0)).any() for m in result.maps):
        keys.append(Key("beyond its size", "outside"))
    return tuple(keys)


def _reads(result: Result) -> str:
    pairs = result.chain.hues is not None
    met = count(len(result.ids), "pair" if pairs else "coordinate") + (" of i and j" if pairs else "")
    return f"{result.params.operation} followed through {met}" + (
        f" of {number(result.chain.count)}" if len(result.ids) < result.chain.count else ""
    )


def _tips(result: Result) -> Tips:
    columns = [result.ids]
    for m in result.maps:
        met = m.link.index(result.ids)
        safe = np.maximum(met, 0)
        columns.append(laws.values(m.link.layout, safe))
    table = np.clip(np.stack(columns, 1), -INT32, INT32).astype(np.int32)
    names = [m.link.name for m in result.maps]
    if result.chain.hues is not None:
        return Tips("A(i) = {1}, R(j) = {2} → offset {3}", table)
    template = f"c = {{0}} → {names[0]}(c) = {{1}}"
    for k, m in enumerate(result.maps[1:], 2):
        template += f" → {names[k - 1]} {{{k}}}" if m.link.before is not None else f"\n{names[k - 1]}(c) = {{{k}}}"
    return Tips(template, table)


def _offers(result: Result) -> tuple[Offer, ...]:
    """Layouts close to a refused B that are admissible."""
    return tuple(
        Offer(f"B = {b}", f"{count(product(b.shape), 'element')}, admissible", {"b": str(b)})
        for b in result.chain.near[:3]
    )
