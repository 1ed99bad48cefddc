"""What lesson thread_map asks: its predictions and its exercises."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from cutelab import (
    Layout,
    PitchLinearShape,
    PitchLinearStripminedThreadMap,
    PitchLinearWarpRakedThreadMap,
    PitchLinearWarpStripedThreadMap,
    StripThreadMap,
    parse_thread_map,
    walk_tiles,
)
from cutelab.algebra import layout_of
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.course.ask.diagnose import Diagnosis
from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, LayoutMap, Value
from cutelab.course.ask.reading import describe, is_starter, read_number, tidy, to_words
from cutelab.cutlass.thread_map import ThreadMap


def lines_of_warp(warp: int) -> str:
    """First and last line that this warp of the raked 64 x 32 map touches."""
    raked = PitchLinearWarpRakedThreadMap(PitchLinearShape(64, 32), 128, PitchLinearShape(8, 4), 8)
    lines = raked.accesses()[32 * warp : 32 * warp + 32, :, 1]
    return f"{lines.min()} to {lines.max()}"


def in_memory(found: ThreadMap, row_pitch: int) -> Layout:
    """A thread map as a layout (thread, access) -> offset of its first element, in rows this far apart."""
    starts = found.accesses()
    return layout_of(starts[..., 0] + row_pitch * starts[..., 1])


def starts_of(extent: int, lines: int) -> tuple[int, ...]:
    """At which lines do the tiles begin that an iterator visits, in its order?"""
    found = PitchLinearStripminedThreadMap(PitchLinearShape(16, lines), 64)
    return tuple(int(step.origin.strided) for step in walk_tiles(found, (16, extent)))


def what_they_cover(begin: tuple[int, ...]) -> str:
    """Do tiles of 16 lines, the first one cut short, that begin at these lines fill 44 lines?"""
    if len(begin) != 3:
        return f"44 lines are two whole tiles of 16 and a rest, three in all; yours are {len(begin)}."
    steps = [b - a for a, b in zip(begin, (*begin[1:], 44), strict=True)]
    if begin[0] or min(steps) < 1:
        return "the walk begins at line 0 and goes on from there."
    return f"these tiles hold {to_words(tuple(steps))} lines, one after the other; which of them is the partial one?"


def what_happens() -> str:
    """What the strip-mined map of 16 x 5 elements and 32 threads does."""
    found = PitchLinearStripminedThreadMap(PitchLinearShape(16, 5), 32).coverage()
    return "covers" if found.exact else "past" if found.out_of_tile_elements else "misses"


def who_is_there(place: tuple[int, ...]) -> str:
    """Which thread's access begins at this place of the raked 64 x 32 map?"""
    starts = PitchLinearWarpRakedThreadMap(PitchLinearShape(64, 32), 128, PitchLinearShape(8, 4), 8).accesses()
    here = np.argwhere((starts == np.array(place[:2])).all(axis=2)) if len(place) == 2 else np.empty((0, 2))
    if not len(here):
        return f"no access of any thread begins at {to_words(place)}."
    thread, access = (int(n) for n in here[0])
    return f"{to_words(place)} is where thread {thread} makes its access {access}."


def touched_by(accesses: int) -> str:
    """What so many accesses of 32 threads touch."""
    return f"32 threads with {accesses} accesses each touch {32 * accesses} elements; the tile has 128."


def row_of_thread_32(stride: int) -> str:
    """Where the third stride would send thread 32."""
    if stride % 16:
        return f"with x = {stride} thread 32 would begin in column {stride % 16} of its row; each group begins in column 0."
    return f"with x = {stride} thread 32 would stand in row {stride // 16}. What does the third term say for it?"


def other_share(random: Random) -> Prediction:
    """Accesses of one thread in another tile."""
    columns, lines, threads = random.choice(((32, 16, 64), (16, 32, 128), (64, 8, 32)))
    return Prediction(
        id="thread_map.a",
        title="Accesses of one thread",
        kind=Value(given=(("columns", columns), ("lines", lines), ("threads", threads))),
        question=(
            f"{threads} threads share a tile of {columns} x {lines} elements, one element an access, each element once. How many "
            "accesses does each thread make?"
        ),
        right=lambda: PitchLinearStripminedThreadMap(PitchLinearShape(columns, lines), threads).accesses_per_thread,
        replies=(),
        because=f"{columns} · {lines} elements, shared by {threads} threads.",
    )


