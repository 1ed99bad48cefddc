"""The matrix product: NumPy's result within float32's rounding, and the counts that the layouts promise."""

import numpy as np
import pytest
from gpu_scripts import race

from cutelab import CuteLabError, Layout
from cutelab.kernels import trace
from cutelab.kernels.gemm import VARIANTS, Gemm, variant


@pytest.mark.parametrize("sizes", [(32, 32, 16), (33, 40, 9), (5, 3, 1), (36, 32, 20)])
@pytest.mark.parametrize("name", VARIANTS)
def test_equals_numpy(name, sizes):
    assert race.check_gemm(variant(name, 32, values=4), *sizes)


def test_one_and_two_buffers_equal_numpy():
    for double in (False, True):
        assert race.check_gemm(variant("padded", 32, values=4, double_buffer=double), 32, 32, 24)


def counts(name):
    plan = variant(name, 64)
    a, b, c = np.ones((64, 8), np.float32), np.ones((8, 64), np.float32), np.zeros((64, 64), np.float32)
    seen = trace(plan.kernel(), *plan.launch_shape(64, 64), c, a, b)
    assert (c == 8).all()
    return [x for x in seen.lines if x.space == "shared" and x.kind == "load"], seen


def test_reads_of_a_meet_in_banks_only_in_the_conflicting_layout():
    # 16-byte loads by lanes that pairwise share addresses: 2 wavefronts for 8 different pieces, 8 if all lie in the same banks.
    for name in VARIANTS:
        loads, _ = counts(name)
        for load, which in zip(loads, "ab", strict=True):
            each = 8 if name == "conflicting" and which == "a" else 2
            assert (load.access_bytes, load.wavefronts) == (16, each * load.accesses), (name, which)


def test_stores_of_a_are_free_but_in_the_conflicting_layout():
    for name in VARIANTS:
        _, seen = counts(name)
        store = next(x for x in seen.lines if x.space == "shared" and x.kind == "store" and x.access_bytes == 4)
        assert store.wavefronts == store.accesses * (4 if name == "conflicting" else 1)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Gemm(100, 128, 8, Layout((100, 8)), Layout((8, 128), (128, 1))), "multiples of these"),
        (lambda: Gemm(128, 128, 8, Layout((8, 128)), Layout((8, 128), (128, 1))), r"shape \(128, 8\)"),
        (
            lambda: Gemm(128, 128, 8, Layout((128, 8), (8, 1)), Layout((8, 128), (128, 1)), vector=4),
            "4 neighbours together",
        ),
        (lambda: variant("swizzled", k=64), "bytes of shared memory"),
        (lambda: variant("padded", k=12), "share out tiles"),
        (lambda: variant("best"), "conflicting, padded"),
        (lambda: variant("padded", 32, values=4)(*(np.zeros((4, 5), np.float32),) * 3), "does not fit"),
        (lambda: variant("padded", 32, values=4)(*(np.zeros((4, 4)),) * 3), "float32 matrix"),
    ],
)
def test_bad_input_gives_one_clear_error(make, says):
    with pytest.raises(CuteLabError, match=says):
        make()
