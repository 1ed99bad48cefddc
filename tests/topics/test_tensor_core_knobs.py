"""The knobs of the Tensor Core topic: each at both ends, one never breaks another, and what bad input gets to hear."""

import ast
import re
from dataclasses import replace

import numpy as np
import pytest

from cutelab import CuteLabError, Swizzle, mma_atom, parse_layout
from cutelab.course.card.paint.ops import Text
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.picture import Verdict
from cutelab.course.topics.tensor_core import compute, panels, probe
from cutelab.course.topics.tensor_core.knobs import TensorCoreParams
from cutelab.course.topics.tensor_core.typed import LISTED, operands, plain_rows, short_name

A16 = "SM80_16x8x16_F32F16F16F32_TN"


@pytest.mark.long
@pytest.mark.parametrize("short", LISTED)
@pytest.mark.parametrize("which", "ABC")
def test_every_knob_at_both_ends_works(short, which):
    params = TensorCoreParams().change(choose=short, operand=which)
    assert params.atom == mma_atom(LISTED[short]) and short_name(params.atom.name) == short
    for control in params.controls():
        if control.kind == "text":
            continue
        ends = control.choices or (control.lo, control.hi)
        ends = (False, True) if control.kind == "check" else ends
        for value in {ends[0], ends[-1]}:
            moved = params.change(**{control.name: value})
            assert panels(compute(moved)).alt
            if control.name != "memory":
                assert {c.name: c.value for c in moved.controls()}[control.name] == value


@pytest.mark.long
def test_from_each_atom_to_each_other():
    """The probe, the load and the shared memory of one atom never stop the way to another."""
    odd = {"load": "ld.shared.b16", "across": 3, "swizzle": "Sw<3,3,3>", "thread": 31, "value": 7, "step": 7}
    start = TensorCoreParams().change(atom=A16, **odd)
    typed = TensorCoreParams().change(atom=A16, smem="(32,64):(72,1)", down=1, across=3, load="ldmatrix.x4")
    for short, name in LISTED.items():
        for which in operands(mma_atom(name)):
            for params in (start, typed):
                moved = params.change(choose=short, operand=which)
                assert moved.operand == which and panels(compute(moved)).verdicts
                back = moved.change(atom=A16, operand="A")
                assert panels(compute(back)).verdicts


def test_a_swizzle_stays_the_same_map_of_bytes():
    params = TensorCoreParams().change(atom=A16, swizzle="Sw<3,3,3>")
    assert params.change(choose="Ampere 16x8x32 int8").swizzle == Swizzle(3, 4, 3)
    assert params.change(choose="Ampere 16x8x8 tf32").swizzle == Swizzle(3, 2, 3)
    assert params.change(operand="B").swizzle == Swizzle(3, 3, 3)


def test_a_load_that_a_swizzle_makes_impossible_becomes_the_best():
    params = TensorCoreParams().change(show="thread", thread=14, across=4, load="ld.shared.b32")
    moved = params.change(swizzle="Sw<5,0,5>")
    assert moved.load == "best" and moved.possible == ("ld.shared.b16",) and moved.across == 4
    with pytest.raises(CuteLabError, match=r"possible are: ld\.shared\.b16"):
        params.change(swizzle="Sw<5,0,5>", load="ld.shared.b32")


def test_smem_and_pitch_are_one_thing():
    params = TensorCoreParams().change(atom=A16)
    assert params.smem is None and str(params.inner) == "(16,64):(64,1)" and params.pitch == 64
    padded = params.change(pitch=72)
    assert str(padded.smem) == "(16,64):(72,1)" and padded.change(pitch=64).smem is None
    assert compute(padded).feed.load.wavefronts == 4
    assert params.change(smem="(16,64):(64,1)") == params
    whole = params.change(smem="Sw<3,4,3> o smem_ptr[16b](unset) o (16,64):(64,1)")
    assert (whole.smem, whole.swizzle) == (None, Swizzle(3, 3, 3))
    assert "pitch" not in {c.name for c in params.change(smem="((8,2),64):((64,1024),1)").controls()}


def test_a_transposed_tile_is_loaded_by_the_transposed_form():
    params = TensorCoreParams().change(atom=A16, smem="(64,16):(1,64)")
    result = compute(params)
    assert result.feed.load.instruction == "ldmatrix.x4.trans" and result.feed.store is None
    assert result.feed.load.wavefronts == 32
    assert compute(params.change(swizzle="Sw<3,3,3>")).feed.load.wavefronts == 4
    assert not panels(result).offers


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"atom": A16, "operand": "B", "thread": 17, "value": 3, "show": "thread"},
        {"atom": A16, "swizzle": "Sw<3,3,3>", "smem": "(32,64):(64,1)", "down": 1, "across": 2},
        {"atom": A16, "load": "ld.shared.b16", "step": 7},
        {"choose": "Hopper WGMMA 64x64x16 half", "kind": "SW32", "down": 3},
        {"choose": "Volta 8x8x4 half", "operand": "C", "memory": False, "colour": "value"},
    ],
)
def test_the_call_rebuilds_the_view(changes):
    params = TensorCoreParams().change(**changes)
    call = ast.parse(params.call("tensor_core"), mode="eval").body
    given = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    given |= {"atom": call.args[0].value} if call.args else {}
    assert TensorCoreParams().change(**given) == params


@pytest.mark.parametrize("short", LISTED)
def test_a_click_goes_to_the_owner(short):
    for which in operands(mma_atom(LISTED[short])):
        params = TensorCoreParams().change(choose=short, operand=which)
        result = compute(params)
        rows, columns = result.rows, result.columns
        for cell in {0, 1, len(columns), len(rows) * len(columns) - 1}:
            moved = compute(params.change(**probe(result, cell)))
            i, j = divmod(cell, len(columns))
            assert moved.held[moved.params.value].tolist() == [rows[i], columns[j]]
            assert panels(moved).probed >= 0
        with pytest.raises(CuteLabError, match="outside the cells"):
            probe(result, len(rows) * len(columns))


