"""The matrix layouts of CUTLASS 2.x by their C++ names: RowMajor, ...Interleaved<k>, TensorOpMultiplicand..., Volta...

>>> from cutelab.cutlass.matrix_layouts import matrix_layout
>>> matrix_layout("ColumnMajor", (4, 2), 8).offsets.tolist()
[[0, 8], [1, 9], [2, 10], [3, 11]]
"""

from cutelab.cutlass.matrix_layouts.equivalent import find_swizzle
from cutelab.cutlass.matrix_layouts.families import AFFINE, NAMES
from cutelab.cutlass.matrix_layouts.layouts import MatrixLayout, matrix_layout
from cutelab.cutlass.matrix_layouts.visualize import REGISTERED, visualize_layout

MATRIX_LAYOUTS = (*NAMES, *AFFINE)
"""The names that `matrix_layout` reads, without their parameters."""

__all__ = ["MATRIX_LAYOUTS", "REGISTERED", "MatrixLayout", "find_swizzle", "matrix_layout", "visualize_layout"]
