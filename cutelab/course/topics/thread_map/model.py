"""Topic "thread_map": which thread of a CUTLASS 2.x thread map touches which element of a tile, and what that costs.

ThreadMapParams -> compute -> Result -> panels -> Picture. One path for all ten classes: text and knobs are in
thread_map_text.py, owners and costs in thread_map_cost.py, the picture in thread_map_panels.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from cutelab.core.errors import CuteLabError
from cutelab.course.card.knobs import Control, Params, check, dropdown, index, slider, text, toggle
from cutelab.course.card.picture import Picture
from cutelab.course.card.words import ELEMENTS, number
from cutelab.course.topics.thread_map import card as thread_map_panels
from cutelab.course.topics.thread_map.cost import Side, side
from cutelab.course.topics.thread_map.typed import (
    ARRANGEMENTS,
    KINDS,
    KNOBS,
    WARP_RAKED,
    knobs,
    read_map,
    read_other,
    shared_offsets,
    turn,
)
from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.strips import StripThreadMap
from cutelab.cutlass.thread_map import ThreadMap

MAX_TOUCHES = 2**16  # elements that all threads together touch
POWERS = {
    "columns": (8, 16, 32, 64, 128),
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


@dataclass(frozen=True)
class ThreadMapParams(Params):
    """What the thread map explorer shows. The knobs `kind`, `columns`, `lines`, `threads`, `vector`, `warp` and `warp_2`
    are derived from `thread_map`, a C++ type; a map without such a parameter has no such knob."""

    thread_map: str = text(WARP_RAKED, group="Map", label="type", placeholder=WARP_RAKED, tip="a C++ type")
    access: int = slider(0, 0, 0, group="Access", tip="which access of each thread, in CUTLASS's order")
    later: bool = check(True, group="Access", label="later accesses", tip="draw the accesses after this one, too")
    element: str = dropdown("half", tuple(ELEMENTS), group="Access", tip="element type: its size makes bytes")
    ld: int = index(1024, 1, 2**20, group="Access", unit="elements", tip="leading dimension of the global matrix")
    shared: str = text(
        "PitchLinear",
        group="Access",
        placeholder="TensorOpMultiplicand<16,64>",
        tip="shared memory: a 2.x layout, a swizzle Sw<3,3,3>, or a CuTe layout of (contiguous, strided)",
    )
    thread: int = index(0, group="Probe", tip="whose accesses are framed")
    colour: str = toggle("warp", ("warp", "access"), group="Access", tip="what the colour of a cell means")
    other: str = text(
        "", group="Compare", placeholder="a second map", tip="a C++ type, or StripThreadMap(16, 64, 8, 4)"
    )

    def __post_init__(self) -> None:
        for name in ("thread_map", "other"):
            value = getattr(self, name)
            if isinstance(value, ThreadMap | StripThreadMap):
                object.__setattr__(self, name, str(value))
        object.__setattr__(self, "thread_map", str(self.map))
        object.__setattr__(self, "other", str(self.second) if self.other.strip() else "")
        for found in self.maps:
            _check_size(found)
        self.check_choice("element")
        self.check_choice("colour")
        if not isinstance(self.later, bool):
            raise CuteLabError(f"later must be True or False, got {self.later!r}")
        self.check_range("access", 0, max(0, self.most_accesses - 1))
        self.check_range("thread", 0, max(m.threads for m in self.maps) - 1)
        self.check_range("ld", 1, 2**20)
        if self.ld < self.widest:
            raise CuteLabError(
                f"ld {self.ld} is shorter than the tile's {self.widest} columns; use {self.widest} or more"
            )
        shared_offsets(self.shared, self.map.tile)

    @property
    def map(self) -> ThreadMap:
        return read_map(self.thread_map)

    @property
    def second(self) -> ThreadMap | StripThreadMap | None:
        return read_other(self.other) if self.other.strip() else None

    @property
    def maps(self) -> tuple[ThreadMap | StripThreadMap, ...]:
        return (self.map,) if self.second is None else (self.map, self.second)

    @property
    def most_accesses(self) -> int:
        return max(_accesses(m) for m in self.maps)

    @property
    def widest(self) -> int:
        return max(tile_of(m, self.map.tile).contiguous for m in self.maps)

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; a new map keeps thread, access, leading dimension and shared layout inside its bounds."""
        turned = {k: changes.pop(k) for k in KNOBS if k in changes}
        given = changes.get("thread_map", self.thread_map)
        found = read_map(given if isinstance(given, str) else str(given))
        if turned:
            found = turn(found, turned)
        if turned or "thread_map" in changes or "other" in changes:
            other = changes.get("other", self.other)
            other = other if isinstance(other, str) else str(other)
            second = read_other(other) if other.strip() else None
            maps = [found] if second is None else [found, second]
            for m in maps:
                _check_size(m)
            changes.update(thread_map=str(found), other=other)
            changes.setdefault("access", min(self.access, max(0, max(map(_accesses, maps)) - 1)))
            changes.setdefault("thread", min(self.thread, max(m.threads for m in maps) - 1))
            changes.setdefault("ld", max(self.ld, max(tile_of(m, found.tile).contiguous for m in maps)))
            if not fits(self.shared, found.tile):
                changes.setdefault("shared", "PitchLinear")
        return super().change(**changes)

    def controls(self) -> tuple[Control, ...]:
        found = {c.name: c for c in super().controls()}
        threads = max(m.threads for m in self.maps)
        return (
            found["thread_map"],
            *_derived(self.map),
            replace(found["access"], hi=max(0, self.most_accesses - 1)),
            found["later"],
            found["element"],
            replace(found["ld"], lo=self.widest),
            found["shared"],
            found["colour"],
            replace(found["thread"], hi=threads - 1),
            found["other"],
        )

    def probe(self, cell: int) -> dict[str, Any]:
        for part in compute(self).sides:
            if 0 <= cell < part.owner.size:
                owner = int(part.owner.ravel()[cell])
                return {"thread": owner, "access": int(part.turn.ravel()[cell])} if owner >= 0 else {}
            cell -= part.owner.size
        raise CuteLabError("this probe cell is outside the cells that are drawn")


