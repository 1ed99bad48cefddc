"""The panels and the words of topic "layout". Reads a `Result` of scenes/layout.py; computes no offsets of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cutelab import int_tuple, notation
from cutelab.int_tuple import idx2crd, to_text
from cutelab.layout import Layout, cosize, rank, size
from cutelab.printing import print_layout
from cutelab.scenes.panels import COLLISION, HOLE, PAST_END, Grid, Key, Line, Lines, Picture, Ring, Scale, Tips, Verdict
from cutelab.scenes.words import ELEMENTS, count, number

if TYPE_CHECKING:
    from cutelab.scenes.layout import Result

MAX_PRINTED = 4096  # elements up to which "Copy as" offers the text of print_layout


def picture(result: Result) -> Picture:
    """The whole card."""
    params, layout = result.params, result.layout
    small = len(result.columns) <= 8 and result.checked and result.high - result.low < 128
    tile = _tile(result, 30 if small else 36, 290 if small else 310 if len(result.columns) <= 16 else 416)
    memory, past_end = _memory(result, small)
    widths = (288, 376) if small else (334, 334) if len(result.columns) <= 16 else (440, 224)
    shared = bool(result.shared.any())
    legend = [_colour_key(result), Key("probe", "probe")]
    legend += [Key("two coordinates, one offset", "collision")] if shared else []
    legend += [Key("hole", "hole")] if memory.states is not None and (memory.states & HOLE).any() else []
    legend += [Key("past the end", "past_end")] if past_end else []
    return Picture(
        title=params.layout,
        call=params.call("layout"),
        subtitle=_subtitle(result),
        body=(((tile,), (memory, _arithmetic(result))),),
        widths=(widths,),
        legend=tuple(legend),
        verdicts=(_verdict(result),),
        status=_status(result),
        reads=f"{params.element}, {count(size(layout), 'element')}, cosize {number(_cosize(result))}",
        copies=_copies(layout),
        tips=_tips(result),
        probed=result.probed,
    )


def _cosize(result: Result) -> int:
    return result.high + 1 if not isinstance(result.layout, Layout) else cosize(result.layout)


def _colours(result: Result, table: np.ndarray, rows: Any, columns: Any) -> tuple[np.ndarray, Scale]:
    """The fill of cells with these offsets at these rows and columns, and the scale that it indexes."""
    colour, item = result.params.colour, ELEMENTS[result.params.element]
    if colour == "offset":
        span = result.high - result.low + 1
        return np.clip((table - result.low) * 32 // span, 0, 31), "offset"
    if colour == "bank":
        return table * item // 4 % 32, "bank"
    if colour == "128-byte line":
        return table * item // 128 % 8, "category"
    return np.broadcast_to((rows if colour == "row" else columns) % 8, table.shape), "category"


def _colour_key(result: Result) -> Key:
    colour = result.params.colour
    if colour == "offset":
        return Key(f"offset {number(result.low)} to {number(result.high)}", "ramp")
    if colour == "bank":
        return Key("bank", "banks")
    return Key(f"colour = {colour} modulo 8", "fill", "category", 0)


def _tile(result: Result, cap: int, room: int) -> Grid:
    rows, columns = result.rows, result.columns
    side = max(5, min(cap, room // len(columns), 420 // len(rows)))
    fill, scale = _colours(result, result.table, rows[:, None], columns)
    states = np.where(result.shared, COLLISION, 0).astype(np.uint8)
    one_mode = rank(result.layout) == 1
    heads = rows * int(result.columns[-1] + 1) if one_mode else rows
    probed = divmod(result.probed, len(columns))
    rings = [Ring(*probed, *probed, "probe")]
    if result.shared[probed]:
        twins = np.argwhere((result.table == result.offset) & result.inside)
        rings += [Ring(i, j, i, j, "twin") for i, j in twins.tolist() if (i, j) != probed][:64]
    inner = getattr(result.layout, "inner", result.layout)
    return Grid(
        name="tile",
        fill=np.where(result.inside, fill, -1),
        scale=scale,
        labels=np.where(result.inside, result.table.astype("U20"), ""),
        states=states,
        row_heads=tuple(map(str, heads.tolist())),
        col_heads=tuple(map(str, columns.tolist())),
        cell=(side, side),
        row_gap=() if one_mode else _gaps(inner.shape[0], rows, side),
        col_gap=() if one_mode else _gaps(inner.shape[1:], columns, side),
        rings=tuple(rings),
        probe=np.where(result.inside, np.arange(result.table.size).reshape(result.table.shape), -1),
    )


def _gaps(shape: Any, ids: np.ndarray, side: int) -> tuple[int, ...]:
    """Room between the inner modes of a nested mode: 5 at the innermost tile, 10 where a second level starts."""
    extents = [s for s in int_tuple.flatten(shape) if s > 1]
    if len(extents) < 2 or side < 9:
        return ()
    gaps = np.where(ids % extents[0] == 0, 5, 0)
    if len(extents) > 2:
        gaps = np.where(ids % (extents[0] * extents[1]) == 0, 10, gaps)
    gaps[0] = 0
    return tuple(gaps.tolist())


def _memory(result: Result, small: bool) -> tuple[Grid, bool]:
    """Memory itself: who lives at each offset. 16 offsets a row with coordinates, or 32 a row without."""
    across = 16 if small else 32
    start = result.low // across * across
    lines = (result.high - start) // across + 1
    limit = 8 if small else 32
    if lines > limit:
        start = max(start, (result.offset // across - limit // 2) * across)
        start = min(start, (result.high // across - limit + 1) * across)
        lines = limit
    elif small and lines < limit and lines < 4:
        lines += 1
    at = np.arange(start, start + lines * across, dtype=np.int64).reshape(lines, across)
    place = np.minimum(np.searchsorted(result.used, at), len(result.used) - 1)
    lives = result.used[place] == at
    first, second = result.first[place], result.second[place]
    past = (at > result.high) | (at < result.low)
    states = np.where(lives & (result.counts[place] > 1), COLLISION, 0)
    states = np.where(past, PAST_END, np.where(lives, states, HOLE if result.checked else 0)).astype(np.uint8)
    row, column = _coords(result, first)
    fill, scale = _colours(result, at, row, column)
    probe = _cell_of(result, row, column, lives)
    labels = others = None
    if small:
        labels = np.where(lives, _name(result, row, column), "")
        others = np.where(lives & (second >= 0), _name(result, *_coords(result, second)), "")
        others = np.where(
            lives & (result.counts[place] > 2), np.char.add("+", (result.counts[place] - 1).astype("U8")), others
        )
    ring = np.argwhere(at == result.offset)
    probe = np.where(at == result.offset, result.probed, probe)
    heading = "memory: the coordinate that lives at each offset" if small else "memory, 32 offsets a row"
    if lines == limit and lines * across <= result.high - result.low:
        heading += f": {start} to {start + lines * across - 1}"
    width = 23 if small else 6 if len(result.columns) > 16 else 9
    height = (34 if lines <= 5 else 20) if small else max(5, min(13, 420 // lines))
    grid = Grid(
        name="memory",
        fill=np.where(lives, fill, -1),
        scale=scale,
        labels=labels,
        second=others,
        style="split",
        states=states,
        subheading=heading,
        row_heads=tuple(str(start + across * i) for i in range(lines)),
        cell=(width, height),
        row_gap=((0, *[7 if lines <= 5 else 3] * (lines - 1))) if small else (),
        rings=tuple(Ring(i, j, i, j, "probe") for i, j in ring.tolist()),
        probe=probe,
    )
    return grid, bool(past.any())


def _coords(result: Result, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row and column in the drawn grid of colexicographic indices (a layout that is not checked: of drawn cells)."""
    if not result.checked:
        return np.full(ids.shape, -1), np.full(ids.shape, -1)
    if rank(result.layout) == 1:
        return ids // 16, ids % 16
    extent = int_tuple.product(result.layout.shape[0])  # type: ignore[index]
    return ids % extent, ids // extent


