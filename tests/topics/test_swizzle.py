"""The swizzle topic: numbers on the card are the library's, whatever the unit, the tile and the read."""

import ast

import numpy as np
import pytest

from cutelab import ComposedLayout, CuteLabError, Layout, Swizzle, offsets, parse_layout, parse_swizzle
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.picture import PAST_END, Grid, Lines
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.swizzle import compute, panels, probe
from cutelab.course.topics.swizzle.knobs import SwizzleParams
from cutelab.course.topics.swizzle.words import mechanism

VIEWS = {
    "plain": {},
    "bytes": {"unit": "bytes"},
    "row": {"access": "row"},
    "32x8": {"swizzle": "Sw<3,0,5>", "layout": "(32,8):(8,1)", "row": 17},
    "32x32": {"swizzle": "Sw<5,0,5>", "layout": "(32,32):(32,1)", "row": 21, "column": 9},
    "ldmatrix": {
        "swizzle": "Sw<3,4,3>",
        "unit": "bytes",
        "layout": "(8,64):(64,1)",
        "element": "half",
        "access_bytes": 16,
        "column": 8,
    },
    "half": {"element": "half", "layout": "(16,16):(16,1)", "access_bytes": 4},
    "wide": {"swizzle": "Sw<3,3,3>", "layout": "(8,32):(32,1)"},
    "negative": {"swizzle": "Sw<3,0,-3>"},
    "left": {"swizzle": "Sw<2,1,-6>", "layout": "(16,16):(16,1)"},
    "identity": {"swizzle": "Sw<0,4,3>"},
    "beyond": {"swizzle": "Sw<3,7,3>", "layout": "(8,128):(128,1)", "column": 100},
    "broken": {"layout": "(8,32):(32,1)", "access_bytes": 16},
    "column-major": {"layout": "(8,8):(1,8)", "access_bytes": 8},
    "padded": {"layout": "(32,8):(9,1)", "swizzle": "Sw<2,0,3>"},
    "nested": {"layout": "((4,2),(2,4)):((2,32),(1,8))"},
    "thin": {"layout": "(1,1):(0,0)"},
    "large": {"swizzle": "Sw<3,0,5>", "layout": "(256,256):(256,1)", "row": 200, "column": 100},
    "tall": {"layout": "(200,5):(5,1)", "row": 199},
    "doubles": {"element": "float64", "layout": "(16,16):(16,1)", "access": "row"},
    "quads": {"element": "uint128", "swizzle": "Sw<3,0,3>"},
    "broadcast": {"layout": "(8,8):(0,1)"},
}
each = pytest.mark.parametrize("name", VIEWS)


def view(name=None, **changes):
    params = SwizzleParams().change(**(VIEWS[name] if name else {}), **changes)
    result = compute(params)
    return params, result, panels(result)


def grids(picture) -> dict[str, Grid]:
    return {grid.name: grid for grid in picture.grids()}


