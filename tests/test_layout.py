"""Laws of layouts on whole small domains, golden tables of CuTe, and what is refused."""

import itertools

import numpy as np
import pytest
from golden import cases, integer
from hypothesis import given
from hypothesis import strategies as st
from small import layouts, slow_offset

import cutelab
from cutelab import CuteLabError, Layout, LayoutLeft, LayoutRight, Swizzle, crd2idx, idx2crd, offsets, parse_layout
from cutelab.core.int_tuple import flatten, product, to_text
from cutelab.core.layout import MAX_TABLE
from cutelab.core.printing import to_static

GOLDEN = [c for c in cases("cute_layouts") if "printed" in c]
ALL = list(layouts())


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: c["id"])
def test_golden_layout(case):
    layout = parse_layout(case["printed"])
    assert cutelab.size(layout) == case["size"]
    checked = {"printed"}
    for name, value in (
        ("cosize", cutelab.cosize(layout)),
        ("rank", cutelab.rank(layout)),
        ("depth", cutelab.depth(layout)),
        ("coalesce", to_static(cutelab.coalesce(layout))),
        ("flatten", to_static(cutelab.flatten(layout))),
        ("shape", to_text(layout.shape, static=True)),
        ("stride", to_text(layout.stride, static=True)),
    ):
        if name in case:
            assert value == case[name], name
            checked.add(name)
    if "table" in case:
        assert offsets(layout).ravel(order="F").tolist() == list(map(integer, case["table"]))
    if "grid" in case:
        assert offsets(layout).tolist() == [list(map(integer, row)) for row in case["grid"]]
    assert len(checked) > 1 or "table" in case or case["id"].startswith(("dyn", "mk"))


def test_make_layout_spellings_of_the_golden_file():
    assert str(Layout((8, 4))) == "(8,4):(1,8)"
    assert str(LayoutRight((8, 4))) == "(8,4):(4,1)"
    assert str(LayoutRight((2, (3, 4)))) == "(2,(3,4)):(12,(4,1))"
    assert LayoutLeft((4, 2)) == Layout((4, 2))
    assert str(Layout(8, 4)) == "8:4"  # make_layout(8, 4) is one mode, not a matrix


@pytest.mark.parametrize("layout", ALL[::7], ids=str)
def test_every_coordinate_has_the_offset_of_the_definition(layout):
    table = offsets(layout).ravel(order="F")
    for i in range(product(layout.shape)):
        expected = slow_offset(i, layout)
        assert layout(i) == table[i] == expected
        assert layout(idx2crd(i, layout.shape)) == expected


def test_table_equals_the_definition_for_all_small_layouts():
    for layout in ALL:
        table = offsets(layout)
        assert table.shape == tuple(
            product(s) for s in (layout.shape if isinstance(layout.shape, tuple) else (layout.shape,))
        )
        assert table.ravel(order="F").tolist() == [slow_offset(i, layout) for i in range(table.size)]


def test_idx2crd_and_crd2idx_are_inverse():
    for shape in {layout.shape for layout in ALL}:
        for i in range(product(shape)):
            assert crd2idx(idx2crd(i, shape), shape) == i


def test_coalesce_is_the_same_function_with_fewest_modes():
    for layout in ALL:
        small = cutelab.coalesce(layout)
        assert offsets(small).ravel(order="F").tolist() == offsets(layout).ravel(order="F").tolist()
        modes = list(zip(flatten(small.shape), flatten(small.stride), strict=True))
        for (s, d), (_, e) in itertools.pairwise(modes):
            assert s * d != e, f"{layout} coalesces further than {small}"


def test_flatten_is_the_same_function():
    for layout in ALL:
        assert offsets(cutelab.flatten(layout)).ravel(order="F").tolist() == offsets(layout).ravel(order="F").tolist()


def test_slicing_keeps_the_offsets_of_the_slice():
    for layout in (Layout((4, 3), (3, 1)), Layout(((2, 2), 3), ((1, 6), 2)), Layout((2, (3, 2)), (1, (4, 2)))):
        table = offsets(layout)
        for j in range(table.shape[1]):
            kept, start = cutelab.slice_and_offset(layout, (None, j))
            assert (offsets(kept) + start).ravel(order="F").tolist() == table[:, j].tolist()
            assert layout(None, j) == kept


