"""A fresh interpreter: what `import cutelab` costs, and how much of that is Python's start and numpy's import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GROUP = "a fresh interpreter runs"
MOST_SECONDS = 2.0


@pytest.mark.benchmark(group=GROUP)
@pytest.mark.parametrize("code", ["pass", "import numpy", "import cutelab"])
def bench_import(benchmark, code):
    command = [sys.executable, "-c", code]
    benchmark.pedantic(lambda: subprocess.run(command, check=True, cwd=ROOT), rounds=7, warmup_rounds=1)
    assert benchmark.stats.stats.min < MOST_SECONDS
