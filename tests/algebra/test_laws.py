"""The laws of the algebra at every coordinate, over whole small domains, against the definitions in oracle.py."""

from collections import Counter
from itertools import product
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import at, compatible, images, is_complement, is_composition, is_left_inverse, is_right_inverse, table
from small import layouts

from cutelab import (
    ComposedLayout,
    CuteLabError,
    Layout,
    Swizzle,
    blocked_product,
    coalesce,
    complement,
    composition,
    cosize,
    downcast,
    filter_layout,
    filter_zeros,
    flat_divide,
    flat_product,
    flatten,
    group_modes,
    left_inverse,
    logical_divide,
    logical_product,
    max_common_layout,
    max_common_vector,
    offsets,
    raked_product,
    rank,
    recast_layout,
    right_inverse,
    select,
    size,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    upcast,
    zipped_divide,
    zipped_product,
)

ALL = list(layouts())
SMALL = [Layout(s, d) for s in ((4,), (2, 3), (4, 2), (2, 2, 3)) for d in product((0, 1, 2, 4, 6), repeat=len(s))]
TILERS = [Layout(s, d) for s in (2, 3, 4, 6, 8) for d in (0, 1, 2, 3, 4)]
TILERS += [Layout(s, d) for s in ((2, 2), (2, 3), (4, 2)) for d in product((1, 2, 3, 6, 8), repeat=2)]


def tried(operation, *args):
    """The result, or None where the operation refuses."""
    try:
        return operation(*args)
    except CuteLabError as error:
        assert str(error)
        return None


def test_coalesce_and_filter_keep_the_function():
    for layout in ALL:
        assert table(coalesce(layout)) == table(layout)
        assert set(table(filter_layout(layout))) == set(table(layout))
        zeros = filter_zeros(layout)
        assert compatible(layout.shape, layout.shape) and set(table(zeros)) == set(table(layout))


def test_coalesce_by_profile_keeps_each_mode():
    for layout in ALL:
        small = coalesce(layout, (1,) * rank(layout))
        assert rank(small) == rank(layout) and table(small) == table(layout)
        for i in range(rank(layout)):
            assert table(small[i]) == table(layout[i]) and small[i] == coalesce(layout[i])


def test_composition_is_a_after_b_for_every_small_pair():
    count = Counter()
    for a in SMALL:
        for b in TILERS:
            r = tried(composition, a, b)
            count[r is None] += 1
            assert r is None or is_composition(r, a, b), f"{a} o {b} = {r}"
    assert min(count.values()) > 1000, "many pairs are admissible, and many are not"


def test_composition_refuses_only_what_has_no_even_step():
    """Where A has one mode, or B steps through A's modes by whole multiples, nothing is refused."""
    for a in (Layout(8, 3), Layout((4, 2), (2, 8)), Layout((4, 4), (1, 4))):
        for b in TILERS:
            assert tried(composition, a, b) is not None
    for steps in (1, 2, 4, 8, 16, 24):
        for extent in (1, 2, 4, 8):
            assert tried(composition, Layout((4, 2, 8), (5, 3, 1)), Layout(extent, steps)) is not None


def test_complement_is_ordered_disjoint_and_bounded():
    for a in [*SMALL, *TILERS]:
        for cotarget in (1, 2, 7, 8, 12, 16, 24, 30, 48):
            r = tried(complement, a, cotarget)
            assert r is None or is_complement(r, a, cotarget), f"complement({a}, {cotarget}) = {r}"
            if r is None and cotarget >= cosize(a):
                assert not _divides_evenly(a, cotarget), f"complement({a}, {cotarget}) was refused"
    assert complement("(4,8):(1,5)") == Layout(1, 0) and complement(Layout((8, 8), (1, 9)), 288) == Layout(4, 72)


def _divides_evenly(a: Layout, cotarget: int) -> bool:
    """Does each stride go into the next, and the last into the cotarget?"""
    kept = flatten(filter_layout(a))
    shape, stride = ([x] if isinstance(x, int) else list(x) for x in (kept.shape, kept.stride))
    last = 1
    for d, s in sorted(zip(stride, shape, strict=True)):
        if d and (d < last or d % last):
            return False
        last = d * s or last
    return cotarget % last == 0


