"""TileAccess: which elements of a tile does a warp touch? Coordinates, before any layout gives them addresses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import check_listed
from cutelab.hardware.chip import H200, Chip, want_chip


@dataclass(frozen=True, eq=False)
class TileAccess:
    """What do the lanes touch? Lane i moves `access_bytes` bytes that start at element (row[i], col[i]), along the row.

    row, col      whole numbers of shape (lanes,); (n, lanes) for n instructions
    access_bytes  bytes a lane, as for `WarpAccess`; kind, active and chip too

    Raises CuteLabError when row and col are not whole numbers of one shape (..., lanes).

    >>> diagonal = TileAccess(np.arange(32), np.arange(32), 4)
    >>> diagonal.instructions
    1
    """

    row: np.ndarray
    col: np.ndarray
    access_bytes: int
    kind: str = "load"
    active: Any = None
    chip: Chip = field(default=H200, kw_only=True)

    def __post_init__(self) -> None:
        want_chip(self.chip)
        arrays, lanes = [], self.chip.lanes
        for name in ("row", "col"):
            check_listed(getattr(self, name), name)
            try:
                value = np.asarray(getattr(self, name))
            except ValueError as error:
                raise CuteLabError(
                    f"{name} must hold {lanes} whole numbers, one a lane; its rows differ in length"
                ) from error
            if value.dtype.kind not in "iu" or value.ndim == 0 or value.shape[-1] != lanes:
                raise CuteLabError(
                    f"{name} must hold {lanes} whole numbers, one a lane, got {value.dtype} of shape {value.shape}"
                )
            arrays.append(value.astype(np.int64).reshape(-1, lanes))
        if arrays[0].shape != arrays[1].shape:
            raise CuteLabError(f"row has shape {arrays[0].shape} and col {arrays[1].shape}; they must be the same")
        try:
            active = np.broadcast_to(True if self.active is None else np.asarray(self.active, bool), arrays[0].shape)
        except ValueError as error:
            raise CuteLabError(f"active must hold {lanes} truth values, got {shown(self.active)}") from error
        for name, array in (("row", arrays[0]), ("col", arrays[1]), ("active", active.copy())):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def instructions(self) -> int:
        """How many instructions (warps) is this?"""
        return len(self.row)

    def _key(self) -> tuple[Any, ...]:
        arrays = (np.where(self.active, v, -1).tobytes() for v in (self.row, self.col))
        return self.access_bytes, self.kind, self.chip, *arrays

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, TileAccess) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


def read_column(
    column: int, *, rows: int | None = None, access_bytes: int = 4, kind: str = "load", chip: Chip = H200
) -> TileAccess:
    """Which elements does a warp touch when lane i takes row i of one column?

    rows: None for one row a lane. More rows than lanes make several instructions; in the last one lanes may be inactive.

    >>> access = read_column(3, rows=8)
    >>> access.row[0, :4].tolist(), access.col[0, :4].tolist(), int(access.active.sum())
    ([0, 1, 2, 3], [3, 3, 3, 3], 8)
    """
    want_chip(chip)
    column = _place(column, "column", chip)
    index, active = _lanes_over(chip.lanes if rows is None else _size(rows, "rows", chip), chip)
    return TileAccess(index, np.where(active, column, 0), access_bytes, kind, active, chip=chip)


def read_row(
    row: int, *, cols: int | None = None, access_bytes: int = 4, kind: str = "load", chip: Chip = H200
) -> TileAccess:
    """Which elements does a warp touch when lane i takes column i of one row?

    >>> read_row(3).col[0, :4].tolist()
    [0, 1, 2, 3]
    """
    want_chip(chip)
    row = _place(row, "row", chip)
    index, active = _lanes_over(chip.lanes if cols is None else _size(cols, "cols", chip), chip)
    return TileAccess(np.where(active, row, 0), index, access_bytes, kind, active, chip=chip)


def store_rows(
    access_bytes: int,
    *,
    rows: int = 32,
    cols: int = 32,
    element_bytes: int = 4,
    kind: str = "store",
    chip: Chip = H200,
) -> TileAccess:
    """Which elements does a warp touch that fills the whole tile row by row, `access_bytes` at a time?

    Lanes run along a row first; `kind="load"` reads the tile in the same way. The stores are those of registers: what cp.async
    costs on the shared side is not modelled.

    >>> access = store_rows(16)
    >>> access.instructions, access.row[0, 7:10].tolist(), access.col[0, 7:10].tolist()
    (8, [0, 1, 1], [28, 0, 4])
    """
    want_chip(chip)
    rows, cols = _size(rows, "rows", chip), _size(cols, "cols", chip)
    access_bytes = _size(access_bytes, "access_bytes", chip)
    element_bytes = _size(element_bytes, "element_bytes", chip)
    if rows * cols * element_bytes > chip.block_bytes:
        raise CuteLabError(
            f"a tile of {rows:,} x {cols:,} elements of {element_bytes} bytes has {rows * cols * element_bytes:,} bytes; "
            f"a block has {chip.block_bytes:,} of shared memory at most"
        )
    vector, rest = divmod(access_bytes, element_bytes)
    if rest or not vector or cols % vector:
        raise CuteLabError(
            f"rows of {cols} elements of {element_bytes} bytes do not split into pieces of {access_bytes} bytes; "
            "the piece must be a whole number of elements and divide the row"
        )
    across = cols // vector
    index, active = _lanes_over(rows * across, chip)
    return TileAccess(index // across, index % across * vector, access_bytes, kind, active, chip=chip)


def ldmatrix_tile(
    row: int = 0,
    col: int = 0,
    *,
    matrices: int = 4,
    element_bytes: int = 2,
    kind: str = "ldmatrix",
    chip: Chip = H200,
) -> TileAccess:
    """Which 16-byte rows do the lanes of ldmatrix name? 8 x 8 matrices of 2-byte elements: down first, then right.

    Lanes 0 to 7 name the rows of the first matrix at (row, col), 8 to 15 of the one below it, 16 to 31 of the two 16 bytes
    to the right: the A operand of m16n8k16. `matrices` is 1, 2 or 4 (x1, x2, x4); `kind="stmatrix"` writes.

    >>> access = ldmatrix_tile()
    >>> access.row[0, ::8].tolist(), access.col[0, ::8].tolist()
    ([0, 8, 0, 8], [0, 0, 8, 8])
    """
    want_chip(chip)
    row, col = _place(row, "row", chip), _place(col, "col", chip)
    element_bytes = _size(element_bytes, "element_bytes", chip)
    if not is_int(matrices) or matrices not in (1, 2, 4):
        raise CuteLabError(f"ldmatrix moves 1, 2 or 4 matrices, got {shown(matrices)}")
    if 8 * matrices > chip.lanes:
        raise CuteLabError(f"{matrices} matrices take the addresses of {8 * matrices} lanes; a warp has {chip.lanes}")
    lane = np.arange(chip.lanes, dtype=np.int64)
    active = lane < 8 * matrices
    rows = np.where(active, row + lane % 16, 0)
    cols = np.where(active, col + lane // 16 * (16 // element_bytes), 0)
    return TileAccess(rows, cols, 16, kind, active, chip=chip)


def _size(value: Any, name: str, chip: Chip) -> int:
    if not is_int(value) or value < 1:
        raise CuteLabError(f"{name} must be a whole number of 1 or more, got {shown(value)}")
    if value > chip.block_bytes:
        raise CuteLabError(
            f"{name} must be {chip.block_bytes:,} or less, the bytes of shared memory of a block, got {shown(value)}"
        )
    return int(value)


def _place(value: Any, name: str, chip: Chip) -> int:
    """A row or column. One outside the tile is found later, by whoever knows the tile."""
    if not is_int(value) or abs(value) > chip.block_bytes:
        raise CuteLabError(f"{name} must be a whole number such as 0, below {chip.block_bytes:,}; got {shown(value)}")
    return int(value)


def _lanes_over(elements: int, chip: Chip) -> tuple[np.ndarray, np.ndarray]:
    """0 .. elements - 1 dealt to the lanes, instruction after instruction; what is left over is inactive."""
    index = np.arange(-(-elements // chip.lanes) * chip.lanes, dtype=np.int64).reshape(-1, chip.lanes)
    active = index < elements
    return np.where(active, index, 0), active
