"""What lesson start asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab import Layout, size
from cutelab.core.int_tuple import product
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.kinds import Choice, Value


def bytes_of(rows: int, cols: int, element_bytes: int) -> int:
    """Bytes of a tile without padding."""
    return size(Layout((rows, cols))) * element_bytes


def floats_in(n: int) -> str:
    """What n bytes would be of the tile."""
    return f"{n} bytes would be {n / 4:g} floats, {n / 32:g} rows of 8; the tile has 4 such rows."


def other_tile(random: Random) -> Prediction:
    """The bytes of another tile."""
    rows, cols, element = random.choice((3, 5, 6)), random.choice((7, 9, 10)), random.choice((2, 8))
    return Prediction(
        id="start.a",
        title="Bytes of a tile",
        kind=Value(unit="bytes", given=(("rows", rows), ("columns", cols), ("bytes of an element", element))),
        question=f"A tile has {rows} rows and {cols} columns, {element} bytes an element. How many bytes is that, without padding?",
        right=lambda: bytes_of(rows, cols, element),
        replies=(),
        because=f"Elements times bytes per element: {rows} x {cols} x {element}.",
    )


def other_bytes(random: Random) -> Prediction:
    """The bytes of another number."""
    bits = random.choice((8, 16, 64, 128))
    return Prediction(
        id="start.2",
        title="Bits and bytes",
        kind=Value(unit="bytes", given=(("bits", bits),)),
        question=f"A number takes {bits} bits. How many bytes is that?",
        right=lambda: bits // 8,
        replies=(),
        because="A byte is 8 bits.",
    )


PREDICTIONS = (
    Prediction(
        id="start.a",
        title="Bytes of a tile",
        kind=Value(unit="bytes", given=(("rows", 4), ("columns", 8), ("bytes of an element", 4)), means=floats_in),
        question="A tile has 4 rows and 8 columns of float (4 bytes each). How many bytes is that, without padding?",
        right=lambda: bytes_of(4, 8, 4),
        again=other_tile,
        replies=(
            Wrong(32, "That is the number of elements; each takes 4 bytes."),
            Wrong(64, "That is right for 2-byte elements such as half."),
            Wrong(256, "That is right for 8-byte elements such as double."),
        ),
        because="Elements times bytes per element: 4 x 8 x 4.",
    ),
)


EXERCISES = (
    Exercise(
        id="start.1",
        title="Give an answer",
        kind=Value(
            unit="elements",
            given=(("rows", 4), ("columns", 8)),
            means=lambda n: f"{n} elements would be {n / 8:g} rows of 8; the tile has 4 rows of 8.",
        ),
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
            Wrong(64, "these are bytes, at 2 bytes an element; the question asks for elements."),
            Wrong(1024, "these are bits, at 32 bits an element; the question asks for elements."),
            Wrong(19, "this is the offset of element (2,3) in such a tile; count all its elements."),
            Wrong(24, "this is one row too few: the rows are 0 to 3, and these are four."),
        ),
        because="4 rows of 8 elements. An answer may also be an expression: `4 * 8`.",
    ),
    Exercise(
        id="start.2",
        title="Be wrong once",
        kind=Choice((("a", "1"), ("b", "2"), ("c", "4"), ("d", "32"))),
        question=(
            'How many bytes does a `float32` take: "a" 1, "b" 2, "c" 4 or "d" 32? Give a wrong letter first and read what '
            'comes back; then run `hint("start.2")`, and answer again.'
        ),
        right=lambda: {1: "a", 2: "b", 4: "c", 32: "d"}[np.dtype("float32").itemsize],
        again=other_bytes,
        solution='answer = "c"',
        hints=("The number in its name counts bits.", "A byte has 8 bits, and 32 = 4 · 8."),
        wrong=(
            Wrong("a", "one byte holds 8 bits, as in `int8`; a `float32` is larger."),
            Wrong("b", "two bytes are 16 bits: that is a `half`, also called `float16`."),
            Wrong("d", "32 is the number of bits; a byte has 8 of them."),
        ),
        because="32 bits are 4 bytes. In this course `float` means `float32`, and `half` means two bytes.",
    ),
)
