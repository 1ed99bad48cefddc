"""The card of topic "kernel": the tile by bank, each access against its ideal, the measured speeds."""

from __future__ import annotations

from typing import Literal

import numpy as np

from cutelab.course.card.picture import Bar, Bars, Grid, Key, Line, Lines, Picture, Ring, Tips
from cutelab.course.card.words import state_of
from cutelab.course.topics.kernel import words
from cutelab.course.topics.kernel.knobs import ITEM
from cutelab.course.topics.kernel.model import Array, Result
from cutelab.hardware.measured.kernels import KernelTime

WINDOW = 64  # rows of the tile drawn at most
SIDE = {32: 10, 64: 5}
NAMES = ("the tile", "A's tile")


def panels(result: Result) -> Picture:
    """The whole card, as plain data: the tile by bank, each access against its ideal, the measured speed."""
    params = result.params
    drawn = None if result.table is None else result.table[:WINDOW]
    costs = (_accesses(result, "global"), _accesses(result, "shared"), _speeds(result))
    return Picture(
        title="no tile" if params.layout is None else str(params.layout),
        call=params.call("kernel"),
        subtitle=words.subtitle(result),
        body=(((_no_tile(result) if drawn is None else _tile(result, drawn),), tuple(c for c in costs if c.bars)),),
        widths=((190, 478),) if params.gemm else ((344, 324),),
        legend=() if drawn is None else (Key("bank", "banks"), Key("read by the first warp at once", "access")),
        verdicts=(words.verdict(result),),
        status=words.status(result),
        reads=f"{params.kernel} of float32, block {params.block}, {params.width} bytes a lane",
        copies=words.copies(result),
        tips=None if drawn is None else Tips(*words.tips(result, drawn)),
        offers=words.offers(result),
    )


def _tile(result: Result, table: Array) -> Grid:
    """The tile, each element in the colour of its bank; a frame around what the first warp reads at once."""
    rows, columns = table.shape
    gemm = result.params.gemm
    more = f", rows 0 to {rows - 1}" if rows < result.params.tile else ""
    return Grid(
        name="tile",
        fill=result.params.chip.bank(table * ITEM),
        scale="bank",
        subheading=f"{NAMES[gemm]} by bank{more}",
        row_heads=tuple(map(str, range(rows))),
        col_heads=tuple(map(str, range(columns))),
        cell=(16, 5) if gemm else (SIDE[columns], SIDE[columns]),
        rings=() if result.read is None else _rings(result.read[:WINDOW]),
        probe=np.arange(table.size).reshape(table.shape),
    )


def _rings(read: Array) -> tuple[Ring, ...]:
    """A frame around each group of neighbouring columns that are read, from the first to the last row read there."""
    columns = np.flatnonzero(read.any(axis=0))
    found = []
    for group in np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1):
        rows = np.flatnonzero(read[:, group].any(axis=1))
        found.append(Ring(int(rows[0]), int(group[0]), int(rows[-1]), int(group[-1]), "access"))
    return tuple(found)


def _no_tile(result: Result) -> Lines:
    return Lines(
        "tile",
        (
            Line("No tile in shared memory", "read"),
            Line("A warp reads a row of a, and writes a column of out:"),
            Line(f"each of its {result.params.chip.lanes} elements lands in a sector of its own."),
        ),
    )


def _accesses(result: Result, space: str) -> Bars:
    bars = tuple(
        Bar(a.name, a.count, words.best(a), a.unit, state_of(a.count, words.best(a)))
        for a in result.accesses
        if a.space == space and not (result.params.gemm and a.name == "write c")
    )
    step = " and step along K" if result.params.gemm else ""
    return Bars(space, bars, f"predicted for one block{step}: {space} memory")


def _speeds(result: Result) -> Bars:
    """This kernel's measured speed, its neighbours', and the yardsticks."""
    gemm, edge = result.params.gemm, result.yardstick.size
    unit = "TFLOP/s" if gemm else "GB/s"

    def bar(name: str, time: KernelTime | None, state: Literal["good", "bad", "plain"] = "plain") -> tuple[Bar, ...]:
        if time is None:
            return ()
        value = round(time.rate, 1) if gemm else round(time.rate)
        return (Bar(name, value, None, unit, state),)

    own = bar("this setting", result.time, "bad" if result.slow else "good")
    bars = own + tuple(b for name, time in result.beside for b in bar(name, time))
    bars += bar("vendor's library" if gemm else "best copy", result.yardstick)
    bars += bar("torch transposed", result.second)
    heading = f"measured on an H200, {edge} x {edge}" if own else "measured on an H200: not this setting"
    return Bars("measured", bars, heading)
