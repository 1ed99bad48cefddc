"""A CUDA block on the CPU, one thread at a time: the kernel's own Python code, with `cuda` replaced.

Numba's simulator wants to be chosen before Numba is imported, and does not say who touches memory. This one runs beside a GPU
and whenever Numba was imported. It takes what it can from Numba's (vector types, half precision, bit counting); threads,
shared memory, barriers, warp shuffles and votes are its own. Threads run in turn and switch only at a barrier.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numba.cuda.simulator.kernelapi import Dim3

from cutelab.core.errors import CuteLabError
from cutelab.kernels._cuda import cuda

WARP = 32
DONE, READY, AT_BLOCK, AT_WARP = "done", "ready", "block", "warp"


class Thread:
    """One CUDA thread: who it is, what it waits for, and what it has touched (`log`: instruction -> addresses)."""

    __slots__ = (
        "at",
        "blockIdx",
        "error",
        "lane",
        "log",
        "mask",
        "number",
        "place",
        "result",
        "threadIdx",
        "value",
        "worker",
    )

    def __init__(self, block: Dim3, thread: Dim3, number: int) -> None:
        self.blockIdx, self.threadIdx = block, thread
        self.number, self.lane = number, number % WARP
        self.at, self.place, self.mask = READY, None, -1
        self.value: Any = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.log: dict[Any, list[int]] = {}
        self.worker: _Worker | None = None

    def __str__(self) -> str:
        return f"thread {_coordinates(self.threadIdx)} of block {_coordinates(self.blockIdx)}"


def _coordinates(point: Dim3) -> str:
    return f"({point.x},{point.y},{point.z})"


class Stop(BaseException):
    """Ends a waiting thread when another one has failed."""


class _Worker:
    """An operating-system thread that runs CUDA threads, one after the other. Idle ones are used again."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.go = engine, threading.Semaphore(0)
        self.job: Thread | None = None
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        engine = self.engine
        while True:
            self.go.acquire()
            thread = self.job
            if thread is None:
                return
            try:
                with np.errstate(all="ignore"):
                    engine.run_thread()
            except BaseException as error:
                thread.error = error
            thread.at = DONE
            engine.idle.append(self)
            engine.back.release()


class Engine:
    """Runs blocks of one kernel."""

    def __init__(self) -> None:
        self.current: Thread = None  # type: ignore[assignment]
        self.back = threading.Semaphore(0)
        self.idle: list[_Worker] = []
        self.workers: list[_Worker] = []
        self.stopping = False
        self.uneven: set[tuple[int, ...]] = set()  # lines at which threads of a block met different barriers
        self.run_thread: Callable[[], Any] = lambda: None

    def run(self, block: tuple[int, ...], index: tuple[int, ...], call: Callable[[], Any]) -> list[Thread]:
        """Run every thread of the block `index`; `call` is the kernel with its arguments."""
        self.run_thread = call
        point = Dim3(*index)
        threads = [Thread(point, Dim3(x, y, z), n) for n, (x, y, z) in enumerate(_points(block))]
        ready = threads
        while ready:
            for thread in ready:
                self._resume(thread)
                if thread.error is not None:
                    raise thread.error
            ready = self._released(threads)
        return threads

    def _resume(self, thread: Thread) -> None:
        worker = thread.worker
        if worker is None:
            worker = self.idle.pop() if self.idle else self._hire()
            worker.job, thread.worker = thread, worker
        thread.at, self.current = READY, thread
        worker.go.release()
        self.back.acquire()

    def _hire(self) -> _Worker:
        old = threading.stack_size(1 << 20)
        try:
            self.workers.append(_Worker(self))
        finally:
            threading.stack_size(old)
        return self.workers[-1]

    def wait(self, at: str, place: Any, value: Any = None, mask: int = -1) -> Any:
        """Called by the running thread: stop at a barrier, go on when all are there, with what they brought."""
        thread = self.current
        thread.at, thread.place, thread.value, thread.mask = at, place, value, mask
        worker = thread.worker
        self.back.release()
        worker.go.acquire()  # type: ignore[union-attr]
        if self.stopping:
            raise Stop
        return thread.result

    def _released(self, threads: list[Thread]) -> list[Thread]:
        """Which threads may go on? Threads that have ended count as arrived, as on the GPU."""
        alive = [t for t in threads if t.at != DONE]
        if not alive:
            return []
        go: list[Thread] = []
        if all(t.at == AT_BLOCK for t in alive):
            places = {t.place for t in alive}
            if len(places) > 1:
                self.uneven.add(tuple(sorted(places)))
            values = [t.value for t in alive]
            for t in alive:
                t.result = values
            return alive
        for start in range(0, len(threads), WARP):
            warp = [t for t in threads[start : start + WARP] if t.at != DONE]
            waiting = [t for t in warp if t.at == AT_WARP]
            for t in waiting:
                group = [u for u in warp if t.mask >> u.lane & 1]
                if t not in go and all(u.at == AT_WARP for u in group):
                    values = {u.lane: u.value for u in group}
                    for u in group:
                        u.result = values
                    go += [u for u in group if u not in go]
        if not go:
            stuck = sorted({(t.place, t.at) for t in alive})
            where = " and ".join(f"line {line} ({at} barrier)" for line, at in stuck)
            raise CuteLabError(
                f"the threads wait for each other for ever, at {where}; every thread of the block (or of the warp's mask) "
                "must reach the same barrier"
            )
        return go

    def close(self) -> None:
        """End all operating-system threads."""
        self.stopping = True
        busy = [worker for worker in self.workers if worker not in self.idle]
        for worker in busy:  # these wait at a barrier, or run on until they touch memory
            worker.go.release()
        for _ in busy:
            self.back.acquire(timeout=1)
        for worker in self.workers:
            worker.job = None
            worker.go.release()