def test_right_inverse_comes_back_from_every_offset_as_far_as_possible():
    for a in [*ALL, *SMALL]:
        r = right_inverse(a)
        assert is_right_inverse(r, a), f"right_inverse({a}) = {r}"
        stop = size(r)  # no single mode of A goes on at this offset
        flat = coalesce(a)
        strides = flat.stride if isinstance(flat.stride, tuple) else (flat.stride,)
        assert stop not in strides or stop == 1


def test_left_inverse_exists_only_for_injective_layouts():
    for a in [*ALL, *SMALL]:
        r = tried(left_inverse, a)
        injective = len(set(table(a))) == size(a)
        assert r is None or (injective and is_left_inverse(r, a)), f"left_inverse({a}) = {r}"
        if r is None and injective:
            assert not _divides_evenly(a, cosize(a) * 10**6), "an injective layout with strides that divide has one"


@pytest.mark.long
def test_divide_by_a_layout_is_a_after_tile_and_rest():
    found = Counter()
    for n, a in enumerate(SMALL):
        others = (zipped_divide, tiled_divide, flat_divide) if n % 7 == 0 else ()
        for tile in TILERS if n % 2 == 0 or others else ():
            whole = tried(logical_divide, a, tile)
            divided = [tried(divide, a, tile) for divide in others]
            if whole is None:
                assert not any(divided), "what the one refuses, all refuse"
                continue
            found[len(others)] += 1
            there = table(whole)
            for one in divided:
                assert one is not None and table(one) == there
            assert table(whole[0]) == images(a, table(tile))
            assert set(table(a)) <= set(there), f"{a} / {tile} = {whole} leaves elements out"
    assert min(found.values()) > 250 and len(found) == 2


def test_divide_by_mode_divides_each_mode():
    a = Layout((8, 12, 2), (1, 9, 200))
    for m, n in product((2, 4, 8, Layout(2, 4), None), (3, 6, Layout((2, 2), (1, 6)), None)):
        r = logical_divide(a, (m, n))
        for i, t in enumerate((m, n)):
            assert r[i] == (a[i] if t is None else logical_divide(a[i], t))
        assert r[2] == a[2]
        z = zipped_divide(a, (m, n))
        assert rank(z) == 2 and rank(z[0]) == 2 and rank(z[1]) == 3
        for c, t in enumerate((m, n)):
            assert z[0][c] == (a[c] if t is None else r[c][0])
            assert z[1][c] == (Layout(1, 0) if t is None else r[c][1])
        assert tiled_divide(a, (m, n)) == Layout((z.shape[0], *z.shape[1]), (z.stride[0], *z.stride[1]))
        assert flat_divide(a, (m, n)) == Layout((*z.shape[0], *z.shape[1]), (*z.stride[0], *z.stride[1]))
        assert sorted(table(z)) == sorted(table(a))


def test_none_keeps_the_whole_mode():
    a = Layout((8, 6), (6, 1))
    assert logical_divide(a, (None, 3))[0] == a[0] and composition(a, (None, 3)) == Layout((8, 3), (6, 1))
    assert str(zipped_divide(a, (None, 3))) == "((8,3),(1,2)):((6,1),(0,3))"
    assert logical_product(a, (None, None)) == a
    assert str(zipped_product(Layout((2, 3), (3, 1)), (None, 4))) == "((2,3),(1,4)):((3,1),(0,3))"


@pytest.mark.long
def test_product_repeats_the_block_without_overlap():
    found = 0
    for block, tiler in product(SMALL[::2], TILERS[::2]):
        whole = tried(logical_product, block, tiler)
        others = [tried(multiply, block, tiler) for multiply in (zipped_product, tiled_product, flat_product)]
        if whole is None:
            assert not any(others), "what the one refuses, all refuse"
            continue
        found += 1
        there = table(whole)
        for one in others:
            assert one is not None and table(one) == there
        assert whole[0] == block and compatible(tiler.shape, whole[1].shape)
        copies = [frozenset(b + o for b in set(table(block))) for o in sorted(set(table(whole[1])))]
        assert len(frozenset().union(*copies)) == sum(map(len, copies)), f"{block} x {tiler} overlaps"
        assert len(set(table(whole[1]))) == len(set(table(tiler)))
    assert found > 500


