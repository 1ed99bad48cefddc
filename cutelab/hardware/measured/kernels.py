"""How fast were the course's kernels on an NVIDIA H200, and what did its counters read? One run, as package data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from cutelab.core.errors import CuteLabError, shown

KERNELS = ("transpose", "gemm")


@dataclass(frozen=True)
class KernelTime:
    """One kernel at one size.

    kernel  "transpose", "gemm", "copy" or "vendor"
    name    of a copy or the vendor's product; "" for a plan of ours
    size    edge of the square matrices
    ms      median of 30 launches
    rate    GB/s read and written (transpose, copy), or TFLOP/s (gemm, vendor)
    plan    the numbers of its plan: tile, layout, ...
    """

    kernel: str
    name: str
    size: int
    ms: float
    rate: float
    plan: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True)
class KernelCount:
    """One counter of one launch: what it read, and what the tracer had predicted.

    what  "global load", "global store" (sectors), "shared load" or "shared store" (wavefronts)
    """

    kernel: str
    name: str
    size: int
    what: str
    counter: int
    predicted: int


@dataclass(frozen=True, eq=False)
class MeasuredKernels:
    """All times and counters of the run.

    meta      date, GPU, driver, versions, method
    times     a KernelTime for each kernel and size, our plans and the copies and the vendor's product
    counters  a KernelCount for each counter of each launch
    """

    meta: Mapping[str, str]
    times: tuple[KernelTime, ...] = field(repr=False)
    counters: tuple[KernelCount, ...] = field(repr=False)

    def time(self, kernel: str, size: int, **plan: Any) -> KernelTime | None:
        """The time of the plan with these numbers, or None if it was not timed at this size.

        >>> run = measured_kernels()
        >>> run.time("transpose", 16384, tile=64, layout="(64,64):(65,1)", vector=1, block=(32, 16), group=0, hint="").rate
        3996.5
        """
        for time in self.times:
            if (time.kernel, time.size) == (kernel, size) and all(time.plan.get(k) == v for k, v in plan.items()):
                return time
        return None

    def sizes(self, kernel: str) -> tuple[int, ...]:
        """The edges at which a kernel was timed, largest first."""
        return tuple(sorted({t.size for t in self.times if t.kernel == kernel}, reverse=True))

    def named(self, name: str, size: int) -> KernelTime:
        """A copy or the vendor's product by its name. Raises CuteLabError for one that is not there."""
        for time in self.times:
            if (time.name, time.size) == (name, size):
                return time
        names = ", ".join(dict.fromkeys(t.name for t in self.times if t.name))
        raise CuteLabError(f"nothing named {shown(name)} was timed at {size}; there are {names}")

    def best_copy(self, size: int) -> KernelTime:
        """The fastest plain copy: the yardstick of the transposes."""
        copies = [t for t in self.times if t.kernel == "copy" and t.size == size and "transposed" not in t.name]
        if not copies:
            raise CuteLabError(f"no copy was timed at {size}; there are {', '.join(map(str, self.sizes('copy')))}")
        return max(copies, key=lambda t: t.rate)

    def fastest(self, kernel: str, size: int) -> KernelTime:
        """The fastest of our plans. Raises CuteLabError for a kernel or size that was not timed."""
        found = [t for t in self.times if (t.kernel, t.size) == (kernel, size) and t.plan.get("dtype") != "uint16"]
        if not found:
            raise CuteLabError(f"no {kernel} was timed at {size}; kernels are {' and '.join(KERNELS)}")
        return max(found, key=lambda t: t.rate)

    def counted(self, kernel: str, name: str, size: int) -> tuple[KernelCount, ...]:
        """The four counters of one launch; none if it was not counted."""
        return tuple(c for c in self.counters if (c.kernel, c.name, c.size) == (kernel, name, size))


@lru_cache(maxsize=1)
def measured_kernels() -> MeasuredKernels:
    """How fast were the course's kernels on an NVIDIA H200, beside copies and the vendor's library, and what was counted?

    >>> run = measured_kernels()
    >>> run.meta["gpu"], run.sizes("transpose"), run.best_copy(16384).rate
    ('NVIDIA H200', (16384, 4096), 4281.8)
    """
    data = json.loads(files(__package__).joinpath("h200_kernels.json").read_text(encoding="utf-8"))
    times = []
    for kernel in KERNELS:
        for size, ms, rate, *numbers in data[kernel]["rows"]:
            plan = {
                k: tuple(v) if isinstance(v, list) else v for k, v in zip(data[kernel]["keys"], numbers, strict=True)
            }
            times.append(KernelTime(kernel, "", size, ms, rate, MappingProxyType(plan)))
    for kernel in ("copy", "vendor"):
        times += [
            KernelTime(kernel, name, size, ms, rate, MappingProxyType({})) for name, size, ms, rate in data[kernel]
        ]
    counters = []
    for kernel, name, size, *numbers in data["counters"]["rows"]:
        for what, counter, predicted in zip(data["counters"]["keys"], numbers[::2], numbers[1::2], strict=True):
            counters.append(KernelCount(kernel, name, size, what, counter, predicted))
    return MeasuredKernels(MappingProxyType(data["meta"]), tuple(times), tuple(counters))
