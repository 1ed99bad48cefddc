"""The words of topic "layout": what the layout is, said in sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout
from cutelab.core.int_tuple import idx2crd, to_text
from cutelab.core.layout import Layout, cosize, rank, size
from cutelab.core.printing import print_layout
from cutelab.core.queries import strides_nest
from cutelab.course.card.parts.code import cpp_type, python_value
from cutelab.course.card.parts.leaves import innermost
from cutelab.course.card.parts.sheet import terms_text
from cutelab.course.card.parts.warp_reads import warp_reads, warp_verdict
from cutelab.course.card.picture import Line, Lines, Texts, Tips, Verdict
from cutelab.course.card.words import count, number
from cutelab.course.topics.layout.model import Array, Result
from cutelab.hardware.chip import Address

MAX_PRINTED = 4096  # elements up to which "Copy as" offers the text of print_layout


def cosize_of(result: Result) -> int:
    """How many elements must memory hold (after a swizzle, too)?"""
    return result.high + 1 if not isinstance(result.layout, Layout) else cosize(result.layout)


def by_mode(result: Result, row: Array, column: Array) -> list[Array]:
    """The coordinate of grid cells, one array a mode: the columns of the grid run through modes 1, 2, ..., mode 1 fastest."""
    if rank(result.layout) == 1:
        return [row * 16 + column]
    extents = [int_tuple.product(mode) for mode in int_tuple.modes(result.layout.shape)[1:]]
    found = [row]
    for extent in extents[:-1]:
        found.append(column % extent)
        column = column // extent
    return [*found, column]


def coordinate(result: Result, i: int, j: int) -> str:
    """The coordinate of a grid cell as text: (2,3), (2,3,0), or the index alone where there is one mode."""
    return f"({','.join(str(int(c)) for c in by_mode(result, np.array(i), np.array(j)))})"


def coords(result: Result, ids: Array) -> tuple[Array, Array]:
    """Row and column in the grid of the indices that `first` and `second` hold."""
    if not result.checked:
        return ids // len(result.columns) + result.rows[0], ids % len(result.columns) + result.columns[0]
    if rank(result.layout) == 1:
        return ids // 16, ids % 16
    extent = int_tuple.product(int_tuple.modes(result.layout.shape)[0])
    return ids % extent, ids // extent


def subtitle(result: Result) -> str:
    """Size, cosize, and what runs down and across."""
    rows, columns = result.rows, result.columns
    words = f"{count(size(result.layout), 'element')}, cosize {number(cosize_of(result))}. "
    if not result.whole:
        return words + f"Rows {rows[0]} to {rows[-1]}, columns {columns[0]} to {columns[-1]} are drawn."
    if rank(result.layout) == 1:
        return words + f"Offsets count elements; the index runs along the rows, {len(columns)} a row."
    if rank(result.layout) == 2:
        return words + "Offsets count elements; rows down are mode 0, columns across are mode 1."
    return words + f"Rows down are mode 0; columns across are modes 1 to {rank(result.layout) - 1}, mode 1 fastest."


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """What the layout is; and what a warp pays that reads through it, which has a sign of its own."""
    params = result.params
    found = verdict(result)
    if not params.warp or rank(result.layout) == 1:
        return (found,)
    row, column = params.row - int(result.rows[0]), params.column - int(result.columns[0])
    reads = warp_reads(result.table, row, column, params.item, params.chip)
    named = tuple(
        replace(read, name=name)
        for read, name in zip(reads, (f"column {params.column}", f"row {params.row}", "the diagonal"), strict=False)
    )
    second = warp_verdict(named, params.item)
    return (found,) if second is None else (found, second)


def verdict(result: Result) -> Verdict:
    """Is the layout one-to-one, dense, a broadcast, or does it lose data? And which mode has stride 1?"""
    layout, low, high = result.layout, result.low, result.high
    inner = innermost(layout)
    total = size(layout)
    modes = list(zip(int_tuple.flatten(inner.shape), int_tuple.flatten(inner.stride), strict=True))
    neighbours = _neighbours(layout, inner)
    double = result.counts > 1
    if double.any():
        return _collisions(result, double, modes)
    if not result.checked and total > (places := high - low + 1):
        return Verdict(
            "bad",
            f"Not injective: there are {number(total - places)} more elements than offsets.",
            "The drawn part is exact; the whole was counted, not listed. A copy through this layout would overwrite data.",
        )
    if not (result.checked or (layout is inner and strides_nest(inner))):
        return Verdict(
            "note",
            f"{count(total, 'element')}: the drawn part is exact, the whole is not checked point by point.",
            neighbours,
        )
    if low < 0:
        return Verdict(
            "note",
            f"Every coordinate has its own offset; they run from {low} to {high}.",
            "A negative stride walks backwards: point the base at the last element, not the first."
            if any(d < 0 for _, d in modes)
            else f"The offset {getattr(layout, 'offset', 0)} begins before the base.",
        )
    empty = high + 1 - total
    if empty:
        held = "offset holds" if empty == 1 else "offsets hold"
        first = f"First hole: offset {_first_missing(result.used)}. " if result.checked else ""
        return Verdict(
            "note",
            f"Every coordinate has its own offset; {number(empty)} {held} no element ({_share(empty, high + 1)}).",
            first + neighbours,
        )
    return Verdict(
        "good",
        f"Every coordinate has its own offset, and none is left out: a bijection onto 0 to {number(high)}.",
        neighbours,
    )


def _share(part: int, whole: int) -> str:
    percent = round(100 * part / whole)
    if percent in (0, 100):
        return f"{'under 1' if percent == 0 else 'over 99'} % of {number(whole)}"
    return f"{percent} % of {number(whole)}"


def _first_missing(used: Array) -> int:
    gaps = np.flatnonzero(used != np.arange(len(used)))
    return int(gaps[0]) if len(gaps) else len(used)


def _neighbours(layout: Any, inner: Layout) -> str:
    if inner is not layout:
        if layout.outer.period == 1:
            return f"{layout.outer} moves nothing."
        return f"{layout.outer} moves offsets within blocks of {number(layout.outer.period)} elements."
    for mode in range(rank(inner)):
        leaves = zip(int_tuple.flatten(inner[mode].shape), int_tuple.flatten(inner[mode].stride), strict=True)
        if any(d == 1 and s > 1 for s, d in leaves):
            way = "" if rank(inner) == 1 else " (down a column)" if mode == 0 else " (along a row)"
            return f"Mode {mode} has stride 1{way}: its neighbours are neighbours in memory."
    return "No mode has stride 1: no two neighbours touch in memory." if size(inner) > 1 else ""


def _collisions(result: Result, double: Array, modes: list[tuple[int, int]]) -> Verdict:
    where = result.used[double]
    k = int(np.argmax(double))
    a, b = (tuple(int(x[0]) for x in coords(result, ids[k : k + 1])) for ids in (result.first, result.second))
    pair = f"{coordinate(result, *a)} and {coordinate(result, *b)}"
    still = [i for i, (s, d) in enumerate(modes) if d == 0 and s > 1]
    moving = int(np.prod([s for s, d in modes if d != 0], initial=1))
    if still and result.checked and moving == len(result.used):
        return Verdict(
            "note",
            f"Broadcast: {result.counts[0]} coordinates share each offset, because leaf mode {still[0]} has stride 0.",
            f"{pair} both read offset {where[0]}. Good for reading; a write through this layout is a race.",
        )
    if len(where) == 1:
        which = f"offset {where[0]} is"
    else:
        which = f"{number(len(where))} offsets ({_runs(where)}) are each"
    most = int(result.counts.max())
    drawn = "" if result.checked else "among the drawn cells alone, "
    return Verdict(
        "bad",
        f"Not injective: {drawn}{which} reached by {'two' if most == 2 else f'up to {most}'} coordinates.",
        f"First collision: {pair} both land on offset {where[0]}. A copy through this layout would overwrite data.",
    )


def _runs(values: Array) -> str:
    """16 to 31, or the first few."""
    if values[-1] - values[0] + 1 == len(values):
        return f"{values[0]} to {values[-1]}"
    return ", ".join(map(str, values[:3].tolist())) + (", ..." if len(values) > 3 else "")


def arithmetic(result: Result) -> Lines:
    """(2,3) -> 2·8 + 3·1 = 19, then bytes, and word and bank where banks are spoken of."""
    layout, params = result.layout, result.params
    inner = params.inner
    row, column = params.row, params.column
    index = row * 16 + column if rank(layout) == 1 else row + params.grid[0] * column
    coord = idx2crd(index, inner.shape)
    leaves = zip(int_tuple.flatten(coord), int_tuple.flatten(inner.stride), strict=True)
    before = int(result.before.ravel()[result.probed])
    terms = terms_text(list(leaves))
    lines = [
        Line("", "rule"),
        Line(f" → {terms} = {before}", "read", to_text(coord) if isinstance(coord, tuple) else f"({coord})"),
    ]
    if isinstance(layout, ComposedLayout):
        shift = f"{before}" if not layout.offset else f"{layout.offset} + {before}"
        lines.append(Line(f"{layout.outer}({shift}) = {result.offset}", "read"))
    at = Address(result.offset, params.item, params.chip)
    where = coordinate(result, row, column)
    lies = f"  ·  word {at.word}  ·  bank {at.bank}" if params.banks else ""
    lines.append(Line(f"{where}: byte {at.byte} as {params.element}{lies}"))
    return Lines("arithmetic", tuple(lines))


def status(result: Result) -> str:
    params = result.params
    at = Address(result.offset, params.item, params.chip)
    lies = str(at) if params.banks else f"offset {at.offset} element{'' if at.offset == 1 else 's'} · byte {at.byte}"
    return f"{coordinate(result, params.row, params.column)} → {lies}"


def tips(result: Result) -> Tips | None:
    """What the pointer reads; none where a number does not fit into the 32 bits that travel to the browser."""
    at = Address(result.table, result.params.item, result.params.chip)
    modes = by_mode(result, *np.broadcast_arrays(result.rows[:, None], result.columns))
    n = len(modes)
    table = np.stack([at.offset, at.byte, at.word, at.bank, *modes], axis=-1).reshape(-1, 4 + n)
    if np.abs(table).max() >= 2**31:
        return None
    where = ",".join(f"{{{4 + i}}}" for i in range(n))
    lies = " · word {2} · bank {3}" if result.params.banks else ""
    return Tips(f"({where}) → offset {{0}}\nbyte {{1}}" + lies, table.astype(np.int32))


def copies(layout: Any) -> Texts:
    """Texts to copy: the layout in each spelling, and what print_layout prints."""
    found = {"CuTe": str(layout)}
    if isinstance(layout, Layout):
        found["Python"] = f"Layout({python_value(layout.shape)}, {python_value(layout.stride)})"
        found["C++ type"] = cpp_type(layout)
    else:
        found["Python"] = f'parse_layout("{layout}")'
        inner = cpp_type(layout.inner)
        offset = f"_{layout.offset}" if layout.offset >= 0 else f"Int<{layout.offset}>"
        found["C++ type"] = f"ComposedLayout<{str(layout.outer).replace('Sw', 'Swizzle')},{offset},{inner}>"
    if rank(layout) == 2 and size(layout) <= MAX_PRINTED:
        return Texts(found, print_layout=lambda: print_layout(layout))
    return Texts(found)
