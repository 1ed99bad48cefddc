"""What lesson puzzles asks: thirty targets, from one stride to a Hopper tile, each with its par; and one prediction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Protocol

from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.kinds import Value
from cutelab.course.ask.target import Built, Takes, Target, amount
from cutelab.course.topics.puzzles.card import Aim, picture
from cutelab.course.topics.puzzles.fewest import fewest_modes
from cutelab.course.topics.puzzles.targets import TARGETS


class Judge(Protocol):
    """Says whether what was built meets the target, and draws the target."""

    def __call__(self, thing: Any) -> Built: ...

    def target(self, built: Built | None) -> Aim:
        """The tile of the target, and its words."""


def puzzle(
    number: int,
    title: str,
    question: str,
    solution: str,
    hints: tuple[str, ...],
    wrong: tuple[tuple[Any, str], ...],
    because: str,
    *,
    par: int,
    unit: str = "mode",
    takes: Takes = "layout",
) -> Exercise:
    """One puzzle as an exercise. `solution` is a right answer at par as text."""
    id, judge = f"puzzles.{number}", TARGETS[number]
    return Exercise(
        id=id,
        title=title,
        kind=Target(takes, judge, par, unit),
        question=f"{question} Par: {amount(par, unit)}.",
        right=_given(solution),
        solution=f'answer = "{solution}"',
        hints=hints,
        wrong=tuple(Wrong(answer, words) for answer, words in wrong),
        because=because,
        picture=partial(picture, id, title, (par, unit), judge.target),
    )


def _given(solution: str) -> Callable[[], str]:
    return lambda: solution


def copying(threads: str, order: str, values: str, atom: str = "uint128_t", element: str = "float") -> str:
    """The C++ text of a tiled copy, its values row-major."""
    made = f"Copy_Atom<UniversalCopy<{atom}>, {element}>{{}}"
    return f"make_tiled_copy({made}, Layout<Shape<{threads}>,Stride<{order}>>{{}}, Layout<Shape<{values}>>{{}})"


def _other_list(random: Random) -> Prediction:
    """Another layout of three modes, of which some belong together."""
    shape = tuple(random.choice((2, 2, 3, 4)) for _ in range(3))
    first = random.choice((1, 2, 3))
    second = first * shape[0] * random.choice((1, 1, 2))
    third = random.choice((second * shape[1], second * shape[1] * 2, 1 if first > 1 else second * shape[1] + 1))
    strides = (first, second, third)
    (a, b, c), (x, y, z) = shape, strides
    values = [i * x + j * y + k * z for k in range(c) for j in range(b) for i in range(a)]
    text = f"({a},{b},{c}):({x},{y},{z})"
    return Prediction(
        id="puzzles.a",
        title="The fewest modes",
        kind=Value(unit="modes", example="5", means=_modes_mean),
        question=f"`{text}` has the offsets {_listed(values)} in its 1-D order. How few modes does a layout with these offsets need?",
        right=lambda: fewest_modes(values),
        replies=(),
        because="Two neighbouring modes are one if the second stride is the first extent times the first stride.",
    )


def _modes_mean(modes: int) -> str:
    return (
        "a mode can be left out where its stride goes on from the mode before it."
        if modes > 1
        else ("one mode has one stride: the same step from each offset to the next.")
    )


def _listed(values: list[int]) -> str:
    return " ".join(map(str, values[:16])) + (" ..." if len(values) > 16 else "")


TWO_STEPS = [i % 8 * 2 + i // 8 for i in range(16)]

PREDICTIONS = (
    Prediction(
        id="puzzles.a",
        title="The fewest modes",
        kind=Value(unit="modes", example="5", means=_modes_mean),
        question=(
            f"`((2,4),2):((2,4),1)` has three modes, counted inside the brackets, and the offsets {_listed(TWO_STEPS)} in its 1-D order. "
            "How few modes does a layout with these offsets need?"
        ),
        right=lambda: fewest_modes(TWO_STEPS),
        replies=(
            Wrong(3, "that is how many are written here. Where does the second one only go on from the first?"),
            Wrong(1, "one mode has one stride, and after 14 comes 1."),
            Wrong(16, "that would be one mode for each offset."),
        ),
        because="2 steps of 2 lead to 4, where the next stride begins: 2:2 and 4:4 are one mode, 8:2. Then 2:1 starts anew.",
        again=_other_list,
    ),
)

EXERCISES = (
    # strides
    puzzle(
        1,
        "Every third",
        "Eight elements lie three apart, as drawn. Which layout has these offsets?",
        "8:3",
        (
            "A layout is Shape:Stride. How many elements are there, and how far is the next one?",
            "One mode is enough, since the step is always the same.",
        ),
        (
            (
                "3:8",
                "these are three elements, eight apart: the number of elements stands first, the step behind the colon.",
            ),
            ("8:1", "the number of elements is right, but they lie one behind the other."),
            ("7:3", "you have counted the steps; the first element, at offset 0, counts too."),
        ),
        "Eight elements, the same step each time: one mode.",
        par=1,
    ),
    puzzle(
        2,
        "Row by row",
        "Three rows of five elements, stored row by row. Which layout is it?",
        "(3,5):(5,1)",
        (
            "The shape names the rows first: 3, then 5.",
            "How far is it from 0 to the element below, and how far to the one on the right?",
        ),
        (
            (
                "(3,5):(1,3)",
                "this runs down the columns: column-major. Here neighbours in a row are neighbours in memory.",
            ),
            ("(5,3):(1,5)", "five rows of three: the shape names the rows first."),
            ("(3,5):(3,1)", "a row has five elements, so the next row begins five further, not three."),
        ),
        "One row further is five elements further, one column one.",
        par=2,
    ),
    puzzle(
        3,
        "One row for all",
        "All four rows read the same six elements, two apart, as when one row is added to every row of a matrix. Which layout does that?",
        "(4,6):(0,2)",
        (
            "A step down leads to the same element again. Which stride does that?",
            "A stride of 0 repeats; the other mode steps as before.",
        ),
        (
            ("(4,6):(1,2)", "here every row begins one further; all rows should begin at 0."),
            ("(4,6):(2,0)", "this repeats a column; a row was asked for."),
            ("(4,6):(0,1)", "the rows repeat, as they should; but along a row the elements lie two apart."),
        ),
        "A stride of 0 stays where it is: a broadcast.",
        par=2,
    ),
    puzzle(
        4,
        "A window that slides",
        "Four windows of five elements, each two further than the one before, so that they overlap: a convolution reads like this. Which layout is it?",
        "(4,5):(2,1)",
        (
            "A row is a window. Where does the next window begin?",
            "Nothing forbids two coordinates to share an offset.",
        ),
        (
            (
                "(4,5):(5,1)",
                "these windows lie one behind the other; in the target each begins two further, and they overlap.",
            ),
            (
                "(4,5):(1,2)",
                "row and column have changed places: the window moves by two, its elements are neighbours.",
            ),
            ("(4,5):(1,1)", "this window moves by one; the target's moves by two."),
        ),
        "Strides may be smaller than an extent times a stride: then elements are shared.",
        par=2,
    ),
    # nested modes
    puzzle(
        5,
        "Back and forth",
        "Eight offsets in one order that no single stride gives. The 1-D order counts, so brackets do not matter here.",
        "(2,2,2):(1,8,2)",
        (
            "The first step is 1. After two elements it goes on at 8: that is the second stride.",
            "Four elements are done by two modes of extent 2. Where does the second half begin?",
        ),
        (
            ("(2,4):(1,8)", "after 0 1 8 9 this goes on to 16; the target comes back to 2."),
            ("(2,2,2):(1,2,8)", "the strides are right, their order is not: the second jump of the target leads to 8."),
            ("8:1", "this goes straight on after 1; the target jumps to 8 there."),
        ),
        "Three modes, one for each kind of step.",
        par=3,
    ),
    puzzle(
        6,
        "Strips of four columns",
        "The columns come in groups of four. Within a group the rows lie one behind the other; the second group begins after the first. Which layout?",
        "(4,(4,2)):(4,(1,16))",
        (
            "The columns need two strides: one within a group, and one from group to group.",
            "Along row 0 the offsets are 0 1 2 3, and then? Down column 0 one stride is enough.",
        ),
        (
            ("(4,8):(8,1)", "these are whole rows of eight; in the target a row is cut after four columns."),
            ("(4,8):(4,1)", "column 4 would lie where row 1 begins: two elements would share one place."),
            ("((4,2),4):((4,16),1)", "the groups stand in the wrong mode: the columns come in groups, not the rows."),
            ("(4,(4,2)):(1,(4,16))", "within a group this runs down the columns; the target runs along the rows."),
        ),
        "The mode of the columns is (4,2): four neighbours, two groups.",
        par=3,
    ),
    puzzle(
        7,
        "Blocks of two by three",
        "The tile is cut into blocks of 2 x 3. In a block the elements lie row by row, and the blocks lie row by row, too. Which layout?",
        "((2,2),(3,2)):((3,12),(1,6))",
        (
            "Both directions need two strides: within a block and from block to block.",
            "A block has six elements: so the block on the right begins at 6. Where does the block below begin?",
            "Rows: within a block one row is 3 further; a block further down is 12. Now the columns.",
        ),
        (
            (
                "((2,2),(3,2)):((1,12),(2,6))",
                "within a block this runs down the columns; the target runs along the rows.",
            ),
            (
                "((2,2),(3,2)):((3,6),(1,12))",
                "the blocks run downwards here; in the target the next block is the one on the right.",
            ),
            ("(4,6):(6,1)", "these are whole rows of six, without blocks."),
        ),
        "Two strides a direction: inside the block, and between blocks.",
        par=4,
    ),
    puzzle(
        8,
        "The Z that repeats",
        "A Z of four elements, four of them in the order of a Z, and so on: Morton order. Which layout?",
        "((2,2,2),(2,2,2)):((2,8,32),(1,4,16))",
        (
            "Look at the first column: 0, 2, 8, 10 ... How many different kinds of steps are in it?",
            "Each direction has three modes of extent 2. The strides of all six are the powers of two.",
            "Columns take the powers 1, 4, 16. What is left for the rows?",
        ),
        (
            (
                "((2,2,2),(2,2,2)):((1,4,16),(2,8,32))",
                "the Z lies on its side: in the target the second element is the one on the right.",
            ),
            (
                "((2,4),(2,4)):((2,8),(1,4))",
                "two levels of the Z are right in the upper left; from there on each half needs a stride of its own.",
            ),
            ("(8,8):(8,1)", "that is row-major; the target steps from 1 down to 2."),
        ),
        "The bits of row and column alternate: one stride for each bit.",
        par=6,
    ),
    # padding
    puzzle(
        9,
        "Columns without conflict",
        "32 x 32 floats in at most 4,352 bytes: a warp reads any row and any column, one float a lane, without a bank conflict. One stride "
        "a direction, no swizzle.",
        "(32,32):(33,1)",
        (
            "Without padding a column of floats lies in one bank. How far apart must two rows begin?",
            "A row must begin in another bank than the one before. What is the smallest step that does that?",
        ),
        (
            ("(32,32):(32,1)", "without padding all 32 elements of a column lie in one bank."),
            ("(32,32):(34,1)", "with a step of 34 two rows share each bank: a step must be odd to reach all 32."),
            (
                "(32,32):(36,1)",
                "a padding of 4 helps accesses of 16 bytes; with one float a lane only every fourth bank is reached.",
            ),
            ("(32,32):(35,1)", "no conflict, but it takes more room than is allowed: a smaller odd step does it, too."),
        ),
        "A step of 33 moves each row by one bank.",
        par=4220,
        unit="byte",
    ),
    puzzle(
        10,
        "Rows for ldmatrix",
        "16 x 32 halves in at most 1,408 bytes: ldmatrix reads 16 bytes from each of 8 rows, anywhere in the tile, without a conflict. "
        "One stride a direction, no swizzle.",
        "(16,32):(40,1)",
        (
            "16 bytes are 8 halves, and such a piece must begin at a multiple of 16 bytes. So which steps from row to row are allowed?",
            "8 rows of 16 bytes are 128 bytes: all 32 banks. Each row must begin in another group of four banks.",
            "In pieces of 16 bytes a row is four pieces long. With an odd number of pieces all eight rows differ.",
        ),
        (
            ("(16,32):(32,1)", "without padding the rows begin 64 bytes apart: every second one in the same bank."),
            ("(16,32):(33,1)", "33 halves are 66 bytes: no multiple of 16, so ldmatrix cannot read row 1."),
            ("(16,32):(36,1)", "36 halves are 72 bytes: no multiple of 16, so row 1 cannot be read."),
            ("(16,32):(48,1)", "48 halves are six pieces of 16 bytes: an even number, so rows meet again."),
        ),
        "40 halves are five pieces of 16 bytes, an odd number: eight rows, eight groups of banks.",
        par=1264,
        unit="byte",
    ),
    puzzle(
        11,
        "Not always by one",
        "16 x 64 floats in at most 4,608 bytes: a warp reads 16 rows of two neighbouring columns, and elsewhere 32 neighbours of one row, "
        "without a conflict. One stride a direction, no swizzle.",
        "(16,64):(66,1)",
        (
            "Two columns of one row take two neighbouring banks. How far must the next row be?",
            "16 rows times two banks are all 32. So each row has to move by two banks.",
        ),
        (
            ("(16,64):(65,1)", "a step of one bank: the right neighbour of one row meets the next row."),
            ("(16,64):(64,1)", "without padding all 16 rows begin in one bank."),
            ("(16,64):(68,1)", "a step of four banks: after eight rows you are back at the first bank."),
            ("(16,64):(67,1)", "a step of three banks: somewhere one row's second column meets another row's first."),
        ),
        "Each row covers two banks, so the next one has to begin two banks further.",
        par=4216,
        unit="byte",
    ),
    # composition
    puzzle(
        12,
        "Which one was put in?",
        "A is `24:2`. Which B makes `composition(A, B)` give the offsets that are drawn?",
        "8:3",
        (
            "composition(A, B)(i) = A(B(i)): B says which elements of A are taken.",
            "The offset 6 is A's element number 3. And 12?",
        ),
        (
            ("8:6", "6 is the offset. B counts elements of A, and A steps by 2 already."),
            ("3:8", "these are three elements of A, eight apart: extent and stride have changed places."),
            ("24:3", "the stride is right; but A has 24 elements, so that only every third, 8 of them, can be taken."),
        ),
        "Every third element of A, and A's own stride of 2: together 6.",
        par=1,
    ),
    puzzle(
        13,
        "Read across",
        "A is `(4,8):(8,1)`. Which B makes `composition(A, B)` the tile of 8 x 4 that is drawn?",
        "(8,4):(4,1)",
        (
            "B's numbers are 1-D places in A, and A's 1-D order runs down its columns: place 1 is row 1, with offset 8.",
            "A step down leads to offset 1. At which place of A is that? It is in the next column.",
        ),
        (
            ("(8,4):(1,8)", "these are the offsets that are wanted; B counts places in A, in A's 1-D order."),
            ("(4,8):(1,4)", "this takes A as it is, 4 x 8; the target is 8 x 4."),
            (
                "(8,4):(1,4)",
                "the places 1 and 4 have changed their roles: one step down should lead to the next column of A.",
            ),
        ),
        "Four places further is one column further in A; one place is one row.",
        par=2,
    ),
    puzzle(
        14,
        "A tiler by mode",
        "A is `(8,8):(8,1)`. Which tiler, one entry for the rows and one for the columns, makes `composition(A, tiler)` give what is drawn? "
        "Write it as `<..., ...>`.",
        "<4:2, 2:4>",
        (
            "Each entry is a layout of its own: how many are taken, and how far apart.",
            "The offsets 16 and 4: which row and which column of A are that?",
        ),
        (
            ("<2:4, 4:2>", "rows and columns have changed places."),
            ("<4, 2>", "this takes the first four rows and two columns; the target leaves some out."),
            (
                "(4,2):(2,4)",
                "in round brackets with a colon this is one layout over A's 1-D order; by mode it needs angle brackets.",
            ),
            ("<4:16, 2:4>", "16 is an offset. The entry for the rows counts rows."),
        ),
        "Every second row, four of them; every fourth column, two of them.",
        par=2,
        takes="tiler",
    ),
    puzzle(
        15,
        "Two hands",
        "A is `16:3`. One hand takes from the front, one from the fifth element on, in turns. Which B makes `composition(A, B)` give what is drawn?",
        "(2,4):(4,1)",
        (
            "Offset 12 is A's element number 4, and offset 3 is element number 1.",
            "In turns: a first mode of extent 2 that jumps between the hands, then one that walks.",
        ),
        (
            ("(2,4):(12,3)", "these are offsets; B counts elements of A."),
            ("(4,2):(1,4)", "this takes four with one hand, then four with the other; the target takes turns."),
            ("(2,4):(1,2)", "this takes 0 1 2 3 ... as they come; the second hand begins at the fifth element."),
        ),
        "B steps by 4 and by 1 in A; A makes 12 and 3 of it.",
        par=2,
    ),
    # divides and products
    puzzle(
        16,
        "Dealt like cards",
        "24 elements lie one behind the other. Which tiler makes `logical_divide(24:1, tiler)` the table that is drawn: the elements of a tile "
        "go down, the tiles go across?",
        "4:6",
        (
            "Column 0 is the first tile: which elements are in it?",
            "A tiler need not take neighbours: it is a layout, with a stride.",
        ),
        (
            ("4", "this takes four neighbours; in the target the elements of a tile lie six apart."),
            ("6:4", "these are tiles of six elements, four apart; the target has tiles of four."),
            ("4:4", "tiles of four, but four apart; the first tile of the target is 0 6 12 18."),
        ),
        "Four elements, six apart: what is left, six tiles, goes across.",
        par=1,
        takes="tiler",
    ),
    puzzle(
        17,
        "Tiles with gaps",
        "The matrix is `(4,6):(6,1)`. Which tiler makes `zipped_divide(matrix, tiler)` the table that is drawn? A column is one tile. "
        "Write it by mode, `<..., ...>`.",
        "<2:2, 3:2>",
        (
            "The first tile has the offsets 0 12 2 14 4 16. Which rows and columns of the matrix are these?",
            "Two rows, 0 and 2; three columns, 0, 2 and 4.",
        ),
        (
            ("<2, 3>", "this takes neighbours: rows 0 and 1, columns 0 to 2."),
            ("<2:2, 3>", "the rows are right; of the columns the target takes every second."),
            (
                "<3:2, 2:2>",
                "rows and columns have changed places: every second one of four rows is two rows, not three.",
            ),
            ("<2, 3:2>", "the columns are right; of the rows the target takes every second."),
        ),
        "Every second row and every second column: the other tiles lie in the gaps.",
        par=2,
        takes="tiler",
    ),
    puzzle(
        18,
        "Blocks in their order",
        "The block is `(2,2):(1,2)`. Which tiler makes `blocked_product(block, tiler)` the tile that is drawn: six blocks, two down, three across?",
        "(2,3):(3,1)",
        (
            "The tiler says where each block goes, counted in blocks.",
            "Which number has the block on the right of the first one: its first offset is 4, so it is number 1. And the block below?",
        ),
        (
            (
                "(2,3):(1,2)",
                "here the blocks run down the columns; in the target the next block is the one on the right.",
            ),
            ("(2,3):(12,4)", "these are offsets; the tiler counts in blocks of four elements."),
            ("(3,2):(1,3)", "three blocks down and two across; the target has two down and three across."),
        ),
        "Blocks are numbered row by row; each is four elements long.",
        par=2,
    ),
    puzzle(
        19,
        "Fill the gaps",
        "The block `4:2` fills the offsets 0, 2, 4 and 6. Which layout says where copies of it must begin, the first at 0, so that 0 to 23 are all filled, "
        "each once?",
        "(2,3):(1,8)",
        (
            "How many copies are needed? And where can the second one begin?",
            "One copy starts at 1 and fills the gaps. From 8 on the same again.",
        ),
        (
            ("6:1", "the copies at 0 and 2 share an element: after one step to the side all gaps are full."),
            ("(2,3):(1,4)", "a block reaches to 6 and its gaps to 7: the next pair may begin at 8."),
            ("3:8", "three copies do not touch each other, but their gaps are still free."),
            ("2:1", "this fills 0 to 7; two more pairs are missing."),
        ),
        "That is the complement of 4:2 in 24: in the gaps first, then from 8 on.",
        par=2,
    ),
    # swizzles
    puzzle(
        20,
        "A column of floats, for free",
        "`(32,32):(32,1)` floats, no byte more than 4,096. Which swizzle on elements lets a warp read any column and store any row without a conflict?",
        "Sw<5,0,5>",
        (
            "32 rows must go to 32 banks: how many bits of the row have to reach the bank?",
            "The bank is bits 0 to 4 of the offset, the row begins at bit 5.",
        ),
        (
            ("Sw<3,0,5>", "three bits of the row reach the bank: eight banks for 32 rows."),
            (
                "Sw<5,2,5>",
                "this begins at bit 2: that would keep 16 bytes together, and leaves bits 0 and 1 of the bank alone.",
            ),
            ("Sw<5,0,6>", "this takes bits 6 and up: the row begins at bit 5, so two neighbouring rows stay together."),
        ),
        "Five bits of the row are brought to the five bits of the bank.",
        par=5,
        unit="bit",
        takes="swizzle",
    ),
    puzzle(
        21,
        "Rows of 128 bytes",
        "`(16,64):(64,1)` halves in 2,048 bytes. Which swizzle on elements lets ldmatrix read any 8 rows of 16 bytes, and a warp store 16 bytes a lane "
        "row by row, without a conflict?",
        "Sw<3,3,3>",
        (
            "8 halves are one piece of 16 bytes and must stay together: which bits of the offset are inside a piece?",
            "A row is 8 pieces: bits 3 to 5 number the piece. The row begins at bit 6.",
        ),
        (
            (
                "Sw<3,4,3>",
                "that is this swizzle on bytes; the layout counts halves, so that bit numbers are one smaller.",
            ),
            ("Sw<2,3,3>", "two bits of the row: rows 0 and 4 still meet."),
            ("Sw<3,2,3>", "bit 2 is inside a piece of 16 bytes, so this tears the pieces apart."),
            ("Sw<3,3,4>", "this takes bits 7 and up, and the row begins at bit 6: rows 0 and 1 still meet."),
        ),
        "Three bits of the row are brought to the number of the piece: eight rows, eight groups of banks.",
        par=3,
        unit="bit",
        takes="swizzle",
    ),
    puzzle(
        22,
        "Rows of 64 bytes",
        "`(32,32):(32,1)` halves in 2,048 bytes, and the same two accesses: ldmatrix on any 8 rows, stores of 16 bytes a lane. No padding can do both. "
        "Which swizzle on elements can, with the fewest bits?",
        "Sw<2,3,3>",
        (
            "Two rows fill all banks. So which rows meet, without a swizzle?",
            "The lowest bit of the row is already part of the bank. The two bits above it have to be brought down.",
            "Bits 6 and 7 of the offset are those; the pieces are numbered from bit 3 on.",
        ),
        (
            ("Sw<1,3,3>", "one bit is brought down: of eight rows, four groups of banks are used, and pairs meet."),
            ("Sw<2,3,2>", "this takes bits 5 and 6: bit 5 is in the bank already, and bit 7 is missing."),
            ("Sw<2,2,3>", "bit 2 is inside a piece of 16 bytes, so this tears the pieces apart."),
        ),
        "The row's lowest bit is in the bank by itself; two more bits do the rest.",
        par=2,
        unit="bit",
        takes="swizzle",
    ),
    puzzle(
        23,
        "Which swizzle was it?",
        "Over `(8,8):(8,1)` somebody laid a swizzle, and the offsets are drawn. Which one?",
        "Sw<2,1,3>",
        (
            "Compare row 2 with 16 17 18 19 ...: by how much is each number changed? And in row 1?",
            "Offset 16 has become 18: bit 1 was flipped. Which bit of 16 is set, and how far above bit 1 is it?",
        ),
        (
            ("Sw<3,0,3>", "this changes rows 1 and up, and bit 0; in the target row 1 is as it was."),
            ("Sw<2,0,3>", "this flips bits 0 and 1, from row 1 on; in the target pairs stay together."),
            ("Sw<2,1,2>", "the right bits flip, but already in row 1: the source lies one bit higher."),
        ),
        "Bits 4 and 5 flip bits 1 and 2: two bits, from bit 1 on, three apart.",
        par=2,
        unit="bit",
        takes="swizzle",
    ),
    # owners
    puzzle(
        24,
        "Four in a row",
        "Eight threads share a tile of 4 x 8; each holds four neighbours of a row, as drawn. Which layout goes from (thread, value) to the place in the tile? "
        "Places are counted down the columns: place = row + 4 x column.",
        "((2,4),4):((16,1),4)",
        (
            "Value first: the next value is one column further. How many places is that?",
            "Thread 1 stands four columns further than thread 0, thread 2 one row further.",
        ),
        (
            ("((2,4),4):((4,8),1)", "places are counted down the columns; these are places counted along the rows."),
            ("((4,2),4):((1,16),4)", "here thread 1 stands below thread 0; in the target it stands on its right."),
            ("(8,4):(4,1)", "four values one place apart stand below each other, in one column."),
        ),
        "Thread: four columns, 16 places, then one row. Value: one column, 4 places.",
        par=3,
    ),
    puzzle(
        25,
        "One each, four times",
        "Eight threads and a tile of 4 x 8 again. The picture looks busy, but it can be said in few words. Which layout goes from (thread, value) to the place, "
        "row + 4 x column?",
        "(8,4):(1,8)",
        (
            "Follow T0, T1, T2 ... v0: where do they stand, as places?",
            "The threads take neighbouring places. And value 1 begins where the threads have ended.",
        ),
        (
            (
                "(8,4):(4,1)",
                "each thread would hold a column; in the target the threads go down the columns, one element each.",
            ),
            ("(4,8):(1,4)", "these are four threads of eight values; the target has eight threads."),
            ("((2,4),4):((16,1),4)", "that was the last target: four neighbours each."),
        ),
        "Thread by thread one place, then all of them again: place = thread + 8 x value.",
        par=2,
    ),
    puzzle(
        26,
        "A Tensor Core's accumulator",
        "32 lanes hold a tile of 16 x 8, four values each, as an `m16n8` instruction leaves it. Which layout goes from (thread, value) to the place, "
        "row + 16 x column?",
        "((4,8),(2,2)):((32,1),(16,8))",
        (
            "Lane 1 stands two columns further than lane 0, lane 4 one row further.",
            "Value 1 is the next column; value 2 is eight rows further down.",
            "A column is 16 places. So the strides of a thread are 2 x 16 and 1.",
        ),
        (
            (
                "((4,8),(2,2)):((2,8),(1,64))",
                "these are places counted along the rows; here they are counted down the columns.",
            ),
            (
                "((8,4),(2,2)):((1,32),(16,8))",
                "the lanes run down the rows first; in the target four lanes share a row.",
            ),
            (
                "((4,8),(2,2)):((32,1),(8,16))",
                "the values are numbered in another order: value 1 is the neighbour in the row.",
            ),
        ),
        "Four lanes a row, two columns each; then eight rows; value 2 is eight rows below.",
        par=4,
    ),
    # tiled copies
    puzzle(
        27,
        "A copy of your own",
        "32 threads copy 4 x 32 floats, four neighbours each, as drawn: eight threads a row. Which TiledCopy does that, with the fewest instructions a thread? "
        "Give a TiledCopy, or the C++ text of `make_tiled_copy`.",
        copying("_4,_8", "_8,_1", "_1,_4"),
        (
            "`make_tiled_copy(Copy_Atom<UniversalCopy<...>, float>{}, thread layout, value layout)`: which thread stands on the right of thread 0?",
            "Four rows of eight threads, counted along the rows; the values of a thread are 1 x 4.",
            "One instruction moves up to 16 bytes, `uint128_t`: four floats.",
        ),
        (
            (
                copying("_4,_8", "_1,_4", "_1,_4"),
                "the threads are counted down the columns; in the target T1 stands on the right of T0.",
            ),
            (copying("_8,_4", "_4,_1", "_1,_4"), "eight rows of four threads; the target has four rows of eight."),
            (
                copying("_4,_8", "_8,_1", "_4,_1"),
                "the values of a thread stand below each other; in the target they are neighbours in a row.",
            ),
            (
                copying("_4,_8", "_8,_1", "_1,_1", "float"),
                "each thread takes one float only, so that the tile has 4 x 8.",
            ),
        ),
        "Four rows of eight threads, 1 x 4 values each, moved by one instruction of 16 bytes.",
        par=1,
        unit="instruction",
        takes="copy",
    ),
    puzzle(
        28,
        "Good at both ends",
        "256 threads copy 64 x 64 halves from rows of 4096 into `Sw<3,3,3> o 0 o (64,64):(64,1)`. Which TiledCopy reads every sector once, stores "
        "without a bank conflict, and needs the fewest instructions a thread?",
        copying("_32,_8", "_8,_1", "_1,_8", element="half_t"),
        (
            "An instruction moves at most 16 bytes: eight halves. How many threads is a row of 64?",
            "Neighbouring lanes should take neighbouring bytes, so the thread layout counts along the rows.",
            "8 threads a row leave 32 rows, which come twice.",
        ),
        (
            (
                copying("_32,_8", "_1,_32", "_1,_8", element="half_t"),
                "neighbouring lanes stand in different rows: each sector of 32 bytes is fetched for 16 of them.",
            ),
            (
                copying("_64,_4", "_4,_1", "_1,_8", element="half_t"),
                "four threads a row: a warp takes half of eight rows, and the stores conflict.",
            ),
            (copying("_16,_8", "_8,_1", "_1,_8", element="half_t"), "those are 128 threads; the block has 256."),
            (
                copying("_8,_32", "_32,_1", "_1,_8", element="half_t"),
                "32 threads of eight halves are 256 columns; the tile has 64.",
            ),
        ),
        "Eight lanes fill a row of 128 bytes, at both ends, and each thread comes twice.",
        par=2,
        unit="instruction",
        takes="copy",
    ),
    # a Hopper tile
    puzzle(
        29,
        "What TMA leaves behind",
        "TMA has filled a box of 16 rows of 64 halves with the swizzle of 128 bytes; the offsets of its elements are drawn. Which layout is that?",
        "Sw<3,3,3> o 0 o (16,64):(64,1)",
        (
            "Without the swizzle the rows would lie one behind the other. What is under it?",
            "Pieces of 8 halves change places; the row says which. So bits 3 to 5 change, and bits 6 to 8 decide.",
            "It is written `Sw<B,M,S> o 0 o (16,64):(...)`.",
        ),
        (
            (
                "(16,64):(64,1)",
                "row 0 is right; from row 1 on the pieces of eight halves have changed places, so a swizzle is missing.",
            ),
            (
                "Sw<3,4,3> o 0 o (16,64):(64,1)",
                "that is the swizzle on bytes; a layout of halves counts elements of 2 bytes.",
            ),
            ("Sw<2,3,3> o 0 o (16,64):(64,1)", "row 4 should change, too: 128 bytes are eight pieces, so three bits."),
            (
                "Sw<3,3,3> o 0 o (16,64):(1,16)",
                "the swizzle is right; the rows below it are not: they lie 64 halves apart.",
            ),
        ),
        "Rows of 128 bytes, and over them the swizzle that exchanges eight pieces by the row.",
        par=2,
    ),
    puzzle(
        30,
        "A tile wider than the swizzle",
        "A tile of 64 x 128 halves in 16,384 bytes, contiguous along its rows, is filled by TMA and read by ldmatrix, 8 rows of 16 bytes at a time, without a conflict. Which layout "
        "does it with the fewest boxes?",
        "Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))",
        (
            "A box with the swizzle of 128 bytes is 64 halves wide. How many boxes is that for 128 columns?",
            "Each box is filled row by row: 64 rows of 64 halves. The second one begins where the first ends.",
            "So the mode of the columns is (64,2): within a box, and from box to box. Over it the swizzle of puzzle 29.",
        ),
        (
            (
                "(64,128):(128,1)",
                "one box could fill it, but eight rows of 256 bytes begin in one bank: ldmatrix needs a swizzle.",
            ),
            (
                "Sw<3,3,3> o 0 o (64,128):(128,1)",
                "the source bits begin at bit 6, and with rows of 128 halves the row begins at bit 7: rows 0 and 4 meet.",
            ),
            (
                "Sw<3,3,4> o 0 o (64,128):(128,1)",
                "ldmatrix would like this, but TMA cannot write it: its swizzle repeats every 128 bytes, and a row has 256.",
            ),
            (
                "(64,(64,2)):(64,(1,4096))",
                "the two boxes are right; without a swizzle eight rows still begin in one bank.",
            ),
        ),
        "Two boxes of 64 x 64, one behind the other, each with the swizzle of 128 bytes.",
        par=2,
        unit="box",
    ),
)
