"""How far do two layouts run side by side? max_common_layout and max_common_vector.

Source: cute/layout.hpp and cute/swizzle_layout.hpp.
"""

from __future__ import annotations

from cutelab.algebra import laws
from cutelab.algebra.compose import composition
from cutelab.algebra.inverse import right_inverse
from cutelab.algebra.laws import flat_modes
from cutelab.algebra.simplify import AnyLayout, coalesce, want_layout
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, size
from cutelab.core.swizzle import Swizzle


def max_common_layout(a: AnyLayout, b: AnyLayout) -> AnyLayout:
    """Which coordinates are contiguous in both layouts? R with a(R(i)) == i and b(R(i)) == i, as long as possible.

    Raises CuteLabError when a o right_inverse(b) is not admissible. With a swizzle it ends at 2^base elements (the run that
    the swizzle moves as a whole). Source: cute/layout.hpp and cute/swizzle_layout.hpp, `max_common_layout`.

    >>> max_common_layout(Layout((8, 8), (8, 1)), Layout((8, 8), (9, 1)))
    Layout('8:8')
    """
    want_layout(a, "the first layout", "max_common_layout")
    want_layout(b, "the second layout", "max_common_layout")
    result, run = _common(a, b)
    limit = _swizzled_run(a, b)
    if limit is not None and limit < run:
        result = composition(result, limit)
    index = laws.points(result.shape)
    for x in (a, b):
        got = laws.values(x, laws.domain_values(result))
        laws.check_same("max_common_layout", result, got - got[0], index, result.shape, f"{x}(R(i)) = {x}(0) + i")
    return result


def _common(a: AnyLayout, b: AnyLayout) -> tuple[AnyLayout, int]:
    """The longest common contiguous run, swizzles left aside: its layout and its length."""
    inner_a, inner_b = (x.inner if isinstance(x, ComposedLayout) else x for x in (a, b))
    inverse = right_inverse(inner_b)
    try:
        common = flat_modes(coalesce(composition(inner_a, inverse)))  # type: ignore[arg-type]
    except CuteLabError as error:
        raise CuteLabError(
            f"no common vector of a = {a} and b = {b}, with A = a and B = right_inverse(b): {error}"
        ) from None
    if common[0][1] != 1:
        return Layout(1, 0), 1
    run = composition(inverse, Layout(common[0][0], 1))
    last = int(laws.domain_values(run).max())
    if last >= size(inner_a):
        raise CuteLabError(
            f"no common vector of a = {a} and b = {b}: they would run together up to index {last}, but a has only "
            f"{size(inner_a)} elements; give two layouts of the same size"
        )
    return run, common[0][0]


def _swizzled_run(*layouts: AnyLayout) -> int | None:
    """How many elements from the first on do these swizzles move as one piece? None: there is no swizzle."""
    limit = None
    for x in layouts:
        if not isinstance(x, ComposedLayout):
            continue
        if not isinstance(x.outer, Swizzle):
            raise CuteLabError(f"{x} has a layout as outer function; give a swizzle there, or compose the two first")
        run = 1 << x.outer.base
        limit = min(run, x.offset & -x.offset or run, limit or run)
    return limit


def max_common_vector(a: AnyLayout, b: AnyLayout) -> int:
    """How many elements can one vector instruction copy between a and b? Contiguous and in the same order in both.

    The size of max_common_layout(a, b), at least 1; two layouts under one and the same swizzle keep the run of their inner
    layouts. Unit: elements; the alignment of pointers is not considered. Source: cute/layout.hpp, `max_common_vector`.

    >>> max_common_vector(Layout((8, 8), (1, 9)), Layout((8, 8)))
    8
    """
    if isinstance(a, ComposedLayout) and isinstance(b, ComposedLayout) and (a.outer, a.offset) == (b.outer, b.offset):
        return _common(a, b)[1]
    return size(max_common_layout(a, b))
