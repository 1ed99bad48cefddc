"""Divides: split a layout into a tile and the rest, and the brackets in which CuTe gives the two.

logical_divide by a Layout T is A o (T, complement(T)): mode 0 is the tile, mode 1 counts the tiles. By a tuple it does so
mode by mode. zipped_, tiled_ and flat_divide gather the tile modes in front; a tile or a rest of one mode keeps its brackets.
None in a tuple keeps the whole mode: in logical_divide the mode stays as it is; in the other three it is in the tile as a whole,
and its rest is 1:0. That is this library's meaning: CuTe's C++ does not compile there, or takes a nested mode of two apart, as
as_cpp=True does.
Source: CuTe's documentation, "CuTe Layout Algebra", section "Division (Tiling)"; cute/layout.hpp.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from cutelab.algebra import coordinates
from cutelab.algebra.compose import check_tiler
from cutelab.algebra.fold import compose_layouts
from cutelab.algebra.inverse import complement_within
from cutelab.algebra.laws import flat_modes, static
from cutelab.algebra.simplify import coalesced, compact, filtered, join, on_inner, top_modes, want_layout
from cutelab.core.coordinates import CoordLayout
from cutelab.core.errors import CuteLabError, brief
from cutelab.core.int_tuple import Int, shown_text
from cutelab.core.layout import AnyLayout, ComposedLayout, Layout, parse_layout, size

Split = Callable[[Layout, Layout], Layout]


def by_mode(layout: Layout, tiler: Any, split: Split) -> Layout:
    """Apply `split` to the whole layout (tiler a Layout or int), or mode by mode (a tuple); None leaves a mode alone.

    >>> by_mode(Layout((8, 8)), (4, None), lambda mode, tile: join([tile, mode]))
    Layout('((4,8),8):((1,1),8)')
    """
    if tiler is None:
        return layout
    if isinstance(tiler, tuple):
        modes = top_modes(layout)
        done = [by_mode(m, t, split) for m, t in zip(modes, tiler, strict=False)]
        return join([*done, *modes[len(tiler) :]])
    return split(layout, compact(tiler) if isinstance(tiler, int) else tiler)


def unzip(layout: Layout, tiler: Any, as_cpp: bool = False) -> tuple[Layout, Layout]:
    """The tile and the rest of a divided (or multiplied) layout, each gathered over the modes of the tiler.

    Source: cute/layout.hpp, `tile_unzip`; a mode that None kept is all tile.

    >>> unzip(Layout(((4, 2), (8, 1)), ((1, 4), (8, 0))), (4, 8))
    (Layout('(4,8):(1,8)'), Layout('(2,1):(4,0)'))
    """
    if tiler is None and not as_cpp:
        return layout, Layout(Int(1), Int(0)) if static(layout) else Layout(1, 0)
    modes = top_modes(layout)
    if tiler is None and (not isinstance(layout.shape, tuple) or len(modes) != 2):
        raise CuteLabError(
            f"C++ takes a mode that `_` keeps apart into a tile and a rest, and {brief(layout)} is no pair: it does not compile. "
            "Without as_cpp the mode is in the tile as a whole"
        )
    if not isinstance(tiler, tuple):
        return modes[0], modes[1]
    parts = [unzip(m, t, as_cpp) for m, t in zip(modes, tiler, strict=False)]
    return join([p[0] for p in parts]), join([*(p[1] for p in parts), *modes[len(tiler) :]])


def zipped(layout: Layout, tiler: Any, as_cpp: bool = False) -> Layout:
    """((tile), (rest))."""
    return join(list(unzip(layout, tiler, as_cpp)))


def _unbracketed(part: Layout) -> list[Layout]:
    """The modes of a tile or a rest, for the top level; a part of one mode stands as it is, in its own brackets.

    Source: cute/layout.hpp, where `repeat<1>(_)` takes the part whole.
    """
    return top_modes(part) if len(part) > 1 else [part]


def tiled(layout: Layout, tiler: Any, as_cpp: bool = False) -> Layout:
    """((tile), rest modes ...)."""
    tile, rest = unzip(layout, tiler, as_cpp)
    return join([tile, *_unbracketed(rest)])


def flat(layout: Layout, tiler: Any, as_cpp: bool = False) -> Layout:
    """(tile modes ..., rest modes ...)."""
    tile, rest = unzip(layout, tiler, as_cpp)
    return join([*_unbracketed(tile), *_unbracketed(rest)])


def _split(layout: Layout, tile: Layout, as_cpp: bool = False) -> Layout:
    try:
        return _tile_and_rest(layout, tile, as_cpp)
    except CuteLabError as error:
        other = "" if as_cpp else _other_tiles(layout, tile)
        raise CuteLabError(f"{brief(layout)} cannot be divided by the tile {brief(tile)}{other}: {error}") from None


def _tile_and_rest(layout: Layout, tile: Layout, as_cpp: bool = False) -> Layout:
    if not as_cpp:
        _check_gaps(tile, size(layout))
    shape = coalesced(layout).shape
    rest = complement_within(tile, shape)
    used = size(filtered(tile))
    if not as_cpp and size(rest) * used < size(layout):
        raise CuteLabError(
            f"{size(rest)} copies of {used} elements reach only {size(rest) * used} of {size(layout)} elements, since the tile "
            f"does not go evenly into the modes of {shown_text(shape)}; C++ goes on all the same (as_cpp=True)"
        )
    return compose_layouts(layout, join([tile, rest]), advise=False, as_cpp=as_cpp)


def _check_gaps(tile: Layout, count: int) -> None:
    """Refuse a tile between whose runs elements stay that no copy of the tile can reach."""
    last = 1
    for extent, stride in sorted(flat_modes(filtered(tile)), key=lambda mode: mode[1]):
        gap = stride // last * last if last <= stride else stride
        if gap < min(stride, count):
            raise CuteLabError(
                f"stride {stride} of the tile is not a multiple of {last}, where the mode before ends, so the elements "
                f"{gap} to {min(stride, count) - 1} would be in no tile; use a stride of {gap} or {gap + last}"
            )
        last = stride * extent or last


def _other_tiles(layout: Layout, tile: Layout) -> str:
    """Which extents of a tile of one mode would do instead, the next below and above?"""
    modes = flat_modes(tile)
    if len(modes) > 1 or size(layout) > 2**16:
        return ""
    (extent, stride), found = modes[0], []
    for near in (range(extent - 1, max(1, extent - 9), -1), range(extent + 1, extent + 9)):
        for other in near:
            try:
                _tile_and_rest(layout, Layout(other, stride))
            except CuteLabError:
                continue
            found.append(f"{other}:{stride}")
            break
    return f" (but by {' or '.join(found)})" if found else ""


def _divide(
    name: str, layout: Any, tiler: Any, brackets: Callable[[Layout, Any, bool], Layout] | None, as_cpp: bool
) -> AnyLayout:
    if isinstance(layout, str):
        layout = parse_layout(layout)
    if isinstance(layout, CoordLayout):
        return cast(AnyLayout, coordinates.divide(name, layout, tiler))  # a coordinate layout
    layout = want_layout(layout, "the layout", name)
    if isinstance(layout, ComposedLayout):
        return on_inner(layout, _divide(name, layout.inner, tiler, brackets, as_cpp))
    tiler = check_tiler(layout, tiler, name)
    divided = by_mode(layout, tiler, partial(_split, as_cpp=as_cpp))
    return brackets(divided, tiler, as_cpp) if brackets else divided


def logical_divide(layout: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Which elements are in a tile, and how do the tiles follow? A o (T, complement of T in A), or so for each mode.

    tiler: a Layout T or an int (over the 1-D order of A), or a tuple, one entry for each mode (None: keep the mode).
    A tile that does not fill A is rounded up, as in CuTe: the last tile then reaches beyond A. Raises CuteLabError as
    `composition` and `complement` do, and when elements of A would be in no tile; the result is checked against the
    definition at every coordinate. as_cpp=True gives what C++ returns where these laws do not hold.

    >>> logical_divide(Layout(24, 3), Layout((2, 2), (1, 6)))
    Layout('((2,2),(3,2)):((3,18),(6,36))')
    >>> logical_divide(Layout((32, 8)), (4, None))
    Layout('((4,8),8):((1,4),32)')
    """
    return _divide("logical_divide", layout, tiler, None, as_cpp)


