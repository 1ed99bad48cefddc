"""cutelab: see and check where every byte goes in a GPU kernel.

CuTe layouts, swizzles, shared-memory banks and global-memory sectors, with pictures that follow the hand.

>>> from cutelab import Layout, offsets
>>> offsets(Layout((2, 4), (4, 1)))
array([[0, 1, 2, 3],
       [4, 5, 6, 7]])

Here stands CuTe's vocabulary. Everything else is listed by its room, and can be imported from `cutelab` too:

    cutelab.core       layouts, swizzles, questions about them, texts
    cutelab.algebra    composition, complement, inverses, divides, products, recasts, explain
    cutelab.hardware   a warp's access: wavefronts, sectors, chips, ldmatrix, TMA, pipelines, what was measured
    cutelab.cutlass    thread maps, matrix layouts, atoms, tiled copies and MMAs
    cutelab.advise     which padding, swizzle or copy is best
    cutelab.kernels    Numba kernels and their traces; cutelab.explore and cutelab.lessons are the course
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from cutelab.algebra import (
    blocked_product,
    coalesce,
    complement,
    composition,
    downcast,
    explain,
    flat_divide,
    flat_product,
    group_modes,
    left_inverse,
    logical_divide,
    logical_product,
    max_common_layout,
    max_common_vector,
    raked_product,
    recast_layout,
    right_inverse,
    select,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    upcast,
    zipped_divide,
    zipped_product,
)
from cutelab.core import (
    ComposedLayout,
    CuteLabError,
    Layout,
    LayoutLeft,
    LayoutRight,
    Swizzle,
    compatible,
    congruent,
    cosize,
    crd2idx,
    depth,
    flatten,
    idx2crd,
    offsets,
    parse_layout,
    print_layout,
    rank,
    size,
    slice_and_offset,
)
from cutelab.core import display as _display

if _TYPE_CHECKING:
    from cutelab.advise import *
    from cutelab.algebra import *
    from cutelab.core import *
    from cutelab.cutlass.atoms import *
    from cutelab.cutlass.matrix_layouts import *
    from cutelab.cutlass.reading import *
    from cutelab.cutlass.strips import StripThreadMap as StripThreadMap
    from cutelab.cutlass.thread_map import *
    from cutelab.cutlass.tv import *
    from cutelab.hardware import *
    from cutelab.hardware.measured import *

__version__ = "0.1.0"

__all__ = [
    "ComposedLayout",
    "CoordLayout",
    "CuteLabError",
    "Layout",
    "LayoutLeft",
    "LayoutRight",
    "Swizzle",
    "blocked_product",
    "coalesce",
    "compatible",
    "complement",
    "composition",
    "congruent",
    "cosize",
    "crd2idx",
    "depth",
    "downcast",
    "explain",
    "flat_divide",
    "flat_product",
    "flatten",
    "group_modes",
    "idx2crd",
    "left_inverse",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "make_identity_layout",
    "make_tiled_copy",
    "make_tiled_mma",
    "max_common_layout",
    "max_common_vector",
    "offsets",
    "parse_layout",
    "print_layout",
    "raked_product",
    "rank",
    "read",
    "recast_layout",
    "right_inverse",
    "select",
    "size",
    "slice_and_offset",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "upcast",
    "zipped_divide",
    "zipped_product",
]

_PARTS = (
    "advise",
    "algebra",
    "core",
    "cutlass",
    "draw",
    "explore",
    "hardware",
    "kernels",
    "lessons",
    "memory",
    "pipeline",
    "plans",
)
_ROOMS = ("core", "algebra", "hardware.measured", "hardware", "cutlass", "advise")
"""Whose lists of names can be imported from here; a room loads when one of its names is asked for."""


def __getattr__(name: str) -> object:
    if name in _PARTS:
        return _import_module(f"cutelab.{name}")
    if name == "picture":
        return _import_module("cutelab.explore").picture
    if name[:1] != "_":
        for room in _ROOMS:
            module = _import_module(f"cutelab.{room}")
            if name in module.__all__:
                value: object = getattr(module, name)
                globals()[name] = value
                return value
    raise AttributeError(f"module 'cutelab' has no attribute {name!r}")


def _painter() -> "_display.Painter":
    """What draws the library's results: the course, loaded when a picture is asked for."""
    painter: _display.Painter = _import_module("cutelab.course.topics.painter")
    return painter


_display.find_painter = _painter


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS, "__doc__", "__file__", "__name__", "__path__", "__version__"])