def _cell_of(result: Result, row: np.ndarray, column: np.ndarray, lives: np.ndarray) -> np.ndarray:
    i, j = row - int(result.rows[0]), column - int(result.columns[0])
    drawn = lives & (i >= 0) & (i < len(result.rows)) & (j >= 0) & (j < len(result.columns))
    return np.where(drawn, i * len(result.columns) + j, -1)


def _name(result: Result, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    if rank(result.layout) == 1:
        return (row * 16 + column).astype("U8")
    return np.char.add(np.char.add(row.astype("U8"), ","), column.astype("U8"))


def _coordinate(result: Result, i: int, j: int) -> str:
    """The coordinate of a grid cell as text: (2,3), or the index alone where there is one mode."""
    return f"({i * 16 + j})" if rank(result.layout) == 1 else f"({i},{j})"


def _arithmetic(result: Result) -> Lines:
    """(2,3) -> 2·8 + 3·1 = 19, then bytes, word and bank."""
    layout, params = result.layout, result.params
    inner = getattr(layout, "inner", layout)
    row, column = params.row, params.column
    index = row * 16 + column if rank(layout) == 1 else row + int_tuple.product(inner.shape[0]) * column
    coord = idx2crd(index, inner.shape)
    leaves = zip(int_tuple.flatten(coord), int_tuple.flatten(inner.stride), strict=True)
    before = int(result.before.ravel()[result.probed])
    terms = " + ".join(f"{c}·{d}" if d >= 0 else f"{c}·({d})" for c, d in leaves)
    lines = [
        Line("", "rule"),
        Line(f" → {terms} = {before}", "read", to_text(coord) if isinstance(coord, tuple) else f"({coord})"),
    ]
    if inner is not layout:
        shift = f"{before}" if not layout.offset else f"{layout.offset} + {before}"
        lines.append(Line(f"{layout.outer}({shift}) = {result.offset}", "read"))
    item = ELEMENTS[params.element]
    byte = result.offset * item
    lines.append(
        Line(
            f"{_coordinate(result, row, column)}: byte {byte} as {params.element}  ·  word {byte // 4}  ·  bank {byte // 4 % 32}"
        )
    )
    return Lines("arithmetic", tuple(lines))


def _status(result: Result) -> str:
    byte = result.offset * ELEMENTS[result.params.element]
    at = _coordinate(result, result.params.row, result.params.column)
    return f"{at} → offset {result.offset} elements · byte {byte} · word {byte // 4} · bank {byte // 4 % 32}"


def _tips(result: Result) -> Tips:
    byte = result.table * ELEMENTS[result.params.element]
    row, column = np.broadcast_arrays(result.rows[:, None], result.columns)
    table = np.stack([row, column, result.table, byte, byte // 4, byte // 4 % 32], axis=-1).reshape(-1, 6)
    if rank(result.layout) == 1:
        table[:, 0] = table[:, 0] * 16 + table[:, 1]
        return Tips("({0}) → offset {2}\nbyte {3} · word {4} · bank {5}", _int32(table))
    return Tips("({0},{1}) → offset {2}\nbyte {3} · word {4} · bank {5}", _int32(table))


def _int32(table: np.ndarray) -> np.ndarray:
    return np.clip(table, -(2**31), 2**31 - 1).astype(np.int32)


def _subtitle(result: Result) -> str:
    rows, columns = result.rows, result.columns
    words = f"{count(size(result.layout), 'element')}, cosize {number(_cosize(result))}. "
    whole = int_tuple.product(getattr(result.layout, "shape", 1))
    if result.inside.sum() < whole:
        words += f"Rows {rows[0]} to {rows[-1]}, columns {columns[0]} to {columns[-1]} are drawn. "
    if rank(result.layout) == 1:
        return words + f"Offsets count elements; the index runs along the rows, {len(columns)} a row."
    if rank(result.layout) == 2:
        return words + "Offsets count elements; rows down are mode 0, columns across are mode 1."
    return words + f"Rows down are mode 0; columns across are modes 1 to {rank(result.layout) - 1}, mode 1 fastest."


def _verdict(result: Result) -> Verdict:
    layout, low, high = result.layout, result.low, result.high
    inner = getattr(layout, "inner", layout)
    total = size(layout)
    modes = list(zip(int_tuple.flatten(inner.shape), int_tuple.flatten(inner.stride), strict=True))
    neighbours = _neighbours(layout, inner)
    if not result.checked:
        return Verdict(
            "note",
            f"{count(total, 'element')}: the drawn part is exact, the whole is not checked point by point.",
            neighbours,
        )
    double = result.counts > 1
    if double.any():
        return _collisions(result, double, modes)
    if low < 0:
        return Verdict(
            "note",
            f"Every coordinate has its own offset; they run from {low} to {high}.",
            "A negative stride walks backwards: point the base at the last element, not the first.",
        )
    empty = high + 1 - total
    if empty:
        hole = int(_first_missing(result.used))
        percent = round(100 * empty / (high + 1))
        share = f"{percent} %" if percent else "under 1 %"
        holds = "offset holds" if empty == 1 else "offsets hold"
        return Verdict(
            "note",
            f"Every coordinate has its own offset; {number(empty)} {holds} no element ({share} of {number(high + 1)}).",
            f"First hole: offset {hole}. {neighbours}",
        )
    return Verdict(
        "good", f"Every coordinate has its own offset: the layout is a bijection onto 0 to {high}.", neighbours
    )


def _first_missing(used: np.ndarray) -> int:
    gaps = np.flatnonzero(used != np.arange(len(used)))
    return gaps[0] if len(gaps) else len(used)


def _neighbours(layout: Any, inner: Layout) -> str:
    if inner is not layout:
        return (
            f"{layout.outer} moves offsets within blocks of {layout.outer.period} elements."
            if hasattr(layout.outer, "period")
            else ""
        )
    strides = inner.stride if isinstance(inner.stride, tuple) else (inner.stride,)
    for mode, stride in enumerate(strides):
        leaves = list(zip(int_tuple.flatten(inner[mode].shape), int_tuple.flatten(stride), strict=True))
        if any(d == 1 and s > 1 for s, d in leaves):
            way = "" if len(strides) == 1 else " (down a column)" if mode == 0 else " (along a row)"
            return f"Mode {mode} has stride 1{way}: its neighbours are neighbours in memory."
    return "No mode has stride 1: no two neighbours touch in memory."


def _collisions(result: Result, double: np.ndarray, modes: list[tuple[int, int]]) -> Verdict:
    where = result.used[double]
    k = int(np.argmax(double))
    a, b = (tuple(int(x) for x in _coords(result, np.int64(ids[k]))) for ids in (result.first, result.second))
    pair = f"{_coordinate(result, *a)} and {_coordinate(result, *b)}"
    broadcast = [i for i, (s, d) in enumerate(modes) if d == 0 and s > 1]
    rest = [(s, d) for s, d in modes if d != 0]
    if broadcast and np.prod([s for s, _ in rest], initial=1) == len(result.used):
        copies = int(result.counts[0])
        return Verdict(
            "note",
            f"Broadcast: every offset is shared by {copies} coordinates, because leaf mode {broadcast[0]} has stride 0.",
            f"{pair} both read offset {int(where[0])}. Good for reading; a write through this layout is a race.",
        )
    dense = where[-1] - where[0] + 1 == len(where)
    listed = (
        f"{where[0]} to {where[-1]}"
        if dense and len(where) > 1
        else ", ".join(map(str, where[:3].tolist())) + (", ..." if len(where) > 3 else "")
    )
    most = int(result.counts.max())
    how = "two coordinates" if most == 2 else f"up to {most} coordinates"
    verb = "offset is" if len(where) == 1 else "offsets are each"
    if len(where) == 1:
        listed = str(int(where[0]))
    return Verdict(
        "bad",
        f"Not injective: {number(len(where))} {'offset' if len(where) == 1 else 'offsets'} ({listed}) {verb.split(' ', 1)[1]} reached by {how}.",
        f"First collision: {pair} both land on offset {int(where[0])}. A copy through this layout would overwrite data.",
    )


def _copies(layout: Any) -> dict[str, str]:
    found = {"CuTe": str(layout)}
    if isinstance(layout, Layout):
        found["Python"] = f"Layout({_python(layout.shape)}, {_python(layout.stride)})"
        found["C++ type"] = notation.print_type(layout.shape, layout.stride)
    else:
        found["Python"] = f'parse_layout("{layout}")'
        inner = notation.print_type(layout.inner.shape, layout.inner.stride)
        found["C++ type"] = f"ComposedLayout<{str(layout.outer).replace('Sw', 'Swizzle')},_{layout.offset},{inner}>"
    if rank(layout) == 2 and size(layout) <= MAX_PRINTED:
        found["print_layout"] = print_layout(layout)
    return found


def _python(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_python, value)) + ("," if len(value) == 1 else "") + ")"
    return str(value)
