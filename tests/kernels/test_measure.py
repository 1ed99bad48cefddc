"""measure: counters beside the trace. Here a script stands for the profiler: it runs what it is given and prints counters."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from cutelab import CuteLabError
from cutelab.kernels import Measured, cuda, measure
from cutelab.kernels import machine as here

ROOT = Path(__file__).parents[2]
F32 = np.float32

PROFILER = """\
#!{python}
import subprocess, sys
at = sys.argv.index("--metrics")
metrics = sys.argv[at + 1].split(",")
done = subprocess.run(sys.argv[at + 2:], capture_output=True, text=True)
print("==PROF== Connected")
print(done.stderr, file=sys.stderr)
if done.returncode:
    sys.exit(1)
row = ['"%s"' % name for name in ["ID", *metrics]]
print(",".join(row))
print(",".join(['""'] + ['"unit"'] * len(metrics)))
for i in range({rows}):
    print(",".join(['"%d"' % i] + ['"1,0%d0"' % (16 * (k == 0)) for k in range(len(metrics))]))
"""

SCRIPT = """
import sys
import numpy as np
from cutelab.core.errors import CuteLabError
from cutelab.kernels import cuda, measure
import importlib
measuring = importlib.import_module("cutelab.kernels.measure")
measuring.find_ncu = lambda: sys.argv[1]
measuring.what_is_missing = lambda: ""
@cuda.jit
def scale(out, a, k):
    i = cuda.grid(1)
    out[i] = k * a[2 * i % 64]
out = np.zeros(64, np.float32)
try:
    done = measure(scale, 1, 64, out, np.ones(64, np.float32), 3)
except CuteLabError as error:
    sys.exit(str(error))
print(done.to_json())
print(out.sum(), file=sys.stderr)
"""


def run_with(profiler, tmp_path):
    path = tmp_path / "ncu"
    path.write_text(profiler)
    path.chmod(0o755)
    env = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(path)]
    return subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path, timeout=120)


def test_counters_stand_beside_the_trace(tmp_path):
    done = run_with(PROFILER.format(python=sys.executable, rows=1), tmp_path)
    assert done.returncode == 0, done.stderr
    record = Measured.from_dict(json.loads(done.stdout))
    assert record.traced == {"global load": 16, "global store": 8, "shared load": 0, "shared store": 0}
    assert record.counted["shared load"] == 10160 and record.nanoseconds == 1000
    assert record.difference["shared load"] == 10160 and not record.agrees
    assert "+10,160" in record.text() and done.stderr.strip().endswith("0.0")  # the caller's array stays as it was


@pytest.mark.long
@pytest.mark.parametrize(
    ("profiler", "says"),
    [
        (PROFILER.format(python=sys.executable, rows=2), "the profiler gave 2 rows for 1 launches"),
        ("#!/bin/sh\necho '==ERROR== ERR_NVGPUCTRPERM'\n", "does not let this user read the GPU's counters"),
        ("#!/bin/sh\necho 'no such option'\n", "it says: no such option"),
    ],
)
def test_a_profiler_that_fails_says_why(profiler, says, tmp_path):
    done = run_with(profiler, tmp_path)
    assert says in done.stderr and "Traceback" not in done.stderr


@cuda.jit
def fill(out):
    out[cuda.grid(1)] = 1


@pytest.mark.skipif(here.gpu, reason="says what is missing where there is no NVIDIA GPU")
def test_without_a_gpu_one_sentence_says_so():
    out = np.zeros(64, F32)
    record = measure(fill, 2, 32, out)
    assert record.counted == {} and not record.agrees and "need an NVIDIA GPU" in record.missing
    assert record.traced["global store"] == 8 and (out == 0).all()
    assert record.missing in record.text()
    assert "Traced, not counted" in record._repr_mimebundle_()["text/html"]


def test_a_record_is_stored_and_shown():
    record = Measured(
        "k", (2, 1, 1), (32, 1, 1), {"global load": 8}, False, {"global load": 8}, 2500.0, "", {"gpu": "NVIDIA H200"}
    )
    assert record.agrees and Measured.from_dict(json.loads(record.to_json())) == record
    assert "on NVIDIA H200: 2.5 us" in record.text()
    assert "Every counter reads what the trace says" in record._repr_mimebundle_()["text/html"]
    for wrong, says in (
        ({}, "no record of measure"),
        (5, "no record"),
        (record.to_dict() | {"version": 9}, "version 9"),
    ):
        with pytest.raises(CuteLabError, match=says):
            Measured.from_dict(wrong)


@pytest.mark.long
def test_the_script_for_a_gpu_traces_every_kind_of_kernel():
    from gpu_scripts import trace_kernels

    cases = trace_kernels.cases()
    assert len({name for name, *_ in cases}) == len(cases) >= 20
    from cutelab.kernels import trace

    for name, kernel, grid, block, args, dynamic in cases:
        if name in ("tiled product", "transpose, pitch 33", "reduction, interleaved", "dynamic shared memory"):
            copies = [np.array(a) for a in args]
            seen = trace(kernel, grid, block, *copies, shared_bytes=dynamic)
            assert seen.races == () and seen.partial == "", name
