"""One warp instruction of a traced kernel: its 32 lanes, their elements, and what the hardware makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.course.topics.trace.knobs import TraceParams
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.sectors import Sectors, sectors
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found.

    instruction  of the kernel: line, space, kind, bytes a lane, the array's place; None where the kernel touches nothing
    turn         the how-manieth time that the warp passes it; epoch: barriers of the block passed before
    address      byte address of each lane; active: which take part
    counted      Wavefronts or Sectors; None where it is not modelled
    """

    params: TraceParams
    instruction: Any
    turn: int
    epoch: int
    address: Array
    active: Array
    counted: Wavefronts | Sectors | None

    @property
    def elements(self) -> tuple[str, ...]:
        """The element of each active lane, without the array's name; "" for the others."""
        place = self.instruction.place
        names = [place.element(int(a)).removeprefix(place.name) for a in self.address]
        return tuple(n.strip("[]") if on else "" for n, on in zip(names, self.active, strict=True))


@lru_cache(maxsize=16)
def _steps(seen: Any, block: int) -> Any:
    from cutelab.kernels.steps import warp_instructions

    return warp_instructions(seen.run.logs[block])


def compute(params: TraceParams) -> Result:
    """The warp instruction that is asked for, counted by the chip that is asked for (its warps are the 32 lanes traced)."""
    block, warp = params.warps[params.warp]
    steps = _steps(params.seen, block)
    mine = np.flatnonzero(steps.warp == warp)
    if not len(mine):
        return Result(params, None, 0, 0, np.zeros(32, np.int64), np.zeros(32, bool), None)
    at = int(mine[np.lexsort((steps.first[mine], steps.epoch[mine]))][params.step])
    instruction = params.seen.run.instructions[int(steps.instruction[at])]
    address, active = steps.address[at], steps.active[at]
    counted: Wavefronts | Sectors | None = None
    plain = instruction.kind in ("load", "store")
    atomic = instruction.space == "shared" and instruction.nbytes == 4 and instruction.kind != "compare-and-swap"
    aligned = not (address[active] % instruction.nbytes).any()
    if instruction.space != "constant" and aligned and (plain or atomic):
        chip = replace(params.chip, lanes=len(address))
        access = WarpAccess(address, instruction.nbytes, instruction.kind, active, chip=chip)
        counted = sectors(access) if instruction.space == "global" else wavefronts(access)
    return Result(params, instruction, int(steps.turn[at]), int(steps.epoch[at]), address, active, counted)


def probe(result: Result, cell: int) -> dict[str, Any]:
    """No cell of the picture is a knob."""
    return {}
