"""Topic "pipeline": tiles on their way through shared memory to the Tensor Core, as a timeline of who waits for whom.

knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.pipeline.card import panels
from cutelab.course.topics.pipeline.knobs import PipelineParams as Params
from cutelab.course.topics.pipeline.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
