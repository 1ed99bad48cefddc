"""composition: R(c) = A(B(c)). First B, then A; the result has B's coordinates and A's offsets.

Source: CuTe's documentation, "CuTe Layout Algebra", section "Composition"; cute/layout.hpp, `composition`;
cute/swizzle_layout.hpp and cute/layout_composed.hpp for swizzles.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from cutelab.algebra import coordinates, laws
from cutelab.algebra.fold import compose_layouts
from cutelab.algebra.simplify import join, on_inner, top_modes, want_layout
from cutelab.core import int_tuple
from cutelab.core.coordinates import CoordLayout
from cutelab.core.errors import CuteLabError, brief, shown
from cutelab.core.int_tuple import MAX_DEPTH, Int, as_int_tuple
from cutelab.core.layout import AnyLayout, ComposedLayout, Layout, as_plain, parse_layout
from cutelab.core.swizzle import Swizzle, make_swizzle
from cutelab.core.tiler import parse_tiler


def composition(lhs: Any, rhs: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Which layout is A after B? R(c) = A(B(c)) for all coordinates c of B.

    lhs: a Layout, a Swizzle or a ComposedLayout. rhs: a Layout; a Swizzle or a ComposedLayout of offset 0; or a tiler by
    mode: a tuple of Layout, int n (the first n, n:1) or None (the whole mode), with at most as many entries as lhs
    has modes; modes of lhs beyond the tuple are dropped. compatible(rhs.shape, R.shape): every coordinate of B is one of R.
    Where B reaches beyond A's size, A's last mode goes on, as in CuTe: repeat the check with `extended(A, cosize(B))`.

    A result is returned only when R(c) == A(B(c)), checked at every c (at a fixed sample beyond 2^22 coordinates). Raises
    CuteLabError where CuTe's stride or shape divisibility fails (enough for a layout to exist, not necessary: an exact layout
    is named where there is one), and where C++ compiles but the law does not hold. as_cpp=True returns what C++ does then,
    unchecked; it also takes negative strides on the right. composition(Swizzle, L) is `Sw o 0 o L`. Source: cute/layout.hpp, `composition`.

    >>> composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)))
    Layout('((2,2),3):((24,2),8)')
    >>> composition(Layout((128, 128)), (4, 8))
    Layout('(4,8):(1,128)')
    >>> composition(Layout((4, 6, 8), (2, 3, 5)), Layout(6, 3))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: composition of A = (4,6,8):(2,3,5) with B = 6:3: R(c) = A(B(c)) does not hold. ...
    """
    rhs = _read_right(rhs)
    if isinstance(lhs, Swizzle):
        return _swizzle_after(lhs, rhs)
    if isinstance(lhs, str):
        lhs = parse_layout(lhs)
    if isinstance(lhs, CoordLayout) or (isinstance(lhs, Layout) and isinstance(rhs, CoordLayout)):
        return cast(AnyLayout, coordinates.composition(lhs, rhs))  # a coordinate layout
    lhs = want_layout(lhs, "the left-hand side A", "composition")
    if isinstance(lhs, ComposedLayout):
        return on_inner(lhs, composition(lhs.inner, rhs, as_cpp=as_cpp))
    if isinstance(rhs, Swizzle):
        return _layout_after_swizzle(lhs, rhs)
    if isinstance(rhs, ComposedLayout):
        return _layout_after_composed(lhs, rhs, as_cpp)
    return _compose(lhs, check_tiler(lhs, rhs, "composition"), as_cpp)


def _read_right(rhs: Any) -> Any:
    if not isinstance(rhs, str):
        return rhs
    try:
        return parse_tiler(rhs)  # a shape works mode by mode
    except CuteLabError:
        return parse_layout(rhs)


def compose_plain(lhs: Layout, rhs: Layout | int, *, as_cpp: bool = False) -> Layout:
    """`composition` of two layouts without swizzles.

    >>> compose_plain(Layout(8, 2), 4)
    Layout('4:2')
    """
    return compose_layouts(lhs, rhs if isinstance(rhs, Layout) else Layout(rhs, 1), as_cpp=as_cpp)


