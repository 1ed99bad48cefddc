"""What CUTLASS's example 03_visualize_layout prints: the inverse map, in the order of memory."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from cutelab.core.errors import CuteLabError, shown
from cutelab.cutlass.matrix_layouts.layouts import matrix_layout

REGISTERED = (
    "PitchLinear",
    "ColumnMajor",
    "RowMajor",
    "ColumnMajorInterleaved<4>",
    "RowMajorInterleaved<4>",
    "TensorOpMultiplicand<1,256>",
    "TensorOpMultiplicand<1,512>",
    "TensorOpMultiplicand<1,1024>",
    "TensorOpMultiplicand<4,64>",
    "TensorOpMultiplicand<4,128>",
    "TensorOpMultiplicand<4,256>",
    "TensorOpMultiplicand<8,32>",
    "TensorOpMultiplicand<8,64>",
    "TensorOpMultiplicand<8,128>",
    "TensorOpMultiplicand<16,32>",
    "TensorOpMultiplicand<16,64>",
    "TensorOpMultiplicand<32,16>",
    "TensorOpMultiplicand<32,32>",
    "TensorOpMultiplicandCongruous<32,32>",
    "TensorOpMultiplicandCongruous<64,16>",
    "TensorOpMultiplicandCongruous<128,4>",
    "TensorOpMultiplicandCrosswise<128,4>",
    "TensorOpMultiplicand64bCrosswise",
    "VoltaTensorOpMultiplicandCongruous<16>",
    "VoltaTensorOpMultiplicandCrosswise<16,32>",
)
"""The 25 names that the example knows, letter for letter."""


def visualize_layout(
    name: str, extent: Any = (32, 8), stride: Any = None, *, output_shape: Any = (16, 8), vectorize: int = 1
) -> str:
    """What does `03_visualize_layout NAME --extent= --stride= --output-shape= --vectorize=` print?

    The cells are consecutive offsets in memory; the text in a cell is the coordinate stored there, blank for padding. The example
    knows 25 names only (`REGISTERED`), letter for letter; for every other layout use `matrix_layout(...).print_inverse()`.
    Raises CuteLabError for another name, as the example does.

    >>> print(visualize_layout("RowMajor", (4, 2), output_shape=(2, 4)), end="")
    (0, 0)|(0, 1)
    (1, 0)|(1, 1)
    (2, 0)|(2, 1)
    (3, 0)|(3, 1)
    """
    if not isinstance(name, str) or name not in REGISTERED:
        near = get_close_matches(name[:200] if isinstance(name, str) else "", REGISTERED, 3, 0.3)
        raise CuteLabError(
            f"Layout {shown(name)} not supported. Example 03 registers 25 names, letter for letter"
            + (f"; near this one: {', '.join(near)}" if near else "")
            + ". For other layouts use matrix_layout(name, extent).print_inverse()"
        )
    if not isinstance(extent, tuple | list) or len(extent) != 2:
        given = len(extent) if isinstance(extent, tuple | list) else 1
        raise CuteLabError(f"--extent must have rank 2 (given: {given}); for example (32, 8)")
    return matrix_layout(name, extent, stride).print_inverse(output_shape, vectorize)
