"""CUTLASS's own classes: thread maps, matrix layouts, atoms, thread-value layouts.

    atoms/           matrix instructions and the layouts they want, by CUTLASS's names
    matrix_layouts/  the layouts of CUTLASS 2.x
    thread_map/      which thread touches which elements of a tile
    tv/              thread-value layouts, tiled copies and MMAs
    reading/         read: the text of anything that CuTe names gives the object; tensor.py Tensor
    names.py         explain_names: what tCsA says
    strips.py        StripThreadMap, a simplified formula under its own name

Each room has the list of its names; here they are together.
"""

from cutelab.cutlass import atoms, matrix_layouts, thread_map, tv
from cutelab.cutlass import reading as _reading
from cutelab.cutlass.atoms import *
from cutelab.cutlass.matrix_layouts import *
from cutelab.cutlass.names import explain_names
from cutelab.cutlass.reading import *
from cutelab.cutlass.strips import StripThreadMap
from cutelab.cutlass.thread_map import *
from cutelab.cutlass.tv import *

__all__ = ["StripThreadMap", "explain_names"]
__all__ += atoms.__all__
__all__ += matrix_layouts.__all__
__all__ += thread_map.__all__
__all__ += tv.__all__
__all__ += _reading.__all__
