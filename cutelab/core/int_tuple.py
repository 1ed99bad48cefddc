"""IntTuple: an integer, or a tuple of IntTuples. Shapes, strides and coordinates are IntTuples.

Source: CuTe's documentation, "CuTe Layouts", section "IntTuple"; cute/int_tuple.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from numbers import Integral
from typing import Any

from cutelab.core.errors import CuteLabError

IntTuple = int | tuple[Any, ...]

INT64_MAX = 2**63 - 1


class Static(int):
    """An integer that CuTe knows at compile time: equal to the plain one, and printed with an underscore.

    A layout keeps the marks that a text has, so that it prints back as it came. Python's arithmetic drops them.

    >>> to_text((Static(4), 2)), Static(4) == 4, Static(4) * 2
    ('(_4,2)', True, 8)
    """

    __slots__ = ()


MAX_DEPTH = 32  # nesting allowed anywhere; CuTe's own layouts stay below 6


def is_int(value: object) -> bool:
    """Is this a plain integer (Python's or NumPy's), and not a bool?

    >>> is_int(3), is_int(True), is_int(3.0)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def as_int_tuple(value: object, what: str = "IntTuple") -> IntTuple:
    """Is this an IntTuple? Return it with plain Python integers and tuples (lists become tuples).

    Raises CuteLabError for anything else, for an empty tuple, and beyond 32 levels of nesting.

    >>> as_int_tuple([4, (2, 2)])
    (4, (2, 2))
    """
    return _as_int_tuple(value, what, 0)


def _as_int_tuple(value: object, what: str, level: int) -> IntTuple:
    if level > MAX_DEPTH:
        raise CuteLabError(f"{what} is nested more than {MAX_DEPTH} levels deep; real layouts need fewer than 6")
    if isinstance(value, tuple | list):
        if not value:
            raise CuteLabError(f"{what} has an empty tuple (); write at least one integer inside")
        return tuple(_as_int_tuple(v, what, level + 1) for v in value)
    if not is_int(value):
        shown = repr(value)
        shown = shown if len(shown) < 60 else shown[:57] + "..."
        raise CuteLabError(f"{what} must be an integer or a tuple of integers, got {shown}; for example (4,2)")
    return value if isinstance(value, Static) else int(value)  # type: ignore[call-overload]


def flatten(value: IntTuple) -> tuple[int, ...]:
    """Which integers stand in this IntTuple, from left to right?

    >>> flatten(((4, 8), 2)), flatten(5)
    ((4, 8, 2), (5,))
    """
    return tuple(_leaves(value))


def _leaves(value: IntTuple) -> Iterator[int]:
    if isinstance(value, tuple):
        for v in value:
            yield from _leaves(v)
    else:
        yield value


def unflatten(flat: tuple[int, ...], profile: IntTuple) -> IntTuple:
    """How do these integers look in the profile (nesting) of another IntTuple?

    >>> unflatten((16, 1, 8), ((4, 8), 2))
    ((16, 1), 8)
    """
    leaves = iter(flat)

    def fill(p: IntTuple) -> IntTuple:
        return tuple(fill(q) for q in p) if isinstance(p, tuple) else next(leaves)

    return fill(profile)


def rank(value: IntTuple) -> int:
    """How many top-level modes? An integer has rank 1.

    >>> rank(((4, 8), 2)), rank(5)
    (2, 1)
    """
    return len(value) if isinstance(value, tuple) else 1


def depth(value: IntTuple) -> int:
    """How deep is the nesting? An integer has depth 0, a flat tuple depth 1.

    >>> depth(5), depth((4, 2)), depth(((4, 8), 2))
    (0, 1, 2)
    """
    return 1 + max(map(depth, value)) if isinstance(value, tuple) else 0


def product(value: IntTuple) -> int:
    """What do all the integers multiply to? For a shape: how many coordinates it has.

    >>> product(((4, 8), 2))
    64
    """
    return prod(_leaves(value))


