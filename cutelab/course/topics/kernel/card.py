"""The panels of topic "kernel": the tile by bank, each access against its ideal, the measured speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cutelab.course.card.picture import Bar, Bars, Grid, Key, Line, Lines, Offer, Picture, Ring, Tips
from cutelab.course.card.words import number
from cutelab.course.topics.kernel import words
from cutelab.plans import Access
from cutelab.plans.tiles import tile_elements

if TYPE_CHECKING:
    from cutelab.course.topics.kernel.model import Result
    from cutelab.hardware.measured import KernelTime

WINDOW = 64  # rows of the tile drawn at most
SIDE = {32: 10, 64: 5}


def picture(result: Result) -> Picture:
    """The whole card."""
    params = result.params
    tile = _tile(result) if result.table is not None else _no_tile()
    columns = ((tile,), (_accesses(result, "global"), _accesses(result, "shared"), _speeds(result)))
    columns = (columns[0], tuple(p for p in columns[1] if not isinstance(p, Bars) or p.bars))
    ringed = isinstance(tile, Grid)
    return Picture(
        title="no tile" if params.layout is None else str(params.layout),
        call=params.call("kernel"),
        subtitle=words.subtitle(result),
        body=(columns,),
        widths=((344, 324),) if params.kernel == "transpose" else ((190, 478),),
        legend=(Key("bank", "banks"), Key("read by the first warp at once", "access")) if ringed else (),
        verdicts=(words.verdict(result),),
        status=words.status(result),
        reads=f"{params.kernel} of float32, block {params.block}, {params.width} bytes a lane",
        copies=_copies(result),
        tips=_tips(result) if ringed else None,
        offers=_offers(result),
    )


def _tile(result: Result) -> Grid:
    """The tile, each element in the colour of its bank; a frame around what the first warp reads at once."""
    table, read = result.table[:WINDOW], result.read[:WINDOW]  # type: ignore[index]
    rows, columns = table.shape
    cell = (16, 5) if columns == 8 else (SIDE[columns], SIDE[columns])
    more = f", rows 0 to {WINDOW - 1}" if len(result.table) > WINDOW else ""  # type: ignore[arg-type]
    name = "A's tile" if columns == 8 else "the tile"
    return Grid(
        name="tile",
        fill=table % 32,
        scale="bank",
        subheading=f"{name} by bank{more}",
        row_heads=tuple(map(str, range(rows))),
        col_heads=tuple(map(str, range(columns))),
        cell=cell,
        rings=_rings(read),
        probe=np.arange(table.size).reshape(table.shape),
    )


def _rings(read: np.ndarray) -> tuple[Ring, ...]:
    """A frame around each group of neighbouring columns that are read, from the first to the last row read there."""
    columns = np.flatnonzero(read.any(axis=0))
    found = []
    for group in np.split(columns, np.flatnonzero(np.diff(columns) > 1) + 1):
        rows = np.flatnonzero(read[:, group].any(axis=1))
        found.append(Ring(int(rows[0]), int(group[0]), int(rows[-1]), int(group[-1]), "access"))
    return tuple(found)


def _no_tile() -> Lines:
    return Lines(
        "tile",
        (
            Line("No tile in shared memory", "read"),
            Line("A warp reads a row of a, and writes a column of out:"),
            Line("each of its 32 elements lands in a sector of its own."),
        ),
    )


def _accesses(result: Result, space: str) -> Bars:
    bars = tuple(
        Bar(a.name, a.count, a.ideal, a.unit, "bad" if _bad(a) else "good")
        for a in result.accesses
        if a.space == space and not (result.params.kernel == "gemm" and a.name == "write c")
    )
    step = " and step along K" if result.params.kernel == "gemm" else ""
    return Bars(space, bars, f"predicted for one block{step}: {space} memory")


def _bad(access: Access) -> bool:
    return access.ways > 1 if access.space == "shared" else access.count > access.ideal


def _speeds(result: Result) -> Bars:
    """This kernel's measured speed, its neighbours', and the yardsticks."""
    edge, unit = result.yardstick.size, "TFLOP/s" if result.params.kernel == "gemm" else "GB/s"

    def bar(name: str, time: KernelTime | None, state: Any = "plain") -> tuple[Bar, ...]:
        if time is None:
            return ()
        value = round(time.rate, 1) if unit == "TFLOP/s" else round(time.rate)
        return (Bar(name, value, None, unit, state),)

    own = bar("this setting", result.time, "bad" if result.slow else "good")
    bars = own + tuple(b for name, time in result.beside for b in bar(name, time))
    gemm = result.params.kernel == "gemm"
    bars += bar("vendor's library" if gemm else "best copy", result.yardstick)
    bars += bar("torch transposed", result.second)
    heading = f"measured on an H200, {edge} x {edge}" if own else "measured on an H200: not this setting"
    return Bars("measured", bars, heading)


def _tips(result: Result) -> Tips:
    table = result.table[:WINDOW]  # type: ignore[index]
    row, column = np.indices(table.shape)
    stacked = np.stack([row, column, table, table % 32], axis=-1).reshape(-1, 4)
    return Tips("({0},{1}) → offset {2}\nbank {3}", stacked.astype(np.int32))


def _copies(result: Result) -> dict[str, str]:
    params, layout = result.params, result.params.layout
    if layout is None:
        return {"Python": f'transpose.variant("naive", {params.tile}, block=({params.block.replace(" x ", ", ")}))'}
    found = {"CuTe": str(layout), "Numba": words.element(layout)}
    if params.kernel == "transpose":
        block = params.block.replace(" x ", ", ")
        found["Python"] = f'Transpose({params.tile}, parse_layout("{layout}"), {params.vector}, block=({block}))'
    return found


def _offers(result: Result) -> tuple[Offer, ...]:
    """The padded and the swizzled variant, if the tile is read with conflicts or one of them is in use."""
    params = result.params
    if params.variant == "naive":
        return (Offer("tile in shared memory", "rows are read, rows are written", {"variant": "padded"}),)
    plain = params.tile * (params.tile if params.kernel == "transpose" else 8)
    found = []
    for fixed, access in result.fixes:
        extra = tile_elements(fixed.layout) - plain  # type: ignore[arg-type]
        name = fixed.variant
        text = fixed.swizzle if name == "swizzled" else f"pitch {fixed.pitch}"
        changes = {"variant": name, "block": params.block}
        line = f"{text}  {number(access.count)} wavefronts"
        found.append(Offer(line, words.size_of(extra, plain), changes, in_use=name == params.variant))
    return tuple(found)
