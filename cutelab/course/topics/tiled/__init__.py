"""Topic "tiled": who holds what in a TiledCopy and a TiledMMA. The face over knobs <- model <- words <- card."""

from cutelab.course.topics.tiled.card import panels
from cutelab.course.topics.tiled.knobs import TiledParams as Params
from cutelab.course.topics.tiled.model import compute, probe

__all__ = ["Params", "compute", "panels", "probe"]
