"""The coalescing topic: pictures, bars and words say what the sector model counts, for every knob and odd accesses."""

import ast
import itertools
import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from cutelab import CuteLabError, WarpAccess, offsets, parse_layout
from cutelab.course.card.paint.ops import Text
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.picture import HOLE, Bars, Lines
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.coalescing import compute, panels, probe
from cutelab.course.topics.coalescing.knobs import ORDERS, PRESETS, CoalescingParams
from cutelab.course.topics.coalescing.lines import MOST_ROWS, WINDOW, rows_of
from cutelab.course.topics.coalescing.words import layout
from cutelab.hardware.chip import AMD_LDS, H200
from cutelab.hardware.measured import measured

CASES = [
    *({"preset": name} for name in PRESETS),
    {"element": "int8"},
    {"element": "int8", "stride": 32},
    {"element": "int8", "access_bytes": 16},
    {"element": "half", "stride": 5, "start": 3},
    {"element": "half", "access_bytes": 8, "order": "shuffled"},
    {"element": "float64", "stride": 3, "order": "reversed", "kind": "store"},
    {"element": "uint128", "start": 7, "stride": 2},
    {"stride": 33},
    {"stride": 1024, "lane": 31},
    {"stride": 16_384, "start": 16_384, "lane": 17},
    {"stride": 40, "start": 31, "across": 8, "pitch": 16_384, "order": "shuffled", "lane": 25},
    {"across": 2, "pitch": 1000, "start": 5, "order": "swapped pairs"},
    {"across": 16, "pitch": 4096, "lane": 20},
    {"across": 8, "pitch": 0},
    {"across": 4, "pitch": 48, "access_bytes": 16},
    {"across": 1, "pitch": 33, "active": 9},
    {"active": 1, "lane": 0, "stride": 4},
    {"stride": 0, "kind": "store"},
]
each = pytest.mark.parametrize("changes", CASES, ids=str)


def view(changes):
    params = CoalescingParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


