"""Exercises whose answer is a kernel: any kernel without conflicts counts, and what is wrong with another one is said."""

import numpy as np
import pytest

from cutelab.course.ask.traced import Seen
from cutelab.course.lab.lessons import find_exercise
from cutelab.kernels import cuda, trace

ROW_SUMS, HISTOGRAM = find_exercise("kernel.3"), find_exercise("kernel.4")


def row_sums(pitch, turn=0, wrong=0):
    size = 32 * pitch

    @cuda.jit
    def kernel(out, a):
        tile = cuda.shared.array(size, np.int32)
        t = cuda.threadIdx.x
        for row in range(32):
            tile[row * pitch + t] = a[row, t]
        cuda.syncthreads()
        for col in range(32):
            out[t] += tile[t * pitch + (col + turn * t) % 32] + wrong

    return kernel


def answer(kernel):
    a, out = np.arange(1024, dtype=np.int32).reshape(32, 32), np.zeros(32, np.int32)
    return trace(kernel, 1, 32, out, a), out


@pytest.mark.parametrize("kernel", [row_sums(33), row_sums(35), row_sums(32, turn=1)])
def test_every_way_without_conflicts_is_right(kernel):
    assert ROW_SUMS.check(answer(kernel)).state == "good"


def test_the_starter_is_not_answered_yet():
    @cuda.jit
    def row_sums(out, a):  # as it was given
        tile, t = cuda.shared.array(1024, np.int32), cuda.threadIdx.x
        for row in range(32):
            tile[row * 32 + t] = a[row, t]
        cuda.syncthreads()
        for col in range(32):
            out[t] += tile[t * 32 + col]

    verdict = ROW_SUMS.check(answer(row_sums))
    assert (verdict.state, verdict.sentence) == ("note", "not answered yet.")


def test_an_attempt_with_as_many_conflicts_as_the_starter_is_an_attempt():
    @cuda.jit
    def turned(out, a):
        tile, t = cuda.shared.array(1024, np.int32), cuda.threadIdx.x
        for row in range(32):
            tile[t * 32 + row] = a[row, t]
        cuda.syncthreads()
        for col in range(32):
            out[t] += tile[col * 32 + t]

    verdict = ROW_SUMS.check(answer(turned))
    assert verdict.state == "bad" and "in the line that stores" in verdict.sentence
    assert "neighbouring lanes are 32 words apart" in verdict.second


def test_a_missing_barrier_is_named():
    @cuda.jit
    def bare(out, a):
        tile, t = cuda.shared.array(1056, np.int32), cuda.threadIdx.x
        for row in range(32):
            tile[row * 33 + t] = a[row, t]
        for col in range(32):
            out[t] += tile[t * 33 + col]

    assert "a barrier is missing" in ROW_SUMS.check(answer(bare)).sentence


def test_a_tile_that_is_never_read_does_not_count():
    @cuda.jit
    def show(out, a):
        tile, t = cuda.shared.array(1056, np.int32), cuda.threadIdx.x
        for row in range(32):
            tile[row * 33 + t] = a[row, t]
        cuda.syncthreads()
        for col in range(32):
            out[t] += a[t, col]

    assert "fills it and never reads it again" in ROW_SUMS.check(answer(show)).sentence


def test_the_worst_line_is_named():
    verdict = ROW_SUMS.check(answer(row_sums(36)))
    assert verdict.state == "bad" and "96 wavefronts are conflicts" in verdict.second
    assert "tile[t * pitch" in verdict.second and "(4-way)" in verdict.second


def test_wrong_sums_are_told_before_conflicts():
    verdict = ROW_SUMS.check(answer(row_sums(40, wrong=1)))
    assert "out[0] is 528, right 496 (32 of 32 differ)" in verdict.second and "conflict" not in verdict.second


def test_a_kernel_must_go_through_shared_memory():
    @cuda.jit
    def past(out, a):
        for col in range(32):
            out[cuda.threadIdx.x] += a[cuda.threadIdx.x, col]

    assert "must go through shared memory" in ROW_SUMS.check(answer(past)).sentence


def test_the_shape_of_the_result_is_asked_for():
    seen, out = answer(row_sums(33))
    assert "must have the shape (32,)" in ROW_SUMS.check((seen, out[:16])).second
    assert "must be a pair" in ROW_SUMS.check(seen).second


def test_two_readings_are_equal_by_what_counts():
    assert Seen(True, 3, where="here") == Seen(True, 3, where="there") != Seen(True, 4)
    assert HISTOGRAM.kind.read(HISTOGRAM.right()) == Seen(True, 0)
