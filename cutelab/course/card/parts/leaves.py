"""Sliders for the leaf extents and strides of a layout: a family of derived knobs, whatever the layout's nesting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import flatten, unflatten
from cutelab.core.layout import Layout
from cutelab.course.card.knobs import Control, Family

WIDEST = 10**6  # a slider goes no further, whatever the extent


def innermost(layout: Layout | ComposedLayout) -> Layout:
    """The layout itself, without what is composed with it.

    >>> innermost(ComposedLayout("Sw<3,0,3> o 0 o (8,8):(8,1)"))
    Layout('(8,8):(8,1)')
    """
    return layout if isinstance(layout, Layout) else layout.layout


def with_innermost(layout: Layout | ComposedLayout, inner: Layout) -> Layout | ComposedLayout:
    """The same composition around another layout."""
    if isinstance(layout, Layout):
        return inner
    return ComposedLayout(layout.outer, layout.offset, with_innermost(layout.inner, inner))


def leaves(layout: Layout | ComposedLayout) -> tuple[list[int], list[int]]:
    """The leaf extents and the leaf strides, of the layout inside for a composed one."""
    inner = innermost(layout)
    return list(flatten(inner.shape)), list(flatten(inner.stride))


def leaf_knobs(
    field: str,
    *,
    prefix: str = "",
    groups: tuple[str, str] = ("Shape", "Stride"),
    reach: tuple[int, int] = (32, 64),
    most: int = 8,
    all_or_none: bool = False,
    tips: tuple[str, str] = ("", ""),
    shown: Any = lambda params: True,
) -> Family:
    """The knobs shape_0, shape_1, ... and stride_0, ... of the layout in this field.

    prefix        before the names: "a_" makes a_shape_0; its letter stands before the label, too
    groups, tips  of the extents and of the strides; reach: how far their sliders go at least
    most          leaf modes that get sliders: the first so many, or with `all_or_none` none where there are more
    """
    letter = prefix.rstrip("_").upper()

    def controls(params: Any) -> Iterator[Control]:
        if not shown(params):
            return
        shape, stride = leaves(getattr(params, field))
        if all_or_none and len(shape) > most:
            return
        for i, s in enumerate(shape[:most]):
            label = f"{letter} shape {i}".strip()
            high = max(reach[0], min(s, WIDEST))
            yield Control(f"{prefix}shape_{i}", "slider", s, groups[0], label, "elements", 1, high, tip=tips[0])
        for i, d in enumerate(stride[:most]):
            label = f"{letter} stride {i}".strip()
            low, high = min(0, d), max(reach[1], d)
            yield Control(f"{prefix}stride_{i}", "slider", d, groups[1], label, "elements", low, high, tip=tips[1])

    def turn(params: Any, name: str, value: Any) -> dict[str, Any]:
        layout = getattr(params, field)
        inner = innermost(layout)
        kind, _, number = name.removeprefix(prefix).partition("_")
        parts = dict(zip(("shape", "stride"), leaves(layout), strict=True))
        if kind not in parts or not number.isdecimal() or int(number) >= len(parts[kind]):
            what = f"{letter} = {layout}" if letter else f"{layout}"
            said = name.removeprefix(prefix)
            raise CuteLabError(f"{what} has leaf modes 0 to {len(parts['shape']) - 1}; there is no {said!r}")
        parts[kind][int(number)] = value
        turned = Layout(*(unflatten(tuple(parts[k]), inner.shape) for k in ("shape", "stride")))
        return {field: with_innermost(layout, turned)}

    def owns(name: str) -> bool:
        return name.startswith(prefix or ("shape_", "stride_"))

    return Family(controls, turn, owns)
