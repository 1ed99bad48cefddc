"""The hardware's own counts: one warp, one instruction at a time, on an NVIDIA H200.

Read by Nsight Compute; each file's `meta` says with which counter. About 1,200 patterns of shared memory and 400 of global
memory travel with the package, so that every prediction can be held against them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.hardware.chip import H200
from cutelab.hardware.measured.hopper import HopperCases, measured_hopper
from cutelab.hardware.measured.kernels import KernelCount, KernelTime, MeasuredKernels, measured_kernels

__all__ = [
    "HopperCases",
    "KernelCount",
    "KernelTime",
    "Measured",
    "MeasuredKernels",
    "measured",
    "measured_hopper",
    "measured_kernels",
]

COUNTS = {"h200_shared_wavefronts": "wavefronts", "h200_global_sectors": "sectors"}
KINDS = {"ld": "load", "st": "store", "red": "reduce", "atom": "atomic"}


@dataclass(frozen=True, eq=False)
class Measured:
    """What did the hardware count? One row a pattern; `WarpAccess(byte_address[i], access_bytes[i], kind[i], active[i])`.

    counts        what the counter read: wavefronts or sectors, shape (records,)
    byte_address  shape (records, 32); 0 for inactive lanes
    active        shape (records, 32)
    meta          GPU, driver, date and method of the measurement
    """

    name: str
    meta: dict[str, str]
    instruction: tuple[str, ...] = field(repr=False)
    kind: tuple[str, ...] = field(repr=False)
    access_bytes: tuple[int, ...] = field(repr=False)
    pattern: tuple[str, ...] = field(repr=False)
    byte_address: np.ndarray = field(repr=False)
    active: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)

    def __len__(self) -> int:
        return len(self.counts)


def measured(name: str) -> Measured:
    """What did the hardware count for these one-warp accesses?

    name: "h200_shared_wavefronts" or "h200_global_sectors". Raises CuteLabError for another name.

    >>> shared = measured("h200_shared_wavefronts")
    >>> len(shared), shared.meta["gpu"]
    (1209, 'NVIDIA H200')
    >>> shared.instruction[1], shared.pattern[1], int(shared.counts[1])
    ('ld.shared.u32', 'stride4', 4)
    """
    if not isinstance(name, str) or name not in COUNTS:
        raise CuteLabError(f"no measurement is named {shown(name)}; there are {' and '.join(COUNTS)}")
    return _read(name)


@lru_cache(maxsize=2)
def _read(name: str) -> Measured:
    data = json.loads(files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8"))
    records: list[dict[str, Any]] = data["records"]
    address = np.array([r["offsets"] for r in records], dtype=np.int64)
    first = np.array([_matrix_lanes(r["op"]) for r in records])
    active = (address >= 0) & (np.arange(H200.lanes, dtype=np.int64) < first[:, None])
    address = np.where(active, address, 0)
    counts = np.array([r[COUNTS[name]] for r in records], dtype=np.int64)
    for array in (address, active, counts):
        array.setflags(write=False)
    return Measured(
        name,
        data["meta"],
        instruction=tuple(r["op"] for r in records),
        kind=tuple(_kind(r["op"]) for r in records),
        access_bytes=tuple(r["bytes"] for r in records),
        pattern=tuple(r["pattern"] for r in records),
        byte_address=address,
        active=active,
        counts=counts,
    )


def _kind(instruction: str) -> str:
    stem = instruction.split(".")[0]
    return KINDS.get(stem, stem)


def _matrix_lanes(instruction: str) -> int:
    """ldmatrix and stmatrix x1, x2, x4 take the addresses of 8, 16, 32 lanes."""
    return 8 * int(instruction.split(".")[1][1:]) if "matrix" in instruction else H200.lanes
