"""Topic "tma": a box of a matrix that the copy unit writes into shared memory; which piece of 16 bytes lies where.

knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.tma.card import panels
from cutelab.course.topics.tma.knobs import TmaParams as Params
from cutelab.course.topics.tma.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
