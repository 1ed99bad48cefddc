"""The card of a puzzle: the target, and beside it what was built, with the first place where they differ ringed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.int_tuple import to_text
from cutelab.course.ask.target import Built, amount
from cutelab.course.card.parts.window import window
from cutelab.course.card.picture import Grid, Key, Line, Lines, Panel, Picture, Ring, Scale
from cutelab.course.card.words import labels_of

BESIDE = 12  # with more columns the two tiles stand below each other
Cell = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Aim:
    """A target as it is drawn: its tile, what it says in words, and the legend."""

    grid: Grid
    words: str
    legend: tuple[Key, ...] = ()


def tile(
    name: str,
    fill: np.ndarray,
    labels: np.ndarray | None,
    *,
    scale: Scale = "offset",
    heading: str = "",
    at: Cell | None = None,
    rings: tuple[Cell, ...] = (),
    second: np.ndarray | None = None,
) -> Grid:
    """One tile of a card. Of a large one with numbers a window is drawn, around the cell `at`; without numbers 64 x 64."""
    wide = fill.shape[1] > BESIDE
    most = (64, 64) if labels is None else (8 if wide else 16, 16 if second is not None else 24)
    places = zip(fill.shape, at or (0, 0), most, strict=True)
    rows, columns = (window(extent, place, many) for extent, place, many in places)
    part = np.ix_(rows, columns)
    width = max(5, min(36, (620 if wide and labels is not None else 300) // len(columns)))
    height = max(5, min(26 if labels is not None else width, 320 // len(rows)))
    marked = {*rings, *((at,) if at is not None else ())}
    found = tuple(
        Ring(i, j, i, j, "probe")
        for i, row in enumerate(rows.tolist())
        for j, column in enumerate(columns.tolist())
        if (row, column) in marked
    )
    if labels is None:
        found = (Ring(0, 0, len(rows) - 1, len(columns) - 1, "box"), *found)
    cut = (len(rows), len(columns)) != fill.shape
    return Grid(
        name=name,
        fill=fill[part],
        scale=scale,
        labels=None if labels is None else labels[part],
        second=None if second is None else second[part],
        style="pair",
        heading=heading,
        subheading=f"of {fill.shape[0]} x {fill.shape[1]}: rows {rows[0]} to {rows[-1]}, columns {columns[0]} to {columns[-1]}"
        if cut
        else "",
        row_heads=tuple(map(str, rows.tolist())) if width > 7 and fill.shape[0] > 1 else (),
        col_heads=tuple(map(str, columns.tolist())) if width > 12 else (),
        cell=(width, height),
        rings=found,
    )


def number_tile(name: str, table: np.ndarray, high: int, **words: Any) -> Grid:
    """A table of offsets, coloured from 0 to `high`. One of one dimension is one row."""
    table = table.reshape(1, -1) if table.ndim == 1 else table
    fill = np.clip(table * 31 // max(high, 1), 0, 31)
    return tile(name, fill, labels_of(table), **words)


def table_text(table: np.ndarray) -> str:
    """A table in words, for those who do not see it: row by row; of a large one the first rows.

    >>> table_text(np.array([[0, 1], [2, 3]]))
    '0 1 / 2 3'
    """
    rows = table.reshape(1, -1) if table.ndim == 1 else table
    shown = " / ".join(" ".join(map(str, row[:16].tolist())) for row in rows[:8])
    return shown + (" ..." if rows.shape[0] > 8 or rows.shape[1] > 16 else "")


def picture(
    id: str, title: str, par: tuple[int, str], target: Callable[[Built | None], Aim], built: Built | None
) -> Picture:
    """The card: the target, and beside it what was built if there is something, with the place where it fails in words."""
    aim = target(built)
    tiles: tuple[Grid, ...] = (aim.grid,)
    if built is not None and built.drawn is not None:
        tiles = (aim.grid, built.drawn)
    below = max(t.shape[1] for t in tiles) > BESIDE and any(t.labels is not None for t in tiles)
    body: tuple[tuple[tuple[Panel, ...], ...], ...] = (
        tuple(((t,),) for t in tiles) if below else ((tiles[:1], tiles[1:]),)
    )
    if built is not None and built.drawn is not None and built.where:
        body = (*body, ((Lines("where", (Line(built.where.replace("`", "")),)),),))
    return Picture(
        title=f"{id} {title}",
        call=f'check("{id}", ...)',
        subtitle=f"Par: {amount(*par)}",
        body=body,
        legend=aim.legend,
        reads=aim.words,
    )


def place(at: tuple[int, ...]) -> str:
    """A coordinate in words."""
    return to_text(at) if len(at) > 1 else f"({at[0]})"
