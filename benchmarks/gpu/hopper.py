"""Measure Hopper's copy unit, matrix descriptors and pipelines on this machine, and hold the model against what it did.

    python benchmarks/gpu/hopper.py --json hopper.json             about three minutes; needs nvcc and a GPU of compute capability 9.0
    python benchmarks/gpu/hopper.py --package FOLDER --json ...    also writes the cases as the package keeps them
    python benchmarks/gpu/hopper.py --build-only                   compile hopper.cu, on any machine with nvcc
    python benchmarks/gpu/hopper.py --wheels WHEELS ...            a folder with wheels (numba, numba-cuda, numpy<2.5) for the transposes

Tiles: boxes of one to four modes, element sizes of 1 to 8 bytes, starts over the edge; a few illegal starts, each in a program
of its own, since they end it. Descriptors: operands A and B of half, e4m3, int8 and tf32. Rates: cycles of one wgmma. Pipelines: tiles
of 8, 16 and 32 KB, bulk and tensor copies, 128 and 256 threads. Transposes: 2-byte elements, every candidate (needs Numba).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from wheels import ROOT, use_wheels

SOURCE = Path(__file__).with_name("hopper.cu")
FLAGS = ["-std=c++17", "-O2", "-gencode", "arch=compute_90a,code=sm_90a"]
Case = dict[str, Any]
ITEMS = {"f16": 2, "e4m3": 1, "s8": 1, "tf32": 4}


def build(folder: Path) -> Path:
    """The program, compiled. Raises SystemExit with the compiler's words."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    program = folder / "hopper"
    done = subprocess.run([nvcc, *FLAGS, "-o", str(program), str(SOURCE)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"nvcc: {(done.stdout + done.stderr)[-2000:]}")
    return program


def run(program: Path, what: str, lines: list[str], limit: int = 240) -> tuple[dict[int, Case], str]:
    """The answers by id, and "" or how the program ended."""
    try:
        done = subprocess.run(
            [str(program), what], input="\n".join(lines), capture_output=True, text=True, timeout=limit, check=False
        )
        text, ended = done.stdout, done.stderr.strip() or f"status {done.returncode}" if done.returncode else ""
    except subprocess.TimeoutExpired as error:
        shown = error.stdout or b""
        text, ended = shown.decode() if isinstance(shown, bytes) else shown, f"no end after {limit} s"
    answers = [json.loads(line) for line in text.splitlines() if line.startswith("{") and line.endswith("}")]
    return {a.pop("id"): a for a in answers}, ended


# ------------------------------------------------------------------ tiles


def tile_cases() -> list[Case]:
    """Legal boxes. Sizes, boxes and starts with the fastest mode first, as the unit takes them."""
    found: list[Case] = []

    def add(
        item: int, sizes: tuple[int, ...], box: tuple[int, ...], span: int, base: int, start: tuple[int, ...]
    ) -> None:
        found.append(
            {
                "element_bytes": item,
                "sizes": sizes,
                "box": box,
                "swizzle_bytes": span,
                "smem_base": base,
                "start": start,
            }
        )

    for item, span in product((1, 2, 4, 8), (0, 32, 64, 128)):
        step, inner = 16 // item, (span or 64) // item
        for base, start in ((0, (0, 0, 0)), (0, (step, -2, 1)), (256, (-step, 5, -1)), (128, (2 * step, 0, 2))):
            add(item, (300, 20, 6), (inner, 6, 3), span, base, start)
        add(item, (300, 20, 6), (step, 5, 2), span, 0, (0, 18, 5))  # shorter than the span, over two edges
        add(item, (70, 5, 4, 3), (inner, 2, 3, 2), span, 0, (2 * step, 3, -1, 2))
        add(item, (200,), (inner,), span, 128, (8 * step,))
        add(item, (300, 200), (inner, 40), span, 384, (296 // step * step, 180))
    for item, span, rows in product((2, 4), (0, 128), (64, 256)):
        add(item, (300, 200), ((span or 128) // item, rows), span, 0, (0, -3))
    return found


def illegal_cases() -> list[Case]:
    """Starts that the model refuses: one program each."""
    return [
        {"element_bytes": i, "sizes": s, "box": b, "swizzle_bytes": w, "smem_base": 0, "start": a}
        for i, s, b, w, a in (
            (2, (300, 20, 6), (64, 6, 3), 128, (4, 0, 0)),
            (4, (300, 20, 6), (32, 6, 3), 128, (2, 0, 0)),
            (8, (300, 200), (16, 8), 128, (1, 0)),
            (1, (300, 20, 6), (64, 6, 3), 64, (-8, 0, 0)),
            (8, (300, 200), (16, 8), 0, (-1, 0)),
        )
    ]


def tile_line(number: int, case: Case) -> str:
    values = [number, case["element_bytes"], len(case["sizes"]), *case["sizes"], *case["box"]]
    return " ".join(map(str, [*values, case["swizzle_bytes"], case["smem_base"], *case["start"]]))


def model_tile(case: Case) -> np.ndarray | None:
    """What the model says; None where it refuses."""
    from cutelab.core.errors import CuteLabError
    from cutelab.hardware.tma import TmaTile

    try:
        tile = TmaTile(
            case["sizes"][::-1], case["element_bytes"], case["box"], case["swizzle_bytes"], case["smem_base"]
        )
        return tile.load(*case["start"])
    except CuteLabError:
        return None


def measure_tiles(program: Path) -> Case:
    cases = tile_cases()
    answers, ended = run(program, "tiles", [tile_line(i, case) for i, case in enumerate(cases)])
    for i, case in enumerate(cases):
        model, answer = model_tile(case), answers.get(i)
        case["made"] = bool(answer and answer["made"])
        case["smem"] = answer["smem"] if answer else []
        case["equal"] = model is not None and case["made"] and model.tolist() == case["smem"]
    for case in illegal_cases():
        answers, why = run(program, "tiles", [tile_line(0, case)], 30)
        case |= {
            "made": True,
            "smem": [],
            "illegal": bool(why),
            "ended": why,
            "equal": bool(why) == (model_tile(case) is None),
        }
        cases.append(case)
    return part("tiles", cases, ended)


# ------------------------------------------------------------------ descriptors


def descriptor_cases() -> list[Case]:
    """All types, both operands, both majors where there are two, right and odd offsets, shifted starts."""
    found = []
    for kind, operand in product(ITEMS, "AB"):
        for major in ("K", "MN") if kind == "f16" else ("K",):
            settings = [(0, 128, 256, 0), (0, 256, 128, 0), (0, 1024, 128, 0), (0, 144, 288, 0), (0, 128, 1024, 16)]
            for span in (32, 64, 128):
                settings += [(span, 16, 8 * span, 0), (span, 8 * span, 16 * span, 0), (span, 16 * span, 8 * span, 0)]
                settings += [(span, 16, 8 * span, start) for start in (32, 64, 96) if start < span and major == "K"]
            found += [
                {
                    "type": kind,
                    "operand": operand,
                    "major": major,
                    "swizzle_bytes": s,
                    "lbo_bytes": lbo,
                    "sbo_bytes": sbo,
                }
                | {"start_bytes": start}
                for s, lbo, sbo, start in settings
            ]
    return found


def descriptor_line(number: int, case: Case) -> str:
    from cutelab.hardware.descriptor import MatrixDescriptor

    made = MatrixDescriptor(0, case["lbo_bytes"], case["sbo_bytes"], case["swizzle_bytes"], case["major"])
    return f"{number} {case['type']} {case['operand']} {case['major']} {made.encode()} {case['start_bytes']}"


def measure_descriptors(program: Path) -> Case:
    from cutelab.hardware.descriptor import MatrixDescriptor

    cases = descriptor_cases()
    answers, ended = run(program, "descriptors", [descriptor_line(i, case) for i, case in enumerate(cases)])
    for i, case in enumerate(cases):
        item = ITEMS[case["type"]]
        made = MatrixDescriptor(
            case["start_bytes"], case["lbo_bytes"], case["sbo_bytes"], case["swizzle_bytes"], case["major"]
        )
        model = made.addresses(64, 32 // item, item)
        case["element"] = answers.get(i, {}).get("element", [])  # (m, k) row-major: the element that was read
        case["equal"] = (model // item).ravel().tolist() == case["element"]
    return part("descriptors", cases, ended)


def measure_rates(program: Path) -> Case:
    """Every setting of A must take the same cycles: 2,048 + 256 bytes at 128 bytes a cycle."""
    cases = [case for case in descriptor_cases() if case["operand"] == "A"]
    answers, ended = run(program, "rates", [descriptor_line(i, case) for i, case in enumerate(cases)])
    for i, case in enumerate(cases):
        case["cycles"] = answers.get(i, {}).get("cycles", 0.0)
        case["equal"] = abs(case["cycles"] - 18) < 0.1
    return part("rates", cases, ended)


# ------------------------------------------------------------------ pipelines


def pipeline_cases() -> list[Case]:
    """The two loops as they were measured, and four more: other tiles, tensor copies, more threads."""
    kinds = (
        ("together", 16, 128),
        ("producer", 16, 128),
        ("together", 8, 128),
        ("producer", 8, 128),
        ("together", 32, 128),
        ("producer", 32, 128),
        ("together", 16, 256),
        ("producer", 16, 256),
        ("tensor", 16, 128),
    )
    return [
        {"loop": loop, "tile_bytes": kb * 1024, "threads": threads, "stages": stages, "mma_cycles": mma}
        for loop, kb, threads in kinds
        for stages, mma in product((1, 2, 3, 4, 6), (0, 128, 512, 1024))
    ]


def measure_pipelines(program: Path) -> Case:
    """Each kind beside the model, fitted to two of its points: one stage without MMA, and the most stages with the longest."""
    from cutelab.hardware.pipeline import cycles_a_tile

    cases = pipeline_cases()
    lines = [
        f"{i} {c['loop']} {c['stages']} {c['mma_cycles']} {c['tile_bytes']} {c['threads']}" for i, c in enumerate(cases)
    ]
    answers, ended = run(program, "pipelines", lines)
    for i, case in enumerate(cases):
        case |= answers.get(i, {"cycles_a_tile": 0.0, "first_tile": 0})
    for kind in dict.fromkeys((c["loop"], c["tile_bytes"], c["threads"]) for c in cases):
        mine = [c for c in cases if (c["loop"], c["tile_bytes"], c["threads"]) == kind]
        at = {(c["stages"], c["mma_cycles"]): c["cycles_a_tile"] for c in mine}
        loop = "together" if kind[0] == "together" else "producer"
        issue = at[6, 1024] - 1024
        arrival = at[2, 0] * (1 if loop == "together" else 2)
        rate = min(at[6, 0], issue) if loop == "together" else at[6, 0]
        for case in mine:
            case["fit"] = {"arrival": arrival, "rate": rate, "issue": issue}
            values = {name: max(0.0, value) for name, value in case["fit"].items()}
            case["model"] = round(cycles_a_tile(loop, case["stages"], case["mma_cycles"], **values), 1)
            case["error"] = round(case["model"] / case["cycles_a_tile"] - 1, 3) if case["cycles_a_tile"] else None
            judged = case["stages"] > 1 and case["mma_cycles"] > 0
            case["equal"] = not judged or (case["error"] is not None and abs(case["error"]) < 0.15)
    return part("pipelines", cases, ended)


# ------------------------------------------------------------------ transposes of 2-byte elements


def measure_transposes(size: int = 16_384) -> Case:
    """Every candidate for 2-byte elements beside the copies of the same run; those without a bank conflict by the model."""
    try:
        from cutelab.kernels import timing, transpose
    except Exception as error:
        return {"cases": [], "ended": f"no Numba with a GPU: {error}"}
    import race

    plans = {}
    blocks = {
        (64, 2): ((32, 8), (32, 16)),
        (64, 4): ((16, 8), (16, 16)),
        (64, 8): ((8, 8),),
        (128, 2): ((32, 8), (32, 16)),
        (128, 4): ((32, 8), (32, 16)),
        (128, 8): ((16, 8), (16, 16)),
    }
    for (tile, vector), shapes in blocks.items():
        for block, group, hint in product(shapes, (0, 8, 16), ("", "cs")):
            plan = transpose.swizzled(tile, vector, block=block, group=group, hint=hint, dtype=np.uint16)
            plans[race.name_of(plan)] = plan
    try:
        records = timing.transpose_times(plans, size)
        best = max((r for r in records if r["name"] in plans), key=lambda r: r["GB/s"])
        right = race.spot_check({best["name"]: plans[best["name"]]}, size)
    except Exception as error:
        return {"cases": [], "ended": str(error)}
    records.sort(key=lambda r: -r["GB/s"])
    for record in records[:12]:
        print(f"  {record['name']:<80} {record['GB/s']:>8.1f} GB/s {record['of_copy']:.3f}")
    return {"cases": records, "ended": "", "best": best, "right": right, "plan": race.numbers_of(plans[best["name"]])}


# ------------------------------------------------------------------ report


def part(name: str, cases: list[Case], ended: str) -> Case:
    good = sum(case["equal"] for case in cases)
    print(
        f"{name}: {good} of {len(cases)} as the model says" + (f"; the program ended: {ended}" if ended else ""),
        flush=True,
    )
    for case in [case for case in cases if not case["equal"]][:6]:
        print("  not so:", {k: v for k, v in case.items() if k not in ("smem", "element")}, flush=True)
    return {"cases": cases, "equal": good, "ended": ended}


def meta() -> dict[str, str]:
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True, timeout=60, check=False).stdout.strip().splitlines()
    name, driver = (answer[0].split(", ") if answer else ["", ""])[:2]
    nvcc = subprocess.run(
        [shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", "--version"], capture_output=True, text=True, check=False
    )
    cuda = next(
        (
            word.strip(",")
            for line in nvcc.stdout.splitlines()
            if "release" in line
            for word in line.split()
            if word[0] == "1"
        ),
        "",
    )
    return {"gpu": name, "driver": driver, "cuda": cuda, "date": date.today().isoformat()}


NOTES = {
    "tiles": "sizes, box and start with the fastest mode first; smem: for each element of shared memory from a 1,024-byte boundary the "
    "number of the matrix's element that lies there, -1 untouched, -2 filled with zero; illegal: the launch ended with an error",
    "descriptors": "operand of wgmma (m64n8 for A, m64n64 for B) read through a descriptor; element: for each (m, k), row-major, the "
    "element from the 1,024-byte aligned start of the region that the unit read",
    "rates": "cycles of one m64n8 wgmma: the time of 640 less that of 128, divided by 512; eight accumulators",
    "pipelines": "as in h200_pipelines.json; loop 'tensor': the producer asks for boxes of 64 x 128 halves with a 128-byte swizzle",
}


def package(report: Case, folder: Path) -> None:
    """One file a part, as `cutelab.hardware.measured` keeps them: one case a line."""
    for name, note in NOTES.items():
        keep = [
            {k: v for k, v in c.items() if k not in ("equal", "model", "error", "fit", "ended")}
            for c in report[name]["cases"]
        ]
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in keep)
        text = f'{{"meta":{json.dumps(report["meta"] | {"note": note})},\n"cases":[\n{lines}\n]}}\n'
        (folder / f"h200_hopper_{name}.json").write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write everything to this file")
    parser.add_argument("--package", type=Path, help="write the cases, a file a part, to this folder")
    parser.add_argument("--wheels", type=Path, help="folder with wheels to use before all others")
    parser.add_argument("--build-only", action="store_true", help="compile, and stop")
    parser.add_argument("--no-transpose", dest="transpose", action="store_false", help="leave the transposes out")
    options = parser.parse_args()
    if options.wheels:
        place = use_wheels(options.wheels)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [place, os.environ.get("PYTHONPATH", "")]))
        sys.path.insert(0, place)
    sys.path.insert(0, str(ROOT))
    folder = Path(tempfile.mkdtemp(prefix="cutelab-hopper-"))
    program = build(folder)
    print("built", flush=True)
    if options.build_only:
        return 0
    report: Case = {"meta": meta(), "seconds": {}}
    parts: dict[str, Callable[[], Case]] = {
        "tiles": lambda: measure_tiles(program),
        "descriptors": lambda: measure_descriptors(program),
        "rates": lambda: measure_rates(program),
        "pipelines": lambda: measure_pipelines(program),
    }
    if options.transpose:
        parts["transpose"] = measure_transposes
    for name, measure in parts.items():
        started = time.time()
        try:
            report[name] = measure()
        except subprocess.TimeoutExpired as error:
            report[name] = {"cases": [], "ended": str(error)}
            print(f"{name}: {error}", flush=True)
        report["seconds"][name] = round(time.time() - started, 1)
        if options.json:
            options.json.write_text(json.dumps(report) + "\n", encoding="utf-8")
    if options.package:
        options.package.mkdir(parents=True, exist_ok=True)
        package(report, options.package)
    print("seconds:", report["seconds"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
