"""The panels of topic "coalescing". Reads a `Result` of scenes/coalescing.py; counts no sectors of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from cutelab.course.card.picture import HOLE, Bar, Bars, Box, Grid, Key, Line, Lines, Picture, Ring, Tips
from cutelab.course.card.words import count, number
from cutelab.course.topics.coalescing import words as say

if TYPE_CHECKING:
    from cutelab.course.topics.coalescing.model import Result

LINE_BYTES, SECTOR_BYTES = 128, 32
MOST_ROWS = 36  # lines up to which all are drawn, touched or not
WINDOW = 8  # touched lines that are drawn where there are more, far apart
NEAR = 2  # untouched lines between two touched ones that are drawn in full
BAND, SQUEEZED = 42, 5  # heights of a band with words and of one without


@dataclass(frozen=True)
class Row:
    """One row of the picture: a line; a band of lines that no lane touches; a band of touched lines left out."""

    kind: Literal["line", "gap", "more"]
    line: int
    end: int  # the last line that it stands for


def rows_of(touched: np.ndarray, probed: int) -> tuple[Row, ...]:
    """Which lines are drawn? All from the first to the last, or a window of touched ones around the probe's.

    >>> len(rows_of(np.array([0, 8, 16]), 0))
    17
    >>> [(row.kind, row.line, row.end) for row in rows_of(np.array([0, 99]), 0)]
    [('line', 0, 0), ('gap', 1, 98), ('line', 99, 99)]
    """
    first, last = int(touched[0]), int(touched[-1])
    if last - first < MOST_ROWS:
        return tuple(Row("line", n, n) for n in range(first, last + 1))
    at = int(np.searchsorted(touched, probed))
    start = max(0, min(at - WINDOW // 2, len(touched) - WINDOW))
    shown = touched[start : start + WINDOW].tolist()
    found = [Row("more", first, shown[0] - 1)] if start else []
    for before, line in zip([shown[0] - 1, *shown], shown, strict=False):
        if line - before - 1 > NEAR:
            found.append(Row("gap", before + 1, line - 1))
        else:
            found += [Row("line", n, n) for n in range(before + 1, line)]
        found.append(Row("line", line, line))
    if start + WINDOW < len(touched):
        found.append(Row("more", shown[-1] + 1, last))
    return tuple(found)


def picture(result: Result) -> Picture:
    """The whole card."""
    params = result.params
    grids = [memory(result)]
    if params.access_bytes <= 2:
        grids.append(one_sector(result))
    fill, states = grids[0].fill, grids[0].states
    groups = np.unique(fill[fill >= 0]).tolist()
    legend = [Key(f"T{8 * g} to T{min(8 * g + 7, params.active - 1)}", "fill", "category", g) for g in groups]
    legend += [Key("fetched, not used", "hole")] if (states & HOLE).any() else []
    legend += [Key("not fetched", "fill", "frame", 1)] if ((fill < 0) & (states == 0)).any() else []
    legend += [Key("probe and its sector", "probe")]
    return Picture(
        title=say.title(params),
        call=params.call("coalescing"),
        subtitle=say.subtitle(params),
        body=((tuple(grids),), ((bars(result),), (one_lane(result),))),
        widths=((688,), (300, 368)),
        legend=tuple(legend),
        verdicts=(say.verdict(result),),
        status=say.at_lane(result),
        reads=say.reads(params),
        copies=say.copies(result),
        tips=tips(result),
        probed=params.lane,
        offers=say.fixes(result),
    )


def memory(result: Result) -> Grid:
    """Global memory, one 128-byte line a row, one access a cell: who stands where, and what is fetched for it."""
    params, width = result.params, result.params.access_bytes
    sector, line = result.sectors.sector, result.sectors.line
    rows = rows_of(np.unique(line[: params.active]), int(line[params.lane]))
    at = np.array([row.line if row.kind == "line" else -1 - i for i, row in enumerate(rows)])
    cell_sector = at[:, None] * 4 + np.arange(LINE_BYTES // width) * width // SECTOR_BYTES
    cells = at[:, None] * (LINE_BYTES // width) + np.arange(LINE_BYTES // width)
    fill, labels, second, probe = stand(result, np.where(at[:, None] >= 0, cells, -1))
    fetched = np.isin(cell_sector, sector[: params.active]) & (at[:, None] >= 0)
    more = np.array([row.kind == "more" for row in rows])
    states = np.where(fetched & (fill < 0), HOLE, 0).astype(np.uint8)
    gaps = [i for i, row in enumerate(rows) if row.kind == "gap"]
    worded = set(np.flatnonzero(more).tolist()) | (set(gaps) if len(gaps) <= 3 and not more.any() else set())
    boxes = tuple(Box(i, i, *band_words(result, rows[i])) for i in sorted(worded))
    high = 36 if len(rows) == 1 else max(9, min(26, 300 // len(rows)))
    heights = tuple(high if row.kind == "line" else BAND if i in worded else SQUEEZED for i, row in enumerate(rows))
    per_sector = SECTOR_BYTES // width
    row = next(i for i, r in enumerate(rows) if r.kind == "line" and r.line == line[params.lane])
    col = int(result.access.byte_address[params.lane]) % LINE_BYTES // width
    left = col // per_sector * per_sector
    return Grid(
        name="memory",
        fill=fill,
        scale="category",
        labels=labels if width > 2 else None,
        second=second if width > 2 and (second != "").any() else None,
        states=states,
        heading="global memory",
        subheading="one 128-byte line a row, cut into four sectors of 32 bytes; the columns name bytes",
        corner="line",
        row_heads=tuple(str(r.line) if r.kind == "line" else "" for r in rows),
        col_heads=tuple(str(j * width) for j in range(LINE_BYTES // width)),
        cell=(20 * width // 4 if width > 1 else 5, high),
        row_heights=heights,
        col_gap=tuple(5 if j and j % per_sector == 0 else 0 for j in range(LINE_BYTES // width)),
        field=True,
        field_every=1,
        rings=(Ring(row, left, row, left + per_sector - 1, "access"), Ring(row, col, row, col)),
        boxes=boxes,
        probe=probe,
    )


def stand(result: Result, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Who stands on these cells (byte address div access width; -1: none)? Fill, lane, how many lanes, probe cell."""
    params = result.params
    unit = result.access.byte_address[: params.active] // params.access_bytes
    used, first, lanes = np.unique(unit, return_index=True, return_counts=True)
    place = np.minimum(np.searchsorted(used, cells), len(used) - 1)
    here = used[place] == cells
    lane = np.where(here, first[place], -1)
    fill = np.where(here, lane // 8, -1)
    labels = np.where(here, np.char.add("T", lane.astype("U2")), "")
    second = np.where(here & (lanes[place] > 1), np.char.add("×", lanes[place].astype("U2")), "")
    probe = np.where(cells == unit[params.lane], params.lane, lane)
    return fill, labels, second, probe


def band_words(result: Result, row: Row) -> tuple[str, str]:
    """What stands in the band for these lines."""
    names = f"lines {number(row.line)} to {number(row.end)}"
    if row.kind == "gap":
        lines = row.end - row.line + 1
        return f"{names}: no lane comes here", f"{count(lines, 'line')}, {number(lines * LINE_BYTES)} bytes skipped"
    line = result.sectors.line
    inside = (line >= row.line) & (line <= row.end)
    lines = len(np.unique(line[inside]))
    return (
        f"{names}: {number(lines)} of them are touched, not drawn here",
        f"{count(int(inside.sum()), 'lane')} in {count(len(np.unique(result.sectors.sector[inside])), 'sector')}",
    )


def one_sector(result: Result) -> Grid:
    """The probed lane's sector, enlarged: where the cells of the picture are too small for names."""
    params, width = result.params, result.params.access_bytes
    sector, per_sector = int(result.sectors.sector[params.lane]), SECTOR_BYTES // width
    cells = sector * per_sector + np.arange(per_sector)[None]
    fill, labels, second, probe = stand(result, cells)
    col = int(result.access.byte_address[params.lane]) % SECTOR_BYTES // width
    return Grid(
        name="sector",
        fill=fill,
        scale="category",
        labels=labels,
        second=second if (second != "").any() else None,
        states=np.where(fill < 0, HOLE, 0).astype(np.uint8),
        heading=f"sector {number(sector)}, enlarged",
        subheading=f"the 32 bytes that are fetched for T{params.lane}",
        col_heads=tuple(str(cells[0, j] * width % LINE_BYTES) for j in range(per_sector)),
        cell=(20, 26),
        field=True,
        field_every=1,
        rings=(Ring(0, col, 0, col),),
        probe=probe,
    )


def bars(result: Result) -> Bars:
    """Sectors against the ideal, bytes used of those moved, lines."""
    found = result.sectors
    moved = SECTOR_BYTES * found.count
    state = "good" if found.count == found.ideal else "bad"
    return Bars(
        "moved",
        (
            Bar("sectors", found.count, found.ideal, "sectors", state, most=32),
            Bar("bytes used", found.used_bytes, None, f"of {number(moved)} bytes", most=moved),
            Bar("lines", found.lines, -(-found.used_bytes // LINE_BYTES), "lines", most=32),
        ),
        heading="what the instruction moves",
    )


def one_lane(result: Result) -> Lines:
    """The probed lane: from its number to its element, its byte and its sector."""
    params, lane = result.params, result.params.lane
    place, byte = int(result.place[lane]), int(result.access.byte_address[lane])
    row, col = divmod(place, params.across)
    terms = [str(params.start)] if params.start else []
    terms += [f"{col}·{params.stride}"] if params.across > 1 else []
    terms += [f"{row}·{params.pitch}"] if params.across < 32 else []
    took = "" if place == lane else f" p = {place}"
    here = result.sectors.sector == byte // SECTOR_BYTES
    units = len(np.unique(result.access.byte_address[here]))
    return Lines(
        "lane",
        (
            Line(f"{took} → {' + '.join(terms)} = {number(int(result.element[lane]))}", "read", f"T{lane}"),
            Line(f"byte {number(byte)} as {params.element}  ·  line {number(byte // LINE_BYTES)}  ·  "
                 f"sector {number(byte // SECTOR_BYTES)}"),
            Line(f"That sector serves {count(int(here.sum()), 'lane')}; {units * params.access_bytes} of its 32 bytes are used.",
                 "muted"),
        ),
    )  # fmt: skip


def tips(result: Result) -> Tips:
    """What the pointer reads on a lane."""
    byte = result.access.byte_address
    table = np.stack([np.arange(32), result.element, byte, byte // LINE_BYTES, byte // SECTOR_BYTES], axis=1)
    return Tips("T{0} → element {1}\nbyte {2} · line {3} · sector {4}", table.astype(np.int32))
