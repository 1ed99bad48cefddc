"""The one-warp probe: launch single memory instructions with given addresses, count them with Nsight Compute, compare with the model.

    python benchmarks/gpu/probe.py                      all patterns of the package's measurement, on this GPU
    python benchmarks/gpu/probe.py --every 10           every tenth
    python benchmarks/gpu/probe.py --patterns my.json --json counted.json

Patterns are records {"op", "bytes", "pattern", "offsets"}: the PTX instruction, bytes a lane, a name, and the byte offset of
each of the 32 lanes (-1: inactive), as in cutelab/hardware/measured. Each is one launch of one warp. The result has the same records with
what the counter read ("wavefronts" or "sectors"), and says how many equal `cutelab.memory`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from wheels import ROOT  # first: it may put another numpy in front

from cutelab.hardware.measured.ncu import OPTIONS, find_ncu, number, read_rows

SHARED_BYTES, GLOBAL_BYTES = 32 * 1024, 1 << 20
SHARED = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
OWN_SECTORS = 4  # the probe's load of 32 offsets of 4 bytes


def metric_of(op: str) -> str:
    """Which counter counts this instruction?"""
    stem = op.split(".")[0]
    if ".global" in op:
        return SECTORS.format("ld" if stem == "ld" else "st")
    return SHARED.format({"ld": "ld", "ldmatrix": "ld", "st": "st", "stmatrix": "st"}.get(stem, "atom"))


def assembly(op: str) -> tuple[str, str, int]:
    """PTX text with $-operands, constraints, and how many 32-bit values it returns. $ address comes last (loads) or first."""
    parts = op.split(".")
    stem = parts[0]
    if stem in ("ldmatrix", "stmatrix"):
        count = int(parts[1][1:])
        name = f"{stem}.sync.aligned.m8n8.{'.'.join(parts[1:])}.shared.b16"
    else:
        count = int(parts[2][1:]) if len(parts) == 4 and parts[2][0] == "v" else 1
        name = op
    narrow = parts[-1] in ("u8", "u16")
    letter = "h" if narrow else "r"
    where = "l" if ".global" in op else "r"

    def values(first: int) -> str:
        text = ", ".join(f"${first + i}" for i in range(count))
        return f"{{{text}}}" if count > 1 or "matrix" in stem else text

    if stem in ("ld", "ldmatrix"):
        return f"{name} {values(0)}, [${count}];", ",".join([f"={letter}"] * count + [where]), count
    if stem == "atom":
        return f"{name} $0, [$1], $2;", f"=r,{where},r", 1
    return f"{name} [$0], {values(1)};", ",".join([where] + [letter] * count), 0


def make_kernel(op: str) -> Any:
    """A kernel probe(offsets, memory, sink): each active lane does one `op` at its offset."""
    import numpy as np
    from llvmlite import ir
    from numba.cuda.extending import intrinsic

    from cutelab.kernels import cuda

    try:
        from numba.cuda import types
    except ImportError:
        from numba.core import types
    text, constraint, results = assembly(op)
    is_global, narrow = ".global" in op, op.endswith((".u8", ".u16"))
    inputs = constraint.count(",") + 1 - results - 1

    @intrinsic
    def touch(typingctx, array, offset):
        def codegen(context, builder, signature, args):
            record = context.make_array(signature.args[0])(context, builder, args[0])
            byte = ir.IntType(8)
            start = builder.bitcast(record.data, byte.as_pointer())
            if not is_global:
                start = builder.addrspacecast(start, byte.as_pointer(3), "shared")
            word = ir.IntType(64 if is_global else 32)
            place = builder.ptrtoint(start, word)
            step = context.cast(builder, args[1], signature.args[1], types.int64)
            place = builder.add(place, step if is_global else builder.trunc(step, word))
            value_type = ir.IntType(16) if narrow else ir.IntType(32)
            values = [ir.Constant(value_type, 1)] * inputs
            result = ir.VoidType()
            if results:
                result = value_type if results == 1 else ir.LiteralStructType([value_type] * results)
            kind = ir.FunctionType(result, [word] + [value_type] * inputs)
            got = builder.call(ir.InlineAsm(kind, text, constraint, side_effect=True), [place, *values])
            if not results:
                return ir.Constant(ir.IntType(32), 0)
            parts = [got] if results == 1 else [builder.extract_value(got, i) for i in range(results)]
            whole = parts[0]  # every value is used, so that no part of the access is optimised away
            for part in parts[1:]:
                whole = builder.xor(whole, part)
            return builder.zext(whole, ir.IntType(32)) if narrow else whole

        return types.uint32(array, offset), codegen

    matrix = "matrix" in op
    uint8 = np.dtype(np.uint8)
    loads = results > 0

    @cuda.jit
    def probe(offsets, memory, sink):
        tile = cuda.shared.array(SHARED_BYTES, uint8)
        lane = cuda.threadIdx.x
        offset = offsets[lane]
        target = memory if is_global else tile
        if offset >= 0 or matrix:
            value = touch(target, max(offset, 0))
            if loads:
                sink[lane] = value

    return probe


def launch_all(records: list[dict[str, Any]]) -> None:
    """One launch for each record, in order."""
    import numpy as np

    from cutelab.kernels import cuda

    kernels = {op: make_kernel(op)[1, 32] for op in dict.fromkeys(r["op"] for r in records)}
    memory = cuda.to_device(np.zeros(GLOBAL_BYTES, np.uint8))
    sink = cuda.to_device(np.zeros(32, np.uint32))
    for record in records:
        offsets = cuda.to_device(np.array(record["offsets"], np.int32))
        kernels[record["op"]](offsets, memory, sink)
    cuda.synchronize()


def read(text: str, records: list[dict[str, Any]]) -> list[int]:
    """The counter of each launch, the probe's own load taken off."""
    rows = read_rows(text)
    if len(rows) != len(records):
        raise SystemExit(f"ncu gave {len(rows)} rows for {len(records)} launches:\n{text[-800:]}")
    found = []
    for row, record in zip(rows, records, strict=True):
        metric = metric_of(record["op"])
        own = OWN_SECTORS if metric == SECTORS.format("ld") else 0
        found.append(number(row[metric]) - own)
    return found


