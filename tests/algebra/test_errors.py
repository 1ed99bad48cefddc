"""Bad input is refused with the rule, the numbers and what would work; nothing else ever reaches a user."""

import itertools
import re
import time

import pytest
from oracle import at, compatible, is_composition, table

from cutelab import (
    ComposedLayout,
    CuteLabError,
    Layout,
    Swizzle,
    algebra,
    blocked_product,
    coalesce,
    complement,
    composition,
    cosize,
    downcast,
    explain,
    extended,
    group_modes,
    left_inverse,
    logical_divide,
    logical_product,
    max_common_vector,
    offsets,
    recast_layout,
    right_inverse,
    select,
    size,
    tile_to_shape,
    upcast,
    zipped_divide,
)

A = Layout((8, 8), (1, 9))
DEEP = 4
for _ in range(40):
    DEEP = (DEEP,)

CASES = {
    "the first coordinate that differs": (lambda: composition(Layout((4, 6, 8), (2, 3, 5)), Layout(6, 3)), "coordinate 2 .* 3, but .* A\\(6\\) = 7.*2:3, 6:2, 6:4"),
    "modes that carry together": (lambda: composition(Layout((4, 4), (1, 8)), Layout((2, 3), (3, 1))), "coordinate \\(1,1\\).*A\\(4\\) = 8.*add up across"),
    "stride divisibility": (lambda: composition(A, Layout(4, 12)), "12 is neither a multiple of 8.*4:8, 4:16"),
    "shape divisibility": (lambda: composition(A, Layout(9)), "8 does not divide 9.*8:1"),
    "negative index": (lambda: composition(A, Layout(4, -1)), "index -3 is outside .*strides of 0 or more"),
    "text of no layout": (lambda: composition("8:", A), "expected a stride"),
    "text of a swizzle as a tiler": (lambda: zipped_divide(A, "Sw<1,0,1> o 0 o 4:1"), "without a swizzle"),
    "number instead of a layout": (lambda: right_inverse(5), "must be a Layout, got 5"),
    "tiler of the wrong rank": (lambda: zipped_divide(A, (4, 4, 4)), "3 modes for .* which has 2; give 1 to 2"),
    "empty tiler": (lambda: zipped_divide(A, ()), "give 1 to 2"),
    "tile of zero": (lambda: zipped_divide(A, (4, 0)), "holds 0; a tile has 1 element or more"),
    "negative tile": (lambda: logical_divide(A, -4), "holds -4"),
    "tile of a fraction": (lambda: logical_divide(A, 2.5), "got 2.5"),
    "None for the whole tiler": (lambda: logical_divide(A, None), "a tiler is a Layout"),
    "truth for a tile": (lambda: logical_divide(A, (True, 2)), "got True"),
    "a tile that leaves elements out": (lambda: logical_divide(Layout(20), Layout((2, 2), (2, 5))), "elements 4 to 4 would be in no tile; use a stride of 4 or 8"),
    "a tile that does not fit": (lambda: zipped_divide(A, 6), "tile 6:1 \\(but by 4:1 or 8:1\\).*A\\(8\\) = 9"),
    "copies that do not fit": (lambda: logical_product(Layout(4, 2), 3), "free offsets.*2 does not divide 3"),
    "cotarget smaller than the layout": (lambda: complement(Layout(4, 2), 5), "reaches over 7; use a cotarget of 7 or more"),
    "cotarget that is overrun": (lambda: complement(Layout(4, 2), 9), "reaches over 10 .*8 or 16"),
    "cotarget of zero": (lambda: complement(Layout(4), 0), "holds 0; use 1 or more"),
    "cotarget of text": (lambda: complement(Layout(4), "x"), "is a name"),
    "cotarget of a fraction": (lambda: complement(Layout(4), 2.5), "cotarget must be an integer"),
    "overlapping modes": (lambda: complement(Layout((4, 4), (1, 2)), 64), "reaches up to 4, beyond the next stride 2"),
    "complement of negative strides": (lambda: complement(Layout(4, -1), 8), "stride -1 is negative"),
    "left inverse of a repetition": (lambda: left_inverse(Layout((4, 4), (0, 1))), "stride 0 puts 4 elements at one offset"),
    "left inverse of two at one offset": (lambda: left_inverse(Layout((4, 4), (1, 2))), "indices 2 and 4 both have offset 2"),
    "left inverse of uneven strides": (lambda: left_inverse(Layout((2, 2), (2, 5))), "5 is not a multiple of .* 2 .*use 6"),
    "left inverse of negative strides": (lambda: left_inverse(Layout(4, -1)), "negative"),
    "inverse of an offset": (lambda: right_inverse(ComposedLayout(Swizzle(1, 0, 1), 1, Layout(4))), "offset 0"),
    "swizzle after a swizzle through a layout": (lambda: composition(ComposedLayout(Swizzle(1, 0, 1), 0, A), Swizzle(1, 0, 1)), "does not hold"),
    "swizzle through a layout": (lambda: composition(A, Swizzle(3, 0, 3)), "same number.*Put the swizzle after"),
    "swizzle of no layout": (lambda: composition(Swizzle(1, 0, 1), 4), "comes after a Layout"),
    "right side with an offset": (lambda: composition(A, ComposedLayout(Swizzle(1, 0, 1), 4, A)), "offset 0 on the right, got 4"),
    "upcast of stride 3": (lambda: upcast(Layout(8, 3), 2), "stride 3 neither divides 2"),
    "upcast by zero": (lambda: upcast(A, 0), "1 or more, got 0"),
    "upcast that merges": (lambda: upcast(Layout((2, 2), (1, 1)), 2), "does not hold"),
    "downcast without neighbours": (lambda: downcast(Layout((4, 8), (2, 8)), 4), "no mode has stride 1"),
    "upcast of a swizzle by 3": (lambda: upcast(Swizzle(3, 4, 3), 3), "power of two"),
    "element of no bits": (lambda: recast_layout(A, 0, 8), "1 bit or more"),
    "profile too long": (lambda: coalesce(A, (1, 1, 1)), "has 3 modes.*at most 2"),
    "modes out of order": (lambda: group_modes(A, 1, 1), "0 <= begin < end <= 2"),
    "mode that is not there": (lambda: select(A, 2), "modes 0 to 1, not 2"),
    "no mode": (lambda: select(A), "at least one"),
    "block that does not divide": (lambda: tile_to_shape(A, (16, 20)), "do not divide 20 .* multiple of 8"),
    "shape of too few modes": (lambda: tile_to_shape(A, 64), "at least 2 modes"),
    "order of too few modes": (lambda: tile_to_shape(Layout((8, 8)), (16, 16), (1,)), "one integer for each of the 2 modes"),
    "copies by a number": (lambda: blocked_product(A, 4), "repeats over a Layout"),
    "common vector of different sizes": (lambda: max_common_vector(Layout(1, 1), Layout(8)), "a has only 1 elements"),
    "common vector that is not admissible": (lambda: max_common_vector(Layout((6, 2), (2, 1)), Layout((8, 8), (1, 9))), "no common vector"),
    "offsets beyond 2^63": (lambda: composition(Layout((2, 2), (1, 2**62)), Layout(16)), "2\\^63"),
    "copies beyond 2^63": (lambda: logical_product(Layout(2**31), Layout(2**40)), "below 2\\^63"),
    "tile beyond 2^63": (lambda: composition(Layout(8), 2**70), "below 2\\^63"),
    "forty levels of tiler": (lambda: zipped_divide(Layout(4), DEEP), "."),
    "forty levels of cotarget": (lambda: complement(Layout(4), DEEP), "levels deep"),
    "unknown operation": (lambda: explain("divide", A), "explain knows blocked_product, .*zipped_divide"),
    "wrong number of arguments": (lambda: explain(composition, A), "composition\\(lhs, rhs\\)"),
    "explain of text": (lambda: explain(composition, A, "4:"), "expected a stride"),
    "explain of a fraction": (lambda: explain(composition, A, 2.5), "got 2.5"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_refusals_say_the_rule_the_numbers_and_the_remedy(name):
    action, text = CASES[name]
    begin = time.perf_counter()
    with pytest.raises(CuteLabError, match=text):
        action()
    assert time.perf_counter() - begin < 1, "a refusal must not take longer than the result would"


NONSENSE = [None, True, 0, -1, 2.5, "x", (), (1, (2,)), [3], {}, Layout(1), Layout((2, 2), (0, -1)), Swizzle(1, 0, 1)]
NONSENSE += [
    ComposedLayout(Swizzle(1, 0, 1), 3, Layout(4)),
    ComposedLayout(Layout(2), 0, Layout(4)),
    2**70,
    DEEP,
    (None,),
]


@pytest.mark.parametrize("name", [n for n in algebra.__all__ if n != "explain"])
def test_no_argument_gives_anything_but_a_result_or_a_cute_lab_error(name):
    operation = getattr(algebra, name)
    counts = {
        "coalesce": (1, 2),
        "complement": (1, 2),
        "tile_to_shape": (2, 3),
        "recast_layout": (3,),
        "group_modes": (3,),
    }
    counts |= {"append": (1, 2, 3), "prepend": (1, 2, 3), "replace": (3,)}
    one = ("right_inverse", "left_inverse", "filter_zeros", "nullspace", "layout_of")
    for n in counts.get(name, (1,) if name in one else (1, 2) if name in ("filter_layout", "select") else (2,)):
        for first, other in itertools.product(NONSENSE, NONSENSE if n > 1 else NONSENSE[:1]):
            for args in [(first, other, 8)[:n]]:
                for call in (lambda args=args: operation(*args), lambda args=args: explain(name, *args)):
                    try:
                        call()
                    except CuteLabError as error:
                        assert len(str(error)) > 10


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Layout((2**20, 2**20), (2**20, 1)), Layout((2**20, 2**20), (2**20, 1))),
        (Layout((2**20, 3, 2**20)), Layout((3 * 2**20, 2**10))),
        (Layout((1024, 1024, 1024), (1, 2000, 4000000)), Layout((512, 4, 512, 1024), (1, 512 * 1024, 1024, 1048576))),
    ],
)
def test_huge_layouts_are_answered_from_a_sample(a, b):
    begin = time.perf_counter()
    try:
        r = composition(a, b)
    except CuteLabError:
        r = None
    assert time.perf_counter() - begin < 1
    assert r is None or r.shape


