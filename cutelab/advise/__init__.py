"""Which padding, swizzle or copy is best?

    conflict_free/  Fix, TileAccess, conflict_free: every padding and swizzle of a tile, counted and ranked
    copies/         fragment_loads, tensor_core_fixes, vector_copy: how a warp loads a fragment, how a tile is copied

Everything is counted with the rules of `cutelab.hardware`. cp.async and bulk copies are not modelled, so nothing here counts them.
"""

from cutelab.advise.conflict_free import (
    Fix,
    TileAccess,
    conflict_free,
    ldmatrix_tile,
    read_column,
    read_row,
    store_rows,
)
from cutelab.advise.copies import FragmentLoad, VectorCopy, fragment_loads, tensor_core_fixes, vector_copy

__all__ = [
    "Fix",
    "FragmentLoad",
    "TileAccess",
    "VectorCopy",
    "conflict_free",
    "fragment_loads",
    "ldmatrix_tile",
    "read_column",
    "read_row",
    "store_rows",
    "tensor_core_fixes",
    "vector_copy",
]
