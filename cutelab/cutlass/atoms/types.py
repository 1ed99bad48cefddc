"""Element types of matrix instructions: how many bits, and how CUTLASS spells them."""

from __future__ import annotations

from cutelab.core.errors import CuteLabError, shown

# As they stand in an instruction's name: F32F16F16F32 and the like.
IN_NAMES = {
    "F64": 64, "F32": 32, "TF32": 32, "F16": 16, "BF16": 16, "E4M3": 8, "E5M2": 8,
    "S32": 32, "S8": 8, "U8": 8, "S4": 4, "U4": 4, "U1": 1, "C64": 128, "GC64": 192,
}  # fmt: skip

# As C++ types, in template arguments.
CPP = {
    "double": 64, "float": 32, "tfloat32_t": 32, "half_t": 16, "bfloat16_t": 16, "float_e4m3_t": 8, "float_e5m2_t": 8,
    "float_ue8m0_t": 8, "float_ue4m3_t": 8, "float_e2m1_t": 4, "float_e2m3_t": 6, "float_e3m2_t": 6, "int8_t": 8, "uint8_t": 8,
    "int32_t": 32, "uint32_t": 32, "int4b_t": 4, "uint4b_t": 4, "uint1b_t": 1, "int16_t": 16, "uint16_t": 16,
    "int64_t": 64, "uint64_t": 64, "uint128_t": 128, "uint1_t": 1, "__half": 16, "__nv_bfloat16": 16, "bool": 8,
    "char": 8, "int": 32, "unsigned": 32,
}  # fmt: skip


def bits_of(cpp_type: str) -> int:
    """How many bits has an element of this C++ type? Raises CuteLabError for an unknown one.

    >>> bits_of("cutlass::half_t"), bits_of("float_e2m1_t")
    (16, 4)
    """
    if not isinstance(cpp_type, str):
        raise CuteLabError(f"an element type is a text such as 'half_t', got {shown(cpp_type)}")
    name = cpp_type.strip().removeprefix("cutlass::").removeprefix("cute::")
    if name not in CPP:
        raise CuteLabError(f"the element type {shown(cpp_type)} is not known; known are {', '.join(CPP)}")
    return CPP[name]