def test_injective_surjective_contiguous_holes_against_sets():
    for layout in ALL:
        values = [slow_offset(i, layout) for i in range(product(layout.shape))]
        used = set(values)
        assert cutelab.is_injective(layout) == (len(used) == len(values))
        assert cutelab.holes(layout).tolist() == [x for x in range(max(values)) if x not in used]
        assert cutelab.is_surjective(layout) == (used == set(range(max(values) + 1)))
        assert cutelab.is_contiguous(layout) == (sorted(values) == list(range(len(values))))
        assert cutelab.cosize(layout) == max(values) + 1


def test_compatible_against_its_meaning():
    assert cutelab.compatible(64, (8, 8)) and not cutelab.compatible((8, 8), 64)
    assert not cutelab.compatible((8, 8), (4, 16)) and cutelab.compatible((8, 8), ((2, 4), (8, 1)))
    shapes = {layout.shape for layout in ALL}
    for a in shapes:
        for b in shapes:
            if cutelab.compatible(a, b):
                assert product(a) == product(b)
                for i in range(product(a)):  # each coordinate of a is also one of b, with the same index
                    assert crd2idx(idx2crd(i, a), b) == i


def test_negative_strides_walk_backwards():
    layout = Layout((2, 4), (4, -1))
    assert offsets(layout).tolist() == [[0, -1, -2, -3], [4, 3, 2, 1]]
    assert cutelab.cosize(layout) == 8 and cutelab.is_injective(layout) and not cutelab.is_contiguous(layout)


def test_values_are_frozen_equal_and_hashable():
    a, b = Layout((8, 8), (8, 1)), parse_layout("(8,8):(8,1)")
    assert a == b and hash(a) == hash(b) and a != Layout((8, 8), (1, 8))
    with pytest.raises(AttributeError):
        a.shape = (4, 4)
    with pytest.raises(ValueError):
        offsets(a)[0, 0] = 1


nested = st.recursive(st.integers(1, 6), lambda x: st.lists(x, min_size=1, max_size=3).map(tuple), max_leaves=6)


@given(nested, st.data())
def test_text_round_trip(shape, data):
    flat = [data.draw(st.integers(-9, 99)) for _ in flatten(shape)]
    from small import shaped

    layout = Layout(shape, shaped(flat, shape))
    assert parse_layout(str(layout)) == layout
    assert parse_layout(to_static(layout)) == layout
    assert parse_layout(f" {layout} ".replace(",", " , ")) == layout


@pytest.mark.parametrize(
    ("shape", "stride", "words"),
    [
        ((0, 4), None, "every extent must be 1 or more"),
        ((-2, 4), None, "every extent must be 1 or more"),
        ((4, 4), (1,), "profile"),
        ((4, 4), 1, "profile"),
        ((4, (2, 2)), (1, 4), "profile"),
        ((), None, "empty tuple"),
        ("4,4", None, "integer"),
        (4.0, None, "integer"),
        (True, None, "integer"),
        ((10**10, 10**10), None, "2^63"),
        ((2, 2), (1, 2**63), "2^63"),
    ],
)
def test_bad_layouts_are_refused(shape, stride, words):
    with pytest.raises(CuteLabError, match=words.replace("^", r"\^")):
        Layout(shape, stride)


@pytest.mark.parametrize("coord", [(8, 0), (-1, 0), 64, -1, (1, 2, 3), ((1, 1), 1), ("a", 1), (1.5, 0)])
def test_bad_coordinates_are_refused(coord):
    with pytest.raises(CuteLabError):
        Layout((8, 8), (8, 1))(coord)


def test_huge_layouts_are_answers_and_take_no_memory():
    huge = Layout((10**8, 10**7))
    assert cutelab.size(huge) == 10**15 and cutelab.is_injective(huge) and huge(5, 5) == 5 + 5 * 10**8
    with pytest.raises(CuteLabError, match=f"{MAX_TABLE:,}"):
        offsets(huge)
    with pytest.raises(CuteLabError, match="at most"):
        cutelab.print_layout(huge)
    with pytest.raises(CuteLabError, match="at most"):
        cutelab.holes(Layout((2, 2), (1, 10**12)))


