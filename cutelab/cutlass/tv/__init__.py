"""Thread-value layouts: who holds what in a tile, and tiles made of many atoms.

thread_value.py  make_layout_tv, owners, registers, tv_inverse, partition, local_partition
tiled.py         TiledCopy, TiledMMA
"""

from cutelab.cutlass.tv.thread_value import (
    Owners,
    local_partition,
    make_layout_tv,
    owners,
    partition,
    registers,
    tv_inverse,
)
from cutelab.cutlass.tv.tiled import TiledCopy, TiledMMA

__all__ = [
    "Owners",
    "TiledCopy",
    "TiledMMA",
    "local_partition",
    "make_layout_tv",
    "owners",
    "partition",
    "registers",
    "tv_inverse",
]
