"""What lesson composition asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

import numpy as np

from cutelab import CuteLabError, Layout, composition, holes, offsets
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value

PADDED = Layout((8, 8), (1, 9))
THREADS = Layout(((4, 8), 2), ((16, 1), 8))


def composed(a: Layout, b: Layout) -> str:
    """The composition as text, or "refused"."""
    try:
        return str(composition(a, b))
    except CuteLabError:
        return "refused"


def both_at(c: int) -> str:
    """What A(B(c)) and C++'s layout say at this c."""
    if not 0 <= c < 6:
        return f"c counts from 0 to 5; {c} is none of them."
    good, made = int(offsets(THREE_MODES).ravel(order="F")[3 * c]), int(offsets(UNCHECKED).ravel(order="F")[c])
    if good == made:
        return f"at c = {c}, index {3 * c}, A gives {good}, and C++'s layout gives {made}, too."
    return f"at c = {c} they do differ, {good} and {made}; is it the first place?"


def read_there(offset: int) -> str:
    """Which thread reads this offset of the padded tile, and as which of its values?"""
    found = np.argwhere(offsets(composition(PADDED, THREADS)) == offset)
    if not len(found):
        return f"no thread reads offset {offset}: {'it is unused' if offset % 9 == 8 else 'the tile ends at 70'}."
    thread, value = (int(n) for n in found[0])
    return f"offset {offset} is what thread {thread} reads as its value {value}."


def other_step(random: Random) -> Prediction:
    """Another composition of two single modes."""
    stride, step, count = random.choice((3, 5)), random.choice((2, 4)), random.choice((3, 4))
    right = stride * step
    options = sorted({stride, step, stride + step, right})
    return Prediction(
        id="composition.a",
        title="One mode",
        kind=Choice.of(*(f"{count}:{s}" for s in options)),
        question=f"A is `24:{stride}`, B is `{count}:{step}`. What is A o B?",
        right=lambda: composed(Layout(24, stride), Layout(count, step)),
        replies=(),
        because=f"A step of {step} indices, each {stride} offsets wide: {step}·{stride}.",
    )


PREDICTIONS = (
    Prediction(
        id="composition.a",
        title="One mode",
        kind=Choice.of("5:2", "5:4", "5:6", "5:8"),
        question="A is `20:2`: twenty elements, 2 apart. B is `5:4`: it asks for every fourth of them. What is A o B?",
        right=lambda: composed(Layout(20, 2), Layout(5, 4)),
        again=other_step,
        replies=(
            Wrong("5:2", "That would be the first five elements of A; B skips."),
            Wrong("5:4", "4 is a step in indices of A. Each index of A is 2 offsets wide."),
            Wrong("5:6", "Steps inside steps multiply; they do not add."),
        ),
        because="A step of 4 indices, each 2 offsets wide: 4·2.",
    ),
    Prediction(
        id="composition.b",
        title="A step of 12",
        kind=Choice(
            (
                ("4:12", "4:12"),
                ("4:13", "4:13"),
                ("(2,2):(13,27)", "(2,2):(13,27)"),
                ("refused", "it refuses: the compiler stops"),
            )
        ),
        question=(
            "A is `(8,8):(1,9)`, B is `4:12`, all of it static integers. A(12) is 13, A(24) is 27 and A(36) is 40. What does C++ CuTe "
            "make of A o B?"
        ),
        right=lambda: composed(PADDED, Layout(4, 12)),
        replies=(
            Wrong("4:12", "A puts one unused offset after each 8 elements, so index 12 lies at offset 13."),
            Wrong("4:13", "The first step is 13. The second leads from 13 to 27, which is 14."),
            Wrong(
                "(2,2):(13,27)",
                "These are the numbers 0, 13, 27, 40, and it is the layout to write. But CuTe decides by divisibility alone, "
                "and 12 is no multiple of 8.",
            ),
        ),
        because="12 is neither below 8 nor a multiple of it. That a layout with these numbers exists, CuTe does not ask.",
    ),
    Prediction(
        id="composition.c",
        title="Threads on padding",
        kind=Choice.of(0, 7, 8),
        question="A is `(8,8):(1,9)` with its unused offsets 8, 17, 26 and so on. B hands its 64 elements to 32 threads, 2 each. "
        "How many unused offsets does A o B touch?",
        right=lambda: int(np.isin(holes(PADDED), offsets(composition(PADDED, THREADS))).sum()),
        replies=(
            Wrong(
                "7",
                "That many offsets are unused between A's elements. R asks A, and A never answers with one of them.",
            ),
            Wrong("8", "There is one after each column but the last, and R meets none."),
        ),
        because="R(c) is always A of something, and A(i) is never an unused offset.",
    ),
    Prediction(
        id="composition.d",
        title="Thread 5, value 1",
        kind=Value(example="19", given=(("thread", 5), ("value", 1)), means=read_there),
        question=(
            "B is `((4,8),2):((16,1),8)`: it gives 64 elements to 32 threads, 2 values each. Thread 5 is (1,1). Memory is the padded "
            "`(8,8):(1,9)`. At which offset does thread 5 read its value 1 (they count from 0)?"
        ),
        right=lambda: composition(PADDED, THREADS)(5, 1),
        replies=(
            Wrong(25, "That is the index B(5, 1), 16 + 1 + 8. Send it through A."),
            Wrong(19, "That is value 0: index 17 is (1,2), at 1 + 2·9. Value 1 is 8 indices further."),
            Wrong(27, "That is A(24). B gives 16 + 1 + 8 = 25."),
            Wrong(
                30, "Three columns of padding, so you have seen the holes; count again: index 25 is row 1, column 3."
            ),
        ),
        because="B(5, 1) is 16 + 1 + 8 = 25, which is row 1 of column 3, and 1 + 3·9 is its offset.",
    ),
)


