"""Topic "layout": a layout as a grid of offsets, and memory itself: what lives at each offset.

LayoutParams -> compute -> Result -> panels -> Picture. The panels are built in layout_panels.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np

from cutelab.core import int_tuple, notation
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, cosize, mode_offsets, offsets, rank, size
from cutelab.course.card.knobs import Control, Params, dropdown, index, text
from cutelab.course.card.picture import Picture
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.layout import card as layout_panels

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
MAX_LEAVES = 8  # leaf modes that get sliders
MAX_CHECKED = 2**16  # elements up to which every offset is looked at in each step
WINDOW = 64  # rows and columns drawn at most


@dataclass(frozen=True)
class LayoutParams(Params):
    """What the layout explorer shows. `shape_0`, `stride_0`, ... and `preset` are knobs derived from `layout`."""

    layout: str = text("(8,8):(8,1)", group="Tile", placeholder="(8,8):(8,1)", tip="any CuTe spelling of a layout")
    element: str = dropdown(
        "float32", tuple(ELEMENTS), group="Tile", tip="element type: its size makes bytes and banks"
    )
    colour: str = dropdown("offset", COLOURS, group="Tile", tip="what the colour of a cell means")
    row: int = index(2, group="Probe", unit="mode 0")
    column: int = index(3, group="Probe", unit="mode 1")

    def __post_init__(self) -> None:
        if isinstance(self.layout, Layout | ComposedLayout):
            object.__setattr__(self, "layout", str(self.layout))
        rows = grid_shape(self.parsed)[0]
        inner = getattr(self.parsed, "inner", self.parsed)
        if abs(getattr(self.parsed, "offset", 0)) + cosize(inner) > 2**57:
            raise CuteLabError(
                f"{self.layout} reaches beyond offset 2^57; pictures count bytes and need smaller offsets"
            )
        self.check_choice("element")
        self.check_choice("colour")
        self.check_range("row", 0, 2**62)
        columns = _columns_at(self.parsed, self.row)
        for name, extent in (("row", rows), ("column", columns)):
            self.check_range(name, 0, 2**62)
            if getattr(self, name) >= extent:
                raise CuteLabError(
                    f"{name} {getattr(self, name)} is outside {self.layout}: its {name}s run from 0 to {extent - 1}"
                )

    @property
    def parsed(self) -> Layout | ComposedLayout:
        return _parse(self.layout)

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; a new layout keeps the probe inside itself."""
        layout = changes.pop("layout", None)
        preset = changes.pop("preset", None)
        if preset is not None:
            if preset not in PRESETS:
                raise CuteLabError(f"there is no preset {preset!r}; there are {', '.join(PRESETS)}")
            layout = PRESETS[preset]
        knobs = {k: changes.pop(k) for k in list(changes) if k.startswith(("shape_", "stride_"))}
        if knobs:
            layout = _turn(parse_layout(str(layout)) if layout is not None else self.parsed, knobs)
        if layout is not None:
            changes["layout"] = layout = str(layout)
            bits = notation.parse(layout).pointer_bits  # smem_ptr[16b]: the element is 2 bytes large
            named = [name for name, size in ELEMENTS.items() if 8 * size == bits]
            changes |= {"element": named[0]} if named and "element" not in changes else {}
            changes.setdefault("row", min(self.row, grid_shape(parse_layout(layout))[0] - 1))
        if int_tuple.is_int(changes.get("row")):
            parsed = self.parsed if layout is None else parse_layout(layout)
            changes.setdefault("column", min(self.column, max(0, _columns_at(parsed, changes["row"]) - 1)))
        return super().change(**changes)

    def controls(self) -> tuple[Control, ...]:
        found = {c.name: c for c in super().controls()}
        parsed = self.parsed
        inner = getattr(parsed, "inner", parsed)
        preset = next((k for k, v in PRESETS.items() if v == self.layout), "own")
        rows, columns = grid_shape(parsed)[0], _columns_at(parsed, self.row)
        choices = (*PRESETS, "own") if preset == "own" else tuple(PRESETS)
        leaves = list(zip(int_tuple.flatten(inner.shape), int_tuple.flatten(inner.stride), strict=True))[:MAX_LEAVES]
        sliders = [
            Control(
                f"shape_{i}", "slider", s, "Shape", f"shape {i}", "elements", 1, max(32, min(s, 10**6)), tip="extent"
            )
            for i, (s, _) in enumerate(leaves)
        ]
        sliders += [
            Control(f"stride_{i}", "slider", d, "Stride", f"stride {i}", "elements", min(0, d), max(64, d), tip="step")
            for i, (_, d) in enumerate(leaves)
        ]
        return (
            Control("preset", "dropdown", preset, "Tile", "preset", choices=choices, tip="layouts to start from"),
            found["layout"],
            found["element"],
            found["colour"],
            *sliders,
            replace(found["row"], hi=rows - 1),
            replace(found["column"], hi=columns - 1),
        )

    def probe(self, cell: int) -> dict[str, Any]:
        rows, columns = window(self)
        if not 0 <= cell < len(rows) * len(columns):
            raise CuteLabError(f"probe cell {cell} is outside the {len(rows)} x {len(columns)} cells that are drawn")
        return {"row": int(rows[cell // len(columns)]), "column": int(columns[cell % len(columns)])}


_parse = lru_cache(maxsize=64)(parse_layout)  # one step asks for the same layout several times


def _turn(parsed: Layout | ComposedLayout, knobs: dict[str, Any]) -> Layout | ComposedLayout:
    """The layout with the knobs shape_i and stride_i set."""
    inner = parsed.inner if isinstance(parsed, ComposedLayout) else parsed
    leaves = {"shape": list(int_tuple.flatten(inner.shape)), "stride": list(int_tuple.flatten(inner.stride))}
    for name, value in knobs.items():
        kind, _, number = name.partition("_")
        if not number.isdecimal() or int(number) >= len(leaves[kind]):
            raise CuteLabError(f"{parsed} has leaf modes 0 to {len(leaves[kind]) - 1}; there is no {name!r}")
        leaves[kind][int(number)] = value
    turned = Layout(*(int_tuple.unflatten(tuple(leaves[k]), inner.shape) for k in ("shape", "stride")))
    return ComposedLayout(parsed.outer, parsed.offset, turned) if isinstance(parsed, ComposedLayout) else turned


def grid_shape(layout: Layout | ComposedLayout) -> tuple[int, int]:
    """Rows and columns of the grid: mode 0 down, all other modes across. One mode alone runs across, 16 a row at most.

    >>> grid_shape(parse_layout("(4,2,3)")), grid_shape(parse_layout("40:1"))
    ((4, 6), (3, 16))
    """
    shape = layout.shape
    if not isinstance(shape, tuple) or len(shape) == 1:
        n = int_tuple.product(shape)
        return -(-n // 16), min(n, 16)
    return int_tuple.product(shape[0]), int_tuple.product(shape[1:])


def _columns_at(layout: Layout | ComposedLayout, row: int) -> int:
    """How many columns has this row of the grid? (One mode alone: the last row may be short.)"""
    rows, columns = grid_shape(layout)
    return min(columns, size(layout) - columns * row) if rank(layout) == 1 and 0 <= row < rows else columns


def window(params: LayoutParams) -> tuple[np.ndarray, np.ndarray]:
    """The rows and the columns that are drawn: all of them up to 64, otherwise the block of 64 around the probe."""
    found = []
    for extent, at in zip(grid_shape(params.parsed), (params.row, params.column), strict=True):
        start = at // WINDOW * WINDOW if extent > WINDOW else 0
        found.append(np.arange(start, min(start + WINDOW, extent), dtype=np.int64))
    return found[0], found[1]


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found. Offsets count elements.

    rows, columns   the drawn window; table[i, j] is the offset at (rows[i], columns[j]), `before` the one before a swizzle;
                    `inside` is False for cells past the end of a single mode
    used, counts    the offsets that hold something, ascending, and how many coordinates each has
    first, second   who lives there: 1-D indices (second: -1 where there is one coordinate only)
    checked         every offset of the layout was looked at (size up to 2^16). If not, `used` and the rest speak of the
                    drawn cells only, and first and second are positions among them
    low, high       the smallest and the largest offset
    """

    params: LayoutParams
    layout: Layout | ComposedLayout
    rows: np.ndarray
    columns: np.ndarray
    table: np.ndarray
    inside: np.ndarray
    before: np.ndarray
    checked: bool
    used: np.ndarray
    counts: np.ndarray
    first: np.ndarray
    second: np.ndarray
    low: int
    high: int

    @property
    def probed(self) -> int:
        """The position of the probe among the drawn cells."""
        i, j = self.params.row - int(self.rows[0]), self.params.column - int(self.columns[0])
        return i * len(self.columns) + j

    @property
    def offset(self) -> int:
        return int(self.table.ravel()[self.probed])

    @property
    def shared(self) -> np.ndarray:
        """Which drawn cells share their offset with another coordinate? bool (rows, columns)."""
        position = np.searchsorted(self.used, self.table)
        position = np.minimum(position, len(self.used) - 1)
        return self.inside & (self.used[position] == self.table) & (self.counts[position] > 1)


def compute(params: LayoutParams) -> Result:
    """Which offsets does the drawn part of the layout have, and who lives where? Never allocates what is not drawn."""
    layout = params.parsed
    inner = layout.inner if isinstance(layout, ComposedLayout) else layout
    rows, columns = window(params)
    total = size(layout)
    if not isinstance(inner.shape, tuple) or len(inner.shape) == 1:
        ids = rows[:, None] * grid_shape(layout)[1] + columns
        inside = ids < total
        before = _at(inner.shape, inner.stride, np.minimum(ids, total - 1))
    else:
        inside = np.ones((len(rows), len(columns)), bool)
        before = _at(inner.shape[0], inner.stride[0], rows)[:, None] + _at(inner.shape[1:], inner.stride[1:], columns)  # type: ignore[index]
    table = layout.outer(layout.offset + before) if isinstance(layout, ComposedLayout) else before
    checked = total <= MAX_CHECKED
    flat = offsets(layout).ravel(order="F") if checked else table[inside]
    ids = np.arange(total, dtype=np.int64) if checked else np.flatnonzero(inside)
    order = np.argsort(flat, kind="stable")
    ordered, ids = flat[order], ids[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    counts = np.diff(np.r_[starts, len(ordered)])
    second = np.where(counts > 1, ids[np.minimum(starts + 1, len(ids) - 1)], -1)
    low, high = (int(ordered[0]), int(ordered[-1])) if checked else _reach(layout)
    found = [table, inside, before, ordered[starts], counts, ids[starts], second]
    for array in found:
        array.flags.writeable = False
    table, inside, before, used, counts, first, second = found
    return Result(params, layout, rows, columns, table, inside, before, checked, used, counts, first, second, low, high)


def _at(shape: int_tuple.IntTuple, stride: int_tuple.IntTuple, ids: np.ndarray) -> np.ndarray:
    """Offsets of chosen 1-D indices of a mode, without the table of the whole mode."""
    if int_tuple.product(shape) <= 4096:
        return mode_offsets(shape, stride)[ids]
    total, rest = np.zeros(ids.shape, np.int64), ids
    for extent, step in zip(int_tuple.flatten(shape), int_tuple.flatten(stride), strict=True):
        rest, c = np.divmod(rest, extent)
        total = total + c * step
    return total


def _reach(layout: Layout | ComposedLayout) -> tuple[int, int]:
    """Lowest and highest offset without a table (of the inner layout, for a composed one)."""
    inner = layout.inner if isinstance(layout, ComposedLayout) else layout
    ends = [(s - 1) * d for s, d in zip(int_tuple.flatten(inner.shape), int_tuple.flatten(inner.stride), strict=True)]
    return sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: the grid of offsets, memory, the probe's arithmetic, the verdict."""
    return layout_panels.picture(result)
