"""A o B of two layouts, mode by mode, and why it is refused: the fold that `composition` is made of.

Source: cute/layout.hpp, `composition_impl`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.algebra import laws
from cutelab.algebra.exact import find_layout
from cutelab.algebra.laws import from_modes
from cutelab.algebra.simplify import coalesce_beyond, join
from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, brief
from cutelab.core.int_tuple import Int, idx2crd, shown_text
from cutelab.core.layout import Layout

Modes = list[tuple[int, int]]
NEAR = 64  # how far away an admissible neighbour is looked for


@dataclass(frozen=True, slots=True)
class Step:
    """One mode of A as a mode `extent:step` of B meets it: what B takes here, and what is left for the next mode."""

    shape: int
    stride: int
    extent: int
    step: int
    taken: int  # 1: nothing is taken here
    rest: int
    next_step: int


@dataclass(frozen=True, slots=True)
class Broken:
    """Which condition failed, at which mode of A: kind is "stride" or "shape"."""

    kind: str
    at: Step


def compose_mode(modes: Modes, extent: int, step: int, *, checked: bool = True) -> tuple[Layout | Broken, list[Step]]:
    """What is A o extent:step for flat modes of A? CuTe's fold over the modes, and its steps.

    checked=False goes on where a condition fails, so that the result can be held against A(B(c)).

    >>> compose_mode([(6, 8), (2, 2)], 4, 3)[0]
    Layout('(2,2):(24,2)')
    >>> compose_mode([(8, 1), (8, 9)], 5, 3, checked=False)[0]
    Layout('3:3')
    """
    if step == 0:
        return Layout(extent, step), []
    taken: Modes = []
    steps: list[Step] = []
    rest, stride, backwards = extent, abs(step), step < 0

    def signed(value: int) -> int:
        return -value if backwards else value

    for shape, offset in modes[:-1]:
        fits = -(-shape // stride)
        now = 1 if fits == 1 or rest == 1 else _least(fits, rest)
        at = Step(
            shape, offset, rest, signed(stride), now, rest if now == 1 else rest // now, signed(-(-stride // shape))
        )
        if checked and stride % shape and signed(stride) >= shape and rest > 1:  # one element never uses its stride
            return Broken("stride", at), steps
        if checked and rest % now:
            return Broken("shape", at), steps
        steps.append(at)
        if now != 1:
            taken.append((now, signed(stride) * offset))
        rest, stride = at.rest, abs(at.next_step)
    shape, offset = modes[-1]
    if not taken or rest != 1:
        steps.append(Step(shape, offset, rest, signed(stride), rest, 1, 1))
        taken.append((rest, signed(stride) * offset))
    return from_modes(taken), steps


def _least(a: int, b: int) -> int:
    """The smaller one; static only if both are, as CuTe's min."""
    return min(a, b) if isinstance(a, Int) and isinstance(b, Int) else int(min(a, b))


def compose_layouts(lhs: Layout, rhs: Layout, *, advise: bool = True, as_cpp: bool = False) -> Layout:
    """A o B of two layouts, checked: `composition` without the other kinds of arguments.

    advise=False leaves the look for admissible neighbours out of the error's text; as_cpp=True leaves out the check of the law.

    >>> compose_layouts(Layout(20, 2), Layout((5, 4), (4, 1)))
    Layout('(5,4):(8,2)')
    """
    modes = coalesce_beyond(lhs)

    def walk(shape: Any, stride: Any) -> Layout:
        if isinstance(shape, tuple):
            return join([walk(s, d) for s, d in zip(shape, stride, strict=True)])
        found, _ = compose_mode(modes, shape, stride)
        if isinstance(found, Broken):
            part = "" if rhs == Layout(shape, stride) else f"mode {shape}:{stride} of B: "
            text = f"{_names(lhs, rhs)} is refused: {part}{why_broken(found)}"
            raise CuteLabError(f"{text}. {_way_out(lhs, rhs, modes, (shape, stride))}" if advise else text)
        return found

    result = walk(rhs.shape, rhs.stride)
    if as_cpp:
        return result
    inner = laws.domain_values(rhs, result.shape)
    try:
        want, got = laws.values(lhs, inner), laws.domain_values(result)
    except CuteLabError as error:
        hint = f"; as_cpp=True gives C++'s {result}" if inner.min() < 0 else ""
        raise CuteLabError(f"{_names(lhs, rhs)}: {error}{hint}") from None
    if not np.array_equal(got, want):
        text = _unlawful_text(lhs, rhs, result, inner, got, want)
        raise CuteLabError(f"{text}. {_unlawful_remedy(lhs, modes, rhs)}" if advise else text)
    return result


def _names(lhs: Layout, rhs: Layout) -> str:
    return f"composition of A = {brief(lhs)} with B = {brief(rhs)}"