def touched_bytes(params, result):
    """Slow and obvious: the set of bytes, lane by lane, from the formula in the docstring."""
    found = set()
    order = {"straight": lambda i: i, "reversed": lambda i: params.chip.lanes - 1 - i, "swapped pairs": lambda i: i ^ 1}
    for i in range(params.active):
        p = order.get(params.order, lambda i: (5 * i + 3) % params.chip.lanes)(i)
        element = params.start + (p % params.across) * params.stride + (p // params.across) * params.pitch
        byte = element * ELEMENTS[params.element]
        found |= set(range(byte, byte + params.access_bytes))
    return found


@each
def test_the_counts_are_those_of_the_bytes(changes):
    params, result, _ = view(changes)
    found = touched_bytes(params, result)
    assert result.count == len({b // 32 for b in found})
    assert result.lines == len({b // 128 for b in found})
    assert result.sectors.used_bytes == len(found)
    assert result.ideal == -(-len(found) // 32) <= result.count


@each
def test_the_picture_shows_the_bytes(changes):
    params, result, picture = view(changes)
    memory = picture.grids()[0]
    found = touched_bytes(params, result)
    drawn = {}
    for row, name in enumerate(memory.row_heads):
        for col in range(memory.shape[1]):
            if name:
                drawn[int(name) * 128 + col * params.access_bytes] = row, col
    seen = 0
    for byte, cell in drawn.items():
        used, fetched = byte in found, any(b // 32 == byte // 32 for b in found)
        assert (memory.fill[cell] >= 0) == used
        assert bool(memory.states[cell] & HOLE) == (fetched and not used)
        seen += used
        if used and memory.labels is not None:
            lane = int(memory.labels[cell][1:])
            assert result.access.byte_address[lane] == byte and memory.fill[cell] == lane // 8
    if not memory.boxes or all("no lane" in box.bold for box in memory.boxes):
        assert seen * params.access_bytes == len(found), "every touched byte is drawn"


@each
def test_bars_and_words_are_the_counts(changes):
    _params, result, picture = view(changes)
    bars = next(p for row in picture.body for column in row for p in column if isinstance(p, Bars)).bars
    sector, used, lines = bars
    assert (sector.value, sector.ideal, sector.most) == (result.count, result.ideal, 32)
    assert used.value == result.sectors.used_bytes and used.unit.replace(",", "") == f"of {32 * result.count} bytes"
    assert lines.value == result.lines >= lines.ideal
    verdict = picture.verdicts[0]
    assert (verdict.state == "good") == (result.count == result.ideal)
    assert verdict.sentence.startswith(result.sectors.summary())
    assert f"{100 * result.efficiency:.0f} %" in verdict.sentence and verdict.second
    assert len(picture.subtitle) <= 112 and picture.alt.startswith(picture.title)


@each
def test_the_card_holds_its_words(changes):
    picture = view(changes)[2]
    drawn = plan(picture)
    cut = [op.text for op in drawn.ops if isinstance(op, Text) and "…" in op.text and op.text[:-1] not in picture.call]
    assert not cut and drawn.height <= 620


@each
def test_the_probed_lane_in_words(changes):
    params, result, picture = view(changes)
    lane, byte = params.lane, int(result.access.byte_address[params.lane])
    plain = picture.status.replace(",", "")
    assert plain == f"T{lane} → element {result.element[lane]} · byte {byte} · line {byte // 128} · sector {byte // 32}"
    words = picture.tips.template.format(*picture.tips.table[lane])
    assert words == f"T{lane} → element {result.element[lane]}\nbyte {byte} · line {byte // 128} · sector {byte // 32}"
    first, _, third = next(p for row in picture.body for c in row for p in c if isinstance(p, Lines)).lines
    left, right = first.text.replace(",", "").split("→ ")[1].split(" = ")
    assert sum(np.prod(list(map(int, term.split("·")))) for term in left.split(" + ")) == int(right)
    serves = sum(1 for b in result.access.byte_address[: params.active] if b // 32 == byte // 32)
    assert f"serves {serves} lane" in third.text
    for grid in picture.grids():
        ring = next(r for r in grid.rings if r.kind == "probe")
        assert grid.probe[ring.row, ring.col] == lane


@each
def test_a_click_moves_the_probe_to_that_lane(changes):
    params, result, picture = view(changes)
    memory = picture.grids()[0]
    for cell in set(memory.probe[memory.probe >= 0].tolist()):
        moved = params.change(**probe(result, cell))
        row, col = np.argwhere(memory.probe == cell)[0]
        byte = int(memory.row_heads[row]) * 128 + col * params.access_bytes
        assert compute(moved).access.byte_address[moved.lane] == byte


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("changes", [{}, {"stride": 3}, {"access_bytes": 16}, {"across": 8, "pitch": 100}], ids=str)
def test_the_order_of_the_lanes_costs_nothing(order, changes):
    straight, other = view(changes)[1], view({**changes, "order": order})[1]
    assert (other.count, other.lines, other.ideal) == (straight.count, straight.lines, straight.ideal)
    assert sorted(other.place) == list(range(32))


def test_moving_by_a_line_changes_nothing():
    for stride in range(40):
        near, far = view({"stride": stride, "start": 5})[1], view({"stride": stride, "start": 5 + 32})[1]
        assert (near.count, near.lines) == (far.count, far.lines)


def test_known_counts():
    def count(**changes):
        return view(changes)[1].count

    assert [count(across=2**k, pitch=16) for k in range(6)] == [32, 16, 8, 4, 4, 4]
    assert [count(across=2**k, pitch=64) for k in range(6)] == [32, 16, 8, 4, 4, 4]
    assert count(stride=4) == 16 and count(stride=32) == 32 and count(start=1) == 5
    assert count(access_bytes=16) == 16 and view({"access_bytes": 16})[1].lines == 4
    ratio = {e: count(element=e, stride=128) // count(element=e) for e in ELEMENTS}
    assert ratio == {"int8": 32, "half": 16, "float32": 8, "float64": 4, "uint128": 2}


def test_the_hardware_counted_the_same():
    """Every stored pattern that the knobs can express."""
    data, seen = measured("h200_global_sectors"), 0
    element = {1: "int8", 2: "half", 4: "float32", 8: "float64", 16: "uint128"}
    for i, pattern in enumerate(data.pattern):
        if match := re.fullmatch(r"stride(\d+)", pattern):
            changes = {"stride": int(match[1])}
        elif (match := re.fullmatch(r"P(\d+)pitch(\d+)", pattern)) and int(match[1]) <= 32:
            changes = {"across": int(match[1]), "pitch": int(match[2])}
        else:
            continue
        result = view({"element": element[data.access_bytes[i]], "kind": data.kind[i], **changes})[1]
        if (result.access.byte_address == data.byte_address[i]).all() and data.active[i].all():
            assert result.count == data.counts[i], (pattern, data.instruction[i])
            seen += 1
    assert seen > 100


@pytest.mark.parametrize(
    ("touched", "probed"),
    [([0], 0), ([7], 7), (range(40), 39), (range(0, 320, 10), 0), (range(0, 320, 10), 160), (range(0, 320, 10), 310), ([3, 4, 7, 900], 4),
     ([0, 35], 0), ([0, 36], 36), ([5, 400, 401, 404, 9000, 9001, 9002, 9003, 9004], 401)],
)  # fmt: skip
def test_the_rows_stand_for_every_line_once(touched, probed):
    touched = np.array(list(touched))
    rows = rows_of(touched, probed)
    assert rows[0].line == touched[0] and rows[-1].end == touched[-1]
    assert all(after.line == before.end + 1 for before, after in itertools.pairwise(rows))
    for row in rows:
        inside = ((touched >= row.line) & (touched <= row.end)).sum()
        assert row.kind != "gap" or inside == 0
        assert row.kind != "more" or inside > 0
        assert row.kind != "line" or row.line == row.end
    lines = [row.line for row in rows if row.kind == "line"]
    assert np.isin(touched, lines).sum() >= min(WINDOW, len(touched)), "the window is full, also at its ends"
    assert probed in lines and len(rows) <= MOST_ROWS


def test_bands_say_what_they_hide():
    _, result, picture = view({"stride": 1024, "lane": 17})
    memory = picture.grids()[0]
    hidden = 0
    for box in memory.boxes:
        first, last, lines = map(int, re.match(r"lines (\d+) to (\d+): (\d+) of them", box.bold).groups())
        inside = (result.sectors.line >= first) & (result.sectors.line <= last)
        assert inside.sum() == lines and box.second == f"{lines} lanes in {lines} sectors"
        hidden += lines
    assert hidden + sum(r != "" for r in memory.row_heads) == result.lines
    gap = view({"across": 16, "pitch": 4096})[2].grids()[0].boxes[0]
    assert gap.bold == "lines 1 to 127: no lane comes here" and gap.second == "127 lines, 16,256 bytes skipped"


def test_broadcast_lanes_share_a_cell():
    _, _result, picture = view({"stride": 0})
    memory = picture.grids()[0]
    assert memory.labels[0, 0] == "T0" and memory.second[0, 0] == "×32" and memory.probe[0, 0] == 5
    assert "32 lanes share 1 place" in picture.verdicts[0].second
    assert "one of them wins" in view({"stride": 0, "kind": "store"})[2].verdicts[0].second


@pytest.mark.parametrize(
    ("changes", "state", "words"),
    [
        ({}, "good", "4 sectors, the ideal: 100 % of the bytes moved are used"),
        ({}, "good", "32 lanes x 4 bytes = 128 bytes in 4 sectors, in 1 line of 128 bytes"),
        ({"stride": 32}, "bad", "32 sectors where 4 would do: 12 % of the bytes moved are used"),
        ({"stride": 32}, "bad", "Each lane stands in a sector of its own and uses 4 of its 32 bytes"),
        ({"start": 1}, "note", "begin 4 bytes into a sector: 1 sector more"),
        ({"start": 13}, "note", "begin 20 bytes into a sector: 1 sector more"),
        ({"stride": 2}, "note", "The lanes use 16 of the 32 bytes of a sector, on average"),
        ({"access_bytes": 16}, "good", "in 4 lines of 128 bytes"),
    ],
)
def test_verdicts(changes, state, words):
    verdict = view(changes)[2].verdicts[0]
    assert verdict.state == state and words in f"{verdict.sentence} {verdict.second}"


@each
def test_fixs_do_what_they_say(changes):
    params, result, picture = view(changes)
    assert bool(picture.offers) <= (result.count > result.ideal) and len(picture.offers) <= 3
    before = 0
    for fix in picture.offers:
        after = compute(params.change(**fix.changes)).count
        assert f"  {after} sector" in fix.line and before <= after < result.count
        before = after


def test_the_best_fix_of_the_classics():
    assert view({"stride": 32})[2].offers[0].changes == {"stride": 1}
    assert view({"start": 1})[2].offers[0].changes == {"start": 0}
    assert {"pitch": 104} in [c.changes for c in view({"across": 8, "pitch": 100, "start": 0})[2].offers]


@each
def test_the_layout_in_the_title_is_the_map(changes):
    params, result, picture = view(changes)
    found = parse_layout(picture.title.partition(", ")[0])
    assert found == layout(params)
    by_lane = offsets(found).ravel(order="F").reshape(32, params.vector, order="F")
    assert (by_lane[result.place, 0] + params.start == result.element).all()
    assert (np.diff(by_lane, axis=1) == 1).all(), "the values of a lane lie side by side"


@each
def test_copies_are_the_same_access(changes):
    params, result, picture = view(changes)
    names = {"np": np, "WarpAccess": WarpAccess}
    setup, line = picture.copies["Python"].split("\n")
    exec(setup, names)
    assert eval(line, names) == result.access
    index = re.search(r"memory\[(.*?)\]", picture.copies["CUDA C++"]).group(1)
    element = eval(index.replace(" / ", " // "), {"lane": np.arange(32)})
    assert (element * np.ones(32, int) == result.element).all()
    assert ("reinterpret_cast" in picture.copies["CUDA C++"]) == (params.vector > 1)
    assert ("value;" in picture.copies["CUDA C++"]) == (params.kind == "store")


@each
def test_the_call_rebuilds_the_view(changes):
    params, _, _ = view(changes)
    call = ast.parse(params.call("coalescing"), mode="eval").body
    given = {"element": call.args[0].value} if call.args else {}
    assert CoalescingParams().change(**given, **{k.arg: k.value.value for k in call.keywords}) == params


@each
def test_every_knob_at_both_ends(changes):
    params = CoalescingParams().change(**changes)
    for control in params.controls():
        ends = control.choices or (control.lo, control.hi)
        for value in {ends[0], ends[-1]} - {"own"}:
            moved = params.change(**{control.name: value})
            assert panels(compute(moved)).verdicts
            assert {c.name: c.value for c in moved.controls()}[control.name] == value


@pytest.mark.parametrize("seed", range(5))
def test_no_knob_makes_another_invalid(seed):
    random, params = Random(seed), CoalescingParams()
    for _ in range(80):
        control = random.choice(params.controls())
        values = control.choices or range(control.lo, control.hi + 1, control.step)
        params = params.change(**{control.name: random.choice([v for v in values if v != "own"])})
        assert compute(params).count >= 1


def test_a_wider_access_keeps_the_lanes_side_by_side():
    params = CoalescingParams()
    for width in (16, 8, 4):
        params = params.change(access_bytes=width)
        assert params.stride == params.vector == width // 4
    assert params.change(element="half").access_bytes == 2
    assert params.change(access_bytes=16).change(element="float64").vector == 2
    assert CoalescingParams(stride=32).change(access_bytes=8).change(access_bytes=4).stride == 32


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"access_bytes": 16, "stride": 3}, "stride 3 puts an access at byte 12; an access of 16 bytes must begin at"),
        ({"access_bytes": 8, "start": 1}, "Use a start that is a multiple of 2"),
        ({"access_bytes": 8, "across": 8, "pitch": 33}, "Use a pitch that is a multiple of 2"),
        ({"access_bytes": 3}, "a lane moves 4, 8, 16 bytes of float32"),
        ({"access_bytes": 2}, "got access_bytes=2"),
        ({"element": "float64", "access_bytes": 4}, "a lane moves 8, 16 bytes of float64"),
        ({"element": "float"}, "element must be one of int8"),
        ({"stride": -1}, "stride must be from 0 to"),
        ({"stride": 1.5}, "stride must be a whole number"),
        ({"start": 10**9}, "start must be from 0 to"),
        ({"across": 3}, "across must be one of 1, 2"),
        ({"order": "random"}, "order must be one of straight"),
        ({"active": 0}, "active must be from 1 to 32"),
        ({"lane": 32}, "lane must be from 0 to 31"),
        ({"active": 4, "lane": 4}, "lane must be from 0 to 3"),
        ({"kind": "atomic"}, "kind must be one of load, store"),
        ({"active": "x"}, "active must be a whole number"),
        ({"chip": 32}, "chip must be a Chip"),
        ({"preset": "mine"}, "there is no preset 'mine'"),
        ({"banks": 32}, "there is no parameter 'banks'"),
    ],
)
def test_bad_input_is_one_clear_error(changes, words):
    with pytest.raises(CuteLabError, match=re.escape(words)):
        CoalescingParams().change(**changes)


def test_lanes_that_take_no_part_are_refused_as_probe():
    with pytest.raises(CuteLabError, match="lane 20 takes no part"):
        probe(compute(CoalescingParams(active=20)), 20)
    assert CoalescingParams(lane=31).change(active=4).lane == 3


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_preset_is_where_its_own_knob_says(name, element):
    """Of each element; what else is asked for comes on top of it, whatever stood before."""
    before = CoalescingParams(stride=5, start=3, across=4, pitch=9, order="reversed", active=7, lane=3, kind="store")
    params = before.change(preset=name, element=element)
    same = element == "uint128" and name == "16 bytes a lane"  # its lanes are as wide as an element
    assert params.preset == ("side by side" if same else name) and (params.kind, params.lane) == ("store", 3)
    wide = before.change(preset=name, element=element, access_bytes=16)
    assert wide.access_bytes == 16 and not wide.stride % wide.vector
    other = CoalescingParams(element=element, access_bytes=ELEMENTS[element])
    assert other.change(preset=name) == CoalescingParams().change(element=element, preset=name)


CHIPS = [
    AMD_LDS,
    replace(H200, banks=64),
    replace(H200, word_bytes=8),
    replace(H200, sector_bytes=64),
    replace(H200, line_bytes=64),
    replace(H200, sector_bytes=128),
    replace(H200, line_bytes=256, sector_bytes=64),
]


@pytest.mark.parametrize("chip", CHIPS, ids=str)
@each
def test_another_chip_is_drawn_by_its_own_numbers(chip, changes):
    params = CoalescingParams().change(chip=chip).change(**changes)
    result = compute(params)
    picture = panels(result)
    found = touched_bytes(params, result)
    plan(picture)
    assert "not measured" in picture.verdicts[0].sentence
    byte = int(result.access.byte_address[params.lane])
    assert picture.status.replace(",", "").endswith(
        f"line {byte // chip.line_bytes} · sector {byte // chip.sector_bytes}"
    )
    memory = picture.grids()[0]
    assert memory.shape[1] * params.access_bytes == chip.line_bytes
    for row, name in enumerate(memory.row_heads):
        for col in range(memory.shape[1]) if name else ():
            assert (memory.fill[row, col] >= 0) == (int(name) * chip.line_bytes + col * params.access_bytes in found)


def test_a_whole_warp_stays_whole_on_another_chip():
    narrow = CoalescingParams(lane=31).draft({"chip": replace(H200, lanes=16)})
    assert (narrow.across, narrow.active, narrow.lane) == (16, 16, 15)
    wide = CoalescingParams(across=8, active=20).draft({"chip": replace(H200, lanes=64)})
    assert (wide.across, wide.active, wide.lane) == (8, 20, 5)
