"""vector_copy: the widest copy between two layouts, in instructions, sectors and wavefronts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.algebra import max_common_vector
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import offsets, size
from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.access import WIDTHS, WarpAccess
from cutelab.hardware.chip import H200, Chip, want_chip
from cutelab.hardware.sectors import Sectors
from cutelab.hardware.wavefronts import Wavefronts

WIDEST = max(WIDTHS["load"])


@dataclass(frozen=True)
class VectorCopy:
    """How wide can a copy be, and what does it cost?

    common        max_common_vector: elements that lie side by side in both layouts
    vector        elements that one lane moves at a time: at most 16 bytes, aligned in both layouts
    access_bytes  the bytes of one vector
    instructions  warp instructions on each side: vectors / lanes, rounded up
    source        the loads, a WarpAccess batch (instructions, lanes); target: the stores

    >>> from cutelab.core.layout import Layout
    >>> copy = vector_copy(Layout((8, 8), (1, 12)), Layout((8, 8)), 4)
    >>> copy.common, copy.vector, copy.access_bytes, copy.instructions
    (8, 4, 16, 1)
    """

    common: int
    vector: int
    access_bytes: int
    instructions: int
    source: WarpAccess = field(repr=False)
    target: WarpAccess = field(repr=False)

    @property
    def sectors(self) -> Sectors:
        """What the loads cost if the source lies in global memory."""
        return sectors(self.source)

    @property
    def wavefronts(self) -> Wavefronts:
        """What the stores cost if the target lies in shared memory."""
        return wavefronts(self.target)

    def summary(self) -> str:
        """The verdict in words."""
        noun = "instruction" if self.instructions == 1 else "instructions"
        return (
            f"{self.access_bytes} bytes a lane, {self.instructions} {noun} a side; "
            f"global to shared: {self.sectors.summary()}, {self.wavefronts.summary()}"
        )


def vector_copy(
    source: Any,
    target: Any,
    element_bytes: int,
    *,
    source_start: int = 0,
    target_start: int = 0,
    chip: Chip = H200,
) -> VectorCopy:
    """How wide can a copy from one layout to the other be, and what does it cost in instructions and sectors?

    Both layouts map the same coordinates to element offsets. A vector lies side by side in both (max_common_vector), has at most 16
    bytes and begins at a multiple of its size. Vectors are dealt to lanes in the order of their source addresses.
    source_start, target_start: byte addresses of offset 0. The stores are a thread's own: cp.async is not modelled. Raises CuteLabError for layouts of different sizes.

    >>> from cutelab.core.layout import Layout
    >>> rows, cols = Layout((32, 64), (64, 1)), Layout((32, 64), (1, 32))
    >>> vector_copy(rows, rows, 2).summary()
    '16 bytes a lane, 8 instructions a side; global to shared: 128 sectors, the ideal, 32 wavefronts, the ideal'
    >>> copy = vector_copy(rows, cols, 2)
    >>> copy.common, copy.vector, copy.instructions
    (1, 1, 64)
    """
    want_chip(chip)
    if not is_int(element_bytes) or element_bytes not in (1, 2, 4, 8, 16):
        raise CuteLabError(f"an element has 1, 2, 4, 8 or 16 bytes, got {shown(element_bytes)}")
    if size(source) != size(target):
        raise CuteLabError(
            f"{source} has {size(source)} elements and {target} has {size(target)}; a copy needs the same number"
        )
    try:
        common = max_common_vector(source, target)
    except CuteLabError:
        common = 1  # no common run of the two is a layout
    from_, to = (
        offsets(layout).ravel(order="F") * element_bytes + start
        for layout, start in ((source, source_start), (target, target_start))
    )
    order = np.argsort(from_, kind="stable")
    from_, to = from_[order], to[order]
    vector = 1 << (min(common, WIDEST // element_bytes).bit_length() - 1)
    while vector > 1 and not all(_runs(x, vector, element_bytes) for x in (from_, to)):
        vector //= 2
    from_, to = from_[::vector], to[::vector]
    width = vector * element_bytes
    lanes, count = chip.lanes, -(-len(from_) // chip.lanes)
    active = (np.arange(count * lanes, dtype=np.int64) < len(from_)).reshape(count, lanes)
    batch = [
        np.concatenate([x, np.zeros(count * lanes - len(x), dtype=np.int64)]).reshape(count, lanes) for x in (from_, to)
    ]
    return VectorCopy(
        common,
        vector,
        width,
        count,
        WarpAccess(batch[0], width, "load", active, chip=chip),
        WarpAccess(batch[1], width, "store", active, chip=chip),
    )


def _runs(address: np.ndarray, vector: int, element_bytes: int) -> bool:
    if len(address) % vector:
        return False
    runs = address.reshape(-1, vector)
    side_by_side = (runs == runs[:, :1] + element_bytes * np.arange(vector, dtype=np.int64)).all()
    return bool(side_by_side) and not (runs[:, 0] % (vector * element_bytes)).any()
