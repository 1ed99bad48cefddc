"""From layouts to accesses: how a warp loads a fragment, how a tile is copied, and what it costs.

    fragment.py  fragment_loads: every way to load an operand from shared memory; tensor_core_fixes
    vector.py    vector_copy: the widest copy between two layouts

What cp.async and bulk copies cost on the shared side is not modelled, and counted nowhere here.
"""

from cutelab.advise.copies.fragment import FragmentLoad, fragment_loads, tensor_core_fixes
from cutelab.advise.copies.vector import VectorCopy, vector_copy

tensor_core_cures = tensor_core_fixes
"""The older name, for notebooks that were saved with it."""

__all__ = ["FragmentLoad", "VectorCopy", "fragment_loads", "tensor_core_fixes", "vector_copy"]
