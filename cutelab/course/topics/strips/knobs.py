"""What the strips explorer can be asked: the tile, the article's Pitch and Strips, the threads, the probe."""

from __future__ import annotations

from dataclasses import dataclass

from cutelab.core.errors import CuteLabError
from cutelab.course.card.knobs import Params, dropdown, index, powers, slider, toggle
from cutelab.course.card.words import ELEMENTS
from cutelab.cutlass.strips import MAX_THREADS, StripThreadMap

THREADS = (8, 16, 32, 64, 128, 256, 512, MAX_THREADS)
MAX_ROW_PITCH, MAX_PITCH, MAX_STRIPS, MAX_ROWS = 1024, 128, 1024, 1024


@dataclass(frozen=True)
class StripsParams(Params):
    """What the strips explorer shows. The tile lies at offset 0; 0 rows: as many as the threads reach; 0 columns: whole rows."""

    row_pitch: int = slider(
        16,
        1,
        lambda p: max(128, p.row_pitch),
        most=MAX_ROW_PITCH,
        group="Tile",
        label="row pitch",
        unit="elements",
        tip="from one row to the next",
    )
    rows: int = slider(
        0,
        0,
        lambda p: max(64, p.rows),
        most=MAX_ROWS,
        group="Tile",
        unit="of the tile",
        tip="0: as many rows as the threads reach",
    )
    columns: int = slider(
        0, 0, lambda p: p.row_pitch, keep=True, check=False, group="Tile", unit="of the tile", tip="0: the whole row"
    )
    element: str = dropdown("float32", tuple(ELEMENTS), group="Tile", tip="its size makes bytes, sectors and banks")
    threads: int = powers(
        64,
        lambda p: tuple(sorted({*THREADS, p.threads})),
        check=False,
        group="Access",
        tip="of one thread block",
    )
    pitch: int = slider(
        8, 1, MAX_PITCH, group="Access", label="Pitch", unit="threads", tip="threads side by side in a row"
    )
    strips: int = slider(
        4,
        1,
        lambda p: max(64, p.strips),
        most=MAX_STRIPS,
        group="Access",
        label="Strips",
        unit="rows",
        tip="rows before the third term jumps",
    )
    colour: str = toggle("warp", ("warp", "strip"), group="Access", tip="what the colour of a cell means")
    thread: int = index(0, hi=lambda p: p.threads - 1, group="Probe", unit="of the block")

    def settle(self) -> None:
        self.check_number("threads", 1, MAX_THREADS)  # the probe's limit rests on it

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_number("columns", 0, MAX_ROW_PITCH)
        if self.columns > self.row_pitch:
            raise CuteLabError(
                f"columns {self.columns} do not fit into rows of {self.row_pitch}: "
                f"take 0 to {self.row_pitch} columns, or a larger row pitch"
            )

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return ELEMENTS[self.element]

    @property
    def thread_map(self) -> StripThreadMap:
        """The article's formula with these numbers."""
        return StripThreadMap(self.row_pitch, self.threads, self.pitch, self.strips)
