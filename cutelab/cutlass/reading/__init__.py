"""read: one door for what CUTLASS prints and what kernels write. The text of anything that CuTe names gives the object.

objects.py   the grammar of objects, on top of that of layouts in cutelab.core.notation
printed.py   the blocks that print(tiled_copy) and print(tiled_mma) print
tiler.py     Tiler and Coordinate
unknowns.py  texts with open numbers
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutelab.core import lines
from cutelab.core.coordinates import CoordLayout, CoordTensor
from cutelab.core.layout import ComposedLayout, Layout
from cutelab.core.swizzle import Swizzle
from cutelab.cutlass.atoms.atom import MmaAtom
from cutelab.cutlass.atoms.copy import CopyAtom
from cutelab.cutlass.atoms.smem import SmemAtom
from cutelab.cutlass.matrix_layouts.layouts import MatrixLayout
from cutelab.cutlass.reading.objects import ObjectReader
from cutelab.cutlass.reading.tiler import Coordinate, Tiler
from cutelab.cutlass.reading.unknowns import Unknowns
from cutelab.cutlass.tensor import Tensor
from cutelab.cutlass.thread_map.base import ThreadMap
from cutelab.cutlass.tv.tiled_copy import TiledCopy
from cutelab.cutlass.tv.tiled_mma import TiledMMA

KINDS: tuple[tuple[type, str], ...] = (
    (Layout, "layout"),
    (ComposedLayout, "composed"),
    (CoordLayout, "coordinate layout"),
    (CoordTensor, "coordinate tensor"),
    (Swizzle, "swizzle"),
    (Tensor, "tensor"),
    (Tiler, "tiler"),
    (Coordinate, "coordinate"),
    (TiledCopy, "TiledCopy"),
    (TiledMMA, "TiledMMA"),
    (CopyAtom, "copy atom"),
    (MmaAtom, "MMA atom"),
    (SmemAtom, "shared-memory atom"),
    (ThreadMap, "thread map"),
    (MatrixLayout, "matrix layout"),
    (Unknowns, "unknowns"),
)


@dataclass(frozen=True)
class Reading:
    """What a text says: the object, what it is in a word, and what was set aside (a label, an address, further lines)."""

    value: Any
    kind: str
    set_aside: tuple[str, ...]

    def __str__(self) -> str:
        aside = f" (set aside: {', '.join(self.set_aside)})" if self.set_aside else ""
        return f"{self.kind} {self.value}{aside}"


def read(text: str, **values: int) -> Any:
    """What does this text describe? The object: whatever CuTe prints, and what kernels and compilers write.

    Layout, ComposedLayout, CoordLayout, CoordTensor, Swizzle, Tensor (memory, bits, layout), Tiler and Coordinate (tuples),
    TiledCopy, TiledMMA, CopyAtom, MmaAtom, SmemAtom, a 2.x thread map or matrix layout; and Unknowns, where `?` or a runtime
    type leaves numbers open: call it with their values. Compile-time integers stay marked (`_4` prints back as it came).
    values: numbers for names, as in read("make_layout(make_shape(M, K))", M=128, K=64).
    Labels, addresses and tables behind the object are set aside; `reading` says what. `read(str(x))` gives x again.
    Nothing is guessed and nothing is evaluated: raises CuteLabError with a caret under the place, and names what has no value.

    >>> read("tAsA : smem_ptr[16b](0x7f00) o ((_8,_1),_8,_1):((_1,_0),_1024,_0)").layout
    Layout('((_8,_1),_8,_1):((_1,_0),_1024,_0)')
    >>> read("auto layout = make_layout(make_shape(Int<128>{}, Int<64>{}), GenRowMajor{});")
    Layout('(_128,_64):(_64,_1)')
    >>> read("make_layout(make_shape(M, 64))")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: 'M' is a name without a value, not a number; write numbers, or ? for a number to be asked for
      make_layout(make_shape(M, 64))
                             ^
    """
    return reading(text, **values).value


def reading(text: str, **values: int) -> Reading:
    """What does this text describe, of which kind is it, and what was set aside?

    >>> print(reading("RowMajor 4x2: (4,2):(_2,_1)"))
    layout (4,2):(_2,_1) (set aside: the label 'RowMajor 4x2')
    """

    def one(reader: ObjectReader) -> tuple[Any, list[str]]:
        value = reader.value()
        aside = list(getattr(reader, "aside", []))
        if isinstance(value, Tensor) and value.address:
            aside.append(f"the address {value.address}")
        return value, aside

    found = lines.find(text, lambda t, start: ObjectReader(t, "text", "(4,2):(2,1)", values=values, start=start), one)
    value, aside = found.value
    return Reading(value, kind_of(value), (*found.set_aside, *aside))


def kind_of(value: Any) -> str:
    """What is this, in a word?

    >>> kind_of(Swizzle(3, 4, 3)), kind_of(Tiler((4, 8)))
    ('swizzle', 'tiler')
    """
    return next((name for cls, name in KINDS if isinstance(value, cls)), type(value).__name__)


__all__ = ["Coordinate", "Reading", "Tensor", "Tiler", "Unknowns", "kind_of", "read", "reading"]
