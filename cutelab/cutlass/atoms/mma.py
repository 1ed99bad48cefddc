"""mma_atom: from the name of a matrix instruction to its layouts, by rule; and the names that CUTLASS has."""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.layout import Layout
from cutelab.cutlass.atoms import rules
from cutelab.cutlass.atoms.atom import REGISTERS, SHARED, TENSOR, MmaAtom
from cutelab.cutlass.atoms.types import IN_NAMES, bits_of
from cutelab.cutlass.pitch_linear import WARP_SIZE

WARPGROUP = 4 * WARP_SIZE
TYPES = "|".join(sorted(IN_NAMES, key=len, reverse=True))
INT8, INT4, FP8 = ("S8", "U8"), ("S4", "U4"), ("E4M3", "E5M2")
MAIN_N = (
    8,
    16,
    32,
    64,
    96,
    128,
    192,
    256,
)  # the sizes of mma_traits_sm90_gmma.hpp; every other multiple of 8 is known too
FP8_CPP = ("float_e4m3_t", "float_e5m2_t", "float_e2m1_t", "float_e2m3_t", "float_e3m2_t")


def _warp_names() -> list[str]:
    """The instructions of one warp (and of Volta's quad pair) whose names spell D, A, B and C."""
    names = [f"SM70_8x8x4_{t}_{major}" for t in ("F16F16F16F16", "F32F16F16F32") for major in ("TN", "NT", "NN", "TT")]
    names += [f"SM75_16x8x8_{t}_TN" for t in ("F32F16F16F32", "F16F16F16F16")] + ["SM75_8x8x16_S32S8S8S32_TN"]
    names += [f"SM80_16x8x{k}_{t}_TN" for t in ("F16F16F16F16", "F32F16F16F32", "F32BF16BF16F32") for k in (8, 16)]
    names += [f"SM80_16x8x{k}_F32TF32TF32F32_TN" for k in (4, 8)]
    names += [f"SM80_8x8x4_{t}_TN" for t in ("F64F64F64F64", "C64C64C64C64", "GC64C64C64GC64")]
    for types, shapes in ((INT8, ("8x8x16", "16x8x16", "16x8x32")), (INT4, ("8x8x32", "16x8x32", "16x8x64"))):
        for a, b, shape, end in product(types, types, shapes, ("", "_SATURATE")):
            names.append(f"SM80_{shape}_S32{a}{b}S32_TN{end}")
    for shape, end in product(("16x8x256", "8x8x128", "16x8x128"), ("XORPOPC", "ANDPOPC")):
        names.append(f"SM80_{shape}_S32U1U1S32_TN_{end}")
    names += [f"SM89_16x8x32_{d}{a}{b}{d}_TN" for d in ("F32", "F16") for a in FP8 for b in FP8]
    names += [f"SM90_16x8x{k}_{t}_TN" for t in ("F64F64F64F64", "C64C64C64C64") for k in (4, 8, 16)]
    return names


def _warpgroup_names() -> list[str]:
    """WGMMA: 64 x N x 32 bytes, A in shared memory or in registers, B in shared memory."""
    majors = "<GMMA::Major::K,GMMA::Major::K>"
    kinds = [(t, 16, "", majors) for t in ("F16F16F16", "F32F16F16", "F32BF16BF16")] + [("F32TF32TF32", 8, "_TN", "<>")]
    kinds += [(f"{d}{a}{b}", 32, "_TN", "<>") for d in ("F16", "F32") for a in FP8 for b in FP8]
    kinds += [(f"S32{a}{b}", 32, end, "") for a in INT8 for b in INT8 for end in ("_TN", "_TN_SATURATE")]
    return [
        f"SM90_64x{n}x{k}_{types}_{where}{end}{arguments}"
        for types, k, end, arguments in kinds
        for where in ("SS", "RS")
        for n in MAIN_N
        if not (types.startswith("S32") and n % 16 and n not in (8, 24))
    ]


