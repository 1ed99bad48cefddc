"""What the exam asks: from each topic so many, chosen among questions of the lessons and those that stand here.

The exam is no lesson: none of its questions is answered in a cell or comes back in a review. Each is a function that draws
fresh numbers, as a lesson's `again` does, and the right answer is computed by the library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from cutelab.course.ask.exercise import Exercise, Prediction
from cutelab.course.topics.exam import algebra, first_evening, kernels, memory

EXERCISES: tuple[Exercise, ...] = ()
PREDICTIONS: tuple[Prediction, ...] = ()

Maker = Callable[[Random], Prediction]


@dataclass(frozen=True)
class Source:
    """Where the questions of one topic come from: ids of the lessons that can be asked again, and the exam's own."""

    topic: str
    lesson: tuple[str, ...]
    own: tuple[Maker, ...]


SOURCES = (
    Source("gpu", ("gpu.a", "gpu.c"), first_evening.GPU),
    Source("layout", ("layout.a", "layout.c"), first_evening.LAYOUT),
    Source("coalescing", ("coalescing.a", "coalescing.c"), memory.COALESCING),
    Source("banks", ("banks.a", "banks.b"), memory.BANKS),
    Source("swizzle", ("swizzle.a",), memory.SWIZZLE),
    Source("composition", ("composition.a",), algebra.COMPOSITION),
    Source("tiling", ("tiling.a", "tiling.c"), algebra.TILING),
    Source("thread_map", ("thread_map.a", "thread_map.3"), algebra.THREAD_MAP),
    Source("inverse", ("inverse.a", "inverse.c"), algebra.INVERSE),
    Source("tensor_core", ("tensor_core.a",), kernels.TENSOR_CORE),
    Source("partition", ("partition.a", "partition.3"), kernels.PARTITION),
    Source("pipeline", ("pipeline.a", "pipeline.3"), kernels.PIPELINE),
    Source("hopper", ("hopper.b", "hopper.d", "hopper.e"), kernels.HOPPER),
    Source("kernel", ("kernel.b",), kernels.KERNEL),
)
"""In the order of the course, which is the order in which an exam asks."""

EVENING = {"gpu": 2, "layout": 3}
"""So many questions of the first evening (lessons 00 to 02) are in every exam: a third of fifteen."""

ALWAYS = ("coalescing", "banks", "swizzle", "composition", "tiling", "tensor_core")
"""One question of each of these topics is in every exam ..."""

SOME, HOW_MANY = ("thread_map", "inverse", "partition", "pipeline", "hopper", "kernel"), 4
"""... and one of each of so many of these."""
