"""Constant memory: one word for all lanes in one pass. A rule of the manuals; no counter of this course was held against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.hardware.access import WarpAccess


@dataclass(frozen=True, eq=False)
class Passes:
    """How often does constant memory serve one warp instruction?

    count, ideal  passes, one for each distinct word; one would do. Shape of the batch. Not measured.
    """

    count: Any
    ideal: Any

    def explain(self) -> str:
        """The (first) instruction in words."""
        count = int(np.ravel(self.count)[0])
        return f"{count} distinct words of constant memory: {count} passes where 1 would do (not measured)"


def passes(access: WarpAccess) -> Passes:
    """How many passes does a load from constant memory take? One for each distinct word that the active lanes ask for.

    Source: CUDA programming guide, constant memory ("as many separate requests as there are different memory addresses").

    >>> int(passes(WarpAccess(np.zeros(32, int), 4)).count), int(passes(WarpAccess(np.arange(32) * 4, 4)).count)
    (1, 32)
    """
    word = access.chip.word(np.where(access.active, access.byte_address, -1))
    ordered = np.sort(word, axis=-1)
    new = np.ones(ordered.shape, bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    count = (new & (ordered >= 0)).sum(axis=-1)
    return Passes(count, np.ones_like(count))
