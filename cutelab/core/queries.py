"""Questions about a layout as a map into memory: is it one-to-one, is it dense, which offsets stay empty?"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab.core.errors import brief
from cutelab.core.layout import MAX_TABLE, Layout, as_readable, check_table_size, cosize, offsets, size


def is_injective(layout: Any) -> bool:
    """Has every coordinate an offset of its own? (No two coordinates share memory.)

    >>> is_injective(Layout((8, 8), (9, 1))), is_injective(Layout(((4, 2), (2, 4)), ((2, 16), (1, 8))))
    (True, False)
    """
    layout = as_readable(layout)
    if isinstance(layout, Layout):
        if strides_nest(layout):
            return True
        if size(layout) > cosize(layout):
            return False
    table = offsets(layout).ravel(order="A")
    low = int(table.min())
    reach = int(table.max()) - low + 1
    if len(table) > reach:
        return False
    if reach > 8 * MAX_TABLE:  # far apart: sorted, so that memory stays bounded
        ordered = np.sort(table)
        return bool((ordered[1:] != ordered[:-1]).all())
    return _used(table, reach, low) == len(table)


def is_surjective(layout: Any) -> bool:
    """Is every offset from 0 to the largest one used? (No holes.)

    >>> is_surjective(Layout((8, 8), (8, 1))), is_surjective(Layout((8, 8), (9, 1)))
    (True, False)
    """
    layout = as_readable(layout)
    if isinstance(layout, Layout):
        return _reaches_all(layout)
    table = offsets(layout).ravel(order="A")
    top = int(table.max()) + 1
    return int(table.min()) == 0 and top <= len(table) and _used(table, top) == top


def is_contiguous(layout: Any) -> bool:
    """Do the coordinates fill the offsets 0 to size - 1, each once? (Injective and without holes.)

    >>> is_contiguous(Layout((8, 8), (1, 8))), is_contiguous(Layout((4, 2), (0, 1)))
    (True, False)
    """
    layout = as_readable(layout)
    if isinstance(layout, Layout):
        return _reaches_all(layout) and size(layout) == cosize(layout)
    table = offsets(layout).ravel(order="A")
    return int(table.min()) == 0 and int(table.max()) + 1 == len(table) == _used(table, len(table))


def holes(layout: Any) -> np.ndarray:
    """Which offsets between 0 and the largest one hold no element? Ascending, int64.

    >>> holes(Layout((8, 8), (1, 9))).tolist()
    [8, 17, 26, 35, 44, 53, 62]
    """
    layout = as_readable(layout)
    if isinstance(layout, Layout) and _reaches_all(layout):
        return np.empty(0, np.int64)
    table = offsets(layout).ravel(order="A")
    top = int(table.max()) + 1
    if top <= 0:
        return np.empty(0, np.int64)
    check_table_size(top, f"the memory of {brief(layout, 80)}")
    used = np.zeros(top, bool)
    used[table[table >= 0] if table.min() < 0 else table] = True
    empty = np.flatnonzero(~used)
    empty.flags.writeable = False
    return empty


def strides_nest(layout: Layout) -> bool:
    """Is each stride beyond all that the smaller ones reach? Then the layout is injective, whatever its size (no table needed).

    >>> strides_nest(Layout((10**6, 10**6))), strides_nest(Layout((4, 4), (3, 2)))
    (True, False)
    """
    reach = 0
    for step, extent in sorted((abs(d), s) for s, d in layout._modes if s > 1):
        if step <= reach:
            return False
        reach += step * (extent - 1)
    return True


def _used(table: np.ndarray, reach: int, low: int = 0) -> int:
    """How many different offsets are in a table of offsets from `low` to `low + reach - 1`?"""
    used = np.zeros(reach, bool)
    if low:
        table = table - low
    used[table] = True
    return int(np.count_nonzero(used))


def _reaches_all(layout: Layout) -> bool:
    """Is every offset from 0 to the largest one used? Decided mode by mode, without a table.

    In ascending order of strides, the sums so far fill 0 .. reach; the next stride must not leave a gap above them. If it did,
    offset reach + 1 would need a stride of at most reach + 1, and all that are left are larger. A negative stride goes below 0.
    """
    reach = 0
    for step, extent in sorted((d, s) for s, d in layout._modes if s > 1):
        if step < 0 or step > reach + 1:
            return False
        reach += step * (extent - 1)
    return True
