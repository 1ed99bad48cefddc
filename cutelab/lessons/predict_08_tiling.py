"""Predictions of notebook 08_tiling."""

from __future__ import annotations

from cutelab import Layout, blocked_product, logical_divide, size, zipped_divide
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value

TILES = zipped_divide(Layout((128, 128)), (4, 8))


PREDICTIONS = (
    Prediction(
        id="08.a",
        title="Block (3,5)",
        kind=Value("int", example="132"),
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
        id="08.b",
        title="Plain numbers",
        kind=Choice.of("the tile (3,5)", "offset 5132", "offset 23", "a compile error"),
        question="t is that zipped_divide, `((4,8),(32,16)):((1,128),(4,1024))`. Somebody writes t(3,5). What is it?",
        right=lambda: f"offset {TILES(3, 5)}",
        replies=(
            Wrong("the tile (3,5)", "A tile needs `_` for the elements that stay: t(_, make_coord(3,5))."),
            Wrong("offset 5132", "That is where the tile (3,5) begins: t(0, make_coord(3,5))."),
            Wrong("a compile error", "It compiles: t has two modes, and each takes a plain 1-D index."),
        ),
        because="Mode 0 counts elements, mode 1 counts tiles: element 3 of tile number 5, which lies 5 tiles down.",
    ),
    Prediction(
        id="08.c",
        title="How many tiles",
        kind=Value("int", example="8"),
        question="A matrix of shape (12,32) is divided by one layout (not a tuple), (4,8), which is `(4,8):(1,4)`. How many tiles are there?",
        right=lambda: size(logical_divide(Layout((12, 32)), Layout((4, 8)))[1]),
        replies=(
            Wrong(11, "Some tools say so. It is 384 elements in tiles of 32."),
            Wrong(3, "There are that many tiles down in the tuple's way, and several across."),
            Wrong(32, "That is the number of elements of one tile."),
        ),
        because="The layout takes 32 elements in 1-D order, and 384 / 32 is the number of tiles.",
    ),
    Prediction(
        id="08.d",
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
)
