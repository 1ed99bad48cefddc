"""The kind of an exercise whose answer is a kernel that the learner wrote: traced, with the result that it computed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.diagnose import Diagnosis
from cutelab.course.ask.reading import describe, is_starter


@dataclass(frozen=True)
class Seen:
    """What a traced kernel is worth: is its result right, how many shared wavefronts are conflicts, is a rule broken?

    fault    a rule that the kernel breaks, in words, whatever it counts: "" if none
    where    the worst access in words
    result   the array that it wrote
    worst    the source of the line with the most conflicts
    """

    right: bool
    excess: int
    fault: str = ""
    where: str = field(default="", compare=False)
    result: np.ndarray | None = field(default=None, compare=False)
    worst: str = field(default="", compare=False)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Traced:
    """A kernel, answered as a pair: what `kernels.trace` returned, and the array that the kernel wrote.

    expected  computes the right result
    starter   the source of the kernel that the learner was given: unchanged, it counts as not answered yet
    loads     shared loads (warp instructions) that any right kernel needs at least, and stores: one that leaves shared
    stores    memory out, or does not set it to zero, is told so
    threads   of the block
    near      results of typical faults, with their words
    remember  what the shared memory has to be filled with first, in words: for a kernel with too few stores
    """

    expected: Callable[[], np.ndarray]
    starter: str
    loads: int
    stores: int
    threads: int = 32
    near: tuple[tuple[Callable[[np.ndarray], bool], str], ...] = ()
    remember: str = "every element that is read later must be stored first"

    @property
    def form(self) -> str:
        return (
            "a pair, what `trace` returned and the array that the kernel wrote: "
            f"`(trace(kernel, 1, {self.threads}, out, a), out)`"
        )

    def untouched(self, answer: Any) -> bool:
        if is_starter(answer):
            return True
        if not (isinstance(answer, tuple) and len(answer) == 2 and hasattr(answer[0], "source")):
            return False
        return bare("\n".join(text for _, text in answer[0].source)) == bare(self.starter)

    def read(self, answer: Any, seed: str = "") -> Seen:
        if isinstance(answer, Seen):
            return answer
        trace, result = answer if isinstance(answer, tuple) and len(answer) == 2 else (None, None)
        if trace is None or not (hasattr(trace, "lines") and hasattr(trace, "source")):
            pair = "; give the trace too" if isinstance(answer, np.ndarray) else ""
            pair = pair or ("; give the array too" if hasattr(answer, "lines") else "")
            raise CuteLabError(f"The answer must be {self.form}; yours is {describe(answer)}{pair}.")
        expected = self.expected()
        result = np.asarray(result)
        if result.shape != expected.shape:
            raise CuteLabError(f"The array must have the shape {expected.shape}; yours has {result.shape}.")
        shared = [a for a in trace.lines if a.space == "shared" and a.count is not None]
        excess = sum(a.excess for a in shared)
        right = bool(np.array_equal(result, expected))
        where, source = "", ""
        if excess:
            worst = max(shared, key=lambda a: a.excess)
            source = worst.source.strip()
            where = f"line {worst.line}, `{source}`: {worst.explain()}".replace("\n", "; ")
            where += apart(worst.worst)
        return Seen(right, int(excess), self._fault(trace, shared), where, result, source)

    def _fault(self, trace: Any, shared: list[Any]) -> str:
        """Which rule does this kernel break, whatever it counts?"""
        size = int(np.prod(trace.block))
        loads = sum(a.accesses for a in shared if a.kind in ("load", "atomic"))
        stores = sum(a.accesses for a in shared if a.kind in ("store", "atomic", "reduce"))
        outs = [a for a in trace.lines if a.space == "global" and a.kind != "load"]
        if size < self.threads:
            return (
                f"the block has {size} thread{'s' if size > 1 else ''}; {self.threads} threads have to share the work."
            )
        if not shared:
            return "the kernel must go through shared memory, and this one never touches it."
        if not loads:
            return "the kernel must go through shared memory: this one fills it and never reads it again."
        if not outs:
            return "this kernel writes nothing to its output: what it computes has to reach `out`."
        if any(a.kind == "atomic" for a in shared):
            return (
                "atomics on one shared counter keep the sum right, but lanes that meet at a counter queue up there: let no two "
                "lanes share one."
            )
        if stores < self.stores:
            return f"shared memory holds anything at first: {self.remember}."
        if loads < self.loads:
            return f"this reads shared memory in {loads} warp instructions; {self.loads} are needed: the rest comes from elsewhere."
        if trace.races:
            race = trace.races[0]
            what = (
                "a barrier is missing"
                if race.kind == "race" and "sync" in race.remedy
                else "threads get in each other's way"
            )
            return f"{what}: {str(race).removeprefix(race.kind + ': ')} The result may be right here by luck."
        return ""

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Seen:
        return self.read(right())

    def diagnose(self, mine: Seen, right: Seen, told: bool) -> Diagnosis:
        if mine.fault:
            return Diagnosis(mine.fault, self._first(mine) if not mine.right else "The result itself is right.")
        if not mine.right:
            words = next((w for fits, w in self.near if mine.result is not None and fits(mine.result)), "")
            return Diagnosis(words or "the result is wrong, so its conflicts do not matter yet.", self._first(mine))
        conflict = f"{mine.excess} wavefronts are conflicts. The worst: {mine.where}."
        stores = re.match(r"\w+\[[^=]*\]\s*=[^=]", mine.worst)
        named = (
            "the result is right, but lanes still meet in a bank, in the line that stores."
            if stores
            else "the result is right, but lanes still meet in a bank."
        )
        return Diagnosis(named, conflict)

    def _first(self, mine: Seen) -> str:
        expected = self.expected()
        if mine.result is None:
            return "The array that the kernel wrote is not the right one."
        at = int(np.argmax(mine.result.ravel() != expected.ravel()))
        count = int((mine.result != expected).sum())
        return (
            f"The array that the kernel wrote is not the right one: out[{at}] is {mine.result.ravel()[at]}, right "
            f"{expected.ravel()[at]} ({count} of {expected.size} differ)."
        )


def apart(worst: Any) -> str:
    """How far apart are neighbouring lanes, if all are equally far: "; neighbouring lanes are 32 words apart, ..."."""
    if worst is None:
        return ""
    address = np.asarray(worst.byte_address).reshape(-1, 32)[0]
    steps = np.unique(np.diff(address[np.asarray(worst.active).reshape(-1, 32)[0]]))
    if steps.size != 1 or steps[0] % 4:
        return ""
    words = abs(int(steps[0])) // 4
    odd = "an odd number of words spreads them over all banks" if words % 2 == 0 else ""
    return f"; neighbouring lanes are {words} words apart{', and ' + odd if odd else ''}"


def bare(source: str) -> str:
    """A kernel's source without decorators, comments, doubled blanks and empty lines."""
    lines = (re.sub(r"\s+", " ", line.partition("#")[0]).strip() for line in source.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(("@", "import", "from")))
