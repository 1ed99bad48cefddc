"""The blocks that print(tiled_copy), print(tiled_mma) and print of their atoms print: a head, and lines `Field: value`."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from cutelab.algebra import typed
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import Int, to_text
from cutelab.core.layout import Layout, cosize, size
from cutelab.core.leaves import mark, unmark
from cutelab.cutlass.atoms.atom import MmaAtom, atom_from_layouts
from cutelab.cutlass.atoms.copy import CopyAtom
from cutelab.cutlass.atoms.mma import mma_atom, mma_atoms
from cutelab.cutlass.tv.tiled_copy import TiledCopy
from cutelab.cutlass.tv.tiled_mma import TiledMMA

HEADS = ("ThrCopy", "ThrMMA", "TiledCopy", "TiledMMA", "Copy_Atom", "MMA_Atom")
FIELDS = {
    "ThrIdx": "thread", "Thr VMNK": "thread", "Tiler_MN": "tiler", "TiledLayout_TV": "layout_tv", "ThrID": "thr_id",
    "ValLayoutSrc": "src", "ValLayoutDst": "dst", "ValLayoutRef": "ref", "ValueType": "bits", "ThrLayoutVMNK": "vmnk",
    "PermutationMNK": "permutation", "Shape_MNK": "shape", "LayoutA_TV": "a", "LayoutB_TV": "b", "LayoutC_TV": "c",
    "ALayout": "a", "BLayout": "b", "CLayout": "c",
}  # fmt: skip
LEVEL = {head: i // 2 for i, head in enumerate(HEADS)}
LABELLED = re.compile(rf"[^\n]*?\b({'|'.join(HEADS)})[ \t\r]*$")
LINE = re.compile(r"[ \t]*(Thr VMNK|\w+)[ \t]*:[ \t]*")
HEAD = re.compile(rf"[ \t]*({'|'.join(HEADS)})[ \t]*(?=\n|$)")
NEED = {
    "TiledCopy": ("tiler", "layout_tv", "src", "dst", "ref", "thr_id", "bits"),
    "TiledMMA": ("vmnk", "permutation", "thr_id", "shape", "a", "b", "c"),
    "Copy_Atom": ("thr_id", "src", "dst", "ref", "bits"),
    "MMA_Atom": ("thr_id", "shape", "a", "b", "c"),
}


def block(text: str, start: int) -> tuple[list[str], dict[str, tuple[int, int]], int]:
    """The heads and the fields (name -> where the value begins and ends) of a printed block, and where it ends."""
    heads: list[str] = []
    fields: dict[str, tuple[int, int]] = {}
    at = end = start
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        head, line = HEAD.match(text, at, stop + 1), LINE.match(text, at, stop)
        if head and (not heads or _goes_on(heads[-1], head[1])):
            heads.append(head[1])
        elif line and heads and line[1] in FIELDS and FIELDS[line[1]] not in fields:
            fields[FIELDS[line[1]]] = (line.end(), stop)
        elif text[at:stop].strip() or not heads:
            break
        else:
            at = stop + 1
            continue
        at, end = stop + 1, stop
    return heads, fields, end


def _goes_on(above: str, head: str) -> bool:
    """Does this head continue the print of the one above: Thr..., Tiled..., ..._Atom of copies, or of MMAs?"""
    return ("Copy" in above) == ("Copy" in head) and LEVEL[above] < LEVEL[head]


def pieces(text: str) -> list[tuple[int, str]]:
    """What a kernel printed, piece by piece, each with the number of its first line: a printed block is one, other lines one each.

    >>> pieces("n: 4\\n\\nTiledCopy\\n  Tiler_MN: (_4,_8)\\n  TiledLayout_TV: (_4,_8):(_1,_4)\\ntCsA: 8:1")
    [(1, 'n: 4'), (3, 'TiledCopy\\n  Tiler_MN: (_4,_8)\\n  TiledLayout_TV: (_4,_8):(_1,_4)'), (6, 'tCsA: 8:1')]
    """
    found: list[tuple[int, str]] = []
    at, number = 0, 1
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        head = LABELLED.match(text, at, stop)
        end = max(stop, block(text, head.start(1))[2]) if head else stop
        piece = text[at:end].rstrip("\r")
        if piece.strip():
            found.append((number, piece))
        number += text.count("\n", at, end) + 1
        at = end + 1
    return found


def build(heads: list[str], values: dict[str, Any]) -> tuple[Any, list[str]]:
    """The object of a block, and what was set aside."""
    aside = [f"the thread of {heads[0]}"] if heads[0].startswith("Thr") else []
    kind = next((h for h in heads if h in ("TiledCopy", "TiledMMA")), heads[-1])
    if kind.startswith("Thr"):
        raise CuteLabError(f"the text has only the head {kind}; paste the lines below it, too")
    missing = [next(k for k, v in FIELDS.items() if v == f) for f in NEED[kind] if f not in values]
    if missing:
        raise CuteLabError(f"the print of a {kind} has no line for {', '.join(missing)}; paste all of its lines")
    if kind == "Copy_Atom":
        return _copy_atom(values), aside
    if kind == "MMA_Atom":
        return _mma_atom(values), aside
    if kind == "TiledCopy":
        return TiledCopy(_copy_atom(values), _layout(values, "layout_tv"), tuple(values["tiler"])), aside
    return _tiled_mma(values), aside


def _layout(values: dict[str, Any], name: str) -> Layout:
    found = values[name]
    if not isinstance(found, Layout):
        label = next(k for k, v in FIELDS.items() if v == name)
        raise CuteLabError(f"{label} must be a layout without a swizzle, got {str(found)[:80]}")
    return found


def _copy_atom(values: dict[str, Any]) -> CopyAtom:
    thr_id, src, dst, ref = (_layout(values, name) for name in ("thr_id", "src", "dst", "ref"))
    for label, side in (("ValLayoutSrc", src), ("ValLayoutDst", dst), ("ValLayoutRef", ref)):
        if len(side) != 2 or size(side[0]) != size(thr_id):
            raise CuteLabError(f"{label} is {side}; it needs two modes, ({size(thr_id)} threads, values)")
    return CopyAtom("printed", int(values["bits"]), thr_id, src, dst, ref)


def _mma_atom(values: dict[str, Any]) -> MmaAtom:
    shape = values["shape"]
    if not isinstance(shape, tuple) or len(shape) != 3 or not all(isinstance(x, int) for x in shape):
        raise CuteLabError(f"Shape_MNK must hold three integers such as (16,8,16), got {to_text(shape)[:60]}")
    thr_id, a, b, c = (_layout(values, name) for name in ("thr_id", "a", "b", "c"))
    bits = _known_bits().get(_outline(shape, thr_id, a, b, c), (0, 0, 0, 0))
    return atom_from_layouts("printed", shape, thr_id, a, b, c, bits)


def _outline(shape: tuple[int, ...], *layouts: Layout) -> tuple[Any, ...]:
    return (
        tuple(map(int, shape)),
        *(to_text(unmark(one.shape)) + ":" + to_text(unmark(one.stride)) for one in layouts),
    )


@cache
def _known_bits() -> dict[tuple[Any, ...], tuple[int, int, int, int]]:
    """CuTe's print of an atom does not name its types. Bits of D, A, B, C by shape and layouts, where all atoms of these agree; else 0."""
    found: dict[tuple[Any, ...], tuple[int, int, int, int]] = {}
    for name in mma_atoms():
        atom = mma_atom(name)
        key = _outline(atom.shape_mnk, atom.thr_id, atom.a, atom.b, atom.c)
        one, two, three, four = (
            x if x == y else 0 for x, y in zip(found.get(key, atom.value_bits), atom.value_bits, strict=True)
        )
        found[key] = (one, two, three, four)
    return found