def _template_names() -> list[str]:
    names = [f"SM120_16x8x32_TN<{a},{b},float>" for a in FP8_CPP for b in FP8_CPP]
    scaled = "SM120::BLOCKSCALED::SM120_16x8x"
    names += [
        f"{scaled}64_TN_VS<float_e2m1_t,float_e2m1_t,float,{sf}>" for sf in ("float_ue8m0_t,32", "float_ue4m3_t,16")
    ]
    names += [f"{scaled}32_TN_VS<{a},{b},float,float_ue8m0_t,32>" for a in FP8_CPP for b in FP8_CPP]
    majors = "UMMA::Major::K,UMMA::Major::K"
    for kind, types in (("F16BF16", "half_t,half_t,float"), ("TF32", "tfloat32_t,tfloat32_t,float")):
        for m, n in product((64, 128), (64, 128, 256)):
            names.append(f"SM100_MMA_{kind}_SS<{types},{m},{n},{majors}>")
        names += [
            f"SM100_MMA_{kind}_TS<{types},128,128,{majors}>",
            f"SM100_MMA_{kind}_2x1SM_SS<{types},256,256,{majors}>",
        ]
    names.append(f"SM100_MMA_S8_SS<int8_t,int8_t,int32_t,128,128,{majors}>")
    names.append(f"SM100_MMA_F8F6F4_SS<float_e4m3_t,float_e4m3_t,float,128,128,{majors}>")
    return names


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    return ("SM61_DP4A", "SM61_DP2A", *_warp_names(), *_warpgroup_names(), *_template_names())


@lru_cache(maxsize=1)
def _known_warp_names() -> frozenset[str]:
    return frozenset(_warp_names())


def mma_atoms(filter: str = "") -> tuple[str, ...]:
    """Which matrix instructions are listed? Their names, as CUTLASS spells them, from Volta to Blackwell.

    filter: words that must all occur in the name, upper or lower case; `*` and `?` stand for any text and any character.
    `mma_atom` knows more names than are listed: every N of WGMMA, and other template arguments.

    >>> mma_atoms("sm80 tf32")
    ('SM80_16x8x4_F32TF32TF32F32_TN', 'SM80_16x8x8_F32TF32TF32F32_TN')
    >>> mma_atoms("16x8x8_*F64")
    ('SM90_16x8x8_F64F64F64F64_TN',)
    """
    if not isinstance(filter, str):
        raise CuteLabError(f"the filter must be text such as 'SM80 F16', got {shown(filter)}")
    words = [f"*{word.lower()}*" for word in filter.split()]
    return tuple(name for name in _names() if all(fnmatch.fnmatchcase(name.lower(), word) for word in words))


def mma_atom(name: str) -> MmaAtom:
    """Who holds what in this matrix instruction? Its layouts, from CUTLASS's name of it.

    a(thread, value) = m + M*k, b(thread, value) = n + N*k, c(thread, value) = m + M*n. Template arguments of WGMMA may be left
    out; upper and lower case are alike outside template arguments. Raises CuteLabError for an unknown name, with the nearest names.
    Source: cute/atom/mma_traits_sm61.hpp to mma_traits_sm120.hpp; equal to the layouts that CUTLASS 4.7.0 prints.

    >>> atom = mma_atom("SM80_16x8x16_F32F16F16F32_TN")
    >>> atom.shape_mnk, str(atom.a)
    ((16, 8, 16), '((4,8),(2,2,2)):((32,1),(16,8,128))')
    >>> mma_atom("SM90_64x256x16_F32F16F16_SS").c
    Layout('((4,8,4),(2,2,32)):((128,1,16),(64,8,512))')
    """
    if not isinstance(name, str):
        raise CuteLabError(f"an atom's name is text such as 'SM80_16x8x8_F32F16F16F32_TN', got {shown(name)}")
    return _read_name(name)


@lru_cache(maxsize=1024)
def _read_name(name: str) -> MmaAtom:
    plain = re.sub(r"\s+", "", name).removeprefix("cute::")
    base, _, rest = plain.partition("<")
    for pattern, make in READERS:
        match = pattern.fullmatch(base)
        if match:
            arguments = [a for a in rest.removesuffix(">").split(",") if a]
            atom = make(plain, match, arguments)
            if atom is not None:
                return atom
    upper = re.sub(r"(?<=\d)X(?=\d)", "x", base.upper())
    if upper != base:
        try:
            return _read_name(upper + plain[len(base) :])
        except CuteLabError:
            pass
    near = _nearest(plain[:200])
    hint = f"; near it are {', '.join(near)}" if near else ""
    raise CuteLabError(f"no MMA atom is named {shown(name)}{hint}. mma_atoms('SM80') lists those of one architecture")


