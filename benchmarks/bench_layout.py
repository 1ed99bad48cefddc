"""One coordinate after the other, and the offset table of ((32,32),(16,64)):((1,512),(32,16384)): 1,048,576 elements, against a loop and tensor-layouts."""

from __future__ import annotations

import numpy as np
import pytest
import tensor_layouts

import cutelab

SHAPE, STRIDE = ((32, 32), (16, 64)), ((1, 512), (32, 16384))
COUNT = 32 * 32 * 16 * 64
GROUP = "offsets of 1024 x 1024, nested"
MOST_SECONDS = 0.05  # 5 ms is the aim on two idle cores; this is the alarm


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    """The right answer, from NumPy's own strides: each mode is an axis, the first axis fastest."""
    i, j, k, m = np.ogrid[:32, :32, :16, :64]
    return (i + 512 * j + 32 * k + 16384 * m).reshape(COUNT, order="F")


@pytest.mark.benchmark(group=GROUP)
def bench_cutelab(benchmark, table):
    layout = cutelab.Layout(SHAPE, STRIDE)
    result = benchmark(cutelab.offsets, layout)
    assert np.array_equal(result.ravel(order="F"), table)
    assert benchmark.stats.stats.median < MOST_SECONDS


@pytest.mark.benchmark(group=GROUP)
def bench_a_loop_over_the_elements(benchmark, table):
    def loop() -> list[int]:
        found = []
        for index in range(COUNT):
            i, rest = index % 32, index // 32
            j, rest = rest % 32, rest // 32
            k, m = rest % 16, rest // 16
            found.append(i + 512 * j + 32 * k + 16384 * m)
        return found

    result = benchmark.pedantic(loop, rounds=1)
    assert np.array_equal(result, table)


@pytest.mark.benchmark(group=GROUP)
def bench_calling_the_layout(benchmark, table):
    layout = cutelab.Layout(SHAPE, STRIDE)
    result = benchmark.pedantic(lambda: [layout(index) for index in range(COUNT)], rounds=1)
    assert np.array_equal(result, table)


@pytest.mark.benchmark(group=GROUP)
def bench_tensor_layouts(benchmark, table):
    layout = tensor_layouts.Layout(SHAPE, STRIDE)
    result = benchmark.pedantic(lambda: [layout(index) for index in range(COUNT)], rounds=1)
    assert np.array_equal(result, table)


FLAT, NESTED = ((8, 8), (8, 1)), (SHAPE, STRIDE)
CALLS = {
    "flat, index": (FLAT, (19,), 3e-6),
    "flat, (row, column)": (FLAT, (2, 3), 3e-6),
    "nested, index": (NESTED, (12345,), 6e-6),
    "nested, (row, column)": (NESTED, (100, 200), 6e-6),
    "nested, each mode": (NESTED, ((3, 4), (5, 6)), 6e-6),
}
"""A coordinate, and the median in seconds that is the aim on an idle core; the alarm is at three times that."""
SWIZZLE = (3, 0, 3)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.benchmark(group="one coordinate")
def bench_a_call_of_cutelab(benchmark, name):
    given, coordinate, most = CALLS[name]
    layout, other = cutelab.Layout(*given), tensor_layouts.Layout(*given)
    assert benchmark(layout, *coordinate) == other(*coordinate)
    assert benchmark.stats.stats.median < 3 * most


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.benchmark(group="one coordinate")
def bench_a_call_of_tensor_layouts(benchmark, name):
    given, coordinate, _ = CALLS[name]
    benchmark(tensor_layouts.Layout(*given), *coordinate)


@pytest.mark.benchmark(group="one coordinate behind a swizzle")
def bench_a_swizzled_call_of_cutelab(benchmark):
    layout = cutelab.ComposedLayout(cutelab.Swizzle(*SWIZZLE), 0, cutelab.Layout(*FLAT))
    assert benchmark(layout, 2, 3) == 17
    assert benchmark.stats.stats.median < 3 * 6e-6


@pytest.mark.benchmark(group="one coordinate behind a swizzle")
def bench_a_swizzled_call_of_tensor_layouts(benchmark):
    layout = tensor_layouts.compose(tensor_layouts.Swizzle(*SWIZZLE), tensor_layouts.Layout(*FLAT))
    assert benchmark(layout, 2, 3) == 17
