"""Print a layout as text: `print_layout` as CuTe does (coordinate to offset), `print_inverse` (offset to coordinate)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, brief, count_text, shown
from cutelab.core.int_tuple import to_text
from cutelab.core.layout import (
    ComposedLayout,
    Layout,
    as_layout,
    as_readable,
    check_table_size,
    cosize,
    offsets,
    rank,
    size,
)

MAX_PRINT = 2**18  # cells of a printed table


def to_static(layout: Any) -> str:
    """How does CuTe print this layout when all its integers are static?

    >>> to_static(Layout((4, 2), (2, 1)))
    '(_4,_2):(_2,_1)'
    """
    layout = as_layout(layout)
    if isinstance(layout, Layout):
        return f"{to_text(layout.shape, static=True)}:{to_text(layout.stride, static=True)}"
    outer = to_static(layout.outer) if isinstance(layout.outer, Layout) else str(layout.outer)
    return f"{outer} o _{layout.offset} o {to_static(layout.inner)}"


def print_layout(layout: Any, *, static: bool = False) -> str:
    """Which offset has each coordinate of a rank-2 layout? The text of cute::print_layout, letter for letter.

    Rows are mode 0, columns mode 1; offsets count elements. `static=True` spells the first line as C++ does for
    compile-time integers. Returns the text (print it yourself). Raises CuteLabError unless the rank is 2, as C++ does.

    >>> print(print_layout(Layout((2, 2), (2, 1))))  # doctest: +NORMALIZE_WHITESPACE
    (2,2):(2,1)
          0   1
        +---+---+
     0  | 0 | 1 |
        +---+---+
     1  | 2 | 3 |
        +---+---+
    <BLANKLINE>
    """
    layout = as_readable(layout)
    if rank(layout) != 2:
        raise CuteLabError(
            f"print_layout prints layouts of rank 2; {brief(layout, 100)} has rank {rank(layout)}. "
            f"Give it two modes, for example ({size(layout)},1), or use offsets(layout)"
        )
    _check_print(size(layout), layout)
    table = offsets(layout)
    rows, columns = table.shape
    inside = layout.layout if isinstance(layout, ComposedLayout) else layout
    digits = len(str(cosize(inside)))  # CuTe looks at the layout inside a swizzle
    title = to_static(layout) if static and isinstance(layout, Layout | ComposedLayout) else str(layout)
    return f"{title}\n{_frame(rows, columns, digits) % tuple(table.ravel().tolist())}"


@lru_cache(maxsize=8)
def _frame(rows: int, columns: int, digits: int) -> str:
    """What print_layout prints of every table of this size: all but the offsets, for which it has a %d each."""
    rule = "    " + ("+" + "-" * (digits + 2)) * columns + "+\n"
    head = "    " + "".join(f"  {n:{digits}d} " for n in range(columns)) + "\n"
    line = f"| %{digits}d " * columns + "|\n"
    return head + "".join(f"{rule}{m:2d}  {line}" for m in range(rows)) + rule


def print_inverse(
    layout: Any, *, columns: int | None = None, output_shape: Any = None, vectorize: int | None = None
) -> str:
    """Which coordinate lives at each memory offset? One line for every `columns` offsets, in the order of memory.

    A hole is blank; two coordinates at one offset are joined by `=`. By default a line is as long as the smallest stride
    above 1 of a flat layout of rank 2 (one row, or one column, of the matrix with its padding), otherwise 16.

    With `output_shape` or `vectorize` the text is that of CUTLASS's example 03_visualize_layout: output_shape = (offsets in a
    line, lines before a blank one), (16, 8) by default; from vectorize 3 on, that many neighbours become one range, `(0, 0..3)`.
    A 2.x matrix layout is always printed so.

    >>> print(print_inverse(Layout((4, 2), (2, 1))))
    (0, 0)|(0, 1)
    (1, 0)|(1, 1)
    (2, 0)|(2, 1)
    (3, 0)|(3, 1)
    <BLANKLINE>
    >>> print(print_inverse(Layout((2, 2), (3, 1))))  # doctest: +NORMALIZE_WHITESPACE
    (0, 0)|(0, 1)|
    (1, 0)|(1, 1)
    <BLANKLINE>
    """
    layout = as_readable(layout)
    matrix = not isinstance(layout, Layout | ComposedLayout)
    _check_print(size(layout), layout)
    table = offsets(layout)
    if table.min() < 0:
        raise CuteLabError(
            f"{brief(layout, 100)} has negative offsets, down to {table.min()}; memory is printed from offset 0"
        )
    top = int(table.max()) + 1 if isinstance(layout, Layout | ComposedLayout) else layout.capacity
    _check_print(top, layout)
    if matrix or output_shape is not None or vectorize is not None:
        shape = (columns or 16, 8) if output_shape is None else output_shape
        return _example_text(table, top, shape, 1 if vectorize is None else vectorize, layout)
    if columns is None:
        strides = [d for d in int_tuple.flatten(layout.stride) if d > 1] if isinstance(layout, Layout) else []
        columns = min(strides) if strides and rank(layout) == 2 and table.ndim == 2 and _flat(layout) else 16
    if not int_tuple.is_int(columns) or columns < 1:
        raise CuteLabError(f"columns must be a whole number of 1 or more, got {shown(columns)}")
    cells = [""] * top
    for coord, offset in np.ndenumerate(table):
        cells[offset] += ("=" if cells[offset] else "") + "(" + ", ".join(map(str, coord)) + ")"
    lines = ["|".join(c or " " for c in cells[i : i + columns]) for i in range(0, top, columns)]
    return "\n".join(lines) + "\n"


def _example_text(table: np.ndarray, top: int, output_shape: Any, vectorize: int, layout: Any) -> str:
    """The text of example 03: its only difference from one cell an offset is how it writes vectors and blank lines."""
    given = output_shape if isinstance(output_shape, tuple | list) and output_shape else (output_shape,)
    across, down = (*given, 8)[:2]
    for value, what in ((across, "output_shape"), (down, "output_shape"), (vectorize, "vectorize")):
        if not int_tuple.is_int(value) or value < 1:
            raise CuteLabError(f"{what} holds whole numbers of 1 or more, got {shown(value)}")
    if across % vectorize:
        raise CuteLabError(f"vectorize {vectorize} must divide the offsets in a line of the output, {across}")
    if top % vectorize:
        raise CuteLabError(f"vectorize {vectorize} must divide the {top} elements of {layout}")
    if table.max() >= top:
        raise CuteLabError(
            f"{layout} has offset {table.max()}, and its capacity is only {top}; the example stops here with an error"
        )
    coords = np.full((top, table.ndim), -1, dtype=np.int64)
    coords[table.ravel()] = np.indices(table.shape, dtype=np.int64).reshape(table.ndim, -1).T
    vectors = coords.reshape(-1, vectorize, table.ndim)
    filled = vectors[..., 0] >= 0
    changing = (vectors != vectors[:, :1]).any(axis=1)
    joined = (filled.all(axis=1) & (changing.sum(axis=1) <= 1) | ~filled.any(axis=1)) & (vectorize > 2)

    def write(cell: list[int], ranges: list[bool]) -> str:
        if cell[0] < 0:
            return " "
        return (
            "("
            + ", ".join(f"{n}..{n + vectorize - 1}" if r else f"{n}" for n, r in zip(cell, ranges, strict=True))
            + ")"
        )

    plain = [False] * table.ndim
    cells = [
        write(vector[0], ranges) if one else "".join(write(cell, plain) for cell in vector)
        for vector, ranges, one in zip(vectors.tolist(), changing.tolist(), joined.tolist(), strict=True)
    ]
    width = across // vectorize
    lines = ["|".join(cells[i : i + width]) for i in range(0, len(cells), width)]
    pages = ["\n".join(lines[i : i + down]) for i in range(0, len(lines), down)]
    return "\n\n".join(pages) + "\n"


def _flat(layout: Layout) -> bool:
    return int_tuple.depth(layout.shape) == 1


def _check_print(cells: int, layout: Any) -> None:
    if cells > MAX_PRINT:
        raise CuteLabError(
            f"{brief(layout, 100)} would print {count_text(cells)} cells; at most {MAX_PRINT:,} are printed. "
            f"Use offsets(layout)"
        )
    check_table_size(cells, layout)
