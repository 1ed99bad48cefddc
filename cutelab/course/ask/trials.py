"""Where does a learner's function go wrong? Its results on many inputs are held against the right ones.

What is tried, in this order: arguments in other places, one argument or a fixed number in the place of another, the unit,
off by one, counting from 1, a part that is left out or too much, an argument that plays no role, and a fact about the inputs
that tells the failing ones from the others.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, permutations
from typing import Any

from cutelab.core.int_tuple import is_int
from cutelab.course.ask.reading import Odd, plain, shown, to_words

Rows = tuple[tuple[tuple[Any, ...], Any], ...]
"""(arguments, result) of each call."""


@dataclass(frozen=True)
class Reading:
    """What a function returned on all inputs; of the right one, also the function itself."""

    rows: Rows
    call: Callable[..., Any] | None = field(default=None, compare=False)


FACTORS = (2, 4, 8, 16, 32, 64, 128)
FIXED = (0, 1, 2, 4, 8, 16, 32, 64, 128)


def value_words(value: Any) -> str:
    """A result in a sentence, without a full stop at its end. A text is shown as one, for it may look like the right value.

    >>> value_words((1, 3)), value_words("True")
    ('(1,3)', "'True', a text")
    """
    return f"{shown(value)}, a text" if type(value) is str else to_words(value).rstrip(".")


def words_of(names: tuple[str, ...], args: tuple[Any, ...]) -> str:
    """The arguments by name: "row = 1, col = 0"."""
    return ", ".join(f"{name} = {to_words(value)}" for name, value in zip(names, args, strict=True))


def name_function(mine: Rows, right: Reading, names: tuple[str, ...], parts: tuple[str, ...] = ()) -> str:
    """What do the wrong results have in common? "" if nothing was found.

    >>> right = Reading(tuple(((r, c), 8 * r + c) for r in range(4) for c in range(4)), lambda r, c: 8 * r + c)
    >>> name_function(tuple((a, 8 * a[1] + a[0]) for a, _ in right.rows), right, ("row", "col"))
    "this is right with row and col in each other's place."
    >>> name_function(tuple((a, 4 * v) for a, v in right.rows), right, ("row", "col"))
    'every result is 4 times too large: is it in another unit, bytes of a 4-byte type?'
    """
    found = [yours for _, yours in mine]
    good = [value for _, value in right.rows]
    if all(isinstance(y, Odd) for y in found):
        return _of_odd(found)
    odd = [str(y) for y in found if isinstance(y, Odd)]
    if odd:
        if any(t.startswith("does not come to an end") for t in odd):
            return "this does not come to an end in time for all inputs."
        if all(t.endswith(", a float") for t in odd):
            return "this returns floats, and some are not whole: divide with // to stay with whole numbers."
        if all(t.startswith("stops with") for t in odd):
            return "this stops with an error for some inputs."
        return "this returns nothing, or no whole number, for some inputs: does every way through it end with `return`?"
    constant = len(set(map(str, found))) == 1 and len(set(map(str, good))) > 1
    if constant and not isinstance(found[0], bool):
        return f"this always returns {value_words(found[0])}, whatever the inputs are."
    if constant:
        return f"this always says {found[0]}, whatever the inputs are."
    if all(map(is_int, (*found, *good))) and {y - g for y, g in zip(found, good, strict=True)} in ({1}, {-1}):
        return f"every result is one too {'large' if found[0] > good[0] else 'small'}."
    if right.call is not None:
        call = lru_cache(maxsize=None, typed=True)(right.call)
        other = _misplaced(mine, call, names) or _swapped(mine, call, names)
        other = other or _substituted(mine, call, names)
        if other:
            return other
    if all(isinstance(g, bool) for g in good):
        return _of_truth(mine, right.rows, names)
    if all(map(is_int, good)):
        found_out = _of_numbers(mine, good, names) or _of_dependence(mine, right.rows, names)
        found_out = found_out or _of_condition(mine, right.rows, names) or _of_two(mine, right, names)
        return found_out or _of_formula(mine, good, names)
    return _of_tuples(mine, right.rows, names, parts) or _of_condition(mine, right.rows, names)


def _of_odd(found: list[Any]) -> str:
    texts = [str(y) for y in found]
    if all("None" in t for t in texts):
        return "this returns nothing: the result has to be returned, with `return`."
    if all(t.startswith("does not come to an end") for t in texts):
        return "this does not come to an end."
    if all(t.startswith("stops with") for t in texts):
        return "this stops with an error before it returns anything."
    if all(t.endswith(", a float") for t in texts):
        return "this returns floats: divide with // to stay with whole numbers."
    return "this returns no whole numbers."


Args = tuple[Any, ...]
Change = Callable[[Args], Args]
"""Other arguments in the place of those that were given."""


def _ordered(order: tuple[int, ...]) -> Change:
    return lambda args: tuple(args[i] for i in order)


def _replaced(at: int, other: int) -> Change:
    return lambda args: (*args[:at], args[other], *args[at + 1 :])


def _fixed(numbers: dict[int, Any]) -> Change:
    return lambda args: tuple(numbers.get(i, v) for i, v in enumerate(args))


def _shifted(at: tuple[int, ...], step: int) -> Change:
    return lambda args: tuple(v + step if i in at else v for i, v in enumerate(args))


def _agrees(mine: Rows, call: Callable[..., Any], change: Change) -> bool:
    """Are these the right results of changed arguments? Inputs that the change leaves alone, or leads astray, do not count."""
    seen = 0
    for args, yours in mine:
        try:
            value = plain(call(*change(args)))
        except Exception:
            continue
        if value != yours:
            return False
        seen += 1
    return 2 * seen > len(mine)


def _swapped(mine: Rows, call: Callable[..., Any], names: tuple[str, ...]) -> str:
    """Right with its arguments in other places?"""
    count = len(names)
    orders = permutations(range(count)) if count <= 4 else _exchanges(count)
    for order in sorted(orders, key=lambda p: sum(i != j for i, j in enumerate(p))):
        moved = [names[i] for i, j in enumerate(order) if i != j]
        if moved and _agrees(mine, call, _ordered(order)):
            return f"this is right with {' and '.join(moved)} in each other's place."
    return ""


def _exchanges(count: int) -> Iterator[tuple[int, ...]]:
    """All orders in which two have changed places."""
    for i, j in combinations(range(count), 2):
        order = list(range(count))
        order[i], order[j] = j, i
        yield tuple(order)


def _misplaced(mine: Rows, call: Callable[..., Any], names: tuple[str, ...]) -> str:
    """Right with one argument in the place of another?"""
    for i, name in enumerate(names):
        for j, other in enumerate(names):
            if i != j and _agrees(mine, call, _replaced(i, j)):
                return f"this is right with {other} in the place of {name}."
    return ""


def _substituted(mine: Rows, call: Callable[..., Any], names: tuple[str, ...]) -> str:
    """Right with a fixed number in the place of an argument, or with places that are counted from 1?"""
    for i, name in enumerate(names):
        for number in dict.fromkeys((*FIXED, *(args[i] for args, _ in mine))):
            if _agrees(mine, call, _fixed({i: number})):
                if number == 0:
                    return f"this leaves {name} out: it is right only where {name} is 0."
                seen = number in {args[i] for args, _ in mine}
                return f"this takes {number} for {name}, whatever {name} is" + (
                    ": that is the number of one example." if seen else f": {name} has to count."
                )
    example = mine[0][0]
    for size in range(2, len(names)):
        for several in combinations(range(len(names)), size):
            if _agrees(mine, call, _fixed({i: example[i] for i in several})):
                fixed = ", ".join(f"{names[i]} = {example[i]}" for i in several)
                return f"this takes {fixed}, whatever they are: these are the numbers of one example."
    for step, way in ((-1, "less"), (1, "more")):
        for size in (1, 2):
            for several in combinations(range(len(names)), size):
                if _agrees(mine, call, _shifted(several, step)):
                    which = " and ".join(names[i] for i in several)
                    return f"this is what is right for {which} one {way}: places are counted from 0, and sizes as they are."
    return ""


def _of_numbers(mine: Rows, good: list[int], names: tuple[str, ...]) -> str:
    found = [y for _, y in mine]
    if not all(map(is_int, found)):
        if all(isinstance(y, tuple) for y in found):
            return "this returns several numbers, and one is asked for."
        if all(isinstance(y, str) for y in found):
            return "this returns texts: return the number itself."
        return "this returns something else than a whole number."
    for k in FACTORS:
        if all(y == k * g for y, g in zip(found, good, strict=True)):
            unit = ", bytes of a 4-byte type" if k == 4 else ""
            return f"every result is {k} times too large: is it in another unit{unit}?"
        if all(y == g // k for y, g in zip(found, good, strict=True)):
            return f"every result is the right one divided by {k}: is it in another unit?"
    for label, values in terms(mine, names):
        if "·" not in label and all(y == g * v for y, g, v in zip(found, good, values, strict=True)):
            return f"every result is the right one times {label}: that factor does not belong in it."
        if "·" not in label and all(y * v == g for y, g, v in zip(found, good, values, strict=True)):
            return f"every result lacks the factor {label}."
    gaps = [y - g for y, g in zip(found, good, strict=True)]
    if len(set(gaps)) == 1:
        size = "one" if abs(gaps[0]) == 1 else str(abs(gaps[0]))
        return f"every result is {size} too {'large' if gaps[0] > 0 else 'small'}."
    for label, values in terms(mine, names):
        if values == gaps:
            return f"every result is too large by {label}: that does not belong in it."
        if [-v for v in values] == gaps:
            return f"every result is too small by {label}: that part is missing."
    for k in (2, 4, 8, 16, 32, 64, 128):
        if all(y == g % k for y, g in zip(found, good, strict=True)) and any(g >= k for g in good):
            return f"this is the right number modulo {k}: it must not wrap round there."
    for k in (8, 16, 32, 64, 128):
        if all(y % k == g for y, g in zip(found, good, strict=True)) and any(y >= k for y in found):
            return f"modulo {k} this is always right: it has to wrap round there."
    return ""


def _of_two(mine: Rows, right: Reading, names: tuple[str, ...]) -> str:
    """Two faults at once: off by one, or in another unit, and an argument in the wrong place?"""
    if right.call is None or not all(is_int(y) for _, y in mine):
        return ""
    undone: list[tuple[str, Rows]] = [
        (f"every result is one too {way}", tuple((args, y - k) for args, y in mine))
        for k, way in ((1, "large"), (-1, "small"))
    ]
    for k in FACTORS[:3]:
        if all(y % k == 0 for _, y in mine):
            undone.append((f"every result is {k} times too large", tuple((args, y // k) for args, y in mine)))
    for words, rows in undone:
        other = _misplaced(rows, right.call, names) or _swapped(rows, right.call, names)
        if other:
            return f"two things at once: {words}; and without that {other}"
    return ""


def _of_formula(mine: Rows, good: list[int], names: tuple[str, ...]) -> str:
    """Is it a short formula of the arguments? Which one, and whether it is too large or too small."""
    found = [y for _, y in mine]
    if len(mine) < 6 or not all(map(is_int, found)):
        return ""
    for label in formulas(mine, names):
        much, less = (
            sum(y > g for y, g in zip(found, good, strict=True)),
            sum(y < g for y, g in zip(found, good, strict=True)),
        )
        way = "too large" if much and not less else "too small" if less and not much else "too large or too small"
        return f"this is {label}: {way} for {much + less} of {len(found)} inputs."
    for label, values in terms(mine, names):
        if all(y + g == v for y, g, v in zip(found, good, values, strict=True)):
            return f"yours and the right result add up to {label}: this counts from the other end."
    return ""


Column = tuple[str, list[int]]
"""A formula, and its value for each input."""
Pairs = list[tuple[Column, Column]]
Steps = tuple[tuple[str, Callable[[int, int], int]], ...]

PLAIN: Steps = (("{} + {}", operator.add), ("{} - {}", operator.sub), ("{} · {}", operator.mul))
ROUNDING: Steps = (
    ("{} // {}", operator.floordiv),
    ("{} % {}", operator.mod),
    ("min({}, {})", min),
    ("max({}, {})", max),
)
APART: Steps = (("abs({} - {})", lambda a, b: abs(a - b)),)


def formulas(mine: Rows, names: tuple[str, ...]) -> Iterator[str]:
    """Which short formulas of the arguments give these results? One step of two of them, or of one and a fixed number, and then one more.

    >>> list(formulas(tuple(((a, b), a * b // 4) for a in (2, 6, 9) for b in (1, 5)), ("a", "b")))[0]
    '(a · b) // 4'
    """
    columns = [(name, [args[i] for args, _ in mine]) for i, name in enumerate(names)]
    if not all(is_int(v) for _, column in columns for v in column):
        return
    found = [y for _, y in mine]
    fixed = [(str(k), [k] * len(mine)) for k in FIXED[1:]]

    def steps_of(pairs: Pairs, steps: Steps) -> Iterator[tuple[str, Callable[[int, int], int], Column, Column]]:
        for one, other in pairs:
            nought = 0 in other[1]
            for form, step in steps:
                if not (nought and form[3] in "/%"):
                    yield form, step, one, other

    def label(form: str, one: Column, other: Column) -> str:
        return form.format(f"({one[0]})" if " " in one[0] and form[0] == "{" else one[0], other[0])

    def all_of(pairs: Pairs, steps: Steps) -> list[Column]:
        made = steps_of(pairs, steps)
        return [(label(form, one, other), list(map(step, one[1], other[1]))) for form, step, one, other in made]

    def fitting(pairs: Pairs, steps: Steps) -> Iterator[str]:
        """Each formula is left at the first input where it gives something else."""
        for form, step, one, other in steps_of(pairs, steps):
            if all(map(operator.eq, map(step, one[1], other[1]), found)):
                yield label(form, one, other)

    pairs = [(one, other) for one in columns for other in (*columns, *fixed) if one is not other]
    pairs += [(one, other) for one in fixed for other in columns]
    first = all_of(pairs, PLAIN)
    yield from (name for name, values in (*columns, *first) if values == found)
    yield from fitting(pairs, ROUNDING + APART)
    yield from fitting([(one, other) for one in first for other in fixed], ROUNDING)
    if len(names) < 3:
        second = first + all_of(pairs, ROUNDING)
        yield from fitting([(one, other) for one in second for other in (*columns, *fixed)], PLAIN + ROUNDING)


def terms(mine: Rows, names: tuple[str, ...]) -> Iterator[tuple[str, list[int]]]:
    """What a result may be too large or too small by: an argument, a product of two, and these one less."""
    columns = [[args[i] for args, _ in mine] for i in range(len(names))]
    if not all(is_int(v) for column in columns for v in column):
        return
    for name, column in zip(names, columns, strict=True):
        yield name, column
        yield f"{name} - 1", [v - 1 for v in column]
        yield f"{name} + 1", [v + 1 for v in column]
    for i, one in enumerate(names):
        for j in range(i, len(names)):
            yield f"{one} · {names[j]}", [a * b for a, b in zip(columns[i], columns[j], strict=True)]


def _of_dependence(mine: Rows, right: Rows, names: tuple[str, ...]) -> str:
    """Does an argument play no role where it should, so that a number of an example stands in its place?"""
    for i, name in enumerate(names):
        groups: dict[Any, list[tuple[Any, Any, Any]]] = {}
        for (args, yours), (_, good) in zip(mine, right, strict=True):
            groups.setdefault(args[:i] + args[i + 1 :], []).append((args[i], yours, good))
        several = [g for g in groups.values() if len({v for v, _, _ in g}) > 1]
        still = all(len({y for _, y, _ in g}) == 1 for g in several)
        moves = any(len({g for _, _, g in group}) > 1 for group in several)
        if len(several) > 1 and still and moves:
            return f"the result does not change with {name}, and it should: it is left out, or a number of an example is in its place."
    return ""


def conditions(args: tuple[Any, ...], names: tuple[str, ...]) -> dict[str, bool]:
    """Simple facts about an input, in words."""
    facts: dict[str, bool] = {}
    numbers = [(n, v) for n, v in zip(names, args, strict=True) if is_int(v)]
    for name, value in numbers:
        facts[f"{name} = 0"] = value == 0
        facts[f"{name} = 1"] = value == 1
        facts[f"{name} is odd"] = value % 2 == 1
        facts[f"{name} is a power of two"] = value > 0 and value & (value - 1) == 0
        for k in (2, 4, 8, 16, 32):
            facts[f"{name} >= {k}"] = value >= k
            facts[f"{name} is a multiple of {k}"] = value % k == 0
    for i, (one, a) in enumerate(numbers):
        for other, b in numbers[i + 1 :]:
            facts[f"{one} < {other}"] = a < b
            facts[f"{one} = {other}"] = a == b
            facts[f"{one} > {other}"] = a > b
            if a > 0 and b > 0:
                facts[f"{one} is a multiple of {other}"] = a % b == 0
                facts[f"{other} is a multiple of {one}"] = b % a == 0
                facts[f"{one} · {other} >= 32"] = a * b >= 32
    return facts


def _of_condition(mine: Rows, right: Rows, names: tuple[str, ...]) -> str:
    """Is there a fact about the inputs that tells the failing ones from the others?"""
    rows = [(conditions(args, names), yours == good) for (args, yours), (_, good) in zip(mine, right, strict=True)]
    fails = sum(not ok for _, ok in rows)
    if not 1 <= fails < len(rows):
        return ""
    common = set.intersection(*(set(facts) for facts, _ in rows))
    exact = [f for f in _order(rows, common) if all(facts[f] != ok for facts, ok in rows)]
    if exact and fails >= 2:
        return f"this goes wrong exactly where {exact[0]}; everywhere else it is right."
    good = [f for f in _order(rows, common) if all(facts[f] == ok for facts, ok in rows)]
    if good and len(rows) - fails >= 2:
        return f"this is right exactly where {good[0]}; everywhere else it goes wrong."
    only = [f for f in _order(rows, common) if all(facts[f] for facts, ok in rows if not ok)]
    only = [f for f in only if sum(facts[f] for facts, _ in rows) <= len(rows) - 2]
    if only and fails >= 2:
        best = min(only, key=lambda f: sum(facts[f] for facts, _ in rows))
        return f"this goes wrong only where {best}; look at these inputs."
    return ""


def _order(rows: list[tuple[dict[str, bool], bool]], common: set[str]) -> list[str]:
    return [fact for fact in rows[0][0] if fact in common]


def _of_truth(mine: Rows, right: Rows, names: tuple[str, ...]) -> str:
    found = [y for _, y in mine]
    if not all(isinstance(y, bool) for y in found):
        return "this does not return True or False."
    pairs = [(y, g) for y, (_, g) in zip(found, right, strict=True)]
    if all(y != g for y, g in pairs):
        return "True and False have changed places."
    much, less = sum(y and not g for y, g in pairs), sum(g and not y for y, g in pairs)
    way = (
        "this admits too much: it never says False wrongly, but it says True where it must not"
        if not less
        else "this admits too little: it never says True wrongly, but it says False where it must not"
        if not much
        else f"this errs both ways: {much} times True and {less} times False where it is the other"
    )
    fact = _of_condition(mine, right, names)
    return f"{way}; {fact}" if fact else f"{way}."


def _of_tuples(mine: Rows, right: Rows, names: tuple[str, ...], parts: tuple[str, ...]) -> str:
    found, good = [y for _, y in mine], [g for _, g in right]
    width = len(good[0])
    labels = parts or tuple(f"number {i + 1}" for i in range(width))
    if not all(isinstance(y, tuple) for y in found):
        for i, label in enumerate(labels):
            if all(y == g[i] for y, g in zip(found, good, strict=True)):
                return f"this is only the {label}; {width} numbers are asked for: {', '.join(labels)}."
        return f"this returns one thing, and {width} are asked for: {', '.join(labels)}."
    if any(len(y) != width for y in found):
        return f"this returns {len(found[0])} of the {width} that are asked for: {', '.join(labels)}."
    if all(y == g[::-1] for y, g in zip(found, good, strict=True)):
        return f"the order is the other way round: {', then '.join(labels)}."
    if all(sorted(map(str, y)) == sorted(map(str, g)) for y, g in zip(found, good, strict=True)):
        return f"the right entries in another order: {', then '.join(labels)}."
    turned = [tuple(p[::-1] for p in y if isinstance(p, tuple)) for y in found]
    if isinstance(good[0][0], tuple) and turned == good:
        return "in each pair the two numbers have changed places."
    same = [i for i in range(width) if all(y[i] == g[i] for y, g in zip(found, good, strict=True))]
    wrong = [i for i in range(width) if i not in same]
    if not same and all(is_int(v) for y in (*found, *good) for v in y):
        gaps = {a - b for y, g in zip(found, good, strict=True) for a, b in zip(y, g, strict=True)}
        if gaps == {1}:
            return "all of them are one too large: places are counted from 0."
    at = wrong[0]
    if not same:
        hits = [sum(y[i] == g[i] for y, g in zip(found, good, strict=True)) for i in range(width)]
        at = max(range(width), key=lambda i: hits[i])
        if not hits[at]:
            return ""
    one = tuple((args, y[at]) for (args, y) in mine)
    why = ""
    if all(is_int(g[at]) for g in good):
        values = [g[at] for g in good]
        results = [v for _, v in one]
        if any(isinstance(v, Odd) for v in results):
            why = _of_odd(results) if all(isinstance(v, Odd) for v in results) else ""
        else:
            why = _of_numbers(one, values, names)
            why = why or _of_condition(one, tuple((a, v) for (a, _), v in zip(right, values, strict=True)), names)
    if not same:
        return f"the {labels[at]} is right in {hits[at]} of {len(found)} inputs" + (f": {why}" if why else ".")
    listed = " and ".join(labels[i] for i in same)
    tail = f": {why}" if why else "."
    return f"the {listed} {'is' if len(same) == 1 else 'are'} always right, the {labels[at]} is not{tail}"
