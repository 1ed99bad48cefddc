"""The algebra of coordinate layouts: what `composition`, `coalesce` and the divides give when strides are basis elements.

The rules are CuTe's (`typed.py`); each composition is checked against R(c) = A(B(c)), mode of the result by mode.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab.algebra import laws, typed
from cutelab.algebra.typed import Typed
from cutelab.core import int_tuple
from cutelab.core.coordinates import CoordLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.layout import Layout, size
from cutelab.core.tiler import parse_tiler

AnyCoord = CoordLayout | Layout


def coalesce(layout: CoordLayout, profile: Any = None) -> AnyCoord:
    """Neighbouring modes that continue each other along one basis element, as one.

    >>> from cutelab.core.leaves import ScaledBasis
    >>> coalesce(CoordLayout((2, 4), (ScaledBasis(1, (0,)), ScaledBasis(2, (0,)))))
    CoordLayout('8:1@0')
    """
    if profile is not None:
        profile = int_tuple.as_int_tuple(profile, "profile")
        if isinstance(profile, tuple) and len(profile) > len(layout):
            raise CuteLabError(f"coalesce: the profile has {len(profile)} modes, {layout} has {len(layout)}")
    return typed.carried(lambda x: typed.coalesce(x, profile), layout)


def composition(lhs: AnyCoord, rhs: Any) -> AnyCoord:
    """A o B where strides of A, or of B, are basis elements; a tuple composes mode by mode, None keeps a mode.

    >>> from cutelab.core.coordinates import make_identity_layout
    >>> composition(make_identity_layout((8, 6)), Layout((4, 3), (2, 8)))
    CoordLayout('(4,3):(2@0,1@1)')
    """
    if isinstance(rhs, tuple | list):
        if not 0 < len(rhs) <= len(lhs):
            raise CuteLabError(f"composition: a tiler of {len(rhs)} modes for {lhs}, which has {len(lhs)}")
        return _join([composition(lhs[i], r) for i, r in enumerate(rhs)])
    if rhs is None:
        return lhs
    if int_tuple.is_int(rhs):
        rhs = Layout(rhs, 1)
    if not isinstance(rhs, Layout | CoordLayout):
        raise CuteLabError(
            f"composition: {lhs} comes after a Layout, an int or a tuple of them, got {shown(rhs)}"[:250]
        )
    (left, marks), (right, more) = typed.lift(lhs), typed.lift(rhs)
    try:
        result = typed.lower(typed.composition(left, right), marks or more)
    except CuteLabError as error:
        raise CuteLabError(f"composition of A = {lhs} with B = {rhs} is refused: {error}") from None
    _check(lhs, rhs, result)
    return result


def _check(lhs: AnyCoord, rhs: AnyCoord, result: AnyCoord) -> None:
    """Hold R(c) = A(B(c)) at every coordinate, one mode of the result after the other."""
    if size(rhs) > laws.MAX_CHECK:
        return
    for path in lhs.paths if isinstance(lhs, CoordLayout) else ((),):
        part = Layout(*lhs.component(path)) if isinstance(lhs, CoordLayout) else lhs
        if isinstance(rhs, CoordLayout):
            want = sum(laws.values(_mode_at(part, p), laws.domain_values(Layout(*rhs.component(p)))) for p in rhs.paths)
        else:
            want = laws.values(part, laws.domain_values(rhs))
        found = Layout(*result.component(path)) if isinstance(result, CoordLayout) else result
        if not np.array_equal(laws.domain_values(found), want):
            raise CuteLabError(
                f"composition of A = {lhs} with B = {rhs}: R(c) = A(B(c)) does not hold; CuTe returns {result}"
            )


def _mode_at(layout: Layout, path: tuple[int, ...]) -> Layout:
    for i in path:
        layout = layout[i]
    return layout


def divide(name: str, layout: CoordLayout, tiler: Any) -> AnyCoord:
    """The four divides; `name` says the brackets.

    >>> from cutelab.core.coordinates import make_identity_layout
    >>> divide("zipped_divide", make_identity_layout((8, 6)), (4, 3))
    CoordLayout('((4,3),(2,2)):((1@0,1@1),(4@0,3@1))')
    """
    if isinstance(tiler, str):
        tiler = parse_tiler(tiler)
    x, marks = typed.lift(layout)
    tiles = typed.typed_tiler(tiler)
    if not isinstance(tiles, Typed) and isinstance(tiles, tuple) and not 0 < len(tiles) <= len(layout):
        raise CuteLabError(f"{name}: a tiler of {len(tiles)} modes for {layout}, which has {len(layout)}")
    divided = typed.logical_divide(x, tiles)
    if name == "logical_divide":
        return typed.lower(divided, marks)
    tile, rest = _unzip(divided, tiles)
    first = [tile] if name != "flat_divide" else typed.modes_of(tile)
    last = [rest] if name == "zipped_divide" else typed.modes_of(rest)
    return typed.lower(typed.join([*first, *last]), marks)


def _unzip(divided: Typed, tiler: Any) -> tuple[Typed, Typed]:
    """The tile and the rest; a mode that None kept is all tile."""
    if tiler is None:
        return divided, typed.UNIT
    modes = typed.modes_of(divided)
    if isinstance(tiler, Typed) or not isinstance(tiler, tuple):
        return modes[0], modes[1]
    parts = [_unzip(m, t) for m, t in zip(modes, tiler, strict=False)]
    return typed.join([p[0] for p in parts]), typed.join([*(p[1] for p in parts), *modes[len(tiler) :]])


def group_modes(layout: CoordLayout, begin: int, end: int) -> AnyCoord:
    """The modes begin .. end-1 in one bracket."""
    modes: list[AnyCoord] = [layout[i] for i in range(len(layout))]
    if not (int_tuple.is_int(begin) and int_tuple.is_int(end)) or not 0 <= begin < end <= len(modes):
        raise CuteLabError(
            f"group_modes: modes {shown(begin)} to {shown(end)} are not a range of the {len(modes)} modes of {layout}"
        )
    return _join([*modes[:begin], _join(modes[begin:end]), *modes[end:]])


def select(layout: CoordLayout, modes: tuple[int, ...]) -> AnyCoord:
    """Only these top-level modes, in this order."""
    for mode in modes:
        if not int_tuple.is_int(mode) or not 0 <= mode < len(layout):
            raise CuteLabError(f"select: {layout} has modes 0 to {len(layout) - 1}, not {shown(mode)}")
    if not modes:
        raise CuteLabError(f"select: name at least one of the modes 0 to {len(layout) - 1} of {layout}")
    return _join([layout[m] for m in modes])


def _join(layouts: list[AnyCoord]) -> AnyCoord:
    return typed.lower(typed.join([Typed(x.shape, x.stride) for x in layouts]))
