"""What one warp's access becomes: shared-memory wavefronts and global-memory sectors, as the hardware counts them.

    chip.py        Chip, H200, Address: banks, words, sectors, lines, limits: the one place of these numbers
    access.py      WarpAccess: the addresses of 32 lanes (or of a batch of warps), checked
    rules.py       how many wavefronts: groups of lanes, distinct words in a bank
    wavefronts.py  Wavefronts: the counts, and which lane meets which in which bank
    sectors.py     Sectors: the counts, and which lines
    ldmatrix.py    LdMatrix, StMatrix: which lane gives which address, and gets or gives what
    span.py        the swizzle of 32, 64 or 128 bytes that the copy unit and the matrix unit apply to addresses
    tma.py         TmaTile, tma_boxes: the tile that the copy unit writes, byte for byte
    descriptor.py  MatrixDescriptor, UmmaDescriptor, descriptor_of: 64 bits, and the addresses that they say
    tensor_memory.py  TmemLoad: which thread receives which cell of Blackwell's tensor memory
    pipeline.py    Pipeline, cycles_a_tile: tiles through shared memory into the Tensor Core, who waits for whom
    occupancy.py   occupancy: blocks of a multiprocessor
    measured/      what an H200's counters read, and what its copy unit, descriptors and loops did

The rules were fitted to hardware counters of an NVIDIA H200, one warp and one instruction at a time; they hold on every
pattern in `cutelab.hardware.measured`. Not modelled, and refused: what cp.async and bulk copies cost in shared memory,
compare-and-swap, 8-byte atomics, im2col, multicast, gather and scatter.
"""

from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import AMD_LDS, CHIPS, H200, Address, Chip
from cutelab.hardware.descriptor import MatrixDescriptor, UmmaDescriptor, descriptor_of
from cutelab.hardware.ldmatrix import LdMatrix, StMatrix
from cutelab.hardware.occupancy import Occupancy, occupancy
from cutelab.hardware.pipeline import Pipeline, Timeline, cycles_a_tile
from cutelab.hardware.sectors import Sectors, sectors
from cutelab.hardware.tensor_memory import TmemLoad
from cutelab.hardware.tma import TmaBoxes, TmaTile, tma_boxes
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

__all__ = [
    "AMD_LDS",
    "CHIPS",
    "H200",
    "Address",
    "Chip",
    "LdMatrix",
    "MatrixDescriptor",
    "Occupancy",
    "Pipeline",
    "Sectors",
    "StMatrix",
    "Timeline",
    "TmaBoxes",
    "TmaTile",
    "TmemLoad",
    "UmmaDescriptor",
    "WarpAccess",
    "Wavefronts",
    "cycles_a_tile",
    "descriptor_of",
    "occupancy",
    "sectors",
    "tma_boxes",
    "wavefronts",
]
