"""Predictions of notebook 07_algebra."""

from __future__ import annotations

import numpy as np

from cutelab import Layout, composition, holes, offsets
from cutelab.errors import CuteLabError
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Choice

PADDED = Layout((8, 8), (1, 9))
THREADS = Layout(((4, 8), 2), ((16, 1), 8))


def composed(a: Layout, b: Layout) -> str:
    """The composition as text, or "refused"."""
    try:
        return str(composition(a, b))
    except CuteLabError:
        return "refused"


PREDICTIONS = (
    Prediction(
        id="07.a",
        title="One mode",
        kind=Choice.of("5:2", "5:4", "5:6", "5:8"),
        question="A is `20:2`: twenty elements, 2 apart. B is `5:4`: it asks for every fourth of them. What is A o B?",
        right=lambda: composed(Layout(20, 2), Layout(5, 4)),
        replies=(
            Wrong("5:2", "That would be the first five elements of A; B skips."),
            Wrong("5:4", "4 is a step in indices of A. Each index of A is 2 offsets wide."),
            Wrong("5:6", "Steps inside steps multiply; they do not add."),
        ),
        because="A step of 4 indices, each 2 offsets wide: 4·2.",
    ),
    Prediction(
        id="07.b",
        title="A step of 12",
        kind=Choice.of("4:12", "4:13", "refused"),
        question="A is `(8,8):(1,9)`, B is `4:12`. A(12) is 13, since 12 is (4,1). What is A o B?",
        right=lambda: composed(PADDED, Layout(4, 12)),
        replies=(
            Wrong("4:12", "A puts one unused offset after each 8 elements, so index 12 lies at offset 13."),
            Wrong("4:13", "The first step is 13. The second leads to index 24, which is (0,3), at 27 and not at 26."),
        ),
        because="The steps are 13, 14 and 13 offsets: no one stride says that, so there is no such layout.",
    ),
    Prediction(
        id="07.c",
        title="Threads on padding",
        kind=Choice.of(0, 7, 8),
        question="A is `(8,8):(1,9)` with its unused offsets 8, 17, 26 and so on. B hands its 64 elements to 32 threads, 2 each. "
        "How many unused offsets does A o B touch?",
        right=lambda: int(np.isin(holes(PADDED), offsets(composition(PADDED, THREADS))).sum()),
        replies=(
            Wrong(
                "7",
                "That many offsets are unused between A's elements. R asks A, and A never answers with one of them.",
            ),
            Wrong("8", "There is one after each column but the last, and R meets none."),
        ),
        because="R(c) is always A of something, and A(i) is never an unused offset.",
    ),
)
