"""The numbers that stand in the words of notebook 10's exercises and predictions are what the model computes."""

import pytest

from cutelab import Pipeline
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.pipeline.lesson import by_hand, smallest_tile, stages_needed
from cutelab.hardware.chip import CHIPS


def steady(stages, **given):
    return Pipeline(128, 128, 32, stages=stages, arch=None, **given).steady_state


def test_the_predictions():
    assert [find_prediction(f"10.{x}").answer() for x in "abcd"] == [1624, "812", "1024", "a"]
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
