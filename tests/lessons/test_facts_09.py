"""The numbers that stand in the words of notebook 09 are what the library computes."""

import numpy as np
import pytest

from cutelab import CuteLabError, Layout, cosize, mma_atom, mma_atoms, owners, parse_layout, size, tensor_core_fixes
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.tensor_core.lesson import ACCESSES, HALF, PUBLISHED, held_by, owner


def test_the_predictions():
    assert [find_prediction(f"09.{x}").answer() for x in "abc"] == ["0,4", "outside", 1024]
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
    exercise = find_exercise("09.5")
    free = [c for c in tensor_core_fixes(mma_atom(HALF), "A", 16, 32, 2, may_pad=False) if c.free]
    assert {str(c.swizzle) for c in free} >= {"Sw<2,3,3>", "Sw<3,3,3>"}
    for cure in free:
        assert exercise.check(cure.swizzle).state == "good"
    assert exercise.check("Sw<2,3,4>").state == "bad" and len(ACCESSES) == 3
