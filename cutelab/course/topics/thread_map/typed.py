"""Topic "thread_map": the texts that name a map or a shared-memory layout, and the knobs that follow from them."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.core.composed import parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import product
from cutelab.core.layout import offsets, rank
from cutelab.core.notation import Reader
from cutelab.core.swizzle import parse_swizzle
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


@lru_cache(256)
def read_map(text: str) -> ThreadMap:
    """Which thread map is this C++ type? As `parse_thread_map`, remembered."""
    if isinstance(text, str) and text.strip().startswith(FORMULA):
        raise CuteLabError(f"{FORMULA} is a formula without a tile: give it as `other`, beside a real map")
    return parse_thread_map(text)


@lru_cache(256)
def read_other(text: str) -> ThreadMap | StripThreadMap:
    """A C++ type, or the strip formula `StripThreadMap(row_pitch, threads, pitch, strips)`, with or without these names.

    >>> read_other("StripThreadMap(16, 64, pitch=8, strips=4)")
    StripThreadMap(row_pitch=16, threads=64, pitch=8, strips=4)
    """
    if not isinstance(text, str) or not text.strip().startswith(FORMULA):
        return parse_thread_map(text)
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


def levels(thread_map: ThreadMap) -> list[ThreadMap]:
    """The map, the map that it is made from, and so on inwards."""
    found = [thread_map]
    while hasattr(found[-1], "thread_map"):
        found.append(found[-1].thread_map)
    return found


def _fields(thread_map: ThreadMap) -> set[str]:
    return {f.name for f in dataclasses.fields(thread_map)}  # type: ignore[arg-type]


def _around(old: list[ThreadMap], inner: ThreadMap, **changes: Any) -> ThreadMap:
    """The outer maps built again around another innermost map; `changes` go to those that have such a field."""
    found = inner
    for outer in reversed(old[:-1]):
        mine = {k: v for k, v in changes.items() if k in _fields(outer)}
        found = dataclasses.replace(outer, thread_map=found, **mine)  # type: ignore[type-var]
    return found


def knobs(thread_map: ThreadMap) -> dict[str, Any]:
    """Which knobs has this map, and where do they stand? They follow from its template parameters.

    >>> knobs(read_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>"))
    {'kind': 'Stripmined', 'columns': 16, 'lines': 8, 'threads': 32, 'vector': 1}
    """
    outer, *_, inner = [thread_map, *levels(thread_map)]
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
        found["warp"] = arrangement(inner.warp_thread_arrangement)  # type: ignore[attr-defined]
    if outer is not inner and "warp_thread_arrangement" in _fields(outer):
        found["warp_2"] = arrangement(outer.warp_thread_arrangement)  # type: ignore[attr-defined]
    return found


def arrangement(shape: PitchLinearShape) -> str:
    """How are the lanes of a warp arranged, in words: contiguous x strided?"""
    return f"{shape.contiguous} x {shape.strided}"


def _lanes(text: Any) -> tuple[int, int]:
    parts = str(text).replace("x", " ").split()
    if len(parts) != 2 or not all(p.isdecimal() for p in parts):
        raise CuteLabError(f"a warp arrangement is lanes along contiguous x along strided, such as 8 x 4; got {text!r}")
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
    inner, mine, outer = old[-1], {}, {}
    if "columns" in changes or "lines" in changes:
        mine["shape"] = (changes.get("columns", have["columns"]), changes.get("lines", have["lines"]))
    for knob, field in (("threads", "threads"), ("vector", "elements_per_access")):
        if knob in changes:
            mine[field] = changes[knob]
    if "warp" in changes:
        mine["warp_thread_arrangement"] = _lanes(changes["warp"])
    if "warp_2" in changes:
        outer["warp_thread_arrangement"] = _lanes(changes["warp_2"])
    return _around(old, dataclasses.replace(inner, **mine), **outer)  # type: ignore[type-var]


def of_class(name: str, like: ThreadMap) -> ThreadMap:
    """A map of this class (short or full name) with the numbers of another where they suit it, else the class's example."""
    name = KINDS.get(name, name)
    if name not in THREAD_MAPS:
        raise CuteLabError(f"there is no thread map {name!r}; there are {', '.join(KINDS)}")
    example, given = levels(read_map(EXAMPLES[name])), levels(like)[-1]
    same = {k: getattr(given, k) for k in _fields(given) & _fields(example[-1])}
    try:
        found = _around(example, dataclasses.replace(example[-1], **same))  # type: ignore[type-var]
    except CuteLabError:
        return example[0]
    return found if found.fragment_size else example[0]


@lru_cache(64)
def shared_offsets(text: str, tile: PitchLinearShape) -> np.ndarray:
    """Where does each element of the tile lie in shared memory? int64 [contiguous, strided], read-only, in elements.

    text: a 2.x layout ("TensorOpMultiplicand<16,64>"), a swizzle of the packed tile ("Sw<3,3,3>"), or a CuTe layout of
    (contiguous, strided). Raises CuteLabError for a layout of another tile, and for two elements in one place.

    >>> shared_offsets("Sw<1,0,2>", PitchLinearShape(4, 2)).T.tolist()
    [[0, 1, 2, 3], [5, 4, 7, 6]]
    """
    if not isinstance(text, str) or not text.strip():
        raise CuteLabError(f"shared must be a layout, such as {', '.join(SHARED)} or (64,32):(1,64); got {text!r}")
    c, s = tile
    bare = text.replace(" ", "")
    template = bare.rpartition("::")[2].partition("<")[0].partition("(")[0]
    if template in MATRIX_LAYOUTS:
        first = matrix_layout(text, (1, 1)).contiguous_first
        table = matrix_layout(text, (c, s) if first else (s, c)).offsets
        table = table if first else table.T
    elif bare.startswith(("Sw<", "S<", "Swizzle<")) and "(" not in bare:
        table = parse_swizzle(text)(np.arange(c)[:, None] + c * np.arange(s))
    else:
        layout = parse_layout(text)
        extents = tuple(product(layout.shape[i]) for i in range(rank(layout))) if rank(layout) == 2 else ()  # type: ignore[index]
        if extents != (c, s):
            raise CuteLabError(f"shared {text} is no layout of this tile: write one of ({c},{s}), contiguous first")
        table = offsets(layout)
    if np.unique(table).size < table.size or int(table.min()) < 0:
        raise CuteLabError(
            f"shared {text} puts two elements of the {c} x {s} tile into one place; a store would lose data. "
            "PitchLinear fits every tile"
        )
    table = np.ascontiguousarray(table)
    table.flags.writeable = False
    return table
