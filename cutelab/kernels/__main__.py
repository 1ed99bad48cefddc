"""python -m cutelab.kernels: build the kernels, check them against NumPy, and time them where there is a GPU."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError


def main(arguments: list[str] | None = None) -> int:
    """Run the command. Returns 0, or 1 when a result is wrong or the machine lacks something (one sentence says what)."""
    parser = argparse.ArgumentParser(prog="python -m cutelab.kernels", description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[4096, 16384], help="edges of the square matrices to time"
    )
    parser.add_argument("--quick", action="store_true", help="check only, and time the smallest size")
    parser.add_argument("--sweep", action="store_true", help="time every candidate, to choose the fastest transpose")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args(arguments)
    try:
        return _run(options)
    except CuteLabError as error:
        print(error, file=sys.stderr)
        return 1


def _run(options: Any) -> int:
    if any(size < 1 for size in options.sizes):
        raise CuteLabError(f"sizes must be 1 or more, got {min(options.sizes)}")
    from cutelab.kernels import bench, machine
    from cutelab.kernels import variants as known

    print(machine.note)
    checks = [{"name": name, "shape": shape, "equal": ok} for name, shape, ok in known.check_all(machine.gpu)]
    wrong = [f"{c['name']} at {c['shape']}" for c in checks if not c["equal"]]
    print(
        f"{len(checks) - len(wrong)} of {len(checks)} results equal NumPy's"
        + (f"; wrong: {', '.join(wrong)}" if wrong else "")
    )
    report: dict[str, Any] = {"meta": bench.meta(), "checks": checks}
    if machine.gpu:
        sizes = [min(options.sizes)] if options.quick else options.sizes
        plans = known.sweep() if options.sweep else known.transposes()
        report["transpose"] = []
        for size in sizes:
            records = bench.transpose_race(plans, size)
            report["transpose"] += records
            print(f"\nTranspose {size} x {size}\n{bench.table(records)}")
        if not options.quick:
            report["gemm"] = bench.gemm_race(known.gemms(), min(4096, max(sizes)))
            print(f"\nMatrix product, float32\n{bench.table(report['gemm'])}")
    else:
        report["predicted"] = known.predicted(np.float32)
        print(f"\nPredicted for one tile, by running it here\n{bench.table(report['predicted'])}")
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        print(f"written: {options.json}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
