"""Run a kernel here: on the GPU, or block by block in cutelab's simulator."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.hardware.chip import H200
from cutelab.kernels._cuda import machine
from cutelab.kernels.as_python import as_python, replacements
from cutelab.kernels.device_api import DeviceApi, constant
from cutelab.kernels.recorder import LIMIT, BlockLog, Instruction, Recorded, Recorder
from cutelab.kernels.simulator import Engine, Missed, Point, Stop, Thread, Workers, points

MAX_THREADS = 65_536  # of one simulated run
SECONDS = 5.0  # that a thread may compute without touching memory or a barrier
GRID, BLOCK = (2**31 - 1, 65_535, 65_535), (1024, 1024, 64)
MAX_BLOCK = H200.block_threads
UNSET: Any = type("Unset", (), {"__repr__": lambda self: "unset"})()


@dataclass(frozen=True)
class Launch:
    """A kernel with its grid, block, dynamic shared memory (bytes) and arguments, all checked."""

    kernel: Any
    grid: Point
    block: Point
    shared_bytes: int
    args: tuple[Any, ...]

    @property
    def name(self) -> str:
        return str(function_of(self.kernel).__name__)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]


def function_of(kernel: Any) -> Any:
    """The Python function of a kernel."""
    return getattr(kernel, "py_func", kernel)


def dimensions(value: Any, what: str) -> Point:
    """A grid or block as three numbers. Raises CuteLabError beyond the hardware's limits.

    >>> dimensions((32, 8), "block")
    (32, 8, 1)
    """
    numbers = tuple(value) if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(numbers) <= 3 or not all(is_int(n) and n >= 1 for n in numbers):
        raise CuteLabError(
            f"a {what} is one to three whole numbers of 1 or more, got {repr(value)[:60]}; for example (32, 8)"
        )
    x, y, z = (*(int(n) for n in numbers), 1, 1)[:3]
    for axis, n, most in zip("xyz", (x, y, z), GRID if what == "grid" else BLOCK, strict=True):
        if n > most:
            raise CuteLabError(f"{what} {(x, y, z)} has {n:,} in {axis}; a GPU takes at most {most:,} there")
    if what == "block" and x * y * z > MAX_BLOCK:
        raise CuteLabError(f"block {(x, y, z)} has {x * y * z:,} threads; a GPU takes at most {MAX_BLOCK:,}")
    return x, y, z


def read_launch(kernel: Any, grid: Any, block: Any, args: Sequence[Any], shared_bytes: Any) -> Launch:
    """A launch from what was given: (kernel, grid, block, *args), or a configured kernel[grid, block, ...] and its arguments."""
    given = [value for value in (grid, block) if value is not UNSET] + list(args)
    configured = _configuration(kernel)
    if configured is not None:
        plain, *there, stream_bytes = configured
        count = _parameters(plain)
        if count is not None and len(given) == count:
            given = [*there, *given]
            shared_bytes = stream_bytes if shared_bytes is None else shared_bytes
        kernel = plain
    names = _names(kernel)
    if len(given) < 2:
        raise CuteLabError(f"trace and launch take a kernel, a grid, a block and the kernel's {len(names)} arguments")
    first, second, *rest = given
    grid_, block_ = dimensions(first, "grid"), dimensions(second, "block")
    if len(rest) != len(names):
        raise CuteLabError(
            f"{function_of(kernel).__name__} takes {len(names)} arguments ({', '.join(names)}), got {len(rest)}"
        )
    return Launch(kernel, grid_, block_, _bytes(0 if shared_bytes is None else shared_bytes), tuple(rest))


def _configuration(kernel: Any) -> tuple[Any, Any, Any, int] | None:
    """kernel, grid, block and dynamic shared memory of kernel[grid, block, stream, bytes], for Numba's three CUDA targets."""
    if hasattr(kernel, "griddim") and hasattr(kernel, "dispatcher"):
        return kernel.dispatcher, tuple(kernel.griddim), tuple(kernel.blockdim), int(kernel.sharedmem or 0)
    if getattr(kernel, "grid_dim", None) is not None and hasattr(kernel, "dynshared_size"):
        return kernel, tuple(kernel.grid_dim), tuple(kernel.block_dim), int(kernel.dynshared_size or 0)
    return None


def _names(kernel: Any) -> tuple[str, ...]:
    code = getattr(function_of(kernel), "__code__", None)
    if code is None or not callable(kernel):
        raise CuteLabError(f"a kernel is a function decorated with @cuda.jit, got {type(kernel).__name__}")
    return tuple(code.co_varnames[: code.co_argcount])


def _parameters(kernel: Any) -> int | None:
    code = getattr(function_of(kernel), "__code__", None)
    return None if code is None else int(code.co_argcount)


