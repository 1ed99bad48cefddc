"""The kind of an exercise whose answer is a prediction about a kernel of the learner's own, beside that kernel's trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.course.ask.diagnose import Diagnosis
from cutelab.course.ask.reading import describe, is_starter, plain, read_tuple
from cutelab.hardware.chip import H200

COUNTERS = ("global load", "global store", "shared load", "shared store")


@dataclass(frozen=True)
class Counted:
    """What a prediction of four counts is worth.

    agrees    do all four equal the trace's totals?
    slip      a known slip that makes these numbers of the right ones, "" if none: "instructions", "ideal", "warp", "block",
              "exchanged", "race" or "nothing"
    mine, traced  the four counts, as predicted and as traced
    said      what else there is to say: the race, in words
    """

    agrees: bool
    slip: str = ""
    mine: tuple[int, ...] = field(default=(), compare=False)
    traced: tuple[int, ...] = field(default=(), compare=False)
    said: str = field(default="", compare=False)


@dataclass(frozen=True)
class Predicted:
    """Four counts and a trace, answered as a pair: sectors of global loads and stores, wavefronts of shared loads and stores.

    The kernel is the learner's own, so the right counts are those of the answer's own trace.
    """

    @property
    def form(self) -> str:
        return (
            "a pair, your four counts (global load, global store, shared load, shared store) and what `trace` returned: "
            "`((32, 32, 0, 4), trace(own, 1, 64, out, a))`"
        )

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer) or (isinstance(answer, tuple) and len(answer) == 2 and is_starter(answer[0]))

    def read(self, answer: Any, seed: str = "") -> Counted:
        if isinstance(answer, Counted):
            return answer
        mine, trace = answer if isinstance(answer, tuple) and len(answer) == 2 else (None, None)
        if trace is None or not (hasattr(trace, "totals") and hasattr(trace, "races")):
            raise CuteLabError(f"The answer must be {self.form}; yours is {describe(answer)}.")
        counts = read_tuple(mine) if isinstance(mine, str) else plain(mine)
        if not (isinstance(counts, tuple) and len(counts) == len(COUNTERS) and all(map(is_int, counts))):
            raise CuteLabError(
                f"The counts must be four whole numbers, ({', '.join(COUNTERS)}); yours are {describe(mine)}."
            )
        traced = tuple(int(trace.totals()[name]) for name in COUNTERS)
        if trace.races:
            return Counted(False, "race", counts, traced, str(trace.races[0]))
        if not any(traced):
            return Counted(False, "nothing", counts, traced)
        if counts == traced:
            return Counted(True, "", counts, traced)
        return Counted(False, _slip(counts, traced, trace), counts, traced)

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Counted:
        return self.read(right())

    def diagnose(self, mine: Counted, right: Counted, told: bool) -> Diagnosis:
        if not mine.mine:
            return Diagnosis()
        if mine.slip == "race":
            return Diagnosis("", mine.said)
        off = [i for i, (a, b) in enumerate(zip(mine.mine, mine.traced, strict=True)) if a != b]
        named = f"{' and '.join(COUNTERS[i] for i in off)} {'is' if len(off) == 1 else 'are'} not what was traced."
        first = off[0] if off else 0
        pair = f"The trace counts {mine.traced[first]:,} for {COUNTERS[first]}, you predicted {mine.mine[first]:,}."
        return Diagnosis(named, f"{pair} Which line is it? Look at the trace, change the kernel, and predict again.")


def _slip(mine: tuple[int, ...], traced: tuple[int, ...], trace: Any) -> str:
    """Which known slip makes these numbers of the right ones?"""
    if sorted(mine) == sorted(traced):
        return "exchanged"
    rows = [[a for a in trace.lines if f"{a.space} {a.kind}" == name and a.count is not None] for name in COUNTERS]
    blocks = trace.grid[0] * trace.grid[1] * trace.grid[2]
    warps = -(-(trace.block[0] * trace.block[1] * trace.block[2]) // H200.lanes)
    known = {
        "instructions": tuple(round(sum(a.accesses for a in row) * trace.scale) for row in rows),
        "ideal": tuple(round(sum(a.ideal for a in row) * trace.scale) for row in rows),
        "block": tuple(n / blocks for n in traced),
        "warp": tuple(n / (blocks * warps) for n in traced),
    }
    return next((name for name, numbers in known.items() if mine == numbers), "")
