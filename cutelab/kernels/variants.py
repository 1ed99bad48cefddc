"""The variants that the course compares, by name, and what the model predicts for them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from cutelab.kernels import gemm, transpose
from cutelab.kernels.gemm import Gemm
from cutelab.kernels.trace import trace
from cutelab.kernels.traced import Trace
from cutelab.kernels.transpose import Transpose
from cutelab.plans.gemm import grouped

COUNTERS = (("global", "load"), ("global", "store"), ("shared", "load"), ("shared", "store"))


def transposes() -> dict[str, Transpose]:
    """The transposes that the course compares, by tile and width of an access, and one of 2-byte elements."""
    plans = {}
    for tile, vector in ((32, 1), (64, 1), (64, 2), (64, 4)):
        for name in transpose.VARIANTS if vector == 1 else transpose.VARIANTS[1:]:
            plans[f"{name}, tile {tile}, {4 * vector} B"] = transpose.variant(name, tile, vector)
    plans["swizzled, tile 64, 16 B of 2-byte elements"] = transpose.swizzled(64, 8, dtype=np.uint16)
    return plans


def gemms() -> dict[str, Gemm]:
    """The matrix products of the course: A's layout in four variants, with one buffer and two, smaller tiles, a row of pitches."""
    plans = {name: gemm.variant(name) for name in gemm.VARIANTS}
    plans |= {f"{name}, two buffers": gemm.variant(name, double_buffer=True) for name in gemm.VARIANTS}
    plans |= {f"{name}, tile 64": gemm.variant(name, 64) for name in gemm.VARIANTS}
    for pad in (8, 12, 16, 24, 32):
        plans[f"pitch {32 + pad}"] = replace(gemm.variant("padded"), a_layout=grouped(128, 8, 32 + pad))
    return plans


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
    return {key: value * (size // plan.tile) ** 2 for key, value in _tile_counts(plan).items()}


@cache
def _tile_counts(plan: Transpose) -> dict[str, int]:
    return counts(trace_tile(plan, 2 * plan.tile))


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
