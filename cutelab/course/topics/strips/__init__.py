"""Topic "strips": the strip formula of a published article: which thread works where, what that misses, what it costs.

knobs <- model <- rows <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.strips.card import panels
from cutelab.course.topics.strips.knobs import StripsParams as Params
from cutelab.course.topics.strips.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
