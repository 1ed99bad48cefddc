"""What Hopper's copy unit, descriptors, matrix instructions and pipelines did on an NVIDIA H200, case by case, as package data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from cutelab.core.errors import CuteLabError, shown

TABLES = (
    "tma_tiles", "tma_starts", "wgmma_descriptors", "wgmma_rate", "matrix_instructions", "pipelines",
    "hopper_tiles", "hopper_descriptors", "hopper_rates", "hopper_pipelines", "barrier_bytes",
)  # fmt: skip
"""The second row was measured later, by `benchmarks/gpu/hopper.py`: boxes of rank 1 to 4, operands of 1, 2 and 4 bytes, A and B, 180 loops; what a
kernel does whose barrier is told another number of bytes, by `docs/hopper/check.cu`."""


@dataclass(frozen=True, eq=False)
class HopperCases:
    """One measurement: its cases, each a mapping, and how it was made.

    meta   GPU, driver, date and method; its notes say what the fields mean
    cases  the measured cases
    """

    name: str
    meta: Mapping[str, str]
    cases: tuple[Mapping[str, Any], ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.cases)

    def where(self, **values: Any) -> tuple[Mapping[str, Any], ...]:
        """The cases with these values.

        >>> measured_hopper("pipelines").where(loop="producer", stages=2, mma_cycles=512)[0]["cycles_a_tile"]
        704.9
        """
        return tuple(c for c in self.cases if all(c.get(k) == v for k, v in values.items()))


def measured_hopper(name: str) -> HopperCases:
    """What did an H200 do? name: "tma_tiles", "tma_starts", "wgmma_descriptors", "wgmma_rate", "matrix_instructions" or "pipelines";
    "hopper_tiles", "hopper_descriptors", "hopper_rates" and "hopper_pipelines" are a second, wider run; "barrier_bytes" is what
    a pipeline did whose barrier was told another number of bytes than the copies bring: right, wrong, or stuck.

    Raises CuteLabError for another name.

    >>> rate = measured_hopper("wgmma_rate")
    >>> len(rate), {case["cycles"] for case in rate.cases}
    (44, {18.0})
    """
    if not isinstance(name, str) or name not in TABLES:
        raise CuteLabError(f"no measurement is named {shown(name)}; there are {', '.join(TABLES)}")
    return _read(name)


@lru_cache(maxsize=len(TABLES))
def _read(name: str) -> HopperCases:
    data = json.loads(files(__package__).joinpath(f"h200_{name}.json").read_text(encoding="utf-8"))
    return HopperCases(name, MappingProxyType(data["meta"]), tuple(MappingProxyType(case) for case in data["cases"]))
