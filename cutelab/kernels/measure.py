"""measure: run a kernel under Nsight Compute in a process of its own, and set its counters beside the trace's totals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from cutelab.core.display import Shown
from cutelab.core.errors import CuteLabError
from cutelab.hardware.measured.ncu import METRICS, OPTIONS, find_ncu, number, read_rows
from cutelab.kernels._cuda import machine
from cutelab.kernels.launch import UNSET, Arguments, Launch, function_of, read_launch
from cutelab.kernels.timing import meta
from cutelab.kernels.trace import trace

TIME = "gpu__time_duration.sum"
TIMEOUT = 300  # seconds for one kernel under the profiler
VERSION = 1  # of the stored form


@dataclass(frozen=True)
class Measured(Shown):
    """What the hardware counted for one launch of a kernel, beside what the trace says. It can be stored and shown without a GPU.

    kernel, grid, block  the launch
    traced     sectors and wavefronts by the trace, for the whole grid; scaled: from some of its blocks
    counted    the same by the hardware's counters; {} where there is no GPU or no profiler
    nanoseconds  the time of the launch under the profiler, None if it was not measured
    missing    why there are no counters: one sentence; "" if there are
    machine    GPU, driver and versions
    """

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    traced: dict[str, int] = field(hash=False)
    scaled: bool
    counted: dict[str, int] = field(hash=False)
    nanoseconds: float | None
    missing: str
    machine: dict[str, str] = field(repr=False, hash=False)

    @property
    def difference(self) -> dict[str, int]:
        """Counter minus trace, for each counter that was read."""
        return {name: self.counted[name] - self.traced[name] for name in self.counted}

    @property
    def agrees(self) -> bool:
        """Does every counter read what the trace says? False where nothing was counted."""
        return bool(self.counted) and not any(self.difference.values())

    def text(self) -> str:
        """Trace and counters side by side.

        >>> done = Measured("k", (1, 1, 1), (32, 1, 1), {"global load": 8}, False, {"global load": 9}, 2400.0, "", {"gpu": "X"})
        >>> print(done.text())
        k, grid (1, 1, 1), block (32, 1, 1) on X: 2.4 us
                     traced  counted  difference
        global load       8        9          +1
        """
        head = f"{self.kernel}, grid {tuple(self.grid)}, block {tuple(self.block)}"
        if "gpu" in self.machine and self.counted:
            head += f" on {self.machine['gpu']}"
        head += f": {self.nanoseconds / 1000:.3g} us" if self.nanoseconds else ""
        rows = [("", "traced" + (" (scaled)" if self.scaled else ""), "counted", "difference")]
        for name, value in self.traced.items():
            there = self.counted.get(name)
            more = ("-", "-") if there is None else (f"{there:,}", f"{there - value:+,}" if there != value else "0")
            rows.append((name, f"{value:,}", *more))
        wide = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [
            "  ".join([f"{r[0]:<{wide[0]}}", *(f"{c:>{w}}" for c, w in zip(r[1:], wide[1:], strict=True))])
            for r in rows
        ]
        return "\n".join([head, *lines, *([self.missing] if self.missing else [])])

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values: `Measured.from_dict` reads it back."""
        return {
            "version": VERSION,
            "kernel": self.kernel,
            "grid": list(self.grid),
            "block": list(self.block),
            "traced": dict(self.traced),
            "scaled": self.scaled,
            "counted": dict(self.counted),
            "nanoseconds": self.nanoseconds,
            "missing": self.missing,
            "machine": dict(self.machine),
        }

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_dict(), indent=1)

    @classmethod
    def from_dict(cls, record: Any) -> Measured:
        """A stored record. Raises CuteLabError for what is none."""
        try:
            if record["version"] != VERSION:
                raise CuteLabError(f"this record has version {record['version']!r}; version {VERSION} is read here")
            counts = [{str(name): int(value) for name, value in record[key].items()} for key in ("traced", "counted")]
            grid, block = (tuple(int(n) for n in record[key]) for key in ("grid", "block"))
            time = record["nanoseconds"]
            return cls(
                str(record["kernel"]),
                grid,
                block,
                counts[0],
                bool(record["scaled"]),
                counts[1],
                None if time is None else float(time),
                str(record["missing"]),
                {str(k): str(v) for k, v in record["machine"].items()},
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            if isinstance(error, CuteLabError):
                raise
            raise CuteLabError(
                f"this is no record of measure ({type(error).__name__}: {error}); give what to_dict() returned"
            ) from None


def what_is_missing() -> str:
    """Why can nothing be counted here? "" if it can."""
    if not machine.gpu:
        return f"No counters: they need an NVIDIA GPU. {machine.note}"
    if find_ncu() is None:
        return (
            "No counters: Nsight Compute (ncu) is not installed; it comes with the CUDA toolkit, or alone from "
            "developer.nvidia.com/nsight-compute"
        )
    return ""


def measure(
    kernel: Any,
    grid: Any = UNSET,
    block: Any = UNSET,
    *args: Any,
    blocks: Any = "auto",
    shared_bytes: int | None = None,
) -> Measured:
    """What do the hardware's counters read for this launch, and what does the trace say?

    The arguments are those of `trace`. The kernel is traced on copies; where there are a GPU and Nsight Compute, it runs once
    under the profiler, in a process of its own, on copies too: your arrays stay as they are. Where one of them is missing, the
    record says in one sentence which and how to get it. Raises CuteLabError as `trace` does, and where the profiler fails.

    >>> from cutelab.kernels import cuda
    >>> import numpy as np
    >>> @cuda.jit
    ... def scale(out, a):
    ...     i = cuda.grid(1)
    ...     out[i] = 2 * a[2 * i % 64]
    >>> measure(scale, 1, 64, np.zeros(64, np.float32), np.ones(64, np.float32)).traced
    {'global load': 16, 'global store': 8, 'shared load': 0, 'shared store': 0}
    """
    return measure_all([(kernel, grid, block, args, shared_bytes)], blocks=blocks)[0]


Call = tuple[Any, Any, Any, Sequence[Any], int | None]


def measure_all(calls: Sequence[Call], *, blocks: Any = "auto") -> list[Measured]:
    """`measure` of several launches, with one start of the profiler. Each: (kernel, grid, block, arguments, shared_bytes or None)."""
    launches = [read_launch(kernel, grid, block, args, shared) for kernel, grid, block, args, shared in calls]
    copies = [Arguments(_parameters(one), one.args).copies() for one in launches]
    missing = what_is_missing()
    counted: list[dict[str, int]] = [{} for _ in launches]
    times: list[float | None] = [None for _ in launches]
    if not missing:
        counted, times = _count(launches, copies)
    about = meta()
    found = []
    for one, values, counters, time in zip(launches, copies, counted, times, strict=True):
        seen = trace(
            one.kernel, one.grid, one.block, *values, blocks=blocks, shared_bytes=one.shared_bytes, check=False
        )
        found.append(
            Measured(one.name, one.grid, one.block, seen.totals(), bool(seen.partial), counters, time, missing, about)
        )
    return found


def _parameters(launch: Launch) -> tuple[str, ...]:
    code = function_of(launch.kernel).__code__
    return tuple(code.co_varnames[: code.co_argcount])


def _count(
    launches: Sequence[Launch], copies: Sequence[Sequence[Any]]
) -> tuple[list[dict[str, int]], list[float | None]]:
    """The counters of each launch, by the profiler in another process."""
    from numba import cloudpickle

    work = [
        (one.kernel, one.grid, one.block, one.shared_bytes, list(values))
        for one, values in zip(launches, copies, strict=True)
    ]
    with tempfile.TemporaryDirectory(prefix="cutelab-") as folder:
        file = Path(folder) / "launches.pickle"
        try:
            dumps: Any = cloudpickle.dumps
            file.write_bytes(dumps(work))
        except Exception as error:
            raise CuteLabError(
                f"the kernel cannot be taken to another process ({type(error).__name__}: {str(error)[:120]}); "
                "define it in a module, with plain numbers and arrays around it"
            ) from None
        try:
            done = subprocess.run(
                _command(file), capture_output=True, text=True, timeout=TIMEOUT, env=_environment(), check=False
            )
        except subprocess.TimeoutExpired:
            raise CuteLabError(f"the profiler did not end within {TIMEOUT} s; measure a smaller problem") from None
        rows = read_rows(done.stdout)
        if len(rows) != len(launches):
            raise CuteLabError(_why(done.stdout + done.stderr, len(rows), len(launches)))
    counted = [{name: number(row[metric]) for name, metric in METRICS.items()} for row in rows]
    return counted, [_time(row) for row in rows]


def _command(file: Path) -> list[str]:
    ncu = find_ncu()
    assert ncu is not None  # what_is_missing has asked
    metrics = ["--print-units", "base", "--metrics", ",".join([*METRICS.values(), TIME])]
    return [ncu, *OPTIONS, *metrics, sys.executable, "-m", "cutelab.kernels.launched", str(file)]


def _environment() -> dict[str, str]:
    """The same, with every folder that this process imports from, so that a kernel's module is found."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(p or os.getcwd() for p in sys.path)}


def _time(row: dict[str, str]) -> float | None:
    value = row.get(TIME, "").replace(",", "")
    return float(value) if value else None


def _why(said: str, got: int, wanted: int) -> str:
    if "ERR_NVGPUCTRPERM" in said:
        return (
            "the driver does not let this user read the GPU's counters (ERR_NVGPUCTRPERM); an administrator allows it: "
            "nvidia driver option NVreg_RestrictProfilingToAdminUsers=0"
        )
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "")
    return f"the profiler gave {got} rows for {wanted} launches; it says: {last.strip()[:160]}"


def stored_measurements() -> dict[str, Measured]:
    """What did an NVIDIA H200 count for twenty-four kernels of different kinds, beside their traces? By name.

    Traced and counted in one run of `benchmarks/gpu/trace_kernels.py`. Two differ: an array of structures, whose fields the
    compiled kernel loads byte by byte, and a tiled product, whose loads the compiler merges.

    >>> found = stored_measurements()
    >>> len(found), [name for name, one in found.items() if one.traced != one.counted]
    (24, ['array of structures', 'tiled product'])
    """
    text = files("cutelab.hardware.measured").joinpath("h200_traced_kernels.json").read_text(encoding="utf-8")
    return {name: Measured.from_dict(record) for name, record in json.loads(text).items()}
