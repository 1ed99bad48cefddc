"""The kind of an exercise whose answer is a kernel that the learner wrote: traced, with the result that it computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.kinds import describe, is_starter


@dataclass(frozen=True)
class Seen:
    """What a traced kernel is worth: is its result right, and how many shared wavefronts are conflicts?

    where  the worst access in words; it does not count when two are compared
    """

    right: bool
    excess: int
    where: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Seen) and (self.right, self.excess) == (other.right, other.excess)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Traced:
    """A kernel, answered as a pair: what `kernels.trace` returned, and the array that the kernel wrote.

    expected  computes the right result
    starter   how many wavefronts too many the kernel of the starter takes: it counts as not answered yet
    accesses  shared accesses (warp instructions) that any right kernel needs at least: one that leaves shared memory out,
              or writes the result by other means, is told so
    """

    expected: Callable[[], np.ndarray]
    starter: int
    accesses: int

    def untouched(self, answer: Any) -> bool:
        if is_starter(answer):
            return True
        try:
            return self.read(answer) == Seen(True, self.starter)
        except CuteLabError:
            return False

    def read(self, answer: Any, seed: str = "") -> Seen:
        if isinstance(answer, Seen):
            return answer
        trace, result = answer if isinstance(answer, tuple) and len(answer) == 2 else (None, None)
        if not (hasattr(trace, "lines") and hasattr(trace, "total")):
            raise CuteLabError(
                "The answer must be a pair, what `trace` returned and the array that the kernel wrote: "
                f"`(trace(kernel, 1, 32, out, a), out)`; yours is {describe(answer)}."
            )
        expected = self.expected()
        result = np.asarray(result)
        if result.shape != expected.shape:
            raise CuteLabError(f"The array must have the shape {expected.shape}; yours has {result.shape}.")
        shared = [a for a in trace.lines if a.space == "shared" and a.count is not None]
        if sum(a.accesses for a in shared) < self.accesses:
            raise CuteLabError(
                f"The kernel must go through shared memory, with {self.accesses} warp instructions or more; "
                f"yours has {sum(a.accesses for a in shared)}."
            )
        excess = sum(a.excess for a in shared)
        worst = max(shared, key=lambda a: a.excess)
        where = f"line {worst.line}, `{worst.source.strip()}`: {worst.explain()}".replace("\n", "; ")
        return Seen(bool(np.array_equal(result, expected)), int(excess), where if excess else "")

    def read_right(self, right: Callable[..., Any], seed: str = "") -> Seen:
        return self.read(right())

    def difference(self, mine: Seen, right: Seen) -> str:
        if not mine.right:
            return "The array that the kernel wrote is not the right one."
        return f"{mine.excess} wavefronts are conflicts. The worst: {mine.where}." if mine.where else ""
