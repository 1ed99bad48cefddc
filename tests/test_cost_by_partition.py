"""`cost` against every thread's own partition: lane by lane, with the slow counting rules."""

import memory_oracle as oracle
import pytest

from cutelab.advise import cost
from cutelab.core.layout import Layout, offsets, parse_layout, size
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.tv import make_tiled_copy


def wide(atom, element, threads, values):
    return make_tiled_copy(copy_atom(atom, element), Layout(*threads), Layout(*values))


COPIES = {
    "half, 16 bytes": (wide("UniversalCopy<uint128_t>", "half_t", ((16, 8), (8, 1)), ((1, 8),)), "half_t",
                       "(128,64):(4096,1)", "Sw<3,3,3> o 0 o (128,64):(64,1)"),
    "half, conflicts": (wide("UniversalCopy<uint128_t>", "half_t", ((32, 4), (4, 1)), ((1, 8),)), "half_t",
                        "(64,64):(4096,1)", "(64,64):(64,1)"),
    "float, one by one": (wide("UniversalCopy<float>", "float", ((32, 8), (8, 1)), ((1, 1),)), "float",
                          "(128,8):(8,1)", "(128,8):(1,129)"),
    "float, stages": (wide("UniversalCopy<uint64_t>", "float", ((16, 4), (4, 1)), ((1, 4),)), "float",
                      "(32,32,3):(512,1,32)", "(32,32,3):(36,1,1152)"),
    "part of a warp": (wide("UniversalCopy<uint32_t>", "half_t", ((4, 5), (5, 1)), ((1, 2),)), "half_t",
                       "(8,20):(20,1)", "(8,20):(24,1)"),
}  # fmt: skip
ITEMS = {"half_t": 2, "float": 4}


def by_partition(copy, side, data, memory, item):
    """The n-th access of each thread of a warp is one instruction; its addresses are those of CuTe's partition."""
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
    item = ITEMS[element]
    there, back = cost(copy, src, dst, element), cost(copy, dst, src, element, "shared", "global")
    assert there.source.count == by_partition(copy, 0, parse_layout(src), "global", item)
    assert there.destination.count == by_partition(copy, 1, parse_layout(dst), "shared", item)
    assert back.source.count == by_partition(copy, 0, parse_layout(dst), "shared", item)
    assert back.destination.count == by_partition(copy, 1, parse_layout(src), "global", item)
