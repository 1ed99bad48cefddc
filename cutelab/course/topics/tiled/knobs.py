"""What the tiled explorer can be asked: a TiledCopy or TiledMMA, pasted or built, the data, the picked thread and value."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import product
from cutelab.core.layout import Layout, as_layout, size
from cutelab.course.card.knobs import Params, check, dropdown, index, powers, text, toggle
from cutelab.cutlass.atoms import MmaAtom, mma_atom
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.names import explain_names
from cutelab.cutlass.reading import read
from cutelab.cutlass.tv import TiledCopy, TiledMMA, make_tiled_copy, make_tiled_mma

ITEMS = {"int8_t": 1, "half_t": 2, "float": 4, "double": 8}
WORDS = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t", 16: "uint128_t"}
MOST = 1 << 18  # cells of a tile
LABELS = [
    "Tiler_MN",
    "TiledLayout_TV",
    "Copy_Atom",
    "ValLayoutSrc",
    "ValLayoutDst",
    "ValLayoutRef",
    "ValueType",
    "ThrLayoutVMNK",
    "PermutationMNK",
    "MMA_Atom",
    "ThrID",
    "Shape_MNK",
    "LayoutA_TV",
    "LayoutB_TV",
    "LayoutC_TV",
]
PRINTED = re.compile(rf"\s+(?=(?:{'|'.join(LABELS)})\b)")
Tiled = TiledCopy | TiledMMA


@dataclass(frozen=True)
class Pasted:
    """A text and what it describes. Two are the same where their texts are."""

    said: str
    value: Tiled = field(compare=False)


def read_tiled(value: Any) -> Pasted | None:
    """The object that this text describes, or the object itself; None for no text."""
    if value is None or isinstance(value, Pasted):
        return value
    if isinstance(value, TiledCopy | TiledMMA):
        return Pasted(_text_of(value), value)
    if not isinstance(value, str):
        raise CuteLabError(
            f"a TiledCopy, a TiledMMA or its text is shown here, got {shown(value)}; leave it empty to build one"
        )
    said = " ".join(value.split())
    return _pasted(said) if said else None


def _text_of(found: Tiled) -> str:
    """The object's C++ type where that reads back as the same object; otherwise what CuTe prints, which names no atom."""
    atom = found.atom
    if isinstance(found, TiledCopy):
        op = f"Copy_Atom<{atom.name}, {atom.element or f'uint{atom.value_bits}_t'}>"
        said = f"TiledCopy<{op}, {found.layout_tv}, {_tile(found.tiler)}>"
    else:
        said = f"TiledMMA<MMA_Atom<{atom.name}>, {found.atom_layout_mnk}, {_tile(found.tile_mnk)}>"
    printed = " ".join(str(found).split())
    try:
        again = read(said)
    except CuteLabError:
        return printed
    same = type(again) is type(found) and again.atom.name == atom.name and " ".join(str(again).split()) == printed
    return said if same else printed


def _tile(entries: tuple[Any, ...]) -> str:
    """The C++ type of a tiler: Tile<16,64>; an entry that is left open is an underscore."""
    return f"Tile<{','.join('_' if entry is None else str(entry) for entry in entries)}>"


@lru_cache(maxsize=32)
def _pasted(said: str) -> Pasted:
    found = read(PRINTED.sub("\n", said) if "TiledLayout_TV" in said or "ThrLayoutVMNK" in said else said)
    if not isinstance(found, TiledCopy | TiledMMA):
        atom = isinstance(found, MmaAtom)
        kind, more = (
            type(found).__name__,
            f"; explore.tensor_core shows {shown(said)}" if atom and "\n" not in said else "",
        )
        raise CuteLabError(
            f"{shown(said)} reads as {kind}; shown here are a TiledCopy and a TiledMMA, such as make_tiled_copy(...), "
            f"make_tiled_mma(...) or what CuTe prints{more}"
        )
    return Pasted(said, found)


def read_layout(value: Any) -> Layout:
    """A plain layout of threads or values."""
    found = as_layout(value)
    if not isinstance(found, Layout):
        raise CuteLabError(f"{found} has a swizzle; threads and values need a plain layout such as (32,4):(4,1)")
    if size(found) > MOST:
        raise CuteLabError(f"{found} has {size(found)} places; a block has at most 1024 threads, such as (32,4):(4,1)")
    return found


