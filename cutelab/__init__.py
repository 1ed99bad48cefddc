"""cutelab: see and check where every byte goes in a GPU kernel.

CuTe layouts, swizzles, shared-memory banks and global-memory sectors, with pictures that follow the hand.

>>> from cutelab import Layout, offsets
>>> offsets(Layout((2, 4), (4, 1)))
array([[0, 1, 2, 3],
       [4, 5, 6, 7]])
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cutelab.advise.conflict_free import TileAccess, conflict_free, ldmatrix_tile, read_column, read_row, store_rows
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
from cutelab.core import display
from cutelab.core.coordinates import CoordLayout, CoordTensor, make_identity_layout, make_identity_tensor
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import (
    ComposedLayout,
    Layout,
    LayoutLeft,
    LayoutRight,
    compatible,
    congruent,
    cosize,
    crd2idx,
    depth,
    extended,
    flatten,
    idx2crd,
    offsets,
    parse_layout,
    rank,
    size,
    slice_and_offset,
)
from cutelab.core.printing import print_inverse, print_layout
from cutelab.core.queries import holes, is_contiguous, is_injective, is_surjective
from cutelab.core.swizzle import Swizzle, make_swizzle, parse_swizzle
from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.measured import measured, measured_kernels

if TYPE_CHECKING:
    from cutelab.advise.copies import fragment_loads, tensor_core_cures, tensor_core_fixes, vector_copy
    from cutelab.advise.cost import cost, free_both, mma_cost
    from cutelab.advise.recommend import recommend_copy
    from cutelab.cutlass.atoms import (
        copy_atom,
        copy_atoms,
        mma_atom,
        mma_atoms,
        parse_mma_atom,
        smem_atom,
        smem_atoms,
        tmem_layout,
    )
    from cutelab.cutlass.matrix_layouts import matrix_layout, visualize_layout
    from cutelab.cutlass.names import explain_names
    from cutelab.cutlass.reading import read, reading
    from cutelab.cutlass.strips import StripThreadMap
    from cutelab.cutlass.thread_map import (
        PitchLinear2DThreadTileStripminedThreadMap,
        PitchLinearCoord,
        PitchLinearShape,
        PitchLinearStridedWarpRakedThreadMap,
        PitchLinearStripminedThreadMap,
        PitchLinearTilePolicyStripminedThreadContiguous,
        PitchLinearTilePolicyStripminedThreadStrided,
        PitchLinearWarpRakedThreadMap,
        PitchLinearWarpStripedThreadMap,
        TransposePitchLinearThreadMap,
        TransposePitchLinearThreadMap2DThreadTile,
        TransposePitchLinearThreadMapSimt,
        parse_thread_map,
        walk_tiles,
    )
    from cutelab.cutlass.tv import (
        TiledCopy,
        TiledMMA,
        local_partition,
        local_tile,
        make_layout_tv,
        make_tiled_copy,
        make_tiled_copy_A,
        make_tiled_copy_B,
        make_tiled_copy_C,
        make_tiled_mma,
        owners,
        partition,
        predicate,
        registers,
        tv_inverse,
    )
    from cutelab.hardware.descriptor import MatrixDescriptor, UmmaDescriptor, descriptor_of
    from cutelab.hardware.ldmatrix import LdMatrix, StMatrix
    from cutelab.hardware.pipeline import Pipeline
    from cutelab.hardware.tma import TmaTile, tma_boxes

__version__ = "0.1.0"

_LATER = {
    "cutlass.matrix_layouts": (
        "matrix_layout",
        "visualize_layout",
    ),
    "cutlass.strips": ("StripThreadMap",),
    "cutlass.thread_map": (
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
    ),
    "cutlass.atoms": (
        "copy_atom",
        "copy_atoms",
        "mma_atom",
        "mma_atoms",
        "parse_mma_atom",
        "smem_atom",
        "smem_atoms",
        "tmem_layout",
    ),
    "advise.copies": (
        "fragment_loads",
        "tensor_core_cures",  # the older name of:
        "tensor_core_fixes",
        "vector_copy",
    ),
    "hardware.descriptor": ("MatrixDescriptor", "UmmaDescriptor", "descriptor_of"),
    "hardware.ldmatrix": ("LdMatrix", "StMatrix"),
    "hardware.pipeline": ("Pipeline",),
    "hardware.tma": ("TmaTile", "tma_boxes"),
    "advise.cost": (
        "cost",
        "free_both",
        "mma_cost",
    ),
    "advise.recommend": ("recommend_copy",),
    "cutlass.names": ("explain_names",),
    "cutlass.reading": (
        "read",
        "reading",
    ),
    "cutlass.tv": (
        "TiledCopy",
        "TiledMMA",
        "local_partition",
        "local_tile",
        "make_layout_tv",
        "make_tiled_copy",
        "make_tiled_copy_A",
        "make_tiled_copy_B",
        "make_tiled_copy_C",
        "make_tiled_mma",
        "owners",
        "partition",
        "predicate",
        "registers",
        "tv_inverse",
    ),
}
"""Models that load when one of their names is first asked for: `import cutelab` stays light."""

__all__ = [
    "ComposedLayout",
    "CoordLayout",
    "CoordTensor",
    "CuteLabError",
    "Layout",
    "LayoutLeft",
    "LayoutRight",
    "LdMatrix",
    "MatrixDescriptor",
    "Pipeline",
    "PitchLinear2DThreadTileStripminedThreadMap",
    "PitchLinearCoord",
    "PitchLinearShape",
    "PitchLinearStridedWarpRakedThreadMap",
    "PitchLinearStripminedThreadMap",
    "PitchLinearTilePolicyStripminedThreadContiguous",
    "PitchLinearTilePolicyStripminedThreadStrided",
    "PitchLinearWarpRakedThreadMap",
    "PitchLinearWarpStripedThreadMap",
    "StMatrix",
    "StripThreadMap",
    "Swizzle",
    "TileAccess",
    "TiledCopy",
    "TiledMMA",
    "TmaTile",
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
    "copy_atom",
    "copy_atoms",
    "cosize",
    "cost",
    "crd2idx",
    "depth",
    "descriptor_of",
    "downcast",
    "explain",
    "explain_names",
    "extended",
    "filter_layout",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "flatten",
    "fragment_loads",
    "free_both",
    "group_modes",
    "holes",
    "idx2crd",
    "is_contiguous",
    "is_injective",
    "is_surjective",
    "ldmatrix_tile",
    "left_inverse",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "make_identity_layout",
    "make_identity_tensor",
    "make_layout_tv",
    "make_swizzle",
    "make_tiled_copy",
    "make_tiled_copy_A",
    "make_tiled_copy_B",
    "make_tiled_copy_C",
    "make_tiled_mma",
    "matrix_layout",
    "max_common_layout",
    "max_common_vector",
    "measured",
    "measured_kernels",
    "mma_atom",
    "mma_atoms",
    "mma_cost",
    "offsets",
    "owners",
    "parse_layout",
    "parse_mma_atom",
    "parse_swizzle",
    "parse_thread_map",
    "partition",
    "predicate",
    "print_inverse",
    "print_layout",
    "raked_product",
    "rank",
    "read",
    "read_column",
    "read_row",
    "reading",
    "recast_layout",
    "recommend_copy",
    "registers",
    "right_inverse",
    "sectors",
    "select",
    "size",
    "slice_and_offset",
    "smem_atom",
    "smem_atoms",
    "store_rows",
    "tensor_core_fixes",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "tma_boxes",
    "tmem_layout",
    "tv_inverse",
    "upcast",
    "vector_copy",
    "visualize_layout",
    "walk_tiles",
    "wavefronts",
    "zipped_divide",
    "zipped_product",
]


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"cutelab.{module}"), name)
            return value
    raise AttributeError(f"module 'cutelab' has no attribute {name!r}")


def _painter() -> Any:
    """What draws the library's results: the course, loaded when a picture is asked for."""
    return import_module("cutelab.course.topics.trace.show")


display.find_painter = _painter


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
