"""What lesson partition asks: its predictions and its exercises."""

from __future__ import annotations

from functools import cache
from random import Random

from cutelab import parse_layout
from cutelab.advise.cost import cost
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout
from cutelab.course.ask.diagnose import Mapped
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.tv import TiledCopy, make_tiled_copy, owners, predicate

FLOATS = "(128,8):(4096,1)"  # the tile in global memory


def floats(threads: Layout) -> TiledCopy:
    """The copy of the lesson: one float a thread."""
    return make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), threads, Layout((1, 1)))


@cache
def store(threads: Layout, pitch: int) -> int:
    """Wavefronts of storing 128 x 8 floats, column-major with this pitch, with these threads."""
    count = cost(floats(threads), FLOATS, f"(128,8):(1,{pitch})", "float").target.count
    assert count is not None
    return count


ROWS_OF_8 = Layout((32, 8), (8, 1))
THREADS = {
    "a": Layout((32, 8), (1, 32)),
    "b": Layout((32, 8), (8, 1)),
    "c": Layout((64, 4), (1, 64)),
    "d": Layout((128, 2), (1, 128)),
}


def worst() -> str:
    """Which of the four stores costs most?"""
    return max(THREADS, key=lambda key: store(THREADS[key], 128))


def first_pitch() -> int:
    """The smallest pitch from 128 on at which the store is ideal."""
    return next(pitch for pitch in range(128, 160) if store(ROWS_OF_8, pitch) == 32)


def idle() -> int:
    """Threads without an element in 100 x 5."""
    return int((~predicate(floats(ROWS_OF_8), (100, 5)).inside.any(axis=1)).sum())


HALVES = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((16, 8), (8, 1)), Layout((1, 8)))


def holder(m: int, k: int) -> tuple[int, int]:
    """Who copies this element, and as which of its values?"""
    thread, value = owners(HALVES.layoutS_TV, HALVES.tile)
    return int(thread[m % 16, k]), int(value[m % 16, k])


def covers(answer: Mapped) -> bool:
    """Do these 128 threads, with 8 halves each, copy 64 x 32 halves with the fewest sectors and wavefronts?"""
    threads = parse_layout(answer.text)
    if (
        not isinstance(threads, Layout)
        or len(answer.extents) != 2
        or sorted(answer.offsets.ravel()) != list(range(128))
    ):
        return False
    try:
        copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), threads, Layout((1, 8)))
        found = cost(copy, "(64,32):(4096,1)", "Sw<2,3,3> o 0 o (64,32):(32,1)", "half_t")
    except CuteLabError:
        return False
    return (found.source.count, found.target.count) == (found.source.ideal, found.target.ideal)


def copy_means(answer: Mapped) -> str:
    """What would these threads cost, if they are 128 in rows and columns that fit the tile of 64 x 32 halves?"""
    threads = parse_layout(answer.text)
    if not isinstance(threads, Layout) or len(answer.extents) != 2:
        return ""
    down, across = answer.extents
    if sorted(answer.offsets.ravel()) != list(range(128)):
        return "" if down * across != 128 else "each of the 128 threads has to stand in exactly one place."
    if 8 * across > 32:
        return f"{across} threads of 8 halves are {8 * across} columns, and the tile has 32."
    if down > 64:
        return f"these are {down} rows of threads with {8 * across} columns each, and the tile has 64 rows."
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), threads, Layout((1, 8)))
    found = cost(copy, "(64,32):(4096,1)", "Sw<2,3,3> o 0 o (64,32):(32,1)", "half_t")
    return (
        f"this copy moves {found.source.count} sectors where {found.source.ideal} would do, and stores with "
        f"{found.target.count} wavefronts where {found.target.ideal} would do."
    )


def pitch_means(pitch: int) -> str:
    """What would this pitch cost?"""
    if not 128 <= pitch <= 512:
        return "a column has 128 floats, so the pitch is 128 or more, and as small as it can be."
    count = store(ROWS_OF_8, pitch)
    if count > 32:
        return f"a pitch of {pitch} costs {count} wavefronts where 32 would do."
    return f"a pitch of {pitch} is free of conflicts, but a smaller one is, too."


def other_thread(random: Random) -> Prediction:
    """Another thread of the same pattern."""
    thread = random.randrange(50, 250)
    return Prediction(
        id="partition.a",
        title="Where does a thread begin?",
        kind=Value("tuple", example="(3, 2)", parts=("row", "column"), given=(("thread", thread),)),
        question=f"The threads are laid over the tile as `(32,8):(8,1)`. At which (row, column) does thread {thread} begin?",
        right=lambda: divmod(thread, 8),
        replies=(),
        because=f"Eight threads a row: {thread} = {thread // 8} x 8 + {thread % 8}.",
    )


