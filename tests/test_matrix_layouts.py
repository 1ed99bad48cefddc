"""The 2.x matrix layouts against tables printed by the real classes, example 03's text, and their swizzles."""

import itertools
import json

import numpy as np
import pytest
from golden import DATA, cases

from cutelab import ComposedLayout, CuteLabError, Layout, Swizzle, offsets, parse_layout, print_inverse
from cutelab.cutlass.matrix_layouts import (
    MATRIX_LAYOUTS,
    REGISTERED,
    MatrixLayout,
    find_swizzle,
    matrix_layout,
    visualize_layout,
)
from cutelab.cutlass.matrix_layouts.families import NAMES

GOLDEN = cases("layouts2x")
SWIZZLES = json.loads((DATA / "layouts2x.json").read_text())["swizzle_equivalents"]
EXAMPLE = json.loads((DATA / "example03.json").read_text())


def golden_layout(case):
    return matrix_layout(case["layout"], case["extent"], None if case["packed"] else case["stride"])


def listed(key):
    """'TensorOpMultiplicand<16,32>[32, 16]' -> the layout."""
    name, extent = key.rstrip("]").split("[")
    return matrix_layout(name, [int(n) for n in extent.split(",")])


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: f"{c['layout']}-{c['extent']}-{c['stride']}")
def test_golden_table(case):
    found = golden_layout(case)
    assert found.offsets.tolist() == case["offsets"]
    assert [list(found.stride), found.capacity, list(found.coord_names)] == [
        case["stride"],
        case["capacity"],
        case["coord_names"],
    ]
    given = matrix_layout(case["layout"], tuple(case["extent"]), tuple(case["stride"]))
    assert given == found


@pytest.mark.parametrize("key", [k for k in SWIZZLES if SWIZZLES[k]])
def test_law_each_listed_swizzle_gives_the_layout(key):
    found = listed(key)
    i, j = np.ogrid[: found.extent[0], : found.extent[1]]
    step = {"1": 1, "stride": found.stride[0]}
    for entry in SWIZZLES[key]:
        first, second = (part.split(":")[1] for part in entry["linear"].strip("()").split(","))
        linear = i * step[first] + j * step[second]
        assert (Swizzle(entry["B"], entry["M"], entry["S"])(linear) == found.offsets).all()
    cute = found.to_layout()
    best = SWIZZLES[key][0]
    if best["B"]:
        assert cute.outer == Swizzle(best["B"], best["M"], best["S"])
        assert cute.offset == 0
    else:
        assert isinstance(cute, Layout)


@pytest.mark.parametrize("key", [k for k in SWIZZLES if not SWIZZLES[k] and "<128,4>" not in k])
def test_law_no_swizzle_is_found_where_there_is_none(key):
    with pytest.raises(CuteLabError, match="no single Swizzle"):
        listed(key).to_layout()


def test_law_rule_of_the_tensor_op_swizzles():
    """One line of 128 bytes a row: Sw<3,log2 e,3>; two or more rows in a line: Sw<2,log2 e,3>."""
    for bits, f in itertools.product((1, 4, 8, 16, 32), (1, 2, 4)):
        e = 128 // bits
        crosswise = 8 * e // f
        found = matrix_layout(f"TensorOpMultiplicand<{bits},{crosswise}>", (crosswise, 32)).to_layout()
        assert found.outer == Swizzle(3 if f == 1 else 2, e.bit_length() - 1, 3)
        assert found.inner == Layout((crosswise, 32), (1, crosswise))


@pytest.mark.parametrize("name", ["TensorOpMultiplicand<16,32>", "TensorOpMultiplicandCrosswise<8,32>"])
@pytest.mark.parametrize("stride", [64, 128, 256])
def test_law_several_tiles_wide_is_a_swizzle_on_a_nested_layout(name, stride):
    found = matrix_layout(name, (64, 16), stride)
    cute = found.to_layout()
    assert isinstance(cute, ComposedLayout)
    assert (offsets(cute) == found.offsets).all()
    assert parse_layout(str(cute)) == cute


def every_layout():
    parameters = {"Interleave": (1, 2, 4, 32), "ElementSize": (8, 16, 32), "Crosswise": (16, 32, 64), "KBlock": (32,)}
    for name, extent in itertools.product(MATRIX_LAYOUTS, ((128, 128), (256, 128), (128, 256))):
        words = NAMES[name][0].parameters if name in NAMES else ()
        for values in itertools.product(*(parameters[w] for w in words)):
            try:
                yield matrix_layout(name + (f"<{','.join(map(str, values))}>" if values else ""), extent)
            except CuteLabError:
                continue


