"""Floor 5: one function a topic. Each returns an Explorer: knobs beside a picture, and the same in code."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal

from cutelab.explore.explorer import Explorer
from cutelab.scenes.params import Params

__all__ = ["Explorer", "algebra", "layout", "tiling"]


def _open(name: str, scene: ModuleType, params: type[Params], given: dict[str, Any], **options: Any) -> Explorer:
    return Explorer(name, scene, params().change(**given), **options)


def algebra(
    operation: str = "composition", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """What does an operation of the layout algebra do, and does its law hold? One coordinate, followed through all maps.

    operation  "composition", "coalesce", "complement", "right_inverse", "left_inverse" or "max_common_vector"
    params   a and b (any CuTe expression), cotarget (of complement), index (the probe), example (pairs to start from)
    scale, view  as in `layout`

    >>> lab = algebra(a="(6,2):(8,2)", b="(4,3):(3,1)")
    >>> lab.result.layout, lab.picture.status
    (Layout('((2,2),3):((24,2),8)'), 'c = (1,1) → B(c) = 4 → A(4) = 32 · R(c) = 32')
    >>> lab.set(a="(8,8):(1,9)", b="4:12")
    >>> lab.picture.verdicts[0].sentence
    'Refused: stride 12 is neither a multiple of 8 nor below it (stride divisibility).'
    """
    from cutelab.scenes import algebra as scene

    return _open("algebra", scene, scene.AlgebraParams, {"operation": operation, **params}, scale=scale, view=view)


def layout(
    layout: str = "(8,8):(8,1)", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """Where does each coordinate of a layout live in memory, and what lies at each offset?

    layout   any CuTe expression: "(8,8):(8,1)", "((4,2),8):((1,4),8)", "(_4,_2):(_2,_1)"
    scale    image pixels per CSS pixel: 2 for sharp screens, 1 for slow networks
    view     "widget", or "html" where anywidget cannot load
    params   any field of `cutelab.scenes.layout.LayoutParams`, such as the probe or the colours

    >>> lab = layout("(8,8):(8,1)", row=4)
    >>> lab.set(layout="(8,8):(9,1)")
    >>> lab.code()
    'explore.layout("(8,8):(9,1)", row=4)'
    >>> lab.picture.status
    '(4,3) → offset 39 elements · byte 156 · word 39 · bank 7'
    """
    from cutelab.scenes import layout as scene

    return _open("layout", scene, scene.LayoutParams, {"layout": layout, **params}, scale=scale, view=view)


def tiling(
    layout: str = "(16,32):(1,16)", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """Which element is in which tile, where does a tile begin, and which C++ takes it?

    layout   the matrix (or the block of a product): any CuTe expression
    params   tiler ("<4, 8>" by mode, `_` keeps a mode whole; "(4,8):(1,16)" over the 1-D order), operation, other (a second
             tiler beside the first), i and j (the picked tile), element (a place in it), example
    scale, view  as in `layout`

    >>> lab = tiling("(128,128):(1,128)", tiler=(4, 8), i=3, j=5)
    >>> lab.picture.status
    'tile (3,5), element (0,0) → (12,40) of the matrix → offset 5132 elements'
    >>> print(lab.picture.copies["C++"].splitlines()[1])
    auto tile = t(_, make_coord(3,5));  // (4,8):(1,128) from offset 5132
    """
    from cutelab.scenes import tiling as scene

    return _open("tiling", scene, scene.TilingParams, {"layout": layout, **params}, scale=scale, view=view)
