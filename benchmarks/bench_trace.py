"""Tracing kernels: with the search for races, without it, and Numba's own simulator, which says neither counts nor races.

`make bench BENCH_ARGS="-k trace"`; each group is one kernel, all in one process.
"""

from __future__ import annotations

import os
import time

os.environ.setdefault("NUMBA_ENABLE_CUDASIM", "1")

import numba
import numpy as np
import pytest

from cutelab.kernels import cuda, trace

F32 = np.float32
MOST_RATIO = 2.0  # with the search for races against without it


@cuda.jit
def transpose_tile(out, a):
    tile = cuda.shared.array((32, 32), numba.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]


@cuda.jit
def stencil(out, a):
    i = cuda.grid(1)
    if 0 < i < a.size - 1:
        out[i] = a[i - 1] + a[i] + a[i + 1]


@cuda.jit
def sums(out, a):
    i = cuda.grid(1)
    total = 0.0
    for k in range(64):
        total += a[(i + k) % a.size]
    out[i] = total


@cuda.jit
def reduction(out, a):
    s = cuda.shared.array(256, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = 128
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def histogram(bins, a):
    mine = cuda.shared.array(32, numba.int32)
    t = cuda.threadIdx.x
    if t < 32:
        mine[t] = 0
    cuda.syncthreads()
    for k in range(8):
        cuda.atomic.add(mine, a[cuda.grid(1) * 8 + k], 1)
    cuda.syncthreads()
    if t < 32:
        cuda.atomic.add(bins, t, mine[t])


def z(shape, kind=F32):
    return np.zeros(shape, kind)


KERNELS = {
    "transpose of a tile": (transpose_tile, 1, (32, 32), (z((32, 32)), z((32, 32)))),
    "stencil": (stencil, 2, 256, (z(512), z(512))),
    "sums": (sums, 2, 256, (z(512), z(512))),
    "reduction": (reduction, 2, 256, (z(2), z(512))),
    "histogram": (histogram, 2, 128, (z(32, np.int32), z(2048, np.int32))),
}
each = pytest.mark.parametrize("name", KERNELS)


def group(benchmark, name):
    benchmark.group = f"trace: {name}"
    kernel, grid, block, args = KERNELS[name]
    return kernel, grid, block, args


@each
def bench_trace(benchmark, name):
    kernel, grid, block, args = group(benchmark, name)
    benchmark.pedantic(lambda: trace(kernel, grid, block, *args), rounds=5, warmup_rounds=1)


@each
def bench_trace_without_races(benchmark, name):
    kernel, grid, block, args = group(benchmark, name)
    benchmark.pedantic(lambda: trace(kernel, grid, block, *args, check=False), rounds=5, warmup_rounds=1)


@each
def bench_numba_simulator(benchmark, name):
    kernel, grid, block, args = group(benchmark, name)
    if not hasattr(kernel, "grid_dim"):
        pytest.skip("Numba was loaded without its simulator")
    benchmark.pedantic(lambda: kernel[grid, block](*args), rounds=3, warmup_rounds=1)


def bench_the_search_for_races_at_most_doubles_the_time(benchmark):
    def ratio() -> float:
        best = {}
        for check in (True, False):
            best[check] = 0.0
            for kernel, grid, block, args in KERNELS.values():
                times = []
                for _ in range(5):
                    start = time.perf_counter()
                    trace(kernel, grid, block, *args, check=check)
                    times.append(time.perf_counter() - start)
                best[check] += min(times)
        return best[True] / best[False]

    found = benchmark.pedantic(ratio, rounds=1)
    benchmark.extra_info["ratio"] = round(found, 2)
    assert found < MOST_RATIO, found
