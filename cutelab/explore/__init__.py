"""Floor 5: one function a topic. Each returns an Explorer: knobs beside a picture, and the same in code."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Literal

from cutelab.explore.explorer import Explorer
from cutelab.scenes.params import Params

__all__ = ["Explorer", "kernel", "layout"]


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


def kernel(
    kernel: str = "transpose", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """What does each access of a kernel cost, predicted from its layout, and how fast was it on an H200?

    kernel   "transpose" or "gemm"
    params   any field of `cutelab.scenes.kernel.KernelParams`, or variant="padded"

    >>> lab = kernel(tile=64)
    >>> lab.set(variant="padded")
    >>> lab.code()
    'explore.kernel(variant="padded")'
    >>> lab.picture.status
    'padded: 0.537 ms at 16384 x 16384 · 3996 GB/s · best copy 4282 GB/s'
    """
    from cutelab.scenes import kernel as scene

    return _open("kernel", scene, scene.KernelParams, {"kernel": kernel, **params}, scale=scale, view=view)
