"""The algebra of layouts: coalesce, composition, complement, inverses, divides, products, recasts, and why they hold.

Every result is checked against its definition, or refused with the rule, the numbers and what would be admissible.
"""

from cutelab.algebra.build import append, compact_order, make_ordered_layout, nullspace, prepend, replace
from cutelab.algebra.common import max_common_layout, max_common_vector
from cutelab.algebra.compose import composition
from cutelab.algebra.divide import flat_divide, logical_divide, tiled_divide, zipped_divide
from cutelab.algebra.exact import layout_of
from cutelab.algebra.explain import explain
from cutelab.algebra.inverse import complement, left_inverse, right_inverse
from cutelab.algebra.product import (
    blocked_product,
    flat_product,
    logical_product,
    raked_product,
    tile_to_shape,
    tiled_product,
    zipped_product,
)
from cutelab.algebra.recast import downcast, recast_layout, upcast
from cutelab.algebra.simplify import coalesce, filter_layout, filter_zeros, group_modes, select

__all__ = [
    "append",
    "blocked_product",
    "coalesce",
    "compact_order",
    "complement",
    "composition",
    "downcast",
    "explain",
    "filter_layout",
    "filter_zeros",
    "flat_divide",
    "flat_product",
    "group_modes",
    "layout_of",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "make_ordered_layout",
    "max_common_layout",
    "max_common_vector",
    "nullspace",
    "prepend",
    "raked_product",
    "recast_layout",
    "replace",
    "right_inverse",
    "select",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "upcast",
    "zipped_divide",
    "zipped_product",
]
