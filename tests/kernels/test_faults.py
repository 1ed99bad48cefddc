"""What goes wrong while a kernel is traced: one sentence each, and nothing that burns on."""

import _thread
import linecache
import resource
import signal
import threading
import time
import warnings

import numba
import numpy as np
import pytest

from cutelab import CuteLabError
from cutelab.kernels import cuda, launch, trace

F32 = np.float32


def z(n, kind=F32):
    return np.zeros(n, kind)


def wait_for_threads(before):
    deadline = time.time() + 5
    while _thread._count() > before and time.time() < deadline:
        time.sleep(0.02)
    return _thread._count() <= before


@cuda.jit
def spins(out):
    while True:
        pass


@cuda.jit
def counts_far(out):
    n = 0
    for _ in range(10**12):
        n += 1
    out[0] = n


@cuda.jit
def one_spins_while_others_wait(out):
    if cuda.threadIdx.x == 5:
        while True:
            pass
    cuda.syncthreads()


@pytest.mark.long
@pytest.mark.parametrize("kernel", [spins, counts_far, one_spins_while_others_wait])
def test_a_loop_that_never_ends_is_stopped(kernel):
    before = _thread._count()
    with pytest.raises(
        CuteLabError, match=r"line \d+ of \w+: thread .* computes for 0.4 s .*Does its loop end.*seconds=60"
    ):
        trace(kernel, 1, 32, z(1), seconds=0.4)
    assert wait_for_threads(before)


def test_a_long_loop_that_ends_is_left_alone():
    @cuda.jit
    def long(out):
        n = 0
        for _ in range(3_000_000):
            n += 1
        out[0] = n

    out = z(1)
    trace(long, 1, 1, out)
    assert out[0] == 3_000_000


@pytest.mark.parametrize("kernel", [spins, one_spins_while_others_wait])
def test_stop_ends_the_kernel_too(kernel):
    before = _thread._count()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a process started in the background ignores it
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        trace(kernel, 1, 32, z(1), seconds=60)
    timer.join()
    assert wait_for_threads(before)


@cuda.jit
def dynamic(out, a):
    s = cuda.shared.array(0, numba.float32)
    t = cuda.threadIdx.x
    s[t] = a[t]
    cuda.syncthreads()
    out[t] = s[31 - t]


