"""The same layout in a simpler form, or in other brackets: coalesce, filters, group_modes, select.

Source: cute/layout.hpp; CuTe's documentation, "CuTe Layout Algebra", section "Coalesce".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutelab.algebra import coordinates
from cutelab.algebra.laws import flat_modes, from_modes, static
from cutelab.core import int_tuple
from cutelab.core.coordinates import CoordLayout
from cutelab.core.errors import CuteLabError, brief, shown
from cutelab.core.int_tuple import Int, IntTuple, shown_text
from cutelab.core.layout import AnyLayout, ComposedLayout, Layout, as_layout, parse_layout


def want_layout(value: Any, what: str, operation: str) -> AnyLayout:
    """The layout that an operation was given, read if it is text; CuteLabError for anything else.

    >>> want_layout("(4,2)", "the layout", "coalesce")
    Layout('(4,2):(1,4)')
    """
    return as_layout(value, f"{operation}: {what}")


def on_inner(layout: ComposedLayout, inner: AnyLayout) -> AnyLayout:
    """The composed layout with another inner layout: how CuTe carries most operations over to composed layouts.

    >>> on_inner(ComposedLayout("Sw<1,0,1> o 0 o 4:1"), Layout((2, 2)))
    ComposedLayout('Sw<1,0,1> o 0 o (2,2):(1,2)')
    """
    return ComposedLayout(layout.outer, layout.offset, inner)


def top_modes(layout: Layout) -> list[Layout]:
    """The layouts of the top-level modes; an integer shape is its own only mode.

    >>> top_modes(Layout((4, (2, 3))))
    [Layout('4:1'), Layout('(2,3):(4,8)')]
    """
    return [layout[i] for i in range(len(layout))]


def join(layouts: list[Layout]) -> Layout:
    """The layout whose top-level modes are these layouts (CuTe's make_layout of layouts).

    >>> join([Layout(4), Layout((2, 3), (4, 8))])
    Layout('(4,(2,3)):(1,(4,8))')
    """
    return Layout(tuple(x.shape for x in layouts), tuple(x.stride for x in layouts))


def coalesce(layout: AnyLayout, profile: Any = None) -> AnyLayout:
    """Which neighbouring modes are really one? The same function of the 1-D index with as few modes as possible.

    Drops extents of 1; joins mode i+1 to mode i where stride[i+1] == shape[i] * stride[i]. With a profile (a tuple of
    integers or None, or a layout, whose shape counts), each mode that it names is coalesced by itself, so the rank stays;
    modes beyond the profile stay as they are.
    Raises CuteLabError for a profile of more modes than the layout. Source: cute/layout.hpp, `coalesce`.

    >>> coalesce(Layout((2, (1, 6)), (1, (6, 2))))
    Layout('12:1')
    >>> coalesce(Layout((2, (1, 6)), (1, (6, 2))), (1, 1))
    Layout('(2,6):(1,2)')
    """
    if isinstance(layout, str):
        layout = parse_layout(layout)
    if isinstance(layout, CoordLayout):
        return coordinates.coalesce(layout, profile)
    layout = want_layout(layout, "the layout", "coalesce")
    return _by_profile(layout, as_profile(profile, "coalesce"), _coalesce, "coalesce")


def _coalesce(layout: Layout) -> Layout:
    kept: list[tuple[int, int]] = []
    for extent, stride in flat_modes(layout):
        if extent == 1:
            continue
        if kept and stride == kept[-1][0] * kept[-1][1]:
            kept[-1] = (kept[-1][0] * extent, kept[-1][1])
        else:
            kept.append((extent, stride))
    return from_modes(kept, static=static(layout))


def coalesce_beyond(layout: Layout) -> list[tuple[int, int]]:
    """Which few modes are the same function also beyond the layout's size, where its last mode goes on?

    An extent of 1 in last place is kept (as 2), since its stride says how the layout goes on. Source: `detail::coalesce_x`.

    >>> coalesce_beyond(Layout((4, 1), (1, 0))), coalesce_beyond(Layout((4, 2), (1, 4)))
    ([(4, 1), (2, 0)], [(8, 1)])
    """
    modes = flat_modes(layout)
    if modes[-1][0] == 1:
        modes[-1] = (modes[-1][0] * Int(2), modes[-1][1])
    return flat_modes(_coalesce(from_modes(modes)))


def as_profile(profile: Any, name: str) -> Any:
    """The profile that somebody gave: None, an integer, a tuple of these, or a layout or its text, whose shape counts.

    >>> as_profile(Layout((4, 2)), "coalesce"), as_profile((None, None), "coalesce")
    ((4, 2), (None, None))
    """
    if profile is None or isinstance(profile, Layout | ComposedLayout | str):
        return None if profile is None else as_layout(profile, f"{name}: the profile").shape
    return (
        int_tuple.as_coord(profile, 1)
        if isinstance(profile, tuple | list)
        else int_tuple.as_int_tuple(profile, "profile")
    )


def _by_profile(layout: AnyLayout, profile: Any, function: Callable[[Layout], Layout], name: str) -> AnyLayout:
    if isinstance(layout, ComposedLayout):
        return on_inner(layout, _by_profile(layout.inner, profile, function, name))
    return _each_mode(layout, profile, function, name)


def _each_mode(layout: Layout, profile: Any, function: Callable[[Layout], Layout], name: str) -> Layout:
    if not isinstance(profile, tuple):
        return function(layout)
    if len(profile) > len(layout):
        raise CuteLabError(
            f"{name}: profile {shown_text(profile)} has {len(profile)} modes, {brief(layout)} has {len(layout)}; "
            f"give at most {len(layout)}, for example {shown_text((1,) * len(layout))}"
        )
    modes = top_modes(layout)
    done = [_each_mode(m, p, function, name) for m, p in zip(modes, profile, strict=False)]
    return join([*done, *modes[len(profile) :]])


def filter_zeros(layout: AnyLayout) -> AnyLayout:
    """What is left when every repetition goes? Extents with stride 0 become 1; the profile stays.

    Source: cute/layout.hpp, `filter_zeros`.

    >>> filter_zeros(Layout(((2, 2), (2, 4)), ((0, 1), (2, 0))))
    Layout('((1,2),(2,1)):((0,1),(2,0))')
    """
    layout = want_layout(layout, "the layout", "filter_zeros")
    return on_inner(layout, filter_zeros(layout.inner)) if isinstance(layout, ComposedLayout) else _no_zeros(layout)


def _no_zeros(layout: Layout) -> Layout:
    shape = tuple((Int(1) if isinstance(d, Int) else 1) if d == 0 else s for s, d in flat_modes(layout))
    return Layout(int_tuple.unflatten(shape, layout.shape), layout.stride)


def filter_layout(layout: AnyLayout, profile: Any = None) -> AnyLayout:
    """Which offsets does a layout reach, as simply as possible? No stride-0 modes, no extents of 1, neighbours joined.

    CuTe's `filter`: coalesce(filter_zeros(layout)); a profile works as in `coalesce`.

    >>> filter_layout(Layout((4, 2, 3), (1, 0, 4)))
    Layout('12:1')
    """
    layout = want_layout(layout, "the layout", "filter_layout")
    return _by_profile(layout, as_profile(profile, "filter_layout"), filtered, "filter_layout")


def filtered(layout: Layout) -> Layout:
    """`filter_layout` of a plain layout.

    >>> filtered(Layout((4, 2), (1, 0)))
    Layout('4:1')
    """
    return _coalesce(_no_zeros(layout))


def coalesced(layout: Layout) -> Layout:
    """`coalesce` of a plain layout.

    >>> coalesced(Layout((4, 2)))
    Layout('8:1')
    """
    return _coalesce(layout)


def group_modes(layout: AnyLayout, begin: int, end: int) -> AnyLayout:
    """The same layout with the top-level modes begin .. end-1 in one bracket. Source: cute/layout.hpp, `group<B,E>`.

    >>> group_modes(Layout((2, 3, 5, 7)), 1, 3)
    Layout('(2,(3,5),7):(1,(2,6),30)')
    """
    if isinstance(layout, str):
        layout = parse_layout(layout)
    if isinstance(layout, CoordLayout):
        return coordinates.group_modes(layout, begin, end)
    layout = want_layout(layout, "the layout", "group_modes")
    if isinstance(layout, ComposedLayout):
        return on_inner(layout, group_modes(layout.inner, begin, end))
    rank = len(layout)
    if not (int_tuple.is_int(begin) and int_tuple.is_int(end)) or not 0 <= begin < end <= rank:
        raise CuteLabError(
            f"group_modes: modes {shown(begin)} to {shown(end)} are not a range of the {rank} modes of {brief(layout)}; "
            f"need 0 <= begin < end <= {rank}"
        )
    modes = top_modes(layout)
    return join([*modes[:begin], join(modes[begin:end]), *modes[end:]])


def select(layout: AnyLayout, *modes: int) -> AnyLayout:
    """The layout of only these top-level modes, in this order. Source: cute/layout.hpp, `select<Is...>`.

    >>> select(Layout((2, 3, 5, 7)), 1, 3)
    Layout('(3,7):(2,30)')
    """
    if isinstance(layout, str):
        layout = parse_layout(layout)
    if isinstance(layout, CoordLayout):
        return coordinates.select(layout, modes)
    layout = want_layout(layout, "the layout", "select")
    if isinstance(layout, ComposedLayout):
        return on_inner(layout, select(layout.inner, *modes))
    rank = len(layout)
    for mode in modes:
        if not int_tuple.is_int(mode) or not 0 <= mode < rank:
            raise CuteLabError(f"select: {brief(layout)} has modes 0 to {rank - 1}, not {shown(mode)}")
    if not modes:
        raise CuteLabError(f"select: name at least one of the modes 0 to {rank - 1} of {brief(layout)}")
    return join([layout[m] for m in modes])


def compact(shape: IntTuple) -> Layout:
    """CuTe's make_layout(shape) with static integers: first mode fastest, and stride 0 for an extent of 1.

    >>> compact((4, 1, 2))
    Layout('(4,1,2):(1,0,4)')
    """
    if any(isinstance(extent, Int) for extent in int_tuple.flatten(shape)):
        return Layout(shape)
    strides = int_tuple.flatten(int_tuple.compact_left(shape))
    flat = tuple(0 if s == 1 else d for s, d in zip(int_tuple.flatten(shape), strides, strict=True))
    return Layout(shape, int_tuple.unflatten(flat, shape))
