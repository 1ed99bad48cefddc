"""Floor 5: one function a topic. Each returns an Explorer: knobs beside a picture, and the same in code."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal

from cutelab.explore.explorer import Explorer
from cutelab.scenes.params import Params

__all__ = ["Explorer", "banks", "layout", "strips"]


def _open(name: str, scene: ModuleType, params: type[Params], given: dict[str, Any], **options: Any) -> Explorer:
    return Explorer(name, scene, params().change(**given), **options)


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


def banks(
    layout: str = "(32,32):(32,1)", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """In which banks do the lanes of a warp meet, and how many wavefronts is that?

    layout   the tile in shared memory: "(32,32):(32,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"
    scale    image pixels per CSS pixel: 2 for sharp screens, 1 for slow networks
    view     "widget", or "html" where anywidget cannot load
    params   any field of `cutelab.scenes.banks.BanksParams`, and `pitch`

    >>> lab = banks(pitch=32, read="column", index=12)
    >>> lab.result.waves.summary()
    '32 wavefronts where 1 would do (32-way)'
    >>> lab.set(pitch=33)
    >>> lab.result.waves.count, lab.code()
    (1, 'explore.banks("(32,32):(33,1)")')
    """
    from cutelab.scenes import banks as scene

    return _open("banks", scene, scene.BanksParams, {"layout": layout, **params}, scale=scale, view=view)


def strips(
    row_pitch: int = 16, *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """Where does each thread work by the strip formula, what does it miss, and what does each warp pay?

    row_pitch     elements from one row to the next
    scale, view   as in `layout`
    params        any field of `cutelab.scenes.strips.StripsParams`: threads, pitch, strips, rows, columns, element, ...

    >>> lab = strips(threads=64, pitch=8, strips=4)
    >>> lab.picture.verdicts[0].sentence
    '64 of 576 elements touched; rows 4 to 31 are skipped.'
    """
    from cutelab.scenes import strips as scene

    return _open("strips", scene, scene.StripsParams, {"row_pitch": row_pitch, **params}, scale=scale, view=view)
