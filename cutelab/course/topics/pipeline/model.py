"""Tiles on their way through shared memory to the Tensor Core: when each is copied and multiplied, and who waits for whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.topics.pipeline.knobs import PipelineParams
from cutelab.hardware.pipeline import Pipeline, Timeline

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found: the Pipeline and its Timeline."""

    params: PipelineParams
    pipeline: Pipeline
    line: Timeline

    @property
    def cycles(self) -> float:
        """Cycles a tile, once the pipeline is full."""
        return self.pipeline.steady_state

    @property
    def bound(self) -> float:
        """The fewest cycles a tile, whatever the stages."""
        return self.pipeline.bound

    @property
    def waits(self) -> float:
        """Which part of the time does the Tensor Core stand still, once the pipeline is full?"""
        return 1 - self.pipeline.mma_cycles / self.pipeline.steady_state


def compute(params: PipelineParams) -> Result:
    """When is each tile copied and multiplied, and who waits for whom?"""
    pipeline = params.pipeline()
    return Result(params, pipeline, pipeline.timeline())


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this tile?"""
    tiles = result.params.tiles
    if not 0 <= cell < tiles:
        raise CuteLabError(f"there is no tile {cell}; the tiles are 0 to {tiles - 1}")
    return {"tile": cell}
