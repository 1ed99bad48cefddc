"""explain_names: what tCsA, tAgB, gA, tXrA and the like say, letter by letter, and the modes of a printed layout in words."""

from __future__ import annotations

import re
from typing import Any

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import Int, flatten, to_text
from cutelab.core.layout import ComposedLayout
from cutelab.core.leaves import ScaledBasis, stride_leaves, strides_text
from cutelab.cutlass.tv.thread_part import as_data

MEMORY = {"g": "global memory", "s": "shared memory", "r": "registers", "t": "tensor memory"}
MATRIX = {
    "A": "A (M x K)", "B": "B (N x K)", "C": "C (M x N)", "D": "D, the result (M x N)", "Q": "Q, the queries", "K": "K, the keys",
    "V": "V, the values", "O": "O, the output", "P": "P, the probabilities", "S": "S, the scores", "Vt": "V, transposed",
    "I": "the input", "X": "X", "Y": "Y", "L": "L", "SFA": "the scale factors of A", "SFB": "the scale factors of B",
    "Bias": "the bias", "Acc": "the accumulator", "acc": "the accumulator",
}  # fmt: skip
ROWS = {"A": "MK", "B": "NK", "C": "MN", "D": "MN"}
NAME = re.compile(r"(?P<by>t(?P<letter>[A-Z]))?(?P<memory>[gsrtcmp])?(?P<matrix>[A-Z]\w*|acc\w*)?")


def explain_names(name: str, layout: Any = None) -> str:
    """What does a name such as tCsA say? And, with its printed layout, what is each mode?

    A name of CuTe's examples is read from left to right: t, then the letter of who partitioned it (C: the MMA, since its threads
    are laid over C; another letter: the copy of that matrix; X: retiled for a copy), then the memory (g, s, r; c: coordinates;
    m: the whole tensor), then the matrix. These are habits, no rules of the language. layout: a layout, its text, or a tensor.
    Raises CuteLabError for a name of another form.

    >>> print(explain_names("tCsA"))
    tCsA: partitioned (t) by C, the tiled MMA; in shared memory (s); matrix A (M x K)
    >>> print(explain_names("tAsA", "((_8,_1),_8,_1,_3):((_1,_0),_1024,_0,_8192)"))
    tAsA: partitioned (t) by A, the tiled copy of A; in shared memory (s); matrix A (M x K)
    mode 0, CPY = (_8,_1):(_1,_0): the values of one copy instruction: 8 values; the inner _0 belongs to an extent of 1
    mode 1, CPY_M = _8:_1024: how often the copy is repeated along M: 8 times, 1024 elements apart
    mode 2, CPY_K = _1:_0: how often the copy is repeated along K: once, so its stride is not used and is _0
    mode 3, PIPE = _3:_8192: the stages of the pipeline: 3 stages, 8192 elements apart
    """
    if not isinstance(name, str) or not (match := NAME.fullmatch(name.strip())) or not name.strip():
        raise CuteLabError(
            f"{shown(name)} is not a name of this form: t, who partitioned it, the memory, the matrix; for example tCsA, tAgB, sA, tXrA"
        )
    words, modes = _name_in_words(match), _mode_names(match)
    if not (match["letter"] or match["matrix"]):
        raise CuteLabError(f"{shown(name)} says nothing that can be read; names look like tCsA, tAgB, sA or tXrA")
    lines = [f"{name.strip()}: {'; '.join(words)}"]
    if layout is not None:
        lines += _modes_in_words(layout, modes)
    return "\n".join(lines)


def _name_in_words(match: re.Match[str]) -> list[str]:
    words = []
    letter, matrix = match["letter"], match["matrix"] or ""
    if letter:
        words.append(f"partitioned (t) by {letter}, {_by(match)}")
    if match["memory"]:
        words.append(
            {
                "c": "coordinates (c) instead of data: an identity tensor, for predicates",
                "m": "the whole tensor in global memory (m)",
                "p": "predicates (p): which values lie inside the tensor",
            }.get(match["memory"], f"in {MEMORY.get(match['memory'], '')} ({match['memory']})")
        )
    if matrix:
        words.append(f"matrix {MATRIX[matrix]}" if matrix in MATRIX else f"matrix {matrix}")
    return words


