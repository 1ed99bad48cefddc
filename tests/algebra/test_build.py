"""append, prepend, replace, nullspace, ordered layouts, profiles, nested swizzles, and layouts found in tables."""

import itertools

import numpy as np
import pytest
from oracle import at, table

from cutelab import (
    ComposedLayout,
    CuteLabError,
    Layout,
    Swizzle,
    append,
    coalesce,
    compact_order,
    complement,
    composition,
    explain,
    filter_layout,
    layout_of,
    left_inverse,
    local_partition,
    make_ordered_layout,
    max_common_layout,
    max_common_vector,
    nullspace,
    offsets,
    prepend,
    replace,
    size,
    slice_and_offset,
)

SHAPES = [(2, 3), (4, 1, 2), ((2, 2), 3), 6]


def small():
    for s, t in itertools.product((1, 2, 3), (2, 4)):
        for d, e in itertools.product((0, 1, 2, 5), (0, 1, 4, 7)):
            yield Layout((s, t), (d, e))


def test_nullspace_goes_to_zero_and_has_the_size_of_the_repetition():
    for a in small():
        n = nullspace(a)
        assert all(at(a, i) == 0 for i in table(n)) and len(set(table(n))) == size(n)
        repeats = np.prod([s for s, d in zip(a.shape, a.stride, strict=True) if d == 0], dtype=int)
        assert size(n) == repeats and nullspace(n) == Layout(1, 0)


def test_modes_are_added_and_replaced():
    for a in (Layout((4, 2)), Layout(6), Layout(((2, 2), 3))):
        more = append(a, Layout(5, 100))
        assert more[len(a)] == Layout(5, 100) and [more[i] for i in range(len(a))] == [a[i] for i in range(len(a))]
        assert prepend(a, Layout(5, 100))[0] == Layout(5, 100)
        assert len(append(a, rank=4)) == 4 and append(a, rank=len(a)) == a
    assert replace(Layout((4, 2)), 1, "3:9") == Layout((4, 3), (1, 9)) and replace(Layout(4), 0, "3:9") == Layout(3, 9)
    for call in (lambda: append(Layout((4, 2)), rank=1), lambda: replace(Layout((4, 2)), 2, Layout(1))):
        with pytest.raises(CuteLabError):
            call()


def test_an_ordered_layout_is_compact_and_ascends_in_its_order():
    for shape in ((4, 6, 2), (2, 3), (5, 2, 2, 3)):
        for order in itertools.permutations(range(len(shape))):
            made = make_ordered_layout(shape, order)
            assert sorted(table(made)) == list(range(size(made)))
            strides = [d for _, d in sorted(zip(order, made.stride, strict=True))]
            assert strides == sorted(strides) and made.stride == compact_order(shape, order)
    with pytest.raises(CuteLabError, match="one integer for each mode"):
        compact_order((2, 3), (1, 2, 3))


def test_a_profile_may_hold_none_or_be_a_layout():
    a = Layout(((2, 2), (2, 2)), ((1, 2), (4, 8)))
    want = Layout((4, 4), (1, 4))
    assert (
        coalesce(a, (None, None)) == coalesce(a, (1, 1)) == coalesce(a, Layout((7, 7))) == coalesce(a, "(3,3)") == want
    )
    assert coalesce(a, None) == Layout(16) and coalesce(a, (None,)) == Layout((4, (2, 2)), (1, (4, 8)))


def test_a_swizzle_comes_after_a_composed_layout_and_before_it():
    inner = composition(Swizzle(1, 1, 3), Layout((8, 8), (8, 1)))
    nested = composition(Swizzle(2, 0, 3), inner)
    assert [nested(i) for i in range(64)] == [Swizzle(2, 0, 3)(inner(i)) for i in range(64)]
    assert composition(nested, (4, None)).inner == composition(inner, (4, None))
    tile = composition(inner, Layout((4, 4), (2, 8)))
    assert [tile(i) for i in range(16)] == [inner(2 * (i % 4) + 8 * (i // 4)) for i in range(16)]


@pytest.mark.parametrize(("bits", "base", "shift"), [(2, 0, 2), (1, 0, 2), (1, 1, 2), (3, 4, 3), (1, 0, 3)])
def test_two_layouts_under_one_swizzle_share_all_that_their_inner_layouts_share(bits, base, shift):
    for inner in (Layout(16), Layout((8, 8), (8, 1)), Layout((4, 8), (8, 1))):
        a = ComposedLayout(Swizzle(bits, base, shift), 0, inner)
        r = max_common_layout(a, a)
        assert [at(a, i) for i in table(r)] == list(range(size(r)))
        if isinstance(inner.shape, int) and size(inner) % (1 << (base + bits)) == 0:
            assert size(r) == max_common_vector(a, a) == max_common_vector(inner, inner)


def test_a_slice_of_a_swizzled_tile_is_the_row_of_its_table():
    tile = ComposedLayout("Sw<3,0,3> o 0 o (8,8):(8,1)")
    for i in range(8):
        kept, offset = slice_and_offset(tile, (i, None))
        assert (offset + offsets(kept)).tolist() == offsets(tile)[i].tolist()
    seen = []
    for thread in range(8):
        part, start = local_partition(tile, Layout((4, 2)), thread)[:2]
        seen += (start + offsets(part)).ravel().tolist()
    assert sorted(seen) == list(range(64))


def test_the_layout_of_a_table_has_exactly_its_offsets():
    for a in small():
        found = layout_of(offsets(a))
        assert table(found) == table(a) and [size(m) for m in found] == [size(m) for m in a]
        line = layout_of(table(a))
        assert table(line) == table(a) and len(line) == len(coalesce(a))
    for bad in ([1, 2], [0, 1, 2, 4], [[0, 1], [2, 4]], [], ["a"], 3, "8:1", [0.5]):
        with pytest.raises(CuteLabError):
            layout_of(bad)


def test_every_small_table_has_a_layout_or_none_at_all():
    """Against all layouts of four elements with strides up to 4: the search finds one exactly when one exists."""
    known = {tuple(table(Layout(4, d))) for d in range(5)}
    known |= {tuple(table(Layout((2, 2), (d, e)))) for d in range(5) for e in range(9)}
    for values in itertools.product([0], *[range(5)] * 3):
        try:
            found = table(layout_of(list(values)))
        except CuteLabError:
            assert values not in known
        else:
            assert tuple(found) == values


def test_explain_says_which_law_does_not_hold_in_cxx():
    text = explain("complement", Layout(4), 2, as_cpp=True)
    assert "Refused: " in text and text.endswith("C++ returns 1:0, for which this law does not hold.")
    text = explain(left_inverse, "4:0", as_cpp=True)
    assert "stride 0 puts 4 elements at one offset" in text and text.endswith(
        "C++ returns 4:0, for which this law does not hold."
    )
    assert explain("complement", "4:2", 24) == explain(complement, Layout(4, 2), 24)
    assert filter_layout("(4,2):(1,0)") == Layout(4)
