"""Sectors: what does global memory move for one warp's access?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.hardware.access import Count, WarpAccess, want_access

CHUNK = 256


@dataclass(frozen=True)
class Sectors:
    """How many 32-byte sectors does the access request, and how many would do?

    Integers for one warp, integer arrays of the batch's shape for many; `efficiency` is a float or a float array.

    count       distinct sectors that the active lanes touch, over the whole warp
    ideal       ceil(used_bytes / 32)
    excess      count - ideal
    used_bytes  distinct bytes that the lanes touch
    efficiency  used_bytes / (32 * count)
    lines       distinct 128-byte cache lines (four sectors each)
    """

    access: WarpAccess = field(repr=False)
    count: Count = field(compare=False)
    ideal: Count = field(compare=False)
    excess: Count = field(compare=False)
    used_bytes: Count = field(compare=False)
    efficiency: float | np.ndarray = field(compare=False)
    lines: Count = field(compare=False)

    @cached_property
    def sector(self) -> np.ndarray:
        """In which sector is each lane? Shape (..., lanes); -1 for an inactive lane."""
        return _lane_value(self.access, self.access.chip.sector_bytes)

    @cached_property
    def line(self) -> np.ndarray:
        """In which line is each lane? Shape (..., lanes); -1 for an inactive lane."""
        return _lane_value(self.access, self.access.chip.line_bytes)

    def summary(self) -> str:
        """What is the verdict, with its ideal?

        >>> sectors(WarpAccess(np.arange(32) * 128, 4)).summary()
        '32 sectors where 4 would do'
        """
        count, ideal = int(np.sum(self.count)), int(np.sum(self.ideal))
        noun = "sector" if count == 1 else "sectors"
        said = self.access.chip.said
        if count == ideal:
            return said(f"{count:,} {noun}, the ideal")
        return said(f"{count:,} {noun} where {ideal:,} would do")

    def explain(self) -> str:
        """What is the verdict, and how much of the traffic is used?

        >>> print(sectors(WarpAccess(np.arange(32) * 128, 4)).explain())
        32 sectors where 4 would do
        128 of 1,024 bytes used (12 %), in 32 lines of 128 bytes
        """
        chip = self.access.chip
        used, moved = int(np.sum(self.used_bytes)), chip.sector_bytes * int(np.sum(self.count))
        lines = int(np.sum(self.lines))
        noun = "line" if lines == 1 else "lines"
        share = f" ({100 * used / moved:.0f} %)" if moved else ""
        return (
            f"{self.summary()}\n{used:,} of {moved:,} bytes used{share}, in {lines:,} {noun} of {chip.line_bytes} bytes"
        )


def sectors(access: WarpAccess) -> Sectors:
    """How many 32-byte sectors does global memory move for this access?

    sectors = distinct values of byte address // 32 among the active lanes of the whole warp; lanes are aligned, so none
    straddles a sector. Kinds: load and store, 1 to 16 bytes a lane; other kinds raise CuteLabError.
    Source: fitted to the sector counters of an NVIDIA H200; see `cutelab.hardware.measured`.

    >>> sectors(WarpAccess(np.arange(32) * 4, 4)).count
    4
    >>> result = sectors(WarpAccess(np.arange(32) * 32, 4))
    >>> result.count, result.ideal, result.efficiency
    (32, 4, 0.125)
    """
    want_access(access, "sectors")
    if access.kind not in ("load", "store"):
        raise CuteLabError(f"sectors of {access.kind} are not modelled; modelled are load and store")
    chip = access.chip
    address = access.byte_address.reshape(-1, chip.lanes)
    active = None if access.all_active else access.active.reshape(-1, chip.lanes)
    distinct = np.empty((3, len(address)), dtype=np.int64)
    for start in range(0, len(address), CHUNK):
        part = address[start : start + CHUNK]
        if active is not None:  # an inactive lane stands on the address of an active one: nothing is added
            here = active[start : start + CHUNK]
            part = np.where(here, part, np.take_along_axis(part, here.argmax(axis=1)[:, None], axis=1))
        ordered = np.sort(part, axis=1)
        for row, size in zip(distinct, (access.access_bytes, chip.sector_bytes, chip.line_bytes), strict=True):
            unit = ordered >> (size.bit_length() - 1)
            row[start : start + CHUNK] = 1 + np.count_nonzero(unit[:, 1:] != unit[:, :-1], axis=1)
    pieces, count, lines = distinct
    used = pieces * access.access_bytes
    ideal = -(-used // chip.sector_bytes)
    return Sectors(
        access,
        count=batch_value(count, access),
        ideal=batch_value(ideal, access),
        excess=batch_value(count - ideal, access),
        used_bytes=batch_value(used, access),
        efficiency=batch_value(used / (chip.sector_bytes * count), access),
        lines=batch_value(lines, access),
    )


def batch_value(value: np.ndarray, access: WarpAccess) -> Any:
    """A plain number for one warp; for a batch a read-only array of the batch's shape."""
    if not access.shape:
        return value[0].item()
    value = np.array(value).reshape(access.shape + value.shape[1:])
    value.setflags(write=False)
    return value


def _lane_value(access: WarpAccess, size: int) -> np.ndarray:
    value = np.where(access.active, access.byte_address // size, -1)
    value.setflags(write=False)
    return value
