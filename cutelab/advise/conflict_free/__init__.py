"""Which padding or swizzle frees a tile of bank conflicts?

    tile_access.py  TileAccess and its makers: which elements the lanes touch
    fix.py          Fix: one padding or swizzle, its counts, its price, its text
    search.py       conflict_free: all of them tried and ranked

It counts with `cutelab.hardware`; the chip is the one that the accesses name.
"""

from cutelab.advise.conflict_free.fix import Fix
from cutelab.advise.conflict_free.search import conflict_free
from cutelab.advise.conflict_free.tile_access import TileAccess, ldmatrix_tile, read_column, read_row, store_rows

__all__ = ["Fix", "TileAccess", "conflict_free", "ldmatrix_tile", "read_column", "read_row", "store_rows"]
