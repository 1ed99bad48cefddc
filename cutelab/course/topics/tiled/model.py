"""Who holds what: for each side of a copy, or operand of an MMA, the owner of each cell of the tile; and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cutelab.advise.copies import FragmentLoad
from cutelab.advise.cost import Cost, cost, operand_cost
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.course.topics.tiled.knobs import Tiled, TiledParams
from cutelab.cutlass.tv import TiledCopy, TiledMMA
from cutelab.hardware.chip import Chip

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Side:
    """The source or target of a copy, or an operand of an MMA.

    layout   (thread, value) -> row + rows * column of the tile; held: its table, int (threads, values)
    thread, value   int (rows, columns): the lowest thread that holds a cell, and as which value; -1 for nobody
    """

    name: str
    layout: Layout
    rows: int
    columns: int
    held: Array
    thread: Array
    value: Array


def side(name: str, layout: Layout, rows: int, columns: int) -> Side:
    """The owners of all cells: of those who share a cell the lowest thread, and of its values the first."""
    held = offsets(layout)
    held = held.reshape(-1, 1) if held.ndim == 1 else held
    held = np.ascontiguousarray(held)
    first = np.full(rows * columns, -1, np.int64)
    flat = held.ravel()
    first[flat[::-1]] = np.arange(flat.size)[::-1]
    values = held.shape[1]
    thread = np.where(first < 0, -1, first // values).reshape(columns, rows).T
    value = np.where(first < 0, -1, first % values).reshape(columns, rows).T
    for array in (held, thread, value):
        array.flags.writeable = False
    return Side(name, layout, rows, columns, held, thread, value)


@lru_cache(maxsize=32)
def sides_of(found: Tiled) -> tuple[Side, ...]:
    """Source and target of a copy; A, B and C of an MMA."""
    if isinstance(found, TiledCopy):
        rows, columns = (*found.tile, 1)[:2]
        return tuple(
            side(name, layout, rows, columns)
            for name, layout in (("source", found.layoutS_TV), ("target", found.layoutD_TV))
        )
    m, n, k = found.tile
    layouts = (("A", found.layoutA_TV, m, k), ("B", found.layoutB_TV, n, k), ("C", found.layoutC_TV, m, n))
    return tuple(side(*one) for one in layouts)


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found.

    sides   see `Side`; parts: for each name (tAgA, ...) the layout of the picked thread's part and its start, or why there is none
    cost    of a copy; ways: of an MMA's operand, the best first; refused: why nothing is counted
    """

    params: TiledParams
    found: Tiled
    sides: tuple[Side, ...]
    parts: tuple[tuple[str, Any, str], ...]
    cost: Cost | None
    ways: tuple[FragmentLoad, ...]
    refused: str

    @property
    def picked(self) -> int:
        """Which side the probe's value belongs to."""
        return "ABC".index(self.params.operand) if isinstance(self.found, TiledMMA) else 0

    @cached_property
    def bases(self) -> tuple[int, ...]:
        """The first probe cell of each side."""
        return tuple(np.cumsum([0, *(s.thread.size for s in self.sides)]).tolist())

    def at(self, number: int) -> tuple[int, int]:
        """Row and column of the picked thread's picked value on this side."""
        one = self.sides[number]
        code = int(one.held[self.params.thread, min(self.params.value, one.held.shape[1] - 1)])
        return code % one.rows, code // one.rows


def memories(found: TiledCopy) -> tuple[str, str]:
    """From where to where this copy's atom goes."""
    name = found.atom.name
    if "LDSM" in name:
        return "shared", "registers"
    return ("registers", "shared") if "STSM" in name else ("global", "shared")


@lru_cache(maxsize=32)
def _copied(found: TiledCopy, src: str, dst: str, chip: Chip) -> Cost | str:
    from_, to = memories(found)
    try:
        bits = found.atom.value_bits
        return cost(found, src, dst, bits // 8 if bits >= 8 else 4, from_, to, chip=chip)
    except CuteLabError as error:
        return str(error)


@lru_cache(maxsize=32)
def _loaded(found: TiledMMA, operand: str, dst: str, chip: Chip) -> tuple[FragmentLoad, ...] | str:
    if operand == "C":
        return "C stays in registers: nothing is loaded"
    if found.place(operand) != "registers":
        return f"{operand} is read from {found.place(operand)} by the instruction itself: not modelled"
    if not found.bits(operand):
        return f"the print does not say how many bits an element of {operand} has: no cost"
    try:
        return operand_cost(found, operand, dst, max(1, found.bits(operand) // 8), chip=chip)
    except CuteLabError as error:
        return str(error)


@lru_cache(maxsize=64)
def _parts(found: Tiled, operand: str, src: str, dst: str, thread: int) -> tuple[tuple[str, Any, str], ...]:
    if isinstance(found, TiledCopy):
        letter = {"global": "g", "shared": "s", "registers": "r"}
        a, b = (f"tA{letter[m]}A" for m in memories(found))
        asked = [(a, found.partition_S, src), (b, found.partition_D, dst)]
    else:
        cut = {"A": found.partition_A, "B": found.partition_B, "C": found.partition_C}[operand]
        asked = [(f"tCs{operand}", cut, dst)]
    parts: list[tuple[str, Any, str]] = []
    for name, partition, data in asked:
        try:
            parts.append((name, partition(data, thread), ""))
        except CuteLabError as error:
            parts.append((name, None, str(error)))
    return tuple(parts)


def compute(params: TiledParams) -> Result:
    """Who holds what, which part of the data that is, and what it costs?"""
    found, src, dst = params.found, str(params.src), str(params.dst)
    parts = _parts(found, params.operand if isinstance(found, TiledMMA) else "", src, dst, params.thread)
    if isinstance(found, TiledCopy):
        counted = _copied(found, src, dst, params.chip)
        refused = counted if isinstance(counted, str) else ""
        return Result(params, found, sides_of(found), parts, None if isinstance(counted, str) else counted, (), refused)
    ways = _loaded(found, params.operand, dst, params.chip)
    refused = ways if isinstance(ways, str) else ""
    return Result(params, found, sides_of(found), parts, None, () if isinstance(ways, str) else ways, refused)


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes pick the owner of this probe cell?"""
    for number, one in enumerate(result.sides):
        inside = cell - result.bases[number]
        if 0 <= inside < one.thread.size:
            thread, value = int(one.thread.ravel()[inside]), int(one.value.ravel()[inside])
            more = {"operand": "ABC"[number]} if isinstance(result.found, TiledMMA) else {}
            return {"thread": thread, "value": value, **more} if thread >= 0 else {}
    raise CuteLabError("this probe cell is outside the cells of the tile")