def test_huge_results_that_break_the_law_are_found_too():
    with pytest.raises(CuteLabError, match="does not hold"):
        composition(Layout((2**24, 2**20), (1, 2**30)), Layout((2**20, 17), (15, 2**20 - 1)))


def test_remedies_work():
    """What an error calls admissible close by is accepted, what it calls the numbers is equal, what it keeps can be asked."""
    kinds = dict.fromkeys(("close by", "numbers are", "CuTe takes", "keep both", "as_cpp"), 0)
    small = [Layout(n, d) for n in range(2, 13) for d in (1, 2, 3, 5, 6, 9, 12)]
    small += [Layout((2, 3), (d, e)) for d in (1, 2, 3, 5) for e in (1, 3, 4, 9)]
    for a in (A, Layout((4, 6, 8), (2, 3, 5)), Layout((4, 4), (1, 8)), Layout((6, 2), (8, 2)), Layout(4)):
        for b in small:
            try:
                r = composition(a, b)
            except CuteLabError as caught:
                text = str(caught)
            else:
                assert is_composition(r, a, b)
                continue
            want = [at(a, i) for i in table(b)]
            if "numbers are" in text:
                exact = Layout(re.search(r"numbers are ([^ ]*?)[,:]? write", text).group(1).rstrip(":,"))
                assert table(exact) == want and compatible(b.shape, exact.shape)
                kinds["numbers are"] += 1
            for word in ("close by: ", "CuTe takes "):
                if word in text:
                    for extent, stride in re.findall(r"(\d+):(\d+)", text.split(word)[1].split(";")[0]):
                        other = Layout(int(extent), int(stride))
                        assert is_composition(composition(a, other), a, other)
                        kinds[word.rstrip(": ")] += 1
            if "ComposedLayout(A, 0, B)" in text:
                both = ComposedLayout(a, 0, b)
                assert offsets(both).ravel(order="F").tolist() == [both(i) for i in range(len(want))] == want
                kinds["keep both"] += 1
    cases = [
        (complement, Layout(4), 2),
        (complement, Layout(4), (6, 4)),
        (left_inverse, Layout(4, 0)),
        (logical_product, Layout((2, 2, 2), (1, 5, 19)), 4),
    ]
    for operation, *args in cases:
        with pytest.raises(CuteLabError, match="as_cpp=True"):
            operation(*args)
        assert operation(*args, as_cpp=True)
        kinds["as_cpp"] += 1
    assert min(kinds.values()) > 0, kinds


def test_the_claimed_law_can_be_replayed_by_a_readers_own_loop():
    """R(c) = A(B(c)) with calls only; where B reaches beyond A, `extended` makes A as long as CuTe reads it."""
    for a in (Layout(4), Layout((4, 2), (1, 8)), Layout((2, 3), (4, 1)), Layout((4, 1), (2, 7))):
        for b in (Layout(4, 2), Layout((3, 4), (3, 1)), Layout(16), Layout((2, 2), (4, 8))):
            try:
                r = composition(a, b)
            except CuteLabError:
                continue
            whole = extended(a, cosize(b))
            for c in range(size(b)):
                assert r(c) == whole(b(c))


def test_a_tiler_that_would_put_a_copy_into_the_block_is_refused():
    """C++ gives overlapping copies there; they are counted, not believed."""
    block = Layout((2, 2, 2), (1, 5, 19))
    seen = 0
    for n in (1, 2, 4, 6, 8, 10):
        r = logical_product(block, n, as_cpp=True)
        apart = len(set(table(r))) == size(r)
        seen += not apart
        if apart:
            assert logical_product(block, n) == r
        else:
            with pytest.raises(CuteLabError, match="fit between"):
                logical_product(block, n)
    assert seen
