"""Topic "tensor_core", what is chosen: atoms by a short name, element types, and the tile in shared memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, as_layout, size
from cutelab.core.swizzle import Swizzle
from cutelab.course.card.shared_tile import check_tile, split
from cutelab.cutlass.atoms import MmaAtom, mma_atom, smem_atom
from cutelab.cutlass.atoms.types import IN_NAMES
from cutelab.hardware.chip import Chip

MAJOR = "UMMA::Major::K,UMMA::Major::K"
LISTED = {
    "Volta 8x8x4 half": "SM70_8x8x4_F32F16F16F32_TN",
    "Volta 8x8x4 half, half sums": "SM70_8x8x4_F16F16F16F16_TN",
    "Turing 16x8x8 half": "SM75_16x8x8_F32F16F16F32_TN",
    "Turing 8x8x16 int8": "SM75_8x8x16_S32S8S8S32_TN",
    "Ampere 16x8x8 half": "SM80_16x8x8_F32F16F16F32_TN",
    "Ampere 16x8x16 half": "SM80_16x8x16_F32F16F16F32_TN",
    "Ampere 16x8x16 bfloat16": "SM80_16x8x16_F32BF16BF16F32_TN",
    "Ampere 16x8x8 tf32": "SM80_16x8x8_F32TF32TF32F32_TN",
    "Ampere 8x8x4 float64": "SM80_8x8x4_F64F64F64F64_TN",
    "Ampere 16x8x32 int8": "SM80_16x8x32_S32S8S8S32_TN",
    "Ampere 16x8x64 int4": "SM80_16x8x64_S32S4S4S32_TN",
    "Ampere 16x8x256 one bit": "SM80_16x8x256_S32U1U1S32_TN_XORPOPC",
    "Ada 16x8x32 FP8": "SM89_16x8x32_F32E4M3E4M3F32_TN",
    "Hopper 16x8x8 float64": "SM90_16x8x8_F64F64F64F64_TN",
    "Hopper WGMMA 64x64x16 half": "SM90_64x64x16_F32F16F16_SS",
    "Hopper WGMMA 64x64x16, A in registers": "SM90_64x64x16_F32F16F16_RS",
    "Hopper WGMMA 64x256x16 half": "SM90_64x256x16_F32F16F16_SS",
    "Hopper WGMMA 64x64x8 tf32": "SM90_64x64x8_F32TF32TF32_SS_TN",
    "Hopper WGMMA 64x128x32 FP8": "SM90_64x128x32_F32E4M3E4M3_SS_TN",
    "Blackwell 16x8x32 FP8": "SM120_16x8x32_TN<float_e4m3_t,float_e4m3_t,float>",
    "Blackwell 16x8x64 FP4, block-scaled": "SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,32>",
    "Blackwell UMMA 128x256x16 half": f"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256,{MAJOR}>",
    "Blackwell UMMA 256x256x16, two blocks": f"SM100_MMA_F16BF16_2x1SM_SS<half_t,half_t,float,256,256,{MAJOR}>",
}
"""The atoms that the explorer offers, from Volta to Blackwell: a short name, and CUTLASS's name."""

SCALES = ("SFA", "SFB")
KINDS = ("INTER", "SW32", "SW64", "SW128")
WORDS = {
    "F64": "float64", "F32": "float32", "TF32": "tf32", "F16": "half", "BF16": "bfloat16", "E4M3": "e4m3", "E5M2": "e5m2",
    "S32": "int32", "S8": "int8", "U8": "uint8", "S4": "int4", "U4": "uint4", "U1": "one bit", "C64": "complex128",
    "GC64": "complex128", "half_t": "half", "float": "float32", "tfloat32_t": "tf32", "bfloat16_t": "bfloat16",
}  # fmt: skip
TYPES = re.compile("|".join(sorted(IN_NAMES, key=len, reverse=True)))
NAMED = re.compile(rf"_((?:{TYPES.pattern}){{3,4}})(?=_|<|$)")
STORED = {8: "int8_t", 16: "half_t", 32: "float"}
MAX_ELEMENTS = 2**17
PRINTED = re.compile(r"ptr\s*\[\s*(\d+)\s*b\s*\]")


def short_name(atom: str) -> str:
    """The entry of the list that stands for this atom; "another" for one that is not listed.

    >>> short_name("SM90_64x64x16_F32F16F16_SS<GMMA::Major::K,GMMA::Major::K>"), short_name("SM61_DP4A")
    ('Hopper WGMMA 64x64x16 half', 'another')
    """
    plain = atom.partition("<")[0] if atom.startswith("SM90") else atom
    return next((short for short, name in LISTED.items() if name == plain), "another")


def operands(atom: MmaAtom) -> tuple[str, ...]:
    """A, B and C; for block-scaled atoms the scale factors too."""
    return ("A", "B", "C") if atom.sfa is None else ("A", "B", "C", *SCALES)


class Operand(NamedTuple):
    """One operand of an atom: its layout (thread, value) -> code, its tile, bits of an element, and where it lies."""

    layout: Layout
    tile: tuple[int, int]
    bits: int
    place: str