def _points(extent: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """All points of a grid or block, x fastest, as the hardware numbers threads."""
    x, y, z = extent
    return ((i, j, k) for k in range(z) for j in range(y) for i in range(x))


def as_python(function: Any, replace: dict[int, Any], seen: dict[int, Any] | None = None) -> Any:
    """The Python function of a kernel or device function, with everything it calls made Python too.

    replace: id of a value that the code refers to -> what stands for it here (`cuda` and its members).
    """
    seen = {} if seen is None else seen
    code = getattr(function, "py_func", function)
    if not isinstance(code, types.FunctionType):
        raise CuteLabError(
            f"a kernel is a function decorated with @cuda.jit, got {type(function).__name__}"
            + ("; give the kernel itself, without [grid, block]" if hasattr(function, "dispatcher") else "")
        )
    if id(code) in seen:
        return seen[id(code)]
    names = set(_names(code.__code__))
    cells = [types.CellType() for _ in code.__closure__ or ()]
    scope = {k: v for k, v in code.__globals__.items() if k in names or k.startswith("__")}
    made = types.FunctionType(code.__code__, scope, code.__name__, code.__defaults__, tuple(cells))
    made.__kwdefaults__ = code.__kwdefaults__
    seen[id(code)] = made

    def value(v: Any) -> Any:
        if id(v) in replace:
            return replace[id(v)]
        if hasattr(v, "simulated"):
            return v.simulated
        if hasattr(v, "py_func") or (isinstance(v, types.FunctionType) and v.__module__ == code.__module__):
            return as_python(v, replace, seen)
        return v

    for name in list(scope):
        if name in names:
            scope[name] = value(scope[name])
    for mine, cell in zip(cells, code.__closure__ or (), strict=True):
        try:
            mine.cell_contents = value(cell.cell_contents)
        except ValueError:
            continue  # an empty cell: a name that is not bound yet
    return made


def _names(code: types.CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def replacements(device: Any) -> dict[int, Any]:
    """What stands for `cuda`, for the package `numba`, and for members imported by name (`from numba.cuda import grid`)."""
    import numba

    table = {id(cuda): device}
    proxy = types.SimpleNamespace()
    proxy.__dict__.update({k: v for k, v in vars(numba).items() if not k.startswith("__")}, cuda=device)
    table[id(numba)] = proxy
    for name in dir(device):
        if not name.startswith("_"):
            member = getattr(cuda, name, None)
            if member is not None and not isinstance(member, int | float | str):
                table[id(member)] = _Later(device, name)
    return table


class _Later:
    """A member of `cuda` that was imported by name: looked up when it is used, since threadIdx differs a thread."""

    def __init__(self, device: Any, name: str) -> None:
        self._device, self._name = device, name

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(self._device, self._name), name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return getattr(self._device, self._name)(*args, **options)
