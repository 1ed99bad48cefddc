"""How fast is the memory model, and how often is it right? Side by side with tensor-layouts' `bank_conflicts`.

    python -m pytest benchmarks/bench_memory.py --benchmark-only --benchmark-columns=median,min,rounds
    python -m benchmarks.bench_memory          # how often each agrees with the hardware

tensor-layouts answers for a layout from threads and values to offsets: all lanes active, addresses that are a sum of one
stride for each bit of the lane. Only such patterns are compared, for loads, stores, ldmatrix and stmatrix.
"""

import time

import numpy as np
import pytest

from cutelab.advise.conflict_free import conflict_free, read_column, read_row, store_rows
from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.measured import measured
from cutelab.memory import WarpAccess

T = np.arange(32)
COLUMN = T * 128


def one_warp():
    return wavefronts(WarpAccess(COLUMN, 4))


def lane_strides(address, active):
    """The strides of the lane's bits, when they explain every active address; else None."""
    lanes = int(active.sum())
    if lanes & (lanes - 1) or not active[:lanes].all():
        return None
    strides = address[1 << np.arange(lanes.bit_length() - 1)] - address[0]
    explained = ((T[:lanes, None] >> np.arange(len(strides))) & 1) @ strides + address[0]
    return strides.tolist() if (explained == address[:lanes]).all() else None


def theirs(strides, access_bytes):
    """tensor-layouts' answer: threads (2,2,...) with the strides, values along the access."""
    from tensor_layouts import Layout
    from tensor_layouts.analysis import bank_conflicts

    unit = min(4, access_bytes)
    threads = tuple(2 for _ in strides)
    steps = tuple(s // unit for s in strides)
    layout = Layout((threads, access_bytes // unit), (steps, 1))
    return bank_conflicts(layout, element_bytes=unit)["max_ways"]


def agreement():
    """How many of the comparable measured patterns does each get right? By access width."""
    shared, tally = measured("h200_shared_wavefronts"), {}
    for i in range(len(shared)):
        strides = lane_strides(shared.byte_address[i], shared.active[i])
        if strides is None or shared.kind[i] in ("atomic", "reduce"):
            continue
        label = f"{shared.kind[i]} {shared.access_bytes[i]} bytes"
        row = tally.setdefault(label, [0, 0, 0])
        access = WarpAccess(shared.byte_address[i], shared.access_bytes[i], shared.kind[i], shared.active[i])
        row[0] += 1
        row[1] += wavefronts(access).count == shared.counts[i]
        row[2] += theirs(strides, shared.access_bytes[i]) == shared.counts[i]
    return tally


def test_one_warp(benchmark):
    assert benchmark(one_warp).count == 32
    assert benchmark.stats.stats.min < 60e-6


@pytest.mark.parametrize(("kind", "access_bytes"), [("load", 16), ("store", 16), ("atomic", 4)])
def test_one_warp_of_other_kinds(benchmark, kind, access_bytes):
    benchmark(lambda: wavefronts(WarpAccess(COLUMN, access_bytes, kind)))
    assert benchmark.stats.stats.min < 60e-6


def test_one_warp_sectors(benchmark):
    assert benchmark(lambda: sectors(WarpAccess(COLUMN, 4))).count == 32


def test_one_warp_by_tensor_layouts(benchmark):
    pytest.importorskip("tensor_layouts")
    assert benchmark(lambda: theirs([128, 256, 512, 1024, 2048], 4)) == 32


@pytest.mark.parametrize("access_bytes", [4, 16])
def test_a_million_warps(benchmark, access_bytes):
    address = np.random.default_rng(0).integers(0, 8192, (1_000_000, 32)) * access_bytes
    benchmark.pedantic(lambda: wavefronts(WarpAccess(address, access_bytes)), rounds=3)
    assert benchmark.stats.stats.min < 2


def test_the_whole_search(benchmark):
    accesses = [read_column(12), read_row(3), store_rows(4), store_rows(4, kind="load")]
    assert benchmark(lambda: conflict_free(accesses, 32, 32, 4))[0].free
    assert benchmark.stats.stats.min < 150e-3


def main():
    tally = agreement()
    print(f"{'access':<20}{'patterns':>9}{'cutelab':>9}{'tensor-layouts':>16}")
    for label, (all_of_them, ours, other) in [*tally.items(), ("all", np.sum(list(tally.values()), axis=0))]:
        print(f"{label:<20}{all_of_them:>9}{ours / all_of_them:>9.0%}{other / all_of_them:>16.0%}")
    began = time.perf_counter()
    one_warp()
    print(f"one warp, first call: {1e6 * (time.perf_counter() - began):.0f} microseconds")


if __name__ == "__main__":
    main()
