"""The layout topic: pictures say what the layout does, for every preset, every knob and odd layouts."""

import ast
import re

import numpy as np
import pytest

from cutelab import CuteLabError, cosize, explore, offsets, parse_layout, rank, size
from cutelab.core.int_tuple import flatten
from cutelab.course.card.paint.labels import numbered
from cutelab.course.card.picture import COLLISION, HOLE, PAST_END, Grid, Lines
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.layout import compute, panels, probe
from cutelab.course.topics.layout.knobs import COLOURS, PRESETS, LayoutParams

ODD = [
    "40:1",
    "(4,2,3)",
    "1:0",
    "(8,8):(-1,8)",
    "(3,5):(0,0)",
    "(32,32):(33,1)",
    "(2,2):(1,1)",
    "(1,7)",
    "(7,1)",
    "(40,3)",
    "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))",
    "Sw<3,4,3> o 16 o (8,64):(64,1)",
    "(64,64):(64,1)",
    "(128,200)",
    "(8):(3)",
]
ALL = [*PRESETS.values(), *ODD]


def view(text, **changes):
    params = LayoutParams().change(layout=text, **changes)
    result = compute(params)
    return params, result, panels(result)


def grids(picture) -> tuple[Grid, Grid]:
    tile, memory = picture.grids()
    assert (tile.name, memory.name) == ("tile", "memory")
    return tile, memory


def arithmetic(picture):
    return next(p for row in picture.body for column in row for p in column if isinstance(p, Lines)).lines


@pytest.mark.parametrize("text", ALL)
def test_tile_shows_the_offsets(text):
    params, result, picture = view(text)
    tile, _ = grids(picture)
    table = offsets(parse_layout(text)).ravel(order="F")
    rows, columns = result.rows, result.columns
    extent = params.grid
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            index = row * 16 + column if rank(params.layout) == 1 else row + extent[0] * column
            expected = str(table[index]) if index < len(table) else ""
            assert tile.labels[i, j] == expected
    assert result.low == table.min() and result.high == table.max()


@pytest.mark.parametrize("text", [t for t in ALL if cosize(parse_layout(t)) <= 128])
def test_memory_is_the_inverse(text):
    params, result, picture = view(text)
    tile, memory = grids(picture)
    table = offsets(params.layout).ravel(order="F")
    start = int(memory.row_heads[0])
    lives = 0
    for k, (state, met) in enumerate(zip(memory.states.ravel(), memory.probe.ravel(), strict=True)):
        here = np.flatnonzero(table == start + k)
        lives += len(here)
        assert bool(state & COLLISION) == (len(here) > 1)
        assert bool(state & HOLE) == (len(here) == 0 and result.low <= start + k <= result.high)
        assert not state & PAST_END or not result.low <= start + k <= result.high
        assert state & PAST_END or memory.labels is None or result.low <= start + k <= result.high
        if len(here):
            assert str(start + k) == tile.labels.ravel()[met]
    assert lives == len(table)
    if memory.labels is not None:
        modes = [1] if rank(params.layout) == 1 else [size(params.layout[i]) for i in range(rank(params.layout))]
        weights = np.cumprod([1, *modes])
        for k, label in enumerate(memory.labels.ravel()):
            if label:
                numbers = list(map(int, label.split(",")))
                index = int(np.dot(numbers, weights[: len(numbers)]))
                assert table[index] == start + k


