"""What one map touches, in which order, and what each warp's accesses cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from cutelab.core.counting import how_often
from cutelab.course.card.parts.window import window
from cutelab.cutlass.pitch_linear import Coverage, PitchLinearShape, by_warp, count_coverage
from cutelab.cutlass.strips import StripThreadMap
from cutelab.cutlass.thread_map import ThreadMap
from cutelab.hardware import sectors, wavefronts
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import H200, Chip
from cutelab.hardware.wavefronts import Wavefronts

Array = np.ndarray[Any, Any]

WIDEST = 16  # bytes that one instruction moves for a lane
LINES, WINDOW, CELLS = 64, 32, 128  # lines up to which all are drawn, lines of a window, cells of a line


@dataclass(frozen=True, eq=False)
class Cost:
    """What each access of each warp costs: arrays (accesses, warps), summed over the instructions of one access.

    instructions   how many instructions one access takes (1 where a lane's elements are neighbours, aligned, at most 16 bytes)
    access_bytes   bytes a lane moves with one of them
    ways           shared memory: the n of the worst "n-way bank conflict", 1 without one; global memory: 0
    """

    count: Array
    ideal: Array
    instructions: int
    access_bytes: int
    ways: int = 0

    @property
    def total(self) -> int:
        return int(self.count.sum())

    @property
    def least(self) -> int:
        return int(self.ideal.sum())


def cost(address: Array, active: Array, item: int, kind: Literal["load", "store"], chip: Chip = H200) -> Cost:
    """What does each access cost as a global load (sectors) or as a shared store (wavefronts)?

    address   byte address of each element, int (accesses, warps, lanes, elements); active: bool (accesses, warps, lanes)
    An access becomes one instruction if every lane's elements are neighbours, aligned and at most 16 bytes; otherwise as
    few equal ones as that allows.

    >>> both = np.arange(32)[None, None, :, None] * 4 + np.array([0, 2])
    >>> found = cost(both, np.ones((1, 1, 32), bool), 2, "load")
    >>> found.total, found.least, found.instructions, found.access_bytes
    (4, 4, 1, 4)
    """
    *batch, _, e = address.shape
    width = next(
        n for n in (16, 8, 4, 2, 1) if e % n == 0 and (n == 1 or n * item <= WIDEST) and _runs(address, active, n, item)
    )
    first = np.moveaxis(address[..., ::width], -1, 0)
    some = np.asarray(active.any(axis=-1))
    if not first.size:
        nothing = np.zeros(batch, np.int64)
        return Cost(nothing, nothing, 1, width * item)
    busy = np.where(some[..., None], active, True)
    moved = np.where(some[..., None], first, 0)
    taking = None if busy.all() else np.broadcast_to(busy, moved.shape)
    access = WarpAccess(moved, width * item, kind, taking, chip=chip)
    found = (sectors if kind == "load" else wavefronts)(access)
    count, ideal = (np.where(some, np.asarray(value).sum(axis=0), 0) for value in (found.count, found.ideal))
    ways = int(np.max(np.where(some, found.ways, 1))) if isinstance(found, Wavefronts) else 0
    return Cost(count, ideal, e // width, width * item, ways)


def _runs(address: Array, active: Array, n: int, item: int) -> bool:
    """Do n elements lie side by side, aligned, for every active lane?"""
    if n == 1:
        return True
    parts = address.reshape(*address.shape[:-1], address.shape[-1] // n, n)
    good = (parts - parts[..., :1] == np.arange(n) * item).all(axis=-1) & (parts[..., 0] % (n * item) == 0)
    return bool((good | ~active[..., None]).all())


@dataclass(frozen=True, eq=False)
class Side:
    """One map over its tile.

    starts          int (threads, accesses, 2): contiguous, strided of the first element of each access, in CUTLASS's order
    vector, grain   elements of an access; elements of a drawn cell (every access begins and ends on a cell's edge)
    rows, columns   the drawn window: lines, and the first element of each cell
    bands           (row, first line, last line): a row that stands for lines beyond the tile to which nobody comes
    owner, turn     int (rows, columns): the thread that comes first, and in which of its accesses; -1 for nobody
    times           how often each cell is touched
    load, store     the costs; store is None if the shared layout is none of this tile
    lanes           threads of a warp
    """

    map: ThreadMap | StripThreadMap
    tile: PitchLinearShape
    starts: Array
    vector: int
    grain: int
    coverage: Coverage
    rows: Array
    columns: Array
    bands: tuple[tuple[int, int, int], ...]
    owner: Array
    turn: Array
    times: Array
    load: Cost
    store: Cost | None
    lanes: int

    @property
    def threads(self) -> int:
        return int(self.starts.shape[0])

    @property
    def accesses(self) -> int:
        return int(self.starts.shape[1])

    @property
    def warps(self) -> int:
        return -(-self.threads // self.lanes)

    def cells(self, thread: int | slice, access: int) -> tuple[Array, Array]:
        """Row and column in the window of the cells that this access of this thread (or these) touches; only those drawn."""
        start = self.starts[thread, access].reshape(-1, 2)
        cells = start[:, :1] + np.arange(0, self.vector, self.grain)
        i, j, drawn = place(np.broadcast_to(start[:, 1:], cells.shape), cells, self.rows, self.columns, self.grain)
        return i[drawn], j[drawn]


def place(lines: Any, elements: Any, rows: Array, columns: Array, grain: int) -> tuple[Array, ...]:
    """Row and column in the window of the cells with these elements, and which of them are drawn at all."""
    i = np.minimum(np.searchsorted(rows, lines), len(rows) - 1)
    j = (elements - columns[0]) // grain
    return i, j, (rows[i] == lines) & (j >= 0) & (j < len(columns))


def starts_of(thread_map: ThreadMap | StripThreadMap) -> tuple[Array, int]:
    """The first element of each access, and how many elements it has. The strip formula makes one access of one element."""
    if isinstance(thread_map, StripThreadMap):
        return thread_map.coords()[:, None, :], 1
    return thread_map.accesses(), thread_map.elements_per_access


def side(
    thread_map: ThreadMap | StripThreadMap,
    tile: PitchLinearShape,
    probe: tuple[int, int],
    item: int,
    ld: int,
    shared: Array | None,
    chip: Chip,
) -> Side:
    """What does this map do to its tile? probe: the thread and access that the drawn window must show."""
    starts, e = starts_of(thread_map)
    elements = starts[:, :, None, :] + np.stack([np.arange(e), np.zeros(e, np.int64)], axis=-1)
    grain = int(np.gcd.reduce([e, tile.contiguous, int(np.gcd.reduce(starts[..., 0], axis=None, initial=0))]))
    thread, access = probe
    at = starts[thread, access] if thread < len(starts) and access < starts.shape[1] else np.zeros(2, np.int64)
    far = int(elements[..., 0].max(initial=0)) + 1
    columns = window(max(tile.contiguous, far) // grain, int(at[0]) // grain, CELLS) * grain
    rows, bands = _lines(np.unique(starts[..., 1]), tile.strided, int(at[1]))
    owner, turn, times = _first(elements, grain, rows, columns)
    load, store = _costs(elements, tile, item, ld, shared, chip)
    coverage = count_coverage(elements.reshape(len(starts), -1, 2), tile)
    for array in (starts, rows, columns, owner, turn, times):
        array.flags.writeable = False
    return Side(
        thread_map, tile, starts, e, grain, coverage, rows, columns, bands, owner, turn, times, load, store, chip.lanes
    )


def _lines(touched: Array, lines: int, at: int) -> tuple[Array, tuple[tuple[int, int, int], ...]]:
    """Which lines are drawn? The tile's, and beyond it the touched ones; two or more that nobody touches become one band."""
    beyond = touched[touched >= lines]
    before = np.r_[lines - 1, beyond[:-1]]
    begin, end = (before + 1)[beyond - before > 2], (beyond - 1)[beyond - before > 2]
    single = (before + 1)[beyond - before == 2]
    rows = np.unique(np.r_[np.arange(lines), beyond, begin, single])
    if len(rows) > LINES:
        first = int(np.searchsorted(rows, at)) // WINDOW * WINDOW
        rows = rows[first : first + WINDOW]
    found = [
        (int(np.searchsorted(rows, a)), a, b) for a, b in zip(begin.tolist(), end.tolist(), strict=True) if a in rows
    ]
    return rows, tuple(found)


def _first(elements: Array, grain: int, rows: Array, columns: Array) -> tuple[Array, ...]:
    """Who comes first to each drawn cell? All threads make their first access, then all make their second, and so on."""
    threads, accesses = elements.shape[:2]
    order = elements[:, :, ::grain].transpose(1, 0, 2, 3)
    i, j, here = place(order[..., 1], order[..., 0], rows, columns, grain)
    flat = (i * len(columns) + j)[here]
    code = np.broadcast_to(np.arange(accesses * threads).reshape(accesses, threads, 1), i.shape)[here]
    first = np.full(len(rows) * len(columns), -1, np.int64)
    first[flat[::-1]] = code[::-1]  # the last one written stays: the earliest access
    times = how_often(flat, first.size)
    shape = len(rows), len(columns)
    none = first < 0
    found = (np.where(none, -1, first % max(threads, 1)), np.where(none, -1, first // max(threads, 1)), times)
    return tuple(a.reshape(shape) for a in found)


def _costs(
    elements: Any, tile: PitchLinearShape, item: int, ld: int, shared: Array | None, chip: Chip
) -> tuple[Cost, Cost | None]:
    lanes, exist = by_warp(elements, chip.lanes)  # (warps, lanes, accesses, elements, 2)
    c, s = np.moveaxis(lanes, (2, 4), (0, 1)).transpose(1, 0, 2, 3, 4)  # each (accesses, warps, lanes, elements)
    alive = np.broadcast_to(exist, c.shape[:3])
    load = cost((c + s * ld) * item, alive, item, "load", chip)
    if shared is None:
        return load, None
    inside = ((c < tile.contiguous) & (s < tile.strided)).all(axis=-1) & alive
    place = shared[np.minimum(c, tile.contiguous - 1), np.minimum(s, tile.strided - 1)]
    return load, cost(place * item, inside, item, "store", chip)
