"""The pipeline topic: its fixes, its copies and its knobs, every one at both ends, and what is refused."""

import ast
import re
from dataclasses import replace
from random import Random

import pytest
from pipelines import each, model, parts, view

from cutelab import CuteLabError, read
from cutelab.course.card.paint.glyphs import text_width
from cutelab.course.card.paint.ops import Text
from cutelab.course.card.paint.plan import plan
from cutelab.course.topics.pipeline import compute, panels, probe
from cutelab.course.topics.pipeline.knobs import PipelineParams
from cutelab.course.topics.pipeline.words import cycles, percent
from cutelab.hardware.chip import AMD_LDS, CHIPS, H200


@each
def test_fixes_do_what_they_say(changes):
    params, result, picture = view(changes)
    assert len(picture.offers) <= 3
    before = 0.0
    for fix in picture.offers:
        after = compute(params.change(**fix.changes))
        assert f"waits {percent(after.waits)}" in fix.line and after.waits < result.waits
        assert after.waits >= before - 0.005
        before = after.waits
        more = int(after.pipeline.shared_bytes - result.pipeline.shared_bytes)
        assert fix.second == f"{'+' if more >= 0 else '−'}{abs(more):,} bytes of shared memory".replace(
            f"{abs(more):,}", str(abs(more)) if abs(more) < 10_000 else f"{abs(more):,}"
        )
        assert len(panels(after).verdicts) <= len(picture.verdicts), "no fix overflows the registers"


def test_the_best_fixes_of_the_classics():
    assert {"stages": 4} in [c.changes for c in view({})[2].offers]
    assert view({"stages": 4})[2].offers == ()
    slow = [c.changes for c in view({"m": 64, "n": 64, "latency": 0, "copy_rate": 8})[2].offers]
    assert slow and all(set(c) <= {"m", "n"} for c in slow), "where the copy is the bound only a wider tile helps"


@each
def test_the_card_holds_its_words(changes):
    params, _, picture = view(changes)
    drawn = plan(picture)
    cut = [op.text for op in drawn.ops if isinstance(op, Text) and "…" in op.text and op.text[:-1] not in picture.call]
    assert not cut and drawn.height <= 640 + 56 * (len(picture.verdicts) - 1)
    assert len(picture.subtitle) <= 110
    title = picture.title
    assert title.startswith(f"Shape<_{params.m},_{params.n},_{params.k}>")
    assert text_width(picture.verdicts[0].sentence, "bold", 12) <= 652


@each
def test_copies_are_the_same_pipeline(changes):
    params, _, picture = view(changes)
    names = {}
    first, line = picture.copies["Python"].split("\n")
    exec(first, names)
    assert eval(line.removesuffix(".summary()"), names) == model(params)
    shapes = re.findall(r"make_layout\((Shape<.*>\{\})\)", picture.copies["CuTe C++"])
    stage, other = (read(f"make_layout({shape})") for shape in shapes)
    assert stage.shape == (params.m, params.k, params.stages)
    assert other.shape == (params.n, params.k, params.stages)
    assert params.stages == 1 or stage(0, 0, 1) == params.m * params.k


@each
def test_the_call_rebuilds_the_view(changes):
    params, _, _ = view(changes)
    call = ast.parse(params.call("pipeline"), mode="eval").body
    assert not call.args and PipelineParams().change(**{k.arg: k.value.value for k in call.keywords}) == params


@each
def test_every_knob_at_both_ends(changes):
    params = PipelineParams().change(**changes)
    for control in params.controls():
        ends = control.choices or (control.lo, control.hi)
        for value in (ends[0], ends[-1]):
            try:
                moved = params.change(**{control.name: value})
            except CuteLabError as error:
                assert re.search(
                    r"bytes of shared memory; a block of .* has at most .*(would fit|not even one fits)", str(error)
                )
                continue
            assert panels(compute(moved)).verdicts
            assert {c.name: c.value for c in moved.controls()}[control.name] == value
        if control.kind == "slider":
            assert (control.hi - control.lo) / control.step <= 64


@pytest.mark.parametrize("seed", range(4))
def test_only_shared_memory_stops_a_walk_through_the_knobs(seed):
    random, params = Random(seed), PipelineParams()
    for _ in range(80):
        control = random.choice(params.controls())
        values = control.choices or range(control.lo, control.hi + 1, control.step)
        try:
            params = params.change(**{control.name: random.choice(values)})
        except CuteLabError as error:
            assert "of shared memory" in str(error) and control.name in ("m", "n", "k", "element", "stages", "arch")
        assert compute(params).cycles >= compute(params).bound


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stages": 11}, "11 stages of 16,384 bytes need 180,224 bytes of shared memory; a block of sm_80 has at most 166,912 (163 KB): 10 would fit"),
        ({"m": 256, "n": 256, "k": 256}, "not even one fits; choose a smaller tile"),
        ({"stages": 0}, "stages must be from 1 to 12"),
        ({"stages": 2.5}, "stages must be a whole number"),
        ({"m": 0}, "m must be a whole number from 1 to 4,096"),
        ({"m": 3, "n": 2, "k": 1, "element": "fp4"}, "choose sizes that fill whole bytes"),
        ({"element": "float16"}, "element must be one of fp4"),
        ({"arch": "sm_60"}, "arch must be one of sm_70"),
        ({"latency": -1}, "latency must be from 0"),
        ({"copy_rate": 0}, "copy_rate must be from 1"),
        ({"mma_rate": 10**9}, "mma_rate must be from 1"),
        ({"tiles": 0}, "tiles must be from 1"),
        ({"tiles": 10**9}, "tiles must be from 1"),
        ({"tile": 8}, "tile must be from 0 to 7"),
        ({"axis": "log"}, "axis must be one of fit"),
        ({"depth": 2}, "there is no parameter 'depth'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_error(changes, words):
    with pytest.raises(CuteLabError, match=re.escape(words)):
        PipelineParams().change(**changes)


def test_the_probe_stays_on_a_tile():
    assert PipelineParams(tile=7).change(tiles=3).tile == 2
    with pytest.raises(CuteLabError, match="there is no tile 8; the tiles are 0 to 7"):
        probe(compute(PipelineParams()), 8)


def test_cycles_are_exact():
    assert [cycles(x) for x in (0, 812.0, 1624 / 3, 9999.5, 12_345.678)] == [
        "0",
        "812",
        "541.33",
        "9999.5",
        "12,345.68",
    ]


@pytest.mark.parametrize("chip", [AMD_LDS, CHIPS["sm_86"], replace(H200, block_bytes=40_000, registers=8192)], ids=str)
def test_the_limits_of_another_chip_hold(chip):
    params = PipelineParams().change(chip=chip)
    result = compute(params)
    picture = panels(result)
    _, bars, _ = parts(picture)
    shared, accumulators = bars["price"]
    assert (shared.most, accumulators.most) == (chip.block_bytes, 4 * chip.registers)
    full = 4 * chip.registers < 4 * 128 * 128
    assert (accumulators.state == "bad") == full == (len(picture.verdicts) == 2)
    assert "arch" not in {c.name for c in params.controls()}, "the chip has the last word"
    most = chip.block_bytes // int(result.pipeline.tile_bytes)
    with pytest.raises(CuteLabError, match=f"a block of {chip.name} has at most {chip.block_bytes:,}"):
        params.change(stages=most + 1)
    names = {}
    *lines, line = picture.copies["Python"].split("\n")
    exec("\n".join(lines), names)
    assert eval(line.removesuffix(".summary()"), names) == result.pipeline
