"""The words of topic "pipeline": what a tile is, who waits for whom, what would help, and code to copy."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.parts.code import cpp_shape
from cutelab.course.card.picture import Offer, Verdict
from cutelab.course.card.words import count, number, state_of
from cutelab.course.topics.pipeline.knobs import MOST_STAGES, PipelineParams
from cutelab.course.topics.pipeline.model import Array, Result
from cutelab.hardware.chip import H200

MOST_TILE = 256  # the largest m or n that a fix offers


def cycles(value: float) -> str:
    """How is a number of cycles written? Exact, with two decimals at most.

    >>> cycles(812.0), cycles(1624 / 3), cycles(12345)
    ('812', '541.33', '12,345')
    """
    if value == round(value):
        return number(round(value))
    words = f"{value:,.2f}" if value >= 10_000 else f"{value:.2f}"
    return words.rstrip("0").rstrip(".")


def percent(part: float) -> str:
    """A part of one, as it stands in a sentence: "0 %" and "100 %" are said of nothing and of all alone.

    >>> percent(0.684), percent(0.997), percent(1.0), percent(0.002)
    ('68 %', 'over 99 %', '100 %', 'under 1 %')
    """
    shown = round(100 * part)
    if shown in (0, 100) and abs(100 * part - shown) > 1e-6:
        return "over 99 %" if shown else "under 1 %"
    return f"{shown} %"


def accumulator_bytes(params: PipelineParams) -> int:
    """Bytes of the m x n accumulators: 4 each, 8 for float64."""
    return params.m * params.n * (8 if params.element == "float64" else 4)


def register_bytes(params: PipelineParams) -> int:
    """Bytes that a multiprocessor has for accumulators: its registers, 4 bytes each; tensor memory has as many."""
    return 4 * params.limits.registers


def title(params: PipelineParams) -> str:
    """The tile in CuTe's spelling, the stages, and the loop, if no warp of its own copies."""
    who = ", loop together" if params.loop == "together" else ""
    return f"Shape<_{params.m},_{params.n},_{params.k}>, {count(params.stages, 'stage')}{who}"


def subtitle(result: Result) -> str:
    """What a tile is; what a colour and hatching mean."""
    pipe = result.pipeline
    return (
        f"{result.params.element}. A tile: {number(int(pipe.tile_bytes))} bytes, {number(pipe.flops)} operations. "
        "Number: the tile; colour: tile mod 8."
    )


def reads(params: PipelineParams) -> str:
    """Element type, tiles and rates, for the picture in words."""
    return (
        f"{params.element}, {count(params.tiles, 'tile')}; latency {number(params.latency)} cycles, copy "
        f"{number(params.copy_rate)} bytes a cycle, MMA {number(params.mma_rate)} operations a cycle"
    )


def verdict(result: Result) -> Verdict:
    """How long does a tile take, how long would do, and who waits?"""
    pipe, waits = result.pipeline, percent(result.waits)
    took = f"Each tile takes {cycles(result.cycles)} cycles"
    if pipe.limited_by == "stages":
        sentence = f"{took} where {cycles(result.bound)} would do: the Tensor Core waits {waits} of the time"
        return Verdict(state_of(result.cycles, result.bound), sentence, _help(result))
    if pipe.limited_by == "copy":
        sentence = f"{took}, the bound of the copy: the Tensor Core waits {waits} of the time"
        second = (
            f"More stages buy nothing: the copy never stops. A tile with {balance(result):.3g} operations a byte would do; "
            f"this one has {pipe.intensity:.3g}."
        )
        return Verdict("note", sentence, second)
    sentence = f"{took}, the bound: the Tensor Core never waits"
    if pipe.copy_cycles == pipe.mma_cycles:
        return Verdict("good", sentence, "The copy is just as busy: both are the bound.")
    return Verdict(
        "good",
        sentence,
        f"The copy is busy {percent(pipe.copy_cycles / result.cycles)} of the time and waits for free stages.",
    )


def balance(result: Result) -> float:
    """Operations a byte at which copy and MMA take equally long."""
    return result.pipeline.mma_rate / result.pipeline.copy_rate


