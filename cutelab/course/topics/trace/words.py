"""The trace explorer in words: which step of which warp, what it costs, who waits for whom."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.picture import Verdict
from cutelab.course.card.words import above, state_of
from cutelab.course.topics.trace.model import Result
from cutelab.course.topics.trace.report import plain
from cutelab.hardware.wavefronts import Wavefronts


def subtitle(result: Result) -> str:
    """Block and warp, and what nobody measured."""
    params = result.params
    block, warp = params.warps[params.warp]
    index = ",".join(map(str, params.seen.blocks[block]))
    return params.chip.said(f"block ({index}), warp {warp}: step {params.step + 1} of {params.steps[params.warp]}")


def what(result: Result) -> str:
    """The instruction: `shared load of tile, 4 bytes a lane`."""
    i = result.instruction
    if i is None:
        return "this kernel touches no memory"
    return f"{i.space} {i.kind} of {plain(i.place.name)}, {i.nbytes} byte{'' if i.nbytes == 1 else 's'} a lane"


def status(result: Result) -> str:
    """The step in one line."""
    if result.instruction is None:
        return what(result)
    lanes = int(result.active.sum())
    return f"line {result.instruction.line} → {what(result)} · time {result.turn + 1} · {lanes} lanes · {result.epoch} barrier{'s' * (result.epoch != 1)} before"


def verdict(result: Result) -> Verdict:
    """What it costs, and who waits for whom."""
    counted = result.counted
    if counted is None:
        return Verdict("note", f"{what(result)}: not modelled" if result.instruction is not None else what(result))
    count, ideal = int(np.sum(counted.count)), int(np.sum(counted.ideal))
    ways = int(np.max(counted.ways)) if isinstance(counted, Wavefronts) else 0
    unit = "sector" if result.instruction.space == "global" else "wavefront"
    sentence = f"{count} {unit}{'' if count == 1 else 's'}" + (
        above(ideal, ways) if count > ideal else ": as few as can be"
    )
    return Verdict(state_of(count, ideal, ways), sentence, counted.explain().replace("\n", ": "))