def test_a_tile_too_large_to_draw_follows_the_probe():
    params = TensorCoreParams().change(choose="Blackwell UMMA 128x256x16 half", operand="C", value=100)
    result = compute(params)
    assert result.rows.tolist() == list(range(64, 128)) and len(result.columns) == 256
    assert "rows 64 to 127 of 128" in panels(result).grids()[0].subheading


def test_what_is_copied_is_the_layout():
    picture = panels(compute(TensorCoreParams().change(atom=A16, swizzle="Sw<3,3,3>")))
    assert parse_layout(picture.copies["C++"]) == parse_layout(picture.copies["CuTe"]) == mma_atom(A16).a
    assert picture.copies["smem"].startswith("composition(Swizzle<3,3,3>{}, Layout<")
    assert picture.copies["cutelab"] == f'explore.tensor_core("{A16}", swizzle="Sw<3,3,3>")'


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"atom": "SM80_16x8x16_F32F16F16F32_TT"}, "near it are SM80_16x8x16_F32F16F16F32_TN"),
        ({"atom": "SM90_64x65x16_F32F16F16_SS"}, "no MMA atom is named"),
        ({"atom": 7}, "an atom's name is text"),
        ({"choose": "Ampere"}, "choose one of Volta 8x8x4 half"),
        ({"operand": "D"}, "has the operands A, B, C, not 'D'"),
        ({"operand": "SFA"}, "has the operands A, B, C, not 'SFA'"),
        ({"smem": "(8,8):(8,1)"}, r"is 16 x 8; the shared-memory tile \(8,8\):\(8,1\) has only 8 x 8"),
        ({"smem": "128:1"}, "a tile has two"),
        ({"smem": "(16,64):(-64,1)"}, "walks backwards"),
        ({"smem": "(16,64):(64"}, "expected"),
        ({"smem": "(4096,4096)"}, "shared memory of a block has 232,448 bytes"),
        ({"smem": "(16,64):(100000,1)"}, "shared memory of a block has 232,448"),
        ({"smem": "Sw<3,4,3> o smem_ptr[32b](unset) o (16,64):(64,1)"}, "elements of 32 bits, the operand elements of 16"),
        ({"smem": "Sw<3,3,3> o 0 o (16,64):(64,1)", "swizzle": "Sw<2,3,3>"}, "has a swizzle already"),
        ({"swizzle": "Sw<3>"}, "expected"),
        ({"swizzle": "Sw<5,3,14>", "smem": "(64,2048):(1,64)"}, "takes"),
        ({"load": "ldmatrix.x4"}, "possible are: ldmatrix.x2, ld.shared.b32, ld.shared.b16"),
        ({"load": 4}, "load must be the name"),
        ({"thread": 32}, "thread must be from 0 to 31"),
        ({"value": 4}, "value must be from 0 to 3"),
        ({"down": 1}, "down must be from 0 to 0"),
        ({"across": -1}, "across must be from 0 to 7"),
        ({"step": 1}, "step must be from 0 to 0"),
        ({"step": True}, "step must be a whole number"),
        ({"memory": 1}, "memory must be True or False"),
        ({"kind": "SW256"}, "kind must be one of"),
        ({"show": "lane"}, "show must be one of"),
        ({"pitch": 63}, "pitch must be 64 elements or more"),
        ({"width": 3}, "there is no parameter 'width'"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_sentence(changes, words):
    with pytest.raises(CuteLabError, match=words):
        TensorCoreParams().change(**changes)


def test_plain_rows_hold_whole_operands():
    for tile, bits in tiles():
        layout = plain_rows(tile, bits)
        assert layout.shape[1] % tile[1] == 0 and layout.shape[1] * bits >= 1024 and layout.shape[0] == tile[0]


def tiles():
    return [((rows, cols), bits) for rows in (8, 64) for cols in (4, 16, 24, 96, 256) for bits in (1, 8, 16, 64)]


def test_results_are_read_only():
    result = compute(TensorCoreParams())
    for array in (result.table, result.owned.thread, result.feed.table):
        with pytest.raises(ValueError):
            array[0, 0] = 1
    assert isinstance(result.held, np.ndarray)


def test_the_picture_in_words_has_no_double_stop():
    """Also where the tile has no 16-byte stores, so a verdict ends after its reason."""
    picture = panels(compute(TensorCoreParams()))
    odd = replace(picture, verdicts=(Verdict("bad", "Two meet.", "Lanes 0, 1 meet. "), Verdict("note", "Done", " ")))
    assert "Two meet. Lanes 0, 1 meet. Done. Probe" in odd.alt
    for changes in ({"smem": "(16,16):(1,16)"}, {"smem": "(16,65):(65,1)"}, {}):
        found = panels(compute(TensorCoreParams(atom=A16).change(**changes)))
        assert not re.search(r"\.\s+\.|(?<!\.)\.\.(?!\.)", found.alt) and "  " not in found.alt, found.alt


def test_the_registers_of_a_16_x_16_operand_can_be_read():
    """Every register has its name above: the heads of columns are thinned where these are too narrow."""
    picture = panels(compute(TensorCoreParams(atom=A16, operand="A")))
    bare = replace(
        picture,
        body=tuple(tuple((c[0],) for c in row[1:]) for row in picture.body[:1]),
        widths=((picture.widths[0][1],),),
    )
    words = {o.text for o in plan(bare).ops if isinstance(o, Text)}
    assert {f"v{i}" for i in range(8)} <= words
