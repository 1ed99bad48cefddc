"""Predictions of notebook 02_coalescing."""

from __future__ import annotations

import numpy as np

from cutelab import Layout, WarpAccess, sectors
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice, Value


def row_of(layout: Layout, row: int = 0) -> int:
    """Sectors of a warp whose lane i loads float32 element (row, i)."""
    return sectors(WarpAccess(np.array([4 * layout(row, lane) for lane in range(32)]), 4)).count


def side_by_side(access_bytes: int, start_byte: int = 0) -> int:
    """Sectors of a warp whose lanes stand side by side."""
    return sectors(WarpAccess(start_byte + access_bytes * np.arange(32), access_bytes)).count


PREDICTIONS = (
    Prediction(
        id="02.a",
        title="Every second element",
        kind=Value("int", example="12"),
        question="Lane i loads the float32 element 2·i. How many sectors does the warp request?",
        right=lambda: sectors(WarpAccess(8 * np.arange(32), 4)).count,
        replies=(
            Wrong(4, "That is right for 128 bytes in one piece. Here the 32 elements are spread over twice that."),
            Wrong(2, "That is the number of 128-byte lines; a line has four sectors."),
            Wrong(32, "That would be a sector for each lane; but four lanes still share one."),
            Wrong(16, "That would be two lanes a sector. Two lanes are 8 bytes apart: how many fit into 32 bytes?"),
            Wrong(64, "There are only 32 lanes, and each touches one sector at most."),
        ),
        because="The lanes are 8 bytes apart, so 256 bytes are fetched: 8 sectors, each half used.",
    ),
    Prediction(
        id="02.b",
        title="A row of a column-major matrix",
        kind=Choice.of(1, 4, 16, 32),
        question=(
            "The float32 matrix `(4,32):(1,4)` is column-major. Lane i loads (0,i): threadIdx.x runs along the columns. "
            "How many sectors?"
        ),
        right=lambda: row_of(Layout((4, 32), (1, 4))),
        replies=(
            Wrong("1", "One sector holds 8 elements; there are 32."),
            Wrong("4", "That is right for the row-major matrix, `(4,32):(32,1)`."),
            Wrong("32", "Lanes i and i + 1 are 16 bytes apart, so two of them still share a sector."),
        ),
        because="Neighbours in the row are 4 elements apart, 16 bytes: two lanes a sector.",
    ),
    Prediction(
        id="02.c",
        title="One element late",
        kind=Choice.of(4, 5, 8),
        question="The 32 lanes load 32 neighbouring float32 elements, but the first is element 1, not element 0. Sectors?",
        right=lambda: side_by_side(4, 4),
        replies=(
            Wrong("4", "128 bytes would fit into 4 sectors, but only if they begin where a sector begins."),
            Wrong("8", "Only the last lane falls over the edge; all the others stay within the first four sectors."),
        ),
        because="The last lane stands at byte 128, in a fifth sector, of which only 4 bytes are used.",
    ),
    Prediction(
        id="02.d",
        title="Sixteen bytes a lane",
        kind=Choice((("a", "4"), ("b", "16"), ("c", "64"))),
        question="Each of the 32 lanes loads a float4, all side by side. How many sectors does the warp request?",
        right=lambda: str(side_by_side(16)),
        replies=(
            Wrong(
                "a", "That is the number of 128-byte lines, and of sectors for 4 bytes a lane. Count the bytes first."
            ),
            Wrong("c", "That would be 2048 bytes. The warp asks for 32 times 16."),
        ),
        because="512 bytes are 16 sectors, and every byte is used: the ideal.",
    ),
)
