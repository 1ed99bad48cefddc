"""The numbers that stand in the words of notebook 11's exercises and predictions are what model, tracer and data say."""

from dataclasses import replace

import numpy as np
import pytest

from cutelab import LayoutRight
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.kernel.lesson import histogram, rate
from cutelab.kernels import cuda, stored_measurements, trace
from cutelab.plans import GemmPlan
from cutelab.plans.gemm import grouped

PRODUCT = GemmPlan(128, 128, 8, grouped(128, 8, 32), LayoutRight((8, 128)), vector=4)


def test_the_predictions():
    assert [find_prediction(f"11.{x}").answer() for x in "abcd"] == ["32", 32, "not", "tenth"]
    assert rate(65) > 2 * rate(64) and abs(rate(68) / rate(65) - 1) < 0.01


def ways(pitch):
    accesses = {a.name: a.ways for a in replace(PRODUCT, a_layout=grouped(128, 8, pitch)).accesses()}
    return accesses["read tile A"], accesses["write tile A"]


def test_pitches_of_the_product():
    assert ways(32) == (4, 4) and ways(36) == ways(44) == (1, 1) and ways(64) == (4, 4)
    assert ways(40)[0] == 1 and ways(40)[1] > 1
    counts = [replace(PRODUCT, a_layout=grouped(128, 8, pitch)).accesses()[2].count for pitch in (32, 36)]
    assert counts[0] == 4 * counts[1]
    assert len(PRODUCT.accesses()) == 7 and PRODUCT.values**2 == 64


DATA = (np.arange(1024) ** 2 // 9 % 32).astype(np.int32)


def counted(put, get):
    """The histogram with counter (bin, lane) at put(bin, lane), added up over get(bin, i)."""
    place, order = cuda.jit(device=True)(put), cuda.jit(device=True)(get)

    @cuda.jit
    def kernel(out, a):
        mine, t = cuda.shared.array(1056, np.int32), cuda.threadIdx.x
        for i in range(32):
            mine[place(i, t)] = 0
        for i in range(32):
            mine[place(a[i * 32 + t], t)] += 1
        cuda.syncthreads()
        for i in range(32):
            out[t] += mine[place(t, order(t, i))]

    out = np.zeros(32, np.int32)
    return find_exercise("11.4").check((trace(kernel, 1, 32, out, DATA), out))


@pytest.mark.parametrize(
    ("put", "get", "words"),
    [
        (lambda b, t: t * 32 + b, lambda t, i: i, "lanes still meet in a bank"),
        (lambda b, t: b * 32 + t, lambda t, i: i, "in the third its 32 lanes meet"),
        (lambda b, t: t * 33 + b, lambda t, i: i, "a pitch of 33"),
        (lambda b, t: b * 33 + t, lambda t, i: i, "a pitch of 33"),
        (lambda b, t: b * 32 + (t ^ b), lambda t, i: i, "with this XOR"),
        (lambda b, t: b * 32 + t, lambda t, i: (i + t) % 32, "right"),
        (lambda b, t: b * 32 + t, lambda t, i: i ^ t, "right"),
    ],
)
def test_histograms_get_their_own_words(put, get, words):
    assert words.lower() in counted(put, get).sentence.lower()


def test_the_histogram_counts_the_notebooks_data():
    assert np.array_equal(histogram(), np.bincount(DATA, minlength=32)) and histogram().sum() == 1024


@pytest.mark.parametrize(
    ("pitch", "words"), [(34, "pitch of 34"), (48, "pitch of 48"), (33, "right"), (64, "lanes still meet in a bank")]
)
def test_row_sums_get_their_own_words(pitch, words):
    size = 32 * pitch

    @cuda.jit
    def kernel(out, a):
        tile, t = cuda.shared.array(size, np.int32), cuda.threadIdx.x
        for row in range(32):
            tile[row * pitch + t] = a[row, t]
        cuda.syncthreads()
        for col in range(32):
            out[t] += tile[t * pitch + col]

    a, out = np.arange(1024, dtype=np.int32).reshape(32, 32), np.zeros(32, np.int32)
    assert words in find_exercise("11.3").check((trace(kernel, 1, 32, out, a), out)).sentence


def test_a_sum_without_excess_can_read_more_than_twice_as_much():
    """The loads of the two sums of the lesson, warp by warp: two a step in each warp with a thread that works, one at the end."""

    def loads(works):
        return 1 + 2 * sum(any(works(t, step) for t in range(w, w + 32)) for step in STEPS for w in range(0, 128, 32))

    spread, front = loads(lambda t, step: t % (2 * step) == 0), loads(lambda t, step: t < step)
    assert (spread, front) == (47, 17)


STEPS = (1, 2, 4, 8, 16, 32, 64)


def rounds(second_barrier, tiles=1, threads=64):
    """The kernel of exercise 5, traced, and what it wrote."""
    size = 64 * tiles

    @cuda.jit
    def kernel(out, a):
        tile, t = cuda.shared.array(size, np.float32), cuda.threadIdx.x
        for k in range(4):
            tile[k % tiles * 64 + t] = a[k * 64 + t]
            cuda.syncthreads()
            out[k * 64 + t] = tile[k % tiles * 64 + 63 - t]
            if second_barrier:
                cuda.syncthreads()

    a, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    return trace(kernel, 1, threads, out, a), out


@pytest.mark.parametrize(("barrier", "tiles", "good"), [(True, 1, True), (False, 2, True), (False, 1, False)])
def test_a_second_barrier_or_a_second_tile_ends_the_race(barrier, tiles, good):
    card = find_exercise("kernel.5").check(rounds(barrier, tiles))
    assert (card.state == "good") == good
    assert good or "a barrier is missing" in card.sentence


def test_one_warp_is_told_that_64_threads_are_asked_for():
    card = find_exercise("kernel.5").check(rounds(True, threads=32))
    assert "launch 64 threads" in card.sentence


def test_tiles_side_by_side_are_told_of_their_conflicts():
    @cuda.jit
    def kernel(out, a):
        tile, t = cuda.shared.array((64, 4), np.float32), cuda.threadIdx.x
        for k in range(4):
            tile[t, k] = a[k * 64 + t]
            cuda.syncthreads()
            out[k * 64 + t] = tile[63 - t, k]

    a, out = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    card = find_exercise("kernel.5").check((trace(kernel, 1, 64, out, a), out))
    assert "neighbouring lanes are 4 words apart" in card.sentence


def test_two_pairs_of_the_stored_kernels_say_what_the_lesson_says():
    stored = stored_measurements()
    assert [name for name, one in stored.items() if not one.agrees] == ["array of structures", "tiled product"]
    assert all(one.agrees for name, one in stored.items() if name.startswith(("transpose", "reduction")))
