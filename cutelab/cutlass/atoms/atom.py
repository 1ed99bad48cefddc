"""MmaAtom: one matrix instruction, and who holds what in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cutelab.core.display import Pictured
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import flatten, to_text
from cutelab.core.layout import Layout, cosize, parse_layout, size

REGISTERS, SHARED, TENSOR = "registers", "shared memory", "tensor memory"


@dataclass(frozen=True)
class MmaAtom(Pictured):
    """Who holds what in one matrix instruction D = A * B + C?

    name        CUTLASS's name of the operation
    shape_mnk   (M, N, K): A is M x K, B is N x K, C is M x N
    thr_id      logical thread to lane (or thread of the warp group)
    a, b, c     thread-value layouts: a(thread, value) = m + M*k, b = n + N*k, c = m + M*n. These are codes of coordinates,
                not memory addresses. A thread stride of 0: the operand lies in shared or tensor memory, every thread sees all.
    value_bits  bits of an element of D, A, B, C
    places      where A, B and C lie: "registers", "shared memory" or "tensor memory"
    sfa, sfb    scale factors of block-scaled instructions, m + M*k and n + N*k; else None
    note        what must be known besides; else ""

    >>> from cutelab.cutlass.atoms import mma_atom
    >>> atom = mma_atom("SM80_8x8x4_F64F64F64F64_TN")
    >>> atom.shape_mnk, atom.c(5, 1) % 8, atom.c(5, 1) // 8  # the second value of thread 5 is C[1, 3]
    ((8, 8, 4), 1, 3)
    """

    name: str
    shape_mnk: tuple[int, int, int]
    thr_id: Layout
    a: Layout
    b: Layout
    c: Layout
    value_bits: tuple[int, int, int, int]
    places: tuple[str, str, str] = (REGISTERS, REGISTERS, REGISTERS)
    sfa: Layout | None = None
    sfb: Layout | None = None
    note: str = ""

    @property
    def threads(self) -> int:
        """How many threads execute the instruction together?"""
        return size(self.thr_id)

    def operand(self, which: str) -> tuple[Layout, tuple[int, int]]:
        """The thread-value layout of operand "A", "B" or "C" and the shape of its tile.

        >>> from cutelab.cutlass.atoms import mma_atom
        >>> mma_atom("SM80_16x8x16_F32F16F16F32_TN").operand("B")
        (Layout('((4,8),(2,2)):((16,1),(8,64))'), (8, 16))
        """
        m, n, k = self.shape_mnk
        found = {"A": (self.a, (m, k)), "B": (self.b, (n, k)), "C": (self.c, (m, n))}
        if not isinstance(which, str) or which.upper() not in found:
            raise CuteLabError(f"an MMA has the operands A, B and C, not {shown(which)}")
        return found[which.upper()]

    def bits(self, which: str) -> int:
        """How many bits has an element of operand "A", "B" or "C"?"""
        self.operand(which)
        return dict(zip("ABC", self.value_bits[1:], strict=True))[which.upper()]

    def place(self, which: str) -> str:
        """Where does operand "A", "B" or "C" lie? "registers", "shared memory" or "tensor memory".

        >>> from cutelab.cutlass.atoms import mma_atom
        >>> atom = mma_atom("SM90_64x64x16_F32F16F16_SS")
        >>> atom.place("A"), atom.place("C")
        ('shared memory', 'registers')
        """
        self.operand(which)
        return dict(zip("ABC", self.places, strict=True))[which.upper()]

    def __str__(self) -> str:
        """The text that CuTe prints for an MMA_Atom; `parse_mma_atom` reads it."""
        lines = [
            ("ThrID:", f"{_static(self.thr_id)}"),
            ("Shape_MNK:", to_text(self.shape_mnk, static=True)),
            ("LayoutA_TV:", _static(self.a)),
            ("LayoutB_TV:", _static(self.b)),
            ("LayoutC_TV:", _static(self.c)),
        ]
        return "\n".join(["MMA_Atom", *(f"  {key:<12}{text}" for key, text in lines)])


def _static(layout: Layout) -> str:
    return f"{to_text(layout.shape, static=True)}:{to_text(layout.stride, static=True)}"


FIELDS = {"ThrID": "thr_id", "Shape_MNK": "shape", "A": "a", "B": "b", "C": "c"}
LINE = re.compile(r"^\s*(ThrID|Shape_MNK|Layout([ABC])_TV|([ABC])Layout)\s*:\s*(.+?)\s*$")


def parse_mma_atom(text: str, name: str = "printed", value_bits: tuple[int, int, int, int] = (0, 0, 0, 0)) -> MmaAtom:
    """Which atom does this text print? The lines of `print(mma_atom)`: ThrID, Shape_MNK, LayoutA_TV, LayoutB_TV, LayoutC_TV.

    `ALayout:` is read for `LayoutA_TV:` too; other lines are passed over. The text does not tell the element types:
    value_bits are zeros unless given. Raises CuteLabError when a line is missing or does not fit the shape.

    >>> from cutelab.cutlass.atoms import mma_atom
    >>> parse_mma_atom(str(mma_atom("SM70_8x8x4_F32F16F16F32_NT"))).c
    Layout('((_2,_2,_2),(_2,_2,_2)):((_1,_16,_4),(_8,_2,_32))')
    """
    if not isinstance(text, str):
        raise CuteLabError(f"parse_mma_atom reads the text of print(mma_atom), got {shown(text)}")
    found: dict[str, Layout] = {}
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            layout = parse_layout(match[4])
            if not isinstance(layout, Layout):
                raise CuteLabError(f"{match[1]} must be a layout without a swizzle, got {match[4]}")
            found[FIELDS[match[2] or match[3] or match[1]]] = layout
    missing = [key for key, field in FIELDS.items() if field not in found]
    if missing:
        raise CuteLabError(
            f"the text has no line for {', '.join(missing)}; paste what print(mma_atom) prints: "
            "ThrID, Shape_MNK, LayoutA_TV, LayoutB_TV and LayoutC_TV"
        )
    shape = found["shape"].shape
    if not isinstance(shape, tuple) or len(shape) != 3 or not all(isinstance(x, int) for x in shape):
        raise CuteLabError(f"Shape_MNK must hold three integers such as (16,8,16), got {to_text(shape)}")
    return atom_from_layouts(name, shape, found["thr_id"], found["a"], found["b"], found["c"], value_bits)


def atom_from_layouts(
    name: str,
    shape: tuple[int, ...],
    thr_id: Layout,
    a: Layout,
    b: Layout,
    c: Layout,
    value_bits: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> MmaAtom:
    """The atom of these layouts. Raises CuteLabError where they do not fit its shape and its threads.

    An operand whose threads all see the whole (stride 0) is taken to lie in shared memory.
    """
    m, n, k = (int(x) for x in shape)
    threads = size(thr_id)
    for key, layout, area in (("A", a, m * k), ("B", b, n * k), ("C", c, m * n)):
        if len(layout) != 2 or size(layout[0]) != threads:
            raise CuteLabError(f"Layout{key}_TV is {layout}; it needs two modes, ({threads} threads, values)")
        if cosize(layout) > area:
            raise CuteLabError(f"Layout{key}_TV is {layout}; it reaches {cosize(layout) - 1}, beyond {area} elements")
    first, second, third = (SHARED if threads > 1 and not any(flatten(x[0].stride)) else REGISTERS for x in (a, b, c))
    return MmaAtom(name, (m, n, k), thr_id, a, b, c, value_bits, (first, second, third))
