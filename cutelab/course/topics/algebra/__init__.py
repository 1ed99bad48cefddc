"""Topic "algebra": one operation on layouts, with one coordinate followed through all its maps.

chain <- knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.algebra.card import panels
from cutelab.course.topics.algebra.knobs import AlgebraParams as Params
from cutelab.course.topics.algebra.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
