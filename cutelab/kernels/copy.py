"""The yardstick: a plain copy, with accesses of 4 to 16 bytes and several of them in flight a thread."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cutelab.kernels._cuda import cuda, kernel
from cutelab.kernels.vector import vector_access

THREADS = 256


@cache
def copy_kernel(vector: int = 4, each: int = 4, hint: str = "") -> Any:
    """A kernel copy(out, a) of float32 arrays in one dimension: `vector` elements an access, `each` accesses a thread.

    It copies whole accesses only: the length must be a multiple of `vector`.
    """
    load, store = vector_access(vector, 4, hint)
    kept, span = vector * each, THREADS * vector
    float32 = np.dtype(np.float32)

    @kernel
    def copy(out: Any, a: Any) -> None:
        mine = cuda.local.array(kept, float32)
        start = cuda.blockIdx.x * (span * each) + cuda.threadIdx.x * vector
        for i in range(each):
            at = start + i * span
            if at < a.size:
                load(mine, i * vector, a, at)
        for i in range(each):
            at = start + i * span
            if at < a.size:
                store(out, at, mine, i * vector, 1)

    return copy


def copy_launch(size: int, vector: int = 4, each: int = 4) -> tuple[int, int]:
    """Grid and block for arrays of this size.

    >>> copy_launch(16384 * 16384)
    (65536, 256)
    """
    return -(-size // (THREADS * vector * each)), THREADS