def test_table_of_a_million_elements_is_right_where_sampled():
    layout = Layout(((32, 32), (16, 64)), ((1, 512), (32, 16384)))
    table = offsets(layout)
    assert table.shape == (1024, 1024) and table.dtype == np.int64
    for i in np.random.default_rng(7).integers(0, 2**20, 200).tolist():
        assert table.ravel(order="F")[i] == slow_offset(i, layout)


SWIZZLED = parse_layout("Sw<3,0,3> o 0 o (8,6):(8,1)")


def test_a_composed_layout_answers_as_its_table_does():
    assert cutelab.cosize(SWIZZLED) == offsets(SWIZZLED).max() + 1 == 64
    assert (offsets(cutelab.flatten(SWIZZLED)) == offsets(SWIZZLED)).all()
    big = parse_layout("Sw<3,0,3> o 0 o (4096,4096):(4096,1)")
    assert cutelab.cosize(big) >= 4096 * 4096


@pytest.mark.parametrize(
    "ask", [offsets, cutelab.cosize, cutelab.flatten, cutelab.holes, cutelab.is_injective, cutelab.print_layout]
)
@pytest.mark.parametrize("value", ["(4,2):", (4, 2), None, 5])
def test_only_layouts_are_asked(ask, value):
    with pytest.raises(CuteLabError):
        ask(value)


def test_more_modes_than_an_array_has_axes():
    with pytest.raises(CuteLabError, match="64 axes"):
        offsets(Layout((1,) * 65))
    assert cutelab.size(Layout((1,) * 65)) == 1


def test_shapes_of_coordinates_are_checked():
    assert idx2crd(3, [2, 2]) == (1, 1) and crd2idx([1, 1], [2, 2]) == 3
    with pytest.raises(CuteLabError, match="profile"):
        crd2idx((1, 1), (2, 2), (1, 2, 3))
    assert crd2idx((1, 1), (2, 2), [1, 2]) == 3


TEXT = "(4,2):(2,1)"


@pytest.mark.parametrize(
    "ask",
    [
        "offsets",
        "cosize",
        "flatten",
        "holes",
        "is_injective",
        "is_surjective",
        "is_contiguous",
        "print_layout",
        "print_inverse",
        "size",
        "rank",
        "depth",
    ],
)
def test_a_text_stands_for_its_layout(ask):
    ask = getattr(cutelab, ask)
    assert repr(ask(TEXT)) == repr(ask(Layout((4, 2), (2, 1))))


def test_questions_with_two_arguments_read_texts():
    assert cutelab.compatible("8", "(4,2)") and cutelab.congruent(TEXT, (1, 1))
    assert idx2crd(5, Layout((3, (2, 4)))) == idx2crd(5, "(3,(2,4))") == (2, (1, 0))
    assert crd2idx((2, (1, 0)), Layout((3, (2, 4)), (8, (1, 2)))) == 5  # the shape counts, not the strides
    assert cutelab.slice_and_offset(TEXT, (None, 1)) == (Layout(4, 2), 1)


@pytest.mark.parametrize(
    "text", ["(4,2):(_2,_1)", "(_4,2):(_1,4)", "_8:_1", "((_4,_8),_2):((_16,_1),_8)", "(4,2):(2,1)"]
)
def test_what_is_static_prints_back_as_it_came(text):
    layout = parse_layout(text)
    assert str(layout) == text and parse_layout(str(layout)) == layout
    assert layout == parse_layout(text.replace("_", "")) and hash(layout) == hash(parse_layout(text.replace("_", "")))
    assert repr(parse_layout(text.replace("_", ""))) == f"Layout('{text.replace('_', '')}')"


@pytest.mark.parametrize(
    ("shape", "printed"),
    [
        ("Layout<Shape<_1,_8>>{}", "(_1,_8):(_0,_1)"),
        ("(_4,2)", "(_4,2):(_1,_4)"),
        ("(4,_2,_2)", "(4,_2,_2):(_1,4,8)"),
        ("Layout<Shape<_4,Shape<_1,_2>>>", "(_4,(_1,_2)):(_1,(_0,_4))"),
        ("(1,8)", "(1,8):(1,1)"),
    ],
)
def test_strides_that_are_not_given_are_those_that_cxx_makes(shape, printed):
    """The golden file's mk and dyn cases, and 1 x 8; a shape of plain integers keeps strides of plain integers."""
    assert str(parse_layout(shape)) == printed


