"""cost: against every thread's own partition, lane by lane, with the slow counting rules."""

import memory_oracle as oracle
import numpy as np
import pytest

from cutelab.advise.cost import cost, fixes_for, operand_cost
from cutelab.core.composed import parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets, size
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.tv import TiledMMA, make_tiled_copy, make_tiled_copy_A, make_tiled_copy_C
from cutelab.hardware.chip import AMD_LDS

MMA = TiledMMA("SM80_16x8x16_F32F16F16F32_TN", (2, 2, 1), (32, 32, 16))


def wide(atom, element, threads, values):
    return make_tiled_copy(copy_atom(atom, element), Layout(*threads), Layout(*values))


COPIES = {
    "half 16 bytes": (wide("UniversalCopy<uint128_t>", "half_t", ((16, 8), (8, 1)), ((1, 8),)), "half_t",
                      "(128,64):(4096,1)", "Sw<3,3,3> o 0 o (128,64):(64,1)"),
    "half 16 bytes, conflicts": (wide("UniversalCopy<uint128_t>", "half_t", ((32, 4), (4, 1)), ((1, 8),)), "half_t",
                                 "(64,64):(4096,1)", "(64,64):(64,1)"),
    "float one by one": (wide("UniversalCopy<float>", "float", ((32, 8), (8, 1)), ((1, 1),)), "float",
                         "(128,8):(8,1)", "(128,8):(1,129)"),
    "float 8 bytes, stages": (wide("UniversalCopy<uint64_t>", "float", ((16, 4), (4, 1)), ((1, 4),)), "float",
                              "(32,32,3):(512,1,32)", "(32,32,3):(36,1,1152)"),
    "few threads": (wide("UniversalCopy<uint32_t>", "half_t", ((4, 5), (5, 1)), ((1, 2),)), "half_t",
                    "(8,20):(20,1)", "(8,20):(24,1)"),
}  # fmt: skip


def by_partition(copy, side, data, memory, item):
    """Counts from CuTe's partition of each thread: the n-th access of each thread of a warp is one instruction."""
    each, per = [], size(copy.atom.layouts[side][1])
    for thread in range(copy.threads):
        layout, start = (copy.partition_S if side == 0 else copy.partition_D)(data, thread)
        table = offsets(layout).reshape(-1, order="F")
        each.append((table.reshape(-1, per)[:, 0] + start) * item)
    count = 0
    for first in range(0, copy.threads, 32):
        lanes = each[first : first + 32]
        on = [True] * len(lanes) + [False] * (32 - len(lanes))
        for n in range(len(lanes[0])):
            byte = [int(lane[n]) for lane in lanes] + [0] * (32 - len(lanes))
            if memory == "global":
                count += oracle.sectors(per * item, byte, on)[0]
            else:
                count += oracle.wavefronts("load" if side == 0 else "store", per * item, byte, on)[0]
    return count


@pytest.mark.parametrize("name", COPIES)
def test_both_sides_count_what_the_threads_partitions_count(name):
    copy, element, src, dst = COPIES[name]
    found = cost(copy, src, dst, element)
    item = found.source.element_bytes
    assert found.source.count == by_partition(copy, 0, parse_layout(src), "global", item)
    assert found.target.count == by_partition(copy, 1, parse_layout(dst), "shared", item)
    assert found.source.ideal <= found.source.count and found.target.ideal <= found.target.count
    back = cost(copy, dst, src, element, "shared", "global")
    assert back.source.count == by_partition(copy, 0, parse_layout(dst), "shared", item)


def test_the_fallback_of_an_sm80_sgemm_costs_four_times_what_it_must():
    """CUTLASS's own example: (bM,bK):(1,bM+1) under 32 x 8 threads."""
    copy, element, src, dst = COPIES["float one by one"]
    found = cost(copy, src, dst, element)
    assert (found.target.count, found.target.ideal) == (128, 32)
    assert "meet in bank" in found.explain() and found.target.counts.shape == (4, 8)
    assert cost(copy, src, "(128,8):(1,132)", element).target.count == 32
    best = fixes_for(found.target, like=dst, element=element)[0]
    assert best.wavefronts == 32 and best.free


def test_ldmatrix_reads_rows_as_a_fragment_does():
    copy = make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), MMA)
    for layout, each in (("(64,64):(64,1)", 32), ("Sw<3,3,3> o 0 o (64,64):(64,1)", 4)):
        found = cost(copy, layout, "(64,64):(64,1)", "half_t", "shared", "registers")
        ways = operand_cost(MMA, "A", layout, "half_t")
        assert ways[0].instruction == "ldmatrix.x4" and found.source.count == ways[0].wavefronts
        assert (found.source.counts == each).all() and found.target.count is None
    few = make_tiled_copy_A(copy_atom("SM75_U32x1_LDSM_N", "half_t"), MMA)
    narrow = cost(few, "Sw<3,3,3> o 0 o (64,64):(64,1)", "(64,64):(64,1)", "half_t", "shared", "registers")
    assert narrow.source.access.active.sum(axis=-1).tolist() == np.full(narrow.source.counts.shape, 8).tolist()
    assert (narrow.source.counts == 1).all()


