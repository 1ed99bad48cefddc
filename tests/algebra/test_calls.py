"""1,174 random calls, swizzled layouts, tilers with `_` and negative strides among them: what CUTLASS's headers print or do not compile."""

import re
from collections import Counter

import pytest
from golden import cases

import cutelab
from cutelab import ComposedLayout, CuteLabError, Swizzle, parse_layout
from cutelab.core.int_tuple import Int
from cutelab.core.tiler import parse_tiler

CASES = cases("cute_calls")
AS_CPP = {
    "composition", "complement", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "logical_product",
    "zipped_product", "tiled_product", "flat_product", "blocked_product", "raked_product", "left_inverse", "upcast", "downcast",
    "recast_layout", "tile_to_shape",
}  # fmt: skip
# C++ checks the stride of an extent of 1, which no element uses; and does not raise the rank of one integer.
OURS = {
    "flat_divide (_3,_2,(_2,_5)):(_48,_10,(_5,_1)) <_4;_2:_1;(_4,_1):(_8,_3)>",
    "blocked_product (_16):(_0) _8:_1",
    "raked_product _8:_4 (_2):(_0)",
    "raked_product _8:_1 (_8):(_1)",
    "composition (_6,_4):(_16,_6) _1:_8",
    "composition ((_2,_1),_1):((_1,_2),_-1) _1:_3",
}


def argument(value):
    if not isinstance(value, str):
        return tuple(value) if isinstance(value, list) else value
    if value.startswith("<"):
        return parse_tiler(value)
    if value.startswith("Sw<"):
        sw, _, inner = value.split(" o ")
        return ComposedLayout(Swizzle(sw), Int(0), parse_layout(inner))
    return parse_layout(value) if ":" in value else parse_layout(value).shape


def name(case):
    return " ".join([case[0], *map(str, case[1])])


def answer(case, **options):
    op, args, _ = case
    given = [argument(a) for a in args]
    try:
        found = getattr(cutelab, op)(*given, **options)
    except CuteLabError as error:
        assert len(str(error)) <= 300
        return None
    return f"_{found}" if isinstance(found, int) else str(found)


def values(text):
    layout = parse_layout(text)
    return [layout(i) for i in range(min(cutelab.size(layout), 4096))]


def test_as_cpp_gives_what_cxx_prints_and_refuses_what_it_does_not_compile():
    seen = Counter()
    for case in CASES:
        found = answer(case, **({"as_cpp": True} if case[0] in AS_CPP else {}))
        if name(case) in OURS:
            assert case[2] is None and found
            continue
        if case[2] is not None and re.search(r"\(_-|,_-\d+[,)].*:", case[2].partition(":")[0] + ":"):
            assert found is None and case[0] == "left_inverse", name(case)  # negative extents: no layout
            continue
        assert found == case[2], name(case)
        seen[case[2] is None] += 1
    assert seen[False] > 900 and seen[True] > 190


def test_the_default_has_the_same_offsets_or_refuses():
    """But for a mode that `_` keeps: this library keeps it whole."""
    refused = Counter()
    for case in CASES:
        if case[0] in AS_CPP and case[2] and not any("_;" in str(a) or ";_" in str(a) for a in case[1]):
            found = answer(case)
            refused[found is None] += 1
            if found is not None and found != case[2]:
                assert case[2].startswith("Sw<0,") and values(found) == values(case[2]), name(case)
    assert refused[True] < 0.1 * refused[False]


def test_a_kept_mode_of_two_is_taken_apart_by_cxx_only():
    case = ("flat_divide", ["((_1,_3),_4,_4,_4):((_0,_1536),_24,_3,_384)", "<_;_2:_1;_4>"], None)
    assert answer(case) == "((_1,_3),_2,_4,_1,_2,_1,_4):((_0,_1536),_24,_3,_0,_48,_0,_384)"
    assert answer(case, as_cpp=True) == "(_1,_2,_4,_3,_2,_1,_4):(_0,_24,_3,_1536,_48,_0,_384)"  # as printed by C++
    with pytest.raises(CuteLabError, match="no pair: it does not compile"):
        cutelab.zipped_divide("(8,8):(8,1)", (None, 4), as_cpp=True)


def test_a_negative_stride_has_no_left_inverse_and_the_reason_is_true():
    """C++ compiles it: (_8,_2):(_-1,_8) gives (_-1,_-8,_2):(_0,_1,_8)."""
    with pytest.raises(CuteLabError, match="negative extents"):
        cutelab.left_inverse("(_8,_2):(_-1,_8)", as_cpp=True)


def test_upcast_of_a_swizzle_to_the_left_is_refused_since_cxx_loses_a_bit():
    """Sw<1,0,-3> moves bit 0 into bit 3: in units of 2 nothing is left that could say so, and C++ says nothing."""
    layout = ComposedLayout(Swizzle(1, 0, -3), 0, parse_layout("(16,4):(1,16)"))
    with pytest.raises(CuteLabError, match=r"as_cpp=True"):
        cutelab.upcast(layout, 2)
    lost = cutelab.upcast(layout, 2, as_cpp=True)
    assert str(lost) == "Sw<0,0,-3> o 0 o (8,4):(1,8)"
    assert [layout(i) // 2 for i in range(64)] != [lost(i // 2 % 8, i // 16) for i in range(64)]