def congruent(a: IntTuple, b: IntTuple) -> bool:
    """Do two IntTuples have the same profile (the same nesting, any integers)?

    >>> congruent((4, (2, 2)), (1, (8, 4))), congruent((4, 4), 16)
    (True, False)
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(congruent, a, b))
    return not isinstance(a, tuple) and not isinstance(b, tuple)


def compatible(a: IntTuple, b: IntTuple) -> bool:
    """Is every coordinate of shape a also a coordinate of shape b? (b refines a: equal sizes, mode by mode.)

    Not symmetric. Source: cute/int_tuple.hpp, `is_compatible`.

    >>> compatible(64, (8, 8)), compatible((8, 8), 64), compatible((8, 8), (4, 16))
    (True, False, False)
    """
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(compatible, a, b))
    return a == product(b)


def compact_left(shape: IntTuple) -> IntTuple:
    """Which strides make a shape compact with the first mode fastest (CuTe's LayoutLeft)?

    >>> compact_left((4, (2, 3)))
    (1, (4, 8))
    """
    strides, step = [], 1
    for extent in _leaves(shape):
        strides.append(step)
        step *= extent
    return unflatten(tuple(strides), shape)


def compact_right(shape: IntTuple) -> IntTuple:
    """Which strides make a shape compact with the last mode fastest (CuTe's LayoutRight)?

    >>> compact_right((2, (3, 4)))
    (12, (4, 1))
    """
    strides, step = [], 1
    for extent in reversed(flatten(shape)):
        strides.append(step)
        step *= extent
    return unflatten(tuple(reversed(strides)), shape)


def idx2crd(index: int, shape: IntTuple) -> IntTuple:
    """Which hierarchical coordinate of a shape has this 1-D index? (Colexicographic: the first mode is fastest.)

    Raises CuteLabError when the index lies outside 0 .. product(shape) - 1.

    >>> idx2crd(37, ((4, 8), 2))
    ((1, 1), 1)
    """
    shape = as_int_tuple(shape, "shape")
    total = product(shape)
    if not is_int(index) or not 0 <= index < total:
        raise CuteLabError(f"index {index} is outside shape {to_text(shape)}; it runs from 0 to {total - 1}")
    coord = []
    rest = int(index)
    for extent in _leaves(shape):
        rest, c = divmod(rest, extent)
        coord.append(c)
    return unflatten(tuple(coord), shape)


def crd2idx(coord: IntTuple, shape: IntTuple, stride: IntTuple | None = None) -> int:
    """Which index (or, with strides, which offset) does a coordinate have?

    The coordinate may be 1-D, rank-D or hierarchical: an integer at a mode of several integers counts
    colexicographically inside that mode. Without strides those of `compact_left` are used, so that
    `crd2idx(idx2crd(i, shape), shape) == i`. Raises CuteLabError for a coordinate of another profile or out of range.

    >>> crd2idx((2, 3), (8, 8), (8, 1)), crd2idx(37, ((4, 8), 2)), crd2idx((5, 1), ((4, 8), 2))
    (19, 37, 37)
    """
    shape = as_int_tuple(shape, "shape")
    stride = compact_left(shape) if stride is None else as_int_tuple(stride, "stride")
    if not congruent(shape, stride):
        raise CuteLabError(f"stride {to_text(stride)} does not have the profile of shape {to_text(shape)}")
    coord = tuple(coord) if isinstance(coord, list) else coord
    return _crd2idx(coord, shape, stride, coord, shape)


def _crd2idx(coord: IntTuple, shape: IntTuple, stride: IntTuple, whole: IntTuple, outer: IntTuple) -> int:
    if isinstance(shape, tuple):
        assert isinstance(stride, tuple)
        if isinstance(coord, tuple):
            if len(coord) != len(shape):
                raise CuteLabError(
                    f"coordinate {to_text(whole)} does not fit shape {to_text(outer)}: "
                    f"{len(coord)} numbers for {len(shape)} modes"
                )
            return sum(_crd2idx(c, s, d, whole, outer) for c, s, d in zip(coord, shape, stride, strict=True))
        inside = _in_range(coord, product(shape), whole, outer)
        offset = 0
        for extent, step in zip(_leaves(shape), _leaves(stride), strict=True):
            inside, c = divmod(inside, extent)
            offset += c * step
        return offset
    if isinstance(coord, tuple):
        if len(coord) != 1:
            raise CuteLabError(
                f"coordinate {to_text(whole)} does not fit shape {to_text(outer)}: "
                f"{to_text(coord)} stands where one integer below {shape} belongs"
            )
        return _crd2idx(coord[0], shape, stride, whole, outer)
    assert isinstance(stride, int)
    return _in_range(coord, shape, whole, outer) * stride


def _in_range(value: object, extent: int, whole: IntTuple, shape: IntTuple) -> int:
    if not is_int(value):
        raise CuteLabError(f"a coordinate holds integers, got {value!r} in {whole!r}")
    if not 0 <= value < extent:  # type: ignore[operator]
        raise CuteLabError(
            f"coordinate {to_text(whole)} is outside shape {to_text(shape)}: {value} is not in 0 to {extent - 1}"
        )
    return int(value)  # type: ignore[call-overload]


def to_text(value: object, *, static: bool = False) -> str:
    """How does CuTe print this IntTuple? (`static=True` spells compile-time integers, `_4`; None is `_`.)

    >>> to_text(((4, 8), 2)), to_text((4, 2), static=True)
    ('((4,8),2)', '(_4,_2)')
    """
    if isinstance(value, tuple):
        return "(" + ",".join(to_text(v, static=static) for v in value) + ")"
    if value is None:
        return "_"
    return f"_{value}" if static or isinstance(value, Static) else str(value)
