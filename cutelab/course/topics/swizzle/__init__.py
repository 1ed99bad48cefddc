"""Topic "swizzle": a tile before and after Swizzle<B,M,S>, coloured by bank, and the bits of one offset.

typed <- knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.swizzle.card import panels
from cutelab.course.topics.swizzle.knobs import SwizzleParams as Params
from cutelab.course.topics.swizzle.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
