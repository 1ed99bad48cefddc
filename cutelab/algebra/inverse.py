"""complement: what a layout leaves out. right_inverse and left_inverse: the way back from offset to index.

Source: CuTe's documentation, "CuTe Layout Algebra", section "Complement"; cute/layout.hpp.
"""

from __future__ import annotations

from functools import lru_cache
from math import gcd
from typing import Any

import numpy as np

from cutelab.algebra import laws
from cutelab.algebra.compose import composition
from cutelab.algebra.laws import flat_modes, from_modes
from cutelab.algebra.simplify import coalesced, filtered, want_layout
from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, brief, count_text, shown
from cutelab.core.int_tuple import Int, IntTuple, shown_text
from cutelab.core.layout import AnyLayout, ComposedLayout, Layout, as_shape, cosize, size
from cutelab.core.swizzle import Swizzle


def complement(layout: AnyLayout | str, cotarget: Any = None, *, as_cpp: bool = False) -> Layout:
    """Which layout counts the repetitions of A that fill `cotarget` offsets? What A leaves out, in ascending order.

    cotarget: an int, or a shape (then its size counts; CuTe divides it mode by mode), or a layout, whose shape counts; None:
    cosize of A without repetitions. The result R is ordered (positive, ascending offsets), disjoint from A (they share only
    offset 0) and bounded (cosize(R) <= cotarget); copies of A at the offsets of R never meet. They fill the cotarget except for
    the padding between A's strides, which no copy reaches. Checked on the whole tables up to 2^22 offsets. Raises CuteLabError
    when modes of A overlap (C++: not injective), when cotarget is smaller than A, and when R would reach beyond it; as_cpp=True
    gives C++'s answer in the last two cases. Source: cute/layout.hpp, `complement`.

    >>> complement(Layout(4, 2), 24), complement(Layout((2, 2), (1, 6)), 24)
    (Layout('(2,3):(1,8)'), Layout('(3,2):(2,12)'))
    >>> complement("(4,8):(1,5)"), complement(Layout(4), 2, as_cpp=True)
    (Layout('1:0'), Layout('1:0'))
    """
    layout = want_layout(layout, "the layout", "complement")
    table, plain = layout, layout.layout if isinstance(layout, ComposedLayout) else layout
    if isinstance(layout, ComposedLayout) and cotarget is None:
        cotarget = cosize(layout)
    name = f"complement of {brief(plain)}"
    kept = filtered(plain)
    needed = _static_cosize(kept)
    shape = cotarget_shape(cotarget, needed)
    count = int_tuple.product(shape)
    result = complement_within(plain, shape)
    if as_cpp:
        return result
    if count < needed:
        raise CuteLabError(
            f"{name}: cotarget {shown_text(shape)} has {count_text(count)} offsets, but the layout itself reaches over "
            f"{count_text(needed)}; use a cotarget of {shown(needed)} or more. "
            f"C++ returns {brief(result)} (as_cpp=True)"
        )
    if cosize(result) > count:
        step = max([d * s for s, d in flat_modes(kept)], default=1)
        near = [n for n in (count // step * step, (count // step + 1) * step) if n >= needed]
        raise CuteLabError(
            f"{name}: C++ returns {brief(result)} (as_cpp=True), which reaches over {count_text(cosize(result))} offsets, "
            f"more than the cotarget's {count_text(count)}. Use a multiple of {step}: {' or '.join(map(str, near))}"
        )
    _check_disjoint(table, result)
    return result


def _static_cosize(layout: Layout) -> int:
    """cosize, static where the layout is."""
    static = all(isinstance(v, Int) for mode in flat_modes(layout) for v in mode)
    return Int(cosize(layout)) if static else cosize(layout)


def cotarget_shape(cotarget: Any, default: int) -> IntTuple:
    """The cotarget as a shape; None stands for the default, a Layout for its shape.

    >>> cotarget_shape(None, 8), cotarget_shape([4, 8], 8)
    (8, (4, 8))
    """
    return default if cotarget is None else as_shape(cotarget, "complement: cotarget")


def complement_within(layout: Layout, cotarget: IntTuple) -> Layout:
    """CuTe's complement as divides and products use it: the last mode is rounded up, so it may reach beyond the cotarget.

    Raises CuteLabError when modes of the layout overlap.

    >>> complement_within(Layout(8, 1), 20)
    Layout('3:8')
    """
    kept = flat_modes(filtered(layout))
    name = f"complement of {brief(layout)}"
    if any(d < 0 for _, d in kept):
        raise CuteLabError(f"{name}: stride {min(d for _, d in kept)} is negative; use strides of 0 or more")
    static = laws.static(layout)
    modes: list[tuple[Any, Any]] = []
    last: int = Int(1) if static else 1
    before = (1, 0)
    for extent, stride in sorted(kept, key=lambda mode: mode[1]):
        if stride == 0:
            continue
        if stride < last:
            raise CuteLabError(
                f"{name}: mode {before[0]}:{before[1]} reaches up to {last}, beyond the next stride "
                f"{stride} of {extent}:{stride} (C++: non-injective layout); use a stride of {last} or more there"
            )
        modes.append((stride // last, last))
        last, before = stride * extent, (extent, stride)
    return coalesced(from_modes([*modes, (_ceil_div(cotarget, last), last)], static=static))


def _ceil_div(shape: IntTuple, divisor: int) -> int:
    """CuTe's ceil_div of a shape: the divisor is divided out mode by mode, from the left."""
    counts = []
    for extent in int_tuple.flatten(shape):
        counts.append(-(-extent // divisor))
        divisor = -(-divisor // extent)
    return int_tuple.static_product(counts)


@lru_cache(maxsize=64)  # an explorer asks for the same complement several times in a step
def _check_disjoint(layout: AnyLayout, result: Layout) -> None:
    if max(size(layout), size(result)) > laws.MAX_CHECK:
        return
    ours, theirs = laws.domain_values(result), laws.domain_values(layout)
    if theirs.min() < 0:
        raise CuteLabError(
            f"complement of {brief(layout)}: it reaches offset {theirs.min()}, and a complement fills offsets from 0 on; "
            "use an offset of 0 or more"
        )
    shared = _shared(ours, theirs)
    if (ours[1:] <= ours[:-1]).any() or (shared != 0).any():
        raise CuteLabError(
            f"complement of {brief(layout)}: {brief(result)} is not disjoint from it, they share offset {shared[-1]}"
        )


def _shared(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    top = int(max(ours.max(), theirs.max())) + 1
    if top > laws.MAX_CHECK:
        ordered = np.sort(theirs)
        return np.asarray(ours[ordered[np.minimum(np.searchsorted(ordered, ours), len(ordered) - 1)] == ours])
    used = np.zeros(top, bool)
    used[theirs] = True
    return np.asarray(ours[used[ours]])


def _prefix(modes: list[tuple[int, int]]) -> list[int]:
    return [int_tuple.static_product([s for s, _ in modes[:i]] or [Int(1)]) for i in range(len(modes))]


def right_inverse(layout: AnyLayout | str) -> AnyLayout:
    """At which 1-D index does each offset 0, 1, 2, ... live? R with A(R(i)) == i, as far as A is contiguous.

    Checked at every i (at a fixed sample beyond 2^22). 1:0 when not even offset 1 follows. Of two modes of one stride the
    first counts. For `Sw o 0 o A` it is
    composition(right_inverse(A), Sw). Source: cute/layout.hpp, `right_inverse`.

    >>> right_inverse(Layout((4, 2), (2, 1))), right_inverse(Layout((8, 8), (1, 9)))
    (Layout('(2,4):(4,1)'), Layout('8:1'))
    """
    layout = want_layout(layout, "the layout", "right_inverse")
    return _composed_inverse(layout, right=True) if isinstance(layout, ComposedLayout) else right_inverse_plain(layout)


def right_inverse_plain(layout: Layout) -> Layout:
    """`right_inverse` of a layout without a swizzle.

    >>> right_inverse_plain(Layout((4, 2), (2, 1)))
    Layout('(2,4):(4,1)')
    """
    static = laws.static(layout)
    modes = flat_modes(coalesced(layout))
    found, current = [], 1
    for (extent, stride), before in sorted(zip(modes, _prefix(modes), strict=True), key=lambda m: m[0][1]):
        if stride == current:
            found.append((extent, before if static else int(before)))
            current = extent * stride
    result = coalesced(from_modes(found, static=static))
    got = laws.values(layout, laws.domain_values(result))
    want = laws.points(result.shape)
    laws.check_same(f"right_inverse of {brief(layout)}", result, got, want, result.shape, "A(R(i)) = i")
    return result


def left_inverse(layout: AnyLayout | str, *, as_cpp: bool = False) -> AnyLayout:
    """Which 1-D index lives at this offset? R with R(A(i)) == i for every index i of A.

    Only an injective layout has one: two coordinates at one offset cannot both come back. CuTe asks besides that each
    stride is a multiple of the next smaller one. Raises CuteLabError otherwise, with the two coordinates that meet. as_cpp=True
    gives what C++ returns then: a quasi-inverse, for which only A(R(A(i))) == A(i) is meant, unchecked. Source: cute/layout.hpp, `left_inverse`.

    >>> left_inverse(Layout((2, 2), (1, 3))), left_inverse(Layout((8, 8), (9, 1)))
    (Layout('(3,2):(1,2)'), Layout('(9,8):(8,1)'))
    >>> left_inverse(Layout(4, 0), as_cpp=True)
    Layout('4:0')
    """
    layout = want_layout(layout, "the layout", "left_inverse")
    if isinstance(layout, ComposedLayout):
        return _composed_inverse(layout, right=False, as_cpp=as_cpp)
    return _quasi_inverse(layout) if as_cpp else left_inverse_plain(layout)


def left_inverse_plain(layout: Layout) -> Layout:
    """`left_inverse` of a layout without a swizzle.

    >>> left_inverse_plain(Layout((2, 2), (1, 3)))
    Layout('(3,2):(1,2)')
    """
    static = laws.static(layout)
    modes = flat_modes(coalesced(layout))
    name = f"left_inverse of {brief(layout)}"
    shape: list[int] = []
    stride: list[int] = [Int(0) if static else 0]
    last = (1, 1, 1)
    for (extent, step), before in sorted(zip(modes, _prefix(modes), strict=True), key=lambda m: m[0][1]):
        if step < 0:
            raise CuteLabError(
                f"{name}: stride {step} is negative, and an offset below 0 is no index; use positive strides"
            )
        if step == 0 and extent > 1:
            raise CuteLabError(
                f"{name}: not injective, since stride 0 puts {extent} elements at one offset; filter it first. "
                f"C++ returns a quasi-inverse (as_cpp=True)"
            )
        if extent > 1:
            done = int_tuple.static_product(shape or [Int(1)])
            if step < last[0] * last[1]:
                raise CuteLabError(f"{name}: {_meeting(last, (extent, step, before))}")
            if step % done:
                raise CuteLabError(
                    f"{name}: stride {step} is not a multiple of the smaller stride {done} (left inverse divisibility), so "
                    f"no layout undoes it; use {-(-step // done) * done} instead of {step}"
                )
            shape.append(step // done)
            stride.append(before if static else int(before))
            last = (extent, step, before)
    found = list(zip([*shape, last[0]], stride, strict=True)) if shape else []
    result = coalesced(from_modes(found, static=static))
    got = laws.values(result, laws.domain_values(layout))
    laws.check_same(name, result, got, laws.points(layout.shape), layout.shape, "R(A(i)) = i")
    return result


def _quasi_inverse(layout: Layout) -> Layout:
    """What C++ returns for any layout with strides that divide one another."""
    static = laws.static(layout)
    modes = flat_modes(coalesced(layout))
    shape: list[int] = []
    stride: list[int] = [Int(0) if static else 0]
    last = 1
    for (extent, step), before in sorted(zip(modes, _prefix(modes), strict=True), key=lambda m: m[0][1]):
        last = extent
        if step == 0:
            continue
        done = int_tuple.static_product(shape or [Int(1)])
        if step < 0:
            raise CuteLabError(
                f"left_inverse of {brief(layout)}: stride {step} is negative; what C++ returns for it then has negative extents, "
                f"which no layout has. Use positive strides"
            )
        if step % done or step < done:
            raise CuteLabError(
                f"left_inverse of {brief(layout)}: stride {step} is not a multiple of the smaller stride {done}; "
                f"C++ does not compile it either (left inverse divisibility)"
            )
        shape.append(step // done)
        stride.append(before if static else int(before))
    return coalesced(from_modes(list(zip([*shape, last], stride, strict=True)), static=static))


def _meeting(small: tuple[int, int, int], large: tuple[int, int, int]) -> str:
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


def _composed_inverse(layout: ComposedLayout, right: bool, as_cpp: bool = False) -> AnyLayout:
    name = f"{'right' if right else 'left'}_inverse of {brief(layout)}"
    if layout.offset or not isinstance(layout.outer, Swizzle) or not isinstance(layout.inner, Layout):
        raise CuteLabError(
            f"{name}: offset {layout.offset}, outer function {brief(layout.outer)}, inner layout "
            f"{brief(layout.inner)}; only one swizzle with offset 0 can be undone as one layout"
        )
    if as_cpp:
        return composition(_quasi_inverse(layout.inner), layout.outer, as_cpp=True)
    result = composition(right_inverse_plain(layout.inner) if right else left_inverse_plain(layout.inner), layout.outer)
    if right:
        result = _within(result, size(layout), name)
    first, second = (result, layout) if right else (layout, result)
    got = laws.values(second, laws.domain_values(first))
    rule = "A(R(i)) = i" if right else "R(A(i)) = i"
    laws.check_same(name, result, got, laws.points(first.shape), first.shape, rule)
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
    if (found[:keep] == np.arange(keep, dtype=np.int64)).all():
        return Layout(keep)
    return composition(inverse, Layout(keep))
