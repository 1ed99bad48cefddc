"""What the coalescing explorer can be asked: where the lanes of a warp stand in global memory, how wide they are, who takes part."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.course.card.knobs import Params, dropdown, index, powers, preset, slider, toggle
from cutelab.course.card.words import ELEMENTS

MAX_STEP = 16_384
WIDTHS = (1, 2, 4, 8, 16)
ORDERS = ("straight", "reversed", "swapped pairs", "shuffled")
PRESETS: dict[str, dict[str, Any]] = {
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


def start_from(params: CoalescingParams, changes: dict[str, Any]) -> dict[str, Any]:
    """The whole access that a preset names: all lanes side by side from the start of a line, but for `changes`."""
    item, lanes = ELEMENTS.get(params.element, 1), params.chip.lanes
    width = changes.get("access_bytes", item)
    plain = {"stride": width // item, "start": 0, "across": lanes, "pitch": 16, "order": "straight", "active": lanes}
    return {"element": params.element, "access_bytes": width} | plain | changes


def current(params: CoalescingParams) -> str | None:
    """The preset that stands now."""
    return next(
        (k for k, v in PRESETS.items() if all(getattr(params, n) == x for n, x in start_from(params, v).items())), None
    )


@dataclass(frozen=True)
class CoalescingParams(Params):
    """What the coalescing explorer shows. `start`, `stride` and `pitch` count elements.

    Lane i takes place p in the warp's order; its access begins at element

        start + (p % across) * stride + (p // across) * pitch

    element       element type: int8, half, float32, float64 or uint128
    access_bytes  bytes that one lane moves with one instruction: 1 to 16, at least one element
    stride        from a lane to its right neighbour; a multiple of the elements a lane moves
    start         where the first place lies, counted from the start of a line
    across        how many lanes stand in a row before the next row begins; as many as a warp has: one row
    pitch         from row to row
    order         which lane takes which place: straight, reversed, swapped pairs (i ^ 1), shuffled (5 i + 3 mod lanes)
    active        the first so many lanes take part; the others failed a bounds check
    kind          load or store
    lane          the probe

    Raises CuteLabError for values that no access can have.
    """

    preset = preset(PRESETS, current, start_from, what="preset", group="Memory", tip="accesses to start from")
    element: str = dropdown("float32", tuple(ELEMENTS), group="Memory", tip="element type: its size in bytes")
    access_bytes: int = powers(
        4, lambda p: p.able, check=False, group="Access", label="width", unit="bytes a lane", tip="vector width"
    )
    stride: int = slider(
        1,
        0,
        lambda p: 32 * p.vector,
        step=lambda p: p.vector,
        most=MAX_STEP,
        group="Access",
        unit="elements",
        tip="from a lane to its neighbour",
    )
    start: int = slider(
        0,
        0,
        lambda p: (p.chip.lanes - 1) // p.vector * p.vector,
        step=lambda p: p.vector,
        most=MAX_STEP,
        group="Access",
        unit="elements",
        tip=lambda p: f"past the start of a {p.chip.line_bytes}-byte line",
    )
    across: int = powers(
        32,
        lambda p: tuple(1 << i for i in range(p.chip.lanes.bit_length())),
        group="Access",
        unit="lanes a row",
        tip="lanes before a new row",
    )
    pitch: int = slider(
        16,
        0,
        64,
        step=lambda p: p.vector,
        most=MAX_STEP,
        shown=lambda p: not p.one_row,
        group="Access",
        unit="elements",
        tip="from row to row",
    )
    order: str = dropdown("straight", ORDERS, group="Lanes", tip="which lane takes which place")
    active: int = slider(32, 1, lambda p: p.chip.lanes, group="Lanes", unit="lanes", tip="so many lanes take part")
    kind: str = toggle("load", ("load", "store"), group="Lanes")
    lane: int = index(5, hi=lambda p: p.active - 1, group="Probe")

    def settle(self) -> None:
        if self.element in ELEMENTS and (self.access_bytes not in self.able or isinstance(self.access_bytes, bool)):
            raise CuteLabError(
                f"a lane moves {', '.join(map(str, self.able))} bytes of {self.element} with one instruction; "
                f"got access_bytes={shown(self.access_bytes)}"
            )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("stride", "start", "pitch"):
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
    def able(self) -> tuple[int, ...]:
        """The bytes that a lane may move: one element or more."""
        return tuple(w for w in WIDTHS if w >= self.item)

    @property
    def vector(self) -> int:
        """Elements that one lane moves with one instruction."""
        return self.access_bytes // self.item

    @property
    def one_row(self) -> bool:
        """Does the whole warp stand in one row?"""
        return self.across == self.chip.lanes

    @property
    def whole(self) -> bool:
        """Do all lanes take part?"""
        return self.active == self.chip.lanes

    def follow(self, now: CoalescingParams, asked: Collection[str]) -> dict[str, Any]:
        """The knobs that were not asked for follow, so that every access stays aligned; and the whole warp stays whole."""
        more: dict[str, Any] = {}
        if "chip" in asked:
            old, new = self.chip.lanes, now.chip.lanes
            more = {n: new for n in ("across", "active") if getattr(self, n) == old or getattr(self, n) > new}
        if now.element in ELEMENTS and ("element" in asked or "access_bytes" in asked):
            width = now.access_bytes
            if "access_bytes" not in asked:
                width = more["access_bytes"] = min(WIDTHS[-1], self.vector * now.item)
            if is_int(width) and width in now.able:
                vector = width // now.item
                widest = MAX_STEP // vector * vector
                more["stride"] = min(self.stride // self.vector * vector, widest)
                more["start"] = self.start // vector * vector
                more["pitch"] = min(-(-self.pitch // vector) * vector, widest)
        return {name: value for name, value in more.items() if name not in asked}
