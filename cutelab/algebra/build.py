"""Layouts put together from modes: append, prepend, replace, make_ordered_layout, compact_order; and nullspace.

Source: cute/layout.hpp, cute/stride.hpp.
"""

from __future__ import annotations

from typing import Any

from cutelab.algebra.laws import flat_modes, from_modes, static
from cutelab.algebra.simplify import join, on_inner, top_modes, want_layout
from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, brief, shown
from cutelab.core.int_tuple import Int, IntTuple, as_int_tuple, is_int, is_static, shown_text, static_product
from cutelab.core.layout import AnyLayout, ComposedLayout, Layout, as_plain, as_shape

ONE = Layout(1, 0)


def append(layout: AnyLayout | str, mode: Layout | str = ONE, rank: int | None = None) -> AnyLayout:
    """The layout with one more mode at its end; with a rank, with this mode again and again up to that rank.

    mode: a Layout, 1:0 by default. Raises CuteLabError for a rank below the layout's. Source: cute/layout.hpp, `append<N>`.

    >>> append(Layout((4, 2)), Layout(3, 8)), append(Layout(6), rank=3)
    (Layout('(4,2,3):(1,4,8)'), Layout('(6,1,1):(1,0,0)'))
    """
    return _added("append", layout, mode, rank)


def prepend(layout: AnyLayout | str, mode: Layout | str = ONE, rank: int | None = None) -> AnyLayout:
    """The layout with one more mode at its beginning; with a rank, with this mode again and again up to that rank.

    >>> prepend(Layout((4, 2)), Layout(3, 8))
    Layout('(3,4,2):(8,1,4)')
    """
    return _added("prepend", layout, mode, rank)


def _added(name: str, given: Any, mode: Any, rank: int | None) -> AnyLayout:
    layout = want_layout(given, "the layout", name)
    if isinstance(layout, ComposedLayout):
        return on_inner(layout, _added(name, layout.inner, mode, rank))
    one = as_plain(mode, f"{name}: the mode")
    if rank is None:
        rank = len(layout) + 1
    if not is_int(rank) or not len(layout) <= rank <= int_tuple.MAX_LEAVES:
        raise CuteLabError(f"{name}: {brief(layout)} has {len(layout)} modes, and rank {shown(rank)} is asked for")
    more = [one] * (rank - len(layout))
    if not more:
        return layout
    return join([*top_modes(layout), *more] if name == "append" else [*more, *top_modes(layout)])


def replace(layout: AnyLayout | str, index: int, mode: Layout | str) -> AnyLayout:
    """The layout with another layout in place of its mode of this number. Source: cute/layout.hpp, `replace<N>`.

    >>> replace(Layout((4, 2, 3)), 1, Layout((2, 2), (16, 32)))
    Layout('(4,(2,2),3):(1,(16,32),8)')
    """
    layout = want_layout(layout, "the layout", "replace")
    if isinstance(layout, ComposedLayout):
        return on_inner(layout, replace(layout.inner, index, mode))
    if not is_int(index) or not 0 <= index < len(layout):
        raise CuteLabError(f"replace: {brief(layout)} has modes 0 to {len(layout) - 1}, not {shown(index)}")
    modes = top_modes(layout)
    modes[index] = as_plain(mode, "replace: the mode")
    return join(modes) if isinstance(layout.shape, tuple) else modes[0]


def compact_order(shape: Any, order: Any) -> IntTuple:
    """Which strides make a shape compact when its modes run in this order, the smallest number first?

    order: one integer for each mode, or for a group of modes, inside which the first is fastest. An extent of 1 gets stride 0,
    as C++ gives it to static extents. Modes of one number begin at the same stride, as in CuTe. Source: cute/stride.hpp.

    >>> compact_order((4, 6, 2), (2, 0, 1)), compact_order(((2, 4), 3), (1, 0))
    ((12, 1, 6), ((3, 6), 1))
    """
    shape, order = as_shape(shape), as_int_tuple(order, "order")
    if not _coarser(order, shape):
        raise CuteLabError(
            f"compact_order: order {shown_text(order)} needs one integer for each mode of {shown_text(shape)}, for example "
            f"{shown_text(tuple(range(int_tuple.rank(shape))))}"
        )
    pairs: list[tuple[int, int]] = []

    def collect(s: Any, o: Any) -> None:
        if isinstance(o, tuple):
            for si, oi in zip(s, o, strict=True):
                collect(si, oi)
        else:
            pairs.append((o, static_product(int_tuple.flatten(s))))

    def strides(s: Any, o: Any) -> Any:
        if isinstance(o, tuple):
            return tuple([strides(si, oi) for si, oi in zip(s, o, strict=True)])
        step = static_product([Int(1), *[size for other, size in pairs if other < o]])
        found = []
        for extent in int_tuple.flatten(s):
            found.append((Int(0) if isinstance(extent, Int) else 0) if extent == 1 else step)
            step = step * extent
        return int_tuple.unflatten(tuple(found), s)

    collect(shape, order)
    found: IntTuple = strides(shape, order)
    return found if any(isinstance(v, Int) for v in int_tuple.flatten(shape)) else int_tuple.plain(found)


def _coarser(order: Any, shape: Any) -> bool:
    if not isinstance(order, tuple):
        return True
    return isinstance(shape, tuple) and len(order) == len(shape) and all(map(_coarser, order, shape))


def make_ordered_layout(shape: Any, order: Any) -> Layout:
    """Which compact layout has this shape and runs through its modes in this order? Source: cute/layout.hpp.

    >>> make_ordered_layout((4, 6, 2), (2, 0, 1))
    Layout('(4,6,2):(12,1,6)')
    """
    shape = as_shape(shape)
    return Layout(shape, compact_order(shape, order))


def nullspace(layout: AnyLayout | str) -> Layout:
    """Which indices does a layout send to offset 0 because of strides 0? N with A(N(i)) == 0.

    size(N) == size(A) / size(filter(A)). 1:0 when no stride is 0. Source: cute/layout.hpp, `nullspace`.

    >>> nullspace(Layout((4, 2, 3), (1, 0, 0))), nullspace(Layout(8))
    (Layout('(2,3):(4,8)'), Layout('1:0'))
    """
    layout = as_plain(layout, "nullspace: the layout")
    found: list[tuple[Any, Any]] = []
    step: int = Int(1) if static(layout) else 1
    for extent, stride in flat_modes(layout):
        if stride == 0:
            found.append((extent, (Int(0) if isinstance(extent, Int) else 0) if extent == 1 else step))
        step = step * extent
    return from_modes(found, static=is_static(layout.shape) and is_static(layout.stride))