def zipped_divide(layout: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Which element of which tile? ((tile), (tiles)): `result(None, (i, j))` is tile (i, j).

    Like logical_divide, with all tile modes in mode 0 and all rest modes in mode 1.

    >>> tiles = zipped_divide(Layout((128, 128)), (4, 8))
    >>> str(tiles), tiles(0, (3, 5)), tiles(None, (3, 5))
    ('((4,8),(32,16)):((1,128),(4,1024))', 5132, Layout('(4,8):(1,128)'))
    >>> zipped_divide(Layout((64, 50), (100, 1)), (32, None))
    Layout('((32,50),(2,1)):((100,1),(3200,0))')
    """
    return _divide("zipped_divide", layout, tiler, zipped, as_cpp)


def tiled_divide(layout: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Like zipped_divide, with the rest modes at the top level: ((tile), tiles in mode 0, tiles in mode 1, ...).

    >>> tiled_divide(Layout((128, 128)), (4, 8))
    Layout('((4,8),32,16):((1,128),4,1024)')
    """
    return _divide("tiled_divide", layout, tiler, tiled, as_cpp)


def flat_divide(layout: AnyLayout | str, tiler: Any, *, as_cpp: bool = False) -> AnyLayout:
    """Like zipped_divide, with all modes at the top level: (tile modes ..., rest modes ...).

    >>> flat_divide(Layout((128, 128)), (4, 8))
    Layout('(4,8,32,16):(1,128,4,1024)')
    """
    return _divide("flat_divide", layout, tiler, flat, as_cpp)
