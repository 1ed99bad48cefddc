"""Layouts and swizzles, their coordinates, their notation. Numbers only; numpy is all it needs.

errors.py     CuteLabError, and how a value is shown in its text
int_tuple.py  IntTuple and Int, the static integer
notation.py   the reader of CuTe's texts
swizzle.py    Swizzle
layout.py     Layout, ComposedLayout, as_layout, and the questions that every layout answers
printing.py   print_layout, print_inverse
queries.py    is it one-to-one, is it dense, which offsets stay empty?
formula.py    whole-number formulas in t
"""

from cutelab.core.coordinates import CoordLayout, CoordTensor, make_identity_layout, make_identity_tensor
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import Int, IntTuple
from cutelab.core.layout import (
    AnyLayout,
    ComposedLayout,
    Layout,
    LayoutLeft,
    LayoutRight,
    as_layout,
    compatible,
    congruent,
    cosize,
    crd2idx,
    depth,
    extended,
    flatten,
    idx2crd,
    offsets,
    parse_layout,
    rank,
    size,
    slice_and_offset,
)
from cutelab.core.printing import print_inverse, print_layout
from cutelab.core.queries import holes, is_contiguous, is_injective, is_surjective
from cutelab.core.swizzle import Swizzle, make_swizzle, parse_swizzle

__all__ = [
    "AnyLayout",
    "ComposedLayout",
    "CoordLayout",
    "CoordTensor",
    "CuteLabError",
    "Int",
    "IntTuple",
    "Layout",
    "LayoutLeft",
    "LayoutRight",
    "Swizzle",
    "as_layout",
    "compatible",
    "congruent",
    "cosize",
    "crd2idx",
    "depth",
    "extended",
    "flatten",
    "holes",
    "idx2crd",
    "is_contiguous",
    "is_injective",
    "is_surjective",
    "make_identity_layout",
    "make_identity_tensor",
    "make_swizzle",
    "offsets",
    "parse_layout",
    "parse_swizzle",
    "print_inverse",
    "print_layout",
    "rank",
    "size",
    "slice_and_offset",
]
