"""Questions about a layout as a map into memory: is it one-to-one, is it dense, which offsets stay empty?"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab.core import int_tuple
from cutelab.core.layout import Layout, check_table_size, cosize, offsets, size


def is_injective(layout: Any) -> bool:
    """Has every coordinate an offset of its own? (No two coordinates share memory.)

    >>> is_injective(Layout((8, 8), (9, 1))), is_injective(Layout(((4, 2), (2, 4)), ((2, 16), (1, 8))))
    (True, False)
    """
    if isinstance(layout, Layout) and strides_nest(layout):
        return True
    if isinstance(layout, Layout) and size(layout) > cosize(layout):
        return False
    table = offsets(layout).ravel()
    return len(np.unique(table)) == len(table)


def is_surjective(layout: Any) -> bool:
    """Is every offset from 0 to the largest one used? (No holes.)

    >>> is_surjective(Layout((8, 8), (8, 1))), is_surjective(Layout((8, 8), (9, 1)))
    (True, False)
    """
    return len(holes(layout)) == 0 and int(offsets(layout).min()) == 0


def is_contiguous(layout: Any) -> bool:
    """Do the coordinates fill the offsets 0 to size - 1, each once? (Injective and without holes.)

    >>> is_contiguous(Layout((8, 8), (1, 8))), is_contiguous(Layout((4, 2), (0, 1)))
    (True, False)
    """
    table = np.sort(offsets(layout), axis=None)
    return bool((table == np.arange(len(table))).all())


def holes(layout: Any) -> np.ndarray:
    """Which offsets between 0 and the largest one hold no element? Ascending, int64.

    >>> holes(Layout((8, 8), (1, 9))).tolist()
    [8, 17, 26, 35, 44, 53, 62]
    """
    table = offsets(layout)
    top = int(table.max()) + 1
    if top <= 0:
        return np.empty(0, np.int64)
    check_table_size(top, f"the memory of {layout}")
    used = np.zeros(top, bool)
    used[table[table >= 0]] = True
    empty = np.flatnonzero(~used)
    empty.flags.writeable = False
    return empty


def strides_nest(layout: Layout) -> bool:
    """Is each stride beyond all that the smaller ones reach? Then the layout is injective, whatever its size (no table needed).

    >>> strides_nest(Layout((10**6, 10**6))), strides_nest(Layout((4, 4), (3, 2)))
    (True, False)
    """
    modes = zip(int_tuple.flatten(layout.shape), int_tuple.flatten(layout.stride), strict=True)
    reach = 0
    for step, extent in sorted((abs(d), s) for s, d in modes if s > 1):
        if step <= reach:
            return False
        reach += step * (extent - 1)
    return True
