"""What lesson tiling asks: its predictions and its exercises."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from cutelab import Layout, blocked_product, complement, logical_divide, offsets, raked_product, size, zipped_divide
from cutelab.core.layout import AnyLayout
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value

TILES = zipped_divide(Layout((128, 128)), (4, 8))
RAKED_PLACE = (5, 12)
RAKED = raked_product(Layout((4, 8)), Layout((2, 5)))


def owned(pair: tuple[int, ...]) -> str:
    """What does this thread own in the row of the question?"""
    row, col = RAKED_PLACE
    if len(pair) != 2 or pair[0] not in (0, 1) or pair[1] not in range(5):
        return "i counts the copies down, 0 and 1; j counts those across, 0 to 4."
    i, j = pair
    here = [c for c in range(40) if owner(row, c) == (i, j)]
    if not here:
        return f"thread ({i},{j}) owns nothing in row {row}: the rows go to the copies in turn."
    return f"in row {row} thread ({i},{j}) owns the columns {', '.join(map(str, here[:4]))} and so on, and {col} is not among them."


def in_tile(offset: int) -> str:
    """Which element of the 128 x 128 matrix lies there, and in which tile?"""
    if not 0 <= offset < 128 * 128:
        return f"the matrix has the offsets 0 to {128 * 128 - 1}; {offset} is none of them."
    row, col = offset % 128, offset // 128
    return (
        f"at offset {offset} lies ({row},{col}), which is place ({row % 4},{col % 8}) of tile ({row // 4},{col // 8})."
    )


def by_numbers(offset: int) -> str:
    """Which element of which tile, both by number, lies at this offset?"""
    if not 0 <= offset < 128 * 128:
        return f"t has the offsets 0 to {128 * 128 - 1}; {offset} is none of them."
    row, col = offset % 128, offset // 128
    return f"offset {offset} is t({row % 4 + col % 8 * 4}, {row // 4 + col // 8 * 32}): so many elements and tiles come before it."


def tiles_of(count: int) -> str:
    """What so many tiles would hold."""
    return f"{count} tiles of 32 elements are {32 * count} elements; the matrix has 320."


def dealt_to(offset: int) -> str:
    """Where in the raked product does this offset stand?"""
    if not 0 <= offset < 320:
        return f"ten copies of 32 are the offsets 0 to 319; {offset} is none of them."
    row, col = (int(n[0]) for n in (offsets(RAKED) == offset).nonzero())
    return f"offset {offset} is element {offset % 32} of copy number {offset // 32}, and stands in row {row}, column {col}."


def tiles_by_layout(rows: int, cols: int) -> int:
    """How many tiles does the layout (4,8):(1,4) cut?"""
    divided = logical_divide(Layout((rows, cols)), Layout((4, 8)))
    assert isinstance(divided, Layout)
    return size(divided[1])


def other_block(random: Random) -> Prediction:
    """Where another tile begins."""
    m, n, i, j = random.choice((2, 4, 8)), 32, random.choice((1, 2)), random.choice((1, 2, 3))
    return Prediction(
        id="tiling.a",
        title="Where a tile begins",
        kind=Value(example="132", given=(("tile row", i), ("tile column", j), ("rows of a tile", m))),
        question=f"`(128,128):(1,128)` is cut into tiles of {m} rows and {n} columns. At which offset does tile ({i},{j}) begin?",
        right=lambda: begins(128, 128, m, n, i, j),
        replies=(
            Wrong(i + 128 * j, "That is an element of the matrix; a tile is larger."),
            Wrong(i * m * 128 + j * n, "That is row-major."),
        ),
        because=f"{i} tiles down pass {i}·{m} rows, {j} to the right pass {j}·{n} columns of 128.",
    )


def other_count(random: Random) -> Prediction:
    """How many tiles a layout makes of another matrix."""
    rows, cols = random.choice(((10, 16), (6, 32), (18, 16)))
    return Prediction(
        id="tiling.c",
        title="How many tiles",
        kind=Value(example="8", given=(("rows", rows), ("columns", cols))),
        question=f"A matrix of shape ({rows},{cols}) is divided by one layout, `(4,8):(1,4)`. How many tiles are there?",
        right=lambda: tiles_by_layout(rows, cols),
        replies=(Wrong(-(-rows // 4) * (cols // 8), "So many a tuple makes, the last ones beyond the edge."),),
        because=f"{rows * cols} elements in tiles of 32.",
    )


def other_slice(random: Random) -> Prediction:
    """What another line takes."""
    line, what = random.choice(
        (
            ("t(0, make_coord(1,4))", "an offset"),
            ("t(3, _)", "one element of each tile"),
            ("t(_, make_coord(1,4))", "a tile"),
        )
    )
    return Prediction(
        id="tiling.2",
        title="What the line takes",
        kind=Choice.of("an offset", "a tile", "one element of each tile"),
        question=f"t is a zipped_divide of a matrix. What does `{line}` give?",
        right=lambda: what,
        replies=(),
        because="The first mode counts the elements of a tile, the second the tiles; `_` keeps a mode whole.",
    )


PREDICTIONS = (
    Prediction(
        id="tiling.a",
        title="Block (3,5)",
        kind=Value(example="132", given=(("tile row", 3), ("tile column", 5)), means=in_tile),
        again=other_block,
        question="`(128,128):(1,128)` is cut into tiles of 4 rows and 8 columns. At which offset does tile (3,5) begin?",
        right=lambda: TILES(0, (3, 5)),
        replies=(
            Wrong(643, "That is the element (3,5) of the matrix. A tile is 4 rows high and 8 columns wide."),
            Wrong(1576, "That is row-major: 3 tiles down are 3·4 rows, but rows are neighbours here, 1 apart."),
            Wrong(2572, "One tile to the right passes 8 columns, not 4."),
            Wrong(23, "That is what t(3,5) gives with plain numbers. You will meet it in a moment."),
            Wrong(5120, "That is tile (0,5). Three tiles further down are 3·4 elements more."),
        ),
        because="3 tiles down pass 3·4 rows, 5 to the right pass 5·8 columns of 128.",
    ),
    Prediction(
        id="tiling.b",
        title="Plain numbers",
        kind=Value(unit="offset", example="132", given=(("first number", 3), ("second number", 5)), means=by_numbers),
        question=(
            "t is that zipped_divide, `((4,8),(32,16)):((1,128),(4,1024))`. Somebody wants tile (3,5), and writes t(3,5). It compiles, and "
            "gives one offset. Which?"
        ),
        right=lambda: TILES(3, 5),
        replies=(
            Wrong(
                5132,
                "That is where the tile (3,5) begins: t(0, make_coord(3,5)). With plain numbers the two are no pair.",
            ),
            Wrong(643, "That is element (3,5) of the matrix. t counts elements of a tile first, and then tiles."),
            Wrong(20, "Tile number 5 begins there. The 3 is element number 3 of it."),
            Wrong(5123, "Tile number 5 is not tile (0,5): tiles count down first, and there are 32 down."),
            Wrong(8, "Tiles down are 4 rows apart: number 5 begins at 5·4."),
        ),
        because="Mode 0 counts elements, mode 1 counts tiles: element 3 of tile number 5, which lies 5 tiles down, 3 + 5·4.",
    ),
    Prediction(
        id="tiling.c",
        title="How many tiles",
        kind=Value(example="8", given=(("rows", 10), ("columns", 32)), means=tiles_of),
        again=other_count,
        question="A matrix of shape (10,32) is divided by one layout (not a tuple), (4,8), which is `(4,8):(1,4)`. How many tiles are there?",
        right=lambda: tiles_by_layout(10, 32),
        replies=(
            Wrong(12, "So many the tuple <4,8> makes: 3 down, the last one half outside, and 4 across."),
            Wrong(
                8, "There are 4 across, and whole ones down are 2; but a layout does not stop at the edge of a column."
            ),
            Wrong(3, "There are that many tiles down in the tuple's way, and several across."),
            Wrong(4, "There are that many across in the tuple's way, and several down."),
            Wrong(7, "3 and 4 are numbers of the tuple's tiles; they multiply, and a layout counts otherwise."),
            Wrong(320, "That is the number of elements."),
            Wrong(32, "That is the number of elements of one tile."),
        ),
        because="The layout takes 32 elements in 1-D order, and 320 / 32 is the number of tiles.",
    ),
    Prediction(
        id="tiling.d",
        title="Two integers",
        kind=Choice.of(8, 10, 32, 320),
        question="Somebody writes `blocked_product(make_layout(_4{}, _8{}), make_layout(_2{}, _5{}))`. How many elements has the result?",
        right=lambda: size(blocked_product(Layout(4, 8), Layout(2, 5))),
        replies=(
            Wrong("10", "That is the number of blocks that was meant."),
            Wrong("32", "That is the size of the block that was meant."),
            Wrong("320", "That was meant. It needs make_layout(make_shape(_4{}, _8{})), and so for the other."),
        ),
        because="`make_layout(4, 8)` is `4:8`, four elements; the tiler is `2:5`, two copies.",
    ),
    Prediction(
        id="tiling.e",
        title="Where copies begin",
        kind=Choice.of("3:8", "6:4", "(2,3):(1,8)", "(2,3):(8,1)"),
        question=(
            "A is `4:2`, the offsets 0, 2, 4 and 6. Shifted copies of A shall fill the offsets 0 to 23, each once. Where do they begin? "
            "In ascending order, small steps first."
        ),
        right=lambda: str(complement(Layout(4, 2), 24)),
        replies=(
            Wrong("3:8", "Copies at 0, 8 and 16 leave all odd offsets empty."),
            Wrong("6:4", "A copy at 4 would take offset 4, which the first copy has already."),
            Wrong(
                "(2,3):(8,1)",
                "Copies at 0, 8, 1, 9, 2: the one at 2 would take offset 2, which the first copy has already.",
            ),
        ),
        because="First the gap inside A is filled, by the copy that begins at 1; then it all goes on every 8 offsets.",
    ),
    Prediction(
        id="tiling.f",
        title="Dealt out",
        kind=Value(example="7", given=(("row", 1), ("column", 3)), means=dealt_to),
        question=(
            "A block `(4,8):(1,4)` is repeated over a grid `(2,5):(1,2)`: ten copies of 32 offsets, one after the other. raked_product deals the "
            "elements out in turn, like cards. Which offset stands in row 1, column 3 of the result?"
        ),
        right=lambda: int(RAKED(1, 3)),
        replies=(
            Wrong(
                13,
                "So it is in blocked_product, where each block is in one piece. Dealt out in turn, each of the ten places belongs to another copy.",
            ),
            Wrong(
                32,
                "The next row belongs to the next copy down, number 1. But you are three copies further to the right.",
            ),
            Wrong(192, "That is row 0: the copy three to the right is number 6. The next one down comes after it."),
            Wrong(
                128, "Copy number 4 is 1 + 3; but to the right the copies count by 2, for there are two of them down."
            ),
            Wrong(256, "Copy number 8 is three to the right of number 2; the one below number 0 is number 1."),
            Wrong(7, "7 is the number of the copy. It begins 7 copies of 32 offsets later."),
            Wrong(225, "The copy is right. But it begins with its element 0."),
        ),
        because="One down and three to the right is copy number 1 + 3·2 = 7, and that copy begins at offset 7·32.",
    ),
)


@lru_cache(maxsize=4096)  # a learner's function is held against it on many inputs, of few matrices
def tiles(rows: int, cols: int, m: int, n: int) -> AnyLayout:
    """A compact column-major matrix in tiles of m x n."""
    return zipped_divide(Layout((rows, cols)), (m, n))


def begins(rows: int, cols: int, m: int, n: int, i: int, j: int) -> int:
    """Where tile (i,j) of m x n begins in a compact column-major matrix, computed by the library."""
    return int(tiles(rows, cols, m, n)(0, (i, j)))


def draw_tile(random: Random) -> tuple[int, int, int, int, int, int]:
    """A matrix of whole tiles, and one of them."""
    m, n, down, across = (random.randint(1, 12) for _ in range(4))
    return m * down, n * across, m, n, random.randrange(down), random.randrange(across)


def owner(row: int, col: int) -> tuple[int, int]:
    """Which copy of the raked product holds this element?"""
    here = offsets(RAKED)[row, col]
    copies = [
        (i, j)
        for i in range(2)
        for j in range(5)
        if here in offsets(RAKED((i, None), (j, None))) + RAKED((i, 0), (j, 0))
    ]
    return copies[0]


def inside(rows: int, cols: int, m: int, n: int, i: int, j: int, r: int, c: int) -> bool:
    """Does place (r,c) of tile (i,j) hold an element of the matrix?"""
    return i * m + r < rows and j * n + c < cols


def draw_place(random: Random) -> tuple[int, ...]:
    """A place of a tile, near the edge of a matrix that is seldom a whole number of tiles."""
    m, n = random.randint(2, 6), random.randint(2, 6)
    rows, cols = random.randint(m, 4 * m), random.randint(n, 4 * n)
    i, j = -(-rows // m) - random.choice((1, 1, 2)), -(-cols // n) - random.choice((1, 1, 2))
    return rows, cols, m, n, max(i, 0), max(j, 0), random.randrange(m), random.randrange(n)


def same_cut() -> Layout:
    """The layout tiler of an 8 x 8 matrix whose tiles are those of <4, 2>."""
    tiles = zipped_divide(Layout((8, 8)), (4, 2))
    assert isinstance(tiles, Layout)
    return tiles[0]


SLICES = (
    "t(2, 3)",
    "t(_, 2, 3)",
    "t(_, make_coord(2,3))",
    "t(make_coord(2,3), _)",
    "t(make_coord(_,2), make_coord(_,3))",
)

EXERCISES = (
    Exercise(
        id="tiling.1",
        title="Where a tile begins",
        name="begins",
        kind=Function(
            ("rows", "cols", "m", "n", "i", "j"),
            edges=(
                (128, 128, 4, 8, 3, 5),
                (16, 32, 4, 8, 0, 0),
                (16, 32, 4, 8, 1, 0),
                (16, 32, 4, 8, 0, 1),
                (12, 8, 4, 2, 2, 3),
                (5, 7, 1, 1, 4, 6),
                (6, 6, 6, 6, 0, 0),
            ),
            draw=draw_tile,
        ),
        question=(
            "A column-major matrix of `rows` x `cols` elements without gaps is cut into tiles of `m` rows and `n` columns. Write "
            "`begins(rows, cols, m, n, i, j)`: the offset at which tile (i,j) begins."
        ),
        right=begins,
        solution="def begins(rows, cols, m, n, i, j):\n    return i * m + j * n * rows",
        hints=(
            "The first element of tile (i,j) is an element of the matrix. In which row and column does it stand?",
            "It stands in row i·m and column j·n. Column-major: one step down is 1, one step to the right is a whole column.",
            "A whole column has `rows` elements. So the second term is j times n of them.",
        ),
        wrong=(
            Wrong(
                lambda rows, cols, m, n, i, j: i * m * cols + j * n,
                "this is row-major. Here one step down is the neighbour in memory.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j: i + j * rows,
                "this is the element (i,j) of the matrix. A tile is m rows and n columns large.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j: i * n + j * m * rows,
                "m and n have changed places: m belongs to the rows.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j: i * m + j * n * cols,
                "a step to the right passes one column, which is `rows` long.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j: (i + j * (rows // m)) * m * n,
                "so it would be if each tile lay in one piece in memory. Here its columns lie `rows` apart.",
            ),
        ),
        because="Tile (i,j) begins at element (i·m, j·n): the rest mode has strides m·1 and n·rows.",
    ),
    Exercise(
        id="tiling.2",
        title="The line that takes it",
        kind=Choice.of(*SLICES),
        again=other_slice,
        odd=(
            Wrong("t(_, make_coord(3,2))", "this takes tile (3,2): row and column of the tile have changed places."),
            *(Wrong(key, "write the whole line, as it stands among the answers.") for key in ("a", "b", "c", "d", "e")),
            *(Wrong(n, "write the whole line, as it stands among the answers.") for n in range(6)),
        ),
        question=(
            "t is the zipped_divide of a matrix by make_tile(_8{}, _16{}). Which line takes tile (2,3)? The answers: "
            + ", ".join(f'"{s}"' for s in SLICES)
            + "."
        ),
        right=lambda: "t(_, make_coord(2,3))",
        solution='answer = "t(_, make_coord(2,3))"',
        hints=(
            "zipped_divide has two modes: the elements of a tile, and the tiles.",
            "The elements all stay: that mode gets `_`. The tiles have two numbers, and these are one coordinate.",
        ),
        wrong=(
            Wrong("t(2, 3)", "this is one offset: element 2 of tile number 3."),
            Wrong("t(_, 2, 3)", "this takes it from tiled_divide, which has the tile numbers at the top level."),
            Wrong(
                "t(make_coord(2,3), _)", "the modes are exchanged: this keeps all tiles, and of each the element (2,3)."
            ),
            Wrong(
                "t(make_coord(_,2), make_coord(_,3))",
                "this takes it from logical_divide, which keeps the modes of the matrix.",
            ),
        ),
        because="`_` keeps the elements, make_coord names the tile.",
    ),
    Exercise(
        id="tiling.3",
        title="A zipped_divide by hand",
        kind=LayoutMap('"((4,8),(32,16)):((1,128),(4,1024))"'),
        question=(
            "Divide `(12,8):(1,12)` by tiles of 4 rows and 2 columns. Write the result of zipped_divide, as CuTe prints it: "
            "((tile),(rest))."
        ),
        right=lambda: zipped_divide(Layout((12, 8)), (4, 2)),
        solution='answer = "((4,2),(3,4)):((1,12),(4,24))"',
        hints=(
            "The tile is (4,2), and its strides are those of the matrix. How many tiles go down, and how many across?",
            "12 / 4 = 3 tiles down, 8 / 2 = 4 across. One tile down is 4 rows further: 4 offsets.",
            "One tile to the right passes 2 columns of 12. That is the last stride.",
        ),
        wrong=(
            Wrong("((4,2),(3,4)):((1,4),(4,24))", "the columns of the tile lie as far apart as those of the matrix."),
            Wrong("((4,2),(3,4)):((1,12),(4,12))", "one tile to the right passes two columns."),
            Wrong(
                "((4,2),(3,4)):((1,12),(1,12))", "the rest counts tiles, and a tile is 4 rows high and 2 columns wide."
            ),
            Wrong("(12,8):(1,12)", "this is the matrix itself, not divided yet."),
            Wrong(
                "((4,3),(2,4)):((1,4),(12,24))",
                "this is logical_divide, which keeps rows and columns. Zip them: tile modes first.",
            ),
            Wrong(
                "((4,2),(4,3)):((1,12),(24,4))",
                "the tiles are counted across first: down comes first, as in the matrix, 3 tiles and then 4.",
            ),
            Wrong(
                "((4,2),3,4):((1,12),4,24)",
                "this is tiled_divide, which takes the brackets of the rest off; zipped_divide keeps them.",
            ),
            Wrong(
                "(4,2,3,4):(1,12,4,24)", "this is flat_divide, which takes all brackets off; zipped_divide keeps two."
            ),
            Wrong("((3,4),(4,2)):((4,24),(1,12))", "tile and rest are exchanged: the tile comes first."),
            Wrong(
                "((4,2),(3,4)):((1,4),(8,24))",
                "these strides are of tiles that lie in one piece; the matrix has not moved.",
            ),
        ),
        because="The tile keeps the strides 1 and 12; the tiles are 4·1 and 2·12 apart.",
    ),
    Exercise(
        id="tiling.4",
        title="A layout for a tuple",
        kind=LayoutMap('"(4,2):(1,4)"'),
        question=(
            "The tuple <4, 2> cuts `(8,8):(1,8)` into blocks of 4 rows and 2 columns. The layout `(4,2):(1,4)` does not: its tiles are whole "
            "columns. Which layout tiler of shape (4,2) cuts the same blocks as the tuple?"
        ),
        right=same_cut,
        solution='answer = "(4,2):(1,8)"',
        hints=(
            "A layout tiler counts elements of the matrix in 1-D order, down the first column, then the second.",
            "The second column of a block begins one whole column of the matrix later.",
        ),
        wrong=(
            Wrong("(4,2):(1,4)", "this one takes 8 elements in a row: a whole column of 8."),
            Wrong("(4,2):(1,2)", "this one overlaps with itself."),
            Wrong("(4,2):(8,1)", "these are 4 columns and 2 rows."),
            Wrong("(4,2):(1,16)", "this one leaves out every second column."),
            Wrong("(4,2):(2,8)", "this one takes every second row."),
        ),
        because="In 1-D order the columns of the matrix are 8 apart, so the tile's second stride is 8.",
    ),
    Exercise(
        id="tiling.5",
        title="Whose element",
        kind=Value("tuple", example="(0, 4)", parts=("i", "j"), means=owned),
        question=(
            "`raked_product` repeats a 4 x 8 block over a 2 x 5 grid, one block for each of ten threads. Which thread (i, j) owns the element "
            "in row 5, column 12?"
        ),
        right=lambda: owner(*RAKED_PLACE),
        solution="answer = (1, 2)",
        hints=(
            "Raked: neighbours belong to different blocks. Going down, the owner changes with every row.",
            "Down there are 2 copies, in turn. Across there are 5, in turn.",
        ),
        wrong=(
            Wrong(
                (1, 1),
                "so it is in blocked_product, where each block is in one piece. Raked blocks are dealt out like cards.",
            ),
            Wrong((2, 1), "i counts the copies down, from 0 to 1; j counts those across."),
            Wrong((1, 4), "across the copies take turns every 5 columns, not every 8."),
            Wrong((0, 2), "the column is right. Row 5 is odd, and the copies take turns row by row."),
            Wrong((2, 2), "i counts the copies down, and there are two: 0 and 1."),
        ),
        because="Row 5 is 1 modulo 2, column 12 is 2 modulo 5.",
    ),
    Exercise(
        id="tiling.6",
        title="A complement by hand",
        kind=LayoutMap('"(2,3):(1,8)"'),
        question="A is `(3,2):(4,24)`: the offsets 0, 4, 8, 24, 28 and 32. Write the complement of A in 48 offsets.",
        right=lambda: complement(Layout((3, 2), (4, 24)), 48),
        solution='answer = "(4,2):(1,12)"',
        hints=(
            "Go through A's strides in ascending order. Below stride 4 nothing is filled yet: how many copies fit there, 1 apart?",
            "Four copies, 1 apart. With them the mode `3:4` fills offsets 0 to 11. The next stride of A is 24.",
            "From 0 to 11 is full, and 24 is the next of A: how often does 12 fit below 24?",
        ),
        wrong=(
            Wrong("4:1", "these four fill offsets 0 to 11 and 24 to 35. 12 to 23 are still empty."),
            Wrong("2:12", "this fills only every fourth offset: the gaps of 4 come first."),
            Wrong("(4,2):(1,24)", "24 is a step of A itself: such a copy would begin on an element of A."),
            Wrong(
                "(2,4):(12,1)",
                "these are the right places. A complement counts them in ascending order, small steps first.",
            ),
            Wrong("(4,4):(1,12)", "the copies at 24 and 36 would meet those of A's second mode."),
            Wrong("(3,2):(1,12)", "below stride 4 there is room for four copies, 0 to 3."),
            Wrong("(3,2):(4,24)", "this is A itself."),
            Wrong("8:1", "a copy at 4 would begin on an element of A."),
        ),
        because="4 copies 1 apart fill the gap below stride 4, and 2 of these, 12 apart, the gap below stride 24.",
    ),
    Exercise(
        id="tiling.7",
        title="The guard",
        name="inside",
        kind=Function(
            ("rows", "cols", "m", "n", "i", "j", "r", "c"),
            edges=(
                (10, 14, 4, 4, 2, 3, 0, 0),
                (10, 14, 4, 4, 2, 3, 1, 1),
                (10, 14, 4, 4, 2, 3, 2, 0),
                (10, 14, 4, 4, 2, 3, 0, 2),
                (10, 14, 4, 4, 2, 3, 2, 1),
                (10, 14, 4, 4, 2, 0, 3, 0),
                (10, 14, 4, 4, 0, 3, 3, 3),
                (8, 8, 4, 4, 1, 1, 3, 3),
            ),
            draw=draw_place,
        ),
        question=(
            "A matrix of `rows` x `cols` is cut into tiles of `m` x `n`; the last ones reach beyond it. Write the guard of a kernel, "
            "`inside(rows, cols, m, n, i, j, r, c)`: True if place (r,c) of tile (i,j) holds an element of the matrix."
        ),
        right=inside,
        solution="def inside(rows, cols, m, n, i, j, r, c):\n    return i * m + r < rows and j * n + c < cols",
        hints=(
            "In which row of the matrix does place r of tile row i lie? And in which column?",
            "Row i·m + r has to be one of the rows, which count from 0; and the same across.",
        ),
        wrong=(
            Wrong(
                lambda rows, cols, m, n, i, j, r, c: i * m + r + (j * n + c) * rows < rows * cols,
                "this asks whether the *offset* lies in memory. A place below the last row has the offset of the next column's top: it reads, and it is wrong.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j, r, c: i * m + r < rows,
                "this guards the rows only; the last tiles across reach beyond the columns.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j, r, c: j * n + c < cols,
                "this guards the columns only; the last tiles down reach beyond the rows.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j, r, c: i * m + r <= rows and j * n + c <= cols,
                "rows count from 0, so row number `rows` is one beyond the last.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j, r, c: i * m + r < rows or j * n + c < cols,
                "both have to hold: one place too far in either direction is no element.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j, r, c: r < rows and c < cols,
                "r and c count inside the tile. Where the tile begins, i and j say.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j, r, c: i * m + r < cols and j * n + c < rows,
                "rows and columns have changed places.",
            ),
            Wrong(
                lambda rows, cols, m, n, i, j, r, c: (i + 1) * m <= rows and (j + 1) * n <= cols,
                "this leaves out the whole last tile; part of it holds elements.",
            ),
        ),
        because="Row i·m + r and column j·n + c are both inside: each direction is asked for itself, never the offset.",
    ),
)
