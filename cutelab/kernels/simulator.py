"""A CUDA block on the CPU, one thread at a time: threads, barriers, and who waits for whom.

Numba's simulator wants to be chosen before Numba is imported, and does not say who touches memory. This one runs beside a GPU
and whenever Numba was imported. Threads run in turn and switch only at a barrier, in an order that can be given.
"""

from __future__ import annotations

import _thread
import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np
from numba.cuda.simulator.kernelapi import Dim3

from cutelab.core.errors import CuteLabError
from cutelab.hardware.chip import H200

WARP = H200.lanes
DONE, READY, AT_BLOCK, AT_WARP = "done", "ready", "block", "warp"
STACK = 1 << 20  # bytes of an operating-system thread
WATCH = 0.25  # seconds between two looks at a thread that does not come back
Point = tuple[int, int, int]
point_of: Callable[[int, int, int], Any] = Dim3


class Thread:
    """One CUDA thread: who it is, and what it waits for.

    own, knows  how often it passed a syncwarp since the last barrier of the block, and how many such stretches of each lane of
                its warp had ended by then (None: nothing is known)
    """

    __slots__ = (
        "at",
        "blockIdx",
        "error",
        "knows",
        "lane",
        "mask",
        "number",
        "orders",
        "own",
        "place",
        "result",
        "threadIdx",
        "value",
        "worker",
    )

    def __init__(self, block: Any, thread: Any, number: int) -> None:
        self.blockIdx, self.threadIdx = block, thread
        self.number, self.lane = number, number % WARP
        self.at, self.place, self.mask, self.orders = READY, 0, -1, False
        self.own = 0
        self.knows: tuple[int, ...] | None = None
        self.value: Any = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.worker: _Worker | None = None

    def __str__(self) -> str:
        return f"thread {_coordinates(self.threadIdx)} of block {_coordinates(self.blockIdx)}"


def _coordinates(point: Any) -> str:
    return f"({point.x},{point.y},{point.z})"


class Stop(BaseException):
    """Ends a thread when another one has failed, or when it runs for ever."""


@dataclass(frozen=True)
class Missed:
    """A barrier that not all threads reach.

    line     of the barrier; other: of the barrier where the others wait, 0 if they have ended
    waiting  a thread that waits there; missing: one that does not come; count: how many do not come
    warp     the barrier is one of a warp
    """

    line: int
    other: int
    waiting: int
    missing: int
    count: int
    warp: bool = False