def model(record: dict[str, Any]) -> int:
    """What cutelab.memory says."""
    import numpy as np

    from cutelab.hardware import sectors, wavefronts
    from cutelab.memory import WarpAccess

    stem = record["op"].split(".")[0]
    kind = {"ld": "load", "st": "store", "red": "reduce", "atom": "atomic"}.get(stem, stem)
    offsets = np.array(record["offsets"], np.int64)
    lanes = 8 * int(record["op"].split(".")[1][1:]) if "matrix" in stem else 32
    active = (offsets >= 0) & (np.arange(32) < lanes)
    access = WarpAccess(np.where(active, offsets, 0), record["bytes"], kind, active)
    return int((sectors if ".global" in record["op"] else wavefronts)(access).count)


def default_patterns(every: int) -> list[dict[str, Any]]:
    found = []
    for name in ("h200_shared_wavefronts", "h200_global_sectors"):
        found += json.loads((ROOT / "cutelab" / "hardware" / "measured" / f"{name}.json").read_text(encoding="utf-8"))[
            "records"
        ]
    return found[::every]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patterns", type=Path, help="JSON with `records`; without it those of the package")
    parser.add_argument("--every", type=int, default=1, help="take every n-th pattern")
    parser.add_argument("--json", type=Path, help="write the counted records")
    parser.add_argument("--wheels", type=Path, help="folder with wheels to use before all others, such as numpy<2.5")
    parser.add_argument("--launch-only", type=Path, help="launch the records of this file (used under ncu)")
    options = parser.parse_args()
    if options.launch_only:
        launch_all(json.loads(options.launch_only.read_text(encoding="utf-8")))
        return 0
    ncu = find_ncu()
    if ncu is None:
        print("Nsight Compute (ncu) is not installed; the probe counts with it", file=sys.stderr)
        return 1
    if options.patterns:
        records = json.loads(options.patterns.read_text(encoding="utf-8"))["records"][:: options.every]
    else:
        records = default_patterns(options.every)
    metrics = sorted({metric_of(r["op"]) for r in records})
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False, encoding="utf-8") as file:
        json.dump(records, file)
    command = [ncu, *OPTIONS, "--metrics"]
    command += [",".join(metrics), sys.executable, str(Path(__file__).resolve()), "--launch-only", file.name]
    if options.wheels:
        command += ["--wheels", str(options.wheels)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    Path(file.name).unlink()
    counts = read(done.stdout, records)
    wrong = 0
    for record, counted in zip(records, counts, strict=True):
        record["sectors" if ".global" in record["op"] else "wavefronts"] = counted
        if counted != model(record):
            wrong += 1
            print(f"{record['op']} {record['pattern']}: counter {counted}, model {model(record)}")
    print(f"{len(records) - wrong} of {len(records)} patterns equal the model")
    if options.json:
        from cutelab.kernels.timing import meta

        options.json.write_text(json.dumps({"meta": meta(), "records": records}) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
