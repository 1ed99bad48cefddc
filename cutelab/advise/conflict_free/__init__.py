"""Which padding or swizzle frees a tile of bank conflicts?

    tile_access.py  TileAccess and its makers: which elements the lanes touch
    cure.py         Cure: one padding or swizzle, its counts, its price, its text
    search.py       conflict_free: all of them tried and ranked

Of the models on this floor this is the one that stands on another: it counts with `cutelab.memory`.
"""

from cutelab.advise.conflict_free.cure import Cure
from cutelab.advise.conflict_free.cure import Cure as Fix
from cutelab.advise.conflict_free.search import conflict_free
from cutelab.advise.conflict_free.tile_access import TileAccess, ldmatrix_tile, read_column, read_row, store_rows

__all__ = ["Cure", "Fix", "TileAccess", "conflict_free", "ldmatrix_tile", "read_column", "read_row", "store_rows"]
