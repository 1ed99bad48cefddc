"""ComposedLayout: a swizzle (or a layout) applied to the offsets of a layout; and the reader of all layout texts.

composed(c) = outer(offset + inner(c)). Source: cute/swizzle_layout.hpp, cute/layout_composed.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core import layout as _layout
from cutelab.core import notation
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import IntTuple, is_int
from cutelab.core.layout import Layout
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
        object.__setattr__(self, "offset", int(self.offset))
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
        return f"{self.outer} o {self.offset} o {self.inner}"

    def __repr__(self) -> str:
        return f"ComposedLayout('{self}')"

    def __len__(self) -> int:
        return len(self.inner)


def parse_layout(text: str) -> Layout | ComposedLayout:
    """Which layout does this text say? Any of CuTe's spellings, C++ types too; `parse_layout(str(x)) == x`.

    `Sw<3,4,3> o smem_ptr[16b](..) o L` swizzles byte addresses; it is read as the same map on elements of 16 bits
    (CuTe's position-independent form). Raises CuteLabError with a caret under the place.

    >>> parse_layout("Layout<Shape<_4,_2>, Stride<_2,_1>>")
    Layout('(4,2):(2,1)')
    >>> parse_layout("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)")
    ComposedLayout('Sw<3,3,3> o 0 o (8,64):(64,1)')
    """
    parsed = notation.parse(text)
    inner = Layout(parsed.shape, parsed.stride)
    if parsed.swizzle is None:
        return inner
    swizzle = Swizzle(*parsed.swizzle)
    if parsed.pointer_bits is not None:
        swizzle = swizzle.recast(1, parsed.pointer_bits / 8)
        if not swizzle.bits:
            return inner
    return ComposedLayout(swizzle, parsed.offset, inner)