def _derived(thread_map: ThreadMap) -> tuple[Control, ...]:
    """The knobs that follow from the template parameters; a value that is no usual choice joins the choices."""
    found = []
    for name, value in knobs(thread_map).items():
        words = (name, {"kind": "class", "warp_2": "warp 2"}.get(name, name), UNITS.get(name, ""), TIPS[name])
        if name == "lines":
            found.append(_control(words, "slider", value, lo=1, hi=max(64, value)))
        elif name in POWERS:
            found.append(_control(words, "powers", value, choices=tuple(sorted({*POWERS[name], value}))))
        else:
            usual = tuple(KINDS) if name == "kind" else ARRANGEMENTS
            choices = usual if value in usual else (*usual, value)
            found.append(_control(words, "dropdown", value, choices=choices))
    return tuple(found)


def _control(words: tuple[str, str, str, str], kind: Any, value: Any, **limits: Any) -> Control:
    name, label, unit, tip = words
    return Control(name, kind, value, "Map", label, unit, tip=tip, **limits)


def _accesses(found: ThreadMap | StripThreadMap) -> int:
    return 1 if isinstance(found, StripThreadMap) else found.accesses_per_thread


def tile_of(found: ThreadMap | StripThreadMap, beside: PitchLinearShape) -> PitchLinearShape:
    """The tile of a map. The strip formula has none, so it is held against the tile of the map beside it."""
    return beside if isinstance(found, StripThreadMap) else found.tile


def fits(shared: str, tile: PitchLinearShape) -> bool:
    """Is this shared layout one of this tile, each element in its own place?"""
    try:
        shared_offsets(shared, tile)
    except CuteLabError:
        return False
    return True


def _check_size(found: ThreadMap | StripThreadMap) -> None:
    if isinstance(found, StripThreadMap):
        return
    for what, size in (("touches", found.threads * found.fragment_size), ("has", found.tile.count)):
        if size > MAX_TOUCHES:
            raise CuteLabError(
                f"{found} {what} {number(size)} elements; tiles are drawn up to {number(MAX_TOUCHES)}. "
                "A thread block's tile is seldom larger than 256 x 64"
            )


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found: one `Side` for each map, first the map itself, then `other`."""

    params: ThreadMapParams
    sides: tuple[Side, ...]


def compute(params: ThreadMapParams) -> Result:
    """Who touches what, in which order, and what does each access of each warp cost?"""
    sides = []
    for found in params.maps:
        tile = tile_of(found, params.map.tile)
        shared = shared_offsets(params.shared, tile) if fits(params.shared, tile) else None
        sides.append(side(found, tile, (params.thread, params.access), ELEMENTS[params.element], params.ld, shared))
    return Result(params, tuple(sides))


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: who touches what, the costs, one thread's accesses, the verdicts."""
    return thread_map_panels.picture(result)