def read_atoms(value: Any) -> Layout:
    """The layout of an MMA's atoms: "(2,2,1)" or "(2,2,1):(1,2,4)"."""
    found = read_layout(value)
    if len(found) > 3 or size(found) > 64:
        raise CuteLabError(f"atoms lie along M, N and K, at most 64 together; got {found}, write for example (2,2,1)")
    return found


def read_permutation(value: Any) -> tuple[int, ...] | None:
    """The tile's sizes "(32,32,16)"; None for no text: the atoms' own."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    found = value if isinstance(value, tuple) else as_layout(value).shape
    sizes = found if isinstance(found, tuple) else (found,)
    if len(sizes) != 3 or not all(isinstance(s, int) and not isinstance(s, bool) and s > 0 for s in sizes):
        raise CuteLabError(f"the permutation has three sizes (M,N,K), such as (32,32,16); got {shown(value)}")
    return tuple(int(s) for s in sizes)


def read_name(value: Any) -> str:
    """A name such as tAsA; no text: the usual one."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return ""
    explain_names(value)
    return str(value).strip()


def read_atom(value: Any) -> MmaAtom:
    """The atom with this name."""
    found = mma_atom(value.name if isinstance(value, MmaAtom) else value)
    if any(found.place(which) != "registers" for which in "C"):
        raise CuteLabError(f"{found.name} has its accumulator in tensor memory; explore.tensor_core shows it")
    return found


@lru_cache(maxsize=64)
def built_copy(element: str, vector: int, threads: Layout, values: Layout) -> TiledCopy:
    """make_tiled_copy with a UniversalCopy of so many bytes."""
    return make_tiled_copy(copy_atom(f"UniversalCopy<{WORDS[vector]}>", element), threads, values)


@lru_cache(maxsize=64)
def built_mma(atom: MmaAtom, atoms: Layout, permutation: tuple[int, ...] | None) -> TiledMMA:
    """make_tiled_mma of this atom."""
    return make_tiled_mma(atom, atoms, permutation or (None, None, None))


def _copy(p: TiledParams) -> bool:
    return p.tiled is None and p.kind == "copy"


def _mma(p: TiledParams) -> bool:
    return p.tiled is None and p.kind == "MMA"


def _is_copy(p: TiledParams) -> bool:
    return isinstance(p.found, TiledCopy)


def values_of(found: Tiled, operand: str) -> int:
    """How many values has a thread?"""
    return found.values if isinstance(found, TiledCopy) else size(found.operand(operand)[0][1])


