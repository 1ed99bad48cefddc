"""Which padding, swizzle or copy is best?

    conflict_free/  Fix, TileAccess, conflict_free: every padding and swizzle of a tile, counted and ranked
    copies/         fragment_loads, fragment_stores, tensor_core_fixes, vector_copy: how a warp moves a fragment, how a tile is copied
    epilogue.py     epilogues: how a result gets out of the registers, straight or staged
    cost.py         cost, operand_cost, fixes_for: what a TiledCopy or an operand's load costs, and what frees both
    recommend.py    recommend_copy: a TiledCopy and a 2.x thread map for a tile, best first

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
from cutelab.advise.cost import Cost, Side, cost, fixes_for, operand_cost
from cutelab.advise.epilogue import Epilogue, Step, epilogues
from cutelab.advise.recommend import Recommendation, recommend_copy

__all__ = [
    "Cost",
    "Epilogue",
    "Fix",
    "FragmentLoad",
    "FragmentStore",
    "Recommendation",
    "Side",
    "Step",
    "TileAccess",
    "VectorCopy",
    "conflict_free",
    "cost",
    "epilogues",
    "fixes_for",
    "fragment_loads",
    "fragment_stores",
    "ldmatrix_tile",
    "operand_cost",
    "read_column",
    "read_row",
    "recommend_copy",
    "store_rows",
    "tensor_core_fixes",
    "vector_copy",
]
