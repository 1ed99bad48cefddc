"""The card of topic "thread_map": who touches what, the costs, one thread's accesses. Computes no addresses of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutelab.course.card.paint.labels import numbered
from cutelab.course.card.parts.frames import boxes
from cutelab.course.card.parts.legend import CATEGORIES, modulo
from cutelab.course.card.picture import (
    COLLISION,
    HOLE,
    INACTIVE,
    OUTSIDE,
    Box,
    Grid,
    Key,
    Lines,
    Panel,
    Picture,
    Ring,
    Tips,
)
from cutelab.course.card.words import count, state_of
from cutelab.course.topics.thread_map import words as say
from cutelab.course.topics.thread_map.cost import Array, Cost, Side
from cutelab.course.topics.thread_map.model import Result

TABLE = 8  # warps and accesses of a cost table
FILL = {"good": 2, "bad": 3, "note": 4}  # in the frame scale
MAX_RINGS = 48
BAND = 24  # height of a band of lines to which nobody comes


@dataclass(frozen=True)
class Room:
    """Where the panels go. width: room for the cells of a tile; high: for its lines; cell: the largest one."""

    widths: tuple[int, ...]
    width: int
    high: int
    cell: tuple[int, int]

    @classmethod
    def of(cls, result: Result) -> Room:
        if len(result.sides) > 1:
            return cls((334, 334), 308, 384, (40, 26))
        if len(result.sides[0].columns) > 64:
            return cls((688,), 660, 300, (40, 26))
        return cls((428, 244), 400, 384, (44, 30))


def panels(result: Result) -> Picture:
    """The whole card, as plain data: who touches what, the costs, one thread's accesses, the verdicts."""
    params, room, sides = result.params, Room.of(result), result.sides
    tiles = [_tile(result, k, room) for k in range(len(sides))]
    reading = tuple(Lines("probe", say.arithmetic(result, side)) for side in sides)
    tables = _tables(result, sides[0])
    body: tuple[tuple[tuple[Panel, ...], ...], ...]
    widths: tuple[tuple[int, ...], ...]
    if len(sides) > 1:
        body, widths = (tuple((t, r) for t, r in zip(tiles, reading, strict=True)),), (room.widths,)
    elif len(room.widths) == 1:
        body, widths = (((tiles[0],),), ((tables[0],), (tables[1],)), ((reading[0],),)), ((688,), (334, 334), (688,))
    else:
        body, widths = (((tiles[0],), tables), ((reading[0],),)), (room.widths, (688,))
    return Picture(
        title=say.title(result),
        call=params.call("thread_map"),
        subtitle=say.subtitle(result, all(map(numbered, tiles))),
        body=body,
        widths=widths,
        legend=_legend(result, tiles),
        verdicts=say.verdicts(result),
        status=say.status(result),
        reads=f"{params.element}, {count(sides[0].threads, 'thread')}, tile {sides[0].tile.contiguous} x {sides[0].tile.strided}",
        copies=say.copies(result),
        tips=Tips(*say.tips(result)),
        probed=_probed(sides[0], params.thread, params.access),
    )


def _probed(side: Side, thread: int, access: int) -> int:
    """The cell of the probed access, -1 if it is not drawn."""
    if thread >= side.threads or access >= side.accesses:
        return -1
    i, j = side.cells(thread, access)
    return int(i[0] * len(side.columns) + j[0]) if len(i) else -1