def degree(addresses, width) -> int:
    """Wavefronts of one load, slow and obvious: distinct words in the fullest bank, group by group of lanes.

    Two lanes of a wide load that read the same place would go together; these tests never ask that.
    """
    lanes = {1: 32, 2: 32, 4: 32, 8: 16, 16: 8}[width]
    total = 0
    for start in range(0, len(addresses), lanes):
        banks: dict[int, set[int]] = {}
        for address in addresses[start : start + lanes]:
            for word in range(address // 4, address // 4 + max(1, width // 4)):
                banks.setdefault(word % 32, set()).add(word)
        total += max(map(len, banks.values()))
    return total


@each
def test_the_tiles_show_the_offsets_in_the_unit(name):
    params, result, picture = view(name)
    for tile, swizzle in (("before", Swizzle(0, 0, 0)), ("after", params.on_elements)):
        grid = grids(picture)[tile]
        for i, row in enumerate(result.rows.tolist()):
            for j, column in enumerate(result.columns.tolist()):
                offset = swizzle(params.layout(row, column))
                byte = offset * ELEMENTS[params.element]
                assert grid.labels[i, j] == str(byte if params.unit == "bytes" else offset)
                assert grid.fill[i, j] == byte // 4 % 32
                if grid.stripe is not None:
                    assert grid.stripe[i, j].tolist() == [(byte // 4 + k) % 32 for k in range(params.width // 4)]


@each
def test_wavefronts_are_those_of_the_addresses(name):
    params, result, _ = view(name)
    for wave, swizzle in ((result.wave, Swizzle(0, 0, 0)), (result.wave_after, params.on_elements)):
        starts = [[swizzle(params.layout(r, c + k)) for k in range(result.vector)] for r, c in result.read.tolist()]
        if wave is None:
            continue
        assert all(s == list(range(s[0], s[0] + len(s))) and s[0] % len(s) == 0 for s in starts)
        assert wave.count == degree([s[0] * params.item for s in starts], params.width)


@each
def test_the_lanes_read_a_line_through_the_probe(name):
    params, result, picture = view(name)
    assert (result.lane >= 0).any()
    for i, j in np.argwhere(result.lane >= 0).tolist():
        row, column = result.read[result.lane[i, j]].tolist()
        assert result.rows[i] == row and column <= result.columns[j] < column + result.vector
        if params.access == "row":
            assert row == params.row
        else:
            assert column <= params.column < column + result.vector
    ring = next(r for r in grids(picture)["before"].rings if r.kind == "access")
    assert (ring.row_end - ring.row + 1) * (ring.col_end - ring.col + 1) == (result.lane >= 0).sum()


@each
def test_the_boxes_are_the_bits_of_the_probed_offset(name):
    params, result, picture = view(name)
    found = grids(picture)
    rows = [found["bits"]] if "shifted" in found or len(found["bits"].labels) == 1 else None
    labels = (
        found["bits"].labels
        if rows is None
        else np.vstack([found[n].labels for n in ("bits", "shifted", "result") if n in found])
    )
    heads = [int(h.removeprefix("b")) for h in found["bits"].col_heads if h]
    unit = params.item if params.unit == "bytes" else 1
    before, after = (offset * unit for offset in result.offset)
    given = params.swizzle

    def digits(row):
        return sum(int(bit) << k for bit, k in zip(row, heads, strict=True) if bit)

    shown = sum(1 << k for k in heads)
    assert len(heads) <= 12 and (given.yyy | given.zzz) & ~shown == 0
    assert digits(labels[0]) == before & shown
    if given.bits:
        assert digits(labels[2]) == after & shown
        assert digits(labels[1]) == before ^ after
        assert [k for k, text in zip(heads, labels[1], strict=True) if text] == [k for k in heads if given.zzz >> k & 1]
    colours = found["bits"].fill[0].tolist()
    assert colours == [0 if given.yyy >> k & 1 else 1 if given.zzz >> k & 1 else 6 for k in heads]


@each
def test_the_source_leaves_ghosts_and_an_arrow(name):
    params, _, picture = view(name)
    found = grids(picture)
    if not params.swizzle.bits:
        assert "shifted" not in found
        return
    grid, row = (found["shifted"], 0) if "shifted" in found else (found["bits"], 1)
    source = np.flatnonzero(found["bits"].fill[0] == 0)
    assert np.flatnonzero(grid.states[row] & PAST_END).tolist() == source.tolist()
    ((at, start, goal),) = grid.arrows
    target = np.flatnonzero(found["bits"].fill[0] == 1)
    assert at == row and start in source and goal not in target
    assert abs(goal - target).min() == 1 and (goal >= start) == (params.swizzle.shift > 0)
    assert {(r.row, r.col) for r in grid.rings} == {(row, k) for k in target}


@each
def test_the_words_agree_with_the_counts(name):
    _params, result, picture = view(name)
    (verdict,) = picture.verdicts
    if result.wave is None or result.wave_after is None:
        assert verdict.state == "bad" and "not one aligned piece" in verdict.sentence
        return
    before, after, ideal = result.wave.count, result.wave_after.count, result.wave_after.ideal
    if not result.moves:
        assert verdict.state == ("note" if after <= 2 * ideal else "bad")
        assert f"moves nothing: {before} wavefront" in verdict.sentence
        return
    assert f"with {len(result.read)} lane" in verdict.sentence
    assert f"{before} wavefront{'s' * (before != 1)} before, {after} after" in verdict.sentence
    at_most_amber = after <= 2 * ideal or result.wave_after.ways == 1
    assert verdict.state == ("good" if after == ideal else "note" if at_most_amber else "bad")


def test_the_mockup_is_this_picture():
    _, _, picture = view()
    assert picture.title == "Sw<3,0,3> o 0 o (8,8):(8,1)" and picture.call == "explore.swizzle()"
    assert picture.verdicts[0].sentence == "Reading a column with 8 lanes: 2 wavefronts before, 1 after."
    assert picture.verdicts[0].second == (
        "Bits 3 to 5 (the row) are XORed into bits 0 to 2 (the column): each row keeps its 8 offsets, in another order."
    )
    rows = grids(picture)["after"].labels
    assert " ".join(rows[1]) == "9 8 11 10 13 12 15 14" and " ".join(rows[2]) == "18 19 16 17 22 23 20 21"
    lines = [line.text for row in picture.body for c in row for p in c if isinstance(p, Lines) for line in p.lines]
    assert "banks 3 11 19 27 3 11 19 27" in lines and "banks 3 10 17 24 7 14 21 28" in lines
    assert {"(2,3) is offset 19 before", "(2,3) is offset 17 after", "= Sw<3,2,3> on bytes"} <= set(lines)


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({"swizzle": "Sw<3,0,3>", "layout": "(32,8):(8,1)"}, (8, 4)),
        ({"swizzle": "Sw<3,0,4>", "layout": "(32,8):(8,1)"}, (8, 2)),
        ({"swizzle": "Sw<3,0,5>", "layout": "(32,8):(8,1)"}, (8, 1)),
        ({"swizzle": "Sw<2,2,2>", "layout": "(32,8):(8,1)"}, (8, 8)),
        ({"swizzle": "Sw<3,0,3>", "layout": "(32,32):(32,1)"}, (32, 16)),
        ({"swizzle": "Sw<3,2,3>", "layout": "(32,32):(32,1)"}, (32, 4)),
        ({"swizzle": "Sw<5,0,5>", "layout": "(32,32):(32,1)"}, (32, 1)),
        ({"swizzle": "Sw<3,0,-3>"}, (2, 2)),
        (VIEWS["ldmatrix"], (8, 1)),
    ],
)  # fmt: skip
def test_known_counts(changes, counts):
    _, result, _ = view(**changes)
    assert (result.wave.count, result.wave_after.count) == counts


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("swizzle", ["Sw<3,0,3>", "Sw<2,1,-4>", "Sw<0,2,1>", "Sw<5,7,7>"])
def test_another_unit_is_the_same_map(element, swizzle):
    params = SwizzleParams().change(swizzle=swizzle, element=element)
    there = params.change(unit="bytes")
    assert there.on_elements == params.on_elements and there.on_bytes == params.on_bytes
    assert there.change(unit="elements") == params
    x = np.arange(5000) * params.item
    assert (there.swizzle(x) == params.swizzle(np.arange(5000)) * params.item).all()
    first, second = (panels(compute(p)) for p in (params, there))
    assert (grids(first)["after"].fill == grids(second)["after"].fill).all()
    assert "Unit: bytes" in second.subtitle and "Unit: elements" in first.subtitle


def test_both_units_are_always_named():
    for name in VIEWS:
        params, _, picture = view(name)
        text = " ".join(
            line.text for row in picture.body for c in row for p in c if isinstance(p, Lines) for line in p.lines
        )
        assert f"{params.on_bytes} on bytes" in text
        assert f"{params.on_elements} on {params.element}" in text or params.item == 1
        assert f"on {params.unit}" in grids(picture)["after"].heading


@each
def test_every_knob_at_both_ends(name):
    params = SwizzleParams().change(**VIEWS[name])
    for control in params.controls():
        if control.kind == "text":
            continue
        ends = control.choices or (control.lo, control.hi)
        for value in (ends[0], ends[-1]):
            try:
                moved = params.change(**{control.name: value})
            except CuteLabError as error:
                assert control.name in ("bits", "base", "shift") and "source and target bits would overlap" in str(
                    error
                )
                assert "turn " in str(error)
                continue
            picture = panels(compute(moved))
            assert picture.verdicts and picture.alt.startswith(picture.title)
            assert {c.name: c.value for c in moved.controls()}[control.name] == value


def test_the_fix_of_a_refused_step_works():
    params = SwizzleParams()
    with pytest.raises(CuteLabError, match=r"shift 3 is smaller than bits 4.*turn shift to 4 or -4 first"):
        params.change(bits=4)
    assert params.change(shift=4).change(bits=4).swizzle == Swizzle(4, 0, 4)
    with pytest.raises(CuteLabError, match=r"Go on to -3, or turn bits to 2 first"):
        params.change(shift=-2)
    assert params.change(shift=-3).swizzle == Swizzle(3, 0, -3)
    assert params.change(bits=2).change(shift=2).swizzle == Swizzle(2, 0, 2)


def test_other_knobs_follow_a_change():
    params = SwizzleParams(row=7, column=7, access_bytes=16)
    assert (params.change(layout="(4,2):(2,1)").row, params.change(layout="(4,2):(2,1)").column) == (3, 1)
    assert params.change(layout="(8,6):(6,1)").access_bytes == 0
    assert params.change(element="uint128").access_bytes == 0 and params.change(element="half").access_bytes == 16
    fine = SwizzleParams().change(unit="bytes", swizzle="Sw<3,2,3>")
    assert fine.change(element="float64").swizzle == Swizzle(3, 3, 3)
    assert fine.change(element="int8").change(unit="elements").swizzle == Swizzle(3, 2, 3)


def test_a_whole_expression_may_be_pasted():
    for field in ("swizzle", "layout"):
        params = SwizzleParams().change(**{field: "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"})
        found = params.swizzle, params.unit, params.layout, params.element
        assert found == (Swizzle(3, 4, 3), "bytes", Layout((8, 64), (64, 1)), "half")
        assert str(params.layout) == "(8,64):(64,1)"
        params = SwizzleParams().change(**{field: "Sw<2,3,3> o 0 o (8,32):(32,1)"})
        assert (params.swizzle, params.unit, params.layout) == (Swizzle(2, 3, 3), "elements", Layout((8, 32), (32, 1)))
    params = SwizzleParams().change(layout=ComposedLayout(Swizzle(1, 0, 3), 0, Layout((4, 4))))
    assert (params.swizzle, params.layout) == (Swizzle(1, 0, 3), Layout((4, 4)))


@each
def test_the_call_rebuilds_the_view(name):
    params = SwizzleParams().change(**VIEWS[name])
    call = ast.parse(params.call("swizzle"), mode="eval").body
    first = {"swizzle": call.args[0].value} if call.args else {}
    assert SwizzleParams().change(**first, **{k.arg: k.value.value for k in call.keywords}) == params


@each
def test_copies_are_the_same_map(name):
    params, result, picture = view(name)
    table = result.table_after
    if params.on_elements.bits:
        assert (offsets(parse_layout(picture.copies["CuTe"])) == table).all()
    names = {"ComposedLayout": ComposedLayout, "Swizzle": Swizzle, "parse_layout": parse_layout}
    assert (offsets(eval(picture.copies["Python"], names)) == table).all()  # our own text
    offset = result.table
    assert (eval(picture.copies["Numba"], {"offset": offset}) == table).all()
    assert f"Swizzle<{params.on_elements.bits},{params.on_elements.base}," in picture.copies["C++"]


@each
def test_fixes_do_what_they_say(name):
    params, result, picture = view(name)
    for fix in picture.offers:
        moved = compute(params.change(**fix.changes))
        assert f"  {moved.wave_after.count} wavefront" in fix.line
        assert moved.wave_after.count < result.wave.count
        assert fix.in_use == (moved.swizzle == result.swizzle)
        assert any(c.in_use and c.line == fix.line for c in panels(moved).offers)
        assert moved.table_after.max() == result.table.max()


def test_the_swizzle_in_use_is_listed_where_none_is_better():
    for swizzle, listed in (("Sw<5,0,5>", True), ("Sw<5,0,-5>", False), ("Sw<3,0,5>", False), ("Sw<5,0,6>", False)):
        picture = view(layout="(32,32):(32,1)", swizzle=swizzle)[2]
        assert any(c.in_use for c in picture.offers) == listed, swizzle
    first, *others = view(layout="(8,8):(8,1)", swizzle="Sw<3,0,3>")[2].offers
    assert (first.line, first.in_use) == ("Sw<3,0,3>  1 wavefront", True) and not any(c.in_use for c in others)


def test_torn_pieces_are_told_in_the_unit_of_the_picture():
    text = "Sw<3,1,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"
    params = SwizzleParams().change(swizzle=text, access_bytes=16, row=2, column=0)
    said = panels(compute(params)).verdicts[0]
    assert (
        said.sentence.startswith("This read is whole, but Sw<3,1,3> tears other pieces")
        and "(0,8) to (0,15) lie at byte offsets" in said.second
    )
    first = int(said.second.split("byte offsets ")[1].split(",")[0])
    assert first == int(compute(params).table_after[0, 8]) * 2


def test_the_best_fix_is_free_where_there_is_one():
    for layout, best in (("(32,8):(8,1)", "Sw<3,0,5>"), ("(32,32):(32,1)", "Sw<5,0,5>")):
        first = view(layout=layout)[2].offers[0]
        assert first.changes == {"swizzle": best} and "1 wavefront" in first.line
    assert view(layout="(32,32):(33,1)")[2].offers == () and view("row")[2].offers == ()


@each
def test_the_probe_lands_where_it_is_put(name):
    params, result, picture = view(name)
    tile = grids(picture)["after"]
    for cell in {0, tile.probe.size // 2, tile.probe.size - 1}:
        moved = params.change(**probe(result, cell))
        after = panels(compute(moved))
        assert after.probed == cell
        ring = next(r for r in grids(after)["after"].rings if r.kind == "probe")
        assert grids(after)["after"].probe[ring.row, ring.col] == cell
        assert f"offset {moved.on_elements(moved.layout(moved.row, moved.column))} elements" in after.status
        said = after.tips.template.format(*after.tips.table[cell])
        assert f"offset {moved.on_elements(moved.layout(moved.row, moved.column))} elements" in said
    for outside in (-1, tile.probe.size):
        with pytest.raises(CuteLabError):
            probe(result, outside)


def test_a_swizzle_beyond_the_tile_says_that_it_does_nothing():
    params, result, picture = view("beyond")
    assert not result.moves and params.swizzle.period == 8192
    assert picture.verdicts[0].sentence.startswith("Sw<3,7,3> moves nothing: 8 wavefronts")
    assert (
        picture.verdicts[0].second
        == "Its source, bits 10 to 12, is 0 in all offsets of the tile, 0 to 1023; its period is 8192 elements."
    )
    assert "B is 0" in view("identity")[2].verdicts[0].second


def test_what_stays_together_is_said():
    assert "each column keeps its 8 offsets" in mechanism(view("negative")[1])
    assert "the tile keeps its 64 offsets" in mechanism(view(swizzle="Sw<2,2,2>")[1])
    words = mechanism(view("padded")[1])
    assert "keeps" not in words and "the tile now" in words
    beyond = mechanism(view(swizzle="Sw<3,3,-3>")[1])
    top = int(Swizzle(3, 3, -3)(np.arange(64)).max())
    assert f"reaches offset {top}, {top - 63} elements further" in beyond


@each
def test_no_word_is_cut_and_the_card_fits(name):
    _, _, picture = view(name)
    made = plan(picture)
    cut = [op.text for op in made.ops if getattr(op, "text", "").endswith("…")]
    assert [text for text in cut if not text.startswith("explore.")] == []
    assert made.height <= 650


@pytest.mark.parametrize(
    ("changes", "word"),
    [({"swizzle": "Sw<4,0,3>"}, "shift of 4 or more"), ({"swizzle": "0x3C"}, "Sw<3,4,3>"), ({"swizzle": ""}, "Sw<3,4,3>"),
     ({"swizzle": "Sw<3,0,3>", "unit": "bytes"}, "base of 2 or more"), ({"swizzle": "Sw<6,0,6>"}, "B up to 5"),
     ({"swizzle": "Sw<1,0,9>"}, "S from -7 to 7"), ({"swizzle": "Sw<1,12,1>"}, "M up to 11"), ({"bits": -1}, "negative"), ({"bits": 1.5}, "whole number"),
     ({"base": "x"}, "whole number"), ({"unit": "words"}, "elements, bytes"), ({"element": "float"}, "float32"),
     ({"layout": "64:1"}, "two modes"), ({"layout": "(2,3,4)"}, "two modes"), ({"layout": "(8,8):(-1,8)"}, "must be 0"),
     ({"layout": "(1000,1000)"}, "65,536"), ({"layout": "(1000000,1000000):(1,1)"}, "1e+12"), ({"layout": "(8,8"}, "^"),
     ({"layout": "Sw<3,0,3> o 8 o (8,8)"}, "offset 8"), ({"layout": "Sw<3,4,3> o smem_ptr[4b](0) o (8,8)"}, "4 bits"),
     ({"access": "diagonal"}, "column, row"), ({"access_bytes": 2}, "4, 8 or 16"), ({"access_bytes": 16, "layout": "(8,6):(6,1)"}, "4 or 8"),
     ({"access_bytes": 3}, "4, 8 or 16"), ({"row": 8}, "0 to 7"), ({"column": -1}, "from 0"), ({"row": 1.5}, "whole"), ({"pitch": 3}, "pitch")],
)  # fmt: skip
def test_bad_input_is_one_clear_error(changes, word):
    with pytest.raises(CuteLabError) as caught:
        SwizzleParams().change(**changes)
    assert word in str(caught.value)


def test_a_composed_layout_is_refused_where_it_would_be_swizzled_twice():
    with pytest.raises(CuteLabError, match="holds a swizzle"):
        SwizzleParams(layout="Sw<1,0,1> o 0 o (8,8)")


def test_texts_are_read_as_the_library_reads_them():
    assert SwizzleParams(swizzle="Swizzle<2,1,3>").swizzle == parse_swizzle("S<2,1,3>")
    assert SwizzleParams(swizzle=Swizzle(2, 1, 3), layout=Layout((4, 4))).swizzle == Swizzle(2, 1, 3)
