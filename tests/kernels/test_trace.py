"""The tracer against kernels counted by hand, and against the memory model on the transpose."""

import contextlib
import linecache
import time

import numba
import numpy as np
import pytest

from cutelab import CuteLabError, offsets
from cutelab.course.topics.trace.report import trace_card
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.wavefronts import wavefronts
from cutelab.kernels import Trace, cuda, launch, trace
from cutelab.kernels.transpose import conflicting, padded, swizzled
from cutelab.kernels.variants import predict_transpose, trace_tile, transposes

F32 = np.float32


def figures(seen):
    return [(a.space, a.kind, a.access_bytes, a.accesses, a.count, a.ideal) for a in seen.lines]


@cuda.jit
def strided(out, a, step):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i * step % a.size]


@pytest.mark.parametrize(("step", "sectors"), [(1, 4), (2, 8), (4, 16), (8, 32), (64, 32)])
def test_strided_load_by_hand(step, sectors):
    a, out = np.arange(64 * 64, dtype=F32), np.zeros(64, F32)
    seen = trace(strided, 2, 32, out, a, step)
    assert figures(seen) == [("global", "load", 4, 2, 2 * sectors, 8), ("global", "store", 4, 2, 8, 8)]
    assert np.array_equal(out, a[np.arange(64) * step % a.size])
    assert seen.lines[0].efficiency == 4 / sectors


@cuda.jit
def columns(out, a):
    tile = cuda.shared.array((32, 32), numba.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]


def test_column_of_a_tile_by_hand():
    a = np.arange(1024, dtype=F32).reshape(32, 32)
    out = np.zeros_like(a)
    started = time.perf_counter()
    seen = trace(columns, 1, (32, 32), out, a)
    assert time.perf_counter() - started < 3
    assert np.array_equal(out, a.T)
    assert figures(seen) == [
        ("global", "load", 4, 32, 128, 128),
        ("shared", "store", 4, 32, 32, 32),
        ("shared", "load", 4, 32, 1024, 32),
        ("global", "store", 4, 32, 128, 128),
    ]
    bad = next(x for x in seen.lines if x.excess)
    assert bad.source.strip() == "out[y, x] = tile[x, y]"
    assert wavefronts(bad.worst).count == 32 and "32-way" in bad.explain()


@pytest.mark.parametrize("plan", [conflicting(32), padded(32), swizzled(32), padded(32, 4), swizzled(64)], ids=str)
def test_transpose_against_the_memory_model(plan):
    # Thread (x, y) reads squares of vector x vector elements: the same addresses from the layout's table.
    table, v, (bx, by) = offsets(plan.layout), plan.vector, plan.block
    expected = 0
    thread = np.arange(bx * by).reshape(-1, 32)
    x, y = thread % bx, thread // bx
    for down in range(0, plan.chunks, by):
        for across in range(0, plan.chunks, bx):
            for i in range(v):
                address = table[(x + across) * v + i, (y + down) * v] * 4
                expected += int(wavefronts(WarpAccess(address, 4 * v)).count.sum())
    assert trace_tile(plan).total("shared", "load") == expected


def test_counts_do_not_depend_on_how_often_the_code_ran():
    # Python rewrites instructions that run often; the first trace must count as the tenth.
    plan = swizzled(32, block=(32, 4))
    assert len({tuple(map(tuple, figures(trace_tile(plan)))) for _ in range(4)}) == 1


def test_whole_launch_prediction():
    counted = predict_transpose(transposes()["conflicting, tile 32, 4 B"], 2048)
    assert counted == {
        "global load": 524288,
        "global store": 524288,
        "shared load": 4194304,
        "shared store": 131072,
    }


@cuda.jit(device=True)
def double(a, i):
    return 2 * a[i]


@cuda.jit
def loops(out, a):
    i = cuda.grid(1)
    total = 0.0
    for k in range(i % 3):
        total += double(a, (i + k) % a.size)
    out[i] += total


