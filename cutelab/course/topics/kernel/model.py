"""Topic "kernel": a transpose or a matrix product, its accesses predicted from the layout, and what a GPU measured.

KernelParams -> compute -> Result -> panels -> Picture. Parameters, panels and words are in kernel_params.py, kernel_panels.py
and kernel_words.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from cutelab import measured_kernels, offsets
from cutelab.course.card.picture import Picture
from cutelab.course.topics.kernel import card as kernel_panels
from cutelab.course.topics.kernel.knobs import ITEM, VARIANTS, KernelParams
from cutelab.hardware.measured import KernelTime
from cutelab.plans import Access, GemmPlan, TransposePlan

EDGES = {"transpose": 16384, "gemm": 4096}  # of the matrices that were timed


@lru_cache(maxsize=64)
def accesses_of(plan: TransposePlan | GemmPlan) -> tuple[Access, ...]:
    """`plan.accesses()`, kept: the variants beside a setting are asked for again in each step."""
    return plan.accesses()


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found.

    plan      the kernel's numbers; accesses: each access of one block (the product: for one step along K), predicted
    table     offset of each element of the tile (rows, columns), or None without a tile
    read      which elements the first warp reads with its first instruction, bool like table
    time      what the H200 run measured for this very plan, or None
    beside    the other variants of the same tile, width and block: (name, time or None)
    cures     the padded and the swizzled variant, each with its read down the tile; () where they cure nothing
    yardstick the best plain copy (GB/s), or the vendor's product (TFLOP/s); second: PyTorch's transposed copy, or None
    """

    params: KernelParams
    plan: TransposePlan | GemmPlan
    accesses: tuple[Access, ...]
    table: np.ndarray | None
    read: np.ndarray | None
    time: KernelTime | None
    beside: tuple[tuple[str, KernelTime | None], ...]
    cures: tuple[tuple[KernelParams, Access], ...]
    yardstick: KernelTime
    second: KernelTime | None

    @property
    def reader(self) -> Access | None:
        """The access that reads down the tile: the one that the layout decides about."""
        return _reader(self.accesses)

    @property
    def worst(self) -> Access | None:
        """The access with the most to lose: shared ones with a conflict, global ones with more sectors than needed."""
        bad = [a for a in self.accesses if (a.ways > 1 if a.space == "shared" else a.count > a.ideal)]
        return max(bad, key=lambda a: a.count - a.ideal, default=None)

    @property
    def slow(self) -> bool:
        """Was this setting more than 5 % slower than another variant of the same tile, width and block?"""
        rates = [t.rate for _, t in self.beside if t is not None]
        return self.time is not None and self.time.rate * 1.05 < max(rates, default=0)

    @property
    def hidden(self) -> bool:
        """Are there bank conflicts that did not slow it down?"""
        return self.time is not None and not self.slow and self.worst is not None and self.worst.space == "shared"


def compute(params: KernelParams) -> Result:
    """What does this kernel do to memory, predicted from its layout, and how fast was it on an H200?"""
    plan, layout, kernel = params.plan, params.layout, params.kernel
    accesses = accesses_of(plan)
    run, edge = measured_kernels(), EDGES[kernel]
    table = read = None
    if layout is not None:
        table = offsets(layout)
        reader = _reader(accesses)
        assert reader is not None
        pieces = reader.warps.byte_address[0] // reader.access_bytes
        read = np.isin(table * ITEM // reader.access_bytes, pieces)
        read.flags.writeable = False
    others = [n for n in VARIANTS[kernel] if n != params.variant and (n != "naive" or params.width == ITEM)]
    beside = tuple((n, _time(params.change(variant=n))) for n in others)
    if kernel == "gemm":
        yardstick, second = run.named("torch float32", edge), None
    else:
        yardstick, second = run.best_copy(edge), run.named("torch transposed copy", edge)
    cures = _cures(params, accesses)
    return Result(params, plan, accesses, table, read, _time(params), beside, cures, yardstick, second)


def _cures(params: KernelParams, accesses: tuple[Access, ...]) -> tuple[tuple[KernelParams, Access], ...]:
    reader = _reader(accesses)
    if reader is None or (reader.ways <= 1 and params.variant not in ("padded", "swizzled")):
        return ()
    found = (params.change(variant=name, block=params.block) for name in ("padded", "swizzled"))
    return tuple((cured, _reader(accesses_of(cured.plan))) for cured in found)  # type: ignore[misc]


def _reader(accesses: tuple[Access, ...]) -> Access | None:
    """The access that reads down the tile: the one that the layout decides about. None without a tile."""
    return next((a for a in accesses if a.name in ("read tile", "read tile A")), None)


def _time(params: KernelParams) -> KernelTime | None:
    return _timed(params.plan, EDGES[params.kernel])


@lru_cache(maxsize=256)
def _timed(plan: TransposePlan | GemmPlan, edge: int) -> KernelTime | None:
    if isinstance(plan, GemmPlan):
        numbers = {name: getattr(plan, name) for name in ("m", "n", "k", "values", "vector", "double_buffer")}
        layouts = {"a_layout": str(plan.a_layout), "b_layout": str(plan.b_layout)}
        return measured_kernels().time("gemm", edge, **numbers, **layouts)
    numbers = {name: getattr(plan, name) for name in ("tile", "vector", "block", "group", "hint")}
    return measured_kernels().time("transpose", edge, **numbers, layout=str(plan.layout), dtype=str(plan.dtype))


def panels(result: Result) -> Picture:
    """The picture of a result, as plain data: the tile by bank, each access against its ideal, the measured speed."""
    return kernel_panels.picture(result)
