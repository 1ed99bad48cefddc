"""layout_of: from a table of offsets back to the layout that has exactly these, or the place where none can.

A layout is a sum over its modes, and in each mode a fold of equal steps. So there is at most one layout in as few modes as
possible for each axis of a table, found from left to right: the first run of equal steps is the first mode.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab.algebra.laws import from_modes
from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import IntTuple
from cutelab.core.layout import Layout, check_listed, check_table_size


def layout_of(offsets: Any) -> Layout:
    """Which layout has exactly these offsets? A table with one axis for each mode, as `offsets` gives it.

    layout_of(offsets(L)) is the same function as L, each mode coalesced. Raises CuteLabError when no layout has these offsets,
    with the first coordinate that breaks the pattern: the first offset must be 0, a mode's steps must be equal, and the
    offsets of several modes must add up.

    >>> layout_of([0, 10, 20, 30, 40, 50, 60, 70]), layout_of([0, 1, 8, 9, 16, 17])
    (Layout('8:10'), Layout('(2,3):(1,8)'))
    >>> layout_of([0, 1, 2, 4])
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: no layout has these offsets: at coordinate 3 it would give 3, and the table says 4
    """
    if isinstance(offsets, str | bytes):
        raise CuteLabError(f"layout_of reads a table of offsets such as [0, 2, 4, 6], got {shown(offsets)}")
    check_listed(offsets, "the table of offsets")
    try:
        table = np.asarray(offsets)
    except (TypeError, ValueError, OverflowError, RecursionError, RuntimeError):
        raise CuteLabError(f"layout_of reads a table of whole numbers, got {shown(offsets)}") from None
    if table.dtype.kind not in "iu" or not table.size or not 0 < table.ndim <= 30:
        raise CuteLabError(f"layout_of reads a table of whole numbers, got {shown(offsets)}")
    check_table_size(table.size, "the table of offsets")
    table = table.astype(np.int64)
    shape: IntTuple = table.shape if table.ndim > 1 else table.shape[0]
    found = find_layout(table.ravel(order="F"), shape)
    if found is not None:
        return found
    where, guess, says = _first_misfit(table)
    raise CuteLabError(
        f"no layout has these offsets: at coordinate {int_tuple.shown_text(where)} it would give {guess}, and the table says {says}"
    )


def find_layout(values: np.ndarray, shape: IntTuple) -> Layout | None:
    """The layout whose offsets by 1-D index are these, its modes those of the shape, each refined; None if there is none.

    >>> find_layout(np.array([0, 1, 8, 9]), (2, 2)), find_layout(np.array([0, 1, 8, 10]), (2, 2))
    (Layout('(2,2):(1,8)'), None)
    """
    extents = int_tuple.flatten(shape)
    if values[0] != 0 or len(extents) > 30:  # axes of an array
        return None
    table, parts = values.reshape(extents, order="F"), []
    total = np.zeros((1,) * len(extents), np.int64)
    for axis, extent in enumerate(extents):
        line = table[tuple(slice(None) if i == axis else 0 for i in range(len(extents)))]
        modes = line_modes(line)
        if modes is None:
            return None
        parts.append(from_modes(modes) if modes else Layout(1, 0))
        total = total + line.reshape([extent if i == axis else 1 for i in range(len(extents))])
    if not np.array_equal(total, table):
        return None
    leaves = iter(parts)

    def fill(s: IntTuple) -> tuple[Any, Any]:
        if isinstance(s, tuple):
            pairs = [fill(v) for v in s]
            return tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)
        part = next(leaves)
        return part.shape, part.stride

    return Layout(*fill(shape))


def line_modes(line: np.ndarray) -> list[tuple[int, int]] | None:
    """The modes of one axis, the fewest: runs of equal steps, and again for the starts of the runs. None: they are none.

    >>> line_modes(np.array([0, 1, 8, 9])), line_modes(np.array([0, 1, 2, 4]))
    ([(2, 1), (2, 8)], None)
    """
    modes: list[tuple[int, int]] = []
    while len(line) > 1:
        step = int(line[1] - line[0])
        run = _run(line, step)
        if len(line) % run:
            return None
        grid = line.reshape(-1, run)
        if not np.array_equal(grid, grid[:, :1] + np.arange(run, dtype=np.int64) * step):
            return None
        modes.append((run, step))
        line = grid[:, 0]
    return modes


def _run(line: np.ndarray, step: int) -> int:
    """How many numbers from the first one on are `step` apart?"""
    even = line == line[0] + np.arange(len(line), dtype=np.int64) * step
    return len(line) if even.all() else int(np.argmin(even))


def _first_misfit(table: np.ndarray) -> tuple[IntTuple, int, int]:
    """Where does the table leave the layout that its first numbers suggest? (coordinate, what that gives, what it says)."""
    if table.flat[0]:
        return (0,) * table.ndim if table.ndim > 1 else 0, 0, int(table.flat[0])
    total = np.zeros((1,) * table.ndim, np.int64)
    for axis, extent in enumerate(table.shape):
        line = table[tuple(slice(None) if i == axis else 0 for i in range(table.ndim))]
        if line_modes(line) is None:
            at, guess = _misfit_on(line)
            return (
                tuple(at if i == axis else 0 for i in range(table.ndim)) if table.ndim > 1 else at,
                guess,
                int(line[at]),
            )
        total = total + line.reshape([extent if i == axis else 1 for i in range(table.ndim)])
    place = tuple(int(p) for p in np.argwhere(total != table)[0])
    return place, int(total[place]), int(table[place])


def _misfit_on(line: np.ndarray) -> tuple[int, int]:
    """The first place on a line that is no fold of equal steps, and what would stand there."""
    inner = np.zeros(1, np.int64)  # the fold so far, which the line repeats
    while True:
        starts = line[:: len(inner)]
        step = int(starts[1])
        run = _run(starts, step)
        whole = (np.arange(len(starts), dtype=np.int64)[:, None] * step + inner).reshape(-1)[: len(line)]
        fold = whole[: run * len(inner)]
        if (fold != line[: len(fold)]).any() or len(line) % len(fold):
            at = int(np.argmax(whole != line))
            return at, int(whole[at])
        inner = fold
