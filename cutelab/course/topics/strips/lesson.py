"""What lesson strips asks: its predictions and its exercises."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Choice, Value
from cutelab.cutlass import StripThreadMap
from cutelab.hardware import WarpAccess, sectors, wavefronts


def plain_threads() -> int:
    """How many of 32 threads keep the plain map's offset with Strips = 1 (Pitch 12, row pitch 16)?"""
    plain = StripThreadMap(16, 32, 12, 32).offsets()
    return int((StripThreadMap(16, 32, 12, 1).offsets() == plain).sum())


def cost(model: Callable[[WarpAccess], Any], row_pitch: int, pitch: int, strips: int, element_bytes: int = 4) -> int:
    """Sectors or wavefronts of one warp of the strip formula."""
    address, active = StripThreadMap(row_pitch, 32, pitch, strips).warp_addresses(element_bytes)
    return int(model(WarpAccess(address, element_bytes, "load", active)).count[0])


def least_pitch(row_pitch: int, element_bytes: int) -> int:
    """Which is the smallest Pitch (a power of two) with the fewest sectors a warp?"""
    pitches = [1, 2, 4, 8, 16, 32, 64, 128]
    counts = [cost(sectors, row_pitch, p, 32, element_bytes) for p in pitches]
    return pitches[counts.index(min(counts))]


def best_strips() -> str:
    """Which Strips frees Pitch 8 from bank conflicts when the row pitch is 32?"""
    free = [s for s in (1, 4, 32) if cost(wavefronts, 32, 8, s) == 1]
    return str(free[0]) if free else "none"


def rows_left_out(strips: int) -> str:
    """What this Strips would mean for 256 threads with Pitch 32."""
    if not 1 <= strips <= 2**20:
        return f"Strips is a number from 1 on; yours is {strips}."
    skipped = StripThreadMap(32, 256, 32, strips).skipped_rows
    if skipped:
        return f"with Strips {strips} the 256 threads leave out {skipped} rows between the first and the last that they touch."
    return f"with Strips {strips} no row is skipped; is there no smaller one?"


def one_exact(pair: tuple[int, ...]) -> Any:
    """(Pitch, Strips) that touch each element of 8 x 16 once with 128 threads, Strips as small as that Pitch allows."""
    if len(pair) != 2 or not all(1 <= n <= 1024 for n in pair):
        return pair
    pitch, strips = pair
    exact = [s for s in range(1, strips + 1) if StripThreadMap(16, 128, pitch, s).coverage((16, 8)).exact]
    return (16, 8) if exact == [strips] else pair


def how_it_covers(pair: tuple[int, ...]) -> str:
    """What this (Pitch, Strips) would do to the tile."""
    if len(pair) != 2 or not all(1 <= n <= 1024 for n in pair):
        return "Pitch and Strips are numbers from 1 on."
    found = StripThreadMap(16, 128, *pair).coverage((16, 8))
    if found.exact:
        return f"Pitch {pair[0]} and Strips {pair[1]} touch each element once; is there no smaller Strips?"
    return f"Pitch {pair[0]} and Strips {pair[1]} touch {found.covered} of the 128 elements of the tile."


def sectors_of_half(pitch: int) -> str:
    """Sectors of a warp of half with this Pitch."""
    if not 1 <= pitch <= 128 or pitch & (pitch - 1):
        return f"Pitch is a power of two from 1 to 128 here; yours is {pitch}."
    count = cost(sectors, 128, pitch, 32, 2)
    least = cost(sectors, 128, 128, 32, 2)
    if count > least:
        return f"with Pitch {pitch} a warp needs {count} sectors, and {least} are possible."
    return f"with Pitch {pitch} a warp needs {count} sectors, the fewest; is there no smaller Pitch?"


def fullest_bank(count: int) -> str:
    """What this number of wavefronts would mean for 32 words."""
    if not 1 <= count <= 32:
        return f"32 words take 1 wavefront at least and 32 at most; yours is {count}."
    return (
        f"{count} wavefronts mean that the fullest bank holds {count} of the 32 words: how many banks does t % 4 reach?"
    )


def offset_of_row(row: int) -> str:
    """What this row would mean for thread 32."""
    return f"row {row} begins at offset {16 * row}; the third term of thread 21 is Pitch · Strips · row pitch."


def agreeing(count: int) -> str:
    """What it would mean that so many threads agree."""
    if not 0 <= count <= 32:
        return f"there are 32 threads; {count} of them cannot agree."
    if count > 12:
        return f"so thread {count - 1} would agree; but there t / 12 is {(count - 1) // 12}, and the third term is no longer 0."
    return f"so thread {count} would differ already; but there t / 12 is 0, and both maps give t."


def inside_tile(count: int) -> str:
    """What it would mean that so many elements are touched."""
    if count > 32:
        return f"32 threads with one offset each touch 32 elements at most; {count} is more."
    return f"so thread {count} would be the first outside the tile, or one that touches nothing new. Where does thread 16 begin?"


