"""CopyAtom: one copy instruction, and which thread holds which bit of what it moves.

Source: cute/atom/copy_traits*.hpp. The bits of the source and of the destination are mapped to the bits of a reference.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from cutelab.algebra import typed
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import Int
from cutelab.core.layout import Layout, size
from cutelab.core.leaves import mark
from cutelab.cutlass.atoms.types import bits_of

BYTES = (1, 2, 4, 8, 16)
ASYNC = ("SM80_CP_ASYNC_CACHEALWAYS", "SM80_CP_ASYNC_CACHEGLOBAL")
BY_NAME = (
    "SM90_TMA_LOAD", "SM90_TMA_LOAD_MULTICAST", "SM90_TMA_LOAD_IM2COL", "SM90_TMA_STORE", "SM90_TMA_STORE_IM2COL",
    "SM90_TMA_REDUCE_ADD", "SM90_BULK_COPY_G2S", "SM90_BULK_COPY_S2G", "SM90_BULK_COPY_AUTO", "SM100_TMA_2SM_LOAD",
    "SM100_TMA_2SM_LOAD_MULTICAST",
)  # fmt: skip


@dataclass(frozen=True)
class CopyAtom:
    """Which thread holds which value in one copy instruction?

    name        CUTLASS's name of the operation;  element  the type of a value
    thr_id      logical thread to lane
    src, dst    (thread, value) to the value's number in the instruction, on the side that is read and on the side that is written
    ref         the numbering that both are given in: CuTe's ValLayoutRef
    value_bits  bits of a value

    The bulk and TMA operations are known by name: what they move is said when they are made for a tensor. Their layouts are None.

    >>> atom = copy_atom("SM75_U32x4_LDSM_N", "half_t")
    >>> atom.threads, str(atom.src), str(atom.dst)
    (32, '(_32,_8):(_8,_1)', '(_32,(_2,_4)):(_2,(_1,_64))')
    """

    name: str
    value_bits: int
    thr_id: Layout
    src: Layout | None
    dst: Layout | None
    ref: Layout | None
    element: str = ""

    @property
    def threads(self) -> int:
        """How many threads execute the instruction together?"""
        return size(self.thr_id)

    @property
    def layouts(self) -> tuple[Layout, Layout, Layout]:
        """src, dst and ref. Raises CuteLabError for an operation that is known by name only."""
        if self.src is None or self.dst is None or self.ref is None:
            raise CuteLabError(
                f"{self.name} moves what its tensor map says (make_tma_copy); by itself it has no thread and value layout. "
                "TmaTile gives what it writes where"
            )
        return self.src, self.dst, self.ref

    @property
    def bits(self) -> int:
        """How many bits does one thread move with one instruction? (Of ldmatrix: what it receives.)"""
        return size(self.layouts[1][1]) * self.value_bits

    def __str__(self) -> str:
        """The text that CuTe prints for a Copy_Atom; `read` reads it."""
        if self.src is None:
            return f"Copy_Atom<{self.name}, {self.element or f'uint{self.value_bits}_t'}>"
        src, dst, ref = self.layouts
        lines = [
            ("ThrID:", str(self.thr_id)),
            ("ValLayoutSrc:", str(src)),
            ("ValLayoutDst:", str(dst)),
            ("ValLayoutRef:", str(ref)),
            ("ValueType:", f"{self.value_bits}b"),
        ]
        return "\n".join(["Copy_Atom", *(f"  {key:<14}{text}" for key, text in lines)])


def _matrices(count: int) -> Layout:
    """The side of ldmatrix in shared memory: 8 rows of 128 bits a matrix; threads beyond them give no address."""
    if count == 4:
        return Layout((32, 128), (128, 1))
    return Layout(((8 * count, 4 // count), 128), ((128, 0), 1))


def _fragments(count: int, transposed: bool) -> Layout:
    """The side of ldmatrix in registers: 32 bits of each matrix a thread."""
    if transposed:
        values = ((16, 2, count), (1, 128, 1024)) if count > 1 else ((16, 2), (1, 128))
        return Layout(((4, 8), values[0]), ((256, 16), values[1]))
    return Layout((32, (32, count)), (32, (1, 1024))) if count > 1 else Layout((32, 32), (32, 1))


def _warp_atoms() -> dict[str, tuple[Layout, Layout, Layout]]:
    """Source, destination and reference of the operations of a whole warp, in bits."""
    found = {}
    for count in (1, 2, 4):
        for suffix, registers in (
            (f"U32x{count}_{{}}_N", _fragments(count, False)),
            (f"U16x{2 * count}_{{}}_T", _fragments(count, True)),
        ):
            shared = _matrices(count)
            found["SM75_" + suffix.format("LDSM")] = (shared, registers, registers)
            found["SM90_" + suffix.format("STSM")] = (registers, shared, registers)
    plain = Layout((32, 32), (32, 1))
    found["SM75_U32x1_MOVM_T"] = (plain, plain, plain)
    shuffled = Layout(((4, 2, 4), (32, 2)), ((64, 32, 512), (1, 256)))
    found["SM50_Shuffle_U32_2x2Trans_XOR4"] = (Layout((32, 64), (64, 1)), shuffled, Layout((32, 64), (64, 1)))
    return found


WARP_ATOMS = _warp_atoms()
NAME = re.compile(r"(?P<name>\w+)(?:<(?P<types>[^<>]*)>)?")


def copy_atoms() -> tuple[str, ...]:
    """Which copy operations are known? Their names, as CUTLASS spells them.

    >>> copy_atoms()[:2]
    ('UniversalCopy<uint8_t>', 'UniversalCopy<uint16_t>')
    """
    plain = [f"UniversalCopy<uint{8 * n}_t>" for n in BYTES]
    asynchronous = [f"{name}<uint{8 * n}_t>" for name in ASYNC for n in ((4, 8, 16) if name == ASYNC[0] else (16,))]
    return (*plain, "AutoVectorizingCopy", *asynchronous, *WARP_ATOMS, *BY_NAME)


def copy_atom(name: str, element: str | int) -> CopyAtom:
    """Which thread holds what in this copy instruction? From CUTLASS's name of it, and the type of a value.

    element: a C++ type such as "half_t", or the bits of a value. Raises CuteLabError for an unknown name, with the nearest, for
    cp.async of other than 4, 8 or 16 bytes (16 for CACHEGLOBAL), and where the instruction does not move whole values.
    Source: cute/atom/copy_traits.hpp, _sm75, _sm80, _sm90.

    >>> print(copy_atom("UniversalCopy<uint128_t>", "half_t").src, copy_atom("SM80_CP_ASYNC_CACHEALWAYS<float>", 32).src)
    (_1,_8):(_0,_1) (_1,_1):(_0,_1)
    """
    if not isinstance(name, str):
        raise CuteLabError(
            f"a copy operation's name is text such as 'UniversalCopy<uint128_t>', got {shown(name)}"[:250]
        )
    value_bits = bits_of(element) if isinstance(element, str) else _bits(element)
    plain = re.sub(r"\s+|cute::|cutlass::|\{\}|(?<=<)const(?=\w)", "", name)
    match = NAME.fullmatch(plain)
    base = match["name"] if match else plain
    spelled = element if isinstance(element, str) else ""
    if base in BY_NAME:
        return CopyAtom(plain, value_bits, mark_layout(Layout(1, 0)), None, None, None, spelled)
    if base in WARP_ATOMS and match and match["types"] is None:
        sides, threads = WARP_ATOMS[base], Layout(32)
    elif match and (
        base in ("UniversalCopy", "DefaultCopy", "AutoVectorizingCopy", "AutoVectorizingCopyWithAssumedAlignment")
        or base.removesuffix("_ZFILL") in ASYNC
    ):
        bits = _one_thread(plain, base, match["types"])
        one = Layout((1, bits), (0, 0 if bits == 1 else 1))
        sides, threads = (one, one, one), Layout(1, 0)
    else:
        near = difflib.get_close_matches(base, [n.partition("<")[0] for n in copy_atoms()], 3, 0.3)
        raise CuteLabError(
            f"no copy operation is named {shown(name[:60])}; near it are {', '.join(dict.fromkeys(near)) or 'none'}"
        )
    try:
        src, dst, ref = (_in_values(side, value_bits) for side in sides)
    except CuteLabError:
        raise CuteLabError(
            f"{plain} does not move whole values of {value_bits} bits: CuTe cannot count its bits in such values"
        ) from None
    return CopyAtom(plain, value_bits, mark_layout(threads), src, dst, ref, spelled)


def mark_layout(layout: Layout) -> Layout:
    """The same layout with compile-time integers.

    >>> mark_layout(Layout((4, 2)))
    Layout('(_4,_2):(_1,_4)')
    """
    return Layout(mark(layout.shape), mark(layout.stride))


def _bits(element: object) -> int:
    if not isinstance(element, int) or isinstance(element, bool) or not 1 <= element <= 256:
        raise CuteLabError(f"element is a C++ type such as 'half_t', or 1 to 256 bits, got {shown(element)}"[:250])
    return element


def _one_thread(plain: str, base: str, types: str | None) -> int:
    """The bits that one thread moves with this operation."""
    if base in ("DefaultCopy", "AutoVectorizingCopy", "AutoVectorizingCopyWithAssumedAlignment"):
        return 1
    if not types:
        raise CuteLabError(f"{plain} needs the type that it moves, for example {base}<uint128_t>")
    first = types.split(",")[0]
    bits = bits_of(first)
    if base.startswith("SM80"):
        allowed = (4, 8, 16) if "ALWAYS" in base else (16,)
        if bits not in [8 * n for n in allowed]:
            raise CuteLabError(
                f"{plain}: cp.async{'.ca' if 'ALWAYS' in base else '.cg'} moves {' or '.join(map(str, allowed))} bytes, not {bits / 8:g}"
            )
    return bits


def _in_values(side: Layout, value_bits: int) -> Layout:
    if size(side[1]) > 1 and size(side[1]) % value_bits:
        raise CuteLabError("not whole values")
    found = typed.lower(typed.upcast(typed.lift(side)[0], Int(value_bits)))
    assert isinstance(found, Layout)
    return mark_layout(found)
