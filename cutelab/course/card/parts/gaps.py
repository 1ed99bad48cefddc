"""Gaps between the inner modes of a nested mode, so that its tiles are seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab.core.int_tuple import IntTuple, flatten


def mode_gaps(shape: IntTuple, ids: np.ndarray[Any, Any], side: int) -> tuple[int, ...]:
    """Room between the inner modes of a nested mode: 5 at the innermost tile, 10 where a second level starts."""
    extents = [s for s in flatten(shape) if s > 1]
    if len(extents) < 2 or side < 9:
        return ()
    gaps = np.where(ids % extents[0] == 0, 5, 0)
    if len(extents) > 2:
        gaps = np.where(ids % (extents[0] * extents[1]) == 0, 10, gaps)
    gaps[0] = 0
    return tuple(gaps.tolist())
