"""What the Tensor Core explorer can be asked: the atom and its operand, the probe, the tile in shared memory, the load."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cutelab.advise.copies import FragmentLoad
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.layout import Layout, offsets, size
from cutelab.core.swizzle import Swizzle
from cutelab.course.card import shared_tile
from cutelab.course.card.knobs import Params, check, derived, dropdown, index, slider, text, toggle
from cutelab.course.topics.tensor_core.load import ways
from cutelab.course.topics.tensor_core.typed import (
    KINDS,
    LISTED,
    SCALES,
    Operand,
    canonical,
    operand_of,
    operands,
    plain_rows,
    read_atom,
    read_smem,
    say_smem,
    short_name,
    take_apart,
)
from cutelab.cutlass.atoms import MmaAtom, mma_atom

MEMORY = "Shared memory"
COLOURS = ("thread", "value", "warp")
BEST = "best"


def choose(params: TensorCoreParams, short: Any) -> dict[str, Any]:
    """The atom with this short name; "another" is the one that there is."""
    if short == "another":
        return {}
    if short not in LISTED:
        raise CuteLabError(f"choose one of {', '.join(LISTED)}; got {shown(short)}")
    return {"atom": LISTED[short]}


def with_pitch(params: TensorCoreParams, pitch: Any) -> dict[str, Any]:
    """The tile in shared memory with its rows this far apart; the operand may be one that another atom has not."""
    held = operand_of(params.atom, params.operand if params.operand in operands(params.atom) else "A")
    smem: Any = params.smem
    return {
        "smem": shared_tile.with_pitch(
            take_apart(smem, held, params.chip)[0] or plain_rows(held.tile, held.bits), pitch
        )
    }


@dataclass(frozen=True)
class TensorCoreParams(Params):
    """What the Tensor Core explorer shows. The knobs `choose` and `pitch` are derived from `atom` and `smem`.

    smem          the tile in shared memory, (row, column) of the operand -> element offset; None is rows of 128 bytes
    swizzle       on element offsets; an smem that holds one may be given
    kind          for operands that WGMMA and UMMA read in shared memory: which of their layouts
    down, across  where in that tile the operand begins, counted in operands (in core matrices for WGMMA and UMMA)
    load, step    the instruction that loads, and which of them is drawn
    """

    choose = derived(
        "dropdown",
        lambda p: short_name(p.atom.name),
        choose,
        start=True,
        choices=lambda p: tuple(LISTED) if p.choose != "another" else (*LISTED, "another"),
        group="Atom",
        label="atom",
        tip="from Volta to Blackwell",
    )
    atom: MmaAtom = text(
        mma_atom("SM80_16x8x8_F32F16F16F32_TN"),
        read=read_atom,
        say=lambda atom: atom.name,
        group="Atom",
        label="name",
        tip="any name of CUTLASS",
    )
    operand: str = toggle(
        "A",
        lambda p: operands(p.atom),
        kind=lambda p: "toggle" if len(operands(p.atom)) <= 4 else "dropdown",
        check=False,
        group="Atom",
        tip="A is M x K, B is N x K, C is M x N",
    )
    colour: str = toggle(
        "thread",
        lambda p: COLOURS if p.threads > 32 or p.colour == "warp" else COLOURS[:2],
        group="Atom",
        tip="what the colour of a cell means, modulo 8",
    )
    show: str = toggle(
        "all", ("all", "thread", "value"), group="Probe", tip="all cells, or one thread's, or one value's"
    )
    thread: int = index(5, hi=lambda p: p.threads - 1, group="Probe", tip="whose registers are listed")
    value: int = index(0, hi=lambda p: size(p.held.layout[1]) - 1, group="Probe", tip="which of its values")
    memory: bool = check(
        True,
        shown=lambda p: p.side in ("load", "core", ""),
        group=MEMORY,
        label="shared memory",
        tip="draw the tile that feeds the operand",
    )
    smem: Layout | None = text(
        None,
        read=read_smem,
        say=say_smem,
        shown=lambda p: p.side == "load",
        group=MEMORY,
        placeholder="(16,64):(64,1)",
        tip="(row, column) of the operand -> offset in elements",
    )
    pitch = derived(
        "slider",
        lambda p: shared_tile.pitch_of(p.inner),
        with_pitch,
        shown=lambda p: p.side == "load" and p.pitch is not None,
        lo=lambda p: shared_tile.least_pitch(p.inner),
        hi=lambda p: max(p.pitch, shared_tile.least_pitch(p.inner) + shared_tile.PADDINGS),
        group=MEMORY,
        unit="elements",
        tip=lambda p: shared_tile.pitch_tip(p.inner),
    )
    swizzle: Swizzle | None = text(
        None,
        read=shared_tile.read_swizzle,
        say=shared_tile.say_swizzle,
        shown=lambda p: p.side == "load",
        group=MEMORY,
        placeholder="none, or Sw<3,3,3>",
        tip="acts on offsets in elements",
    )
    kind: str = dropdown(
        "SW128",
        KINDS,
        shown=lambda p: p.side == "core",
        group=MEMORY,
        label="layout",
        tip="the layouts that WGMMA and UMMA read",
    )
    down: int = slider(
        0,
        0,
        lambda p: p.room[0] - 1,
        keep=True,
        shown=lambda p: p.side in ("load", "core"),
        group=MEMORY,
        tip="where the operand begins, downwards",
    )
    across: int = slider(
        0,
        0,
        lambda p: p.room[1] - 1,
        keep=True,
        shown=lambda p: p.side in ("load", "core"),
        group=MEMORY,
        tip="where the operand begins, across",
    )
    load: str = dropdown(
        BEST,
        lambda p: (BEST, *p.possible),
        keep=True,
        check=False,
        shown=lambda p: p.side == "load",
        group=MEMORY,
        tip="the instruction that loads",
    )
    step: int = index(
        0,
        hi=lambda p: p.last_step,
        shown=lambda p: p.side == "load",
        group=MEMORY,
        tip="which of the warp's instructions is drawn",
    )

    def settle(self) -> None:
        """The atom has this operand, and the tile in shared memory is one without its swizzle."""
        if self.operand not in operands(self.atom):
            raise CuteLabError(
                f"{self.atom.name} has the operands {', '.join(operands(self.atom))}, not {shown(self.operand)}"
            )
        smem, swizzle = take_apart(self.smem, self.held, self.chip, self.swizzle)
        plain = plain_rows(self.held.tile, self.held.bits)
        object.__setattr__(self, "smem", None if smem == plain else smem)
        object.__setattr__(self, "swizzle", swizzle)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.load, str):
            raise CuteLabError(f"load must be the name of an instruction, got {shown(self.load)}")
        if self.load not in (BEST, *self.possible):
            listed = ", ".join(self.possible) or "none"
            raise CuteLabError(f"this layout cannot be loaded by {self.load}; possible are: {listed}")

    @cached_property
    def held(self) -> Operand:
        """The operand: who holds what of which tile."""
        return operand_of(self.atom, self.operand)

    @property
    def threads(self) -> int:
        """How many threads hold the operand?"""
        return size(self.held.layout[0])

    @property
    def item(self) -> int:
        """Bytes of an element, one at least."""
        return max(1, self.held.bits // 8)

    @property
    def side(self) -> str:
        """What is drawn of shared memory: "load", "core" (matrix), or nothing, with the reason."""
        place = self.held.place
        if self.operand in SCALES:
            return "scales"
        if place != "registers":
            return "core" if place == "shared memory" and self.memory else "tensor" if "tensor" in place else ""
        if self.held.bits % 8:
            return "narrow"
        return "load" if self.memory else ""

    @property
    def inner(self) -> Layout:
        """The tile in shared memory without its swizzle."""
        return plain_rows(self.held.tile, self.held.bits) if self.smem is None else self.smem

    @cached_property
    def laid_out(self) -> Layout | ComposedLayout:
        """The tile in shared memory, with its swizzle; for WGMMA and UMMA the layout that they expect."""
        if self.side == "core":
            rows, cols = self.held.tile
            each = rows // size(self.atom.thr_id) if self.atom.thr_id.shape == 2 else rows
            return canonical(self.atom.name, (each, cols), self.held.bits, self.kind)
        return self.inner if self.swizzle is None else ComposedLayout(self.swizzle, 0, self.inner)

    @cached_property
    def room(self) -> tuple[int, int]:
        """How often does the operand (the core matrix) fit into the tile, down and across? Raises CuteLabError where not once."""
        rows, cols = self.held.tile
        table = offsets(self.laid_out)
        if self.side == "core":
            return table.shape[0] // 8, table.shape[1] * self.item // 16
        down, across = table.shape
        if down < rows or across < cols:
            raise CuteLabError(
                f"operand {self.operand} of {self.atom.name} is {rows} x {cols}; the shared-memory tile {self.inner} has only "
                f"{down} x {across}. Use at least ({rows},{cols}), or leave smem empty for {rows} rows of 128 bytes"
            )
        reach, most = (int(table.max()) + 1) * self.item, self.chip.block_bytes
        if self.swizzle is not None and self.side in ("load", "") and reach > most:
            raise CuteLabError(
                f"{self.laid_out} takes {reach:,} bytes; shared memory of a block has {most:,} on this chip"
            )
        return down // rows, across // cols

    @property
    def start(self) -> tuple[int, int]:
        """The row and column of the tile in shared memory where the operand (the core matrix) begins."""
        if self.side == "core":
            return self.down * 8, self.across * 16 // self.item
        return self.down * self.held.tile[0], self.across * self.held.tile[1]

    @cached_property
    def ways(self) -> tuple[FragmentLoad, ...]:
        """The ways to load the operand, best first; () where nothing loads it."""
        if self.side != "load":
            return ()
        return ways(self.laid_out, self.atom, self.operand, self.item, self.start, self.chip)

    @property
    def possible(self) -> tuple[str, ...]:
        """The instructions that can load the operand."""
        return tuple(way.instruction for way in self.ways)

    @property
    def way(self) -> FragmentLoad | None:
        """The chosen way; None where nothing loads the operand."""
        return next((w for w in self.ways if w.instruction == self.load), self.ways[0] if self.ways else None)

    @property
    def last_step(self) -> int:
        """The number of the last warp instruction of the chosen load."""
        way = self.way
        return 0 if way is None else way.instructions * int(way.accesses[0].shape[0]) - 1

    def follow(self, now: TensorCoreParams, asked: Collection[str]) -> dict[str, Any]:
        """Operand, tile and swizzle after a change of the atom; what else no longer fits stays inside its limits by itself.

        A layout that no longer fits is dropped; a swizzle stays the same map of bytes.
        """
        more: dict[str, Any] = {}
        if now.operand not in operands(now.atom):
            if "operand" in asked:
                return more  # building it says so
            more["operand"] = "A"
        held = operand_of(now.atom, more.get("operand", now.operand))
        smem, swizzle = now.smem, now.swizzle
        if "smem" in asked:  # perhaps with its swizzle; checked here, before anything of its size is made
            smem, swizzle = take_apart(smem, held, now.chip, swizzle if "swizzle" in asked else None)
        before = self if self.operand in operands(self.atom) else self._with({"operand": "A"})
        if (held.tile, held.bits) != (before.held.tile, before.held.bits):
            if "smem" not in asked and smem is not None:
                rows, cols = offsets(smem).shape
                if rows < held.tile[0] or cols < held.tile[1] or held.bits != 8 * before.item:
                    smem = None
            if "swizzle" not in asked and swizzle is not None and (smem is None or "smem" not in asked):
                swizzle = _recast(swizzle, before.item, max(1, held.bits // 8))
        return {**more, "smem": smem, "swizzle": swizzle}


def _recast(swizzle: Swizzle, from_bytes: int, to_bytes: int) -> Swizzle | None:
    """The same map of bytes for other elements; None where there is none."""
    try:
        return swizzle.recast(from_bytes, to_bytes)
    except CuteLabError:
        return None
