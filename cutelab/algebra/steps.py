"""The steps of each fold in words: which stride meets which shape, what is taken, what is left."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from cutelab.algebra.fold import Broken, compose_mode, exact_composition, why_broken
from cutelab.algebra.inverse import complement_within, cotarget_shape
from cutelab.algebra.laws import flat_modes, from_modes
from cutelab.algebra.recast import upcast_mode
from cutelab.algebra.simplify import coalesce_beyond, coalesced, filtered
from cutelab.core import int_tuple
from cutelab.core.int_tuple import to_text
from cutelab.core.layout import Layout, cosize, extended
from cutelab.core.swizzle import Swizzle

Lines = Iterator[str]


def composition_steps(a: Layout, b: Layout) -> Lines:
    """A o B: each mode of B on its way through the modes of A.

    >>> print(*composition_steps(Layout(20, 2), Layout(5, 4)), sep="\\n")
    composition of A = 20:2 with B = 5:4
    Definition: R(c) = A(B(c)) for every coordinate c of B, one mode of B after the other.
    A in as few modes as possible: 20:2
    Mode 5:4 of B: 5 elements of A, 4 apart.
      A's last mode 20:2: take all 5, stride 4*2 = 8.
      Together 5:8.
    """
    modes = coalesce_beyond(a)
    yield f"composition of A = {a} with B = {b}"
    yield "Definition: R(c) = A(B(c)) for every coordinate c of B, one mode of B after the other."
    yield f"A in as few modes as possible: {from_modes(modes)}"
    if cosize(b) > int_tuple.product(a.shape):
        yield (
            f"B reaches index {cosize(b) - 1}, A has {int_tuple.product(a.shape)}: the last mode of A goes on beyond its size, as in "
            f"CuTe. To repeat the check by hand, call A = {extended(a, cosize(b))}."
        )
    for extent, step in flat_modes(b):
        elements = "1 element" if extent == 1 else f"{extent} elements"
        yield f"Mode {extent}:{step} of B: {elements} of A, {step} apart."
        if step == 0:
            yield f"  Stride 0 stays at A(0): {extent}:0."
            continue
        found, steps = compose_mode(modes, extent, step)
        broken = isinstance(found, Broken)
        for i, at in enumerate(steps):
            if i == len(modes) - 1 and not broken:
                yield f"  A's last mode {at.shape}:{at.stride}: take all {at.extent}, stride {at.step}*{at.stride} = {at.step * at.stride}."
            elif at.taken == 1:
                yield f"  A's mode {at.shape}:{at.stride}: {_passed(at)}"
            else:
                yield (
                    f"  A's mode {at.shape}:{at.stride}: {at.shape} / {abs(at.step)} = {_fits(at)} fit in. Take {at.taken} "
                    f"of {at.extent}, stride {at.step}*{at.stride} = {at.step * at.stride}; {_remains(at)}."
                )
                if at.shape % at.step and at.rest > 1:
                    yield f"  {at.step} does not divide {at.shape}: what follows is out of step, and C++ does not notice."
                if at.rest == 1:
                    break
        if isinstance(found, Broken):
            yield f"  Here the compiler stops: {why_broken(found)}."
            yield exact_line(a, b)
            return
        yield f"  Together {found}."


def exact_line(a: Layout, b: Layout) -> str:
    """What divisibility decides and what it does not: the exact layout of A o B where there is one.

    >>> exact_line(Layout((8, 8), (1, 9)), Layout(8, 9))
    '  Divisibility is enough for a layout to exist, and not necessary: here the numbers are those of 8:10. Write that.'
    >>> exact_line(Layout((8, 8), (1, 9)), Layout(5, 3))
    '  Divisibility is enough for a layout to exist, and not necessary; here there is none: A(B(c)) has uneven steps.'
    """
    rule = "  Divisibility is enough for a layout to exist, and not necessary"
    exact = exact_composition(a, b)
    if exact is not None:
        return f"{rule}: here the numbers are those of {exact}. Write that."
    if int_tuple.product(b.shape) > 2**16:
        return f"{rule}; whether there is one for so many coordinates was not looked at."
    return f"{rule}; here there is none: A(B(c)) has uneven steps."


def _fits(at: Any) -> str:
    fits = -(-at.shape // abs(at.step))
    return f"{fits}" if at.shape % at.step == 0 else f"{at.shape / abs(at.step):.3g} -> {fits}"


def _remains(at: Any) -> str:
    """What is still to be taken is a quotient: so many times the elements just taken."""
    done = f"{at.extent} / {at.taken} = {at.rest}"
    return f"{done}: done" if at.rest == 1 else f"{done} times these, in steps of {at.next_step}"


def _passed(at: Any) -> str:
    if at.extent == 1:
        return f"nothing is left to take; steps of {at.step} / {at.shape} -> {at.next_step}."
    return f"a step of {at.step} leaves it; go on in steps of {at.step} / {at.shape} -> {at.next_step}."


def coalesce_steps(a: Layout, profile: Any = None) -> Lines:
    """coalesce: each mode dropped, joined or kept.

    >>> print(*coalesce_steps(Layout((2, 1, 6), (1, 6, 2))), sep="\\n")
    coalesce of A = (2,1,6):(1,6,2)
    Definition: the same function of the 1-D index, with as few modes as possible.
    2:1 begins a mode.
    1:6 has one element: dropped.
    6:2 goes on where 2:1 ends (2*1 = 2): joined to 12:1.
    """
    yield f"coalesce of A = {a}" + (f" by the profile {to_text(profile)}" if isinstance(profile, tuple) else "")
    yield "Definition: the same function of the 1-D index, with as few modes as possible."
    if isinstance(profile, tuple):
        for i, _ in zip(range(len(a)), profile, strict=False):
            yield f"Mode {i}, by itself: {a[i]} -> {coalesced(a[i])}."
        return
    last: tuple[int, int] | None = None
    for extent, stride in flat_modes(a):
        mode = f"{extent}:{stride}"
        if extent == 1:
            yield f"{mode} has one element: dropped."
        elif last and stride == last[0] * last[1]:
            joined = (last[0] * extent, last[1])
            yield f"{mode} goes on where {last[0]}:{last[1]} ends ({last[0]}*{last[1]} = {stride}): joined to {joined[0]}:{joined[1]}."
            last = joined
        elif last:
            yield f"{mode} does not go on where {last[0]}:{last[1]} ends ({last[0]}*{last[1]} = {last[0] * last[1]}): a new mode."
            last = (extent, stride)
        else:
            yield f"{mode} begins a mode."
            last = (extent, stride)


def complement_steps(a: Layout, cotarget: Any = None) -> Lines:
    """complement: the gap below each stride, then what is left above.

    >>> print(*complement_steps(Layout(4, 2), 24), sep="\\n")
    complement of A = 4:2 in 24 offsets
    Definition: the repetitions of A that fill the offsets; in ascending order of A's strides, each gap is a mode.
    A without repetitions: 4:2
    Mode 4:2: below stride 2 there is room 2 / 1 = 2 times: 2:1. The mode ends at 4*2 = 8.
    Above 8: ceil(24 / 8) = 3 times: 3:8.
    Together (2,3):(1,8).
    """
    kept = filtered(a)
    shape = cotarget_shape(cotarget, cosize(kept))
    yield f"complement of A = {a} in {to_text(shape)} offsets"
    yield "Definition: the repetitions of A that fill the offsets; in ascending order of A's strides, each gap is a mode."
    yield f"A without repetitions: {kept}"
    last = 1
    for extent, stride in sorted(flat_modes(kept), key=lambda mode: mode[1]):
        if stride == 0:
            continue
        if stride < last:
            yield f"Mode {extent}:{stride}: stride {stride} lies below {last}, where the mode before ends: the two overlap."
            return
        gap = stride // last
        yield (
            f"Mode {extent}:{stride}: below stride {stride} there is room {stride} / {last} = {gap} times: {gap}:{last}. "
            f"The mode ends at {extent}*{stride} = {extent * stride}."
        )
        last = stride * extent
    result = complement_within(a, shape)
    rest = max(1, prod(s for s, d in flat_modes(result) if d >= last))
    yield f"Above {last}: ceil({to_text(shape)} / {last}) = {rest} times: {rest}:{last}."
    yield f"Together {result}."
    filled = int_tuple.product(result.shape) * int_tuple.product(kept.shape)
    if filled < int_tuple.product(shape):
        yield f"The copies hold {filled} of {int_tuple.product(shape)} offsets; the others are padding between A's strides."


def _sorted_modes(a: Layout) -> list[tuple[int, int, int]]:
    modes = flat_modes(coalesced(a))
    before = [prod(s for s, _ in modes[:i]) for i in range(len(modes))]
    return sorted(((s, d, p) for (s, d), p in zip(modes, before, strict=True)), key=lambda m: m[1])


def right_inverse_steps(a: Layout) -> Lines:
    """right_inverse: follow the offsets from stride 1 on.

    >>> print(*right_inverse_steps(Layout((4, 2), (2, 1))), sep="\\n")
    right_inverse of A = (4,2):(2,1)
    Definition: R(i) is the 1-D index at which offset i lives: A(R(i)) = i. Begin with the mode of stride 1.
    Stride 1 is the mode 2:1, whose index counts in steps of 4: 2:4. Offsets up to 2 are reached.
    Stride 2 is the mode 4:2, whose index counts in steps of 1: 4:1. Offsets up to 8 are reached.
    No mode has stride 8: the end.
    """
    yield f"right_inverse of A = {a}"
    yield "Definition: R(i) is the 1-D index at which offset i lives: A(R(i)) = i. Begin with the mode of stride 1."
    current = 1
    for extent, stride, before in _sorted_modes(a):
        if stride == current:
            current = extent * stride
            yield (
                f"Stride {stride} is the mode {extent}:{stride}, whose index counts in steps of {before}: {extent}:{before}. "
                f"Offsets up to {current} are reached."
            )
    yield f"No mode has stride {current}: the end."


def left_inverse_steps(a: Layout) -> Lines:
    """left_inverse: read the offset digit by digit.

    >>> print(*left_inverse_steps(Layout((2, 2), (1, 3))), sep="\\n")
    left_inverse of A = (2,2):(1,3)
    Definition: R takes an offset back to its 1-D index: R(A(i)) = i. In ascending order of A's strides:
    Mode 2:1: an offset is read in groups of 1; the group's number counts in steps of 1 of the index.
    Mode 2:3: an offset is read in groups of 3; the group's number counts in steps of 2 of the index.
    """
    yield f"left_inverse of A = {a}"
    yield "Definition: R takes an offset back to its 1-D index: R(A(i)) = i. In ascending order of A's strides:"
    reach, before_stride, last = 0, 1, ""
    for extent, stride, before in _sorted_modes(a):
        mode = f"Mode {extent}:{stride}"
        if stride == 0 and extent > 1:
            yield f"{mode}: {extent} elements at one offset cannot all come back."
            return
        if extent == 1:
            continue
        if stride < reach:
            yield f"{mode}: stride {stride} lies below {reach}, where the mode {last} ends."
            return
        if stride % before_stride:
            yield f"{mode}: stride {stride} is not a multiple of {before_stride}, the stride of the mode {last} before it."
            return
        yield f"{mode}: an offset is read in groups of {stride}; the group's number counts in steps of {before} of the index."
        reach, before_stride, last = extent * stride, stride, f"{extent}:{stride}"


def upcast_steps(a: Any, n: int) -> Lines:
    """upcast: each mode in units of n.

    >>> print(*upcast_steps(Layout((8, 8), (1, 8)), 4), sep="\\n")
    8:1: 4 elements share a unit: 8 / 4 = 2, stride 1. 2:1
    8:8: stride 8 / 4 = 2. 8:2
    """
    if isinstance(a, Swizzle):
        yield f"The base counts elements: it falls by log2({n})."
        return
    for extent, stride in flat_modes(a):
        (new, step), k = upcast_mode(a, extent, stride, n)
        if stride == 0:
            yield f"{extent}:0: a repetition stays one."
        elif k == 1:
            yield f"{extent}:{stride}: stride {stride} / {n} = {step}. {new}:{step}"
        else:
            yield f"{extent}:{stride}: {k} elements share a unit: {extent} / {k} {'=' if extent % k == 0 else '->'} {new}, stride {step}. {new}:{step}"


def downcast_steps(a: Any, n: int) -> Lines:
    """downcast: each mode in parts of 1/n.

    >>> print(*downcast_steps(Layout((8, 8), (1, 8)), 4), sep="\\n")
    8:1: neighbours, so each element becomes 4 of them: 32:1
    8:8: stride 8 * 4 = 32: 8:32
    """
    if isinstance(a, Swizzle):
        yield f"The base counts elements: it rises by log2({n})."
        return
    for extent, stride in flat_modes(a):
        if abs(stride) == 1:
            yield f"{extent}:{stride}: neighbours, so each element becomes {n} of them: {extent * n}:{stride}"
        else:
            yield f"{extent}:{stride}: stride {stride} * {n} = {stride * n}: {extent}:{stride * n}"