def test_loops_divergence_and_device_functions():
    a, out = np.ones(64, F32), np.zeros(32, F32)
    seen = trace(loops, 1, 32, out, a)
    assert np.array_equal(out, 2 * (np.arange(32) % 3))
    load, first, last = seen.lines
    assert (load.array, load.accesses) == ("a", 2)  # two rounds; the lanes with i % 3 == 0 take part in none
    assert (load.count, load.ideal) == (4 + 4, 3 + 2)  # 21 lanes, then the 10 that go round again
    assert load.efficiency == (21 + 10) * 4 / (8 * 32)
    assert (first.kind, last.kind, first.line) == ("load", "store", last.line)
    assert any("inactive lanes" in limit for limit in seen.limits)


@cuda.jit
def histogram(bins, a, kept):
    local = cuda.shared.array(32, numba.int32)
    t = cuda.threadIdx.x
    local[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(local, a[t], 1)
    kept[t] = cuda.atomic.add(local, t, 0)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, local[t])


def test_atomics_are_reductions_when_the_result_is_dropped():
    bins, kept = np.zeros(32, np.int32), np.zeros(32, np.int32)
    seen = trace(histogram, 1, 32, bins, np.zeros(32, np.int32), kept)
    assert bins[0] == 32 and bins.sum() == 32
    kinds = [(a.space, a.kind, a.count) for a in seen.lines if a.kind in ("reduce", "atomic")]
    assert kinds == [("shared", "reduce", 1), ("shared", "atomic", 1), ("global", "reduce", None)]
    assert any("not modelled" in limit for limit in seen.limits)


