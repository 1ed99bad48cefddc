"""The algebra topic: pictures say what the operations do, refused ones too, for every example, knob and odd input."""

import ast
import itertools
import random

import numpy as np
import pytest

from cutelab import CuteLabError, Layout, composition, cosize, offsets, parse_layout, size
from cutelab.core.int_tuple import product
from cutelab.course.card.picture import OUTSIDE, Grid, Lines
from cutelab.course.topics.algebra import compute, panels, probe
from cutelab.course.topics.algebra.knobs import EXAMPLES, OPERATIONS, WITH_B, AlgebraParams

ODD = [
    {"a": "1:0", "b": "1:0"},
    {"a": "(8,8):(1,9)", "b": "3:-1"},
    {"a": "Sw<3,0,3> o 0 o (8,8):(8,1)", "b": "(8,8):(8,1)"},
    {"a": "(8,8):(8,1)", "b": "Sw<3,0,3> o 0 o (8,8):(8,1)"},
    {"a": "(8,8):(1,9)", "b": "(4,4):(0,8)"},
    {"a": "(1000000,1000000)", "b": "(1000,1000):(1000,1)"},
    {"a": "(1000000,1000000)", "b": "(100000,100000):(1,7)"},
    {"a": "(4,4):(1,8)", "b": "((2,3),5):((3,1),16)"},
    {"a": "8", "b": "4:1000000"},
    {"a": "(32,32):(33,1)", "b": "(32,32):(32,1)"},
    {"operation": "complement", "a": "(4,4):(1,2)"},
    {"operation": "complement", "a": "4:0", "cotarget": "8"},
    {"operation": "complement", "a": "4:2", "cotarget": "3"},
    {"operation": "complement", "a": "(8,8):(1,64)", "cotarget": "(100,100)"},
    {"operation": "complement", "a": "Sw<3,0,3> o 0 o (8,8):(8,1)", "cotarget": "128"},
    {"operation": "right_inverse", "a": "(8,8):(8,2)"},
    {"operation": "right_inverse", "a": "Sw<3,0,3> o 0 o (8,8):(8,1)"},
    {"operation": "left_inverse", "a": "(8,8):(9,1)"},
    {"operation": "left_inverse", "a": "(4,4):(4,6)"},
    {"operation": "left_inverse", "a": "(4,4):(-1,4)"},
    {"operation": "max_common_vector", "a": "(8,8):(8,1)", "b": "(8,8):(1,8)"},
    {"operation": "max_common_vector", "a": "Sw<2,1,3> o 0 o (8,8):(8,1)", "b": "Sw<2,1,3> o 0 o (8,8):(8,1)"},
    {"operation": "max_common_vector", "a": "(4,4):(4,1)", "b": "(16,16):(16,1)"},
    {"operation": "max_common_vector", "a": "(3,8):(8,1)", "b": "24:1"},
    {"operation": "coalesce", "a": "(4,2,8):(1,5,10)"},
]
VIEWS = [{"example": name} for name in EXAMPLES] + ODD
each = pytest.mark.parametrize("changes", VIEWS, ids=lambda c: " ".join(map(str, c.values())))


def view(**changes):
    params = AlgebraParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


def grids(picture) -> dict[str, Grid]:
    return {grid.name: grid for grid in picture.grids()}


def value(layout, index: int) -> int:
    """The offset of a 1-D index, digit by digit; the last mode goes on beyond the size."""
    if not isinstance(layout, Layout):
        inner = value(layout.inner, index)
        return layout.outer(layout.offset + inner)
    leaves = np.stack([np.ravel(flat(layout.shape)), np.ravel(flat(layout.stride))], 1).tolist()
    total = 0
    for extent, stride in leaves[:-1]:
        index, digit = divmod(index, extent)
        total += digit * stride
    return total + index * leaves[-1][1]


def flat(tree):
    return [x for t in tree for x in flat(t)] if isinstance(tree, tuple) else [tree]


