"""What lesson layout asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from cutelab import Layout, cosize, holes, offsets
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value
from cutelab.course.ask.reading import to_words

ELEMENT, PADDED, ZIPPED = Layout((4, 12), (12, 1)), Layout((8, 8), (9, 1)), Layout((6, (2, 2)), (2, (1, 12)))


def lies_there(n: int) -> str:
    """Which element of half begins n bytes after the first one?"""
    if n % 2:
        return f"no half begins at byte {n}: each takes 2 bytes, so all begin at even bytes."
    if not 0 <= n < 96:
        return f"the matrix has 48 elements, bytes 0 to 95; byte {n} lies outside."
    return f"byte {n} is offset {n // 2} in elements, and there lies ({n // 24},{n // 2 % 12})."


def with_holes(n: int) -> str:
    """What n holes would mean for 64 elements."""
    return f"with {n} holes among 64 elements the last one would lie at offset {63 + n}; it is (7,7), at 7·9 + 7·1."


def number_at(offset: int) -> str:
    """Which place of the interleaved matrix lies at this offset?"""
    if not 0 <= offset < 24:
        return f"the 24 elements have the offsets 0 to 23; {offset} is none of them."
    row, col = lies_at(ZIPPED, offset)
    return f"at offset {offset} lies row {row} of column {col}, which is number {row} + 6·{col} = {row + 6 * col}."


def other_element(random: Random) -> Prediction:
    """One element of another matrix, in bytes."""
    rows, cols, element = random.choice((6, 8)), random.choice((10, 12, 16)), random.choice((2, 4, 8))
    row, col = random.choice((1, 2, 3)), random.choice((4, 5))
    return Prediction(
        id="layout.a",
        title="One element",
        kind=Value(unit="bytes", given=(("row", row), ("column", col), ("bytes of an element", element))),
        question=(
            f"In `({rows},{cols}):({cols},1)`, {element} bytes an element, how many bytes after the first element does "
            f"({row},{col}) lie?"
        ),
        right=lambda: int(Layout((rows, cols), (cols, 1))(row, col)) * element,
        replies=(
            Wrong(row * cols + col, "That is the offset in elements."),
            Wrong((row + col * rows) * element, "That is right for a column-major matrix."),
        ),
        because=f"{row}·{cols} + {col}·1 is the offset in elements; times {element} bytes.",
    )


def other_holes(random: Random) -> Prediction:
    """The holes of another padded layout."""
    rows, cols, pad = random.choice((5, 6, 7)), random.choice((9, 10, 12)), random.choice((2, 3))
    return Prediction(
        id="layout.c",
        title="Holes",
        kind=Value(given=(("rows", rows), ("row stride", cols + pad), ("columns", cols))),
        question=(
            f"In `({rows},{cols}):({cols + pad},1)`, how many offsets between the first and the last element belong to no element?"
        ),
        right=lambda: holes(Layout((rows, cols), (cols + pad, 1))).size,
        replies=(Wrong(rows * pad, "What comes after the last row lies behind the last element."),),
        because=f"{pad} after each row but the last.",
    )


PREDICTIONS = (
    Prediction(
        id="layout.a",
        title="One element",
        kind=Value("int", example="12", given=(("row", 1), ("column", 7)), means=lies_there),
        question="In `(4,12):(12,1)` of half (2 bytes each), how many bytes after the first element does (1,7) lie?",
        right=lambda: ELEMENT(1, 7) * 2,
        again=other_element,
        replies=(
            Wrong(19, "That is the offset in elements; each takes 2 bytes."),
            Wrong(76, "That is right for 4-byte elements."),
            Wrong(
                58, "That is right for a column-major matrix, 1 + 7·4, times 2 bytes. Here the row has the stride 12."
            ),
            Wrong(29, "That is column-major, 1 + 7·4, and in elements: the row has the stride 12, and a half 2 bytes."),
            Wrong(170, "Row and column have changed places: 7·12 + 1. The row comes first."),
            Wrong(85, "Row and column have changed places, and a half takes 2 bytes."),
            Wrong(16, "That adds row and column. One step down is 12 elements."),
        ),
        because="1·12 + 7·1 is the offset in elements; times 2 bytes.",
    ),
    Prediction(
        id="layout.b",
        title="From row to row",
        kind=Choice.of(0, 1, 2, 4),
        question="`(2,4):(4,1)` is row-major. How far is it from the last element of a row to the first of the next?",
        right=lambda: Layout((2, 4), (4, 1))(1, 0) - Layout((2, 4), (4, 1))(0, 3),
        replies=(
            Wrong("0", "Two elements never share a place here."),
            Wrong("2", "That is the number of rows; it does not occur in these strides."),
            Wrong("4", "That is the row stride: from the first element of a row to the first of the next."),
        ),
        because="The rows lie end to end: nothing is skipped.",
    ),
    Prediction(
        id="layout.c",
        title="Holes",
        kind=Value("int", example="12", means=with_holes),
        question="In `(8,8):(9,1)`, how many offsets between the first and the last element belong to no element?",
        right=lambda: holes(PADDED).size,
        again=other_holes,
        replies=(
            Wrong(8, "There are eight rows, but what comes after the last row lies behind the last element."),
            Wrong(0, "A row has 8 elements and starts 9 after the one before."),
            Wrong(9, "9 is the row stride; only one of those nine is unused."),
            Wrong(1, "There is one after each row but the last."),
            Wrong(64, "64 is the number of elements."),
            Wrong(71, "71 is the cosize: all offsets up to the last element, used and unused."),
            Wrong(72, "72 is 8 rows of 9, with the unused one after the last row too: count the unused ones."),
        ),
        because="One hole between each two neighbouring rows; cosize counts to the last element and no further.",
    ),
    Prediction(
        id="layout.d",
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
    Prediction(
        id="layout.e",
        title="One number for a place",
        kind=Value(example="7", given=(("coordinate", 13), ("rows", 6)), means=number_at),
        question="In `(6,(2,2)):(2,(1,12))` somebody gives one number as coordinate: 13. Which offset is that?",
        right=lambda: ZIPPED(13),
        replies=(
            Wrong(13, "That would be so in a column-major matrix without gaps, `(6,4):(1,6)`."),
            Wrong(7, "You counted along the rows: 13 = 3·4 + 1. The number counts down the columns, mode 0 first."),
            Wrong(26, "13 rows down would leave the matrix: after 6 rows, the next column begins."),
            Wrong(4, "The column is 2, which is `(0,1)`: second pair, and so 12 further, not 2."),
            Wrong(15, "That is column 3. 13 = 1 + 6·2: row 1 of column 2."),
            Wrong(3, "That is column 1. 13 = 1 + 6·2: row 1 of column 2."),
            Wrong(12, "That is the start of column 2; the place is one row further down."),
        ),
        because="13 = 1 + 6·2 is row 1, column 2; column 2 is `(0,1)`, so 1·2 + 0·1 + 1·12.",
    ),
)


def row_major(row: int, col: int, rows: int, cols: int) -> int:
    """The offset of (row, col) in a compact row-major matrix, computed by the library."""
    return int(Layout((rows, cols), (cols, 1))(row, col))


def draw_place(random: Random) -> tuple[int, int, int, int]:
    """A matrix of random size and a place in it."""
    rows, cols = random.randint(2, 64), random.randint(2, 64)
    return random.randrange(rows), random.randrange(cols), rows, cols


INTERLEAVED = Layout((3, (2, 2)), (2, (1, 6)))


def plain_column(place: tuple[Any, ...]) -> Any:
    """(row, (a, b)) or (row, a, b) as (row, column): the column is a place of the mode (2,2)."""
    flat = tuple(x for part in place for x in (part if isinstance(part, tuple) else (part,)))
    return (flat[0], flat[1] + 2 * flat[2]) if len(flat) == 3 and all(x in (0, 1) for x in flat[1:]) else place


def what_lies_there(place: tuple[Any, ...]) -> str:
    """Which offset has this (row, col) of the interleaved layout?"""
    if len(place) == 2 and place[0] in range(3) and place[1] in range(4):
        return f"({place[0]},{place[1]}) lies at offset {INTERLEAVED(*place)}."
    return f"{to_words(place)} is no place of this layout: rows are 0 to 2 and columns 0 to 3."


def lies_at(layout: Layout, offset: int) -> tuple[int, int]:
    """Which (row, col) lies at this offset?"""
    row, col = np.argwhere(offsets(layout) == offset)[0]
    return int(row), int(col)


def places_and_holes(pair: tuple[int, ...]) -> str:
    """What this (cosize, holes) would mean for 5 x 3 elements."""
    places, empty = pair
    if places - empty != 15:
        return f"{places} places with {empty} holes among them would hold {places - empty} elements; there are 5 · 3."
    return f"with a cosize of {places} the last element would lie at offset {places - 1}: where does (4,2) lie?"


MANGLED = "((4,2),(2,4)):((2,16),(1,8))"

EXERCISES = (
    Exercise(
        id="layout.1",
        title="Offsets by hand",
        name="offset",
        kind=Function(
            ("row", "col", "rows", "cols"),
            edges=(
                (0, 0, 4, 2),
                (0, 1, 4, 2),
                (1, 0, 4, 2),
                (3, 1, 4, 2),
                (2, 3, 8, 8),
                (0, 0, 1, 1),
                (6, 0, 7, 1),
            ),
            draw=draw_place,
        ),
        question=(
            "A matrix of `rows` rows and `cols` columns is stored row by row, without gaps. Write "
            "`offset(row, col, rows, cols)`: how many elements lie before (row, col)?"
        ),
        right=row_major,
        solution="def offset(row, col, rows, cols):\n    return row * cols + col * 1",
        hints=(
            "Count first: how many whole rows lie before row `row`?",
            "One row holds as many elements as the matrix has columns. That is the stride of the row mode.",
            "The offset is row times the row stride plus col times the column stride, and the column stride is 1.",
        ),
        wrong=(
            Wrong(
                lambda row, col, rows, cols: row * rows + col,
                "the step from row to row is one row long: the number of columns, where you have the number of rows.",
            ),
            Wrong(
                lambda row, col, rows, cols: row + col * rows,
                "this is column-major: it counts down the columns. Here the elements of a row lie side by side.",
            ),
            Wrong(
                lambda row, col, rows, cols: row + col * cols,
                "row and column have changed places: the row is the one that is multiplied.",
            ),
            Wrong(
                lambda row, col, rows, cols: 4 * (row * cols + col),
                "these are bytes of a 4-byte type. An offset counts elements; the element size comes later.",
            ),
            Wrong(
                lambda row, col, rows, cols: row * (cols + 1) + col,
                "each row is one element too long. Nothing lies between the rows here.",
            ),
            Wrong(
                lambda row, col, rows, cols: row * cols + col + 1,
                "all of them are one too large: the first element lies at offset 0.",
            ),
        ),
        because="row·cols + col·1: one stride for each mode, `(rows,cols):(cols,1)`.",
    ),
    Exercise(
        id="layout.2",
        title="Column-major",
        kind=LayoutMap('"(4,2):(2,1)"'),
        question=(
            "Write the layout of a column-major matrix with 6 rows and 4 columns, without gaps, as CuTe prints it: "
            '`answer = "(...,...):(...,...)"`.'
        ),
        right=lambda: Layout((6, 4)),
        solution='answer = "(6,4):(1,6)"',
        hints=(
            "Column-major: one step down is the neighbour in memory. Which mode has stride 1?",
            "One step to the right passes over a whole column. How many elements has a column?",
            "Shape first, rows before columns; then a colon; then one stride for each mode, the first being 1.",
        ),
        wrong=(
            Wrong(
                "(6,4):(4,1)",
                "this is row-major: your stride 1 stands at the columns. It belongs to the rows.",
            ),
            Wrong(
                "(6,4):(1,4)",
                "a step to the right passes a whole column, which is 6 long. "
                "With 4, the end of one column lies on the start of the next.",
            ),
            Wrong("(4,6):(1,4)", "this matrix has 4 rows and 6 columns: the shape names the rows first."),
            Wrong(
                "(4,6):(6,1)",
                "shape and strides are both turned round: this one has 4 rows, and is row-major.",
            ),
            Wrong(
                "6:4",
                "this is one mode of 6 elements, 4 apart. A matrix needs brackets: two extents and two strides.",
            ),
        ),
        because="Down is stride 1, to the right is one column of 6. `Layout((6,4))` without strides means the same.",
    ),
    Exercise(
        id="layout.3",
        title="A padded row",
        kind=LayoutMap('"(8,8):(8,1)"'),
        question=(
            "Start from the row-major `(8,8):(8,1)` and leave one unused element after every row. Which layout is that? "
            "It still has 8 x 8 elements."
        ),
        right=lambda: Layout((8, 8), (9, 1)),
        solution='answer = "(8,8):(9,1)"',
        hints=(
            "Padding is no element: the shape does not change.",
            "Each row begins one element later than before. Which stride says where a row begins?",
            "Only the stride of the first mode changes, and it grows by one.",
        ),
        wrong=(
            Wrong("(8,8):(1,9)", "this one is column-major: the unused element comes after each column."),
            Wrong("(8,8):(8,1)", "this is the layout without padding."),
            Wrong("(8,9):(9,1)", "now the padding counts as a ninth column. It is memory without an element."),
            Wrong(
                "(8,8):(9,2)",
                "the padding is between the elements of a row too; neighbours in a row are 1 apart.",
            ),
            Wrong("(9,8):(8,1)", "this adds a ninth row. The gap belongs at the end of every row."),
            Wrong("(8,8):(10,1)", "this leaves two unused elements after every row; one was asked for."),
            Wrong("(8,8):(36,4)", "these are bytes of a 4-byte type; strides count elements."),
        ),
        because="The row stride is the pitch: 8 elements and 1 of padding. The shape stays.",
    ),
    Exercise(
        id="layout.4",
        title="Read the map backwards",
        kind=Value(
            "tuple", example="(2, 0)", parts=("row", "column"), same=plain_column, means=what_lies_there, nested=True
        ),
        question=(
            "`print_layout` shows the offset of each coordinate. Go the other way: in `(3,(2,2)):(2,(1,6))`, which "
            "(row, col) lies at offset 9? The column is a plain number from 0 to 3."
        ),
        right=lambda: lies_at(INTERLEAVED, 9),
        solution="answer = (1, 3)",
        hints=(
            "Print the layout with `print(print_layout(...))` and look for 9 in the grid.",
            "Take the largest stride first: how many times does 6 fit into 9, and what is left?",
            "9 = 6 + 2 + 1. The strides 6 and 1 belong to the column, `(1,1)`; the stride 2 belongs to the row.",
        ),
        wrong=(
            Wrong((3, 1), "row and column have changed places: rows go down and come first."),
            Wrong(
                (2, 1),
                "that is right for a row-major 3 x 4 matrix, where 9 = 2·4 + 1. Here a row is not in one piece.",
            ),
            Wrong(
                (0, 3),
                "that is right for a column-major 3 x 4 matrix, where 9 = 3·3. Look at the strides again.",
            ),
            Wrong((1, 2), "that is offset 8: the pair of columns is right; take the second column of the pair."),
            Wrong((2, 3), "that is offset 11: the column is right; the row is one too far down."),
            Wrong(
                (1, 1), "that is offset 3: the column has a second part, its pair, and 9 needs the 6 of the other pair."
            ),
            Wrong((4, 1), "row 4 would give 4·2 + 1, but this layout has rows 0 to 2 only."),
            Wrong((0, 9), "9 is the offset; the columns are 0 to 3."),
        ),
        because="Row 1 adds 2, column 3 is `(1,1)` and adds 1 + 6: together 9.",
    ),
    Exercise(
        id="layout.5",
        title="Interleaved columns",
        kind=LayoutMap('"(3,(2,2)):(2,(1,6))"'),
        question=(
            "Columns are interleaved in pairs: memory holds row 0 of columns 0 and 1, row 1 of columns 0 and 1, and so on "
            "down; then the same for columns 2 and 3. Write this layout for 4 rows and 4 columns."
        ),
        right=lambda: Layout((4, (2, 2)), (2, (1, 8))),
        solution='answer = "(4,(2,2)):(2,(1,8))"',
        hints=(
            "The column has two parts: its place in the pair, and the number of the pair. Its mode is `(2,2)`.",
            "Inside a pair the neighbour is 1 away; one row down is one pair further on.",
            "A whole pair of columns holds 4 rows of 2 elements. That is how far the next pair lies.",
        ),
        wrong=(
            Wrong(
                "(4,4):(4,1)",
                "this is row-major: here all four elements of a row lie together, not only a pair.",
            ),
            Wrong(
                "(4,(2,2)):(2,(1,12))",
                "12 is right for 6 rows, as in the example; here a pair of columns has 4 rows.",
            ),
            Wrong(
                "(4,(2,2)):(2,(1,6))",
                "6 is right for 3 rows; here a pair of columns has 4 rows.",
            ),
            Wrong("(4,4):(2,1)", "so column 2 lies where row 1 begins: (0,2) and (1,0) share offset 2."),
            Wrong("(4,4):(1,4)", "this is column-major: here no two columns are interleaved."),
            Wrong(
                "(4,(2,2)):(2,(1,4))",
                "the second pair of columns starts inside the first: a pair holds 4 rows of 2, which is more than 4.",
            ),
            Wrong(
                "((2,2),4):((1,8),2)",
                "this interleaves rows in pairs: the nested mode belongs to the columns.",
            ),
            Wrong(
                "(4,(2,2)):(2,(8,1))",
                "the strides inside the column mode are exchanged: the pair comes first.",
            ),
            Wrong(
                "(4,2,2):(2,1,8)",
                "the offsets are right, but there are three modes. Put the two column modes into one pair of brackets.",
            ),
            Wrong(
                "(4,2,2):(2,8,1)",
                "there are three modes, and the two of the column are exchanged. A matrix has two: `(4,(2,2))`.",
            ),
        ),
        because="In general `(M,(2,N/2)):(2,(1,2M))`: CUTLASS calls it ColumnMajorInterleaved<2>.",
    ),
    Exercise(
        id="layout.6",
        title="Two elements in one place",
        kind=LayoutMap('"((4,2),(2,4)):((2,16),(1,4))"'),
        question=(
            f"`{MANGLED}` puts both (4,0) and (0,4) at offset 16. Change one stride, so that the 64 elements take the "
            "offsets 0 to 63, each once."
        ),
        right=lambda: Layout(((4, 2), (2, 4)), ((2, 32), (1, 8))),
        solution='answer = "((4,2),(2,4)):((2,32),(1,8))"',
        hints=(
            "Sort the strides: 1, 2, 8, 16. How many elements has the mode of each, and how far does it reach?",
            "The stride 8 belongs to a mode of 4: it reaches 8·4. The next larger stride must not be smaller than that.",
            "Only the 16 is too small. It must be as large as all that the other three modes fill.",
        ),
        wrong=(
            Wrong(MANGLED, "nothing has changed yet: (4,0) and (0,4) still share offset 16."),
            Wrong(
                "((4,2),(2,4)):((2,64),(1,8))",
                "no two elements meet now, but offsets 32 to 63 are unused: the new stride is too large.",
            ),
            Wrong(
                "((4,2),(2,4)):((2,8),(1,16))",
                "this takes each offset once as well, but it changes two strides. One is enough.",
            ),
            Wrong(
                "((4,2),(2,4)):((2,16),(1,4))",
                "a smaller stride brings more elements together: (2,0) and (0,2) meet at offset 4.",
            ),
            Wrong(
                "((4,2),(2,4)):((2,16),(1,32))",
                "no two elements meet now, but the four pairs of columns lie 32 apart, with holes, up to offset 119.",
            ),
            Wrong(
                "(8,8):(8,1)",
                "each offset once, but this is plain row-major: keep the nested shape and three of the strides.",
            ),
        ),
        because="The modes now build on each other: 2 elements, 4 rows of them, 4 such blocks, and 2 rows of blocks.",
    ),
    Exercise(
        id="layout.7",
        title="One row for all",
        kind=LayoutMap('"(4,2):(2,1)"'),
        question=(
            "Eight numbers lie side by side in memory. Write the layout of 4 rows and 8 columns in which *every* row is these "
            "eight numbers, so that no memory is added."
        ),
        right=lambda: Layout((4, 8), (0, 1)),
        solution='answer = "(4,8):(0,1)"',
        hints=(
            "One step to the right is the next number. How far is one step down?",
            "All rows begin at the same place: one step down goes nowhere.",
        ),
        wrong=(
            Wrong("(4,8):(8,1)", "here each row has memory of its own, 32 places; there are only eight numbers."),
            Wrong("(4,8):(1,0)", "here every *column* is the same: the stride 0 stands at the columns."),
            Wrong("(4,8):(1,1)", "here each row begins one number later than the one before."),
            Wrong("(4,8):(0,0)", "here all 32 places are the very first number: a step to the right must move on."),
            Wrong(
                "(1,8):(0,1)", "this has one row. The shape still has 4 rows; only the stride tells that they are one."
            ),
            Wrong("(4,8):(1,4)", "this is column-major and takes 32 places; there are only eight numbers."),
            Wrong("8:1", "these are the eight numbers themselves; the layout asked for has 4 rows and 8 columns."),
        ),
        because="Stride 0 repeats without a copy. It is called a broadcast.",
    ),
    Exercise(
        id="layout.8",
        title="How much memory?",
        kind=Value("tuple", example="(12, 3)", parts=("cosize", "holes"), means=places_and_holes),
        question="Of `(5,3):(8,2)`, what is the cosize, and how many holes are there? `answer = (cosize, holes)`.",
        right=lambda: (cosize(Layout((5, 3), (8, 2))), holes(Layout((5, 3), (8, 2))).size),
        solution="answer = (4*8 + 2*2 + 1, 4*8 + 2*2 + 1 - 5*3)",
        hints=(
            "Where does the last element lie, (4,2)? Its offset plus one is the cosize.",
            "No two elements share a place here. So the holes are the places that are left over.",
        ),
        wrong=(
            Wrong((36, 21), "36 is the largest offset. Offsets begin at 0, so there is one place more."),
            Wrong(
                (40, 25),
                "5 rows of 8 count the unused places after the last row too; cosize ends with the last element.",
            ),
            Wrong((37, 15), "15 is the number of elements; the holes are the places without one."),
            Wrong((22, 37), "the two numbers have changed places: cosize first."),
            Wrong((47, 32), "the last row is row 4 and the last column is 2: counting starts at 0."),
            Wrong((15, 0), "15 is the size, the number of elements; with these strides they do not lie end to end."),
            Wrong((15, 22), "15 is the size; cosize is how many places memory must hold."),
            Wrong((37, 8), "with column stride 2 there are holes between the elements of a row as well."),
        ),
        because="4·8 + 2·2 + 1 = 37 places, of which 15 hold an element.",
    ),
    Exercise(
        id="layout.9",
        title="Pad a column-major matrix",
        kind=LayoutMap('"(4,2):(2,1)"'),
        question=(
            "A matrix of 4 rows and 6 columns is column-major. Leave one unused element after every column. Which layout is that?"
        ),
        right=lambda: Layout((4, 6), (1, 5)),
        solution='answer = "(4,6):(1,5)"',
        hints=(
            "Column-major: one step down is the neighbour. That stays.",
            "A column has 4 elements, and the next one begins one place later than it would.",
        ),
        wrong=(
            Wrong(
                "(4,6):(5,1)",
                "here one step to the right is the neighbour, and (0,5) and (1,0) share offset 5. "
                "In a column-major matrix the padded stride is that of the columns.",
            ),
            Wrong("(4,6):(7,1)", "this is row-major, with padding after every row."),
            Wrong("(4,6):(1,4)", "this is the layout without padding."),
            Wrong("(5,6):(1,5)", "now the padding counts as a fifth row. It is memory without an element."),
            Wrong("(4,6):(1,6)", "this leaves two unused elements after each column; one was asked for."),
            Wrong("(4,6):(1,7)", "7 is one more than a *row* is long; a column has 4 elements."),
            Wrong("(4,6):(2,8)", "this leaves a gap after every element."),
        ),
        because="The step from column to column is 4 elements and 1 of padding. The shape stays.",
    ),
)
