"""The pipeline topic: the timeline, its bars and its words say what the model computes, for every knob and odd values."""

import re

import numpy as np
import pytest
from pipelines import amount, each, model, parts, view
from verdicts import rule

from cutelab.course.topics.pipeline import compute, panels, probe
from cutelab.course.topics.pipeline.card import SHOWN
from cutelab.course.topics.pipeline.knobs import ELEMENTS


def expected(params):
    """Slow and obvious: (row, start, end, tile) of all that is busy, tile by tile, from the model's rules."""
    pipe, begun = model(params), []
    issue, arrived, done, found = [], [], [], []
    ahead = params.stages - 1 if params.loop == "together" else 0
    for i in range(params.tiles):
        if ahead:  # issued when the threads come to the tile that lies so many before it
            issue.append(0.0 if i < ahead else begun[i - ahead])
        else:
            issue.append(0.0 if i < params.stages else done[i - params.stages])
        start = max(issue[i] + params.latency, arrived[-1] if i else 0.0)
        arrived.append(start + pipe.copy_cycles)
        begin = max(arrived[i], done[-1] if i else 0.0)
        begun.append(begin)
        done.append(begin + pipe.mma_cycles)
        stage = 2 + i % params.stages
        found += [(0, start, arrived[i], i), (stage, start, arrived[i], i)]
        found += [(1, begin, done[i], i), (stage, begin, done[i], i)]
    return issue, found


@each
def test_the_timeline_shows_what_is_busy(changes):
    params, _result, picture = view(changes)
    time = parts(picture)[0]
    _, busy = expected(params)
    wanted = sorted(
        (row, max(a, time.first), min(b, time.last), i) for row, a, b, i in busy if a < time.last and b > time.first
    )
    shown = time.fill >= 0
    got = sorted(zip(time.row[shown], time.start[shown], time.end[shown], time.probe[shown], strict=True))
    assert np.allclose(np.array(wanted, float), np.array(got, float))
    assert (time.fill[shown] == time.probe[shown] % 8).all()
    assert all(words.endswith(str(i)) for words, i in zip(time.labels[1][shown], time.probe[shown], strict=True))
    does = [words.split()[0] for words, row in zip(time.labels[0], time.row, strict=True) if row > 1]
    assert set(does) == {"copy", "MMA"} and time.rows[:2] == ("copy", "MMA")


@each
def test_a_row_is_busy_or_waits_until_its_last_tile(changes):
    """No stretch overlaps the next one, and between the first tile and the last there is no hole without a word."""
    params, result, picture = view(changes)
    time = parts(picture)[0]
    for row in range(len(time.rows)):
        here = np.flatnonzero(time.row == row)
        here = here[np.argsort(time.start[here])]
        assert np.allclose(time.start[here][1:], time.end[here][:-1])
        if here.size:
            assert time.start[here[0]] == time.first
    waits = (time.row == 1) & (time.fill < 0)
    if params.tiles <= SHOWN:
        assert (time.end - time.start)[waits].sum() == pytest.approx(result.line.mma_idle.sum())
        assert len(time.rows) == 2 + min(params.stages, params.tiles)


@each
def test_the_window_holds_the_probe(changes):
    params, result, picture = view(changes)
    time = parts(picture)[0]
    mine = time.probe == params.tile
    for row in (0, 1, 2 + params.tile % params.stages):
        assert (mine & (time.row == row)).any()
    assert result.line.copy_start[params.tile] >= time.first and result.line.mma_end[params.tile] <= time.last
    total = amount(re.search(r"tiles?, ([\d.,]+) cycles", time.heading)[1])
    assert total == pytest.approx(result.line.total, abs=0.006)
    if params.tiles <= SHOWN and params.axis == "fit":
        assert time.last == result.line.total


