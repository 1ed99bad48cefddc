"""Numba CUDA kernels with the layout as a parameter, and a tracer that runs any kernel without a GPU.

    trace(kernel, grid, block, *args)   what each source line costs in sectors and wavefronts, and races between threads
    measure(kernel, grid, block, *args) the same counts by the hardware's counters beside it, where there is a GPU
    launch(kernel, grid, block, *args)  run a kernel on the GPU, or without one in the simulator
    assert_conflict_free, assert_coalesced, assert_no_races   the same for anybody's tests
    transpose, gemm                     the kernels of the course
    machine                             where kernels run here, and why

Import it before Numba: without a GPU it then chooses Numba's simulator, so that kernel[grid, block](...) works too.
"""

from cutelab.kernels._cuda import cuda, machine
from cutelab.kernels.asserts import assert_coalesced, assert_conflict_free, assert_no_races
from cutelab.kernels.launch import launch
from cutelab.kernels.measure import Measured, measure, stored_measurements
from cutelab.kernels.races import Race
from cutelab.kernels.trace import trace
from cutelab.kernels.traced import Trace

__all__ = [
    "Measured",
    "Race",
    "Trace",
    "assert_coalesced",
    "assert_conflict_free",
    "assert_no_races",
    "cuda",
    "launch",
    "machine",
    "measure",
    "stored_measurements",
    "trace",
]
