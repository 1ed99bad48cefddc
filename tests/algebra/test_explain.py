"""The texts of explain: right numbers, every operation, and where it fails."""

import pytest

from cutelab import (
    Layout,
    Swizzle,
    algebra,
    complement,
    composition,
    explain,
    left_inverse,
    max_common_vector,
    parse_layout,
    raked_product,
    recast_layout,
    tile_to_shape,
    zipped_divide,
)
from cutelab.algebra.explain import OPERATIONS

A = Layout((8, 8), (8, 1))
TILE = composition(Swizzle(3, 0, 3), A)
ARGUMENTS = {
    "group_modes": (A, 0, 2),
    "select": (A, 1),
    "recast_layout": (A, 16, 32),
    "upcast": (A, 2),
    "downcast": (A, 2),
    "complement": (A, 128),
    "tile_to_shape": (A, (16, 16)),
    "composition": (A, Layout((4, 2), (8, 1))),
    "blocked_product": (A, Layout((2, 2))),
    "raked_product": (A, Layout((2, 2))),
    "max_common_layout": (A, A),
    "max_common_vector": (A, A),
    **{f"{k}_divide": (A, (4, 2)) for k in ("logical", "zipped", "tiled", "flat")},
    **{f"{k}_product": (A, (4, 2)) for k in ("logical", "zipped", "tiled", "flat")},
}


def test_every_operation_is_explained():
    built = {"append", "prepend", "replace", "nullspace", "make_ordered_layout", "compact_order", "layout_of"}
    assert set(OPERATIONS) == set(algebra.__all__) - {"explain"} - built


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_the_text_ends_with_the_result(name):
    args = ARGUMENTS.get(name, (A,))
    result = getattr(algebra, name)(*args)
    text = explain(name, *args)
    assert text == explain(getattr(algebra, name), *args)
    assert f"Result R = {result}." in text and "Refused" not in text
    assert text.splitlines()[0].startswith((name, "The longest"))
    composed = explain(name, TILE, *args[1:])
    assert "Result R = " in composed and str(TILE) in composed


def test_composition_shows_where_it_fails():
    text = explain(composition, Layout((8, 8), (1, 9)), Layout(5, 3))
    assert (
        "Here the compiler stops: 5 elements 3 apart meet the mode 8:1 of A: 3 fit in, and 3 does not divide 5" in text
    )
    assert "Divisibility is enough for a layout to exist, and not necessary; here there is none" in text
    assert text.splitlines()[-1].startswith("Refused: ") and "3:3" in text
    text = explain(composition, Layout((8, 8), (1, 9)), Layout(8, 9))
    assert "not necessary: here the numbers are those of 8:10. Write that." in text
    text = explain(composition, Layout((4, 6, 8), (2, 3, 5)), Layout(6, 3))
    assert "3 does not divide 4: what follows is out of step, and C++ does not notice." in text
    assert "A(6) = 7" in text.splitlines()[-1]


def test_what_remains_is_a_quotient_and_the_walk_ends_where_nothing_does():
    text = explain(composition, Layout((8, 8), (1, 9)), Layout(64))
    assert "Take 8 of 64, stride 1*1 = 1; 64 / 8 = 8 times these, in steps of 1." in text
    assert "A's last mode 8:9: take all 8, stride 1*9 = 9." in text
    text = explain(composition, Layout((8, 8, 8), (1, 9, 81)), Layout(3))
    assert text.count("A's") == 1 and "3 / 3 = 1: done." in text and "left" not in text


def test_composition_beyond_the_size_says_so():
    text = explain(composition, Layout((8, 8), (1, 9)), Layout(128))
    assert "B reaches index 127, A has 64: the last mode of A goes on beyond its size, as in CuTe." in text
    assert "call A = (8,16):(1,9)." in text


def test_complement_names_the_gaps():
    text = explain(complement, Layout((2, 2), (1, 6)), 24)
    assert "Mode 2:6: below stride 6 there is room 6 / 2 = 3 times: 3:2." in text
    assert "Above 12: ceil(24 / 12) = 2 times: 2:12." in text
    assert "the two overlap" in explain(complement, Layout((4, 4), (1, 2)), 64)


def test_divides_and_products_go_through_complement_and_composition():
    text = explain(zipped_divide, Layout((128, 128)), (4, None))
    assert "Above 4: ceil(128 / 4) = 32 times: 32:4." in text and "Mode 1: kept whole." in text
    text = explain(raked_product, Layout((2, 2), (4, 1)), Layout(6))
    assert "Room for the copies: size(A) * cosize(T) = 4 * 6 = 24 offsets." in text
    assert "Both get 2 modes: A = (2,2):(4,1), T = (6,1):(1,0)." in text
    text = explain(tile_to_shape, A, (16, 32), (2, 1))
    assert "Copies along each mode: (16,32) / (8,8) = (2,4)" in text and "T = (2,4):(4,1)" in text


def test_inverses_vectors_and_recasts():
    assert "stride 3 lies below 4, where the mode 2:2 ends." in explain(left_inverse, Layout((2, 2), (2, 3)))
    text = explain(left_inverse, Layout((2, 2), (2, 5)))
    assert "stride 5 is not a multiple of 2, the stride of the mode 2:2 before it." in text
    assert "Its first mode is 8:1, so 8 elements run along together." in explain(
        max_common_vector, Layout((8, 8), (1, 9)), Layout((8, 8))
    )
    assert "moves runs of 2^0 = 1 elements" in explain(max_common_vector, TILE, A)
    text = explain(recast_layout, A, 16, 24)
    assert "24/16 = 3/2" in text and "Refused" in text
    assert "8:8: stride 8 / 2 = 4. 8:4" in explain(recast_layout, A, 16, 32)


def test_a_result_too_large_to_check_everywhere_is_sampled_at_the_same_coordinates():
    text = explain("coalesce", parse_layout("(2147483647,2147483647)"))
    assert "4611686014132420609:1" in text
