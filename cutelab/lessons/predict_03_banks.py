"""Predictions of notebook 03_banks."""

from __future__ import annotations

import numpy as np

from cutelab import WarpAccess, wavefronts
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value


def column(pitch: int) -> int:
    """Wavefronts of a warp that reads a column of float32, rows `pitch` elements apart."""
    return wavefronts(WarpAccess(np.arange(32) * pitch * 4, 4)).count


PREDICTIONS = (
    Prediction(
        id="03.a",
        title="A narrow tile",
        kind=Value("int", example="2"),
        question="The tile is `(32,8):(8,1)` of float32. Lane i reads row i of column 0. How many wavefronts?",
        right=lambda: column(8),
        replies=(
            Wrong(32, "All lanes meet in one bank only if the pitch is a multiple of 32; here it is 8."),
            Wrong(1, "Row 4 starts 32 words after row 0: the same bank, another word."),
            Wrong(4, "Four is the number of different banks: 0, 8, 16 and 24. How many lanes share each of them?"),
            Wrong(16, "Sixteen lanes in a bank would be a pitch of 16."),
        ),
        because="8 · row modulo 32 takes four values only, so 32 lanes sit in four banks, eight in each.",
    ),
    Prediction(
        id="03.b",
        title="One element more",
        kind=Value("int", example="2"),
        question=(
            "Rows of 31 float32 lie 31 apart, and a column read takes 1 wavefront. Somebody pads each row to 32. "
            "How many wavefronts now?"
        ),
        right=lambda: column(32),
        replies=(
            Wrong(1, "That was so with pitch 31. Padding changes the pitch, and 32 is the worst there is."),
            Wrong(2, "Two lanes in a bank would be a pitch such as 34."),
            Wrong(31, "There are 32 lanes, whatever the length of a row is."),
        ),
        because="31 has no common divisor with 32; with pitch 32 each row starts in the same bank.",
    ),
    Prediction(
        id="03.c",
        title="Sixteen bytes a lane",
        kind=Choice.of(1, 4, 8, 32),
        question="Lane i loads the 16 bytes at address 16 · i, as `float4` does. How many wavefronts?",
        right=lambda: wavefronts(WarpAccess(np.arange(32) * 16, 16)).count,
        replies=(
            Wrong("1", "One wavefront brings 32 banks times 4 bytes. Is that enough for 32 lanes?"),
            Wrong("8", "Eight lanes go together here, in one wavefront."),
            Wrong("32", "A lane does not need a wavefront of its own: 8 lanes fill all banks at once."),
        ),
        because="512 bytes are 128 words, and a wavefront brings 32 of them: nothing could be faster.",
    ),
)
