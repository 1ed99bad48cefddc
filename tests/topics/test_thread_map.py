"""The thread map topic: the picture shows who comes first, what is missed, and what each access costs, for all ten classes."""

import itertools

import numpy as np
import pytest
from thread_maps import ALL, FORMULA, RAKED, SIMT, STRIPED, WRONG, view

from cutelab import CuteLabError, StripThreadMap, WarpAccess, matrix_layout, parse_layout, sectors, wavefronts
from cutelab.course.card import paint as draw
from cutelab.course.card.paint.ops import Cells
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.picture import COLLISION, HOLE, INACTIVE, OUTSIDE, Lines
from cutelab.course.card.words import ELEMENTS, count
from cutelab.course.topics.thread_map import compute, panels, probe
from cutelab.course.topics.thread_map.cost import cost
from cutelab.course.topics.thread_map.knobs import ThreadMapParams
from cutelab.course.topics.thread_map.typed import (
    EXAMPLES,
    read_map,
    read_shared,
    shared_offsets,
)


def walk(found):
    """Slow and obvious: (contiguous, strided) -> the (access, thread) pairs that touch it, in the order of time."""
    seen = {}
    places, e = found.accesses(), found.elements_per_access
    for access in range(places.shape[1]):
        for thread in range(found.threads):
            c, s = places[thread, access].tolist()
            for element in range(e):
                seen.setdefault((c + element, s), []).append((access, thread))
    return seen


@pytest.mark.parametrize("text", ALL)
def test_each_cell_names_who_comes_first(text):
    params, result, picture = view(text)
    side, tile, seen = result.sides[0], picture.grids()[0], walk(params.thread_map)
    contiguous, strided = params.thread_map.tile
    bands = {row for row, _, _ in side.bands}
    for i, j in np.ndindex(tile.shape):
        line, first = int(side.rows[i]), int(side.columns[j])
        for column in range(first, first + side.grain):
            touched = seen.get((column, line), [])
            assert side.times[i, j] == len(touched)
            assert bool(tile.states[i, j] & COLLISION) == (len(touched) > 1)
            inside = column < contiguous and line < strided
            assert bool(tile.states[i, j] & HOLE) == (inside and not touched)
            assert bool(tile.states[i, j] & OUTSIDE) == (not inside and bool(touched))
            if touched:
                assert (side.turn[i, j], side.owner[i, j]) == touched[0]
                assert tile.fill[i, j] == touched[0][1] // 32 % 8 and i not in bands
            else:
                assert side.owner[i, j] == tile.fill[i, j] == tile.probe[i, j] == -1


@pytest.mark.parametrize("text", [*EXAMPLES.values(), *WRONG[:4]])
def test_the_thread_number_stands_on_the_first_cell_of_each_vector(text):
    params, result, picture = view(text)
    side, tile = result.sides[0], picture.grids()[0]
    starts = {
        (int(s), int(c)): thread for thread, row in enumerate(params.thread_map.accesses().tolist()) for c, s in row
    }
    for i, j in zip(*np.nonzero(tile.labels != ""), strict=True):
        assert int(tile.labels[i, j].strip("T")) == starts[int(side.rows[i]), int(side.columns[j])]
    drawn = sum(s in side.rows and c in side.columns for s, c in starts)
    assert (tile.labels != "").sum() == drawn


