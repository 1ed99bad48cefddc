"""The card of topic "coalescing": memory in lines and sectors, the bars, the probed lane. Counts no sectors of its own."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.picture import HOLE, Bar, Bars, Box, Grid, Key, Line, Lines, Picture, Ring, Tips
from cutelab.course.card.words import count, number, state_of
from cutelab.course.topics.coalescing import words
from cutelab.course.topics.coalescing.lines import TOGETHER, Row, cells, fetched, rows, standing
from cutelab.course.topics.coalescing.model import Result

WIDE = 640  # CSS pixels of a line
BAND, SQUEEZED = 42, 5  # heights of a band with words and of one without


def panels(result: Result) -> Picture:
    """The whole card."""
    params = result.params
    grids = [_memory(result)]
    if params.access_bytes <= 2:
        grids.append(_one_sector(result))
    return Picture(
        title=words.title(params),
        call=params.call("coalescing"),
        subtitle=words.subtitle(params),
        body=((tuple(grids),), ((_bars(result),), (_one_lane(result),))),
        widths=((688,), (300, 368)),
        legend=_legend(result, grids[0]),
        verdicts=(words.verdict(result),),
        status=words.at_lane(result),
        reads=words.reads(params),
        copies=words.copies(result),
        tips=Tips(*words.tips(result)),
        probed=params.lane,
        offers=words.offers(result),
    )


def _legend(result: Result, memory: Grid) -> tuple[Key, ...]:
    fill, states, last = memory.fill, memory.states, result.params.active - 1
    firsts = [(g, TOGETHER * g) for g in np.unique(fill[fill >= 0]).tolist()]
    keys = [Key(f"T{t} to T{min(t + TOGETHER - 1, last)}", "fill", "category", g) for g, t in firsts]
    if states is not None:
        keys += [Key("fetched, not used", "hole")] if (states & HOLE).any() else []
        keys += [Key("not fetched", "fill", "frame", 1)] if ((fill < 0) & (states == 0)).any() else []
    return (*keys, Key("probe and its sector", "probe"))


def _memory(result: Result) -> Grid:
    """Global memory, one line a row, one access a cell: who stands where, and what is fetched for it."""
    params, chip, width, probed = result.params, result.params.chip, result.params.access_bytes, result.probed
    drawn = rows(result)
    byte = cells(result, drawn)
    stand = standing(result, byte)
    more = [row.kind == "more" for row in drawn]
    gaps = [i for i, row in enumerate(drawn) if row.kind == "gap"]
    worded = {i for i, row in enumerate(more) if row} | (set(gaps) if len(gaps) <= 3 and not any(more) else set())
    high = 36 if len(drawn) == 1 else max(9, min(26, 300 // len(drawn)))
    heights = tuple(high if row.kind == "line" else BAND if i in worded else SQUEEZED for i, row in enumerate(drawn))
    across, per_sector = byte.shape[1], max(1, chip.sector_bytes // width)
    row = next(i for i, r in enumerate(drawn) if r.kind == "line" and r.line == probed.line)
    col = (probed.byte - probed.line * chip.line_bytes) // width
    left = col // per_sector * per_sector
    named = width > 2
    return Grid(
        name="memory",
        fill=stand.fill,
        scale="category",
        labels=stand.labels if named else None,
        second=stand.second if named and (stand.second != "").any() else None,
        states=np.where(fetched(result, byte) & (stand.fill < 0), HOLE, 0).astype(np.uint8),
        heading="global memory",
        subheading=words.lines(params),
        corner="line",
        row_heads=tuple(str(r.line) if r.kind == "line" else "" for r in drawn),
        col_heads=tuple(str(j * width) for j in range(across)),
        cell=(max(1, WIDE // across), high),
        row_heights=heights,
        col_gap=tuple(5 if j and j % per_sector == 0 else 0 for j in range(across)),
        field=True,
        field_every=1,
        rings=(Ring(row, left, row, left + per_sector - 1, "access"), Ring(row, col, row, col)),
        boxes=tuple(Box(i, i, *_band(result, drawn[i])) for i in sorted(worded)),
        probe=stand.probe,
    )


def _band(result: Result, row: Row) -> tuple[str, str]:
    """What stands in the band for these lines."""
    names = f"lines {number(row.line)} to {number(row.end)}"
    if row.kind == "gap":
        skipped = row.end - row.line + 1
        size = skipped * result.params.chip.line_bytes
        return f"{names}: no lane comes here", f"{count(skipped, 'line')}, {number(size)} bytes skipped"
    line = result.sectors.line
    inside = (line >= row.line) & (line <= row.end)
    touched = len(np.unique(line[inside]))
    return (
        f"{names}: {number(touched)} of them {'is' if touched == 1 else 'are'} touched, not drawn here",
        f"{count(int(inside.sum()), 'lane')} in {count(len(np.unique(result.sectors.sector[inside])), 'sector')}",
    )


def _one_sector(result: Result) -> Grid:
    """The probed lane's sector, enlarged: where the cells of the picture are too small for names."""
    params, chip, width, probed = result.params, result.params.chip, result.params.access_bytes, result.probed
    first = probed.sector * chip.sector_bytes
    byte = np.arange(first, first + chip.sector_bytes, width)[None]
    stand = standing(result, byte)
    col = (probed.byte - first) // width
    return Grid(
        name="sector",
        fill=stand.fill,
        scale="category",
        labels=stand.labels,
        second=stand.second if (stand.second != "").any() else None,
        states=np.where(stand.fill < 0, HOLE, 0).astype(np.uint8),
        heading=f"sector {number(probed.sector)}, enlarged",
        subheading=f"the {chip.sector_bytes} bytes that are fetched for T{params.lane}",
        col_heads=tuple(map(str, (byte[0] - probed.line * chip.line_bytes).tolist())),
        cell=(20, 26),
        field=True,
        field_every=1,
        rings=(Ring(0, col, 0, col),),
        probe=stand.probe,
    )


def _bars(result: Result) -> Bars:
    """Sectors against the ideal, bytes used of those moved, lines."""
    chip, used = result.params.chip, result.used_bytes
    moved = chip.sector_bytes * result.count
    return Bars(
        "moved",
        (
            Bar(
                "sectors",
                result.count,
                result.ideal,
                "sectors",
                state_of(result.count, result.ideal),
                most=chip.lanes,
            ),
            Bar("bytes used", used, None, f"of {number(moved)} bytes", most=moved),
            Bar("lines", result.lines, -(-used // chip.line_bytes), "lines", most=chip.lanes),
        ),
        heading="what the instruction moves",
    )


def _one_lane(result: Result) -> Lines:
    """The probed lane: from its number to its element, its byte and its sector."""
    lane, element, place, serves = words.one_lane(result)
    return Lines("lane", (Line(element, "read", lane), Line(place), Line(serves, "muted")))
