"""The scripts of benchmarks/gpu as modules, for the tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "gpu"))

import measure
import probe
import race
import trace_kernels

__all__ = ["measure", "probe", "race", "trace_kernels"]
