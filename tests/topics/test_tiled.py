"""The tiled explorer against what CUTLASS's own headers gave: who begins where, who holds each cell; and what was typed."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from cutelab import CuteLabError, explore
from cutelab.core.layout import Layout, offsets
from cutelab.course.card.paint.export import export
from cutelab.course.topics.tiled import compute, probe
from cutelab.course.topics.tiled.model import side
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.reading import read
from cutelab.cutlass.tv import make_tiled_copy, make_tiled_copy_A, make_tiled_copy_C, make_tiled_mma

DATA = Path(__file__).parents[1] / "data"
CASES = [c for f in ("cute_tiled.json", "cute_tiled_more.json") for c in json.loads((DATA / f).read_text())["cases"]]
COPIES = [c for c in CASES if c["kind"] == "copy" and "S_TV" in c and c["definition"].startswith("make_tiled_copy(")]


def leaves(x):
    return [y for part in x for y in leaves(part)] if isinstance(x, tuple) else [int(x)]


def every(shape, stride):
    """All numbers of a mode, first leaf fastest: counted out one by one."""
    extents, steps = leaves(shape), leaves(stride)
    turns = itertools.product(*(range(e) for e in reversed(extents)))
    return [sum(i * d for i, d in zip(reversed(turn), steps, strict=True)) for turn in turns]


@pytest.mark.long
@pytest.mark.parametrize("case", COPIES, ids=lambda c: c["definition"][:90])
def test_every_cell_has_the_owner_that_cutlass_gives_it(case):
    lab = explore.tiled(case["definition"], src=case["tensor"], dst=case["tensor"])
    for one, key in zip(lab.result.sides, ("S_TV", "D_TV"), strict=True):
        golden = read(case[key])
        threads, values = (every(golden.shape[i], golden.stride[i]) for i in (0, 1))
        owners = {}
        for t, v in itertools.product(range(len(threads)), range(len(values))):
            owners.setdefault(threads[t] + values[v], (t, v))
        for column, row in itertools.product(range(one.columns), range(one.rows)):
            expected = owners.get(row + one.rows * column, (-1, -1))
            assert (one.thread[row, column], one.value[row, column]) == expected


@pytest.mark.long
@pytest.mark.parametrize("case", COPIES, ids=lambda c: c["definition"][:90])
def test_every_threads_part_begins_where_cutlass_says(case):
    params = explore.tiled(case["definition"], src=case["tensor"], dst=case["tensor"]).params
    threads = range(0, params.found.threads, max(1, params.found.threads // 16))
    for t in threads:
        for (_, part, refused), key in zip(compute(params.change(thread=t)).parts, ("S", "D"), strict=True):
            assert not refused and part[1] + int(offsets(part[0]).flat[0]) == case[f"{key}_offset_of_thread"][t]


def test_there_are_cases():
    assert len(COPIES) >= 8


def test_a_wrong_stride_is_seen():
    good, bad = side("x", Layout((4, 2), (2, 1)), 4, 2), side("x", Layout((4, 2), (1, 4)), 4, 2)
    assert not np.array_equal(good.thread, bad.thread)
    hole = side("x", Layout((2, 2), (1, 2)), 4, 2)
    assert (hole.thread == -1).sum() == 4


@pytest.mark.parametrize("view", [{}, {"kind": "MMA"}, {"whole": True, "thread": 77}], ids=str)
def test_the_drawn_cells_name_their_owner_and_a_click_picks_it(view):
    lab = explore.tiled(**view)
    for grid in lab.picture.grids():
        if grid.name.startswith("registers"):
            continue
        for label, cell in zip(grid.labels.ravel()[:40], grid.probe.ravel()[:40], strict=True):
            changes = probe(lab.result, int(cell))
            found = compute(lab.params.change(**changes))
            number = int(np.searchsorted(found.bases, int(cell), side="right")) - 1
            row, column = found.at(number)
            one = found.sides[number]
            assert int(cell) == found.bases[number] + row * one.columns + column
            holders = np.nonzero(one.held == row + one.rows * column)[0]
            assert int(label.strip("T")) in holders


def test_what_cute_prints_and_the_object_are_the_same_view():
    built = explore.tiled()
    for given in (built.params.found, str(built.params.found)):
        lab = explore.tiled(given)
        assert lab.params.tiled is not None and lab.image
        assert [s.thread.tolist() for s in lab.result.sides] == [s.thread.tolist() for s in built.result.sides]
        assert eval(lab.code(), {"explore": explore}).params == lab.params
    mma = explore.tiled(kind="MMA")
    again = explore.tiled(str(mma.params.found))
    assert [s.thread.tolist() for s in again.result.sides] == [s.thread.tolist() for s in mma.result.sides]


@pytest.mark.parametrize("pitch, count", [(129, 128), (132, 32)])
def test_a_known_conflict(pitch, count):
    lab = explore.tiled(
        element="float", vector=4, thr="(32,8):(8,1)", val="(1,1)", src="(128,8):(8,1)", dst=f"(128,8):(1,{pitch})"
    )
    assert lab.result.cost.target.count == count


@pytest.mark.parametrize(
    "given, words",
    [
        ({"tiled": "(8,8):(8,1)"}, "reads as Layout; shown here are a TiledCopy and a TiledMMA"),
        ({"thr": "Sw<3,3,3> o 0 o (8,64):(64,1)"}, "has a swizzle"),
        ({"kind": "MMA", "permutation": "(32,32)"}, "three sizes"),
        ({"kind": "MMA", "permutation": "(30,32,16)"}, "not a multiple of the atoms'"),
        ({"thread": 128}, "thread must be from 0 to 127"),
        ({"val": "(1,4)"}, "not a multiple"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(CuteLabError, match=words.replace("(", r"\(")):
        explore.tiled(**given)


MMA = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))
NAMED = [
    MMA,
    make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", (2, 1, 1), (32, Layout((8, 2, 2), (1, 16, 8)), None)),
    make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), MMA),
    make_tiled_copy_C(copy_atom("SM90_U32x2_STSM_N", "half_t"), MMA),
    make_tiled_copy(
        copy_atom("SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>", "half_t"), Layout((16, 8), (8, 1)), Layout((1, 8))
    ),
    make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", 16), Layout((16, 8), (8, 1)), Layout((1, 8))),
]


@pytest.mark.parametrize("given", NAMED, ids=lambda given: given.atom.name)
def test_an_object_is_given_back_with_its_atoms_name(given):
    code = explore.tiled(given).code()
    assert given.atom.name in code
    again = read(code.removeprefix('explore.tiled("').partition('")')[0])
    assert again.atom.name == given.atom.name and str(again) == str(given)


def test_the_picture_is_png_and_svg():
    lab = explore.tiled(kind="MMA", operand="B")
    assert lab.picture.grids()[0].heading == "T0, A" and lab.image.startswith(b"\x89PNG")
    assert b"<svg" in export(lab.picture, "svg")


def test_an_atom_is_sent_to_the_explorer_that_shows_it():
    with pytest.raises(CuteLabError, match=r"explore\.tensor_core shows 'SM80_16x8x16_F32F16F16F32_TN'"):
        explore.tiled("SM80_16x8x16_F32F16F16F32_TN")
