"""Topic "banks", who comes: the kinds of access, the patterns, and which element each of the 32 lanes starts at."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from cutelab.advise.conflict_free import Fix, TileAccess, conflict_free
from cutelab.core.errors import CuteLabError
from cutelab.core.formula import formula
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

if TYPE_CHECKING:
    from cutelab.course.topics.banks.model import BanksParams

KINDS = {
    "load": ("load", 32),
    "store": ("store", 32),
    "ldmatrix x4": ("ldmatrix", 32),
    "ldmatrix x2": ("ldmatrix", 16),
    "ldmatrix x1": ("ldmatrix", 8),
    "stmatrix x4": ("stmatrix", 32),
    "reduce": ("reduce", 32),
    "atomic": ("atomic", 32),
}
"""Kind on the card -> kind of `WarpAccess`, lanes that give an address."""

PATTERNS = ("row", "column", "diagonal", "block", "own")
LANES = np.arange(32)


def widths(kind: str, element_bytes: int, cols: int = 1 << 20) -> tuple[int, ...]:
    """How many bytes may a lane move, for elements of this size in rows of `cols`? Whole elements, and not beyond a row.

    >>> widths("load", 2), widths("ldmatrix x4", 2), widths("load", 4, cols=3)
    ((2, 4, 8, 16), (16,), (4, 8))
    """
    name = KINDS[kind][0]
    able = {"load": (1, 2, 4, 8, 16), "store": (1, 2, 4, 8, 16), "reduce": (4,), "atomic": (4,)}.get(name, (16,))
    return tuple(w for w in able if element_bytes <= w <= element_bytes * cols)


def block_rows(kind: str) -> int:
    """How many lanes of a block go down before the next column? 8; for ldmatrix and stmatrix 16, as they name 8 x 8 matrices."""
    return 16 if "matrix" in kind else 8


def places(params: BanksParams) -> TileAccess:
    """Where does each lane start? Lanes that leave the tile are idle.

    row       along row `index`, then along the next rows
    column    down column `index` (wide lanes: down the piece that holds it), then down the next ones
    diagonal  one row and one piece further with each lane, from (0, index) on; columns wrap around
    block     8 lanes down (ldmatrix 16), then the next piece, from (0, index) on
    own       the two formulas in t: row and column
    """
    (rows, cols), vector, read = params.shape, params.vector, params.read
    pieces, piece = cols // vector, params.index // vector
    if read == "row":
        row, col = params.index + LANES // pieces, LANES % pieces * vector
    elif read == "column":
        row, col = LANES % rows, (piece + LANES // rows) * vector
    elif read == "diagonal":
        row, col = LANES, (piece + LANES) % pieces * vector
    elif read == "block":
        high = block_rows(params.kind)
        row, col = LANES % high, (piece + LANES // high) * vector
    else:
        row, col = formula(params.lane_row, LANES), formula(params.lane_col, LANES)
    kind, lanes = KINDS[params.kind]
    idle = (row < 0) | (row >= rows) | (col < 0) | (col + vector > cols) | (lanes <= LANES)
    if "matrix" in kind and int((~idle).sum()) != lanes:
        lane = int(np.flatnonzero(idle)[0])
        raise CuteLabError(
            f"{params.kind} takes the addresses of lanes 0 to {lanes - 1}, and lane {lane} goes to ({row[lane]},{col[lane]}), "
            f"outside the tile of {rows} x {cols}; take a larger tile, another pattern or fewer matrices"
        )
    if idle.all():
        raise CuteLabError(
            f"no lane stays inside the tile of {rows} x {cols}: lane 0 goes to ({row[0]},{col[0]}); "
            "rows and columns count from 0"
        )
    crooked = ~idle & (col % vector != 0)
    if crooked.any():
        lane = int(np.argmax(crooked))
        raise CuteLabError(
            f"lane {lane} starts at ({row[lane]},{col[lane]}); {params.access_bytes} bytes a lane must start at a column that "
            f"is a multiple of {vector}"
        )
    return TileAccess(np.where(idle, 0, row), np.where(idle, 0, col), params.access_bytes, kind, ~idle)


def count(params: BanksParams, access: TileAccess, table: np.ndarray) -> Wavefronts:
    """How many wavefronts, in a tile with this table of offsets? Raises CuteLabError where a lane's elements are torn apart."""
    row, col, active = access.row[0], access.col[0], access.active[0]
    vector, item = params.vector, params.element_bytes
    start = np.where(active, table[row, col], 0)
    if vector > 1:
        reach = table[row[:, None], np.minimum(col[:, None] + np.arange(vector), table.shape[1] - 1)]
        torn = active & (reach != start[:, None] + np.arange(vector)).any(axis=1)
        crooked = active & (start % vector != 0)
        lane = int(np.argmax(torn if torn.any() else crooked))
        if torn.any():
            shown = ", ".join(map(str, reach[lane, :4].tolist())) + (" ..." if vector > 4 else "")
            raise CuteLabError(
                f"lane {lane} would move the {vector} elements from ({row[lane]},{col[lane]}) on, but they lie at the offsets "
                f"{shown}; {access.access_bytes} bytes a lane need neighbours: a stride of 1 along the row, and a swizzle whose "
                f"base is {vector.bit_length() - 1} or more"
            )
        if crooked.any():
            raise CuteLabError(
                f"lane {lane} starts at offset {start[lane]}, byte {start[lane] * item}, which is not a multiple of "
                f"{access.access_bytes}; {access.access_bytes} bytes a lane need a pitch that is a multiple of {vector} elements"
            )
    return wavefronts(WarpAccess(start * item, access.access_bytes, access.kind, active))


@lru_cache(maxsize=64)
def cures(access: TileAccess, rows: int, cols: int, element_bytes: int) -> tuple[Fix, ...]:
    """Which paddings and swizzles are there, best first? Of each kind the cheapest for each count of wavefronts."""
    kept: dict[tuple[str, int], Fix] = {}
    for cure in conflict_free(access, rows, cols, element_bytes):
        kept.setdefault((cure.kind, cure.wavefronts), cure)
    return tuple(kept.values())