@each
def test_bars_are_the_models_numbers(changes):
    params, _, picture = view(changes)
    _, bars, lines = parts(picture)
    pipe = model(params)
    copy, mma, *others = bars["cycles"]
    assert (copy.value, mma.value) == (pipe.copy_cycles, pipe.mma_cycles)
    counts = [int(bar.label.split()[0]) for bar in others]
    assert params.stages in counts and 1 in counts and counts == sorted(counts)
    for stages, bar in zip(counts, others, strict=True):
        other = model(params, stages=stages)
        assert (bar.value, bar.ideal) == (other.steady_state, max(pipe.copy_cycles, pipe.mma_cycles))
        assert bar.state == ("plain" if stages != params.stages else rule(other.steady_state, pipe.bound))
    shared, accumulators = bars["price"]
    assert shared.value == (params.m + params.n) * params.k * ELEMENTS[params.element] * params.stages
    assert shared.most == pipe.shared_limit >= shared.value
    assert accumulators.value == params.m * params.n * (8 if params.element == "float64" else 4)
    operations, bytes_, intensity = re.match(
        r"([\d,]+) operations / ([\d,]+) bytes = ([\d.e+]+)", lines["worth"][0].text
    ).groups()
    assert amount(operations) == 2 * params.m * params.n * params.k
    assert amount(intensity) == pytest.approx(amount(operations) / amount(bytes_), rel=1e-3)


@each
def test_the_verdict_is_the_models(changes):
    params, result, picture = view(changes)
    pipe, verdict = model(params), picture.verdicts[0]
    took = amount(re.match(r"Each tile takes ([\d.,]+) cycles", verdict.sentence)[1])
    assert took == pytest.approx(pipe.steady_state, abs=0.006)
    waits = re.search(r"waits (over |under )?(\d+) % of the time", verdict.sentence)
    share = 100 * (1 - pipe.mma_cycles / pipe.steady_state)
    assert (int(waits[2]) if waits else 0) == pytest.approx(share, abs=1 if waits and waits[1] else 0.51)
    assert not waits or waits[1] or 0 < int(waits[2]) < 100, "0 and 100 % are never rounded"
    slow = rule(pipe.steady_state, pipe.bound)
    assert {"stages": slow, "copy": "note", "MMA": "good"}[pipe.limited_by] == verdict.state
    assert ("never waits" in verdict.sentence) == (pipe.limited_by == "MMA") == (result.waits == 0)
    if pipe.limited_by == "stages":
        need, bytes_ = re.match(r"([\d,]+) stages? would reach that, with ([\d,]+) bytes", verdict.second).groups()
        assert amount(need) == pipe.stages_needed and amount(bytes_) == int(pipe.stages_needed * pipe.tile_bytes)
        assert ("for a block" in verdict.second) == (pipe.stages_needed * pipe.tile_bytes > pipe.shared_limit)
    full = [v for v in picture.verdicts if "accumulators" in v.sentence]
    assert bool(full) == (params.m * params.n * (8 if params.element == "float64" else 4) > 262_144)


@each
def test_the_probed_tile_in_words(changes):
    params, result, picture = view(changes)
    i, line = params.tile, result.line
    times = re.match(
        rf"tile {i} → stage (\d+) · copy (\S+) to (\S+) · MMA (\S+) to (\S+) cycles · the copy (?:waits|does)",
        picture.status,
    )
    assert int(times[1]) == i % params.stages
    wanted = (line.copy_start[i], line.copy_end[i], line.mma_start[i], line.mma_end[i])
    assert [amount(t) for t in times.groups()[1:]] == pytest.approx(wanted, abs=0.006)
    _, copy, mma = (part.text for part in parts(picture)[2]["tile"])
    issued = amount(re.search(r"issued at ([\d.,]*\d)", copy)[1])
    issue, _ = expected(params)
    assert issued == pytest.approx(issue[i], abs=0.006)
    together = params.loop == "together" and params.stages > 1
    assert (f"the MMA of tile {i - params.stages} has left" in copy) == (i >= params.stages and not together)
    ahead = params.stages - 1
    assert (f"threads that multiply tile {i - ahead} next" in copy) == (together and i >= ahead)
    if "stands still" in mma:
        still = amount(re.search(r"for ([\d.,]+) cycles", mma)[1])
        assert still == pytest.approx(line.mma_start[i] - (line.mma_end[i - 1] if i else 0), abs=0.006)
    if "lie in shared" in mma:
        assert f"the MMA of tile {i - 1} is done" in mma
        assert amount(re.search(r"for ([\d.,]+) cycles", mma)[1]) == pytest.approx(
            line.mma_start[i] - line.copy_end[i], abs=0.006
        )
    tip = picture.tips.template.format(*picture.tips.table[i])
    assert tip.startswith(f"tile {i}, stage {i % params.stages}\n") and f"MMA {round(line.mma_start[i])} to" in tip


