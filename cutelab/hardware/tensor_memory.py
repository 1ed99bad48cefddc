"""Tensor memory of Blackwell: which lane and column each thread's registers come from in tcgen05.ld.

128 lanes, 512 columns of 32 bits; a warp reaches the 32 lanes of its quarter. From CUTLASS's headers
(cute/atom/copy_traits_sm100.hpp), not measured. Where a tile's elements lie is `tmem_layout` of `cutelab.cutlass`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.hardware.chip import H200

LANES, COLUMNS = 128, 512
REGISTERS = {"32dp32b": 1, "16dp256b": 4, "16dp128b": 2, "16dp64b": 1, "16dp32b": 1}
WIDTHS = {"32dp32b": 1, "16dp256b": 8, "16dp128b": 4, "16dp64b": 2, "16dp32b": 2}  # columns of one repetition
REPEATS = (1, 2, 4, 8, 16, 32, 64, 128)
MAX_REGISTERS = 128
NAME = re.compile(r"(?:SM100_TMEM_LOAD_|tcgen05\.ld\.)?(\d+)(?:dp|x)(\d+)b(?:(\d+)x|\.x(\d+))?")


@dataclass(frozen=True)
class TmemLoad:
    """Which thread receives which cell of tensor memory?

    shape    "32dp32b", "16dp256b", "16dp128b", "16dp64b" or "16dp32b": lanes, and bits of one repetition
    repeats  1, 2, 4 ... 128, as far as 128 registers reach

    `lane`, `column`: arrays of shape (32, registers), counted from the address that the instruction names. From the headers, not
    measured. Raises CuteLabError for a shape or number that the instruction does not have.

    >>> load = TmemLoad("16dp256b", 1)
    >>> load.registers, load.lane[5].tolist(), load.column[5].tolist()
    (4, [1, 1, 9, 9], [2, 3, 2, 3])
    >>> TmemLoad.named("SM100_TMEM_LOAD_32dp32b4x").column[7].tolist()
    [0, 1, 2, 3]
    """

    shape: str
    repeats: int = 1
    measured = False

    def __post_init__(self) -> None:
        if not isinstance(self.shape, str) or self.shape not in REGISTERS:
            raise CuteLabError(f"tcgen05.ld has the shapes {', '.join(REGISTERS)}, got {shown(self.shape)}")
        most = MAX_REGISTERS // REGISTERS[self.shape]
        if isinstance(self.repeats, bool) or self.repeats not in REPEATS or self.repeats > most:
            raise CuteLabError(f"{self.shape} repeats 1, 2, 4 ... {most} times, got {shown(self.repeats)}")

    @classmethod
    def named(cls, name: str) -> TmemLoad:
        """The load with CUTLASS's name, `SM100_TMEM_LOAD_16dp256b2x`, or PTX's, `tcgen05.ld.16x256b.x2`.

        >>> TmemLoad.named("tcgen05.ld.16x128b.x8") == TmemLoad("16dp128b", 8)
        True
        """
        match = NAME.fullmatch(name.strip()) if isinstance(name, str) else None
        if match is None:
            raise CuteLabError(
                f"names look like SM100_TMEM_LOAD_16dp256b2x or tcgen05.ld.16x256b.x2, got {shown(name)}"
            )
        return cls(f"{match[1]}dp{match[2]}b", int(match[3] or match[4] or 1))

    @property
    def name(self) -> str:
        """CUTLASS's name."""
        return f"SM100_TMEM_LOAD_{self.shape}{self.repeats}x"

    @property
    def registers(self) -> int:
        """32-bit registers that each thread receives."""
        return REGISTERS[self.shape] * self.repeats

    @property
    def columns(self) -> int:
        """Columns of tensor memory that the instruction reads."""
        return WIDTHS[self.shape] * self.repeats

    @property
    def lanes(self) -> int:
        """Lanes of tensor memory that it reads."""
        return int(self.shape.split("dp")[0])

    @property
    def lane(self) -> np.ndarray:
        """The lane of each thread's registers, shape (32, registers)."""
        return self._cell()[0]

    @property
    def column(self) -> np.ndarray:
        """The column of each thread's registers, shape (32, registers)."""
        return self._cell()[1]

    def _cell(self) -> tuple[np.ndarray, np.ndarray]:
        t, r = np.arange(H200.lanes, dtype=np.int64)[:, None], np.arange(self.registers, dtype=np.int64)[None, :]
        zero = t * 0 + r * 0
        if self.shape == "32dp32b":
            return t + zero, r + zero
        if self.shape == "16dp256b":
            return t // 4 + r // 2 % 2 * 8, t % 4 * 2 + r % 2 + r // 4 * 8
        if self.shape == "16dp128b":
            return t // 4 + r % 2 * 8, t % 4 + r // 2 * 4
        if self.shape == "16dp64b":
            return t % 2 * 8 + t // 4 + zero, t // 2 % 2 + r * 2
        return t % 16 + zero, t // 16 * self.repeats + r
