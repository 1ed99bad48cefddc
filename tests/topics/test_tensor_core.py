"""The Tensor Core topic: tile, registers and memory on the picture are those of the atom, for every listed atom and operand."""

import functools
import itertools

import numpy as np
import pytest

from cutelab import fragment_loads, mma_atom, mma_atoms, registers
from cutelab.core.int_tuple import flatten, product
from cutelab.course.card import paint as draw
from cutelab.course.card.paint.plan import plan
from cutelab.course.topics.tensor_core import compute, load, panels
from cutelab.course.topics.tensor_core.knobs import TensorCoreParams
from cutelab.course.topics.tensor_core.load import better
from cutelab.course.topics.tensor_core.typed import LISTED, element, operand_of, operands
from cutelab.cutlass.atoms.atom import REGISTERS
from cutelab.hardware.chip import H200

VIEWS = [(short, which) for short, name in LISTED.items() for which in operands(mma_atom(name))]
LOADED = [
    (short, which)
    for short, which in VIEWS
    if which in "ABC"
    and mma_atom(LISTED[short]).place(which) == REGISTERS
    and mma_atom(LISTED[short]).bits(which) % 8 == 0
]
A16 = {"atom": "SM80_16x8x16_F32F16F16F32_TN"}


def view(**changes):
    params = TensorCoreParams().change(**changes)
    result = compute(params)
    return params, result, panels(result)


@functools.lru_cache(maxsize=256)  # the tests look at the same views
def listed(short, which, **changes):
    return view(atom=LISTED[short], operand=which, **changes)


def grid(picture, name):
    return next((g for g in picture.grids() if g.name == name), None)


def codes(mode):
    """The code of each index of a mode, by its leaf extents and strides alone."""
    index, code = np.arange(product(mode.shape)), 0
    for extent, stride in zip(flatten(mode.shape), flatten(mode.stride), strict=True):
        index, digit = np.divmod(index, extent)
        code = code + digit * stride
    return code


def first_owner(layout, size):
    """The first (thread, value) of each code, thread after thread."""
    code = codes(layout[0])[:, None] + codes(layout[1])
    found, first = np.unique(code, return_index=True)
    assert found.tolist() == list(range(size)), "somebody holds each element"
    return np.divmod(first, code.shape[1])


def layout_size(layout, mode):
    from cutelab import size

    return size(layout[mode])


@pytest.mark.parametrize(("short", "which"), VIEWS)
def test_each_cell_names_its_thread_and_value(short, which):
    _, result, picture = listed(short, which)
    layout, (rows, cols), _, place = operand_of(mma_atom(LISTED[short]), which)
    tile = grid(picture, "tile")
    assert tile.shape == (min(rows, 64), min(cols, 256))
    threads, values = first_owner(layout, rows * cols)
    at = result.rows[:, None] + rows * result.columns
    thread, value = threads[at], values[at]
    alone = place != REGISTERS and (result.owned.every_thread or result.threads == 1)
    assert (tile.fill == (0 if alone else thread % 8)).all()
    if tile.labels is None:
        return
    if alone:
        assert (tile.labels == np.char.add("v", value.astype("U5"))).all()
    else:
        assert (np.char.lstrip(tile.labels, "T") == result.lanes[thread].astype("U5")).all()
        assert tile.second is None or (tile.second == np.char.add("v", value.astype("U5"))).all()


@pytest.mark.parametrize(("short", "which"), VIEWS)
def test_the_registers_are_listed(short, which):
    layout, tile, _, _ = operand_of(mma_atom(LISTED[short]), which)
    threads = layout_size(layout, 0)
    for thread in {0, min(5, threads - 1), threads - 1}:
        _, result, picture = listed(short, which, thread=thread)
        held = registers(layout, tile, thread)
        assert (result.held == held).all()
        table = next(g for g in picture.grids() if g.name.startswith("registers"))
        flat = np.concatenate([g.labels.ravel() for g in picture.grids() if g.name.startswith("registers")]).tolist()
        for row, column in held[:4].tolist():
            assert f"{row},{column}" in flat
        if result.values <= 8 and not result.everyone:
            ringed = [(g, r) for g in picture.grids() if g.name.startswith("registers") for r in g.rings]
            (found, ring) = ringed[0]
            assert len(ringed) == 1
            assert found.labels[ring.row].tolist() == [f"{m},{k}" for m, k in held.tolist()]
            assert found.row_heads[ring.row] == result.name
        else:
            ring = table.rings[0]
            assert table.labels[ring.row, ring.col] == f"{held[0][0]},{held[0][1]}"


