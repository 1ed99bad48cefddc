"""A layout as a sheet of cells: mode 0 down, all other modes across, a window of it where it is large.

What the topics of the algebra draw side by side. Reads coordinates only by their 1-D index.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.algebra import laws
from cutelab.core import int_tuple
from cutelab.core.int_tuple import IntTuple, to_text
from cutelab.course.card.parts.gaps import mode_gaps
from cutelab.course.card.parts.leaves import innermost
from cutelab.course.card.parts.window import window

MOST = 32  # rows and columns drawn at most
MOST_TERMS = 48  # characters of a sum that stands in one line with its coordinate


@dataclass(frozen=True, eq=False)
class Sheet:
    """The drawn cells of one layout.

    index    int64 (R, C): the 1-D index of each cell
    inside   bool (R, C): False for cells past the end of a single mode
    beyond   bool (R, C): the index is not below the layout's size (its last mode goes on)
    whole    (rows, columns) of the whole layout
    """

    index: np.ndarray
    inside: np.ndarray
    beyond: np.ndarray
    row_heads: tuple[str, ...]
    col_heads: tuple[str, ...]
    row_gap: tuple[int, ...]
    col_gap: tuple[int, ...]
    whole: tuple[int, int]

    @property
    def columns(self) -> int:
        return int(self.index.shape[1])

    @property
    def rows(self) -> int:
        return int(self.index.shape[0])

    @property
    def cut(self) -> bool:
        """Is only a part drawn?"""
        return self.index.shape != self.whole

    def find(self, index: int) -> tuple[int, int] | None:
        """In which cell stands this 1-D index?

        >>> sheet((4, 8), 0).find(9)
        (1, 2)
        """
        found = np.argwhere((self.index == index) & self.inside)
        return (int(found[0, 0]), int(found[0, 1])) if len(found) else None


def sheet(shape: IntTuple, at: int, *, across: int = 8, reach: int = 0, most: int = MOST) -> Sheet:
    """Which cells are drawn of this shape, around the 1-D index `at`?

    across: cells a row where there is one mode only. reach: so many indices are drawn at least, beyond the shape too.

    >>> sheet((2, 3), 0).index.tolist(), sheet(6, 0, across=4).index.tolist()
    ([[0, 2, 4], [1, 3, 5]], [[0, 1, 2, 3], [4, 5, 6, 7]])
    """
    total = int_tuple.product(shape)
    one = not isinstance(shape, tuple) or len(shape) == 1
    none: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    if one:
        count = max(total, reach)
        whole = (-(-count // across), min(count, across))
        row, column = divmod(at, across)
    else:
        down = int_tuple.product(shape[0]) if isinstance(shape, tuple) else 1
        whole = (down, max(total // down, -(-reach // down)))
        column, row = divmod(at, down)
    rows, columns = (window(extent, place, most) for extent, place in zip(whole, (row, column), strict=True))
    if one:
        index = rows[:, None] * across + columns
        heads, gaps = rows * across, none
    else:
        index = rows[:, None] + whole[0] * columns
        heads, gaps = (
            rows,
            (mode_gaps(int_tuple.modes(shape)[0], rows, 20), mode_gaps(int_tuple.modes(shape)[1:], columns, 20)),
        )
    inside = index < max(total, reach) if one else np.ones(index.shape, bool)
    texts = (tuple(map(str, heads.tolist())), tuple(map(str, columns.tolist())))
    return Sheet(index, inside, index >= total, *texts, *gaps, whole)


def coordinate(index: int, shape: IntTuple) -> IntTuple:
    """Which coordinate has a 1-D index? Beyond the size the last mode goes on, as the algebra reads it.

    >>> coordinate(7, ((2, 2), 3)), coordinate(40, (4, 8))
    (((1, 1), 1), (0, 10))
    """
    leaves, found = int_tuple.flatten(shape), []
    for extent in leaves[:-1]:
        index, c = divmod(index, extent)
        found.append(c)
    return int_tuple.unflatten((*found, index), shape)


def crd_text(index: int, shape: IntTuple) -> str:
    """The coordinate of a 1-D index as text, in brackets in any case.

    >>> crd_text(5, (4, 3)), crd_text(5, 8)
    ('(1,1)', '(5)')
    """
    crd = coordinate(index, shape)
    return to_text(crd) if isinstance(crd, tuple) else f"({crd})"


def terms_text(pairs: list[tuple[int, int]]) -> str:
    """Coordinate times stride, summed up. Terms that are 0 are left out where the sum is longer than MOST_TERMS characters.

    >>> terms_text([(2, 8), (3, -1)]), terms_text([(0, 10**30), (3, 10**30)])
    ('2·8 + 3·(-1)', '3·1000000000000000000000000000000')
    """
    terms = " + ".join(f"{c}·{d}" if d >= 0 else f"{c}·({d})" for c, d in pairs)
    if len(terms) <= MOST_TERMS or len(pairs) == 1 or all(c for c, _ in pairs):
        return terms
    return terms_text([(c, d) for c, d in pairs if c] or pairs[:1])


def sum_text(layout: Any, index: int) -> str:
    """The offset of a 1-D index, spelled out: coordinate times stride, and the outer function if there is one.

    >>> from cutelab.core.layout import Layout
    >>> sum_text(Layout((4, 3), (3, 1)), 5)
    '1·3 + 1·1 = 4'
    """
    inner = innermost(layout)
    leaves = zip(int_tuple.flatten(coordinate(index, inner.shape)), int_tuple.flatten(inner.stride), strict=True)
    pairs = [(c, d) for c, d in leaves]
    terms, before = terms_text(pairs), sum(c * d for c, d in pairs)
    if inner is layout:
        return f"{terms} = {before}"
    shift = f"{before}" if not layout.offset else f"{layout.offset} + {before}"
    value = int(laws.values(layout, np.array([index]))[0])
    return f"{terms} = {before}, {layout.outer}({shift}) = {value}"
