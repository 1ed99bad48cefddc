"""Which padding, swizzle or copy is best?

    conflict_free/  Fix, TileAccess, conflict_free: every padding and swizzle of a tile, counted and ranked
    copies/         fragment_loads, fragment_stores, tensor_core_fixes, vector_copy: how a warp moves a fragment, how a tile is copied
    epilogue.py     epilogues: how a result gets out of the registers, straight or staged

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
from cutelab.advise.copies import (
    FragmentLoad,
    FragmentStore,
    VectorCopy,
    fragment_loads,
    fragment_stores,
    tensor_core_fixes,
    vector_copy,
)
from cutelab.advise.epilogue import Epilogue, Step, epilogues

__all__ = [
    "Epilogue",
    "Fix",
    "FragmentLoad",
    "FragmentStore",
    "Step",
    "TileAccess",
    "VectorCopy",
    "conflict_free",
    "epilogues",
    "fragment_loads",
    "fragment_stores",
    "ldmatrix_tile",
    "read_column",
    "read_row",
    "store_rows",
    "tensor_core_fixes",
    "vector_copy",
]
