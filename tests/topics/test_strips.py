"""The strips topic: every thread stands where the formula puts it, and the words count what the picture shows."""

import ast
import re
from dataclasses import replace

import numpy as np
import pytest

from cutelab import CuteLabError, StripThreadMap, WarpAccess, parse_layout, sectors, wavefronts
from cutelab.core.int_tuple import idx2crd
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.picture import COLLISION, HOLE, OUTSIDE, Bars
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.strips import compute, panels, probe
from cutelab.course.topics.strips.knobs import StripsParams
from cutelab.course.topics.strips.rows import HEIGHT, rows_of
from cutelab.hardware.chip import AMD_LDS, H200

NUMBERS = (("banks", 64), ("word_bytes", 8), ("lanes", 16), ("sector_bytes", 64))

VIEWS = {
    "the default": {},
    "one warp": {"threads": 32},
    "Strips 1": {"threads": 32, "strips": 1},
    "four groups": {"threads": 128},
    "many groups, a window": {"threads": 1024, "thread": 700},
    "many rows, a window": {"threads": 1024, "pitch": 1, "strips": 1, "thread": 1023},
    "m16n8k8": {"row_pitch": 8, "threads": 32, "strips": 2, "rows": 16},
    "m16n8k8, row pitch 16": {"threads": 32, "strips": 2, "rows": 16, "columns": 8},
    "collisions": {"row_pitch": 4},
    "collisions everywhere": {"row_pitch": 1, "threads": 1024, "pitch": 128},
    "exact": {"threads": 32, "pitch": 16, "strips": 2},
    "exact, no numbers": {"row_pitch": 64, "threads": 1024, "pitch": 64, "strips": 16},
    "wide": {"row_pitch": 128, "threads": 1024, "pitch": 128, "element": "uint128"},
    "odd": {"row_pitch": 33, "threads": 41, "pitch": 7, "strips": 3, "element": "half"},
    "a small tile": {"rows": 8, "columns": 4, "colour": "strip"},
    "a tall tile": {"threads": 32, "rows": 64},
    "long rows": {"row_pitch": 1000, "threads": 256, "pitch": 40, "strips": 2},
    "one thread": {"row_pitch": 1, "threads": 1, "pitch": 1, "strips": 1},
}


def view(**changes):
    params = StripsParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


def formula(t, params):
    """The formula, thread by thread."""
    row, size = t // params.pitch, params.pitch * params.strips * params.row_pitch
    return t % params.pitch + row % params.strips * params.row_pitch + row // params.strips * size


@pytest.fixture(params=VIEWS.values(), ids=VIEWS.keys())
def shown(request):
    return view(**request.param)


def memory_rows(result):
    """The memory row of each line of cells; -1 for the lines of a band."""
    rows = rows_of(result)
    return np.where(np.repeat(rows.band, rows.lines), -1, np.repeat(rows.first, rows.lines))


def test_each_cell_shows_the_threads_that_the_formula_puts_there(shown):
    params, result, picture = shown
    grid = picture.grids()[0]
    at = {}
    for t in range(params.threads):
        at.setdefault(divmod(formula(t, params), params.row_pitch), []).append(t)
    tile_rows, tile_columns = result.tile
    for i, row in enumerate(memory_rows(result).tolist()):
        for column in range(grid.shape[1]):
            here = at.get((row, column), []) if row >= 0 else []
            state = grid.states[i, column]
            assert grid.probe[i, column] == (here[0] if here else -1)
            assert bool(state & COLLISION) == (len(here) > 1)
            if row >= 0:
                inside = row < tile_rows and column < tile_columns
                assert bool(state & OUTSIDE) == (bool(here) and not inside)
                assert bool(state & HOLE) == (not here and inside)
            if here:
                group = here[0] // 32 if params.colour == "warp" else here[0] // params.pitch % params.strips
                assert grid.fill[i, column] == group % 8
            if here and grid.labels is not None:
                assert re.findall(r"\d+", grid.labels[i, column])[0] == str(here[0])
                assert grid.labels[i, column].endswith(f"+{len(here) - 1}") == (len(here) > 1)
            if here and grid.second is not None:
                assert grid.second[i, column] == str(row * params.row_pitch + column)


