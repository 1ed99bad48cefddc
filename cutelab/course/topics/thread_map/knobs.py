"""What the thread map explorer can be asked: a map and its template parameters, the access, the probe, a second map."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.card.knobs import Control, Family, Kind, Params, check, dropdown, index, slider, text, toggle
from cutelab.course.card.words import ELEMENTS, number
from cutelab.course.topics.thread_map.typed import (
    ARRANGEMENTS,
    KINDS,
    KNOBS,
    WARP_RAKED,
    Shared,
    Turned,
    fits,
    knobs,
    read_map,
    read_other,
    read_shared,
    shared_offsets,
    turn,
)
from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.strips import StripThreadMap
from cutelab.cutlass.thread_map import ThreadMap, parse_thread_map

MAX_TOUCHES = 2**16  # elements that all threads together touch
MOST_LD = 2**20
STEPS = {
    "columns": (8, 16, 32, 64, 128),
    "lines": tuple(range(1, 65)),
    "threads": (16, 32, 64, 128, 256, 512, 1024),
    "vector": (1, 2, 4, 8, 16),
}
TIPS = {
    "kind": "the class template",
    "columns": "contiguous extent of the tile",
    "lines": "strided extent of the tile",
    "threads": "threads of the block",
    "vector": "ElementsPerAccess",
    "warp": "lanes of a warp: contiguous x strided",
    "warp_2": "the same on the shared-memory side",
}
UNITS = {"columns": "elements", "lines": "elements", "vector": "elements", "warp": "lanes", "warp_2": "lanes"}
LABELS = {"kind": "class", "warp_2": "warp 2"}


def controls(params: ThreadMapParams) -> Iterator[Control]:
    """The knobs that follow from the template parameters, with the values that CUTLASS admits beside the other parameters."""
    for name, value in knobs(params.thread_map).items():
        kind: Kind = "powers" if name in STEPS else "dropdown"
        choices = tuple(KINDS) if name == "kind" else admitted(params.thread_map, name)
        label, unit = LABELS.get(name, name), UNITS.get(name, "")
        yield Control(name, kind, value, "Map", label, unit, tip=TIPS[name], choices=choices)


@dataclass(frozen=True)
class _Beside:
    """A knob and where the others stand: what the values that are admitted depend on. thread_map: a map with these."""

    name: str
    others: tuple[tuple[str, Any], ...]
    thread_map: ThreadMap = field(compare=False)


def admitted(thread_map: ThreadMap, name: str) -> tuple[Any, ...]:
    """Which values of this knob give a map that CUTLASS admits and that is drawn? The present one among them.

    >>> admitted(parse_thread_map(WARP_RAKED), "lines")[:3], admitted(parse_thread_map(WARP_RAKED), "threads")
    ((12, 16, 20), (32, 64, 128, 256))
    """
    stand = knobs(thread_map)
    now = stand.pop(name)
    found = _usual(_Beside(name, tuple(stand.items()), thread_map))
    return found if now in found else tuple(sorted((*found, now))) if name in STEPS else (*found, now)


@lru_cache(maxsize=512)
def _usual(beside: _Beside) -> tuple[Any, ...]:
    found = []
    for value in STEPS.get(beside.name, ARRANGEMENTS):
        with contextlib.suppress(CuteLabError):
            check_size(turn(beside.thread_map, {beside.name: value}))
            found.append(value)
    return tuple(found)


@dataclass(frozen=True)
class ThreadMapParams(Params):
    """What the thread map explorer shows. The knobs `kind`, `columns`, `lines`, `threads`, `vector`, `warp` and `warp_2`
    are derived from `thread_map`; a map without such a template parameter has no such knob."""

    thread_map: ThreadMap = text(
        parse_thread_map(WARP_RAKED),
        read=read_map,
        group="Map",
        label="type",
        placeholder=WARP_RAKED,
        tip="a C++ type",
        wide=True,
    )
    template = Family(
        controls, lambda p, name, value: {"thread_map": Turned.of(p.thread_map, name, value)}, KNOBS.__contains__
    )
    access: int = slider(
        0,
        0,
        lambda p: max(0, max(map(accesses, p.maps)) - 1),
        keep=True,
        group="Access",
        tip="which access of each thread, in CUTLASS's order",
    )
    later: bool = check(True, group="Access", label="later accesses", tip="draw the accesses after this one, too")
    element: str = dropdown("half", tuple(ELEMENTS), group="Access", tip="element type: its size makes bytes")
    ld: int = index(
        1024,
        lambda p: p.widest,
        MOST_LD,
        check=False,
        group="Access",
        unit="elements",
        tip="leading dimension of the global matrix",
    )
    shared: Shared = text(
        "PitchLinear",
        read=read_shared,
        group="Access",
        placeholder="TensorOpMultiplicand<16,64>",
        tip="shared memory: a 2.x layout, a swizzle Sw<3,3,3>, or a CuTe layout of (contiguous, strided)",
    )
    colour: str = toggle("warp", ("warp", "access"), group="Access", tip="what the colour of a cell means")
    thread: int = index(
        0, hi=lambda p: max(m.threads for m in p.maps) - 1, group="Probe", tip="whose accesses are framed"
    )
    other: ThreadMap | StripThreadMap | None = text(
        None,
        read=read_other,
        say=lambda found: "" if found is None else str(found),
        group="Compare",
        placeholder="a second map",
        tip="a C++ type, or StripThreadMap(16, 64, 8, 4)",
        wide=True,
    )

    def settle(self) -> None:
        """The maps are small enough to be drawn."""
        for found in self.maps:
            check_size(found)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_number("ld", 1, MOST_LD)
        if self.ld < self.widest:
            raise CuteLabError(
                f"ld {self.ld} is shorter than the tile's {self.widest} columns; use {self.widest} or more"
            )
        shared_offsets(self.shared, self.thread_map.tile)

    @property
    def map(self) -> ThreadMap:
        """`thread_map`, as the lessons call it."""
        return self.thread_map

    @property
    def maps(self) -> tuple[ThreadMap | StripThreadMap, ...]:
        """The map, and the second one if there is one."""
        return (self.thread_map,) if self.other is None else (self.thread_map, self.other)

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return ELEMENTS[self.element]

    @property
    def widest(self) -> int:
        """Columns of the wider tile."""
        return max(tile_of(m, self.thread_map.tile).contiguous for m in self.maps)

    def follow(self, now: ThreadMapParams, asked: Collection[str]) -> dict[str, Any]:
        """The map with its knobs turned; a shared layout of another tile becomes PitchLinear."""
        found: Any = now.thread_map
        more: dict[str, Any] = {}
        if isinstance(found, Turned):
            more["thread_map"] = found = found.built()
        check_size(found)
        if now.other is not None:
            check_size(now.other)
        if "shared" not in asked and not fits(now.shared, found.tile):
            more["shared"] = "PitchLinear"
        return more


def accesses(found: ThreadMap | StripThreadMap) -> int:
    """How many accesses has each thread?"""
    return 1 if isinstance(found, StripThreadMap) else found.accesses_per_thread


def tile_of(found: ThreadMap | StripThreadMap, beside: PitchLinearShape) -> PitchLinearShape:
    """The tile of a map. The strip formula has none, so it is held against the tile of the map beside it."""
    return beside if isinstance(found, StripThreadMap) else found.tile


def check_size(found: ThreadMap | StripThreadMap) -> None:
    """Raise where a map touches more elements, or has a larger tile, than is drawn."""
    if isinstance(found, StripThreadMap):
        return
    for what, size in (("touches", found.threads * found.fragment_size), ("has", found.tile.count)):
        if size > MAX_TOUCHES:
            raise CuteLabError(
                f"{found} {what} {number(size)} elements; tiles are drawn up to {number(MAX_TOUCHES)}. "
                "A thread block's tile is seldom larger than 256 x 64"
            )
