"""Check kernels against NumPy and time them on a GPU against the best copy of the same run."""

from __future__ import annotations

import importlib.metadata
import itertools
import platform
import shutil
import statistics
import subprocess
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.kernels._cuda import cuda, machine
from cutelab.kernels.copy import copy_kernel, copy_launch
from cutelab.kernels.gemm import Gemm
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
    return rng.integers(0, 256, (*shape, kind.itemsize), np.uint8).view(kind)[..., 0]


def check_transpose(plan: Transpose, shape: tuple[int, int]) -> bool:
    """Is the result NumPy's, bit for bit, from a poisoned output?"""
    a = random_matrix(shape, plan.dtype)
    out = np.full(shape[::-1], 0xFF, f"u{plan.dtype.itemsize}").view(plan.dtype)
    out.view(np.uint8)[...] = 0xFF
    plan(out, a)
    bits = f"u{plan.dtype.itemsize}"
    return bool((out.view(bits) == a.T.view(bits)).all())


def check_gemm(plan: Gemm, m: int, n: int, k: int) -> bool:
    """Is the result NumPy's within the rounding of float32 sums, from a poisoned output?"""
    rng = np.random.default_rng()
    a, b = rng.random((m, k), np.float32) - 0.5, rng.random((k, n), np.float32) - 0.5
    c = np.full((m, n), np.nan, np.float32)
    plan(c, a, b)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = k * np.finfo(np.float32).eps * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    return bool((np.abs(c - exact) <= bound + 1e-7).all())


_BUSY: list[Any] = []


def _occupy(milliseconds: float) -> None:
    """Keep the GPU busy, so that what follows is queued and times contain no launch gaps."""
    if not _BUSY:

        @cuda.jit
        def spin(out, turns):
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


def torch_module() -> Any:
    """PyTorch if it is there and sees the GPU, else None."""
    try:
        import torch
    except Exception:
        return None
    return torch if torch.cuda.is_available() else None


def transpose_race(plans: dict[str, Transpose], size: int) -> list[dict[str, Any]]:
    """Time these transposes and every copy at size x size. One record each: name, milliseconds, GB/s, share of the best copy.

    GB/s counts the bytes read and the bytes written.
    """
    need_gpu()
    data: dict[int, tuple[Any, Any]] = {}
    runs: dict[str, Callable[[], None]] = {}
    nbytes: dict[str, int] = {}

    def arrays(itemsize: int) -> tuple[Any, Any]:
        if itemsize not in data:
            kind = np.float32 if itemsize == 4 else np.dtype(f"u{itemsize}")
            a = cuda.to_device(random_matrix((size, size), kind))
            data[itemsize] = (cuda.device_array((size, size), kind), a)
        return data[itemsize]

    for name, plan in plans.items():
        out, a = arrays(plan.dtype.itemsize)
        fitted = plan.fitted(size, size)
        configured = fitted.kernel[fitted.launch_shape(size, size)]
        runs[name] = lambda configured=configured, out=out, a=a: configured(out, a)
        nbytes[name] = 2 * plan.dtype.itemsize * size * size
    out, a = arrays(4)
    copies = _copies(out, a, size)
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


def _copies(out: Any, a: Any, size: int) -> dict[str, Callable[[], None]]:
    flat_out, flat_a = out.reshape(size * size), a.reshape(size * size)
    runs: dict[str, Callable[[], None]] = {}
    for vector, each, hint in COPIES:
        if size * size % vector:
            continue
        configured = copy_kernel(vector, each, hint)[copy_launch(size * size, vector, each)]
        name = f"copy {4 * vector} B x {each}" + (f" {hint}" if hint else "")
        runs[name] = lambda configured=configured: configured(flat_out, flat_a)
    runs["copy device to device"] = lambda: out.copy_to_device(a)
    torch = torch_module()
    if torch is not None:
        there, here = torch.as_tensor(out, device="cuda"), torch.as_tensor(a, device="cuda")
        runs["copy torch"] = lambda: there.copy_(here)
        runs["torch transposed copy"] = lambda: there.copy_(here.t())
    return runs


def spot_check(plans: dict[str, Transpose], size: int, rows: int = 64) -> dict[str, bool]:
    """At a large size: random rows of the result (and the first and the last) against columns of the input."""
    need_gpu()
    chosen = np.unique(np.r_[0, size - 1, np.random.default_rng().integers(0, size, rows)])
    found: dict[str, bool] = {}
    for dtype in dict.fromkeys(plan.dtype for plan in plans.values()):
        a = random_matrix((size, size), dtype)
        wanted = np.ascontiguousarray(a[:, chosen].T).view(f"u{dtype.itemsize}")
        poison = np.empty_like(a)
        poison.view(np.uint8)[...] = 0xFF
        device_a, out = cuda.to_device(a), cuda.device_array(a.shape, dtype)
        for name, plan in plans.items():
            if plan.dtype == dtype:
                out.copy_to_device(poison)
                plan(out, device_a)
                result = out.copy_to_host()[chosen]
                found[name] = bool((result.view(wanted.dtype) == wanted).all())
    return found


def gemm_race(plans: dict[str, Gemm], size: int) -> list[dict[str, Any]]:
    """Time these products at size^3 beside the vendor library in float32 (PyTorch or CuPy, TF32 off). TFLOP/s each."""
    need_gpu()
    a, b = (cuda.to_device(random_matrix((size, size), np.float32)) for _ in range(2))
    c = cuda.device_array((size, size), np.float32)
    runs: dict[str, Callable[[], None]] = {}
    for name, plan in plans.items():
        configured = plan.kernel(size % 4 == 0)[plan.launch_shape(size, size)]
        runs[name] = lambda configured=configured: configured(c, a, b)
    runs |= _vendor(c, a, b)
    times = race(runs)
    rate = {name: 2 * size**3 / times[name] / 1e9 for name in runs}
    vendor = max((rate[name] for name in runs if name not in plans), default=None)
    return [
        {
            "name": name,
            "size": size,
            "ms": round(times[name], 5),
            "TFLOP/s": round(rate[name], 3),
            "of_vendor": None if vendor is None else round(rate[name] / vendor, 4),
        }
        for name in runs
    ]


def _vendor(c: Any, a: Any, b: Any) -> dict[str, Callable[[], None]]:
    torch = torch_module()
    if torch is not None:
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.set_float32_matmul_precision("highest")
        tc, ta, tb = (torch.as_tensor(x, device="cuda") for x in (c, a, b))
        return {"torch float32": lambda: torch.matmul(ta, tb, out=tc)}
    try:
        import cupy
    except Exception:
        return {}
    xc, xa, xb = (cupy.asarray(x) for x in (c, a, b))
    return {"cupy float32": lambda: cupy.matmul(xa, xb, out=xc)}


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
