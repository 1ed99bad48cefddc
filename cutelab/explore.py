"""Floor 5: one function a topic. Each returns an Explorer: knobs beside a picture, and the same in code."""

from __future__ import annotations

import ast
import re
import sys
from types import ModuleType
from typing import Any, Literal

from cutelab.core.errors import CuteLabError
from cutelab.course.card.knobs import Params, plain
from cutelab.course.lab.explorer import Explorer

__all__ = [
    "Explorer",
    "algebra",
    "banks",
    "coalescing",
    "descriptor",
    "kernel",
    "layout",
    "picture",
    "pipeline",
    "strips",
    "swizzle",
    "tensor_core",
    "thread_map",
    "tiled",
    "tiling",
    "tma",
    "trace",
    "view",
]


def _open(name: str, scene: ModuleType, params: type[Params], given: dict[str, Any], **options: Any) -> Explorer:
    return Explorer(name, scene, params().change(**{k: plain(k, v) for k, v in given.items()}), **options)


def layout(
    layout: str = "(8,8):(8,1)", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """Where does each coordinate of a layout live in memory, and what lies at each offset?

    layout   any CuTe expression: "(8,8):(8,1)", "((4,2),8):((1,4),8)", "(_4,_2):(_2,_1)"
    scale    image pixels per CSS pixel: 2 for sharp screens, 1 for slow networks
    view     "widget", or "html" where anywidget cannot load
    params   any field of `cutelab.course.topics.layout.model.LayoutParams`, such as the probe or the colours

    >>> lab = layout("(8,8):(8,1)", row=4)
    >>> lab.set(layout="(8,8):(9,1)")
    >>> lab.code()
    'explore.layout("(8,8):(9,1)", row=4)'
    >>> lab.picture.status
    '(4,3) → offset 39 elements · byte 156 · word 39 · bank 7'
    """
    from cutelab.course.topics import layout as scene

    return _open("layout", scene, scene.Params, {"layout": layout, **params}, scale=scale, view=view)


def coalescing(
    element: str = "float32", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """Which lines and sectors of global memory does one warp's access touch, and how many would do?

    element       int8, half, float32, float64 or uint128
    scale, view   as for `layout`
    params        any field of `cutelab.course.topics.coalescing.knobs.CoalescingParams`: access_bytes, stride, start, across, pitch, ...

    >>> lab = coalescing(stride=32)
    >>> lab.result.count, lab.result.ideal
    (32, 4)
    >>> lab.set(stride=1)
    >>> lab.result.count
    4
    """
    from cutelab.course.topics import coalescing as scene

    return _open("coalescing", scene, scene.Params, {"element": element, **params}, scale=scale, view=view)


def banks(
    layout: str = "(32,32):(32,1)", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """In which banks do the lanes of a warp meet, and how many wavefronts is that?

    layout   the tile in shared memory: "(32,32):(32,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"
    scale    image pixels per CSS pixel: 2 for sharp screens, 1 for slow networks
    view     "widget", or "html" where anywidget cannot load
    params   any field of `cutelab.course.topics.banks.model.BanksParams`, and `pitch`

    >>> lab = banks(pitch=32, read="column", index=12)
    >>> lab.result.waves.summary()
    '32 wavefronts where 1 would do (32-way)'
    >>> lab.set(pitch=33)
    >>> lab.result.waves.count, lab.code()
    (1, 'explore.banks("(32,32):(33,1)")')
    """
    from cutelab.course.topics import banks as scene

    return _open("banks", scene, scene.Params, {"layout": layout, **params}, scale=scale, view=view)


def descriptor(
    tile: str = "K, 128 bytes", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """From which address does wgmma read each (m, k), what do the 64 bits say, and what is read where they are wrong?

    tile          what lies in shared memory: "K, no swizzle", "K, 128 bytes", "MN, 64 bytes", ...
    scale, view   as for `layout`
    params        any field of `cutelab.course.topics.descriptor.knobs.DescriptorParams`: swizzle_bytes, major, lbo_bytes, sbo_bytes, start_bytes, m, k

    >>> lab = descriptor()
    >>> lab.picture.title, lab.picture.verdicts[0].sentence
    ('0x4000004000010000', 'All 1024 elements are read from where they lie')
    >>> lab.set(swizzle_bytes=64)
    >>> lab.picture.verdicts[0].sentence
    'The product is wrong in 56 of 64 rows, and nothing faults'
    """
    from cutelab.course.topics import descriptor as scene

    return _open("descriptor", scene, scene.Params, {"tile": tile, **params}, scale=scale, view=view)


def strips(
    row_pitch: int = 16, *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """Where does each thread work by the strip formula, what does it miss, and what does each warp pay?

    row_pitch     elements from one row to the next
    scale, view   as in `layout`
    params        any field of `cutelab.course.topics.strips.knobs.StripsParams`: threads, pitch, strips, rows, columns, element, ...

    >>> lab = strips(threads=64, pitch=8, strips=4)
    >>> lab.picture.verdicts[0].sentence
    '64 of 576 elements touched; rows 4 to 31 are skipped.'
    """
    from cutelab.course.topics import strips as scene

    return _open("strips", scene, scene.Params, {"row_pitch": row_pitch, **params}, scale=scale, view=view)


def swizzle(
    swizzle: str = "Sw<3,0,3>", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """What does Swizzle<B,M,S> do to a tile, bit by bit, and to the banks of a column?

    swizzle  "Sw<3,0,3>", or a whole expression such as "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"
    scale    image pixels per CSS pixel: 2 for sharp screens, 1 for slow networks
    view     "widget", or "html" where anywidget cannot load
    params   any field of `cutelab.course.topics.swizzle.knobs.SwizzleParams`: unit, layout, element, access, access_bytes, row, column

    >>> lab = swizzle("Sw<3,4,3>", unit="bytes", layout="(8,64):(64,1)", element="half", access_bytes=16)
    >>> lab.result.wave.count, lab.result.wave_after.count, str(lab.result.swizzle)
    (8, 1, 'Sw<3,3,3>')
    """
    from cutelab.course.topics import swizzle as scene

    return _open("swizzle", scene, scene.Params, {"swizzle": swizzle, **params}, scale=scale, view=view)


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
    params      any field or knob of `cutelab.course.topics.thread_map.knobs.ThreadMapParams`, such as access, thread, ld, shared, other

    >>> lab = thread_map("PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>", element="float32")
    >>> print(lab.result.sides[0].coverage)
    128 elements, each touched once
    >>> lab.set(lines=5)
    >>> str(lab.params.thread_map)
    'PitchLinearStripminedThreadMap<PitchLinearShape<16,5>, 32, 1>'
    """
    from cutelab.course.topics import thread_map as scene

    return _open("thread_map", scene, scene.Params, {"thread_map": thread_map, **params}, scale=scale, view=view)


def pipeline(
    m: int = 128,
    n: int = 128,
    k: int = 32,
    *,
    scale: int = 2,
    view: Literal["widget", "html"] = "widget",
    **params: Any,
) -> Explorer:
    """Who waits for whom while tiles flow through shared memory into the Tensor Core, and what does another stage buy?

    m, n, k       the tile: A is m x k, B is n x k
    scale, view   as for `layout`
    params        any field of `cutelab.course.topics.pipeline.knobs.PipelineParams`: element, stages, latency, copy_rate, mma_rate, tiles, arch, ...

    >>> lab = pipeline(stages=2)
    >>> lab.picture.verdicts[0].sentence
    'Each tile takes 812 cycles where 512 would do: the Tensor Core waits 37 % of the time'
    >>> lab.set(stages=4)
    >>> lab.result.cycles, lab.code()
    (512.0, 'explore.pipeline(stages=4)')
    """
    from cutelab.course.topics import pipeline as scene

    return _open("pipeline", scene, scene.Params, {"m": m, "n": n, "k": k, **params}, scale=scale, view=view)


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
    'The compiler stops: stride 12 is neither a multiple of 8 nor below it (stride divisibility).'
    """
    from cutelab.course.topics import algebra as scene

    return _open("algebra", scene, scene.Params, {"operation": operation, **params}, scale=scale, view=view)


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
    >>> print(lab.picture.copies["C++"].splitlines()[-1])
    auto tile = t(_, make_coord(3,5));  // (4,8):(1,128) from offset 5132
    """
    from cutelab.course.topics import tiling as scene

    return _open("tiling", scene, scene.Params, {"layout": layout, **params}, scale=scale, view=view)


def tensor_core(
    atom: str = "SM80_16x8x8_F32F16F16F32_TN",
    *,
    scale: int = 2,
    view: Literal["widget", "html"] = "widget",
    **params: Any,
) -> Explorer:
    """Which thread holds what in a matrix instruction, and how does it get there from shared memory?

    atom         any MMA atom, by CUTLASS's name
    scale, view  as for `layout`
    params       any field of `cutelab.course.topics.tensor_core.knobs.TensorCoreParams`: operand, thread, value, show, swizzle, load, ...

    >>> lab = tensor_core("SM80_16x8x16_F32F16F16F32_TN", operand="A", thread=5)
    >>> lab.result.held.tolist()[:3], lab.result.feed.load.summary()
    ([[1, 2], [1, 3], [9, 2]], 'ldmatrix.x4: 32 wavefronts where 4 would do')
    >>> lab.set(swizzle="Sw<3,3,3>")
    >>> lab.result.feed.load.summary()
    'ldmatrix.x4: 4 wavefronts, the ideal'
    """
    from cutelab.course.topics import tensor_core as scene

    return _open("tensor_core", scene, scene.Params, {"atom": atom, **params}, scale=scale, view=view)


def tiled(tiled: Any = "", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any) -> Explorer:
    """Who holds what in a TiledCopy or a TiledMMA, which part of the data is a thread's, and what does it cost?

    tiled        `make_tiled_copy(...)`, `make_tiled_mma(...)`, what CuTe prints, or the object; empty: built from the knobs
    scale, view  as for `layout`
    params       any field of `cutelab.course.topics.tiled.knobs.TiledParams`: kind, thr, val, vector, permutation, src, dst, thread, ...

    >>> lab = tiled(thr="(32,4):(4,1)", val="(1,8)", thread=5)
    >>> lab.picture.status
    'T5 v0 (warp 0, lane 5) → (1,8) of source'
    >>> lab.set(dst="(128,64):(64,1)")
    >>> lab.picture.verdicts[-1].sentence
    'Target, shared: 256 wavefronts where 128 would do.'
    """
    from cutelab.course.topics import tiled as scene

    return _open("tiled", scene, scene.Params, {"tiled": tiled, **params}, scale=scale, view=view)


def tma(rows: int = 24, *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any) -> Explorer:
    """Where does TMA put each piece of a box, what arrives as zero, and how many bytes must the barrier expect?

    rows          of the matrix in global memory
    scale, view   as for `layout`
    params        any field of `cutelab.course.topics.tma.knobs.TmaParams`: cols, element, inner, box_rows, column, row, swizzle_bytes, ...

    >>> lab = tma(column=32, row=20)
    >>> lab.picture.verdicts[0].sentence
    'The barrier must expect 1024 bytes: the whole box, though it hangs over the edge'
    >>> lab.result.zero_elements
    400
    >>> lab.set(column=4)
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: column 4 x 2 bytes is no multiple of 16 bytes: the hardware ends with an illegal instruction; start at column 0 or 8
    """
    from cutelab.course.topics import tma as scene

    return _open("tma", scene, scene.Params, {"rows": rows, **params}, scale=scale, view=view)


def trace(
    kernel: Any = None,
    grid: Any = None,
    block: Any = None,
    *args: Any,
    blocks: Any = "auto",
    shared_bytes: int | None = None,
    scale: int = 2,
    view: Literal["widget", "html"] = "widget",
    **params: Any,
) -> Explorer:
    """What does a Numba kernel do to memory, one warp instruction after the other, and who waits for whom?

    kernel, grid, block, args, blocks, shared_bytes  as in `cutelab.kernels.trace`, which runs first; or a Trace alone. Without any
                 it is the transpose of a tile with conflicts
    scale, view  as for `layout`
    params       warp and step, see `cutelab.course.topics.trace.knobs.TraceParams`

    >>> lab = trace(step=16)
    >>> lab.picture.status
    'line 25 → shared load of tile, 4 bytes a lane · time 1 · 32 lanes · 1 barrier before'
    """
    from cutelab.course.topics import trace as scene
    from cutelab.kernels import Trace
    from cutelab.kernels import trace as run

    if kernel is None:
        from cutelab.kernels.demo import demo

        seen = demo()
    elif isinstance(kernel, Trace):
        seen = kernel
    else:
        given = [value for value in (grid, block) if value is not None]
        seen = run(kernel, *given, *args, blocks=blocks, shared_bytes=shared_bytes)
    made = scene.params_of(seen, kernel is not None)
    return _open("trace", scene, made, params, scale=scale, view=view)


def kernel(
    kernel: str = "transpose", *, scale: int = 2, view: Literal["widget", "html"] = "widget", **params: Any
) -> Explorer:
    """What does each access of a kernel cost, predicted from its layout, and how fast was it on an H200?

    kernel   "transpose" or "gemm"
    params   any field of `cutelab.course.topics.kernel.knobs.KernelParams`, or variant="padded"

    >>> lab = kernel(tile=64)
    >>> lab.set(variant="padded")
    >>> lab.code()
    'explore.kernel(variant="padded")'
    >>> lab.picture.status
    'padded: 0.537 ms at 16384 x 16384 · 3996 GB/s · best copy 4282 GB/s'
    """
    from cutelab.course.topics import kernel as scene

    return _open("kernel", scene, scene.Params, {"kernel": kernel, **params}, scale=scale, view=view)


def picture(value: Any, **params: Any) -> Explorer:
    """Which picture belongs to this value? A layout, a swizzle, an MMA atom, a thread map, a tiled copy, or a shared view; `save` writes it.

    value   the object, or the text that CuTe prints and CUTLASS names; or what `lab.link()` gave
    params  fields of the topic's knobs, as for its explorer; of a shared view none

    Raises CuteLabError for what has no picture. `save("x.svg")` also takes .png, .pdf and .html.

    >>> picture("((4,2),(2,4)):((2,16),(1,8))").code()
    'explore.layout("((4,2),(2,4)):((2,16),(1,8))")'
    >>> picture("SM80_16x8x16_F32F16F16F32_TN", operand="C").picture.title
    'C: ((4,8),(2,2)):((32,1),(16,8))'
    """
    from cutelab.course.card.words import element_of
    from cutelab.course.topics.painter import scene_of
    from cutelab.cutlass.reading import read

    if isinstance(value, str) and value.strip().startswith(("cutelab:", "explore.")):
        return view(value)
    name, scene, given = scene_of(read(value) if isinstance(value, str) else value)
    if name == "layout" and isinstance(value, str) and (pointer := re.search(r"ptr\[(\d{1,3})b\]", value)):
        given |= element_of(int(pointer[1]))  # a swizzle on a pointer: the layout has lost its bits
    return _open(name, scene, scene.Params, {**given, **params}, view="html")


def view(text: str) -> Explorer:
    """Which explorer did somebody share? Opens what `lab.link()` gave, or the line that `lab.code()` gave.

    Only numbers, texts, True, False, None and tuples of them are read: nothing in the text is executed.

    >>> lab = view('cutelab:layout("(8,8):(9,1)", row=4)')
    >>> lab.code(), view(lab.link()).picture.status
    ('explore.layout("(8,8):(9,1)", row=4)', '(4,3) → offset 39 elements · byte 156 · word 39 · bank 7')
    """
    said = str(text).strip().removeprefix("cutelab:").removeprefix("explore.")
    topics = [name for name in __all__ if name not in ("Explorer", "picture", "view")]
    try:
        call = ast.parse(said, mode="eval").body
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            raise ValueError("no call")
        given = [ast.literal_eval(value) for value in call.args]
        named = {str(pair.arg): ast.literal_eval(pair.value) for pair in call.keywords}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        example = 'cutelab:layout("(8,8):(9,1)", row=4)'
        raise CuteLabError(f"a view is a text such as {example!r}; got {str(text)[:80]!r}") from None
    if call.func.id not in topics:
        raise CuteLabError(f"there is no explorer {call.func.id!r}; there are {', '.join(topics)}")
    if len(given) > 1 or "None" in named:
        raise CuteLabError(f"only the first value of {call.func.id}(...) may stand without its name")
    opened: Explorer = getattr(sys.modules[__name__], call.func.id)(*given, **named)
    return opened
