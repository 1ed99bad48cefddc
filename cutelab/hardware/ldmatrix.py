"""ldmatrix and stmatrix: which lane names which row, and which lane receives or gives what.

An 8 x 8 matrix has 8 rows of 16 bytes. Each lane names one row; each lane holds 4 bytes of each matrix. stmatrix is the mirror
of ldmatrix. Source: PTX ISA, "ldmatrix", "stmatrix"; cute/atom/copy_traits_sm75.hpp, copy_traits_sm90.hpp; all twelve measured on
an NVIDIA H200 (`measured_hopper("matrix_instructions")`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, offsets
from cutelab.hardware.chip import H200

LANES = H200.lanes  # the instructions of PTX are for warps of 32 lanes
ROWS, ROW_BYTES = 8, 16
NAMES = {
    False: "U32x{0}_{1}_N",
    True: "U16x{0}_{1}_T",
}  # CUTLASS's: registers of 32 bits, or 16-bit elements when transposed


def _array(value: object) -> np.ndarray:
    """An array of what somebody gave; rows of different lengths are refused."""
    try:
        return np.asarray(value)
    except (ValueError, TypeError) as error:
        raise CuteLabError("a matrix instruction moves an array of numbers; these rows differ in length") from error


@dataclass(frozen=True)
class _Matrices:
    """What ldmatrix and stmatrix have in common: rows that lanes name, and registers."""

    matrices: int
    trans: bool = False

    def __post_init__(self) -> None:
        if not is_int(self.matrices) or self.matrices not in (1, 2, 4):
            raise CuteLabError(f"{self._word} moves 1, 2 or 4 matrices (x1, x2, x4), got {shown(self.matrices)}")

    @property
    def _word(self) -> str:
        raise NotImplementedError

    @property
    def row_lane(self) -> np.ndarray:
        """Which lane gives the address of each row? Shape (matrices, 8). Addresses of lanes beyond 8 * matrices are not used."""
        return np.arange(self.matrices * ROWS, dtype=np.int64).reshape(self.matrices, ROWS)

    @property
    def layout_tv(self) -> Layout:
        """(lane, value) -> row + 8 * col + 64 * matrix, for 2-byte elements: two values of each matrix in turn."""
        lane, value = ((2, 8), 1) if self.trans else ((16, 1), 8)
        return Layout(((4, 8), (2, self.matrices)), (lane, (value, 64)))

    @property
    def _rows_layout(self) -> Layout:
        """(lane, bit) -> bit of the rows, in the order in which lanes name them."""
        named = self.matrices * ROWS
        if named == LANES:
            return Layout((LANES, 128), (128, 1))
        return Layout(((named, LANES // named), 128), ((128, 0), 1))

    @property
    def _registers_layout(self) -> Layout:
        """(lane, bit) of the registers -> bit of the rows."""
        more = ((self.matrices, 1024),) if self.matrices > 1 else ()
        if self.trans:
            modes = ((16, 1), (2, 128), *more)
            return Layout(((4, 8), tuple(s for s, _ in modes)), ((256, 16), tuple(d for _, d in modes)))
        if not more:
            return Layout((LANES, 32), (32, 1))
        return Layout((LANES, (32, self.matrices)), (32, (1, 1024)))


@dataclass(frozen=True)
class LdMatrix(_Matrices):
    """Which lane names which row, and who receives what, in ldmatrix.x1, .x2 or .x4 (and .trans)?

    matrices  1, 2 or 4
    trans     False: the lane's register holds two neighbours of a row. True: two neighbours of a column.

    >>> x4 = LdMatrix(4)
    >>> x4.name, x4.row_lane.shape, x4.row_lane[2, 5]  # row 5 of matrix 2 is named by lane 21
    ('SM75_U32x4_LDSM_N', (4, 8), np.int64(21))
    >>> print(LdMatrix(1).layout_tv, LdMatrix(1, trans=True).layout_tv, sep="  ")
    ((4,8),(2,1)):((16,1),(8,64))  ((4,8),(2,1)):((2,8),(1,64))
    """

    @property
    def _word(self) -> str:
        return "ldmatrix"

    @property
    def name(self) -> str:
        """CUTLASS's name of the copy operation."""
        return "SM75_" + NAMES[bool(self.trans)].format(self.matrices * (2 if self.trans else 1), "LDSM")

    @property
    def src_layout(self) -> Layout:
        """CuTe's SrcLayout: (lane, bit) -> bit of the rows, in the order in which lanes name them.

        >>> print(LdMatrix(2).src_layout)
        ((16,2),128):((128,0),1)
        """
        return self._rows_layout

    @property
    def dst_layout(self) -> Layout:
        """CuTe's DstLayout: (lane, bit) -> bit of the rows.

        >>> print(LdMatrix(4).dst_layout, LdMatrix(4, trans=True).dst_layout, sep="  ")
        (32,(32,4)):(32,(1,1024))  ((4,8),(16,2,4)):((256,16),(1,128,1024))
        """
        return self._registers_layout

    def load(self, rows: np.ndarray) -> np.ndarray:
        """What does each lane receive? rows: (matrices * 8, 8) two-byte elements, row i named by lane i. Returns (32, 2 * matrices).

        >>> LdMatrix(1).load(np.arange(64).reshape(8, 8))[5].tolist()
        [10, 11]
        >>> LdMatrix(1, trans=True).load(np.arange(64).reshape(8, 8))[5].tolist()
        [17, 25]
        """
        rows = _array(rows)
        if rows.shape != (self.matrices * ROWS, ROW_BYTES // 2):
            raise CuteLabError(
                f"ldmatrix.x{self.matrices} reads {self.matrices * ROWS} rows of 8 two-byte elements, got shape {rows.shape}"
            )
        matrices = rows.reshape(self.matrices, ROWS, -1)  # matrix, row, col
        received: np.ndarray = np.transpose(matrices, (1, 2, 0)).ravel(order="F")[offsets(self.layout_tv)]
        return received.reshape(LANES, -1, order="F")


@dataclass(frozen=True)
class StMatrix(_Matrices):
    """Which lane names which row, and who gives what, in stmatrix.x1, .x2 or .x4 (and .trans)?

    matrices  1, 2 or 4
    trans     False: the lane's register holds two neighbours of a row. True: two neighbours of a column.

    >>> StMatrix(4).name, StMatrix(2, trans=True).name
    ('SM90_U32x4_STSM_N', 'SM90_U16x4_STSM_T')
    >>> StMatrix(2).src_layout == LdMatrix(2).dst_layout and StMatrix(2).dst_layout == LdMatrix(2).src_layout
    True
    """

    @property
    def _word(self) -> str:
        return "stmatrix"

    @property
    def name(self) -> str:
        """CUTLASS's name of the copy operation."""
        return "SM90_" + NAMES[bool(self.trans)].format(self.matrices * (2 if self.trans else 1), "STSM")

    @property
    def src_layout(self) -> Layout:
        """CuTe's SrcLayout: (lane, bit) of the registers -> bit of the rows."""
        return self._registers_layout

    @property
    def dst_layout(self) -> Layout:
        """CuTe's DstLayout: (lane, bit) -> bit of the rows, in the order in which lanes name them."""
        return self._rows_layout

    def store(self, values: np.ndarray) -> np.ndarray:
        """What do the rows hold? values: (32, 2 * matrices), two of each register. Returns (matrices * 8, 8), row i named by lane i.

        >>> rows = StMatrix(1).store(np.arange(64).reshape(32, 2))
        >>> rows[1].tolist(), StMatrix(1, trans=True).store(np.arange(64).reshape(32, 2))[1].tolist()
        ([8, 9, 10, 11, 12, 13, 14, 15], [1, 9, 17, 25, 33, 41, 49, 57])
        """
        values = _array(values)
        if values.shape != (LANES, 2 * self.matrices):
            raise CuteLabError(
                f"stmatrix.x{self.matrices} takes {2 * self.matrices} two-byte values of each of 32 lanes, got shape {values.shape}"
            )
        flat = np.empty(values.size, values.dtype)
        flat[offsets(self.layout_tv).reshape(LANES, -1, order="F")] = values
        return flat.reshape(self.matrices, ROW_BYTES // 2, ROWS).transpose(0, 2, 1).reshape(-1, ROW_BYTES // 2)
