"""Predictions of notebook 06_thread_map."""

from __future__ import annotations

from cutelab import PitchLinearStripminedThreadMap, PitchLinearWarpRakedThreadMap
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value


def lines_of_warp(warp: int) -> str:
    """First and last line that this warp of the raked 64 x 32 map touches."""
    raked = PitchLinearWarpRakedThreadMap((64, 32), 128, (8, 4), 8)
    lines = raked.accesses()[32 * warp : 32 * warp + 32, :, 1]
    return f"{lines.min()} to {lines.max()}"


def what_happens() -> str:
    """What the strip-mined map of 16 x 5 elements and 32 threads does."""
    found = PitchLinearStripminedThreadMap((16, 5), 32).coverage()
    return "covers" if found.exact else "past" if found.out_of_tile_elements else "misses"


PREDICTIONS = (
    Prediction(
        id="06.a",
        title="Accesses of one thread",
        kind=Value("int", example="12"),
        question=(
            "32 threads share a tile of 16 x 8 elements, one element an access, each element once. How many accesses does "
            "each thread make?"
        ),
        right=lambda: PitchLinearStripminedThreadMap((16, 8), 32).accesses_per_thread,
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
        id="06.b",
        title="Raked",
        kind=Choice.of("4 to 7", "8 to 15", "4 to 23"),
        question=(
            "A tile of 32 lines, 4 warps; one access of a warp covers 4 lines. The map is *raked*: each warp owns one block of "
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
                "That is the *striped* map: lines 4 to 7, and after all warps had their turn, lines 20 to 23.",
            ),
        ),
        because="32 lines for 4 warps are 8 each, and the block of warp 1 is the second one.",
    ),
    Prediction(
        id="06.c",
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
)
