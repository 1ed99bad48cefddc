"""The ten thread maps against tables printed by the real classes, against plain loops, and against their own laws."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest
from golden import DATA, cases
from thread_map_oracle import loop_accesses, loop_coverage, small_maps

from cutelab import CuteLabError, Layout, cosize, offsets
from cutelab.cutlass.pitch_linear import PitchLinearCoord, PitchLinearShape, by_warp, count_coverage
from cutelab.cutlass.thread_map import (
    THREAD_MAPS,
    PitchLinearStridedWarpRakedThreadMap,
    PitchLinearStripminedThreadMap,
    PitchLinearWarpRakedThreadMap,
    PitchLinearWarpStripedThreadMap,
    TransposePitchLinearThreadMap,
    TransposePitchLinearThreadMapSimt,
    parse_thread_map,
)

GOLDEN = cases("threadmaps")
IDS = [c["class"].removeprefix("PitchLinear") + c["template"] for c in GOLDEN]
MAPS = [parse_thread_map(c["class"] + c["template"]) for c in GOLDEN]
REJECTS = cases("threadmap_rejects")
KNOWN = {c["id"]: c["expected"] for c in json.loads((DATA / "cases_layouts.json").read_text()) if c["id"][:3] == "tm-"}


SMALL = list(dict.fromkeys(small_maps()))


@pytest.mark.parametrize(("case", "found"), list(zip(GOLDEN, MAPS, strict=True)), ids=IDS)
def test_golden_table(case, found):
    assert str(found) == case["class"] + case["template"]
    for name in ("iterations", "delta", "thread_access_shape", "storage_shape", "warp_arrangement"):
        if name in case:
            assert list(getattr(found, name)) == case[name]
    assert [found.threads, found.elements_per_access] == [case["threads"], case["elements_per_access"]]
    assert list(found.tile) == case["shape"]
    assert [list(found.initial_offset(t)) for t in range(found.threads)] == case["initial_offset"]
    assert found.accesses().tolist() == case["accesses"]
    coverage = found.coverage()
    assert {name: getattr(coverage, name) for name in case["coverage"]} == case["coverage"]


def test_golden_tables_name_every_class():
    assert {c["class"] for c in GOLDEN} == set(THREAD_MAPS)


@pytest.mark.parametrize("case", REJECTS, ids=lambda c: f"{c['class']}<{c['template']}>")
def test_golden_rejections(case):
    text = f"{case['class']}<{case['template']}>"
    if case["compiles"]:
        parse_thread_map(text)
        return
    with pytest.raises(CuteLabError, match=r"is rejected: .+\. Use .+\n.*\n *\^"):
        parse_thread_map(text)


def test_known_answer_8x128_with_256_threads():
    expected = KNOWN["tm-strip-8x128x256x1"]
    found = PitchLinearStripminedThreadMap((8, 128), 256, 1)
    assert [list(found.iterations), list(found.delta)] == [expected["iterations"], expected["delta"]]
    assert {t: list(found.initial_offset(int(t))) for t in expected["initial_offset"]} == expected["initial_offset"]
    coverage = found.coverage()
    assert (coverage.covered, coverage.tile_elements) == (1024, 1024)
    assert coverage.exact


def test_cutlass_pull_3131_striped_map_misses_three_quarters():
    expected = KNOWN["tm-3131"]["current"]
    found = PitchLinearWarpStripedThreadMap((512, 8), 128, (8, 4), 4)
    coverage = found.coverage()
    assert [list(found.warp_arrangement), list(found.iterations)] == [expected["warps"], expected["iterations"]]
    assert (coverage.covered, coverage.tile_elements) == (expected["covered"], expected["total"])
    assert (coverage.repeated_elements, coverage.out_of_tile_elements) == (expected["dup"], expected["oob"])


def test_small_domain_is_not_empty():
    assert Counter(type(m).__name__ for m in SMALL).keys() == THREAD_MAPS.keys()
    assert len(SMALL) > 1000


def test_law_accesses_are_the_loops_of_the_iterator():
    for found in SMALL:
        loops = loop_accesses(found)
        assert [[list(at[1:]) for at in mine] for mine in loops] == found.accesses().tolist(), str(found)
        assert all([at[0] for at in mine] == list(range(found.accesses_per_thread)) for mine in loops)


def test_law_coverage_counts_add_up():
    for found in SMALL:
        coverage = found.coverage()
        times, outside = loop_coverage(found)
        assert coverage.times.sum() + coverage.out_of_tile_elements == found.threads * found.fragment_size
        assert coverage.covered + coverage.uncovered == coverage.tile_elements == found.tile.count
        assert {tuple(at): n for at, n in np.ndenumerate(coverage.times.T) if n} == times, str(found)
        assert (coverage.out_of_tile_elements, len(coverage.outside_threads)) == (outside, outside)
        assert len(coverage.missed) == coverage.uncovered
        assert len(coverage.repeated) == coverage.repeated_elements
        assert coverage.exact == (str(coverage) == f"{coverage.tile_elements} elements, each touched once")


def test_law_outside_threads_touch_outside():
    coverage = PitchLinearStripminedThreadMap((8, 3), 64, 1).coverage()
    assert coverage.outside_threads.tolist() == list(range(24, 64))
    assert coverage.outside[0].tolist() == [0, 3]


def test_law_stripmined_with_threads_for_a_line_is_its_tv_layout():
    wide = [
        m
        for m in SMALL
        if type(m) is PitchLinearStripminedThreadMap and m.threads >= m.shape.contiguous // m.elements_per_access
    ]
    assert len(wide) > 100
    for m in wide:
        c, s, e = m.shape.contiguous, m.shape.strided, m.elements_per_access
        v, lines = c // e, m.threads // (c // e)
        whole = Layout(((v, lines), (e, -(-s // lines))), ((e, c), (1, lines * c)))
        expected = m.elements()[..., 0] + c * m.elements()[..., 1]
        assert (offsets(whole) == expected).all(), str(m)
        assert (offsets(m.layout_tv()) == expected).all(), str(m)


def test_law_a_layout_tv_is_right_or_refused():
    refused = Counter()
    for m in [*SMALL, *MAPS]:
        try:
            layout = m.layout_tv()
        except CuteLabError as error:
            refused[str(error).partition(">")[0].partition("<")[0]] += 1
            assert "so " in str(error) or "not a CuTe layout" in str(error)
            continue
        places = m.elements()[..., 0] + m.tile.contiguous * m.elements()[..., 1]
        assert (offsets(layout) == places).all(), str(m)
        if m.coverage().exact:
            assert cosize(layout) == m.tile.count
    assert 0 < sum(refused.values()) < len(SMALL) / 2


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (PitchLinearWarpRakedThreadMap((64, 16), 48, (8, 4), 8), "48 threads are no whole number of warps"),
        (PitchLinearStridedWarpRakedThreadMap((192, 8), 160, (8, 4), 8), "5 warps do not fill lines of 3 warps"),
    ],
)
def test_a_map_that_is_no_layout_says_why(found, why):
    with pytest.raises(CuteLabError, match=why):
        found.layout_tv()


def test_law_fragment_index_orders_the_elements():
    for m in (MAPS[4], MAPS[21], MAPS[-6]):
        it, rows, e = m.iterations, m.thread_access_shape.strided, m.elements_per_access
        order = [
            m.fragment_index(s, c, ts, i)
            for s, c, ts, i in itertools.product(range(it.strided), range(it.contiguous), range(rows), range(e))
        ]
        assert order == list(range(m.fragment_size))
        assert m.elements().shape == (m.threads, m.fragment_size, 2)


def test_parts_of_a_vector_follow_each_other():
    m = PitchLinearWarpRakedThreadMap((64, 32), 128, (8, 4), 8)
    assert m.accesses(4).tolist() == [[list(at[1:]) for at in mine] for mine in loop_accesses(m, 4)]
    with pytest.raises(CuteLabError, match="1, 2, 4, 8 work"):
        m.accesses(3)
    with pytest.raises(CuteLabError, match="4 work"):
        MAPS[-6].accesses(2)


def test_warp_addresses_are_the_accesses_in_bytes():
    m = PitchLinearWarpRakedThreadMap((64, 32), 128, (8, 4), 8)
    address, active = m.warp_addresses(16, leading_dimension=256)
    accesses = m.accesses()
    assert address.shape == (2, 4, 32)
    assert active.all()
    assert address[1, 2, 5] == 2 * (accesses[69, 1, 0] + 256 * accesses[69, 1, 1])
    swapped, _ = m.warp_addresses(16, layout=lambda c, s: s + 32 * c)
    assert swapped[1, 2, 5] == 2 * (accesses[69, 1, 1] + 32 * accesses[69, 1, 0])


def test_a_warp_that_is_not_full_is_masked():
    lanes, active = by_warp(np.arange(40) * 3)
    assert lanes[1, :9].tolist() == [96, 99, 102, 105, 108, 111, 114, 117, 117]
    assert active[1].tolist() == [True] * 8 + [False] * 24


@pytest.mark.parametrize("text", [c["class"] + c["template"] for c in GOLDEN[::7]])
def test_other_spellings_are_the_same_map(text):
    plain = parse_thread_map(text)
    spaced = text.replace("<", " < ").replace(">", " > ").replace(",", " ,\n ")
    named = text.replace("PitchLinearShape", "cutlass::layout::PitchLinearShape")
    assert parse_thread_map(spaced) == parse_thread_map("::cutlass::transform::" + named + ";") == plain
    assert hash(parse_thread_map(str(plain))) == hash(plain)


def test_left_out_vector_width_is_one():
    assert parse_thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32>").elements_per_access == 1
    assert (
        str(parse_thread_map("PitchLinearWarpRakedThreadMap<PitchLinearShape<16,8>,32,PitchLinearShape<8,4>>"))[-3:]
        == " 1>"
    )


@pytest.mark.parametrize(
    ("text", "word", "under"),
    [
        (
            "PitchLinearStripedThreadMap<PitchLinearShape<16,8>, 32>",
            "expected the name of a thread map",
            "PitchLinearStriped",
        ),
        ("PitchLinearStripminedThreadMap(16,8)", "expected '<' after", "(16"),
        ("PitchLinearStripminedThreadMap<16, 8>", "expected Shape, a PitchLinearShape", "16, 8"),
        ("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>>", "and Threads", "> "),
        ("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, T>", "'T' is a name, not a number", "T>"),
        ("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1", "expected '>'", ""),
        ("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1> x", "expected the end of the thread map", "x"),
        ("PitchLinearStripminedThreadMap<PitchLinearShape<-16,8>, 32, 1>", "from 0 to 2", "PitchLinearShape<-"),
        ("PitchLinearWarpRakedThreadMap<PitchLinearShape<16,8>, 32, 8>", "expected WarpThreadArrangement", "8>"),
        (
            "TransposePitchLinearThreadMapSimt<PitchLinearShape<16,8>>",
            "expected the name of a thread map",
            "PitchLinearShape",
        ),
    ],
)
def test_a_reading_error_has_its_caret(text, word, under):
    with pytest.raises(CuteLabError, match=word) as caught:
        parse_thread_map(text)
    shown, caret = str(caught.value).split("\n")[1:]
    place = caret.index("^")
    assert (shown + " ")[place:].startswith(under)


def test_deep_nesting_is_refused():
    with pytest.raises(CuteLabError, match="nested more than 8 levels"):
        parse_thread_map("TransposePitchLinearThreadMapSimt<" * 40)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: PitchLinearStripminedThreadMap((0, 8), 32), "both extents must be 1 or more"),
        (lambda: PitchLinearStripminedThreadMap((16, -8), 32), "from 0 to 2"),
        (lambda: PitchLinearStripminedThreadMap(16, 32), r"Shape must be .*for example \(16, 8\)"),
        (lambda: PitchLinearStripminedThreadMap((16, 8), 0), "Threads must be from 1 to 1024, got 0"),
        (lambda: PitchLinearStripminedThreadMap((2048, 8), 2048), "Threads must be from 1 to 1024"),
        (lambda: PitchLinearStripminedThreadMap((16, 8), 32.0), "Threads must be a whole number"),
        (lambda: PitchLinearStripminedThreadMap((16, 8), True), "Threads must be a whole number"),
        (lambda: PitchLinearStripminedThreadMap((16, 8), 32, 0), "ElementsPerAccess must be from 1"),
        (lambda: PitchLinearStripminedThreadMap((16, 8), 32).initial_offset(32), "thread must be from 0 to 31"),
        (lambda: PitchLinearStripminedThreadMap((2**20, 2**20), 32).accesses(), "a table holds at most"),
        (lambda: PitchLinearWarpRakedThreadMap((64, 8), 16, (8, 4), 8), "less than one warp of 32"),
        (lambda: PitchLinearWarpStripedThreadMap((64, 2), 32, (8, 4), 8), "must not be zero"),
        (lambda: TransposePitchLinearThreadMapSimt((16, 8)), "made from another thread map"),
        (lambda: TransposePitchLinearThreadMap(MAPS[0], (2, 16)), "does not say how warps are arranged"),
        (lambda: TransposePitchLinearThreadMapSimt(MAPS[10]), "no Shape and no ThreadAccessShape"),
    ],
)
def test_bad_input_is_one_clear_sentence(make, word):
    with pytest.raises(CuteLabError, match=word):
        make()


def test_values_are_frozen():
    m = PitchLinearStripminedThreadMap((16, 8), 32)
    with pytest.raises(AttributeError):
        m.threads = 64
    assert m == PitchLinearStripminedThreadMap(PitchLinearShape(16, 8), 32, 1)
    assert m.initial_offset(np.int64(17)) == PitchLinearCoord(1, 1)
    assert not count_coverage(m.elements(), m.tile).times.flags.writeable


@pytest.mark.parametrize("shape", [(128, 7), (32, 15), (24, 8)])
def test_the_remedy_of_a_tile_below_one_access_of_a_warp_is_no_count_of_threads(shape):
    """PitchLinearWarpStripedThreadMap does not ask that lanes divide the tile: it may hold no access of a warp at all."""
    lanes, e = {(128, 7): ((4, 8), 8), (32, 15): ((2, 16), 4), (24, 8): ((8, 4), 4)}[shape]
    with pytest.raises(CuteLabError, match="Use a tile of at least one access of a warp") as caught:
        PitchLinearWarpStripedThreadMap(shape, 128, lanes, e)
    assert f"{lanes[0] * e} x {lanes[1]} elements" in str(caught.value)
    for threads in (1, 32, 64, 128):
        with pytest.raises(CuteLabError):
            PitchLinearWarpStripedThreadMap(shape, threads, lanes, e)


def test_the_columns_that_are_named_hold_whole_accesses_of_a_warp():
    with pytest.raises(CuteLabError, match="Use 64 or 128 columns"):
        PitchLinearWarpRakedThreadMap((100, 8), 32, (8, 4), 8)
    PitchLinearWarpRakedThreadMap((64, 8), 32, (8, 4), 8)
    PitchLinearWarpRakedThreadMap((128, 8), 32, (8, 4), 8)
