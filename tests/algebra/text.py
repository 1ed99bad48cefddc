"""Read the argument texts of the golden tables: layouts, tilers `<4:1;8>`, C++ element types."""

import re
from typing import Any

from cutelab import Layout, composition, parse_layout, zipped_divide
from cutelab import algebra as ops

BITS = {"half_t": 16, "float": 32}


def bits(name: str) -> int:
    """How many bits has a C++ type such as uint16_t?"""
    return BITS.get(name) or int(re.search(r"\d+", name).group())


def tiler(text: str) -> Any:
    """`<4:1;8>` as a tuple, `4:1` as a layout, `4` or `(4,8)` as a shape; d marks a dynamic integer."""
    text = text.replace("d", "")
    if text.startswith("<"):
        return tuple(tiler(part) for part in text[1:-1].split(";"))
    parsed = parse_layout(text)
    return parsed if ":" in text else parsed.shape


def run(case: dict[str, Any]) -> Any:
    """The result of one case of cute_ops.json."""
    op, (first, *rest) = case["op"], case["args"]
    layout = tiler(first)
    numbers = [int(n) for n in re.findall(r"\d+", op)]
    if op == "coalesce":
        return ops.coalesce(layout, (1, 1)) if rest else ops.coalesce(layout)
    if op == "filter":
        return ops.filter_layout(layout)
    if op.startswith("group_modes"):
        return ops.group_modes(layout, *numbers)
    if op.startswith("select"):
        return ops.select(layout, *numbers)
    if op.startswith("with_shape"):
        return composition(layout, Layout(tuple(numbers)))
    if op.startswith("tile_to_shape"):
        return ops.tile_to_shape(layout, tiler(rest[0]), tuple(numbers))
    if op == "blocked_product then tile":
        return zipped_divide(ops.blocked_product(layout, tiler(rest[0])), (4, 8))
    if op == "recast_layout":
        return ops.recast_layout(layout, *map(bits, rest[0].split("->")))
    return getattr(ops, op)(layout, *map(tiler, rest))