def _nearest(plain: str) -> list[str]:
    """Up to three listed names, compared without template arguments; the same architecture, and what begins like it, first."""
    arch, _, _ = plain.upper().partition("_")
    names = [name for name in _names() if name.split("_")[0] == arch] or list(_names())
    stems = {name.partition("<")[0]: name for name in reversed(names)}
    said = plain.partition("<")[0]
    longer = [stem for stem in stems if said and stem.upper().startswith(said.upper())]
    near = difflib.get_close_matches(said, longer, n=3, cutoff=0.0)
    near += difflib.get_close_matches(said, [stem for stem in stems if stem not in longer], n=3, cutoff=0.3)
    return [stems[stem] for stem in near[:3]]


def _fma(name: str, _: re.Match[str], arguments: list[str]) -> MmaAtom:
    """One multiply-add of one thread: D, A, B, C, those left out as D."""
    if not 1 <= len(arguments) <= 4:
        raise CuteLabError(f"{name} needs the types <D,A,B,C>, at least the first; for example UniversalFMA<float>")
    d = bits_of(arguments[0])
    given = [bits_of(t) for t in arguments[1:]]
    a, b, c = (*given, *[d] * (3 - len(given)))
    one = Layout((1, 1), (0, 0))
    return MmaAtom(name, (1, 1, 1), Layout(1, 0), one, one, one, (d, a, b, c))


def _dot(name: str, match: re.Match[str], _: list[str]) -> MmaAtom:
    k, bits = (4, 8) if match[1] == "4A" else (2, 16)
    operand = Layout((1, k), (0, 1))
    return MmaAtom(name, (1, 1, k), Layout(1, 0), operand, operand, Layout((1, 1), (0, 0)), (32, bits, bits, 32))


def _volta(name: str, match: re.Match[str], _: list[str]) -> MmaAtom | None:
    if name not in _known_warp_names():
        return None
    d = IN_NAMES[match["d"]]
    a = rules.volta_row() if match["major"][0] == "T" else rules.volta_col()
    b = rules.volta_row() if match["major"][1] == "N" else rules.volta_col()
    return MmaAtom(name, (8, 8, 4), rules.QUAD_PAIR, a, b, rules.volta_accumulator(d), (d, 16, 16, d))


def _warp(name: str, match: re.Match[str], _: list[str]) -> MmaAtom | None:
    if name.replace("SM90::MMA_", "SM90_") not in _known_warp_names():
        return None
    m, n, k = int(match["m"]), int(match["n"]), int(match["k"])
    d, a, b, c = (IN_NAMES[match[x]] for x in "dabc")
    note = ""
    if k == 128 and m == 16:
        note = "CUTLASS 4.7.0's own MMA_Traits of this instruction do not compile (Mismatched Ranks); the layout is the rule's"
    return _of_warp(name, (m, n, k), (d, a, b, c), a, note=note)


