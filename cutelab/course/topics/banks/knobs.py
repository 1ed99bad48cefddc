"""What the banks explorer can be asked: the tile in shared memory, who comes for it, the probe."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.formula import formula
from cutelab.core.int_tuple import product
from cutelab.core.layout import Layout, rank
from cutelab.core.swizzle import Swizzle
from cutelab.course.card import shared_tile as tile
from cutelab.course.card.knobs import Params, derived, dropdown, slider, text, toggle
from cutelab.course.card.knobs import index as coordinate  # `index` is a parameter here
from cutelab.course.card.parts.leaves import leaf_knobs
from cutelab.course.card.words import ELEMENTS

ACCESS = "Access of one warp"
KINDS = {
    "load": ("load", 1),
    "store": ("store", 1),
    "ldmatrix x4": ("ldmatrix", 1),
    "ldmatrix x2": ("ldmatrix", 2),
    "ldmatrix x1": ("ldmatrix", 4),
    "stmatrix x4": ("stmatrix", 1),
    "reduce": ("reduce", 1),
    "atomic": ("atomic", 1),
}
"""Kind on the card -> kind of `WarpAccess`; of how many lanes one gives an address."""

PATTERNS = ("row", "column", "diagonal", "block", "own")


def read_kind(value: Any) -> Any:
    """The kind's full name: `ldmatrix` alone is x4."""
    return {"ldmatrix": "ldmatrix x4", "stmatrix": "stmatrix x4"}.get(value, value) if isinstance(value, str) else value


def read_formula(value: Any) -> str:
    """A formula in t as text, once it can be computed for a warp."""
    said = str(value).strip()
    formula(said, np.arange(32))
    return said


def widths(kind: str, element_bytes: int, cols: int = 1 << 20) -> tuple[int, ...]:
    """How many bytes may a lane move, for elements of this size in rows of `cols`? Whole elements, and not beyond a row.

    >>> widths("load", 2), widths("ldmatrix x4", 2), widths("load", 4, cols=3)
    ((2, 4, 8, 16), (16,), (4, 8))
    """
    name = KINDS[kind][0]
    able = {"load": (1, 2, 4, 8, 16), "store": (1, 2, 4, 8, 16), "reduce": (4,), "atomic": (4,)}.get(name, (16,))
    return tuple(w for w in able if element_bytes <= w <= element_bytes * cols)