def test_whom_a_tile_waits_for():
    def words(tile, **changes):
        _, _, picture = view({"tile": tile, **changes})
        return [part.text for part in parts(picture)[2]["tile"][1:]] + [picture.status.split(" · ")[-1]]

    assert words(0) == [
        "Its stage is free from the start: the copy is issued at 0; its data come 600 cycles later.",
        "The Tensor Core stands still for 1112 cycles until its data are there.",
        "the copy waits for the latency, the MMA for its data",
    ]
    assert (
        words(2)[0]
        == "Its copy is issued at 1624, when the MMA of tile 0 has left stage 0; its data come 600 cycles later."
    )
    assert (
        words(3)[0].endswith("its data come at 2736, behind those of tile 2.")
        and words(3)[2] == "the copy waits for the copy before it, the MMA does not"
    )
    assert words(3)[1] == "Its data are there just when the Tensor Core is free: the MMA does not wait."
    busy = words(3, m=256, k=64, stages=3)
    assert busy[1] == "Its data lie in shared memory for 1536 cycles, until the MMA of tile 2 is done."
    assert busy[2] == "the copy waits for the copy before it, the MMA for the MMA before it"
    at_once = words(0, tiles=1, latency=0)
    assert at_once[0].endswith("its data come at once.")
    assert at_once[2] == "the copy does not wait, the MMA waits for its data"


def test_what_the_sliders_and_the_rows_do_not_show():
    """More stages than the slider has, more stages than tiles: said on the card."""
    far = view({"m": 16, "n": 16, "k": 16, "copy_rate": 256, "mma_rate": 16384})[2].verdicts[0]
    assert re.match(r"\d\d+ stages would reach that, with .*; the slider ends at 12\.$", far.second)
    assert far.sentence.endswith("the Tensor Core waits over 99 % of the time")
    assert "slider" not in view({})[2].verdicts[0].second
    _, _, picture = view({"stages": 12, "k": 16})
    assert parts(picture)[0].subheading.endswith("; 4 more stages stay empty")
    assert "empty" not in parts(view({"stages": 8, "k": 16})[2])[0].subheading


@each
def test_a_click_moves_the_probe_to_that_tile(changes):
    params, _, picture = view(changes)
    time = parts(picture)[0]
    for cell in set(time.probe[time.probe >= 0].tolist()):
        moved = params.change(**probe(compute(params), cell))
        assert moved.tile == cell and panels(compute(moved)).status.startswith(f"tile {cell} →")


@each
def test_the_mark_is_where_enough_stages_would_end(changes):
    params, result, picture = view(changes)
    marks, pipe = parts(picture)[0].marks, model(params)
    if pipe.limited_by == "stages" and params.tiles <= SHOWN and pipe.stages_needed <= 64 and marks:
        ((end, words),) = marks
        assert words == f"{pipe.stages_needed} stages would end here"
        assert end == model(params, stages=pipe.stages_needed, arch=None).timeline().total < result.line.total
    else:
        assert not marks


def test_the_same_axis_for_good_and_bad():
    """With axis="one stage" fewer waits show as a shorter run."""
    ends = []
    for stages in (1, 2, 4):
        time = parts(view({"stages": stages, "axis": "one stage"})[2])[0]
        assert (time.first, time.last) == (0, 8 * 1624)
        ends.append(time.end[time.fill >= 0].max())
    assert ends[0] == 8 * 1624 and ends[0] > ends[1] > ends[2]
