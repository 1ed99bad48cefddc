"""Step by step through a traced kernel: every step is what the trace counted, and all steps together are its totals."""

import numba
import numpy as np
import pytest
from verdicts import wrong

from cutelab import explore
from cutelab.course.topics.trace.report import trace_card
from cutelab.kernels import cuda, trace
from cutelab.kernels.demo import demo


def steps_of(lab):
    """The results of all steps of all warps."""
    params = lab.params
    for warp, many in enumerate(params.steps):
        for step in range(many):
            lab.set(warp=warp, step=step)
            yield lab.result


def test_all_steps_together_are_the_trace():
    seen, found = demo(), {}
    for result in steps_of(explore.trace()):
        key = (result.instruction.line, result.instruction.space, result.instruction.kind)
        found[key] = found.get(key, 0) + int(np.sum(result.counted.count))
    assert found == {(a.line, a.space, a.kind): a.count for a in seen.lines}


def test_steps_come_in_the_order_of_the_barriers_and_of_the_loop():
    lab = explore.trace()
    met = []
    for step in range(32):
        lab.set(step=step)
        met.append((lab.result.epoch, lab.result.instruction.space, lab.result.instruction.kind, lab.result.turn))
    load, store = (0, "global", "load"), (0, "shared", "store")
    again, out = (1, "shared", "load"), (1, "global", "store")
    assert met == [(*one, k) for k in range(8) for one in (load, store)] + [
        (*one, k) for k in range(8) for one in (again, out)
    ]


def test_the_picture_says_who_waits():
    lab = explore.trace(step=16)
    picture = lab.picture
    assert "32 wavefronts where 1 would do" in picture.alt and "lanes 0, 1, 2 ... meet in bank 0" in picture.alt
    chart = next(g for g in picture.grids() if g.name == "chart")
    assert (chart.fill[:, 0] == 0).all() and (chart.fill[:, 1:] == -1).all()
    lanes = next(g for g in picture.grids() if g.name == "lanes")
    assert lanes.labels.ravel().tolist() == [f"{t},0" for t in range(32)]
    lab.set(step=17)
    memory = next(g for g in lab.picture.grids() if g.name == "memory")
    assert memory.labels.tolist() == [[f"T{t}" for t in range(32)]]


@cuda.jit
def own(out, a):
    i = cuda.grid(1)
    s = cuda.shared.array(64, numba.float64)
    s[cuda.threadIdx.x] = a[i * 8]
    cuda.syncthreads()
    cuda.atomic.add(out, 0, s[63 - cuda.threadIdx.x])


@pytest.mark.parametrize("how", ["kernel", "trace"])
def test_a_kernel_of_ones_own(how):
    out, a = np.zeros(1), np.arange(1024.0)
    if how == "kernel":
        lab = explore.trace(own, 2, 64, out, a, step=1)
    else:
        lab = explore.trace(trace(own, 2, 64, out, a), step=1)
    assert lab.params.warps == ((0, 0), (0, 1), (1, 0), (1, 1)) and lab.code() == "explore.trace(seen, step=1)"
    counts = {r.instruction.kind: r.counted for r in steps_of(lab)}
    assert counts["reduce"] is None and int(counts["store"].count) == 2 and lab.image
    lab.set(warp=0, step=0)
    assert int(lab.result.counted.count) == 32 and "moved, not used" in str(lab.picture.grids()[1].subheading)


@cuda.jit
def touches_nothing(n):
    k = n + 1  # noqa: F841


def test_a_kernel_that_touches_nothing_draws():
    lab = explore.trace(touches_nothing, 1, 32, 5)
    assert "touches no memory" in lab.picture.alt and lab.image


@cuda.jit
def strided(out, a, step):
    i = cuda.threadIdx.x
    out[i] = a[i * step]


@pytest.mark.parametrize("step", (1, 2, 3, 32))
def test_the_card_of_a_trace_is_coloured_by_the_same_rule(step):
    a = np.zeros(32 * step, np.float32)
    card = trace_card(trace(strided, 1, 32, np.zeros(32, np.float32), a, step))
    found, judged = wrong(card)
    assert not found and judged == (2 if step == 1 else 3)
    found, judged = wrong(trace_card(demo()))
    assert not found and judged >= 4
