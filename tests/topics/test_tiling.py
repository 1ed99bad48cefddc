"""The tiling topic: each cell in its tile, each slice the tile that it names, for every operation, knob and odd tiler."""

import ast
import itertools

import numpy as np
import pytest

from cutelab import CuteLabError, Layout, offsets, parse_layout, size, zipped_divide
from cutelab import algebra as ops
from cutelab.core.int_tuple import product
from cutelab.course.card.picture import OUTSIDE, Lines
from cutelab.course.topics.tiling import compute, panels, probe
from cutelab.course.topics.tiling.cut import DIVIDES, MATRIX, PRODUCTS, cut
from cutelab.course.topics.tiling.knobs import EXAMPLES, OPERATIONS, TilingParams
from cutelab.course.topics.tiling.tilers import parse_tiler, spell_tiler
from cutelab.course.topics.tiling.words import cpp_coordinate, slice_coordinate, tile_name, zeros

ODD = [
    {"layout": "24", "tiler": "4:2"},
    {"layout": "24", "tiler": "<4>"},
    {"layout": "(8,8)", "tiler": "<3, <4, 2>>"},
    {"layout": "(8,(4,2))", "tiler": "<4, <2, _>>"},
    {"layout": "(8,(4,2))", "tiler": "<_, (2,2):(1,4)>"},
    {"layout": "(4,6,8):(48,8,1)", "tiler": "<2, 3>"},
    {"layout": "Sw<3,0,3> o 0 o (8,8):(8,1)", "tiler": "<4, 4>"},
    {"layout": "(32,8):(1,32)", "tiler": "(4,1):(1,4)", "other": "<4:1, 1:1>"},
    {"layout": "(1000000,1000000)", "tiler": "<128, 64>", "i": 100, "j": 5},
    {"layout": "(1000000,1000000)", "tiler": "<1000, 1000>", "i": 3, "j": 999, "element": 999_999},
    {"layout": "(9,(4,8)):(59,(13,1))", "tiler": "<3:3, (2,4):(1,8)>"},
    {"layout": "(8,8):(1,9)", "tiler": "<_, _>"},
    {"layout": "(8,8)", "tiler": "4:0"},
    {"layout": "(8,8)", "tiler": "(4,4):(1,2)"},
    {"layout": "(8,8)", "tiler": "<16, 16>"},
    {"operation": "flat_product", "layout": "(4,8)", "tiler": "(2,5)"},
    {"operation": "tiled_product", "layout": "(4,8)", "tiler": "(2,5)"},
    {"operation": "logical_product", "layout": "(2,2):(4,1)", "tiler": "6"},
    {"operation": "logical_product", "layout": "(2,5):(5,1)", "tiler": "<3:5, 4:6>"},
    {"operation": "zipped_product", "layout": "(2,5):(5,1)", "tiler": "<3:5, 4:6>"},
    {"operation": "blocked_product", "layout": "4", "tiler": "3"},
    {"operation": "blocked_product", "layout": "(2,2,2)", "tiler": "(2,3)"},
    {"operation": "raked_product", "layout": "Sw<1,0,3> o 0 o (4,4):(4,1)", "tiler": "(2,2)"},
    {"operation": "blocked_product", "layout": "(4,4):(0,1)", "tiler": "(2,2)"},
]
VIEWS = [{"example": name} for name in EXAMPLES] + ODD
each = pytest.mark.parametrize("changes", VIEWS, ids=lambda c: " ".join(map(str, c.values())))


def view(**changes):
    params = TilingParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


def grids(picture):
    return {grid.name: grid for grid in picture.grids()}


def index(layout, row: int, col: int) -> int:
    """The 1-D index of a place of the matrix; one mode alone runs across."""
    whole = layout.shape
    down = product(whole[0]) if isinstance(whole, tuple) and len(whole) > 1 else 1
    return row + down * col


