"""The words of topic "thread_map": coverage and costs in sentences, one thread's accesses, the texts to copy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from cutelab.errors import CuteLabError
from cutelab.scenes.panels import Line, Verdict
from cutelab.scenes.thread_map_cost import Cost, Side
from cutelab.scenes.words import ELEMENTS, count, number
from cutelab.strips import StripThreadMap
from cutelab.thread_map import ThreadMap

if TYPE_CHECKING:
    from cutelab.scenes.thread_map import Result


def short(side: Side) -> str:
    """The type without the names that repeat: WarpRaked<<64,32>, 128, <8,4>, 8>."""
    return str(side.map).replace("PitchLinearShape", "").replace("PitchLinear", "").replace("ThreadMap", "")


def arguments(side: Side) -> str:
    """The template arguments alone."""
    return short(side).partition("<")[2][:-1] if isinstance(side.map, ThreadMap) else short(side).partition("(")[2][:-1]


def title(result: Result) -> str:
    """The type; of two, their names, since each has its own heading."""
    if len(result.sides) == 1:
        return str(result.sides[0].map).replace("PitchLinearShape", "")
    return " against ".join(type(side.map).__name__ for side in result.sides)


def subtitle(result: Result) -> str:
    """The tile, what a cell is, what number and colour mean."""
    params, first = result.params, result.sides[0]
    cell = "A cell is one element" if first.grain == 1 else f"A cell is {first.grain} elements"
    if len({side.grain for side in result.sides}) > 1:
        cell = "A cell is " + " or ".join(str(side.grain) for side in result.sides) + " elements"
    words = f"{first.tile.contiguous} x {first.tile.strided} {params.element}, contiguous across, strided down. {cell}. "
    words += f"Number = thread, colour = {params.colour}"
    seen, last = first.rows, max(first.tile.strided, int(first.starts[..., 1].max(initial=0)) + 1)
    return words + (f"; lines {seen[0]} to {seen[-1]} of {last}." if len(seen) < last else ".")


def coverage(side: Side) -> tuple[bool, str]:
    """Is every element touched once, and if not, what is wrong?

    >>> from cutelab.scenes.thread_map import ThreadMapParams, compute
    >>> text = "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,12>, 64, PitchLinearShape<8,4>, 8>"
    >>> coverage(compute(ThreadMapParams().change(thread_map=text)).sides[0])
    (False, '256 of 768 elements are never touched (lines 8 to 11)')
    """
    found = side.coverage
    if found.exact:
        each = f"{side.threads} threads x {count(side.accesses, 'access').replace('accesss', 'accesses')}"
        return True, f"Each of the {number(found.tile_elements)} elements is touched once: {each} x {side.vector}"
    parts = []
    if found.uncovered:
        are = "is" if found.uncovered == 1 else "are"
        parts.append(
            f"{number(found.uncovered)} of {number(found.tile_elements)} elements {are} never touched ({_where(found.missed, found)})"
        )
    if found.out_of_tile_elements:
        noun = "touch falls" if found.out_of_tile_elements == 1 else "touches fall"
        parts.append(f"{number(found.out_of_tile_elements)} {noun} outside the tile ({_where(found.outside)})")
    if found.repeated_elements:
        are = "is" if found.repeated_elements == 1 else "are"
        times = "twice" if found.max_times_covered == 2 else f"up to {found.max_times_covered} times"
        parts.append(f"{number(found.repeated_elements)} {are} touched {times}")
    return False, "; ".join(parts)


def _where(places: np.ndarray, found: object = None) -> str:
    """Whole lines or whole columns by their numbers, otherwise the lines from first to last."""
    lines, columns = np.unique(places[:, 1]), np.unique(places[:, 0])
    times = getattr(found, "times", None)
    if times is not None and len(places) == len(columns) * times.shape[0] and len(lines) == times.shape[0]:
        return span("column", columns)
    return span("line", lines)


def span(noun: str, values: np.ndarray) -> str:
    """line 5, lines 8 to 11, or lines 1, 3, 5 ...

    >>> span("line", np.array([5])), span("line", np.arange(8, 12)), span("column", np.array([1, 3, 5, 7]))
    ('line 5', 'lines 8 to 11', 'columns 1, 3, 5 ...')
    """
    if len(values) == 1:
        return f"{noun} {values[0]}"
    if values[-1] - values[0] + 1 == len(values):
        return f"{noun}s {values[0]} to {values[-1]}"
    return f"{noun}s " + ", ".join(map(str, values[:3].tolist())) + (" ..." if len(values) > 3 else "")


def price(cost: Cost | None, noun: str) -> str:
    """16 sectors, the ideal; or 32 wavefronts where 8 would do.

    >>> price(Cost(np.array([[8]]), np.array([[4]]), 1, 4), "sector")
    '8 sectors where 4 would do'
    """
    if cost is None:
        return f"no {noun}s: the layout is none of this tile"
    if cost.total == cost.least:
        return f"{count(cost.total, noun)}, the ideal"
    return f"{count(cost.total, noun)} where {number(cost.least)} would do"


def split(cost: Cost | None) -> str:
    """An access that takes several instructions says so."""
    if cost is None or cost.instructions == 1:
        return ""
    size = f"{cost.access_bytes} byte{'' if cost.access_bytes == 1 else 's'}"
    return f" (each access in {cost.instructions} parts of {size})"


def costs(side: Side) -> str:
    return (
        f"Global load: {price(side.load, 'sector')}{split(side.load)}. "
        f"Shared store: {price(side.store, 'wavefront')}{split(side.store)}."
    )


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """One map: its coverage, then its costs. Two maps: one verdict each."""
    found = []
    for side in result.sides:
        good, sentence = coverage(side)
        ideal = all(c is not None and c.total == c.least for c in (side.load, side.store))
        if len(result.sides) == 1:
            found.append(Verdict("good" if good else "bad", sentence + ".", _shape(side)))
            found.append(Verdict("good" if ideal else "note", costs(side)))
        else:
            name = type(side.map).__name__.removeprefix("PitchLinear").removesuffix("ThreadMap") or "Formula"
            found.append(
                Verdict("bad" if not good else "good" if ideal else "note", f"{name}: {sentence}.", costs(side))
            )
    return tuple(found)


def _shape(side: Side) -> str:
    if isinstance(side.map, StripThreadMap):
        return "One access a thread; the formula has no Iterations and no Delta."
    it, delta = side.map.iterations, side.map.delta
    words = f"Iterations <{it.contiguous},{it.strided}>, Delta <{delta.contiguous},{delta.strided}> elements"
    warps = getattr(side.map, "warp_arrangement", None)
    return words + (f"; warps stand <{warps.contiguous},{warps.strided}>." if warps is not None else ".")


def arithmetic(result: Result, side: Side) -> tuple[Line, ...]:
    """Start plus iterations times delta: where the probed thread makes the probed access."""
    thread, access = result.params.thread, result.params.access
    if thread >= side.threads:
        return (Line(f"is none of these {side.threads} threads", "plain", f"T{thread}"),)
    if access >= side.accesses:
        return (Line(f"makes {side.accesses} accesses; there is no access {access}", "plain", f"T{thread}"),)
    c, s = side.starts[thread, access].tolist()
    if isinstance(side.map, StripThreadMap):
        return (Line(f"offset {side.map.get_offset(thread)} → column {c}, line {s}", "plain", f"T{thread}"),)
    it, delta, rows = side.map.iterations, side.map.delta, side.map.thread_access_shape.strided
    i, j, row = np.unravel_index(access, (it.strided, it.contiguous, rows))
    start = side.map.initial_offset(thread)
    more = f" + {row}" if rows > 1 else ""
    sums = f"({start.contiguous} + {j}·{delta.contiguous}, {start.strided} + {i}·{delta.strided}{more}) = ({c}, {s})"
    if len(result.sides) > 1:
        return (Line(f"initial_offset ({start.contiguous}, {start.strided}); access {access}: ({c}, {s})", "plain", f"T{thread}"),)
    return (Line(f" access {access}: initial_offset + iteration · Delta = {sums}", "read", f"T{thread}"),)


def status(result: Result) -> str:
    """The probe in words: thread, access, elements, the global offset of the first one."""
    params, side = result.params, result.sides[0]
    thread, access = params.thread, params.access
    if thread >= side.threads or access >= side.accesses:
        return f"T{thread} → no access {access} in {short(side)}"
    c, s = side.starts[thread, access].tolist()
    offset = c + s * params.ld
    last = f" to {c + side.vector - 1}" if side.vector > 1 else ""
    return (
        f"T{thread} → access {access}: contiguous {c}{last}, strided {s} · warp {thread // 32}, lane {thread % 32} · "
        f"global offset {offset} elements, byte {offset * ELEMENTS[params.element]}"
    )


def copies(result: Result) -> dict[str, str]:
    """The type as C++ and as Python, and the CuTe layout where the map is one."""
    found = result.sides[0].map
    assert isinstance(found, ThreadMap)
    plain = str(found)
    typed = re.sub(r"(?=\b(PitchLinearShape)<|\b\w+<)", lambda m: "cutlass::" if m[1] else "cutlass::transform::", plain)
    texts = {"C++": typed, "Python": f'parse_thread_map("{plain}")'}
    try:
        texts["CuTe TV layout"] = str(found.layout_tv())
    except CuteLabError:
        pass
    return texts

