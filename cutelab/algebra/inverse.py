"""complement: what a layout leaves out. right_inverse and left_inverse: the way back from offset to index.

Source: CuTe's documentation, "CuTe Layout Algebra", section "Complement"; cute/layout.hpp.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd, prod
from typing import Any

import numpy as np

from cutelab.algebra import laws
from cutelab.algebra.compose import composition
from cutelab.algebra.laws import flat_modes, from_modes
from cutelab.algebra.simplify import AnyLayout, coalesce, filter_layout, want_layout
from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import IntTuple, to_text
from cutelab.core.layout import Layout, cosize, size
from cutelab.core.swizzle import Swizzle


def complement(layout: AnyLayout, cotarget: Any = None) -> Layout:
    """Which layout counts the repetitions of A that fill `cotarget` offsets? What A leaves out, in ascending order.

    cotarget: an int, or a shape (then its size counts; CuTe divides it mode by mode); None: cosize of A without repetitions.
    The result R is ordered (positive, ascending offsets), disjoint from A (they share only offset 0), bounded
    (cosize(R) <= cotarget) and large enough: size(R) * size(filter(A)) >= cotarget. Checked on the whole tables up to
    2^22 offsets. Raises CuteLabError when modes of A overlap (C++: not injective), when a stride does not go into the next one so that
    offsets would be missed, when cotarget is smaller than A, and when R would reach beyond it. Source: cute/layout.hpp, `complement`.

    >>> complement(Layout(4, 2), 24), complement(Layout((2, 2), (1, 6)), 24)
    (Layout('(2,3):(1,8)'), Layout('(3,2):(2,12)'))
    """
    want_layout(layout, "the layout", "complement")
    table = layout
    if isinstance(layout, ComposedLayout):
        if cotarget is None:
            cotarget = cosize(layout)
        layout = layout.inner
    kept = filter_layout(layout)
    needed = cosize(kept)  # type: ignore[arg-type]
    shape = cotarget_shape(cotarget, needed)
    count = int_tuple.product(shape)
    if count < needed:
        raise CuteLabError(
            f"complement of {layout}: cotarget {to_text(shape)} has {count} offsets, but the layout itself reaches over "
            f"{needed}; use a cotarget of {needed} or more"
        )
    result = complement_within(layout, shape)
    if cosize(result) > count:
        step = max((d * s for s, d in flat_modes(kept)), default=1)  # type: ignore[arg-type]
        raise CuteLabError(
            f"complement of {layout}: C++ returns {result}, which reaches over {cosize(result)} offsets, more than the "
            f"cotarget's {count}. Use a multiple of {step}: {count // step * step or step} or "
            f"{(count // step + 1) * step}"
        )
    _check_disjoint(table, result)
    return result


def cotarget_shape(cotarget: Any, default: int) -> IntTuple:
    """The cotarget as a shape; None stands for the default, a Layout for its shape.

    >>> cotarget_shape(None, 8), cotarget_shape([4, 8], 8)
    (8, (4, 8))
    """
    if cotarget is None:
        return default
    shape = int_tuple.as_int_tuple(cotarget.shape if isinstance(cotarget, Layout) else cotarget, "cotarget")
    if min(int_tuple.flatten(shape)) < 1:
        raise CuteLabError(
            f"complement: cotarget {to_text(shape)} holds {min(int_tuple.flatten(shape))}; use 1 or more"
        )
    return shape


def complement_within(layout: Layout, cotarget: IntTuple) -> Layout:
    """CuTe's complement as divides and products use it: the last mode is rounded up, so it may reach beyond the cotarget.

    Raises CuteLabError when modes of the layout overlap, and when size(R) * size(filter(A)) < cotarget (offsets missed).

    >>> complement_within(Layout(8, 1), 20)
    Layout('3:8')
    """
    kept = flat_modes(filter_layout(layout))  # type: ignore[arg-type]
    if any(d < 0 for _, d in kept):
        raise CuteLabError(
            f"complement of {layout}: stride {min(d for _, d in kept)} is negative; use strides of 0 or more"
        )
    modes, last, before = [], 1, (1, 0)
    for extent, stride in sorted(kept, key=lambda mode: mode[1]):
        if stride == 0:
            continue
        if stride < last:
            raise CuteLabError(
                f"complement of {layout}: mode {before[0]}:{before[1]} reaches up to {last}, beyond the next stride "
                f"{stride} of {extent}:{stride} (C++: non-injective layout); use a stride of {last} or more there"
            )
        modes.append((stride // last, last))
        last, before = stride * extent, (extent, stride)
    rest = _ceil_div(cotarget, last)
    result = coalesce(from_modes([*modes, (rest, last)]))
    used, count = prod(s for s, _ in kept), int_tuple.product(cotarget)
    if size(result) * used < count:
        raise CuteLabError(
            f"complement of {layout} in {to_text(cotarget)}: {_uneven(kept, cotarget)}, so that {size(result)} copies of "
            f"{used} elements cover only {size(result) * used} of {count} offsets. Use strides that are each a multiple of "
            f"the one before times its extent, and a cotarget that is a multiple of {last}"
        )
    return result  # type: ignore[return-value]


def _uneven(kept: list[tuple[int, int]], cotarget: IntTuple) -> str:
    last = 1
    for extent, stride in sorted(kept, key=lambda mode: mode[1]):
        if stride % last:
            return f"stride {stride} is not a multiple of {last}"
        last = stride * extent
    return f"{last} offsets do not go evenly into the modes of {to_text(cotarget)}"


def _ceil_div(shape: IntTuple, divisor: int) -> int:
    """CuTe's ceil_div of a shape: the divisor is divided out mode by mode, from the left."""
    count = 1
    for extent in int_tuple.flatten(shape):
        count *= -(-extent // divisor)
        divisor = -(-divisor // extent)
    return count


@lru_cache(maxsize=64)  # an explorer asks for the same complement several times in a step
def _check_disjoint(layout: AnyLayout, result: Layout) -> None:
    if max(size(layout), size(result)) > laws.MAX_CHECK:
        return
    ours, theirs = laws.domain_values(result), laws.domain_values(layout)
    if theirs.min() < 0:
        raise CuteLabError(
            f"complement of {layout}: it reaches offset {theirs.min()}, and a complement fills offsets from 0 on; "
            "use an offset of 0 or more"
        )
    shared = _shared(ours, theirs)
    if (ours[1:] <= ours[:-1]).any() or (shared != 0).any():
        raise CuteLabError(f"complement of {layout}: {result} is not disjoint from it, they share offset {shared[-1]}")


def _shared(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    top = int(max(ours.max(), theirs.max())) + 1
    if top > laws.MAX_CHECK:
        ordered = np.sort(theirs)
        return ours[ordered[np.minimum(np.searchsorted(ordered, ours), len(ordered) - 1)] == ours]
    used = np.zeros(top, bool)
    used[theirs] = True
    return ours[used[ours]]


def _prefix(modes: list[tuple[int, int]]) -> list[int]:
    return [prod(s for s, _ in modes[:i]) for i in range(len(modes))]


def right_inverse(layout: AnyLayout) -> AnyLayout:
    """At which 1-D index does each offset 0, 1, 2, ... live? R with A(R(i)) == i, as far as A is contiguous.

    Checked at every i (at a fixed sample beyond 2^22). 1:0 when not even offset 1 follows. Of two modes of one stride the
    first counts. For `Sw o 0 o A` it is
    composition(right_inverse(A), Sw). Source: cute/layout.hpp, `right_inverse`.

    >>> right_inverse(Layout((4, 2), (2, 1))), right_inverse(Layout((8, 8), (1, 9)))
    (Layout('(2,4):(4,1)'), Layout('8:1'))
    """
    want_layout(layout, "the layout", "right_inverse")
    if isinstance(layout, ComposedLayout):
        return _composed_inverse(layout, "right_inverse")
    modes = flat_modes(coalesce(layout))  # type: ignore[arg-type]
    found, current = [], 1
    for (extent, stride), before in sorted(zip(modes, _prefix(modes), strict=True), key=lambda m: m[0][1]):
        if stride == current:
            found.append((extent, before))
            current = extent * stride
    result = coalesce(from_modes(found))
    got = laws.values(layout, laws.domain_values(result))  # type: ignore[arg-type]
    want = laws.points(result.shape)
    laws.check_same(f"right_inverse of {layout}", result, got, want, result.shape, "A(R(i)) = i")
    return result


def left_inverse(layout: AnyLayout) -> AnyLayout:
    """Which 1-D index lives at this offset? R with R(A(i)) == i for every index i of A.

    Only an injective layout has one: two coordinates at one offset cannot both come back. CuTe asks besides that each
    stride is a multiple of the next smaller one. Raises CuteLabError otherwise, with the two coordinates that meet (C++ returns
    a quasi-inverse for such layouts, with A(R(A(i))) == A(i) only). Source: cute/layout.hpp, `left_inverse`.

    >>> left_inverse(Layout((2, 2), (1, 3))), left_inverse(Layout((8, 8), (9, 1)))
    (Layout('(3,2):(1,2)'), Layout('(9,8):(8,1)'))
    """
    want_layout(layout, "the layout", "left_inverse")
    if isinstance(layout, ComposedLayout):
        return _composed_inverse(layout, "left_inverse")
    modes = flat_modes(coalesce(layout))  # type: ignore[arg-type]
    name = f"left_inverse of {layout}"
    shape: list[int] = []
    stride, last = [0], (1, 1, 1)
    for (extent, step), before in sorted(zip(modes, _prefix(modes), strict=True), key=lambda m: m[0][1]):
        if step < 0:
            raise CuteLabError(
                f"{name}: stride {step} is negative, and an offset below 0 is no index; use positive strides"
            )
        if step == 0 and extent > 1:
            raise CuteLabError(
                f"{name}: not injective, since stride 0 puts {extent} elements at one offset; filter it first"
            )
        if extent > 1:
            done = prod(shape)
            if step < last[0] * last[1]:
                raise CuteLabError(f"{name}: {_meeting(layout, last, (extent, step, before))}")
            if step % done:
                raise CuteLabError(
                    f"{name}: stride {step} is not a multiple of the smaller stride {done} (left inverse divisibility), so "
                    f"no layout undoes it; use {-(-step // done) * done} instead of {step}"
                )
            shape.append(step // done)
            stride.append(before)
            last = (extent, step, before)
    result = coalesce(from_modes(list(zip([*shape, last[0]], stride, strict=True)))) if shape else Layout(1, 0)
    got = laws.values(result, laws.domain_values(layout))  # type: ignore[arg-type]
    laws.check_same(name, result, got, laws.points(layout.shape), layout.shape, "R(A(i)) = i")
    return result


def _meeting(layout: Any, small: tuple[int, int, int], large: tuple[int, int, int]) -> str:
    """Modes extent:stride (first index) small and large overlap: do two coordinates meet, and if so which?"""
    common = gcd(small[1], large[1])
    times, many = small[1] // common, large[1] // common
    if many < small[0] and times < large[0]:
        return (
            f"not injective, since the indices {many * small[2]} and {times * large[2]} both have offset "
            f"{large[1] * times}; only an injective layout can be undone"
        )
    return (
        f"stride {large[1]} lies inside the reach {small[0] * small[1]} of the mode {small[0]}:{small[1]} "
        f"(left inverse divisibility); use a stride of {small[0] * small[1]} or more"
    )


def _composed_inverse(layout: ComposedLayout, name: str) -> AnyLayout:
    if layout.offset or not isinstance(layout.outer, Swizzle):
        raise CuteLabError(
            f"{name}: {layout} has offset {layout.offset} and outer function {layout.outer}; "
            f"only a swizzle with offset 0 can be undone as one layout"
        )
    right = name == "right_inverse"
    result = composition(right_inverse(layout.inner) if right else left_inverse(layout.inner), layout.outer)
    if right:
        result = _within(result, size(layout), f"{name} of {layout}")
    first, second = (result, layout) if right else (layout, result)
    got = laws.values(second, laws.domain_values(first))
    rule = "A(R(i)) = i" if right else "R(A(i)) = i"
    laws.check_same(f"{name} of {layout}", result, got, laws.points(first.shape), first.shape, rule)
    return result


def _within(inverse: AnyLayout, count: int, name: str) -> AnyLayout:
    """The start of a right inverse whose values are indices of A, 0 to count - 1: a swizzle may lead beyond the last one."""
    found = laws.domain_values(inverse)
    beyond = found >= count
    if not beyond.any():
        return inverse
    keep = int(np.argmax(beyond))
    if size(inverse) > laws.MAX_CHECK:
        raise CuteLabError(
            f"{name}: it would name index {found[keep]}, and the last one is {count - 1}; use a smaller layout"
        )
    if (found[:keep] == np.arange(keep)).all():
        return Layout(keep)
    return composition(inverse, Layout(keep))