class _Worker:
    """An operating-system thread that runs CUDA threads, one after the other. Idle ones are used again."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.go = engine, _thread.allocate_lock()
        self.go.acquire()
        self.job: Thread | None = None
        self.ident = 0

    def work(self) -> None:
        self.ident = _thread.get_ident()
        while True:
            self.go.acquire()
            if self.job is None:
                return
            engine = self.engine
            try:
                self._jobs()
            except BaseException as error:
                if self.job is not None:
                    self.job.error, self.job.at = error, DONE
                self.job = None
                engine.workers.idle.append(self)
                engine.back.release()

    def _jobs(self) -> None:
        """Run this job, and the next threads that have not begun, as long as none stops at a barrier."""
        engine = self.engine
        while self.job is not None:
            thread = self.job
            with np.errstate(all="ignore"):
                engine.run_thread()
            thread.at, thread.worker = DONE, None
            self.job = engine.next_of_queue(self)
        engine.workers.idle.append(self)
        engine.hand_over()


class Workers:
    """The operating-system threads of one run and the next: `with Workers() as workers: ...` ends them all."""

    def __init__(self) -> None:
        self.idle: list[_Worker] = []
        self._all: list[_Worker] = []

    def take(self, engine: Engine) -> _Worker:
        """One that is free."""
        worker = self.idle.pop() if self.idle else self._hire(engine)
        worker.engine = engine
        return worker

    def busy(self) -> list[_Worker]:
        """Those that are not free."""
        idle = set(map(id, self.idle))
        return [worker for worker in self._all if id(worker) not in idle]

    def _hire(self, engine: Engine) -> _Worker:
        worker = _Worker(engine)
        old = threading.stack_size(STACK)
        try:
            _thread.start_new_thread(worker.work, ())
        except RuntimeError:
            raise CuteLabError(
                "this machine gives no more threads; trace a smaller block, or one whose threads meet no barrier"
            ) from None
        finally:
            threading.stack_size(old)
        self._all.append(worker)
        return worker

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._all:
            worker.job = None
            worker.go.release()


class Engine:
    """Runs blocks of one kernel.

    workers   the operating-system threads that it may use
    begin     called with each thread that begins or goes on
    progress  a number that grows while the kernel does something that is noted
    seconds   how long a thread may compute without that
    """

    def __init__(
        self,
        code: CodeType,
        workers: Workers,
        begin: Callable[[Thread], None] = lambda thread: None,
        progress: Callable[[], int] = lambda: 0,
        seconds: float = 5.0,
    ) -> None:
        self.code, self.begin, self.progress, self.seconds = code, begin, progress, seconds
        self.current: Thread = Thread(None, None, 0)
        self.back = _thread.allocate_lock()
        self.back.acquire()
        self.workers = workers
        self.stopping = False
        self.epoch = 0  # barriers of the block that were passed
        self.switches = 0
        self.missed: dict[tuple[int, int, bool], Missed] = {}
        self.run_thread: Callable[[], Any] = lambda: None
        self._queue: Iterator[Thread] = iter(())
        self._next: Thread | None = None

    def run(
        self, block: Point, index: Point, call: Callable[[], Any], order: Sequence[int] | None = None
    ) -> list[Thread]:
        """Run every thread of the block `index`; `call` is the kernel with its arguments. order: which thread goes first."""
        self.run_thread, self.epoch = call, 0
        point = point_of(*index)
        threads = [Thread(point, point_of(*at), n) for n, at in enumerate(points(block))]
        turn = {n: i for i, n in enumerate(order)} if order is not None else None
        ready = threads if order is None else [threads[n] for n in order]
        while ready:
            self._round(ready)
            ready = self._released(threads)
            if turn is not None:
                ready = sorted(ready, key=lambda t: turn[t.number])
        return threads

    def _round(self, ready: list[Thread]) -> None:
        """Let these threads run, each until it ends or stops at a barrier."""
        self._queue = iter(ready)
        self._next = None
        self.hand_over()
        self._wait()
        if self.current.error is not None:
            raise self.current.error

    def next_of_queue(self, worker: _Worker) -> Thread | None:
        """The next thread, if this worker can run it: one that has not begun."""
        thread = next(self._queue, None)
        if thread is None or thread.worker is not None or self.stopping:
            self._next = thread
            return None
        thread.worker = worker
        self._enter(thread)
        return thread

    def _enter(self, thread: Thread) -> None:
        thread.at, self.current = READY, thread
        self.switches += 1
        self.begin(thread)

    def hand_over(self) -> None:
        """Let the next thread run, or the caller of `run` if there is none."""
        thread = self._next if self._next is not None else next(self._queue, None)
        self._next = None
        if thread is None or self.stopping:
            self.back.release()
            return
        worker = thread.worker
        if worker is None:
            worker = self.workers.take(self)
            worker.job, thread.worker = thread, worker
        self._enter(thread)
        worker.go.release()

    def _wait(self) -> None:
        """Wait until the round is over; stop a thread that computes on and on."""
        seen: tuple[int, int] | None = None
        begun = 0.0
        while not self.back.acquire(timeout=WATCH):
            now, clock = (self.switches, self.progress()), self._clock()
            if now != seen:
                seen, begun = now, clock
            elif clock - begun > self.seconds:
                line = self._line()
                self._stop_running()
                raise CuteLabError(
                    f"{f'line {line} of ' if line else ''}{self.code.co_name}: {self.current} computes for {self.seconds:g} s "
                    "without touching memory or reaching a barrier. Does its loop end? If it does, give it time: "
                    f"seconds={max(60, round(4 * self.seconds))}"
                )

    def _clock(self) -> float:
        """The running thread's own seconds, so that a busy machine does not count; else the clock's."""
        worker = self.current.worker
        if worker is not None and hasattr(time, "pthread_getcpuclockid"):
            try:
                return time.clock_gettime(time.pthread_getcpuclockid(worker.ident))
            except (OSError, OverflowError):
                pass
        return time.monotonic()

    def _line(self) -> int:
        """The line of the kernel that the running thread is in; 0 if unknown."""
        worker = self.current.worker
        frame: FrameType | None = sys._current_frames().get(worker.ident) if worker is not None else None
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0

    def _stop_running(self) -> None:
        """End the thread that runs now, wherever it is."""
        self.stopping = True
        for _ in range(20):
            worker = self.current.worker
            if worker is not None and worker.ident and worker not in self.workers.idle:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(Stop))
            if self.back.acquire(timeout=0.5):
                return

    def wait(self, at: str, place: int, value: Any = None, mask: int = -1, orders: bool = False) -> Any:
        """Called by the running thread: stop at a barrier, go on when all are there, with what they brought.

        orders: memory that was touched before the barrier is ordered before what is touched after it.
        """
        thread = self.current
        thread.at, thread.place, thread.value, thread.mask, thread.orders = at, place, value, mask, orders
        worker = thread.worker
        assert worker is not None  # it runs
        self.hand_over()
        worker.go.acquire()
        if self.stopping:
            raise Stop
        return thread.result

    def _released(self, threads: list[Thread]) -> list[Thread]:
        """Which threads may go on? Threads that have ended count as arrived, as on the GPU."""
        alive = [t for t in threads if t.at != DONE]
        if not alive:
            return []
        if all(t.at == AT_BLOCK for t in alive):
            self._note_missed(alive, threads)
            self.epoch += 1
            values = [t.value for t in alive]
            for t in alive:
                t.result, t.own, t.knows = values, 0, None
            return alive
        go: list[Thread] = []
        for start in range(0, len(threads), WARP):
            warp = threads[start : start + WARP]
            waiting = {t.lane: t for t in warp if t.at == AT_WARP}
            while waiting:
                lane, first = next(iter(waiting.items()))
                named = [u for u in warp if first.mask >> u.lane & 1]
                group = [u for u in named if u.at != DONE]
                if first in group and all(u.lane in waiting and u.mask == first.mask for u in group):
                    self._meet(group, [u for u in named if u.at == DONE])
                    go += group
                    for u in group:
                        del waiting[u.lane]
                else:
                    del waiting[lane]
        if not go:
            stuck = sorted({(t.place, t.at) for t in alive})
            where = " and ".join(f"line {line} ({at} barrier)" for line, at in stuck)
            raise CuteLabError(
                f"the threads wait for each other for ever, at {where}; every thread of the block (or of the warp's mask) "
                "must reach the same barrier"
            )
        return go

    def _meet(self, group: list[Thread], ended: list[Thread]) -> None:
        """These lanes are all at a barrier of their warp: exchange values, and what is known of each other's past."""
        values = {u.lane: u.value for u in group}
        for u in group:
            u.result = values
        if ended and not all(
            u.orders for u in group
        ):  # syncwarp is for lanes that have not ended; a value needs its lane
            first = group[0]
            key = (first.place, 0, True)
            self.missed.setdefault(key, Missed(first.place, 0, first.number, ended[0].number, len(ended), warp=True))
        if all(u.orders for u in group):
            known = [u.knows for u in group if u.knows is not None]
            joint = [max(lane) for lane in zip(*known, strict=True)] if known else [0] * WARP
            for u in group:
                u.own += 1
                joint[u.lane] = u.own
            shared = tuple(joint)
            for u in group:
                u.knows = shared

    def _note_missed(self, alive: list[Thread], threads: list[Thread]) -> None:
        first = alive[0]
        if len(alive) < len(threads) and (first.place, 0, False) not in self.missed:
            ended = [t for t in threads if t.at == DONE]
            self.missed[first.place, 0, False] = Missed(first.place, 0, first.number, ended[0].number, len(ended))
        elsewhere = [t for t in alive if t.place != first.place]
        if elsewhere:
            key = (first.place, elsewhere[0].place, False)
            self.missed.setdefault(
                key, Missed(first.place, elsewhere[0].place, first.number, elsewhere[0].number, len(elsewhere))
            )

    def close(self) -> None:
        """End all threads that have not ended, the one that runs now included."""
        busy = self.workers.busy()
        if self.current.worker in busy and self.current.at == READY and not self.stopping:
            self._stop_running()
        self.stopping = True
        for worker in self.workers.busy():  # these wait at a barrier
            worker.go.release()
            self.back.acquire(timeout=1)


def points(extent: Point) -> Iterator[Point]:
    """All points of a grid or block, x fastest, as the hardware numbers threads."""
    x, y, z = extent
    return ((i, j, k) for k in range(z) for j in range(y) for i in range(x))
