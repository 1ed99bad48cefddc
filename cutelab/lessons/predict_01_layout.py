"""Predictions of notebook 01_layout."""

from __future__ import annotations

from cutelab import Layout, holes
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value

PREDICTIONS = (
    Prediction(
        id="01.a",
        title="One element",
        kind=Value("int", example="12"),
        question="In `(8,8):(8,1)` of half (2 bytes each), how many bytes after the first element does (2,3) lie?",
        right=lambda: Layout((8, 8), (8, 1))(2, 3) * 2,
        replies=(
            Wrong(19, "That is the offset in elements; each takes 2 bytes."),
            Wrong(76, "That is right for 4-byte elements."),
            Wrong(52, "That is the element (3,2): the row comes first, and its stride is 8."),
            Wrong(
                26,
                "That is the offset of (3,2), and in elements: the row comes first, and a half takes 2 bytes.",
            ),
        ),
        because="2·8 + 3·1 is the offset in elements; times 2 bytes.",
    ),
    Prediction(
        id="01.b",
        title="From row to row",
        kind=Choice.of(0, 1, 2, 4),
        question="`(4,2):(2,1)` is row-major. How far is it from the last element of a row to the first of the next?",
        right=lambda: Layout((4, 2), (2, 1))(1, 0) - Layout((4, 2), (2, 1))(0, 1),
        replies=(
            Wrong("0", "Two elements never share a place here."),
            Wrong("2", "That is the row stride: from the first element of a row to the first of the next."),
            Wrong("4", "That is the number of rows; it does not occur in these strides."),
        ),
        because="The rows lie end to end: nothing is skipped.",
    ),
    Prediction(
        id="01.c",
        title="Holes",
        kind=Value("int", example="12"),
        question="In `(8,8):(9,1)`, how many offsets between the first and the last element belong to no element?",
        right=lambda: holes(Layout((8, 8), (9, 1))).size,
        replies=(
            Wrong(8, "There are eight rows, but what comes after the last row lies behind the last element."),
            Wrong(0, "A row has 8 elements and starts 9 after the one before."),
            Wrong(9, "9 is the row stride; only one of those nine is unused."),
            Wrong(1, "There is one after each row but the last."),
            Wrong(64, "64 is the number of elements."),
        ),
        because="One hole between each two neighbouring rows; cosize counts to the last element and no further.",
    ),
    Prediction(
        id="01.d",
        title="make_layout(8, 4)",
        kind=Choice.of("8:4", "(8,4):(1,8)", "(8,4):(4,1)"),
        question="In C++ somebody writes `make_layout(8, 4)`. Which layout is that? (`Layout(8, 4)` here is the same.)",
        right=lambda: str(Layout(8, 4)),
        replies=(
            Wrong("(8,4):(1,8)", "That is `make_layout(make_shape(8, 4))`: one argument, a shape of two modes."),
            Wrong("(8,4):(4,1)", "That is `make_layout(make_shape(8, 4), LayoutRight{})`."),
        ),
        because="The first argument is the shape, the second the stride: 8 elements, 4 apart.",
    ),
)
