"""A layout as a grid of offsets, and memory itself: what lives at each offset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, mode_offsets, offsets, size
from cutelab.course.card.parts.leaves import innermost
from cutelab.course.card.parts.window import window
from cutelab.course.topics.layout.knobs import LayoutParams

Array = np.ndarray[Any, Any]
MAX_CHECKED = 2**16  # elements up to which every offset is looked at in each step
WINDOW = 64  # rows and columns drawn at most


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
    rows: Array
    columns: Array
    table: Array
    inside: Array
    before: Array
    checked: bool
    used: Array
    counts: Array
    first: Array
    second: Array
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
    def whole(self) -> bool:
        """Is every coordinate drawn?"""
        return int(self.inside.sum()) == size(self.layout)

    @property
    def span(self) -> tuple[int, int]:
        """Lowest and highest offset of what is drawn."""
        if self.whole:
            return self.low, self.high
        drawn = self.table[self.inside]
        return int(drawn.min()), int(drawn.max())

    @property
    def shared(self) -> Any:
        """Which drawn cells share their offset with another coordinate? bool (rows, columns)."""
        position = np.searchsorted(self.used, self.table)
        position = np.minimum(position, len(self.used) - 1)
        return self.inside & (self.used[position] == self.table) & (self.counts[position] > 1)


def compute(params: LayoutParams) -> Result:
    """Which offsets does the drawn part of the layout have, and who lives where? Never allocates what is not drawn."""
    layout, inner = params.layout, params.inner
    rows, columns = (
        window(extent, at, WINDOW) for extent, at in zip(params.grid, (params.row, params.column), strict=True)
    )
    total = size(layout)
    if not isinstance(inner.shape, tuple) or len(inner.shape) == 1:
        ids = rows[:, None] * params.grid[1] + columns
        inside = ids < total
        before = _at(inner.shape, inner.stride, np.minimum(ids, total - 1))
    else:
        inside = np.ones((len(rows), len(columns)), bool)
        (s, *further), (d, *steps) = int_tuple.modes(inner.shape), int_tuple.modes(inner.stride)
        before = _at(s, d, rows)[:, None] + _at(tuple(further), tuple(steps), columns)
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


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this probe cell of the picture?"""
    rows, columns = result.rows, result.columns
    if not 0 <= cell < len(rows) * len(columns):
        raise CuteLabError(f"probe cell {cell} is outside the {len(rows)} x {len(columns)} cells that are drawn")
    return {"row": int(rows[cell // len(columns)]), "column": int(columns[cell % len(columns)])}


def _at(shape: int_tuple.IntTuple, stride: int_tuple.IntTuple, ids: Array) -> Array:
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
    inner = innermost(layout)
    ends = [(s - 1) * d for s, d in zip(int_tuple.flatten(inner.shape), int_tuple.flatten(inner.stride), strict=True)]
    return sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)
