"""CuTe's algebra on typed leaves: compile-time integers, runtime integers, and basis elements.

What CuTe returns depends on more than numbers: it joins modes only where it knows both at compile time, an extent of 1 loses
its stride only when it is static, and a stride may be a basis element. Partitions of tensors show all of that in what they
print, so they are computed here, with these rules; `composition` and the divides of coordinate layouts too.

A `Typed` is a shape and a stride whose leaves are Int (compile time), int (runtime) or, in the stride, ScaledBasis.
A layout of plain integers alone is taken as compile-time, as everywhere in this library, and given back plain.
Source: cute/layout.hpp, cute/int_tuple.hpp, cute/stride.hpp, cute/numeric/integral_constant.hpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cutelab.core.coordinates import CoordLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import Int, to_text
from cutelab.core.layout import Layout
from cutelab.core.leaves import (
    ONE,
    ZERO,
    Leaf,
    ScaledBasis,
    compact_strides,
    is_const,
    mark,
    mul,
    stride_leaves,
    strides_text,
    typed_as,
    unmark,
)

Mode = tuple[Any, Leaf]


class Typed(NamedTuple):
    """A shape and a stride of the same profile."""

    shape: Any
    stride: Any

    def __str__(self) -> str:
        return f"{to_text(self.shape)}:{strides_text(self.stride)}"


UNIT = Typed(ONE, ZERO)


def is_static(x: Leaf) -> bool:
    """Does CuTe know this integer at compile time?"""
    return isinstance(x.value if isinstance(x, ScaledBasis) else x, Int)


def div(a: Leaf, b: Leaf) -> int:
    """The quotient, rounded down."""
    return typed_as(int(a) // int(b), a, b)


def ceil_div(a: Any, b: Any) -> Any:
    """The quotient, rounded up; a tuple by an integer takes what is left from mode to mode.

    >>> ceil_div((100, 64), 16)
    (7, 64)
    """
    if isinstance(a, tuple):
        result = []
        for x in a:
            result.append(ceil_div(x, b))
            b = ceil_div(b, x)
        return tuple(result)
    return typed_as(-(-int(a) // int(b)), a, b)


def least(a: Leaf, b: Leaf) -> int:
    """The smaller one; static where both are."""
    return typed_as(min(int(a), int(b)), a, b)


def product(value: Any) -> int:
    """All extents multiplied: static where all are."""
    result: Leaf = ONE
    for leaf in stride_leaves(value):
        result = mul(result, leaf)
    found: int = result
    return found


def lift(layout: Layout | CoordLayout) -> tuple[Typed, bool]:
    """The typed form, and whether it has compile-time marks of its own. Without any, every integer is compile-time.

    >>> lift(Layout((4, 2)))[0].stride, lift(Layout((Int(4), 2)))[1]
    ((1, 4), True)
    """
    marks = any(isinstance(x, Int) for x in stride_leaves(layout.shape)) or any(
        is_static(x) for x in stride_leaves(layout.stride)
    )
    if marks:
        return Typed(layout.shape, layout.stride), True
    return Typed(mark(layout.shape), mark(layout.stride)), False


def lower(typed: Typed, marks: bool = True) -> Layout | CoordLayout:
    """Back to a Layout or a CoordLayout, with its marks or plain."""
    shape, stride = (typed.shape, typed.stride) if marks else (unmark(typed.shape), unmark(typed.stride))
    if any(isinstance(d, ScaledBasis) for d in stride_leaves(stride)):
        return CoordLayout(shape, stride)
    return Layout(shape, stride)


def modes_of(x: Typed) -> list[Typed]:
    """The top-level modes."""
    if not isinstance(x.shape, tuple):
        return [x]
    return [Typed(s, d) for s, d in zip(x.shape, x.stride, strict=True)]


def join(modes: list[Typed]) -> Typed:
    """The layout that has these modes."""
    return Typed(tuple(m.shape for m in modes), tuple(m.stride for m in modes))


def flat_modes(x: Typed) -> list[Mode]:
    """The leaf modes."""
    return list(zip(stride_leaves(x.shape), stride_leaves(x.stride), strict=True))


def from_modes(modes: list[Mode]) -> Typed:
    """The layout of these leaf modes; one alone stands without brackets."""
    if len(modes) == 1:
        return Typed(*modes[0])
    return Typed(tuple(s for s, _ in modes), tuple(d for _, d in modes))


def _join_from_the_back(front: list[Mode], rest: list[Mode]) -> list[Mode]:
    for s, d in reversed(rest):
        first = front[0]
        if is_const(s, 1):
            continue
        if len(front) == 1 and is_const(first[0], 1):
            front = [(s, d)]
        elif _continues(s, d, first):
            front = [(mul(s, first[0]), d), *front[1:]]
        else:
            front = [(s, d), *front]
    return front


def _continues(s: Leaf, d: Leaf, following: Mode) -> bool:
    """Does the following mode go on where s:d ends, and is that known at compile time?"""
    if not (is_static(s) and is_static(d) and is_static(following[0]) and is_static(following[1])):
        return False
    end = mul(s, d)
    return bool(end == following[1]) and isinstance(end, ScaledBasis) == isinstance(following[1], ScaledBasis)


def coalesce(x: Typed, profile: Any = None) -> Typed:
    """Fewer modes, the same function inside; with a tuple as profile, each mode by itself."""
    if isinstance(profile, tuple):
        modes = modes_of(x)
        done = [coalesce(m, p) for m, p in zip(modes, profile, strict=False)]
        return join([*done, *modes[len(profile) :]])
    flat = flat_modes(x)
    found = _join_from_the_back([flat[-1]], flat[:-1])
    return UNIT if len(found) == 1 and is_const(found[0][0], 1) else from_modes(found)


def _coalesce_beyond(x: Typed) -> list[Mode]:
    flat = flat_modes(x)
    last = (Int(2), flat[-1][1]) if is_const(flat[-1][0], 1) else flat[-1]
    return _join_from_the_back([last], flat[:-1])


def composition(lhs: Typed, rhs: Any) -> Typed:
    """lhs after rhs: a Typed, a tuple by mode, None (the whole mode) or an integer (the first so many)."""
    if rhs is None:
        return lhs
    if isinstance(rhs, Typed):
        return _after(lhs, rhs.shape, rhs.stride, _coalesce_beyond(lhs))
    if isinstance(rhs, tuple):
        return join([composition(m, r) for m, r in zip(modes_of(lhs), rhs, strict=False)])
    return _after(lhs, rhs, ONE, _coalesce_beyond(lhs))


def _after(lhs: Typed, shape: Any, stride: Any, modes: list[Mode]) -> Typed:
    if isinstance(shape, tuple):
        return join([_after(lhs, s, d, modes) for s, d in zip(shape, stride, strict=True)])
    if isinstance(stride, ScaledBasis):
        part = lhs
        for i in stride.path:
            below = modes_of(part)
            if i >= len(below):
                raise CuteLabError(f"{stride} names mode {i}, but {part} has modes 0 to {len(below) - 1}")
            part = below[i]
        return _compose_mode(_coalesce_beyond(part), shape, stride.value)
    return _compose_mode(modes, shape, stride)


def _compose_mode(modes: list[Mode], shape: Leaf, stride: Leaf) -> Typed:
    if is_const(stride, 0):
        return Typed(shape, stride)
    if len(modes) == 1:
        return Typed(shape, mul(stride, modes[0][1]))
    taken: list[Mode] = []
    rest, step = shape, stride
    for extent, d in modes[:-1]:
        size = abs(int(step))
        if rest != 1 and size and size % extent and size >= extent:
            raise CuteLabError(
                f"stride {step} meets a mode of extent {extent}: it is neither a multiple of {extent} nor below it "
                "(stride divisibility)"
            )
        if not size:
            raise CuteLabError("a runtime stride of 0 meets several modes; CuTe divides by it. Use a static stride _0")
        fits = ceil_div(extent, typed_as(size, step))
        sign = 1 if step > 0 else -1
        following = typed_as(sign * -(-size // int(extent)), step, extent)
        if not is_const(fits, 1) and not is_const(rest, 1):
            now = least(fits, rest)
            if int(rest) % int(now):
                raise CuteLabError(
                    f"{rest} elements {step} apart meet a mode of extent {extent}: {fits} fit in, and {fits} does not divide "
                    f"{rest} (shape divisibility)"
                )
            taken.append((now, mul(step, d)))
            rest = div(rest, now)
        step = following
    if not taken:
        return Typed(rest, mul(step, modes[-1][1]))
    if is_const(rest, 1):
        return from_modes(taken)
    return from_modes([*taken, (rest, mul(step, modes[-1][1]))])


def filter_zeros(x: Typed) -> Typed:
    """Extents with the compile-time stride 0 become 1."""
    if isinstance(x.shape, tuple):
        return join([filter_zeros(m) for m in modes_of(x)])
    return Typed(ONE if is_const(x.stride, 0) else x.shape, x.stride)


def compact(shape: Any, current: Leaf = ONE) -> Typed:
    """The first mode fastest from `current` on; a compile-time extent of 1 gets the stride 0."""
    return Typed(shape, compact_strides(shape, current))


def _coalesced_shape(shape: Any) -> Any:
    result: list[Leaf] = []
    for s in stride_leaves(shape):
        if result and is_static(result[-1]) == is_static(s):
            result[-1] = mul(result[-1], s)
        else:
            result.append(s)
    return result[0] if len(result) == 1 else tuple(result)


def complement(x: Typed, target: Any) -> Typed:
    """The layout of what x leaves out of `target`, a shape."""
    flat = flat_modes(coalesce(filter_zeros(x)))
    if len(flat) == 1 and is_const(flat[0][1], 0):
        return coalesce(compact(_coalesced_shape(target)))
    if any(isinstance(d, ScaledBasis) for _, d in flat):
        raise CuteLabError(f"the tile {x} has basis elements as strides; a tile's strides are integers")
    modes: list[Mode] = []
    reached: Leaf = ONE
    for s, d in sorted(flat, key=lambda mode: int(mode[1])):
        gap = div(d, reached)
        if gap == 0:
            raise CuteLabError(f"the tile {x} is not injective: stride {d} begins before {reached}")
        if int(d) % int(reached):
            raise CuteLabError(f"the tile {x} has no complement: stride {d} is not a multiple of {reached}")
        modes.append((gap, reached))
        reached = mul(d, s)
    rest = compact(_coalesced_shape(ceil_div(target, reached)), reached)
    return coalesce(join([from_modes(modes), rest]))


def right_inverse(x: Typed) -> Typed:
    """R with x(R(i)) == i, as long as x runs 0, 1, 2, ..."""
    flat = flat_modes(coalesce(x))
    before: list[Leaf] = [ONE]
    for s, _ in flat:
        before.append(mul(before[-1], s))
    found: list[Mode] = [(ONE, ZERO)]
    reached: Leaf = ONE
    order = sorted((i for i, (_, d) in enumerate(flat) if is_static(d)), key=lambda i: int(flat[i][1]))
    for i in order:
        if flat[i][1] == reached:
            found.append((flat[i][0], before[i]))
            reached = mul(flat[i][0], flat[i][1])
    return coalesce(from_modes(found))


def logical_divide(x: Typed, tiler: Any) -> Typed:
    """The tile and the rest, mode by mode for a tuple."""
    if tiler is None:
        return x
    if isinstance(tiler, Typed):
        rest = complement(tiler, coalesce(x).shape)
        return composition(x, join([tiler, rest]))
    if isinstance(tiler, tuple):
        modes = modes_of(x)
        if len(tiler) > len(modes):
            raise CuteLabError(f"a tiler of {len(tiler)} modes for {x}, which has {len(modes)}")
        done = [logical_divide(m, t) for m, t in zip(modes, tiler, strict=False)]
        return join([*done, *modes[len(tiler) :]])
    return logical_divide(x, compact(tiler))


def zip_by(x: Typed, guide: Any) -> Typed:
    """((first of each pair), (second of each pair, modes beyond the guide)). None stands for a mode that is a pair already."""
    if not isinstance(guide, tuple) or isinstance(guide, Typed):
        return x
    modes = modes_of(x)
    pairs = [modes_of(zip_by(m, g)) for m, g in zip(modes, guide, strict=False)]
    return join([join([p[0] for p in pairs]), join([*(p[1] for p in pairs), *modes[len(guide) :]])])


def zipped_divide(x: Typed, tiler: Any) -> Typed:
    """((tile), (rest))."""
    return zip_by(logical_divide(x, tiler), tiler)


def logical_product(block: Typed, tiler: Typed) -> Typed:
    """The block, and its copies where the tiler says."""
    cosize = 1 + sum((int(s) - 1) * abs(int(d)) for s, d in flat_modes(tiler))
    target = mul(product(block.shape), typed_as(cosize, *stride_leaves(tiler.shape), *stride_leaves(tiler.stride)))
    return join([block, composition(complement(block, target), tiler)])


def append(x: Typed, count: int) -> Typed:
    """At least `count` top-level modes: missing ones are 1:0."""
    modes = modes_of(x)
    return join([*modes, *[UNIT] * (count - len(modes))]) if len(modes) < count else x


def raked_product(block: Typed, tiler: Typed) -> Typed:
    """Copies first, then the block, mode by mode."""
    count = max(len(modes_of(block)), len(modes_of(tiler)))
    first, second = modes_of(logical_product(append(block, count), append(tiler, count)))
    if count == 1:
        return join([second, first])
    return join([join([b, a]) for a, b in zip(modes_of(first), modes_of(second), strict=True)])


def upcast(x: Typed, n: Leaf) -> Typed:
    """The same layout counted in units of n elements."""
    if isinstance(x.shape, tuple):
        return join([upcast(m, n) for m in modes_of(x)])
    s, d = x
    if is_const(d, 0):
        return x
    size = abs(int(d))
    if size % n and n % size:
        raise CuteLabError(f"{x} cannot be counted in units of {n}: neither of {d} and {n} divides the other")
    sign = 1 if d > 0 else -1
    return Typed(ceil_div(s, typed_as(-(-int(n) // size), n, d)), typed_as(sign * -(-size // int(n)), n, d))


def downcast(x: Typed, n: Leaf) -> Typed:
    """The same layout counted in n-th parts of an element."""
    if isinstance(x.shape, tuple):
        return join([downcast(m, n) for m in modes_of(x)])
    if is_const(x.stride, 1) or is_const(x.stride, -1):
        return Typed(mul(x.shape, n), x.stride)
    return Typed(x.shape, mul(x.stride, n))


def typed_tiler(tiler: Any) -> Any:
    """A tiler with compile-time integers: Layout, int, None or a tuple of them."""
    if isinstance(tiler, Layout):
        return lift(tiler)[0]
    if isinstance(tiler, tuple | list):
        return tuple(typed_tiler(t) for t in tiler)
    return None if tiler is None else (tiler if isinstance(tiler, Int) else Int(tiler))


def carried(operation: Callable[[Typed], Typed], layout: Layout | CoordLayout) -> Layout | CoordLayout:
    """Lift, operate, lower: the result has marks where the layout has."""
    typed, marks = lift(layout)
    return lower(operation(typed), marks)