@cuda.jit
def warp_sum(out, a):
    value = a[cuda.grid(1)]
    for delta in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, delta)
    if cuda.laneid == 0:
        out[cuda.grid(1) // 32] = value


def test_shuffles_and_votes():
    out = np.zeros(2, F32)
    trace(warp_sum, 1, 64, out, np.arange(64, dtype=F32))
    assert out.tolist() == [sum(range(32)), sum(range(32, 64))]


@cuda.jit
def numba_spelling(out, a):
    i = numba.cuda.grid(1)
    out[i, 0] = a[i][1]


def test_sub_arrays_and_the_long_spelling():
    out, a = np.zeros((32, 3), F32), np.arange(64, dtype=F32).reshape(32, 2)
    seen = trace(numba_spelling, 1, 32, out, a)
    assert np.array_equal(out[:, 0], a[:, 1])
    assert [(x.kind, x.count) for x in seen.lines] == [("load", 8), ("store", 12)]


def test_views_of_one_array_keep_their_places():
    base = np.zeros(64, F32)
    seen = trace(strided, 1, 32, base[1:33], base[32:], 1)
    assert [(x.kind, x.count) for x in seen.lines] == [("load", 4), ("store", 5)]


def test_a_kernel_from_a_cell_shows_its_source():
    text = "@cuda.jit\ndef mine(a):\n    i = cuda.grid(1)\n    a[i * 32 % 1024] = 1\n"  # the text of a notebook's cell
    name = "<cell 7>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {"cuda": cuda}
    exec(compile(text, name, "exec"), scope)
    seen = trace(scope["mine"], 1, 32, np.zeros(1024, F32))
    shown = seen.text().splitlines()
    at = next(i for i, line in enumerate(shown) if line == "   4|     a[i * 32 % 1024] = 1")
    row = shown[at + 1]
    assert row.split()[:9] == ["global", "store", "a[i", "*", "32", "%", "1024]", "4", "B"]
    assert "32 sectors" in row and "28" in row
    del linecache.cache[name]
    blind = trace(scope["mine"], 1, 32, np.zeros(1024, F32))
    assert blind.source == () and "source cannot be found" in blind.text()


def test_picture_and_limits():
    seen = trace(columns, 4, (32, 32), np.zeros((32, 32), F32), np.zeros((32, 32), F32), blocks=[(1,), (3,)])
    assert isinstance(seen, Trace) and seen.blocks == ((1, 0, 0), (3, 0, 0))
    assert seen.partial == "2 of 4 blocks traced: (1,0,0), (3,0,0)."
    picture = trace_card(seen)
    assert "1,024" not in picture.title and "2,048 wavefronts where 64 would do" in picture.alt
    with pytest.raises(AttributeError):
        seen.blocks = ()


@cuda.jit
def past_the_end(out, a):
    i = cuda.grid(1)
    out[i] = a[i + 1]


@cuda.jit
def stuck(out):
    if cuda.threadIdx.x < 16:
        cuda.syncthreads()
    else:
        cuda.syncwarp()
    out[cuda.threadIdx.x] = 1


@cuda.jit
def endless(out):
    while out[0] == 0:
        pass


@cuda.jit
def unsimulated(out):
    out[0] = cuda.cbrt_of_nothing(1)


@cuda.jit
def too_much_shared(out):
    tile = cuda.shared.array((128, 128), numba.float32)
    out[0] = tile[0, 0]


@cuda.jit
def divides(out):
    out[cuda.threadIdx.x] = 1 // (cuda.threadIdx.x - 3)


ONES = np.ones(32, F32)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: trace(past_the_end, 1, 32, ONES.copy(), ONES),
            r"line \d+ of past_the_end: thread \(31,0,0\) of block \(0,0,0\) reads a\[32\], but a has shape \(32,\): .*0 to 31",
        ),
        (lambda: trace(past_the_end, 1, 64, ONES.copy(), np.ones(99, F32)), r"thread \(32,0,0\).* writes out\[32\]"),
        (lambda: trace(stuck, 1, 32, ONES.copy()), "wait for each other for ever, at line"),
        (lambda: trace(unsimulated, 1, 1, ONES.copy()), "cuda.cbrt_of_nothing is not simulated"),
        (lambda: trace(too_much_shared, 1, 1, ONES.copy()), "asks for 65,536 bytes"),
        (lambda: trace(divides, 1, 32, ONES.copy()), r"line \d+ of divides: thread \(3,0,0\).* ZeroDivisionError"),
        (lambda: trace(strided, 1, 2048, ONES, ONES, 1), "at most 1,024"),
        (lambda: trace(strided, 0, 32, ONES, ONES, 1), "1 or more"),
        (lambda: trace(strided, 10**6, 256, ONES, ONES, 1, blocks=None), "blocks=256 or less"),
        (lambda: trace(strided, 1, 32, ONES, ONES, 1, blocks=[(5,)]), "outside grid"),
        (lambda: trace(strided, 1, 32, ONES, ONES), "takes 3 arguments"),
        (lambda: trace(strided, 1, 32, ONES, [1.0], 1), "np.array"),
        (lambda: trace(strided, 1, 32, ONES, np.zeros(3, "U1"), 1), "arrays of numbers"),
        (lambda: trace(np.sin, 1, 32, ONES), "decorated with @cuda.jit"),
        (lambda: launch(strided, (1, 2, 3, 4), 32, ONES, ONES, 1), "one to three"),
    ],
)
def test_bad_input_gives_one_clear_error(call, says):
    with pytest.raises(CuteLabError, match=says):
        call()


def test_an_endless_loop_ends():
    with pytest.raises(CuteLabError, match="never ends"):
        trace(endless, 1, 32, np.zeros(1, F32), limit=10_000)


def test_threads_of_the_simulator_end_with_it():
    import threading

    before = threading.active_count()
    for kernel, args in ((columns, (np.zeros((32, 32), F32),) * 2), (stuck, (np.zeros(32, F32),))):
        with contextlib.suppress(CuteLabError):
            trace(kernel, 1, (32, 32) if kernel is columns else 32, *args)
    deadline = time.time() + 5
    while threading.active_count() > before and time.time() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before
