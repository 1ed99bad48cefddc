"""The numbers that stand in the words of notebook 10's exercises and predictions are what the model computes."""

import json
from pathlib import Path

import pytest

from cutelab import Pipeline, measured_hopper
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.pipeline.lesson import by_hand, run_of, smallest_tile, stages_needed, which_run
from cutelab.hardware.chip import CHIPS
from cutelab.hardware.pipeline import H200_LOOPS


def steady(stages, **given):
    return Pipeline(128, 128, 32, stages=stages, arch=None, **given).steady_state


def test_the_predictions():
    assert [find_prediction(f"10.{x}").answer() for x in "abcd"] == [1624, "812", "1024", "a"]
    assert find_prediction("pipeline.e").answer() == "1112"
    assert 600 + 512 + 512 == steady(1) == 2 * steady(2) == 1624
    assert round(steady(3)) == 541 and steady(9) == 512
    slow = [Pipeline(64, 64, 32, stages=s, latency=0, copy_rate=8) for s in (1, 2, 8)]
    assert (slow[0].copy_cycles, slow[0].mma_cycles) == (1024, 128)
    assert [p.steady_state for p in slow] == [1152, 1024, 1024]


def test_one_stage_and_two():
    tile = Pipeline(64, 64, 32, latency=500, copy_rate=16, mma_rate=2048)
    assert (tile.tile_bytes, tile.flops, tile.copy_cycles, tile.mma_cycles) == (8192, 262_144, 512, 128)
    assert by_hand() == (1140, 570) == (500 + 512 + 128, (500 + 512 + 128) // 2)
    half_mma, half_copy = 500 + 512 + 64, 500 + 256 + 128
    assert (half_mma, half_mma // 2, half_copy, half_copy // 2) == (1076, 538, 884, 442)


@pytest.mark.parametrize("latency", [0, 1, 255, 256, 257, 600, 1999])
@pytest.mark.parametrize(("copy", "mma"), [(1, 1), (512, 256), (3, 1000), (777, 776)])
def test_the_rule_for_stages_is_the_model(latency, copy, mma):
    rule = -(-(latency + copy + mma) // max(copy, mma))
    assert stages_needed(latency, copy, mma) == rule
    if rule > 64:  # more than a Pipeline takes
        return
    made = {"latency": latency, "copy_rate": 1024 / copy, "mma_rate": 8192 / mma, "arch": None}
    assert Pipeline(16, 16, 16, stages=rule, **made).steady_state == pytest.approx(max(copy, mma))
    if rule > 1:
        assert Pipeline(16, 16, 16, stages=rule - 1, **made).steady_state > max(copy, mma) * 1.0000001


def test_what_binds():
    tile = Pipeline(128, 128, 64, stages=3, latency=1500, arch="sm_86")
    assert (tile.copy_cycles, tile.mma_cycles, tile.round_trip) == (1024, 1024, 3548)
    assert (tile.stages_needed, tile.tile_bytes, tile.shared_limit) == (4, 32_768, 101_376)
    assert (
        tile.shared_limit // tile.tile_bytes == 3
        and tile.steady_state > 1024
        and CHIPS["sm_86"].block_bytes == 99 * 1024
    )
    assert find_exercise("10.3").right() == "c" and 128 * 128 * 4 == 65_536 and 65_536 * 4 == 262_144
    half = Pipeline(128, 128, 32, stages=6, latency=1500, arch="sm_86")
    assert half.tile_bytes * 2 == tile.tile_bytes and half.limited_by != "stages", "the way out that is named"


def test_the_smallest_tile():
    assert smallest_tile(32, 4096, 2) == 256
    assert [Pipeline(m, m, 32, arch=None).intensity for m in (64, 128, 256)] == [32, 64, 128]
    assert 4096 / 32 == 128 and 256 * 256 * 4 == 65_536 * 4


def test_the_loop_of_the_lesson_is_the_one_that_was_compiled():
    tests = Path(__file__).resolve().parents[1]
    cells = json.loads((tests.parent / "notebooks" / "12_pipeline.ipynb").read_text())["cells"]
    (text,) = ["".join(c["source"]) for c in cells if "cp_async_fence" in "".join(c["source"])]
    loop = [line.partition("//")[0].strip() for line in text.split("```")[1].splitlines()]
    compiled = {
        line.strip().removesuffix(" {")
        for line in (tests.parent / "docs" / "pipeline" / "cp_async.cu").read_text().splitlines()
    }
    lines = [line.removesuffix(" {") for line in loop if line]
    assert len(lines) == 13 and all(line in compiled for line in lines)


@pytest.mark.parametrize("key", "abcd")
@pytest.mark.parametrize("numbers", [(700, 256, 128), (400, 64, 320), (900, 128, 192)])
def test_a_timetable_tells_its_loop_and_its_stages(key, numbers):
    latency, copy, mma = numbers
    run = run_of(key, *numbers)
    assert (run.copy_cycles, run.mma_cycles, which_run(run)) == (copy, mma, key)
    issue, there, begun, done = [], [], [], []
    stages, together = (2 if key in "ac" else 3), key in "cd"
    for k in range(6):  # tile by tile, by the rules that the lesson tells
        ahead = k - (stages - 1) if together else k - stages
        issue.append(0 if ahead < 0 else begun[ahead] if together else done[ahead])
        there.append(max(issue[k] + latency, there[-1] if k else 0) + copy)
        begun.append(max(there[k], done[-1] if k else 0))
        done.append(begun[k] + mma)
    line = run.timeline()
    assert [line.issue.tolist(), line.copy_end.tolist()] == [issue, there]
    assert [line.mma_start.tolist(), line.mma_end.tolist()] == [begun, done]


def test_both_formulas_are_within_15_percent_of_what_an_h200_did():
    cases = [c for c in measured_hopper("pipelines").cases if c["mma_cycles"]]
    assert len(cases) == 36
    for case in cases:
        loop, stages, mma, numbers = case["loop"], case["stages"], case["mma_cycles"], H200_LOOPS[case["loop"]]
        arrival, copy, issue = numbers["arrival"], numbers["rate"], numbers["issue"]
        if loop == "producer":
            found = max(mma + issue, copy, (arrival + mma) / stages)
        else:
            found = max(mma + issue, copy, arrival / (stages - 1)) if stages > 1 else max(arrival, issue) + mma
        assert abs(found / case["cycles_a_tile"] - 1) < 0.15, case
