"""explain: the definition of an operation filled in with these numbers, step by step, as text."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from cutelab.algebra import common as common_
from cutelab.algebra import compose, divide, inverse, laws, product, recast, simplify
from cutelab.algebra.steps import (
    coalesce_steps,
    complement_steps,
    composition_steps,
    downcast_steps,
    left_inverse_steps,
    right_inverse_steps,
    upcast_steps,
)
from cutelab.core.errors import CuteLabError, nearest, shown
from cutelab.core.int_tuple import MAX_LEAVES, is_int, to_text
from cutelab.core.layout import ComposedLayout, Layout, as_layout, cosize, size
from cutelab.core.swizzle import Swizzle

Lines = Iterator[str]
MAX_LINES = 1000
SWIZZLE = re.compile(r"\s*(Sw|S|Swizzle)\s*<[^<>]*>\s*")


def tiler_text(tiler: Any) -> str:
    """How is a tiler written? `<4:1;8>` for a tuple, as in CuTe's own tables.

    >>> tiler_text((Layout(4), 8, None))
    '<4:1, 8, _>'
    """
    if isinstance(tiler, tuple | list):
        return "<" + ", ".join(map(tiler_text, tiler)) + ">"
    return "_" if tiler is None else str(tiler)


def explain(operation: Callable[..., Any] | str, *args: Any, as_cpp: bool = False) -> str:
    """Why is this the result? The definition of an operation with these numbers, step by step, and the law at the end.

    operation: a function of this algebra or its name; args: its arguments. Where the operation refuses, the text says at
    which step and why, and ends with "Refused"; with as_cpp=True also what C++ returns all the same. Bad kinds of arguments
    raise CuteLabError as the operation itself does.

    >>> print(explain("composition", Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))))
    composition of A = (6,2):(8,2) with B = (4,3):(3,1)
    Definition: R(c) = A(B(c)) for every coordinate c of B, one mode of B after the other.
    A in as few modes as possible: (6,2):(8,2)
    Mode 4:3 of B: 4 elements of A, 3 apart.
      A's mode 6:8: 6 / 3 = 2 fit in. Take 2 of 4, stride 3*8 = 24; 4 / 2 = 2 times these, in steps of 1.
      A's last mode 2:2: take all 2, stride 1*2 = 2.
      Together (2,2):(24,2).
    Mode 3:1 of B: 3 elements of A, 1 apart.
      A's mode 6:8: 6 / 1 = 6 fit in. Take 3 of 3, stride 1*8 = 8; 3 / 3 = 1: done.
      Together 3:8.
    Result R = ((2,2),3):((24,2),8).
    Checked: R(c) = A(B(c)) at all 12 coordinates.
    """
    name = operation if isinstance(operation, str) else str(getattr(operation, "__name__", shown(operation)))
    if name not in OPERATIONS:
        near = nearest(name, OPERATIONS)
        raise CuteLabError(
            f"explain knows {', '.join(sorted(OPERATIONS)[:4])}, ... and not {shown(name)}"
            + (f"; near it are {', '.join(near)}" if near else "; dir(cutelab.algebra) lists the operations")
        )
    function, steps, law = OPERATIONS[name]
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **({"as_cpp": True} if as_cpp else {}))
    except TypeError:
        wanted = ", ".join(p for p in signature.parameters if p != "as_cpp")
        raise CuteLabError(f"explain: {name}({wanted}) takes other arguments than the {len(args)} given") from None
    args = tuple([_read(arg) for arg in args])
    if not isinstance(args[0], Layout | ComposedLayout | Swizzle):
        function(*args)  # says what it wants
        raise CuteLabError(f"explain: no steps for {name} of {shown(args[0])}")
    refusal = None
    try:
        result = function(*args)
        ending = [f"Result R = {result}.", *_law(law, args[0], result)]
    except CuteLabError as error:
        if any(isinstance(arg, bytes | float) for arg in args):
            raise  # no operation on layouts at all
        refusal, ending = error, [f"Refused: {error}"]
        if as_cpp:
            ending.append(f"C++ returns {function(*args, as_cpp=True)}, for which this law does not hold.")
    lines: list[str] = []
    try:
        for line in _inner_first(steps, *args):
            lines.append(line)
            if len(lines) > MAX_LINES:
                lines.append("...")
                break
    except CuteLabError:  # the steps end where the operation ends
        pass
    except (ArithmeticError, AttributeError, TypeError):  # arguments of a kind that has no steps
        raise refusal if refusal else CuteLabError(f"explain: no steps for {name} of {shown(args)}") from None
    return "\n".join([*lines, *ending])


def _read(value: Any) -> Any:
    """Texts of layouts and swizzles are read, in tuples too; everything else is left to the operation."""
    if isinstance(value, str):
        return Swizzle(value) if SWIZZLE.fullmatch(value) else as_layout(value)
    if isinstance(value, tuple) and len(value) <= MAX_LEAVES and any(isinstance(v, str) for v in value):
        return tuple([_read(v) for v in value])
    return value


def _law(law: str, first: Any, result: Any) -> Lines:
    """The law that the result was held to, and at how many coordinates."""
    if not law or isinstance(first, Swizzle):
        return
    if law == SAME:
        got, want = laws.domain_values(result, first.shape), laws.domain_values(first)
        laws.check_same("explain", result, got, want, first.shape, law)
    shape = result.shape if "R(c)" in law or "A(R(i))" in law else first.shape
    yield f"Checked: {law} {laws.checked_phrase(shape)}." if "(" in law else f"Checked: {law}."


def _inner_first(steps: Callable[..., Lines], first: Any, *rest: Any) -> Lines:
    """A composed layout is explained by its inner layout, which is where the operation happens."""
    if isinstance(first, ComposedLayout) and steps not in (_common, _recast, _upcast, _downcast):
        yield f"{first} is {first.outer} after offset {first.offset} and A = {first.inner}; the operation acts on A."
        yield from _inner_first(steps, first.inner, *rest)
        return
    yield from steps(first, *rest)


def _composition(a: Any, b: Any) -> Lines:
    if isinstance(a, Swizzle):
        yield f"composition of {a} with B = {b}"
        yield "Definition: R(c) = Sw(B(c)). A swizzle is no layout, so the two stay side by side: Sw o 0 o B."
        if not a.bits:
            yield f"{a} moves no bits: it is the identity, and R = B."
    elif isinstance(b, Swizzle | ComposedLayout):
        swizzle = b if isinstance(b, Swizzle) else b.outer
        yield f"composition of A = {a} with {b}"
        if isinstance(swizzle, Layout):
            yield "Definition: R(c) = A(B(c)): first A o the outer function of B, then the inner one."
            return
        yield "Definition: R(i) = A(Sw(i)). A sends the swizzle's bits elsewhere; the swizzle of those bits comes after A."
        yield f"Source bits {swizzle.yyy:#x} and target bits {swizzle.zzz:#x} of {swizzle} go through A."
    elif isinstance(b, tuple | list):
        yield f"composition of A = {a} with the tiler {tiler_text(b)}"
        yield "Definition: mode by mode, R_i = A_i o T_i; modes of A beyond the tiler are dropped."
        for i, (mode, tile) in enumerate(zip(simplify.top_modes(a), b, strict=False)):
            if tile is None:
                yield f"Mode {i}: {mode} is kept whole."
            else:
                yield f"Mode {i}:"
                yield from ("  " + line for line in _composition(mode, tile))
    else:
        yield from composition_steps(a, Layout(b, 1) if is_int(b) else b)


def _divide(name: str, brackets: str) -> Callable[..., Lines]:
    def steps(a: Layout, tiler: Any) -> Lines:
        yield f"{name} of A = {a} by the tiler {tiler_text(tiler)}"
        if isinstance(tiler, tuple | list):
            yield "Definition: mode by mode, A_i o (T_i, T_i*) with T_i* = complement(T_i, A_i)."
            for i, (mode, tile) in enumerate(zip(simplify.top_modes(a), tiler, strict=False)):
                yield f"Mode {i}: " + ("kept whole." if tile is None else f"{mode} by {tiler_text(tile)}.")
                if tile is not None and not isinstance(tile, tuple | list):
                    yield from ("  " + line for line in _split(mode, tile))
        else:
            yield "Definition: A o (T, T*) with T* = complement(T, shape of A). T is the tile, T* counts the tiles."
            yield from _split(a, tiler)
        if brackets:
            yield f"Then the brackets: {brackets}."

    return steps


def _split(mode: Layout, tile: Any) -> Lines:
    tile = simplify.compact(tile) if is_int(tile) else tile
    shape = simplify.coalesced(mode).shape
    yield from complement_steps(tile, shape)
    rest = inverse.complement_within(tile, shape)
    reach, whole = size(tile) * size(rest), size(mode)
    if reach > whole:
        yield f"{size(tile)} * {size(rest)} = {reach} elements are more than the {whole} of A: the last tile reaches beyond A."
    yield from composition_steps(mode, simplify.join([tile, rest]))


def _product(name: str, brackets: str) -> Callable[..., Lines]:
    def steps(a: Layout, tiler: Any) -> Lines:
        yield f"{name} of the block A = {a} by the tiler {tiler_text(tiler)}"
        if isinstance(tiler, tuple | list):
            yield "Definition: mode by mode, (A_i, A_i* o T_i) with A_i* = complement(A_i, size(A_i) * cosize(T_i))."
            for i, (mode, tile) in enumerate(zip(simplify.top_modes(a), tiler, strict=False)):
                yield f"Mode {i}: " + ("not repeated." if tile is None else f"{mode} by {tiler_text(tile)}.")
                if tile is not None and not isinstance(tile, tuple | list):
                    yield from ("  " + line for line in _repeat(mode, tile))
        else:
            yield "Definition: (A, A* o T) with A* = complement(A, size(A) * cosize(T)): A* lists the free places, T chooses."
            tile = simplify.compact(tiler) if is_int(tiler) else tiler
            if name in ("blocked_product", "raked_product"):
                rank = max(len(a), len(tile))
                a, tile = product.padded(a, rank), product.padded(tile, rank)
                yield f"Both get {rank} modes: A = {a}, T = {tile}."
            yield from _repeat(a, tile)
        if brackets:
            yield f"Then the brackets: {brackets}."

    return steps


def _repeat(block: Layout, tile: Any) -> Lines:
    tile = simplify.compact(tile) if is_int(tile) else tile
    room = product.room(block, tile)
    yield f"Room for the copies: size(A) * cosize(T) = {size(block)} * {cosize(tile)} = {room} offsets."
    yield from complement_steps(block, room)
    yield "A* o T:"
    yield from composition_steps(inverse.complement_within(block, room), tile)


def _tile_to_shape(a: Layout, shape: Any, order: Any = None) -> Lines:
    sizes = product.mode_sizes(a, shape)
    copies = product.copies_in_order(a, sizes, order)
    yield f"tile_to_shape: the block A = {a} fills the shape {to_text(sizes)}"
    yield f"Copies along each mode: {to_text(sizes)} / {to_text(tuple(map(size, simplify.top_modes(a))))} = {to_text(copies.shape)}"
    yield f"in the order {to_text(order) if order else 'first mode first'}: T = {copies}."
    yield from _product("blocked_product", BRACKETS["blocked"])(product.padded(a, len(sizes)), copies)


def _common(a: Any, b: Any) -> Lines:
    inner_a, inner_b = (x.layout if isinstance(x, ComposedLayout) else x for x in (a, b))
    yield f"The longest run that is contiguous in both a = {a} and b = {b}"
    yield "Definition: the leading stride-1 mode of coalesce(a o right_inverse(b)), or one element if there is none."
    yield from right_inverse_steps(inner_b)
    found = inverse.right_inverse_plain(inner_b)
    yield from composition_steps(inner_a, found)
    joined = simplify.coalesced(compose.compose_plain(inner_a, found))
    extent, stride = laws.flat_modes(joined)[0]
    yield f"Coalesced: {joined}. Its first mode is {extent}:{stride}, " + (
        f"so {extent} elements run along together." if stride == 1 else "not stride 1, so only one element."
    )
    for x in (a, b):
        if isinstance(x, ComposedLayout) and isinstance(x.outer, Swizzle):
            yield f"{x.outer} moves runs of 2^{x.outer.base} = {1 << x.outer.base} elements as a whole."


def _upcast(a: Any, n: int) -> Lines:
    yield f"upcast of A = {a} by {n}: the same memory in units of {n} elements"
    if isinstance(a, ComposedLayout):
        yield f"Swizzle {a.outer}, offset {a.offset} and layout {a.inner} are each recast; 2^base counts elements too."
        a = a.layout
    yield from upcast_steps(a, n)


def _downcast(a: Any, n: int) -> Lines:
    yield f"downcast of A = {a} by {n}: each element is cut into {n}"
    if isinstance(a, ComposedLayout):
        yield f"Swizzle {a.outer}, offset {a.offset} and layout {a.inner} are each recast; 2^base counts elements too."
        a = a.layout
    yield from downcast_steps(a, n)


def _recast(a: Any, from_bits: int, to_bits: int) -> Lines:
    up, down = recast.factors(from_bits, to_bits)
    yield f"recast_layout of A = {a} from {from_bits} to {to_bits} bits: {to_bits}/{from_bits} = {up}/{down}"
    if up > 1:
        yield from _upcast(a, up)
        a = recast.upcast(a, up)
    if down > 1:
        yield from _downcast(a, down)


def _group(a: Any, begin: int, end: int) -> Lines:
    yield f"group_modes of A = {a}: one bracket around the modes {begin} to {end - 1}."


def _brackets(text: str) -> Callable[..., Lines]:
    def steps(a: Any, *rest: Any) -> Lines:
        yield text.format(a=a, rest=", ".join(map(tiler_text, rest)))

    return steps


SAME, COPIES = "R(i) = A(i)", "every copy t of the block begins at offset A* of T of t"
ZIP, TILE, FLAT = "((tile), (rest))", "((tile), rest modes ...)", "(tile modes ..., rest modes ...)"
BRACKETS = {
    "logical": "",
    "zipped": ZIP,
    "tiled": TILE,
    "flat": FLAT,
    "blocked": "mode i is (block mode i, copies along i)",
    "raked": "mode i is (copies along i, block mode i)",
}
OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Lines], str]] = {
    "coalesce": (simplify.coalesce, coalesce_steps, SAME),
    "composition": (compose.composition, _composition, "R(c) = A(B(c))"),
    "complement": (inverse.complement, complement_steps, "R ascends, and meets A only at offset 0"),
    "right_inverse": (inverse.right_inverse, right_inverse_steps, "A(R(i)) = i"),
    "left_inverse": (inverse.left_inverse, left_inverse_steps, "R(A(i)) = i"),
    "tile_to_shape": (product.tile_to_shape, _tile_to_shape, COPIES),
    "max_common_vector": (common_.max_common_vector, _common, ""),
    "max_common_layout": (common_.max_common_layout, _common, "R runs in steps of 1 through both a and b"),
    "recast_layout": (recast.recast_layout, _recast, ""),
    "upcast": (recast.upcast, _upcast, "R(c') = A(c) // n"),
    "downcast": (recast.downcast, _downcast, "R(c) // n = A(c')"),
    "filter_zeros": (
        simplify.filter_zeros,
        _brackets("filter_zeros of A = {a}: each extent whose stride is 0 becomes 1."),
        "",
    ),
    "filter_layout": (
        simplify.filter_layout,
        _brackets("filter_layout of A = {a}: extents with stride 0 become 1, then coalesce."),
        "",
    ),
    "group_modes": (
        simplify.group_modes,
        _group,
        SAME,
    ),
    "select": (simplify.select, _brackets("select of A = {a}: only the modes {rest}, in this order."), ""),
}
for _kind, _text in BRACKETS.items():
    _name = f"{_kind}_product"
    OPERATIONS[_name] = (getattr(product, _name), _product(_name, _text), COPIES)
    if hasattr(divide, f"{_kind}_divide"):
        _name = f"{_kind}_divide"
        OPERATIONS[_name] = (getattr(divide, _name), _divide(_name, _text), "R(c) = A((T, T*)(c))")
