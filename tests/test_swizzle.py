"""Swizzles against CuTe's tables, their laws on whole periods, and what is refused."""

import numpy as np
import pytest
from golden import cases, integer

from cutelab import ComposedLayout, CuteLabError, Layout, Swizzle, make_swizzle, offsets, parse_layout, parse_swizzle

GOLDEN = cases("cute_swizzles")
TABLES = [c for c in GOLDEN if c["op"] == "swizzle" and "table" in c]
SMALL = [Swizzle(b, m, s) for b in range(4) for m in range(4) for s in range(-4, 5) if abs(s) >= b]


@pytest.mark.parametrize("case", TABLES, ids=lambda c: c["id"])
def test_golden_swizzle(case):
    swizzle = Swizzle(case["B"], case["M"], case["S"])
    assert (str(swizzle), swizzle.yyy, swizzle.zzz) == (case["print"], case["yyy"], case["zzz"])
    table = list(map(integer, case["table"]))
    assert swizzle(np.arange(len(table))).tolist() == table
    assert [swizzle(x) for x in range(len(table))] == table


@pytest.mark.parametrize(
    "case", [c for c in GOLDEN if c["op"] == "swizzle" and "compile_error" in c], ids=lambda c: c["id"]
)
def test_golden_rejections(case):
    with pytest.raises(CuteLabError):
        Swizzle(case["B"], case["M"], case["S"])


@pytest.mark.parametrize(
    "case",
    [c for c in GOLDEN if "table" in c and "out" in c and c["op"] != "composition(layout,swizzle)"],
    ids=lambda c: c["id"],
)
def test_golden_composed_tables(case):
    layout = parse_layout(case["out"])
    assert offsets(layout).ravel(order="F").tolist() == list(map(integer, case["table"]))
    if "grid" in case:
        assert offsets(layout).tolist() == [list(map(integer, row)) for row in case["grid"]]


UNIT = {"uint1_t": 0.125, "uint8_t": 1, "uint16_t": 2, "half_t": 2, "uint32_t": 4, "float": 4}


@pytest.mark.parametrize("case", [c for c in GOLDEN if c["op"].startswith("recast_layout")], ids=lambda c: c["id"])
def test_golden_recast_of_the_swizzle(case):
    swizzle = parse_swizzle(case["swizzle"]).recast(UNIT[case["from"]], UNIT[case["to"]])
    assert str(swizzle) == case["out"].split(" o ")[0]


@pytest.mark.parametrize("case", [c for c in GOLDEN if c["op"] == "make_swizzle"], ids=lambda c: c["id"])
def test_golden_make_swizzle(case):
    if "compile_error" in case:
        with pytest.raises(CuteLabError):
            make_swizzle(case["Y"], case["Z"])
    else:
        assert str(make_swizzle(case["Y"], case["Z"])) == case["out"]


@pytest.mark.parametrize("swizzle", SMALL, ids=str)
def test_laws(swizzle):
    x = np.arange(1024)
    y = swizzle(x)
    assert (swizzle(y) == x).all(), "its own inverse"
    assert (np.sort(y) == x).all() or swizzle.period > 1024, "a permutation"
    assert (swizzle(x ^ 77) == y ^ swizzle(77)).all(), "XOR-linear"
    p = swizzle.period
    assert (swizzle(x + p) == y + p).all(), "repeats after its period"
    slow = [
        v
        ^ sum(
            ((v >> (swizzle.base + max(swizzle.shift, 0) + i)) & 1) << (swizzle.base - min(swizzle.shift, 0) + i)
            for i in range(swizzle.bits)
        )
        for v in range(1024)
    ]
    assert y.tolist() == slow, "bit by bit"
    if swizzle.bits:
        assert make_swizzle(swizzle.yyy, swizzle.zzz) == swizzle
    matrix = swizzle.bit_matrix(11)
    bits = (x[:, None] >> np.arange(11)) & 1
    assert ((bits @ matrix.T % 2) @ (1 << np.arange(11)) == y).all(), "the bit matrix"


def test_recast_is_the_same_map_in_another_unit():
    for swizzle in (s for s in SMALL if s.bits):
        for factor in (2, 4):
            finer = swizzle.recast(factor, 1)  # units of `factor` bytes -> bytes
            x = np.arange(512)
            assert (finer(x * factor) == swizzle(x) * factor).all()
            assert finer.recast(1, factor) == swizzle


def test_narrow_integers_do_not_overflow():
    assert Swizzle(3, 4, 3)(np.arange(0, 256, dtype=np.uint8)).max() < 1024
    assert Swizzle(1, 0, -8)(np.array([1], np.int8)).tolist() == [257]


def test_degenerate_swizzles_do_nothing():
    assert Swizzle(0, 0, 0)(5) == 5 and Swizzle(0, 4, 3)(np.arange(9)).tolist() == list(range(9))
    tile = offsets(Layout((8, 128), (128, 1)))
    assert (Swizzle(3, 7, 3)(tile) == tile).all() and Swizzle(3, 7, 3).period == 8192


