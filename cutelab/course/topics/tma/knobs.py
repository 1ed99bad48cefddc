"""What the TMA explorer can be asked: the matrix, the box and where it starts, the tile in shared memory, the probe."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cutelab.core.int_tuple import is_int
from cutelab.course.card.knobs import Params, dropdown, index, slider, toggle
from cutelab.course.card.words import ELEMENTS
from cutelab.hardware.span import PIECE
from cutelab.hardware.tma import MAX_BOX, TmaTile

SIZES = {name: size for name, size in ELEMENTS.items() if size < PIECE}
MOST = 4096  # rows and columns of the matrix


@dataclass(frozen=True)
class TmaParams(Params):
    """What the TMA explorer shows. Sizes and coordinates count elements.

    rows, cols       the matrix in global memory
    inner, box_rows  the box: elements along a row, rows
    column, row      where the box starts: it may hang over every edge
    swizzle_bytes    0, 32, 64 or 128
    smem_base        where the tile begins, in bytes from a multiple of 1,024
    down, across     the probe: row of the box, piece of 16 bytes in that row

    Raises CuteLabError for what the unit refuses, by the rule that breaks.
    """

    by_name = True

    rows: int = slider(24, 1, 64, most=MOST, group="Matrix", tip="rows of the matrix in global memory")
    cols: int = slider(60, 1, 128, most=MOST, group="Matrix", unit="elements", tip="elements of a row of the matrix")
    element: str = dropdown("half", tuple(SIZES), group="Matrix", tip="element type of the matrix")
    inner: int = slider(
        64,
        lambda p: p.vector,
        lambda p: min(MAX_BOX, (p.swizzle_bytes or 128) // p.item),
        step=lambda p: p.vector,
        check=False,
        group="Box",
        unit="elements",
        tip="elements of the box along a row; a multiple of 16 bytes",
    )
    box_rows: int = slider(8, 1, 32, most=MAX_BOX, group="Box", label="rows", tip="rows of the box")
    column: int = slider(
        0,
        lambda p: -8 * p.vector,
        lambda p: (p.cols - 1) // p.vector * p.vector,
        step=lambda p: p.vector,
        check=False,
        group="Box",
        label="column",
        tip="the box's first column; its bytes are a multiple of 16",
    )
    row: int = slider(
        0, -8, lambda p: p.rows - 1, check=False, group="Box", label="row", tip="the box's first row; any"
    )
    swizzle_bytes: int = toggle(
        128, (0, 32, 64, 128), group="Tile", label="swizzle", unit="bytes", tip="the span over which pieces move"
    )
    smem_base: int = slider(
        0, 0, 1024, step=128, check=False, group="Tile", label="base", unit="bytes", tip="bytes from a multiple of 1,024"
    )  # fmt: skip
    down: int = index(1, hi=lambda p: p.box_rows - 1, group="Probe", unit="row of the box", tip="row of the box")
    across: int = index(
        0, hi=lambda p: p.inner // p.vector - 1, group="Probe", unit="piece", tip="piece of 16 bytes in that row"
    )

    def settle(self) -> None:
        """What the unit refuses, in its own order: box, base, start."""
        if self.element in SIZES and self._whole():
            self.tile.check_start(self.column, self.row)

    def _whole(self) -> bool:
        """Are the numbers that a field checks itself such that a tile can be asked for?"""
        found = all(is_int(x) and 1 <= x <= MOST for x in (self.rows, self.cols))
        return found and is_int(self.box_rows) and 1 <= self.box_rows <= MAX_BOX

    @cached_property
    def tile(self) -> TmaTile:
        """The unit's own tile."""
        matrix, box = (self.rows, self.cols), (self.inner, self.box_rows)
        return TmaTile(matrix, self.item, box, self.swizzle_bytes, self.smem_base, chip=self.chip)

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return SIZES[self.element]

    @property
    def vector(self) -> int:
        """Elements of a piece of 16 bytes."""
        return PIECE // self.item

    def follow(self, now: TmaParams, asked: Collection[str]) -> dict[str, Any]:
        """Another element or swizzle: box and start keep to whole pieces, the box to the span."""
        if now.element not in SIZES or not {"element", "swizzle_bytes"} & set(asked):
            return {}
        more, vector, span = {}, now.vector, now.swizzle_bytes
        if "column" not in asked and is_int(now.column):
            more["column"] = now.column // vector * vector
        if "inner" not in asked and is_int(now.inner) and is_int(span):
            most = span // now.item if span else MAX_BOX
            more["inner"] = max(vector, min(now.inner, most) // vector * vector)
        return more
