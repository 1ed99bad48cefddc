"""What the layout explorer can be asked: a layout, its leaf extents and strides, what a colour means, the probe."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cutelab.core import int_tuple, notation
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, as_layout, cosize, rank, size
from cutelab.course.card.knobs import Params, Said, check, dropdown, index, preset, text
from cutelab.course.card.parts.leaves import innermost, leaf_knobs
from cutelab.course.card.words import ELEMENTS, element_of

PRESETS = {
    "row-major": "(8,8):(8,1)",
    "column-major": "(8,8):(1,8)",
    "padded rows": "(8,8):(9,1)",
    "interleaved by 2": "(8,(2,4)):(2,(1,16))",
    "tiled 4 x 2": "((4,2),(2,4)):((2,32),(1,8))",
    "broadcast": "(8,8):(0,1)",
    "not injective": "((4,2),(2,4)):((2,16),(1,8))",
    "swizzled": "Sw<3,0,3> o 0 o (8,8):(8,1)",
    "32 x 32": "(32,32):(32,1)",
}
COLOURS = ("offset", "bank", "row", "column", "128-byte line")


def read_layout(value: Any) -> Any:
    """The layout that this text names; `smem_ptr[16b]` in it names the element, too."""
    if isinstance(value, Layout | ComposedLayout):
        return value
    parsed = as_layout(value)
    bits = notation.parse(value).pointer_bits if "ptr" in value else None
    element = element_of(bits)
    return Said(parsed, element) if element else parsed


def grid_shape(layout: Layout | ComposedLayout) -> tuple[int, int]:
    """Rows and columns of the grid: mode 0 down, all other modes across. One mode alone runs across, 16 a row at most.

    >>> from cutelab import parse_layout
    >>> grid_shape(parse_layout("(4,2,3)")), grid_shape(parse_layout("40:1"))
    ((4, 6), (3, 16))
    """
    shape = layout.shape
    if not isinstance(shape, tuple) or len(shape) == 1:
        n = int_tuple.product(shape)
        return -(-n // 16), min(n, 16)
    return int_tuple.product(shape[0]), int_tuple.product(shape[1:])


@dataclass(frozen=True)
class LayoutParams(Params):
    """What the layout explorer shows. The knobs `preset`, `shape_0`, `stride_0`, ... are derived from `layout`."""

    preset = preset(
        PRESETS,
        lambda p: next((name for name, said in PRESETS.items() if said == str(p.layout)), None),
        lambda p, layout: {"layout": layout},
        what="preset",
        group="Tile",
        tip="layouts to start from",
    )
    layout: Layout | ComposedLayout = text(
        Layout((8, 8), (8, 1)),
        read=read_layout,
        group="Tile",
        placeholder="(8,8):(8,1)",
        tip="any CuTe spelling of a layout",
    )
    element: str = dropdown(
        "float32", tuple(ELEMENTS), group="Tile", tip="element type: its size makes bytes and banks"
    )
    colour: str = dropdown("offset", COLOURS, group="Tile", tip="what the colour of a cell means")
    warp: bool = check(
        True,
        group="Tile",
        label="one warp",
        tip="what a warp pays for a row, a column and the diagonal, and in which bank an element lies",
    )
    leaves = leaf_knobs("layout", tips=("extent", "step"))
    row: int = index(2, hi=lambda p: p.grid[0] - 1, check=False, group="Probe", unit="mode 0")
    column: int = index(3, hi=lambda p: p.columns_at(p.row) - 1, check=False, group="Probe", unit="mode 1")

    @property
    def banks(self) -> bool:
        """Are words and banks spoken of? Not before the lesson on banks, where nobody asks for what a warp pays."""
        return self.warp or self.colour == "bank"

    def __post_init__(self) -> None:
        super().__post_init__()
        if abs(getattr(self.layout, "offset", 0)) + cosize(self.inner) > 2**57:
            raise CuteLabError(
                f"{self.layout} reaches beyond offset 2^57; pictures count bytes and need smaller offsets"
            )
        for name in ("row", "column"):
            self.check_number(name, 0, 2**62)
            extent = self.grid[0] if name == "row" else self.columns_at(self.row)
            if getattr(self, name) >= extent:
                raise CuteLabError(
                    f"{name} {getattr(self, name)} is outside {self.layout}: its {name}s run from 0 to {extent - 1}"
                )

    @property
    def inner(self) -> Layout:
        """The layout itself, without a swizzle."""
        return innermost(self.layout)

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return ELEMENTS[self.element]

    @cached_property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return grid_shape(self.layout)

    def columns_at(self, row: int) -> int:
        """How many columns has this row of the grid? (One mode alone: the last row may be short.)"""
        rows, columns = self.grid
        if rank(self.layout) != 1 or not int_tuple.is_int(row) or not 0 <= row < rows:
            return columns
        return min(columns, size(self.layout) - columns * row)