def other_store(random: Random) -> Prediction:
    """One of the four thread layouts, and another pitch."""
    key, pitch = random.choice(sorted(THREADS)), random.choice((128, 129, 130, 131, 132, 136))
    return Prediction(
        id="partition.3",
        title="Another store",
        kind=Value(unit="wavefronts", example="2", given=(("pitch", pitch),)),
        question=(
            f"A block with the thread layout `{THREADS[key]}` stores 128 x 8 floats into `(128,8):(1,{pitch})`, one float a lane. How many "
            "wavefronts does one store instruction of a warp take?"
        ),
        right=lambda: store(THREADS[key], pitch) // 32,
        replies=(),
        because=f"Bank = (row + {pitch % 32} * column) % 32, over the rows and columns of one warp.",
    )


PREDICTIONS = (
    Prediction(
        id="partition.a",
        title="Where does thread 37 begin?",
        kind=Value("tuple", example="(3, 2)", parts=("row", "column")),
        question="The threads are laid over the tile as `(32,8):(8,1)`. At which (row, column) does thread 37 begin?",
        right=lambda: divmod(37, 8),
        again=other_thread,
        replies=(
            Wrong((5, 4), "row and column have changed places."),
            Wrong((5, 1), "that would be threads counted down the columns, (32,8):(1,32)."),
        ),
        because="Mode 1 has stride 1, so eight neighbours stand in a row: 37 = 4 x 8 + 5.",
    ),
    Prediction(
        id="partition.b",
        title="Padding by one",
        kind=Choice.of(1, 2, 4, 8),
        question=(
            "A warp stores 4 rows of 8 columns of floats into `(128,8):(1,129)`, one float a lane. How many wavefronts does one of its "
            "store instructions take?"
        ),
        right=lambda: str(store(ROWS_OF_8, 129) // 32),
        replies=(
            Wrong("1", "that would hold if the warp walked along one column, or along one row of 32."),
            Wrong("2", "a column more moves by one bank, and so does a row more: count the pairs of equal sum."),
            Wrong("8", "that is the cost without padding, where all eight columns begin in one bank."),
        ),
        because="The bank is (row + column) % 32, since 129 % 32 = 1: four rows and eight columns meet up to four at a time.",
    ),
    Prediction(
        id="partition.c",
        title="Nothing to do",
        kind=Value(unit="threads", example="12"),
        question="32 rows of 8 threads copy a tile of 128 x 8, of which only 100 rows and 5 columns exist. How many of the 256 threads copy nothing?",
        right=idle,
        replies=(
            Wrong(64, "two columns of 32 threads; but 5 of 8 are left, so more are missing."),
            Wrong(524, "that counts elements that do not exist, 1024 - 500; the question counts threads."),
            Wrong(160, "those are the threads that do copy something."),
            Wrong(0, "a thread stays in its column: the pattern is repeated along the rows only."),
        ),
        because="Three columns of 32 threads lie outside. The missing rows only shorten the work of the others.",
    ),
)

EXERCISES = (
    Exercise(
        id="partition.1",
        title="Read a printout",
        kind=Value("tuple", example="(16, 2048)", parts=("values", "bytes")),
        question=(
            "A kernel on halves prints `tAsA: smem_ptr[16b](0x0) o ((_8,_1),_8,_1,_3):((_1,_0),_1024,_0,_8192)`; the last mode is the "
            "stages: so many tiles are in shared memory at once. How many values does a thread copy for one stage, and how many bytes after a stage does the next one begin? "
            "`answer = (values, bytes)`."
        ),
        right=lambda: (8 * 8, 8192 * 2),
        solution="answer = (64, 16384)",
        hints=(
            'The modes are CPY, CPY_M, CPY_K, PIPE: `explain_names("tAsA", ...)` puts them in words.',
            "Values for a stage: the product of all extents but the last. Strides count elements, and an element has 16 bits.",
        ),
        wrong=(
            Wrong((8, 16384), "8 values are one instruction; CPY_M repeats it."),
            Wrong((64, 8192), "8192 is a stride, in elements of 16 bits; the question asks for bytes."),
            Wrong((192, 16384), "192 values are those of all three stages."),
            Wrong((8, 8192), "8 values are one instruction, which CPY_M repeats; and 8192 counts elements, not bytes."),
            Wrong((64, 2048), "1024 elements lead to the next instruction, not to the next stage."),
        ),
        because="8 values, 8 times; 8192 elements of 2 bytes.",
    ),
    Exercise(
        id="partition.2",
        title="Who holds this element?",
        name="holder",
        kind=Function(
            ("m", "k"),
            edges=((0, 0), (0, 7), (0, 8), (15, 63), (16, 0), (21, 43), (127, 63)),
            draw=lambda random: (random.randrange(128), random.randrange(64)),
            parts=("thread", "value"),
        ),
        question=(
            "FlashAttention-2's copy: thread layout `(16,8):(8,1)`, value layout `(1,8)`, on a tile of 128 x 64 halves. Write `holder(m, k)`: "
            "which thread copies element (m, k), and which of the 8 values of its instruction is it?"
        ),
        right=holder,
        solution="def holder(m, k):\n    return m % 16 * 8 + k // 8, k % 8",
        hints=(
            "All threads together cover 16 rows of 64 halves. What happens at row 16?",
            "Along k, each thread takes 8 neighbours: so k % 8 is the value, and k // 8 the thread's column.",
            "The thread's row is m % 16, and a step down is 8 threads.",
        ),
        wrong=(
            Wrong(
                lambda m, k: (m * 8 + k // 8, k % 8), "the pattern ends after 16 rows and begins again with thread 0."
            ),
            Wrong(
                lambda m, k: (m % 16 + k // 8 * 16, k % 8),
                "you count threads down the columns; the layout (16,8):(8,1) counts along the rows.",
            ),
            Wrong(
                lambda m, k: (m % 16 * 8 + k % 8, k // 8),
                "thread and value have changed places along k: a thread's 8 values are neighbours.",
            ),
        ),
        because="Row m % 16 of the pattern, piece k // 8 of the row, value k % 8 of the piece.",
    ),
    Exercise(
        id="partition.3",
        title="Find the partition that conflicts",
        kind=Choice(tuple((key, str(layout)) for key, layout in THREADS.items())),
        question=(
            "256 threads store 128 x 8 floats into `(128,8):(1,128)`, column-major without padding, one float a lane. One of these thread "
            'layouts has bank conflicts: "a" `(32,8):(1,32)`, "b" `(32,8):(8,1)`, "c" `(64,4):(1,64)`, "d" `(128,2):(1,128)`. Which?'
        ),
        right=worst,
        again=other_store,
        solution='answer = "b"',
        hints=(
            "Which 32 threads are the first warp, and where do they stand?",
            "Neighbours in a column lie in neighbouring banks; neighbours in a row lie 128 words apart. Whose warp has several columns?",
        ),
        wrong=(
            Wrong("a", "its first warp goes down 32 rows of one column: 32 banks."),
            Wrong("c", "its first warp covers half of a column of 64: 32 neighbours, 32 banks."),
            Wrong("d", "its first warp covers a quarter of a column: 32 neighbours, 32 banks."),
        ),
        because="Only its warp has 8 columns, and a column more is 128 words more: the same bank, 8 times.",
    ),
    Exercise(
        id="partition.4",
        title="Repair the store",
        kind=Value(example="150", means=pitch_means),
        question=(
            "The layout of threads `(32,8):(8,1)` must stay, because it reads global memory well. The tile is `(128,8):(1,pitch)`. What is the "
            "smallest pitch, 128 or more, at which storing the 128 x 8 floats has no bank conflict?"
        ),
        right=first_pitch,
        solution="answer = 132",
        hints=(
            "A warp stores 4 rows of 8 columns. Which banks do the 4 rows of one column take?",
            "Each column takes 4 banks, so the next column should begin 4 banks further on.",
        ),
        wrong=(
            Wrong(
                129, "a column more moves by one bank, onto the bank of the next row: 128 wavefronts where 32 would do."
            ),
            Wrong(128, "without padding all 8 columns begin in the same bank."),
            Wrong(136, "8 banks further each time: after four columns you are back where you began."),
            Wrong(140, "that is free of conflicts, but there is a smaller one."),
        ),
        because="4 rows fill 4 banks, and each of the 8 columns begins 4 banks later: 32 banks.",
    ),
    Exercise(
        id="partition.5",
        title="Build a TiledCopy",
        kind=LayoutMap(example='"(8,16):(16,1)"', accept=covers, means=copy_means),
        question=(
            "A tile of 64 x 32 halves, out of rows of 4096, goes to `Sw<2,3,3> o 0 o (64,32):(32,1)`. 128 threads copy it, 16 bytes each, "
            "value layout `(1,8)`. Which thread layout moves the fewest sectors and has no bank conflict?"
        ),
        right=lambda: Layout((32, 4), (4, 1)),
        solution='answer = "(32,4):(4,1)"',
        hints=(
            "A row of 32 halves has 64 bytes. How many threads of 16 bytes is that?",
            "Lanes that follow each other should read bytes that follow each other: so which mode of the thread layout has stride 1?",
        ),
        wrong=(
            Wrong(
                "(32,4):(1,32)",
                "the layout covers the tile, but neighbouring lanes stand in different rows: each sector of 32 bytes is fetched for 16.",
            ),
            Wrong("(16,8):(8,1)", "8 threads of 8 halves are 64 columns, and the tile has 32."),
            Wrong(
                "(64,2):(2,1)",
                "two threads a row are 16 columns, so a warp takes half of 16 rows, and the store conflicts.",
            ),
            Wrong("(4,32):(32,1)", "32 threads of 8 halves are 256 columns, and the tile has 32."),
            Wrong("(64,4):(4,1)", "those are 256 threads; the block has 128."),
        ),
        because="4 threads of 16 bytes fill a row, neighbouring lanes take neighbouring bytes, and 32 rows go twice.",
    ),
)