def _tiled_mma(values: dict[str, Any]) -> TiledMMA:
    atom = _mma_atom(values)
    vmnk = _layout(values, "vmnk")
    entries = values["permutation"]
    if len(vmnk) != 4 or not isinstance(entries, tuple) or len(entries) != 3:
        raise CuteLabError("ThrLayoutVMNK needs four modes, PermutationMNK three entries")
    thr = typed.lift(Layout(mark(atom.thr_id.shape), mark(atom.thr_id.stride)))[0]
    steps = typed.lower(
        typed.complement(thr, mark(cosize(vmnk) + 1))
    )  # one more: the stride of an extent of 1 may be there
    assert isinstance(steps, Layout)
    table = {int(steps(i)): i for i in range(size(steps))}
    table[0] = 0

    def number(s: Any, d: Any) -> Any:
        if isinstance(d, tuple):
            return tuple(number(a, b) for a, b in zip(s, d, strict=True))
        if s == 1 and int(d) not in table:
            return 0
        if int(d) not in table:
            raise CuteLabError(
                f"ThrLayoutVMNK = {vmnk}: the step {d} leads to no thread of another atom of {atom.threads} threads"
            )
        return Int(table[int(d)]) if s == 1 else table[int(d)]

    layout = Layout(
        tuple(vmnk[i].shape for i in (1, 2, 3)), tuple(number(vmnk[i].shape, vmnk[i].stride) for i in (1, 2, 3))
    )
    return TiledMMA(atom, layout, tuple(entries))
