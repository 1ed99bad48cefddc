"""Topic "kernel": a transpose or a matrix product, its accesses predicted from the layout, and what a GPU measured.

knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.kernel.card import panels
from cutelab.course.topics.kernel.knobs import KernelParams as Params
from cutelab.course.topics.kernel.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
