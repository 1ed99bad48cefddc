"""Twenty-four kernels of different kinds: traced, counted by an NVIDIA GPU under Nsight Compute, compared.

    python benchmarks/gpu/trace_kernels.py --json trace_kernels.json
    python benchmarks/gpu/trace_kernels.py --wheels WHEELS ...    a folder with wheels (numpy<2.5) to put in front, without network

Takes about two minutes, most of it compiling. Without a GPU or without ncu it traces, and says what is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import wheels  # first: it may put another numpy in front

# isort: split
import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.kernels import cuda
from cutelab.kernels.measure import Measured, measure_all

F32, F64, I32, U8, I16 = (np.dtype(t) for t in (np.float32, np.float64, np.int32, np.uint8, np.int16))
N, BLOCK, HALO = 4096, 256, 258  # a shape in shared memory is a constant, no sum
GRID = N // BLOCK


@cuda.jit
def copy(out, a):
    i = cuda.grid(1)
    out[i] = a[i]


@cuda.jit
def copy_bytes(out, a):
    i = cuda.grid(1)
    out[i] = a[i]


@cuda.jit
def copy_doubles(out, a):
    i = cuda.grid(1)
    out[i] = a[i]


@cuda.jit
def shifted(out, a):
    i = cuda.grid(1)
    if i < a.size - 1:
        out[i] = a[i + 1]


@cuda.jit
def strided(out, a):
    i = cuda.grid(1)
    out[i] = a[i * 8 % a.size]


@cuda.jit
def gather(out, a, index):
    i = cuda.grid(1)
    out[i] = a[index[i]]


@cuda.jit
def scatter(out, a, index):
    i = cuda.grid(1)
    out[index[i]] = a[i]


@cuda.jit
def masked(out, a):
    i = cuda.grid(1)
    if i % 3 == 0:
        out[i] = a[i]


@cuda.jit
def broadcast(out, a):
    i = cuda.grid(1)
    out[i] = a[i // 64]


@cuda.jit
def columns(out, a):
    x, y = cuda.grid(2)
    out[y, x] = a[x, y]


@cuda.jit
def stencil_shared(out, a):
    s = cuda.shared.array(HALO, F32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[t + 1] = a[i]
    if t == 0:
        s[0] = a[max(i - 1, 0)]
    if t == BLOCK - 1:
        s[BLOCK + 1] = a[min(i + 1, a.size - 1)]
    cuda.syncthreads()
    out[i] = s[t] + s[t + 1] + s[t + 2]


@cuda.jit
def turn_32(out, a):
    s = cuda.shared.array((32, 32), F32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    bx, by = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for k in range(0, 32, 8):
        s[y + k, x] = a[by + y + k, bx + x]
    cuda.syncthreads()
    for k in range(0, 32, 8):
        out[bx + y + k, by + x] = s[x, y + k]


@cuda.jit
def turn_33(out, a):
    s = cuda.shared.array((32, 33), F32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    bx, by = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for k in range(0, 32, 8):
        s[y + k, x] = a[by + y + k, bx + x]
    cuda.syncthreads()
    for k in range(0, 32, 8):
        out[bx + y + k, by + x] = s[x, y + k]


@cuda.jit
def turn_doubles(out, a):
    s = cuda.shared.array((32, 33), F64)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    bx, by = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for k in range(0, 32, 8):
        s[y + k, x] = a[by + y + k, bx + x]
    cuda.syncthreads()
    for k in range(0, 32, 8):
        out[bx + y + k, by + x] = s[x, y + k]


@cuda.jit
def turn_swizzled(out, a):
    s = cuda.shared.array(1024, F32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    bx, by = cuda.blockIdx.x * 32, cuda.blockIdx.y * 32
    for k in range(0, 32, 8):
        s[(y + k) * 32 + (x ^ (y + k))] = a[by + y + k, bx + x]
    cuda.syncthreads()
    for k in range(0, 32, 8):
        out[bx + y + k, by + x] = s[x * 32 + (x ^ (y + k))]


@cuda.jit
def shared_stride(out, a):
    s = cuda.shared.array(1024, F32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[t * 4] = a[i]
    cuda.syncthreads()
    out[i] = s[t * 4]


@cuda.jit
def shared_bytes_(out, a):
    s = cuda.shared.array(1024, U8)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[t] = a[i]
    cuda.syncthreads()
    out[i] = s[(t * 5) % 256]


@cuda.jit
def shared_halves(out, a):
    s = cuda.shared.array(1024, I16)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[(t * 3) % 256] = a[i]
    cuda.syncthreads()
    out[i] = s[t]


@cuda.jit
def reduction_interleaved(out, a):
    s = cuda.shared.array(BLOCK, F32)
    t = cuda.threadIdx.x
    s[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    step = 1
    while step < BLOCK:
        at = 2 * step * t
        if at + step < BLOCK:
            s[at] += s[at + step]
        cuda.syncthreads()
        step *= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def reduction_sequential(out, a):
    s = cuda.shared.array(BLOCK, F32)
    t = cuda.threadIdx.x
    s[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


@cuda.jit
def reduction_by_shuffles(out, a):
    v = a[cuda.grid(1)]
    for d in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, d)
    if cuda.threadIdx.x % 32 == 0:
        out[cuda.grid(1) // 32] = v


@cuda.jit
def dynamic_reverse(out, a):
    s = cuda.shared.array(0, F32)
    t = cuda.threadIdx.x
    s[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = s[BLOCK - 1 - t]


POINT = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32), ("w", np.float32)])


@cuda.jit
def structures(out, p):
    i = cuda.grid(1)
    out[i] = p[i].x + p[i].z


@cuda.jit
def product_tiled(c, a, b):
    sa, sb = cuda.shared.array((16, 16), F32), cuda.shared.array((16, 16), F32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    i, j = cuda.blockIdx.y * 16 + y, cuda.blockIdx.x * 16 + x
    total = np.float32(0)
    for k in range(0, a.shape[1], 16):
        sa[y, x] = a[i, k + x]
        sb[y, x] = b[k + y, j]
        cuda.syncthreads()
        for m in range(16):
            total += sa[y, m] * sb[m, x]
        cuda.syncthreads()
    c[i, j] = total


def cases() -> list[tuple[str, Any, Any, Any, list[Any], int]]:
    """name, kernel, grid, block, arguments, dynamic shared memory."""
    rng = np.random.default_rng(7)
    line = [np.zeros(N, F32), rng.random(N, np.float32)]
    index = rng.permutation(N).astype(np.int32)
    square = [np.zeros((64, 64), F32), rng.random((64, 64), np.float32)]
    doubles = [np.zeros((64, 64)), rng.random((64, 64))]
    small = [np.zeros((32, 32), F32), rng.random((32, 32), np.float32), rng.random((32, 32), np.float32)]
    sums = [np.zeros(GRID, F32), line[1]]
    tile = ((2, 2), (32, 8))
    return [
        ("copy", copy, GRID, BLOCK, line, 0),
        ("copy, 1 byte", copy_bytes, GRID, BLOCK, [np.zeros(N, U8), np.ones(N, U8)], 0),
        ("copy, 8 bytes", copy_doubles, GRID, BLOCK, [np.zeros(N), rng.random(N)], 0),
        ("shifted copy", shifted, GRID, BLOCK, line, 0),
        ("stride of 8", strided, GRID, BLOCK, line, 0),
        ("gather", gather, GRID, BLOCK, [*line, index], 0),
        ("scatter", scatter, GRID, BLOCK, [*line, index], 0),
        ("every third lane", masked, GRID, BLOCK, line, 0),
        ("one element for two warps", broadcast, GRID, BLOCK, line, 0),
        ("transpose without a tile", columns, (2, 8), (32, 8), square, 0),
        ("stencil with halo", stencil_shared, GRID, BLOCK, line, 0),
        ("transpose, pitch 32", turn_32, *tile, square, 0),
        ("transpose, pitch 33", turn_33, *tile, square, 0),
        ("transpose, swizzled", turn_swizzled, *tile, square, 0),
        ("transpose of doubles, pitch 33", turn_doubles, *tile, doubles, 0),
        ("shared stride of 4", shared_stride, GRID, BLOCK, line, 0),
        ("shared bytes", shared_bytes_, GRID, BLOCK, [np.zeros(N, U8), np.ones(N, U8)], 0),
        ("shared 2-byte words", shared_halves, GRID, BLOCK, [np.zeros(N, I16), np.ones(N, I16)], 0),
        ("reduction, interleaved", reduction_interleaved, GRID, BLOCK, sums, 0),
        ("reduction, sequential", reduction_sequential, GRID, BLOCK, sums, 0),
        ("reduction by shuffles", reduction_by_shuffles, GRID, BLOCK, [np.zeros(N // 32, F32), line[1]], 0),
        ("dynamic shared memory", dynamic_reverse, GRID, BLOCK, line, 4 * BLOCK),
        ("array of structures", structures, GRID, BLOCK, [np.zeros(N, F32), np.ones(N, POINT)], 0),
        ("tiled product", product_tiled, (2, 2), (16, 16), small, 0),
    ]


def measured() -> dict[str, Measured]:
    """Every case, with one start of the profiler; grids are traced whole."""
    chosen = cases()
    records = measure_all([(kernel, grid, block, args, dynamic) for _, kernel, grid, block, args, dynamic in chosen])
    return {name: record for (name, *_), record in zip(chosen, records, strict=True)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the records to this file")
    parser.add_argument("--wheels", type=Path, help=wheels.__doc__.splitlines()[0])
    options = parser.parse_args()
    started = time.time()
    try:
        found = measured()
    except CuteLabError as error:
        print(error, file=sys.stderr)
        return 1
    counted = {name: record for name, record in found.items() if record.counted}
    for name, record in found.items():
        print(f"\n{name}: {record.text()}")
    if options.json:
        data = {"seconds": round(time.time() - started, 1), "records": {n: r.to_dict() for n, r in found.items()}}
        options.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    apart = [name for name, record in counted.items() if not record.agrees]
    print(f"\n{len(counted) - len(apart)} of {len(found)} kernels agree in every counter")
    for name in apart:
        print(f"  {name}: " + ", ".join(f"{k} {v:+,}" for k, v in counted[name].difference.items() if v))
    missing = next((record.missing for record in found.values() if record.missing), "")
    if missing:
        print(missing)
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
