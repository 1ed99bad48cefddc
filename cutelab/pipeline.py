"""The pipeline under its short name: `cycles_a_tile` is the model in one line, `cutelab.hardware.pipeline` says how it was found."""

from cutelab.hardware.occupancy import Occupancy, occupancy
from cutelab.hardware.pipeline import H200_LOOPS, LOOPS, Pipeline, Timeline, cycles_a_tile

__all__ = ["H200_LOOPS", "LOOPS", "Occupancy", "Pipeline", "Timeline", "cycles_a_tile", "occupancy"]
