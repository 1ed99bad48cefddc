"""What one warp's access becomes: shared-memory wavefronts and global-memory sectors, as the hardware counts them.

    access.py      WarpAccess: the addresses of 32 lanes (or of a batch of warps), checked
    rules.py       how many wavefronts: groups of lanes, distinct words in a bank
    wavefronts.py  Wavefronts: the counts, and which lane meets which in which bank
    sectors.py     Sectors: the counts, and which lines

The rules were fitted to hardware counters of an NVIDIA H200, one warp and one instruction at a time; they hold on every
pattern in `cutelab.data`. Not modelled, and refused: cp.async, compare-and-swap, 8-byte atomics, bulk copies.
"""

from cutelab.memory.access import WarpAccess
from cutelab.memory.sectors import Sectors, sectors
from cutelab.memory.wavefronts import Wavefronts, wavefronts

__all__ = ["Sectors", "WarpAccess", "Wavefronts", "sectors", "wavefronts"]
