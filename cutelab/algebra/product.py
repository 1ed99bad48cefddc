"""Products: repeat a block by the layout of a tiler, and the brackets in which CuTe gives the two.

logical_product by a Layout T is (A, complement(A, size(A) * cosize(T)) o T): mode 0 is the block, mode 1 tells where each copy
begins. By a tuple it does so mode by mode. Source: CuTe's documentation, "CuTe Layout Algebra", section "Product (Tiling)";
cute/layout.hpp.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from cutelab.algebra.build import make_ordered_layout
from cutelab.algebra.compose import check_tiler
from cutelab.algebra.divide import by_mode, flat, tiled, zipped
from cutelab.algebra.fold import admissible_near, compose_layouts
from cutelab.algebra.inverse import complement_within
from cutelab.algebra.laws import flat_modes, static
from cutelab.algebra.simplify import compact, join, on_inner, top_modes, want_layout
from cutelab.core import int_tuple
from cutelab.core.errors import CuteLabError, brief, shown
from cutelab.core.int_tuple import Int, IntTuple, is_static, shown_text, static_product
from cutelab.core.layout import AnyLayout, ComposedLayout, Layout, as_plain, as_shape, cosize, size


def _repeat(block: Layout, tiler: Layout, as_cpp: bool = False) -> Layout:
    try:
        free = complement_within(block, room(block, tiler))
    except CuteLabError as error:
        raise CuteLabError(f"{brief(block)} cannot be repeated by {brief(tiler)}: {error}") from None
    try:
        copies = compose_layouts(free, tiler, advise=False, as_cpp=as_cpp)
    except CuteLabError as error:
        near = [] if len(flat_modes(tiler)) > 1 else admissible_near(flat_modes(free), *flat_modes(tiler)[0])
        work = f". Close by: {', '.join(f'{e}:{s}' for e, s in near)}" if near else ""
        raise CuteLabError(
            f"{brief(block)} cannot be repeated by {brief(tiler)}, with A = the free offsets: {error}{work}"
        ) from None
    if not as_cpp:
        _check_apart(block, free, copies, tiler)
    return join([block, copies])


def room(block: Layout, tiler: Layout) -> int:
    """For how many offsets is the complement of the block taken? size(A) * cosize(T), static where both are.

    >>> room(Layout((2, 2), (3, 1)), Layout(3))
    12
    """
    parts = (static_product(int_tuple.flatten(block.shape)), cosize(tiler))
    return parts[0] * (Int(parts[1]) if is_static(tiler.shape) and is_static(tiler.stride) else parts[1])


def _check_apart(block: Layout, free: Layout, copies: Layout, tiler: Layout) -> None:
    """The law of a product: copies that the tiler numbers differently share no offset.

    Offsets of the block and free offsets are digits of one number: each mode of the complement ends below the next stride of
    the block. That holds as long as the tiler stays inside the complement, or its last mode, which goes on, lies above the block.
    """
    if cosize(tiler) <= size(free) or flat_modes(free)[-1][1] >= cosize(block):
        return
    raise CuteLabError(
        f"{brief(block)} cannot be repeated by {brief(tiler)}: only {size(free)} copies fit between its strides, and "
        f"C++ puts the next one, {brief(copies)}, into the block. Use a tiler of {size(free)} copies or fewer; "
        f"as_cpp=True gives C++'s answer"
    )


def _product(
    name: str, block: Any, tiler: Any, brackets: Callable[[Layout, Any], Layout] | None, as_cpp: bool
) -> AnyLayout:
    block = want_layout(block, "the block", name)
    if isinstance(block, ComposedLayout):
        return on_inner(block, _product(name, block.inner, tiler, brackets, as_cpp))
    tiler = check_tiler(block, tiler, name)
    multiplied = by_mode(block, tiler, partial(_repeat, as_cpp=as_cpp))
    return brackets(multiplied, tiler) if brackets else multiplied


def logical_product(block: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Where does each copy of a block go? (A, complement of A o T): copy c of the block begins at offset result(0, c).

    tiler: a Layout T (its values number the copies in the order of the offsets that are free), an int (so many copies), or a
    tuple, one entry for each mode of the block (None: no repetition). Copies never overlap when block and tiler do not.
    A padded block keeps its padding, which no copy enters. Raises CuteLabError as `complement` and `composition` do, and when
    C++ would put a copy into the block (as_cpp=True gives that answer); checked against the definition.

    >>> logical_product(Layout((2, 2), (4, 1)), 6)
    Layout('((2,2),(2,3)):((4,1),(2,8))')
    >>> logical_product("(2,2):(3,1)", 3)
    Layout('((2,2),3):((3,1),6)')
    """
    return _product("logical_product", block, tiler, None, as_cpp)


