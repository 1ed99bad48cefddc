"""Exercises of notebook 05_strips."""

from __future__ import annotations

from random import Random

from cutelab import StripThreadMap, wavefronts
from cutelab.lessons.exercise import Exercise, Wrong
from cutelab.lessons.functions import Function
from cutelab.lessons.kinds import Value
from cutelab.lessons.predict_05_strips import cost, least_pitch

FOUR = ("t", "row_pitch", "pitch", "strips")


def strip_offset(t: int, row_pitch: int, pitch: int, strips: int) -> int:
    """The offset of thread t by the strip formula."""
    return StripThreadMap(row_pitch, 1024, pitch, strips).get_offset(t)


def mended_offset(t: int, row_pitch: int, pitch: int, strips: int) -> int:
    """The offset of thread t if each group followed on the one before: what Strips >= threads / Pitch gives."""
    return StripThreadMap(row_pitch, 1024, pitch, 1024).get_offset(t)


def draw_thread(random: Random) -> tuple[int, int, int, int]:
    """A thread and a map of random size."""
    pitch = random.randint(1, 32)
    return random.randrange(1024), random.randint(pitch, 64), pitch, random.randint(1, 16)


def enough_strips(threads: int, pitch: int) -> int:
    """The smallest Strips with which no row is skipped."""
    return next(s for s in range(1, threads + 1) if not StripThreadMap(pitch, threads, pitch, s).skipped_rows)


def exact_map(threads: int, rows: int, columns: int) -> tuple[int, int]:
    """The largest Pitch, and then the smallest Strips, that touch each element of the tile once."""
    tries = ((p, s) for p in range(columns, 0, -1) for s in range(1, threads + 1))
    return next(x for x in tries if StripThreadMap(columns, threads, *x).coverage((columns, rows)).exact)