def _of_warp(
    name: str, mnk: tuple[int, int, int], bits: tuple[int, int, int, int], packed_bits: int, **more: Any
) -> MmaAtom:
    m, n, k = mnk
    packed = max(1, 32 // packed_bits)
    nested = packed_bits == 4
    a = rules.row_fragment(m, k, packed, nested=nested)
    b = rules.row_fragment(n, k, packed, nested=nested)
    return MmaAtom(name, mnk, Layout(WARP_SIZE), a, b, rules.row_fragment(m, n, 2), bits, **more)


def _warpgroup(name: str, match: re.Match[str], _: list[str]) -> MmaAtom | None:
    n, k = int(match["n"]), int(match["k"])
    d, a, b = (IN_NAMES[match[x]] for x in "dab")
    integer = match["d"] == "S32"
    legal = {(16, 16), (32, 32), (8, 8)}
    if (a, b) not in legal or k * a != 256 or n % 8 or not 8 <= n <= 256 or (integer and n % 16 and n not in (8, 24)):
        return None
    end = match["end"] or ""
    if (
        integer != (match["a"] in INT8)
        or d not in (16, 32)
        or (end == "" and a != 16)
        or (end == "_TN_SATURATE" and not integer)
    ):
        return None
    b_layout = rules.whole_tile(WARPGROUP, n, k)
    in_registers = match["where"] == "RS"
    a_layout = rules.warpgroup_fragment(k, 32 // a) if in_registers else rules.whole_tile(WARPGROUP, 64, k)
    c_layout = rules.warpgroup_accumulator(n)
    places = (REGISTERS if in_registers else SHARED, SHARED, REGISTERS)
    return MmaAtom(name, (64, n, k), Layout(WARPGROUP), a_layout, b_layout, c_layout, (d, a, b, d), places)


def _blackwell_warp(name: str, match: re.Match[str], arguments: list[str]) -> MmaAtom:
    scaled, k = bool(match["scaled"]), int(match["k"])
    wanted = 5 if scaled else 3
    if len(arguments) != wanted or (scaled and not arguments[4].isdigit()):
        raise CuteLabError(
            f"{name} needs {wanted} template arguments: the types of A, B and C"
            + (
                ", the type of the scale factors and how many k share one: <a,b,float,float_ue8m0_t,32>"
                if scaled
                else ": <a,b,float>"
            )
        )
    for cpp in arguments[:2]:
        bits_of(cpp)
    c, held = bits_of(arguments[2]), 8 if k == 32 else 4  # narrower types sit in containers of 8 (k = 32) or 4 bits
    factors = {"sfa": rules.scale_factors(16, k), "sfb": rules.scale_factors(8, k)} if scaled else {}
    atom = _of_warp(name, (16, 8, k), (c, held, held, c), held, **factors)
    return atom


def _umma(name: str, match: re.Match[str], arguments: list[str]) -> MmaAtom:
    two = bool(match["two"])
    if len(arguments) < 5 or not (arguments[3].isdigit() and arguments[4].isdigit()):
        raise CuteLabError(
            f"{name} needs template arguments: <a_type,b_type,c_type,M,N,a_major,b_major>, "
            "for example <half_t,half_t,float,128,256,UMMA::Major::K,UMMA::Major::K>"
        )
    a, b, c = (bits_of(t) for t in arguments[:3])
    m, n = int(arguments[3]), int(arguments[4])
    sizes = (128, 256) if two else (64, 128)
    step = 32 if two else (8 if m == 64 else 16)
    if m not in sizes or n % step or not step <= n <= 256:
        raise CuteLabError(
            f"{name}: M must be {sizes[0]} or {sizes[1]}, N a multiple of {step} up to 256; got {m} x {n}"
        )
    k = 256 // a if a >= 8 else 32
    tiles = ((m, k), (n, k), (m, n))
    first, second, third = (rules.half_tile(*t) if two else rules.whole_tile(1, *t) for t in tiles)
    places = (TENSOR if match["where"] == "TS" else SHARED, SHARED, TENSOR)
    threads = Layout(2) if two else Layout(1, 0)
    note = "a thread here is a thread block: one thread issues the instruction for its block"
    return MmaAtom(name, (m, n, k), threads, first, second, third, (c, a, b, c), places, note=note)


_SHAPE = r"(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)"
READERS: tuple[tuple[re.Pattern[str], Callable[..., MmaAtom | None]], ...] = (
    (re.compile(r"UniversalFMA"), _fma),
    (re.compile(r"SM61_DP(4A|2A)"), _dot),
    (re.compile(rf"SM70_8x8x4_(?P<d>{TYPES})F16F16(?P=d)_(?P<major>TN|NT|NN|TT)"), _volta),
    (
        re.compile(
            rf"SM(?:75_|80_|89_|90_|90::MMA_){_SHAPE}_(?P<d>{TYPES})(?P<a>{TYPES})(?P<b>{TYPES})(?P<c>{TYPES})_TN(?:_[A-Z]+)?"
        ),
        _warp,
    ),
    (
        re.compile(
            rf"SM90(?:_|::GMMA::MMA_)64x(?P<n>\d+)x(?P<k>\d+)_(?P<d>{TYPES})(?P<a>{TYPES})(?P<b>{TYPES})_(?P<where>SS|RS)(?P<end>_TN(?:_SATURATE)?)?"
        ),
        _warpgroup,
    ),
    (re.compile(r"SM120_16x8x(?P<k>32)_TN(?P<scaled>)"), _blackwell_warp),
    (re.compile(r"(?:SM120::BLOCKSCALED::)?SM120_16x8x(?P<k>32|64)_TN_(?P<scaled>VS)"), _blackwell_warp),
    (re.compile(r"SM100_MMA_(?:TF32|F16BF16|S8|F8F6F4)_(?P<two>2x1SM_)?(?P<where>SS|TS)"), _umma),
)
