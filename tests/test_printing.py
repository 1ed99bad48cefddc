"""print_layout, letter for letter as CuTe prints it; print_inverse against the definition of an inverse."""

import re

import numpy as np
import pytest
from golden import cases

from cutelab import ComposedLayout, CuteLabError, Layout, offsets, parse_layout, print_inverse, print_layout

GOLDEN = [c for c in cases("cute_print") if c["op"] == "print_layout"]
TEXTS = [c for c in GOLDEN if "text" in c]


@pytest.mark.parametrize("case", TEXTS, ids=lambda c: c["id"])
def test_golden_print_layout(case):
    layout = parse_layout(case["print"])
    static = "_" in case["print"]
    assert print_layout(layout, static=static) == case["text"]
    assert print_layout(layout, static=not static).split("\n", 1)[1] == case["text"].split("\n", 1)[1]


@pytest.mark.parametrize("case", [c for c in GOLDEN if "compile_error" in c], ids=lambda c: c["id"])
def test_golden_rejections(case):
    with pytest.raises(CuteLabError, match="rank 2"):
        print_layout(parse_layout(case["layout"]))


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("(4,2):(2,1)", 2),
        ("(4,2):(1,4)", 4),
        ("(4,4):(5,1)", 5),
        ("((4,2),(2,4)):((2,16),(1,8))", 16),
        ("8:2", 16),
        ("(4,2,2):(2,8,1)", 16),
        ("Sw<3,0,3> o 0 o (8,8):(8,1)", 16),
        ("(3,3):(0,1)", 16),
    ],
)
def test_print_inverse_names_every_coordinate_at_its_offset(text, columns):
    layout = parse_layout(text)
    lines = print_inverse(layout).split("\n")[:-1]
    cells = [cell for line in lines for cell in line.split("|")]
    assert all(len(line.split("|")) == columns for line in lines[:-1])
    found = {}
    for offset, cell in enumerate(cells):
        for coord in re.findall(r"\(([\d, ]+)\)", cell):
            found[tuple(map(int, coord.split(",")))] = offset
    assert found == dict(np.ndenumerate(offsets(layout)))
    assert len(cells) == offsets(layout).max() + 1


def test_print_inverse_columns_and_refusals():
    layout = Layout((4, 2), (2, 1))
    assert print_inverse(layout, columns=4) == "(0, 0)|(0, 1)|(1, 0)|(1, 1)\n(2, 0)|(2, 1)|(3, 0)|(3, 1)\n"
    for bad in (0, -1, 1.5, "2"):
        with pytest.raises(CuteLabError, match="columns"):
            print_inverse(layout, columns=bad)
    with pytest.raises(CuteLabError, match="negative offsets"):
        print_inverse(Layout((2, 2), (-1, 2)))
    with pytest.raises(CuteLabError, match="at most"):
        print_inverse(Layout((2, 2), (10**9, 1)))


def test_a_static_composed_layout_prints_like_cute():
    tile = parse_layout("Sw<2,0,2> o 0 o (4,4):(4,1)")
    assert isinstance(tile, ComposedLayout)
    assert print_layout(tile, static=True).startswith("Sw<2,0,2> o _0 o (_4,_4):(_4,_1)\n")
