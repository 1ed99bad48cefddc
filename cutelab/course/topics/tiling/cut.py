"""How a tiler cuts a matrix, or how copies of a block make one: each (element, tile) with its row, column and offset.

All in zipped form: one layout over (tile, rest). The other brackets of CuTe (logical, tiled, flat, blocked, raked) name the
same pairs in another way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from cutelab import algebra
from cutelab.algebra import laws
from cutelab.algebra.compose import check_tiler
from cutelab.algebra.divide import by_mode, unzip
from cutelab.algebra.explain import explain, tiler_text
from cutelab.algebra.fold import compose_layouts
from cutelab.algebra.inverse import complement_within
from cutelab.algebra.product import padded
from cutelab.algebra.simplify import coalesce, compact, join, top_modes
from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import AnyLayout, Layout, size
from cutelab.course.card.parts.leaves import innermost

DIVIDES = ("zipped_divide", "logical_divide", "tiled_divide", "flat_divide")
PRODUCTS = ("blocked_product", "raked_product", "logical_product", "zipped_product", "tiled_product", "flat_product")
MATRIX = ("blocked_product", "raked_product")
MAX_PAIRS = 2**14  # pairs (element, tile) that are followed; of more, the tiles around the picked one
AROUND = 32  # elements of a very large tile that are followed on each side of the picked one


@dataclass(frozen=True, eq=False)
class Cut:
    """A divide or a product, worked out. A pair is the number element + elements·tile.

    result   what the operation returns, or None where it is refused (`refusal`)
    rows, columns   layouts over (tile, rest): at which row and column of the picture each pair stands
    index    instead of these two, for a tiler of the 1-D order: the index of each pair. All None: nothing is known
    offset   a layout over (tile, rest) with the offsets, where there is a result
    extent   rows and columns of the matrix
    """

    operation: str
    layout: AnyLayout
    tiler: Any
    result: AnyLayout | None
    refusal: str
    rows: Layout | None
    columns: Layout | None
    index: Layout | None
    offset: AnyLayout | None
    extent: tuple[int, int]

    @property
    def divides(self) -> bool:
        return self.operation in DIVIDES

    @property
    def by_mode(self) -> bool:
        """Has the tiler one entry for each mode?"""
        return isinstance(self.tiler, tuple)

    @property
    def known(self) -> Layout | None:
        """A layout over (tile, rest), whatever it gives."""
        return self.index or self.rows

    @property
    def tile_shape(self) -> Any:
        return int_tuple.modes(self.known.shape)[0] if self.known else 1

    @property
    def rest_shape(self) -> Any:
        return int_tuple.modes(self.known.shape)[1] if self.known else 1

    @property
    def elements(self) -> int:
        """How many elements has a tile?"""
        return int_tuple.product(self.tile_shape)

    @property
    def count(self) -> int:
        """How many tiles are there?"""
        return int_tuple.product(self.rest_shape)

    @property
    def pairs(self) -> bool:
        """Are tiles named by two numbers (i,j), or by one?"""
        shape = self.rest_shape
        return isinstance(shape, tuple) and len(shape) > 1 and (self.by_mode or not self.divides)

    @property
    def grid(self) -> tuple[int, int]:
        """How many tiles down and across: the first mode of the rest, and the others."""
        shape = self.rest_shape
        if not self.pairs:
            return self.count, 1
        return int_tuple.product(shape[0]), int_tuple.product(shape[1:])

    def places(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At which row and column stand these pairs?"""
        if self.index is not None:
            across, down = np.divmod(laws.values(self.index, ids), self.extent[0])
            return down, across
        assert self.rows is not None and self.columns is not None
        return laws.values(self.rows, ids), laws.values(self.columns, ids)

    def holders(self, down: np.ndarray, across: np.ndarray) -> np.ndarray:
        """Which tile holds each of these places? -1 where none does. Large steps first, as a tile and its complement allow."""
        if self.known is None:
            return np.full(down.shape, -1)
        rest = [down + self.extent[0] * across] if self.index is not None else [down, across]
        ways = [self.index] if self.index is not None else [self.rows, self.columns]
        steps = [laws.flat_modes(x) for x in ways if x is not None]
        weights = _steps([extent for extent, _ in steps[0]], 1)
        ids = np.zeros(down.shape, np.int64)
        for axis, modes in enumerate(steps):
            for (extent, step), weight in sorted(zip(modes, weights, strict=True), key=lambda m: -m[0][1]):
                digit = np.minimum(rest[axis] // step, extent - 1) if step else 0
                rest[axis], ids = rest[axis] - digit * step, ids + digit * weight
        there = [r == 0 for r in rest]
        return np.where(np.logical_and.reduce(there), ids // self.elements, -1)

    def offsets(self, ids: np.ndarray) -> np.ndarray:
        """At which offset lies the element of each of these pairs? Without a result: what the matrix gives at that place."""
        if self.offset is not None:
            return laws.values(self.offset, ids)
        down, across = self.places(ids)
        return laws.values(self.layout, down + self.extent[0] * across)


@lru_cache(maxsize=64)
def cut(operation: str, layout: AnyLayout, tiler: Any) -> Cut:
    """Which element belongs to which tile? Never raises for a tiler that the operation refuses.

    >>> found = cut("zipped_divide", Layout((128, 128)), (4, 8))
    >>> str(found.result), found.grid, found.elements
    ('((4,8),(32,16)):((1,128),(4,1024))', (32, 16), 32)
    """
    shape, refusal = layout.shape, ""
    extent = (1, size(layout))
    if isinstance(shape, tuple) and len(shape) > 1:
        extent = (int_tuple.product(shape[0]), int_tuple.product(shape[1:]))
    result = rows = columns = index = offset = None
    try:
        result = getattr(algebra, operation)(layout, tiler)
    except CuteLabError as error:
        refusal = str(error)
    try:
        if operation in DIVIDES:
            rows, columns, index = _places(layout, tiler)
        elif result is not None:
            rows, columns, extent = _copies(operation, layout, tiler)
    except CuteLabError as error:
        return Cut(operation, layout, tiler, None, refusal or str(error), None, None, None, None, extent)
    if result is not None:
        zipped = algebra.zipped_divide if operation in DIVIDES else algebra.zipped_product
        again = zipped.__name__ != operation
        offset = zipped(*(_filled(layout, tiler) if operation in MATRIX else (layout, tiler))) if again else result
    return Cut(operation, layout, tiler, result, refusal, rows, columns, index, offset, extent)


def _places(layout: AnyLayout, tiler: Any) -> tuple[Layout | None, Layout | None, Layout | None]:
    """Row and column (or the index) of each pair of a divide: the tiler alone decides, whatever the strides of the matrix."""
    inner = innermost(layout)
    tiler = check_tiler(inner, tiler, "divide")
    if not isinstance(tiler, tuple):
        tile = compact(tiler) if isinstance(tiler, int) else tiler
        return None, None, join([tile, complement_within(tile, coalesce(inner).shape)])
    modes, found = top_modes(inner), []
    for across in (False, True):
        places, step = [], 1
        for k, mode in enumerate(modes):
            ours = across == (k > 0 or len(modes) == 1)
            places.append(Layout(mode.shape, _scaled(mode.shape, step if ours else 0)))
            step *= size(mode) if ours else 1
        found.append(_divided(join(places), inner, tiler))
    return found[0], found[1], None


def _divided(place: Layout, layout: Layout, tiler: Any) -> Layout:
    """The places of a layout's coordinates, cut as the layout is cut."""
    shapes = iter(_leaves(layout, tiler))

    def split(mode: Layout, tile: Layout) -> Layout:
        rest = complement_within(tile, next(shapes))
        return compose_layouts(mode, join([tile, rest]), advise=False)

    return join(list(unzip(by_mode(place, tiler, split), tiler)))


def _leaves(layout: Layout, tiler: Any) -> list[Any]:
    """The coalesced shapes of the modes that a tiler cuts, in the order in which they are cut."""
    if tiler is None:
        return []
    if isinstance(tiler, tuple):
        return [x for m, t in zip(top_modes(layout), tiler, strict=False) for x in _leaves(m, t)]
    return [coalesce(layout).shape]


def _scaled(shape: Any, step: int) -> Any:
    """Compact strides, first mode fastest, times a step."""
    return int_tuple.unflatten(tuple(_steps(int_tuple.flatten(shape), step)), shape)


def _steps(extents: Any, step: int) -> list[int]:
    found = []
    for extent in extents:
        found.append(step)
        step *= extent
    return found


def _filled(block: AnyLayout, tiler: Layout) -> tuple[AnyLayout, Layout]:
    """Block and tiler with modes 1:0 up to one rank, as blocked and raked products have it."""
    inner = innermost(block)
    rank = max(len(inner), len(tiler))
    filled = padded(inner, rank)
    if isinstance(block, ComposedLayout):
        return ComposedLayout(block.outer, block.offset, filled), padded(tiler, rank)
    return filled, padded(tiler, rank)


def _copies(operation: str, block: AnyLayout, tiler: Any) -> tuple[Layout, Layout, tuple[int, int]]:
    """Row and column of each pair of a product: blocked, raked and flat as a matrix, the others one copy a column."""
    zipped = algebra.zipped_product(*(_filled(block, tiler) if operation in MATRIX else (block, tiler)))
    b, c = (mode.shape for mode in innermost(zipped))
    n, m = ([int_tuple.product(x) for x in s] if isinstance(s, tuple) else [s] for s in (b, c))
    if operation in MATRIX and len(n) == len(m) == 2:
        blocked = operation == "blocked_product"
        down, beside = ((1, k) if blocked else (k2, 1) for k, k2 in zip(n, m, strict=True))
        rows = _two(b, c, (down[0], 0), (down[1], 0))
        return rows, _two(b, c, (0, beside[0]), (0, beside[1])), (n[0] * m[0], n[1] * m[1])
    still = [0] * len(m)
    if operation == "flat_product" and len(n) > 1:
        wide = prod(n[1:])
        across = _two(b, c, (0, *_steps(n[1:], 1)), _steps(m, wide))
        return _two(b, c, (1, *[0] * (len(n) - 1)), still), across, (n[0], wide * prod(m))
    return _two(b, c, _steps(n, 1), still), _two(b, c, [0] * len(n), _steps(m, 1)), (prod(n), prod(m))


def _two(b: Any, c: Any, block: Any, copies: Any) -> Layout:
    """A layout over (block, copies) whose top-level modes go in these steps."""

    def strides(shape: Any, steps: Any) -> Any:
        if not isinstance(shape, tuple):
            return steps[0]
        return tuple(_scaled(s, d) for s, d in zip(shape, steps, strict=True))

    return Layout((b, c), (strides(b, block), strides(c, copies)))


@lru_cache(maxsize=16)
def explained(found: Cut) -> str:
    """The text of `explain` for this operation: the same for every place of the probe."""
    return explain(found.operation, found.layout, found.tiler)


def followed(found: Cut, tile: int, element: int = 0) -> np.ndarray:
    """Which pairs are followed: all up to 16,384, else those of the tiles around this one, or around this element of it.

    >>> len(followed(cut("zipped_divide", Layout((128, 128)), (4, 8)), 0))
    16384
    """
    n, m = found.elements, found.count
    if n * m <= MAX_PAIRS:
        return np.arange(n * m, dtype=np.int64)
    if n > MAX_PAIRS // 4:
        shape = found.tile_shape
        down = int_tuple.product(shape[0]) if isinstance(shape, tuple) and len(shape) > 1 else n
        column, row = divmod(element, down)
        half = AROUND if down < n else MAX_PAIRS // 2
        rows, columns = (
            np.arange(max(0, at - k), min(whole, at + k + 1))
            for at, k, whole in ((row, half, down), (column, AROUND, n // down))
        )
        return tile * n + (rows + down * columns[:, None]).ravel()
    down, across = found.grid
    high = max(1, min(down, int((MAX_PAIRS // n) ** 0.5)))
    wide = max(1, min(across, MAX_PAIRS // n // high))
    ends = ((tile % down, high, down), (tile // down, wide, across))
    i, j = (np.arange(k) + max(0, min(at - k // 2, whole - k)) for at, k, whole in ends)
    tiles = (i + down * j[:, None]).ravel()
    return (tiles[:, None] * n + np.arange(n)).ravel()


def tiler_words(tiler: Any) -> str:
    """What is this tiler: for each mode, or one layout over the 1-D order?

    >>> tiler_words((4, 8)), tiler_words(Layout((4, 8)))
    ('<4, 8>, mode by mode', '(4,8):(1,4), over the 1-D order')
    """
    return f"{tiler_text(tiler)}, " + ("mode by mode" if isinstance(tiler, tuple) else "over the 1-D order")