def other_group(random: Random) -> Prediction:
    """Where another group of threads stands."""
    pitch, strips = random.choice(((4, 2), (4, 4), (16, 2)))
    row_pitch, threads = 32, pitch * strips
    return Prediction(
        id="strips.a",
        title="The next threads",
        kind=Value(given=(("row pitch", row_pitch), ("Pitch", pitch), ("Strips", strips))),
        question=(
            f"Row pitch {row_pitch}, Pitch {pitch}, Strips {strips}: threads 0 to {threads - 1} are the first group. In which row "
            f"does thread {threads} stand?"
        ),
        right=lambda: int(StripThreadMap(row_pitch, threads + 1, pitch, strips).coords()[threads, 1]),
        replies=(Wrong(strips, "That is where it would follow on."),),
        because=f"The third term is {pitch}·{strips}·{row_pitch}, and a row has {row_pitch} elements.",
    )


PREDICTIONS = (
    Prediction(
        id="strips.a",
        title="The next 16 threads",
        kind=Value(given=(("row pitch", 16), ("Pitch", 4), ("Strips", 4)), means=offset_of_row),
        again=other_group,
        question=(
            "Another Pitch: row pitch 16, Pitch 4, Strips 4. Threads 0 to 15 stand in rows 0 to 3. In which row does thread 21 stand?"
        ),
        right=lambda: int(StripThreadMap(16, 32, 4, 4).coords()[21, 1]),
        replies=(
            Wrong(5, "That is t / Pitch, its row in the plain map: what everybody expects."),
            Wrong(1, "Its row in the group is 1, but it is in the second group: the third term is not 0."),
            Wrong(16, "There the second group begins. Thread 21 is in the second strip of it, one row further down."),
            Wrong(4, "There the second group would follow on, and thread 21 is in the second strip of it."),
            Wrong(273, "That is its offset; a row has 16 elements."),
            Wrong(256, "That is the third term alone, an offset; a row has 16 elements."),
            Wrong(33, "So it would be with Pitch 8: the third term has the factor Pitch, which is 4 here."),
            Wrong(20, "Row 4 + 16: but the group is counted in the third term already, and in it the strip is 5 % 4."),
        ),
        because=(
            "t / 4 is 5: strip 1 of group 1. The third term is 4·4·16 = 256 elements, which is row 16, and one strip further is row 17. "
            "Rows 4 to 15 are skipped."
        ),
    ),
    Prediction(
        id="strips.b",
        title="Strips = 1",
        kind=Value(unit="threads", example="20", given=(("row pitch", 16), ("threads", 32)), means=agreeing),
        question=(
            "Set Strips to 1 (row pitch 16, 32 threads, Pitch 12). How many of the 32 threads have the offset of the plain "
            "map, t % 12 + (t / 12) · 16?"
        ),
        right=plain_threads,
        replies=(
            Wrong(32, "That is what the article says. But then the third term would have to be (t / 12) · 16."),
            Wrong(0, "Where t / 12 is 0, both maps give t."),
            Wrong(1, "All threads with t / 12 = 0 agree, not only thread 0."),
            Wrong(20, "That many differ."),
            Wrong(16, "Thread 12 differs already."),
            Wrong(8, "The last 8 threads are the rest of 32 / 12; look at the first ones."),
            Wrong(24, "Threads 12 to 23 have t / 12 = 1, and their third term is not the plain one."),
            Wrong(4, "All threads with t / 12 = 0 agree. How many are these?"),
        ),
        because="With Strips = 1 the row is (t / 12) · 12, not t / 12: only the first 12 threads agree.",
    ),
    Prediction(
        id="strips.c",
        title="A 16 x 8 tile",
        kind=Value(unit="elements", given=(("rows", 16), ("columns", 8), ("threads", 32)), means=inside_tile),
        question=(
            "A tile of 16 rows and 8 columns, rows 8 apart. 32 threads, Pitch 8, Strips 2. How many of its 128 elements "
            "does the formula touch?"
        ),
        right=lambda: StripThreadMap(8, 32, 8, 2).coverage((8, 16)).covered,
        replies=(
            Wrong(128, "There are 32 threads, and the formula gives each of them one offset."),
            Wrong(32, "All 32 threads would have to stand inside the tile."),
            Wrong(64, "The formula gives each thread one offset, not two."),
            Wrong(0, "Threads 0 to 15 stand in rows 0 and 1."),
        ),
        because="Threads 16 to 31 start at offset 8·2·8 = 128, which is row 16: the tile ends at row 15.",
    ),
    Prediction(
        id="strips.d",
        title="Pitch and sectors",
        kind=Choice.of(1, 8, 32, 128),
        question=(
            "float32, row pitch 128, Strips 32. Which is the smallest of these Pitches with which a warp needs the fewest "
            "sectors?"
        ),
        right=lambda: str(least_pitch(128, 4)),
        replies=(
            Wrong(
                "1",
                f"Then each lane stands in a row of its own, in a sector of its own: {cost(sectors, 128, 1, 32)} sectors.",
            ),
            Wrong(
                "32",
                f"Then the warp is one run of 32 elements, in {cost(sectors, 128, 32, 32)} sectors. But runs of 8, a sector each, are as many.",
            ),
            Wrong(
                "128",
                f"Lanes 0 to 31 are the same 32 neighbours as with Pitch 32: {cost(sectors, 128, 128, 32)} sectors, and a smaller Pitch has no more.",
            ),
        ),
        because="A sector is 32 bytes, 8 elements of float32. Four runs of 8 are four sectors, as many as one run of 32.",
    ),
    Prediction(
        id="strips.e",
        title="Strips against bank conflicts",
        kind=Choice((("1", "Strips 1"), ("4", "Strips 4"), ("32", "Strips 32"), ("none", "none of them"))),
        question="Row pitch 32, Pitch 8, float32 in shared memory. Which Strips brings the warp down to 1 wavefront?",
        right=best_strips,
        replies=(
            Wrong(
                "1",
                f"The rows lie 8·32 apart then, which is a multiple of 32 banks: {cost(wavefronts, 32, 8, 1)} wavefronts.",
            ),
            Wrong("4", f"The rows lie 32 apart then: the same bank again: {cost(wavefronts, 32, 8, 4)} wavefronts."),
            Wrong("32", f"The rows lie 32 apart then, as with Strips 4: {cost(wavefronts, 32, 8, 32)} wavefronts."),
        ),
        because="Both other terms are multiples of 32, so only t % 8 chooses the bank: 8 banks for 32 words, whatever Strips is.",
    ),
)


