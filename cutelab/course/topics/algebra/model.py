"""Topic "algebra": one operation on layouts, with one coordinate followed through all its maps.

AlgebraParams -> compute -> Result -> panels -> Picture. The maps are worked out in algebra_chain.py, the panels are built in
algebra_panels.py. A pair that the operation refuses is a result, too: its points show where the law fails.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np

from cutelab.algebra import laws
from cutelab.core import int_tuple, notation
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import IntTuple
from cutelab.core.layout import Layout
from cutelab.course.card.knobs import Control, Params, dropdown, index, text
from cutelab.course.card.parts.sheet import MOST, Sheet, sheet
from cutelab.course.card.picture import Picture
from cutelab.course.topics.algebra import card as algebra_panels
from cutelab.course.topics.algebra.chain import LAWS, Chain, Link, chain

OPERATIONS = tuple(LAWS)
WITH_B = ("composition", "max_common_vector")
EXAMPLES = {
    "from CuTe's pages": ("composition", "(6,2):(8,2)", "(4,3):(3,1)", ""),
    "a vector as a matrix": ("composition", "20:2", "(5,4):(4,1)", ""),
    "threads and values": ("composition", "(8,8):(8,1)", "((4,8),2):((16,1),8)", ""),
    "padding skipped": ("composition", "(8,8):(1,9)", "((4,8),2):((16,1),8)", ""),
    "past the end of A": ("composition", "(4,4):(4,1)", "8:4", ""),
    "refused: stride": ("composition", "(8,8):(1,9)", "4:12", ""),
    "refused: shape": ("composition", "(8,8):(1,9)", "5:3", ""),
    "C++ is silent": ("composition", "(4,6,8):(2,3,5)", "6:3", ""),
    "C++ is silent, too": ("composition", "(4,4):(1,8)", "(2,3):(3,1)", ""),
    "fewest modes": ("coalesce", "(2,(1,6)):(1,(6,2))", "", ""),
    "what is left out": ("complement", "(2,2):(1,6)", "", "24"),
    "which index is here": ("right_inverse", "(2,4,6):(4,1,8)", "", ""),
    "the way back": ("left_inverse", "(2,2):(1,3)", "", ""),
    "no way back": ("left_inverse", "((4,2),(2,4)):((2,16),(1,8))", "", ""),
    "widest vector": ("max_common_vector", "(8,8):(1,9)", "(8,8):(1,8)", ""),
}
MAX_LEAVES = 4  # leaf modes of A and of B that get sliders
MAX_FOLLOWED = 4096  # elements that are all followed through the maps; of more, those that are drawn


@dataclass(frozen=True)
class AlgebraParams(Params):
    """What the algebra explorer shows. `example` and `a_shape_0`, `b_stride_1`, ... are knobs derived from the rest."""

    operation: str = dropdown("composition", OPERATIONS, group="Operation", tip="an operation of CuTe's layout algebra")
    a: str = text("(6,2):(8,2)", group="A", label="A", placeholder="(6,2):(8,2)", tip="any CuTe spelling of a layout")
    b: str = text("(4,3):(3,1)", group="B", label="B", placeholder="(4,3):(3,1)", tip="any CuTe spelling of a layout")
    cotarget: str = text(
        "", group="B", placeholder="cosize, or 24, or (4,6)", tip="how many offsets A and its complement fill together"
    )
    index: int = index(5, group="Probe", unit="coordinate as one number")

    def __post_init__(self) -> None:
        self.check_choice("operation")
        for name in ("a", "b"):
            if isinstance(getattr(self, name), Layout | ComposedLayout):
                object.__setattr__(self, name, str(getattr(self, name)))
        if not isinstance(self.cotarget, str):
            object.__setattr__(self, "cotarget", int_tuple.to_text(int_tuple.as_int_tuple(self.cotarget, "cotarget")))
        self.check_range("index", 0, self.chain.count - 1)

    @property
    def chain(self) -> Chain:
        """The operation, worked out; the same for every place of the probe."""
        return chain(self.operation, _read("A", self.a), _read("B", self.b), _cotarget(self.cotarget))

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; the probe stays inside the domain."""
        example = changes.pop("example", None)
        if example is not None:
            if example not in EXAMPLES:
                raise CuteLabError(f"there is no example {example!r}; there are {', '.join(EXAMPLES)}")
            operation, a, b, cotarget = EXAMPLES[example]
            changes = {"operation": operation, "a": a, "b": b or self.b, "cotarget": cotarget, **changes}
        for knob in [k for k in changes if k[:2] in ("a_", "b_")]:
            name = knob[0]
            layout = _read(name.upper(), str(changes.get(name, getattr(self, name))))
            changes[name] = str(_turn(layout, name.upper(), knob[2:], changes.pop(knob)))
        if "index" not in changes and changes:
            count = super().change(**changes, index=0).chain.count
            changes["index"] = min(self.index, count - 1)
        return super().change(**changes)

    def controls(self) -> tuple[Control, ...]:
        found = {c.name: c for c in super().controls()}
        spelled = (self.operation, self.a, self.b if self.operation in WITH_B else "", self.cotarget)
        example = next((k for k, v in EXAMPLES.items() if v == spelled), "own")
        choices = (*EXAMPLES, "own") if example == "own" else tuple(EXAMPLES)
        knobs = [
            Control("example", "dropdown", example, "Operation", "example", choices=choices, tip="pairs to start from"),
            found["operation"],
            found["a"],
            *_sliders("a", self.a),
        ]
        if self.operation in WITH_B:
            knobs += [found["b"], *_sliders("b", self.b)]
        if self.operation == "complement":
            knobs.append(replace(found["cotarget"], group="A"))
        return (*knobs, replace(found["index"], hi=self.chain.count - 1))

    def probe(self, cell: int) -> dict[str, Any]:
        ids = followed(self)
        if not 0 <= cell < len(ids):
            raise CuteLabError(f"probe cell {cell} is outside the {len(ids)} coordinates that are drawn")
        return {"index": int(ids[cell])}


