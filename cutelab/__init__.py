"""cutelab: see and check where every byte goes in a GPU kernel.

CuTe layouts, swizzles, shared-memory banks and global-memory sectors, with pictures that follow the hand.

>>> from cutelab import Layout, offsets
>>> offsets(Layout((2, 4), (4, 1)))
array([[0, 1, 2, 3],
       [4, 5, 6, 7]])
"""

from cutelab.composed import ComposedLayout, parse_layout
from cutelab.conflict_free import TileAccess, conflict_free, ldmatrix_tile, read_column, read_row, store_rows
from cutelab.data import measured
from cutelab.errors import CuteLabError
from cutelab.int_tuple import crd2idx, idx2crd
from cutelab.layout import (
    Layout,
    LayoutLeft,
    LayoutRight,
    coalesce,
    compatible,
    congruent,
    cosize,
    depth,
    flatten,
    offsets,
    rank,
    size,
    slice_and_offset,
)
from cutelab.matrix_layouts import MatrixLayout, matrix_layout, visualize_layout
from cutelab.memory import WarpAccess, sectors, wavefronts
from cutelab.printing import print_inverse, print_layout
from cutelab.queries import holes, is_contiguous, is_injective, is_surjective
from cutelab.strips import StripThreadMap
from cutelab.swizzle import Swizzle, make_swizzle, parse_swizzle
from cutelab.thread_map import PitchLinear2DThreadTileStripminedThreadMap, PitchLinearCoord, PitchLinearShape, PitchLinearStridedWarpRakedThreadMap, PitchLinearStripminedThreadMap, PitchLinearTilePolicyStripminedThreadContiguous, PitchLinearTilePolicyStripminedThreadStrided, PitchLinearWarpRakedThreadMap, PitchLinearWarpStripedThreadMap, TransposePitchLinearThreadMap, TransposePitchLinearThreadMap2DThreadTile, TransposePitchLinearThreadMapSimt, parse_thread_map, walk_tiles

__version__ = "0.1.0"

__all__ = [
    "ComposedLayout",
    "CuteLabError",
    "Layout",
    "LayoutLeft",
    "LayoutRight",
    "Swizzle",
    "coalesce",
    "compatible",
    "congruent",
    "cosize",
    "crd2idx",
    "depth",
    "flatten",
    "holes",
    "idx2crd",
    "is_contiguous",
    "is_injective",
    "is_surjective",
    "make_swizzle",
    "offsets",
    "parse_layout",
    "parse_swizzle",
    "print_inverse",
    "print_layout",
    "rank",
    "size",
    "slice_and_offset",
    "TileAccess",
    "conflict_free",
    "ldmatrix_tile",
    "read_column",
    "read_row",
    "store_rows",
    "measured",
    "WarpAccess",
    "sectors",
    "wavefronts",
    "PitchLinear2DThreadTileStripminedThreadMap",
    "PitchLinearCoord",
    "PitchLinearShape",
    "PitchLinearStridedWarpRakedThreadMap",
    "PitchLinearStripminedThreadMap",
    "PitchLinearTilePolicyStripminedThreadContiguous",
    "PitchLinearTilePolicyStripminedThreadStrided",
    "PitchLinearWarpRakedThreadMap",
    "PitchLinearWarpStripedThreadMap",
    "TransposePitchLinearThreadMap",
    "TransposePitchLinearThreadMap2DThreadTile",
    "TransposePitchLinearThreadMapSimt",
    "parse_thread_map",
    "walk_tiles",
    "StripThreadMap",
    "MatrixLayout",
    "matrix_layout",
    "visualize_layout",
]
