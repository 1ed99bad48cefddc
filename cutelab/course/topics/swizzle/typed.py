"""What may be typed in topic "swizzle": a swizzle, a tile, or a whole expression that holds both."""

from __future__ import annotations

from typing import Any

from cutelab.core import notation
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets, rank, size
from cutelab.core.swizzle import Swizzle, parse_swizzle
from cutelab.course.card.words import ELEMENTS

MAX_ELEMENTS = 2**16


def read_layout(value: Any) -> Layout | ComposedLayout:
    """The layout of a text or of itself, checked: two modes, not too large, no negative offset."""
    parsed = value if isinstance(value, Layout | ComposedLayout) else parse_layout(value)
    inner = parsed.inner if isinstance(parsed, ComposedLayout) else parsed
    if rank(inner) != 2:
        raise CuteLabError(
            f"the tile needs two modes, rows and columns, for example (8,8):(8,1); {inner} has {rank(inner)}"
        )
    if size(inner) > MAX_ELEMENTS:
        raise CuteLabError(f"{inner} has {size(inner):.6g} elements; this explorer takes up to {MAX_ELEMENTS:,}")
    table = offsets(inner)
    if table.min() < 0 or table.max() >= 2**40:
        raise CuteLabError(
            f"the offsets of {inner} run from {table.min()} to {table.max()}; here they must be 0 to 2^40 - 1"
        )
    return parsed


def read_swizzle(value: Any) -> Swizzle:
    if isinstance(value, Swizzle):
        return value
    if not isinstance(value, str) or not value.strip():
        raise CuteLabError(f"the swizzle must be a text such as Sw<3,4,3>, got {value!r}")
    return parse_swizzle(value)


def take_apart(changes: dict[str, Any]) -> dict[str, Any]:
    """The changes with a whole expression split into swizzle, layout, and what smem_ptr[16b] says of unit and element."""
    changes = dict(changes)
    for name in ("swizzle", "layout"):
        value = changes.get(name)
        if name == "swizzle" and not (isinstance(value, ComposedLayout) or (isinstance(value, str) and ":" in value)):
            continue
        if isinstance(value, ComposedLayout):
            value = str(value)
        if not isinstance(value, str):
            continue
        parsed = notation.parse(value)
        if parsed.swizzle is None:
            continue
        if parsed.offset:
            raise CuteLabError(f"{value} starts at offset {parsed.offset}; this explorer shows tiles that start at 0")
        found: dict[str, Any] = {
            "swizzle": str(Swizzle(*parsed.swizzle)),
            "layout": str(Layout(parsed.shape, parsed.stride)),
        }
        if parsed.pointer_bits is None:
            found["unit"] = "elements"
        else:
            found["unit"] = "bytes"
            size_now = ELEMENTS.get(changes.get("element", ""), 0)
            if size_now * 8 != parsed.pointer_bits:
                fits = [e for e, n in ELEMENTS.items() if n * 8 == parsed.pointer_bits]
                if not fits:
                    raise CuteLabError(
                        f"{value}: elements of {parsed.pointer_bits} bits; this explorer has {listed(ELEMENTS)}"
                    )
                found["element"] = fits[0]
        changes |= found
    return changes


def listed(values: Any) -> str:
    *first, last = map(str, values)
    return f"{', '.join(first)} or {last}" if first else last
