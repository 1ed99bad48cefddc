"""The definitions, one element after the other, in plain Python: the oracle of the algebra's tests."""

from collections.abc import Iterable
from itertools import pairwise, product
from typing import Any

from cutelab import ComposedLayout, Layout, Swizzle, size


def flat(x: Any) -> list[int]:
    if not isinstance(x, tuple):
        return [x]
    found: list[int] = []
    for v in x:
        if isinstance(v, tuple):
            found += flat(v)
        else:
            found.append(v)
    return found


def images(f: Any, indices: Iterable[int]) -> list[int]:
    """The offsets of 1-D indices; beyond the size the last mode goes on."""
    if isinstance(f, Swizzle):
        return [f(i) for i in indices]
    if isinstance(f, ComposedLayout):
        return images(f.outer, [f.offset + i for i in images(f.inner, indices)])
    *modes, (_, last) = zip(flat(f.shape), flat(f.stride), strict=True)
    found = []
    for index in indices:
        offset = 0
        for s, d in modes:
            offset += index % s * d
            index //= s
        found.append(offset + index * last)
    return found


def at(f: Any, index: int) -> int:
    """The offset of one 1-D index."""
    return images(f, [index])[0]


def table(f: Any) -> list[int]:
    return images(f, range(size(f)))


def compatible(a: Any, b: Any) -> bool:
    """Is every coordinate of shape a one of shape b?"""
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(compatible, a, b))
    total = 1
    for s in flat(b):
        total *= s
    return a == total


def is_composition(r: Any, a: Any, b: Any) -> bool:
    return compatible(b.shape, r.shape) and table(r) == images(a, table(b))


def is_complement(r: Layout, a: Layout, cotarget: int) -> bool:
    """Ordered, disjoint and bounded; and copies of A at R never meet. What they leave out is padding between A's strides."""
    ours, theirs = table(r), sorted(set(table(a)))
    ordered = all(x < y for x, y in pairwise(ours)) and ours[0] == 0
    disjoint = not (set(ours) & set(theirs)) - {0}
    sums = [x + y for x, y in product(ours, theirs)]
    return (
        ordered
        and disjoint
        and ours[-1] < cotarget
        and (_padded(a) or len(ours) * len(theirs) >= cotarget)
        and len(set(sums)) == len(sums)
    )


def _padded(a: Layout) -> bool:
    """Does one of the ascending strides not go into the next?"""
    last = 1
    for d, s in sorted(zip(flat(a.stride), flat(a.shape), strict=True)):
        if d and s > 1:
            if d % last:
                return True
            last = d * s
    return False


def is_right_inverse(r: Any, a: Any) -> bool:
    """A(R(i)) = i, and no longer one begins at the same place: nothing in A has the next offset, or R is 1:0."""
    back = table(r)
    return images(a, back) == list(range(len(back))) and max(back) < size(a)


def is_left_inverse(r: Any, a: Any) -> bool:
    there = table(a)
    return images(r, there) == list(range(len(there)))


def covers(r: Layout, a: Layout) -> bool:
    """Does a divide reach every element of A, and beyond its last element only by whole tiles?"""
    return set(table(a)) <= set(table(r))
