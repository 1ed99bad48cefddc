"""The same memory counted in another unit: recast_layout, upcast, downcast.

Source: cute/layout.hpp, cute/layout_composed.hpp and cute/swizzle_layout.hpp, `upcast`, `downcast`, `recast_layout`.
"""

from __future__ import annotations

from math import gcd
from typing import Any, overload

import numpy as np

from cutelab.algebra import laws
from cutelab.algebra.laws import flat_modes
from cutelab.algebra.simplify import want_layout
from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, brief, shown
from cutelab.core.int_tuple import INT64_MAX, Int, is_int
from cutelab.core.layout import AnyLayout, ComposedLayout, Layout, size
from cutelab.core.swizzle import Swizzle


def _factor(n: Any, operation: str) -> int:
    if not is_int(n) or n < 1:
        raise CuteLabError(
            f"{operation}: the factor must be a whole number of 1 or more, got {shown(n)}; for example 2"
        )
    if n > INT64_MAX:
        raise CuteLabError(f"{operation}: the factor {shown(n)} is not below 2^63; use a smaller one")
    return int(n)


def _kind(n: int, of: int) -> int:
    """The factor, which C++ takes as a template argument: static beside what is static."""
    return Int(n) if isinstance(of, Int) else n


def _with_modes(layout: Layout, modes: list[tuple[int, int]]) -> Layout:
    shape, stride = (tuple(m[i] for m in modes) for i in (0, 1))
    return Layout(int_tuple.unflatten(shape, layout.shape), int_tuple.unflatten(stride, layout.shape))