def test_the_configuration_of_a_kernel_is_read():
    out, a = z(32), np.arange(32, dtype=F32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        configured = dynamic[1, 32, 0, 128]
    seen = trace(configured, out, a)
    assert (seen.grid, seen.block) == ((1, 1, 1), (32, 1, 1)) and np.array_equal(out, a[::-1]) and seen.races == ()
    assert trace(dynamic, 1, 32, z(32), a, shared_bytes=128).total("shared", "load") == 1
    out = z(32)
    launch(configured, out, a)
    assert np.array_equal(out, a[::-1])


@cuda.jit
def leaves(out):
    raise SystemExit(3)


@cuda.jit
def a_slice(out):
    out[0:4] = 1


@cuda.jit
def a_fraction(out):
    out[0.5] = 1


@cuda.jit
def too_many_indices(out):
    out[0, 1] = 1


@cuda.jit
def shared_too_small(out):
    s = cuda.shared.array(16, numba.float32)
    s[cuda.threadIdx.x] = 1


@cuda.jit
def past_the_end(out):
    out[cuda.threadIdx.x + 1] = 1


@cuda.jit
def odd_shape(out):
    s = cuda.shared.array("x", numba.float32)
    s[0] = 1


@cuda.jit
def not_in_its_mask(out):
    cuda.syncwarp(1)


@cuda.jit
def fine(out):
    out[cuda.grid(1)] = 1


TABLE = np.arange(20_000, dtype=np.float32)


@cuda.jit
def large_constant(out):
    out[0] = TABLE[1]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: trace(dynamic, 1, 32, z(32), z(32)), r"dynamic shared memory.*shared_bytes=4096"),
        (lambda: trace(leaves, 1, 1, z(1)), r"line \d+ of leaves: thread \(0,0,0\).* fails with SystemExit: 3"),
        (lambda: trace(a_slice, 1, 1, z(8)), "writes several elements of out at once.*loop"),
        (lambda: trace(a_fraction, 1, 1, z(8)), r"out\[0.5\], but out has shape \(8,\); an index is a whole number"),
        (lambda: trace(too_many_indices, 1, 1, z(8)), "an index is a whole number"),
        (lambda: trace(shared_too_small, 1, 32, z(8)), r"writes s\[16\].*Give the shared array more elements"),
        (lambda: trace(past_the_end, 1, 8, z(8)), r"writes out\[8\].*Guard the access with an if\.$"),
        (lambda: trace(odd_shape, 1, 1, z(8)), "shape of whole numbers"),
        (lambda: trace(not_in_its_mask, 1, 2, z(8)), "is not in the mask"),
        (lambda: trace(large_constant, 1, 1, z(8)), "TABLE takes 80,000 bytes.*65,536"),
        (lambda: trace(fine, 4, 32, z(128), blocks=1.5), "blocks is a number, a list"),
        (lambda: trace(fine, 4, 32, z(128), blocks="x"), "blocks is a number, a list"),
        (lambda: trace(fine, 4, 32, z(128), blocks=range(10**12)), "too many to simulate"),
        (lambda: trace(fine, 4, 32, z(128), blocks=[]), "at least one"),
        (lambda: trace(fine, 4, 32, z(128), blocks=0), "1 or more"),
        (lambda: trace(fine, 4, 32, z(128), blocks=-5), "1 or more"),
        (lambda: trace(fine, 4, 32, z(128), blocks=[(9,)]), "outside grid"),
        (lambda: trace(fine, 4, 32, z(128), blocks=[("a",)]), "named by one to three whole numbers"),
        (lambda: trace(fine, 4, 32, z(128), shared_bytes="x"), "shared_bytes must be a whole number of bytes"),
        (lambda: trace(fine, 4, 32, z(128), shared_bytes=10**13), "0 to 232,448"),
        (lambda: trace(fine, 4, 32, z(128), shared_bytes=-5), "0 to 232,448"),
        (lambda: trace(fine, 10**13, 32, z(128)), "at most 2,147,483,647"),
        (lambda: trace(fine, -5, 32, z(128)), "1 or more"),
        (lambda: trace(fine, 1.5, 32, z(128)), "1 or more"),
        (lambda: trace(fine, 1, 32, z(32), limit=0), "limit must be"),
        (lambda: trace(fine, 1, 32, z(32), seconds="x"), "seconds must be"),
        (lambda: trace(fine, 1, 32, z(32), limit=10), "more than 10 accesses.*limit=40"),
        (lambda: trace(fine), "take a kernel, a grid"),
        (lambda: trace(fine, 1, 32), "takes 1 arguments"),
        (lambda: trace(5, 1, 32), "decorated with @cuda.jit"),
        (lambda: launch(fine, 1, 32), r"takes 1 arguments \(out\), got 0"),
    ],
)
def test_one_clear_sentence(call, says):
    started = time.time()
    with pytest.raises(CuteLabError, match=says) as caught:
        call()
    assert len(str(caught.value)) <= 300 and "\n" not in str(caught.value) and time.time() - started < 20


def kernel_of(text, name="odd"):
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"cuda": cuda, "numba": numba}
    exec(compile(text, file, "exec"), scope)
    return scope[name]


ODD = "@cuda.jit\ndef odd(out):\n    # 行号 \U0001f680 \u202e tab\there\n    out[cuda.grid(1)] = 1\n"


def test_any_character_of_a_source_can_be_shown():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen = trace(kernel_of(ODD), 1, 32, z(32))
        bundle = seen._repr_mimebundle_()
    assert "行号" in seen.text() and "img" in bundle["text/html"] and "行号" not in bundle["text/html"]


def test_where_it_cannot_be_drawn_there_is_the_text(monkeypatch):
    from cutelab.core import display

    seen = trace(fine, 1, 32, z(32))

    def broken():
        raise RuntimeError("no font")

    monkeypatch.setattr(display, "find_painter", broken)
    assert seen._repr_mimebundle_() == {"text/plain": seen.text()}
    with pytest.raises(CuteLabError, match=r"cannot be drawn here .RuntimeError: no font.; text"):
        seen.figure()


@cuda.jit
def add_up(total, a):
    cuda.atomic.add(total, 0, a[cuda.grid(1)])


def test_floats_are_spoken_of_for_floats_only():
    said = [" ".join(trace(add_up, 1, 32, z(1, k), z(32, k)).limits) for k in (np.int32, np.float32)]
    assert ["on floats" in s for s in said] == [False, True]


@pytest.mark.long
def test_a_kernel_of_3000_lines_stays_small():
    body = "".join(f"    out[t] = a[(t * {k % 7}) % 64]\n" for k in range(3000))
    long = kernel_of(f"@cuda.jit\ndef long(out, a):\n    t = cuda.grid(1)\n{body}", "long")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen = trace(long, 1, 64, z(64), z(64))
    html = seen._repr_mimebundle_()["text/html"]
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # KB
    assert grown < 200_000 and len(html) < 1e6
    assert seen.races == () and len(seen.lines) == 6000 and len(seen.text().splitlines()) > 6000