@lru_cache(maxsize=128)
def _read(name: str, layout: str) -> Any:
    """The layout that a text says; the error names A or B."""
    try:
        return parse_layout(layout)
    except CuteLabError as error:
        raise CuteLabError(f"{name}: {error}") from None


@lru_cache(maxsize=32)
def _cotarget(said: str) -> IntTuple | None:
    if not said.strip():
        return None
    parsed = notation.parse(said)
    if ":" in said or parsed.swizzle is not None or min(int_tuple.flatten(parsed.shape)) < 1:
        raise CuteLabError(f"cotarget {said!r} must be a number or a shape of 1 or more, for example 24 or (4,6)")
    return parsed.shape


def _leaves(layout: Any) -> tuple[list[int], list[int]]:
    inner = layout.inner if isinstance(layout, ComposedLayout) else layout
    return list(int_tuple.flatten(inner.shape)), list(int_tuple.flatten(inner.stride))


def _sliders(name: str, said: str) -> list[Control]:
    """A slider for each leaf extent and stride: at most four modes, else the text alone."""
    shape, stride = _leaves(_read(name.upper(), said))
    if len(shape) > MAX_LEAVES:
        return []
    group = name.upper()
    found = [
        Control(f"{name}_shape_{i}", "slider", s, group, f"{group} shape {i}", "elements", 1, max(16, min(s, 10**6)))
        for i, s in enumerate(shape)
    ]
    return found + [
        Control(f"{name}_stride_{i}", "slider", d, group, f"{group} stride {i}", "elements", min(0, d), max(32, d))
        for i, d in enumerate(stride)
    ]