def _grouped(fine: Layout, coarse: Layout, factors: list[int]) -> np.ndarray:
    """For each 1-D index of `fine`: the offset in `coarse` of the coordinate divided by the factors, leaf by leaf."""
    if size(fine) <= laws.MAX_CHECK:
        table = np.zeros(1, np.int64)
        for (extent, _), (_, stride), k in zip(flat_modes(fine), flat_modes(coarse), factors, strict=True):
            table = ((np.arange(extent, dtype=np.int64) // k * stride)[:, None] + table).reshape(-1)
        return table
    table, rest = np.zeros((), np.int64), laws.points(fine.shape)
    for (extent, _), (_, stride), k in zip(flat_modes(fine), flat_modes(coarse), factors, strict=True):
        table, rest = table + rest % extent // k * stride, rest // extent
    return table


@overload
def upcast(layout: AnyLayout | str, n: int, *, as_cpp: bool = False) -> AnyLayout: ...
@overload
def upcast(layout: Swizzle, n: int, *, as_cpp: bool = False) -> Swizzle: ...
def upcast(layout: Any, n: int, *, as_cpp: bool = False) -> Any:
    """Which layout has this memory in units of n elements? Extents along stride 1 shrink by n, all other strides too.

    Law: element c lies in unit R(c'), that is A(c) // n == R(c'), with each coordinate divided by n/stride where a
    stride is below n. Checked at every c (a fixed sample beyond 2^22). Extents are rounded up to whole units. Raises
    CuteLabError when a stride neither divides n nor is a multiple of it, and when the law fails (as_cpp=True gives what C++
    returns then). A Swizzle is taken too: with a negative shift C++ drops bits that decide where whole units go, and as_cpp=True
    does, too. A swizzle of which no bit is left is dropped; C++ keeps it as `Sw<0,0,S> o`, as as_cpp=True does.

    >>> upcast(Layout((8, 8), (8, 1)), 4), upcast(Swizzle(3, 4, 3), 2)
    (Layout('(8,2):(2,1)'), Swizzle(3, 3, 3))
    """
    n = _factor(n, "upcast")
    if isinstance(layout, Swizzle):
        return _upcast_swizzle(layout, n, as_cpp)
    layout = want_layout(layout, "the layout", "upcast")
    if isinstance(layout, ComposedLayout):
        if not isinstance(layout.outer, Swizzle):
            raise _no_swizzle(layout, "upcast")
        if layout.offset % n:
            raise CuteLabError(f"upcast of {brief(layout)} by {n}: offset {layout.offset} is not a multiple of {n}")
        return _composed(
            _upcast_swizzle(layout.outer, n, as_cpp),
            layout.offset // _kind(n, layout.offset),
            upcast(layout.inner, n, as_cpp=as_cpp),
            as_cpp,
        )
    modes, factors = [], []
    for extent, stride in flat_modes(layout):
        mode, k = upcast_mode(layout, extent, stride, n)
        modes.append(mode)
        factors.append(k)
    result = _with_modes(layout, modes)
    if as_cpp:
        return result
    got = _grouped(layout, result, factors)
    laws.check_same(
        f"upcast of {brief(layout)} by {n}",
        result,
        got,
        laws.domain_values(layout) // n,
        layout.shape,
        "R(c') = A(c) // n",
    )
    return result


def upcast_mode(layout: Layout, extent: int, stride: int, n: int) -> tuple[tuple[int, int], int]:
    """One leaf mode in units of n: the new (extent, stride), and how many old coordinates share a new one.

    >>> upcast_mode(Layout(8, 2), 8, 2, 4)
    ((4, 1), 2)
    """
    if stride == 0:
        return (extent, stride), 1
    step = abs(stride)
    if step % n and n % step:
        raise CuteLabError(
            f"upcast of {brief(layout)} by {n}: stride {stride} neither divides {n} nor is a multiple of it (divisibility); "
            f"a unit would hold parts of several runs. Use a factor of {step}, or a stride of {-(-step // n) * n}"
        )
    k = -(-_kind(n, step) // step)
    new = -(-step // _kind(n, step))
    return (-(-extent // k), new if stride > 0 else -new), k


@overload
def downcast(layout: AnyLayout | str, n: int, *, as_cpp: bool = False) -> AnyLayout: ...
@overload
def downcast(layout: Swizzle, n: int, *, as_cpp: bool = False) -> Swizzle: ...
def downcast(layout: Any, n: int, *, as_cpp: bool = False) -> Any:
    """Which layout has this memory when each element is cut into n? Extents with stride 1 grow by n, all other strides too.

    Law: R(c) // n == A(c'), with the stride-1 coordinate divided by n. Checked at every c (a fixed sample beyond 2^22).
    Raises CuteLabError when no mode has stride 1 (or -1): the n parts would not be neighbours. A Swizzle is taken too.

    >>> downcast(Layout((8, 8), (8, 1)), 4), downcast(Swizzle(3, 3, 3), 2)
    (Layout('(8,32):(32,1)'), Swizzle(3, 4, 3))
    """
    n = _factor(n, "downcast")
    if isinstance(layout, Swizzle):
        return _downcast_swizzle(layout, n)
    layout = want_layout(layout, "the layout", "downcast")
    if isinstance(layout, ComposedLayout):
        if not isinstance(layout.outer, Swizzle):
            raise _no_swizzle(layout, "downcast")
        return _composed(
            _downcast_swizzle(layout.outer, n),
            layout.offset * _kind(n, layout.offset),
            downcast(layout.inner, n, as_cpp=as_cpp),
            as_cpp,
        )
    modes = flat_modes(layout)
    if not any(abs(d) == 1 for _, d in modes):
        raise CuteLabError(
            f"downcast of {brief(layout)} by {n}: no mode has stride 1, so there is none along which the {n} parts of an element "
            f"are neighbours. Append a mode 1:1 for the parts"
        )
    result = _with_modes(layout, [(s * _kind(n, s), d) if abs(d) == 1 else (s, d * _kind(n, d)) for s, d in modes])
    if as_cpp:
        return result
    want = _grouped(result, layout, [n if abs(d) == 1 else 1 for _, d in modes])
    got = laws.domain_values(result) // n
    laws.check_same(f"downcast of {brief(layout)} by {n}", result, got, want, result.shape, "R(c) // n = A(c')")
    return result


@overload
def recast_layout(layout: AnyLayout | str, from_bits: int, to_bits: int, *, as_cpp: bool = False) -> AnyLayout: ...
@overload
def recast_layout(layout: Swizzle, from_bits: int, to_bits: int, *, as_cpp: bool = False) -> Swizzle: ...
def recast_layout(layout: Any, from_bits: int, to_bits: int, *, as_cpp: bool = False) -> Any:
    """Which layout has the same memory as elements of `to_bits` instead of `from_bits` bits?

    upcast by to/from when elements grow, downcast by from/to when they shrink, both when neither divides the other (first
    upcast), as in CuTe. Takes a ComposedLayout (swizzle, offset and layout are all recast) and a Swizzle.

    >>> recast_layout(Layout((64, 8)), 16, 128), recast_layout(Swizzle(3, 4, 3), 8, 16)
    (Layout('(8,8):(1,8)'), Swizzle(3, 3, 3))
    """
    up, down = factors(from_bits, to_bits)
    if not isinstance(layout, Swizzle):
        layout = want_layout(layout, "the layout", "recast_layout")
    layout = upcast(layout, up, as_cpp=as_cpp) if up > 1 else layout
    return downcast(layout, down, as_cpp=as_cpp) if down > 1 else layout


def factors(from_bits: int, to_bits: int) -> tuple[int, int]:
    """By how much is a recast an upcast, and by how much a downcast?

    >>> factors(16, 128), factors(32, 8), factors(16, 24)
    ((8, 1), (1, 4), (3, 2))
    """
    for bits in (from_bits, to_bits):
        if not is_int(bits) or bits < 1:
            raise CuteLabError(
                f"recast_layout: an element has 1 bit or more, got {shown(bits)}; for example 16 for half"
            )
    common = gcd(from_bits, to_bits)
    return int(to_bits) // common, int(from_bits) // common


def _log2(n: int, operation: str) -> int:
    if n & (n - 1):
        raise CuteLabError(f"{operation} of a swizzle by {n}: the factor must be a power of two, such as 2, 4, 8")
    return n.bit_length() - 1


def _downcast_swizzle(swizzle: Swizzle, n: int) -> Swizzle:
    return Swizzle(swizzle.bits, swizzle.base + _log2(n, "downcast"), swizzle.shift)


def _upcast_swizzle(swizzle: Swizzle, n: int, as_cpp: bool) -> Swizzle:
    base = swizzle.base - _log2(n, "upcast")
    if base >= 0:
        return Swizzle(swizzle.bits, base, swizzle.shift)
    if swizzle.shift < 0 and swizzle.bits and not as_cpp:
        raise CuteLabError(
            f"upcast of {swizzle} by {n}: a bit inside the unit of {n} decides where whole units go, so there is no such "
            f"swizzle of units; use a factor of {1 << swizzle.base} or less. C++ leaves that bit out (as_cpp=True)"
        )
    return Swizzle(max(swizzle.bits + base, 0), 0, swizzle.shift)


def _no_swizzle(layout: ComposedLayout, operation: str) -> CuteLabError:
    return CuteLabError(f"{operation} of {brief(layout)}: the outer function is a layout; compose the two first")


def _composed(outer: Swizzle, offset: int, inner: AnyLayout, as_cpp: bool) -> AnyLayout:
    if abs(offset) > INT64_MAX:
        raise CuteLabError(f"the recast offset {shown(offset)} is not below 2^63; use a smaller factor")
    return ComposedLayout(outer, offset, inner) if outer.bits or offset or as_cpp else inner