def zipped_product(block: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Like logical_product, with all block modes in mode 0 and all copies in mode 1.

    >>> zipped_product(Layout((2, 5), (5, 1)), (Layout(3, 5), Layout(4, 6)))
    Layout('((2,5),(3,4)):((5,1),(10,30))')
    """
    return _product("zipped_product", block, tiler, zipped, as_cpp)


def tiled_product(block: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Like zipped_product, with the modes of the copies at the top level.

    >>> tiled_product(Layout((4, 8)), Layout((2, 5)))
    Layout('((4,8),2,5):((1,4),32,64)')
    """
    return _product("tiled_product", block, tiler, tiled, as_cpp)


def flat_product(block: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Like zipped_product, with all modes at the top level.

    >>> flat_product(Layout((4, 8)), Layout((2, 5)))
    Layout('(4,8,2,5):(1,4,32,64)')
    """
    return _product("flat_product", block, tiler, flat, as_cpp)


def padded(layout: Layout, rank: int) -> Layout:
    """The layout with modes 1:0 appended up to this rank (CuTe's append<R>).

    >>> padded(Layout(6), 2)
    Layout('(6,1):(1,0)')
    """
    one = Layout(Int(1), Int(0)) if static(layout) else Layout(1, 0)
    return join([*top_modes(layout), *[one] * (rank - len(layout))])


def _zip_product(name: str, block: Any, tiler: Any, block_first: bool, as_cpp: bool) -> AnyLayout:
    block = want_layout(block, "the block", name)
    if isinstance(block, ComposedLayout):
        return on_inner(block, _zip_product(name, block.inner, tiler, block_first, as_cpp))
    if isinstance(tiler, str):
        tiler = as_plain(tiler, f"{name}: the tiler")
    if not isinstance(tiler, Layout):
        raise CuteLabError(
            f"{name} repeats over a Layout of copies, one mode for each mode of the block, got {shown(tiler)}; "
            f"for example Layout((2, 5))"
        )
    rank = max(len(block), len(tiler))
    if rank == 1:
        pair = top_modes(_repeat(block, tiler, as_cpp))[:: 1 if block_first else -1]
        if not isinstance(pair[0].shape, tuple):  # cute's zip then has no tuple to enter, and takes the two whole
            return join([join(pair)])
    both = top_modes(_repeat(padded(block, rank), padded(tiler, rank), as_cpp))
    pairs = zip(*map(top_modes, both if block_first else both[::-1]), strict=True)
    return join([join(list(pair)) for pair in pairs])


def blocked_product(block: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """A matrix of blocks: mode i is (block mode i, copies along i), so each block stays in one piece.

    tiler: a Layout; block and tiler are filled up with modes 1:0 to the same rank.

    >>> blocked_product(Layout((4, 8)), Layout((2, 5)))
    Layout('((4,2),(8,5)):((1,32),(4,64))')
    """
    return _zip_product("blocked_product", block, tiler, True, as_cpp)


def raked_product(block: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """A matrix of interleaved blocks: mode i is (copies along i, block mode i), so neighbours belong to different blocks.

    >>> raked_product(Layout((4, 8)), Layout((2, 5)))
    Layout('((2,4),(5,8)):((32,1),(64,4))')
    """
    return _zip_product("raked_product", block, tiler, False, as_cpp)


def tile_to_shape(block: AnyLayout | str, shape: Any, order: Any = None, *, as_cpp: bool = False) -> AnyLayout:
    """How does a block, repeated, fill a shape? The blocked product whose modes have the sizes of `shape`.

    order: the rank of each mode in the order of repetition, CuTe's Step: (2, 1) repeats along mode 1 first. None: mode 0
    first. Raises CuteLabError when the block has more modes than the shape or does not divide it.

    >>> tile_to_shape(Layout((8, 8), (8, 1)), (16, 32), (2, 1))
    Layout('((8,2),(8,4)):((8,256),(1,64))')
    >>> tile_to_shape("(8,64):(72,1)", (128, 64, 3))
    Layout('((8,16),(64,1),(1,3)):((72,576),(1,0),(0,9216))')
    """
    block = want_layout(block, "the block", "tile_to_shape")
    if isinstance(block, ComposedLayout):
        return on_inner(block, tile_to_shape(block.inner, shape, order, as_cpp=as_cpp))
    sizes = mode_sizes(block, shape)
    whole = block if len(block) == len(sizes) else padded(block, len(sizes))
    return blocked_product(whole, copies_in_order(block, sizes, order), as_cpp=as_cpp)


def mode_sizes(block: Layout, shape: Any) -> tuple[int, ...]:
    """Which sizes have the modes of the target shape? The block must divide them.

    >>> mode_sizes(Layout((8, 8)), (16, (4, 8)))
    (16, 32)
    """
    target = as_shape(shape)
    sizes = tuple([mode_size(m) for m in target]) if isinstance(target, tuple) else (target,)
    if len(block) > len(sizes):
        raise CuteLabError(
            f"tile_to_shape: the block {brief(block)} has {len(block)} modes, the shape {shown_text(target)} only "
            f"{len(sizes)}; give the shape at least {len(block)} modes"
        )
    for mode, extent in zip(top_modes(block), sizes, strict=False):
        if extent < 1 or extent % size(mode):
            raise CuteLabError(
                f"tile_to_shape: {size(mode)} elements of the block {brief(block)} do not divide {extent} of the shape "
                f"{shown_text(target)}; use a multiple of {size(mode)}"
            )
    return sizes


def mode_size(shape: IntTuple) -> int:
    """The size of a shape, static where all of it is.

    >>> mode_size((4, 2))
    8
    """
    return static_product(int_tuple.flatten(shape))


def copies_in_order(block: Layout, sizes: tuple[int, ...], order: Any = None) -> Layout:
    """How many copies of the block along each mode, and in which order (CuTe's make_ordered_layout)?

    >>> copies_in_order(Layout((8, 8)), (16, 32), (2, 1))
    Layout('(2,4):(4,1)')
    """
    counts = tuple([e // mode_size(m.shape) for e, m in zip(sizes, top_modes(padded(block, len(sizes))), strict=True)])
    if order is None:
        return compact(counts)
    order = int_tuple.as_int_tuple(order, "order")
    if not isinstance(order, tuple) or len(order) != len(sizes) or int_tuple.depth(order) > 1:
        raise CuteLabError(
            f"tile_to_shape: order {shown_text(order)} needs one integer for each of the {len(sizes)} modes of the shape, "
            f"for example {shown_text(tuple(range(1, len(sizes) + 1)))}"
        )
    many = [o for o, n in zip(order, counts, strict=True) if n > 1]
    if len(set(many)) < len(many):
        raise CuteLabError(
            f"tile_to_shape: order {shown_text(order)} names a place twice, so that copies would lie on one another; "
            f"for example {shown_text(tuple(range(1, len(sizes) + 1)))}"
        )
    return make_ordered_layout(counts, order)
