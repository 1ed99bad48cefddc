"""What people are likely to answer who have not understood, made by rule from the right answer of an exercise.

Of a number: another unit, off by one, a number of the question in place of the result. Of a tuple: another order, one entry off,
another unit. Of a layout: the other order of memory, bytes in place of elements, a stride off by one. Of a function: arguments
in each other's place, another unit, off by one, an argument left out. Of a swizzle: its numbers in another order, one of them off.
None of these rules knows which wrong answers an exercise foresees.
"""

from __future__ import annotations

from itertools import permutations

from cutelab import Layout, Swizzle
from cutelab.core.int_tuple import is_int
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value
from cutelab.course.ask.swizzle_kinds import SwizzleFor, SwizzleName


def solved(exercise):
    """What the solution's source text binds."""
    names = {}
    exec(exercise.solution, names)
    return names[exercise.name]


def likely(exercise):
    """(what was done, the answer) of the likely wrong answers, the likeliest first; right ones may be among them."""
    right, kind = solved(exercise), exercise.kind
    if isinstance(kind, Choice):
        return [(f"option {key}", key) for key, _ in kind.options]
    if isinstance(kind, Value):
        right = kind.read(right)
        return of_number(right, kind.given) if is_int(right) else of_tuple(right, kind.unordered)
    if isinstance(kind, LayoutMap):
        return of_layout(kind._layout(right))
    if isinstance(kind, Function):
        return of_function(right, kind)
    if isinstance(kind, SwizzleName | SwizzleFor):
        return of_swizzle(right, kind)
    return []


def of_number(right, given):
    found = [("one less", right - 1), ("4 times", 4 * right), ("twice", 2 * right), ("one more", right + 1)]
    found += [(f"a {k}th", right // k) for k in (2, 4) if right % k == 0]
    found += [(f"the {name}", value) for name, value in given]
    return [*found, ("8 times", 8 * right)]


def of_tuple(right, unordered):
    if unordered:
        return [
            ("one missing", right[:-1]),
            ("the first missing", right[1:]),
            ("one too many", (*right, max(right) + 1)),
            ("all off by one", tuple(v + 1 for v in right)),
        ]
    if all(map(is_int, right)):
        return [
            ("the other way round", right[::-1]),
            ("the last one less", (*right[:-1], right[-1] - 1)),
            ("the first one more", (right[0] + 1, *right[1:])),
            ("4 times", tuple(4 * v for v in right)),
            ("twice", tuple(2 * v for v in right)),
            ("counted from 1", tuple(v + 1 for v in right)),
            ("the first twice", (2 * right[0], *right[1:])),
            ("the last for all", (right[-1],) * len(right)),
        ]
    return [("the other way round", right[::-1]), ("each pair turned", tuple(v[::-1] for v in right))]


def flat(x):
    return [v for e in x for v in flat(e)] if isinstance(x, tuple) else [x]


def like(x, values):
    """The same brackets with other numbers."""
    return tuple(like(e, values) for e in x) if isinstance(x, tuple) else next(values)


def of_layout(right):
    shape, stride = right.shape, right.stride
    values = flat(stride)
    found = [("strides reversed", Layout(shape, like(stride, iter(values[::-1]))))]
    found += [("in bytes", Layout(shape, like(stride, iter([4 * v for v in values]))))]
    found += [("column-major", Layout(shape))]
    last = max(range(len(values)), key=lambda i: values[i])
    for step in (1, -1):
        moved = [v + step * (i == last) for i, v in enumerate(values)]
        if min(moved) >= 0:
            found += [(f"the largest stride {step:+}", Layout(shape, like(stride, iter(moved))))]
    if isinstance(shape, tuple) and isinstance(stride, tuple) and len(shape) > 1:
        found += [
            ("modes exchanged", Layout(shape[::-1], stride[::-1])),
            (
                "shape exchanged",
                Layout(shape[::-1], stride) if len(flat(shape[::-1])) == len(values) and not nested(shape) else right,
            ),
        ]
    return [(name, str(layout)) for name, layout in found]


def nested(x):
    return any(isinstance(e, tuple) for e in x)


def of_function(right, kind):
    names = kind.parameters
    probe = right(*kind.edges[0])
    found = []

    def changed(change):
        return lambda *args: right(*change(args))

    def after(change):
        return lambda *args: change(right(*args))

    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    swaps = [(f"{names[i]} and {names[j]} exchanged", changed(exchange(i, j))) for i, j in pairs]
    if isinstance(probe, bool):
        found += swaps[:2]
        found += [("always True", after(lambda v: True)), ("turned round", after(lambda v: not v))]
    elif is_int(probe):
        found += [("one more", after(lambda v: v + 1)), ("4 times", after(lambda v: 4 * v)), *swaps[:2]]
        found += [("twice", after(lambda v: 2 * v)), ("one less", after(lambda v: v - 1))]
    elif isinstance(probe, tuple):
        found += [("the other way round", after(lambda v: v[::-1])), *swaps[:1]]
        found += [("the first one more", after(lambda v: (v[0] + 1, *v[1:]) if is_int(v[0]) else v))]
        found += [("only the first", after(lambda v: v[0]))]
    found += [(f"{name} left out", changed(fixed(i, 0))) for i, name in enumerate(names[:2])]
    found += [(f"{name} of the example", changed(fixed(i, kind.edges[0][i]))) for i, name in enumerate(names)]
    return found


def exchange(i, j):
    def change(args):
        moved = list(args)
        moved[i], moved[j] = moved[j], moved[i]
        return moved

    return change


def fixed(i, value):
    return lambda args: [*args[:i], value, *args[i + 1 :]]


def of_swizzle(right, kind):
    from cutelab.course.ask.swizzle_kinds import read_swizzle

    right = read_swizzle(right)
    b, m, s = right.bits, right.base, right.shift
    found = [("M one more", (b, m + 1, s)), ("B one less", (b - 1, m, s)), ("S one less", (b, m, s - 1))]
    found += [("S one more", (b, m, s + 1)), ("M one less", (b, m - 1, s)), ("B one more", (b + 1, m, s))]
    found += [("in another order", order) for order in permutations((b, m, s)) if order != (b, m, s)]
    return [(name, text) for name, numbers in found if (text := swizzle_text(numbers))]


def swizzle_text(numbers):
    try:
        return str(Swizzle(*numbers))
    except ValueError:
        return ""
