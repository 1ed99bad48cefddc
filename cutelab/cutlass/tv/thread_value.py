"""Thread-value layouts: which thread holds which element of a tile, and as which of its values?

A thread-value (TV) layout maps (thread, value) to the 1-D index of an element in its tile, first mode fastest: m + M*k.
Source: cute/atom/mma_atom.hpp and copy_atom.hpp; CuTe's documentation, "Tensors: Partitioning".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutelab.algebra import composition, raked_product, right_inverse
from cutelab.core import int_tuple
from cutelab.core.counting import how_often
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import Int, as_int_tuple, is_int, product, to_text
from cutelab.core.layout import ComposedLayout, Layout, check_table_size, offsets, size
from cutelab.core.leaves import compact_strides, unmark

AnyLayout = Layout | ComposedLayout


def make_layout_tv(thr_layout: Layout, val_layout: Layout) -> tuple[tuple[int, ...], Layout]:
    """Threads in this order, values in this order: which tile do they cover, and who holds what in it?

    thr_layout maps thread coordinates to thread numbers, val_layout a thread's elements to value numbers. Returns the tile's
    shape (tiler) and the layout (thread, value) -> index in the tile: right_inverse(raked_product(thr, val)), split at the
    number of threads. Raises CuteLabError when threads or values are not numbered 0, 1, 2 ... each once.
    Source: make_layout_tv of CuTe; in C++ the body of make_tiled_copy.

    >>> make_layout_tv(Layout((4, 8), (8, 1)), Layout((2, 2), (2, 1)))
    ((8, 16), Layout('((8,4),(2,2)):((16,2),(8,1))'))
    """
    for name, layout in (("thr_layout", thr_layout), ("val_layout", val_layout)):
        if not isinstance(layout, Layout):
            raise CuteLabError(f"{name} must be a Layout, got {shown(layout)}")
        if not np.array_equal(np.sort(offsets(layout), axis=None), np.arange(size(layout), dtype=np.int64)):
            raise CuteLabError(
                f"{name} = {layout} must number its {size(layout)} places 0 to {size(layout) - 1}, each once; "
                f"for example {Layout(layout.shape)}"
            )
    layout_mn = raked_product(thr_layout, val_layout)
    assert isinstance(layout_mn, Layout)
    tiler = tuple(product(mode) for mode in _modes(layout_mn))
    parts = (Int(size(thr_layout)), Int(size(val_layout)))
    split = Layout(
        unmark(parts), unmark(compact_strides(parts))
    )  # as at compile time: one thread or one value has stride 0
    return tiler, composition(right_inverse(layout_mn), split)  # type: ignore[return-value]


def _modes(layout: Layout) -> tuple[Any, ...]:
    return layout.shape if isinstance(layout.shape, tuple) else (layout.shape,)


@dataclass(frozen=True, eq=False)
class Owners:
    """Who holds each element of a tile? Unpacks as `thread, value = owners(...)`.

    thread, value  arrays of the tile's shape: the (first) owner; -1 where nobody holds the element
    count          how many (thread, value) pairs hold it
    every_thread   True: the thread mode has stride 0, each thread sees the whole (an operand in shared memory); thread is 0

    >>> thread, value = owners(Layout((4, 2)), (2, 4))
    >>> thread.tolist(), value.tolist()
    ([[0, 2, 0, 2], [1, 3, 1, 3]], [[0, 0, 1, 1], [0, 0, 1, 1]])
    """

    thread: np.ndarray
    value: np.ndarray
    count: np.ndarray = field(repr=False)
    every_thread: bool

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.thread, self.value))

    @property
    def one_to_one(self) -> bool:
        """Does every element have exactly one owner?"""
        return bool((self.count == 1).all())

    def summary(self) -> str:
        """The verdict in words.

        >>> owners(Layout((4, 2)), (4, 2)).summary()
        'every one of the 8 elements has one owner'
        """
        total, shared, nobody = self.count.size, int((self.count > 1).sum()), int((self.count == 0).sum())
        if self.every_thread:
            return f"every thread sees all {total - nobody:,} elements: the thread stride is 0"
        if self.one_to_one:
            return f"every one of the {total:,} elements has one owner"
        parts = [f"{shared:,} of {total:,} elements have several owners"] if shared else []
        parts += [f"{nobody:,} of {total:,} elements have no owner"] if nobody else []
        return "; ".join(parts)


def owners(layout_tv: Layout, tile: Any, *, thr_id: Layout | None = None) -> Owners:
    """Which thread holds each element of the tile, and as which of its values?

    tile: the shape, one array axis for each top-level mode. thr_id: maps logical threads to lanes (Volta's quad pairs).
    Where several pairs own an element, the first thread (and its first value) is named and `count` says how many.
    Raises CuteLabError when the layout reaches outside the tile.

    >>> thread, value = owners(Layout(((4, 8), (2, 2)), ((32, 1), (16, 8))), (16, 8))  # A of m16n8k8
    >>> thread[9].tolist(), value[9].tolist()
    ([4, 4, 5, 5, 6, 6, 7, 7], [2, 3, 2, 3, 2, 3, 2, 3])
    >>> owners(Layout((128, (64, 16)), (0, (1, 64))), (64, 16)).summary()
    'every thread sees all 1,024 elements: the thread stride is 0'
    """
    index, shape = _table(layout_tv, tile)
    threads, values = index.shape
    total = product(shape)
    check_table_size(total, f"the tile {to_text(shape)}")
    every = threads > 1 and not any(int_tuple.flatten(layout_tv[0].stride))
    flat = index[0] if every else index.ravel()  # thread after thread
    pair = np.full(total, threads * values, dtype=np.int64)
    np.minimum.at(pair, flat, np.arange(flat.size, dtype=np.int64))
    held = pair < threads * values
    number = _lanes(thr_id, threads)
    thread = np.where(held, number[np.where(held, pair // values, 0)], -1)
    value = np.where(held, pair % values, -1)
    count = how_often(flat, total) * (threads if every else 1)
    by_thread, by_value, counted = (a.reshape(shape, order="F") for a in (thread, value, count))
    for array in (by_thread, by_value, counted):
        array.setflags(write=False)
    return Owners(by_thread, by_value, counted, every)


def registers(layout_tv: Layout, tile: Any, thread: int) -> np.ndarray:
    """Which elements does this thread hold, value by value? Coordinates of shape (values, rank of the tile).

    >>> registers(Layout(((4, 8), (2, 2)), ((32, 1), (16, 8))), (16, 8), 5).tolist()
    [[1, 2], [1, 3], [9, 2], [9, 3]]
    """
    index, shape = _table(layout_tv, tile)
    if not is_int(thread) or not 0 <= thread < len(index):
        raise CuteLabError(f"{layout_tv} has threads 0 to {len(index) - 1}, not {shown(thread)}")
    return np.stack(np.unravel_index(index[thread], shape, order="F"), axis=1)


def tv_inverse(layout_tv: Layout, tile: Any) -> Layout:
    """Which thread and value hold an element? The inverse layout: coordinate of the tile -> thread + threads * value.

    Raises CuteLabError unless every element has exactly one owner.

    >>> print(tv_inverse(Layout(((4, 8), 2), ((16, 1), 8)), (8, 8)))
    (8,(2,4)):(4,(32,1))
    """
    found = owners(layout_tv, tile)
    if not found.one_to_one:
        raise CuteLabError(f"{layout_tv} has no inverse on the tile {to_text(as_int_tuple(tile))}: {found.summary()}")
    return composition(right_inverse(layout_tv), Layout(_shape(tile)))  # type: ignore[return-value]


def partition(data: AnyLayout, layout_tv: Layout) -> AnyLayout:
    """Where in memory are the values of each thread? composition(data, layout_tv): (thread, value) -> offset.

    `partition(data, tv)(t, None)` is thread t's part, without the offset of its first value; `slice_and_offset` gives both.

    >>> tv = Layout(((4, 8), 2), ((16, 1), 8))
    >>> print(partition(Layout((8, 8), (1, 9)), tv), partition(Layout((8, 8), (8, 1)), tv), sep="  ")
    ((4,8),2):((18,1),9)  ((4,8),2):((2,8),1)
    """
    return composition(data, layout_tv)


def _shape(tile: Any) -> tuple[int, ...]:
    tile = as_int_tuple(tile, "tile")
    return tuple(product(mode) for mode in (tile if isinstance(tile, tuple) else (tile,)))


def _table(layout_tv: Layout, tile: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    """The index of each (thread, value), and the tile's shape; checked against each other."""
    shape = _shape(tile)
    if not isinstance(layout_tv, Layout) or len(layout_tv) != 2:
        raise CuteLabError(f"a thread-value layout has two modes, (thread, value); got {shown(layout_tv)}")
    index = offsets(layout_tv)
    if index.min() < 0 or index.max() >= product(shape):
        raise CuteLabError(
            f"{layout_tv} reaches index {int(index.max())}, but the tile {to_text(shape)} has only {product(shape)} elements"
        )
    return index, shape


def _lanes(thr_id: Layout | None, threads: int) -> np.ndarray:
    if thr_id is None:
        return np.arange(threads, dtype=np.int64)
    lanes = offsets(thr_id).ravel(order="F")
    if len(lanes) != threads:
        raise CuteLabError(f"thr_id = {thr_id} names {len(lanes)} threads, but the layout has {threads}")
    return lanes
