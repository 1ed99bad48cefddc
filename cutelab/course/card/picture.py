"""What a picture shows, as plain data: computed by a scene, drawn by floor 4. No drawing and no widgets here.

A `Picture` is a card 720 CSS pixels wide: title, subtitle, a body of panels, a legend, verdicts. Its panels are `Grid`s
(tiles, memory strips, wavefront charts, bits), `Spans` of time, `Bars` and `Lines` of text. All arrays are indexed [row, column].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Scale = Literal["offset", "bank", "category", "frame"]
"""What a fill number means: a step 0..31 of the offset scale, a bank (taken modulo 32), a category 0..7 (taken modulo 8), or a
position in `FRAME`. On every scale -1 is paper (nothing drawn)."""

FRAME = ("paper", "faint", "good_fill", "bad_fill", "note_fill", "rule", "hatch", "muted", "ink", "accent")

# States of a cell; they may be added (bit flags).
HOLE, COLLISION, OUTSIDE, INACTIVE, PAST_END = 1, 2, 4, 8, 16


@dataclass(frozen=True)
class Ring:
    """A frame around the cells from (row, col) to (row_end, col_end), both included. "box": a thin line on their own edge."""

    row: int
    col: int
    row_end: int
    col_end: int
    kind: Literal["probe", "twin", "access", "box"] = "probe"


@dataclass(frozen=True)
class Note:
    """Words beside a cell: they start right of the cell (row, col), `dy` CSS pixels below its middle."""

    row: int
    col: int
    text: str
    bold: bool = False
    colour: str = "ink"
    dy: int = 0


@dataclass(frozen=True)
class Box:
    """A boxed sentence in the middle of the rows from `row` to `row_end`: bold in bad, with a plain second line."""

    row: int
    row_end: int
    bold: str
    second: str = ""


@dataclass(frozen=True)
class Jump:
    """A red bracket right of the grid, from the middle of `row` to an arrow head at `row_end`, with words beside it."""

    row: int
    row_end: int
    text: str


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells in rows and columns.

    fill     int (R, C): index into `scale`; -1 is paper
    labels   str (R, C), "" for none; `None` for a grid without numbers
    second   str (R, C): a second label. style "stack": below the first; "pair": right of it; "split": lower half of the cell
    states   int (R, C): sum of HOLE, COLLISION, OUTSIDE, INACTIVE, PAST_END
    cell     (width, height) in CSS pixels; None: square, from the room there is
    row_gap  int (R,): extra CSS pixels above row i (modes, tiles, lane groups); col_gap the same, left of column j
    field    True: a chart. Cells with fill -1 are drawn as one faint field; cells have a gap only below and every
             `field_every` columns
    stripe   int (R, C, k): k bank colours at the foot of each cell
    probe    int (R, C): which probe cell this cell stands for (-1: none). Cells that share a number are outlined together
    row_heights  int (R,): the height of each row in CSS pixels, where rows differ (skipped rows are 5); () for `cell`
    arrows   (row, from column, to column): an arrow from the middle of one cell to the middle of another
    mono     True: labels in mono bold 13, as in boxes of bits
    show_labels  "auto": labels vanish when the cell is too small for them; "always": they are drawn at the largest size that fits
    """

    name: str
    fill: np.ndarray
    scale: Scale = "offset"
    labels: np.ndarray | None = None
    second: np.ndarray | None = None
    style: Literal["stack", "pair", "split"] = "stack"
    states: np.ndarray | None = None
    heading: str = ""
    subheading: str = ""
    corner: str = ""
    row_heads: tuple[str, ...] = ()
    col_heads: tuple[str, ...] = ()
    bold_rows: tuple[int, ...] = ()
    cell: tuple[int, int] | None = None
    row_gap: tuple[int, ...] = ()
    col_gap: tuple[int, ...] = ()
    field: bool = False
    field_every: int = 4
    axis: bool = False  # a strip of the 32 bank colours below the grid, then 0, 8, 16, 24, 31
    stripe: np.ndarray | None = None
    rings: tuple[Ring, ...] = ()
    notes: tuple[Note, ...] = ()
    probe: np.ndarray | None = None
    padding: int = 0  # columns of padding beside the tile: one hatched strip 8 px wide, headed "+n"
    show_labels: Literal["auto", "always"] = "auto"
    row_heights: tuple[int, ...] = ()
    boxes: tuple[Box, ...] = ()
    jumps: tuple[Jump, ...] = ()
    arrows: tuple[tuple[int, int, int], ...] = ()
    mono: bool = False

    def __post_init__(self) -> None:
        for name in ("fill", "labels", "second", "states", "stripe", "probe"):
            array = getattr(self, name)
            if array is not None:
                array = np.asarray(array).view()
                array.flags.writeable = False
                object.__setattr__(self, name, array)
        assert self.fill.ndim == 2, "Grid.fill is indexed [row, column]"

    @property
    def shape(self) -> tuple[int, int]:
        return self.fill.shape


