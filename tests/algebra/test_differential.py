"""The algebra beside another implementation in Python, tensor-layouts, where that is installed. It is never the truth.

Every disagreement must have one of these explanations, which the oracle decides:
- both results are the same function, or both obey the law (of two modes of one stride either may come first);
- theirs breaks the law;
- ours refuses by a condition that C++ asserts too (divisibility, overlapping modes), because the cotarget is too small, or because
  the result is no inverse or would leave elements out; theirs returns something without a word;
- theirs refuses an extent of 1 that steps unevenly, which is harmless.
"""

import random
from collections import Counter

import pytest
from oracle import at, flat, is_complement, is_composition, is_left_inverse, is_right_inverse, table
from test_random import random_layout

from cutelab import CuteLabError, Layout, algebra, size

theirs = pytest.importorskip("tensor_layouts")

REASONS = (
    "divisibility",
    "does not hold",
    "beyond the next stride",
    "reaches over",
    "is not a multiple of",
    "not injective",
)
REASONS += ("stride 0 puts", "in no tile", "inside the reach", "go evenly")


def law(name, result, args):
    """Does the result obey the law of the operation?"""
    if name == "composition":
        return is_composition(result, *args)
    if name == "complement":
        return is_complement(result, *args)
    if name == "right_inverse":
        return is_right_inverse(result, *args)
    if name == "left_inverse":
        return is_left_inverse(result, *args)
    a, tile = args
    return table(result[0]) == [at(a, i) for i in table(tile)] and set(table(a)) <= set(table(result))


def inputs(name, rng):
    a = random_layout(rng)
    if name == "complement":
        return a, rng.choice([24, 48, 96])
    return (a,) if name.endswith("inverse") else (a, random_layout(rng, 2))


@pytest.mark.parametrize("name", ["composition", "complement", "right_inverse", "left_inverse", "logical_divide"])
def test_every_disagreement_is_explained(name):
    rng, seen = random.Random(name), Counter()
    other = getattr(theirs, {"composition": "compose"}.get(name, name))
    for _ in range(1000):
        args = inputs(name, rng)
        try:
            ours, why = getattr(algebra, name)(*args), ""
        except CuteLabError as error:
            ours, why = None, str(error)
        try:
            found = other(*[theirs.Layout(x.shape, x.stride) if isinstance(x, Layout) else x for x in args])
            found = Layout(found.shape, found.stride)
        except Exception:
            found = None
        if ours == found:
            seen["same"] += 1
        elif ours is None:
            assert any(r in why for r in REASONS), why
            seen["ours refuses"] += 1
        elif found is None:
            assert 1 in flat(args[-1].shape) and law(name, ours, args), args
            seen["theirs refuses"] += 1
        else:
            assert law(name, ours, args), (name, args, ours)
            broken = size(found) != size(ours) or not law(name, found, args)
            seen["theirs breaks the law" if broken else "both hold"] += 1
    assert seen["same"] > 500, seen