EVERY = list(every_layout())


@pytest.mark.long
def test_law_every_layout_has_one_place_for_each_element():
    assert {m.name.partition("<")[0] for m in EVERY} == set(MATRIX_LAYOUTS)
    for m in EVERY:
        assert m.offsets.min() >= 0
        # their own packed stride is the contiguous extent, although a line of memory is as long as the strided one
        short = m.name.startswith(("TensorOpMultiplicand64bC", "TensorOpMultiplicandCrosswise128x4")) and m.extent == (
            128,
            256,
        )
        assert (len(np.unique(m.offsets)) == m.offsets.size) is not short, str(m)
        assert m.offsets[1, 2] == m(1, 2) == m(np.array([1]), np.array([2]))[0]


def test_law_a_cute_layout_is_right_or_refused():
    found = 0
    for m in EVERY:
        try:
            cute = m.to_layout()
        except CuteLabError:
            continue
        found += 1
        i, j = np.indices(m.extent)
        flat = offsets(cute).ravel(order="F")
        assert (flat[i + j * m.extent[0]] == m.offsets).all(), str(m)
    assert found > 80


def test_law_views_only_swap_the_coordinate():
    for name in ("TensorOpMultiplicandCongruous<16,64>", "VoltaTensorOpMultiplicandCrosswise<16,32>", "PitchLinear"):
        base = matrix_layout(name, (64, 32), 64)
        view = "" if name == "PitchLinear" else name
        assert (matrix_layout("ColumnMajor" + view, (64, 32), 64).offsets == base.offsets).all()
        assert (matrix_layout("RowMajor" + view, (32, 64), 64).offsets == base.offsets.T).all()


def test_crosswise_128x4_contradicts_its_capacity():
    found = matrix_layout("TensorOpMultiplicandCrosswise128x4", (16, 8))
    assert (found.capacity, int(found.offsets.max()), found.fits) == (128, 247, False)
    assert matrix_layout("TensorOpMultiplicandCrosswise<128,4>", (16, 8)).fits
    with pytest.raises(CuteLabError, match="offset 247, and its capacity is only 128"):
        found.print_inverse()


def test_claim_interleaved_2_is_not_two_heads():
    assert matrix_layout("ColumnMajorInterleaved<2>", (4, 2)).offsets.tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert str(matrix_layout("ColumnMajorInterleaved<2>", (4, 4)).to_layout()) == "(4,(2,2)):(2,(1,8))"
    assert str(matrix_layout("RowMajorInterleaved<2>", (4, 4)).to_layout()) == "((2,2),4):((1,8),2)"
    assert (
        offsets(Layout((4, 2, 2), (2, 8, 1))).reshape(4, 4)
        == [[0, 1, 8, 9], [2, 3, 10, 11], [4, 5, 12, 13], [6, 7, 14, 15]]
    ).all()


def options(arguments):
    values = dict(a.removeprefix("--").split("=") for a in arguments)
    numbers = {k: tuple(int(n) for n in v.split(",")) for k, v in values.items()}
    if "vectorize" in numbers:
        numbers["vectorize"] = numbers["vectorize"][0]
    return {k.replace("-", "_"): v for k, v in numbers.items()}


@pytest.mark.parametrize("run", EXAMPLE["runs"], ids=lambda r: " ".join([r["layout"], *r["args"]]))
def test_golden_example_03(run):
    given = options(run["args"])
    if run["rc"]:
        with pytest.raises(CuteLabError) as caught:
            visualize_layout(run["layout"], **given)
        assert str(caught.value).startswith(run["stderr"].strip().rstrip("."))
        return
    assert visualize_layout(run["layout"], **given) == run["stdout"]
    extent, stride = given.pop("extent"), given.pop("stride", None)
    assert print_inverse(matrix_layout(run["layout"], extent, stride), **given) == run["stdout"]


def test_golden_example_03_registers_25_names():
    assert sorted(REGISTERED) == sorted(EXAMPLE["registered"])
    for name in REGISTERED:
        wide = max(64, *matrix_layout(name, (8, 8)).parameters, 0)
        text = visualize_layout(name, (wide, 64), output_shape=(64, 8))
        assert text.count("(") == wide * 64