@pytest.mark.parametrize("text", ALL)
@pytest.mark.parametrize("element, ld", [("int8", 1024), ("half", 2048), ("float32", 1032)])
def test_costs_are_those_of_the_memory_model(text, element, ld):
    params, result, picture = view(text, element=element, ld=max(ld, 2048 if "2048" in text else 256))
    side, item = result.sides[0], ELEMENTS[element]
    address, active = params.thread_map.warp_addresses(8 * item, params.ld)
    width = side.load.access_bytes
    assert side.load.instructions * width == params.thread_map.elements_per_access * item
    for k, w in np.ndindex(*address.shape[:2]):
        parts = [
            sectors(WarpAccess(address[k, w] + p * width, width, active=active[w]))
            for p in range(side.load.instructions)
        ]
        assert side.load.count[k, w] == sum(p.count for p in parts)
        assert side.load.ideal[k, w] == sum(p.ideal for p in parts)
    assert f"Global load: {count(side.load.total, 'sector')}" in picture.verdicts[1].sentence
    for grid, found in zip(picture.grids()[1:], (side.load, side.store), strict=True):
        if found.count.size:
            table = found.count[:8, :8].T
            shown = grid.labels[: table.shape[0], : table.shape[1]]
            more = tuple(int(n > 8) for n in found.count.T.shape)
            assert grid.labels.shape == tuple(np.add(table.shape, more))
            assert (shown == np.where(table == 0, "", table.astype(str))).all()
            fill = grid.fill[: table.shape[0], : table.shape[1]]
            least = found.ideal[:8, :8].T
            amber = 4 if found.ways == 1 else 3
            right = np.where(table == least, 2, np.where(table <= 2 * least, 4, amber))
            assert (fill[table > 0] == right[table > 0]).all()


@pytest.mark.parametrize("name", ["PitchLinear", "TensorOpMultiplicand<16,64>", "Sw<3,3,3>", "(64,32):(1,72)"])
def test_a_shared_store_goes_through_the_chosen_layout(name):
    params, result, _ = view(RAKED, shared=name)
    tile = params.thread_map.tile
    if name == "PitchLinear":
        table = np.arange(64)[:, None] + 64 * np.arange(32)
    elif name.startswith("Tensor"):
        table = matrix_layout(name, tile).offsets
    else:
        text = name if ":" in name else f"{name} o 0 o (64,32):(1,64)"
        layout = parse_layout(text)
        table = np.array([[layout(c, s) for s in range(32)] for c in range(64)])
    assert (shared_offsets(read_shared(name), tile) == table).all()
    store, places = result.sides[0].store, params.thread_map.accesses()
    for k, w in itertools.product(range(2), range(4)):
        at = places[32 * w : 32 * w + 32, k]
        assert store.count[k, w] == wavefronts(WarpAccess(2 * table[at[:, 0], at[:, 1]], 16, "store")).count


def test_the_swizzle_of_a_2x_layout_costs_the_same():
    costs = [
        view(RAKED, shared=s)[1].sides[0].store.count.tolist() for s in ("TensorOpMultiplicand<16,64>", "Sw<3,3,3>")
    ]
    assert costs[0] == costs[1]


def test_an_unaligned_leading_dimension_and_a_transposed_tile_take_narrower_accesses():
    side = view(RAKED, ld=1001, shared="(64,32):(32,1)")[1].sides[0]
    assert (side.load.instructions, side.load.access_bytes) == (8, 2)
    assert (side.store.instructions, side.store.access_bytes) == (8, 2)
    side = view(RAKED, ld=1004)[1].sides[0]
    assert (side.load.instructions, side.load.access_bytes) == (2, 8)
    assert "2 loads of 8 bytes an access (not aligned)" in view(RAKED, ld=1004)[2].verdicts[1].sentence


def test_cost_of_a_warp_without_a_lane_is_nothing():
    address = np.zeros((1, 2, 32, 1), np.int64)
    active = np.array([[[True] * 32, [False] * 32]])
    assert cost(address, active, 4, "store").count.tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        (SIMT, "good", "Each of the 128 elements is touched once: 32 threads x 4 accesses."),
        (RAKED, "good", "128 threads x 2 accesses of 8. Iterations <1,2>, Delta <64,4> elements; warps stand <1,4>."),
        (WRONG[0], "bad", "16 touches fall outside the tile (line 5)."),
        (WRONG[1], "bad", "40 touches fall outside the tile (lines 3 to 7)."),
        (WRONG[2], "bad", "256 of 768 elements are never touched (lines 8 to 11)."),
        (WRONG[3], "bad", "512 touches fall outside the tile (lines 8 to 15)."),
        (WRONG[4], "bad", "32 of 128 elements are never touched (columns 3, 7, 11 ...); 32 are touched twice."),
        (WRONG[5], "bad", "64 of 192 elements are never touched (columns 4 to 5)."),
        (WRONG[6], "bad", "64 of 64 elements are never touched"),
        (WRONG[7], "bad", "768 of 2048 elements are never touched"),
    ],
)  # fmt: skip
def test_verdicts_name_the_silent_faults(text, state, words):
    params, _, picture = view(text)
    verdict = picture.verdicts[0]
    assert verdict.state == state
    found = params.thread_map.coverage()
    assert words in f"{verdict.sentence} {verdict.second}"
    assert (state == "good") == found.exact
    for number in filter(None, (found.uncovered, found.out_of_tile_elements, found.repeated_elements)):
        assert str(number) in verdict.sentence


