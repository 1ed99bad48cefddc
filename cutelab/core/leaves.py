"""The leaves of shapes and strides, as CuTe types them: compile-time integers, runtime integers, basis elements.

`Int` marks an integer that CuTe knows at compile time; ScaledBasis is a step in a coordinate. Strides that CuTe makes from a
shape follow these types: an extent of 1 that is known at compile time gets the stride 0.
Source: cute/numeric/integral_constant.hpp, cute/numeric/arithmetic_tuple.hpp, cute/stride.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import MAX_DEPTH, Int, IntTuple, is_int, to_text

Path = tuple[int, ...]
Coordinate = IntTuple  # what a coordinate layout gives: an integer, or a tuple of coordinates
Leaf = Any  # Int | int | ScaledBasis
ZERO, ONE = Int(0), Int(1)


@dataclass(frozen=True, slots=True)
class ScaledBasis:
    """Which step in a coordinate is this stride? `value` along the mode that `path` names, outermost first.

    Printed as CuTe prints it: 4@0 is 4 along mode 0; 1@1@0 is 1 along mode 1 of mode 0.

    >>> str(ScaledBasis(4, (0,))), str(ScaledBasis(1, (0, 1))), ScaledBasis(4, (1,)).coordinate
    ('4@0', '1@1@0', (0, 4))
    """

    value: int
    path: Path

    def __post_init__(self) -> None:
        if not is_int(self.value):
            raise CuteLabError(f"a basis element's value is an integer, got {shown(self.value)}; for example 1@0")
        path = self.path if isinstance(self.path, tuple) else (self.path,)
        if not path or len(path) > MAX_DEPTH or not all(is_int(i) and 0 <= i < 64 for i in path):
            raise CuteLabError(
                f"a basis element names 1 to {MAX_DEPTH} modes, each from 0 to 63, got {shown(self.path)}"[:200]
            )
        object.__setattr__(self, "path", tuple(int(i) for i in path))

    @property
    def coordinate(self) -> Coordinate:
        """The same as a coordinate: zeros before it."""
        return assemble({self.path: int(self.value)})

    def __str__(self) -> str:
        return to_text(self.value) + "".join(f"@{i}" for i in reversed(self.path))

    def __repr__(self) -> str:
        return f"ScaledBasis({int(self.value)}, {self.path})"


def assemble(values: dict[Path, int]) -> Coordinate:
    """The coordinate that has these values at these paths and 0 elsewhere."""
    if () in values:
        return values[()]
    if not values:
        return ()
    modes: list[Coordinate] = []
    for mode in range(1 + max(path[0] for path in values)):
        below = {path[1:]: value for path, value in values.items() if path[0] == mode}
        modes.append(assemble(below) if below else 0)
    return tuple(modes)


def stride_leaves(stride: Any) -> Iterator[Any]:
    """The leaves of a nested stride, from left to right."""
    if isinstance(stride, tuple):
        for d in stride:
            yield from stride_leaves(d)
    else:
        yield stride


def strides_text(stride: Any) -> str:
    """How are these strides printed?

    >>> strides_text((ScaledBasis(1, (0,)), (0, ScaledBasis(2, (1,)))))
    '(1@0,(0,2@1))'
    """
    if isinstance(stride, tuple):
        return "(" + ",".join(map(strides_text, stride)) + ")"
    return str(stride) if isinstance(stride, ScaledBasis) else to_text(stride)


def is_const(x: Leaf, n: int) -> bool:
    """Is this the compile-time integer n?"""
    return isinstance(x, Int) and x == n


def typed_as(value: int, *parts: Leaf) -> int:
    """The integer, static where all these parts are."""
    return Int(value) if all(isinstance(p, Int) for p in parts) else int(value)


def mul(a: Leaf, b: Leaf) -> Leaf:
    """The product; static where both are, and where one is the static 0.

    >>> to_text(mul(Int(4), Int(2))), to_text(mul(Int(4), 2)), str(mul(Int(4), ScaledBasis(1, (0,))))
    ('_8', '8', '4@0')
    """
    if isinstance(b, ScaledBasis):
        return ScaledBasis(mul(a, b.value), b.path)
    if isinstance(a, ScaledBasis):
        return ScaledBasis(mul(a.value, b), a.path)
    return ZERO if is_const(a, 0) or is_const(b, 0) else typed_as(int(a) * int(b), a, b)


def compact_strides(shape: Any, current: Leaf = ONE, *, last_first: bool = False) -> Any:
    """Which strides does CuTe make for a shape? The first mode fastest from `current` on, or the last.

    >>> to_text(compact_strides((Int(4), Int(1), Int(2)))), to_text(compact_strides((8, 4), last_first=True))
    ('(_1,_0,_4)', '(4,_1)')
    """

    def walk(s: Any) -> Any:
        nonlocal current
        if isinstance(s, tuple):
            return tuple([walk(m) for m in s[::-1]][::-1] if last_first else [walk(m) for m in s])
        if is_const(s, 1):
            return ZERO
        here, current = current, mul(current, s)
        return here

    return walk(shape)


def unmark(value: Any) -> Any:
    """The same with plain integers."""
    if isinstance(value, tuple):
        return tuple(map(unmark, value))
    if isinstance(value, ScaledBasis):
        return ScaledBasis(int(value.value), value.path)
    return int(value)


def mark(value: Any) -> Any:
    """The same with every integer compile-time."""
    if isinstance(value, tuple):
        return tuple(map(mark, value))
    if isinstance(value, ScaledBasis):
        return ScaledBasis(Int(value.value), value.path)
    return Int(value)
