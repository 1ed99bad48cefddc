"""The banks topic: what the pictures show is what a slow count finds, for every pattern, kind, width and odd tiles."""

import ast
from math import gcd

import memory_oracle as oracle
import numpy as np
import pytest

from cutelab import CuteLabError, Layout, Swizzle, offsets, parse_layout
from cutelab.course.card.parts.frames import boxes
from cutelab.course.card.picture import HOLE
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.banks import compute, panels, probe
from cutelab.course.topics.banks.knobs import KINDS, PATTERNS, BanksParams

HALF = {"layout": "(8,64):(64,1)", "element": "half", "access_bytes": 16, "index": 0}
VIEWS = [
    {},
    {"pitch": 33},
    {"pitch": 33, "read": "row", "index": 31},
    {"read": "diagonal", "kind": "store"},
    {"read": "block", "kind": "reduce", "index": 30},
    {"read": "own"},
    {"read": "own", "lane_row": "0", "lane_col": "t // 4", "kind": "atomic"},
    {"read": "own", "lane_row": "t - 8", "lane_col": "3"},
    {"layout": "(8,8):(8,1)", "index": 3},
    {"layout": "(32,8):(8,1)", "swizzle": "Sw<3,0,3>", "index": 3},
    {"layout": "(32,8):(1,32)", "index": 3},
    {"layout": "((4,8),(2,4)):((2,32),(1,8))", "index": 3},
    {"layout": "(32,64):(66,1)", "element": "half", "access_bytes": 2},
    {"layout": "(32,64):(66,1)", "element": "half", "access_bytes": 4, "read": "row", "index": 5},
    {"layout": "(64,64):(64,1)", "element": "int8", "access_bytes": 1},
    {"layout": "(128,200):(201,1)", "index": 150},
    {"layout": "(1,32):(32,1)", "read": "row", "index": 0},
    {"access_bytes": 16, "read": "row", "index": 0},
    {"access_bytes": 16, "pitch": 36},
    {"access_bytes": 16, "pitch": 64},
    {"access_bytes": 8, "pitch": 34},
    {"access_bytes": 8, "kind": "store"},
    {"access_bytes": 8, "read": "own", "lane_row": "t // 2", "lane_col": "4"},
    {"access_bytes": 16, "read": "own", "lane_row": "t // 8", "lane_col": "t // 8 * 4"},
    {"layout": "(32,16):(16,1)", "element": "float64", "access_bytes": 8, "index": 5},
    {"layout": "(8,64):(72,1)", **{k: v for k, v in HALF.items() if k != "layout"}},
    HALF,
    {**HALF, "swizzle": "Sw<3,3,3>"},
    {**HALF, "layout": "(16,64):(64,1)", "kind": "ldmatrix x4", "read": "block"},
    {**HALF, "layout": "(16,64):(64,1)", "kind": "ldmatrix x2", "read": "block", "swizzle": "Sw<3,3,3>"},
    {**HALF, "kind": "ldmatrix x1"},
    {**HALF, "layout": "(32,64):(64,1)", "kind": "stmatrix x4", "read": "row"},
]
each = pytest.mark.parametrize("changes", VIEWS, ids=str)


def view(changes):
    params = BanksParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


