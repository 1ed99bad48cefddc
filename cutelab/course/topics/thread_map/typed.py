"""The texts that name a thread map or a layout of shared memory, and the knobs that follow from a map's template parameters."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import product
from cutelab.core.layout import Layout, as_layout, offsets, rank
from cutelab.core.notation import Reader
from cutelab.core.swizzle import Swizzle, parse_swizzle
from cutelab.cutlass.matrix_layouts import MATRIX_LAYOUTS, matrix_layout
from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.strips import StripThreadMap
from cutelab.cutlass.thread_map import THREAD_MAPS, ThreadMap, parse_thread_map

WARP_RAKED = "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,32>, 128, PitchLinearShape<8,4>, 8>"
INTERLEAVED = "PitchLinearWarpRakedThreadMap<PitchLinearShape<2048,2>, 128, PitchLinearShape<32,1>, 16>"
THREAD_TILES = "PitchLinear2DThreadTileStripminedThreadMap<PitchLinearShape<64,32>, 64, PitchLinearShape<4,4>>"
EXAMPLES = {
    "PitchLinearStripminedThreadMap": "PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>",
    "PitchLinearTilePolicyStripminedThreadContiguous": "PitchLinearTilePolicyStripminedThreadContiguous<PitchLinearShape<64,4>, 16, 1>",
    "PitchLinearTilePolicyStripminedThreadStrided": "PitchLinearTilePolicyStripminedThreadStrided<PitchLinearShape<8,32>, 16, 1>",
    "PitchLinearWarpRakedThreadMap": WARP_RAKED,
    "PitchLinearStridedWarpRakedThreadMap": "PitchLinearStridedWarpRakedThreadMap<PitchLinearShape<128,32>, 128, PitchLinearShape<8,4>, 8>",
    "TransposePitchLinearThreadMap": f"TransposePitchLinearThreadMap<{INTERLEAVED}, PitchLinearShape<2,16>>",
    "TransposePitchLinearThreadMapSimt": "TransposePitchLinearThreadMapSimt<PitchLinearStripminedThreadMap<PitchLinearShape<8,32>, 64, 1>>",
    "PitchLinearWarpStripedThreadMap": "PitchLinearWarpStripedThreadMap<PitchLinearShape<64,32>, 128, PitchLinearShape<8,4>, 8>",
    "PitchLinear2DThreadTileStripminedThreadMap": THREAD_TILES,
    "TransposePitchLinearThreadMap2DThreadTile": f"TransposePitchLinearThreadMap2DThreadTile<{THREAD_TILES}>",
}
"""One map of each class that covers its tile: where the class knob goes if the present numbers do not suit the class."""


def short_class(name: str) -> str:
    """What is left of a class's name without the words that all have: for the knob, where the long names look alike.

    >>> [short_class(name) for name in list(EXAMPLES)[:4]]
    ['Stripmined', 'TilePolicyContiguous', 'TilePolicyStrided', 'WarpRaked']
    """
    return name.replace("PitchLinear", "").replace("TilePolicyStripminedThread", "TilePolicy").replace("ThreadMap", "")


KINDS = {short_class(name): name for name in EXAMPLES}
SHARED = ("PitchLinear", "TensorOpMultiplicand<16,64>", "TensorOpMultiplicand<16,32>", "Sw<3,3,3>", "Sw<2,3,3>")
FORMULA = "StripThreadMap"
STRIPS = tuple(f.name for f in dataclasses.fields(StripThreadMap))
ARRANGEMENTS = ("32 x 1", "16 x 2", "8 x 4", "4 x 8", "2 x 16", "1 x 32")
KNOBS = ("kind", "columns", "lines", "threads", "vector", "warp", "warp_2")


@dataclass(frozen=True)
class Turned:
    """A map with some of its knobs turned, not yet built: what turns together is looked at together."""

    start: ThreadMap
    knobs: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, found: Any, name: str, value: Any) -> Turned:
        """This map (or one that is being turned) with one more knob turned."""
        if isinstance(found, Turned):
            return cls(found.start, (*found.knobs, (name, value)))
        return cls(found, ((name, value),))

    def built(self) -> ThreadMap:
        """The map. Raises CuteLabError where CUTLASS rejects it, or where it has no such knob."""
        return turn(self.start, dict(self.knobs))


def read_map(value: Any) -> Any:
    """Which thread map is this C++ type?"""
    if isinstance(value, ThreadMap | Turned):
        return value
    if isinstance(value, StripThreadMap) or (isinstance(value, str) and value.strip().startswith(FORMULA)):
        raise CuteLabError(f"{FORMULA} is a formula without a tile: give it as `other`, beside a real map")
    return parse_thread_map(value)


def read_other(text: Any) -> ThreadMap | StripThreadMap | None:
    """A C++ type, or the strip formula `StripThreadMap(row_pitch, threads, pitch, strips)`, with or without these names.

    >>> read_other("StripThreadMap(16, 64, pitch=8, strips=4)")
    StripThreadMap(row_pitch=16, threads=64, pitch=8, strips=4)
    """
    if text is None or isinstance(text, ThreadMap | StripThreadMap):
        return text
    if not isinstance(text, str) or not text.strip().startswith(FORMULA):
        return parse_thread_map(text) if not isinstance(text, str) or text.strip() else None
    reader = Reader(text, "strip formula", "StripThreadMap(16, 64, 8, 4)")
    reader.name()
    close = ">" if reader.peek() == "<" else ")"
    reader.want("<" if close == ">" else "(", f"after {FORMULA}")
    numbers = []
    for i, name in enumerate(STRIPS):
        if i:
            reader.want(",", f"and {name}; the parameters are {', '.join(STRIPS)}")
        if reader.take(name):
            reader.want("=", f"after {name}")
        numbers.append(reader.number(name))
    reader.want(close, f"after {', '.join(STRIPS)}")
    reader.end()
    return StripThreadMap(*numbers)


def levels(thread_map: ThreadMap) -> list[Any]:
    """The map, the map that it is made from, and so on inwards."""
    found: list[Any] = [thread_map]
    while hasattr(found[-1], "thread_map"):
        found.append(found[-1].thread_map)
    return found


def _fields(thread_map: Any) -> set[str]:
    return {f.name for f in dataclasses.fields(thread_map)}


def _around(old: list[Any], inner: Any, **changes: Any) -> ThreadMap:
    """The outer maps built again around another innermost map; `changes` go to those that have such a field."""
    found: ThreadMap = inner
    for outer in reversed(old[:-1]):
        mine = {k: v for k, v in changes.items() if k in _fields(outer)}
        found = dataclasses.replace(outer, thread_map=found, **mine)
    return found


def knobs(thread_map: ThreadMap) -> dict[str, Any]:
    """Which knobs has this map, and where do they stand? They follow from its template parameters.

    >>> knobs(read_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>"))
    {'kind': 'Stripmined', 'columns': 16, 'lines': 8, 'threads': 32, 'vector': 1}
    """
    found_levels = levels(thread_map)
    outer, inner = found_levels[0], found_levels[-1]
    shape = inner.shape
    found: dict[str, Any] = {
        "kind": short_class(type(outer).__name__),
        "columns": shape.contiguous,
        "lines": shape.strided,
        "threads": inner.threads,
    }
    if "elements_per_access" in _fields(inner):
        found["vector"] = inner.elements_per_access
    if "warp_thread_arrangement" in _fields(inner):
        found["warp"] = arrangement(inner.warp_thread_arrangement)
    if outer is not inner and "warp_thread_arrangement" in _fields(outer):
        found["warp_2"] = arrangement(outer.warp_thread_arrangement)
    return found


def arrangement(shape: PitchLinearShape) -> str:
    """How are the lanes of a warp arranged, in words: contiguous x strided?"""
    return f"{shape.contiguous} x {shape.strided}"


def _lanes(text: Any) -> tuple[int, int]:
    parts = str(text).replace("x", " ").split()
    if len(parts) != 2 or not all(p.isdecimal() for p in parts):
        raise CuteLabError(
            f"a warp arrangement is lanes along contiguous x along strided, such as 8 x 4; got {shown(text)}"
        )
    return int(parts[0]), int(parts[1])


def turn(thread_map: ThreadMap, changes: dict[str, Any]) -> ThreadMap:
    """The map with some knobs turned. Raises CuteLabError where CUTLASS rejects it, or where it has no such knob."""
    changes = dict(changes)
    if "kind" in changes:
        thread_map = of_class(changes.pop("kind"), thread_map)
    have = knobs(thread_map)
    for name in changes:
        if name not in have:
            raise CuteLabError(f"{have['kind']} has no {name}; it has {', '.join(list(have)[1:])}")
    old = levels(thread_map)
    inner = old[-1]
    mine: dict[str, Any] = {}
    outer: dict[str, Any] = {}
    if "columns" in changes or "lines" in changes:
        mine["shape"] = (changes.get("columns", have["columns"]), changes.get("lines", have["lines"]))
    for knob, field in (("threads", "threads"), ("vector", "elements_per_access")):
        if knob in changes:
            mine[field] = changes[knob]
    if "warp" in changes:
        mine["warp_thread_arrangement"] = _lanes(changes["warp"])
    if "warp_2" in changes:
        outer["warp_thread_arrangement"] = _lanes(changes["warp_2"])
    return _around(old, dataclasses.replace(inner, **mine), **outer)


def of_class(name: str, like: ThreadMap) -> ThreadMap:
    """A map of this class (short or full name) with the numbers of another where they suit it, else the class's example."""
    name = KINDS.get(name, name)
    if name not in THREAD_MAPS:
        raise CuteLabError(f"there is no thread map {shown(name)}; there are {', '.join(KINDS)}")
    example, given = levels(read_map(EXAMPLES[name])), levels(like)[-1]
    same = {k: getattr(given, k) for k in _fields(given) & _fields(example[-1])}
    try:
        found = _around(example, dataclasses.replace(example[-1], **same))
    except CuteLabError:
        found = like
    whole: ThreadMap = example[0]
    return found if found is not like and found.fragment_size else whole


Shared = str | Swizzle | Layout | ComposedLayout
"""A layout of shared memory: a 2.x layout by its name, a swizzle of the packed tile, or a CuTe layout of (contiguous, strided)."""


def read_shared(value: Any) -> Shared:
    """Which layout of shared memory is this? Whether it suits a tile, `shared_offsets` says."""
    if isinstance(value, Swizzle | Layout | ComposedLayout):
        return value
    if not isinstance(value, str) or not value.strip():
        raise CuteLabError(
            f"shared must be a layout, such as {', '.join(SHARED)} or (64,32):(1,64); got {shown(value)}"
        )
    bare = value.replace(" ", "")
    if bare.rpartition("::")[2].partition("<")[0].partition("(")[0] in MATRIX_LAYOUTS:
        return value
    if bare.startswith(("Sw<", "S<", "Swizzle<")) and "(" not in bare:
        return parse_swizzle(value)
    return as_layout(value)


@lru_cache(64)
def shared_offsets(shared: Shared, tile: PitchLinearShape) -> np.ndarray[Any, Any]:
    """Where does each element of the tile lie in shared memory? int64 [contiguous, strided], read-only, in elements.

    Raises CuteLabError for a layout of another tile, and for two elements in one place.

    >>> shared_offsets(Swizzle(1, 0, 2), PitchLinearShape(4, 2)).T.tolist()
    [[0, 1, 2, 3], [5, 4, 7, 6]]
    """
    c, s = tile
    if isinstance(shared, str):
        first = matrix_layout(shared, (1, 1)).contiguous_first
        table = matrix_layout(shared, (c, s) if first else (s, c)).offsets
        table = table if first else table.T
    elif isinstance(shared, Swizzle):
        table = shared(np.arange(c)[:, None] + c * np.arange(s))
    else:
        shape = shared.shape
        if rank(shared) != 2 or not isinstance(shape, tuple) or (product(shape[0]), product(shape[1])) != (c, s):
            raise CuteLabError(f"shared {shared} is no layout of this tile: write one of ({c},{s}), contiguous first")
        table = offsets(shared)
    if np.unique(table).size < table.size or int(table.min()) < 0:
        raise CuteLabError(
            f"shared {shared} puts two elements of the {c} x {s} tile into one place; a store would lose data. "
            "PitchLinear fits every tile"
        )
    table = np.ascontiguousarray(table)
    table.flags.writeable = False
    return table


def fits(shared: Shared, tile: PitchLinearShape) -> bool:
    """Is this shared layout one of this tile, each element in its own place?"""
    try:
        shared_offsets(shared, tile)
    except CuteLabError:
        return False
    return True