def test_golden_layouts_keep_their_underscores():
    for case in GOLDEN:
        layout = parse_layout(case["printed"])
        assert str(layout) == case["printed"]
        if "coalesce" in case:
            assert str(cutelab.coalesce(layout)) == case["coalesce"]
        if "flatten" in case:
            assert str(cutelab.flatten(layout)) == case["flatten"]


def test_calls_of_every_kind_agree_with_the_table():
    """The quick way (plain integers in range) and the long way (NumPy integers, lists) are one function."""
    for layout in ALL[::11]:
        table = offsets(layout).ravel(order="F").tolist()
        for i, want in enumerate(table):
            coord = idx2crd(i, layout.shape)
            whole = coord if isinstance(coord, tuple) else (coord,)
            assert layout(i) == layout(np.int64(i)) == layout(coord) == layout(*whole) == want
            assert layout(list(whole)) == want and type(layout(i)) is type(layout(coord)) is int
        for bad in (-1, len(table), (len(table),) * (len(layout) + 1)):
            with pytest.raises(CuteLabError):
                layout(bad)


def test_a_layout_goes_on_in_its_last_mode():
    from cutelab import extended

    assert extended(Layout((4, 2), (1, 8)), 9)(8) == 16
    for layout in ALL[::17]:
        longer = extended(layout, 3 * cutelab.size(layout))
        assert [longer(i) for i in range(cutelab.size(layout))] == offsets(layout).ravel(order="F").tolist()
        assert cutelab.size(longer) >= 3 * cutelab.size(layout)
    with pytest.raises(CuteLabError):
        extended(Layout(4), 0)


def test_what_fills_memory_is_known_without_a_table():
    """The rules for strides against the set of offsets, for negative and repeated ones too."""
    import itertools as it

    for (s, t), (d, e) in it.product(it.product((1, 2, 3), repeat=2), it.product(range(-3, 8), repeat=2)):
        layout = Layout((s, t), (d, e))
        used = sorted({i * d + j * e for i in range(s) for j in range(t)})
        full = used == list(range(used[-1] + 1))
        assert cutelab.is_surjective(layout) == full, layout
        assert cutelab.is_contiguous(layout) == (full and len(used) == s * t), layout
        assert cutelab.is_injective(layout) == (len(used) == s * t), layout
    assert cutelab.is_contiguous("(100000,100000):(100000,1)") and len(cutelab.holes("(100000,100000):(100000,1)")) == 0


def test_what_contains_itself_is_refused_at_once():
    loop: list = []
    loop += [loop, loop]
    deep = 1
    for _ in range(22):
        deep = (deep, deep)
    for value in (loop, deep, [1] * 10**5):
        for call in (Layout, cutelab.size, lambda v: Layout(4)(v), lambda v: idx2crd(0, v)):
            with pytest.raises(CuteLabError) as caught:
                call(value)
            assert len(str(caught.value)) <= 300


@pytest.mark.parametrize("value", [10**400, 10**5000, -(10**5000), (4, 10**400), [2**62] * 100], ids=range(5))
def test_numbers_without_end_are_refused(value):
    for call in (
        Layout,
        lambda v: Layout(4)(v),
        lambda v: Layout(4, v),
        cutelab.size,
        Swizzle,
        lambda v: Swizzle(1, v, 1),
    ):
        try:
            call(value)
        except CuteLabError as error:
            assert len(str(error)) <= 300
        else:
            assert call is cutelab.size


def test_a_slice_that_fixes_nothing_leaves_a_compile_time_offset_as_it_is():
    whole = cutelab.slice_and_offset("Sw<1,3,3> o _0 o (_5,_16):(_32,_2)", (None, None))
    assert str(whole[0]) == "Sw<1,3,3> o _0 o (_5,_16):(_32,_2)" and whole[1] == 0  # as C++ prints it