def test_the_text_of_the_example_works_for_cute_layouts_too():
    row_major = print_inverse(Layout((4, 4), (5, 1)), output_shape=(5, 2))
    assert row_major == visualize_layout("RowMajor", (4, 4), 5, output_shape=(5, 2)).removesuffix("| \n") + "\n"
    assert (
        print_inverse(Layout((8, 2), (1, 8)), vectorize=4, output_shape=8)
        == "(0..3, 0)|(4..7, 0)\n(0..3, 1)|(4..7, 1)\n"
    )


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: matrix_layout("RowMajorInterleave<4>", (8, 8)), r"expected the name of a 2.x layout"),
        (lambda: matrix_layout("RowMajorInterleaved", (8, 8)), r"expected '<' and Interleave"),
        (lambda: matrix_layout("RowMajorInterleaved<0>", (8, 8)), "interleave must be 1 or more"),
        (lambda: matrix_layout("TensorOpMultiplicand<16>", (8, 8)), "expected ',' and Crosswise"),
        (lambda: matrix_layout("TensorOpMultiplicand<16,128>", (8, 8)), "one line of 128 bytes"),
        (lambda: matrix_layout("TensorOpMultiplicand<16,4>", (8, 8)), "from one vector of 16 bytes"),
        (lambda: matrix_layout("TensorOpMultiplicand<12,64>", (8, 8)), "ElementSize counts bits"),
        (lambda: matrix_layout("RowMajorTensorOpMultiplicand<16,64>", (8, 8)), "RowMajorTensorOpMultiplicandCongruous"),
        (lambda: matrix_layout("RowMajor x", (8, 8)), "expected the end of the matrix layout"),
        (lambda: matrix_layout("", (8, 8)), "the text is empty; write a matrix layout"),
        (lambda: matrix_layout(4, (8, 8)), "a matrix layout is written as text"),
        (lambda: matrix_layout("RowMajor", (8, 0)), "extent must be from 1"),
        (lambda: matrix_layout("RowMajor", 8), "extent must be two numbers"),
        (lambda: matrix_layout("RowMajor", (8, 8), (8, 1)), "stride of 1 number"),
        (lambda: matrix_layout("RowMajor", (8, 8), 0), "stride must be from 1"),
        (lambda: matrix_layout("AffineRank2RowMajor", (8, 8), 8), "stride of 2 numbers"),
        (lambda: matrix_layout("AffineRank2RowMajor(12,2)", (8, 8), (12, 1)), "give one of them"),
        (lambda: matrix_layout("RowMajor", (10**5, 10**5)).offsets, "a table holds at most"),
        (lambda: matrix_layout("RowMajor", (8, 8))(8, 0), "row must be from 0 to 7"),
        (lambda: matrix_layout("RowMajor", (8, 8))(np.array([-1]), 0), "row holds whole numbers from 0 to 7"),
        (lambda: matrix_layout("ColumnMajorInterleaved<2>", (4, 3)).to_layout(), "2 does not divide"),
        (lambda: matrix_layout("RowMajor", (8, 8)).print_inverse((16, 8), 3), "must divide the offsets in a line"),
        (lambda: matrix_layout("RowMajor", (8, 8)).print_inverse((0, 8)), "output_shape holds"),
        (lambda: matrix_layout("RowMajor", (10**4, 10**4)).print_inverse(), "at most 262,144 are printed"),
        (lambda: visualize_layout("ColumnMajorInterleaved<2>"), "near this one: ColumnMajorInterleaved<4>"),
    ],
)
def test_bad_input_is_one_clear_sentence(make, word):
    with pytest.raises(CuteLabError, match=word):
        make()


def test_spellings_and_values():
    found = matrix_layout("cutlass::layout::TensorOpMultiplicand< 16 , 64 >", [64, 8])
    assert found == MatrixLayout("TensorOpMultiplicand<16,64>", (64, 8), (64,))
    assert matrix_layout("AffineRank2ColumnMajor", (4, 3)).stride == (1, 4)
    assert matrix_layout("AffineRank2RowMajor", (4, 3)).stride == (3, 1)
    assert not found.offsets.flags.writeable
    assert find_swizzle(np.arange(8), np.arange(8)[::-1]) is None


def test_a_vector_over_two_rows_or_with_padding_is_written_cell_by_cell():
    two_rows = matrix_layout("RowMajor", (4, 2)).print_inverse((4, 8), 4)
    assert two_rows == "(0, 0)(0, 1)(1, 0)(1, 1)\n(2, 0)(2, 1)(3, 0)(3, 1)\n"
    padded = matrix_layout("RowMajor", (2, 3), 8).print_inverse((8, 8), 4)
    assert padded == "(0, 0)(0, 1)(0, 2) | \n(1, 0)(1, 1)(1, 2) | \n"
