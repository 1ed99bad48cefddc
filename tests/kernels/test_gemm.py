"""The matrix product: NumPy's result within float32's rounding, and the counts that the layouts promise."""

import numpy as np
import pytest

from cutelab import CuteLabError, Layout
from cutelab.kernels import trace
from cutelab.kernels.bench import check_gemm
from cutelab.kernels.gemm import VARIANTS, Gemm, variant


@pytest.mark.parametrize("sizes", [(32, 32, 16), (33, 40, 9), (5, 3, 1), (36, 32, 20)])
@pytest.mark.parametrize("name", VARIANTS)
def test_equals_numpy(name, sizes):
    assert check_gemm(variant(name, 32, values=4), *sizes)


def test_one_and_two_buffers_equal_numpy():
    for double in (False, True):
        assert check_gemm(variant("padded", 32, values=4, double_buffer=double), 32, 32, 24)


def counts(name):
    plan = variant(name, 64, values=8)
    a, b, c = np.ones((64, 8), np.float32), np.ones((8, 64), np.float32), np.zeros((64, 64), np.float32)
    seen = trace(plan.kernel(), *plan.launch_shape(64, 64), c, a, b)
    assert (c == 8).all()
    loads = [x for x in seen.lines if x.space == "shared" and x.kind == "load"]
    return loads, seen


def test_reads_of_a_meet_in_banks_only_in_the_conflicting_layout():
    # 8 lanes read 8 rows of A: pitch 8 puts them in 4 banks, two in each; pitch 9 in 8 banks.
    for name, ways in (("conflicting", 2), ("padded", 1), ("swizzled", 1)):
        (a, b), _ = counts(name)
        assert (a.wavefronts, a.ideal) == (ways * a.accesses, a.accesses), name
        assert b.wavefronts == b.ideal == b.accesses


def test_paired_lanes_halve_the_groups_of_wide_loads():
    # 16-byte loads by 32 lanes that pairwise share addresses: 2 wavefronts, not 4.
    loads, _ = counts("fastest")
    for access in loads:
        assert access.access_bytes == 16
        assert access.wavefronts == 2 * access.accesses


def test_stores_of_a_are_free_where_the_layout_is_made_for_them():
    for name, excess in (("conflicting", True), ("swizzled", False), ("fastest", False)):
        _, seen = counts(name)
        store = next(x for x in seen.lines if x.space == "shared" and x.kind == "store" and x.access_bytes == 4)
        assert (store.excess > 0) == excess, name


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Gemm(100, 128, 8, Layout((100, 8)), Layout((8, 128), (128, 1))), "multiples of these"),
        (lambda: Gemm(128, 128, 8, Layout((8, 128)), Layout((8, 128), (128, 1))), r"shape \(128, 8\)"),
        (lambda: variant("conflicting", vector=4), "4 neighbours together"),
        (lambda: variant("swizzled", k=64), "bytes of shared memory"),
        (lambda: variant("best"), "conflicting, padded"),
        (lambda: variant("padded", 32, values=4)(*(np.zeros((4, 5), np.float32),) * 3), "does not fit"),
        (lambda: variant("padded", 32, values=4)(*(np.zeros((4, 4)),) * 3), "float32 matrix"),
    ],
)
def test_bad_input_gives_one_clear_error(make, says):
    with pytest.raises(CuteLabError, match=says):
        make()
