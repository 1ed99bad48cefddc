"""Counting on machines of any width. In a browser NumPy indexes with 32 bits, and its functions on indexes refuse 64."""

from __future__ import annotations

import numpy as np


def how_often(numbers: np.ndarray, least: int = 0) -> np.ndarray:
    """How often does each of 0, 1, 2, ... occur? np.bincount with minlength=least; numbers are whole, of any width; int64.

    >>> how_often(np.array([3, 1, 3], dtype=np.int64), 5).tolist()
    [0, 1, 0, 2, 0]
    """
    return np.bincount(numbers.astype(np.intp, copy=False), minlength=least).astype(np.int64, copy=False)


def as_index(numbers: np.ndarray) -> np.ndarray:
    """The same numbers in the width in which this machine indexes, for np.repeat and its like.

    >>> np.repeat([5, 7], as_index(np.array([1, 2], dtype=np.int64))).tolist()
    [5, 7, 7]
    """
    return numbers.astype(np.intp, copy=False)
