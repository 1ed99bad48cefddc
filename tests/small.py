"""Whole small domains on which laws are proven."""

from collections.abc import Iterator
from itertools import product

from cutelab import Layout

SHAPES = [1, 5, (4,), (2, 3), (3, 1), (4, 4), (2, 2, 2), ((2, 2), 3), (3, (2, 2)), ((2, (2, 1)), 2)]
STRIDES = (0, 1, 2, 3, 8)


def leaves(shape) -> int:
    return sum(map(leaves, shape)) if isinstance(shape, tuple) else 1


def shaped(flat: list[int], shape):
    return tuple(shaped(flat, s) for s in shape) if isinstance(shape, tuple) else flat.pop(0)


def layouts() -> Iterator[Layout]:
    """Every layout whose shape is in SHAPES and whose strides are in STRIDES."""
    for shape in SHAPES:
        for strides in product(STRIDES, repeat=leaves(shape)):
            yield Layout(shape, shaped(list(strides), shape))


def slow_offset(index: int, layout: Layout) -> int:
    """The definition, one leaf after the other: the oracle."""

    def flat(x):
        return [y for v in x for y in flat(v)] if isinstance(x, tuple) else [x]

    offset = 0
    for extent, stride in zip(flat(layout.shape), flat(layout.stride), strict=True):
        offset += index % extent * stride
        index //= extent
    return offset
