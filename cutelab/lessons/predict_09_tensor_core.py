"""Predictions of notebook 09_tensor_core."""

from __future__ import annotations

from cutelab import cosize, mma_atom, parse_layout
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value

PUBLISHED = "((8,4),2):((32,1),16)"


def coordinate_of_code_64() -> str:
    """Where the third value of thread 0 lies in A of the TF32 atom."""
    layout, (rows, _) = mma_atom("SM80_16x8x8_F32TF32TF32F32_TN").operand("A")
    code = layout(0, 2)
    return f"{code % rows},{code // rows}"


def what_is_published() -> str:
    """Does this layout fit a tile of 8 x 8?"""
    return "outside" if cosize(parse_layout(PUBLISHED)) > 64 else "fits"


def seen_by_a_thread() -> int:
    """How many elements of A one thread of a warp group sees."""
    layout, _ = mma_atom("SM90_64x64x16_F32F16F16_SS").operand("A")
    return len({layout(77, value) for value in range(1024)})


PREDICTIONS = (
    Prediction(
        id="09.a",
        title="What is 64?",
        kind=Choice((("0,4", "(0,4)"), ("4,0", "(4,0)"), ("0,64", "(0,64)"), ("8,0", "(8,0)"))),
        question=(
            "A of `SM80_16x8x8_F32TF32TF32F32_TN` is a tile of 16 x 8, and its layout gives thread 0 the four numbers 0, 8, 64 and 72. "
            "They are codes m + 16 · k. Which element (m,k) is 64?"
        ),
        right=coordinate_of_code_64,
        replies=(
            Wrong("4,0", "That is (k,m): m counts fastest in the code."),
            Wrong("0,64", "That reads 64 as a column, and A has only 8 of them."),
            Wrong("8,0", "That is code 8, the thread's second value."),
        ),
        because="64 is 0 + 16 · 4: row 0, column 4.",
    ),
    Prediction(
        id="09.b",
        title="A layout from an article",
        kind=Choice(
            (
                ("fits", "yes: 32 threads x 2 values are 64 elements"),
                ("twice", "no: some elements have two owners"),
                ("outside", "no: some codes lie outside the tile"),
            )
        ),
        question=f"A published article gives `{PUBLISHED}` for an 8 x 8 tile. Can that be right?",
        right=what_is_published,
        replies=(
            Wrong("fits", "The size is right. Now look how far it reaches: 7 · 32 + 3 · 1 + 1 · 16."),
            Wrong("twice", "All 64 codes are different. Look at the largest one."),
        ),
        because="The largest code is 243, and an 8 x 8 tile ends at 63.",
    ),
    Prediction(
        id="09.c",
        title="A stride of 0",
        kind=Value("int", example="12"),
        question=(
            "A of a WGMMA that reads shared memory has the layout `(128,(64,16)):(0,(1,64))`: 128 threads, 64 x 16 = 1024 values. "
            "How many elements of A does thread 77 see?"
        ),
        right=seen_by_a_thread,
        replies=(
            Wrong(8, "That would be a fair share of 1024 for 128 threads. But what does the thread's stride of 0 do?"),
            Wrong(0, "It *holds* none in registers, true. The layout says what it sees."),
            Wrong(1, "The stride of 0 belongs to the thread, not to the values."),
            Wrong(64, "That is one column. The value mode has two parts, 64 and 16."),
            Wrong(16, "That is one row. The value mode has two parts, 64 and 16."),
        ),
        because="The thread adds 0 to the code, so thread 77 sees what thread 0 sees: the whole tile.",
    ),
)