@pytest.mark.parametrize("text", ALL)
def test_probe_and_rings(text):
    params, result, picture = view(text)
    tile, side = picture.grids()[0], result.sides[0]
    cells = tile.probe[tile.probe >= 0]
    for cell in {int(c) for c in cells[:: max(1, len(cells) // 5)]}:
        changes = probe(result, cell)
        moved = params.change(**changes)
        after = compute(moved)
        grid = panels(after).grids()[0]
        c, s = params.thread_map.accesses()[changes["thread"], changes["access"]].tolist()
        assert f"contiguous {c}" in panels(after).status and f"strided {s} " in panels(after).status
        ringed = {(i, j) for r in grid.rings if r.kind == "probe" for i, j in _inside(r)}
        first = int(np.searchsorted(after.sides[0].columns, c))
        row = int(np.searchsorted(after.sides[0].rows, s))
        assert ringed == {(row, first + k) for k in range(side.vector // side.grain)}
        warp = slice(changes["thread"] // 32 * 32, changes["thread"] // 32 * 32 + 32)
        framed = {(i, j) for r in grid.rings if r.kind == "access" for i, j in _inside(r)}
        places = params.thread_map.accesses()[warp, changes["access"]].tolist()
        lines = after.sides[0].rows.tolist()
        expected = {
            (lines.index(s), c // side.grain + k)
            for c, s in places
            for k in range(side.vector // side.grain)
            if s in lines
        }
        assert framed in (expected, set())


def _inside(ring):
    return itertools.product(range(ring.row, ring.row_end + 1), range(ring.col, ring.col_end + 1))


def test_a_tile_as_large_as_it_gets_shows_the_lines_around_the_probe():
    text = "PitchLinearWarpRakedThreadMap<PitchLinearShape<32,256>, 256, PitchLinearShape<4,8>, 8>"
    params, result, picture = view(text, thread=130, access=2)
    assert params.thread_map.accesses()[130, 2, 1] in result.sides[0].rows
    assert "lines 128 to 159 of 256 are drawn" in picture.subtitle and picture.grids()[0].shape == (32, 4)
    with pytest.raises(CuteLabError, match="drawn up to 65,536"):
        params.change(columns=512)


def test_later_accesses_can_wait():
    _, result, picture = view(SIMT, later=False, access=1, colour="access")
    tile, side = picture.grids()[0], result.sides[0]
    assert ((tile.states & INACTIVE > 0) == (side.turn > 1)).all()
    assert (
        set(tile.labels[side.turn > 1].tolist()) == {""}
        and (tile.fill[side.turn <= 1] == side.turn[side.turn <= 1]).all()
    )


def test_raked_against_striped():
    _, result, picture = view(RAKED, other=STRIPED, thread=40)
    assert [type(s.map).__name__ for s in result.sides] == [type(read_map(t)).__name__ for t in (RAKED, STRIPED)]
    first, second = picture.grids()
    assert {r.kind for r in first.rings} == {r.kind for r in second.rings} == {"probe", "twin", "access"}
    probed = [next(r for r in g.rings if r.kind == "probe").row for g in (first, second)]
    assert probed == [9, 5]
    assert not set(first.probe.ravel().tolist()) & set(second.probe.ravel().tolist()) - {-1}
    cell = int(second.probe[10, 0])
    changes = probe(result, cell)
    assert changes == {"thread": int(result.sides[1].owner[10, 0]), "access": int(result.sides[1].turn[10, 0])}


def test_the_formula_is_held_against_the_tile_of_the_real_map():
    _, result, picture = view(SIMT, threads=64, other=FORMULA, thread=33)
    formula = result.sides[1]
    assert formula.coverage.uncovered == 96 and formula.coverage.out_of_tile_elements == 32
    assert formula.bands == ((8, 8, 31),)
    assert formula.rows.tolist() == [*range(8), 8, 32, 33, 34, 35]
    assert [b.bold for b in picture.grids()[1].boxes] == ["lines 8 to 31: nobody comes here"]
    assert "96 of 128 elements are never touched" in picture.verdicts[1].sentence
    reading = [p.lines[0].text for row in picture.body for column in row for p in column if isinstance(p, Lines)]
    assert reading[1] == f"offset {StripThreadMap(16, 64, 8, 4).get_offset(33)} → column 1, line 32"


def test_lanes_outside_the_tile_store_nothing():
    side = view(SIMT, element="float32", other="StripThreadMap(32, 32, 32, 1)", ld=32)[1].sides[1]
    assert side.coverage.out_of_tile_elements == 16 and side.columns.tolist() == list(range(32))
    half = WarpAccess(np.arange(32) * 4, 4, "store", active=np.arange(32) < 16)
    assert side.store.count[0, 0] == wavefronts(half).count and side.load.count[0, 0] == 4
    last = view(WRONG[3])[1].sides[0].store
    assert last.count[:, 2:].tolist() == [[0, 0], [0, 0]] and (last.count[:, :2] > 0).all()


@pytest.mark.parametrize("text", ALL)
def test_pictures_are_small(text):
    picture = view(text)[2]
    assert len(draw.render(picture, 2).png) < 80_000 and len(draw.render(picture, 1).png) < 25_000


@pytest.mark.parametrize("threads", (32, 128, 512))
def test_the_subtitle_names_the_number_only_where_one_is_drawn(threads):
    seen = set()
    for columns, lines, vector in itertools.product((8, 64, 128), (4, 12, 64), (1, 2, 8)):
        text = f"PitchLinearStripminedThreadMap<PitchLinearShape<{columns},{lines}>, {threads}, {vector}>"
        try:
            picture = panels(compute(ThreadMapParams().change(thread_map=text)))
        except CuteLabError:
            continue
        drawn = any(op.labels for op in plan(picture).ops if isinstance(op, Cells) and op.name == "tile")
        assert ("Number = thread" in picture.subtitle) == drawn, text
        seen.add(drawn)
    assert seen == {True, False}


def test_a_cost_table_shows_where_it_stops():
    def table(threads, thread):
        text = f"PitchLinearStripminedThreadMap<PitchLinearShape<64,64>, {threads}, 1>"
        params = ThreadMapParams().change(thread_map=text, thread=thread)
        return next(g for g in panels(compute(params)).grids() if g.name == "load")

    eight = tuple(f"W{w}" for w in range(8))
    assert table(256, 0).row_heads == eight
    assert table(512, 0).row_heads == (*eight, "…")
    middle = table(512, 300)
    assert (middle.row_heads[0], middle.row_heads[-1]) == ("…", "…")
    assert middle.row_heads[middle.rings[0].row] == "W9" and middle.labels[0].tolist() == [""] * middle.shape[1]
    assert table(64, 0).col_heads[-1] == "…"


def test_costs_say_where_threads_outside_the_tile_are_left_out():
    params = ThreadMapParams().change(
        thread_map="PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 64, 1>", element="float32"
    )
    for strips, said in ((4, False), (1, True)):
        picture = panels(compute(params.change(other=f"StripThreadMap(16, 64, 16, {strips})")))
        assert ("Shared store inside the tile:" in picture.verdicts[1].second) == said
