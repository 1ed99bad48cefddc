"""Layouts and shapes as code to copy: CuTe C++ and Python."""

from __future__ import annotations

from cutelab.core.composed import ComposedLayout
from cutelab.core.int_tuple import IntTuple
from cutelab.core.layout import Layout
from cutelab.core.notation import print_type
from cutelab.core.swizzle import Swizzle


def cpp_type(layout: Layout) -> str:
    """The C++ type of a layout.

    >>> cpp_type(Layout((4, 2), (2, 1)))
    'Layout<Shape<_4,_2>,Stride<_2,_1>>'
    """
    return print_type(layout.shape, layout.stride)


def cpp_shape(shape: IntTuple) -> str:
    """A shape as a C++ value: Int<24>{}, Shape<_4,_6>{}."""
    if isinstance(shape, tuple):
        return print_type(shape, shape).removeprefix("Layout<").partition(",Stride")[0] + "{}"
    return f"Int<{shape}>{{}}"


def cpp_swizzle(swizzle: Swizzle) -> str:
    """A swizzle's C++ type: Swizzle<3,4,3>."""
    return str(swizzle).replace("Sw", "Swizzle")


def cpp_value(layout: Layout | ComposedLayout, *, offset: bool = True) -> str:
    """The layout as a C++ value; a composed one through `composition`, its offset in the middle unless it is 0 and not wanted.

    >>> cpp_value(ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1))), offset=False)
    'composition(Swizzle<3,0,3>{}, Layout<Shape<_8,_8>,Stride<_8,_1>>{})'
    """
    if isinstance(layout, Layout):
        return cpp_type(layout) + "{}"
    middle = f"Int<{layout.offset}>{{}}, " if offset or layout.offset else ""
    outer = layout.outer
    first = cpp_swizzle(outer) + "{}" if isinstance(outer, Swizzle) else cpp_value(outer)
    return f"composition({first}, {middle}{cpp_value(layout.inner)})"


def python_value(value: IntTuple) -> str:
    """A shape or a stride as Python writes it: (2, 3), (4,)."""
    if isinstance(value, tuple):
        return "(" + ", ".join(map(python_value, value)) + ("," if len(value) == 1 else "") + ")"
    return str(value)
