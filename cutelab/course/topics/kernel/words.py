"""The words of topic "kernel": what the accesses cost and what was measured, in sentences; what would help, and code to copy."""

from __future__ import annotations

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.int_tuple import flatten
from cutelab.core.layout import Layout
from cutelab.core.swizzle import Swizzle
from cutelab.course.card.parts.leaves import innermost
from cutelab.course.card.picture import Offer, Verdict
from cutelab.course.card.words import count, number, state_of
from cutelab.course.topics.kernel.knobs import ITEM, K
from cutelab.course.topics.kernel.model import Array, Result
from cutelab.hardware.chip import Address
from cutelab.hardware.measured.kernels import KernelTime
from cutelab.plans.access import Access
from cutelab.plans.tiles import tile_elements

WHAT = {
    "read a": "Reading a",
    "read b": "Reading b",
    "write tile": "Writing the tile",
    "read tile": "Reading the tile",
    "write out": "Writing out",
    "write tile A": "Writing A's tile",
    "write tile B": "Writing B's tile",
    "read tile A": "Reading A's tile",
    "read tile B": "Reading B's tile",
    "write c": "Writing c",
}


def rate(time: KernelTime) -> str:
    """A measured rate with its unit: whole GB/s, or TFLOP/s with one decimal."""
    if time.kernel in ("gemm", "vendor"):
        return f"{time.rate:.1f} TFLOP/s"
    return f"{round(time.rate)} GB/s"


def share(result: Result) -> str:
    """The measured speed beside its yardstick, or that there is none."""
    edge = result.yardstick.size
    if result.time is None:
        return f"This setting was not timed at {edge} x {edge}."
    percent = round(100 * result.time.rate / result.yardstick.rate)
    of = "the library" if result.params.gemm else "the best copy"
    hidden = ", for the conflicts hide behind global memory" if result.hidden else ""
    return f"Measured: {rate(result.time)}, {percent} % of {of}{hidden}."


def subtitle(result: Result) -> str:
    """Type, block, width of an access, and what colours mean."""
    params, threads = result.params, result.plan.threads
    if params.gemm:
        return (
            f"C = A B in float32. A's tile of {params.tile} x {K} in shared memory, 16 bytes a lane, "
            f"{threads} threads. Colour: bank."
        )
    where = f"a tile of {params.tile} x {params.tile} in shared memory" if params.shared else "no shared memory"
    colour = " Colour: bank." if params.shared else ""
    return f"Transpose of float32 through {where}, {params.width} bytes a lane, {threads} threads.{colour}".replace(
        "through no", "with no"
    )


def verdict(result: Result) -> Verdict:
    """Which access costs more than it must, and how fast was it?"""
    worst = result.worst
    if worst is None:
        free = "Every access is free of bank conflicts and takes the fewest sectors."
        return Verdict("good", free, share(result))
    ways = f" ({worst.ways}-way)" if worst.space == "shared" else ""
    sentence = f"{WHAT[worst.name]}: {number(worst.count)} {worst.unit} where {number(best(worst))} would do{ways}."
    second = share(result) if result.hidden else f"{share(result)} {_lanes(worst.explain())}".strip()
    return Verdict(state_of(worst.count, best(worst)), sentence, second)