def not_refused(why: str) -> tuple[Wrong, ...]:
    """What "refused" gets to hear where the compiler does not stop."""
    return tuple(Wrong(said, f"this one is not refused: {why}") for said in ("refused", "error", "the compiler stops"))


ROWS, EVERY_SECOND = Layout((8, 4), (4, 1)), Layout((4, 4), (2, 8))
TWO_MODES, WITHIN = Layout((10, 2), (16, 4)), Layout((3, 4), (1, 5))
THREE_MODES, BY_THREE = Layout((4, 6, 8), (2, 3, 5)), Layout(6, 3)
UNCHECKED = Layout((2, 3), (6, 3))  # what C++ makes of THREE_MODES o BY_THREE
SELECTED, MEMORY = Layout((4, 2), (1, 8)), Layout((4, 4), (4, 1))  # columns 0 and 2 of a 4 x 4 matrix; row-major memory


def admitted(n: int, d: int, s: int) -> bool:
    """May n:d meet a mode of s elements that another mode follows? Asked of the library, with a mode that cannot be joined."""
    try:
        composition(Layout((s, 1000), (1, s + 1)), Layout(n, d))
    except CuteLabError:
        return False
    return True


def draw_mode(random: Random) -> tuple[int, int, int]:
    """A mode n:d and an extent s; often one divides the other."""
    s = random.choice((4, 5, 6, 7, 8, 9, 10, 12, 16))
    return random.randint(2, 12), random.choice((1, 2, 3, 4, 6, 8, 12, 16, random.randint(1, 24))), s


def first_wrong() -> int:
    """The first c where what C++ returns is not A(B(c))."""
    a, b, r = (offsets(x).ravel(order="F") for x in (THREE_MODES, BY_THREE, UNCHECKED))
    return int(np.argmax(a[b] != r))


