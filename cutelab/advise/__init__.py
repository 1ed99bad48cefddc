"""Which padding, swizzle or copy is best?

    conflict_free/  Fix, TileAccess, conflict_free: every padding and swizzle of a tile, counted and ranked
    copies/         fragment_loads, fragment_stores, tensor_core_fixes, vector_copy: how a warp moves a fragment, how a tile is copied
    cost.py         cost, mma_cost, free_both: what a tiled copy costs on both sides, and what frees them
    recommend.py    recommend_copy: which tiled copy for a tile
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
from cutelab.advise.cost import CopyCost, Side, cost, free_both, mma_cost, tile_accesses
from cutelab.advise.epilogue import Epilogue, Step, epilogues
from cutelab.advise.recommend import CopyAdvice, recommend_copy

__all__ = [
    "CopyAdvice",
    "CopyCost",
    "Epilogue",
    "Fix",
    "FragmentLoad",
    "FragmentStore",
    "Side",
    "Step",
    "TileAccess",
    "VectorCopy",
    "conflict_free",
    "cost",
    "epilogues",
    "fragment_loads",
    "fragment_stores",
    "free_both",
    "ldmatrix_tile",
    "mma_cost",
    "read_column",
    "read_row",
    "recommend_copy",
    "store_rows",
    "tensor_core_fixes",
    "tile_accesses",
    "vector_copy",
]
