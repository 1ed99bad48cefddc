"""Turn a report of measure.py into the package's data: every time at both sizes, the copies beside it, and the counters.

python benchmarks/gpu/package.py report.json cutelab/hardware/measured/h200_kernels.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

META = ("date", "gpu", "compute_capability", "driver", "python", "numba", "numba-cuda", "numpy", "torch")
TRANSPOSE = ("tile", "layout", "vector", "block", "dtype", "group", "hint")
GEMM = ("m", "n", "k", "a_layout", "b_layout", "values", "vector", "double_buffer")
COUNTERS = ("shared load", "shared store", "global load", "global store")
METHOD = (
    "times: median of 30 launches by events, warm, all kernels of one size in turn; GB/s counts bytes read and written; "
    "counters: Nsight Compute, one launch each; predicted: one block traced on the CPU, times the blocks"
)


def times(
    records: list[dict[str, Any]], plans: dict[str, Any], keys: tuple[str, ...], prefix: str, rate: str
) -> list[Any]:
    """Rows of size, milliseconds, rate, then the plan's numbers; each plan once at each size."""
    rows: dict[Any, list[Any]] = {}
    for record in records:
        numbers = plans.get(prefix + record["name"])
        if numbers is not None:
            plan = [numbers[key] for key in keys]
            rows.setdefault((record["size"], str(plan)), [record["size"], record["ms"], record[rate], *plan])
    return list(rows.values())


def yardsticks(records: list[dict[str, Any]], plans: dict[str, Any], prefix: str, rate: str) -> list[Any]:
    """The copies, or the vendor's product: everything that has no plan."""
    found: dict[Any, dict[str, Any]] = {}
    for record in records:
        if prefix + record["name"] not in plans:
            found.setdefault((record["name"], record["size"]), record)
    return [[r["name"], r["size"], r["ms"], r[rate]] for r in found.values()]


def counters(report: dict[str, Any]) -> list[Any]:
    """Rows of kernel, variant, size, then counter and prediction for each of the four counters."""
    read: dict[str, dict[str, list[int]]] = {}
    for record in report["counters"]:
        read.setdefault(record["name"], {})[record["what"]] = [record["counter"], record["predicted"]]
    rows = []
    for launch, found in read.items():
        name, size = launch.rsplit(", ", 1)
        rows.append([*name.split(" ", 1), int(size), *(n for what in COUNTERS for n in found[what])])
    return rows


def packaged(report: dict[str, Any]) -> dict[str, Any]:
    """The data as it is stored."""
    plans = report["plans"]
    transposes = report.get("sweep", []) + report["transpose"]  # what is timed twice counts as in the first race
    return {
        "meta": {key: report["meta"][key] for key in META if key in report["meta"]} | {"method": METHOD},
        "transpose": {"keys": TRANSPOSE, "rows": times(transposes, plans, TRANSPOSE, "", "GB/s")},
        "copy": yardsticks(transposes, plans, "", "GB/s"),
        "gemm": {"keys": GEMM, "rows": times(report["gemm"], plans, GEMM, "gemm ", "TFLOP/s")},
        "vendor": yardsticks(report["gemm"], plans, "gemm ", "TFLOP/s"),
        "counters": {"keys": COUNTERS, "rows": counters(report)},
    }


def as_text(data: dict[str, Any]) -> str:
    """JSON with one row a line."""

    def rows(found: list[Any]) -> str:
        return "[\n" + ",\n".join("  " + json.dumps(row) for row in found) + "\n ]"

    parts = []
    for name, value in data.items():
        if isinstance(value, dict) and "rows" in value:
            parts.append(f' "{name}": {{"keys": {json.dumps(value["keys"])}, "rows": {rows(value["rows"])}}}')
        else:
            parts.append(f' "{name}": ' + (rows(value) if isinstance(value, list) else json.dumps(value)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(sys.argv[2]).write_text(as_text(packaged(report)), encoding="utf-8")
