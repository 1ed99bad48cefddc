"""Topic "coalescing": one warp's access to global memory, as 128-byte lines cut into 32-byte sectors.

CoalescingParams -> compute -> Result -> panels -> Picture. Panels: coalescing_panels.py; words: coalescing_words.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.course.card.knobs import Control, Params, dropdown, index, powers, slider, toggle
from cutelab.course.card.picture import Picture
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.coalescing import card as coalescing_panels
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.sectors import Sectors, sectors

LANES, MAX_STEP = 32, 16_384
WIDTHS = (1, 2, 4, 8, 16)
ORDERS = ("straight", "reversed", "swapped pairs", "shuffled")
PRESETS = {
    "side by side": {},
    "every second element": {"stride": 2},
    "column, row-major": {"stride": 32},
    "row, column-major of 4 rows": {"stride": 4},
    "one element late": {"start": 1},
    "16 bytes a lane": {"access_bytes": 16},
    "8 lanes a row, pitch 16": {"across": 8, "pitch": 16},
    "4 lanes a row, pitch 1024": {"across": 4, "pitch": 1024},
    "shuffled lanes": {"order": "shuffled"},
    "all lanes on one element": {"stride": 0},
}


@dataclass(frozen=True)
class CoalescingParams(Params):
    """What the coalescing explorer shows. `start`, `stride` and `pitch` count elements.

    Lane i takes place p in the warp's order; its access begins at element

        start + (p % across) * stride + (p // across) * pitch

    element       element type: int8, half, float32, float64 or uint128
    access_bytes  bytes that one lane moves with one instruction: 1 to 16, at least one element
    stride        from a lane to its right neighbour; a multiple of the elements a lane moves
    start         where the first place lies, counted from the start of a 128-byte line
    across        how many lanes stand in a row before the next row begins; 32: one row
    pitch         from row to row
    order         which lane takes which place: straight, reversed, swapped pairs (i ^ 1), shuffled (5 i + 3 mod 32)
    active        the first so many lanes take part; the others failed a bounds check
    kind          load or store
    lane          the probe

    `preset` is a knob derived from the others. Raises CuteLabError for values that no access can have.
    """

    element: str = dropdown("float32", tuple(ELEMENTS), group="Memory", tip="element type: its size in bytes")
    access_bytes: int = powers(4, WIDTHS, group="Access", label="width", unit="bytes a lane", tip="vector width")
    stride: int = slider(1, 0, 32, group="Access", unit="elements", tip="from a lane to its neighbour")
    start: int = slider(0, 0, 31, group="Access", unit="elements", tip="past the start of a 128-byte line")
    across: int = powers(32, (1, 2, 4, 8, 16, 32), group="Access", unit="lanes a row", tip="lanes before a new row")
    pitch: int = slider(16, 0, 64, group="Access", unit="elements", tip="from row to row")
    order: str = dropdown("straight", ORDERS, group="Lanes", tip="which lane takes which place")
    active: int = slider(32, 1, 32, group="Lanes", unit="lanes", tip="so many lanes take part")
    kind: str = toggle("load", ("load", "store"), group="Lanes")
    lane: int = index(5, 0, 31, group="Probe")

    def __post_init__(self) -> None:
        for name in ("element", "across", "order", "kind"):
            self.check_choice(name)
        if not is_int(self.access_bytes) or self.access_bytes not in WIDTHS or self.access_bytes < self.item:
            fit = [w for w in WIDTHS if w >= self.item]
            raise CuteLabError(
                f"a lane moves {', '.join(map(str, fit))} bytes of {self.element} with one instruction; "
                f"got access_bytes={self.access_bytes!r}"
            )
        self.check_range("active", 1, LANES)
        self.check_range("lane", 0, self.active - 1)
        for name in ("stride", "start", "pitch"):
            self.check_range(name, 0, MAX_STEP)
            value = getattr(self, name)
            if value % self.vector:
                raise CuteLabError(
                    f"{name} {value} puts an access at byte {value * self.item}; an access of {self.access_bytes} bytes "
                    f"must begin at a multiple of {self.access_bytes}. Use a {name} that is a multiple of {self.vector}."
                )

    @property
    def item(self) -> int:
        """Bytes of one element."""
        return ELEMENTS[self.element]

    @property
    def vector(self) -> int:
        """Elements that one lane moves with one instruction."""
        return self.access_bytes // self.item

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; the knobs that were not given follow, so that every access stays aligned."""
        preset = changes.pop("preset", None)
        if preset is not None:
            if preset not in PRESETS:
                raise CuteLabError(f"there is no preset {preset!r}; there are {', '.join(PRESETS)}")
            kept = {"element": self.element, "access_bytes": self.item, "kind": self.kind, "lane": self.lane}
            return type(self)(**kept).change(**{**PRESETS[preset], **changes})
        element, width = changes.get("element", self.element), changes.get("access_bytes")
        if element in ELEMENTS and ("element" in changes or "access_bytes" in changes):
            item = ELEMENTS[element]
            if width is None:
                width = changes["access_bytes"] = min(16, self.vector * item)
            if is_int(width) and width in WIDTHS and width >= item:
                vector = width // item
                widest = MAX_STEP // vector * vector
                changes.setdefault("stride", min(self.stride // self.vector * vector, widest))
                changes.setdefault("start", self.start // vector * vector)
                changes.setdefault("pitch", min(-(-self.pitch // vector) * vector, widest))
        if is_int(changes.get("active")) and changes["active"] >= 1:
            changes.setdefault("lane", min(self.lane, changes["active"] - 1))
        return super().change(**changes)

    def controls(self) -> tuple[Control, ...]:
        found = {c.name: c for c in super().controls()}
        step = self.vector
        wide = tuple(w for w in WIDTHS if w >= self.item)
        found["access_bytes"] = replace(found["access_bytes"], choices=wide)
        found["stride"] = replace(found["stride"], hi=32 * step, step=step)
        found["start"] = replace(found["start"], hi=31 // step * step, step=step)
        found["pitch"] = replace(found["pitch"], hi=64, step=step)
        found["lane"] = replace(found["lane"], hi=self.active - 1)
        if self.across == LANES:
            del found["pitch"]  # one row only
        preset = next((k for k in PRESETS if self.change(preset=k) == self), "own")
        choices = (*PRESETS, "own") if preset == "own" else tuple(PRESETS)
        first = Control("preset", "dropdown", preset, "Memory", "preset", choices=choices, tip="accesses to start from")
        return (first, *found.values())

    def probe(self, cell: int) -> dict[str, Any]:
        if not 0 <= cell < self.active:
            raise CuteLabError(f"lane {cell} takes no part; the lanes are 0 to {self.active - 1}")
        return {"lane": cell}


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found.

    place    int (32,): which place lane i takes; element (32,): where its access begins, in elements
    access   the WarpAccess, and `sectors` what it becomes
    """

    params: CoalescingParams
    place: np.ndarray
    element: np.ndarray
    access: WarpAccess
    sectors: Sectors

    @property
    def count(self) -> int:
        """How many sectors?"""
        return self.sectors.count

    @property
    def ideal(self) -> int:
        """How many would do?"""
        return self.sectors.ideal

    @property
    def efficiency(self) -> float:
        """Which part of the bytes moved is used?"""
        return self.sectors.efficiency

    @property
    def lines(self) -> int:
        """In how many 128-byte lines?"""
        return self.sectors.lines


def places(order: str) -> np.ndarray:
    """Which place does each lane take?

    >>> places("reversed")[:3].tolist(), places("swapped pairs")[:4].tolist()
    ([31, 30, 29], [1, 0, 3, 2])
    """
    lane = np.arange(LANES)
    return {"straight": lane, "reversed": LANES - 1 - lane, "swapped pairs": lane ^ 1}.get(
        order, (5 * lane + 3) % LANES
    )


def compute(params: CoalescingParams) -> Result:
    """Which bytes does each lane touch, and how many sectors are they?"""
    place = places(params.order)
    element = params.start + place % params.across * params.stride + place // params.across * params.pitch
    for array in (place, element):
        array.flags.writeable = False
    active = None if params.active == LANES else np.arange(LANES) < params.active
    access = WarpAccess(element * params.item, params.access_bytes, params.kind, active)
    return Result(params, place, element, access, sectors(access))


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: memory in lines and sectors, the bars, the probed lane, the verdict."""
    return coalescing_panels.picture(result)