def _tile(result: Result, k: int, room: Room) -> Grid:
    """Who comes first to each cell; missed, repeated and outside marked; the probed warp's access framed."""
    params, side = result.params, result.sides[k]
    rows, columns, owner, turn = side.rows, side.columns, side.owner, side.turn
    width = max(5, min(room.cell[0], (room.width - 12) // len(columns)))
    drawn = len(rows) - len(side.bands)
    high = room.high - (BAND + 7) * len(side.bands)
    height = max(5, min(room.cell[1], width * (1 if side.grain == 1 and drawn > 4 else 4), high // drawn))
    touched = owner >= 0
    within = (rows < side.tile.strided)[:, None] & (columns < side.tile.contiguous)
    waiting = touched & (turn > params.access) if not params.later else np.zeros_like(touched)
    states = (
        np.where(within & ~touched, HOLE, 0)
        + np.where(side.times > 1, COLLISION, 0)
        + np.where(touched & ~within, OUTSIDE, 0)
    )
    states = np.where(waiting, INACTIVE, states)
    first = np.ones_like(touched)
    first[:, 1:] = (owner[:, 1:] != owner[:, :-1]) | (turn[:, 1:] != turn[:, :-1])
    labels = np.where(touched & first & ~waiting, owner.astype("U5"), "")
    if width >= 24:
        labels = np.where(labels == "", "", np.char.add("T", labels))
    fill = (owner // side.lanes if params.colour == "warp" else turn) % 8
    base = sum(s.owner.size for s in result.sides[:k])
    two = len(result.sides) > 1
    bands = {row: (a, b) for row, a, b in side.bands}
    return Grid(
        name=f"tile {k}" if k else "tile",
        fill=np.where(touched & ~waiting, fill, -1),
        scale="category",
        labels=labels,
        states=states.astype(np.uint8),
        heading=say.name(side) if two else "",
        subheading=say.arguments(side) if two else "",
        row_heads=tuple("" if i in bands else str(line) for i, line in enumerate(rows.tolist()))
        if bands
        else tuple(map(str, rows.tolist())),
        col_heads=tuple(map(str, columns.tolist())),
        cell=(width, height),
        row_heights=tuple(BAND if i in bands else height for i in range(len(rows))) if bands else (),
        boxes=tuple(Box(i, i, f"lines {a} to {b}: nobody comes here") for i, (a, b) in bands.items()),
        row_gap=_edge(rows, side.tile.strided),
        col_gap=_edge(columns, side.tile.contiguous),
        rings=_rings(side, params.thread, params.access, min(width, height)),
        probe=np.where(touched, base + np.arange(owner.size).reshape(owner.shape), -1),
    )


def _edge(at: Array, extent: int) -> tuple[int, ...]:
    """Some room where the tile ends."""
    return () if at[-1] < extent else tuple(np.where(at == extent, 7, 0).tolist())


def _rings(side: Side, thread: int, access: int, cell: int) -> tuple[Ring, ...]:
    """The probed thread's access, its other accesses, and what its warp touches in the same access."""
    if thread >= side.threads:
        return ()
    others = [side.cells(thread, k) for k in range(side.accesses) if k != access]
    rings = []
    if others:
        rows, columns = (np.concatenate(part) for part in zip(*others, strict=True))
        rings += [Ring(*b, "twin") for b in _blocks(side, rows, columns)[:MAX_RINGS]]
    if access < side.accesses:
        first = thread // side.lanes * side.lanes
        warp = slice(first, min(first + side.lanes, side.threads))
        rings += [Ring(*b, "probe") for b in _blocks(side, *side.cells(thread, access))]
        framed = _blocks(side, *side.cells(warp, access))
        if len(framed) <= (MAX_RINGS if cell >= 13 else 8):
            rings += [Ring(*b, "access") for b in framed]
    return tuple(rings)


def _blocks(side: Side, rows: Array, columns: Array) -> list[tuple[int, int, int, int]]:
    """These cells of the drawn window as the fewest frames."""
    where = np.zeros(side.owner.shape, bool)
    where[rows, columns] = True
    return boxes(where)


def _tables(result: Result, side: Side) -> tuple[Grid, Grid]:
    """The costs: one row a warp, one column an access; a window of 8 x 8 around the probe, "…" where there are more."""
    return (
        _table(result, side, "load", "global load", "sectors", side.load),
        _table(result, side, "store", "shared store", "wavefronts", side.store),
    )


def _table(result: Result, side: Side, name: str, heading: str, unit: str, cost: Cost | None) -> Grid:
    params = result.params
    accesses = _near(params.access, side.accesses if cost is not None else 0)
    warps = _near(params.thread // side.lanes, side.warps)
    ring: tuple[Ring, ...] = ()
    if cost is None or not len(accesses):
        fill, labels = np.full((1, 1), -1), np.array([[""]])
        return Grid(name, fill, "frame", labels, heading=heading, subheading="none", cell=(26, 18))
    taken, ideal = (a[np.ix_(accesses, warps)].T for a in (cost.count, cost.ideal))
    (top, low), (left, right) = _more(warps, side.warps), _more(accesses, side.accesses)
    if params.access in accesses and params.thread // side.lanes in warps:
        i, j = int(params.thread // side.lanes - warps[0]), int(params.access - accesses[0])
        ring = (Ring(i + top, j + left, i + top, j + left, "access"),)
    around = ((top, low), (left, right))
    taken, ideal = (np.pad(a, around) for a in (taken, ideal))
    pairs = zip(taken.ravel().tolist(), ideal.ravel().tolist(), strict=True)
    fills = np.array([FILL[state_of(*pair, cost.ways)] for pair in pairs])
    return Grid(
        name=name,
        fill=np.where(taken == 0, -1, fills.reshape(taken.shape)),
        scale="frame",
        labels=np.where(taken == 0, "", taken.astype("U6")),
        heading=heading,
        subheading=f"{unit}; ideal {_ideal(ideal)}",
        row_heads=("…",) * top + tuple(f"W{w}" for w in warps) + ("…",) * low,
        row_heights=(10,) * top + (18,) * len(warps) + (10,) * low if top or low else (),
        col_heads=("…",) * left + tuple(map(str, accesses.tolist())) + ("…",) * right,
        corner="access",
        cell=(24, 18),
        rings=ring,
    )


def _ideal(ideal: Array) -> str:
    some = ideal[ideal > 0]
    least, most = int(some.min(initial=some.max(initial=0))), int(some.max(initial=0))
    return str(least) if least == most else f"{least} to {most}"


def _more(shown: Array, extent: int) -> tuple[int, int]:
    """1 where something is left out before, and after, what is shown."""
    return int(shown[0] > 0), int(shown[-1] < extent - 1)


def _near(at: int, extent: int) -> Array:
    begin = max(0, min(at - TABLE // 2, extent - TABLE))
    return np.arange(begin, min(begin + TABLE, extent))


def _legend(result: Result, tiles: list[Grid]) -> tuple[Key, ...]:
    """Only what occurs."""
    params = result.params
    found = [np.zeros_like(t.fill) if t.states is None else t.states for t in tiles]
    plain = [t.fill[(t.fill >= 0) & (s & OUTSIDE == 0)] for t, s in zip(tiles, found, strict=True)]
    fills = np.unique(np.concatenate(plain)).tolist()
    letter, most = ("W", "warps") if params.colour == "warp" else ("access ", "accesses")
    keys = [Key(f"{letter}{f}", "fill", "category", f) for f in fills]
    if fills and max(getattr(s, most) for s in result.sides) > 8:
        keys = [modulo(params.colour, "", CATEGORIES + 1)]
    states = [np.bitwise_or.reduce(s, axis=None) for s in found]
    every = int(np.bitwise_or.reduce(states))
    for flag, words, kind in (
        (HOLE, "missed", "hole"),
        (COLLISION, "touched more than once", "collision"),
        (OUTSIDE, "outside the tile", "outside"),
        (INACTIVE, "later", "inactive"),
    ):
        keys += [Key(words, kind)] if every & flag else []
    kinds = {r.kind for t in tiles for r in t.rings}
    for kind, words in (
        ("probe", f"T{params.thread}, access {params.access}"),
        ("twin", f"T{params.thread}, its other accesses"),
        ("access", "its warp"),
    ):
        keys += [Key(words, kind)] if kind in kinds else []
    return tuple(keys)
