"""Swizzle<B,M,S>: XOR B bits of an offset into B other bits.

swizzle(x) = x ^ ((x & Y) >> S) with Y = (2^B - 1) << (M + max(0, S)). A negative S shifts the other way: the lower of the
two groups of bits starts at M, the higher one at M + |S|; for S > 0 the higher one is the source, for S < 0 the lower one.
The unit of x is whatever the offset counts: elements or bytes. `recast` gives the same map in another unit.
Source: cute/swizzle.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2
from typing import Any, overload

import numpy as np

from cutelab.core import notation
from cutelab.core.display import Pictured
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Swizzle(Pictured):
    """Where does an offset go? One group of B bits is XORed into another group of B bits, |S| bits away.

    The lower group starts at bit M, the higher one at bit M + |S|. For S > 0 the higher group is the source and the lower one
    the target; for S < 0 the lower group is the source and the higher one the target.
    bits B >= 0, base M >= 0, shift S with |S| >= B. A swizzle is its own inverse, and XOR-linear:
    s(x ^ y) == s(x) ^ s(y). A text alone is read as `parse_swizzle` does. Raises CuteLabError for other numbers, as CUTLASS
    rejects them at compile time.

    >>> swizzle = Swizzle(3, 0, 3)
    >>> swizzle(19), swizzle(swizzle(19)), str(swizzle)
    (17, 19, 'Sw<3,0,3>')
    >>> swizzle(np.arange(8, 16)).tolist()
    [9, 8, 11, 10, 13, 12, 15, 14]
    >>> Swizzle(2, 3, -4)(8)  # source bits 3 and 4, target bits 7 and 8
    136
    """

    bits: int
    base: int
    shift: int
    _yyy: int = field(init=False, compare=False)

    def __init__(self, bits: Any, base: Any = None, shift: Any = None) -> None:
        if isinstance(bits, str) and base is None and shift is None:
            bits, base, shift = notation.parse_swizzle(bits)
        for name, value in (("bits", bits), ("base", base), ("shift", shift)):
            if not is_int(value):
                raise CuteLabError(
                    f"a swizzle's {name} must be a whole number, got {shown(value)}; for example Swizzle(3, 4, 3)"
                )
            object.__setattr__(self, name, int(value))
        b, m, s = self.bits, self.base, self.shift
        if max(abs(b), abs(m), abs(s)) > 2**31:
            raise CuteLabError(f"a swizzle of bits {shown(b)}, base {shown(m)}, shift {shown(s)}: offsets have 62 bits")
        if b < 0:
            raise CuteLabError(f"{self}: bits {b} is negative; use 0 or more")
        if m < 0:
            raise CuteLabError(f"{self}: base {m} is negative; use 0 or more")
        if abs(s) < b:
            raise CuteLabError(
                f"{self}: shift {s} is smaller than bits {b}, so source and target bits would overlap. "
                f"Use a shift of {b} or more, or of -{b} or less."
            )
        if b + m + abs(s) > 62:
            raise CuteLabError(f"{self} reaches bit {b + m + abs(s) - 1}; offsets have 62 bits at most")
        object.__setattr__(self, "_yyy", ((1 << b) - 1) << (m + max(0, s)))

    @property
    def yyy(self) -> int:
        """The mask of the source bits."""
        return self._yyy

    @property
    def zzz(self) -> int:
        """The mask of the target bits."""
        return ((1 << self.bits) - 1) << (self.base - min(0, self.shift))

    @property
    def period(self) -> int:
        """After how many offsets does the pattern repeat? swizzle(x + period) == swizzle(x) + period.

        >>> Swizzle(3, 7, 3).period, Swizzle(0, 4, 3).period
        (8192, 1)
        """
        return 1 << (self.yyy | self.zzz).bit_length() if self.bits else 1

    @overload
    def __call__(self, x: int) -> int: ...
    @overload
    def __call__(self, x: np.ndarray) -> np.ndarray: ...
    def __call__(self, x: Any) -> Any:
        if isinstance(x, np.ndarray):
            if x.dtype.kind not in "iu":
                raise CuteLabError(f"a swizzle acts on whole numbers, got an array of {x.dtype}")
            if x.dtype == np.uint64 and x.size and x.max() >= 2**63:
                raise CuteLabError(f"a swizzle acts on offsets below 2^63, got {x.max()}")
            x = x.astype(np.int64)  # narrower integers could not hold the moved bits
        elif not is_int(x):
            raise CuteLabError(f"a swizzle acts on whole numbers, got {shown(x)}")
        else:
            x = int(x)
        shift = self.shift
        if shift >= 0:
            return x ^ ((x & self._yyy) >> shift)
        return x ^ ((x & self._yyy) << -shift)

    def __str__(self) -> str:
        return f"Sw<{self.bits},{self.base},{self.shift}>"

    def __repr__(self) -> str:
        return f"Swizzle({self.bits}, {self.base}, {self.shift})"

    def recast(self, from_bytes: float, to_bytes: float) -> Swizzle:
        """Which swizzle is the same map when offsets count units of `to_bytes` instead of `from_bytes`?

        The base moves by log2(from_bytes / to_bytes). Below base 0 the bits inside one new unit are dropped, as CuTe's
        `recast_layout` does: there is then no such map of whole units. Fractions of a byte are allowed (0.125 is a bit).

        >>> Swizzle(3, 4, 3).recast(1, 4), Swizzle(3, 4, 3).recast(1, 2), Swizzle(3, 4, 3).recast(1, 0.125)
        (Swizzle(3, 2, 3), Swizzle(3, 3, 3), Swizzle(3, 7, 3))
        """
        for unit in (from_bytes, to_bytes):
            if not (is_int(unit) or isinstance(unit, float)) or not 0 < unit < 2**40 or log2(unit) % 1:
                raise CuteLabError(f"the unit must be a power of two of bytes (0.125, 1, 2, 4, ...), got {shown(unit)}")
        base = self.base + int(log2(from_bytes)) - int(log2(to_bytes))
        if base >= 0:
            return Swizzle(self.bits, base, self.shift)
        return Swizzle(max(0, self.bits + base), 0, self.shift)

    def bit_matrix(self, bits: int | None = None) -> np.ndarray:
        """Which input bits does each output bit XOR? A 0/1 matrix (bits, bits): out = matrix @ in (mod 2), bit 0 first.

        >>> Swizzle(1, 0, 2).bit_matrix().tolist()
        [[1, 0, 1], [0, 1, 0], [0, 0, 1]]
        """
        n = (self.yyy | self.zzz).bit_length() if bits is None else bits
        if not is_int(n) or not 0 <= n <= 62:
            raise CuteLabError(f"a bit matrix has 0 to 62 bits, got {shown(n)}")
        columns = self(np.left_shift(1, np.arange(n, dtype=np.int64)))
        return np.asarray((columns[None, :] >> np.arange(n, dtype=np.int64)[:, None]) & 1)


def parse_swizzle(text: str) -> Swizzle:
    """Which swizzle does this text name? (`Sw<3,4,3>`, `S<3,4,3>`, `Swizzle<3,4,3>`)

    >>> parse_swizzle("Sw<3,4,3>")
    Swizzle(3, 4, 3)
    """
    return Swizzle(*notation.parse_swizzle(text))


def make_swizzle(source: int, target: int) -> Swizzle:
    """Which swizzle XORs the bits of mask `source` (Y) into the bits of mask `target` (Z)?

    Both masks must be runs of the same number of neighbouring bits. Source: cute/swizzle.hpp, `make_swizzle`.

    >>> make_swizzle(448, 56)
    Swizzle(3, 3, 3)
    """
    for name, mask in (("source", source), ("target", target)):
        if not is_int(mask) or mask < 0:
            raise CuteLabError(f"the {name} mask must be a whole number of 0 or more, got {shown(mask)}")
        if mask >= 2**62:
            raise CuteLabError(f"the {name} mask {shown(mask)} reaches beyond bit 61; offsets have 62 bits at most")
    source, target = int(source), int(target)
    if source.bit_count() != target.bit_count():
        raise CuteLabError(
            f"masks {source} and {target} have {source.bit_count()} and {target.bit_count()} bits; they need the same number"
        )
    if not source:
        return Swizzle(0, 0, 0)
    low = [(mask & -mask).bit_length() - 1 for mask in (source, target)]
    found = Swizzle(source.bit_count(), min(low), low[0] - low[1])
    if (found.yyy, found.zzz) != (source, target):
        raise CuteLabError(f"masks {source:#x} and {target:#x} must each be one run of neighbouring bits")
    return found
