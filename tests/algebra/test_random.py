"""100,000 random inputs, each result held to its definition by an oracle that knows nothing of the algebra: none silently wrong.

Results that other tools get wrong without saying so are 0.5 to 5 % of such compositions.
"""

import random
from collections import Counter

import numpy as np
import pytest
from oracle import flat

from cutelab import (
    CuteLabError,
    Layout,
    complement,
    composition,
    flat_divide,
    left_inverse,
    logical_divide,
    logical_product,
    right_inverse,
    size,
    zipped_divide,
)

EXTENTS = [1, 2, 2, 3, 4, 4, 5, 6, 8]
STRIDES = [0, 1, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32]


def values(layout: Layout, index: np.ndarray) -> np.ndarray:
    """The definition with arrays: take the index apart, mode by mode; the last mode goes on."""
    shape, stride = flat(layout.shape), flat(layout.stride)
    total = np.zeros_like(index)
    for i, (s, d) in enumerate(zip(shape, stride, strict=True)):
        index, c = np.divmod(index, s) if i + 1 < len(shape) else (index, index)
        total = total + c * d
    return total


def table(layout: Layout) -> np.ndarray:
    return values(layout, np.arange(size(layout)))


def random_layout(rng: random.Random, most: int = 3) -> Layout:
    """Half of them with strides that fit one another (compact in a random order), half with any strides."""
    rank = rng.randint(1, most)
    shape = [rng.choice(EXTENTS) for _ in range(rank)]
    if rng.random() < 0.5:
        stride, step = [0] * rank, rng.choice([1, 1, 2, 3])
        for i in rng.sample(range(rank), rank):
            stride[i] = step
            step *= shape[i] * rng.choice([1, 1, 1, 2])
    else:
        stride = [rng.choice(STRIDES) for _ in shape]
    if rank == 1:
        return Layout(shape[0], stride[0])
    if rank == 3 and rng.random() < 0.3:
        return Layout((shape[0], tuple(shape[1:])), (stride[0], tuple(stride[1:])))
    return Layout(tuple(shape), tuple(stride))


def wrong_composition(rng):
    a, b = random_layout(rng), random_layout(rng, 2)
    r = composition(a, b)
    return not np.array_equal(table(r), values(a, table(b))), (a, b, r)


def wrong_complement(rng):
    a, cotarget = random_layout(rng), rng.choice([8, 12, 24, 32, 48, 64, 96, 128, rng.randint(1, 128)])
    r = complement(a, cotarget)
    ours, theirs = table(r), np.unique(table(a))
    sums = (ours[:, None] + theirs).ravel()
    wrong = (np.diff(ours) <= 0).any() or ours[0] or ours[-1] >= cotarget or len(np.unique(sums)) < len(sums)
    return bool(wrong), (a, cotarget, r)


def wrong_right_inverse(rng):
    a = random_layout(rng)
    r = right_inverse(a)
    index = table(r)
    return index.max() >= size(a) or not np.array_equal(values(a, index), np.arange(size(r))), (a, r)


def wrong_left_inverse(rng):
    a = random_layout(rng)
    r = left_inverse(a)
    return not np.array_equal(values(r, table(a)), np.arange(size(a))), (a, r)


def wrong_divide(rng):
    a = random_layout(rng)
    tile = rng.choice([rng.choice(EXTENTS), random_layout(rng, 1), random_layout(rng, 2)])
    r = rng.choice([logical_divide, zipped_divide])(a, tile)
    whole = Layout(tile) if isinstance(tile, int) else tile
    good = np.array_equal(table(r[0]), values(a, table(whole))) and np.isin(table(a), table(r)).all()
    return not good, (a, tile, r)


def wrong_divide_by_mode(rng):
    a = random_layout(rng)
    tiler = tuple(rng.choice([None, *EXTENTS]) for _ in range(len(a)))
    r = flat_divide(a, tiler)
    half = len(a)
    want = [size(a[i]) if t is None else t for i, t in enumerate(tiler)]
    tiles = [np.array_equal(table(r[i]), values(a[i], np.arange(n))) for i, n in enumerate(want)]
    rest = [
        np.array_equal(table(r[half + i]), values(a[i], n * np.arange(-(-size(a[i]) // n)))) for i, n in enumerate(want)
    ]
    return not all(tiles + rest), (a, tiler, r)


def wrong_product(rng):
    a, t = random_layout(rng, 2), random_layout(rng, 2)
    r = logical_product(a, t)
    copies, block = np.unique(table(r[1])), np.unique(table(a))
    good = r[0] == a and size(r[1]) == size(t) and len(copies) == len(np.unique(table(t)))
    return not (good and len(np.unique(copies[:, None] + block)) == len(copies) * len(block)), (a, t, r)


KINDS = [
    (wrong_composition, 30_000, 0.25),
    (wrong_complement, 20_000, 0.15),
    (wrong_right_inverse, 10_000, 1.0),
    (wrong_left_inverse, 10_000, 0.2),
    (wrong_divide, 8_000, 0.2),
    (wrong_divide_by_mode, 12_000, 0.4),
    (wrong_product, 10_000, 0.2),
]


def draw(kind, count, least, seed):
    rng, seen = random.Random(seed), Counter()
    for _ in range(count):
        try:
            wrong, what = kind(rng)
        except CuteLabError:
            seen["refused"] += 1
            continue
        assert not wrong, what
        seen["right"] += 1
    assert seen["right"] >= least * count, f"too much is refused: {seen}"


@pytest.mark.parametrize(("kind", "count", "least"), KINDS, ids=lambda k: getattr(k, "__name__", ""))
def test_no_random_result_is_silently_wrong(kind, count, least):
    """A hundredth of them; all 100,000 are drawn by the long tests."""
    draw(kind, count // 100, 0.6 * least, f"{kind.__name__} again")


@pytest.mark.long
@pytest.mark.parametrize(("kind", "count", "least"), KINDS, ids=lambda k: getattr(k, "__name__", ""))
def test_no_random_result_of_a_hundred_thousand_is_silently_wrong(kind, count, least):
    draw(kind, count, least, kind.__name__)


def test_the_kinds_are_a_hundred_thousand():
    assert sum(count for _, count, _ in KINDS) == 100_000