@each
def test_cells_show_what_the_maps_give_and_one_colour_follows_one_coordinate(changes):
    _, result, picture = view(**changes)
    drawn = grids(picture)
    hue = {}
    for m in result.maps:
        grid = drawn[m.link.name]
        for i, j in itertools.product(*map(range, m.sheet.index.shape)):
            index, k = int(m.sheet.index[i, j]), int(m.cell[i, j])
            if grid.labels[i, j]:
                assert grid.labels[i, j] == str(value(m.link.layout, index))
            if k >= 0:
                c = int(result.ids[k])
                assert (c if m.link.before is None else value(m.link.before, c)) == index
                key = c // product(result.chain.domain[0]) if result.chain.hues else c
                assert hue.setdefault(key, grid.fill[i, j]) == grid.fill[i, j] >= 0
            else:
                assert grid.fill[i, j] == -1
            outside = k >= 0 and index >= size(m.link.layout)
            assert bool(grid.states[i, j] & OUTSIDE) == outside


@each
def test_the_law_on_the_card_is_the_law(changes):
    params, result, picture = view(**changes)
    verdict, r = picture.verdicts[0], result.layout
    a, b = params.a, params.b
    if r is None:
        assert verdict.state == "bad" and verdict.sentence.startswith(
            ("Refused: ", "The compiler stops: ", "Only cutelab refuses: ")
        )
        assert "Refused: " in picture.copies["explain"]
        return
    said = "Result R = " if params.operation == "max_common_vector" else str(r)
    assert verdict.state != "bad" and said in picture.copies["explain"]
    for c in result.ids[:: max(1, len(result.ids) // 100)].tolist():
        if params.operation == "composition":
            assert value(r, c) == value(a, value(b, c))
        elif params.operation == "coalesce":
            assert value(r, c) == value(a, c)
        elif params.operation == "right_inverse":
            assert value(a, value(r, c)) == c
        elif params.operation == "left_inverse":
            assert value(r, value(a, c)) == c
        elif params.operation == "max_common_vector":
            assert value(a, value(r, c)) - value(a, 0) == c == value(b, value(r, c)) - value(b, 0)


@each
def test_the_probe_is_ringed_in_each_panel_and_its_sums_are_right(changes):
    params, result, picture = view(**changes)
    drawn = grids(picture)
    for cell in {0, len(result.ids) // 2, len(result.ids) - 1}:
        moved = params.change(**probe(compute(params), cell))
        now = compute(moved)
        after = panels(now)
        if now.ids is result.ids or (now.ids == result.ids).all():
            assert now.probed == cell
        for m in now.maps:
            if m.at < 0:
                continue
            grid = grids(after)[m.link.name]
            ring = next(r for r in grid.rings if r.kind == "probe")
            assert m.sheet.index[ring.row, ring.col] == m.at
            assert grid.labels[ring.row, ring.col] == str(m.value)
    lines = [line for p in picture.body[1][0] if isinstance(p, Lines) for line in p.lines if line.bold]
    sums = [line.text.split("→")[-1].split(",")[0] for line in lines if "=" in line.text.split("→")[-1]]
    for text in sums:
        left, right = text.split(" = ")
        terms = [t.replace("(", "").replace(")", "").split("·") for t in left.split(" + ")]
        assert sum(int(np.prod(list(map(int, t)))) for t in terms) == int(right)
    assert drawn and picture.status


def test_complement_fills_the_offsets_once():
    _, result, picture = view(operation="complement", a="(2,2):(1,6)", cotarget="24")
    assert str(result.layout) == "(3,2):(2,12)"
    assert "fill the offsets 0 to 23" in picture.verdicts[0].second
    assert sum(key.kind == "fill" for key in picture.legend) == 6
    whole = grids(picture)["offsets"]
    assert (whole.fill[whole.probe >= 0] >= 0).all() and sorted(whole.probe[whole.probe >= 0]) == list(range(24))


@pytest.mark.parametrize(
    ("a", "b", "state", "words"),
    [
        ("(6,2):(8,2)", "(4,3):(3,1)", "good", "R = ((2,2),3):((24,2),8), and R(c) = A(B(c)) at all 12 coordinates"),
        ("(8,8):(1,9)", "((4,8),2):((16,1),8)", "good", "leaves 7 offsets unused"),
        ("(4,4):(4,1)", "8:4", "note", "B reaches index 28, and A has 16 elements"),
        ("(8,8):(1,9)", "4:12", "bad", "stride 12 is neither a multiple of 8 nor below it (stride divisibility)"),
        ("(8,8):(1,9)", "4:12", "bad", "First at c = (1): A(B(c)) = A(12) = 13; unchecked, R would give 18"),
        ("(8,8):(1,9)", "5:3", "bad", "of 8 elements 3 are met in steps of 3, and 3 does not divide 5"),
        ("(8,8):(1,9)", "5:3", "bad", "First at c = (3): A(B(c)) = A(9) = 10; R has no such coordinate"),
        ("(8,8):(1,9)", "4:12", "bad", "The compiler stops: "),
        ("(4,6,8):(2,3,5)", "6:3", "bad", "Only cutelab refuses: 6:3 of B"),
        ("(4,6,8):(2,3,5)", "6:3", "bad", "First at c = (2): A(B(c)) = A(6) = 7; C++ gives 3"),
        ("(4,4):(1,8)", "(2,3):(3,1)", "bad", "First at c = (1,1): A(B(c)) = A(4) = 8; C++ gives 4"),
        ("(2,3):(4,1)", "(3,4):(3,1)", "bad", "The compiler stops"),
    ],
)
def test_verdicts_of_composition(a, b, state, words):
    verdict = view(a=a, b=b)[2].verdicts[0]
    assert verdict.state == state and words in f"{verdict.sentence} {verdict.second}"


@pytest.mark.parametrize(
    ("operation", "a", "b", "state", "words"),
    [
        ("right_inverse", "(2,4,6):(4,1,8)", "1", "good", "R = (4,2,6):(2,1,8)"),
        ("right_inverse", "(8,8):(1,9)", "1", "note", "No mode of A goes on at offset 8"),
        ("left_inverse", "(2,2):(1,3)", "1", "good", "R = (3,2):(1,2)"),
        ("left_inverse", "((4,2),(2,4)):((2,16),(1,8))", "1", "bad", "not injective"),
        ("coalesce", "(2,(1,6)):(1,(6,2))", "1", "good", "R = 12:1: 1 mode where there were 3"),
        ("max_common_vector", "(8,8):(1,9)", "(8,8):(1,8)", "good", "8 elements can be copied by one"),
        ("max_common_vector", "(2,2,2):(1,2,4)", "(2,2,2):(2,1,4)", "note", "1 element at a time"),
    ],
)
def test_verdicts_of_the_others(operation, a, b, state, words):
    verdict = view(operation=operation, a=a, b=b)[2].verdicts[0]
    assert verdict.state == state and words in f"{verdict.sentence} {verdict.second}"


def test_random_pairs_are_lawful_or_say_where_they_fail():
    rng = random.Random(7)
    seen = {"bad": 0, "good": 0, "note": 0}
    for _ in range(300):
        a, b = (
            Layout(
                tuple(rng.choice((1, 2, 3, 4, 6)) for _ in range(n)),
                tuple(rng.choice((1, 2, 3, 4, 8)) for _ in range(n)),
            )
            for n in (rng.randint(1, 3), rng.randint(1, 2))
        )
        _, result, picture = view(a=a, b=b)
        seen[picture.verdicts[0].state] += 1
        points = result.chain.points
        if points is None:
            assert result.layout == composition(a, b)
            continue
        with pytest.raises(CuteLabError):
            composition(a, b)
        want = [value(a, value(b, c)) for c in range(size(b))]
        assert points.columns["A(B(c))"].tolist() == want
        if points.failing is not None:
            c = points.failing
            assert points.missing[c] or points.columns["R(c)"][c] != want[c]
            assert not points.wrong[:c].any()
    assert seen["bad"] > 20 and seen["good"] > 20


@pytest.mark.parametrize("name", [n for n, v in EXAMPLES.items() if v[0] == "composition"])
def test_fixes_are_admissible(name):
    params, result, picture = view(example=name)
    assert bool(picture.offers) <= (result.layout is None)
    for fix in picture.offers:
        assert panels(compute(params.change(**fix.changes))).verdicts[0].state != "bad"
    if name in ("refused: stride", "refused: shape", "C++ is silent"):
        assert picture.offers


def test_every_knob_at_both_ends():
    for changes in [{"example": name} for name in EXAMPLES]:
        params = AlgebraParams().change(**changes)
        for control in params.controls():
            if control.kind == "text":
                continue
            ends = control.choices or (control.lo, control.hi)
            for end in (ends[0], ends[-1]):
                if (control.name, end) == ("example", "own"):
                    continue
                moved = params.change(**{control.name: end})
                assert panels(compute(moved)).verdicts
                now = {c.name: c.value for c in moved.controls()}
                assert now[control.name] == end


def test_the_call_rebuilds_the_view():
    for changes in VIEWS:
        params = AlgebraParams().change(**changes)
        call = ast.parse(params.call("algebra"), mode="eval").body
        given = {k.arg: k.value.value for k in call.keywords}
        if call.args:
            given["operation"] = call.args[0].value
        assert AlgebraParams().change(**given) == params
    assert AlgebraParams().call("algebra") == "explore.algebra()"


def test_copies_are_the_operation():
    _, result, picture = view(example="from CuTe's pages")
    assert parse_layout(picture.copies["R"]) == result.layout
    assert picture.copies["C++"] == (
        "composition(Layout<Shape<_6,_2>,Stride<_8,_2>>{}, Layout<Shape<_4,_3>,Stride<_3,_1>>{})"
    )
    text = picture.copies["Python"]
    assert eval(text, {"composition": composition, "parse_layout": parse_layout}) == result.layout
    assert "Checked: R(c) = A(B(c)) at all 12 coordinates." in picture.copies["explain"]


def test_broadcast_rings_the_twins():
    _, _, picture = view(a="(8,8):(1,9)", b="(4,4):(0,8)", index=0)
    for name in "BR":
        assert sum(r.kind == "twin" for r in grids(picture)[name].rings) == 3


def test_large_pairs_draw_a_window_around_the_probe():
    params, result, picture = view(a="(1000000,1000000)", b="(100000,100000):(1,1000000)", index=123_456_789)
    assert all(grid.fill.size <= 32 * 32 for grid in picture.grids()) and params.index in result.ids
    assert "sampled coordinates" in picture.verdicts[0].sentence
    assert str(params.b(params.index)) in picture.status


@pytest.mark.parametrize(
    "changes",
    [{"a": ""}, {"b": "(4x,3)"}, {"operation": "compose"}, {"index": 12}, {"index": -1}, {"index": 1.5}, {"a_shape_0": 0},
     {"a_shape_9": 1}, {"b_size_0": 1}, {"cotarget": "4:1"}, {"cotarget": "0"}, {"cotarget": "x"}, {"example": "own"}, {"pitch": 3},
     {"a": "(100000000,1000000000000)"}, {"b_stride_0": 2**63}],
)  # fmt: skip
def test_bad_input_is_one_clear_error(changes):
    with pytest.raises(CuteLabError) as caught:
        AlgebraParams().change(**changes)
    assert len(str(caught.value)) > 10


def test_probe_cells_outside_are_refused():
    for cell in (-1, 12):
        with pytest.raises(CuteLabError):
            probe(compute(AlgebraParams()), cell)


def test_a_smaller_domain_keeps_the_probe_inside():
    params = AlgebraParams(index=11).change(b="2:1")
    assert params.index == 1
    assert AlgebraParams(index=11).change(operation="left_inverse").index == 11


def test_the_padding_that_is_left_out_is_counted():
    a = parse_layout("(8,8):(1,9)")
    unused = set(range(cosize(a))) - set(offsets(a).ravel().tolist())
    assert len(unused) == 7 and not unused & set(offsets(composition(a, parse_layout("((4,8),2):((16,1),8)"))).ravel())


def test_operations_are_all_shown():
    assert {v[0] for v in EXAMPLES.values()} == set(OPERATIONS) and WITH_B == ("composition", "max_common_vector")


def test_a_coordinate_that_the_result_lacks_says_none():
    picture = panels(compute(AlgebraParams().change(a="(8,8):(1,9)", b="5:3", index=4)))
    (table,) = (grid for grid in picture.grids() if "point by point" in grid.heading)
    assert table.labels[:, -1].tolist() == ["0", "3", "6", "none", "none"]