def other_fault(random: Random) -> Prediction:
    """Which number of warps shares another number of blocks?"""
    lines, good = random.choice(((20, "5"), (28, "7"), (36, "3")))
    options = {"5": ("2", "3", "4", "5"), "7": ("2", "3", "4", "7"), "3": ("2", "3", "4", "5")}[good]
    return Prediction(
        id="thread_map.3",
        title="Which one covers?",
        kind=Choice.of(*options),
        question=(
            f"A raked map has a tile of 64 x {lines} elements, and one access of a warp covers 64 x 4. How many warps can share it "
            "so that each element is touched once?"
        ),
        right=lambda: next(n for n in options if lines // 4 % int(n) == 0),
        replies=(),
        because=f"{lines // 4} blocks have to be shared without a rest.",
    )


PREDICTIONS = (
    Prediction(
        id="thread_map.a",
        title="Accesses of one thread",
        kind=Value(given=(("columns", 16), ("lines", 8), ("threads", 32)), means=touched_by),
        again=other_share,
        question=(
            "32 threads share a tile of 16 x 8 elements, one element an access, each element once. How many accesses does "
            "each thread make?"
        ),
        right=lambda: PitchLinearStripminedThreadMap(PitchLinearShape(16, 8), 32).accesses_per_thread,
        replies=(
            Wrong(1, "One access each would touch 32 elements, and the tile has 128."),
            Wrong(8, "That would be right for 16 threads."),
            Wrong(2, "That is how many lines the 32 threads fill in one step."),
            Wrong(16, "That is the width of the tile."),
            Wrong(128, "That is the number of elements in the tile."),
        ),
        because="16 · 8 elements, shared by 32 threads: the map calls this number Iterations.",
    ),
    Prediction(
        id="thread_map.b",
        title="Raked",
        kind=Choice.of("4 to 7", "8 to 15", "4 to 23"),
        question=(
            "A tile of 32 lines, 4 warps; one access of a warp covers 4 lines. The map is raked: each warp owns one block of "
            "neighbouring lines. Which lines does warp 1 touch, from first to last?"
        ),
        right=lambda: lines_of_warp(1),
        replies=(
            Wrong(
                "4 to 7",
                "That is one access of warp 1 if the warps take turns. Raked, warp 0 makes its second access there.",
            ),
            Wrong(
                "4 to 23",
                "That is the striped map: lines 4 to 7, and after all warps had their turn, lines 20 to 23.",
            ),
        ),
        because="32 lines for 4 warps are 8 each, and the block of warp 1 is the second one.",
    ),
    Prediction(
        id="thread_map.c",
        title="Five lines",
        kind=Choice(
            (
                ("rejected", "the compiler rejects it"),
                ("covers", "it covers the tile"),
                ("misses", "it misses the last line"),
                ("past", "it runs past the tile"),
            )
        ),
        question=(
            "`PitchLinearStripminedThreadMap<PitchLinearShape<16,5>, 32, 1>`: 32 threads fill 2 lines of 16 in a step, and the tile "
            "has 5 lines. What happens?"
        ),
        right=what_happens,
        replies=(
            Wrong("rejected", "CUTLASS up to 2.10 did. Since 2.11 it rounds the number of steps up, in silence."),
            Wrong("covers", "5 is no multiple of 2."),
            Wrong("misses", "It would if the number of steps were rounded down. It is rounded up."),
        ),
        because="3 steps of 2 lines are 6 lines.",
    ),
    Prediction(
        id="thread_map.d",
        title="The third stride",
        kind=Value(example="20", given=(("row pitch", 16), ("Pitch", 8), ("Strips", 4)), means=row_of_thread_32),
        question=(
            "64 threads with row pitch 16, Pitch 8 and Strips 4 are, by the formula, the layout (8,4,2):(1,16,x), one mode for each term. "
            "What is x?"
        ),
        right=lambda: int(StripThreadMap(16, 64, 8, 4).get_offset(32)),
        replies=(
            Wrong(
                64,
                "That is where the next group would follow on, and what x should be. Put thread 32 into the third term.",
            ),
            Wrong(32, "That is the thread at which the third mode takes its first step, not how far it goes."),
            Wrong(128, "That is Pitch · row pitch. The third term has the factor Strips, too."),
            Wrong(
                4, "That is the row where it would follow on, and x is an offset. Put thread 32 into the third term."
            ),
        ),
        because="Thread 32 is the first of the second group, and the third term sends it to 8·4·16.",
    ),
)


MISSING = "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,12>, 64, PitchLinearShape<8,4>, 8>"
FOUR = {
    "a": "PitchLinearStripminedThreadMap<PitchLinearShape<32,12>, 64, 1>",
    "b": "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,24>, 96, PitchLinearShape<8,4>, 8>",
    "c": "PitchLinearWarpStripedThreadMap<PitchLinearShape<64,24>, 128, PitchLinearShape<8,4>, 8>",
    "d": "PitchLinear2DThreadTileStripminedThreadMap<PitchLinearShape<64,32>, 64, PitchLinearShape<4,4>>",
}


@dataclass(frozen=True)
class Cover:
    """What counts of a map: class, tile and vector; and that it covers, or else the type itself."""

    kind: str
    tile: tuple[int, int]
    vector: int
    otherwise: str
    coverage: str


@dataclass(frozen=True)
class CoveringMap:
    """A thread map, as a C++ type, as an object, or as its number of threads.

    Any map of the right class, tile and vector that covers the tile is right.
    """

    @property
    def form(self) -> str:
        return "the whole C++ type of a thread map, as text, or its number of threads"

    def untouched(self, answer: Any) -> bool:
        return is_starter(answer)

    def read(self, answer: Any, seed: str = "") -> Cover:
        number = read_number(answer) if isinstance(answer, str) else (answer, "") if is_int(answer) else None
        if number is not None and 0 < number[0] <= 4096:
            answer = MISSING.replace(" 64, PitchLinearShape<8", f" {int(number[0])}, PitchLinearShape<8")
        found = parse_thread_map(tidy(answer)) if isinstance(answer, str) else answer
        if not isinstance(found, ThreadMap):
            raise CuteLabError(
                f'The answer must be a thread map, as text such as "{MISSING}"; yours is {describe(answer)}.'
            )
        covers = found.coverage()
        otherwise, words = ("", "") if covers.exact else (str(found), str(covers))
        contiguous, strided = found.tile
        return Cover(type(found).__name__, (contiguous, strided), found.elements_per_access, otherwise, words)

    def read_right(self, right: Any, seed: str = "") -> Cover:
        return self.read(right())

    def diagnose(self, mine: Cover, right: Cover, told: bool) -> Diagnosis:
        kept = (mine.kind, mine.tile, mine.vector) == (right.kind, right.tile, right.vector)
        named = "" if kept else "class, tile and vector are to stay as they are; only the number of threads may change."
        return Diagnosis("this map does not cover its tile." if mine.coverage else named, self._where(mine, right))

    def _where(self, mine: Cover, right: Cover) -> str:
        if mine.coverage:
            return f"Of yours, coverage() says: {mine.coverage}."
        for what, a, b in (
            ("class", mine.kind, right.kind),
            ("tile", mine.tile, right.tile),
            ("ElementsPerAccess", mine.vector, right.vector),
        ):
            if a != b:
                return f"Yours covers its tile, but its {what} is {a}, and {b} was asked for."
        return "Another number of threads was asked for."


def stripmined(columns: int, lines: int, threads: int, elements: int) -> tuple[int, int]:
    """Iterations and Delta along strided, computed by the library."""
    found = PitchLinearStripminedThreadMap(PitchLinearShape(columns, lines), threads, elements)
    return found.iterations.strided, found.delta.strided


def draw_map(random: Random) -> tuple[int, int, int, int]:
    """A strip-mined map whose threads fill one line or more."""
    elements, vectors = random.choice((1, 2, 4, 8)), random.choice((3, 4, 5, 6, 8, 12, 16))
    return vectors * elements, random.randint(1, 64), vectors * random.randint(1, 16), elements


def touched(thread: int, access: int) -> tuple[int, int]:
    """Where the raked 64 x 32 map sends this thread in this access."""
    raked = PitchLinearWarpRakedThreadMap(PitchLinearShape(64, 32), 128, PitchLinearShape(8, 4), 8)
    contiguous, strided = raked.accesses()[thread, access].tolist()
    return contiguous, strided


def faulty() -> str:
    """The one of the four maps that does not cover its tile."""
    return next(key for key, text in FOUR.items() if not parse_thread_map(text).coverage().exact)


EXERCISES = (
    Exercise(
        id="thread_map.1",
        title="Iterations and Delta by hand",
        name="strided",
        kind=Function(
            ("columns", "lines", "threads", "elements"),
            edges=((16, 8, 32, 1), (16, 5, 32, 1), (64, 32, 128, 8), (8, 3, 64, 1), (32, 8, 32, 1), (16, 16, 4, 4)),
            draw=draw_map,
            parts=("Iterations", "Delta"),
        ),
        question=(
            "A strip-mined map has a tile of `columns` x `lines`, `threads` threads and `elements` elements an access; the threads fill "
            "at least one line. Write `strided(columns, lines, threads, elements)`: the pair of Iterations and Delta along strided."
        ),
        right=stripmined,
        solution=(
            "def strided(columns, lines, threads, elements):\n"
            "    step = threads // (columns // elements)\n"
            "    return -(-lines // step), step"
        ),
        hints=(
            "How many vectors has a line? How many lines do all threads fill in one step?",
            "Delta is the number of lines that one step fills. Iterations is how many steps the tile needs.",
            "The number of steps is rounded up; `-(-a // b)` does that. Both numbers come from the lines of one step.",
        ),
        wrong=(
            Wrong(
                lambda columns, lines, threads, elements: (
                    lines // (threads // (columns // elements)),
                    threads // (columns // elements),
                ),
                "the last step is lost: CUTLASS rounds the number of steps up.",
            ),
            Wrong(
                lambda columns, lines, threads, elements: (-(-lines * columns // threads), max(1, threads // columns)),
                "this counts one element an access; a line has `columns // elements` vectors.",
            ),
            Wrong(
                lambda columns, lines, threads, elements: (
                    threads // (columns // elements),
                    -(-lines // (threads // (columns // elements))),
                ),
                "Iterations and Delta have changed places.",
            ),
            Wrong(
                lambda columns, lines, threads, elements: (-(-columns // threads), threads),
                "this is along contiguous; the pair along strided is asked for, in lines.",
            ),
            Wrong(
                lambda columns, lines, threads, elements: (-(-lines // (threads // (columns // elements))), threads),
                "Delta is a number of lines: the threads divided by the vectors of a line.",
            ),
            Wrong(
                lambda columns, lines, threads, elements: (-(-lines // (threads // (columns // elements))), 1),
                "Delta 1 would send a thread to the line that its neighbours fill in the same step.",
            ),
            Wrong(
                lambda columns, lines, threads, elements: (
                    -(-lines // (threads // (columns // elements))),
                    columns * (threads // (columns // elements)),
                ),
                "this Delta is a linear offset. A map counts lines; what a line is in memory, the layout says.",
            ),
        ),
        because="One step fills threads / (columns / elements) lines: that is Delta, and it goes into the tile's lines, rounded up.",
    ),
    Exercise(
        id="thread_map.2",
        title="Cover the tile",
        kind=CoveringMap(),
        question=(
            f"`{MISSING}` leaves 4 of its 12 lines untouched. Keep class, tile and vector, and change the number of threads, so that "
            "each element is touched once. Write the whole type."
        ),
        right=lambda: PitchLinearWarpRakedThreadMap(PitchLinearShape(64, 12), 96, PitchLinearShape(8, 4), 8),
        solution='answer = "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,12>, 96, PitchLinearShape<8,4>, 8>"',
        hints=(
            "A warp of 8 x 4 lanes covers 64 x 4 elements in one access. How many such blocks has the tile?",
            "There are 3 blocks. How many warps can share 3 blocks without a rest?",
            "1 warp or 3 warps work; a warp has 32 threads.",
        ),
        wrong=(
            Wrong(MISSING, "nothing has changed yet: 3 blocks for 2 warps leave a rest, and it is dropped."),
            Wrong(
                MISSING.replace(" 64,", " 128,"),
                "4 warps are one too many: the fourth starts at line 12, below the tile.",
            ),
            Wrong(
                MISSING.replace("<64,12>", "<64,16>"),
                "this covers a larger tile, 64 x 16. Lines 12 to 15 would have to be there in memory.",
            ),
            Wrong(
                MISSING.replace("<64,12>", "<64,8>"),
                "this covers its tile, but the tile has lost the four lines that we want to load.",
            ),
            Wrong(
                "PitchLinearStripminedThreadMap<PitchLinearShape<64,12>, 32, 8>",
                "this covers the tile as a strip-mined map. Stay with the raked one.",
            ),
        ),
        because="3 warp-wide accesses are shared without a rest by 3 warps (96 threads) or by 1 warp (32 threads).",
    ),
    Exercise(
        id="thread_map.3",
        title="Spot the silent fault",
        kind=Choice(tuple((key, f"{key}: `{text}`") for key, text in FOUR.items())),
        question="All four compile, and one of them does not cover its tile. Which? Count first, then ask `coverage()`. "
        + " ".join(f"{key}: `{text}`." for key, text in FOUR.items()),
        right=faulty,
        again=other_fault,
        solution='answer = "c"',
        hints=(
            "For each map: how many warp-wide (or block-wide) accesses has the tile, and how many warps share them?",
            "Look for a division with a remainder. Which of these tiles has 6 blocks for a number of warps that does not divide 6?",
        ),
        wrong=(
            Wrong("a", "64 threads fill 2 lines of 32, and 12 is a multiple of 2."),
            Wrong("b", "the tile has 6 blocks of 64 x 4, and 96 threads are 3 warps: 2 blocks each."),
            Wrong("d", "the tile has 16 x 8 thread tiles of 4 x 4: two for each of the 64 threads."),
        ),
        because="6 blocks for 4 warps: each warp takes one, and the last 8 lines are never touched.",
    ),
    Exercise(
        id="thread_map.4",
        title="Read what a thread touches",
        kind=Value("tuple", example="(8, 12)", parts=("contiguous", "strided"), means=who_is_there),
        question=(
            "In the raked map `<64,32>, 128, <8,4>, 8` (Iterations (1,2), Delta (64,4)), where does thread 77 make its access 1? Give "
            "(contiguous, strided) of its first element. By hand, if you can."
        ),
        right=lambda: touched(77, 1),
        solution="answer = (40, 21)",
        hints=(
            "Which warp is thread 77 in, and which lane is it there? Where does the block of that warp begin?",
            "Warp 2, lane 13; the block of warp 2 begins at line 16. The lanes lie 8 in a line, and each takes 8 elements.",
            "Lane 13 is the sixth lane of the second line. Access 1 is one Delta further down.",
        ),
        wrong=(
            Wrong((21, 40), "the two have changed places: contiguous comes first."),
            Wrong((40, 17), "this is access 0, its initial_offset. Add one Delta along strided."),
            Wrong(
                (5, 21),
                "lane 13 is the sixth of its line, but it starts after five vectors of 8 elements. Count elements.",
            ),
            Wrong(
                (40, 25),
                "this is the striped map, where the warps take turns. Raked, each warp has a block of 8 lines.",
            ),
            Wrong((41, 21), "the lane starts at a whole vector: 5 vectors of 8 elements come before it in its line."),
            Wrong((8, 21), "the lane is the sixth of its line, so five vectors of 8 elements come before it."),
            Wrong((40, 81), "64 is Delta along contiguous; down the lines Delta is 4."),
            Wrong((40, 13), "this counts lines over the whole block, 77 / 8; raked, each warp has lines of its own."),
            Wrong(
                (40, 9),
                "this is access 0, and it counts lines over the whole block, 77 / 8; raked, each warp has its own.",
            ),
            Wrong((40, 5), "this is warp 0. Thread 77 is in warp 2, whose block begins at line 16."),
            Wrong(
                (104, 17), "Delta has two parts; access 1 is the second iteration along strided, not along contiguous."
            ),
        ),
        because="Lane 13 of warp 2 starts at (5·8, 16 + 1), and one Delta of 4 lines further is access 1.",
    ),
    Exercise(
        id="thread_map.5",
        title="A striped map as a layout",
        kind=LayoutMap('"((8,4,4),2):((8,64,512),256)"'),
        question=(
            "The raked map `<64,32>, 128, <8,4>, 8` is `((8,4,4),2):((8,64,512),256)`: (lane across, lane down, warp), access. Write the "
            "*striped* map of the same tile in the same way. Its warps take turns: warp 1 begins at line 4, and access 1 of warp 0 at line 16."
        ),
        right=lambda: in_memory(
            PitchLinearWarpStripedThreadMap(PitchLinearShape(64, 32), 128, PitchLinearShape(8, 4), 8), 64
        ),
        solution='answer = "((8,4,4),2):((8,64,256),1024)"',
        hints=(
            "The lanes stand as before: 8 elements across, and one line of 64 down. Only the last two strides change.",
            "The next warp is 4 lines further, and a line is 64 elements long. The next access is 16 lines further.",
        ),
        wrong=(
            Wrong(
                "((8,4,4),2):((8,64,512),256)",
                "this is the raked map: warp 1 begins at line 8, behind both accesses of warp 0.",
            ),
            Wrong("((8,4,4),2):((8,64,256),256)", "access 1 of warp 0 would fall on access 0 of warp 1."),
            Wrong("((8,4,4),2):((8,64,4),16)", "4 and 16 are lines; a stride counts elements, and a line has 64."),
            Wrong(
                "((8,4,4),2):((1,64,256),1024)",
                "each lane takes a vector of 8 elements, so the next lane is 8 further.",
            ),
            Wrong(
                "((8,4,4),2):((8,64,1024),256)",
                "the two strides have changed places: the warps are 4 lines apart, the accesses 16.",
            ),
            Wrong(
                "((8,4,4),2):((8,32,256),1024)", "a line of the tile is 64 elements long: 32 is its number of lines."
            ),
        ),
        because="Warps are 4·64 apart and accesses 16·64. The first three modes are even one, 128 vectors side by side.",
    ),
    Exercise(
        id="thread_map.6",
        title="The residue comes first",
        kind=Value("tuple", example="(0, 4, 12)", means=what_they_cover),
        question=(
            "A matrix has 44 lines, and a tile has 16. CUTLASS's iterator walks down, the residue tile first. At which lines do the tiles "
            "begin that it visits? Give all of them, in its order."
        ),
        right=lambda: starts_of(44, 16),
        solution="answer = (0, 12, 28)",
        hints=(
            "How many whole tiles are there, and what is left over?",
            "Two whole tiles are 32 lines, and the rest is visited first. After it the iterator moves on by the rest.",
        ),
        wrong=(
            Wrong((0, 16, 32), "so it is if the partial tile comes last. CUTLASS visits it first."),
            Wrong((32, 0, 16), "the partial tile is the first one *in memory*, too: the walk goes down from line 0."),
            Wrong((0, 12, 24), "after the residue tile all tiles are whole: 16 lines, not 12."),
            Wrong((12, 28), "the residue tile is a tile, too: it begins at line 0."),
            Wrong((0, 12), "this leaves out the last whole tile."),
            Wrong((0, 12, 28, 44), "at line 44 the matrix has ended."),
            Wrong((12, 16, 16), "these are the numbers of lines of the tiles; where they begin is asked."),
        ),
        because="44 = 12 + 16 + 16: first the 12, then whole tiles that need no mask along that way.",
    ),
)
