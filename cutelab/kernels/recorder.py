"""Arrays that note every access: which instruction, which thread, which byte address."""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.kernels.bytecode import instruction_start, result_used
from cutelab.kernels.simulator import Engine, Stop

MAX_ACCESSES = 5_000_000
WIDTHS = (1, 2, 4, 8, 16)


class Instruction(NamedTuple):
    """One memory instruction of the kernel: where in the code, what it moves, on which array."""

    where: tuple[int, ...]  # bytecode offsets, from the kernel down to the device function that holds the access
    line: int
    space: str
    kind: str
    nbytes: int
    array: str


class Recorder:
    """Takes notes for the running thread. `recording=False`: bounds are checked, nothing is noted."""

    def __init__(self, engine: Engine, recording: bool = True) -> None:
        self.engine, self.recording = engine, recording
        self.code: CodeType = None  # type: ignore[assignment]
        self.total = 0
        self._instructions: dict[Any, Instruction] = {}
        self._room = 1 << 32
        self._roots: dict[int, tuple[int, Any]] = {}

    @staticmethod
    def root(array: np.ndarray) -> np.ndarray:
        """The array that owns the memory."""
        while isinstance(array.base, np.ndarray):
            array = array.base
        return array

    def place(self, array: np.ndarray) -> int:
        """The byte address of a global array here: each allocation starts at a multiple of 256, views keep their place."""
        root = self.root(array)
        if id(root) not in self._roots:
            self._roots[id(root)] = (self._room, root)
            self._room += -(-max(root.nbytes, 1) // 256) * 256 + 256
        return self._roots[id(root)][0] + _pointer(array) - _pointer(root)

    def kernel_frame(self, depth: int = 2) -> tuple[FrameType, tuple[int, ...]]:
        """The kernel's frame above the caller, and the bytecode offsets on the way."""
        frame: FrameType | None = sys._getframe(depth)
        path: tuple[int, ...] = ()
        while frame is not None:
            path = (instruction_start(frame), *path)
            if frame.f_code is self.code:
                return frame, path
            frame = frame.f_back
        raise CuteLabError("an array of the kernel was used outside the kernel")

    def note(self, array: Recorded, address: int, kind: str, nbytes: int) -> None:
        self.total += 1
        if self.engine.stopping:
            raise Stop
        if self.total > MAX_ACCESSES:
            raise CuteLabError(
                f"more than {MAX_ACCESSES:,} accesses: too much to trace. Trace fewer blocks (blocks=1) or a smaller problem; "
                "a loop that never ends looks like this too."
            )
        if not self.recording:
            return
        frame = sys._getframe(2)
        if frame.f_code is self.code:
            key: Any = (instruction_start(frame), kind, array.base_id, nbytes)
        else:
            frame, path = self.kernel_frame(3)
            key = (path, kind, array.base_id, nbytes)
        log = self.engine.current.log
        addresses = log.get(key)
        if addresses is None:
            addresses = log[key] = []
            if key not in self._instructions:
                where = key[0] if isinstance(key[0], tuple) else (key[0],)
                self._instructions[key] = Instruction(where, frame.f_lineno, array.space, kind, nbytes, array.name)
        addresses.append(address)

    def note_atomic(self, array: Recorded, index: Any, compare: bool) -> None:
        caller = sys._getframe(2)
        kind = "compare-and-swap" if compare else "atomic" if result_used(caller) else "reduce"
        self.note(array, array.address(index), kind, array.raw.itemsize)

    def instruction(self, key: Any) -> Instruction:
        return self._instructions[key]

    def outside(self, array: Recorded, index: Any, verb: str) -> CuteLabError:
        frame, _ = self.kernel_frame(3)
        shape = array.raw.shape
        shown = tuple(
            int(i) if isinstance(i, int | np.integer) else i for i in (index if isinstance(index, tuple) else (index,))
        )
        text = ", ".join(map(str, shown))
        rule = f"{array.name} has shape {shape}"
        for axis, (i, n) in enumerate(zip(shown, shape, strict=False)):
            if isinstance(i, int) and not -n <= i < n:
                which = f"index {axis} runs" if len(shape) > 1 else "its index runs"
                rule += f": {which} from 0 to {n - 1}"
                break
        else:
            rule += "; an index is a whole number for each dimension"
        return CuteLabError(
            f"line {frame.f_lineno} of {frame.f_code.co_name}: {self.engine.current} {verb} {array.name}[{text}], but {rule}. "
            "Guard the access with an if."
        )


def _pointer(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Recorded:
    """A global or shared array inside a simulated kernel."""

    __slots__ = ("_base", "_recorder", "_strides", "base_id", "name", "ndim", "raw", "root", "shape", "space")

    def __init__(self, raw: np.ndarray, recorder: Recorder, space: str, name: str, base: int, root: Any) -> None:
        if raw.dtype.itemsize not in WIDTHS or raw.dtype.kind not in "biufc":
            raise CuteLabError(
                f"{name} has elements of type {raw.dtype}; arrays of numbers of 1, 2, 4, 8 or 16 bytes are simulated"
            )
        self.raw, self.space, self.name, self.root = raw, space, name, root
        self.shape, self.ndim = raw.shape, raw.ndim
        self._recorder, self._base, self._strides = recorder, base, raw.strides
        self.base_id = id(root)

    dtype = property(lambda self: self.raw.dtype)
    size = property(lambda self: self.raw.size)
    strides = property(lambda self: self.raw.strides)
    itemsize = property(lambda self: self.raw.itemsize)
    nbytes = property(lambda self: self.raw.nbytes)
    T = property(lambda self: self._view(self.raw.T))

    def _view(self, raw: np.ndarray) -> Recorded:
        moved = _pointer(raw) - _pointer(self.raw)
        return Recorded(raw, self._recorder, self.space, self.name, self._base + moved, self.root)

    def __len__(self) -> int:
        return len(self.raw)

    def reshape(self, *shape: Any) -> Recorded:
        return self._view(self.raw.reshape(*shape))

    def ravel(self) -> Recorded:
        return self._view(self.raw.reshape(-1))

    def view(self, dtype: Any) -> Recorded:
        from cutelab.kernels.device_api import as_dtype

        return self._view(self.raw.view(as_dtype(dtype)))

    def transpose(self, *axes: int) -> Recorded:
        return self._view(self.raw.transpose(*axes))

    def address(self, index: Any) -> int:
        """The byte address of one element."""
        if self.ndim == 1 and not isinstance(index, tuple):
            i = int(index)
            return self._base + (i if i >= 0 else i + self.shape[0]) * self._strides[0]
        where = self._base
        for i, n, step in zip(index if isinstance(index, tuple) else (index,), self.shape, self._strides, strict=True):
            i = int(i)
            where += (i if i >= 0 else i + n) * step
        return where

    def check(self, index: Any, verb: str = "updates") -> None:
        try:
            self.raw[index]
        except IndexError:
            raise self._recorder.outside(self, index, verb) from None

    def __getitem__(self, index: Any) -> Any:
        try:
            value = self.raw[index]
        except IndexError:
            raise self._recorder.outside(self, index, "reads") from None
        if type(value) is np.ndarray:
            return self._view(value)
        self._recorder.note(self, self.address(index), "load", self.raw.itemsize)
        return value

    def __setitem__(self, index: Any, value: Any) -> None:
        try:
            self.raw[index] = value
        except IndexError:
            raise self._recorder.outside(self, index, "writes") from None
        self._recorder.note(self, self.address(index), "store", self.raw.itemsize)

    def _wide(self, index: Any, width: int, verb: str) -> tuple[Any, int]:
        *head, first = index if isinstance(index, tuple) else (index,)
        last = (*head, first + width - 1)
        self.check(last if len(last) > 1 else last[0], verb)
        address = self.address(index)
        if address % (width * self.raw.itemsize):
            frame, _ = self._recorder.kernel_frame(3)
            raise CuteLabError(
                f"line {frame.f_lineno} of {frame.f_code.co_name}: {self._recorder.engine.current} {verb} {width} elements of "
                f"{self.name} from {index} at once, {address % (width * self.raw.itemsize)} bytes past a multiple of "
                f"{width * self.raw.itemsize} bytes; a wide access must be aligned to its size"
            )
        return (*head, slice(int(first), int(first) + width)), address

    def vector_load(self, index: Any, width: int) -> np.ndarray:
        where, address = self._wide(index, width, "reads")
        self._recorder.note(self, address, "load", width * self.raw.itemsize)
        return self.raw[where]

    def vector_store(self, index: Any, values: Any) -> None:
        where, address = self._wide(index, len(values), "writes")
        self._recorder.note(self, address, "store", len(values) * self.raw.itemsize)
        self.raw[where] = values
