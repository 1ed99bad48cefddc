"""The few things that a picture is drawn with. A plan is a list of them; `stamp` and `figure` both carry it out.

Lengths are CSS pixels, y grows downwards, colours are hex strings. `ground` is what lies under ink.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Dash = tuple[float, float]
Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.floating[Any]]
Words = npt.NDArray[np.str_]


@dataclass(frozen=True)
class Fill:
    """A rectangle of one colour."""

    x: float
    y: float
    w: float
    h: float
    colour: str


@dataclass(frozen=True)
class Frame:
    """A frame, `width` wide, inside the rectangle; `dash` is (on, off)."""

    x: float
    y: float
    w: float
    h: float
    colour: str
    width: float = 1
    dash: Dash | None = None


@dataclass(frozen=True)
class Hatch:
    """A faint rectangle under 45 degree lines."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True)
class Text:
    """One line of text. `y` is the middle of its capitals; `x` is its left end, middle or right end, as `align` says."""

    x: float
    y: float
    text: str
    size: float
    font: str
    ink: str
    ground: str
    align: str = "left"


@dataclass(frozen=True)
class Triangle:
    """A filled triangle. toward "corner": it fills the upper right half of its box; "left", "right": an arrow head that points there."""

    x: float
    y: float
    w: float
    h: float
    colour: str
    toward: str = "corner"


@dataclass(frozen=True, eq=False)
class Label:
    """A label in every cell: `middle` and `x` count from a cell's upper left corner, `x` is where `align` holds it."""

    texts: np.ndarray
    font: str
    size: float
    x: float
    middle: float
    align: str = "middle"


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of one size. Cell (i, j) covers xs[j] to xs[j] + widths[j] and ys[i] to ys[i] + height.

    Cells lie `pitch` = (across, down) apart unless xs or ys has an additional gap. `pair` [i, j] is an index into `colours`, a
    tuple of (fill, ink). `states` are the bit flags of `course.card.picture`. `stripe` is an index into `stripe_colours`. `split`:
    a cell with a collision is two halves. `empty`: cells of a chart's faint field, which has no lines between its rows.
    """

    name: str
    xs: np.ndarray
    ys: np.ndarray
    widths: np.ndarray
    height: int
    pitch: tuple[int, int]
    pair: np.ndarray
    colours: tuple[tuple[str, str], ...]
    labels: tuple[Label, ...] = ()
    states: np.ndarray | None = None
    stripe: np.ndarray | None = None
    stripe_colours: tuple[tuple[str, str], ...] = ()
    stripe_height: int = 4
    split: np.ndarray | None = None
    empty: np.ndarray | None = None


Op = Fill | Frame | Hatch | Text | Triangle | Cells


@dataclass(frozen=True, eq=False)
class GridBox:
    """Where a grid's cells are: `x` (columns, 2) and `y` (rows, 2) hold first and last edge; `probe` as in `Grid`."""

    name: str
    x: np.ndarray
    y: np.ndarray
    probe: np.ndarray | None

    def at(self, x: float, y: float) -> tuple[int, int] | None:
        """Which cell (row, column) is under this point? None beside the cells."""
        col = np.flatnonzero((self.x[:, 0] <= x) & (x < self.x[:, 1]))
        row = np.flatnonzero((self.y[:, 0] <= y) & (y < self.y[:, 1]))
        return (int(row[0]), int(col[0])) if row.size and col.size else None


@dataclass(frozen=True, eq=False)
class Plan:
    """A picture as a list of operations, carried out in order on a sheet of paper `width` x `height`."""

    width: int
    height: int
    ops: tuple[Op, ...]
    grids: tuple[GridBox, ...]
