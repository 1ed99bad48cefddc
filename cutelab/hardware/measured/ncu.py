"""Nsight Compute, NVIDIA's profiler: where its command is, what its counters are called, and how its table is read."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

METRICS = {
    "shared load": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared store": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "global load": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global store": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}
"""What is counted -> the counter: sectors of global memory, wavefronts of shared memory."""

OPTIONS = ("--clock-control", "none", "--cache-control", "none", "--csv", "--page", "raw")
PLACES = ("usr/local/cuda/bin/ncu", "opt/nvidia/nsight-compute/*/ncu", "usr/local/cuda*/bin/ncu")


def find_ncu() -> str | None:
    """Where is Nsight Compute's command? None if it is not installed."""
    found = shutil.which("ncu")
    if found:
        return found
    for pattern in PLACES:
        for path in sorted(Path("/").glob(pattern), reverse=True):
            return str(path)
    return None


def read_rows(text: str) -> list[dict[str, str]]:
    """The rows of its CSV (page raw), one a launch, in the order of launch.

    >>> read_rows('==PROF==\\n"ID","x.sum"\\n"",""\\n"0","1,024"\\n')
    [{'ID': '0', 'x.sum': '1,024'}]
    """
    lines = [line for line in text.splitlines() if line.startswith('"')]
    return [row for row in csv.DictReader(io.StringIO("\n".join(lines))) if row.get("ID", "").strip().isdigit()]


def number(value: str) -> int:
    """A count as the table writes it.

    >>> number("1,024")
    1024
    """
    return round(float(value.replace(",", "")))
