"""What the trace explorer can be asked: which warp, and which of its instructions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from cutelab.course.card.knobs import Params, slider


@dataclass(frozen=True)
class TraceParams(Params):
    """What the trace explorer shows: one warp instruction. The trace itself stands in the class, see `params_of`.

    warp  counted over the blocks traced; step: the warp's instructions in the order in which its first lane meets them
    """

    seen: ClassVar[Any] = None
    warps: ClassVar[tuple[tuple[int, int], ...]] = ((0, 0),)
    """(block, warp) of each warp that touches memory."""
    steps: ClassVar[tuple[int, ...]] = (1,)
    """How many instructions each of them has."""
    given: ClassVar[bool] = False
    first: ClassVar[str] = "warp"
    by_name: ClassVar[bool] = True

    warp: int = slider(
        0, 0, lambda p: len(p.warps) - 1, shown=lambda p: len(p.warps) > 1, group="Trace", tip="which warp is followed"
    )
    step: int = slider(
        0, 0, lambda p: p.steps[p.warp] - 1, keep=True, group="Trace", tip="which of its memory instructions"
    )

    def call(self, name: str) -> str:
        """The line that rebuilds this view; a trace of one's own is called `seen` there."""
        line = super().call(name)
        return line.replace("(", "(seen, ", 1).replace(", )", ")") if self.given else line


@lru_cache(maxsize=8)
def params_of(seen: Any, given: bool = True) -> type[TraceParams]:
    """The parameters of a view of this trace."""
    from cutelab.kernels.steps import warp_instructions

    warps, steps = [], []
    for number, log in enumerate(seen.run.logs):
        found = warp_instructions(log).warp
        for warp in sorted(set(found.tolist())):
            warps.append((number, warp))
            steps.append(int((found == warp).sum()))
    body = {
        "seen": seen,
        "warps": tuple(warps) or ((0, 0),),
        "steps": tuple(steps) or (1,),
        "given": given,
        "__module__": __name__,
        "__annotations__": {},
    }
    made: type[TraceParams] = type("TracedParams", (TraceParams,), body)
    for name in ("_derived", "_families", "_order", "_knobs"):  # declared above, not in the class made here
        setattr(made, name, getattr(TraceParams, name))
    return made
