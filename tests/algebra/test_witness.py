"""1,112 random calls that CUTLASS's own headers compiled and printed, or did not compile: letter for letter, underscores too."""

import re
from collections import Counter

import pytest
from golden import cases
from oracle import at, flat, table

import cutelab
from cutelab import CuteLabError, Layout, cosize, parse_layout, size

CASES = cases("cute_random")
CHOICE = {"composition", "complement", "logical_divide", "logical_product", "blocked_product", "raked_product"}
CHOICE |= {"left_inverse", "zipped_divide"}
# C++ checks the stride of an extent of 1, which no element uses; and does not raise the rank of one integer.
OURS = {
    "composition (4,(5,2)):(2,(16,8)) (1,4):(9,3)",
    "composition (5,5,2):(1,9,0) 1:16",
    "composition (2,5):(6,6) 1:9",
    "raked_product 6:16 4:12",
}


def static(text):
    return re.sub(r"(-?\d+)", r"_\1", text)


def argument(text):
    if text.startswith("<"):
        return tuple(parse_layout(static(part)).shape for part in text[1:-1].split(";"))
    return parse_layout(static(text)) if ":" in text else parse_layout(static(text)).shape


def call(case, **options):
    op = case["op"]
    if op == "make_ordered_layout":
        return cutelab.make_ordered_layout(
            argument(case["args"][0]), [int(n) for n in re.findall(r"\d+", case["args"][1])]
        )
    args = [argument(a) for a in case["args"]]
    name, *numbers = re.findall(r"\w+", op)
    return getattr(cutelab, name)(*args, *map(int, numbers), **options)


def name(case):
    return " ".join([case["op"], *case["args"]])


def answer(case, **options):
    try:
        return str(call(case, **options))
    except CuteLabError as error:
        assert len(str(error)) <= 300
        return None


def test_as_cpp_gives_what_cxx_prints_and_refuses_what_it_does_not_compile():
    seen = Counter()
    for case in CASES:
        found = answer(case, **({"as_cpp": True} if case["op"] in CHOICE or case["op"][:6] == "upcast" else {}))
        if name(case) in OURS:
            assert case["out"] is None and found
            continue
        assert found == case["out"], name(case)
        seen[case["out"] is None] += 1
    assert seen[False] > 800 and seen[True] > 150


def test_the_default_gives_the_same_or_refuses():
    refused = Counter()
    for case in CASES:
        if case["op"] in CHOICE and case["out"]:
            found = answer(case)
            assert found in (None, case["out"]), name(case)
            refused[found is None] += 1
    assert refused[True] < 0.2 * refused[False]


def breaks_its_law(case):
    """Is C++'s answer against the definition? Decided element by element, by an oracle that knows nothing of the algebra."""
    op, out = case["op"], parse_layout(case["out"])
    a = argument(case["args"][0])
    b = argument(case["args"][1]) if len(case["args"]) > 1 else None
    if op == "composition":
        inside = table(b)
        return min(inside) < 0 or table(out) != [at(a, i) for i in inside]
    if op == "complement":
        return cosize(cutelab.filter_layout(a)) > size(b) or cosize(out) > size(b)
    if op == "left_inverse":
        return [at(out, i) for i in table(a)] != list(range(size(a)))
    if op == "logical_divide":
        tile = b if isinstance(b, Layout) else Layout(b)
        return (
            table(out[0]) != [at(a, i) for i in table(tile)] or not set(table(a)) <= set(table(out)) or skips(a, tile)
        )
    if op in ("logical_product", "blocked_product", "raked_product"):
        return overlaps(a, b if isinstance(b, Layout) else Layout(b))
    return False


def skips(a, tile):
    """Does A o (T, T*) differ from A at some element of the tiles?"""
    rest = cutelab.complement(tile, cutelab.coalesce(a).shape, as_cpp=True)
    both = cutelab.append(Layout((tile.shape,), (tile.stride,)), rest)
    out = cutelab.composition(a, both, as_cpp=True)
    return table(out) != [at(a, i) for i in table(both)]


def overlaps(block, tiler):
    """Does A* o T differ from A*(T(c)), or does a copy lie in the block, or in another one that T numbers differently?"""
    room = size(block) * cosize(tiler)
    free = cutelab.complement(block, room, as_cpp=True)
    copies = cutelab.composition(free, tiler, as_cpp=True)
    if table(copies) != [at(free, i) for i in table(tiler)]:
        return True
    starts, inside = sorted(set(table(copies))), sorted(set(table(block)))
    sums = {s + i for s in starts for i in inside}
    return len(starts) < len(set(table(tiler))) or len(sums) < len(starts) * len(inside)


@pytest.mark.parametrize("op", sorted(CHOICE - {"zipped_divide"}))
def test_what_is_refused_though_cxx_compiles_it_breaks_a_law(op):
    refused = [case for case in CASES if case["op"] == op and case["out"] and answer(case) is None]
    for case in refused:
        assert breaks_its_law(case), f"{name(case)} = {case['out']} is lawful"


def test_padded_blocks_can_be_repeated():
    """Every block of 2 to 8 rows and columns with a padding of 1 to 3, in 2 to 16 copies: right, or refused as C++ does."""
    answered = 0
    for r in range(2, 9):
        for c in range(2, 9):
            for pad in (1, 2, 3):
                block = Layout((r, c), (c + pad, 1))
                offsets = table(block)
                for n in (2, 3, 4, 8, 16):
                    try:
                        result = cutelab.logical_product(block, n)
                    except CuteLabError as error:
                        assert "shape divisibility" in str(
                            error
                        )  # a stride with gaps of its own: C++ does not compile it
                        continue
                    answered += 1
                    starts = table(result[1])
                    assert result[0] == block and starts == sorted(starts) and len(starts) == n
                    assert len({s + i for s in starts for i in offsets}) == n * len(offsets)
    assert answered >= 735 - 21


def test_the_public_cases_of_padded_tiles():
    assert str(cutelab.logical_product("(2,2):(3,1)", 3)) == "((2,2),3):((3,1),6)"
    assert str(cutelab.logical_product("((4,6)):((1,6))", "(3):(1)")) == "(((4,6)),(3)):(((1,6)),(36))"
    assert str(cutelab.tile_to_shape("(8,8):(9,1)", (64, 64))) == "((8,8),(8,8)):((9,72),(1,576))"
    want = "((8,16),(64,1),(1,3)):((72,576),(1,0),(0,9216))"
    assert str(cutelab.tile_to_shape("(8,64):(72,1)", (128, 64, 3))) == want
    assert flat(cutelab.complement("(4,8):(1,5)").shape) == [1]
    assert str(cutelab.complement(Layout(4), 2, as_cpp=True)) == "1:0"
    assert str(cutelab.composition("(1,(2,4)):(0,(-1,512))", "4:-1", as_cpp=True)) == "(2,2):(1,-512)"
