"""Layouts: functions from logical coordinates to offsets, written Shape:Stride; and layouts behind a swizzle.

The offset of a coordinate is the sum, over the leaf modes, of coordinate times stride. Offsets count elements, not bytes.
A composed layout applies a swizzle (or a layout) to the offsets of a layout: composed(c) = outer(offset + inner(c)).
Where a layout is expected, its text does too: `as_layout` reads it.
Source: CuTe's documentation, "CuTe Layouts"; cute/layout.hpp, cute/swizzle_layout.hpp, cute/layout_composed.hpp.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeGuard, overload

import numpy as np

from cutelab.core import int_tuple, lines, notation
from cutelab.core.coordinates import CoordLayout
from cutelab.core.display import Pictured
from cutelab.core.errors import CuteLabError, brief, count_text, shown
from cutelab.core.int_tuple import INT64_MAX, Int, IntTuple, as_coord, shown_text, to_text
from cutelab.core.leaves import ScaledBasis, stride_leaves
from cutelab.core.swizzle import Swizzle

MAX_TABLE = 2**24  # elements of the largest table that is ever allocated (128 MiB of int64)
MAX_LISTED = 2**20  # numbers in lists that become an array
MAX_AXES = 64  # of a NumPy array
CHUNK = 2**18  # elements that are swizzled at once
Node = tuple[int, tuple[tuple[int, int], ...], Any]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Layout(Pictured):
    """Which offset does a coordinate have? offset(c) = sum of c_i * stride_i over the leaf modes.

    shape: positive integers, nested as you like. stride: integers of the same profile; `None` means compact with the first mode
    fastest (CuTe's LayoutLeft). A stride of 0 repeats the same offsets (broadcast); a negative stride walks backwards, so
    offsets lie below the layout's origin. A text alone is read as `parse_layout` does, so that the repr can be pasted back.
    Frozen, hashable, compared by shape and stride. Raises CuteLabError for a shape below 1, a stride of another profile, and
    offsets beyond 2^63.

    >>> row_major = Layout((8, 8), (8, 1))
    >>> row_major(2, 3), row_major(19), str(row_major)
    (19, 26, '(8,8):(8,1)')
    >>> Layout(((4, 8), 2), ((16, 1), 8))((1, 1), 1)
    25
    >>> Layout("(8,8):(8,1)") == row_major
    True
    """

    shape: IntTuple
    stride: IntTuple
    _modes: tuple[tuple[int, int], ...] = field(init=False, compare=False)  # the leaves as plain integers
    _size: int = field(init=False, compare=False)
    _tree: Node | None = field(
        init=False, compare=False
    )  # sizes and leaves of each mode; made when a coordinate of several numbers comes

    def __init__(self, shape: Any, stride: Any = None) -> None:
        if isinstance(shape, str) and stride is None:
            read = _read_plain(shape)
            shape, stride = read.shape, read.stride
        shape = int_tuple.as_int_tuple(shape, "shape")
        extents = int_tuple.flatten(shape)
        size = 1
        for extent in extents:
            if extent < 1:
                raise CuteLabError(f"shape {shown_text(shape)} holds {extent}; every extent must be 1 or more")
            size *= int(extent)
        if size > INT64_MAX:
            raise CuteLabError(f"shape {shown_text(shape)} has {count_text(size)} elements; keep it below 2^63")
        stride = int_tuple.compact_left(shape) if stride is None else int_tuple.as_int_tuple(stride, "stride")
        if not int_tuple.congruent(shape, stride):
            raise CuteLabError(
                f"stride {shown_text(stride)} does not have the profile of shape {shown_text(shape)}; "
                f"it needs one integer for each integer of the shape, for example "
                f"{shown_text(int_tuple.compact_left(shape))}"
            )
        modes = tuple([(int(s), int(d)) for s, d in zip(extents, int_tuple.flatten(stride), strict=True)])
        reach = 0
        for s, d in modes:
            reach += (s - 1) * (d if d > 0 else -d)
        if reach > INT64_MAX:
            raise CuteLabError(
                f"{shown_text(shape)}:{shown_text(stride)} reaches offset {shown(reach)}; offsets must stay below 2^63"
            )
        put = object.__setattr__
        put(self, "shape", shape)
        put(self, "stride", stride)
        put(self, "_modes", modes)
        put(self, "_size", size)
        put(self, "_tree", None)

    @overload
    def __call__(self, *coord: int) -> int: ...
    @overload
    def __call__(self, *coord: Any) -> Any: ...
    def __call__(self, *coord: Any) -> Any:
        """The offset of a 1-D, rank-D or hierarchical coordinate. With `None` in it: the layout of what is kept.

        >>> Layout((8, 8), (8, 1))(None, 3)
        Layout('8:8')
        """
        one = coord[0] if len(coord) == 1 else coord
        if type(one) is int:
            if 0 <= one < self._size:
                offset = 0
                for s, d in self._modes:
                    offset += one % s * d
                    one //= s
                return offset
        elif type(one) is tuple:
            tree = self._tree
            if tree is None:
                tree = _tree(self.shape, self.stride)
                object.__setattr__(self, "_tree", tree)
            found = _offset(one, tree)
            if found is not None:
                return found
        if not coord:
            raise CuteLabError(
                f"give a coordinate of {shown(self)}, for example {shown_text(int_tuple.idx2crd(0, self.shape))}"
            )
        whole = as_coord(one, self.shape)
        if has_none(whole):
            return _slice(self, whole)[0]
        return int_tuple.crd2idx(whole, self.shape, self.stride)

    def __str__(self) -> str:
        return f"{to_text(self.shape)}:{to_text(self.stride)}"

    def __repr__(self) -> str:
        return f"Layout('{self}')"

    def __len__(self) -> int:
        return int_tuple.rank(self.shape)

    def __iter__(self) -> Iterator[Layout]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, mode: int) -> Layout:
        """The layout of one top-level mode.

        >>> Layout((4, (2, 3)))[1]
        Layout('(2,3):(4,8)')
        """
        _check_mode(self, mode)
        if isinstance(self.shape, tuple) and isinstance(self.stride, tuple):
            return Layout(self.shape[mode], self.stride[mode])
        return self


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ComposedLayout(Pictured):
    """Which offset has a coordinate when a swizzle (or a layout) comes after? outer(offset + inner(coordinate)).

    outer: a Swizzle or a Layout, which goes on beyond its size in its last mode, as in CuTe. inner: a layout, composed itself
    if need be. A text alone is read as `parse_layout` does. Raises CuteLabError for other parts and for offsets beyond 2^62.

    >>> tile = ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1)))
    >>> tile(2, 3), str(tile)
    (17, 'Sw<3,0,3> o 0 o (8,8):(8,1)')
    """

    outer: Swizzle | Layout
    offset: int
    inner: Layout | ComposedLayout

    def __init__(self, outer: Any, offset: Any = None, inner: Any = None) -> None:
        if offset is None and inner is None:
            read = as_layout(outer, "a composed layout")
            if not isinstance(read, ComposedLayout):
                raise CuteLabError(f"{shown(str(read))} has no outer function; write Layout({shown(str(read))})")
            outer, offset, inner = read.outer, read.offset, read.inner
        if isinstance(outer, str):
            name = outer.strip()[:2]
            outer = Swizzle(outer) if name[:1] == "S" and not name.startswith("Sh") else Layout(outer)
        if not isinstance(outer, Swizzle | Layout):
            raise CuteLabError(f"the outer part must be a Swizzle or a Layout, got {shown(outer)}")
        if not isinstance(inner, Layout | ComposedLayout | str):
            raise CuteLabError(f"the inner part must be a Layout, got {shown(inner)}")
        inner = as_layout(inner, "the inner part")
        if not int_tuple.is_int(offset):
            raise CuteLabError(f"the offset must be a whole number of elements, got {shown(offset)}")
        put = object.__setattr__
        put(self, "outer", outer)
        put(self, "offset", offset if isinstance(offset, Int) else int(offset))
        put(self, "inner", inner)
        level, part = 0, inner
        while isinstance(part, ComposedLayout):
            level, part = level + 1, part.inner
        if level > int_tuple.MAX_DEPTH:
            raise CuteLabError(f"composed layouts are nested more than {int_tuple.MAX_DEPTH} levels deep")
        reach = abs(offset) + max(1, cosize(inner))
        if reach >= 2**62:
            raise CuteLabError(
                f"{brief(self)} reaches offset {shown(reach)}; behind a {type(outer).__name__} offsets must stay below 2^62"
            )

    @property
    def shape(self) -> IntTuple:
        return self.inner.shape

    @property
    def layout(self) -> Layout:
        """The layout that gives coordinates their profile: `size`, `rank`, `depth` read it."""
        return self.inner if isinstance(self.inner, Layout) else self.inner.layout

    @overload
    def __call__(self, *coord: int) -> int: ...
    @overload
    def __call__(self, *coord: Any) -> Any: ...
    def __call__(self, *coord: Any) -> Any:
        """The offset of a coordinate; with `None` in it, the composed layout of what is kept."""
        found = self.inner(*coord)
        if isinstance(found, int):
            before = self.offset + found
            return self.outer(before) if isinstance(self.outer, Swizzle) else _beyond(self.outer, before)
        return slice_and_offset(self, coord[0] if len(coord) == 1 else coord)[0]

    def offsets(self) -> np.ndarray:
        """The table of all offsets, as `cutelab.offsets` gives it: read-only, one axis a mode."""
        table = offsets(self.inner)
        table.flags.writeable = True  # nobody else holds it
        flat = table.reshape(-1, order="A")  # a view: the table is in one piece
        for i in range(0, flat.size, CHUNK):  # in place, a piece at a time: a large table is held once
            part = flat[i : i + CHUNK]
            part += int(self.offset)
            flat[i : i + CHUNK] = self.outer(part) if isinstance(self.outer, Swizzle) else beyond(self.outer, part)
        table.flags.writeable = False
        return table

    def __str__(self) -> str:
        return f"{self.outer} o {to_text(self.offset)} o {self.inner}"

    def __repr__(self) -> str:
        return f"ComposedLayout('{self}')"

    def __len__(self) -> int:
        return len(self.inner)

    def __iter__(self) -> Iterator[ComposedLayout]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, mode: int) -> ComposedLayout:
        """The composed layout of one top-level mode, the others at 0.

        >>> ComposedLayout("Sw<3,0,3> o 0 o (8,8):(8,1)")[0]
        ComposedLayout('Sw<3,0,3> o 0 o 8:8')
        """
        _check_mode(self, mode)
        return ComposedLayout(self.outer, self.offset, self.inner[mode])


AnyLayout = Layout | ComposedLayout


class OffsetTable(Protocol):
    """A layout of CUTLASS 2.x: it has its table of offsets, and no strides by mode."""

    @property
    def shape(self) -> IntTuple: ...
    @property
    def offsets(self) -> np.ndarray: ...
    @property
    def capacity(self) -> int: ...


def _is_table(value: object) -> TypeGuard[OffsetTable]:
    return all(hasattr(type(value), name) for name in ("shape", "offsets", "capacity"))


def parse_layout(text: str) -> AnyLayout | CoordLayout:
    """Which layout does this text say? What CuTe prints, types and calls; of a tensor its layout. `parse_layout(str(x)) == x`.

    `Sw<3,4,3> o smem_ptr[16b](..) o L` swizzles byte addresses; it is read as the same map on elements of 16 bits
    (CuTe's position-independent form). Static integers stay static (`_4`, an `Int`), and strides that are not given are those
    that C++ makes. Strides such as 1@0 give a CoordLayout. Raises CuteLabError with a caret under the place.
    `cutelab.read` reads everything else that CuTe prints, too.

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


def layout_of(parsed: notation.Parsed) -> AnyLayout | CoordLayout:
    """The layout that a parsed text says. Raises CuteLabError where numbers are left open.

    >>> layout_of(notation.Parsed((4, 2), (2, 1)))
    Layout('(4,2):(2,1)')
    """
    if parsed.holes:
        raise CuteLabError(
            f"{len(parsed.holes)} numbers of this layout are open (? or a runtime integer); write numbers for them. "
            "cutelab.read names each and takes its value"
        )
    if any(isinstance(d, ScaledBasis) for d in stride_leaves(parsed.stride)):
        if parsed.swizzle is not None or parsed.before:
            raise CuteLabError(
                "a swizzle or an outer layout acts on offsets; the strides of this layout are basis elements such as 1@0"
            )
        return CoordLayout(parsed.shape, parsed.stride)
    inner: AnyLayout = Layout(parsed.shape, parsed.stride)
    if parsed.swizzle is not None:
        swizzle = Swizzle(*parsed.swizzle)
        if parsed.pointer_bits is not None:
            swizzle = swizzle.recast(1, parsed.pointer_bits / 8)
        if swizzle.bits or parsed.pointer_bits is None:
            inner = ComposedLayout(swizzle, parsed.offset, inner)
    if parsed.pointer is not None and parsed.pointer.swizzle is not None and parsed.pointer.bits:
        swizzle = Swizzle(*parsed.pointer.swizzle).recast(1, parsed.pointer.bits / 8)
        inner = ComposedLayout(swizzle, 0, inner) if swizzle.bits else inner
    for outer, offset in reversed(parsed.before):
        inner = ComposedLayout(Swizzle(*outer) if isinstance(outer, tuple) else layout_of(outer), offset, inner)
    return inner


def _read_plain(text: str) -> Layout:
    try:
        found = parse_layout(text)
    except CuteLabError as error:
        raise CuteLabError(f"Layout reads an integer, a tuple of integers or a layout's text: {error}") from None
    if not isinstance(found, Layout):
        raise CuteLabError(f"{shown(text)} has an outer function; write ComposedLayout({shown(text)})")
    return found


def as_layout(value: Any, what: str = "the layout") -> AnyLayout:
    """The layout that somebody gave: a Layout, a ComposedLayout, or the text of one. The door of every function.

    >>> as_layout("(4,2):(2,1)"), as_layout(Layout(4))
    (Layout('(4,2):(2,1)'), Layout('4:1'))
    >>> as_layout((4, 2))
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: the layout must be a Layout, got (4, 2); give one, or its text: Layout((4, 8), (8, 1)) or '(4,8):(8,1)'
    """
    if isinstance(value, Layout | ComposedLayout):
        return value
    if isinstance(value, str):
        found = parse_layout(value)
        if not isinstance(found, CoordLayout):
            return found
        value = found
    what = what if isinstance(what, str) else shown(what)
    if isinstance(value, CoordLayout):
        raise CuteLabError(
            f"{what} leads to offsets, and {brief(value)} leads to coordinates: its strides are basis elements such as 1@0"
        )
    if _is_table(value):
        raise CuteLabError(
            f"{what} is the CUTLASS 2.x layout {shown(value)}, which has no strides by mode; offsets() reads it, "
            f"the algebra takes a Layout or a ComposedLayout"
        )
    raise CuteLabError(
        f"{what} must be a Layout, got {shown(value)}; give one, or its text: Layout((4, 8), (8, 1)) or '(4,8):(8,1)'"
    )


def as_readable(value: Any, what: str = "the layout") -> AnyLayout | OffsetTable:
    """A layout that has at least a table of offsets: those of `as_layout`, and CUTLASS 2.x layouts.

    >>> as_readable("8:2")
    Layout('8:2')
    """
    if _is_table(value):
        return value
    return as_layout(value, what)


def as_plain(value: Any, what: str = "the layout") -> Layout:
    """The Layout that somebody gave, or its text; refuses a composed one, which has no strides.

    >>> as_plain("8:2")
    Layout('8:2')
    """
    found = as_layout(value, what)
    if isinstance(found, ComposedLayout):
        raise CuteLabError(
            f"{what} must be a Layout without a swizzle, got {brief(found)}; its inner layout is {brief(found.layout)}"
        )
    return found


def LayoutLeft(shape: Any) -> Layout:
    """Which layout is compact with the first mode fastest (column-major, CuTe's default)?

    >>> LayoutLeft((4, 2))
    Layout('(4,2):(1,4)')
    """
    return Layout(as_shape(shape))


def LayoutRight(shape: Any) -> Layout:
    """Which layout is compact with the last mode fastest (row-major)?

    >>> LayoutRight((4, 2)), LayoutRight((2, (3, 4)))
    (Layout('(4,2):(2,1)'), Layout('(2,(3,4)):(12,(4,1))'))
    """
    shape = as_shape(shape)
    return Layout(shape, int_tuple.compact_right(shape))


def _tree(shape: Any, stride: Any) -> Node:
    """What a mode needs to turn a coordinate into an offset at once: its size, its leaves, and the same of its modes."""
    children = None
    if isinstance(shape, tuple):
        children = tuple([_tree(s, d) for s, d in zip(shape, stride, strict=True)])
    leaves = modes(shape, stride)
    return int_tuple.product(shape), tuple([(int(s), int(d)) for s, d in leaves]), children


def _offset(coord: tuple[Any, ...], tree: Node) -> int | None:
    """The offset of a coordinate of plain integers that is in range; None for all others, which take the long way."""
    children = tree[2]
    if children is None or len(coord) != len(children):
        return None
    offset = 0
    for c, node in zip(coord, children):  # noqa: B905
        if type(c) is int:
            size, leaves, inside = node
            if not 0 <= c < size:
                return None
            if inside is None:
                offset += c * leaves[0][1]
            else:
                for s, d in leaves:
                    offset += c % s * d
                    c //= s
        elif type(c) is tuple:
            part = _offset(c, node)
            if part is None:
                return None
            offset += part
        else:
            return None
    return offset


def modes(shape: IntTuple, stride: IntTuple) -> list[tuple[int, int]]:
    """The leaf modes (extent, stride) from left to right.

    >>> modes((4, (2, 3)), (1, (4, 8)))
    [(4, 1), (2, 4), (3, 8)]
    """
    return list(zip(int_tuple.flatten(shape), int_tuple.flatten(stride), strict=True))


def has_none(coord: Any) -> bool:
    """Does this coordinate keep a mode?

    >>> has_none((2, (None, 1))), has_none((2, 3))
    (True, False)
    """
    return coord is None or (isinstance(coord, tuple) and any(map(has_none, coord)))


def _check_mode(layout: AnyLayout, mode: Any) -> None:
    if not int_tuple.is_int(mode) or not -len(layout) <= mode < len(layout):
        raise CuteLabError(f"{brief(layout)} has modes 0 to {len(layout) - 1}, not {shown(mode)}")


def size(layout: Any) -> int:
    """How many coordinates does it have? (Elements of the domain.) Of a layout, its text, or a shape.

    >>> size(Layout((8, 8), (8, 1))), size((4, (2, 3))), size("(4,8)")
    (64, 24, 32)
    """
    return int_tuple.product(as_shape(layout))


def cosize(layout: Any) -> int:
    """How many elements must memory hold for it? The largest offset plus one (strides taken without sign).

    Behind a swizzle too, where CUTLASS's own cosize looks at the inner layout only. Above 2^20 elements a composed layout
    gets an upper bound: whole periods of the swizzle.

    >>> cosize(Layout((8, 8), (9, 1))), cosize(Layout(8, 0)), cosize("(4,8)")
    (71, 1, 32)
    """
    layout = as_readable(layout)
    if isinstance(layout, Layout):
        return 1 + sum([(s - 1) * abs(d) for s, d in layout._modes])
    if isinstance(layout, ComposedLayout) and size(layout) > 2**20:
        last = layout.offset + cosize(layout.inner)
        if isinstance(layout.outer, Layout):
            return _beyond(layout.outer, last - 1) + 1
        period = layout.outer.period
        return -(-last // period) * period
    return int(offsets(layout).max()) + 1


def rank(layout: Any) -> int:
    """How many top-level modes?

    >>> rank(Layout(((4, 8), 2))), rank(Layout(8)), rank("(4,8):(8,1)")
    (2, 1, 2)
    """
    return int_tuple.rank(as_shape(layout))


def depth(layout: Any) -> int:
    """How deep is the nesting? 0 for an integer shape.

    >>> depth(Layout(((4, 8), 2))), depth(Layout(8))
    (2, 0)
    """
    return int_tuple.depth(as_shape(layout))


@overload
def flatten(layout: Layout) -> Layout: ...
@overload
def flatten(layout: ComposedLayout) -> ComposedLayout: ...
@overload
def flatten(layout: str) -> AnyLayout: ...
def flatten(layout: Any) -> AnyLayout:
    """The same function with all leaf modes at the top level.

    >>> flatten(Layout(((4, 8), 2), ((16, 1), 8)))
    Layout('(4,8,2):(16,1,8)')
    """
    found = as_layout(layout)
    if isinstance(found, ComposedLayout):
        return ComposedLayout(found.outer, found.offset, flatten(found.inner))
    if not isinstance(found.shape, tuple):
        return found
    return Layout(int_tuple.flatten(found.shape), int_tuple.flatten(found.stride))


def congruent(a: Any, b: Any) -> bool:
    """Do two shapes (or two layouts' shapes) have the same profile?

    >>> congruent(Layout((4, (2, 2))), Layout((8, (1, 3))))
    True
    """
    return int_tuple.congruent(as_shape(a), as_shape(b))


def compatible(a: Any, b: Any) -> bool:
    """Is every coordinate of a's shape a coordinate of b's shape? Not symmetric.

    >>> compatible(64, (8, 8)), compatible((8, 8), 64)
    (True, False)
    """
    return int_tuple.compatible(as_shape(a), as_shape(b))


def as_shape(value: Any, what: str = "shape") -> IntTuple:
    """The shape of what somebody gave: a layout, its text, or a shape itself.

    >>> as_shape(Layout((4, 2))), as_shape("(4,2)"), as_shape([4, 2])
    ((4, 2), (4, 2), (4, 2))
    """
    if isinstance(value, Layout | CoordLayout):
        return value.shape
    if isinstance(value, str | ComposedLayout) or _is_table(value):
        return as_readable(value).shape
    shape = int_tuple.as_int_tuple(value, what)
    for extent in int_tuple.flatten(shape):
        if extent < 1:
            raise CuteLabError(f"{what} {shown_text(shape)} holds {extent}; use 1 or more")
    return shape


def idx2crd(index: int, shape: Any) -> IntTuple:
    """Which hierarchical coordinate of a shape has this 1-D index? (Colexicographic: the first mode is fastest.)

    shape: a shape, or a layout, whose shape counts. Raises CuteLabError outside 0 .. size(shape) - 1.

    >>> idx2crd(37, ((4, 8), 2)), idx2crd(5, Layout((3, (2, 4))))
    (((1, 1), 1), (2, (1, 0)))
    """
    return int_tuple.idx2crd(index, as_shape(shape))


def crd2idx(coord: Any, shape: Any, stride: Any = None) -> int:
    """Which index (or, with strides, which offset) does a coordinate have?

    shape: a shape, or a layout, whose shape counts (its offset is layout(coord)). The coordinate may be 1-D, rank-D or
    hierarchical: an integer at a mode of several integers counts colexicographically inside that mode. Without strides
    `crd2idx(idx2crd(i, shape), shape) == i`. Raises CuteLabError for a coordinate of another profile or out of range.

    >>> crd2idx((2, 3), (8, 8), (8, 1)), crd2idx(37, ((4, 8), 2)), crd2idx((5, 1), ((4, 8), 2))
    (19, 37, 37)
    """
    shape = as_shape(shape)
    if stride is not None:
        stride = int_tuple.as_int_tuple(stride, "stride")
        if not int_tuple.congruent(shape, stride):
            raise CuteLabError(f"stride {shown_text(stride)} does not have the profile of shape {shown_text(shape)}")
    elif any(isinstance(extent, Int) for extent in int_tuple.flatten(shape)):
        shape = int_tuple.plain(shape)  # C++ makes stride 0 for a static extent of 1; an index counts all the same
    return int_tuple.crd2idx(coord, shape, stride)


def slice_and_offset(layout: Any, coord: Any) -> tuple[AnyLayout, int]:
    """Fix some modes of a coordinate and keep those that are `None`: which layout is left, and from which offset?

    layout(c) == offset + left(what is kept of c). Of a composed layout the offset moves inside, before the swizzle, and the
    second number is 0. CuTe's layout of one mode has brackets of its own, `(8):(1)`; and where nothing that is kept is swizzled
    with what is kept, CuTe writes the swizzle as strides and moves the offset out: the offsets of the elements are the same.

    >>> slice_and_offset(Layout((8, 8), (8, 1)), (2, None))
    (Layout('8:1'), 16)
    >>> slice_and_offset("Sw<2,0,2> o 0 o ((2,2),4):((1,2),4)", ((None, 1), None))
    (ComposedLayout('Sw<2,0,2> o 2 o (2,4):(1,4)'), 0)
    """
    layout = as_layout(layout)
    coord = as_coord(coord, layout.shape)
    if isinstance(layout, Layout):
        return _slice(layout, coord)
    kept, offset = slice_and_offset(layout.inner, coord)
    return ComposedLayout(layout.outer, layout.offset + offset if offset else layout.offset, kept), 0  # Int stays Int


def _slice(layout: Layout, coord: Any) -> tuple[Layout, int]:
    kept: list[tuple[IntTuple, IntTuple]] = []

    def walk(c: Any, s: Any, d: Any) -> int:
        if c is None:
            kept.append((s, d))
            return 0
        if isinstance(c, tuple) and has_none(c):
            if not isinstance(s, tuple) or len(c) != len(s):
                raise CuteLabError(
                    f"{shown_text(coord)} does not fit shape {shown_text(layout.shape)}: {shown_text(c)} for {shown_text(s)}"
                )
            return sum([walk(ci, si, di) for ci, si, di in zip(c, s, d, strict=True)])
        return int_tuple.crd2idx(c, s, d)

    offset = walk(coord, layout.shape, layout.stride)
    if not kept:
        return Layout(1, 0), offset
    if len(kept) == 1:
        return Layout(*kept[0]), offset
    return Layout(tuple(s for s, _ in kept), tuple(d for _, d in kept)), offset


def extended(layout: Any, count: int) -> Layout:
    """Which layout is this when its last mode goes on until it has `count` elements or more? CuTe reads it so beyond its size.

    >>> extended(Layout(4), 7), extended(Layout((4, 2), (1, 8)), 9)
    (Layout('7:1'), Layout('(4,3):(1,8)'))
    """
    plain = as_plain(layout)
    if not int_tuple.is_int(count) or count < 1:
        raise CuteLabError(f"extended: the count must be a whole number of 1 or more, got {shown(count)}")
    if count <= plain._size:
        return plain
    extents = list(int_tuple.flatten(plain.shape))
    extents[-1] = -(-int(count) // (plain._size // int(extents[-1])))
    return Layout(int_tuple.unflatten(tuple(extents), plain.shape), plain.stride)


def _beyond(outer: Layout, index: int) -> int:
    if index < 0:
        return int(beyond(outer, np.array([index], dtype=np.int64))[0])
    offset = 0
    for s, d in outer._modes[:-1]:
        offset += index % s * d
        index //= s
    return offset + index * outer._modes[-1][1]


def beyond(layout: Layout, index: np.ndarray) -> np.ndarray:
    """Which offsets do these 1-D indices have, the last mode going on beyond the size?

    Raises CuteLabError for a negative index of a layout of several modes, and for offsets beyond 2^63.

    >>> beyond(Layout((4, 2), (1, 8)), np.array([3, 4, 7, 8, 9])).tolist()
    [3, 8, 11, 16, 17]
    """
    leaves = list(layout._modes)
    top = int(np.abs(index).max(initial=0))
    low = int(index.min(initial=0))
    if low < 0 and not _is_linear(leaves):
        raise CuteLabError(
            f"index {low} is outside {brief(layout)}: a layout of several modes has no value below index 0; "
            f"use strides of 0 or more on the right"
        )
    inner = int_tuple.product(tuple(s for s, _ in leaves[:-1])) if len(leaves) > 1 else 1
    reach = sum([(s - 1) * abs(d) for s, d in leaves[:-1]]) + (top // inner) * abs(leaves[-1][1])
    if reach > INT64_MAX:
        raise CuteLabError(
            f"{brief(layout)} at index {top} reaches offset {reach:.4g}; offsets must stay below 2^63, so use smaller numbers"
        )
    if low < 0:
        return np.asarray(index * leaves[0][1], np.int64)
    if inner * (top // inner + 1) < 4 * len(index) + 1024:  # a table of A up to the top, then one look-up
        leaves = [*leaves[:-1], (top // inner + 1, leaves[-1][1])]
        return np.asarray(_leaf_offsets(leaves)[index], np.int64)
    result = np.zeros(len(index), np.int64)
    for extent, stride in leaves[:-1]:
        if extent > 1:
            outer = index // extent
            result += (index - outer * extent) * stride
            index = outer
    return np.asarray(result + index * leaves[-1][1], np.int64)


def _is_linear(leaves: list[tuple[int, int]]) -> bool:
    """Is the layout one multiplication, also beyond its size?"""
    step = leaves[0][0] * leaves[0][1]
    for extent, stride in leaves[1:]:
        if stride != step:
            return False
        step *= extent
    return True


def mode_offsets(shape: IntTuple, stride: IntTuple) -> np.ndarray:
    """The offsets of one mode by its 1-D index: int64 (size,), the first leaf fastest.

    >>> mode_offsets((2, 3), (1, 10)).tolist()
    [0, 1, 10, 11, 20, 21]
    """
    return _leaf_offsets(modes(shape, stride))


def _leaf_offsets(leaves: list[tuple[int, int]]) -> np.ndarray:
    table = np.zeros(1, np.int64)
    for extent, step in leaves:
        table = (np.arange(extent, dtype=np.int64)[:, None] * step + table).reshape(-1)
    return table


def check_table_size(elements: int, what: object) -> None:
    """Raise CuteLabError if a table of so many elements must not be allocated.

    >>> check_table_size(10**15, "(1000000,1000000000):(1,1000000)")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: (1000000,1000000000):(1,1000000) has 1e+15 elements; a table holds at most 16,777,216
    """
    if elements > MAX_TABLE:
        name = what if isinstance(what, str) else str(what)
        name = name if len(name) <= 100 else name[:97] + "..."
        raise CuteLabError(f"{name} has {count_text(elements)} elements; a table holds at most {MAX_TABLE:,}")


def check_listed(value: Any, what: str) -> None:
    """Raise CuteLabError if nested lists or a range hold too many numbers to become an array.

    >>> check_listed(range(10**12), "the addresses")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: the addresses: a list of 1e+12 numbers or more; at most 1,048,576 are read from lists, 16,777,216 from an array
    """
    count, level = 1, 0
    while isinstance(value, range | list | tuple) and value and count <= MAX_LISTED:
        long = len(value) if not isinstance(value, range) else -(-(value.stop - value.start) // value.step)
        count, level, value = count * long, level + 1, value[0]  # len() of a range stops at what the machine can index
        if level > int_tuple.MAX_DEPTH:
            raise CuteLabError(f"{what}: lists nested more than {int_tuple.MAX_DEPTH} levels deep")
    if count > MAX_LISTED:
        raise CuteLabError(
            f"{what}: a list of {count_text(count)} numbers or more; at most {MAX_LISTED:,} are read from lists, "
            f"{MAX_TABLE:,} from an array"
        )


def offsets(layout: Any) -> np.ndarray:
    """Which offset has each coordinate? A read-only int64 array, one axis for each top-level mode.

    `.ravel(order="F")` is the order of the 1-D index. Unit: elements. Works on composed layouts too.
    Raises CuteLabError above 2^24 elements, before anything is allocated.

    >>> offsets(Layout((2, 4), (4, 1)))
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    """
    given = as_readable(layout)
    if isinstance(given, ComposedLayout):
        return given.offsets()
    if not isinstance(given, Layout):
        return given.offsets
    check_table_size(given._size, given)
    if rank(given) > MAX_AXES:
        raise CuteLabError(
            f"{brief(given)} has {rank(given)} modes; a table has at most {MAX_AXES} axes: group modes first"
        )
    parts = [_leaf_offsets(list(mode._modes)) for mode in given]
    table = parts[0]
    for part in parts[1:]:
        table = np.add(table[..., None], part)
    table.flags.writeable = False
    return table
