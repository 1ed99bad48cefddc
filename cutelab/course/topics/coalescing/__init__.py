"""Topic "coalescing": one warp's access to global memory, as lines cut into sectors.

knobs <- model <- lines, words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.coalescing.card import panels
from cutelab.course.topics.coalescing.knobs import CoalescingParams as Params
from cutelab.course.topics.coalescing.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
