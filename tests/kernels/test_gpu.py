"""On a real GPU: results, and the speed that the layouts promise."""

import numpy as np
import pytest

from cutelab.kernels import bench, machine, plans, trace
from cutelab.kernels.transpose import conflicting, padded, swizzled

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not machine.gpu, reason="no GPU here")]


@pytest.mark.parametrize(("name", "shape", "equal"), list(plans.check_all(large=True)) if machine.gpu else [])
def test_equals_numpy(name, shape, equal):
    assert equal, f"{name} at {shape}"


def test_free_of_conflicts_is_faster():
    options = {"vector": 4, "threads": 256}
    chosen = {
        "conflicting": conflicting(64, **options),
        "padded": padded(64, **options),
        "swizzled": swizzled(64, **options),
    }
    ms = {r["name"]: r["ms"] for r in bench.transpose_race(chosen, 8192) if r["name"] in chosen}
    assert ms["padded"] < ms["conflicting"] and ms["swizzled"] < ms["conflicting"]


def test_trace_beside_a_gpu():
    plan = swizzled(32)
    a, out = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)
    assert trace(plan.kernel, *plan.launch_shape(32, 32), out, a).total("shared", "load") == 32
