"""One warp's access to global memory: where each lane stands, and which sectors and lines that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.topics.coalescing.knobs import CoalescingParams
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import Address
from cutelab.hardware.sectors import Sectors, sectors

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found.

    place    int (lanes,): which place lane i takes; element (lanes,): where its access begins, in elements
    access   the WarpAccess, and `sectors` what it becomes
    """

    params: CoalescingParams
    place: Array
    element: Array
    access: WarpAccess
    sectors: Sectors

    @property
    def count(self) -> int:
        """How many sectors?"""
        return int(self.sectors.count)

    @property
    def ideal(self) -> int:
        """How many would do?"""
        return int(self.sectors.ideal)

    @property
    def efficiency(self) -> float:
        """Which part of the bytes moved is used?"""
        return float(self.sectors.efficiency)

    @property
    def lines(self) -> int:
        """In how many lines?"""
        return int(self.sectors.lines)

    @property
    def used_bytes(self) -> int:
        """How many different bytes do the lanes touch?"""
        return int(self.sectors.used_bytes)

    @property
    def at(self) -> Address[Array]:
        """Where each lane's access begins."""
        return Address(self.element, self.params.item, self.params.chip)

    @property
    def probed(self) -> Address[int]:
        """Where the probed lane's access begins."""
        return Address(int(self.element[self.params.lane]), self.params.item, self.params.chip)


def places(order: str, lanes: int = 32) -> Array:
    """Which place does each lane take?

    >>> places("reversed")[:3].tolist(), places("swapped pairs")[:4].tolist()
    ([31, 30, 29], [1, 0, 3, 2])
    """
    lane = np.arange(lanes)
    return {"straight": lane, "reversed": lanes - 1 - lane, "swapped pairs": lane ^ 1}.get(
        order, (5 * lane + 3) % lanes
    )


def compute(params: CoalescingParams) -> Result:
    """Which bytes does each lane touch, and how many sectors are they?"""
    lanes = params.chip.lanes
    place = places(params.order, lanes)
    element = params.start + place % params.across * params.stride + place // params.across * params.pitch
    for array in (place, element):
        array.flags.writeable = False
    active = None if params.whole else np.arange(lanes) < params.active
    access = WarpAccess(element * params.item, params.access_bytes, params.kind, active, chip=params.chip)
    return Result(params, place, element, access, sectors(access))


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this lane?"""
    active = result.params.active
    if not 0 <= cell < active:
        raise CuteLabError(f"lane {cell} takes no part; the lanes are 0 to {active - 1}")
    return {"lane": cell}
