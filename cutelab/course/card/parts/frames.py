"""Frames around cells: the fewest boxes that cover what is true."""

from __future__ import annotations

from typing import Any

import numpy as np


def boxes(where: np.ndarray[Any, Any]) -> list[tuple[int, int, int, int]]:
    """Frames around the true cells: (row, col, last row, last col). Runs of a row, joined downwards where they are equal.

    >>> boxes(np.array([[0, 1, 1], [0, 1, 1], [1, 0, 0]], bool))
    [(0, 1, 1, 2), (2, 0, 2, 0)]
    """
    edges = np.diff(np.pad(where.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    found: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for (row, start), (_, end) in zip(starts.tolist(), ends.tolist(), strict=True):
        runs = found.setdefault((start, end - 1), [])
        if runs and runs[-1][2] == row - 1:
            runs[-1] = (runs[-1][0], start, row, end - 1)
        else:
            runs.append((row, start, row, end - 1))
    return sorted(box for runs in found.values() for box in runs)
