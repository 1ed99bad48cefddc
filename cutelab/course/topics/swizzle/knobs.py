"""What the swizzle explorer can be asked: the swizzle in one of two units, the tile, the read, the probe."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout, size
from cutelab.core.swizzle import Swizzle
from cutelab.course.card.knobs import Params, Said, derived, dropdown, index, powers, text, toggle
from cutelab.course.card.words import ELEMENTS
from cutelab.course.topics.swizzle.typed import Turned, listed, read_layout, read_swizzle

UNITS = ("elements", "bytes")
MAX_BITS, MAX_BASE, MAX_SHIFT = 5, 7, 7
MOST_BASE = 11  # of a swizzle on elements: Sw<5,7,7> on bytes stays valid when an element of 16 bytes shrinks to one
WIDTHS = (1, 2, 4, 8, 16)


def number(name: str, **words: Any) -> Any:
    """A slider for one of the three numbers of the swizzle."""

    def turn(params: SwizzleParams, value: Any) -> dict[str, Any]:
        return {"swizzle": Turned.of(params.swizzle, name, value)}

    return derived("slider", lambda p: getattr(p.swizzle, name), turn, group="Swizzle", **words)


@dataclass(frozen=True)
class SwizzleParams(Params):
    """What the swizzle explorer shows. The knobs `bits`, `base` and `shift` are derived from `swizzle`.

    swizzle       in the unit of the knobs; a whole expression may be given as `swizzle` or as `layout`, and `smem_ptr[16b]` in
                  it sets unit and element, too
    access_bytes  bytes that a lane reads at once; 0 (and the size of an element) is one element
    """

    swizzle: Swizzle = text(
        Swizzle(3, 0, 3),
        read=read_swizzle,
        group="Swizzle",
        placeholder="Sw<3,4,3>",
        tip="B, M, S; a whole Sw<3,4,3> o 0 o (8,64):(64,1) too",
    )
    bits = number("bits", label="B bits", lo=0, hi=MAX_BITS, tip="how many bits are XORed")
    base = number(
        "base",
        label="M base",
        lo=lambda p: p.finest,
        hi=lambda p: MAX_BASE + p.finest,
        tip=lambda p: (
            f"low bits that stay as they are, of an offset in {'bytes' if p.unit == 'bytes' else f'{p.element} elements'}"
        ),
    )
    shift = number(
        "shift", label="S shift", lo=-MAX_SHIFT, hi=MAX_SHIFT, tip="how far the source lies above the target"
    )
    unit: str = toggle("elements", UNITS, group="Swizzle", tip="what B, M, S count bits of: the same map either way")
    layout: Layout = text(
        Layout((8, 8), (8, 1)),
        read=read_layout,
        group="Tile",
        placeholder="(8,8):(8,1)",
        tip="the layout before the swizzle",
    )
    element: str = dropdown(
        "float32", tuple(ELEMENTS), group="Tile", tip="element type: its size makes bytes and banks"
    )
    access: str = toggle("column", ("column", "row"), group="Access", label="read", tip="what the warp reads at once")
    access_bytes: int = powers(
        0,
        lambda p: p.widths,
        show=lambda p: p.width,
        check=False,
        group="Access",
        label="a lane",
        unit="bytes",
        tip="bytes that a lane reads",
    )
    row: int = index(2, hi=lambda p: p.extents[0] - 1, check=False, group="Probe", unit="mode 0")
    column: int = index(3, hi=lambda p: p.extents[1] - 1, check=False, group="Probe", unit="mode 1")

    def __post_init__(self) -> None:
        for name, read in (("layout", read_layout), ("swizzle", read_swizzle)):
            if isinstance(read(getattr(self, name)), Said):
                raise CuteLabError(
                    f"{getattr(self, name)} holds a swizzle and a layout; give the layout alone here, and the swizzle as `swizzle`"
                )
        super().__post_init__()
        self._check_swizzle()
        if not is_int(self.access_bytes) or (self.access_bytes and self.access_bytes not in self.widths):
            raise CuteLabError(
                f"a lane reads {listed(self.widths)} bytes of {self.element} in rows of {self.extents[1]}, "
                f"whole elements that divide the row; got {shown(self.access_bytes)}"
            )
        if self.access_bytes == self.item:
            object.__setattr__(self, "access_bytes", 0)
        for name, extent in zip(("row", "column"), self.extents, strict=True):
            self.check_number(name, 0, 2**62)
            if getattr(self, name) >= extent:
                raise CuteLabError(
                    f"{name} {getattr(self, name)} is outside {self.layout}: its {name}s run from 0 to {extent - 1}"
                )

    def _check_swizzle(self) -> None:
        swizzle, finest = self.swizzle, self.finest
        if swizzle.bits and swizzle.base < finest:
            raise CuteLabError(
                f"{swizzle} on bytes would take elements of {self.item} bytes apart: their lowest {finest} address bits must stay. "
                f"Use a base of {finest} or more, such as Sw<{swizzle.bits},{finest},{swizzle.shift}>"
            )
        most = MOST_BASE + finest
        if swizzle.bits > MAX_BITS or swizzle.base > most or abs(swizzle.shift) > MAX_SHIFT:
            raise CuteLabError(
                f"this explorer shows swizzles with B up to {MAX_BITS}, M up to {most} and S from -{MAX_SHIFT} to {MAX_SHIFT}; "
                f"got {swizzle}. Swizzle({swizzle.bits}, {swizzle.base}, {swizzle.shift}) takes it"
            )

    @property
    def item(self) -> int:
        """Bytes of an element."""
        return ELEMENTS[self.element]

    @property
    def finest(self) -> int:
        """The lowest bits of an offset, in its unit, that lie inside an element."""
        return self.item.bit_length() - 1 if self.unit == "bytes" else 0

    @property
    def on_elements(self) -> Swizzle:
        """The swizzle on offsets in elements."""
        return self.swizzle.recast(1, self.item) if self.unit == "bytes" else self.swizzle

    @property
    def on_bytes(self) -> Swizzle:
        """The swizzle on offsets in bytes."""
        return self.swizzle if self.unit == "bytes" else self.swizzle.recast(self.item, 1)

    @property
    def width(self) -> int:
        """Bytes that a lane reads."""
        return self.access_bytes or self.item

    @property
    def vector(self) -> int:
        """Elements that a lane reads."""
        return self.width // self.item

    @cached_property
    def extents(self) -> tuple[int, int]:
        """Rows and columns."""
        return size(self.layout[0]), size(self.layout[1])

    @property
    def widths(self) -> tuple[int, ...]:
        """The bytes that a lane may read: whole elements that divide the row, at most 16 bytes."""
        columns, item = self.extents[1], self.item
        return tuple(w for w in WIDTHS if w >= item and columns % (w // item) == 0)

    def follow(self, now: SwizzleParams, asked: Collection[str]) -> dict[str, Any]:
        """Another unit keeps the map and writes it in that unit; a width that no longer fits becomes one element."""
        if now.unit not in UNITS or now.element not in ELEMENTS:
            return {}
        given: Any = now.swizzle
        turned = given if isinstance(given, Turned) else None
        swizzle: Swizzle = given if turned is None else turned.start
        said = "swizzle" in asked if turned is None else swizzle is not self.swizzle
        if not said:
            swizzle = self._in_unit(now)
        more: dict[str, Any] = {"swizzle": swizzle if turned is None else turned.apply(swizzle)}
        if "access_bytes" not in asked:
            fits = self.access_bytes > now.item and now.extents[1] % (self.access_bytes // now.item) == 0
            more["access_bytes"] = self.access_bytes if fits else 0
        return more

    def _in_unit(self, now: SwizzleParams) -> Swizzle:
        """The swizzle as it was, in the unit that is asked for now."""
        swizzle = self.swizzle
        if now.unit != self.unit:
            swizzle = self.on_bytes if now.unit == "bytes" else swizzle.recast(1, now.item)
        return replace(swizzle, base=max(swizzle.base, now.finest))
