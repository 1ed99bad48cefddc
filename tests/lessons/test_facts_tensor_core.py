"""The numbers that stand in the words of lesson 10, tensor_core, are what the library computes, and what counting by hand gives."""

import numpy as np
import pytest

from cutelab import CuteLabError, Layout, cosize, mma_atom, mma_atoms, owners, parse_layout, size, tensor_core_fixes
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.tensor_core.lesson import (
    ACCESSES,
    HALF,
    HOPPER,
    PUBLISHED,
    VOLTA,
    VOLTA_LANES,
    held_by,
    named_row,
    owner,
)


def test_the_predictions():
    assert [find_prediction(f"tensor_core.{x}").answer() for x in "abcd"] == ["0,4", "outside", 1024, 1]
    tf32 = mma_atom("SM80_16x8x8_F32TF32TF32F32_TN").a
    assert [tf32(0, v) for v in range(4)] == [0, 8, 64, 72]


def test_the_published_layout_is_nobodys():
    layout = parse_layout(PUBLISHED)
    assert (size(layout), cosize(layout)) == (64, 244) and 7 * 32 + 3 + 16 == 243
    assert len(set(np.ravel([[layout(t, v) for v in range(2)] for t in range(32)]).tolist())) == 64
    with pytest.raises(CuteLabError, match="reaches index 243"):
        owners(layout, (8, 8))
    assert not any(mma_atom(n).operand(w)[0] == layout for n in mma_atoms() for w in "ABC")


def test_lane_five_of_b():
    assert held_by("B", 5) == ((1, 2), (1, 3), (1, 10), (1, 11))
    assert (
        held_by("C", 5) == ((1, 2), (1, 3), (9, 2), (9, 3)) == tuple((1 + 8 * j, 2 + i) for j in (0, 1) for i in (0, 1))
    )
    layout = mma_atom(HALF).b
    assert [layout(5, v) for v in range(4)] == [17, 25, 81, 89] and [layout(0, v) for v in range(4)] == [0, 8, 64, 72]


def test_every_m16n8_atom_has_that_accumulator():
    """The sentence says all m16n8 atoms; those of doubles and of complex numbers too."""
    wanted = Layout(((4, 8), (2, 2)), ((32, 1), (16, 8)))
    found = [n for n in mma_atoms() if mma_atom(n).shape_mnk[:2] == (16, 8)]
    assert len(found) > 100 and all(mma_atom(n).c == wanted for n in found)


def test_owner_is_the_inverse():
    layout = mma_atom("SM80_8x8x4_F64F64F64F64_TN").c
    for m, n in np.ndindex(8, 8):
        thread, value = owner(m, n)
        assert layout(thread, value) == m + 8 * n and (thread, value) == (4 * m + n // 2, n % 2)


def test_which_swizzles_are_free():
    exercise = find_exercise("tensor_core.5")
    free = [c for c in tensor_core_fixes(mma_atom(HALF), "A", 16, 32, 2, may_pad=False) if c.free]
    assert {str(c.swizzle) for c in free} >= {"Sw<2,3,3>", "Sw<3,3,3>"}
    for fix in free:
        assert exercise.check(fix.swizzle).state == "good"
    assert exercise.check("Sw<2,3,4>").state == "bad" and len(ACCESSES) == 3


def test_the_table_of_generations():
    """What each generation brought, by the names in CUTLASS's list."""

    def names(generation):
        return {name.split("_")[1] for name in mma_atoms() if name.startswith(f"{generation}_")}

    assert names("SM70") == {"8x8x4"}
    assert [name[5:] for name in mma_atoms() if name.startswith("SM75")] == [
        "16x8x8_F32F16F16F32_TN",
        "16x8x8_F16F16F16F16_TN",
        "8x8x16_S32S8S8S32_TN",
    ]
    assert names("SM89") == {"16x8x32"}
    assert all("E4M3" in name or "E5M2" in name for name in mma_atoms() if name.startswith("SM89"))
    ampere = [name for name in mma_atoms() if name.startswith("SM80")]
    for shape, kinds in {
        "16x8x16": ("F16F16",),
        "16x8x32": ("S8S8",),
        "16x8x8": ("TF32TF32",),
        "8x8x4": ("F64F64",),
    }.items():
        assert any(f"_{shape}_" in name and all(kind in name for kind in kinds) for name in ampere)
    assert not any("E4M3" in name for name in ampere)
    assert {name.partition("16x8x")[2][:2] for name in mma_atoms() if name.startswith("SM120")} == {"32", "64"}


def test_most_block_scaled_atoms_have_more_than_four_bits():
    scaled = [name for name in mma_atoms() if mma_atom(name).sfa is not None]
    four = [name for name in scaled if name.partition("<")[2].split(",")[:2] == ["float_e2m1_t"] * 2]
    assert (len(scaled), len(four)) == (27, 3)


def test_the_rows_that_lanes_name():
    """Matrix by matrix, down first and then right: from the picture of four squares, without the library."""
    squares = [(0, 0), (8, 0), (0, 8), (8, 8)]
    assert [named_row(lane) for lane in range(32)] == [(m + row, k) for m, k in squares for row in range(8)]


def test_lanes_of_volta_and_hopper():
    atom = mma_atom(VOLTA)
    assert [atom.thr_id(t) for t in range(8)] == list(VOLTA_LANES)
    assert str(atom.c) == "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))"
    assert [atom.c(6, v) for v in range(4)] == [20, 28, 22, 30]
    group = mma_atom(HOPPER).c
    assert str(group) == "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"
    assert (group(77, 0), group(77, 6)) == (163, 683) and divmod(683, 64) == (10, 43)


def test_what_a_wrong_fragment_would_mean():
    def told(id, answer):
        reply = find_exercise(id).check(answer)
        return f"{reply.sentence} {reply.second}"

    assert "lane 18 holds it, as v3" in told("tensor_core.7", ((4, 2), (6, 3), (6, 2), (4, 3)))
    assert "lane 16 holds it, as v0" in told("tensor_core.7", ((4, 0), (4, 1), (6, 0), (6, 1)))
    assert "outside C" in told("tensor_core.7", ((4, 2), (4, 3), (9, 2), (9, 3)))
    assert "held by thread 79, as v4" in told("tensor_core.8", (35, 14))
    assert "outside C" in told("tensor_core.8", (683, 0))
    assert "v2 of lane 9" in told("tensor_core.9", 10 * 4096 + 2)
    assert "row 9, column 41" in told("tensor_core.9", 9 * 4096 + 41)


def test_the_swizzles_of_the_tf32_fragment():
    """Lane t reads element (t // 4, t % 4) of (32,8):(1,32), 4 bytes an element: counted bank by bank."""

    def most(bits, base, shift):
        offsets_ = [t // 4 + 32 * (t % 4) for t in range(32)]
        moved = [o ^ (o >> shift & ((1 << bits) - 1) << base) for o in offsets_]
        return max(sum(m % 32 == bank for m in moved) for bank in range(32))

    assert (most(0, 0, 0), most(3, 2, 3), most(2, 3, 2)) == (4, 2, 1)
