"""ldmatrix and stmatrix: which lane names which row, and which lane receives what.

An 8 x 8 matrix has 8 rows of 16 bytes. Each lane names one row; each lane receives 4 bytes of each matrix. Source: PTX ISA,
"ldmatrix"; cute/atom/copy_traits_sm75.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.hardware.chip import H200

LANES = H200.lanes  # the instructions of PTX are for warps of 32 lanes
ROWS, ROW_BYTES = 8, 16
NAMES = {  # CUTLASS's names: registers of 32 bits, or 16-bit elements when transposed
    (1, False): "SM75_U32x1_LDSM_N",
    (2, False): "SM75_U32x2_LDSM_N",
    (4, False): "SM75_U32x4_LDSM_N",
    (1, True): "SM75_U16x2_LDSM_T",
    (2, True): "SM75_U16x4_LDSM_T",
    (4, True): "SM75_U16x8_LDSM_T",
}


@dataclass(frozen=True)
class LdMatrix:
    """Which lane names which row, and who receives what, in ldmatrix.x1, .x2 or .x4 (and .trans)?

    matrices  1, 2 or 4
    trans     False: the lane's register holds two neighbours of a row. True: two neighbours of a column.

    >>> x4 = LdMatrix(4)
    >>> x4.name, x4.row_lane.shape, x4.row_lane[2, 5]  # row 5 of matrix 2 is named by lane 21
    ('SM75_U32x4_LDSM_N', (4, 8), np.int64(21))
    >>> print(LdMatrix(1).layout_tv, LdMatrix(1, trans=True).layout_tv, sep="  ")
    ((4,8),(2,1)):((16,1),(8,64))  ((4,8),(2,1)):((2,8),(1,64))
    """

    matrices: int
    trans: bool = False

    def __post_init__(self) -> None:
        if self.matrices not in (1, 2, 4):
            raise CuteLabError(f"ldmatrix moves 1, 2 or 4 matrices (x1, x2, x4), got {self.matrices!r}")

    @property
    def name(self) -> str:
        """CUTLASS's name of the copy operation."""
        return NAMES[self.matrices, bool(self.trans)]

    @property
    def row_lane(self) -> np.ndarray:
        """Which lane gives the address of each row? Shape (matrices, 8). Lanes beyond 8 * matrices give addresses that nobody reads."""
        return np.arange(self.matrices * ROWS).reshape(self.matrices, ROWS)

    @property
    def layout_tv(self) -> Layout:
        """(lane, value) -> row + 8 * col + 64 * matrix, for 2-byte elements: two values of each matrix in turn."""
        lane, value = ((2, 8), 1) if self.trans else ((16, 1), 8)
        return Layout(((4, 8), (2, self.matrices)), (lane, (value, 64)))

    @property
    def src_layout(self) -> Layout:
        """CuTe's SrcLayout: (lane, bit) -> bit of the rows, in the order in which lanes name them.

        >>> print(LdMatrix(2).src_layout)
        ((16,2),128):((128,0),1)
        """
        named = self.matrices * ROWS
        if named == LANES:
            return Layout((LANES, 128), (128, 1))
        return Layout(((named, LANES // named), 128), ((128, 0), 1))

    @property
    def dst_layout(self) -> Layout:
        """CuTe's DstLayout: (lane, bit) -> bit of the rows.

        >>> print(LdMatrix(4).dst_layout, LdMatrix(4, trans=True).dst_layout, sep="  ")
        (32,(32,4)):(32,(1,1024))  ((4,8),(16,2,4)):((256,16),(1,128,1024))
        """
        more = ((self.matrices, 1024),) if self.matrices > 1 else ()
        if self.trans:
            modes = ((16, 1), (2, 128), *more)
            return Layout(((4, 8), tuple(s for s, _ in modes)), ((256, 16), tuple(d for _, d in modes)))
        if not more:
            return Layout((LANES, 32), (32, 1))
        return Layout((LANES, (32, self.matrices)), (32, (1, 1024)))

    def load(self, rows: np.ndarray) -> np.ndarray:
        """What does each lane receive? rows: (matrices * 8, 8) two-byte elements, row i named by lane i. Returns (32, 2 * matrices).

        >>> LdMatrix(1).load(np.arange(64).reshape(8, 8))[5].tolist()
        [10, 11]
        >>> LdMatrix(1, trans=True).load(np.arange(64).reshape(8, 8))[5].tolist()
        [17, 25]
        """
        rows = np.asarray(rows)
        if rows.shape != (self.matrices * ROWS, ROW_BYTES // 2):
            raise CuteLabError(
                f"ldmatrix.x{self.matrices} reads {self.matrices * ROWS} rows of 8 two-byte elements, got shape {rows.shape}"
            )
        matrices = rows.reshape(self.matrices, ROWS, -1)  # matrix, row, col
        received: np.ndarray = np.transpose(matrices, (1, 2, 0)).ravel(order="F")[offsets(self.layout_tv)]
        return received
