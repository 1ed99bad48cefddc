"""Topic "descriptor": the 64 bits by which wgmma finds an operand in shared memory, and what it reads where they are wrong.

knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.descriptor.card import panels
from cutelab.course.topics.descriptor.knobs import DescriptorParams as Params
from cutelab.course.topics.descriptor.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
