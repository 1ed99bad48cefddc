"""Topic "banks": one warp's access to a tile in shared memory; which lane's word goes in which wavefront.

knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.banks.card import panels
from cutelab.course.topics.banks.knobs import BanksParams as Params
from cutelab.course.topics.banks.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
