"""cutelab: see and check where every byte goes in a GPU kernel.

CuTe layouts, swizzles, shared-memory banks and global-memory sectors, with pictures that follow the hand.

>>> from cutelab import Layout, offsets
>>> offsets(Layout((2, 4), (4, 1)))
array([[0, 1, 2, 3],
       [4, 5, 6, 7]])
"""

from cutelab.algebra import (
    blocked_product,
    coalesce,
    complement,
    composition,
    downcast,
    explain,
    filter_layout,
    filter_zeros,
    flat_divide,
    flat_product,
    group_modes,
    left_inverse,
    logical_divide,
    logical_product,
    max_common_layout,
    max_common_vector,
    raked_product,
    recast_layout,
    right_inverse,
    select,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    upcast,
    zipped_divide,
    zipped_product,
)
from cutelab.composed import ComposedLayout, parse_layout
from cutelab.conflict_free import TileAccess, conflict_free, ldmatrix_tile, read_column, read_row, store_rows
from cutelab.data import measured
from cutelab.errors import CuteLabError
from cutelab.int_tuple import crd2idx, idx2crd
from cutelab.layout import (
    Layout,
    LayoutLeft,
    LayoutRight,
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
    "MatrixLayout",
    "PitchLinear2DThreadTileStripminedThreadMap",
    "PitchLinearCoord",
    "PitchLinearShape",
    "PitchLinearStridedWarpRakedThreadMap",
    "PitchLinearStripminedThreadMap",
    "PitchLinearTilePolicyStripminedThreadContiguous",
    "PitchLinearTilePolicyStripminedThreadStrided",
    "PitchLinearWarpRakedThreadMap",
    "PitchLinearWarpStripedThreadMap",
    "StripThreadMap",
    "Swizzle",
    "TileAccess",
    "TransposePitchLinearThreadMap",
    "TransposePitchLinearThreadMap2DThreadTile",
    "TransposePitchLinearThreadMapSimt",
    "WarpAccess",
    "blocked_product",
    "coalesce",
    "compatible",
    "complement",
    "composition",
    "conflict_free",
    "congruent",
    "cosize",
    "crd2idx",
    "depth",
    "downcast",
    "explain",
    "filter_layout",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "flatten",
    "group_modes",
    "holes",
    "idx2crd",
    "is_contiguous",
    "is_injective",
    "is_surjective",
    "ldmatrix_tile",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "make_swizzle",
    "matrix_layout",
    "max_common_layout",
    "max_common_vector",
    "measured",
    "offsets",
    "parse_layout",
    "parse_swizzle",
    "parse_thread_map",
    "print_inverse",
    "print_layout",
    "raked_product",
    "rank",
    "read_column",
    "read_row",
    "recast_layout",
    "right_inverse",
    "sectors",
    "select",
    "size",
    "slice_and_offset",
    "store_rows",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "upcast",
    "visualize_layout",
    "walk_tiles",
    "wavefronts",
    "zipped_divide",
    "zipped_product",
]