def _turn(layout: Any, name: str, knob: str, value: Any) -> Any:
    """The layout with the extent shape_i or the stride stride_i set."""
    inner = layout.inner if isinstance(layout, ComposedLayout) else layout
    shape, stride = _leaves(layout)
    kind, _, number = knob.partition("_")
    if kind not in ("shape", "stride") or not number.isdecimal() or int(number) >= len(shape):
        raise CuteLabError(f"{name} = {layout} has leaf modes 0 to {len(shape) - 1}; there is no {knob!r}")
    (shape if kind == "shape" else stride)[int(number)] = value
    turned = Layout(*(int_tuple.unflatten(tuple(part), inner.shape) for part in (shape, stride)))
    return ComposedLayout(layout.outer, layout.offset, turned) if isinstance(layout, ComposedLayout) else turned


@lru_cache(maxsize=16)
def followed(params: AlgebraParams) -> np.ndarray:
    """Which coordinates c of the domain are followed through the maps, ascending: all up to 4,096, else those drawn."""
    found = params.chain
    if found.count <= MAX_FOLLOWED:
        ids = np.arange(found.count, dtype=np.int64)
    else:
        own = next((link for link in found.links if link.before is None), None)
        if own is not None:
            cells = sheet(own.layout.shape, params.index)
            ids = np.sort(cells.index[cells.inside])
        else:
            start = min(params.index // MAX_FOLLOWED * MAX_FOLLOWED, found.count - MAX_FOLLOWED)
            ids = np.arange(start, start + MAX_FOLLOWED, dtype=np.int64)
    ids.flags.writeable = False
    return ids


@dataclass(frozen=True, eq=False)
class Map:
    """One panel: a map of the law, its drawn cells, its values there, and which followed coordinate meets each cell.

    cell    int (R, C): position in `Result.ids` of the first coordinate that comes here, -1 for none
    at      the 1-D index at which the probe meets this map; value, its offset there
    """

    link: Link
    sheet: Sheet
    values: np.ndarray
    cell: np.ndarray
    at: int
    value: int


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found: the operation, its maps, and the coordinates (1-D indices of the domain) that are followed."""

    params: AlgebraParams
    chain: Chain
    ids: np.ndarray
    maps: tuple[Map, ...]

    @property
    def probed(self) -> int:
        """The position of the probe among the followed coordinates."""
        return int(np.searchsorted(self.ids, self.params.index))

    @property
    def layout(self) -> Any:
        """The result R of the operation, or None where it is refused."""
        return self.chain.result

    @property
    def twins(self) -> np.ndarray:
        """The other followed coordinates that a composition sends to the same element of A as the probe."""
        if self.params.operation != "composition":
            return np.zeros(0, np.int64)
        met = self.chain.links[1].index(self.ids)
        same = np.flatnonzero(met == met[self.probed])
        return same[same != self.probed]


def compute(params: AlgebraParams) -> Result:
    """Where does each coordinate go in each map? Never allocates what is not drawn."""
    found, ids = params.chain, followed(params)
    most = MOST if found.points is None else 12  # beside the table of points there is less room
    maps = tuple(_map(link, ids, params.index, most) for link in found.links)
    return Result(params, found, ids, maps)


def _map(link: Link, ids: np.ndarray, probe: int, most: int) -> Map:
    met = link.index(ids)
    at = int(link.index(np.array([probe], np.int64))[0])
    across = 16 if link.name == "offsets" else 8
    cells = sheet(link.layout.shape, max(at, 0), across=across, reach=int(met.max()) + 1, most=most)
    met, first = np.unique(met, return_index=True)
    place = np.minimum(np.searchsorted(met, cells.index), len(met) - 1)
    cell = np.where((met[place] == cells.index) & cells.inside, first[place], -1)
    drawn = cells.inside & (~cells.beyond | (cell >= 0))
    values = np.zeros(cells.index.shape, np.int64)
    values[drawn] = laws.values(link.layout, cells.index[drawn])
    try:
        value = int(laws.values(link.layout, np.array([at], np.int64))[0])
    except CuteLabError:  # an index below 0 of a layout of several modes
        value = -1
    for array in (values, cell):
        array.flags.writeable = False
    return Map(link, cells, values, cell, at, value)


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: the maps side by side, one coordinate's way through them, the law."""
    return algebra_panels.picture(result)
