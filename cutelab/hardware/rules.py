"""How many wavefronts does shared memory need? The counting rule, for many warps at once.

Shared memory has 32 banks of 4 bytes. Lanes of 8 or 16 bytes are aligned, so that a lane covers 2 or 4 neighbouring banks
whole: it is enough to count *units* of the access width in 16 or 8 wide banks.

    unit  = byte address // max(4, access_bytes)          bank of units = unit % (32 * 4 // max(4, access_bytes))
    degree(lanes) = over the banks, the largest number of distinct units that these lanes touch in one bank
    wavefronts    = the sum of `degree` over the groups of lanes that go together

Source: fitted to the shared-memory wavefront counters of an NVIDIA H200; see `cutelab.hardware.measured`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutelab.hardware.access import LANES, WarpAccess

BANKS, WORD_BYTES = 32, 4
CHUNK = 256  # warps counted at a time: the working set stays in the cache
NOBODY = np.iinfo(np.int64).max  # the unit of an inactive lane; it sorts last


@dataclass(frozen=True)
class Counts:
    """Of each warp: lanes in a group, wavefronts of each group (0 beyond the last), distinct units of the whole warp."""

    group_lanes: np.ndarray
    degree: np.ndarray
    distinct: np.ndarray


def unit_bytes(access: WarpAccess) -> int:
    """How many bytes does one unit have? A word for narrow accesses, else the access itself."""
    return max(WORD_BYTES, access.access_bytes)


def pairwise_merged(address: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    """Does every lane i share its address with lane i ^ 1 (or every lane with i ^ 2), inactive lanes aside?

    address, active: (warps, 32); active None means all. Such a wide *load* goes in half as many groups.
    """
    merged = np.zeros(len(address), dtype=bool)
    for x in (1, 2):
        pairs = address.reshape(-1, LANES // (2 * x), 2, x)
        good = pairs[:, :, 0] == pairs[:, :, 1]
        if active is not None:
            here = active.reshape(pairs.shape)
            good |= ~(here[:, :, 0] & here[:, :, 1])
        merged |= np.logical_and.reduce(good, axis=(1, 2))
    return merged


def lanes_together(access: WarpAccess, address: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    """How many neighbouring lanes go together, warp by warp: 32, 16 or 8? (One number if it is the same for all.)"""
    base = LANES * WORD_BYTES // unit_bytes(access)
    if access.kind != "load" or base == LANES:
        return np.array([base])
    return np.where(pairwise_merged(address, active), 2 * base, base)


def count(access: WarpAccess) -> Counts:
    """What does every warp of this access need?"""
    address = access.byte_address.reshape(-1, LANES)
    active = None if access.all_active else access.active.reshape(-1, LANES)
    group_lanes = np.empty(len(address), dtype=np.int64)
    degree = np.zeros((len(address), 4), dtype=np.int64)
    distinct = np.empty(len(address), dtype=np.int64)
    shift = unit_bytes(access).bit_length() - 1
    for start in range(0, len(address), CHUNK):
        part = slice(start, start + CHUNK)
        here = None if active is None else active[part]
        unit = address[part] >> shift
        if here is not None:
            unit = np.where(here, unit, NOBODY)
        group_lanes[part] = together = lanes_together(access, address[part], here)
        _count_part(access, unit, together, degree[part], distinct[part])
    return Counts(group_lanes, degree, distinct)


def _count_part(
    access: WarpAccess, unit: np.ndarray, together: np.ndarray, degree: np.ndarray, distinct: np.ndarray
) -> None:
    banks = BANKS * WORD_BYTES // unit_bytes(access)
    full = access.all_active
    if access.kind == "atomic":  # every lane is served for itself, the same word again and again
        distinct[:] = np.add.reduce(_firsts(np.sort(unit, axis=1), full), axis=1, dtype=np.int64)
        degree[:, 0] = _fullest_bank(unit, unit != NOBODY, banks)
        return
    lanes = int(together[0])
    if len(together) == 1 or (together == lanes).all():
        parts = [(lanes, slice(None))]
    else:
        parts = [(size, np.flatnonzero(together == size)) for size in (LANES, 16, 8)]
    for lanes, rows in parts:
        groups = np.sort(unit[rows].reshape(-1, lanes), axis=1)
        first = _firsts(groups, full)
        degree[rows, : LANES // lanes] = _fullest_bank(groups, first, banks).reshape(-1, LANES // lanes)
        if lanes < LANES:  # lanes of different groups may share a unit
            first = _firsts(np.sort(unit[rows], axis=1), full)
        distinct[rows] = np.add.reduce(first, axis=1, dtype=np.int64)


def _firsts(ordered: np.ndarray, full: bool) -> np.ndarray:
    """Where does a new unit begin in these sorted rows?"""
    first = np.empty(ordered.shape, dtype=bool)
    first[:, 0] = True
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=first[:, 1:])
    return first if full else first & (ordered != NOBODY)


def _fullest_bank(unit: np.ndarray, counted: np.ndarray, banks: int) -> np.ndarray:
    """Row by row: how many of the counted units lie in the bank that has most of them?"""
    rows = len(unit)
    slot = unit & (banks - 1)
    if rows > 1:
        slot += (np.arange(rows) * banks)[:, None]
    return np.maximum.reduce(np.bincount(slot[counted], minlength=rows * banks).reshape(rows, banks), axis=1)
