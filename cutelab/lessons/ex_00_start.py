"""Exercises of notebook 00_start: how to answer, be wrong once, and ask for a hint."""

from __future__ import annotations

from cutelab.int_tuple import product
from cutelab.lessons.exercise import Exercise, Wrong
from cutelab.lessons.kinds import Choice, Value

EXERCISES = (
    Exercise(
        id="00.1",
        title="Give an answer",
        kind=Value("int", example="12"),
        question=(
            "How many elements has a tile of 4 rows and 8 columns? "
            "Put the number in place of `...` and run the cell again."
        ),
        right=lambda: product((4, 8)),
        solution="answer = 4 * 8",
        hints=("Each of the 4 rows has the same number of elements.", "Multiply rows by columns."),
        wrong=(
            Wrong(12, "you added rows and columns; a tile has rows times columns."),
            Wrong(28, "these are the steps between elements, 4 x 7; count the elements themselves."),
            Wrong(128, "these are bytes, at 4 bytes an element; the question asks for elements."),
        ),
        because="4 rows of 8 elements. An answer may also be an expression: `4 * 8`.",
    ),
    Exercise(
        id="00.2",
        title="Be wrong once",
        kind=Choice((("a", "8"), ("b", "16"), ("c", "32"), ("d", "1024"))),
        question=(
            'How many threads has a warp: "a" 8, "b" 16, "c" 32 or "d" 1024? Give a wrong letter first and read what '
            'comes back; then run `hint("00.2")`, and answer again.'
        ),
        right=lambda: "c",
        solution='answer = "c"',
        hints=(
            "Threads of a warp and banks of shared memory have the same number.",
            "One bit for each thread of a warp fills one mask of 4 bytes.",
        ),
        wrong=(
            Wrong("a", "8 lanes are the group that is served together in a 16-byte access; a warp is larger."),
            Wrong("b", "16 lanes are half a warp, the group of an 8-byte access; a warp is larger."),
            Wrong("d", "1024 threads are the largest thread block; it is cut into warps."),
        ),
        because="A warp is 32 threads that run one instruction together; their places 0 to 31 are called lanes.",
    ),
)