@each
def test_a_slice_is_the_tile_that_it_names(changes):
    _, result, picture = view(**changes)
    found = result.cut
    if found.result is None:
        assert picture.verdicts[0].state == "bad"
        return
    for tile in sorted({0, 1 % found.count, found.count // 2, found.count - 1}):
        at = slice_coordinate(found, tile)
        sliced, origin = found.result(*at), found.result(*zeros(at))
        assert size(sliced) == found.elements
        ids = tile * found.elements + np.arange(min(found.elements, 500))
        table = found.offsets(ids)
        assert table[0] == origin
        if isinstance(sliced, Layout):
            assert [origin + sliced(int(k)) for k in range(len(ids))] == table.tolist()
        else:
            assert [sliced(int(k)) for k in range(len(ids))] == table.tolist()


@each
def test_each_cell_stands_in_its_tile(changes):
    params, result, picture = view(**changes)
    found, sheet = result.cut, result.sheets[0]
    grid = grids(picture)["matrix"]
    whole = params.layout
    colours = {}
    for i, j in itertools.product(*map(range, sheet.pair.shape)):
        pair, row, col = int(sheet.pair[i, j]), int(sheet.rows[i]), int(sheet.columns[j])
        beyond = row >= found.extent[0] or col >= found.extent[1]
        assert bool(grid.states[i, j] & OUTSIDE) == (beyond and pair >= 0)
        if pair < 0:
            assert grid.fill[i, j] == -1
            continue
        tile = pair // found.elements
        assert colours.setdefault(tile, grid.fill[i, j]) == grid.fill[i, j] >= 0
        if found.result is None:
            continue
        assert grid.labels[i, j] == str(found.offsets(np.array([pair]))[0])
        if found.divides and not beyond and isinstance(whole, Layout):
            assert grid.labels[i, j] == str(whole(index(whole, row, col)))
    if found.divides and found.known is not None and size(whole) <= 4096 and not result.met[2]:
        assert result.met[0] == size(whole), "each element of the matrix is in one tile"


@pytest.mark.parametrize("operation", MATRIX)
def test_products_are_matrices_of_their_result(operation):
    result = view(operation=operation, layout="(4,8):(8,1)", tiler="(2,3):(3,1)")[1]
    table, sheet = offsets(result.layout), result.sheets[0]
    assert (sheet.offsets == table[np.ix_(sheet.rows, sheet.columns)]).all()


def test_the_flat_product_is_a_matrix_of_its_result():
    result = view(operation="flat_product", layout="(4,8):(8,1)", tiler="(2,3):(3,1)")[1]
    table, sheet = offsets(result.layout).reshape(4, -1, order="F"), result.sheets[0]
    assert (sheet.offsets == table[np.ix_(sheet.rows, sheet.columns)]).all()


@each
def test_the_probe_is_ringed_and_its_sum_is_right(changes):
    params, result, picture = view(**changes)
    if result.cut.known is None:
        return
    for cell in {0, len(result.ids) // 2, len(result.ids) - 1}:
        moved = params.change(**probe(compute(params), cell))
        now = compute(moved)
        after = panels(now)
        assert now.picked == int(result.ids[cell])
        matrix = grids(after)["matrix"]
        ring = next(r for r in matrix.rings if r.kind == "probe")
        assert now.sheets[0].pair[ring.row, ring.col] == now.picked
        assert after.status.endswith(f"offset {now.offset} elements")
        assert after.tips.template.format(*after.tips.table[now.probed]).split("offset ")[1] in (
            str(now.offset),
            str(2**31 - 1),
        )
    for line in (line for row in picture.body for col in row for p in col if isinstance(p, Lines) for line in p.lines):
        if "·" in line.text and " = " in line.text and line.text.startswith("→"):
            left, right = line.text[2:].split(" = ")
            assert sum(int(np.prod([int(x.strip("()")) for x in t.split("·")])) for t in left.split(" + ")) == int(
                right
            )


def test_block_3_5_of_128_by_128():
    _, result, picture = view(layout="(128,128):(1,128)", tiler=(4, 8), i=3, j=5)
    assert str(result.layout) == "((4,8),(32,16)):((1,128),(4,1024))" and result.origin == 5132
    assert picture.verdicts[0].second == "Tile (3,5) begins at offset 5132."
    lines = [line for p in picture.body[1][1] for line in p.lines]
    assert any(line.bold == "t(_, make_coord(3,5))" for line in lines)
    assert any(line.text == "Beware: t(3,5) is no tile, but element 3 of tile number 5: offset 23." for line in lines)
    assert zipped_divide(Layout((128, 128)), (4, 8))(3, 5) == 23


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("zipped_divide", "_, make_coord(1,2)"),
        ("tiled_divide", "_, 1, 2"),
        ("flat_divide", "_, _, 1, 2"),
        ("logical_divide", "make_coord(_,1), make_coord(_,2)"),
        ("blocked_product", "make_coord(_,1), make_coord(_,2)"),
        ("raked_product", "make_coord(1,_), make_coord(2,_)"),
        ("logical_product", "_, make_coord(1,2)"),
        ("tiled_product", "_, 1, 2"),
    ],
)
def test_each_operation_is_sliced_in_its_own_way(operation, words):
    tiler = (4, 8) if operation in DIVIDES else Layout((2, 5))
    found = cut(operation, Layout((16, 32)) if operation in DIVIDES else Layout((4, 8)), tiler)
    assert cpp_coordinate(slice_coordinate(found, 1 + found.grid[0] * 2)) == words


@pytest.mark.parametrize(
    ("changes", "state", "words"),
    [
        ({"example": "tiles of 4 x 8"}, "good", "16 tiles (4 x 4) of 32 elements: every element of the matrix is in exactly one"),
        ({"example": "twelve tiles"}, "good", "12 tiles of 32 elements"),
        ({"example": "the last tile is short"}, "note", "192 places for 140 elements"),
        ({"example": "refused"}, "bad", "C++ compiles this, but its tiles hold other elements than A has there"),
        ({"example": "refused"}, "bad", "A tile of 4:1 or 8:1 would do"),
        ({"example": "blocked"}, "good", "10 copies (2 x 5) of 32 elements: each offset from 0 to 319 is taken once"),
        ({"layout": "(8,8)", "tiler": "(4,4):(1,2)"}, "bad", "reaches up to 4, beyond the next stride 2"),
        ({"layout": "(8,8)", "tiler": "4:0"}, "note", "more than once"),
        ({"operation": "blocked_product", "layout": "(4,4):(0,1)", "tiler": "(2,2)"}, "note", "repeat offsets"),
    ],
)  # fmt: skip
def test_verdicts(changes, state, words):
    verdict = view(**changes)[2].verdicts[0]
    assert verdict.state == state and words in f"{verdict.sentence} {verdict.second}"


def test_a_layout_tiler_and_a_tuple_stand_beside_each_other():
    _, result, picture = view(layout="(32,8):(1,32)", tiler="(4,1):(1,4)", other="<4:1, 1:1>")
    assert [str(s.cut.result) for s in result.sheets] == ["((4,1),64):((1,4),4)", "((4,1),(8,8)):((1,32),(4,32))"]
    one, two = (grids(picture)[n] for n in ("matrix", "other"))
    assert (one.labels == two.labels).all() and (one.fill != two.fill).any() and (one.probe == two.probe).all()
    assert len(picture.verdicts) == 2


@pytest.mark.parametrize("tiler", ["(4,2):(1,4)", "<2, 8>", "6:1", "4:2", "(2,2):(1,4)", "<_, 3>", "<2:4, 2>"])
def test_on_each_side_the_frame_is_the_tile_that_holds_the_picked_element(tiler):
    params = TilingParams().change(layout="(8,8):(1,8)", tiler="<4, 2>", other=tiler)
    for cell in range(64):
        moved = params.change(**probe(compute(params), cell))
        result = compute(moved)
        picture, right = panels(result), result.sheets[1]
        row, col = np.argwhere(result.sheets[0].pair == result.picked)[0]
        assert right.pair[row, col] // right.cut.elements == right.tile
        for grid in (g for g in picture.grids() if g.name in ("matrix", "other")):
            frames = [r for r in grid.rings if r.kind == "access"]
            assert any(r.row <= row <= r.row_end and r.col <= col <= r.col_end for r in frames)
        tip = picture.tips.template.format(*picture.tips.table[result.probed])
        assert tip.startswith("left tile ") and f"right tile {tile_name(right.cut, right.tile)}" in tip


@each
def test_the_tile_that_holds_a_place_is_the_one_that_was_followed_there(changes):
    found = view(**changes)[1].cut
    if found.known is None or found.elements * found.count > 2**14:
        return
    ids = np.arange(found.elements * found.count)
    down, across = found.places(ids)
    held = found.holders(down, across)
    places = set(zip(held.tolist(), down.tolist(), across.tolist(), strict=True))
    assert places <= set(zip((ids // found.elements).tolist(), down.tolist(), across.tolist(), strict=True))


def test_the_legend_and_the_words_say_what_is_drawn():
    picture = view(example="refused")[2]
    assert [k.kind for k in picture.legend if "picked tile" in k.text] == ["twin"], "dashed, as in large cells"
    picture = view()[2]
    assert [k.kind for k in picture.legend if "picked tile" in k.text] == ["access"]
    assert (
        "8 colours in turn" in picture.subtitle and "in turn" not in view(example="blocked", tiler="(2,2)")[2].subtitle
    )
    assert view(tiler="<5, 8>")[2].verdicts[0].second.endswith("leave out (predicate) the other 128; none is drawn.")
    assert view(example="the last tile is short")[2].verdicts[0].second.endswith("the other 52.")
    assert grids(view(example="128 x 128")[2])["matrix"].fill.shape == (16, 24), "four digits need room"


def test_sliders_turn_the_tile():
    params = TilingParams()
    assert {c.name: c.value for c in params.controls() if c.kind == "slider"} == {"tile_0": 4, "tile_1": 8}
    assert spell_tiler(params.change(tile_0=8).tiler) == "<8, 8>"
    product_ = params.change(operation="blocked_product")
    assert (
        spell_tiler(product_.tiler) == "(4,8):(1,4)" and spell_tiler(product_.change(tile_1=3).tiler) == "(4,3):(1,4)"
    )
    assert spell_tiler(product_.change(operation="zipped_divide").tiler) == "<4, 8>"
    assert params.change(tile_0=16, tile_1=32).i == 0


def test_every_knob_at_both_ends():
    for changes in [{"example": name} for name in EXAMPLES]:
        params = TilingParams().change(**changes)
        for control in params.controls():
            if control.kind == "text":
                continue
            ends = control.choices or (control.lo, control.hi)
            for end in (ends[0], ends[-1]):
                if (control.name, end) == ("example", "own"):
                    continue
                moved = params.change(**{control.name: end})
                assert panels(compute(moved)).verdicts
                assert {c.name: c.value for c in moved.controls()}[control.name] == end


def test_every_operation_on_the_default_tiler():
    for operation in OPERATIONS:
        _, result, picture = view(operation=operation, layout="(4,8)")
        assert result.layout == getattr(ops, operation)(Layout((4, 8)), result.params.tiler)
        assert picture.copies["R"] == str(result.layout)


def test_the_call_rebuilds_the_view():
    for changes in VIEWS:
        params = TilingParams().change(**changes)
        call = ast.parse(params.call("tiling"), mode="eval").body
        given = {k.arg: k.value.value for k in call.keywords}
        if call.args:
            given["layout"] = call.args[0].value
        assert TilingParams().change(**given) == params
    assert TilingParams().call("tiling") == "explore.tiling()"


def test_copies_are_the_tile():
    _, result, picture = view(layout="(128,128):(1,128)", tiler=(4, 8), i=3, j=5)
    assert picture.copies["C++"].splitlines() == [
        "Tensor tensor = make_tensor(make_gmem_ptr(data), Layout<Shape<_128,_128>,Stride<_1,_128>>{});",
        "auto t = zipped_divide(tensor, make_tile(Int<4>{}, Int<8>{}));",
        "auto tile = t(_, make_coord(3,5));  // (4,8):(1,128) from offset 5132",
    ]
    sliced = eval(picture.copies["Python"], {"zipped_divide": zipped_divide, "parse_layout": parse_layout})
    assert sliced == Layout((4, 8), (1, 128))
    assert "Checked" in picture.copies["explain"] and result.layout is not None


def test_fixes_are_admissible():
    params, _, picture = view(example="refused")
    assert [c.changes["tiler"] for c in picture.offers] == ["4:1", "8:1"]
    for fix in picture.offers:
        assert panels(compute(params.change(**fix.changes))).verdicts[0].state == "good"


@pytest.mark.parametrize(
    "tiler", [4, (4, 8), (4, None), (Layout(4, 2), (2, 3)), Layout((4, 8), (1, 16)), (Layout((2, 2), (1, 4)), None)]
)
def test_tilers_are_read_as_they_are_spelled(tiler):
    assert parse_tiler(spell_tiler(tiler)) == tiler


@pytest.mark.parametrize(
    "text",
    ["", "<4, 8", "4, 8>", "<4,, 8>", "<4>>", "<4> 8", "<x>", "_", "<Sw<3,0,3> o 0 o 8>", "<" * 50 + "4" + ">" * 50],
)
def test_a_tiler_that_cannot_be_read_is_one_clear_error(text):
    with pytest.raises(CuteLabError) as caught:
        TilingParams().change(tiler=text)
    assert "tiler" in str(caught.value) or "expected" in str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [{"layout": ""}, {"operation": "divide"}, {"i": 4}, {"j": -1}, {"element": 32}, {"element": 0.5}, {"tile_0": 0}, {"tile_5": 1},
     {"tile_x": 1}, {"example": "own"}, {"other": "<"}, {"pitch": 3}],
)  # fmt: skip
def test_bad_input_is_one_clear_error(changes):
    with pytest.raises(CuteLabError) as caught:
        TilingParams().change(**changes)
    assert len(str(caught.value)) > 10


def test_huge_matrices_draw_a_window_around_the_picked_tile():
    _, result, picture = view(layout="(1000000,1000000)", tiler="<128, 64>", i=100, j=5, element=77)
    assert all(grid.fill.size <= 512 for grid in picture.grids()) and len(result.ids) < 3000
    assert result.offset == Layout((1_000_000, 1_000_000))(100 * 128 + 77, 320)


def test_products_are_all_here():
    assert set(OPERATIONS) == {n for n in ops.__all__ if n.endswith(("_divide", "_product"))} == {*DIVIDES, *PRODUCTS}
