"""The thread maps of CUTLASS 2.x: which thread touches which elements of a tile, in which order.

>>> from cutelab.cutlass.thread_map import PitchLinearShape, PitchLinearWarpRakedThreadMap
>>> raked = PitchLinearWarpRakedThreadMap(PitchLinearShape(64, 32), 128, PitchLinearShape(8, 4), 8)
>>> raked.initial_offset(33), raked.accesses()[33].tolist()
(PitchLinearCoord(contiguous=8, strided=8), [[8, 8], [8, 12]])
"""

from cutelab.cutlass.pitch_linear import Coverage, PitchLinearCoord, PitchLinearShape
from cutelab.cutlass.thread_map.base import ThreadMap
from cutelab.cutlass.thread_map.reader import THREAD_MAPS, parse_thread_map
from cutelab.cutlass.thread_map.stripmined import (
    PitchLinear2DThreadTileStripminedThreadMap,
    PitchLinearStripminedThreadMap,
    PitchLinearTilePolicyStripminedThreadContiguous,
    PitchLinearTilePolicyStripminedThreadStrided,
)
from cutelab.cutlass.thread_map.transposed import (
    TransposePitchLinearThreadMap,
    TransposePitchLinearThreadMap2DThreadTile,
    TransposePitchLinearThreadMapSimt,
)
from cutelab.cutlass.thread_map.walk import TileStep, walk_tiles
from cutelab.cutlass.thread_map.warps import (
    PitchLinearStridedWarpRakedThreadMap,
    PitchLinearWarpRakedThreadMap,
    PitchLinearWarpStripedThreadMap,
)

__all__ = [
    "THREAD_MAPS",
    "Coverage",
    "PitchLinear2DThreadTileStripminedThreadMap",
    "PitchLinearCoord",
    "PitchLinearShape",
    "PitchLinearStridedWarpRakedThreadMap",
    "PitchLinearStripminedThreadMap",
    "PitchLinearTilePolicyStripminedThreadContiguous",
    "PitchLinearTilePolicyStripminedThreadStrided",
    "PitchLinearWarpRakedThreadMap",
    "PitchLinearWarpStripedThreadMap",
    "ThreadMap",
    "TileStep",
    "TransposePitchLinearThreadMap",
    "TransposePitchLinearThreadMap2DThreadTile",
    "TransposePitchLinearThreadMapSimt",
    "parse_thread_map",
    "walk_tiles",
]
