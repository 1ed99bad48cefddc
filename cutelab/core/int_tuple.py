"""IntTuple: an integer, or a tuple of IntTuples. Shapes, strides and coordinates are IntTuples.

Source: CuTe's documentation, "CuTe Layouts", section "IntTuple"; cute/int_tuple.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from numbers import Integral
from typing import Any, TypeGuard

from cutelab.core.errors import CuteLabError, count_text, shown

IntTuple = int | tuple[Any, ...]

INT64_MAX = 2**63 - 1
MAX_DEPTH = 32  # nesting allowed anywhere; CuTe's own layouts stay below 6
MAX_LEAVES = 4096  # integers in one IntTuple


class Int(int):
    """Which number is known when the kernel is compiled? CuTe's Int<4>, printed `_4`; it equals the plain 4.

    Two static integers make a static one; with a plain one the result is plain, but 0 times anything is static, as in CuTe.
    Source: cute/numeric/integral_constant.hpp.

    >>> from cutelab import Layout
    >>> print(Layout((Int(4), 2), (Int(2), Int(1)))), print(Layout((Int(4), Int(2)))), Int(4) == 4
    (_4,2):(_2,_1)
    (_4,_2):(_1,_4)
    (None, None, True)
    """

    __slots__ = ()

    def __add__(self, other: int) -> int:
        return _static(int(self) + other, other)

    def __radd__(self, other: int) -> int:
        return _static(other + int(self), other)

    def __sub__(self, other: int) -> int:
        return _static(int(self) - other, other)

    def __mul__(self, other: int) -> int:
        return Int(0) if self == 0 and isinstance(other, int) else _static(int(self) * other, other)

    def __rmul__(self, other: int) -> int:
        return Int(0) if self == 0 and isinstance(other, int) else _static(other * int(self), other)

    def __floordiv__(self, other: int) -> int:
        return _static(int(self) // other, other)

    def __mod__(self, other: int) -> int:
        return _static(int(self) % other, other)

    def __neg__(self) -> Int:
        return Int(-int(self))

    def __abs__(self) -> Int:
        return Int(abs(int(self)))


def _static(value: int, other: object) -> int:
    return Int(value) if isinstance(other, Int) else value


def is_static(value: IntTuple) -> bool:
    """Is every integer in it static, an `Int`?

    >>> is_static((Int(4), Int(2))), is_static((Int(4), 2))
    (True, False)
    """
    return all(isinstance(v, Int) for v in _leaves(value))


def plain(value: IntTuple) -> IntTuple:
    """The same with plain integers only.

    >>> print(to_text(plain((Int(4), (2, Int(1))))))
    (4,(2,1))
    """
    return tuple(map(plain, value)) if isinstance(value, tuple) else int(value)


def is_int(value: object) -> TypeGuard[int]:
    """Is this a plain integer (Python's or NumPy's), and not a bool?

    >>> is_int(3), is_int(True), is_int(3.0)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool)


def as_int_tuple(value: object, what: str = "IntTuple") -> IntTuple:
    """Is this an IntTuple? Return it with plain Python integers (or `Int`) and tuples (lists become tuples).

    Raises CuteLabError for anything else, for an empty tuple, beyond 32 levels of nesting or 4,096 integers, and for integers
    of 2^63 or more.

    >>> as_int_tuple([4, (2, 2)])
    (4, (2, 2))
    """
    if type(value) is int and -INT64_MAX <= value <= INT64_MAX:
        return value
    if type(value) is tuple and 0 < len(value) < MAX_LEAVES:
        for v in value:
            if type(v) not in (int, Int) or not -INT64_MAX <= v <= INT64_MAX:
                break
        else:
            return value  # flat, and already what is wanted
    found: IntTuple = _Reader(what).read(value, 0)
    return found


def as_coord(value: object, shape: IntTuple) -> Any:
    """Is this a coordinate: an IntTuple in which `None` keeps a mode? Return it with tuples and plain integers.

    >>> as_coord([None, 3], (8, 8))
    (None, 3)
    """
    return _Reader("coordinate", f" in a coordinate of shape {shown_text(shape)}").read(value, 0)


class _Reader:
    """Walks what somebody gave, with a bound on depth and number."""

    def __init__(self, what: str, coord: str = "") -> None:
        self.what, self.coord, self.left = what, coord, MAX_LEAVES

    def read(self, value: object, level: int) -> Any:
        if type(value) in (int, Int) and -INT64_MAX <= value <= INT64_MAX:  # type: ignore[operator]
            self.count()
            return value
        if value is None and self.coord:
            return None
        if level > MAX_DEPTH:
            raise CuteLabError(
                f"{self.what} is nested more than {MAX_DEPTH} levels deep; real layouts need fewer than 6"
            )
        if isinstance(value, tuple | list):
            if not value:
                raise CuteLabError(f"{self.what} has an empty tuple (); write at least one integer inside")
            return tuple([self.read(v, level + 1) for v in value])
        if not is_int(value):
            if self.coord:
                raise CuteLabError(f"a coordinate holds integers, got {shown(value)}{self.coord}")
            raise CuteLabError(
                f"{self.what} must be an integer or a tuple of integers, got {shown(value)}; for example (4,2)"
            )
        if abs(int(value)) > INT64_MAX:
            raise CuteLabError(f"{self.what} holds {shown(int(value))}; integers must stay below 2^63")
        self.count()
        return int(value)

    def count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise CuteLabError(f"{self.what} holds more than {MAX_LEAVES:,} integers; real layouts need fewer than 20")


def modes(value: IntTuple) -> tuple[IntTuple, ...]:
    """The top-level modes of a shape or a stride: the entries of a tuple, or the integer alone.

    >>> modes((2, (3, 4))), modes(5)
    ((2, (3, 4)), (5,))
    """
    return value if isinstance(value, tuple) else (value,)


