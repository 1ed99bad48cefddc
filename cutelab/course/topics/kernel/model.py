"""What a kernel does to memory, predicted from its layout, and how fast it was on an H200."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.layout import offsets
from cutelab.course.topics.kernel.knobs import ITEM, VARIANTS, KernelParams
from cutelab.hardware.measured.kernels import KernelTime, measured_kernels
from cutelab.plans.access import Access
from cutelab.plans.gemm import GemmPlan
from cutelab.plans.transpose import TransposePlan

Array = np.ndarray[Any, Any]
EDGES = {"transpose": 16384, "gemm": 4096}  # of the matrices that were timed


@dataclass(frozen=True, eq=False)
class Result:
    """What `compute` found.

    plan      the kernel's numbers; accesses: each access of one block (the product: for one step along K), predicted
    table     offset of each element of the tile (rows, columns), or None without a tile
    read      which elements the first warp reads with its first instruction, bool like table
    time      what the H200 run measured for this very plan, or None
    beside    the other variants of the same tile, width and block: (name, time or None)
    fixes     the padded and the swizzled variant, each with its read down the tile; () where they fix nothing
    yardstick the best plain copy (GB/s), or the vendor's product (TFLOP/s); second: PyTorch's transposed copy, or None
    """

    params: KernelParams
    plan: TransposePlan | GemmPlan
    accesses: tuple[Access, ...]
    table: Array | None
    read: Array | None
    time: KernelTime | None
    beside: tuple[tuple[str, KernelTime | None], ...]
    fixes: tuple[tuple[KernelParams, Access], ...]
    yardstick: KernelTime
    second: KernelTime | None

    @property
    def reader(self) -> Access | None:
        """The access that reads down the tile: the one that the layout decides about."""
        return reader_of(self.accesses)

    @property
    def worst(self) -> Access | None:
        """The access with the most to lose: shared ones with a conflict, global ones with more sectors than needed."""
        return max((a for a in self.accesses if costly(a)), key=lambda a: a.excess, default=None)

    @property
    def slow(self) -> bool:
        """Was this setting more than 5 % slower than another variant of the same tile, width and block?"""
        rates = [t.rate for _, t in self.beside if t is not None]
        return self.time is not None and self.time.rate * 1.05 < max(rates, default=0)

    @property
    def hidden(self) -> bool:
        """Are there bank conflicts that did not slow it down?"""
        return self.time is not None and not self.slow and self.worst is not None and self.worst.space == "shared"


def costly(access: Access) -> bool:
    """Does this access cost more than it must: a conflict in shared memory, or more sectors than needed?"""
    return access.ways > 1 if access.space == "shared" else access.excess > 0


@lru_cache(maxsize=64)
def accesses_of(plan: TransposePlan | GemmPlan) -> tuple[Access, ...]:
    """`plan.accesses()`, kept: the variants beside a setting are asked for again in each step."""
    return plan.accesses()


def reader_of(accesses: tuple[Access, ...]) -> Access | None:
    """The access that reads down the tile: the one that the layout decides about. None without a tile."""
    return next((a for a in accesses if a.name in ("read tile", "read tile A")), None)


def compute(params: KernelParams) -> Result:
    """What does this kernel do to memory, predicted from its layout, and how fast was it on an H200?"""
    plan, layout, kernel = params.plan, params.layout, params.kernel
    accesses = accesses_of(plan)
    run, edge = measured_kernels(), EDGES[kernel]
    table = read = None
    reader = reader_of(accesses)
    if layout is not None and reader is not None:
        table = offsets(layout)
        pieces = reader.warps.byte_address[0] // reader.access_bytes
        read = np.isin(table * ITEM // reader.access_bytes, pieces)
        read.flags.writeable = False
    others, gemm = variants(params), params.gemm
    beside = [n for n in others if n != params.variant and (n != "naive" or params.width == ITEM)]
    return Result(
        params=params,
        plan=plan,
        accesses=accesses,
        table=table,
        read=read,
        time=time_of(params),
        beside=tuple((name, time_of(others[name])) for name in beside),
        fixes=tuple(_fixes(params, reader, others)),
        yardstick=run.named("torch float32", edge) if gemm else run.best_copy(edge),
        second=None if gemm else run.named("torch transposed copy", edge),
    )


def probe(result: Result, cell: int) -> dict[str, Any]:
    """Which changes put the probe on this cell? None: there is nothing to follow through this picture."""
    return {}


def variants(params: KernelParams) -> dict[str, KernelParams]:
    """The variants of the same tile, width and block, as drafts; those that a block's memory has no room for are left out."""
    found = {}
    for name in VARIANTS[params.kernel]:
        other = params.draft({"variant": name})
        try:
            _ = other.plan
        except CuteLabError:
            continue
        found[name] = other
    return found


def _fixes(
    params: KernelParams, reader: Access | None, others: dict[str, KernelParams]
) -> Iterator[tuple[KernelParams, Access]]:
    names = ("padded", "swizzled")
    if reader is not None and (reader.ways > 1 or params.variant in names):
        for name in names:
            found = reader_of(accesses_of(others[name].plan)) if name in others else None
            if found is not None:
                yield others[name], found


def time_of(params: KernelParams) -> KernelTime | None:
    """What the H200 run measured for this plan; None where it was not timed, or another chip is asked about."""
    plan, edge = params.plan, EDGES[params.kernel]
    if not params.chip.measured:
        return None
    if isinstance(plan, GemmPlan):
        numbers = {name: getattr(plan, name) for name in ("m", "n", "k", "values", "vector", "double_buffer")}
        layouts = {"a_layout": str(plan.a_layout), "b_layout": str(plan.b_layout)}
        return measured_kernels().time("gemm", edge, **numbers, **layouts)
    numbers = {name: getattr(plan, name) for name in ("tile", "vector", "block", "group", "hint")}
    return measured_kernels().time("transpose", edge, **numbers, layout=str(plan.layout), dtype=str(plan.dtype))
