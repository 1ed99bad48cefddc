"""Global memory as lines, one access a cell: which lines are drawn, and which lane stands on a cell."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from cutelab.course.topics.coalescing.model import Array, Result

MOST_ROWS = 36  # lines up to which all are drawn, touched or not
WINDOW = 8  # touched lines that are drawn where there are more, far apart
NEAR = 2  # untouched lines between two touched ones that are drawn in full
TOGETHER = 8  # lanes of one colour


@dataclass(frozen=True)
class Row:
    """One row of the picture: a line; a band of lines that no lane touches; a band of touched lines left out."""

    kind: Literal["line", "gap", "more"]
    line: int
    end: int  # the last line that it stands for


def rows_of(touched: Array, probed: int) -> tuple[Row, ...]:
    """Which lines are drawn? All from the first to the last; or the first, and a window of touched ones around the probe's.

    >>> len(rows_of(np.array([0, 8, 16]), 0))
    17
    >>> [(row.kind, row.line, row.end) for row in rows_of(np.array([0, 99]), 0)]
    [('line', 0, 0), ('gap', 1, 98), ('line', 99, 99)]
    >>> [(row.kind, row.line, row.end) for row in rows_of(np.arange(32) * 32, 160)][:3]
    [('line', 0, 0), ('gap', 1, 31), ('line', 32, 32)]
    >>> [(row.kind, row.line, row.end) for row in rows_of(np.arange(32) * 32, 320)][:4]
    [('line', 0, 0), ('more', 1, 223), ('line', 224, 224), ('gap', 225, 255)]
    """
    first, last = int(touched[0]), int(touched[-1])
    if last - first < MOST_ROWS:
        return tuple(Row("line", n, n) for n in range(first, last + 1))
    at = int(np.searchsorted(touched, probed))
    start = max(0, min(at - WINDOW // 2, len(touched) - WINDOW))
    end = start + WINDOW
    start = 0 if start == 1 else start  # a band for a single line would hide more than it spares
    shown = [first, *touched[start + 1 : end].tolist()]
    found = [Row("line", first, first)]
    for k, (before, line) in enumerate(pairwise(shown)):
        if start and k == 0:
            found.append(Row("more", before + 1, line - 1))
        elif line - before - 1 > NEAR:
            found.append(Row("gap", before + 1, line - 1))
        else:
            found += [Row("line", n, n) for n in range(before + 1, line)]
        found.append(Row("line", line, line))
    if end < len(touched):
        found.append(Row("more", shown[-1] + 1, last))
    return tuple(found)


def rows(result: Result) -> tuple[Row, ...]:
    """The rows of this picture."""
    return rows_of(np.unique(result.sectors.line[: result.params.active]), result.probed.line)


def cells(result: Result, rows: tuple[Row, ...]) -> Array:
    """The byte address of each cell, int (rows, cells of a line); -1 in bands."""
    width, line_bytes = result.params.access_bytes, result.params.chip.line_bytes
    byte = np.array([row.line for row in rows])[:, None] * line_bytes + np.arange(0, line_bytes, width)
    return np.where(np.array([row.kind == "line" for row in rows])[:, None], byte, -1)


def fetched(result: Result, byte: Array) -> Array:
    """Do these bytes (-1: none) lie in a sector that is moved? bool."""
    moved = result.sectors.sector[: result.params.active]
    return np.isin(result.params.chip.sector(byte), moved) & (byte >= 0)


@dataclass(frozen=True, eq=False)
class Standing:
    """Who stands on each cell: the colour of its lanes, -1 for nobody; the first one's name; how many, where several; probe cell."""

    fill: Array
    labels: Array
    second: Array
    probe: Array


def standing(result: Result, byte: Array) -> Standing:
    """Who stands on the cells that begin at these byte addresses (-1: none)?"""
    params = result.params
    start = result.access.byte_address[: params.active]
    used, first, lanes = np.unique(start, return_index=True, return_counts=True)
    place = np.minimum(np.searchsorted(used, byte), len(used) - 1)
    here = used[place] == byte
    lane = np.where(here, first[place], -1)
    return Standing(
        fill=np.where(here, lane // TOGETHER, -1),
        labels=np.where(here, np.char.add("T", lane.astype("U2")), ""),
        second=np.where(here & (lanes[place] > 1), np.char.add("×", lanes[place].astype("U2")), ""),
        probe=np.where(byte == start[params.lane], params.lane, lane),
    )