def _by(match: re.Match[str]) -> str:
    letter = match["letter"]
    if letter == "C":
        return "the tiled MMA"
    if letter in ("X", "R"):
        return "a copy for which the MMA's registers were retiled"
    if _by_mma(match):
        return f"the tiled MMA that computes {letter}"
    return f"the tiled copy of {letter}" if letter in MATRIX else f"the tiled copy named {letter}"


def _by_mma(match: re.Match[str]) -> bool:
    """C, or the letter of one matrix with the name of another: the MMA whose result is the first."""
    letter, matrix = match["letter"], match["matrix"] or ""
    return letter == "C" or (letter not in (None, "X", "R") and bool(matrix) and not matrix.startswith(letter))


def _mode_names(match: re.Match[str]) -> list[tuple[str, str]]:
    """The names of the modes and what they are."""
    letter, matrix = match["letter"], (match["matrix"] or "")[:1]
    rows = ROWS.get(matrix, "MN" if letter == "C" else "MK")
    if not letter:
        return [
            (f"BLK_{rows[0]}", f"along {rows[0]}, inside the tile"),
            (f"BLK_{rows[1]}", f"along {rows[1]}, inside the tile"),
        ]
    by_mma = _by_mma(match)
    kind = "MMA" if by_mma else "CPY"
    instruction = f"the values of one {'MMA' if by_mma else 'copy'} instruction"
    what = "MMA" if kind == "MMA" else "copy"
    return [
        (kind, instruction),
        *((f"{kind}_{axis}", f"how often the {what} is repeated along {axis}") for axis in rows),
    ]


def _modes_in_words(layout: Any, names: list[tuple[str, str]]) -> list[str]:
    from_text = as_data(layout)
    inner = from_text.layout if isinstance(from_text, ComposedLayout) else from_text
    lines = []
    if isinstance(from_text, ComposedLayout):
        lines.append(f"{from_text.outer}: the offsets are swizzled after all modes")
    shapes = inner.shape if isinstance(inner.shape, tuple) else (inner.shape,)
    strides: tuple[Any, ...] = inner.stride if isinstance(inner.stride, tuple) else (inner.stride,)
    for i, (shape, stride) in enumerate(zip(shapes, strides, strict=True)):
        name, what = names[i] if i < len(names) else _further(i, len(names), shape)
        lines.append(
            f"mode {i}, {name} = {to_text(shape)}:{strides_text(stride)}: {what}: {_extent(name, shape, stride)}"
        )
    return lines


def _further(i: int, known: int, shape: Any) -> tuple[str, str]:
    if i == known and isinstance(shape, Int | tuple):
        return "PIPE", "the stages of the pipeline"
    return ("k" if i == known else "rest"), "the tiles that follow each other"


def _extent(name: str, shape: Any, stride: Any) -> str:
    extents, steps = flatten(shape), list(stride_leaves(stride))
    size = 1
    for extent in extents:
        size *= int(extent)
    whole = name in ("MMA", "CPY")
    unit = "value" if whole else "stage" if name == "PIPE" else "element" if name.startswith("BLK") else "time"
    if len(extents) == 1:
        step = steps[0]
        if extents[0] == 1:
            zero = isinstance(step, Int) and step == 0
            return "once, so its stride is not used" + (" and is _0" if zero else "")
        if not isinstance(step, ScaledBasis) and step == 0:
            return f"{size} {unit}s, all at the same place: stride 0 is a broadcast"
        apart = str(step) if isinstance(step, ScaledBasis) else f"{int(step)} element{'s' * (abs(int(step)) != 1)}"
        return f"{size} {unit}s, {apart} apart"
    notes = []
    ones = any(e == 1 for e in extents)
    repeats = any(e != 1 and not isinstance(d, ScaledBasis) and d == 0 for e, d in zip(extents, steps, strict=True))
    if ones:
        notes.append("the inner _0 belongs to an extent of 1")
    if repeats:
        notes.append("an inner _0 with more than one element is a broadcast")
    return "; ".join([f"{size} {unit}{'s' * (size != 1)}", *notes])