def _help(result: Result) -> str:
    """How many stages would reach the bound, and is there room for them?"""
    pipe, need = result.pipeline, result.pipeline.stages_needed
    limit, bytes_ = pipe.shared_limit, need * pipe.tile_bytes
    words = f"{count(need, 'stage')} would reach that, with {number(int(bytes_))} bytes"
    if limit is not None and bytes_ > limit:
        return f"{words}; {pipe.arch_name} has {number(limit)} for a block. A smaller k shrinks a stage."
    beyond = f"; the slider ends at {MOST_STAGES}" if need > MOST_STAGES else ""
    return f"{words} of shared memory{beyond}."


def registers(result: Result) -> tuple[Verdict, ...]:
    """A second verdict, where the accumulators are larger than the registers."""
    need, most = accumulator_bytes(result.params), register_bytes(result.params)
    if need <= most:
        return ()
    sentence = f"The accumulators need {number(need)} bytes; a multiprocessor has {number(most)} for them"
    return (Verdict("bad", sentence, "Nothing holds them: make m or n smaller."),)


def offers(result: Result) -> tuple[Offer, ...]:
    """Which changes make the Tensor Core wait less? Least waiting first, then least shared memory."""
    params, pipe = result.params, result.pipeline
    if result.waits < 1e-9:
        return ()
    limit, registers = pipe.shared_limit or 0, register_bytes(params)
    tried: list[dict[str, int]] = [{"stages": s} for s in (params.stages + 1, pipe.stages_needed)]
    tried += [{name: 2 * getattr(params, name)} for name in ("m", "n", "k")]
    tried += [{"k": params.k // 2, "stages": s} for s in range(params.stages, MOST_STAGES + 1) if params.k >= 16]
    found = []
    for changes in tried:
        size = {n: changes.get(n, getattr(params, n)) for n in ("m", "n", "k", "stages")}
        bytes_ = (size["m"] + size["n"]) * size["k"] * pipe.element_bytes * size["stages"]
        wide = max(changes.get("m", 0), changes.get("n", 0), changes.get("k", 0))
        grown = accumulator_bytes(params) * size["m"] * size["n"] / (params.m * params.n)
        too_big = wide and (wide > MOST_TILE or (grown > registers / 2 and grown > accumulator_bytes(params)))
        if bytes_ > limit or size["stages"] > MOST_STAGES or too_big:
            continue
        after = params.pipeline(**changes)
        waits = 1 - after.mma_cycles / after.steady_state
        if waits < result.waits - 0.005:
            found.append((round(waits, 3), bytes_, len(changes), changes))
    found.sort(key=lambda f: f[:3])
    kept: list[Offer] = []
    seen: set[tuple[str, ...]] = set()
    for waits, bytes_, _, changes in found:
        names = tuple(sorted(changes))
        if names in seen or len(kept) == 3:
            continue
        seen.add(names)
        more = int(bytes_ - pipe.shared_bytes)
        line = ", ".join(f"{n} {v}" for n, v in changes.items())
        second = f"{'+' if more >= 0 else '−'}{number(abs(more))} bytes of shared memory"
        kept.append(Offer(f"{line}  waits {percent(waits)}", second, changes))
    return tuple(kept)


def copies(result: Result) -> dict[str, str]:
    """The tile and its stages as code: CuTe, CUTLASS 2.x, and the model."""
    p, pipe = result.params, result.pipeline
    here = f'"{p.arch}"' if p.chip == H200 else p.spell("chip")
    imports = (
        "from cutelab import Pipeline"
        if p.chip == H200
        else "from cutelab import Pipeline\nfrom cutelab.hardware.chip import Chip"
    )
    loop = "" if p.loop == "producer" else f', loop="{p.loop}"'
    model = (
        f"Pipeline({p.m}, {p.n}, {p.k}, {pipe.element_bytes:g}, stages={p.stages}, latency={p.latency}, "
        f"copy_rate={p.copy_rate}, mma_rate={p.mma_rate}, tiles={p.tiles}, arch={here}{loop})"
    )
    return {
        "CuTe C++": (
            f"using TileShape = {cpp_shape((p.m, p.n, p.k)).removesuffix('{}')};\n"
            f"auto sA_layout = make_layout({cpp_shape((p.m, p.k, p.stages))});  // the last mode: stages\n"
            f"auto sB_layout = make_layout({cpp_shape((p.n, p.k, p.stages))});"
        ),
        "CUTLASS 2.x": f"using ThreadblockShape = cutlass::gemm::GemmShape<{p.m}, {p.n}, {p.k}>;\nint const kStages = {p.stages};",
        "Python": f"{imports}\n{model}.summary()",
    }


def when(result: Result, tile: int) -> str:
    """Stage and times of a tile."""
    line = result.line
    parts = (line.copy_start, line.copy_end, line.mma_start, line.mma_end)
    a, b, c, d = (cycles(float(x[tile])) for x in parts)
    return f"stage {int(line.stage[tile])} · copy {a} to {b} · MMA {c} to {d}"


def copy_waits(result: Result, tile: int) -> str:
    """Whom does the copy of this tile wait for?"""
    line, p = result.line, result.params
    issue, start = float(line.issue[tile]), float(line.copy_start[tile])
    ahead = p.stages - 1
    if p.loop == "together" and 0 < ahead <= tile:
        begin = f"Its copy is issued at {cycles(issue)}, by threads that multiply tile {tile - ahead} next"
    elif tile < p.stages:
        begin = f"Its stage is free from the start: the copy is issued at {cycles(issue)}"
    else:
        begin = f"Its copy is issued at {cycles(issue)}, when the MMA of tile {tile - p.stages} has left stage {int(line.stage[tile])}"
    if line.copy_waits[tile] == "channel":
        return f"{begin}; its data come at {cycles(start)}, behind those of tile {tile - 1}."
    later = f"{cycles(start - issue)} cycles later" if start > issue else "at once"
    return f"{begin}; its data come {later}."


def mma_waits(result: Result, tile: int) -> str:
    """Whom does the MMA of this tile wait for, or who waits for it?"""
    line = result.line
    idle, held = float(line.mma_idle[tile]), float(line.mma_start[tile] - line.copy_end[tile])
    if line.mma_waits[tile] == "MMA":
        return f"Its data lie in shared memory for {cycles(held)} cycles, until the MMA of tile {tile - 1} is done."
    if idle > 1e-9:
        return f"The Tensor Core stands still for {cycles(idle)} cycles until its data are there."
    return "Its data are there just when the Tensor Core is free: the MMA does not wait."


def at_tile(result: Result) -> str:
    """The probed tile, in one line: its times, and what its copy and its MMA wait for."""
    tile, line = result.params.tile, result.line
    issuer = "for its stage" if result.params.loop == "producer" or result.params.stages == 1 else "for its threads"
    after = {"stage": issuer, "channel": "for the copy before it", "latency": "for the latency"}
    copy = (
        after[str(line.copy_waits[tile])] if line.copy_start[tile] > 0 else ""
    )  # without latency, the first goes at once
    mma = (
        "for the MMA before it"
        if line.mma_waits[tile] == "MMA"
        else "for its data"
        if line.mma_idle[tile] > 1e-9
        else ""
    )
    words = f"the copy waits {copy}" if copy else "the copy does not wait"
    if copy and mma:
        words += f", the MMA {mma}"
    else:
        words += f", the MMA waits {mma}" if mma else ", the MMA does not"
    return f"tile {tile} → {when(result, tile)} cycles · {words}"


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on a tile, and its numbers."""
    line = result.line
    parts = (line.issue, line.copy_start, line.copy_end, line.mma_start, line.mma_end)
    table = np.stack([np.arange(len(line.issue)), line.stage, *(np.round(x) for x in parts)], axis=1)
    exact = all((x == np.round(x)).all() for x in parts)
    template = "tile {0}, stage {1}\ncopy issued at {2}\ncopy {3} to {4}\nMMA {5} to {6}"
    return template + ("" if exact else "\n(rounded)"), np.clip(table, 0, 2**31 - 1).astype(np.int32)
