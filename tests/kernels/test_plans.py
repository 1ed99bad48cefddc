"""What a plan predicts without running anything is what the tracer sees when the kernel runs, access by access."""

from dataclasses import replace

import numpy as np
import pytest
from gpu_scripts import race

from cutelab import CuteLabError, Layout, offsets, parse_layout
from cutelab.kernels import gemm, trace
from cutelab.kernels.transpose import Transpose, naive, padded, swizzled
from cutelab.kernels.variants import gemms, trace_tile, transposes
from cutelab.plans.gemm import a_layout, group_swizzle, grouped
from cutelab.plans.tiles import pitched, row_swizzle, tile_layout
from cutelab.plans.transpose import blocks_of

NAMES = {"read a": "a", "read b": "b", "write out": "out", "write c": "c"}


def figures(accesses):
    """(space, kind, bytes a lane) -> instructions, count and ideal of all such accesses together."""
    found = {}
    for space, kind, nbytes, *numbers in accesses:
        key = (space, kind, nbytes)
        found[key] = np.add(found.get(key, 0), numbers).tolist()
    return found


def predicted(plan, **options):
    return figures(
        (a.space, a.kind, a.access_bytes, a.instructions, a.count, a.ideal) for a in plan.accesses(**options)
    )


def traced(seen):
    return figures((a.space, a.kind, a.access_bytes, a.accesses, a.count, a.ideal) for a in seen.lines)


@pytest.mark.parametrize(
    "plan",
    [
        *(p for n, p in transposes().items() if "tile 32" in n or "16 B" in n),
        padded(32, block=(16, 4)),
        padded(32, block=(4, 2)),
        swizzled(32, 2, block=(16, 8)),
        naive(32, block=(8, 16)),
        Transpose(32, pitched(32, 36)),
        Transpose(16, parse_layout("((2,8),16):((16,40),1)"), 2, block=(4, 2)),
    ],
    ids=str,
)
def test_transpose_plan_predicts_the_trace(plan):
    assert predicted(plan, edge=2 * plan.tile) == traced(trace_tile(plan, 2 * plan.tile))


@pytest.mark.long
@pytest.mark.parametrize(
    "plan",
    [
        *(gemm.variant(name, 64) for name in gemm.VARIANTS),
        gemm.variant("swizzled", 64, k=16, double_buffer=True),
        gemm.variant("padded", 64, vector=2),
        gemm.variant("padded", 32, values=4, vector=1),
        replace(gemm.variant("padded", 64), a_layout=grouped(64, 8, 40)),
    ],
    ids=str,
)
@pytest.mark.parametrize("steps", [1, 3])
def test_gemm_plan_predicts_the_trace(plan, steps):
    # Two tiles of C in each direction; A has `steps` tiles, B too.
    m, n, k = 2 * plan.m, 2 * plan.n, steps * plan.k
    edge = 4 * plan.k * plan.n  # a row length for all three matrices: the counts do not depend on it
    a, b, c = np.zeros((m, k), np.float32), np.zeros((k, n), np.float32), np.zeros((m, n), np.float32)
    seen = trace(plan.kernel(), *plan.launch_shape(m, n), c, a, b, blocks=1)
    assert predicted(plan, edge=edge, steps=steps) == traced(seen)


def elements(access, item=4):
    """All elements that an access touches, in order."""
    warps, width = access.warps, access.access_bytes // item
    return np.sort((warps.byte_address[warps.active][:, None] // item + np.arange(width)).ravel()).tolist()


@pytest.mark.parametrize(
    "plan",
    [padded(32), swizzled(32, 4), swizzled(64, 2, block=(16, 8)), Transpose(32, pitched(32, 36), block=(8, 4))],
    ids=str,
)
def test_each_element_is_touched_once(plan):
    a, write, read, out = plan.accesses(edge=plan.tile)
    assert elements(a) == elements(out) == list(range(plan.tile**2))
    assert elements(write) == elements(read) == np.sort(offsets(plan.layout).ravel()).tolist()


def test_each_element_of_the_product_is_touched_as_often_as_needed():
    plan = gemm.variant("swizzled", 64)
    found = {a.name: elements(a) for a in plan.accesses(edge=64)}
    assert found["write c"] == list(range(64 * 64))
    assert found["write tile A"] == np.sort(offsets(plan.a_layout).ravel()).tolist()
    assert found["write tile B"] == np.sort(offsets(plan.b_layout).ravel()).tolist()
    threads = 64 // plan.values  # each element is read by so many threads
    assert found["read tile A"] == np.sort(np.tile(offsets(plan.a_layout).ravel(), threads)).tolist()
    assert found["read tile B"] == np.sort(np.tile(offsets(plan.b_layout).ravel(), threads)).tolist()
    assert len(set(found["read a"])) == len(found["read a"]) == 64 * 8


def test_every_plan_that_is_timed_is_valid_and_timed_once():
    names = list(race.sweep())
    assert len(names) == len(set(race.sweep().values())) and len(gemms()) == len(set(gemms().values()))
    assert set(transposes().values()) - set(race.explorable()) == {
        transposes()["swizzled, tile 64, 16 B of 2-byte elements"]
    }


@pytest.mark.parametrize("tile", [32, 64])
@pytest.mark.parametrize("vector", [1, 2, 4])
def test_padding_and_swizzle_free_the_column_read(tile, vector):
    for name in ("padded", "swizzled"):
        plan = Transpose(tile, tile_layout(name, tile, vector), vector)
        assert plan.variant == name
        assert all(a.count == a.ideal for a in plan.accesses() if a.space == "shared" and a.kind == "load"), name


def test_a_plan_knows_its_variant():
    assert [p.variant for p in (naive(), padded(32), Transpose(32, pitched(32, 40)))] == ["naive", "padded", "own"]
    assert padded(48).variant == "padded"


def test_blocks_fit_their_tiles():
    for tile, vector in ((32, 1), (32, 4), (64, 2), (64, 8), (16, 16), (48, 1), (7, 1)):
        for block in blocks_of(tile, vector):
            assert Transpose(tile, Layout((tile, tile), (tile, 1)), 1, block).threads <= 1024


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: pitched(32, 31), "pitch 31 is shorter than a row"),
        (lambda: row_swizzle(48), "power of two"),
        (lambda: tile_layout("fast", 32), "naive, conflicting"),
        (lambda: a_layout("fast"), "conflicting, padded"),
        (lambda: grouped(64, 8, 31), "pitch of 32"),
        (lambda: group_swizzle(12), "power of two"),
    ],
)
def test_bad_input_gives_one_clear_error(make, says):
    with pytest.raises(CuteLabError, match=says):
        make()