def test_the_drawn_rows_are_all_rows_or_the_page_of_the_probe(shown):
    params, result, picture = shown
    rows, grid = rows_of(result), picture.grids()[0]
    drawn = np.concatenate([np.arange(a, b + 1) for a, b in zip(rows.first, rows.last, strict=True)])
    assert (np.diff(drawn) == 1).all()
    touched = set((np.arange(params.threads) * 0 + result.row).tolist())
    for first, last, band in zip(rows.first.tolist(), rows.last.tolist(), rows.band.tolist(), strict=True):
        assert band or first == last
        assert not (band and touched & set(range(first, last + 1)))
    assert result.row[params.thread] in drawn
    assert rows.whole == (len(drawn) == result.reached)
    assert rows.whole or f"Rows {drawn[0]} to {drawn[-1]} of" in picture.subtitle
    assert sum(grid.row_heights) <= HEIGHT + 30
    ring = grid.rings[0]
    assert result.offset[grid.probe[ring.row, ring.col]] == result.offset[params.thread]


def test_the_verdict_counts_what_is_touched(shown):
    params, result, picture = shown
    rows, columns = result.tile
    offsets = [formula(t, params) for t in range(params.threads)]
    inside = [o for o in offsets if o // params.row_pitch < rows and o % params.row_pitch < columns]
    verdict = picture.verdicts[0]
    words = verdict.sentence.replace(",", "")
    assert f"{len(set(inside))} of {rows * columns} element" in words
    if len(inside) < len(offsets) == len(set(offsets)):
        assert words.startswith(f"{len(offsets) - len(inside)} of {len(offsets)} thread")
    exact = sorted(inside) == sorted(set(offsets)) and len(inside) == len(offsets) == rows * columns
    assert (verdict.state == "good") == exact == result.coverage.exact
    free = [r for r in range(rows) if r not in {o // params.row_pitch for o in inside}]
    if verdict.state == "note":
        assert not free and len(set(offsets)) == len(inside) == len(offsets)
    if match := re.search(r"rows? (\d+)(?: to (\d+))? (?:is|are) (?:skipped|missed)", words):
        assert free == list(range(int(match[1]), int(match[2] or match[1]) + 1))


def test_the_second_line_says_where_the_next_group_starts_and_would_have_to():
    verdict = view()[2].verdicts[0]
    assert verdict.sentence == "64 of 576 elements touched; rows 4 to 31 are skipped."
    assert verdict.second == "T32 starts at offset 512, row 32. A step of Strips · row pitch = 64 would go on at row 4."
    for _name, changes in VIEWS.items():
        params, result, picture = view(**changes)
        if match := re.match(
            r"T(\d+) starts at offset (.*), row (\d+).* = (.*) would go on at row (\d+)", picture.verdicts[0].second
        ):
            t, offset, row, step, should = (int(x.replace(",", "")) for x in match.groups())
            assert formula(t, params) == offset and offset // params.row_pitch == row
            assert result.row[:t].max() + 1 == should == step // params.row_pitch or params.pitch > params.row_pitch


def test_every_warp_has_its_cost_on_a_bar(shown):
    params, result, picture = shown
    size = ELEMENTS[params.element]
    found = {p.name: p for row in picture.body for column in row for p in column if isinstance(p, Bars)}
    for unit, model in (("sectors", sectors), ("wavefronts", wavefronts)):
        costs = set()
        for start in range(0, params.threads, 32):
            lanes = np.arange(start, start + 32)
            active = lanes < params.threads
            address = np.array([formula(t, params) * size for t in lanes])
            cost = model(WarpAccess(address, size, "load", active))
            costs.add((cost.count, cost.ideal))
        bars = found[unit].bars
        drawn = {(b.value, b.ideal) for b in bars}
        assert drawn <= costs and (len(costs) > 4 or drawn == costs) and len(bars) <= 4
        assert max(c - i for c, i in costs) == max(b.value - b.ideal for b in bars)
        assert all((b.state == "good") == (b.value == b.ideal) for b in bars)
    assert result.sectors.summary() in picture.alt and result.wavefronts.summary() in picture.alt


def test_warps_on_the_bars_are_all_warps():
    _, result, picture = view(row_pitch=100, threads=256, pitch=32, strips=8)
    bars = picture.body[1][0][0].bars
    assert [b.label for b in bars] == ["W0, W2, ... W6", "W1, W3, ... W7"]
    assert result.sectors.count.tolist() == [4, 5] * 4 and [b.value for b in bars] == [4, 5]


def test_a_band_is_one_box_with_its_true_counts():
    grid = view()[2].grids()[0]
    (box,) = grid.boxes
    assert (box.bold, box.second) == ("rows 4 to 31: no thread ever comes here", "28 rows, 448 elements skipped")
    assert grid.row_heights == (27,) * 4 + (5,) * 28 + (27,) * 4
    (jump,) = grid.jumps
    assert (grid.row_heads[jump.row], grid.row_heads[jump.row_end], jump.text) == ("0", "32", "+512")
    assert [grid.row_heads[i] for i in (3, 4, 31, 32)] == ["3", "4", "31", "32"]


def test_the_three_terms_of_the_probe_add_up(shown):
    params, result, _ = shown
    for t in {0, params.threads // 2, params.threads - 1}:
        moved = params.change(**probe(result, t))
        after = panels(compute(moved))
        line = after.body[0][0][1].lines[0]
        left, numbers, total = line.text.removeprefix(" → ").split(" = ")
        assert line.bold == f"T{t}" and int(total) == formula(t, params)
        assert sum(map(int, numbers.split(" + "))) == int(total)
        terms = [eval(x.replace("·", "*").replace("/", "//")) for x in left.split(" + ")]
        assert terms == list(map(int, numbers.split(" + ")))
        assert after.status.startswith(f"T{t} → offset {total} elements") and after.probed == t
        tip = after.tips.template.format(*after.tips.table[t])
        assert tip.startswith(f"T{t} → offset {total}\n")
    with pytest.raises(CuteLabError):
        probe(result, params.threads)


def test_copies_all_say_the_same(shown):
    params, _result, picture = shown
    copies = picture.copies
    expected = [formula(t, params) for t in range(params.threads)]
    assert copies["table"].splitlines() == [f"{t} -> {o}" for t, o in enumerate(expected)]
    numbers = {k.arg: k.value.value for k in ast.parse(copies["Python"], mode="eval").body.keywords}
    assert StripThreadMap(**numbers).offsets().tolist() == expected
    c = re.search(r'\\n", t, (.*)\);', copies["C++"])[1].replace("/", "//")
    numba = copies["Numba"].splitlines()[1].removeprefix("offset = ")
    for text in (c, numba):
        code = compile(text, "copy", "eval")
        assert [eval(code, {"t": t}) for t in range(params.threads)] == expected
    if not copies["CuTe"].startswith("//"):
        layout = parse_layout(copies["CuTe"])
        assert [layout(idx2crd(t, layout.shape)) for t in range(params.threads)] == expected


@pytest.mark.parametrize("start", [{}, {"row_pitch": 1}, {"threads": 1024}, {"columns": 16, "rows": 3, "thread": 63}])
def test_every_knob_at_both_ends(start):
    params = StripsParams().change(**start)
    for control in params.controls():
        ends = control.choices or (control.lo, control.hi)
        for value in (ends[0], ends[-1]):
            moved = params.change(**{control.name: value})
            picture = panels(compute(moved))
            assert picture.verdicts and len(picture.subtitle) <= 112
            now = {c.name: c for c in moved.controls()}
            assert now[control.name].value == value
            assert all(not c.choices or c.value in c.choices for c in now.values())
            assert all(c.lo <= c.value <= c.hi for c in now.values() if c.kind in ("slider", "index"))


def test_fixes_do_what_they_say():
    params, _, picture = view()
    whole, strips = picture.offers
    after = view(**{**strips.changes})
    assert after[1].missed_rows == () and after[2].offers[1].in_use and not strips.in_use
    assert (strips.line, whole.line) == ("Strips 8", "Pitch 16, Strips 4")
    fixed = params.change(**whole.changes)
    assert compute(fixed).coverage.exact and all(c.in_use for c in panels(compute(fixed)).offers)


@pytest.mark.parametrize("row_pitch", (1, 2, 16, 33, 64, 128))
@pytest.mark.parametrize("threads", (8, 32, 64, 256))
@pytest.mark.parametrize("pitch", (1, 8, 32))
def test_fixes_come_best_first_and_none_keeps_a_bad_verdict(row_pitch, threads, pitch):
    params = StripsParams(row_pitch=row_pitch, threads=threads, pitch=pitch)
    tried = [compute(params.change(**fix.changes)) for fix in panels(compute(params)).offers]
    assert all(panels(one).verdicts[0].state != "bad" for one in tried)
    share = [one.coverage.covered / one.coverage.tile_elements for one in tried]
    assert share == sorted(share, reverse=True)


def test_a_bar_is_as_long_as_its_cost():
    for bars in (p for row in view(threads=32)[2].body for column in row for p in column if isinstance(p, Bars)):
        assert all(bar.most == 32 for bar in bars.bars)


def test_columns_that_are_not_drawn_are_no_padding():
    picture = view(row_pitch=33)[2]
    assert picture.subtitle.endswith("1 more column.") and all(not g.padding for g in picture.grids())


def test_the_call_rebuilds_the_view(shown):
    params = shown[0]
    call = ast.parse(params.call("strips"), mode="eval").body
    given = dict(zip(("row_pitch",), (a.value for a in call.args), strict=False))
    assert StripsParams().change(**given, **{k.arg: k.value.value for k in call.keywords}) == params


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"row_pitch": 0}, "row_pitch must be from 1 to 1024, got 0"), ({"threads": 0}, "threads must be from 1 to 1024"),
     ({"threads": 1025}, "from 1 to 1024, got 1025"), ({"pitch": 0}, "pitch must be from 1 to 128"), ({"pitch": 129}, "got 129"),
     ({"strips": 0}, "strips must be from 1"), ({"strips": 2.5}, "whole number, got 2.5"), ({"threads": "32"}, "whole number"),
     ({"columns": 17}, "columns 17 do not fit into rows of 16"), ({"rows": 1025}, "rows must be from 0 to 1024"), ({"rows": True}, "whole number"),
     ({"element": "float"}, "element must be one of"), ({"colour": "red"}, "colour must be one of"), ({"thread": 64}, "thread must be from 0 to 63"),
     ({"thread": -1}, "got -1"), ({"row_pitch": "16"}, "row_pitch must be a whole number"), ({"chip": "H100"}, "chip must be a Chip"), ({"kRow": 16}, "there is no parameter")],
)  # fmt: skip
def test_bad_input_is_one_clear_error(changes, words):
    with pytest.raises(CuteLabError, match=re.escape(words)):
        StripsParams().change(**changes)


