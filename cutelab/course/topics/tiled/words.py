"""The words of topic "tiled": who holds what, what a part's modes are, what it costs. Computes nothing itself."""

from __future__ import annotations

import numpy as np

from cutelab.core.counting import how_often
from cutelab.core.layout import offsets
from cutelab.course.card.picture import Line, Tips, Verdict
from cutelab.course.card.words import above, count, state_of
from cutelab.course.topics.tiled.model import Result
from cutelab.cutlass.names import explain_names
from cutelab.cutlass.tv import TiledCopy
from cutelab.hardware.wavefronts import Wavefronts


def title(result: Result) -> str:
    """The layout of the picked side."""
    one = result.sides[result.picked]
    return f"{one.name}: {one.layout}"


def what(result: Result) -> str:
    """`TiledCopy, 128 threads x 8 values, tile 32 x 32`."""
    found = result.found
    sizes = " x ".join(map(str, found.tile))
    kind = "TiledCopy" if isinstance(found, TiledCopy) else "TiledMMA"
    values = result.sides[result.picked].held.shape[1]
    return f"{kind}, {found.threads} threads x {values} value{'s' * (values != 1)}, tile {sizes}"


def subtitle(result: Result) -> str:
    """The object, its atom, and what nobody measured."""
    return result.params.chip.said(f"{what(result)}; {result.found.atom.name[:44]}")


def reading(result: Result) -> tuple[Line, ...]:
    """The picked thread's parts, mode by mode; the name that is asked for with the first of them."""
    lines: list[Line] = []
    for number, (name, found, refused) in enumerate(result.parts):
        name = result.params.name or name if number == 0 else name
        if found is None:
            lines.append(Line(f"no part: {refused}"[:104], "muted", bold=name))
            continue
        layout, start = found
        lines.append(
            Line(
                f"thread {result.params.thread} begins at {start + int(offsets(layout).flat[0])}",
                "plain",
                bold=f"{name} = {layout}"[:76],
            )
        )
        said = explain_names(name, layout).splitlines()
        lines += [Line(line[:118], "plain") for line in said[1:]]
        lines.append(Line(said[0][:118], "muted"))
    return tuple(lines)


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """Does every element have an owner; what do both sides cost?"""
    found = [_owners(result)]
    if result.refused:
        found.append(Verdict("note", "Not counted.", result.refused.splitlines()[0][:200]))
    if result.cost is not None:
        for name, one in zip(("Source", "Target"), result.cost.sides, strict=True):
            taken, ideal = one.count, one.ideal
            if taken is None or ideal is None:
                found.append(Verdict("note", f"{name}: {one.note or 'nothing to count'}."))
                continue
            good, ways = taken <= ideal, int(np.max(one.result.ways)) if isinstance(one.result, Wavefronts) else 0
            sentence = f"{name}, {one.memory}: {taken} {one.unit}" + (
                ", as few as can be." if good else f"{above(ideal, ways)}."
            )
            second = "" if good else one.explain().partition("; ")[2]
            found.append(Verdict(state_of(taken, ideal, ways), sentence, second))
        if result.cost.allowed_bytes > result.cost.access_bytes:
            wide = f"{count(result.cost.access_bytes, 'byte')} a lane; the layouts would allow {result.cost.allowed_bytes}."
            found.append(Verdict("note", wide))
    if result.ways:
        best = result.ways[0]
        rest = "; ".join(way.summary() for way in result.ways[1:3])
        state = state_of(best.wavefronts, best.ideal)
        found.append(Verdict(state, f"{result.params.operand}: {best.summary()}.", rest))
    return tuple(found)


def _owners(result: Result) -> Verdict:
    one = result.sides[result.picked]
    times = how_often(one.held.ravel(), one.thread.size)
    low, high = int(times.min()), int(times.max())
    tile = f"{one.rows} x {one.columns} tile of {one.name}"
    if low == high == 1:
        return Verdict("good", f"Every element of the {tile} has exactly one owner.")
    if low == 0:
        return Verdict("bad", f"{int((times == 0).sum())} elements of the {tile} have no owner.")
    return Verdict(
        "note", f"Each element of the {tile} is held by {low if low == high else f'{low} to {high}'} threads."
    )


def status(result: Result) -> str:
    """The probe in words."""
    params, one = result.params, result.sides[result.picked]
    row, column = result.at(result.picked)
    sharers = np.unique(np.nonzero(one.held == row + one.rows * column)[0])
    more = f" · held by {len(sharers)} threads" if len(sharers) > 1 else ""
    warp, lane = divmod(params.thread, params.chip.lanes)
    return f"T{params.thread} v{params.value} (warp {warp}, lane {lane}) → ({row},{column}) of {one.name}{more}"


def copies(result: Result) -> dict[str, str]:
    """What can be copied: the line, the object as CuTe prints it, the layouts."""
    found = {"cutelab": result.params.call("tiled"), "CuTe": str(result.found)}
    return found | {f"{one.name} TV": str(one.layout) for one in result.sides}


def tips(result: Result) -> Tips:
    """What the pointer reads: row, column, thread, value, warp."""
    tables = []
    for one in result.sides:
        row, column = np.indices(one.thread.shape)
        warp = one.thread // result.params.chip.lanes
        tables.append(np.stack([row, column, one.thread, one.value, warp], -1).reshape(-1, 5))
    return Tips("({0},{1})\nT{2} v{3} · warp {4}", np.concatenate(tables).astype(np.int32))