def check_tiler(layout: AnyLayout, tiler: Any, operation: str, level: int = 0) -> Any:
    """Is this a tiler of the layout (Layout, int, or tuple of Layout | int | None)? Return it with tuples and ints.

    >>> check_tiler(Layout((8, 8)), [4, None], "logical_divide")
    (4, None)
    """
    if isinstance(tiler, Layout) or (tiler is None and level):
        return tiler
    if isinstance(tiler, str):
        if tiler.lstrip().startswith(("S<", "Sw<", "Swizzle<", "ComposedLayout")):
            return as_plain(tiler, f"{operation}: the tiler")
        return check_tiler(layout, parse_tiler(tiler), operation, level)
    if isinstance(tiler, tuple | list):
        whole = layout.layout if isinstance(layout, ComposedLayout) else layout
        if level > MAX_DEPTH:
            raise CuteLabError(f"{operation}: the tiler is nested more than {MAX_DEPTH} levels deep")
        if not 0 < len(tiler) <= len(whole):
            raise CuteLabError(
                f"{operation}: a tiler of {len(tiler)} modes for {brief(whole)}, which has {len(whole)}; "
                f"give {'1 entry' if len(whole) == 1 else f'1 to {len(whole)} entries'}, one for each mode, or a Layout for the whole 1-D order"
            )
        return tuple(check_tiler(m, t, operation, level + 1) for m, t in zip(top_modes(whole), tiler, strict=False))
    if int_tuple.is_int(tiler):
        if tiler < 1:
            raise CuteLabError(f"{operation}: the tiler holds {shown(tiler)}; a tile has 1 element or more")
        return as_int_tuple(tiler, f"{operation}: the tiler")
    raise CuteLabError(
        f"{operation}: a tiler is a Layout, an int, or a tuple of Layout, int or None (keep the whole mode), got {shown(tiler)}"
    )


def _compose(lhs: Layout, rhs: Any, as_cpp: bool) -> Layout:
    if rhs is None:
        return lhs
    if isinstance(rhs, tuple):
        return join([_compose(a, b, as_cpp) for a, b in zip(top_modes(lhs), rhs, strict=False)])
    return compose_layouts(
        lhs, Layout(rhs, Int(1) if isinstance(rhs, Int) else 1) if isinstance(rhs, int) else rhs, as_cpp=as_cpp
    )


def _swizzle_after(swizzle: Swizzle, rhs: Any) -> AnyLayout:
    """Sw o B: the swizzle of B's offsets; B may have a swizzle itself."""
    if not isinstance(rhs, Layout | ComposedLayout):
        raise CuteLabError(
            f"composition: {swizzle} comes after a Layout, got {shown(rhs)}; for example Layout((8, 8), (8, 1))"
        )
    static = laws.static(rhs if isinstance(rhs, Layout) else rhs.layout)
    return ComposedLayout(swizzle, Int(0) if static else 0, rhs) if swizzle.bits else rhs


def _layout_after_swizzle(lhs: Layout, swizzle: Swizzle) -> AnyLayout:
    """A o Sw = Sw' o A, where Sw' has the bits to which A sends the swizzle's bits."""
    name = f"composition of A = {brief(lhs)} with {swizzle}"
    if not swizzle.bits:
        return lhs
    masks = np.array([swizzle.yyy, swizzle.zzz], dtype=np.int64)
    source, target = (int(v) for v in laws.values(lhs, masks))
    try:
        moved = make_swizzle(source, target)
    except CuteLabError as error:
        raise CuteLabError(
            f"{name}: A sends the swizzle's bits {swizzle.yyy:#x} and {swizzle.zzz:#x} to {source} and {target}, "
            f"and these are not the bits of a swizzle: {str(error).rstrip('.')}. Put the swizzle after the layout: "
            f"composition({swizzle}, A)"
        ) from None
    result = _swizzle_after(moved, lhs)
    index = laws.points(lhs.shape)
    want = laws.values(lhs, swizzle(index))
    laws.check_same(name, result, laws.values(result, index), want, lhs.shape, "R(i) = A(Sw(i))")
    return result


def _layout_after_composed(lhs: Layout, rhs: ComposedLayout, as_cpp: bool) -> AnyLayout:
    """A o (Sw o 0 o B) = (A o Sw) o B."""
    name = f"composition of A = {brief(lhs)} with {brief(rhs)}"
    if rhs.offset:
        raise CuteLabError(
            f"{name}: CuTe composes only with offset 0 on the right, got {rhs.offset}. "
            f"Keep both functions: ComposedLayout(A, 0, B)"
        )
    result = composition(composition(lhs, rhs.outer, as_cpp=as_cpp), rhs.inner, as_cpp=as_cpp)
    if as_cpp:
        return result
    want = laws.values(lhs, laws.domain_values(rhs, result.shape))
    laws.check_same(name, result, laws.domain_values(result), want, result.shape, "R(c) = A(B(c))")
    return result
