"""The shared-memory layouts that WGMMA and UMMA read, and tensor memory.

Source: cute/atom/mma_traits_sm90_gmma.hpp, mma_traits_sm100.hpp, "Common layouts".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cutelab.algebra import tile_to_shape
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int, to_text
from cutelab.core.layout import ComposedLayout, Layout
from cutelab.core.swizzle import Swizzle
from cutelab.cutlass.atoms.types import bits_of

# The bits of one row of 8 and the swizzle of byte addresses.
KINDS = {
    "INTER": (128, Swizzle(0, 4, 3)),
    "SW32": (256, Swizzle(1, 4, 3)),
    "SW64": (512, Swizzle(2, 4, 3)),
    "SW128": (1024, Swizzle(3, 4, 3)),
    "SW128_32B": (1024, Swizzle(2, 5, 2)),
}
NAME = re.compile(
    r"(?:cute::)?(?:(GMMA|UMMA)::)?Layout_(K|MN)_(INTER|SW32|SW64|SW128|SW128_32B)_Atom(?:_Bits|<\s*([\w:]+)\s*>)"
)


@dataclass(frozen=True)
class SmemAtom:
    """Where in shared memory does WGMMA or UMMA expect which element? The smallest piece of the layout.

    name                  CUTLASS's name
    major                 "K": rows of M (or N), contiguous along K; "MN": contiguous along M (or N)
    bits                  bits of an element
    byte_swizzle          the swizzle in units of bytes: CuTe keeps it on the pointer and prints it before `smem_ptr`
    inner                 the layout before the swizzle, (M or N, K) to element offset

    `layout` has the swizzle in units of elements and gives the true element offsets (CuTe's position-independent form).

    >>> atom = smem_atom("GMMA::Layout_K_SW128_Atom<half_t>")
    >>> atom.inner(1, 0), atom.layout(1, 0)  # the swizzle moves row 1 by 16 bytes
    (64, 72)
    """

    name: str
    major: str
    bits: int
    byte_swizzle: Swizzle
    inner: Layout

    @property
    def swizzle(self) -> Swizzle:
        """The same swizzle in units of elements.

        >>> atom = smem_atom("GMMA::Layout_K_SW128_Atom<half_t>")
        >>> atom.byte_swizzle, atom.swizzle
        (Swizzle(3, 4, 3), Swizzle(3, 3, 3))
        """
        return self.byte_swizzle.recast(1, self.bits / 8)

    @property
    def layout(self) -> Layout | ComposedLayout:
        """(M or N, K) to element offset, swizzle included; unit: elements. CuTe's position-independent layout.

        >>> str(smem_atom("GMMA::Layout_MN_SW32_Atom<float>").layout)
        'Sw<1,2,3> o 0 o (8,8):(1,8)'
        """
        return ComposedLayout(self.swizzle, 0, self.inner) if self.byte_swizzle.bits else self.inner

    def tile_to_shape(self, shape: tuple[int, int]) -> Layout | ComposedLayout:
        """The atom repeated to a larger tile, as cute::tile_to_shape does; unit: elements.

        >>> str(smem_atom("GMMA::Layout_K_SW128_Atom<half_t>").tile_to_shape((128, 128)))
        'Sw<3,3,3> o 0 o ((8,16),(64,2)):((64,512),(1,8192))'
        """
        return tile_to_shape(self.layout, shape)

    def __str__(self) -> str:
        """As CuTe prints it: the swizzle before `smem_ptr` acts on byte addresses."""
        inner = f"{to_text(self.inner.shape, static=True)}:{to_text(self.inner.stride, static=True)}"
        return f"{self.byte_swizzle} o smem_ptr[{self.bits}b](unset) o {inner}"


def smem_atoms(element_type: str = "half_t") -> tuple[str, ...]:
    """Which shared-memory atoms are there? Their names for one element type.

    >>> smem_atoms("float")[:2]
    ('GMMA::Layout_K_INTER_Atom<float>', 'GMMA::Layout_K_SW32_Atom<float>')
    """
    bits_of(element_type)
    kinds = [k for k in KINDS if k != "SW128_32B"]
    names = [
        f"{family}::Layout_{major}_{kind}_Atom<{element_type}>"
        for family in ("GMMA", "UMMA")
        for major in ("K", "MN")
        for kind in kinds
    ]
    return (*names, f"UMMA::Layout_MN_SW128_32B_Atom<{element_type}>")


def smem_atom(name: str) -> SmemAtom:
    """Which shared-memory layout has this name? `GMMA::Layout_K_SW128_Atom<half_t>`, `UMMA::Layout_MN_INTER_Atom_Bits`.

    The 128-byte swizzle spreads 8 rows of 128 bytes over all 32 banks: 16-byte pieces of one column meet in no bank.
    Raises CuteLabError for another name or element type.

    >>> str(smem_atom("GMMA::Layout_K_SW128_Atom<half_t>"))
    'Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)'
    >>> smem_atom("UMMA::Layout_MN_SW128_32B_Atom<float>").inner
    Layout('(32,4):(1,32)')
    """
    match = NAME.fullmatch(name.strip()) if isinstance(name, str) else None
    if match is None or (match[3] == "SW128_32B" and (match[1] == "GMMA" or match[2] == "K")):
        raise CuteLabError(
            f"no shared-memory atom is named {shown(name)}; names look like GMMA::Layout_K_SW128_Atom<half_t>, with K or MN, "
            "INTER, SW32, SW64 or SW128 (UMMA has MN_SW128_32B too), or end in _Atom_Bits"
        )
    bits = bits_of(match[4]) if match[4] else 1
    row, swizzle = KINDS[match[3]]
    if row % bits:
        raise CuteLabError(f"{name}: a row of {row} bits does not hold whole elements of {bits} bits")
    lines = 4 if match[3] == "SW128_32B" else 8
    along = row // bits
    inner = Layout((lines, along), (along, 1)) if match[2] == "K" else Layout((along, lines))
    return SmemAtom(name.strip(), match[2], bits, swizzle, inner)


TMEM_LANES, TMEM_COLUMNS = 128, 512  # columns of 32 bits


def tmem_layout(rows: int, cols: int, bits: int = 32, *, accumulator_bits: int = 32) -> Layout:
    """Where in tensor memory lies element (row, col) of a tile? Offsets count elements of `bits`.

    Tensor memory has 128 lanes and 512 columns of 32 bits. The lane stands in bits 16 and up of an address and the column below,
    so lanes are 65536 columns apart: the lane stride is 65536 * 32 / bits elements, whatever the tile. An accumulator of fewer
    than 32 bits still takes a column an element. Raises CuteLabError for a tile that does not fit.
    Source: cute/atom/mma_traits_sm100.hpp, tmem_frg_1sm.

    >>> tmem_layout(128, 256), tmem_layout(128, 256, 16)
    (Layout('(128,256):(65536,1)'), Layout('(128,256):(131072,2)'))
    """
    if (
        not is_int(bits)
        or bits not in (8, 16, 32, 64, 128)
        or not is_int(accumulator_bits)
        or (accumulator_bits % bits and bits < 32)
    ):
        raise CuteLabError(f"tensor memory holds elements of 8, 16, 32, 64 or 128 bits, got {shown(bits)}")
    if not (is_int(rows) and is_int(cols) and rows >= 1 and cols >= 1):
        raise CuteLabError(f"the tile must have whole sizes of 1 or more, got {shown(rows)} x {shown(cols)}")
    taken = cols * max(bits, accumulator_bits) // 32
    if rows > TMEM_LANES or taken > TMEM_COLUMNS:
        raise CuteLabError(
            f"a tile of {shown(rows)} x {shown(cols)} needs {shown(rows)} lanes and {shown(taken)} columns; tensor memory has {TMEM_LANES} lanes and "
            f"{TMEM_COLUMNS} columns of 32 bits"
        )
    return Layout((rows, cols), (65536 * 32 // bits, max(1, accumulator_bits // bits)))
