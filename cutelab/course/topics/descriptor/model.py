"""From which address the unit reads each (m, k), by the right descriptor and by the given one, and what lies there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card.parts.window import window
from cutelab.course.topics.descriptor.knobs import ITEM, DescriptorParams, K, M
from cutelab.hardware.descriptor import INSTRUCTION_K
from cutelab.hardware.measured.hopper import measured_hopper

Array = np.ndarray[Any, Any]
SHOWN = 16  # rows of the operand that are drawn


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found. Arrays are indexed [m, k], 64 x 16.

    block        which k-block of the tile is read, from 0 on: the start lies so many times 32 bytes on
    right, read  the byte that holds each element, and the byte that the given descriptor reads in its place
    found        int (64, 16, 2): the (m, k) of the tile that lies at `read`; -1 where none of the tile does
    rows         the rows that are drawn
    measured     (settings, those at 128 bytes a cycle) of the rate that was measured
    """

    params: DescriptorParams
    block: int
    right: Array
    read: Array
    found: Array
    rows: Array
    measured: tuple[int, int]

    @property
    def wrong(self) -> Array:
        """bool [m, k]: does the unit read another element than it should?"""
        different: Array = self.right != self.read
        return different

    @property
    def wrong_rows(self) -> int:
        """How many rows of the product are made of wrong elements?"""
        return int(self.wrong.any(axis=1).sum())

    @property
    def beyond(self) -> int:
        """How many elements are read from where none of the tile lies?"""
        return int((self.found[..., 0] < 0).sum())

    @property
    def probed(self) -> int:
        return self.params.m * K + self.params.k


def compute(params: DescriptorParams) -> Result:
    """Where is each element read from? The right start is the k-block in which the given one lies."""
    fits = params.fitting
    blocks = fits.swizzle_bytes // INSTRUCTION_K if fits.major == "K" and fits.swizzle_bytes else 1
    block = params.start_bytes // INSTRUCTION_K if params.start_bytes % INSTRUCTION_K == 0 else 0
    block = block if block < blocks else 0
    right = fits.advance(block * INSTRUCTION_K).addresses(M, K, ITEM)
    read = params.given.addresses(M, K, ITEM)
    whole = fits.addresses(M, blocks * K, ITEM)
    held = np.full((max(int(whole.max()), int(read.max())) // ITEM + 1, 2), -1)
    held[whole // ITEM] = np.moveaxis(np.indices(whole.shape), 0, -1)
    found = held[read // ITEM]
    cycles = [case["cycles"] for case in measured_hopper("wgmma_rate").cases]
    ideal = (M * K + 8 * K) * ITEM / 128
    rate = (len(cycles), sum(abs(c - ideal) < 0.05 for c in cycles))
    rows = window(M, params.m, SHOWN)
    for array in (found, rows):
        array.flags.writeable = False
    return Result(params, block, right, read, found, rows, rate)


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this element?"""
    if not 0 <= cell < M * K:
        raise CuteLabError(f"probe cell {cell} is not one of the {M * K} elements of the operand")
    m, k = divmod(cell, K)
    return {"m": m, "k": k}