def lanes_of(params):
    """{lane: (row, col)} by the words of the patterns, lane after lane."""
    (rows, cols), vector, at = params.shape, params.access_bytes // ELEMENTS[params.element], params.index
    pieces, first = cols // vector, at // vector
    high = 16 if "matrix" in params.kind else 8
    found = {}
    for t in range(params.addressing):
        names = {"t": t}
        row, col = {
            "row": lambda t=t: (at + t // pieces, t % pieces * vector),
            "column": lambda t=t: (t % rows, (first + t // rows) * vector),
            "diagonal": lambda t=t: (t, (first + t) % pieces * vector),
            "block": lambda t=t: (t % high, (first + t // high) * vector),
            "own": lambda names=names: (eval(params.lane_row, names), eval(params.lane_col, names)),
        }[params.read]()
        if 0 <= row < rows and 0 <= col <= cols - vector:
            found[t] = (row, col)
    return found


def table_of(params):
    table = offsets(params.layout)
    return params.swizzle(np.array(table)) if params.swizzle else table


@each
def test_the_verdict_is_the_slow_count(changes):
    params, result, picture = view(changes)
    table, lanes = table_of(params), lanes_of(params)
    address = [int(table[lanes[t]]) * ELEMENTS[params.element] if t in lanes else 0 for t in range(32)]
    count, ideal = oracle.wavefronts(
        KINDS[params.kind][0], params.access_bytes, address, [t in lanes for t in range(32)]
    )
    assert (result.waves.count, result.waves.ideal) == (count, ideal)
    words = picture.verdicts[0].sentence
    assert words.startswith(f"{count} wavefront") and (count == ideal) == words.endswith("the ideal")
    worse = "note" if count <= 2 * ideal or result.waves.ways == 1 else "bad"
    assert picture.verdicts[0].state == ("good" if count == ideal else worse)
    assert picture.alt.startswith(str(result.layout)) and words in picture.alt
    assert ("idle" in picture.verdicts[0].second) == (len(lanes) < 32 and "matrix" not in params.kind)


@pytest.mark.parametrize("layout", ["(2,32):(32,1)", "(4,8):(8,1)", "(8,32):(32,1)", "(32,32):(32,1)"])
def test_a_chart_is_as_tall_as_its_tile_or_as_its_wavefronts_need(layout):
    for pitch in (32, 33, 40):
        _, result, picture = view({"layout": layout, "pitch": pitch})
        tile, chart = picture.grids()[:2]
        count, tall = int(result.waves.count), tile.shape[0] * tile.cell[1] // chart.cell[1]
        assert count <= chart.shape[0] <= 32 and chart.shape[0] in (min(32, tall), -(-count // 8) * 8)


@each
def test_one_row_of_the_chart_is_one_wavefront(changes):
    params, result, picture = view(changes)
    chart = picture.grids()[1]
    lanes, table = lanes_of(params), table_of(params)
    words = max(1, params.access_bytes // 4)
    if not result.wide:
        used = (chart.fill >= 0).any(axis=1)
        assert used.sum() == result.waves.count and used[: result.waves.count].all()
        rows, banks = np.nonzero(chart.fill >= 0)
        assert (chart.fill[rows, banks] == banks).all()
        served = {table[at] * params.item // 4 for at in lanes.values()}
        assert len(rows) == (len(served) if params.kind != "atomic" else len(lanes))
        return
    size, total = result.group_lanes, 0
    assert chart.shape == (result.group_count * size, 32 // words)
    seen = {}
    for g in range(result.group_count):
        part = slice(g * size, (g + 1) * size)
        used = (chart.fill[part] >= 0).any(axis=1)
        assert used[: used.sum()].all(), "a group starts at the top of its field"
        assert int(chart.row_heads[chart.bold_rows[g]]) == used.sum()
        assert {*chart.fill[part][chart.fill[part] >= 0].tolist()} <= {g}
        total += used.sum()
        for i, j in np.argwhere(chart.fill[part] >= 0):
            lane = int(chart.labels[part][i, j][1:])
            assert lane // size == g and table[lanes[lane]] * params.item // 4 % 32 == j * words
            seen[lane] = int(chart.second[part][i, j][1:] or 1) if chart.second is not None else 1
    assert total == result.waves.count and sum(seen.values()) == len(lanes)
    gaps = [i for i, gap in enumerate(chart.row_gap) if gap]
    assert gaps == list(range(size, chart.shape[0], size)) and set(chart.row_gap) <= {0, 7}


@each
def test_the_tile_shows_banks_and_lanes(changes):
    params, result, picture = view(changes)
    grid, lanes, table = picture.grids()[0], lanes_of(params), table_of(params)
    item = params.item
    if result.wide:
        assert grid.name == "memory" and grid.shape[1] == 128 // params.access_bytes
        pieces = {}
        for t, at in lanes.items():
            pieces.setdefault(int(table[at]) * item // params.access_bytes, []).append(t)
        for i, line in enumerate(result.memory.lines.tolist()):
            for j in range(grid.shape[1]):
                here = pieces.pop(line * grid.shape[1] + j, [])
                assert grid.labels[i, j] == (f"T{here[0]}" if here else "")
                assert (grid.fill[i, j] < 0) == (not here)
        assert not pieces, "every lane is drawn"
        return
    rows, columns = result.rows, result.columns
    assert (grid.fill == table[np.ix_(rows, columns)] * item // 4 % 32).all()
    ringed = {
        (i, j)
        for r in grid.rings
        if r.kind == "access"
        for i in range(r.row, r.row_end + 1)
        for j in range(r.col, r.col_end + 1)
    }
    touched = {(row, col + k) for row, col in lanes.values() for k in range(params.vector)}
    assert (
        ringed == {(row - rows[0], col - columns[0]) for row, col in touched if row in rows and col in columns}
        and len(ringed) >= len(touched) / 2
    )
    if grid.labels is not None and grid.second is None:
        assert (grid.labels == grid.fill.astype(str)).all()


@each
def test_the_probe_lands_where_it_is_put(changes):
    params, _, picture = view(changes)
    grid = picture.grids()[0]
    cells = grid.probe[grid.probe >= 0]
    for cell in {int(cells[0]), int(cells[len(cells) // 2]), int(cells[-1])}:
        moved = params.change(**probe(compute(params), cell))
        result, after = compute(moved), None
        after = panels(result)
        assert result.probed == cell == after.probed
        ring = next(r for r in after.grids()[0].rings if r.kind == "probe")
        assert after.grids()[0].probe[ring.row, ring.col] == cell
        offset = int(table_of(moved)[moved.row, moved.column])
        if result.wide:
            assert offset * moved.item % moved.access_bytes == 0, "the first element of the piece"
        assert f"({moved.row},{moved.column}) → offset {offset} elements" in after.status
        assert f"bank {offset * moved.item // 4 % 32}" in after.status
        assert after.tips.table[cell].tolist()[:3] == [moved.row, moved.column, offset]
        here = [t for t, (r, c) in lanes_of(moved).items() if r == moved.row and 0 <= moved.column - c < moved.vector]
        assert ("lane" in after.status) == bool(here) and all(f"T{t}" in after.status for t in here[:3])
    for cell in (-1, len(cells) + 5000):
        with pytest.raises(CuteLabError):
            probe(compute(params), cell)


@each
def test_the_call_rebuilds_the_view(changes):
    params, _, picture = view(changes)
    call = ast.parse(picture.call, mode="eval").body
    given = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    given |= {"layout": call.args[0].value} if call.args else {}
    assert BanksParams().change(**given) == params
    assert picture.copies["cutelab"] == picture.call


@each
def test_copies_are_the_same_layout(changes):
    params, result, picture = view(changes)
    assert parse_layout(picture.copies["CuTe"]) == result.layout
    table = table_of(params)
    if "Numba" in picture.copies:
        array, index = picture.copies["Numba"].split("\n")
        row, col = np.meshgrid(*map(np.arange, params.shape), indexing="ij")
        assert (eval(index.removeprefix("tile[").removesuffix("]"), {"row": row, "col": col}) == table).all()
        assert int(array.split("(")[1].split(",")[0]) > table.max()
    strides = [t for t in params.layout.stride if isinstance(t, int)]
    assert all(str(stride) in picture.copies["CuTe C++"] for stride in strides)


@each
def test_fixes_do_what_they_say(changes):
    params, result, picture = view(changes)
    assert len(picture.offers) <= 3
    compact = None
    if params.row_major:
        try:
            compact = compute(params.change(pitch=params.shape[1], swizzle="")).waves.count
        except CuteLabError:  # its rows are not aligned for this width
            compact = 10**6
    for fix in picture.offers:
        said = int(fix.line.split()[-2])
        applied = params.change(**fix.changes)
        after = compute(applied)
        assert after.waves.count == said < max(compact, result.waves.count)
        (same,) = [c for c in panels(after).offers if c.in_use] or [None]
        assert same is None or same.line == fix.line
        if same is None:
            assert fix.changes == {"pitch": params.shape[1], "swizzle": ""}, "only the way back may vanish"
    counts = [int(fix.line.split()[-2]) for fix in picture.offers]
    assert counts == sorted(counts)


def test_the_fixes_of_the_picture_that_everybody_knows():
    picture = view({})[2]
    lines = [fix.line for fix in picture.offers]
    assert lines[0] == "Sw<5,0,5>  1 wavefront" and lines[1] == "pitch 33  1 wavefront"
    assert picture.offers[1].second == "+32 words (3 %)" and not any(c.in_use for c in picture.offers)
    after = view({"pitch": 33})[2]
    assert [c.line for c in after.offers] == lines and [c.in_use for c in after.offers] == [False, True, False]
    back = view({"layout": "(32,31):(31,1)", "pitch": 32})[2]
    assert [c.line for c in back.offers] == ["pitch 31  1 wavefront"]
    assert view({"read": "row"})[2].offers == ()


def test_a_column_of_four_byte_words_costs_the_common_divisor():
    for pitch in range(32, 65):
        assert compute(BanksParams().change(pitch=pitch)).waves.count == gcd(pitch, 32)


@pytest.mark.parametrize(
    ("changes", "count", "words"),
    [
        ({}, 32, "lanes 0, 1, 2 ... meet in bank 12"),
        ({"pitch": 33}, 1, "32 lanes in 32 banks; 32 words (3 %) of padding"),
        ({"layout": "(32,31):(31,1)"}, 1, "32 banks"),
        ({"layout": "(32,31):(31,1)", "pitch": 32}, 32, "bank 12"),
        ({"layout": "(32,8):(8,1)", "index": 0}, 8, ""),
        ({"layout": "(32,8):(8,1)", "index": 0, "swizzle": "Sw<3,0,3>"}, 4, ""),
        ({"layout": "(32,8):(8,1)", "index": 0, "swizzle": "Sw<3,0,4>"}, 2, ""),
        ({"layout": "(32,8):(8,1)", "index": 0, "swizzle": "Sw<3,0,5>"}, 1, ""),
        ({"swizzle": "Sw<3,0,3>"}, 16, ""),
        ({"swizzle": "Sw<3,2,3>"}, 4, ""),
        ({"swizzle": "Sw<5,0,5>"}, 1, ""),
        ({"layout": "(8,128):(128,1)", "read": "own", "lane_row": "t % 8", "lane_col": "t // 8", "kind": "store"}, 8, ""),
        ({"layout": "(8,128):(129,1)", "read": "own", "lane_row": "t % 8", "lane_col": "t // 8", "kind": "store"}, 4, ""),
        ({"layout": "(8,128):(132,1)", "read": "own", "lane_row": "t % 8", "lane_col": "t // 8", "kind": "store"}, 1, ""),
        ({"layout": "(32,8):(1,32)", "read": "own", "lane_row": "t // 4", "lane_col": "t % 4"}, 4, ""),
        ({"layout": "(32,8):(1,32)", "read": "own", "lane_row": "t // 4", "lane_col": "t % 4", "swizzle": "Sw<2,3,2>"}, 1, ""),
        ({"access_bytes": 16, "read": "row", "index": 0}, 4, "128 words = 4 x 32 banks"),
        ({"read": "own", "lane_row": "5", "lane_col": "5"}, 1, "a broadcast"),
        (HALF, 32, "meet in banks 0 to 3"),
        ({**HALF, "swizzle": "Sw<3,3,3>"}, 4, "4 x 32 banks"),
        ({**HALF, "kind": "ldmatrix x1"}, 8, ""),
    ],
)  # fmt: skip
def test_known_cases(changes, count, words):
    _, result, picture = view(changes)
    assert result.waves.count == count and words in picture.verdicts[0].second


def test_a_swizzle_that_does_nothing_says_so():
    for text, why in (("Sw<3,7,3>", "offset 1024"), ("Sw<0,4,3>", "it has no bits")):
        (first, second) = view({"swizzle": text})[2].verdicts
        assert first.state == "bad" and second.state == "note" and why in second.sentence
    assert len(view({"swizzle": "Sw<5,0,5>"})[2].verdicts) == 1


def test_padding_is_drawn():
    _, result, picture = view({"pitch": 37})
    assert picture.grids()[0].padding == 5
    _, result, picture = view({"pitch": 36, "access_bytes": 16})
    memory = picture.grids()[0]
    holes = ((memory.states & HOLE) > 0).sum()
    assert holes == result.memory.lines.size * 8 - 32 * 8, "a piece of each row, and what is left of the last line"


def test_every_knob_at_both_ends():
    for changes in (*VIEWS[:10], HALF, VIEWS[-4], {"access_bytes": 8, "pitch": 34}):
        params = view(changes)[0]
        for control in params.controls():
            if control.kind == "text":
                continue
            ends = control.choices or (control.lo, control.hi)
            for value in ends:
                try:
                    moved = params.change(**{control.name: value})
                    picture = panels(compute(moved))
                except CuteLabError as error:
                    several = params.access_bytes > 4 or params.read == "own"  # elements a lane: torn apart now
                    known = ("kind", "access_bytes", "read", "element")[: 4 if several else 3]
                    assert control.name in known or control.group in ("Shape", "Stride"), (
                        changes,
                        control.name,
                        value,
                        error,
                    )
                    continue
                assert {c.name: c.value for c in moved.controls()}[control.name] == value
                assert len(picture.subtitle) <= 110 or params.read == "own"
                for after in moved.controls():
                    if after.kind in ("slider", "index"):
                        assert after.lo <= after.value <= after.hi


def test_what_depends_on_a_knob_follows_it():
    params = BanksParams().change(layout="(8,8):(8,1)")
    assert (params.row, params.column, params.index) == (7, 7, 7)
    assert BanksParams().change(element="half").access_bytes == 2
    assert BanksParams().change(access_bytes=16).change(element="half").access_bytes == 16
    assert BanksParams().change(element="uint128").access_bytes == 16
    assert BanksParams().change(access_bytes=16).change(layout="(32,3):(3,1)").access_bytes == 8
    atomic = BanksParams().change(kind="atomic")
    assert atomic.change(element="float64").kind == "load"
    assert BanksParams().change(layout="(32,64)", element="half", kind="ldmatrix x4").access_bytes == 16
    pasted = BanksParams().change(layout="Sw<3,4,3> o smem_ptr[16b](0x7f) o (_8,_64):(_64,_1)")
    assert (pasted.layout, pasted.swizzle) == (Layout((8, 64), (64, 1)), Swizzle(3, 3, 3))
    built = BanksParams(layout="(8,8):(8,1)", swizzle="Sw<3,0,3>", index=0, column=0)
    assert (built.layout, built.swizzle) == (Layout((8, 8), (8, 1)), Swizzle(3, 0, 3))
    assert BanksParams().change(swizzle=None).swizzle is None
    assert str(BanksParams().change(layout="(32,8):(1,32)").change(pitch=33).layout) == "(32,8):(1,33)"
    assert BanksParams().change(kind="ldmatrix").kind == "ldmatrix x4"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"layout": "32:1"}, "a tile has two"),
        ({"layout": "(4,4,4)"}, "has 3 modes"),
        ({"layout": "(32,32):(-32,1)"}, "walks backwards"),
        ({"layout": "(1000,1000)"}, "shared memory of a block has 232,448"),
        ({"layout": "(100000000,1000000000000)"}, "keep it below 2^63"),
        ({"layout": "(32,32"}, "^"),
        ({"layout": "Sw<3,0,3> o 4 o (8,8)"}, "starts at offset 0"),
        ({"swizzle": "Sw<5,0,3>"}, "shift 3 is smaller than bits 5"),
        ({"swizzle": "Sw<1,0,-20>"}, "beyond the 232,448 bytes"),
        ({"swizzle": "none"}, "expected a swizzle"),
        ({"pitch": 31}, "32 elements or more"),
        ({"pitch": 33.0}, "whole number"),
        ({"layout": "(4,4):(8,2)", "pitch": 9}, "no single pitch"),
        ({"pitch": 33, "access_bytes": 16}, "a pitch that is a multiple of 4"),
        ({"swizzle": "Sw<5,0,5>", "access_bytes": 16}, "a swizzle whose base is 2 or more"),
        ({"layout": "(32,32):(1,32)", "access_bytes": 8}, "a stride of 1 along the row"),
        ({"access_bytes": 2}, "can move these bytes a lane: 4, 8, 16"),
        ({"access_bytes": 3}, "got 3"),
        ({"kind": "atomic", "access_bytes": 8}, "bytes a lane: 4"),
        ({"kind": "cp.async"}, "kind must be one of"),
        ({"read": "columns"}, "read must be one of"),
        ({"element": "float"}, "element must be one of"),
        ({"index": 32}, "from 0 to 31"),
        ({"row": -1}, "from 0 to 31"),
        ({"column": 1.5}, "whole number"),
        ({"read": "own", "lane_row": "t / 8"}, "// instead of /"),
        ({"lane_row": "😀"}, "expected a number, t"),
        ({"lane_col": "__import__('os')"}, "expected a number, t"),
        ({"read": "own", "lane_row": "t + 32"}, "no lane stays inside"),
        ({"read": "own", "lane_col": "t", "access_bytes": 16}, "a multiple of 4"),
        ({**HALF, "layout": "(4,16):(16,1)", "kind": "ldmatrix x4"}, "lane 8 goes to"),
        ({"rows": 32}, "no parameter 'rows'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_error(changes, words):
    with pytest.raises(CuteLabError) as caught:
        compute(BanksParams().change(**changes))
    assert words in str(caught.value)


def test_two_swizzles_are_one_too_many():
    with pytest.raises(CuteLabError, match="has a swizzle already"):
        BanksParams(layout="Sw<3,0,3> o 0 o (8,8)", swizzle="Sw<2,0,3>", index=0, row=0, column=0)


def test_frames_cover_what_is_true():
    random = np.random.default_rng(1)
    for _ in range(50):
        where = random.random((6, 7)) < 0.5
        again = np.zeros_like(where)
        for row, col, row_end, col_end in boxes(where):
            assert not again[row : row_end + 1, col : col_end + 1].any()
            again[row : row_end + 1, col : col_end + 1] = True
        assert (again == where).all()


@pytest.mark.parametrize("read", PATTERNS)
def test_a_wide_access_names_every_lane_once(read):
    names = view({"access_bytes": 16, "read": read, "index": 0})[2].grids()[1].labels
    assert sorted(int(n[1:]) for n in names[names != ""]) == list(range(32))


def test_names_of_lanes_stand_beside_the_cells_of_their_wavefront():
    """Their width is estimated; the real one must leave the cells free, and stay in the panel."""
    from cutelab.course.card.paint.glyphs import text_width
    from cutelab.course.card.paint.plan import plan

    for changes in (
        {},
        {"index": 31},
        {"pitch": 48},
        {"pitch": 48, "index": 20},
        {"layout": "(32,8):(16,1)", "index": 7},
    ):
        picture = view(changes)[2]
        chart = picture.grids()[1]
        box = plan(picture).grids[1]
        assert chart.notes
        for note in chart.notes:
            start = box.x[note.col, 1] + 8
            end = start + text_width(note.text, "sans", 10.5)
            taken = np.flatnonzero(chart.fill[note.row] >= 0)
            assert end <= 704 and all(box.x[j, 1] <= start or box.x[j, 0] >= end for j in taken), (changes, note)
