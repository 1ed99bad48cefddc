"""Where a single number stands in a shape of two modes."""

from __future__ import annotations

from typing import cast

from cutelab.core import idx2crd


def place(index: int, shape: tuple[int, int]) -> tuple[int, int]:
    """The coordinate of a 1-D index, mode 0 first.

    >>> place(70, (32, 8))
    (6, 2)
    """
    return cast(tuple[int, int], idx2crd(index, shape))
