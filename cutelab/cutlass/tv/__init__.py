"""Thread-value layouts: who holds what in a tile, tiles made of many atoms, and each thread's part.

thread_value.py  make_layout_tv, owners, registers, tv_inverse, partition
tiled_copy.py    TiledCopy, make_tiled_copy and its siblings
tiled_mma.py     TiledMMA, make_tiled_mma
local.py         local_tile, local_partition
predicate.py     predicate: what lies outside the tensor
thread_part.py   how a part is cut out, also under a swizzle
"""

from cutelab.cutlass.tv.local import local_partition, local_tile
from cutelab.cutlass.tv.predicate import Predicate, predicate
from cutelab.cutlass.tv.thread_part import fragment_like
from cutelab.cutlass.tv.thread_value import Owners, make_layout_tv, owners, partition, registers, tv_inverse
from cutelab.cutlass.tv.tiled_copy import (
    TiledCopy,
    make_tiled_copy,
    make_tiled_copy_A,
    make_tiled_copy_B,
    make_tiled_copy_C,
)
from cutelab.cutlass.tv.tiled_mma import TiledMMA, make_tiled_mma

__all__ = [
    "Owners",
    "Predicate",
    "TiledCopy",
    "TiledMMA",
    "fragment_like",
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
]