def best(access: Access) -> int:
    """What the access would take without conflicts. (A 16-byte load cannot always reach the ideal of its bytes.)"""
    if access.space == "global":
        return access.ideal
    if access.ways <= 1:
        return access.count
    chip = access.warps.chip
    groups = -(-access.access_bytes * chip.lanes // chip.row_bytes)
    if access.name.startswith("read tile "):  # the product's lanes read the same pieces in pairs
        groups //= 2
    return max(access.ideal, access.instructions * groups)


def _lanes(explained: str) -> str:
    """Which lanes meet: the second line of the memory model's words, as a sentence."""
    line = explained.partition("\n")[2]
    return f"{line[:1].upper()}{line[1:]}." if "meet" in line else ""


def status(result: Result) -> str:
    """What was measured, in numbers."""
    plan, time, edge = result.params.variant, result.time, result.yardstick.size
    if time is None:
        return f"{plan}: not timed at {edge} x {edge} · {_yardstick(result)}"
    return f"{plan}: {time.ms:.3f} ms at {edge} x {edge} · {rate(time)} · {_yardstick(result)}"


def _yardstick(result: Result) -> str:
    what = "vendor's library" if result.params.gemm else "best copy"
    return f"{what} {rate(result.yardstick)}"


def element(layout: Layout | ComposedLayout) -> str:
    """The element (row, col) of the tile, as Python and Numba write it.

    >>> element(Layout((32, 32), (33, 1)))
    'tile[row * 33 + col]'
    >>> element(ComposedLayout(Swizzle(5, 0, 5), 0, Layout((32, 32), (32, 1))))
    'o = row * 32 + col; tile[o ^ ((o & 992) >> 5)]'
    """
    inner = innermost(layout)
    terms = [*_terms("row", inner, 0), *_terms("col", inner, 1)]
    plain = " + ".join(t for t in terms if t)
    if not isinstance(layout, ComposedLayout) or not isinstance(layout.outer, Swizzle) or not layout.outer.bits:
        return f"tile[{plain}]"
    swizzle = layout.outer
    shift = f">> {swizzle.shift}" if swizzle.shift >= 0 else f"<< {-swizzle.shift}"
    return f"o = {plain}; tile[o ^ ((o & {swizzle.yyy}) {shift})]"


def _terms(name: str, layout: Layout, mode: int) -> list[str]:
    own = layout[mode]
    shape, stride = flatten(own.shape), flatten(own.stride)
    found, below = [], 1
    for i, (extent, step) in enumerate(zip(shape, stride, strict=True)):
        part = name if below == 1 else f"{name} // {below}"
        part = part if i == len(shape) - 1 else f"{part} % {extent}"
        found.append(part if step == 1 else f"{part} * {step}")
        below *= extent
    return found


def size_of(extra: int, whole: int) -> str:
    """How much more memory: "+64 elements (2 %)"."""
    return f"+{count(extra, 'element')} ({round(100 * extra / whole)} %)" if extra else "no element more"


def copies(result: Result) -> dict[str, str]:
    """The layout, the index of an element for Numba, and the kernel in Python."""
    params, layout = result.params, result.params.layout
    block = params.block.replace(" x ", ", ")
    if layout is None:
        return {"Python": f'transpose.variant("naive", {params.tile}, block=({block}))'}
    found = {"CuTe": str(layout), "Numba": element(layout)}
    if not params.gemm:
        found["Python"] = f'Transpose({params.tile}, parse_layout("{layout}"), {params.vector}, block=({block}))'
    return found


def offers(result: Result) -> tuple[Offer, ...]:
    """The padded and the swizzled variant, if the tile is read with conflicts or one of them is in use."""
    params = result.params
    if params.variant == "naive":
        return (Offer("tile in shared memory", "rows are read, rows are written", {"variant": "padded"}),)
    plain = params.tile * (K if params.gemm else params.tile)
    found = []
    for fixed, access in result.fixes:
        extra = 0 if fixed.layout is None else tile_elements(fixed.layout) - plain
        name = fixed.variant
        text = str(fixed.swizzle) if name == "swizzled" else f"pitch {fixed.pitch}"
        changes = {"variant": name, "block": params.block}
        line = f"{text}  {number(access.count)} wavefronts"
        found.append(Offer(line, size_of(extra, plain), changes, in_use=name == params.variant))
    return tuple(found)


def tips(result: Result, table: Array) -> tuple[str, Array]:
    """What the pointer reads on an element of the drawn part of the tile, and its numbers."""
    row, column = np.indices(table.shape)
    at = Address(table, ITEM, result.params.chip)
    stacked = np.stack([row, column, at.offset, at.bank], axis=-1).reshape(-1, 4)
    return "({0},{1}) → offset {2}\nbank {3}", stacked.astype(np.int32)
