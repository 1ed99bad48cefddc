"""How long does a kernel take on this machine's GPU? Times by events, in turn, beside plain copies of the same run."""

from __future__ import annotations

import importlib.metadata
import itertools
import platform
import shutil
import statistics
import subprocess
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.kernels._cuda import cuda, kernel, machine
from cutelab.kernels.copy import copy_kernel, copy_launch
from cutelab.kernels.transpose import Transpose

SAMPLES, ROUNDS = 10, 3
COPIES = ((1, 4, ""), (2, 4, ""), (4, 4, ""), (4, 8, ""), (4, 4, "cs"))


def meta() -> dict[str, str]:
    """What is this machine? GPU, driver and versions, for a measurement to name."""
    found = {"date": date.today().isoformat(), "machine": machine.kind, "python": platform.python_version()}
    for package in ("numba", "numba-cuda", "numpy", "torch", "cupy-cuda13x", "cupy-cuda12x"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    if not machine.gpu:
        return found
    device = cuda.get_current_device()
    name = device.name
    found["gpu"] = name.decode() if isinstance(name, bytes) else str(name)
    found["compute_capability"] = ".".join(map(str, device.compute_capability))
    if shutil.which("nvidia-smi"):
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        answer = subprocess.run(query, capture_output=True, text=True, timeout=60, check=False)
        if answer.returncode == 0 and answer.stdout.strip():
            found["driver"] = answer.stdout.split()[0]
    return found


def random_matrix(shape: tuple[int, int], dtype: Any, seed: int | None = None) -> np.ndarray:
    """Fresh random bits of a 1-, 2- or 4-byte type; float32 in [0, 1)."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind == np.float32:
        return rng.random(shape, np.float32)
    made: np.ndarray = rng.integers(0, 256, (*shape, kind.itemsize), np.uint8).view(kind)[..., 0]
    return made


_BUSY: list[Any] = []


def _occupy(milliseconds: float) -> None:
    """Keep the GPU busy, so that what follows is queued and times contain no launch gaps."""
    if not _BUSY:

        @kernel
        def spin(out: Any, turns: Any) -> None:
            x = np.float32(1)
            for _ in range(turns):
                x = x * np.float32(0.999) + np.float32(1)
            out[0] = x

        _BUSY.extend((spin, cuda.device_array(1, np.float32)))
    spin, out = _BUSY
    spin[1, 1](out, int(milliseconds * 500_000))


def time_ms(run: Callable[[], None], samples: int = SAMPLES) -> list[float]:
    """How long does the GPU take for each of these launches? Milliseconds by events, launches queued behind a busy GPU."""
    run()
    cuda.synchronize()
    _occupy(2 + 0.3 * samples)
    events = [cuda.event() for _ in range(samples + 1)]
    events[0].record()
    for event in events[1:]:
        run()
        event.record()
    events[-1].synchronize()
    return [cuda.event_elapsed_time(a, b) for a, b in itertools.pairwise(events)]


def race(runs: dict[str, Callable[[], None]], rounds: int = ROUNDS, samples: int = SAMPLES) -> dict[str, float]:
    """The median time of each, taken in turn, so that a slow moment of the machine hits all alike."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name] += time_ms(run, samples)
    return {name: statistics.median(values) for name, values in times.items()}


def need_gpu() -> None:
    """Raise CuteLabError where nothing can be timed."""
    if not machine.gpu:
        raise CuteLabError(f"times need a GPU. {machine.note}")


Runs = dict[str, Callable[[], None]]


def transpose_times(
    plans: dict[str, Transpose], size: int, beside: Callable[[Any, Any], Runs] | None = None
) -> list[dict[str, Any]]:
    """How fast are these transposes of size x size, and a plain copy? One record each: name, ms, GB/s, share of the best copy.

    GB/s counts the bytes read and the bytes written. beside: (out, a) -> what else to time on the same float32 matrices.
    Raises CuteLabError where there is no GPU.
    """
    need_gpu()
    data: dict[int, tuple[Any, Any]] = {}
    runs: Runs = {}
    nbytes: dict[str, int] = {}

    def arrays(itemsize: int) -> tuple[Any, Any]:
        if itemsize not in data:
            kind = np.dtype(np.float32) if itemsize == 4 else np.dtype(f"u{itemsize}")
            a = cuda.to_device(random_matrix((size, size), kind))
            data[itemsize] = (cuda.device_array((size, size), kind), a)
        return data[itemsize]

    for name, plan in plans.items():
        out, a = arrays(plan.dtype.itemsize)
        fitted = plan.fitted(size, size)
        runs[name] = partial(fitted.kernel[fitted.launch_shape(size, size)], out, a)
        nbytes[name] = 2 * plan.dtype.itemsize * size * size
    out, a = arrays(4)
    copies = copy_runs(out, a, size) | (beside(out, a) if beside else {})
    runs |= copies
    nbytes |= dict.fromkeys(copies, 8 * size * size)
    times = race(runs)
    rate = {name: nbytes[name] / times[name] / 1e6 for name in runs}
    best = max(rate[name] for name in copies if "transposed" not in name)
    return [
        {
            "name": name,
            "size": size,
            "ms": round(times[name], 5),
            "GB/s": round(rate[name], 1),
            "of_copy": round(rate[name] / best, 4),
        }
        for name in runs
    ]


def copy_runs(out: Any, a: Any, size: int) -> Runs:
    """Our copies of a size x size float32 matrix, and the driver's."""
    flat_out, flat_a = out.reshape(size * size), a.reshape(size * size)
    runs: Runs = {}
    for vector, each, hint in COPIES:
        if size * size % vector:
            continue
        configured = copy_kernel(vector, each, hint)[copy_launch(size * size, vector, each)]
        name = f"copy {4 * vector} B x {each}" + (f" {hint}" if hint else "")
        runs[name] = partial(configured, flat_out, flat_a)
    runs["copy device to device"] = partial(out.copy_to_device, a)
    return runs


def table(records: list[dict[str, Any]]) -> str:
    """Records of one kind as text, best first.

    >>> print(table([{"name": "a", "GB/s": 1.5}, {"name": "bb", "GB/s": 20.0}]))
    name  GB/s
    bb      20
    a      1.5
    """
    if not records:
        return ""
    heads = list(records[0])
    rate = next((h for h in heads if h.endswith("/s")), None)
    ordered = sorted(records, key=lambda r: -r[rate]) if rate else records
    rows = [[_cell(r[h]) for h in heads] for r in ordered]
    widths = [max(len(h), *(len(row[i]) for row in rows)) for i, h in enumerate(heads)]

    def line(cells: list[str]) -> str:
        return "  ".join(
            [f"{cells[0]:<{widths[0]}}"] + [f"{c:>{w}}" for c, w in zip(cells[1:], widths[1:], strict=True)]
        ).rstrip()

    return "\n".join(map(line, [heads, *rows]))


def _cell(value: Any) -> str:
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