def operand_of(atom: MmaAtom, which: str) -> Operand:
    """Layout, tile, bits of an element and place of an operand; scale factors are operands too."""
    m, n, k = atom.shape_mnk
    if which == "SFA" and atom.sfa is not None:
        return Operand(atom.sfa, (m, k), 8, "registers")
    if which == "SFB" and atom.sfb is not None:
        return Operand(atom.sfb, (n, k), 8, "registers")
    layout, tile = atom.operand(which)
    return Operand(layout, tile, atom.bits(which), atom.place(which))


@lru_cache(maxsize=256)
def element(name: str, which: str, bits: int) -> str:
    """What is an element called? From the types in the atom's name.

    >>> element("SM80_16x8x8_F32TF32TF32F32_TN", "A", 32), element("SM120_16x8x32_TN<float_e4m3_t,float_e4m3_t,float>", "B", 8)
    ('tf32', 'e4m3')
    """
    if which in SCALES:
        return "scale factors"
    found = NAMED.search(name)
    if found:
        d, a, b = TYPES.findall(found[1])[:3]
        return WORDS[{"A": a, "B": b, "C": d}[which]]
    arguments = name.partition("<")[2].split(",")
    if len(arguments) < 3:
        return f"{bits}-bit"
    said = arguments["ABC".index(which)].strip("> ")
    return WORDS.get(said, said.removeprefix("float_").removesuffix("_t"))


def letters(which: str) -> tuple[str, str]:
    """The names of rows and columns: ("m", "k") of A."""
    return {"A": ("m", "k"), "B": ("n", "k"), "C": ("m", "n"), "SFA": ("m", "k"), "SFB": ("n", "k")}[which]


def plain_rows(tile: tuple[int, int], bits: int) -> Layout:
    """The tile in shared memory if nothing else is said: the operand's rows, of 128 bytes or more, one after the other.

    >>> print(plain_rows((16, 16), 16), plain_rows((8, 4), 64))
    (16,64):(64,1) (8,16):(16,1)
    """
    rows, cols = tile
    wide = cols * -(-max(1024 // bits, 1) // cols)
    return Layout((rows, wide), (wide, 1))


@dataclass(frozen=True)
class Pasted:
    """A layout with the size of its elements, as a kernel prints it: `smem_ptr[16b]`. Bits: of an element."""

    layout: Layout | ComposedLayout
    bits: int


def read_atom(value: Any) -> MmaAtom:
    """The atom with this name, or an atom that has one."""
    found = mma_atom(value.name if isinstance(value, MmaAtom) else value)
    if isinstance(value, MmaAtom) and found != value:
        raise CuteLabError(f"this explorer shows atoms as CUTLASS has them; {value.name} is another there")
    return found


def read_smem(value: Any) -> Layout | ComposedLayout | Pasted | None:
    """The layout that this text names, perhaps with its swizzle and its elements; None for no text."""
    if value is None or isinstance(value, Layout | ComposedLayout | Pasted):
        return value
    if isinstance(value, str) and not value.strip():
        return None
    layout, bits = as_layout(value), PRINTED.search(value)
    return layout if bits is None else Pasted(layout, int(bits[1]))


def say_smem(layout: Layout | None) -> str:
    """The text of a tile; nothing for the plain one."""
    return "" if layout is None else str(layout)


def take_apart(
    smem: Layout | ComposedLayout | Pasted | None, held: Operand, chip: Chip, swizzle: Swizzle | None = None
) -> tuple[Layout | None, Swizzle | None]:
    """The tile for this operand without its swizzle, and the swizzle: `swizzle`, or the one in the layout.

    Raises CuteLabError for a tile of other elements, one that is none or too large, and two swizzles.
    """
    if smem is None:
        return None, swizzle
    if isinstance(smem, Pasted):
        if smem.bits != held.bits:
            raise CuteLabError(
                f"{smem.layout} has elements of {smem.bits} bits, the operand elements of {held.bits}; they must be the same"
            )
        smem = smem.layout
    layout, within = split(smem)
    if size(layout) > MAX_ELEMENTS:
        raise CuteLabError(
            f"{layout} has {size(layout):.6g} elements; shared memory of a block has {chip.block_bytes:,} bytes"
        )
    check_tile(layout, max(1, held.bits // 8), chip.block_bytes)
    if swizzle is not None and within is not None and swizzle != within:
        raise CuteLabError(f"{smem} has a swizzle already; leave `swizzle` empty, or give the layout without one")
    return layout, swizzle or within


@lru_cache(maxsize=64)
def canonical(atom: str, tile: tuple[int, int], bits: int, kind: str) -> Layout | ComposedLayout:
    """The layout in which WGMMA or UMMA expects this operand, K-major: CuTe's atom repeated to rows of 128 bytes.

    >>> str(canonical("SM90_64x64x16_F32F16F16_SS", (64, 16), 16, "SW128"))
    'Sw<3,3,3> o 0 o ((8,8),(64,1)):((64,512),(1,0))'
    """
    family = "UMMA" if mma_atom(atom).name.startswith("SM100") else "GMMA"
    found = smem_atom(f"{family}::Layout_K_{kind}_Atom<{STORED[max(bits, 8)]}>")
    return found.tile_to_shape((tile[0], max(tile[1], 1024 // max(bits, 8))))
