"""The words of topic "thread_map": coverage and costs in sentences, one thread's accesses, the texts to copy."""

from __future__ import annotations

import contextlib
import re

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card.picture import Line, Verdict
from cutelab.course.card.words import State, above, count, number, state_of, worst_of
from cutelab.course.topics.thread_map.cost import Array, Cost, Side
from cutelab.course.topics.thread_map.model import Result
from cutelab.course.topics.thread_map.typed import short_class
from cutelab.cutlass.strips import StripThreadMap


def short(side: Side) -> str:
    """The type without the names that repeat: WarpRaked<<64,32>, 128, <8,4>, 8>."""
    return str(side.map).replace("PitchLinearShape", "").replace("PitchLinear", "").replace("ThreadMap", "")


def arguments(side: Side) -> str:
    """The template arguments alone."""
    if isinstance(side.map, StripThreadMap):
        return f"row pitch {side.map.row_pitch}, Pitch {side.map.pitch}, Strips {side.map.strips}"
    return short(side).partition("<")[2][:-1]


def title(result: Result) -> str:
    """The type, as `parse_thread_map` reads it, without the name of its shapes; of two, their names: each has a heading."""
    if len(result.sides) == 1:
        return str(result.sides[0].map).replace("PitchLinearShape", "")
    return " against ".join(name(side) for side in result.sides)


def name(side: Side) -> str:
    """WarpRaked, or "strip formula" for the formula that is no class of CUTLASS."""
    if isinstance(side.map, StripThreadMap):
        return "strip formula"
    return short_class(type(side.map).__name__)


def subtitle(result: Result, numbers: bool = True) -> str:
    """The tile, what a cell is, what colour means, and the number where there is one."""
    params, first = result.params, result.sides[0]
    cell = " or ".join(map(str, dict.fromkeys(side.grain for side in result.sides)))
    cell = "one element" if cell == "1" else f"{cell} elements"
    last = max(first.tile.strided, int(first.starts[..., 1].max(initial=0)) + 1)
    seen = f"lines {first.rows[0]} to {first.rows[-1]} of {last} are drawn"
    where = "contiguous across, strided down" if len(first.rows) == last or first.bands else seen
    size = f"{first.tile.contiguous} x {first.tile.strided} {params.element}"
    return f"{size}: {where}. A cell is {cell}. {'Number = thread, colour' if numbers else 'Colour'} = {params.colour}."


def coverage(side: Side, room: int = 92) -> tuple[bool, str]:
    """Is every element touched once, and if not, what is wrong? The places are left out where there is no room.

    >>> from cutelab.course.topics.thread_map import Params, compute
    >>> text = "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,12>, 64, PitchLinearShape<8,4>, 8>"
    >>> coverage(compute(Params().change(thread_map=text)).sides[0])
    (False, '256 of 768 elements are never touched (lines 8 to 11)')
    """
    found = side.coverage
    if found.exact:
        each = f"{count(side.threads, 'thread')} x {number(side.accesses)} access{'' if side.accesses == 1 else 'es'}"
        size = "" if side.vector == 1 else f" of {side.vector}"
        return True, f"Each of the {number(found.tile_elements)} elements is touched once: {each}{size}"
    parts = []
    if n := found.uncovered:
        words = f"{number(n)} of {number(found.tile_elements)} elements {'is' if n == 1 else 'are'} never touched"
        parts.append((words, _where(found.missed, found.times)))
    if n := found.out_of_tile_elements:
        words = f"{number(n)} {'touch falls' if n == 1 else 'touches fall'} outside the tile"
        parts.append((words, _where(found.outside)))
    if n := found.repeated_elements:
        times = "twice" if found.max_times_covered == 2 else f"up to {found.max_times_covered} times"
        parts.append((f"{number(n)} {'is' if n == 1 else 'are'} touched {times}", ""))
    full = "; ".join(words + (f" ({where})" if where else "") for words, where in parts)
    return False, full if len(full) <= room else "; ".join(words for words, _ in parts)


