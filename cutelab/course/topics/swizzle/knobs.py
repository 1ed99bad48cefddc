"""The knobs of topic "swizzle": the swizzle in one of two units, the tile, the read, the probe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets, size
from cutelab.core.swizzle import Swizzle, parse_swizzle
from cutelab.course.card.knobs import Control, Params, dropdown, index, powers, text, toggle
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.swizzle.typed import listed, read_layout, read_swizzle, take_apart

UNITS = ("elements", "bytes")
KNOBS = ("bits", "base", "shift")
MAX_BITS, MAX_BASE, MAX_SHIFT = 5, 7, 7
MOST_BASE = 11  # of a swizzle on elements: Sw<5,7,7> on bytes stays valid when an element of 16 bytes shrinks to one
WIDTHS = (1, 2, 4, 8, 16)
WINDOW = 32  # rows and columns drawn at most, and lanes of a warp


@dataclass(frozen=True)
class SwizzleParams(Params):
    """What the swizzle explorer shows. `bits`, `base` and `shift` are knobs derived from `swizzle`.

    access_bytes  bytes that a lane reads at once; 0 (and the size of an element) is one element
    """

    swizzle: str = text(
        "Sw<3,0,3>", group="Swizzle", placeholder="Sw<3,4,3>", tip="B, M, S; a whole Sw<3,4,3> o 0 o (8,64):(64,1) too"
    )
    unit: str = toggle("elements", UNITS, group="Swizzle", tip="what B, M, S count bits of: the same map either way")
    layout: str = text("(8,8):(8,1)", group="Tile", placeholder="(8,8):(8,1)", tip="the layout before the swizzle")
    element: str = dropdown(
        "float32", tuple(ELEMENTS), group="Tile", tip="element type: its size makes bytes and banks"
    )
    access: str = toggle("column", ("column", "row"), group="Access", label="read", tip="what the warp reads at once")
    access_bytes: int = powers(0, WIDTHS, group="Access", label="a lane", unit="bytes", tip="bytes that a lane reads")
    row: int = index(2, group="Probe", unit="mode 0")
    column: int = index(3, group="Probe", unit="mode 1")

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("unit", "element", "access"):
            self.check_choice(name)
        parsed = read_layout(self.layout)
        if isinstance(parsed, ComposedLayout):
            raise CuteLabError(f"{parsed} holds a swizzle; give the layout alone here, and the swizzle as `swizzle`")
        put(self, "layout", str(parsed))
        put(self, "swizzle", str(read_swizzle(self.swizzle)))
        _check_swizzle(self)
        self.check_range("access_bytes", 0, 16)
        widths = self.widths
        if self.access_bytes and self.access_bytes not in widths:
            raise CuteLabError(
                f"a lane reads {listed(widths)} bytes of {self.element} in rows of {self.extents[1]}, "
                f"whole elements that divide the row; got {self.access_bytes}"
            )
        if self.access_bytes == self.item:
            put(self, "access_bytes", 0)
        for name, extent in zip(("row", "column"), self.extents, strict=True):
            self.check_range(name, 0, 2**62)
            if getattr(self, name) >= extent:
                raise CuteLabError(
                    f"{name} {getattr(self, name)} is outside {self.layout}: its {name}s run from 0 to {extent - 1}"
                )

    @property
    def parsed(self) -> Layout:
        return parse_layout(self.layout)  # type: ignore[return-value]

    @property
    def given(self) -> Swizzle:
        """The swizzle in the unit of the knobs."""
        return parse_swizzle(self.swizzle)

    @property
    def on_elements(self) -> Swizzle:
        return self.given.recast(1, self.item) if self.unit == "bytes" else self.given

    @property
    def on_bytes(self) -> Swizzle:
        return self.given if self.unit == "bytes" else self.given.recast(self.item, 1)

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return ELEMENTS[self.element]

    @property
    def width(self) -> int:
        """Bytes that a lane reads."""
        return self.access_bytes or self.item

    @property
    def extents(self) -> tuple[int, int]:
        """Rows and columns."""
        parsed = self.parsed
        return size(parsed[0]), size(parsed[1])

    @property
    def widths(self) -> tuple[int, ...]:
        """The bytes that a lane may read: whole elements that divide the row, at most 16 bytes."""
        columns, item = self.extents[1], self.item
        return tuple(w for w in WIDTHS if w >= item and columns % (w // item) == 0)

    def change(self, **changes: Any) -> Self:
        """As `Params.change`. Another unit keeps the map and writes it in that unit; the probe stays inside the tile.

        A whole expression may be given as `swizzle` or as `layout`; `smem_ptr[16b]` in it sets unit and element too.
        """
        changes = take_apart(changes)
        knobs = {name: changes.pop(name) for name in KNOBS if name in changes}
        unit, element = changes.get("unit", self.unit), changes.get("element", self.element)
        if unit in UNITS and element in ELEMENTS:
            changes["swizzle"] = str(self._turned(changes.get("swizzle"), unit, ELEMENTS[element], knobs))
        layout = changes.get("layout")
        parsed = self.parsed if layout is None else read_layout(layout)
        if layout is not None:
            for name, mode in (("row", 0), ("column", 1)):
                changes.setdefault(name, min(getattr(self, name), size(parsed[mode]) - 1))
        if (layout is not None or "element" in changes) and "access_bytes" not in changes and element in ELEMENTS:
            item, columns = ELEMENTS[element], size(parsed[1])
            fits = self.access_bytes > item and columns % (self.access_bytes // item) == 0
            changes["access_bytes"] = self.access_bytes if fits else 0
        return super().change(**changes)

    def _turned(self, given: Any, unit: str, item: int, knobs: dict[str, Any]) -> Swizzle:
        """The swizzle, in `unit`, after these changes."""
        finest = item.bit_length() - 1  # the bits inside an element
        if given is not None:
            swizzle = read_swizzle(given)
        else:
            swizzle = self.given
            if unit != self.unit:
                swizzle = self.on_bytes if unit == "bytes" else swizzle.recast(1, item)
            if unit == "bytes" and swizzle.base < finest:
                swizzle = replace(swizzle, base=finest)
        if not knobs:
            return swizzle
        wanted = {name: knobs.get(name, getattr(swizzle, name)) for name in KNOBS}
        try:
            return Swizzle(**wanted)
        except CuteLabError as error:
            bits, shift = wanted["bits"], wanted["shift"]
            if not (isinstance(bits, int) and isinstance(shift, int) and abs(shift) < bits):
                raise
            first = (
                f"To get there, turn shift to {bits} or -{bits} first."
                if "bits" in knobs
                else (f"Go on to {bits if shift >= 0 else -bits}, or turn bits to {abs(shift)} first.")
            )
            raise CuteLabError(
                f"{str(error).split(', so ')[0]}, so source and target bits would overlap. {first}"
            ) from error

    def controls(self) -> tuple[Control, ...]:
        found = {c.name: c for c in super().controls()}
        swizzle, rows_columns = self.given, self.extents
        finest = self.item.bit_length() - 1 if self.unit == "bytes" else 0
        unit = "bytes" if self.unit == "bytes" else f"{self.element} elements"
        knobs = (
            Control("bits", "slider", swizzle.bits, "Swizzle", "B bits", "", 0, MAX_BITS, tip="how many bits are XORed"),
            Control("base", "slider", swizzle.base, "Swizzle", "M base", "", finest, MAX_BASE + finest,
                    tip=f"low bits that stay as they are, of an offset in {unit}"),
            Control("shift", "slider", swizzle.shift, "Swizzle", "S shift", "", -MAX_SHIFT, MAX_SHIFT,
                    tip="how far the source lies above the target"),
        )  # fmt: skip
        row, column = (replace(found[n], hi=e - 1) for n, e in zip(("row", "column"), rows_columns, strict=True))
        width = replace(found["access_bytes"], value=self.width, choices=self.widths)
        return (
            found["swizzle"],
            *knobs,
            found["unit"],
            found["layout"],
            found["element"],
            found["access"],
            width,
            row,
            column,
        )

    def probe(self, cell: int) -> dict[str, Any]:
        rows, columns, _ = drawn(self)
        if not 0 <= cell < len(rows) * len(columns):
            raise CuteLabError(f"probe cell {cell} is outside the {len(rows)} x {len(columns)} cells that are drawn")
        return {"row": int(rows[cell // len(columns)]), "column": int(columns[cell % len(columns)])}


def window(extent: int, at: int) -> np.ndarray:
    """Up to 32 neighbouring indices: all of them, or the block of 32 around `at`.

    >>> window(8, 3).tolist(), window(64, 40)[[0, -1]].tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7], [32, 63])
    """
    start = at // WINDOW * WINDOW
    return np.arange(start, min(start + WINDOW, extent), dtype=np.int64)


def pieces(params: SwizzleParams) -> tuple[np.ndarray, np.ndarray]:
    """The rows, and the first columns of the pieces that lanes read, around the probe: at most 32 of each."""
    vector = params.width // params.item
    return window(params.extents[0], params.row), window(params.extents[1] // vector, params.column // vector) * vector


def in_one_piece(table: np.ndarray, rows: np.ndarray, columns: np.ndarray, vector: int) -> bool:
    """Does each piece of `vector` elements lie side by side in memory, from a multiple of its size on?"""
    if vector == 1:
        return True
    first = table[np.ix_(rows, columns)]
    each = table[rows[:, None, None], columns[:, None] + np.arange(vector)]
    return bool((first % vector == 0).all() and (each == first[..., None] + np.arange(vector)).all())


def drawn(params: SwizzleParams) -> tuple[np.ndarray, np.ndarray, int]:
    """Which cells are drawn: the rows, the first element of each column, and how many elements a cell stands for.

    A cell is a piece that a lane reads; where the layout or the swizzle breaks pieces, it is one element.
    """
    rows, columns = pieces(params)
    vector, table = params.width // params.item, offsets(params.parsed)
    if in_one_piece(table, rows, columns, vector) and in_one_piece(params.on_elements(table), rows, columns, vector):
        return rows, columns, vector
    return rows, window(params.extents[1], params.column), 1


def _check_swizzle(params: SwizzleParams) -> None:
    swizzle, finest = params.given, params.item.bit_length() - 1
    if params.unit == "bytes" and swizzle.bits and swizzle.base < finest:
        raise CuteLabError(
            f"{swizzle} on bytes would take elements of {params.item} bytes apart: their lowest {finest} address bits must stay. "
            f"Use a base of {finest} or more, such as Sw<{swizzle.bits},{finest},{swizzle.shift}>"
        )
    most = MOST_BASE + (finest if params.unit == "bytes" else 0)
    if swizzle.bits > MAX_BITS or swizzle.base > most or abs(swizzle.shift) > MAX_SHIFT:
        raise CuteLabError(
            f"this explorer shows swizzles with B up to {MAX_BITS}, M up to {most} and S from -{MAX_SHIFT} to {MAX_SHIFT}; "
            f"got {swizzle}. Swizzle({swizzle.bits}, {swizzle.base}, {swizzle.shift}) takes it"
        )