def test_stmatrix_writes_what_fragment_stores_say():
    from cutelab.advise.copies import fragment_stores

    copy = make_tiled_copy_C(copy_atom("SM90_U32x2_STSM_N", "half_t"), MMA)
    layout = "(32,32):(40,1)"
    found = cost(copy, "(32,32):(32,1)", layout, "half_t", "registers", "shared")
    (way,) = [w for w in fragment_stores(parse_layout(layout), MMA, 2) if "stmatrix" in w.instruction]
    assert found.target.access.kind == "stmatrix" and found.target.ideal == way.ideal


def test_what_cannot_be_said_is_said():
    copy = wide("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>", "half_t", ((16, 8), (8, 1)), ((1, 8),))
    found = cost(copy, "(16,64):(64,1)", "(16,64):(64,1)", "half_t")
    assert found.source.count == 64 and found.target.count is None and "not modelled" in found.explain()
    narrow = wide("UniversalCopy<uint16_t>", "half_t", ((16, 8), (8, 1)), ((1, 8),))
    found = cost(narrow, "(16,64):(64,1)", "(16,64):(64,1)", "half_t")
    assert (found.access_bytes, found.allowed_bytes) == (2, 16) and "would allow 16" in found.explain()
    apart = wide("UniversalCopy<uint128_t>", "half_t", ((16, 8), (8, 1)), ((1, 8),))
    found = cost(apart, "(16,64):(64,1)", "(16,64):(1,16)", "half_t")
    assert "CuTe does not compile" in found.target.note and found.allowed_bytes == 2


def test_both_store_and_load_are_freed_together():
    copy, element, src, plain = COPIES["half 16 bytes"][0], "half_t", "(64,64):(4096,1)", "(64,64):(64,1)"
    store = cost(copy, src, plain, element).target
    load = operand_cost(MMA, "A", plain, element)[0]
    best = fixes_for(store, load, like=plain, element=element, may_pad=False)[0]
    assert best.free and best.name == "Sw<3,3,3>"
    again = cost(copy, src, best.layout, element).target
    assert again.count == again.ideal == best.per_access[0]
    assert operand_cost(MMA, "A", best.layout, element)[0].wavefronts == 128
    other = cost(
        COPIES["half 16 bytes, conflicts"][0], src, plain, element
    ).target  # 4 lanes a row: two rows of 64 bytes meet
    best = fixes_for(other, load, like=plain, element=element, may_pad=False)[0]
    assert best.best_of_bad and best.ways == 2


def test_another_chip_is_not_measured():
    copy, element, src, dst = COPIES["float one by one"]
    found = cost(copy, src, dst, element, chip=AMD_LDS)
    assert found.target.counts.shape == (4, 4) and "not measured" in found.explain()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda c: cost("copy", "(8,8):(8,1)", "(8,8):(8,1)", 2), "takes a TiledCopy"),
        (lambda c: cost(c, "(100,64):(64,1)", "(128,64):(64,1)", "half_t"), "no multiple of the tile's 16"),
        (lambda c: cost(c, "(128,64):(64,1)", "(128,64):(64,1)", "float"), "they must be the same"),
        (lambda c: cost(c, "(128,64):(64,1)", "(128,64):(64,1)", 3), "element is a C++ type"),
        (lambda c: cost(c, "(128,64):(64,1)", "128:1", "half_t"), "1 modes"),
        (lambda c: cost(c, "(128,64):(64,1)", 7, "half_t"), "need a layout"),
        (lambda c: cost(c, "(128,64):(64,1)", "(128,64):(64,1)", "half_t", "l2"), "src_memory"),
        (lambda c: operand_cost(MMA, "A", "(60,64):(64,1)", "half_t"), "whole operands"),
        (lambda c: fixes_for(cost(c, "(128,64):(64,1)", "(128,64):(64,1)", "half_t").source, like="(128,64):(64,1)", element=2), "shared memory"),
    ],
)  # fmt: skip
def test_bad_input_is_one_clear_error(make, text):
    with pytest.raises(CuteLabError) as caught:
        make(COPIES["half 16 bytes"][0])
    assert text in str(caught.value) and len(str(caught.value)) <= 300