@dataclass(frozen=True, eq=False)
class Spans:
    """Stretches of time, one row for each thing that is busy; time runs to the right, from `first` to `last`.

    rows       a name for each row; row_heights and row_gap (extra pixels above a row) in CSS pixels
    row        int (n,): the row of each span; start, end: float (n,), where it begins and ends. Spans of a row do not overlap
    fill       int (n,): a category; -1: waiting, drawn hatched
    labels     alternatives, each str (n,): a span carries the first that fits
    probe      int (n,): which probe cell a span stands for (-1: none); in each row a ring surrounds those of `probed`
    marks      (time, words): an upright line, its words beside the heading
    """

    name: str
    rows: tuple[str, ...]
    row: np.ndarray
    start: np.ndarray
    end: np.ndarray
    fill: np.ndarray
    probe: np.ndarray
    first: float
    last: float
    labels: tuple[np.ndarray, ...] = ()
    row_heights: tuple[int, ...] = ()
    row_gap: tuple[int, ...] = ()
    heading: str = ""
    subheading: str = ""
    probed: int = -1
    marks: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class Bar:
    """One horizontal bar: its value beside its ideal, both in `unit`. `most` fills the bar; None: the panel's largest.

    `say_ideal` False: the ideal is a line across the bar and no number, where the panel's heading has it.
    """

    label: str
    value: float
    ideal: float | None
    unit: str
    state: Literal["good", "note", "bad", "plain"] = "plain"
    most: float | None = None
    say_ideal: bool = True


@dataclass(frozen=True)
class Bars:
    name: str
    bars: tuple[Bar, ...]
    heading: str = ""


@dataclass(frozen=True)
class Line:
    """A line of text in a panel. kind: "read" 13 mono, "bold" 13 mono bold, "plain" 11.5, "muted" 11.5 muted, "rule" a thin line.

    Two kinds on one line: `bold` is drawn first, in 13 mono bold, then `text`.
    """

    text: str = ""
    kind: Literal["read", "plain", "muted", "rule"] = "plain"
    bold: str = ""


@dataclass(frozen=True)
class Lines:
    name: str
    lines: tuple[Line, ...]


Panel = Grid | Spans | Bars | Lines


@dataclass(frozen=True)
class Key:
    """One entry of the legend. kind: "fill" (with scale and fill), "ramp" (the offset scale), "banks" (all 32 with numbers),
    "names" (a small cell for each of `names`, in the colours from `fill` on: W0 W1 W2 W3 and then `text`, "warp"),
    or a state or ring: "hole", "collision", "outside", "inactive", "past_end", "probe", "twin", "access", "stripe"."""

    text: str
    kind: str = "fill"
    scale: Scale = "offset"
    fill: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The result in words: a bold sentence with its ideal, and an optional second line."""

    state: Literal["good", "note", "bad"]
    sentence: str
    second: str = ""


@dataclass(frozen=True, eq=False)
class Tips:
    """What the pointer reads on a cell: `template` with {0}, {1} ... filled from row `probe cell` of `table` (int32)."""

    template: str
    table: np.ndarray


@dataclass(frozen=True)
class Offer:
    """A button that applies itself: two short lines, the parameters that it sets, and whether they are set now."""

    line: str
    second: str
    changes: dict[str, Any] = field(default_factory=dict)
    in_use: bool = False


class Texts(Mapping[str, str]):
    """Texts to copy, by name. Those of `later` are long: they are written when somebody looks at them.

    >>> Texts({"CuTe": "4:1"}, table=lambda: "0 1 2 3")["table"]
    '0 1 2 3'
    """

    def __init__(self, now: Mapping[str, str], **later: Callable[[], str]) -> None:
        self._now, self.later = dict(now), later

    def __getitem__(self, name: str) -> str:
        if name in self.later and name not in self._now:
            self._now[name] = self.later[name]()
        return self._now[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._now, **self.later})

    def __len__(self) -> int:
        return len({**self._now, **self.later})


@dataclass(frozen=True, eq=False)
class Picture:
    """A whole card.

    body     rows of columns of panels: (((tile,), (strip, readout)),) is one row of two columns
    widths   for each body row, the columns' widths in CSS pixels; () for an even split of 688 with 20 between
    call     the call that makes this view
    alt      the result in words (alt text and text/plain); built by `alt_text`
    status   the probe in words, for the status line under the picture
    copies   name -> text, for "Copy as"
    probed   the probe cell that is ringed now, -1 for none
    """

    title: str
    call: str
    subtitle: str
    body: tuple[tuple[tuple[Panel, ...], ...], ...]
    widths: tuple[tuple[int, ...], ...] = ()
    legend: tuple[Key, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    status: str = ""
    reads: str = ""  # element type and who reads what: the alt text's second part
    copies: Mapping[str, str] = field(default_factory=dict)
    tips: Tips | None = None
    probed: int = -1
    offers: tuple[Offer, ...] = ()

    @property
    def alt(self) -> str:
        """The picture in words: expression, what is read, verdict, probe."""
        parts = [self.title + (f", {self.reads}" if self.reads else "")]
        for verdict in self.verdicts:
            parts += [verdict.sentence, verdict.second]
        if self.status:
            parts.append("Probe " + self.status.replace(" → ", ": ").replace(" · ", ", "))
        return " ".join(p.rstrip(". ") + "." for p in parts if p.strip(". "))

    def grids(self) -> tuple[Grid, ...]:
        """The grids of the body, in reading order."""
        return tuple(p for row in self.body for column in row for p in column if isinstance(p, Grid))