EXERCISES = (
    Exercise(
        id="05.1",
        title="The formula in code",
        name="offset",
        kind=Function(
            FOUR,
            edges=(
                (0, 16, 8, 4),
                (7, 16, 8, 4),
                (8, 16, 8, 4),
                (31, 16, 8, 4),
                (32, 16, 8, 4),
                (63, 16, 8, 4),
                (8, 16, 8, 1),
            ),
            draw=draw_thread,
        ),
        question="Write the strip formula, exactly as it stands above: `offset(t, row_pitch, pitch, strips)`.",
        right=strip_offset,
        solution=(
            "def offset(t, row_pitch, pitch, strips):\n"
            "    row = t // pitch\n"
            "    return t % pitch + row % strips * row_pitch + row // strips * (pitch * strips * row_pitch)"
        ),
        hints=(
            "All divisions are integer divisions: `//` in Python.",
            "Start with t divided by Pitch. The second and the third term both use the quotient.",
            "Second term: `row % strips` steps of `row_pitch`. Third term: `row // strips` steps of `pitch * strips * row_pitch`.",
        ),
        wrong=(
            Wrong(
                lambda t, row_pitch, pitch, strips: t % pitch + t // pitch * row_pitch,
                "this is the plain map. The strip formula splits t / Pitch into a strip and a group.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t % pitch + t // pitch % strips * row_pitch + t // pitch // strips * (pitch * strips)
                ),
                "the third term lacks the row pitch.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t % pitch + t // pitch % strips + t // pitch // strips * (pitch * strips * row_pitch)
                ),
                "the second term lacks the row pitch: one strip down is one row.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t % pitch + t // pitch % strips * row_pitch + t // strips * (pitch * strips * row_pitch)
                ),
                "the group is (t / Pitch) / Strips; you divide t by Strips alone.",
            ),
        ),
        because="Three terms: place in the strip, strip in the group, group.",
    ),
    Exercise(
        id="05.2",
        title="Mend it",
        name="mended",
        kind=Function(
            FOUR,
            edges=(
                (0, 16, 8, 4),
                (8, 16, 8, 4),
                (31, 16, 8, 4),
                (32, 16, 8, 4),
                (63, 16, 8, 4),
                (8, 16, 8, 1),
                (5, 8, 1, 2),
            ),
            draw=draw_thread,
        ),
        question=(
            "Change the third term so that each group of rows follows directly on the one before: with 64 threads, thread "
            "32 of the walk-through goes to row 4. Write `mended(t, row_pitch, pitch, strips)`."
        ),
        right=mended_offset,
        solution=(
            "def mended(t, row_pitch, pitch, strips):\n"
            "    row = t // pitch\n"
            "    return t % pitch + row % strips * row_pitch + row // strips * (strips * row_pitch)"
        ),
        hints=(
            "How many rows has one group? That many rows further the next one has to begin.",
            "A group has Strips rows, and each row is `row_pitch` long. Compare with the factor in the formula.",
            "Leave the factor `pitch` out of the third term.",
        ),
        wrong=(
            Wrong(strip_offset, "this is the formula as it was: thread 32 still goes to row 32."),
            Wrong(
                lambda t, row_pitch, pitch, strips: t % pitch + t // pitch % strips * row_pitch,
                "without a third term the second group lies on the first.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t % pitch + t // pitch % strips * row_pitch + t // pitch // strips * (pitch * strips)
                ),
                "Pitch · Strips is a number of threads. The step has to be a number of rows, times the row pitch.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t % pitch + t // pitch % strips * row_pitch + t // pitch // strips * row_pitch
                ),
                "one row further is too near: a group has Strips rows.",
            ),
        ),
        because=(
            "Mended, the formula is t % Pitch + (t / Pitch) · row pitch, the plain map: Strips has dropped out altogether."
        ),
    ),
    Exercise(
        id="05.3",
        title="Skip nothing",
        kind=Value("int", example="12"),
        question="256 threads, Pitch 32. Which is the smallest Strips with which no row is skipped?",
        right=lambda: enough_strips(256, 32),
        solution="answer = 256 // 32",
        hints=(
            "No row is skipped as long as the third term is 0 for every thread.",
            "The third term is 0 if t / Pitch is always smaller than Strips. How large does t / Pitch get?",
            "The last thread is 255, and 255 // 32 is 7.",
        ),
        wrong=(
            Wrong(1, "with Strips 1 every strip is a group of its own, and the next one is 32 rows further."),
            Wrong(7, "7 is the largest t / Pitch; it has to be smaller than Strips."),
            Wrong(4, "with Strips 4 threads 128 to 255 are a second group, at row 128."),
            Wrong(32, "this skips nothing, but a smaller Strips will do."),
            Wrong(256, "that is the number of threads: it skips nothing, but far fewer strips will do."),
        ),
        because="threads / Pitch = 8 strips hold all threads. From there on Strips changes nothing.",
    ),
    Exercise(
        id="05.4",
        title="Each element once",
        kind=Value("tuple", example="(4, 2)"),
        question=(
            "A tile of 8 rows and 16 columns, row pitch 16, and 128 threads. Which Pitch and which smallest Strips touch "
            "each element once? `answer = (pitch, strips)`."
        ),
        right=lambda: exact_map(128, 8, 16),
        solution="answer = (16, 8)",
        hints=(
            "There are as many threads as elements, so all columns have to be touched.",
            "Columns 0 to Pitch - 1 are touched. Then choose Strips so that no row is skipped.",
            "Pitch is the number of columns; Strips is threads / Pitch.",
        ),
        wrong=(
            Wrong((8, 16), "Pitch 8 leaves columns 8 to 15 untouched, and the threads run to row 15 instead."),
            Wrong((16, 4), "with Strips 4 threads 64 to 127 start at row 64."),
            Wrong((16, 1), "with Strips 1 the strips lie 16 rows apart."),
            Wrong((8, 4), "Pitch 8 leaves columns 8 to 15 untouched, and thread 32 goes to row 32."),
            Wrong((16, 16), "each element is touched once, but a smaller Strips will do."),
            Wrong((16, 128), "that is Strips = threads: each element is touched once, but far fewer strips will do."),
        ),
        because="Pitch is the tile's width and Strips is threads / Pitch: here the formula is CUTLASS's start offset, too.",
    ),
    Exercise(
        id="05.5",
        title="Half the size",
        kind=Value("int", example="12"),
        question=(
            "half (2 bytes), row pitch 128, Strips 32. Which is the smallest Pitch, a power of two, with which a warp needs "
            "the fewest sectors?"
        ),
        right=lambda: least_pitch(128, 2),
        solution="answer = 32 // 2",
        hints=(
            "A sector has 32 bytes. How many elements of 2 bytes is that?",
            "A run of Pitch neighbours should fill whole sectors. Try it in the explorer with element half.",
        ),
        wrong=(
            Wrong(8, "that is the answer for float32. 8 elements of half fill only half a sector."),
            Wrong(32, "this needs the fewest sectors as well, but it is not the smallest."),
            Wrong(64, "with 64 the warp is one run of 32 elements; a shorter run needs as few sectors."),
            Wrong(4, "4 elements of half are 8 bytes: a quarter of each sector is used."),
        ),
        because="16 elements of 2 bytes fill a sector: two runs of 16 are 2 sectors, the ideal.",
    ),
    Exercise(
        id="05.6",
        title="A cure that is none",
        kind=Value("int", example="12"),
        question=(
            "float32 in shared memory, row pitch 96, Pitch 4, Strips 8. How many wavefronts does a warp need? Try to lower "
            "it with Strips before you answer."
        ),
        right=lambda: cost(wavefronts, 96, 4, 8),
        solution="answer = 32 // 4",
        hints=(
            "96 is a multiple of 32. Which terms can move a word to another bank?",
            "Only t % 4 can. How many banks are that, and how many words?",
        ),
        wrong=(
            Wrong(1, "that would need 32 different banks; t % 4 reaches only 4."),
            Wrong(4, "4 is the number of banks that are used. 32 words have to pass through them."),
            Wrong(3, "96 / 32 does not matter: any multiple of 32 leads back to the same bank."),
            Wrong(32, "not all words are in one bank: t % 4 spreads them over 4."),
            Wrong(2, "the words do not spread that far: t % 4 reaches only 4 banks."),
        ),
        because="32 words in 4 banks are 8 wavefronts for every Strips. What helps is a wider Pitch or another row pitch.",
    ),
)
