"""What lesson inverse asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

from cutelab import Layout, left_inverse, max_common_vector, right_inverse, size
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.kinds import Choice, LayoutMap, Value

SHARED, GLOBAL = Layout((8, (4, 2)), (4, (1, 32))), Layout((8, 8), (12, 1))
SWAPPED = Layout((2, 2, 4), (2, 1, 4))


def neighbours(n: int) -> str:
    """Where the first n elements of a row lie in both layouts."""
    if not 1 <= n <= 8:
        return f"a row has 8 elements, and only along a row neighbours are neighbours in global memory; yours is {n}."
    lie = [int(SHARED(0, k)) for k in range(n)]
    if lie == list(range(n)):
        return f"{n} elements of a row do lie side by side in both; can it be wider?" if n < 4 else ""
    return f"in shared memory the first {n} elements of a row lie at {', '.join(map(str, lie))}: not side by side."


def lives_at(offset: int, layout: Layout) -> str:
    """Which index does this number name, and where does that element lie?"""
    if not 0 <= offset < size(layout):
        return f"an index of {layout} is a number from 0 to {size(layout) - 1}; yours is {offset}."
    return f"index {offset} lies at offset {layout(offset)}, and the index of another offset was asked for."


def other_home(random: Random) -> Prediction:
    """Which index lives at an offset of another row-major matrix."""
    rows, cols = random.choice(((4, 8), (8, 4), (4, 6)))
    matrix, offset = Layout((rows, cols), (cols, 1)), random.choice((9, 10, 11, 13))
    return Prediction(
        id="inverse.a",
        title="Who lives there",
        kind=Value(example="7", given=(("rows", rows), ("columns", cols), ("offset", offset))),
        question=f"`{matrix}` is row-major. Which 1-D index lives at offset {offset}?",
        right=lambda: int(right_inverse(matrix)(offset)),
        replies=(),
        because=f"Offset {offset} is row {offset // cols}, column {offset % cols}; the index counts down the columns of {rows}.",
    )


def other_width(random: Random) -> Prediction:
    """How wide a copy between two other layouts may be."""
    run = random.choice((2, 4, 8))
    a, b = Layout((run, 4), (1, 2 * run)), Layout((run, 4), (1, run + 1))
    return Prediction(
        id="inverse.c",
        title="How wide",
        kind=Choice.of(1, 2, 4, 8, 32),
        question=f"A tile is copied from `{a}` to `{b}`. How many elements can one vector instruction copy?",
        right=lambda: max_common_vector(a, b),
        replies=(),
        because=f"Both begin with {run} neighbours, and then both jump.",
    )


PREDICTIONS = (
    Prediction(
        id="inverse.a",
        title="Who lives there",
        kind=Value(
            example="7",
            given=(("rows", 6), ("columns", 4), ("offset", 13)),
            means=lambda n: lives_at(n, Layout((6, 4), (4, 1))),
        ),
        again=other_home,
        question="`(6,4):(4,1)` is row-major: 6 rows, 4 columns. Which 1-D index (down the columns first) lives at offset 13?",
        right=lambda: int(right_inverse(Layout((6, 4), (4, 1)))(13)),
        replies=(
            Wrong(13, "So it would be in a column-major matrix, where index and offset are one."),
            Wrong(6, "That is A(13): index 13 is (1,2), at 4 + 2. The question goes the other way."),
            Wrong(7, "Row 3 and column 1 are right; but a column has 6 rows, not 4."),
            Wrong(19, "Row and column have changed places: offset 13 is row 3, column 1."),
            Wrong(3, "That is its row. It stands in column 1, so a whole column comes before it."),
            Wrong(4, "That adds row and column. One column passes 6 indices."),
        ),
        because="Offset 13 is row 3, column 1. One column passes 6 indices, and row 3 adds three.",
    ),
    Prediction(
        id="inverse.b",
        title="Where it ends",
        kind=Choice.of(4, 5, 6, 24),
        question="A is `(6,4):(1,7)`: 6 rows, one unused offset after each column. For how many offsets, from 0 on, can right_inverse(A) tell the index?",
        right=lambda: size(right_inverse(Layout((6, 4), (1, 7)))),
        replies=(
            Wrong("4", "That is the number of columns; already the first column has 6 elements in a row."),
            Wrong("5", "Offset 5 is the last one that it can tell; they count from 0."),
            Wrong("24", 'So many elements there are, but at offset 6 there is none, and a layout cannot say "nobody".'),
        ),
        because="Offsets 0 to 5 are the first column. Nobody lives at offset 6, so there the inverse ends.",
    ),
    Prediction(
        id="inverse.c",
        title="How wide",
        kind=Choice.of(1, 2, 4, 8),
        again=other_width,
        question="A tile is copied from `(2,2,2):(1,2,4)` to `(2,2,2):(2,1,4)`, 8 elements without a gap in both. How many elements can one vector instruction copy?",
        right=lambda: max_common_vector(Layout((2, 2, 2), (1, 2, 4)), Layout((2, 2, 2), (2, 1, 4))),
        replies=(
            Wrong("2", "Offsets 0 and 1 hold the indices 0 and 1 in A, but 0 and 2 in B."),
            Wrong("4", "The four offsets hold the same four indices in both, but not in the same order."),
            Wrong("8", "Neither has a gap, but the order differs: a vector cannot rearrange what it carries."),
        ),
        because="Offset 1 holds index 1 in A and index 2 in B: the run ends after one element.",
    ),
)

ROW_MAJOR = Layout((3, 5), (5, 1))
STRIDED = Layout((3, 4), (8, 1))

EXERCISES = (
    Exercise(
        id="inverse.1",
        title="Row-major, backwards",
        kind=LayoutMap('"(8,4):(4,1)"'),
        question=(
            "A is `(3,5):(5,1)`. Write right_inverse(A). The mode of stride 1 comes first: it has 5 elements, and a step in it is how many "
            "indices? Then comes the mode of stride 5."
        ),
        right=lambda: right_inverse(ROW_MAJOR),
        solution='answer = "(5,3):(3,1)"',
        hints=(
            "Stride 1 belongs to the columns, so the first mode of the inverse is 5 long. From (0,0) to (0,1) the index grows by a whole column.",
            "A column has 3 elements, so the first mode is `5:3`. The next offset, 5, is (1,0): index 1.",
        ),
        wrong=(
            Wrong("(3,5):(5,1)", "this is A itself. Try it: offset 1 is (0,1), whose index is 3, and yours gives 5."),
            Wrong("(5,3):(1,5)", "this says that index and offset are one, as in a column-major matrix."),
            Wrong("(3,5):(1,3)", "this says that index and offset are one, as in a column-major matrix of 3 rows."),
            Wrong(
                "(5,3):(5,1)", "5 is the stride of A. In the inverse a stride is a step in indices: one column has 3."
            ),
            Wrong(
                "(5,3):(1,3)", "the two strides have changed places: offset 1 is the next column, 3 indices further."
            ),
            Wrong("(3,5):(3,1)", "the strides are right. The mode of stride 1 has 5 elements, and it comes first."),
        ),
        because="Stride 1 is the mode of 5, whose index counts by 3; stride 5 is the mode of 3, whose index counts by 1.",
    ),
    Exercise(
        id="inverse.2",
        title="Three modes, backwards",
        kind=LayoutMap('"(8,4):(4,1)"'),
        question="A is `(2,2,4):(2,1,4)`. Write right_inverse(A).",
        right=lambda: right_inverse(SWAPPED),
        solution='answer = "(2,2,4):(2,1,4)"',
        hints=(
            "The indices of the three modes count in steps of 1, 2 and 4. Which mode has stride 1?",
            "The second one, `2:1`; its index counts by 2. So the inverse begins with `2:2`. Which mode has stride 2, where that one ends?",
            "The first one, and its index counts by 1. The third has stride 4 and index steps of 4.",
        ),
        wrong=(
            Wrong("16:1", "this would leave every index where it is. Offset 1 belongs to index 2."),
            Wrong("(2,2,4):(1,2,4)", "offset 1 belongs to the second mode, whose index counts by 2, not by 1."),
            Wrong("(2,2,4):(2,4,1)", "the first mode is right. Offset 2 is A's first mode, and its index counts by 1."),
            Wrong("(4,2,2):(4,1,2)", "begin with the mode of stride 1, which is `2:1`, not with the last one."),
            Wrong("(2,2):(2,1)", "so far it is right, but the third mode goes on at offset 4 without a gap."),
        ),
        because="Exchanging two bits is undone by exchanging them once more: this layout is its own inverse.",
    ),
    Exercise(
        id="inverse.3",
        title="Undone, with a gap",
        kind=Value(example="4", means=lambda n: lives_at(n, STRIDED)),
        question=(
            "A is `(3,4):(8,1)`: three rows of 4, 8 apart, so right_inverse ends at the first gap. But A is injective. Which index does "
            "left_inverse(A) give for offset 18?"
        ),
        right=lambda: int(left_inverse(STRIDED)(18)),
        solution="answer = 8",
        hints=(
            "Which row and column lie at this offset? The stride of the rows says where each of them begins.",
            "The last row begins at 16, so it is (2,2). Its index counts down the columns, each of three elements.",
        ),
        wrong=(
            Wrong(18, "18 is the offset itself; its index is asked for."),
            Wrong(
                10, "row 2, column 2 are right; but that counts along the rows. The index counts down the columns of 3."
            ),
            Wrong(4, "this adds row and column. Two columns of 3 come before it."),
            Wrong(6, "this is the top of column 2; the element lies in row 2."),
            Wrong(2, "2 is its row, and its column, too. The index counts down the columns of 3."),
            Wrong(22, "a column has 3 elements: 2 + 2·3, and not more."),
        ),
        because="Offset 18 is (2,2), and its index is 2 + 2·3.",
    ),
    Exercise(
        id="inverse.4",
        title="How wide a copy",
        kind=Value(unit="elements", example="2", means=neighbours),
        question=(
            "A tile is copied between shared memory, `(8,(4,2)):(4,(1,32))`, and global memory, `(8,8):(12,1)`. How many elements can "
            "one vector instruction copy?"
        ),
        right=lambda: max_common_vector(SHARED, GLOBAL),
        solution="answer = 4",
        hints=(
            "Look for neighbours: which mode has stride 1 in both layouts?",
            "In global memory the 8 elements of a row are neighbours. How many of them are neighbours in shared memory?",
            "In shared memory the row comes in pieces: the inner mode of the columns says how long.",
        ),
        wrong=(
            Wrong(8, "a row is in one piece in global memory only. In shared memory its second half lies 32 further."),
            Wrong(1, "along a row neighbours are neighbours in both, so more than one goes."),
            Wrong(2, "a row has that many pieces; the question is how long one is."),
            Wrong(
                32,
                "in shared memory 32 elements follow each other, but they come from 8 rows, 12 apart in global memory.",
            ),
            Wrong(64, "this would need the same order in both, without a gap."),
        ),
        because="The run that is contiguous in both, in the same order: A o right_inverse(B) begins with the mode `4:1`.",
    ),
)
