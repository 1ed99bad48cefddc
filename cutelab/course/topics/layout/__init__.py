"""Topic "layout": a layout as a grid of offsets, and memory itself: what lives at each offset.

knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.layout.card import panels
from cutelab.course.topics.layout.knobs import LayoutParams as Params
from cutelab.course.topics.layout.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
