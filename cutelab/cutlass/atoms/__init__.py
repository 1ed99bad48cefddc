"""Matrix instructions and the memory layouts that they want, by CUTLASS's names.

atom.py   MmaAtom: one instruction, who holds what; and the reader of CuTe's printed text
mma.py    mma_atom, mma_atoms: from names to layouts
rules.py  the rules behind the layouts
types.py  element types
copy.py   CopyAtom, copy_atom: copy instructions, who holds which bit
smem.py   smem_atom: the shared-memory layouts of WGMMA and UMMA; tensor memory
"""

from cutelab.cutlass.atoms.atom import MmaAtom, parse_mma_atom
from cutelab.cutlass.atoms.copy import CopyAtom, copy_atom, copy_atoms
from cutelab.cutlass.atoms.mma import mma_atom, mma_atoms
from cutelab.cutlass.atoms.smem import SmemAtom, smem_atom, smem_atoms, tmem_layout

__all__ = [
    "CopyAtom",
    "MmaAtom",
    "SmemAtom",
    "copy_atom",
    "copy_atoms",
    "mma_atom",
    "mma_atoms",
    "parse_mma_atom",
    "smem_atom",
    "smem_atoms",
    "tmem_layout",
]