def exact_composition(lhs: Layout, rhs: Layout) -> Layout | None:
    """Which layout has exactly the offsets A(B(c)), though CuTe's divisibility refuses it? None: there is none.

    CuTe decides by divisibility, which is enough for a layout to exist, and not necessary. Looked for up to 2^16 coordinates.

    >>> exact_composition(Layout((8, 8), (1, 9)), Layout(8, 9)), exact_composition(Layout((8, 8), (1, 9)), Layout(5, 3))
    (Layout('8:10'), None)
    """
    if int_tuple.product(rhs.shape) > 2**16:
        return None
    try:
        return find_layout(laws.values(lhs, laws.domain_values(rhs)), int_tuple.plain(rhs.shape))
    except CuteLabError:
        return None


def why_broken(broken: Broken) -> str:
    """The rule that failed, with its numbers.

    >>> why_broken(compose_mode([(8, 1), (8, 9)], 4, 12)[0])
    'stride 12 meets the mode 8:1 of A: 12 is neither a multiple of 8 nor below it (stride divisibility)'
    """
    at = broken.at
    mode = f"the mode {at.shape}:{at.stride} of A"
    if broken.kind == "stride":
        return (
            f"stride {at.step} meets {mode}: {at.step} is neither a multiple of {at.shape} nor below it "
            f"(stride divisibility)"
        )
    fits = -(-at.shape // abs(at.step))
    return (
        f"{at.extent} elements {at.step} apart meet {mode}: {fits} fit in, and {fits} does not divide {at.extent} "
        f"(shape divisibility)"
    )


def _unlawful_text(
    lhs: Layout, rhs: Layout, result: Layout, inner: np.ndarray, got: np.ndarray, want: np.ndarray
) -> str:
    found = laws.first_difference(got, want, result.shape)
    assert found is not None
    at, coord = found[0], idx2crd(found[1], rhs.shape)
    return (
        f"{_names(lhs, rhs)}: R(c) = A(B(c)) does not hold. C++ returns {brief(result)}; at coordinate "
        f"{shown_text(coord)} that gives {got[at]}, but B gives {inner[at]} and A({inner[at]}) = {want[at]}"
    )


def _way_out(lhs: Layout, rhs: Layout, modes: Modes, mode: tuple[int, int]) -> str:
    """What to do instead: the exact layout where there is one, else what is admissible close by."""
    exact = exact_composition(lhs, rhs)
    if exact is not None:
        near = [f"{e}:{s}" for e, s in admissible_near(modes, *mode)]
        takes = f"; CuTe takes {', '.join(near)}" if near else ""
        return f"That is enough, not necessary: the numbers are {brief(exact)}, write that{takes}"
    return remedy(modes, *mode)


def _unlawful_remedy(lhs: Layout, modes: Modes, rhs: Layout) -> str:
    exact = exact_composition(lhs, rhs)
    if exact is not None:
        return f"The numbers are {brief(exact)}: write that"
    parts = laws.flat_modes(rhs)
    for extent, step in parts:
        if not _lawful(modes, extent, step):
            part = "B" if len(parts) == 1 else f"{extent}:{step} of B"
            return f"{part} does not step evenly through A. {remedy(modes, extent, step)}"
    return (
        "Each mode of B alone is admissible, but they add up across the end of a mode of A. "
        "Keep both functions: ComposedLayout(A, 0, B)"
    )


def _lawful(modes: Modes, extent: int, step: int) -> bool:
    found, _ = compose_mode(modes, extent, step)
    if isinstance(found, Broken):
        return False
    try:
        want = laws.values(from_modes(modes), laws.points(extent) * step)
    except CuteLabError:
        return False
    return bool(np.array_equal(laws.domain_values(found), want))


def admissible_near(modes: Modes, extent: int, step: int) -> list[tuple[int, int]]:
    """Which extents and which strides close to extent:step are admissible: the next below and above of each.

    >>> admissible_near([(8, 1), (8, 9)], 5, 3)
    [(3, 3), (5, 1), (5, 8)]
    """
    return list(_near(tuple(modes), extent, step))


@lru_cache(maxsize=256)
def _near(modes: tuple[tuple[int, int], ...], extent: int, step: int) -> tuple[tuple[int, int], ...]:
    if not (1 < extent <= 2**12 and 0 < step <= 2**20):
        return ()
    extents = range(extent - 1, max(1, extent - NEAR), -1), range(extent + 1, min(2 * extent, extent + NEAR) + 1)
    steps = range(step - 1, max(0, step - NEAR), -1), range(step + 1, step + NEAR)
    fewer, more = (next((e for e in near if _lawful(list(modes), e, step)), None) for near in extents)
    below, above = (next((s for s in near if _lawful(list(modes), extent, s)), None) for near in steps)
    return (*((e, step) for e in (fewer, more) if e), *((extent, s) for s in (below, above) if s))


def remedy(modes: Modes, extent: int, step: int) -> str:
    """What would be admissible close to extent:step? Other extents, other strides, or both functions kept.

    >>> remedy([(8, 1), (8, 9)], 5, 3)
    'Admissible close by: 3:3, 5:1, 5:8; or keep both functions: ComposedLayout(A, 0, B)'
    """
    tries = [f"{e}:{s}" for e, s in admissible_near(modes, extent, step)]
    if not tries:
        return "Both functions can be kept: ComposedLayout(A, 0, B)"
    return f"Admissible close by: {', '.join(tries)}; or keep both functions: ComposedLayout(A, 0, B)"
