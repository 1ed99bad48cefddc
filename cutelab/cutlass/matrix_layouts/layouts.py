"""MatrixLayout: a CUTLASS 2.x layout with its parameters, extent and stride; and the reader of its C++ name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import ComposedLayout, Layout, check_table_size
from cutelab.core.notation import Reader
from cutelab.core.printing import print_inverse
from cutelab.cutlass.matrix_layouts.equivalent import equivalent_layout
from cutelab.cutlass.matrix_layouts.families import AFFINE, NAMES, Family
from cutelab.cutlass.pitch_linear import INT32_MAX, whole_number


@dataclass(frozen=True)
class MatrixLayout:
    """Which offset, in elements, has a coordinate in this layout of CUTLASS 2.x? Made by `matrix_layout`.

    name        the C++ type, for example "RowMajorInterleaved<4>"
    extent      how large in each coordinate
    stride      CUTLASS's stride vector: the leading dimension (ld,), or two strides for AffineRank2...

    >>> shared = matrix_layout("TensorOpMultiplicand<16,64>", (64, 8))
    >>> shared(8, 1), shared.stride, shared.capacity, shared.coord_names
    (64, (64,), 512, ('contiguous', 'strided'))
    """

    name: str
    extent: tuple[int, int]
    stride: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """The extent, so that `size` and `rank` work."""
        return self.extent

    @property
    def _template(self) -> str:
        return self.name.partition("<")[0]

    @property
    def parameters(self) -> tuple[int, ...]:
        """The numbers in the angle brackets."""
        inside = self.name.partition("<")[2].rstrip(">")
        return tuple(int(n) for n in inside.split(",")) if inside else ()

    @property
    def _family(self) -> tuple[Family, str]:
        return NAMES[self._template]

    @property
    def coord_names(self) -> tuple[str, str]:
        """What the two coordinates are: (row, column), or (contiguous, strided)."""
        matrix = self._template in AFFINE or self._family[1]
        return ("row", "column") if matrix else ("contiguous", "strided")

    @property
    def contiguous_first(self) -> bool:
        """Is the first coordinate the contiguous one? (False for the RowMajor layouts.)"""
        return not self._template.startswith("RowMajor") and self._template != "AffineRank2RowMajor"

    @property
    def is_affine(self) -> bool:
        """Has each coordinate one stride of its own? (AffineRank2...)"""
        return self._template in AFFINE

    def __call__(self, i: Any, j: Any) -> Any:
        """The offset of a coordinate: two integers, or two integer arrays that broadcast. Outside the extent raises."""
        for value, extent, name in zip((i, j), self.extent, self.coord_names, strict=True):
            if isinstance(value, np.ndarray):
                if value.dtype.kind not in "iu" or (value.size and not 0 <= value.min() <= value.max() < extent):
                    raise CuteLabError(f"{self}: {name} holds whole numbers from 0 to {extent - 1}")
            else:
                whole_number(value, f"{self}: {name}", 0, extent - 1)
        return self._offset(i, j)

    def _offset(self, i: Any, j: Any) -> Any:
        if self.is_affine:
            return i * self.stride[0] + j * self.stride[1]
        family, view = self._family
        c, s = (j, i) if view == "RowMajor" else (i, j)
        return family.offset(c, s, self.stride[0], *self.parameters)

    @property
    def offsets(self) -> np.ndarray:
        """The offset of every coordinate: int64, shaped like the extent, read-only.

        >>> matrix_layout("ColumnMajorInterleaved<2>", (4, 4)).offsets
        array([[ 0,  1,  8,  9],
               [ 2,  3, 10, 11],
               [ 4,  5, 12, 13],
               [ 6,  7, 14, 15]])
        """
        check_table_size(self.extent[0] * self.extent[1], self)
        i, j = np.ogrid[: self.extent[0], : self.extent[1]]
        table = np.asarray(self._offset(i, j), np.int64)
        table.flags.writeable = False
        return table

    @property
    def capacity(self) -> int:
        """How many elements does CUTLASS say that storage needs?

        >>> matrix_layout("RowMajorInterleaved<4>", (6, 4)).capacity
        32
        """
        if self.is_affine:
            slow = 0 if self._template == "AffineRank2RowMajor" else 1
            return self.extent[slow] * self.stride[slow]
        family, _ = self._family
        lines = self._pitch_linear[family.capacity]
        if family.interleaved:
            lines = -(-lines // self.parameters[0])
        return lines * self.stride[0]

    @property
    def fits(self) -> bool:
        """Is every offset below the capacity? Not always: ...64bCrosswise and ...Crosswise128x4 contradict it.

        >>> matrix_layout("TensorOpMultiplicandCrosswise128x4", (16, 8)).fits
        False
        """
        return int(self.offsets.max()) < self.capacity

    @property
    def _pitch_linear(self) -> dict[str, int]:
        first, second = self.extent if self.contiguous_first else self.extent[::-1]
        return {"contiguous": first, "strided": second}

    def to_layout(self) -> Layout | ComposedLayout:
        """Which CuTe layout (with a swizzle, if it needs one) gives the same offsets? Checked at every coordinate.

        Raises CuteLabError where no single swizzle on a strided layout does, as for the Volta layouts.

        >>> matrix_layout("TensorOpMultiplicand<16,64>", (64, 8)).to_layout()
        ComposedLayout('Sw<3,3,3> o 0 o (64,8):(1,64)')
        >>> matrix_layout("ColumnMajorInterleaved<2>", (4, 4)).to_layout()
        Layout('(4,(2,2)):(2,(1,8))')
        """
        return equivalent_layout(self)

    def print_inverse(self, output_shape: Any = (16, 8), vectorize: int = 1) -> str:
        """Which coordinate lives at each offset? The text of CUTLASS's example 03_visualize_layout.

        output_shape: offsets in a line, and lines before a blank one. vectorize: neighbours written as one range.

        >>> print(matrix_layout("RowMajorInterleaved<4>", (8, 2)).print_inverse((8, 8), 4), end="")
        (0..3, 0)|(0..3, 1)
        (4..7, 0)|(4..7, 1)
        """
        return print_inverse(self, output_shape=output_shape, vectorize=vectorize)

    def __str__(self) -> str:
        return f"{self.name} of {self.extent[0]} x {self.extent[1]}, stride {', '.join(map(str, self.stride))}"


def matrix_layout(name: str, extent: Any, stride: Any = None) -> MatrixLayout:
    """Which layout of CUTLASS 2.x has this C++ name, over this extent?

    extent: (row, column), or (contiguous, strided) for PitchLinear and the layouts without RowMajor or ColumnMajor.
    stride: the leading dimension (an integer, or one in a tuple), two strides for AffineRank2...; None chooses as CUTLASS's
    `packed` does. Namespaces and spaces are read, and constructor arguments: "AffineRank2RowMajor(12,2)".
    Raises CuteLabError with a caret for a name that it cannot read, and for parameters that CUTLASS rejects.

    >>> matrix_layout("RowMajor", (4, 2)).offsets.tolist()
    [[0, 1], [2, 3], [4, 5], [6, 7]]
    >>> matrix_layout("cutlass::layout::ColumnMajorInterleaved< 32 >", (4, 64)).stride
    (128,)
    """
    template, parameters, arguments = _read(name)
    if not isinstance(extent, tuple | list | np.ndarray) or np.ndim(extent) != 1 or len(extent) != 2:
        raise CuteLabError(f"extent must be two numbers, got {shown(extent)}; for example (8, 8)")
    size = (whole_number(extent[0], "extent"), whole_number(extent[1], "extent"))
    if template not in AFFINE:
        NAMES[template][0].check(*parameters)
    text = template + (f"<{','.join(map(str, parameters))}>" if parameters else "")
    given = _stride(stride, template)
    if arguments:
        arguments = _stride(arguments, template)
        if given and given != arguments:
            raise CuteLabError(
                f"'{name}' says stride {arguments}, and stride={shown(stride)} was given; give one of them"
            )
    return MatrixLayout(text, size, given or arguments or _packed(template, parameters, size))


def _packed(template: str, parameters: tuple[int, ...], extent: tuple[int, int]) -> tuple[int, ...]:
    if template == "AffineRank2RowMajor":
        return (extent[1], 1)
    if template == "AffineRank2ColumnMajor":
        return (1, extent[0])
    family, view = NAMES[template]
    contiguous, strided = extent[::-1] if view == "RowMajor" else extent
    ld = contiguous if (family.view_packed if view else family.packed) == "contiguous" else strided
    return (ld * parameters[0] if family.interleaved else ld,)


def _stride(stride: Any, template: str) -> tuple[int, ...]:
    if stride is None:
        return ()
    values = (stride,) if is_int(stride) else stride
    need = 2 if template in AFFINE else 1
    if not isinstance(values, tuple | list | np.ndarray) or len(values) != need:
        raise CuteLabError(
            f"{template} has a stride of {need} {'numbers' if need == 2 else 'number'}, got {shown(stride)}; "
            f"for example {(8, 1) if need == 2 else 8}"
        )
    return tuple(whole_number(v, "stride", 2 - need, INT32_MAX) for v in values)


def _read(name: str) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    reader = Reader(name, "matrix layout", "RowMajorInterleaved<4>")
    found = read_name(reader)
    reader.end()
    return found


def read_name(reader: Reader) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
    """The name of a 2.x layout that comes next in a text: its template, its parameters, and the arguments of its constructor."""
    begin = reader.at
    while reader.take(":"):
        reader.want(":", "after ':'")
    template = reader.name()
    if template not in NAMES and template not in AFFINE:
        near = [n for n in (*NAMES, *AFFINE) if template and n.lower().startswith(template.lower())]
        reader.fail(
            f"expected the name of a 2.x layout ({', '.join(near or (*NAMES, *AFFINE))})",
            reader.at - 1 if template else begin,
        )
    words = () if template in AFFINE else NAMES[template][0].parameters
    parameters: list[int] = []
    for i, word in enumerate(words):
        reader.want(",<"[not i], f"and {word}: {template}<{','.join(words)}>")
        parameters.append(int(reader.number(word)))
        if abs(parameters[-1]) > INT32_MAX:
            reader.fail(f"{word} must stay below 2^31", reader.at - 1)
    if words:
        reader.want(">", f"at the end: {template}<{','.join(words)}>")
    arguments: list[int] = []
    if reader.take("("):
        arguments = [int(reader.number("a stride"))]
        while reader.take(","):
            arguments.append(int(reader.number("a stride")))
        reader.want(")", "after the strides")
    reader.braces()
    return template, tuple(parameters), tuple(arguments)