def _bytes(value: Any) -> int:
    if not is_int(value) or not 0 <= value <= H200.block_bytes:
        raise CuteLabError(
            f"shared_bytes must be a whole number of bytes from 0 to {H200.block_bytes:,}, got {repr(value)[:60]}"
        )
    return int(value)


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """A number that a caller gives. Raises CuteLabError for anything else."""
    if not is_int(value) or not least <= value <= most:
        raise CuteLabError(f"{name} must be a whole number from {least:,} to {most:,}, got {repr(value)[:60]}")
    return int(value)


def chosen_blocks(grid: Point, block: Point, blocks: Any) -> tuple[Point, ...]:
    """Which blocks run: the first `blocks` (x fastest), those named, or all for None. Raises CuteLabError if too many."""
    total = grid[0] * grid[1] * grid[2]
    threads = block[0] * block[1] * block[2]
    most = max(1, MAX_THREADS // threads)
    if blocks is None or is_int(blocks):
        count = total if blocks is None else min(int(blocks), total)
        if count < 1:
            raise CuteLabError(f"blocks must be 1 or more, got {blocks}")
    elif (
        isinstance(blocks, str)
        or not isinstance(blocks, Sequence | np.ndarray | set | frozenset)
        or not isinstance(blocks, Sized)
    ):
        raise CuteLabError(
            f"blocks is a number, a list of block indices such as [(0, 0)], or None for all; got {repr(blocks)[:60]}"
        )
    else:
        count = len(blocks)
    if count * threads > MAX_THREADS:
        raise CuteLabError(
            f"{count:,} blocks of {threads:,} threads are too many to simulate; at most {MAX_THREADS:,} threads. "
            f"Choose fewer blocks: blocks={most} or less."
        )
    if blocks is None or is_int(blocks):
        return tuple(itertools.islice(points(grid), count))
    named = tuple(dict.fromkeys(_point(point) for point in blocks))
    for point in named:
        if any(not 0 <= p < g for p, g in zip(point, grid, strict=True)):
            raise CuteLabError(f"block {point} is outside grid {grid}")
    if not named:
        raise CuteLabError("blocks names no block; give at least one, for example [(0, 0)]")
    return named


def _point(point: Any) -> Point:
    numbers = tuple(point) if isinstance(point, tuple | list) else (point,)
    if not 1 <= len(numbers) <= 3 or not all(is_int(n) for n in numbers):
        raise CuteLabError(
            f"a block is named by one to three whole numbers, got {repr(point)[:60]}; for example (0, 0)"
        )
    x, y, z = (*(int(n) for n in numbers), 0, 0)[:3]
    return x, y, z


class Arguments:
    """A kernel's arguments as NumPy arrays and numbers, and the way back."""

    def __init__(self, names: Sequence[str], args: Sequence[Any]) -> None:
        self.names = tuple(names)
        self._back: list[tuple[Any, np.ndarray]] = []
        self.raw = [self._one(name, arg) for name, arg in zip(names, args, strict=True)]

    def _one(self, name: str, arg: Any) -> Any:
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
        return raw

    def recorded(self, recorder: Recorder) -> list[Any]:
        """Arrays that take notes."""
        return [
            Recorded(raw, recorder, "global", name, recorder.place(raw), recorder.root(raw))
            if isinstance(raw, np.ndarray)
            else raw
            for name, raw in zip(self.names, self.raw, strict=True)
        ]

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by their names."""
        return {n: raw for n, raw in zip(self.names, self.raw, strict=True) if isinstance(raw, np.ndarray)}

    def copies(self) -> list[Any]:
        """The same arguments on memory of their own; views of one array stay views of one."""
        roots: dict[int, np.ndarray] = {}
        found: list[Any] = []
        for raw in self.raw:
            if not isinstance(raw, np.ndarray) or not raw.size:
                found.append(raw)
                continue
            root = Recorder.root(raw)
            if id(root) not in roots:
                roots[id(root)] = np.array(root, order="K")
            copy = roots[id(root)]
            if copy.strides != root.strides:
                found.append(raw.copy())
                continue
            moved = raw.__array_interface__["data"][0] - root.__array_interface__["data"][0]
            found.append(np.ndarray(raw.shape, raw.dtype, _memory(copy), moved, raw.strides))
        return found

    def give_back(self) -> None:
        """Copy results to arrays that lie on a GPU."""
        for target, raw in self._back:
            target.copy_to_device(raw)


def _memory(array: np.ndarray) -> Any:
    """The bytes of an array that owns its memory, for a view of another type or shape."""
    return array.ravel(order="K").view(np.uint8)


@dataclass(frozen=True, eq=False)
class Run:
    """What a simulated run noted: each block's log, the instructions that it names, barriers that were missed, what was left
    out, and the atomics that do not read."""

    logs: tuple[BlockLog, ...]
    instructions: tuple[Instruction, ...]
    missed: tuple[Missed, ...]
    omitted: dict[str, int]
    blind: frozenset[int]


def simulate(
    launch: Launch,
    arguments: Arguments,
    blocks: Sequence[Point],
    workers: Workers,
    *,
    record: bool = True,
    limit: int = LIMIT,
    seconds: float = SECONDS,
    enough: tuple[int, int] | None = None,
) -> Run:
    """Run these blocks one after the other, with bounds checked; record: note every access.

    enough  (blocks, accesses): after so many blocks stop where the next one would go beyond so many accesses
    """
    recorder = Recorder(function_of(launch.kernel).__code__, record, limit)
    device = DeviceApi(launch.grid, launch.block, launch.shared_bytes, recorder)
    function = as_python(launch.kernel, replacements(device), lambda raw, name: constant(raw, name, recorder))
    values = arguments.recorded(recorder)
    engine: Engine = Engine(
        function.__code__, workers, lambda thread: recorder.begin(thread, engine.epoch), lambda: recorder.total, seconds
    )
    device.runs_on(engine)
    logs: list[BlockLog] = []

    def block(index: Point) -> None:
        device.shared.new_block()
        engine.run(launch.block, index, lambda: function(*values))
        logs.append(recorder.take(index))

    def wanted() -> Iterator[Point]:
        for done, index in enumerate(blocks):
            if enough is not None and done >= enough[0] and recorder.total * (done + 1) > enough[1] * done:
                return
            yield index

    _run_blocks(engine, wanted(), block)
    return Run(
        tuple(logs),
        tuple(recorder.instructions),
        tuple(engine.missed.values()),
        recorder.omitted,
        frozenset(recorder.blind),
    )


def rerun(
    launch: Launch, values: Sequence[Any], blocks: Sequence[Point], workers: Workers, seconds: float, seed: int = 0
) -> None:
    """The same once more on other arrays, in a shuffled order of blocks and threads; nothing is noted, no bound checked."""
    device = DeviceApi(launch.grid, launch.block, launch.shared_bytes, None)
    function = as_python(launch.kernel, replacements(device))
    engine: Engine = Engine(function.__code__, workers, seconds=seconds)
    device.runs_on(engine)
    rng = np.random.default_rng(seed)

    def block(index: Point) -> None:
        device.shared.new_block()
        engine.run(launch.block, index, lambda: function(*values), _shuffled(rng, launch.threads))

    _run_blocks(engine, [blocks[i] for i in _shuffled(rng, len(blocks))], block)


def _shuffled(rng: np.random.Generator, count: int) -> list[int]:
    """The numbers below `count` in another order: neither the first nor the last stays where it was."""
    order = rng.permutation(count)
    if count > 1 and (order[0] == 0 or order[-1] == count - 1):
        order = order[::-1]
    if count > 1 and (order[0] == 0 or order[-1] == count - 1):
        order = np.arange(count)[::-1]
    found: list[int] = order.tolist()
    return found


def _run_blocks(engine: Engine, blocks: Iterable[Point], run: Callable[[Point], None]) -> None:
    try:
        for index in blocks:
            run(index)
    except (CuteLabError, KeyboardInterrupt):
        raise
    except Stop:
        raise KeyboardInterrupt from None
    except BaseException as error:
        raise CuteLabError(_failure(error, engine.code, engine.current)) from None
    finally:
        engine.close()


def _failure(error: BaseException, code: Any, thread: Thread) -> str:
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is code:
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f"line {line} of {code.co_name}: " if line else ""
    says = str(error).strip().splitlines()
    return f"{where}{thread} fails with {type(error).__name__}" + (f": {says[0][:160]}" if says else "")


def launch(kernel: Any, grid: Any = UNSET, block: Any = UNSET, *args: Any, shared_bytes: int | None = None) -> None:
    """Run a kernel on whatever this machine has: the GPU, or without one the simulator.

    kernel  a function decorated with @cuda.jit; arrays are written in place, as Numba does
    grid    blocks (x, y, z), or a number; block: threads; shared_bytes: dynamic shared memory

    Works in the same process whenever Numba was imported. The simulator runs at most 65,536 threads. Raises CuteLabError.
    """
    made = read_launch(kernel, grid, block, args, shared_bytes)
    if machine.gpu:
        with warnings.catch_warnings():  # small grids and host arrays are what a lesson has
            warnings.filterwarnings("ignore", message="(?s).*(Grid size|Host array).*")
            made.kernel[made.grid, made.block, 0, made.shared_bytes](*made.args)
        return
    arguments = Arguments(_names(made.kernel), made.args)
    with Workers() as workers:
        simulate(made, arguments, chosen_blocks(made.grid, made.block, None), workers, record=False)
    arguments.give_back()
