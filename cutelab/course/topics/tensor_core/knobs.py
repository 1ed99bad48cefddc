"""The knobs of topic "tensor_core": the atom and its operand, the probe, the tile in shared memory, the load."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import offsets, size
from cutelab.course.card.knobs import Control, Params, check, dropdown, index, slider, text, toggle
from cutelab.course.card.shared_tile import PADDINGS, SHARED_BYTES, pitched, read_swizzle, with_pitch
from cutelab.course.topics.banks.model import window
from cutelab.course.topics.tensor_core.load import ways
from cutelab.course.topics.tensor_core.typed import (
    KINDS,
    LISTED,
    canonical,
    check_fits,
    operand_of,
    operands,
    plain_rows,
    read_smem,
    short_name,
)
from cutelab.cutlass.atoms import MmaAtom, mma_atom
from cutelab.cutlass.tv import Owners, owners

MOST_ROWS, MOST_COLUMNS = 64, 256  # of an operand that is drawn whole
MEMORY = "Shared memory"
COLOURS = ("thread", "value", "warp")
BEST = "best"


@dataclass(frozen=True)
class TensorCoreParams(Params):
    """What the Tensor Core explorer shows. The knobs `choose` and `pitch` are derived from `atom` and `smem`.

    smem          the tile in shared memory, (row, column) of the operand -> element offset; "" is rows of 128 bytes
    swizzle       on element offsets
    kind          for operands that WGMMA and UMMA read in shared memory: which of their layouts
    down, across  where in that tile the operand begins, counted in operands (in core matrices for WGMMA and UMMA)
    load, step    the instruction that loads, and which of them is drawn
    """

    atom: str = text("SM80_16x8x8_F32F16F16F32_TN", group="Atom", label="name", tip="any name of CUTLASS")
    operand: str = toggle("A", ("A", "B", "C"), group="Atom", tip="A is M x K, B is N x K, C is M x N")
    colour: str = toggle("thread", COLOURS, group="Atom", tip="what the colour of a cell means, modulo 8")
    show: str = toggle(
        "all", ("all", "thread", "value"), group="Probe", tip="all cells, or one thread's, or one value's"
    )
    thread: int = index(5, group="Probe", tip="whose registers are listed")
    value: int = index(0, group="Probe", tip="which of its values")
    memory: bool = check(True, group=MEMORY, label="shared memory", tip="draw the tile that feeds the operand")
    smem: str = text(
        "", group=MEMORY, placeholder="(16,64):(64,1)", tip="(row, column) of the operand -> offset in elements"
    )
    swizzle: str = text("", group=MEMORY, placeholder="none, or Sw<3,3,3>", tip="acts on offsets in elements")
    kind: str = dropdown("SW128", KINDS, group=MEMORY, label="layout", tip="the layouts that WGMMA and UMMA read")
    down: int = slider(0, 0, 0, group=MEMORY, tip="where the operand begins, downwards")
    across: int = slider(0, 0, 0, group=MEMORY, tip="where the operand begins, across")
    load: str = dropdown(BEST, (BEST,), group=MEMORY, tip="the instruction that loads")
    step: int = index(0, group=MEMORY, tip="which of the warp's instructions is drawn")

    def __post_init__(self) -> None:
        put = object.__setattr__
        found = mma_atom(self.atom)
        put(self, "found", found)
        put(self, "atom", found.name)
        if self.operand not in operands(found):
            raise CuteLabError(f"{found.name} has the operands {', '.join(operands(found))}, not {self.operand!r}")
        layout, tile, bits, place = operand_of(found, self.operand)
        put(self, "tile", tile)
        put(self, "item", max(1, bits // 8))
        for name in ("colour", "show", "kind"):
            self.check_choice(name)
        if not isinstance(self.memory, bool):
            raise CuteLabError(f"memory must be True or False, got {self.memory!r}")
        self.check_range("thread", 0, size(layout[0]) - 1)
        self.check_range("value", 0, size(layout[1]) - 1)
        put(self, "side", self._side(bits, place))
        self._lay_out(tile, bits)
        put(self, "possible", tuple(w.instruction for w in self._ways()))
        self.check_range("down", 0, self.room[0] - 1)
        self.check_range("across", 0, self.room[1] - 1)
        if not isinstance(self.load, str):
            raise CuteLabError(f"load must be the name of an instruction, got {self.load!r}")
        if self.load not in (BEST, *self.possible):
            listed = ", ".join(self.possible) or "none"
            raise CuteLabError(f"this layout cannot be loaded by {self.load}; possible are: {listed}")
        self.check_range("step", 0, self.last_step)

    def _side(self, bits: int, place: str) -> str:
        """What is drawn of shared memory: "load", "core" (matrix), or nothing, with the reason."""
        if self.operand in ("SFA", "SFB"):
            return "scales"
        if place != "registers":
            return "core" if place == "shared memory" and self.memory else "tensor" if "tensor" in place else ""
        if bits % 8:
            return "narrow"
        return "load" if self.memory else ""

    def _lay_out(self, tile: tuple[int, int], bits: int) -> None:
        """The layout of the tile in shared memory, and how often the operand fits into it."""
        put = object.__setattr__
        swizzle = read_swizzle(self.swizzle)
        inner, within = read_smem(self.smem, tile, bits)
        if swizzle is not None and within is not None and swizzle != within:
            raise CuteLabError(
                f"{self.smem} has a swizzle already; leave `swizzle` empty, or give the layout without one"
            )
        swizzle = swizzle or within
        put(self, "smem", "" if inner == plain_rows(tile, bits) else str(inner))
        put(self, "swizzle", "" if swizzle is None else str(swizzle))
        put(self, "inner", inner)
        laid_out: Any = inner if swizzle is None else ComposedLayout(swizzle, 0, inner)
        if self.side == "core":
            rows = tile[0] // size(self.found.thr_id) if self.found.thr_id.shape == 2 else tile[0]
            laid_out = canonical(self.atom, (rows, tile[1]), bits, self.kind)
            room = (rows // 8, offsets(laid_out).shape[1] * self.item // 16)
        else:
            room = check_fits(inner, tile, f"operand {self.operand} of {self.found.name}")
            if swizzle is not None and self.side in ("load", ""):
                reach = (int(offsets(laid_out).max()) + 1) * self.item
                if reach > SHARED_BYTES:
                    raise CuteLabError(
                        f"{laid_out} takes {reach:,} bytes; shared memory has {SHARED_BYTES:,} on the largest chip"
                    )
        put(self, "laid_out", laid_out)
        put(self, "room", room)

    def _ways(self) -> tuple[Any, ...]:
        if self.side != "load" or not (0 <= self.down < self.room[0] and 0 <= self.across < self.room[1]):
            return ()
        start = (self.down * self.tile[0], self.across * self.tile[1])
        return ways(self.laid_out, self.atom, self.operand, self.item, start)

    @property
    def last_step(self) -> int:
        """The number of the last warp instruction of the chosen load."""
        found = self._ways()
        if not found:
            return 0
        way = next((w for w in found if w.instruction == self.load), found[0])
        return way.instructions * way.accesses[0].shape[0] - 1

    @property
    def pitch(self) -> int | None:
        """The distance from row to row in shared memory, None where there is no such number."""
        return None if pitched(self.inner) is None else self.inner.stride[pitched(self.inner)]

    def change(self, **changes: Any) -> Self:
        """As `Params.change`; what depends on a changed knob follows: operand, probe, shared memory, load and step."""
        short, pitch = changes.pop("choose", None), changes.pop("pitch", None)
        if short is not None and short != "another":
            if short not in LISTED:
                raise CuteLabError(f"choose one of {', '.join(LISTED)}; got {short!r}")
            changes["atom"] = LISTED[short]
        found: MmaAtom = mma_atom(changes.get("atom", self.atom))
        if "operand" not in changes and self.operand not in operands(found):
            changes["operand"] = "A"
        which = changes.get("operand", self.operand)
        if which not in operands(found):
            return super().change(**changes)  # with its own error
        layout, tile, bits, _ = operand_of(found, which)
        if pitch is not None:
            inner, _ = read_smem(changes.get("smem", self.smem), tile, bits)
            changes["smem"] = str(with_pitch(inner, pitch))
        if (tile, bits) != (self.tile, operand_of(self.found, self.operand)[2]):
            self._follow(changes, tile, bits)
        changes.setdefault("thread", min(self.thread, size(layout[0]) - 1))
        changes.setdefault("value", min(self.value, size(layout[1]) - 1))
        return self._clamped(changes)

    def _follow(self, changes: dict[str, Any], tile: tuple[int, int], bits: int) -> None:
        """Another tile or element: a layout that no longer fits is dropped, a swizzle stays the same map of bytes."""
        if "smem" not in changes and self.smem:
            rows, cols = offsets(self.inner).shape
            if rows < tile[0] or cols < tile[1] or bits != 8 * self.item:
                changes["smem"] = ""
        if "swizzle" not in changes and self.swizzle and ":" not in changes.get("smem", ""):
            item = max(1, bits // 8)
            try:
                changes["swizzle"] = str(read_swizzle(self.swizzle).recast(self.item, item))  # type: ignore[union-attr]
            except CuteLabError:
                changes["swizzle"] = ""

    def _clamped(self, changes: dict[str, Any]) -> Self:
        """The change, with what was not asked for brought inside the limits that it brings."""
        if changes.keys() <= {"thread", "value", "show", "colour"}:
            return super().change(**changes)  # nothing else depends on these
        step = changes.pop("step", None)
        free = {name: at for name, at in (("down", 0), ("across", 0), ("load", BEST)) if name not in changes}
        later = super().change(**{**changes, **free, "step": 0})
        kept: dict[str, Any] = {}
        for name, hi in zip(("down", "across"), later.room, strict=True):
            if name in free and getattr(self, name):
                kept[name] = min(getattr(self, name), hi - 1)
        if "load" in free and self.load in later.possible:
            kept["load"] = self.load
        later = replace(later, **kept) if kept else later
        step = min(self.step, later.last_step) if step is None else step
        return replace(later, step=step) if step else later

    def controls(self) -> tuple[Control, ...]:
        c = {control.name: control for control in super().controls()}
        which, layout = operands(self.found), operand_of(self.found, self.operand)[0]
        threads = size(layout[0])
        short = short_name(self.atom)
        choices = tuple(LISTED) if short != "another" else (*LISTED, "another")
        colours = COLOURS if threads > 32 else COLOURS[:2]
        kept = [
            Control("choose", "dropdown", short, "Atom", "atom", choices=choices, tip="from Volta to Blackwell"),
            c["atom"],
            replace(c["operand"], choices=which, kind="toggle" if len(which) <= 4 else "dropdown"),
            replace(c["colour"], choices=colours if self.colour in colours else (*colours, self.colour)),
            c["show"],
            replace(c["thread"], hi=threads - 1),
            replace(c["value"], hi=size(layout[1]) - 1),
        ]
        if self.side in ("load", "core", ""):
            kept.append(c["memory"])
        limits = [replace(c[n], hi=hi - 1) for n, hi in zip(("down", "across"), self.room, strict=True)]
        if self.side == "load":
            kept += [c["smem"], *self._pitch(), c["swizzle"], *limits]
            kept += [replace(c["load"], choices=(BEST, *self.possible)), replace(c["step"], hi=self.last_step)]
        elif self.side == "core":
            kept += [c["kind"], *limits]
        return tuple(kept)

    def _pitch(self) -> tuple[Control, ...]:
        place = pitched(self.inner)
        if place is None:
            return ()
        least, tip = self.inner.shape[1 - place], f"from one {('row', 'column')[place]} to the next, in elements"  # type: ignore[index]
        hi = max(self.pitch or 0, least + PADDINGS)  # type: ignore[operator]
        return (Control("pitch", "slider", self.pitch, MEMORY, "pitch", "elements", least, hi, tip=tip),)  # type: ignore[arg-type]

    @property
    def window(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows and columns of the operand that are drawn: all, or those around the probe."""
        rows, cols = self.tile
        code = int(who(self.atom, self.operand)[1][self.thread, self.value])
        return window(rows, code % rows, MOST_ROWS), window(cols, code // rows, MOST_COLUMNS)

    def probe(self, cell: int) -> dict[str, Any]:
        rows, columns = self.window
        if not 0 <= cell < len(rows) * len(columns):
            raise CuteLabError("this probe cell is outside the cells that are drawn")
        i, j = divmod(cell, len(columns))
        owned = who(self.atom, self.operand)[0]
        thread, value = (int(a[rows[i], columns[j]]) for a in owned)
        if value < 0:
            return {}
        return {"value": value} if owned.every_thread else {"thread": thread, "value": value}


@lru_cache(maxsize=64)
def who(name: str, operand: str) -> tuple[Owners, np.ndarray]:
    """Owners of an operand's tile, and the code of each (thread, value); remembered, since a probe asks again for the same."""
    layout, tile, _, _ = operand_of(mma_atom(name), operand)
    return owners(layout, tile), offsets(layout)