def test_blocked_and_raked_products_are_the_product_with_other_brackets():
    for block in (Layout((2, 3)), Layout((2, 3), (3, 1)), Layout(4, 2), Layout(((2, 2), 2))):
        for tiler in (Layout((2, 2)), Layout((2, 2), (2, 1)), Layout((2, 2, 2)), Layout(2)):
            whole = tried(logical_product, block, tiler)
            blocked = tried(blocked_product, block, tiler)
            if blocked is None:
                assert whole is None
                continue
            raked, n = raked_product(block, tiler), max(rank(block), rank(tiler))
            assert rank(blocked) == rank(raked) == n
            for i in range(n):
                assert (blocked[i][0], blocked[i][1]) == (raked[i][1], raked[i][0])
                assert blocked[i][0] == (block[i] if i < rank(block) else Layout(1, 0))
            assert sorted(table(blocked)) == sorted(table(raked)) == sorted(table(whole))


def test_tile_to_shape_has_the_sizes_of_the_shape_and_whole_blocks():
    for order in (None, (1, 2), (2, 1)):
        r = tile_to_shape(Layout((4, 8), (8, 1)), (8, (4, 8)), order)
        assert [size(m) for m in (r[0], r[1])] == [8, 32] and sorted(table(r)) == list(range(256))
        grid = offsets(r)
        assert (grid[:4, :8] == offsets(Layout((4, 8), (8, 1)))).all()
        first = grid[4, 0] if order in (None, (1, 2)) else grid[0, 8]
        assert first == 32


def test_max_common_layout_is_contiguous_in_both():
    for a in SMALL[::3]:
        for b in SMALL[::4]:
            r = tried(max_common_layout, a, b)
            if r is None:
                continue
            assert max_common_vector(a, b) == size(r)
            index = table(r)
            assert images(a, index) == images(b, index) == list(range(size(r)))


def test_max_common_vector_needs_more_than_equal_inverses():
    """A published formula, max{k : A_inv(k) = B_inv(k)}, would give 8 here; only one element runs along."""
    a, b = Layout((2, 2, 2), (1, 2, 4)), Layout((2, 2, 2), (2, 1, 4))
    assert max_common_vector(a, b) == 1
    assert [k for k in range(8) if at(right_inverse(a), k) == at(right_inverse(b), k)] == [0, 3, 4, 7]


def test_max_common_vector_under_a_swizzle_is_a_run_of_the_swizzle():
    plain = Layout((64, 8))
    tile = composition(Swizzle(3, 3, 3), plain)
    assert max_common_vector(tile, plain) == max_common_vector(plain, tile) == 8
    assert max_common_vector(tile, tile) == 512
    shifted = ComposedLayout(Swizzle(3, 3, 3), 2, plain)
    assert max_common_vector(shifted, plain) == 2


