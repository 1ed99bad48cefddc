"""The offset formulas of CUTLASS 2.x matrix layouts, as array expressions of (contiguous, strided, leading dimension).

A *view* says how a matrix coordinate (row, column) becomes (contiguous, strided): ColumnMajor takes (row, column), RowMajor
(column, row); without a view the coordinate is (contiguous, strided) itself. Sources: cutlass/layout/matrix.h,
pitch_linear.h, tensor_op_multiplicand_sm70.h, _sm75.h, _sm80.h (4.7.0).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cutelab.core.errors import CuteLabError

Offset = Callable[..., Any]
BITS = (1, 2, 4, 8, 16, 32, 64, 128)  # element sizes


@dataclass(frozen=True)
class Family:
    """One layout template: its parameters, its offset, and how it chooses stride and capacity.

    packed            which extent the packed stride is: "contiguous" or "strided"
    view_packed       the same for the RowMajor... and ColumnMajor... wrappers
    capacity          which extent the stride is multiplied by
    interleaved       the packed stride is multiplied, and the capacity's extent divided (rounding up), by the parameter
    views             which names exist: "" is the bare one
    """

    name: str
    parameters: tuple[str, ...]
    offset: Offset
    views: tuple[str, ...]
    packed: str = "contiguous"
    view_packed: str = "contiguous"
    capacity: str = "strided"
    interleaved: bool = False
    check: Callable[..., None] = lambda *parameters: None


def pitch_linear(c: Any, s: Any, ld: int) -> Any:
    """contiguous + strided * ld: PitchLinear, RowMajor, ColumnMajor.

    >>> pitch_linear(3, 2, 8)
    19
    """
    return c + s * ld


def interleaved(c: Any, s: Any, ld: int, k: int) -> Any:
    """k neighbouring lines are woven together: (s / k) * ld + c * k + s % k.

    >>> [interleaved(c, s, 8, 2) for c in (0, 1) for s in (0, 1, 2)]
    [0, 1, 8, 2, 3, 10]
    """
    return s // k * ld + c * k + s % k


def tensor_op(c: Any, s: Any, ld: int, bits: int, crosswise: int) -> Any:
    """TensorOpMultiplicand: f lines share a 128-byte line of shared memory, whose 16-byte vectors are permuted by XOR.

    e = 128 / bits, f = 8 * e / crosswise, vc = c / e, vs = s / f, x = vc % (8 / f) + (s % f) * (8 / f), y = vs % max(8 / f, 4);
    the low two bits of x are XORed with y % 4, the next one with y / 4. offset = ((vc / (8 / f)) * 8 + x') * e + c % e + vs * f * ld.

    >>> tensor_op(0, 1, 64, 16, 64), tensor_op(8, 1, 64, 16, 64)
    (72, 64)
    """
    e, f = 128 // bits, 8 * (128 // bits) // crosswise
    per = 8 // f
    vector, line = c // e, s // f
    x = vector % per + s % f * per
    y = line % max(per, 4)
    low, high = (x % 4) ^ (y % 4), (x // 4) ^ (y // 4 % 2)
    return (vector // per * 8 + high * 4 + low) * e + c % e + line * ld * f


def congruous(c: Any, s: Any, ld: int, bits: int, crosswise: int) -> Any:
    """TensorOpMultiplicandCongruous: TensorOpMultiplicand, except for 32-bit elements (TF32), whatever the crosswise size.

    >>> congruous(0, 1, 32, 32, 32), congruous(0, 1, 64, 16, 64)
    (40, 72)
    """
    if bits != 32:
        return tensor_op(c, s, ld, bits, crosswise)
    return (c % 32 // 4 ^ 2 * (s % 4)) * 4 + s * ld + c // 32 * 32 + c % 4


def congruous_64b(c: Any, s: Any, ld: int) -> Any:
    """TensorOpMultiplicandCongruous64b: blocks of 16 x 4 elements of 8 bytes.

    >>> [congruous_64b(c, 1, 16) for c in range(4)]
    [2, 10, 16, 24]
    """
    x, y = c % 16, s % 4
    row = (x & 6) // 2
    bank = (((x & 1) * 4 + row) ^ (y & 1)) * 2 + x // 8
    return c // 16 * 16 + (bank ^ (y & 2) * 2) + (s // 4 * 4 + row) * ld


def crosswise_64b(c: Any, s: Any, ld: int) -> Any:
    """TensorOpMultiplicand64bCrosswise: blocks of 16 x 16; the contiguous index chooses the line of shared memory.

    >>> [crosswise_64b(c, 1, 16) for c in (0, 1, 4, 8)]
    [8, 10, 73, 128]
    """
    x, y = c % 16, s % 16
    group, pair = x // 4, y // 2
    bank = ((group & 2) << 2) ^ ((y % 2 << 3) + x % 4 * 2 + pair // 4) ^ (group & 1)
    return (group * 4 + pair % 4 + c // 16 * 16) * ld + s // 16 * 16 + bank


def congruous_128b(c: Any, s: Any, ld: int) -> Any:
    """TensorOpMultiplicandCongruous128b: blocks of 8 x 4 elements of 16 bytes.

    >>> [congruous_128b(c, 1, 16) for c in range(4)]
    [1, 5, 16, 20]
    """
    x, y = c % 8, s % 4
    return c // 8 * 8 + (x & 1) * 4 + (y ^ x // 2) + (s // 4 * 4 + x // 2) * ld


def crosswise_128x4(c: Any, s: Any, ld: int) -> Any:
    """TensorOpMultiplicandCrosswise128x4: blocks of 8 x 8; the contiguous index chooses the line of shared memory.

    >>> [crosswise_128x4(c, 1, 16) for c in (0, 1, 4, 8)]
    [4, 5, 64, 132]
    """
    x, y = c % 8, s % 8
    bank = (x % 4 + (y & 1) * 4) ^ (x & 4)
    return (c // 8 * 8 + (x & 4) + y // 4 * 2 + (y & 2) // 2) * ld + s // 8 * 8 + bank


def volta_congruous(c: Any, s: Any, ld: int, bits: int) -> Any:
    """VoltaTensorOpMultiplicandCongruous (operand A): blocks of 8 x 4 vectors of 16 bytes.

    >>> [volta_congruous(8 * v, 1, 64, 16) for v in range(4)]
    [8, 40, 64, 96]
    """
    e = 128 // bits
    x, y = c // e % 8, s % 4
    row = x >> 1
    return (c // e // 8 * 8 + ((y ^ row) | (x & 1) << 2)) * e + c % e + (s // 4 * 4 + row) * ld


def volta_b_congruous(c: Any, s: Any, ld: int, bits: int) -> Any:
    """VoltaTensorOpMultiplicandBCongruous (operand B): blocks of 8 x 4 vectors of 16 bytes.

    >>> [volta_b_congruous(8 * v, 1, 64, 16) for v in range(5)]
    [8, 64, 152, 208, 40]
    """
    e = 128 // bits
    x, y = c // e % 8, s % 4
    row = x & 3
    return (c // e // 8 * 8 + ((y ^ row) | x & 4)) * e + c % e + (s // 4 * 4 + row) * ld


def volta_crosswise(c: Any, s: Any, ld: int, bits: int, kblock: int) -> Any:
    """VoltaTensorOpMultiplicandCrosswise: vectors of 8 bytes; the contiguous index chooses the line. kblock changes nothing.

    >>> [volta_crosswise(0, s, 32, 16, 32) for s in range(5)]
    [0, 16, 32, 48, 4]
    """
    e = 64 // bits
    vector = c // e
    place = (s & ~15) + (s & 3) * 4 + ((s >> 2 ^ (s & 16) >> 3) & 3)
    return (place ^ (vector >> 1 & 3)) * e + c % e + vector * ld * e


def _check_interleave(k: int) -> None:
    if k < 1:
        raise CuteLabError(f"the interleave must be 1 or more, got {k}; CUTLASS uses 4, 32 and 64")


def _check_bits(bits: int, *rest: int) -> None:
    if bits not in BITS:
        raise CuteLabError(f"ElementSize counts bits: {', '.join(map(str, BITS))} work, got {bits}")


def _check_volta(bits: int, kblock: int) -> None:
    if bits not in BITS[:-1]:
        raise CuteLabError(
            f"ElementSize counts bits: {', '.join(map(str, BITS[:-1]))} work in vectors of 8 bytes, got {bits}"
        )


def _check_tensor_op(bits: int, crosswise: int) -> None:
    _check_bits(bits)
    e = 128 // bits
    if not e <= crosswise <= 8 * e:
        raise CuteLabError(
            f"Crosswise {crosswise} must be from one vector of 16 bytes ({e} elements of {bits} bits) to one line of "
            f"128 bytes ({8 * e} elements)"
        )


def _check_congruous(bits: int, crosswise: int) -> None:
    if bits == 32 and crosswise >= 1:
        return
    _check_tensor_op(bits, crosswise)


BOTH = ("", "ColumnMajor", "RowMajor")
TWO = ("ElementSize", "Crosswise")
FAMILIES = (
    Family("PitchLinear", (), pitch_linear, ("",)),
    Family("", (), pitch_linear, ("ColumnMajor", "RowMajor")),
    Family(
        "Interleaved",
        ("Interleave",),
        interleaved,
        ("ColumnMajor", "RowMajor"),
        interleaved=True,
        check=_check_interleave,
    ),
    Family("TensorOpMultiplicand", TWO, tensor_op, ("",), check=_check_tensor_op),
    Family("TensorOpMultiplicandCongruous", TWO, congruous, BOTH, check=_check_congruous),
    Family("TensorOpMultiplicandCrosswise", TWO, tensor_op, BOTH, check=_check_tensor_op),
    Family("TensorOpMultiplicandCongruous64b", (), congruous_64b, BOTH),
    Family("TensorOpMultiplicand64bCrosswise", (), crosswise_64b, BOTH, view_packed="strided"),
    Family("TensorOpMultiplicandCongruous128b", (), congruous_128b, BOTH),
    Family("TensorOpMultiplicandCrosswise128x4", (), crosswise_128x4, BOTH, view_packed="strided"),
    Family("VoltaTensorOpMultiplicandCongruous", ("ElementSize",), volta_congruous, BOTH, check=_check_bits),
    Family("VoltaTensorOpMultiplicandBCongruous", ("ElementSize",), volta_b_congruous, BOTH, check=_check_bits),
    Family(
        "VoltaTensorOpMultiplicandCrosswise",
        ("ElementSize", "KBlock"),
        volta_crosswise,
        BOTH,
        packed="strided",
        view_packed="strided",
        capacity="contiguous",
        check=_check_volta,
    ),
)
NAMES: dict[str, tuple[Family, str]] = {view + f.name: (f, view) for f in FAMILIES for view in f.views}
AFFINE = ("AffineRank2ColumnMajor", "AffineRank2RowMajor")
