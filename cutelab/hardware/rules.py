"""How many wavefronts does shared memory need? The counting rule, for many warps at once.

Lanes are aligned, so that one of more than a word covers neighbouring banks whole: it is enough to count *units* of the
access width in as many times wider banks. An access of w words a lane goes in w groups of lanes.

    unit  = byte address // max(word, access_bytes)       bank of units = unit % (banks * word // max(word, access_bytes))
    degree(lanes) = over the banks, the largest number of distinct units that these lanes touch in one bank
    wavefronts    = the sum of `degree` over the groups of lanes that go together

Source: fitted to the shared-memory wavefront counters of an NVIDIA H200 (32 lanes, 32 banks, words of 4 bytes); see
`cutelab.hardware.measured`. For another chip the same rule with its numbers: an assumption that nobody measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.counting import how_often
from cutelab.hardware.access import WarpAccess

MATRIX_ROWS = 8  # lanes that name the rows of one matrix of ldmatrix or stmatrix: they go together
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
    return max(access.chip.word_bytes, access.access_bytes)


def most_groups(access: WarpAccess) -> int:
    """Into how many groups can a warp of this chip fall, whatever the access: one a word of 16 bytes, or one a matrix."""
    return max(16 // access.chip.word_bytes, access.chip.lanes // MATRIX_ROWS)


def pairwise_merged(address: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    """Does every lane i share its address with lane i ^ 1 (or every lane with i ^ 2), inactive lanes aside?

    address, active: (warps, lanes); active None means all. Such a wide *load* goes in half as many groups.
    """
    merged = np.zeros(len(address), dtype=bool)
    for x in (1, 2):
        pairs = address.reshape(len(address), -1, 2, x)
        good = pairs[:, :, 0] == pairs[:, :, 1]
        if active is not None:
            here = active.reshape(pairs.shape)
            good |= ~(here[:, :, 0] & here[:, :, 1])
        merged |= np.logical_and.reduce(good, axis=(1, 2))
    return merged


def lanes_together(access: WarpAccess, address: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    """How many neighbouring lanes go together, warp by warp? (One number if it is the same for all.)"""
    if "matrix" in access.kind:
        return np.array([MATRIX_ROWS])
    lanes = access.chip.lanes
    base = lanes * access.chip.word_bytes // unit_bytes(access)
    if access.kind != "load" or base == lanes:
        return np.array([base])
    return np.where(pairwise_merged(address, active), 2 * base, base)


def count(access: WarpAccess) -> Counts:
    """What does every warp of this access need?"""
    lanes = access.chip.lanes
    address = access.byte_address.reshape(-1, lanes)
    active = None if access.all_active else access.active.reshape(-1, lanes)
    group_lanes = np.empty(len(address), dtype=np.int64)
    degree = np.zeros((len(address), most_groups(access)), dtype=np.int64)
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
    banks, warp = access.chip.row_bytes // unit_bytes(access), access.chip.lanes
    full = access.all_active
    if access.kind == "atomic":  # every lane is served for itself, the same word again and again
        distinct[:] = np.add.reduce(_firsts(np.sort(unit, axis=1), full), axis=1, dtype=np.int64)
        degree[:, 0] = _fullest_bank(unit, unit != NOBODY, banks)
        return
    first_lanes = int(together[0])
    parts: list[tuple[int, Any]] = [(first_lanes, slice(None))]
    if len(together) > 1 and (together != first_lanes).any():
        parts = [(int(size), np.flatnonzero(together == size)) for size in np.unique(together)]
    for lanes, rows in parts:
        groups = np.sort(unit[rows].reshape(-1, lanes), axis=1)
        first = _firsts(groups, full)
        degree[rows, : warp // lanes] = _fullest_bank(groups, first, banks).reshape(-1, warp // lanes)
        if lanes < warp:  # lanes of different groups may share a unit
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
        slot += (np.arange(rows, dtype=np.int64) * banks)[:, None]
    fullest: np.ndarray = np.maximum.reduce(how_often(slot[counted], rows * banks).reshape(rows, banks), axis=1)
    return fullest
