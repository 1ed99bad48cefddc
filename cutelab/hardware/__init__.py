"""What one warp's access becomes: shared-memory wavefronts and global-memory sectors, as the hardware counts them.

    chip.py        Chip, H200, Address: banks, words, sectors, lines, limits: the one place of these numbers
    access.py      WarpAccess: the addresses of 32 lanes (or of a batch of warps), checked
    rules.py       how many wavefronts: groups of lanes, distinct words in a bank
    wavefronts.py  Wavefronts: the counts, and which lane meets which in which bank
    sectors.py     Sectors: the counts, and which lines
    ldmatrix.py    LdMatrix: which lane gives which address, and gets what
    pipeline.py    Pipeline: tiles through shared memory into the Tensor Core, who waits for whom
    measured/      what an H200's counters read

The rules were fitted to hardware counters of an NVIDIA H200, one warp and one instruction at a time; they hold on every
pattern in `cutelab.hardware.measured`. Not modelled, and refused: cp.async, compare-and-swap, 8-byte atomics, bulk copies.
"""

from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import AMD_LDS, CHIPS, H200, Address, Chip
from cutelab.hardware.sectors import Sectors, sectors
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

__all__ = [
    "AMD_LDS",
    "CHIPS",
    "H200",
    "Address",
    "Chip",
    "Sectors",
    "WarpAccess",
    "Wavefronts",
    "sectors",
    "wavefronts",
]
