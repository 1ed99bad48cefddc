"""How far do two layouts run side by side? max_common_layout and max_common_vector.

Source: cute/layout.hpp and cute/swizzle_layout.hpp.
"""

from __future__ import annotations

import numpy as np

from cutelab.algebra import laws
from cutelab.algebra.compose import compose_plain, composition
from cutelab.algebra.inverse import right_inverse_plain
from cutelab.algebra.laws import flat_modes, from_modes
from cutelab.algebra.simplify import coalesced, want_layout
from cutelab.core.errors import CuteLabError, brief
from cutelab.core.layout import AnyLayout, ComposedLayout, Layout, size
from cutelab.core.swizzle import Swizzle


def max_common_layout(a: AnyLayout | str, b: AnyLayout | str) -> AnyLayout:
    """Which coordinates are contiguous in both layouts? R with a(R(i)) == i and b(R(i)) == i, as long as possible.

    Raises CuteLabError when a o right_inverse(b) is not admissible. Under one and the same swizzle R carries a swizzle where
    one undoes it. Otherwise a swizzle ends it at 2^base elements (the run that the swizzle moves as a whole). Source: cute/layout.hpp and
    cute/swizzle_layout.hpp, `max_common_layout`.

    >>> max_common_layout(Layout((8, 8), (8, 1)), Layout((8, 8), (9, 1)))
    Layout('8:8')
    >>> max_common_layout("Sw<1,0,2> o 0 o 16:1", "Sw<1,0,2> o 0 o 16:1")
    ComposedLayout('Sw<1,0,2> o 0 o 16:1')
    """
    a = want_layout(a, "the first layout", "max_common_layout")
    b = want_layout(b, "the second layout", "max_common_layout")
    inner, run = _common(a, b)
    result: AnyLayout = inner
    limit = _swizzled_run(a, b)
    if limit is not None and limit < run:
        result = _under_one_swizzle(a, b, inner, run) or composition(inner, limit)
    index = laws.points(result.shape)
    for x in (a, b):
        got = laws.values(x, laws.domain_values(result))
        laws.check_same("max_common_layout", result, got - got[0], index, result.shape, f"{brief(x)}(R(i)) = R(0) + i")
    return result


def _under_one_swizzle(a: AnyLayout, b: AnyLayout, inner: Layout, run: int) -> AnyLayout | None:
    """R = L o Sw with a(R(i)) = Sw(Sw(i)) = i, for two layouts under one swizzle, where it maps 0 .. run - 1 onto itself."""
    if not (isinstance(a, ComposedLayout) and isinstance(b, ComposedLayout)) or (a.outer, a.offset) != (b.outer, 0):
        return None
    if b.offset or not isinstance(a.outer, Swizzle) or run > laws.MAX_CHECK:
        return None
    if int(a.outer(np.arange(run, dtype=np.int64)).max()) >= run:
        return None
    try:
        return composition(inner, a.outer)
    except CuteLabError:
        return None


def _common(a: AnyLayout, b: AnyLayout) -> tuple[Layout, int]:
    """The longest common contiguous run, swizzles left aside: its layout and its length."""
    inner_a, inner_b = (x.layout if isinstance(x, ComposedLayout) else x for x in (a, b))
    inverse = right_inverse_plain(inner_b)
    pair = f"a = {brief(a)} and b = {brief(b)}"
    try:
        common = flat_modes(coalesced(compose_plain(inner_a, inverse, as_cpp=True)))  # the result is checked, not this
    except CuteLabError as error:
        raise CuteLabError(f"no common vector of {pair}, with A = a and B = right_inverse(b): {error}") from None
    if common[0][1] != 1:
        return from_modes([], static=laws.static(inner_a)), 1
    run = compose_plain(inverse, Layout(*common[0]))
    last = int(laws.domain_values(run).max())
    if last >= size(inner_a):
        raise CuteLabError(
            f"no common vector of {pair}: they would run together up to index {last}, but a has only "
            f"{size(inner_a)} elements; give two layouts of the same size"
        )
    return run, common[0][0]


def _swizzled_run(*layouts: AnyLayout) -> int | None:
    """How many elements from the first on do these swizzles move as one piece? None: there is no swizzle."""
    limit = None
    for x in layouts:
        while isinstance(x, ComposedLayout):
            if not isinstance(x.outer, Swizzle):
                raise CuteLabError(
                    f"{brief(x)} has a layout as outer function; give a swizzle there, or compose the two first"
                )
            run = 1 << x.outer.base
            limit = min(run, x.offset & -x.offset or run, limit or run)
            x = x.inner
    return limit


def max_common_vector(a: AnyLayout | str, b: AnyLayout | str) -> int:
    """How many elements can one vector instruction copy between a and b? Contiguous and in the same order in both.

    The size of max_common_layout(a, b), at least 1; two layouts under one and the same swizzle keep the run of their inner
    layouts. Unit: elements; the alignment of pointers is not considered. Source: cute/layout.hpp, `max_common_vector`.

    >>> max_common_vector(Layout((8, 8), (1, 9)), Layout((8, 8)))
    8
    """
    a = want_layout(a, "the first layout", "max_common_vector")
    b = want_layout(b, "the second layout", "max_common_vector")
    if isinstance(a, ComposedLayout) and isinstance(b, ComposedLayout) and (a.outer, a.offset) == (b.outer, b.offset):
        return int(_common(a, b)[1])
    return size(max_common_layout(a, b))