@pytest.mark.parametrize(("short", "which"), LOADED)
def test_the_wavefronts_are_those_of_the_memory_model(short, which):
    params, result, picture = listed(short, which)
    atom = mma_atom(LISTED[short])
    ways = fragment_loads(params.laid_out, atom, which, atom.bits(which) // 8)
    assert result.feed.load.instruction == ways[0].instruction and params.possible == tuple(w.instruction for w in ways)
    assert picture.verdicts[1].sentence.startswith(ways[0].summary())
    for way in ways:
        total, addresses = 0, []
        shown = params.change(load=way.instruction)
        steps = range(shown.last_step + 1)
        for step in steps if len(steps) <= 8 else (0, steps[-1]):
            found = compute(shown.change(step=step))
            chart, waves = grid(panels(found), "chart"), found.feed.waves
            total += waves.count
            addresses += waves.access.byte_address[waves.access.active].tolist()
            if chart is not None:
                assert (chart.fill >= 0).any(axis=1).sum() == waves.count
                assert chart.heading.split()[0] == str(waves.count)
                assert sum(int(h) for h in chart.row_heads if h) == waves.count
        if len(steps) <= 8:
            wanted = [address for access in way.accesses for address in access.byte_address[access.active].tolist()]
            assert total == way.wavefronts and sorted(addresses) == sorted(wanted)


@pytest.mark.parametrize(("short", "which"), LOADED)
def test_memory_shows_what_each_lane_reads(short, which):
    for way in listed(short, which)[0].possible:
        _, result, picture = listed(short, which, load=way)
        memory, feed = grid(picture, "memory"), result.feed
        across = 128 // feed.memory.unit
        wanted = {}
        for lane in np.flatnonzero(feed.waves.access.active):
            wanted.setdefault(divmod(int(feed.waves.access.byte_address[lane]) // feed.memory.unit, across), str(lane))
        lines = feed.memory.lines.tolist()
        painted = {(lines[i], j) for i, j in np.argwhere(memory.fill >= 0).tolist()}
        assert painted == set(wanted)
        assert ("T names its row" in memory.subheading) == way.startswith("ldmatrix")
        if memory.labels is not None:
            for (line, piece), lane in wanted.items():
                assert memory.labels[lines.index(line), piece].lstrip("T") == lane
        place = {(m, k): n for n, (m, k) in enumerate(itertools.product(result.rows.tolist(), result.columns.tolist()))}
        for (i, j), cell in np.ndenumerate(memory.probe):
            if cell >= 0:
                at = next(c for c, n in place.items() if n == cell)
                assert feed.table[at] * feed.item // feed.memory.unit == lines[i] * across + j
                break


@pytest.mark.parametrize(("short", "which"), LOADED)
def test_rings_in_memory_stand_where_the_registers_come_from(short, which):
    _, result, picture = listed(short, which, thread=2)
    memory, feed = grid(picture, "memory"), result.feed
    ringed = {
        (int(feed.memory.lines[i]), j)
        for r in memory.rings
        for i in range(r.row, r.row_end + 1)
        for j in range(r.col, r.col_end + 1)
    }
    across = 128 // feed.memory.unit
    wanted = {divmod(int(feed.table[m, k]) * feed.item // feed.memory.unit, across) for m, k in result.held.tolist()}
    assert ringed == {at for at in wanted if at[0] in feed.memory.lines} or not memory.rings


@pytest.mark.parametrize(("short", "which"), LOADED)
def test_fixes_keep_their_promise(short, which):
    params, result, picture = listed(short, which)
    for fix in picture.offers:
        fixed = compute(params.change(**fix.changes))
        load = next((w for w in fixed.feed.ways if w.instruction == result.feed.load.instruction), fixed.feed.ways[0])
        assert fix.line.split("  ")[1].split()[0] == str(load.wavefronts)
        assert sum(c.in_use for c in panels(fixed).offers) == 1
        store, before = fixed.feed.store, result.feed.store
        assert store is not None and sum((store[0], load.wavefronts)) <= before[0] + result.feed.load.wavefronts


def test_the_usual_fix_is_the_128_byte_swizzle():
    _, _, picture = view(**A16)
    assert picture.offers[0].line == "Sw<3,3,3>  4 wavefronts" and picture.offers[0].second == "no extra memory"
    assert any(c.line.startswith("pitch 72") for c in picture.offers)
    _, result, _ = view(**A16, swizzle="Sw<3,3,3>")
    assert result.feed.load.summary() == "ldmatrix.x4: 4 wavefronts, the ideal" and result.feed.store == (16, 16)


def test_filters_dim_the_others():
    for colour in ("thread", "value", "warp"):
        _, result, picture = view(show="thread", colour=colour)
        tile = grid(picture, "tile")
        assert ((tile.fill >= 0) == (result.owned.thread == 5)).all()
    _, result, picture = view(show="value", value=3, colour="value")
    tile = grid(picture, "tile")
    assert ((tile.fill >= 0) == (result.owned.value == 3)).all() and set(tile.fill[tile.fill >= 0].tolist()) == {3}
    assert tile.subheading == "v3 alone"
    _, result, picture = listed("Hopper WGMMA 64x64x16 half", "A", show="value", value=70)
    assert (grid(picture, "tile").fill >= 0).sum() == 1


def test_a_warp_group_has_four_warps_of_sixteen_rows():
    _, _, picture = listed("Hopper WGMMA 64x64x16 half", "C", colour="warp")
    assert (grid(picture, "tile").fill == np.arange(64)[:, None] // 16).all()


def test_shared_operands_are_seen_by_every_thread():
    for short in ("Hopper WGMMA 64x64x16 half", "Hopper WGMMA 64x128x32 FP8", "Hopper WGMMA 64x64x8 tf32"):
        for which in "AB":
            _, result, picture = listed(short, which)
            first, second = picture.verdicts
            assert first.state == "note" and "Every thread sees the whole" in first.sentence
            assert "the thread stride is 0" in first.sentence and "shared memory" in first.second
            assert result.feed.load is None and second.state == "good" and "not modelled" in second.second


def test_each_canonical_layout_frees_the_core_matrix_and_only_wide_ones_the_stores():
    stores = {}
    for kind in ("INTER", "SW32", "SW64", "SW128"):
        params, result, _ = listed("Hopper WGMMA 64x64x16 half", "A", kind=kind)
        for down, across in itertools.product((0, 7), (0, 3, 7)):
            assert compute(params.change(down=down, across=across)).feed.waves.count == 1
        stores[kind] = result.feed.store
    assert stores == {"INTER": (512, 64), "SW32": (256, 64), "SW64": (128, 64), "SW128": (64, 64)}


def test_tensor_memory():
    _, result, picture = listed("Blackwell UMMA 128x256x16 half", "C", value=700)
    assert str(result.tmem) == "(128,256):(65536,1)" and result.feed is None
    assert "tensor memory" in picture.verdicts[0].second
    _, result, picture = listed("Blackwell UMMA 256x256x16, two blocks", "A", thread=1)
    assert "Two thread blocks" in picture.verdicts[0].sentence and result.name == "B1"


def test_scale_factors_are_operands_too():
    short = "Blackwell 16x8x64 FP4, block-scaled"
    _, result, picture = listed(short, "SFA")
    assert result.tile == (16, 64) and "One factor serves 32 neighbours" in picture.verdicts[0].second
    params = TensorCoreParams().change(atom=LISTED[short], operand="SFB")
    assert params.change(choose="Ampere 8x8x4 float64").operand == "A"


def test_volta_names_lanes():
    _, result, picture = listed("Volta 8x8x4 half", "C", thread=5)
    assert result.lanes.tolist() == [0, 1, 2, 3, 16, 17, 18, 19] and result.name == "T17"
    assert picture.status.startswith("thread 5 of the quad pair is lane T17 v0 → (5,0)")


@pytest.mark.parametrize(("short", "which"), VIEWS)
def test_no_word_is_cut_off(short, which):
    params = TensorCoreParams().change(atom=LISTED[short], operand=which)
    last = {c.name: c.hi for c in params.controls() if c.name in ("thread", "value")}
    for changes in ({}, last, {"show": "thread"}, {"memory": False}):
        picture = panels(compute(params.change(**changes)))
        said = [
            op.text for op in plan(picture).ops if getattr(op, "text", "") and not picture.call.startswith(op.text[:9])
        ]
        assert len(said) > 20 and [text for text in said if text.endswith("…")] == []


@pytest.mark.parametrize(("short", "which"), VIEWS)
def test_pictures_are_small(short, which):
    picture = listed(short, which)[2]
    assert len(draw.render(picture, 2).png) < 80_000 and len(draw.render(picture, 1).png) < 25_000


@pytest.fixture(scope="module")
def sought_once():
    """The fixes of an operand are sought once for all atoms of a generation that hold it alike."""
    seek, found = load.fixes, {}

    def fixes(atom, operand, *tile):
        held = (
            atom.name[:4],
            atom.operand(operand),
            atom.thr_id,
            atom.place(operand),
            atom.bits(operand),
            operand,
            *tile,
        )
        if held not in found:
            found[held] = seek(atom, operand, *tile)
        return found[held]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "fixes", fixes)
        yield


@pytest.mark.long
@pytest.mark.usefixtures("sought_once")
@pytest.mark.parametrize("which", "AC")
def test_every_atom_goes_the_same_way(which):
    for name in [n for i, n in enumerate(mma_atoms()) if i % 4 == 0 or not n.startswith("SM90_64")]:
        params, result, picture = view(atom=name, operand=which)
        assert params.atom.name == name and picture.verdicts and result.owned.count.min() >= 1, name
        assert element(name, which, result.bits) in picture.subtitle or len(picture.subtitle) > 90, name


def test_the_first_wavefronts_by_hand():
    """A of m16n8k8 from rows of 128 bytes: 8 rows of a matrix begin in bank 0, so each is a wavefront of its own."""
    _, result, picture = view()
    assert result.feed.waves.count == 16 and result.feed.waves.ideal == 2
    assert picture.verdicts[1].sentence == "ldmatrix.x2: 16 wavefronts where 2 would do (8-way)."
    assert better(result.atom, "A", result.params.inner, 2, (0, 0), "ldmatrix.x2", H200)[0][1] == 2
