"""The pipeline against a step-by-step simulation, its steady state against long runs, and its refusals."""

from itertools import product

import numpy as np
import pytest

from cutelab.core.errors import CuteLabError
from cutelab.hardware.chip import CHIPS
from cutelab.hardware.pipeline import Pipeline


def simulate(stages, latency, copy, mma, tiles):
    """Cycle by cycle (whole cycles): stages, one copy channel, one MMA. Times of (copy start, copy end, MMA start, MMA end)."""
    times = [[None] * 4 for _ in range(tiles)]
    issued = [None] * tiles
    free = set(range(stages))
    copying = multiplying = None
    cycle = 0
    while times[-1][3] is None:
        if multiplying is not None and cycle == times[multiplying][2] + mma:
            times[multiplying][3] = cycle
            free.add(multiplying % stages)
            multiplying = None
        if copying is not None and cycle == times[copying][0] + copy:
            times[copying][1] = cycle
            copying = None
        for tile in range(tiles):
            if issued[tile] is None and tile % stages in free and (tile == 0 or issued[tile - 1] is not None):
                issued[tile] = cycle
                free.remove(tile % stages)
        if copying is None:
            waiting = [t for t in range(tiles) if times[t][0] is None]
            if waiting and issued[waiting[0]] is not None and cycle >= issued[waiting[0]] + latency:
                copying = waiting[0]
                times[copying][0] = cycle
        if multiplying is None:
            waiting = [t for t in range(tiles) if times[t][2] is None]
            if waiting and times[waiting[0]][1] is not None:
                multiplying = waiting[0]
                times[multiplying][2] = cycle
        cycle += 1
    return np.array(issued), np.array(times).T


def pipeline(stages, latency, copy, mma, tiles):
    """Tiles of 16 x 16 x 16 two-byte elements with the rates that give these cycles."""
    return Pipeline(
        16,
        16,
        16,
        2,
        stages=stages,
        latency=latency,
        copy_rate=1024 / copy,
        mma_rate=8192 / mma,
        tiles=tiles,
        arch=None,
    )


SETTINGS = list(product((1, 2, 3, 5), (0, 3, 11), (1, 4, 7), (2, 4, 9)))


@pytest.mark.parametrize(("stages", "latency", "copy", "mma"), SETTINGS)
def test_the_timeline_is_the_simulation(stages, latency, copy, mma):
    issued, times = simulate(stages, latency, copy, mma, 13)
    line = pipeline(stages, latency, copy, mma, 13).timeline()
    for got, expected in zip(
        (line.issue, line.copy_start, line.copy_end, line.mma_start, line.mma_end), (issued, *times), strict=True
    ):
        assert np.allclose(got, expected)
    assert line.total == pytest.approx(times[3][-1])
    assert line.stage.tolist() == [i % stages for i in range(13)]


@pytest.mark.parametrize(("stages", "latency", "copy", "mma"), SETTINGS)
def test_the_steady_state_is_that_of_a_long_run(stages, latency, copy, mma):
    p = pipeline(stages, latency, copy, mma, 400)
    end = p.timeline().mma_end
    rounds = 60 * stages
    assert (end[-1] - end[-1 - rounds]) / rounds == pytest.approx(p.steady_state)
    assert p.steady_state >= p.bound == max(copy, mma)


@pytest.mark.parametrize(("latency", "copy", "mma"), list(product((0, 5, 40), (1, 4, 7), (2, 4, 9))))
def test_stages_needed_is_the_fewest_that_reach_the_bound(latency, copy, mma):
    need = pipeline(1, latency, copy, mma, 4).stages_needed
    assert pipeline(need, latency, copy, mma, 4).steady_state == pytest.approx(max(copy, mma))
    if need > 1:
        fewer = pipeline(need - 1, latency, copy, mma, 4)
        assert fewer.steady_state > fewer.bound and fewer.limited_by == "stages"


def test_what_waits_for_what():
    line = pipeline(2, 4, 4, 9, 8).timeline()  # the MMA is slow: it never waits once it runs
    assert line.mma_waits.tolist()[0] == "data" and set(line.mma_waits[1:]) == {"MMA"}
    assert line.mma_idle[0] == 8 and np.allclose(line.mma_idle[1:], 0)
    single = pipeline(1, 5, 4, 9, 8).timeline()
    assert set(single.copy_waits[1:]) == {"stage"} and set(single.mma_waits) == {"data"}
    assert single.mma_busy == pytest.approx(0.5)
    slow_copy = pipeline(4, 5, 9, 4, 8).timeline()
    assert "channel" in slow_copy.copy_waits and set(slow_copy.mma_waits) == {"data"}


def test_double_buffering_buys_nothing_when_the_copy_is_the_bound_already():
    """Without latency and with one of the two much slower, two stages reach the bound, three gain nothing."""
    times = [pipeline(s, 0, 9, 1, 50).steady_state for s in (1, 2, 3)]
    assert np.allclose(times, [10, 9, 9])


def test_one_stage_adds_everything_up():
    p = pipeline(1, 6, 4, 9, 10)
    assert p.timeline().total == pytest.approx(10 * (6 + 4 + 9))


def test_bytes_flops_and_intensity():
    p = Pipeline(128, 256, 64, 2, stages=4, arch="sm_90")
    assert (p.tile_bytes, p.shared_bytes, p.flops) == (384 * 64 * 2, 4 * 384 * 64 * 2, 2 * 128 * 256 * 64)
    assert p.intensity == pytest.approx(2 * 128 * 256 / (384 * 2))
    assert p.shared_limit == 227 * 1024
    assert Pipeline(128, 128, 64, 0.5).tile_bytes == 8192


@pytest.mark.parametrize(
    ("arch", "fits"),
    [("sm_70", 6), ("sm_75", 4), ("sm_80", 10), ("sm_86", 6), ("sm_89", 6), ("sm_90", 14), ("sm_100", 14)],
)
def test_the_limits_of_shared_memory(arch, fits):
    assert CHIPS[arch].block_bytes // 16384 == fits
    assert Pipeline(128, 128, 32, stages=fits, arch=arch).shared_bytes <= CHIPS[arch].block_bytes
    with pytest.raises(CuteLabError, match=f"{fits + 1} stages of 16,384 bytes.*{fits} would fit"):
        Pipeline(128, 128, 32, stages=fits + 1, arch=arch)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"m": 0}, "m must be a whole number"),
        ({"stages": 2.5}, "stages must be"),
        ({"copy_rate": 0}, "copy_rate must be a number above 0"),
        ({"mma_rate": float("nan")}, "mma_rate"),
        ({"latency": -1}, "0 is allowed"),
        ({"element_bytes": 3}, "0.125, 0.5, 1, 2"),
        ({"arch": "sm_60"}, "not known; known are sm_70"),
        ({"m": 4096, "n": 4096}, "not even one fits"),
    ],
)
def test_bad_input_gets_a_clear_sentence(change, word):
    with pytest.raises(CuteLabError, match=word):
        Pipeline(**({"m": 128, "n": 128, "k": 32} | change))


def test_the_verdict_in_words():
    assert (
        pipeline(3, 5, 4, 9, 8).summary() == "9 cycles a tile, the bound: the MMA is always busy, the copy waits for it"
    )
    assert "1 stage does not cover" in pipeline(1, 5, 4, 9, 8).summary()