EXERCISES = (
    Exercise(
        id="composition.1",
        title="Every second row",
        kind=LayoutMap('"(4,4):(1,8)"'),
        question=(
            "A is `(8,4):(4,1)`, a row-major matrix of 8 rows. B is `(4,4):(2,8)`: every second row, all columns, in indices of A. "
            "Write A o B by hand."
        ),
        right=lambda: composition(ROWS, EVERY_SECOND),
        solution='answer = "(4,4):(8,1)"',
        odd=not_refused("`4:2` stays inside a mode of A, and `4:8` leaves one whole."),
        hints=(
            "Take the two modes of B one after the other: first `4:2`, then `4:8`. Each meets A's first mode `8:4` first.",
            "In `4:2` the step is 2 rows, and all four stay inside the 8 rows. One row is 4 offsets wide.",
            "In `4:8` the step 8 is a whole column of A: it leaves the first mode, and goes on in steps of 1 through `4:1`.",
        ),
        wrong=(
            Wrong("(4,4):(2,8)", "this is B itself. Its numbers are indices of A; now send them through A."),
            Wrong(
                "(4,4):(8,4)", "the first mode is right. A step of 8 indices is one column, and columns are 1 apart."
            ),
            Wrong(
                "(4,4):(8,32)",
                "the first mode is right. A step of 8 leaves A's first mode, so the stride 4 does not apply to it.",
            ),
            Wrong("(4,4):(4,1)", "these are neighbouring rows. A step of 2 rows is 2·4 offsets."),
            Wrong("(8,4):(4,1)", "this is A. The result has the coordinates of B: 4 x 4."),
            Wrong("(4,4):(1,8)", "the two strides are exchanged: rows come first, and they are the distant ones."),
        ),
        because="Down: 2 rows of 4. Across: one column, which is 1 away.",
    ),
    Exercise(
        id="composition.2",
        title="A mode that splits",
        kind=LayoutMap('"(3,(2,2)):(1,(2,3))"'),
        question=(
            "Users ask about this one: A is `(10,2):(16,4)`, B is `(3,4):(1,5)`. Write A o B by hand. One mode of B splits in two."
        ),
        right=lambda: composition(TWO_MODES, WITHIN),
        solution='answer = "(3,(2,2)):(16,(80,4))"',
        odd=not_refused("`3:1` stays inside a mode of A, and `4:5` fills it evenly: 5 divides 10, and 2 divides 4."),
        hints=(
            "The first mode of B, `3:1`, stays inside A's first mode `10:16`.",
            "The second, `4:5`: in steps of 5, two fit into 10 elements. Take these two. What is their stride?",
            "Two are left, now in steps of 1 through A's second mode `2:4`. The pair of extents is (2,2).",
        ),
        wrong=(
            Wrong(
                "(3,4):(16,80)",
                "two steps of 5 leave the 10 elements of A's first mode; from there on A's second mode counts.",
            ),
            Wrong("(3,(2,2)):(16,(5,4))", "5 is a step in indices. In A's first mode each index is 16 offsets wide."),
            Wrong(
                "(3,(2,2)):(16,(80,20))",
                "behind A's first mode the step is 1 again: 10 / 10, not 5. So the last stride is 1·4.",
            ),
            Wrong("(3,(2,2)):(1,(80,4))", "a step of 1 index in A's first mode is 16 offsets."),
            Wrong(
                "(3,2,2):(16,80,4)",
                "the offsets are right. Keep B's two modes: the split one stands in brackets of its own.",
            ),
        ),
        because="`3:1` becomes `3:16`; `4:5` takes 2 of the 10 at 5·16, then 2 more through `2:4`.",
    ),
    Exercise(
        id="composition.3",
        title="Admitted or refused",
        name="admitted",
        kind=Function(
            ("n", "d", "s"),
            edges=(
                (4, 1, 8),
                (5, 3, 8),
                (4, 12, 8),
                (3, 3, 8),
                (12, 1, 8),
                (16, 1, 8),
                (4, 8, 8),
                (2, 16, 8),
                (4, 5, 8),
                (2, 5, 8),
                (4, 4, 8),
                (6, 3, 4),
                (3, 4, 10),
                (3, 4, 8),
                (7, 1, 6),
                (3, 5, 12),
                (8, 2, 4),
            ),
            draw=draw_mode,
        ),
        question=(
            "B is one mode `n:d`, n at least 2. It meets a mode of `s` elements of A, and another mode of A follows. Write `admitted(n, d, s)`: True "
            "where the rule of composition admits it, False where it refuses."
        ),
        right=admitted,
        solution=(
            "def admitted(n, d, s):\n    if d >= s:\n        return d % s == 0\n"
            "    return (n - 1) * d < s or (s % d == 0 and n % (s // d) == 0)"
        ),
        hints=(
            "Two cases: the step leaves the mode at once (d >= s), or some elements are met inside it (d < s).",
            "If d >= s, the mode is left whole: d must be a multiple of s.",
            "If d < s: either all n stay inside, and the last one is (n-1)·d; or d divides s, and the s/d that fit divide n.",
        ),
        wrong=(
            Wrong(
                lambda n, d, s: d % s == 0 or s % d == 0,
                "the strides fit, but the number of elements counts, too: n of them must divide.",
            ),
            Wrong(
                lambda n, d, s: d % s == 0 if d >= s else s % d == 0 and n % (s // d) == 0,
                "where all n elements stay inside the mode, nothing need divide: `3:3` in 8 elements is fine.",
            ),
            Wrong(
                lambda n, d, s: d % s == 0 if d >= s else (n - 1) * d < s,
                "a mode of B may go on in the next mode of A, if it fills this one exactly: `16:1` in 8 elements is fine.",
            ),
            Wrong(
                lambda n, d, s: d % s == 0 if d >= s else -(-s // d) >= n or n % -(-s // d) == 0,
                "this is what C++ checks. It lets `4:5` through 8 elements, and the result is wrong without any message.",
            ),
            Wrong(
                lambda n, d, s: n * d <= s,
                "so nothing could leave the mode; but a step may skip it whole, or fill it and go on.",
            ),
            Wrong(
                lambda n, d, s: True,
                "some pairs are refused: a step neither stays inside the mode, nor skips it whole, nor fills it evenly.",
            ),
        ),
        because="Skip the mode whole, stay inside it, or fill it evenly and go on.",
    ),
    Exercise(
        id="composition.4",
        title="Compiled and wrong",
        kind=Value(example="4", means=both_at),
        question=(
            "A is `(4,6,8):(2,3,5)`, B is `6:3`. C++ compiles this and returns `(2,3):(6,3)`. At which c from 0 to 5 does that first "
            "differ from A(B(c))?"
        ),
        right=first_wrong,
        solution="answer = 2",
        hints=(
            "B(c) is 3·c: 0, 3, 6 and so on. Send each through A: as a coordinate of the shape (4,6,8), the first mode counts to 4.",
            "Index 6 is past the first 4: it lies in the next column. Multiply its coordinate by A's strides.",
            "A(B(c)) begins 0, 6, 7. Write below it what C++'s layout gives: its first mode has only two elements.",
        ),
        wrong=(
            Wrong(0, "both are 0 there: every layout begins at offset 0."),
            Wrong(1, "index 3 is (3,0,0), at offset 6. C++ has 6 there, too."),
            Wrong(3, "that one differs as well, but it is not the first."),
            Wrong(4, "A(12) is 9 and C++ has 6, so that one differs; an earlier one does, too."),
            Wrong(6, "c counts from 0 to 5."),
            Wrong(7, "7 is the right offset at the place that is asked for; the question is which c it belongs to."),
        ),
        because="Index 6 is (2,1,0): A gives 2·2 + 1·3 = 7, C++ gives 3. A step of 3 does not divide 4.",
    ),
    Exercise(
        id="composition.5",
        title="Which comes first",
        kind=LayoutMap('"(4,2):(1,8)"'),
        question=(
            "S is `(4,2):(1,8)`: columns 0 and 2 of a 4 x 4 matrix, as indices. M is `(4,4):(4,1)`: where the matrix lies in memory. "
            "Write the layout that says where in memory the chosen elements lie. Is it M o S or S o M?"
        ),
        right=lambda: composition(MEMORY, SELECTED),
        odd=tuple(Wrong(t, "that is a name; write the layout that it stands for.") for t in ("M o S", "S o M")),
        solution='answer = "(4,2):(4,2)"',
        hints=(
            "The map that is asked first stands on the right. Which one gets the coordinate (row, chosen column)?",
            "S gets it, and gives an index; M turns the index into an offset. So it is M o S, and it has the shape of S.",
            "A step of 1 index is one row down, 4 offsets in M. A step of 8 indices is two columns: 2 offsets.",
        ),
        wrong=(
            Wrong(
                "(4,4):(8,1)",
                "this is S o M: it asks memory first, and takes its offset for an index. The shape tells: 4 x 4, and 8 elements were chosen.",
            ),
            Wrong("(4,2):(1,8)", "this is S itself. Its numbers are indices; M says where they lie."),
            Wrong("(4,2):(4,1)", "these are columns 0 and 1. S skips one: two columns are 2 offsets."),
            Wrong(
                "(4,2):(4,8)", "8 is a step in indices: two columns of four rows. In memory two columns are 2 apart."
            ),
            Wrong("(4,2):(1,2)", "one row down is a step of 1 index, and 4 offsets in a row-major matrix."),
            Wrong("(4,4):(4,1)", "this is M, with all four columns."),
            Wrong("(2,4):(2,4)", "the two modes have changed places: S counts the rows first."),
        ),
        because="S picks, M places: the map on the right is asked first.",
    ),
)
