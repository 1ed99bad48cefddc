"""Predictions of notebook 00_start."""

from __future__ import annotations

from cutelab import Layout, size
from cutelab.lessons.exercise import Prediction, Wrong
from cutelab.lessons.kinds import Value

PREDICTIONS = (
    Prediction(
        id="00.a",
        title="Bytes of a tile",
        kind=Value("int", example="12"),
        question="A tile has 4 rows and 8 columns of float (4 bytes each). How many bytes is that, without padding?",
        right=lambda: size(Layout((4, 8))) * 4,
        replies=(
            Wrong(32, "That is the number of elements; each takes 4 bytes."),
            Wrong(64, "That is right for 2-byte elements such as half."),
            Wrong(256, "That is right for 8-byte elements such as double."),
        ),
        because="Elements times bytes per element: 4 x 8 x 4.",
    ),
)
