"""Numba's CUDA target, loaded once; the simulator where there is no GPU."""

from cutelab.kernels.runtime import load_cuda

cuda, machine = load_cuda()
