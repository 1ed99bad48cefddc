"""WarpAccess: which addresses do the lanes of a warp touch with one instruction?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import check_listed
from cutelab.hardware.chip import H200, Chip, want_chip

IntArray = np.ndarray[Any, np.dtype[np.int64]]
Count = int | IntArray
"""A whole number for one warp, a read-only array of the batch's shape for many."""

WIDTHS = {
    "load": (1, 2, 4, 8, 16),
    "store": (1, 2, 4, 8, 16),
    "ldmatrix": (16,),
    "stmatrix": (16,),
    "reduce": (4,),
    "atomic": (4,),
}
MATRIX_LANES = (8, 16, 32)  # x1, x2, x4: so many lanes give the address of a 16-byte row


@dataclass(frozen=True, eq=False)
class WarpAccess:
    """What does one warp do with one memory instruction? A byte address of each lane, the bytes a lane moves, and the kind.

    byte_address  whole numbers of shape (lanes,), or (..., lanes) for many warps at once; multiples of `access_bytes`
    access_bytes  bytes a lane: 1, 2, 4, 8 or 16 (load, store); 16 (ldmatrix, stmatrix); 4 (reduce, atomic)
    kind          "load", "store", "ldmatrix", "stmatrix" (the first 8, 16 or 32 lanes active: x1, x2, x4),
                  "reduce" (an atomic whose result is not used) or "atomic" (it returns the old value)
    active        a truth value of each lane (or one set a warp); None: all lanes. An inactive lane may hold any address.
    chip          whose lanes, banks and sectors count; the H200, where a warp has 32 lanes

    Arrays are copied and read-only. Raises CuteLabError for misaligned or negative addresses, for widths that do not
    exist, for another number of lanes than the chip's, for a warp without an active lane, and for kinds that are not modelled.

    >>> column = WarpAccess(np.arange(32) * 132, 4)
    >>> column.warps, column.access_bytes, column.kind
    (1, 4, 'load')
    >>> WarpAccess(np.arange(32) * 2, 4)
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: lane 1 has byte address 2, which is not a multiple of 4; a 4-byte access must be aligned to 4 bytes
    """

    byte_address: np.ndarray
    access_bytes: int
    kind: str = "load"
    active: Any = None
    chip: Chip = field(default=H200, kw_only=True)
    all_active: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        want_chip(self.chip)
        _check_kind(self.kind, self.access_bytes)
        address = _addresses(self.byte_address, self.chip.lanes)
        active = _active(self.active, address.shape)
        put = object.__setattr__
        put(self, "byte_address", address)
        put(self, "access_bytes", int(self.access_bytes))
        put(self, "all_active", self.active is None or bool(active.all()))
        put(self, "active", active)
        if not self.all_active:
            _check_lanes(active, self.kind)
        touched = address if self.all_active else np.where(active, address, 0)
        # The bits of all addresses together: one pass finds a sign bit and any bit below the alignment.
        bits = int(np.bitwise_or.reduce(touched, axis=None))
        if bits < 0 or bits & (self.access_bytes - 1):
            _refuse_address(touched, self.access_bytes)

    @property
    def warps(self) -> int:
        """How many warps does this hold?"""
        return self.byte_address.size // self.chip.lanes

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the batch: () for one warp."""
        return self.byte_address.shape[:-1]

    def _key(self) -> tuple[Any, ...]:
        touched = np.where(self.active, self.byte_address, -1)
        return self.chip, self.kind, self.access_bytes, touched.shape, touched.tobytes()

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, WarpAccess) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


def want_access(value: object, name: str) -> None:
    """Raise CuteLabError unless this is a WarpAccess."""
    if not isinstance(value, WarpAccess):
        shown = f"{type(value).__name__}"
        raise CuteLabError(
            f"{name}: give a WarpAccess, for example WarpAccess(np.arange(32) * 4, 4); got a value of type {shown}"
        )


def _check_kind(kind: object, access_bytes: object) -> None:
    if not isinstance(kind, str) or kind not in WIDTHS:
        raise CuteLabError(f"kind {shown(kind)} is not modelled; modelled are {', '.join(WIDTHS)}")
    widths = WIDTHS[kind]
    if not is_int(access_bytes) or access_bytes not in widths:
        if kind in ("reduce", "atomic") and access_bytes in (2, 8, 16):
            raise CuteLabError(
                f"{kind} of {access_bytes} bytes a lane is not modelled (its counter follows other rules); use 4 bytes"
            )
        names = f"{', '.join(map(str, widths[:-1]))} or {widths[-1]}" if len(widths) > 1 else str(widths[0])
        raise CuteLabError(f"{kind} moves {names} bytes a lane, got {shown(access_bytes)}")


def _addresses(value: object, lanes: int) -> np.ndarray:
    check_listed(value, "byte addresses")
    try:
        raw = np.asarray(value)
    except ValueError as error:
        raise CuteLabError(
            f"byte addresses must form an array of shape (..., {lanes}); these rows differ in length"
        ) from error
    if raw.ndim == 0 or raw.shape[-1] != lanes:
        got = f"{raw.shape[-1]} lanes (shape {raw.shape})" if raw.ndim else shown(value)
        raise CuteLabError(
            f"a warp has {lanes} lanes, so byte addresses have shape (..., {lanes}); got {got}. "
            f"For fewer lanes fill up to {lanes} and name the lanes that take part with `active`."
        )
    if raw.dtype.kind not in "iu":
        raise CuteLabError(f"byte addresses must be whole numbers below 2^63, got an array of {raw.dtype}")
    if raw.dtype == np.uint64 and raw.size and int(raw.max()) >= 2**63:
        raise CuteLabError(f"byte addresses must be below 2^63, got {int(raw.max())}")
    if raw.dtype == np.int64 and raw.base is None and not raw.flags.writeable and raw.flags.c_contiguous:
        return raw  # already frozen
    address = np.array(raw, dtype=np.int64, order="C")
    address.setflags(write=False)
    return address


@lru_cache(maxsize=16)
def _all_lanes(lanes: int) -> np.ndarray:
    every = np.ones(lanes, dtype=bool)
    every.setflags(write=False)
    return every


def _active(value: object, shape: tuple[int, ...]) -> np.ndarray:
    lanes = shape[-1]
    if value is None:
        return _all_lanes(lanes) if len(shape) == 1 else np.broadcast_to(_all_lanes(lanes), shape)
    try:
        active = np.asarray(value)
    except ValueError as error:
        raise CuteLabError(f"active must be {lanes} truth values a warp; these rows differ in length") from error
    numbers = active.dtype.kind in "iu" and bool(((active == 0) | (active == 1)).all())
    if active.dtype.kind != "b" and not numbers:
        raise CuteLabError(
            f"active must be {lanes} truth values, got {shown(value)}; for example np.arange({lanes}) < {lanes // 2}"
        )
    try:
        active = np.array(np.broadcast_to(active.astype(bool), shape))
    except ValueError as error:
        raise CuteLabError(
            f"active has shape {active.shape}, which does not fit addresses of shape {shape}; give {lanes} truth values a warp"
        ) from error
    active.setflags(write=False)
    return active


def _check_lanes(active: np.ndarray, kind: str) -> None:
    lanes = active.sum(axis=-1, dtype=np.int64)
    if not lanes.all():
        where = "" if active.ndim == 1 else f" in warp {int(np.argmin(lanes.ravel()))} of the batch"
        raise CuteLabError(f"no lane is active{where}; an instruction needs at least one active lane")
    if kind in ("ldmatrix", "stmatrix"):
        first = np.arange(active.shape[-1], dtype=np.int64) < lanes[..., None]
        if not (np.isin(lanes, MATRIX_LANES).all() and (active == first).all()):
            raise CuteLabError(
                f"{kind} x1, x2 and x4 take addresses from the first 8, 16 or 32 lanes; "
                "the active lanes must be lanes 0 to 7, 0 to 15 or 0 to 31"
            )


def _refuse_address(touched: np.ndarray, access_bytes: int) -> None:
    wrong = (touched < 0) | (touched % access_bytes != 0)
    *warp, lane = (int(i) for i in np.unravel_index(int(np.argmax(wrong)), touched.shape))
    value = int(touched[(*warp, lane)])
    where = f"lane {lane}" + (f" of warp {', '.join(map(str, warp))}" if warp else "")
    if value < 0:
        raise CuteLabError(
            f"{where} has byte address {value}; addresses start at 0. If the lane takes no part, mark it in `active`."
        )
    raise CuteLabError(
        f"{where} has byte address {value}, which is not a multiple of {access_bytes}; "
        f"a {access_bytes}-byte access must be aligned to {access_bytes} bytes"
    )