FOUR = ("t", "row_pitch", "pitch", "strips")


def strip_offset(t: int, row_pitch: int, pitch: int, strips: int) -> int:
    """The offset of thread t by the strip formula."""
    return int(StripThreadMap(row_pitch, 1024, pitch, strips).get_offset(t))


def mended_offset(t: int, row_pitch: int, pitch: int, strips: int) -> int:
    """The offset of thread t if each group followed on the one before: what Strips >= threads / Pitch gives."""
    return int(StripThreadMap(row_pitch, 1024, pitch, 1024).get_offset(t))


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
        id="strips.1",
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
                "this is the plain map, and what a mended third term would give. The formula as it stands has Pitch in that term, too.",
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
                    t % pitch * row_pitch + t // pitch % strips + t // pitch // strips * (pitch * strips * row_pitch)
                ),
                "row and column have changed places: the place in the strip, t % Pitch, is the one that is not multiplied.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t // pitch + t // pitch % strips * row_pitch + t // pitch // strips * (pitch * strips * row_pitch)
                ),
                "the first term is the place in the strip, t modulo Pitch; you divide.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t % pitch + t // pitch // strips * row_pitch + t // pitch % strips * (pitch * strips * row_pitch)
                ),
                "% and / have changed places in the second and the third term: the strip is modulo Strips, the group divided by it.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t % pitch + t // pitch % strips * pitch + t // pitch // strips * (pitch * strips * row_pitch)
                ),
                "the second term has Pitch where the row pitch belongs: one strip down is one row.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: t % pitch + t // pitch % strips * row_pitch,
                "the third term, the group, is missing.",
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
        id="strips.2",
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
                    t % pitch + t // pitch % strips * row_pitch + t // pitch // strips * (pitch * row_pitch)
                ),
                "the third term has the factor Pitch; a group has Strips rows, so that factor must be Strips.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: (
                    t % pitch + t // pitch % strips * row_pitch + t // pitch // strips * strips
                ),
                "the third term lacks the row pitch: Strips is a number of rows.",
            ),
            Wrong(
                lambda t, row_pitch, pitch, strips: t // pitch + t % pitch * row_pitch,
                "row and column have changed places: t % Pitch is the column.",
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
        id="strips.3",
        title="Skip nothing",
        kind=Value(given=(("threads", 256), ("Pitch", 32)), means=rows_left_out),
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
        id="strips.4",
        title="Each element once",
        kind=Value("tuple", example="(4, 2)", parts=("pitch", "strips"), same=one_exact, means=how_it_covers),
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
        id="strips.5",
        title="Half the size",
        kind=Value(given=(("row pitch", 128), ("Strips", 32), ("bytes of an element", 2)), means=sectors_of_half),
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
        id="strips.6",
        title="A fix that is none",
        kind=Value(unit="wavefronts", given=(("row pitch", 96), ("Pitch", 4), ("Strips", 16)), means=fullest_bank),
        question=(
            "float32 in shared memory, row pitch 96, Pitch 4, Strips 16. How many wavefronts does a warp need? Try to lower "
            "it with Strips before you answer."
        ),
        right=lambda: cost(wavefronts, 96, 4, 16),
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
            Wrong(16, "16 is Strips, and it does not matter here: the row pitch is a multiple of 32 banks."),
            Wrong(2, "the words do not spread that far: t % 4 reaches only 4 banks."),
        ),
        because="32 words in 4 banks are 8 wavefronts for every Strips. What helps is a wider Pitch or another row pitch.",
    ),
)
