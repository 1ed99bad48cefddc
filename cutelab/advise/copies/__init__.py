"""From layouts to accesses: how a warp loads a fragment, how a tile is copied, and what it costs.

    fragment.py  fragment_loads: every way to load an operand from shared memory; tensor_core_cures
    vector.py    vector_copy: the widest copy between two layouts

Like `conflict_free` it asks several models at once, and stands half a floor above them.
"""

from cutelab.advise.copies.fragment import FragmentLoad, fragment_loads, tensor_core_cures
from cutelab.advise.copies.vector import VectorCopy, vector_copy

__all__ = ["FragmentLoad", "VectorCopy", "fragment_loads", "tensor_core_cures", "vector_copy"]