def test_upcast_puts_each_element_into_its_unit():
    for a in [*ALL, *SMALL]:
        for n in (1, 2, 3, 4):
            r = tried(upcast, a, n)
            if r is None:
                continue
            units = set(table(r))
            assert {o // n for o in table(a)} == units or size(r) > 0
            assert {o // n for o in table(a)} <= units


def test_downcast_then_upcast_comes_back():
    for a in [*ALL, *SMALL]:
        for n in (2, 4):
            r = tried(downcast, a, n)
            if r is None:
                continue
            assert sorted(table(r)) == sorted(o * n + k for o in table(a) for k in range(n))
            assert upcast(r, n) == a


def test_recast_of_a_swizzled_layout_is_the_same_memory():
    tile = composition(Swizzle(3, 3, 3), Layout((8, 64), (64, 1)))
    fine = recast_layout(tile, 16, 8)
    for row, column in product(range(8), range(64)):
        assert [fine(row, 2 * column + k) for k in (0, 1)] == [2 * tile(row, column) + k for k in (0, 1)]
    coarse = recast_layout(tile, 16, 128)
    for row, column in product(range(8), range(0, 64, 8)):
        assert coarse(row, column // 8) * 8 == tile(row, column)
    assert recast_layout(Swizzle(3, 3, 3), 16, 16) == Swizzle(3, 3, 3)


def test_upcast_of_a_swizzle_moves_whole_units():
    for bits, base, shift, n in product((0, 1, 2, 3), (0, 1, 3), (-3, 3, 4), (1, 2, 4, 16)):
        swizzle = Swizzle(bits, base, shift)
        up = tried(upcast, swizzle, n)
        if up is None:
            assert shift < 0 and 1 << base < n
            continue
        assert all(up(x // n) == swizzle(x) // n for x in range(1024))
        down = downcast(swizzle, n)
        assert all(down(x) == swizzle(x // n) * n + x % n for x in range(1024))


def test_group_and_select_keep_the_modes():
    a = Layout((2, 3, 5, 7), (1, 2, 6, 30))
    for begin, end in product(range(4), range(1, 5)):
        if begin < end:
            assert table(group_modes(a, begin, end)) == table(a) and flatten(group_modes(a, begin, end)) == a
    assert select(a, 3, 1) == Layout((7, 3), (30, 2))


def test_layout_after_swizzle_equals_its_definition_or_is_refused():
    found = 0
    for a in [
        Layout(64),
        Layout((8, 8), (8, 1)),
        Layout(32, 8),
        Layout((8, 8), (1, 16)),
        Layout((8, 8), (1, 9)),
        Layout(8, 3),
    ]:
        for bits, base, shift in product((0, 1, 2, 3), (0, 1), (-3, 3, 4)):
            swizzle = Swizzle(bits, base, shift)
            r = tried(composition, a, swizzle)
            if r is not None:
                found += 1
                assert table(r) == [at(a, swizzle(i)) for i in range(size(a))]
    assert found > 60


def test_inverses_of_swizzled_layouts():
    for inner in (Layout((8, 8), (8, 1)), Layout(64), Layout((8, 8))):
        tile = composition(Swizzle(3, 0, 3), inner)
        assert is_right_inverse(right_inverse(tile), tile) and is_left_inverse(left_inverse(tile), tile)


LEAF = st.sampled_from([1, 2, 3, 4, 5, 6, 8, 12, 16])
SHAPES = st.recursive(LEAF, lambda s: st.lists(s, min_size=1, max_size=3).map(tuple), max_leaves=5)
STRIDE = st.sampled_from([0, 1, 2, 3, 4, 6, 8, 9, 12, 16, 24, 32, 48, 64, 65])


@st.composite
def any_layouts(draw, limit=512):
    shape = draw(SHAPES.filter(lambda s: size(s) <= limit))

    def strides(s):
        return tuple(map(strides, s)) if isinstance(s, tuple) else draw(STRIDE)

    return Layout(shape, None if draw(st.booleans()) else strides(shape))


@settings(max_examples=150, deadline=None)
@given(any_layouts(), any_layouts())
def test_larger_compositions_divides_and_products_hold(a, b):
    r = tried(composition, a, b)
    assert r is None or is_composition(r, a, b)
    d = tried(logical_divide, a, b)
    if d is not None:
        assert table(d[0]) == images(a, table(b)) and set(table(a)) <= set(table(d))
    if size(a) * size(b) <= 2048:
        p = tried(logical_product, a, b)
        assert p is None or (p[0] == a and len(set(table(p))) == len(set(table(a))) * len(set(table(b))))


@settings(max_examples=150, deadline=None)
@given(any_layouts())
def test_larger_inverses_and_complements_hold(a):
    assert is_right_inverse(right_inverse(a), a)
    left = tried(left_inverse, a)
    assert left is None or is_left_inverse(left, a)
    for cotarget in (cosize(a), 2 * cosize(a), 1024):
        if len(set(table(a))) <= 256 and cotarget <= 4096:
            r = tried(complement, a, cotarget)
            assert r is None or is_complement(r, a, cotarget)


def test_a_checked_composition_of_4096_elements_takes_less_than_a_millisecond():
    a, b = Layout((64, 64), (64, 1)), Layout(((4, 16), (8, 8)), ((1, 4), (64, 512)))
    times = []
    for _ in range(50):
        begin = process_time()
        for _ in range(5):
            composition(a, b)
        times.append((process_time() - begin) / 5)
    assert min(times) < 1e-3