def _where(places: Array, times: Array | None = None) -> str:
    """Whole columns by their numbers, otherwise the lines."""
    lines, columns = np.unique(places[:, 1]), np.unique(places[:, 0])
    if times is not None and len(lines) == times.shape[0] and len(places) == len(columns) * len(lines):
        return span("column", columns)
    return span("line", lines)


def span(noun: str, values: Array) -> str:
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
    return f"{count(cost.total, noun)}{above(cost.least, cost.ways)}"


def costs(side: Side) -> tuple[str, str]:
    """Both costs of the whole tile, a sentence each; an access that takes several instructions says so, and why."""
    inside = " inside the tile" if side.store is not None and side.coverage.out_of_tile_elements else ""
    return (
        f"Global load: {price(side.load, 'sector')}{split(side, side.load, 'loads')}.",
        f"Shared store{inside}: {price(side.store, 'wavefront')}{split(side, side.store, 'stores')}.",
    )


def split(side: Side, cost: Cost | None, noun: str) -> str:
    """Why an access takes several instructions."""
    if cost is None or cost.instructions == 1:
        return ""
    why = "not aligned" if cost is side.load else "no aligned neighbours"
    why = "16 bytes at most" if cost.access_bytes == 16 else why
    return f"; {cost.instructions} {noun} of {count(cost.access_bytes, 'byte')} an access ({why})"


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """One map: its coverage, then its costs. Two maps: one verdict each."""
    found = []
    for side in result.sides:
        state = _state(side)
        load, store = costs(side)
        if len(result.sides) == 1:
            good, sentence = coverage(side)
            found.append(Verdict("good" if good else "bad", sentence + ".", _shape(side)))
            found.append(Verdict(state, load, store))
        else:
            good, sentence = coverage(side, 76)
            found.append(
                Verdict(
                    state if good else "bad",
                    f"{name(side)[:1].upper()}{name(side)[1:]}: {sentence}.",
                    f"{load} {store}",
                )
            )
    return tuple(found)


def _state(side: Side) -> State:
    """The worse of both costs; a note where one cannot be counted."""
    if side.load is None or side.store is None:
        return "note"
    return worst_of(state_of(cost.total, cost.least, cost.ways) for cost in (side.load, side.store))


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
        return (
            Line(
                f"initial_offset ({start.contiguous}, {start.strided}); access {access}: ({c}, {s})",
                "plain",
                f"T{thread}",
            ),
        )
    return (Line(f" access {access}: initial_offset + iteration · Delta = {sums}", "read", f"T{thread}"),)


def status(result: Result) -> str:
    """The probe in words: thread, access, elements, the global offset of the first one."""
    params, side, lanes = result.params, result.sides[0], result.params.chip.lanes
    thread, access = params.thread, params.access
    if thread >= side.threads or access >= side.accesses:
        return f"T{thread} → no access {access} in {short(side)}"
    c, s = side.starts[thread, access].tolist()
    offset = c + s * params.ld
    last = f" to {c + side.vector - 1}" if side.vector > 1 else ""
    return (
        f"T{thread} → access {access}: contiguous {c}{last}, strided {s} · warp {thread // lanes}, lane {thread % lanes} · "
        f"global offset {offset} elements, byte {offset * params.item}"
    )


def copies(result: Result) -> dict[str, str]:
    """The type as C++ and as Python, and the CuTe layout where the map is one."""
    found = result.params.thread_map
    plain = str(found)
    typed = re.sub(
        r"(?=\b(PitchLinearShape)<|\b\w+<)", lambda m: "cutlass::" if m[1] else "cutlass::transform::", plain
    )
    texts = {"C++": typed, "Python": f'parse_thread_map("{plain}")'}
    with contextlib.suppress(CuteLabError):
        texts["CuTe TV layout"] = str(found.layout_tv())
    return texts


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on a cell, and its numbers."""
    tables = []
    for side in result.sides:
        s, c = np.broadcast_arrays(side.rows[:, None], side.columns)
        who = side.owner, side.owner // side.lanes, side.turn, side.times
        tables.append(np.stack([c, c + side.grain - 1, s, *who], -1).reshape(-1, 7))
    table = np.concatenate(tables).astype(np.int32)
    return "contiguous {0} to {1}, strided {2}\nT{3} of warp {4}, access {5} · touches: {6}", table