@dataclass(frozen=True)
class TiledParams(Params):
    """What the tiled explorer shows.

    tiled         what CuTe prints or a kernel writes: a TiledCopy or a TiledMMA; empty: built from the knobs below
    thr, val      thread and value layout of the copy; vector: bytes that one instruction moves for a thread
    atom, atoms, permutation   of the MMA: make_tiled_mma(atom, atoms, permutation)
    src, dst      the data's layouts; for an MMA dst is the operand in shared memory
    name          the name that is explained, "" for the usual one
    thread, value the picked thread and which of its values; operand: of the MMA; colour: what the colours of the cells say
    """

    first: ClassVar[str] = "tiled"

    tiled: Pasted | None = text(
        None,
        read=read_tiled,
        say=lambda t: "" if t is None else t.said,
        group="Copy or MMA",
        label="text",
        placeholder="make_tiled_copy(...) or a printed TiledCopy",
        tip="a call, or what CuTe prints; empty: built below",
        wide=True,
    )
    kind: str = toggle(
        "copy",
        ("copy", "MMA"),
        shown=lambda p: p.tiled is None,
        group="Copy or MMA",
        label="build",
        tip="what is built",
    )
    element: str = dropdown(
        "half_t", tuple(ITEMS), shown=_copy, group="Copy or MMA", tip="type of an element that is copied"
    )
    vector: int = powers(
        16,
        lambda p: tuple(w for w in WORDS if w >= ITEMS.get(p.element, 1)),
        keep=True,
        shown=_copy,
        group="Copy or MMA",
        unit="bytes",
        tip="what one instruction moves for a thread",
    )
    thr: Layout = text(
        Layout((16, 8), (8, 1)), read=read_layout, shown=_copy, group="Copy or MMA", label="threads",
        placeholder="(16,8):(8,1)", tip="(m,n) → thread",
    )  # fmt: skip
    val: Layout = text(
        Layout((1, 8), (8, 1)), read=read_layout, shown=_copy, group="Copy or MMA", label="values",
        placeholder="(1,8):(8,1)", tip="(m,n) → value of a thread",
    )  # fmt: skip
    atom: MmaAtom = text(
        mma_atom("SM80_16x8x16_F32F16F16F32_TN"), read=read_atom, say=lambda a: a.name, shown=_mma,
        group="Copy or MMA", tip="any name of CUTLASS",
    )  # fmt: skip
    atoms: Layout = text(
        Layout((2, 2, 1)), read=read_atoms, shown=_mma, group="Copy or MMA", placeholder="(2,2,1)",
        tip="how many atoms along M, N, K",
    )  # fmt: skip
    permutation: tuple[int, ...] | None = text(
        None, read=read_permutation, say=lambda t: "" if t is None else str(t).replace(" ", ""), shown=_mma,
        group="Copy or MMA", placeholder="(32,32,16)", tip="the tile's sizes; empty: those of the atoms",
    )  # fmt: skip
    src: Layout | ComposedLayout = text(
        Layout((128, 64), (64, 1)), read=as_layout, shown=_is_copy, group="Data", label="source",
        placeholder="(128,64):(64,1)", tip="layout of the data that is read",
    )  # fmt: skip
    dst: Layout | ComposedLayout = text(
        as_layout("Sw<3,3,3> o 0 o (128,64):(64,1)"), read=as_layout, group="Data", label="target",
        placeholder="(128,64):(72,1)", tip="layout of the data that is written; of an MMA's operand in shared memory",
    )  # fmt: skip
    name: str = text(
        "", read=read_name, group="Data", label="name", placeholder="tAgA", tip="a name of a kernel, explained"
    )
    operand: str = toggle("A", ("A", "B", "C"), shown=lambda p: not _is_copy(p), group="Probe", tip="of the MMA")
    thread: int = index(0, 0, lambda p: p.found.threads - 1, group="Probe", tip="the picked thread")
    value: int = index(0, 0, lambda p: values_of(p.found, p.operand) - 1, group="Probe", tip="which of its values")
    colour: str = toggle("warp", ("warp", "value"), group="Layers", tip="modulo 8")
    whole: bool = check(False, shown=_is_copy, group="Layers", label="wide", tip="small cells, more of the tile")

    @property
    def found(self) -> Tiled:
        """The TiledCopy or TiledMMA that is shown."""
        if self.tiled is not None:
            return self.tiled.value
        if self.kind == "MMA":
            return built_mma(self.atom, self.atoms, self.permutation)
        return built_copy(self.element, self.vector, self.thr, self.val)

    def follow(self, now: Any, asked: Collection[str]) -> dict[str, Any]:
        """A wider vector or another element brings its values along, where they were one vector."""
        if not {"vector", "element"} & set(asked):
            return {}
        if "val" in asked or "tiled" in asked or now.element not in ITEMS or now.vector not in WORDS:
            return {}
        vector = max(now.vector, ITEMS[now.element])
        count = vector // ITEMS[now.element]
        return {"val": Layout((1, count), (count, 1))} if size(now.val) % count else {}

    def settle(self) -> None:
        """The object must be one, and its tile can be drawn."""
        if self.kind not in ("copy", "MMA") or self.operand not in ("A", "B", "C") or self.element not in ITEMS:
            return
        if self.vector not in WORDS or self.vector < ITEMS[self.element]:
            return
        found = self.found
        sizes = found.tile
        if isinstance(found, TiledCopy) and len(sizes) > 2:
            raise CuteLabError(f"a tile of {len(sizes)} modes is not drawn here; shown are tiles of one and two modes")
        if product(tuple(sizes)) > MOST or found.threads * values_of(found, self.operand) > 4 * MOST:
            raise CuteLabError(f"the tile {sizes} is too large to draw; up to {MOST:,} elements are")
        for layout in (self.src, self.dst):
            if size(layout) > 1 << 21:
                raise CuteLabError(f"{layout} has {size(layout):,} elements; counted are up to {1 << 21:,}")
