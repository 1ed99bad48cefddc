"""ComposedLayout: a swizzle (or a layout) applied to the offsets of a layout; and the reader of all layout texts.

composed(c) = outer(offset + inner(c)). Source: cute/swizzle_layout.hpp, cute/layout_composed.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core import layout as _layout
from cutelab.core import lines, notation
from cutelab.core.coordinates import CoordLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import IntTuple, Static, is_int, to_text
from cutelab.core.layout import Layout
from cutelab.core.leaves import ScaledBasis, stride_leaves
from cutelab.core.swizzle import Swizzle


@dataclass(frozen=True, slots=True)
class ComposedLayout:
    """Which offset has a coordinate when a swizzle (or a layout) comes after? outer(offset + inner(coordinate)).

    >>> tile = ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1)))
    >>> tile(2, 3), str(tile)
    (17, 'Sw<3,0,3> o 0 o (8,8):(8,1)')
    """

    outer: Swizzle | Layout
    offset: int
    inner: Layout

    def __post_init__(self) -> None:
        if not isinstance(self.outer, Swizzle | Layout):
            raise CuteLabError(f"the outer part must be a Swizzle or a Layout, got {self.outer!r}")
        if not isinstance(self.inner, Layout):
            raise CuteLabError(f"the inner part must be a Layout, got {self.inner!r}")
        if not is_int(self.offset):
            raise CuteLabError(f"the offset must be a whole number of elements, got {self.offset!r}")
        object.__setattr__(self, "offset", self.offset if isinstance(self.offset, Static) else int(self.offset))
        reach = abs(self.offset) + max(1, _layout.cosize(self.inner))
        if reach >= 2**62:
            raise CuteLabError(
                f"{self} reaches offset {reach}; behind a {type(self.outer).__name__} offsets must stay below 2^62"
            )

    @property
    def shape(self) -> IntTuple:
        return self.inner.shape

    @property
    def layout(self) -> Layout:
        """The layout that gives coordinates their profile: `size`, `rank`, `depth` read it."""
        return self.inner

    def __call__(self, *coord: Any) -> Any:
        """The offset of a coordinate; with `None` in it, the composed layout of what is kept."""
        whole = coord[0] if len(coord) == 1 else coord
        if _layout._has_none(whole):
            kept, offset = _layout.slice_and_offset(self.inner, whole)
            return ComposedLayout(self.outer, self.offset + offset, kept)
        return self.outer(self.offset + self.inner(*coord))

    def offsets(self) -> np.ndarray:
        """The table of all offsets, as `cutelab.offsets` gives it: read-only, one axis a mode."""
        before = self.offset + _layout.offsets(self.inner)
        if isinstance(self.outer, Swizzle):
            table = self.outer(before)
        else:
            total = _layout.size(self.outer)
            if before.min() < 0 or before.max() >= total:
                raise CuteLabError(
                    f"{self}: the inner offsets run from {before.min()} to {before.max()}, "
                    f"but {self.outer} has only the indices 0 to {total - 1}"
                )
            table = _layout.offsets(self.outer).ravel(order="F")[before]
        table.flags.writeable = False
        return table

    def __str__(self) -> str:
        return f"{self.outer} o {to_text(self.offset)} o {self.inner}"

    def __repr__(self) -> str:
        return f"ComposedLayout('{self}')"

    def __len__(self) -> int:
        return len(self.inner)


def parse_layout(text: str) -> Layout | ComposedLayout | CoordLayout:
    """Which layout does this text say? What CuTe prints, types and calls; of a tensor its layout. `parse_layout(str(x)) == x`.

    `Sw<3,4,3> o smem_ptr[16b](..) o L` swizzles byte addresses; it is read as the same map on elements of 16 bits
    (CuTe's position-independent form). `_4` stays marked as known at compile time: equal to 4, printed as it came.
    Raises CuteLabError with a caret under the place. `cutelab.read` reads everything else that CuTe prints, too.

    >>> parse_layout("Layout<Shape<_4,_2>, Stride<_2,_1>>")
    Layout('(_4,_2):(_2,_1)')
    >>> parse_layout("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)")
    ComposedLayout('Sw<3,3,3> o 0 o (8,64):(64,1)')
    >>> parse_layout("make_layout(make_shape(8, 4), LayoutRight{})"), parse_layout("(4,3):(1@0,1@1)")
    (Layout('(8,4):(4,_1)'), CoordLayout('(4,3):(1@0,1@1)'))
    """
    return lines.find(
        text, lambda t, start: notation.Reader(t, start=start), lambda reader: layout_of(reader.layout())
    ).value


def layout_of(parsed: notation.Parsed) -> Layout | ComposedLayout | CoordLayout:
    """The layout that a parsed text says. Raises CuteLabError where numbers are left open.

    >>> layout_of(notation.Parsed((4, 2), (2, 1)))
    Layout('(4,2):(2,1)')
    """
    if parsed.holes:
        raise CuteLabError(
            f"{len(parsed.holes)} numbers of this layout are open (? or a runtime integer); write numbers for them. "
            "cutelab.read names each and takes its value"
        )
    if parsed.stride is not None and any(isinstance(d, ScaledBasis) for d in stride_leaves(parsed.stride)):
        if parsed.swizzle is not None:
            raise CuteLabError("a swizzle acts on offsets; the strides of this layout are basis elements such as 1@0")
        return CoordLayout(parsed.shape, parsed.stride)
    inner: Layout | ComposedLayout = Layout(parsed.shape, parsed.stride)
    if parsed.swizzle is not None:
        swizzle = Swizzle(*parsed.swizzle)
        if parsed.pointer_bits is not None:
            swizzle = swizzle.recast(1, parsed.pointer_bits / 8)
        if swizzle.bits or parsed.pointer_bits is None:
            inner = ComposedLayout(swizzle, parsed.offset, inner)
    if parsed.pointer is not None and parsed.pointer.swizzle is not None and parsed.pointer.bits:
        swizzle = Swizzle(*parsed.pointer.swizzle).recast(1, parsed.pointer.bits / 8)
        if swizzle.bits:
            inner = ComposedLayout(swizzle, 0, inner)  # type: ignore[arg-type]
    for numbers, offset in reversed(parsed.before):
        inner = ComposedLayout(Swizzle(*numbers), offset, inner)  # type: ignore[arg-type]
    return inner
