"""The card of topic "pipeline": the timeline, the probed tile, cycles a tile, what the stages cost. Has no clock of its own."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.picture import Bar, Bars, Key, Line, Lines, Picture, Spans, Tips
from cutelab.course.card.words import count, number, state_of
from cutelab.course.topics.pipeline import words
from cutelab.course.topics.pipeline.model import Array, Result

SHOWN = 12  # tiles of one picture
COPY, MMA, STAGE = 0, 1, 2  # rows of the timeline; stage s is row STAGE + s


def panels(result: Result) -> Picture:
    """The whole card."""
    params = result.params
    return Picture(
        title=words.title(params),
        call=params.call("pipeline"),
        subtitle=words.subtitle(result),
        body=(((_timeline(result), _one_tile(result)),), ((_per_tile(result),), (_price(result), _worth(result)))),
        widths=((688,), (330, 334)),
        legend=(Key("waiting", "hole"), Key("nothing to do", "fill", "frame", 1), Key("probe", "probe")),
        verdicts=(words.verdict(result), *words.registers(result)),
        status=words.at_tile(result),
        reads=words.reads(params),
        copies=words.copies(result),
        tips=Tips(*words.tips(result)),
        probed=params.tile,
        offers=words.offers(result),
    )


def _window(result: Result) -> tuple[int, int]:
    """The first tile that is drawn, and how many: all, or some around the probe."""
    params = result.params
    shown = min(SHOWN, params.tiles)
    return min(max(params.tile - shown // 2, 0), params.tiles - shown), shown


def _timeline(result: Result) -> Spans:
    """Copy, MMA and each stage of shared memory over time: who works on which tile, and who waits."""
    params, line = result.params, result.line
    begin, shown = _window(result)
    end = begin + shown
    first, last = (float(line.issue[begin]) if begin else 0.0), float(line.mma_end[end - 1])
    if params.axis == "one stage":
        last = max(last, first + shown * result.pipeline.round_trip)
    row, start, stop, tile, working = (np.concatenate(x) for x in zip(*_stretches(result), strict=True))
    seen = (start < last) & (stop > first) & (stop > start)
    row, start, stop, tile, working = (x[seen] for x in (row, start, stop, tile, working))
    name = tile.astype(np.str_)
    does = np.where(working == 1, "copy ", "MMA ")
    long = np.where(row >= STAGE, np.char.add(does, name), name)
    stages = min(params.stages, params.tiles)
    tall = min(22, 120 // stages)
    resting = (row < STAGE) & (working == 0)
    more = "" if shown == params.tiles else f"; tiles {begin} to {end - 1} are shown"
    if params.stages > stages:
        more = f"; {count(params.stages - stages, 'more stage')} stay{'s' * (params.stages - stages == 1)} empty"
    return Spans(
        name="time",
        rows=("copy", "MMA", *(f"stage {s}" for s in range(stages))),
        row=row,
        start=np.maximum(start, first),
        end=np.minimum(stop, last),
        fill=np.where(working > 0, tile % 8, -1),
        probe=np.where(resting, -1, tile),
        first=first,
        last=last,
        labels=(long, name),
        row_heights=(26, 26) + (tall,) * stages,
        row_gap=(0, 8, 12) + (4 if stages < 7 else 2,) * (stages - 1),
        heading=f"{count(params.tiles, 'tile')}, {words.cycles(line.total)} cycles",
        subheading="in a stage: copy, then MMA" + more,
        probed=params.tile,
        marks=_marks(result) if shown == params.tiles else (),
    )


def _marks(result: Result) -> tuple[tuple[float, str], ...]:
    """When would the run end with enough stages? An upright line, where there are too few."""
    pipe = result.pipeline
    if pipe.limited_by != "stages" or pipe.stages_needed > 64:
        return ()
    enough = result.params.pipeline(stages=pipe.stages_needed, arch=None).timeline().total
    return ((enough, f"{pipe.stages_needed} stages would end here"),) if enough < result.line.total else ()


def _stretches(result: Result) -> list[tuple[Array, ...]]:
    """(row, start, end, tile, what): 0 waiting, 1 copying, 2 multiplying; one entry of arrays for each kind of stretch."""
    line, tile = result.line, np.arange(result.params.tiles)
    stage, zero = STAGE + line.stage, np.zeros(result.params.tiles, int)
    before_copy, before_mma = (np.concatenate([[0.0], x[:-1]]) for x in (line.copy_end, line.mma_end))
    stages = result.params.stages
    free = np.concatenate([np.zeros(min(stages, len(tile))), line.mma_end[:-stages]])  # since when is the stage free?
    return [
        (zero + COPY, before_copy, line.copy_start, tile, zero),
        (zero + COPY, line.copy_start, line.copy_end, tile, zero + 1),
        (zero + MMA, before_mma, line.mma_start, tile, zero),
        (zero + MMA, line.mma_start, line.mma_end, tile, zero + 2),
        (stage, free, line.copy_start, tile, zero),
        (stage, line.copy_start, line.copy_end, tile, zero + 1),
        (stage, line.copy_end, line.mma_start, tile, zero),
        (stage, line.mma_start, line.mma_end, tile, zero + 2),
    ]


def _one_tile(result: Result) -> Lines:
    """The probed tile: its times, and whom it waits for."""
    tile = result.params.tile
    return Lines(
        "tile",
        (
            Line(f"→ {words.when(result, tile)}", "read", f"tile {tile}"),
            Line(words.copy_waits(result, tile)),
            Line(words.mma_waits(result, tile), "plain"),
        ),
    )


def _per_tile(result: Result) -> Bars:
    """Cycles a tile: what copy and MMA need, and what some numbers of stages reach."""
    pipe, now = result.pipeline, result.params.stages
    most = int((pipe.shared_limit or 0) // pipe.tile_bytes)
    need = pipe.stages_needed
    wanted = {1, now, min(now + 1, max(now, need)), need}
    bars = [Bar("copy", pipe.copy_cycles, None, "cycles"), Bar("MMA", pipe.mma_cycles, None, "cycles")]
    for stages in sorted(s for s in wanted if s <= min(most, 64)):
        other = result.params.pipeline(stages=stages)
        steady, bound = other.steady_state, pipe.bound
        state = state_of(steady, bound) if stages == now else "plain"
        bars.append(Bar(count(stages, "stage"), steady, bound, "cycles", state, say_ideal=False))
    return Bars("cycles", tuple(bars), heading=f"cycles a tile, once full; the bound is {words.cycles(pipe.bound)}")


def _price(result: Result) -> Bars:
    """What the stages and the tile take of the chip."""
    params, pipe = result.params, result.pipeline
    limit, need, most = pipe.shared_limit or 0, words.accumulator_bytes(params), words.register_bytes(params)
    return Bars(
        "price",
        (
            Bar("shared memory", pipe.shared_bytes, None, f"of {number(limit)} bytes", most=limit),
            Bar("accumulators", need, None, f"of {number(most)} bytes",
                "plain" if need <= most else "bad", most=most),
        ),
        heading=f"the price, on {params.limits_name}",
    )  # fmt: skip


def _worth(result: Result) -> Lines:
    """What a byte brings, against what the two rates ask for."""
    pipe, balance = result.pipeline, words.balance(result)
    side = "the MMA" if pipe.intensity > balance else "the copy" if pipe.intensity < balance else "neither"
    return Lines(
        "worth",
        (
            Line(
                f"{number(pipe.flops)} operations / {number(int(pipe.tile_bytes))} bytes = {pipe.intensity:.4g} operations a byte"
            ),
            Line(f"copy and MMA balance at {balance:.4g}: {side} takes longer here", "muted"),
        ),
    )
