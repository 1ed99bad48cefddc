"""Topic "tensor_core": who holds what in a matrix instruction, and how it gets there from shared memory.

typed, load <- knobs <- model <- words, memory <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.tensor_core.card import panels
from cutelab.course.topics.tensor_core.knobs import TensorCoreParams as Params
from cutelab.course.topics.tensor_core.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