@pytest.mark.parametrize("text", ALL)
def test_the_probe_lands_where_it_is_put(text):
    params, _, picture = view(text)
    tile, _ = grids(picture)
    cells = tile.probe[tile.probe >= 0]
    for cell in {int(cells[0]), int(cells[len(cells) // 2]), int(cells[-1])}:
        moved = params.change(**probe(compute(params), cell))
        result = compute(moved)
        assert result.probed == cell
        after = panels(result)
        ring = next(r for r in grids(after)[0].rings if r.kind == "probe")
        assert grids(after)[0].probe[ring.row, ring.col] == cell
        assert f"offset {result.offset} " in after.status
        assert after.tips.template.format(*after.tips.table[cell]).split("offset ")[1].startswith(str(result.offset))


@pytest.mark.parametrize("text", ALL)
def test_the_arithmetic_on_the_card_is_right(text):
    params, result, picture = view(text)
    lines = [line.text for line in arithmetic(picture) if "·" in line.text and "=" in line.text]
    left, right = lines[0].split(" → ")[1].split(" = ")
    total = sum(int(c) * int(d.strip("()")) for c, d in (term.split("·") for term in left.split(" + ")))
    assert total == int(right)
    item = ELEMENTS[params.element]
    assert f"byte {result.offset * item} as" in arithmetic(picture)[-1].text


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ("(8,8):(8,1)", "good", "bijection onto 0 to 63"),
        ("(8,8):(9,1)", "note", "7 offsets hold no element (10 % of 71)"),
        ("((4,2),(2,4)):((2,16),(1,8))", "bad", "16 offsets (16 to 31) are each reached by two coordinates"),
        ("((4,2),(2,4)):((2,16),(1,8))", "bad", "(4,0) and (0,4) both land on offset 16"),
        ("(8,8):(0,1)", "note", "8 coordinates share each offset, because leaf mode 0 has stride 0"),
        ("(8,8):(-1,8)", "note", "they run from -7 to 56"),
        ("(2,2):(1,1)", "bad", "offset 1 is reached by two coordinates"),
        ("(8,8):(1,8)", "good", "Mode 0 has stride 1 (down a column)"),
        ("(4,4):(8,2)", "note", "No mode has stride 1"),
        ("Sw<3,0,3> o 0 o (8,8):(8,1)", "good", "within blocks of 64 elements"),
        ("(1000000,1000000)", "good", "bijection"),
        ("(1000000,1000000):(1,999999)", "bad", "there are 999,999 more elements than offsets"),
        ("(1000,1000):(3,2001)", "note", "not checked point by point"),
        ("(1000000,1000000):(1,1)", "bad", "Not injective: among the drawn cells alone"),
        ("(2000,64):(0,1)", "bad", "among the drawn cells alone"),
        ("Sw<3,0,3> o -8 o (8,8):(8,1)", "note", "The offset -8 begins before the base"),
    ],
)
def test_verdicts(text, state, words):
    verdict = view(text)[2].verdicts[0]
    assert verdict.state == state and words in f"{verdict.sentence} {verdict.second}"


def test_huge_layouts_draw_a_window_around_the_probe():
    params, result, picture = view("(1000000,1000000):(1,1000000)", row=999_999, column=500_000)
    tile, memory = grids(picture)
    assert tile.shape[0] <= 64 and tile.shape[1] == 64 and result.table.size <= 4096
    assert str(params.layout(999_999, 500_000)) == tile.labels.ravel()[result.probed]
    assert "Rows 999936 to 999999" in picture.subtitle
    assert any(r.kind == "probe" for r in memory.rings)


def test_every_knob_at_both_ends():
    for text in ("(8,8):(8,1)", "((4,2),(2,4)):((2,16),(1,8))", "Sw<3,0,3> o 0 o (8,8):(8,1)", "40:1"):
        params = LayoutParams().change(layout=text)
        for control in params.controls():
            ends = (False, True) if control.kind == "check" else control.choices or (control.lo, control.hi)
            if control.kind == "text":
                continue
            for value in (ends[0], ends[-1]):
                if (control.name, value) == ("preset", "own"):
                    continue
                moved = params.change(**{control.name: value})
                picture = panels(compute(moved))
                assert picture.verdicts and picture.alt.startswith(str(moved.layout))
                now = {c.name: c.value for c in moved.controls()}
                assert now[control.name] == value


def test_sliders_are_the_leaf_modes():
    params = LayoutParams().change(layout="((4,2),(2,4)):((2,32),(1,8))")
    named = {c.name: c.value for c in params.controls() if c.kind == "slider"}
    assert named == {"shape_0": 4, "shape_1": 2, "shape_2": 2, "shape_3": 4,
                     "stride_0": 2, "stride_1": 32, "stride_2": 1, "stride_3": 8}  # fmt: skip
    assert str(params.change(stride_1=16).layout) == "((4,2),(2,4)):((2,16),(1,8))"
    turned = LayoutParams().change(layout="Sw<3,0,3> o 0 o (8,8):(8,1)", stride_0=16)
    assert str(turned.layout) == "Sw<3,0,3> o 0 o (8,8):(16,1)"
    shrunk = LayoutParams(row=7, column=7).change(shape_0=4)
    assert (shrunk.row, shrunk.column) == (3, 7)


@pytest.mark.parametrize("colour", COLOURS)
def test_colours_mean_what_the_legend_says(colour):
    _params, result, picture = view("((4,2),(2,4)):((2,16),(1,8))", colour=colour, element="float64")
    tile, memory = grids(picture)
    table, rows, columns = result.table, result.rows[:, None], result.columns
    expected = {
        "offset": table * 32 // (result.high + 1),
        "bank": table * 8 // 4 % 32,
        "row": np.broadcast_to(rows % 8, table.shape),
        "column": np.broadcast_to(columns % 8, table.shape),
        "128-byte line": table * 8 // 128 % 8,
    }[colour]
    assert (tile.fill == expected).all()
    same = {
        int(p): f
        for p, f, s in zip(memory.probe.ravel(), memory.fill.ravel(), memory.states.ravel(), strict=True)
        if p >= 0 and not s
    }
    assert all(tile.fill.ravel()[p] == f for p, f in same.items()), "a cell has one colour in both panels"
    assert colour.split()[-1] in picture.legend[0].text


def test_the_call_rebuilds_the_view():
    params = LayoutParams().change(layout="(8,4):(4,1)", colour="bank", element="half", row=7)
    call = ast.parse(params.call("layout"), mode="eval").body
    rebuilt = LayoutParams().change(layout=call.args[0].value, **{k.arg: k.value.value for k in call.keywords})
    assert rebuilt == params
    assert LayoutParams().call("layout") == "explore.layout()"


def test_copies_are_the_same_layout():
    for text in ALL:
        copies = view(text)[2].copies
        assert parse_layout(copies["CuTe"]) == parse_layout(text)
        assert parse_layout(copies["C++ type"]) == parse_layout(text)
        if match := re.fullmatch(r"Layout\((.*), ([^()]*|\(.*\))\)", copies["Python"]):
            shape, stride = ast.literal_eval(f"[{match.group(1)}, {match.group(2)}]")
            assert (shape, stride) == (parse_layout(text).shape, parse_layout(text).stride)


@pytest.mark.parametrize(
    "changes",
    [{"layout": ""}, {"layout": "(4x,8)"}, {"layout": "(8,8):(8,1"}, {"layout": "(0,8)"}, {"layout": "(8,8):(8)"}, {"element": "float"},
     {"colour": "red"}, {"row": 8}, {"row": -1}, {"column": 1.5}, {"preset": "own"}, {"shape_0": 0}, {"shape_9": 1}, {"pitch": 3},
     {"stride_x": 1}, {"layout": "(100000000,1000000000000)"},
     {"layout": "(2,2):(9223372036854775807,0)"}, {"layout": "Sw<1,0,1> o 9223372036854775807 o 8:1"}],
)  # fmt: skip
def test_bad_input_is_one_clear_error(changes):
    with pytest.raises(CuteLabError) as caught:
        LayoutParams().change(**changes)
    assert len(str(caught.value)) > 10


def test_probe_cells_outside_are_refused():
    for cell in (-1, 64):
        with pytest.raises(CuteLabError):
            probe(compute(LayoutParams()), cell)


def test_a_shared_memory_pointer_names_the_element():
    text = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"
    params = LayoutParams().change(layout=text)
    assert params.element == "half" and f"byte {compute(params).offset * 2} " in panels(compute(params)).status
    assert LayoutParams().change(layout=text, element="float32").element == "float32"


def test_a_tip_never_shows_a_number_that_was_cut():
    assert view("(1000000,1000000000)", row=0, column=999_999_999)[2].tips is None
    assert view("(8,8):(8,1)")[2].tips is not None


@pytest.mark.parametrize("text", ["(2,2):(9223372036854775807,0)", "Sw<1,0,1> o 9223372036854775807 o 8:1"])
def test_offsets_beyond_the_picture_are_refused(text):
    with pytest.raises(CuteLabError, match="2\\^"):
        LayoutParams().change(layout=text)


def test_of_a_huge_layout_the_colours_span_what_is_drawn_and_the_rest_is_said():
    lab = explore.layout("(4096,4096):(4096,1)")
    tile, memory = lab.picture.grids()[:2]
    low, high = lab.result.span
    assert (low, high) == (0, 63 * 4096 + 63)
    assert {tile.fill.min(), tile.fill.max()} == {0, 31}
    assert lab.picture.subtitle.endswith("Rows 0 to 63, columns 0 to 63 are drawn.")
    assert lab.picture.legend[0].text == f"drawn: offset 0 to {high:,}"
    assert memory.subheading == "memory; blank: not drawn"


@pytest.mark.parametrize("text", ["(3,5,7):(1,3,15)", "(2,3,4):(1,2,6)", "(2,3,4,2):(1,2,6,24)", "(4,(2,5),4)"])
def test_layouts_of_more_than_two_modes_have_numbers_and_name_each_mode(text):
    _, result, picture = view(text, row=1, column=7)
    tile, _ = grids(picture)
    assert numbered(tile)
    extents = [int(np.prod(np.array(flatten(mode)))) for mode in parse_layout(text).shape]
    coord = tuple(int(c) for c in np.unravel_index(1 + extents[0] * 7, extents, order="F"))
    said = f"({','.join(map(str, coord))})"
    assert picture.status.startswith(f"{said} → ")
    assert any(line.text.startswith(f"{said}: byte") for line in arithmetic(picture))
    tips = picture.tips
    assert tips.template.format(*tips.table[result.probed]).startswith(f"{said} → offset {result.offset}\n")