def flatten(value: IntTuple) -> tuple[int, ...]:
    """Which integers stand in this IntTuple, from left to right?

    >>> flatten(((4, 8), 2)), flatten(5)
    ((4, 8, 2), (5,))
    """
    if not isinstance(value, tuple):
        return (value,)
    for v in value:
        if type(v) is tuple:
            return tuple(_leaves(value))
    return value  # flat already


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


def static_product(values: Any) -> int:
    """The product, static where all factors are.

    >>> [isinstance(static_product(v), Int) for v in ((Int(2), Int(3)), (Int(2), 3), (2, 3))]
    [True, False, False]
    """
    return prod(values, start=Int(1)) if values else 1


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

    With static integers in the shape the strides are those that C++ makes: static as long as all before are, and 0 for a
    static extent of 1.

    >>> compact_left((4, (2, 3))), compact_left((Int(1), Int(8)))
    ((1, (4, 8)), (0, 1))
    """
    return unflatten(_compact(flatten(shape)), shape)


def compact_right(shape: IntTuple) -> IntTuple:
    """Which strides make a shape compact with the last mode fastest (CuTe's LayoutRight)?

    >>> compact_right((2, (3, 4)))
    (12, (4, 1))
    """
    return unflatten(_compact(flatten(shape)[::-1])[::-1], shape)


def _compact(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step: int = Int(1) if any(isinstance(extent, Int) for extent in shape) else 1
    for extent in shape:
        if isinstance(extent, Int) and extent == 1:
            strides.append(Int(0))
        else:
            strides.append(step)
            step = step * extent
    return tuple(strides)


def idx2crd(index: int, shape: IntTuple) -> IntTuple:
    """Which hierarchical coordinate of a shape has this 1-D index? (Colexicographic: the first mode is fastest.)

    Raises CuteLabError when the index lies outside 0 .. product(shape) - 1.

    >>> idx2crd(37, ((4, 8), 2))
    ((1, 1), 1)
    """
    total = product(shape)
    if not is_int(index) or not 0 <= index < total:
        raise CuteLabError(
            f"index {shown(index)} is outside shape {shown_text(shape)}; it runs from 0 to {count_text(total - 1)}"
        )
    coord = []
    rest = int(index)
    for extent in _leaves(shape):
        rest, c = divmod(rest, int(extent))
        coord.append(c)
    return unflatten(tuple(coord), shape)


def crd2idx(coord: Any, shape: IntTuple, stride: IntTuple | None = None) -> int:
    """Which index (or, with strides, which offset) does a coordinate have?

    The coordinate may be 1-D, rank-D or hierarchical: an integer at a mode of several integers counts
    colexicographically inside that mode. Without strides those of `compact_left` are used, so that
    `crd2idx(idx2crd(i, shape), shape) == i`. Raises CuteLabError for a coordinate of another profile or out of range.

    >>> crd2idx((2, 3), (8, 8), (8, 1)), crd2idx(37, ((4, 8), 2)), crd2idx((5, 1), ((4, 8), 2))
    (19, 37, 37)
    """
    coord = as_coord(coord, shape)
    return int(_crd2idx(coord, shape, compact_left(shape) if stride is None else stride, coord, shape))


def _crd2idx(coord: Any, shape: Any, stride: Any, whole: Any, outer: IntTuple) -> int:
    if isinstance(shape, tuple):
        if isinstance(coord, tuple):
            if len(coord) != len(shape):
                raise CuteLabError(
                    f"coordinate {shown_text(whole)} does not fit shape {shown_text(outer)}: "
                    f"{len(coord)} numbers for {len(shape)} modes"
                )
            return sum([_crd2idx(c, s, d, whole, outer) for c, s, d in zip(coord, shape, stride, strict=True)])
        inside = _in_range(coord, product(shape), whole, outer)
        offset = 0
        for extent, step in zip(_leaves(shape), _leaves(stride), strict=True):
            inside, c = divmod(inside, extent)
            offset += c * step
        return offset
    if isinstance(coord, tuple):
        if len(coord) != 1:
            raise CuteLabError(
                f"coordinate {shown_text(whole)} does not fit shape {shown_text(outer)}: "
                f"{shown_text(coord)} stands where one integer below {shape} belongs"
            )
        return _crd2idx(coord[0], shape, stride, whole, outer)
    return _in_range(coord, shape, whole, outer) * int(stride)


def _in_range(value: Any, extent: int, whole: Any, shape: IntTuple) -> int:
    if value is None:
        raise CuteLabError(f"a coordinate of one element holds integers only, got {shown_text(whole)}")
    if not 0 <= value < extent:
        raise CuteLabError(
            f"coordinate {shown_text(whole)} is outside shape {shown_text(shape)}: {value} is not in 0 to {extent - 1}"
        )
    return int(value)


def shown_text(value: object) -> str:
    """An IntTuple as CuTe prints it, in an error: at most 60 characters.

    >>> shown_text((4, (2, 2))), len(shown_text((10**9,) * 50))
    ('(4,(2,2))', 60)
    """
    text = to_text(value)
    return text if len(text) <= 60 else text[:57] + "..."


def to_text(value: object, *, static: bool = False) -> str:
    """How does CuTe print this IntTuple? Compile-time integers are `_4` (`static=True`: all of them); None is `_`.

    >>> to_text(((4, 8), 2)), to_text((4, 2), static=True), to_text((4, Int(2)))
    ('((4,8),2)', '(_4,_2)', '(4,_2)')
    """
    if isinstance(value, tuple):
        return "(" + ",".join([to_text(v, static=static) for v in value]) + ")"
    if value is None:
        return "_"
    return f"_{value}" if static or isinstance(value, Int) else str(value)
