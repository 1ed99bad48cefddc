"""Topic "tiling": a matrix cut into tiles, or made of copies of a block, with one tile picked and sliced.

tilers, cut <- knobs <- model <- words <- card. What the explorer needs of a topic: Params, compute, panels, probe.
"""

from cutelab.course.topics.tiling.card import panels
from cutelab.course.topics.tiling.knobs import TilingParams as Params
from cutelab.course.topics.tiling.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
