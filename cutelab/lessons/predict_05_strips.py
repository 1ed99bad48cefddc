"""Predictions of notebook 05_strips."""

from __future__ import annotations

from cutelab import StripThreadMap, WarpAccess, sectors, wavefronts
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value


def plain_threads() -> int:
    """How many of 32 threads keep the plain map's offset with Strips = 1 (Pitch 8, row pitch 16)?"""
    plain = StripThreadMap(16, 32, 8, 32).offsets()
    return int((StripThreadMap(16, 32, 8, 1).offsets() == plain).sum())


def cost(model, row_pitch: int, pitch: int, strips: int, element_bytes: int = 4) -> int:
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


PREDICTIONS = (
    Prediction(
        id="05.a",
        title="The next 32 threads",
        kind=Value("int", example="12"),
        question="Row pitch 16, Pitch 8, Strips 4. Threads 0 to 31 stand in rows 0 to 3. In which row does thread 32 stand?",
        right=lambda: int(StripThreadMap(16, 64, 8, 4).coords()[32, 1]),
        replies=(
            Wrong(4, "That is where it would follow on, and what everybody expects."),
            Wrong(0, "Its row in the group is 0, but it is in the second group: the third term is not 0."),
            Wrong(512, "That is its offset; a row has 16 elements."),
            Wrong(64, "64 is the offset of row 4, where the next group would follow on."),
            Wrong(8, "Look at the third term again: it is Pitch · Strips · row pitch."),
        ),
        because="The third term is 8·4·16 = 512 elements, and 512 / 16 is row 32: rows 4 to 31 are skipped.",
    ),
    Prediction(
        id="05.b",
        title="Strips = 1",
        kind=Value("int", example="12"),
        question=(
            "Set Strips to 1 (row pitch 16, 32 threads, Pitch 8). How many of the 32 threads have the offset of the plain "
            "map, t % 8 + (t / 8) · 16?"
        ),
        right=plain_threads,
        replies=(
            Wrong(32, "That is what the article says. But then the third term would have to be (t / 8) · 16."),
            Wrong(0, "Where t / 8 is 0, both maps give t."),
            Wrong(1, "All threads with t / 8 = 0 agree, not only thread 0."),
            Wrong(24, "That many differ."),
            Wrong(16, "Thread 8 differs already."),
        ),
        because="With Strips = 1 the row is (t / 8) · 8, not t / 8: only the first 8 threads agree.",
    ),
    Prediction(
        id="05.c",
        title="A 16 x 8 tile",
        kind=Value("int", example="12"),
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
        id="05.d",
        title="Pitch and sectors",
        kind=Choice.of(1, 8, 32, 128),
        question=(
            "float32, row pitch 128, Strips 32. Which is the smallest of these Pitches with which a warp needs the fewest "
            "sectors?"
        ),
        right=lambda: str(least_pitch(128, 4)),
        replies=(
            Wrong("1", "Then each lane stands in a row of its own, in a sector of its own."),
            Wrong("32", "Then the warp is one run of 32 elements. But a sector holds only 8 of them."),
            Wrong("128", "Lanes 0 to 31 are the same 32 neighbours as with Pitch 32."),
        ),
        because="A sector is 32 bytes, 8 elements of float32. Four runs of 8 are four sectors, as many as one run of 32.",
    ),
    Prediction(
        id="05.e",
        title="Strips against bank conflicts",
        kind=Choice((("1", "Strips 1"), ("4", "Strips 4"), ("32", "Strips 32"), ("none", "none of them"))),
        question="Row pitch 32, Pitch 8, float32 in shared memory. Which Strips brings the warp down to 1 wavefront?",
        right=best_strips,
        replies=(
            Wrong("1", "The rows lie 8·32 apart then, which is a multiple of 32 banks."),
            Wrong("4", "The rows lie 32 apart then: the same bank again."),
            Wrong("32", "The rows lie 32 apart then, as with Strips 4."),
        ),
        because="Both other terms are multiples of 32, so only t % 8 chooses the bank: 8 banks for 32 words, whatever Strips is.",
    ),
)
