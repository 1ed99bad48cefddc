"""Where do kernels run here: on an NVIDIA GPU or in the simulator? Decided once, before Numba's CUDA target is loaded."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from cutelab.core.errors import CuteLabError

SIMULATOR = "NUMBA_ENABLE_CUDASIM"


@dataclass(frozen=True)
class Machine:
    """Where do kernels run?

    kind  "gpu" or "simulator"
    note  one sentence that says so, and what does not work here
    """

    kind: str
    note: str

    @property
    def gpu(self) -> bool:
        return self.kind == "gpu"


def driver_problem() -> str:
    """Why can no GPU be used? "" if the driver answers and sees one. (Asks the driver itself, without Numba.)"""
    for name in ("libcuda.so.1", "libcuda.so", "nvcuda.dll"):
        try:
            driver = ctypes.CDLL(name)
            break
        except OSError:
            continue
    else:
        return "no NVIDIA driver is installed"
    try:
        code = driver.cuInit(0)
    except AttributeError:  # a browser opens any library, and finds nothing in it
        return "no NVIDIA driver is installed"
    if code == 100:
        return "the NVIDIA driver sees no GPU"
    if code:
        return f"the NVIDIA driver does not start (cuInit gives error {code})"
    count = ctypes.c_int(0)
    driver.cuDeviceGetCount(ctypes.byref(count))
    return "" if count.value else "the NVIDIA driver sees no GPU"


def _simulating() -> bool:
    """Does the Numba that is loaded simulate?"""
    config = sys.modules.get("numba.core.config")
    return bool(getattr(config, "ENABLE_CUDASIM", False))


def load_cuda() -> tuple[ModuleType, Machine]:
    """Numba's CUDA target and the machine it runs on. Chooses the simulator where there is no GPU.

    Raises CuteLabError when Numba is missing or cannot load, with what to install.
    """
    loaded = "numba" in sys.modules
    problem = driver_problem()
    if problem and not loaded:
        os.environ.setdefault(SIMULATOR, "1")
    try:
        from numba import cuda
    except ImportError as error:
        raise CuteLabError(
            "the kernels need Numba, which no browser has; go on with the next cells, or open this lesson on a computer: make lab"
            if sys.platform == "emscripten"
            else f"the kernels need Numba, which cannot be imported here ({error}); install it: pip install numba"
        ) from None
    except AttributeError as error:  # numba-cuda up to 0.30 uses names that numpy 2.5 removed
        raise CuteLabError(_broken(error)) from None
    return cuda, _machine(cuda, problem, loaded)


def _broken(error: Exception) -> str:
    import numpy

    return (
        f"numba-cuda does not load with numpy {numpy.__version__} ({error}); "
        'install an older numpy: pip install "numpy<2.5", then restart Python'
    )


def _machine(cuda: ModuleType, problem: str, loaded: bool) -> Machine:
    if _simulating():
        why = problem or f"{SIMULATOR} is set"
        return Machine("simulator", f"Kernels run in the simulator, on the CPU ({why}): right results, no times.")
    if problem:
        return Machine(
            "simulator",
            f"Kernels run in cutelab's simulator ({problem}). Numba was imported before cutelab.kernels, so a plain "
            "kernel[grid, block](...) fails here: use cutelab.kernels.launch, or restart and import cutelab.kernels first.",
        )
    return Machine("gpu", f"Kernels run on {_gpu_name(cuda)}.")


@cache
def _gpu_name(cuda: ModuleType) -> str:
    try:
        name = cuda.get_current_device().name
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise CuteLabError(
            f"there is a GPU, but Numba cannot use it ({reason}); install numba-cuda with a CUDA toolkit "
            f'(pip install "numba-cuda[cu13]" "numpy<2.5"), or set {SIMULATOR}=1 before Python starts'
        ) from None
    return name.decode() if isinstance(name, bytes) else str(name)
