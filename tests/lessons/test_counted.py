"""An exercise about a kernel of one's own: its counts, predicted, against the trace that comes with them."""

import numpy as np
import pytest

from cutelab.course.ask.counted import Counted
from cutelab.course.lab.lessons import find_exercise
from cutelab.kernels import cuda, trace

OWN = find_exercise("kernel.7")


@cuda.jit
def strided(out, a):
    tile, t = cuda.shared.array(64, np.float32), cuda.threadIdx.x
    first = cuda.blockIdx.x * cuda.blockDim.x
    tile[t] = a[2 * (first + t)]
    cuda.syncthreads()
    out[first + t] = tile[2 * t % 64]


@cuda.jit
def hasty(out, a):
    tile, t = cuda.shared.array(64, np.float32), cuda.threadIdx.x
    tile[t] = a[t]
    out[t] = tile[63 - t]


@cuda.jit
def idle(out, a):
    t = cuda.threadIdx.x
    t += 1


def seen(kernel, grid=2):
    return trace(kernel, grid, 64, np.zeros(128, np.float32), np.zeros(256, np.float32))


RIGHT = (2 * 2 * 8, 2 * 2 * 4, 2 * 2 * 2, 2 * 2)  # two blocks of two warps: every second float, each, 2-way, 1


def test_the_four_counts_of_a_kernel_are_right():
    card = OWN.check((RIGHT, seen(strided)))
    assert card.state == "good" and OWN.check((list(RIGHT), seen(strided))).state == "good"
    assert OWN.check((np.array(RIGHT), seen(strided))).state == "good"
    assert OWN.check((str(RIGHT), seen(strided))).state == "good"


@pytest.mark.parametrize(
    ("mine", "words"),
    [
        ((4, 4, 4, 4), "warp instructions"),
        ((16, 16, 4, 4), "ideal counts"),
        ((16, 8, 4, 2), "one block"),
        ((8, 4, 2, 1), "one warp"),
        ((16, 32, 8, 4), "another order"),
        ((32, 16, 4, 4), "shared load is not what was traced"),
        ((32, 18, 4, 4), "global store and shared load are not"),
    ],
)
def test_a_slip_is_named(mine, words):
    card = OWN.check((mine, seen(strided)))
    assert card.state == "bad" and card.counts and words in card.sentence


def test_where_it_is_off_is_said_with_the_traced_number():
    card = OWN.check(((32, 16, 4, 4), seen(strided)))
    assert "The trace counts 8 for shared load, you predicted 4." in card.second


def test_a_race_comes_first():
    card = OWN.check(((8, 8, 2, 2), seen(hasty, 1)))
    assert "a race comes first" in card.sentence and "Put cuda.syncthreads()" in card.second


def test_a_kernel_without_memory_has_nothing_to_predict():
    assert "touches no memory" in OWN.check(((0, 0, 0, 0), seen(idle))).sentence


def test_a_scaled_trace_counts_for_the_whole_grid():
    half = trace(strided, 2, 64, np.zeros(128, np.float32), np.zeros(256, np.float32), blocks=1)
    assert half.partial and OWN.check((RIGHT, half)).state == "good"


@pytest.mark.parametrize("mine", [..., None, ""])
def test_before_the_counts_are_written_down_nothing_is_answered(mine):
    card = OWN.check((mine, seen(strided)))
    assert card.state == "note" and not card.counts


@pytest.mark.parametrize("mine", [(1, 2, 3), 7, "many", (1.5, 2, 3, 4), ((1, 2), 3, 4, 5), (True, 1, 1, 1)])
def test_another_form_costs_no_try(mine):
    card = OWN.check((mine, seen(strided)))
    assert card.state == "bad" and not card.counts and "four whole numbers" in card.second
    assert not OWN.check((RIGHT, RIGHT)).counts and not OWN.check(seen(strided)).counts


def test_two_readings_are_equal_by_what_counts():
    assert Counted(False, "warp", (1, 2, 3, 4)) == Counted(False, "warp") != Counted(False, "block")
