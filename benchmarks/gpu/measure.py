"""Measure the kernels on an NVIDIA GPU: results, times, hardware counters, and the model's prediction for the same launches.

    python benchmarks/gpu/measure.py --json h200_kernels.json
    python benchmarks/gpu/measure.py --wheels WHEELS ...     a folder with wheels (numpy<2.5) to put in front, without network

Takes a few minutes. Without Nsight Compute (ncu), PyTorch or CuPy it measures the rest and says what is missing.
Needs numba with numba-cuda; numba-cuda 0.30 needs numpy below 2.5.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import wheels  # first: it may put another numpy in front

from cutelab.hardware.measured.ncu import METRICS, OPTIONS, find_ncu, number, read_rows

COUNTED_TRANSPOSE, COUNTED_GEMM = (2048, 16384), (1024,)  # edges of the launches that are counted


def kernels_to_count() -> list[tuple[str, Any]]:
    """Names and launches of everything that is counted, in order. Each launch is one kernel."""
    import numpy as np

    from cutelab.kernels import cuda
    from cutelab.kernels import variants as plans

    found = []
    for n in COUNTED_TRANSPOSE:
        for name, plan in plans.transposes().items():
            out, a = (cuda.device_array((n, n), plan.kernel_dtype) for _ in range(2))
            configured = plan.kernel[plan.launch_shape(n, n)]
            found.append((f"transpose {name}, {n}", lambda configured=configured, out=out, a=a: configured(out, a)))
    for n in COUNTED_GEMM:
        a, b, c = (cuda.to_device(np.zeros((n, n), np.float32)) for _ in range(3))
        for name, plan in plans.gemms().items():
            configured = plan.kernel(True)[plan.launch_shape(n, n)]
            found.append((f"gemm {name}, {n}", lambda configured=configured, c=c, a=a, b=b: configured(c, a, b)))
    return found


def predictions() -> dict[str, dict[str, int]]:
    """The same launches, predicted by running single blocks on the CPU."""
    from cutelab.kernels import variants as plans

    found = {}
    for n in COUNTED_TRANSPOSE:
        found |= {f"transpose {k}, {n}": plans.predict_transpose(p, n) for k, p in plans.transposes().items()}
    for n in COUNTED_GEMM:
        found |= {f"gemm {k}, {n}": plans.predict_gemm(p, n) for k, p in plans.gemms().items()}
    return found


def read_counters(text: str, names: list[str]) -> list[dict[str, Any]]:
    """The rows of ncu's CSV (page raw), one a launch, in the order of launch."""
    rows = read_rows(text)
    if len(rows) != len(names):
        raise ValueError(f"ncu gave {len(rows)} rows for {len(names)} launches")
    return [
        {"name": name} | {key: number(row[metric]) for key, metric in METRICS.items()}
        for name, row in zip(names, rows, strict=True)
    ]


