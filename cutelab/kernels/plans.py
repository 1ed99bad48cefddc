"""The variants that the course compares, by name, and what the model predicts for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cutelab.kernels import gemm, transpose
from cutelab.kernels.bench import check_gemm, check_transpose
from cutelab.kernels.gemm import Gemm
from cutelab.kernels.trace import Trace, trace
from cutelab.kernels.transpose import Transpose

COUNTERS = (("global", "load"), ("global", "store"), ("shared", "load"), ("shared", "store"))


def transposes() -> dict[str, Transpose]:
    """The transposes of the course: four variants at tile 32, three at tile 64 with 16-byte accesses, and 2-byte elements."""
    plans = {f"{name} 32": transpose.variant(name, 32) for name in transpose.VARIANTS}
    for name in transpose.VARIANTS[1:]:
        plans[f"{name} 64 x 16 B"] = transpose.variant(name, 64, 4)
    plans["swizzled 64 x 16 B, 2-byte"] = transpose.swizzled(64, 8, threads=64, dtype=np.uint16)
    return plans


def sweep() -> dict[str, Transpose]:
    """Every candidate for the fastest transpose, by a name that says its numbers."""
    return transposes() | {name_of(plan): plan for plan in transpose.candidates()}


def name_of(plan: Transpose) -> str:
    """A name with all numbers of a plan.

    >>> name_of(transpose.padded(64, 4, group=8))
    'tile 64, 16 B, 256 threads, ((4,16),64):((64,260),1), bands of 8'
    """
    nbytes = plan.vector * plan.dtype.itemsize
    extra = (f", bands of {plan.group}" if plan.group else "") + (f", {plan.hint}" if plan.hint else "")
    return f"tile {plan.tile}, {nbytes} B, {plan.threads} threads, {plan.layout}{extra}"


def gemms() -> dict[str, Gemm]:
    """The matrix products of the course, and neighbours of the fastest."""
    plans = {name: gemm.variant(name) for name in gemm.VARIANTS}
    plans["fastest, one buffer"] = gemm.variant("fastest", double_buffer=False)
    plans["fastest, k 16"] = gemm.variant("fastest", k=16)
    return plans


def check_all(large: bool) -> Iterator[tuple[str, str, bool]]:
    """Every variant against NumPy, also at sizes that are no multiple of anything. large: sizes for a GPU."""
    shapes = [(2048, 2048), (1000, 777), (1, 300), (333, 1024)] if large else [(64, 64), (33, 45)]
    for name, plan in transposes().items():
        for rows, columns in shapes:
            yield f"transpose {name}", f"{rows} x {columns}", check_transpose(plan, (rows, columns))
    sizes = [(1024, 1024, 1024), (129, 257, 65), (300, 200, 100)] if large else [(33, 40, 9), (32, 32, 16)]
    small = {} if large else {"tile": 32, "values": 4}
    for name in gemm.VARIANTS:
        for m, n, k in sizes:
            yield f"gemm {name}", f"{m} x {n} x {k}", check_gemm(gemm.variant(name, **small), m, n, k)


def trace_tile(plan: Transpose, size: int | None = None) -> Trace:
    """Trace one block of a square transpose (of one tile unless told otherwise)."""
    edge = size or plan.tile
    bits = plan.kernel_dtype
    a, out = np.zeros((edge, edge), bits), np.zeros((edge, edge), bits)
    return trace(plan.kernel, *plan.launch_shape(edge, edge), out, a, blocks=1)


def counts(seen: Trace, blocks: int = 1) -> dict[str, int]:
    """Sectors and wavefronts of loads and stores, times so many blocks."""
    return {f"{space} {kind}": blocks * seen.total(space, kind) for space, kind in COUNTERS}


def predict_transpose(plan: Transpose, size: int) -> dict[str, int]:
    """What the counters should read for size x size, a multiple of the tile: all blocks alike, so one is traced."""
    return counts(trace_tile(plan, size), (size // plan.tile) ** 2)


def predict_gemm(plan: Gemm, size: int) -> dict[str, int]:
    """What the counters should read for a product of size^3, a multiple of the tiles.

    One block is traced, with one and with two steps along K; every further step costs the difference.
    """
    steps = size // plan.k
    traces = []
    for depth in (plan.k, 2 * plan.k):
        a, b = np.zeros((plan.m, depth), np.float32), np.zeros((depth, plan.n), np.float32)
        c = np.zeros((plan.m, plan.n), np.float32)
        traces.append(counts(trace(plan.kernel(True), *plan.launch_shape(plan.m, plan.n), c, a, b)))
    blocks = (size // plan.m) * (size // plan.n)
    one, two = traces
    return {key: blocks * (one[key] + (steps - 1) * (two[key] - one[key])) for key in one}


def predicted(dtype: Any) -> list[dict[str, Any]]:
    """For each transpose of this type: sectors and wavefronts of one tile."""
    return [{"name": name} | counts(trace_tile(p)) for name, p in transposes().items() if p.dtype == np.dtype(dtype)]
