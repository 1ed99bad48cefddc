"""A window: which rows or columns are drawn where there are too many for the card."""

from __future__ import annotations

from typing import Any

import numpy as np


def window(extent: int, at: int, most: int, *, half: bool = False) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Which of `extent` rows are drawn? All, or the block of `most` that holds `at`.

    half   blocks begin at every half of `most`, and the last one is full

    >>> window(8, 3, 64).tolist(), window(200, 130, 64)[[0, -1]].tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7], [128, 191])
    >>> window(100, 90, 64, half=True)[[0, -1]].tolist()
    [36, 99]
    """
    if extent <= most:
        start = 0
    elif half:
        start = min(at // (most // 2) * (most // 2), extent - most)
    else:
        start = at // most * most
    return np.arange(start, min(extent, start + most), dtype=np.int64)