def test_smaller_rows_and_fewer_threads_take_tile_and_probe_along():
    params = StripsParams().change(columns=16, thread=63)
    small = params.change(row_pitch=4, threads=32)
    assert (small.columns, small.thread) == (4, 31)
    assert compute(small).tile[1] == 4


@pytest.mark.parametrize("chip", [AMD_LDS, *(replace(H200, **{k: v}) for k, v in NUMBERS)], ids=str)
def test_another_chip_counts_by_its_own_numbers(chip, shown):
    params = shown[0].change(chip=chip)
    result = compute(params)
    picture = panels(result)
    plan(picture)
    t, size = params.thread, ELEMENTS[params.element]
    byte = formula(t, params) * size
    assert (
        f"bank {byte // chip.word_bytes % chip.banks} · warp {t // chip.lanes}, lane {t % chip.lanes}" in picture.status
    )
    tip = picture.tips.template.format(*picture.tips.table[t])
    assert f"bank {byte // chip.word_bytes % chip.banks}" in tip and f"warp {t // chip.lanes}" in tip
    for warp, found in enumerate(np.atleast_1d(result.sectors.count).tolist()):
        threads = range(warp * chip.lanes, min((warp + 1) * chip.lanes, params.threads))
        assert found == len({formula(t, params) * size // chip.sector_bytes for t in threads})
    assert "not measured" in picture.alt