@dataclass(frozen=True)
class BanksParams(Params):
    """What the banks explorer shows. Offsets and `index` count elements.

    layout   rows and columns of the tile; one that holds a swizzle may be given, which then stands in `swizzle`
    """

    layout: Layout = text(
        Layout((32, 32), (32, 1)),
        read=tile.read_layout,
        group="Tile",
        placeholder="(32,32):(32,1)",
        tip="rows and columns of the tile",
    )
    element: str = dropdown("float32", tuple(ELEMENTS), group="Tile", tip="element type of the tile")
    pitch = derived(
        "slider",
        lambda p: tile.pitch_of(p.layout),
        lambda p, pitch: {"layout": tile.with_pitch(tile.split(p.layout)[0], pitch)},
        shown=lambda p: p.pitch is not None,
        lo=lambda p: tile.least_pitch(p.layout),
        hi=lambda p: max(p.pitch or 0, tile.least_pitch(p.layout) + tile.PADDINGS),
        group="Tile",
        unit="elements",
        tip=lambda p: tile.pitch_tip(p.layout),
    )
    leaves = leaf_knobs("layout", tips=("extent", "step"))
    swizzle: Swizzle | None = text(
        None,
        read=tile.read_swizzle,
        say=tile.say_swizzle,
        group="Tile",
        placeholder="none, or Sw<5,0,5>",
        tip="acts on offsets in elements",
    )
    kind: str = dropdown(
        "load",
        lambda p: tuple(k for k in KINDS if widths(k, p.item, p.shape[1])),
        read=read_kind,
        check=False,
        group=ACCESS,
        tip="the instruction",
    )
    access_bytes: int = toggle(
        4,
        lambda p: p.able,
        kind=lambda p: "toggle" if len(p.able) <= 4 else "dropdown",
        check=False,
        group=ACCESS,
        label="bytes",
        unit="a lane",
        tip="bytes that a lane moves",
    )
    read: str = dropdown(
        "column", PATTERNS, group=ACCESS, tip=lambda p: f"which elements the {p.chip.lanes} lanes take"
    )
    lane_row: str = text(
        "t // 8",
        read=read_formula,
        shown=lambda p: p.read == "own",
        group=ACCESS,
        label="row of t",
        placeholder="t // 8",
        tip="row of lane t",
    )
    lane_col: str = text(
        "t % 8 * 4",
        read=read_formula,
        shown=lambda p: p.read == "own",
        group=ACCESS,
        label="col of t",
        placeholder="t % 8 * 4",
        tip="column of lane t",
    )
    index: int = slider(
        12,
        0,
        lambda p: p.last_index,
        keep=True,
        shown=lambda p: p.read != "own",
        group=ACCESS,
        unit=lambda p: "row" if p.read == "row" else "column",
        tip="row or column where the lanes begin",
    )
    row: int = coordinate(7, hi=lambda p: p.shape[0] - 1, group="Probe", unit="down")
    column: int = coordinate(12, hi=lambda p: p.shape[1] - 1, group="Probe", unit="across")

    def settle(self) -> None:
        """The tile is one, its swizzle stands apart, and a lane can move so many bytes."""
        inner, found = tile.split(self.layout)
        if found is not None:
            if self.swizzle is not None and found != self.swizzle:
                raise CuteLabError(
                    f"{self.layout} has a swizzle already; leave `swizzle` empty, or give the layout without one"
                )
            object.__setattr__(self, "layout", inner)
            object.__setattr__(self, "swizzle", found)
        tile.check_tile(inner, ELEMENTS.get(self.element, 1), self.chip.block_bytes)
        if self.kind not in KINDS:
            raise CuteLabError(f"kind must be one of {', '.join(KINDS)}; got {shown(self.kind)}")
        if self.element in ELEMENTS and (self.access_bytes not in self.able or isinstance(self.access_bytes, bool)):
            raise CuteLabError(
                f"{self.kind} of {self.element} in rows of {self.shape[1]} can move these bytes a lane: "
                f"{', '.join(map(str, self.able)) or 'none'}; got {shown(self.access_bytes)}"
            )

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return ELEMENTS[self.element]

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the tile."""
        shape = self.layout.shape
        return (product(shape[0]), product(shape[1])) if isinstance(shape, tuple) else (product(shape), 1)

    @property
    def able(self) -> tuple[int, ...]:
        """The bytes that a lane may move."""
        return widths(self.kind, self.item, self.shape[1])

    @property
    def vector(self) -> int:
        """Elements that a lane moves."""
        return self.access_bytes // self.item

    @property
    def wide(self) -> bool:
        """Do lanes move more than one word?"""
        return self.access_bytes > self.chip.word_bytes

    @property
    def row_major(self) -> bool:
        """Is this plain rows of neighbours, one pitch apart?"""
        return tile.pitched(self.layout) == 0

    @property
    def addressing(self) -> int:
        """How many lanes give an address?"""
        return self.chip.lanes // KINDS[self.kind][1]

    @property
    def block_rows(self) -> int:
        """How many lanes of a block go down before the next column? 8; for ldmatrix and stmatrix 16, as they name 8 x 8 matrices."""
        return 16 if "matrix" in self.kind else 8

    @property
    def last_index(self) -> int:
        """How far may `index` go? For ldmatrix and stmatrix so far that all its lanes stay in the tile."""
        rows, cols = self.shape
        lanes = self.addressing if "matrix" in self.kind else 1
        pieces = cols // self.vector
        if self.read == "row":
            return max(0, rows - -(-lanes // pieces))
        if lanes == 1 or self.read not in ("column", "block"):
            return cols - 1
        high = rows if self.read == "column" else self.block_rows
        return max(0, (pieces - -(-lanes // high) + 1) * self.vector - 1)

    def follow(self, now: BanksParams, asked: Collection[str]) -> dict[str, Any]:
        """Swizzle, access width and kind after a change of the element, the kind or the tile."""
        more: dict[str, Any] = {}
        if isinstance(now.layout, ComposedLayout) and "swizzle" not in asked:
            more["layout"], more["swizzle"] = tile.split(now.layout)
        inner = tile.split(now.layout)[0]
        if rank(inner) != 2 or now.element not in ELEMENTS or now.kind not in KINDS:
            return more
        cols = product(inner.shape[1]) if isinstance(inner.shape, tuple) else 1
        kind = now.kind
        if "kind" not in asked and not widths(kind, now.item, cols):
            more["kind"] = kind = "load"
        able = widths(kind, now.item, cols)
        if "access_bytes" not in asked and able:
            want = now.item if self.vector == 1 and "element" in asked else self.access_bytes
            more["access_bytes"] = max((w for w in able if w <= want), default=able[0])
        return more
