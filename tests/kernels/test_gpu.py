"""On a real GPU: results, and the speed that the layouts promise."""

import re

import numpy as np
import pytest
from gpu_scripts import race

from cutelab.kernels import machine, trace
from cutelab.kernels.gemm import variant
from cutelab.kernels.transpose import conflicting, padded, swizzled

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not machine.gpu, reason="needs an NVIDIA GPU")]


@pytest.mark.parametrize(("name", "shape", "equal"), list(race.check_all(large=True)) if machine.gpu else [])
def test_equals_numpy(name, shape, equal):
    assert equal, f"{name} at {shape}"


@pytest.mark.parametrize("tile", [32, 64])
def test_free_of_conflicts_is_faster(tile):
    chosen = {"conflicting": conflicting(tile), "padded": padded(tile), "swizzled": swizzled(tile)}
    ms = {r["name"]: r["ms"] for r in race.transpose_race(chosen, 8192) if r["name"] in chosen}
    assert max(ms["padded"], ms["swizzled"]) * 1.8 < ms["conflicting"]
    assert ms["swizzled"] < 1.03 * ms["padded"]


def test_a_product_free_of_conflicts_is_faster():
    chosen = {name: variant(name) for name in ("conflicting", "padded", "swizzled")}
    ms = {r["name"]: r["ms"] for r in race.gemm_race(chosen, 2048) if r["name"] in chosen}
    assert max(ms["padded"], ms["swizzled"]) * 1.03 < ms["conflicting"]


@pytest.mark.parametrize(
    "plan",
    [padded(64), swizzled(64, 4), swizzled(64, 8, dtype=np.uint16), swizzled(64, 8, dtype=np.uint8)],
    ids=str,
)
def test_an_access_is_one_instruction(plan):
    assert race.check_transpose(plan, (128, 128))
    (text,) = plan.kernel.inspect_asm().values()
    loads = re.findall(r"ld\.shared(?:\.v(\d))?\.[ubf](\d+)", text)
    assert {int(n or 1) * int(bits) // 8 for n, bits in loads} == {plan.vector * plan.dtype.itemsize}
    assert len(loads) == plan.tile**2 // plan.threads // plan.vector


def test_trace_beside_a_gpu():
    plan = swizzled(32)
    a, out = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)
    assert trace(plan.kernel, *plan.launch_shape(32, 32), out, a).total("shared", "load") == 32
