"""python -m cutelab.kernels.launched FILE: launch the kernels of a file once each. `measure` runs it under the profiler."""

from __future__ import annotations

import pickle
import sys
import warnings
from pathlib import Path

import numpy as np


def main(file: str) -> int:
    """Every launch of the file, one after the other, each on arrays of its own."""
    from cutelab.kernels._cuda import cuda

    warnings.simplefilter("ignore")
    for kernel, grid, block, shared_bytes, values in pickle.loads(Path(file).read_bytes()):
        there = [cuda.to_device(v) if isinstance(v, np.ndarray) else v for v in values]
        kernel[grid, block, 0, shared_bytes](*there)
        cuda.synchronize()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
