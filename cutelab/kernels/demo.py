"""A kernel to look at: the transpose of a 32 x 32 tile, with the conflicts of its plain layout."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutelab.kernels._cuda import cuda, kernel
from cutelab.kernels.trace import trace
from cutelab.kernels.traced import Trace

F32 = np.dtype(np.float32)


@kernel
def turn(out: Any, a: Any) -> None:
    tile = cuda.shared.array((32, 32), F32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    for k in range(0, 32, 4):
        tile[y + k, x] = a[y + k, x]
    cuda.syncthreads()
    for k in range(0, 32, 4):
        out[y + k, x] = tile[x, y + k]


@cache
def demo() -> Trace:
    """The trace of one block of it."""
    square = np.zeros((32, 32), np.float32)
    return trace(turn, 1, (32, 4), square.copy(), square)
