"""Topic "thread_map": which thread of a CUTLASS 2.x thread map touches which element of a tile, in which order, at what cost.

typed, cost <- knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.thread_map.card import panels
from cutelab.course.topics.thread_map.knobs import ThreadMapParams as Params
from cutelab.course.topics.thread_map.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
