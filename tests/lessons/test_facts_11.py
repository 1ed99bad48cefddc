"""The numbers that stand in the words of notebook 11's exercises and predictions are what model, tracer and data say."""

from dataclasses import replace

import numpy as np
import pytest

from cutelab import LayoutRight
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.kernel.lesson import histogram, rate
from cutelab.kernels import cuda, trace
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
