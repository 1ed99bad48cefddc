"""Run a kernel here: on the GPU, or block by block in cutelab's simulator."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.kernels._cuda import machine
from cutelab.kernels.device_api import DeviceApi
from cutelab.kernels.recorder import Recorded, Recorder
from cutelab.kernels.simulator import Engine, Stop, Thread, as_python, replacements

MAX_THREADS = 65_536  # of one simulated run
LIMITS = {"grid": (2**31 - 1, 65_535, 65_535), "block": (1024, 1024, 64)}
Point = tuple[int, int, int]


def dimensions(value: Any, what: str) -> Point:
    """A grid or block as three numbers. Raises CuteLabError beyond the hardware's limits.

    >>> dimensions((32, 8), "block")
    (32, 8, 1)
    """
    numbers = tuple(value) if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(numbers) <= 3 or not all(is_int(n) and n >= 1 for n in numbers):
        raise CuteLabError(f"a {what} is one to three whole numbers of 1 or more, got {value!r}; for example (32, 8)")
    full = (*(int(n) for n in numbers), 1, 1)[:3]
    for axis, n, most in zip("xyz", full, LIMITS[what], strict=True):
        if n > most:
            raise CuteLabError(f"{what} {full} has {n:,} in {axis}; a GPU takes at most {most:,} there")
    if what == "block" and full[0] * full[1] * full[2] > 1024:
        raise CuteLabError(f"block {full} has {full[0] * full[1] * full[2]:,} threads; a GPU takes at most 1,024")
    return full  # type: ignore[return-value]


def chosen_blocks(grid: Point, block: Point, blocks: Any) -> tuple[Point, ...]:
    """Which blocks run: the first `blocks` (x fastest), those named, or all for None. Raises CuteLabError if too many."""
    total = grid[0] * grid[1] * grid[2]
    threads = block[0] * block[1] * block[2]
    if blocks is None or is_int(blocks):
        count = total if blocks is None else min(int(blocks), total)
        if count < 1:
            raise CuteLabError(f"blocks must be 1 or more, got {blocks}")
    else:
        points = [dimensions_of(point) for point in blocks]
        for point in points:
            if any(not 0 <= p < g for p, g in zip(point, grid, strict=True)):
                raise CuteLabError(f"block {point} is outside grid {grid}")
        count = len(points)
    if count * threads > MAX_THREADS:
        raise CuteLabError(
            f"{count:,} blocks of {threads:,} threads are too many to simulate; at most {MAX_THREADS:,} threads. "
            f"Choose fewer blocks: blocks={max(1, MAX_THREADS // threads)} or less."
        )
    if blocks is None or is_int(blocks):
        x, y, z = grid
        every = ((i, j, k) for k in range(z) for j in range(y) for i in range(x))
        return tuple(itertools.islice(every, count))
    return tuple(points)


def dimensions_of(point: Any) -> Point:
    numbers = tuple(point) if isinstance(point, tuple | list) else (point,)
    if not 1 <= len(numbers) <= 3 or not all(is_int(n) for n in numbers):
        raise CuteLabError(f"a block is named by one to three whole numbers, got {point!r}; for example (0, 0)")
    return (*(int(n) for n in numbers), 0, 0)[:3]  # type: ignore[return-value]


class Arguments:
    """A kernel's arguments as arrays that take notes, and the way back."""

    def __init__(self, names: Sequence[str], args: Sequence[Any], recorder: Recorder) -> None:
        self._back: list[tuple[Any, np.ndarray]] = []
        self.values = [self._one(name, arg, recorder) for name, arg in zip(names, args, strict=True)]

    def _one(self, name: str, arg: Any, recorder: Recorder) -> Any:
        raw = getattr(arg, "_ary", arg)  # the arrays of Numba's simulator hold a numpy array
        if not isinstance(raw, np.ndarray) and hasattr(arg, "copy_to_host"):
            raw = arg.copy_to_host()
            self._back.append((arg, raw))
        elif not isinstance(raw, np.ndarray) and hasattr(arg, "__cuda_array_interface__"):
            raise CuteLabError(f"{name} lies in another library's GPU memory; give the simulator a NumPy array")
        if isinstance(raw, list | tuple) or (isinstance(raw, np.ndarray) and raw.ndim == 0):
            raise CuteLabError(
                f"{name} is a {type(raw).__name__}; a kernel takes arrays and numbers: use np.array(...)"
            )
        if not isinstance(raw, np.ndarray):
            return raw
        return Recorded(raw, recorder, "global", name, recorder.place(raw), recorder.root(raw))

    def give_back(self) -> None:
        """Copy results to arrays that lie on a GPU."""
        for target, raw in self._back:
            target.copy_to_device(raw)


def simulate(
    kernel: Any,
    grid: Point,
    block: Point,
    args: Sequence[Any],
    blocks: Sequence[Point],
    shared_bytes: int,
    record: bool,
) -> tuple[list[tuple[Point, list[Thread]]], Recorder, Engine]:
    """Run these blocks one after the other. Returns each block's threads with their logs."""
    engine = Engine()
    recorder = Recorder(engine, record)
    device = DeviceApi(grid, block, shared_bytes, engine, recorder)
    function = as_python(kernel, replacements(device))
    code = recorder.code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    if len(args) != len(names):
        raise CuteLabError(f"{code.co_name} takes {len(names)} arguments ({', '.join(names)}), got {len(args)}")
    arguments = Arguments(names, args, recorder)
    done = []
    try:
        for index in blocks:
            device.shared.new_block()
            done.append((index, engine.run(block, index, lambda: function(*arguments.values))))
    except (CuteLabError, KeyboardInterrupt, Stop):
        raise
    except Exception as error:
        raise CuteLabError(_failure(error, code, engine.current)) from None
    finally:
        engine.close()
    arguments.give_back()
    return done, recorder, engine


def _failure(error: Exception, code: Any, thread: Thread) -> str:
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is code:
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f"line {line} of {code.co_name}: " if line else ""
    return f"{where}{thread} fails with {type(error).__name__}: {error}"


def launch(kernel: Any, grid: Any, block: Any, *args: Any, shared_bytes: int = 0) -> None:
    """Run a kernel on whatever this machine has: the GPU, or without one the simulator.

    kernel  a function decorated with @cuda.jit; arrays are written in place, as Numba does
    grid    blocks (x, y, z), or a number; block: threads; shared_bytes: dynamic shared memory

    Works in the same process whenever Numba was imported. The simulator runs at most 65,536 threads. Raises CuteLabError.
    """
    grid, block = dimensions(grid, "grid"), dimensions(block, "block")
    if machine.gpu:
        with warnings.catch_warnings():  # small grids and host arrays are what a lesson has
            warnings.filterwarnings("ignore", message="(?s).*(Grid size|Host array).*")
            kernel[grid, block, 0, shared_bytes](*args)
        return
    simulate(kernel, grid, block, args, chosen_blocks(grid, block, None), shared_bytes, record=False)
