"""One thread's part of a layout that was split into (thread, rest): what CuTe prints for it, and where it starts.

A swizzled layout needs care: where the part crosses bits that are swizzled with each other it stays a composed layout; where it
crosses only one of them the swizzle becomes strides of its own, which differ from thread to thread.
Source: cute/swizzle_layout.hpp, `slice_and_offset`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.algebra import typed
from cutelab.algebra.laws import MAX_CHECK
from cutelab.algebra.typed import Typed
from cutelab.core.coordinates import CoordLayout, CoordTensor
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import Int, is_int
from cutelab.core.layout import ComposedLayout, Layout, offsets, parse_layout, size
from cutelab.core.leaves import ONE, ZERO, Coordinate, assemble, mark, mul, stride_leaves
from cutelab.core.swizzle import Swizzle

AnyLayout = Layout | ComposedLayout | CoordLayout
Part = tuple[AnyLayout, Any]  # the layout of a part, and the offset (or coordinate) at which it starts


def as_data(data: Any, what: str = "the layout") -> AnyLayout:
    """The layout of what somebody gave: a layout, its text, or a tensor.

    >>> as_data("(4,2):(2,1)")
    Layout('(4,2):(2,1)')
    """
    if isinstance(data, str):
        return parse_layout(data)
    if isinstance(data, CoordTensor):
        return data.layout
    inner = getattr(data, "layout", None)
    if not isinstance(data, Layout | ComposedLayout | CoordLayout) and isinstance(
        inner, Layout | ComposedLayout | CoordLayout
    ):
        return inner
    if not isinstance(data, Layout | ComposedLayout | CoordLayout):
        raise CuteLabError(f"{what} must be a layout or its text, got {shown(data)}; for example (128,64):(64,1)")
    return data


@dataclass(frozen=True, eq=False, slots=True)
class Spelled:
    """A layout as the key of a cache: equal only where the compile-time marks are, too."""

    data: AnyLayout
    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spelled) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


def spelled(data: AnyLayout) -> Spelled:
    """The layout with its text.

    >>> spelled(parse_layout("_4:_1")) == spelled(parse_layout("4:1"))
    False
    """
    return Spelled(data, str(data))


def split(data: AnyLayout) -> tuple[Typed, bool]:
    """The typed layout that is cut (the one inside a swizzle), and whether it carries compile-time marks."""
    inner = data.inner if isinstance(data, ComposedLayout) else data
    if not isinstance(inner, Layout | CoordLayout):
        raise CuteLabError(f"{shown(data)} has two swizzles or is no layout; CuTe cuts a layout under one")
    return typed.lift(inner)


def part(data: AnyLayout, modes: list[Typed], coordinates: list[Any], kept: Typed, marks: bool) -> Part:
    """The part at these coordinates of these modes, where `kept` is left."""
    if isinstance(data, ComposedLayout):
        if isinstance(data.outer, Swizzle):
            return _swizzled(data, modes, coordinates, kept, marks)
        offset = sum(_value(m, c) for m, c in zip(modes, coordinates, strict=True))
        inner = typed.lower(kept, marks)
        assert isinstance(inner, Layout)
        return ComposedLayout(data.outer, data.offset + offset, inner), 0
    layout = typed.lower(kept, marks)
    if isinstance(data, CoordLayout):
        return layout, _start(data, modes, coordinates)
    return layout, sum(_value(m, c) for m, c in zip(modes, coordinates, strict=True))


def _start(data: CoordLayout, modes: list[Typed], coordinates: list[Any]) -> Coordinate:
    values = dict.fromkeys(data.paths, 0)
    for mode, coordinate in zip(modes, coordinates, strict=True):
        cut = typed.lower(mode)
        if not isinstance(cut, CoordLayout):
            continue
        for path in cut.paths:
            values[path] += int(Layout(*cut.component(path))(coordinate))
    return assemble(values)


def _value(mode: Typed, coordinate: Any) -> int:
    return sum(c * int(step) for _, step, c in _leaf_coordinates(mode, coordinate))


def _leaf_coordinates(mode: Typed, coordinate: Any) -> list[tuple[Any, Any, int]]:
    """(extent, stride, coordinate) of each leaf."""
    if isinstance(coordinate, tuple):
        return [x for m, c in zip(typed.modes_of(mode), coordinate, strict=True) for x in _leaf_coordinates(m, c)]
    found, rest = [], int(coordinate)
    for extent, step in typed.flat_modes(mode):
        rest, c = divmod(rest, int(extent))
        found.append((extent, step, c))
    return found


def _swizzled(data: ComposedLayout, modes: list[Typed], coordinates: list[Any], kept: Typed, marks: bool) -> Part:
    swizzle = data.outer
    assert isinstance(swizzle, Swizzle)
    active = swizzle.yyy | swizzle.zzz
    parts = int(typed.product((*(m.shape for m in modes), kept.shape)))
    within = parts <= size(data)  # parts over the edge mean no element
    _check_bits(swizzle, int(data.offset), tuple(modes), kept, within)
    fixed, runtime, aside = int(data.offset) & active, 0, int(data.offset) & ~active
    for mode, coordinate in zip(modes, coordinates, strict=True):
        for extent, step, c in _leaf_coordinates(mode, coordinate):
            fixed ^= (c * int(step)) & active
            aside += (c * int(step)) & ~active
            runtime |= ((int(extent) - 1) * int(step)) & active
    reached = 0
    for extent, step in typed.flat_modes(kept):
        reached += ((int(extent) - 1) * int(step)) & active
    if not swizzle.bits:
        return typed.lower(kept, marks), int(data.offset) + sum(
            _value(m, c) for m, c in zip(modes, coordinates, strict=True)
        )
    if reached & ~swizzle(reached):
        inner = typed.lower(kept, marks)
        assert isinstance(inner, Layout)
        return ComposedLayout(swizzle, fixed, inner), aside
    return typed.lower(_decayed(swizzle, fixed, runtime, _spelled_typed(kept), within), marks), swizzle(fixed) + aside


@dataclass(frozen=True, slots=True)
class _SpelledTyped:
    """A typed layout as the key of a cache: `_4` is not 4."""

    data: Typed = field(compare=False)
    text: str


def _spelled_typed(x: Typed) -> _SpelledTyped:
    """The typed layout with its text."""
    return _SpelledTyped(x, str(x))


@lru_cache(maxsize=256)
def _decayed(swizzle: Swizzle, fixed: int, runtime: int, kept: _SpelledTyped, within: bool) -> Typed:
    """What is kept under the swizzle around one offset, as strides; checked element by element."""
    found = typed.composition(_as_strides(swizzle, fixed, runtime), kept.data)
    table, places = _offsets(kept.data), _offsets(found)
    if (
        within
        and table is not None
        and places is not None
        and (swizzle(fixed) + places != swizzle(fixed + table)).any()
    ):
        raise _carries(swizzle, fixed)
    return found


@lru_cache(maxsize=256)
def _check_bits(swizzle: Swizzle, offset: int, modes: tuple[Typed, ...], kept: Typed, within: bool) -> None:
    """Raise unless the modes go evenly into the swizzle's bits, as CuTe asks: else offsets would carry from bit to bit.

    Source: cute/swizzle_layout.hpp, `slice_and_offset`; cute/swizzle.hpp, `to_mixed_bits`.
    """
    if not swizzle.bits:
        return
    low, high = 1 << swizzle.base, 1 << (swizzle.base + abs(swizzle.shift))
    count = Int(1 << swizzle.bits)
    shape = (Int(low), count, Int(1 << (abs(swizzle.shift) - swizzle.bits)), count, ONE)
    inside = Typed(shape, (ZERO, Int(low), ZERO, Int(high), ZERO))
    beside = Typed(shape, (ONE, ZERO, Int(low << swizzle.bits), ZERO, Int(high << swizzle.bits)))
    try:
        fixed = [typed.composition(inside, _marked(mode)) for mode in modes]
        for mode in modes:
            typed.composition(beside, _marked(mode))
        typed.composition(inside, _marked(kept))
    except CuteLabError as error:
        raise CuteLabError(f"CuTe does not cut it under {swizzle}: {error}") from None
    for extent, step in (pair for mode in fixed for pair in typed.flat_modes(mode)):
        reach = int(extent) * abs(int(step))
        if reach & (reach - 1):
            raise CuteLabError(
                f"CuTe does not cut it under {swizzle}: {int(extent)} x {int(step)} = {reach} is no power of two, so the offsets "
                "that are fixed would carry into the swizzle's bits; use a pitch that is a power of two"
            )
    if within:
        _check_carries(swizzle, offset, modes, kept)


def _check_carries(swizzle: Swizzle, offset: int, modes: tuple[Typed, ...], kept: Typed) -> None:
    """Raise unless the parts of all threads have the offsets of the layout: bits that are put together must not carry.

    CuTe compiles some that do: then its threads touch other elements than their own.
    """
    active = swizzle.yyy | swizzle.zzz
    fixed, aside, start = (np.array([n], dtype=np.int64) for n in (offset & active, offset & ~active, offset))
    table = _offsets(kept)
    count = int(typed.product(tuple(m.shape for m in modes)))
    if table is None or count * table.size > MAX_CHECK:
        return
    for extent, step in (pair for mode in modes for pair in typed.flat_modes(mode)):
        more = (np.arange(int(extent), dtype=np.int64) * int(step))[:, None]
        fixed, aside, start = (
            (fixed ^ (more & active)).ravel(),
            (aside + (more & ~active)).ravel(),
            (start + more).ravel(),
        )
    wrong = swizzle(fixed[:, None] + table) + aside[:, None] != swizzle(start[:, None] + table)
    if wrong.any():
        raise _carries(swizzle, int(start[int(np.argmax(wrong.any(axis=1)))]))


def _carries(swizzle: Swizzle, start: int) -> CuteLabError:
    return CuteLabError(
        f"the part that starts at offset {start} carries into the bits of {swizzle}: CuTe puts its bits together without carries and "
        "would name other elements than the layout's; use a pitch that is a power of two"
    )


def _offsets(x: Typed) -> np.ndarray | None:
    """The offsets in 1-D order; None where there are too many to list."""
    layout = typed.lower(x, False)
    assert isinstance(layout, Layout)
    return offsets(layout).ravel(order="F") if size(layout) <= MAX_CHECK else None


def _marked(x: Typed) -> Typed:
    return Typed(mark(x.shape), mark(x.stride))


def _as_strides(swizzle: Swizzle, fixed: int, runtime: int) -> Typed:
    """The swizzle around one offset as a layout of bits: bits that are not crossed keep their stride, the others add or subtract.

    Int where the bit of the offset that decides is known at compile time, as in CuTe.
    """
    low_y, low_z = swizzle.yyy & -swizzle.yyy, swizzle.zzz & -swizzle.zzz

    def step(decided_by: int, if_clear: int, if_set: int) -> int:
        value = if_set if fixed & decided_by else if_clear
        return value if runtime & decided_by else Int(value)

    z_bits = tuple(step(low_y << i, low_z << i, -(low_z << i)) for i in range(swizzle.bits))
    y_bits = tuple(step(low_z << i, (low_y + low_z) << i, (low_y - low_z) << i) for i in range(swizzle.bits))
    low, high = (z_bits, y_bits) if low_z < low_y else (y_bits, z_bits)
    b, m, s = swizzle.bits, swizzle.base, abs(swizzle.shift)
    twos = (Int(2),) * b
    return Typed(
        (Int(1 << m), twos, Int(1 << (s - b)), twos, ONE),
        (ONE, low, Int(1 << (m + b)), high, Int(1 << (m + b + s))),
    )


def check_thread(thread: object, threads: int, name: str) -> int:
    """Raise CuteLabError unless this is one of the threads."""
    if not is_int(thread) or not 0 <= thread < threads:
        raise CuteLabError(f"{name[:60]} has threads 0 to {threads - 1}, not {shown(thread)}")
    return int(thread)


def fragment_like(part_layout: AnyLayout) -> AnyLayout:
    """The registers for a part: compact, in the order of the part's strides. Source: cute/layout.hpp, `make_fragment_like`.

    >>> print(fragment_like(parse_layout("((_2,_2,_2),_4,_4):((_1,_512,_8),_2048,_16)")))
    ((_2,_2,_2),_4,_4):((_1,_2,_4),_32,_8)
    """
    x, marks = split(part_layout)
    modes = typed.modes_of(x)
    if len(modes) < 2 or not all(isinstance(s, Int) for s in stride_leaves(x.shape)):
        return typed.lower(typed.compact(x.shape), marks)
    first = typed.compact(typed.filter_zeros(modes[0]).shape)
    block = Typed(modes[0].shape, first.stride)
    rest = typed.join(modes[1:])
    product = typed.logical_product(block, _ordered(rest))
    return typed.lower(typed.join([typed.modes_of(product)[0], *typed.modes_of(typed.modes_of(product)[1])]), marks)


def _ordered(x: Typed) -> Typed:
    """Compact, in the order of x's own strides; runtime strides come last, in the order in which they stand."""
    flat = typed.flat_modes(x)
    order = [(0, int(d)) if isinstance(d, Int) else (1, i) for i, (_, d) in enumerate(flat)]
    strides = []
    for i, (s, _) in enumerate(flat):
        start: Any = ONE
        for j, (other, _) in enumerate(flat):
            if order[j] < order[i]:
                start = mul(start, other)
        strides.append(ZERO if isinstance(s, Int) and s == 1 else start)
    leaves = iter(strides)

    def fill(shape: Any) -> Any:
        return tuple(map(fill, shape)) if isinstance(shape, tuple) else next(leaves)

    return Typed(x.shape, fill(x.shape))
