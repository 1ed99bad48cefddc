"""Build the kernels, check them against NumPy, and race them on a GPU against each other, PyTorch and CuPy.

python benchmarks/gpu/race.py --quick            checks, and the times of the smallest size
python benchmarks/gpu/race.py --json race.json   all of it
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import wheels  # first: it may put another numpy in front

# isort: split
import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.kernels import cuda, gemm, machine, timing, transpose, variants
from cutelab.kernels.gemm import Gemm
from cutelab.kernels.timing import need_gpu, race, random_matrix
from cutelab.kernels.transpose import Transpose
from cutelab.plans.tiles import pitched
from cutelab.plans.transpose import blocks_of

PADS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32)  # unused elements after each row, timed at the usual block


def explorable() -> tuple[Transpose, ...]:
    """What `explore.kernel` can be set to, as far as it is timed: tiles, widths, blocks, variants, and a row of pitches."""
    found = []
    for tile, vector in ((32, 1), (32, 2), (32, 4), (64, 1), (64, 2), (64, 4)):
        for block in blocks_of(tile, vector):
            for name in transpose.VARIANTS if vector == 1 else transpose.VARIANTS[1:]:
                found.append(transpose.variant(name, tile, vector, block=block))
    for tile in (32, 64):
        for pad in PADS:
            found.append(Transpose(tile, pitched(tile, tile + pad)))
    return tuple(dict.fromkeys(found))


def sweep() -> dict[str, Transpose]:
    """Every transpose that is worth timing, by a name that says its numbers."""
    return {name_of(plan): plan for plan in (*explorable(), *transpose.candidates())}


def name_of(plan: Transpose) -> str:
    """A name with all numbers of a plan.

    >>> name_of(transpose.padded(64, 4, group=8))
    'tile 64, 16 B, block 16 x 16, ((4,16),64):((64,260),1), bands of 8'
    """
    nbytes = plan.vector * plan.dtype.itemsize
    extra = (f", bands of {plan.group}" if plan.group else "") + (f", {plan.hint}" if plan.hint else "")
    return f"tile {plan.tile}, {nbytes} B, block {plan.block[0]} x {plan.block[1]}, {plan.layout}{extra}"


def numbers_of(plan: Transpose | Gemm) -> dict[str, Any]:
    """A plan as plain values, for JSON."""
    found = {f.name: getattr(plan, f.name) for f in fields(plan)}
    return {
        k: v if isinstance(v, int | str | bool) else list(v) if isinstance(v, tuple) else str(v)
        for k, v in found.items()
    }


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


def check_all(large: bool) -> Iterator[tuple[str, str, bool]]:
    """Every variant against NumPy, also at sizes that are no multiple of anything. large: sizes for a GPU."""
    shapes = [(2048, 2048), (1000, 777), (1, 300), (333, 1024)] if large else [(64, 64), (33, 45)]
    for name, plan in variants.transposes().items():
        for rows, columns in shapes:
            yield f"transpose {name}", f"{rows} x {columns}", check_transpose(plan, (rows, columns))
    sizes = [(1024, 1024, 1024), (129, 257, 65), (300, 200, 100)] if large else [(33, 40, 9), (32, 32, 16)]
    small = {} if large else {"tile": 32, "values": 4}
    for name in gemm.VARIANTS:
        for m, n, k in sizes:
            yield f"gemm {name}", f"{m} x {n} x {k}", check_gemm(gemm.variant(name, **small), m, n, k)


def torch_module() -> Any:
    """PyTorch if it is there and sees the GPU, else None."""
    try:
        import torch
    except Exception:
        return None
    return torch if torch.cuda.is_available() else None


def transpose_race(plans: dict[str, Transpose], size: int) -> list[dict[str, Any]]:
    """Time these transposes at size x size beside our copies and PyTorch's."""
    return timing.transpose_times(plans, size, beside=_torch_copies)


def _torch_copies(out: Any, a: Any) -> dict[str, Callable[[], None]]:
    torch = torch_module()
    if torch is None:
        return {}
    there, here = torch.as_tensor(out, device="cuda"), torch.as_tensor(a, device="cuda")
    return {"copy torch": lambda: there.copy_(here), "torch transposed copy": lambda: there.copy_(here.t())}


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
        runs[name] = partial(configured, c, a, b)
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


def main(arguments: list[str] | None = None) -> int:
    """Run the command. Returns 0, or 1 when a result is wrong or the machine lacks something (one sentence says what)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[4096, 16384], help="edges of the square matrices to time"
    )
    parser.add_argument("--quick", action="store_true", help="check only, and time the smallest size")
    parser.add_argument("--sweep", action="store_true", help="time every candidate, to choose the fastest transpose")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--wheels", type=Path, help=wheels.__doc__.splitlines()[0])
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except CuteLabError as error:
        print(error, file=sys.stderr)
        return 1


def _run(options: Any) -> int:
    if any(size < 1 for size in options.sizes):
        raise CuteLabError(f"sizes must be 1 or more, got {min(options.sizes)}")
    print(machine.note)
    checks = [{"name": name, "shape": shape, "equal": ok} for name, shape, ok in check_all(machine.gpu)]
    wrong = [f"{c['name']} at {c['shape']}" for c in checks if not c["equal"]]
    print(
        f"{len(checks) - len(wrong)} of {len(checks)} results equal NumPy's"
        + (f"; wrong: {', '.join(wrong)}" if wrong else "")
    )
    report: dict[str, Any] = {"meta": timing.meta(), "checks": checks}
    if machine.gpu:
        sizes = [min(options.sizes)] if options.quick else options.sizes
        plans = sweep() if options.sweep else variants.transposes()
        report["transpose"] = []
        for size in sizes:
            records = transpose_race(plans, size)
            report["transpose"] += records
            print(f"\nTranspose {size} x {size}\n{timing.table(records)}")
        if not options.quick:
            report["gemm"] = gemm_race(variants.gemms(), min(4096, max(sizes)))
            print(f"\nMatrix product, float32\n{timing.table(report['gemm'])}")
    else:
        report["predicted"] = variants.predicted(np.float32)
        print(f"\nPredicted for one tile, by running it here\n{timing.table(report['predicted'])}")
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        print(f"written: {options.json}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