def test_composed_layout_slices_and_evaluates_like_its_table():
    tile = parse_layout("Sw<3,0,3> o 5 o ((2,2),8):((8,16),1)")
    table = offsets(tile)
    for i in range(4):
        for j in range(8):
            assert tile(i, j) == table[i, j] == tile((i % 2, i // 2), j)
        row = tile(i, None)
        assert isinstance(row, ComposedLayout) and offsets(row).tolist() == table[i].tolist()
    assert parse_layout("Sw<3,4,3> o 0 o (10,2):(2,1)")(None, 0).offsets().tolist() == list(range(0, 20, 2))


def test_a_layout_may_come_after_a_layout():
    tile = ComposedLayout(Layout((4, 4), (4, 1)), 0, Layout(8, 2))
    assert offsets(tile).tolist() == [Layout((4, 4), (4, 1))(2 * i) for i in range(8)]
    beyond = ComposedLayout(
        Layout((2, 2), (1, 8)), 1, Layout(8)
    )  # the outer layout goes on in its last mode, as in CuTe
    assert offsets(beyond).tolist() == [beyond(i) for i in range(8)] == [1, 8, 9, 16, 17, 24, 25, 32]
    with pytest.raises(CuteLabError, match="no value below index 0"):
        offsets(ComposedLayout(Layout((2, 2), (1, 8)), -1, Layout(8)))


def test_nested_swizzles_act_one_after_the_other():
    text = "Sw<2,0,3> o 4 o Sw<1,1,3> o 2 o (8,8):(8,1)"
    inner = ComposedLayout("Sw<1,1,3> o 2 o (8,8):(8,1)")
    nested = ComposedLayout(Swizzle(2, 0, 3), 4, inner)
    assert str(nested) == text and nested.layout == Layout((8, 8), (8, 1))
    want = [Swizzle(2, 0, 3)(4 + Swizzle(1, 1, 3)(2 + 8 * i + j)) for j in range(8) for i in range(8)]
    assert offsets(nested).ravel(order="F").tolist() == [nested(i) for i in range(64)] == want
    assert offsets(nested(None, 3)).tolist() == offsets(nested)[:, 3].tolist()
    assert offsets(nested[1]).tolist() == offsets(nested)[0].tolist()


def test_a_negative_shift_sends_the_lower_group_up():
    """For every S < 0 the source starts at M and the target at M + |S|: bit by bit, against the definition in words."""
    for bits, base, shift in ((2, 3, -4), (1, 0, -1), (3, 1, -3), (2, 0, -5)):
        swizzle = Swizzle(bits, base, shift)
        for bit in range(bits):
            assert swizzle(1 << (base + bit)) == 1 << (base + bit) | 1 << (base + bit - shift)
            assert swizzle(1 << (base + bit - shift)) == 1 << (base + bit - shift)
        assert swizzle.bit_matrix().sum() == (base - shift + bits) + bits
    assert Swizzle(2, 3, -4)(8) == 136


def test_texts_are_read_and_reprs_can_be_pasted():
    for value in (Swizzle(3, 4, -3), Layout(((2, 2), 3), ((1, 6), 2)), ComposedLayout("Sw<3,0,3> o 5 o (8,8):(8,1)")):
        assert eval(repr(value)) == value
        assert type(value)(str(value)) == value
    with pytest.raises(CuteLabError, match="write ComposedLayout"):
        Layout("Sw<3,0,3> o 0 o (8,8):(8,1)")
    with pytest.raises(CuteLabError, match="write Layout"):
        ComposedLayout("(8,8):(8,1)")


@pytest.mark.parametrize(
    "args", [(5, 0, 3), (1, 0, 0), (-1, 0, 0), (2, -1, 3), (40, 10, 45), (1.5, 0, 2), (True, 0, 2), ("3", 0, 3)]
)
def test_bad_swizzles_are_refused(args):
    with pytest.raises(CuteLabError):
        Swizzle(*args)


@pytest.mark.parametrize("x", [1.5, "3", None, np.array([1.0])])
def test_bad_offsets_are_refused(x):
    with pytest.raises(CuteLabError):
        Swizzle(3, 0, 3)(x)


@pytest.mark.parametrize("masks", [(7, 3), (5, 3), (-1, 1), (0b110110, 0b1111)])
def test_bad_masks_are_refused(masks):
    with pytest.raises(CuteLabError):
        make_swizzle(*masks)


def test_offsets_beyond_64_bits_are_refused():
    for offset in (2**63 - 1, 2**64, -(2**63)):
        with pytest.raises(CuteLabError, match="2\\^62"):
            ComposedLayout(Swizzle(1, 0, 1), offset, Layout(8))
    with pytest.raises(CuteLabError, match="2\\^63"):
        Swizzle(3, 0, 3)(np.array([2**63 + 8], np.uint64))
    with pytest.raises(CuteLabError, match="bit matrix"):
        Swizzle(3, 4, 3).bit_matrix(10**5)


def test_numpy_integers_are_integers():
    assert make_swizzle(np.int64(448), np.int64(56)) == Swizzle(3, 3, 3)
    assert Swizzle(3, 4, 3).recast(np.int64(1), np.int64(4)) == Swizzle(3, 2, 3)


@pytest.mark.parametrize("bits", ["9" * 400, "3", "0"])
def test_an_element_has_a_power_of_two_of_bits(bits):
    with pytest.raises(CuteLabError, match="bits"):
        parse_layout(f"Sw<3,4,3> o smem_ptr[{bits}b](unset) o (8,8)")


def test_the_flag_type_of_a_pointer_is_read():
    text = "ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<Shape<_8,_64>,Stride<_64,_1>>>"
    assert str(parse_layout(text)) == "Sw<3,3,3> o 0 o (_8,_64):(_64,_1)"
    assert parse_layout(text) == parse_layout("Sw<3,3,3> o 0 o (8,64):(64,1)")
