"""TileAccess: which elements of a tile does a warp touch? Coordinates, before any layout gives them addresses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.hardware.chip import H200, Chip

LANES = 32
SHARED_BYTES = 228 * 1024  # of one multiprocessor of compute capability 9.0


@dataclass(frozen=True, eq=False)
class TileAccess:
    """What do the lanes touch? Lane i moves `access_bytes` bytes that start at element (row[i], col[i]), along the row.

    row, col      whole numbers of shape (32,); (n, 32) for n instructions
    access_bytes  bytes a lane, as for `WarpAccess`; kind and active too

    Raises CuteLabError when row and col are not whole numbers of one shape (..., 32).

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
        arrays = []
        for name in ("row", "col"):
            try:
                value = np.asarray(getattr(self, name))
            except ValueError as error:
                raise CuteLabError(
                    f"{name} must hold 32 whole numbers, one a lane; its rows differ in length"
                ) from error
            if value.dtype.kind not in "iu" or value.ndim == 0 or value.shape[-1] != LANES:
                raise CuteLabError(
                    f"{name} must hold 32 whole numbers, one a lane, got {value.dtype} of shape {value.shape}"
                )
            arrays.append(value.astype(np.int64).reshape(-1, LANES))
        if arrays[0].shape != arrays[1].shape:
            raise CuteLabError(f"row has shape {arrays[0].shape} and col {arrays[1].shape}; they must be the same")
        try:
            lanes = np.broadcast_to(True if self.active is None else np.asarray(self.active, bool), arrays[0].shape)
        except ValueError as error:
            raise CuteLabError(f"active must hold 32 truth values, got {self.active!r}") from error
        for name, array in (("row", arrays[0]), ("col", arrays[1]), ("active", lanes.copy())):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def instructions(self) -> int:
        """How many instructions (warps) is this?"""
        return len(self.row)

    def _key(self) -> tuple[Any, ...]:
        arrays = (np.where(self.active, v, -1).tobytes() for v in (self.row, self.col))
        return self.access_bytes, self.kind, *arrays

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, TileAccess) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


def read_column(column: int, *, rows: int = 32, access_bytes: int = 4, kind: str = "load") -> TileAccess:
    """Which elements does a warp touch when lane i takes row i of one column?

    More than 32 rows make several instructions; in the last one lanes may be inactive.

    >>> access = read_column(3, rows=8)
    >>> access.row[0, :4].tolist(), access.col[0, :4].tolist(), int(access.active.sum())
    ([0, 1, 2, 3], [3, 3, 3, 3], 8)
    """
    column = _place(column, "column")
    index, active = _lanes_over(_size(rows, "rows"))
    return TileAccess(index, np.where(active, column, 0), access_bytes, kind, active)


def read_row(row: int, *, cols: int = 32, access_bytes: int = 4, kind: str = "load") -> TileAccess:
    """Which elements does a warp touch when lane i takes column i of one row?

    >>> read_row(3).col[0, :4].tolist()
    [0, 1, 2, 3]
    """
    row = _place(row, "row")
    index, active = _lanes_over(_size(cols, "cols"))
    return TileAccess(np.where(active, row, 0), index, access_bytes, kind, active)


def store_rows(
    access_bytes: int, *, rows: int = 32, cols: int = 32, element_bytes: int = 4, kind: str = "store"
) -> TileAccess:
    """Which elements does a warp touch that fills the whole tile row by row, `access_bytes` at a time?

    Lanes run along a row first; `kind="load"` reads the tile in the same way.

    >>> access = store_rows(16)
    >>> access.instructions, access.row[0, 7:10].tolist(), access.col[0, 7:10].tolist()
    (8, [0, 1, 1], [28, 0, 4])
    """
    rows, cols = _size(rows, "rows"), _size(cols, "cols")
    access_bytes, element_bytes = _size(access_bytes, "access_bytes"), _size(element_bytes, "element_bytes")
    if rows * cols * element_bytes > SHARED_BYTES:
        raise CuteLabError(
            f"a tile of {rows:,} x {cols:,} elements of {element_bytes} bytes has {rows * cols * element_bytes:,} bytes; "
            f"shared memory has {SHARED_BYTES:,} at most"
        )
    vector, rest = divmod(access_bytes, element_bytes)
    if rest or not vector or cols % vector:
        raise CuteLabError(
            f"rows of {cols} elements of {element_bytes} bytes do not split into pieces of {access_bytes} bytes; "
            "the piece must be a whole number of elements and divide the row"
        )
    across = cols // vector
    index, active = _lanes_over(rows * across)
    return TileAccess(index // across, index % across * vector, access_bytes, kind, active)


def ldmatrix_tile(
    row: int = 0, col: int = 0, *, matrices: int = 4, element_bytes: int = 2, kind: str = "ldmatrix"
) -> TileAccess:
    """Which 16-byte rows do the lanes of ldmatrix name? 8 x 8 matrices of 2-byte elements: down first, then right.

    Lanes 0 to 7 name the rows of the first matrix at (row, col), 8 to 15 of the one below it, 16 to 31 of the two 16 bytes
    to the right: the A operand of m16n8k16. `matrices` is 1, 2 or 4 (x1, x2, x4); `kind="stmatrix"` writes.

    >>> access = ldmatrix_tile()
    >>> access.row[0, ::8].tolist(), access.col[0, ::8].tolist()
    ([0, 8, 0, 8], [0, 0, 8, 8])
    """
    row, col, element_bytes = _place(row, "row"), _place(col, "col"), _size(element_bytes, "element_bytes")
    if not is_int(matrices) or matrices not in (1, 2, 4):
        raise CuteLabError(f"ldmatrix moves 1, 2 or 4 matrices, got {matrices!r}")
    lane = np.arange(LANES)
    active = lane < 8 * matrices
    rows = np.where(active, row + lane % 16, 0)
    cols = np.where(active, col + lane // 16 * (16 // element_bytes), 0)
    return TileAccess(rows, cols, 16, kind, active)


def _size(value: object, name: str) -> int:
    if not is_int(value) or value < 1:  # type: ignore[operator]
        raise CuteLabError(f"{name} must be a whole number of 1 or more, got {value!r}")
    if value > SHARED_BYTES:  # type: ignore[operator]
        raise CuteLabError(f"{name} must be {SHARED_BYTES:,} or less, the bytes of shared memory, got {value}")
    return int(value)  # type: ignore[call-overload]


def _place(value: object, name: str) -> int:
    """A row or column. One outside the tile is found later, by whoever knows the tile."""
    if not is_int(value) or abs(value) > SHARED_BYTES:  # type: ignore[arg-type, operator]
        raise CuteLabError(f"{name} must be a whole number such as 0, below {SHARED_BYTES:,}; got {value!r}")
    return int(value)  # type: ignore[call-overload]


def _lanes_over(elements: int) -> tuple[np.ndarray, np.ndarray]:
    """0 .. elements - 1 dealt to 32 lanes, instruction after instruction; what is left over is inactive."""
    index = np.arange(-(-elements // LANES) * LANES).reshape(-1, LANES)
    active = index < elements
    return np.where(active, index, 0), active
