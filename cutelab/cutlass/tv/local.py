"""local_tile and local_partition: the tile of a block, and the part of a thread when threads are laid over a tensor.

Source: cute/tensor_impl.hpp.
"""

from __future__ import annotations

from typing import Any

from cutelab.algebra import typed
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, size
from cutelab.core.leaves import mark
from cutelab.cutlass.tv.thread_part import Part, as_data, check_thread, part, split


def local_tile(data: Any, tile: Any, coord: Any, step: Any = None) -> Part:
    """Which tile of a tensor belongs to a block? (layout, offset of its start).

    data: a layout or its text. tile: the sizes, one for each mode. coord: which tile along each mode; None keeps that mode as the
    number of the tile. step: a projection, 1 for the entries of tile and coord that count and None for the others (CuTe's X), so
    that one tile (M, N, K) and one coordinate serve A, B and C. Sizes that tiles do not cover are rounded up, as in CuTe.

    >>> local_tile("(512,256):(256,_1)", (128, 64, 32), (1, 2, None), step=(1, None, 1))
    (Layout('(_128,_32,8):(256,_1,_32)'), 32768)
    """
    tiles, coords = _entries(tile, "tile"), _entries(coord, "coord")
    if step is not None:
        if len(tiles) != len(coords):
            raise CuteLabError(f"with a step, tile and coord have as many entries; got {len(tiles)} and {len(coords)}")
        chosen = _projected(step, len(tiles))
        tiles, coords = tuple(tiles[i] for i in chosen), tuple(coords[i] for i in chosen)
    data = as_data(data)
    if len(tiles) > len(data):
        raise CuteLabError(f"a tile of {len(tiles)} modes for {data}, which has {len(data)}")
    x, marks = split(data)
    tiled, rest = typed.modes_of(typed.zipped_divide(x, typed.typed_tiler(tiles)))
    rests = typed.modes_of(rest)
    if len(coords) > len(rests):
        raise CuteLabError(f"the coordinate has {len(coords)} entries, and {data} has {len(rests)} modes")
    fixed = [(m, c) for m, c in zip(rests, coords, strict=False) if c is not None]
    for i, (mode, c) in enumerate(zip(rests, coords, strict=False)):
        if c is not None and not (is_int(c) and 0 <= c < int(typed.product(mode.shape))):
            raise CuteLabError(
                f"there are {int(typed.product(mode.shape))} tiles along mode {i}, numbered from 0; got {shown(c)}"[
                    :200
                ]
            )
    free = [m for m, c in zip(rests, coords, strict=False) if c is None] + rests[len(coords) :]
    kept = typed.join([*typed.modes_of(tiled), *free])
    return part(data, [m for m, _ in fixed], [c for _, c in fixed], kept, marks)


def local_partition(data: Any, thr_layout: Any, thread: int, step: Any = None) -> Part:
    """Which elements of a tensor belong to this thread when threads are laid over it again and again? (layout, offset).

    A view of the same memory, not a copy in registers. thr_layout: coordinate -> thread; step: a projection, 1 for its modes that
    count and None for the others (CuTe's X). Source: cute/tensor_impl.hpp, local_partition.

    >>> local_partition(Layout((8, 8), (8, 1)), Layout((2, 4)), 5)
    (Layout('(4,2):(16,4)'), 10)
    """
    threads = as_data(thr_layout, "thr_layout")
    if not isinstance(threads, Layout):
        raise CuteLabError(f"thr_layout maps coordinates to threads without a swizzle, got {threads}")
    chosen = _projected(step, len(threads))
    shapes = [threads[i] for i in chosen]
    number = check_thread(thread, size(threads), str(threads))
    tiles = tuple(size(m) for m in shapes)
    data = as_data(data)
    if len(tiles) > len(data):
        raise CuteLabError(f"threads along {len(tiles)} modes for {data}, which has {len(data)}")
    coordinate = tuple(_along(m, number) for m in shapes)
    if step is None and threads(coordinate if len(coordinate) > 1 else coordinate[0]) != number:
        raise CuteLabError(
            f"{threads} gives no place to thread {number}; it must number its threads 0 to {size(threads) - 1}, each once"
        )
    x, marks = split(data)
    tiled, rest = typed.modes_of(typed.zipped_divide(x, typed.typed_tiler(tiles)))
    rests = typed.modes_of(rest)
    kept = rests[0] if len(rests) == 1 else typed.join(rests)
    return part(data, typed.modes_of(tiled), list(coordinate), kept, marks)


def _along(mode: Layout, thread: int) -> int:
    """The 1-D coordinate of a thread along one mode: CuTe's get_flat_coord."""
    index, before = 0, 1
    for extent, stride in typed.flat_modes(typed.Typed(mark(mode.shape), mark(mode.stride))):
        index += (thread // int(stride) % int(extent) if stride else 0) * before
        before *= int(extent)
    return index


def _entries(value: Any, what: str) -> tuple[Any, ...]:
    entries = tuple(value) if isinstance(value, tuple | list) else (value,)
    entries = tuple(None if v is None or (isinstance(v, str) and v == "_") else v for v in entries)
    for v in entries:
        if v is not None and not is_int(v) and not isinstance(v, Layout):
            raise CuteLabError(f"{what} holds integers{' or None' if what == 'coord' else ''}, got {shown(v)}"[:200])
        if what == "tile" and (v is None or (is_int(v) and v < 1)):
            raise CuteLabError(f"a tile has sizes of 1 or more, got {shown(v)}"[:200])
    return entries


def _projected(step: Any, count: int) -> list[int]:
    """Which entries does a projection keep?"""
    if step is None:
        return list(range(count))
    entries = tuple(step) if isinstance(step, tuple | list) else (step,)
    if len(entries) != count:
        raise CuteLabError(
            f"the step has {len(entries)} entries, {count} are needed; for example {(1, None, 1)[:count]}"
        )
    kept = [i for i, s in enumerate(entries) if s is not None and not (isinstance(s, str) and s == "X")]
    if not kept:
        raise CuteLabError("the step keeps no mode; write 1 for each mode that counts, None for the others")
    return kept
