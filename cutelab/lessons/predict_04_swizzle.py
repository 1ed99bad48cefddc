"""Predictions of notebook 04_swizzle."""

from __future__ import annotations

import numpy as np

from cutelab import ComposedLayout, Layout, Swizzle, WarpAccess, wavefronts
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Value

COLUMN = np.arange(32) * 8 + 3  # column 3 of (32,8):(8,1)


def taken(offset: np.ndarray) -> int:
    """Wavefronts of a warp that reads float32 at these offsets."""
    return int(wavefronts(WarpAccess(offset * 4, 4)).count)


PREDICTIONS = (
    Prediction(
        id="04.a",
        title="One element moves",
        kind=Value("int", example="12"),
        question="In `Sw<3,0,3> o 0 o (8,8):(8,1)`, at which offset does (5,2) lie?",
        right=lambda: ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1)))(5, 2),
        replies=(
            Wrong(42, "That is its offset before the swizzle."),
            Wrong(7, "That is its new place in the row; the row still counts."),
            Wrong(58, "Here the column has changed the row. The row must change the column."),
            Wrong(45, "Here the row has replaced the column. XOR it with the column."),
            Wrong(40, "Here the bits are ANDed: 5 AND 2 is 0. XOR sets a bit where the two differ."),
        ),
        because="The row is 5, so column 2 becomes 2 XOR 5, which is 7; and row 5 begins at 40.",
    ),
    Prediction(
        id="04.b",
        title="A taller tile",
        kind=Value("int", example="12"),
        question=(
            "A warp reads one column of `(32,8):(8,1)` of float32: 8 wavefronts. How many are left with `Sw<3,0,3>`, "
            "which was right for 8 x 8?"
        ),
        right=lambda: taken(Swizzle(3, 0, 3)(COLUMN)),
        replies=(
            Wrong(1, "It would be, if each of the 32 rows were XORed with a number of its own."),
            Wrong(8, "It does help: rows 0 to 7 lie in eight different banks now."),
            Wrong(2, "Count again, for one bank: which rows get the same XOR, and start in the same bank?"),
            Wrong(32, "Even without a swizzle there are four different banks."),
        ),
        because="Row r is XORed with r mod 8. So rows 0, 8, 16 and 24 are treated alike, and still meet in one bank.",
    ),
    Prediction(
        id="04.c",
        title="A constant XOR",
        kind=Value("int", example="12"),
        question=(
            "Somebody XORs *every* offset of `(32,8):(8,1)` with the constant 0x3C. A warp reads a column of float32. "
            "How many wavefronts?"
        ),
        right=lambda: taken(COLUMN ^ 0x3C),
        replies=(
            Wrong(1, "For that, lanes that share a bank would have to move to different banks."),
            Wrong(4, "The constant has four bits set, but all lanes get the same four."),
            Wrong(2, "The constant does the same to every lane."),
            Wrong(16, "It does not get worse either: a constant XOR only renames the banks."),
        ),
        because="Two lanes in one bank move together, to another bank, and still meet. A cure must depend on the row.",
    ),
)