def count(names: list[str]) -> tuple[list[dict[str, Any]], str]:
    """Run this file once more under ncu. Returns the counters, and "" or why there are none."""
    ncu = find_ncu()
    if ncu is None:
        return [], "Nsight Compute (ncu) is not installed; no counters"
    command = [ncu, *OPTIONS]
    command += ["--metrics", ",".join(METRICS.values()), sys.executable, str(Path(__file__).resolve()), "--launch-only"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
        return read_counters(done.stdout, names), ""
    except (ValueError, KeyError, subprocess.TimeoutExpired) as error:
        tail = "" if isinstance(error, subprocess.TimeoutExpired) else (done.stdout + done.stderr)[-600:]
        return [], f"ncu gave no counters ({error}): {tail}"


def compare(counted: list[dict[str, Any]], predicted: dict[str, dict[str, int]]) -> list[dict[str, Any]]:
    """Counter, prediction and their ratio for each launch and counter."""
    rows = []
    for record in counted:
        for key in METRICS:
            model, counter = predicted[record["name"]][key], record[key]
            ratio = round(counter / model, 4) if model else None
            rows.append({"name": record["name"], "what": key, "counter": counter, "predicted": model, "ratio": ratio})
    return rows


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Everything, in the order of what matters; each part notes the time that it took."""
    import race

    from cutelab.kernels import machine, timing
    from cutelab.kernels import variants as plans

    timing.need_gpu()
    print(machine.note, flush=True)
    report: dict[str, Any] = {"meta": timing.meta(), "missing": [], "seconds": {}}
    started = time.time()

    def part(name: str) -> None:
        nonlocal started
        report["seconds"][name] = round(time.time() - started, 1)
        started = time.time()
        save(report, options.json)

    checks = [{"name": n, "shape": s, "equal": ok} for n, s, ok in race.check_all(large=True)]
    report["checks"] = checks
    wrong = [f"{c['name']} at {c['shape']}" for c in checks if not c["equal"]]
    print(
        f"{len(checks) - len(wrong)} of {len(checks)} results equal NumPy's; wrong: {', '.join(wrong) or 'none'}",
        flush=True,
    )
    part("checks")
    chosen = plans.transposes()
    report["plans"] = {f"gemm {name}": race.numbers_of(plan) for name, plan in plans.gemms().items()}
    report["transpose"] = []
    if options.sweep:
        first = race.transpose_race(race.sweep(), max(options.sizes))
        report["sweep"] = first
        print(f"\nSweep\n{timing.table(first)}", flush=True)
        names = {race.name_of(p): p for p in race.sweep().values()}
        ranked = [r["name"] for r in sorted(first, key=lambda r: r["ms"]) if r["name"] in names]
        chosen |= {f"fastest {i + 1}: {name}": names[name] for i, name in enumerate(ranked[:4])}
        report["plans"] |= {name: race.numbers_of(plan) for name, plan in names.items()}
        part("sweep")
    report["plans"] |= {name: race.numbers_of(plan) for name, plan in chosen.items()}
    for size in options.sizes:
        records = race.transpose_race(chosen, size)
        report["transpose"] += records
        print(f"\nTranspose {size} x {size}\n{timing.table(records)}", flush=True)
    if race.torch_module() is None:
        report["missing"].append("PyTorch is not there: no torch copy_, no torch product")
    part("transpose")
    spot = race.spot_check(chosen, max(options.sizes))
    report["spot_checks"] = spot
    print(f"\nspot checks at {max(options.sizes)}: {sum(spot.values())} of {len(spot)} right", flush=True)
    part("spot checks")
    report["gemm"] = []
    for size in options.gemm:
        records = race.gemm_race(plans.gemms(), size)
        report["gemm"] += records
        print(f"\nMatrix product {size}, float32\n{timing.table(records)}", flush=True)
    part("gemm")
    report["predicted"] = predictions()
    part("prediction")
    counted, why = count(list(report["predicted"]))
    report["counters"] = compare(counted, report["predicted"])
    if why:
        report["missing"].append(why)
    for row in report["counters"]:
        print(f"{row['name']:<40} {row['what']:<13} {row['counter']:>12,} {row['predicted']:>12,} {row['ratio']}")
    part("counters")
    print("\n".join(report["missing"]))
    return report


def save(report: dict[str, Any], path: Path | None) -> None:
    """Write what there is, so that a run that is cut short leaves its figures."""
    if path:
        path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--wheels", type=Path, help=wheels.__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[4096, 16384])
    parser.add_argument("--gemm", type=int, nargs="+", default=[2048, 4096])
    parser.add_argument("--no-sweep", dest="sweep", action="store_false", help="do not time every candidate")
    parser.add_argument("--launch-only", action="store_true", help="launch what is counted, once each (used under ncu)")
    options = parser.parse_args()
    from cutelab.core.errors import CuteLabError

    try:
        if options.launch_only:
            for _, run in kernels_to_count():
                run()
            from cutelab.kernels import cuda

            cuda.synchronize()
        else:
            measure(options)
    except CuteLabError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
