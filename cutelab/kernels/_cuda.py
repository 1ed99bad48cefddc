"""Numba's CUDA target, loaded once; the simulator where there is no GPU. Its decorators, with types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutelab.kernels.runtime import load_cuda

cuda, machine = load_cuda()


def kernel(function: Callable[..., None]) -> Any:
    """A kernel: `cuda.jit`."""
    return cuda.jit(function)


def device_function(function: Callable[..., Any]) -> Any:
    """A function that kernels call: `cuda.jit(device=True)`."""
    return cuda.jit(device=True)(function)
