"""composition with its check at every coordinate: layouts of 4,096 elements, against a check in a loop and tensor-layouts."""

from __future__ import annotations

import pytest
import tensor_layouts

import cutelab

A_SHAPE, A_STRIDE = (64, 64), (65, 1)
B_SHAPE, B_STRIDE = ((8, 16), (4, 8)), ((64, 4), (1, 512))
COUNT = 8 * 16 * 4 * 8
GROUP = "composition of 4,096 elements"
MOST_SECONDS = 0.01  # 1 ms is the aim on two idle cores; this is the alarm


@pytest.mark.benchmark(group=GROUP)
def bench_cutelab_with_its_check(benchmark):
    a, b = cutelab.Layout(A_SHAPE, A_STRIDE), cutelab.Layout(B_SHAPE, B_STRIDE)
    result = benchmark(cutelab.composition, a, b)
    assert all(result(c) == a(b(c)) for c in range(0, COUNT, 7))
    assert benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group=GROUP)
def bench_a_check_in_a_loop(benchmark):
    """What the same certainty costs with one call for each coordinate."""
    a, b = cutelab.Layout(A_SHAPE, A_STRIDE), cutelab.Layout(B_SHAPE, B_STRIDE)
    result = cutelab.composition(a, b)
    same = benchmark.pedantic(lambda: all(result(c) == a(b(c)) for c in range(COUNT)), rounds=3)
    assert same


@pytest.mark.benchmark(group=GROUP)
def bench_tensor_layouts_without_a_check(benchmark):
    a, b = tensor_layouts.Layout(A_SHAPE, A_STRIDE), tensor_layouts.Layout(B_SHAPE, B_STRIDE)
    result = benchmark(tensor_layouts.compose, a, b)
    ours = cutelab.composition(cutelab.Layout(A_SHAPE, A_STRIDE), cutelab.Layout(B_SHAPE, B_STRIDE))
    assert [result(c) for c in range(0, COUNT, 97)] == [ours(c) for c in range(0, COUNT, 97)]
