"""Products: repeat a block by the layout of a tiler, and the brackets in which CuTe gives the two.

logical_product by a Layout T is (A, complement(A, size(A) * cosize(T)) o T): mode 0 is the block, mode 1 tells where each copy
begins. By a tuple it does so mode by mode. Source: CuTe's documentation, "CuTe Layout Algebra", section "Product (Tiling)";
cute/layout.hpp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutelab.algebra.compose import check_tiler
from cutelab.algebra.divide import by_mode, flat, tiled, zipped
from cutelab.algebra.fold import compose_layouts
from cutelab.algebra.inverse import complement_within
from cutelab.algebra.simplify import AnyLayout, compact, join, on_inner, top_modes, want_layout
from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import IntTuple, to_text
from cutelab.core.layout import Layout, cosize, size


def _repeat(block: Layout, tiler: Layout) -> Layout:
    try:
        free = complement_within(block, size(block) * cosize(tiler))
        return join([block, compose_layouts(free, tiler)])
    except CuteLabError as error:
        raise CuteLabError(
            f"{block} cannot be repeated by {tiler}, with A = the free offsets and B = {tiler}: {error}"
        ) from None


def _product(name: str, block: AnyLayout, tiler: Any, brackets: Callable[[Layout, Any], Layout] | None) -> AnyLayout:
    want_layout(block, "the block", name)
    if isinstance(block, ComposedLayout):
        return on_inner(block, _product(name, block.inner, tiler, brackets))
    tiler = check_tiler(block, tiler, name)
    multiplied = by_mode(block, tiler, _repeat)
    return brackets(multiplied, tiler) if brackets else multiplied


def logical_product(block: AnyLayout, tiler: Any) -> AnyLayout:
    """Where does each copy of a block go? (A, complement of A o T): copy c of the block begins at offset result(0, c).

    tiler: a Layout T (its values number the copies in the order of the offsets that are free), an int (so many copies), or a
    tuple, one entry for each mode of the block (None: no repetition). Copies never overlap when block and tiler do not.
    Raises CuteLabError as `complement` and `composition` do; checked against the definition.

    >>> logical_product(Layout((2, 2), (4, 1)), 6)
    Layout('((2,2),(2,3)):((4,1),(2,8))')
    """
    return _product("logical_product", block, tiler, None)


def zipped_product(block: AnyLayout, tiler: Any) -> AnyLayout:
    """Like logical_product, with all block modes in mode 0 and all copies in mode 1.

    >>> zipped_product(Layout((2, 5), (5, 1)), (Layout(3, 5), Layout(4, 6)))
    Layout('((2,5),(3,4)):((5,1),(10,30))')
    """
    return _product("zipped_product", block, tiler, zipped)


def tiled_product(block: AnyLayout, tiler: Any) -> AnyLayout:
    """Like zipped_product, with the modes of the copies at the top level.

    >>> tiled_product(Layout((4, 8)), Layout((2, 5)))
    Layout('((4,8),2,5):((1,4),32,64)')
    """
    return _product("tiled_product", block, tiler, tiled)


def flat_product(block: AnyLayout, tiler: Any) -> AnyLayout:
    """Like zipped_product, with all modes at the top level.

    >>> flat_product(Layout((4, 8)), Layout((2, 5)))
    Layout('(4,8,2,5):(1,4,32,64)')
    """
    return _product("flat_product", block, tiler, flat)


def padded(layout: Layout, rank: int) -> Layout:
    """The layout with modes 1:0 appended up to this rank (CuTe's append<R>).

    >>> padded(Layout(6), 2)
    Layout('(6,1):(1,0)')
    """
    return join([*top_modes(layout), *[Layout(1, 0)] * (rank - len(layout))])


def _zip_product(name: str, block: AnyLayout, tiler: Any, block_first: bool) -> AnyLayout:
    want_layout(block, "the block", name)
    if isinstance(block, ComposedLayout):
        return on_inner(block, _zip_product(name, block.inner, tiler, block_first))
    if not isinstance(tiler, Layout):
        raise CuteLabError(
            f"{name} repeats over a Layout of copies, one mode for each mode of the block, got {tiler!r}; "
            f"for example Layout((2, 5))"
        )
    rank = max(len(block), len(tiler))
    both = top_modes(_repeat(padded(block, rank), padded(tiler, rank)))
    pairs = zip(*map(top_modes, both if block_first else both[::-1]), strict=True)
    return join([join(list(pair)) for pair in pairs])


def blocked_product(block: AnyLayout, tiler: Any) -> AnyLayout:
    """A matrix of blocks: mode i is (block mode i, copies along i), so each block stays in one piece.

    tiler: a Layout; block and tiler are filled up with modes 1:0 to the same rank.

    >>> blocked_product(Layout((4, 8)), Layout((2, 5)))
    Layout('((4,2),(8,5)):((1,32),(4,64))')
    """
    return _zip_product("blocked_product", block, tiler, True)


def raked_product(block: AnyLayout, tiler: Any) -> AnyLayout:
    """A matrix of interleaved blocks: mode i is (copies along i, block mode i), so neighbours belong to different blocks.

    >>> raked_product(Layout((4, 8)), Layout((2, 5)))
    Layout('((2,4),(5,8)):((32,1),(64,4))')
    """
    return _zip_product("raked_product", block, tiler, False)


def tile_to_shape(block: AnyLayout, shape: Any, order: Any = None) -> AnyLayout:
    """How does a block, repeated, fill a shape? The blocked product whose modes have the sizes of `shape`.

    order: the rank of each mode in the order of repetition, CuTe's Step: (2, 1) repeats along mode 1 first. None: mode 0
    first. Raises CuteLabError when the block has more modes than the shape or does not divide it.

    >>> tile_to_shape(Layout((8, 8), (8, 1)), (16, 32), (2, 1))
    Layout('((8,2),(8,4)):((8,256),(1,64))')
    """
    want_layout(block, "the block", "tile_to_shape")
    if isinstance(block, ComposedLayout):
        return on_inner(block, tile_to_shape(block.inner, shape, order))
    sizes = mode_sizes(block, shape)
    return blocked_product(padded(block, len(sizes)), copies_in_order(block, sizes, order))


def mode_sizes(block: Layout, shape: Any) -> tuple[int, ...]:
    """Which sizes have the modes of the target shape? The block must divide them.

    >>> mode_sizes(Layout((8, 8)), (16, (4, 8)))
    (16, 32)
    """
    target = int_tuple.as_int_tuple(shape, "shape")
    sizes = tuple(map(int_tuple.product, target)) if isinstance(target, tuple) else (target,)
    if len(block) > len(sizes):
        raise CuteLabError(
            f"tile_to_shape: the block {block} has {len(block)} modes, the shape {to_text(target)} only {len(sizes)}; "
            f"give the shape at least {len(block)} modes"
        )
    for mode, extent in zip(top_modes(block), sizes, strict=False):
        if extent < 1 or extent % size(mode):
            raise CuteLabError(
                f"tile_to_shape: {size(mode)} elements of the block {block} do not divide {extent} of the shape "
                f"{to_text(target)}; use a multiple of {size(mode)}"
            )
    return sizes


def copies_in_order(block: Layout, sizes: tuple[int, ...], order: IntTuple | None = None) -> Layout:
    """How many copies of the block along each mode, and in which order (CuTe's make_ordered_layout)?

    >>> copies_in_order(Layout((8, 8)), (16, 32), (2, 1))
    Layout('(2,4):(4,1)')
    """
    counts = tuple(e // size(m) for e, m in zip(sizes, top_modes(padded(block, len(sizes))), strict=True))
    if order is None:
        return compact(counts)
    order = int_tuple.as_int_tuple(order, "order")
    if not isinstance(order, tuple) or len(order) != len(sizes) or int_tuple.depth(order) > 1:
        raise CuteLabError(
            f"tile_to_shape: order {to_text(order)} needs one integer for each of the {len(sizes)} modes of the shape, "
            f"for example {to_text(tuple(range(1, len(sizes) + 1)))}"
        )
    strides, step = [0] * len(counts), 1
    for mode in sorted(range(len(counts)), key=lambda m: order[m]):
        strides[mode] = 0 if counts[mode] == 1 else step
        step *= counts[mode]
    return Layout(counts, tuple(strides))
