"""Numba CUDA kernels with the layout as a parameter, and a tracer that runs any kernel without a GPU.

    trace(kernel, grid, block, *args)   which sectors and wavefronts each source line costs
    launch(kernel, grid, block, *args)  run a kernel on the GPU, or without one in the simulator
    transpose, gemm                     the kernels of the course
    machine                             where kernels run here, and why

Import it before Numba: without a GPU it then chooses Numba's simulator, so that kernel[grid, block](...) works too.
"""

from cutelab.kernels._cuda import cuda, machine
from cutelab.kernels.launch import launch
from cutelab.kernels.trace import LineAccess, Trace, trace

__all__ = ["LineAccess", "Trace", "cuda", "launch", "machine", "trace"]
