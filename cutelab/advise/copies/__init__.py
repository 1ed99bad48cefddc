"""From layouts to accesses: how a warp loads a fragment, how a tile is copied, and what it costs.

    fragment.py  fragment_loads, fragment_stores: every way to load or store an operand; tensor_core_fixes
    vector.py    vector_copy: the widest copy between two layouts

What cp.async and bulk copies cost on the shared side is not modelled, and counted nowhere here.
"""

from cutelab.advise.copies.fragment import (
    FragmentLoad,
    FragmentStore,
    fragment_loads,
    fragment_stores,
    tensor_core_fixes,
)
from cutelab.advise.copies.vector import VectorCopy, vector_copy

__all__ = [
    "FragmentLoad",
    "FragmentStore",
    "VectorCopy",
    "fragment_loads",
    "fragment_stores",
    "tensor_core_fixes",
    "vector_copy",
]
