"""Floor 5: one function a topic. Each returns an Explorer: knobs beside a picture, and the same in code."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal

from cutelab.explore.explorer import Explorer
from cutelab.scenes.params import Params

__all__ = ["Explorer", "layout", "thread_map"]


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


def thread_map(
    thread_map: Any = "PitchLinearWarpRakedThreadMap<PitchLinearShape<64,32>, 128, PitchLinearShape<8,4>, 8>",
    *,
    scale: int = 2,
    view: Literal["widget", "html"] = "widget",
    **params: Any,
) -> Explorer:
    """Which thread of a CUTLASS 2.x thread map touches which element of the tile, in which order, and what does it cost?

    thread_map  the C++ type as text, or a thread map of cutelab
    scale, view as for `layout`
    params      any field or knob of `cutelab.scenes.thread_map.ThreadMapParams`, such as access, thread, ld, shared, other

    >>> lab = thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>", element="float32")
    >>> print(lab.result.sides[0].coverage)
    128 elements, each touched once
    >>> lab.set(lines=5)
    >>> lab.params.thread_map
    'PitchLinearStripminedThreadMap<PitchLinearShape<16,5>, 32, 1>'
    """
    from cutelab.scenes import thread_map as scene

    return _open(
        "thread_map", scene, scene.ThreadMapParams, {"thread_map": thread_map, **params}, scale=scale, view=view
    )
