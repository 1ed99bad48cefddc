"""Arrays that note every access: which instruction, which thread, which byte address, and when."""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.kernels.bytecode import Span, instruction_start, instructions, result_used
from cutelab.kernels.simulator import WARP, Thread

LIMIT = 5_000_000  # accesses of a run, unless told otherwise
WIDTHS = (1, 2, 4, 8, 16)
ATOMIC = ("atomic", "reduce", "compare-and-swap")


def as_dtype(dtype: Any) -> np.dtype:
    """numpy's name for a Numba or numpy type.

    >>> as_dtype(np.float32)
    dtype('float32')
    """
    found: np.dtype
    ways = (lambda: dtype, lambda: {"boolean": "bool"}.get(str(dtype), str(dtype)), lambda: _numba_dtype(dtype))
    for way in ways:
        try:
            found = np.dtype(way())
        except Exception:
            continue
        return found
    raise CuteLabError(f"{repr(dtype)[:60]} is no type of an array; give one such as numba.float32")


def _numba_dtype(dtype: Any) -> Any:
    from numba.np.numpy_support import as_dtype as of_numba

    return of_numba(dtype)


@dataclass(frozen=True)
class Place:
    """An array as the kernel knows it: its name, and where its elements lie.

    base  byte address of the first element; shape, strides (bytes): as NumPy has them
    """

    name: str
    base: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    item: int

    def element(self, address: int) -> str:
        """The element at this byte address, as it is written: "tile[3,0]".

        >>> Place("tile", 4096, (32, 33), (132, 4), 4).element(4096 + 137)
        'tile[1,1]'
        """
        rest, index = address - self.base, [0] * len(self.shape)
        for axis in sorted(range(len(self.shape)), key=lambda i: -self.strides[i]):
            if self.strides[axis] > 0:
                index[axis], rest = divmod(rest, self.strides[axis])
        return f"{self.name}[{','.join(map(str, index))}]"


class Instruction(NamedTuple):
    """One memory instruction of the kernel: where in the code, what it moves, on which array."""

    where: tuple[int, ...]  # bytecode offsets, from the kernel down to the device function that holds the access
    line: int
    span: Span | None  # of the expression, in the kernel
    space: str
    kind: str
    nbytes: int
    array: str
    floating: bool
    place: Place

    @property
    def writes(self) -> bool:
        return self.kind != "load"

    @property
    def atomic(self) -> bool:
        return self.kind in ATOMIC


@dataclass(frozen=True, eq=False)
class BlockLog:
    """What one block touched, in the order in which the simulator did it.

    instruction, address   of each access: number of the instruction, byte address
    start                  a stretch is what one thread does between two barriers: its first access
    thread, epoch, own     of each stretch: its thread, barriers of the block passed, syncwarps passed since the last of them
    knows                  (stretches, lanes): how many stretches of each lane had ended; None where no syncwarp was met
    fences                 (fences, 2): accesses before which a memory fence was passed, and by which thread
    """

    index: tuple[int, int, int]
    instruction: np.ndarray
    address: np.ndarray
    start: np.ndarray
    thread: np.ndarray
    epoch: np.ndarray
    own: np.ndarray
    knows: np.ndarray | None
    fences: np.ndarray

    @property
    def stretch(self) -> np.ndarray:
        """The stretch of each access."""
        lengths = np.diff(np.append(self.start, len(self.address)))
        return np.repeat(np.arange(len(self.start), dtype=np.int32), lengths)


@dataclass(eq=False)
class _Notes:
    """What is noted while a block runs."""

    instruction: array[int] = field(default_factory=lambda: array("i"))
    address: array[int] = field(default_factory=lambda: array("q"))
    stretches: list[tuple[int, int, int, int, tuple[int, ...] | None]] = field(default_factory=list)
    fences: list[tuple[int, int]] = field(default_factory=list)


class Recorder:
    """Takes notes for the running thread. `recording=False`: bounds are checked, nothing is noted."""

    def __init__(self, code: CodeType, recording: bool = True, limit: int = LIMIT) -> None:
        self.code, self.recording, self.limit = code, recording, limit
        self.total = 0
        self.current: Thread = Thread(None, None, 0)
        self.epoch = 0
        self.instructions: list[Instruction] = []
        self.blind: set[int] = set()  # atomics that do not read what they replace
        self.omitted: dict[str, int] = {}  # what is not noted -> a line where it stands
        self._known: dict[Any, int] = {}
        self._room = 1 << 32
        self._roots: dict[int, tuple[int, Any]] = {}
        self._new_block()

    def _new_block(self) -> None:
        self._notes = _Notes()
        self._add_instruction = self._notes.instruction.append
        self._add_address = self._notes.address.append

    @property
    def position(self) -> int:
        """Accesses of this block so far."""
        return len(self._notes.address)

    def begin(self, thread: Thread, epoch: int) -> None:
        """This thread goes on."""
        self.current, self.epoch = thread, epoch
        self._notes.stretches.append((self.position, thread.number, epoch, thread.own, thread.knows))

    def fence(self) -> None:
        """The running thread passes a memory fence."""
        self._notes.fences.append((self.position, self.current.number))

    def take(self, index: tuple[int, int, int]) -> BlockLog:
        """The notes of the block that has just ended."""
        notes = self._notes
        start, thread, epoch, own, knows = (list(column) for column in zip(*notes.stretches, strict=True))
        synced = any(k is not None for k in knows)
        table = np.array([k if k is not None else (0,) * WARP for k in knows], np.int32) if synced else None
        log = BlockLog(
            index,
            np.array(notes.instruction, np.int32),
            np.array(notes.address, np.int64),
            np.array(start, np.int64),
            np.array(thread, np.int32),
            np.array(epoch, np.int32),
            np.array(own, np.int32),
            table,
            np.array(notes.fences, np.int64).reshape(-1, 2),
        )
        self._new_block()
        return log

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

    def place_in_words(self, depth: int = 2) -> str:
        """ "line 7 of kernel: thread ... ", for a message about what happens there."""
        frame, _ = self.kernel_frame(depth)
        return f"line {frame.f_lineno} of {frame.f_code.co_name}: {self.current}"

    def omit(self, what: str, depth: int = 2) -> None:
        """Something is not noted here; it will be said."""
        if self.recording and what not in self.omitted:
            self.omitted[what] = self.kernel_frame(depth + 1)[0].f_lineno

    def note(self, array: Recorded, address: int, kind: str, nbytes: int) -> None:
        self.total += 1
        if self.total > self.limit:
            raise CuteLabError(
                f"more than {self.limit:,} accesses: too much to trace. Trace fewer blocks (blocks=1) or a smaller problem, or "
                f"raise limit={4 * self.limit}; a loop that never ends looks like this too."
            )
        if not self.recording:
            return
        frame = sys._getframe(2)
        key: Any
        if frame.f_code is self.code:
            key = (frame.f_lasti, kind, array.base_id, nbytes)
        else:
            frame, path = self.kernel_frame(3)
            key = (path, kind, array.base_id, nbytes)
        number = self._known.get(key)
        if number is None:
            number = self._learn(key, frame, array)
        self._add_instruction(number)
        self._add_address(address)

    def _learn(self, key: Any, frame: FrameType, array: Recorded) -> int:
        place, kind, base_id, nbytes = key
        where = place if isinstance(place, tuple) else (instruction_start(frame),)
        number = self._known.get((where, kind, base_id, nbytes))
        if number is None:
            number = self._known[where, kind, base_id, nbytes] = len(self.instructions)
            span = instructions(frame.f_code).span(where[0])
            floating = array.raw.dtype.kind in "fc"
            made = Instruction(
                where, frame.f_lineno, span, array.space, kind, nbytes, array.name, floating, array.place
            )
            self.instructions.append(made)
        self._known[key] = number
        return number

    def note_atomic(self, array: Recorded, index: Any, name: str) -> None:
        used = result_used(sys._getframe(2))
        kind = "compare-and-swap" if name in ("compare_and_swap", "cas") else "atomic" if used else "reduce"
        self.note(array, array.address(index), kind, array.raw.itemsize)
        if name == "exch" and not used and self.recording:
            self.blind.add(self._notes.instruction[-1])

    def outside(self, array: Recorded, index: Any, verb: str) -> CuteLabError:
        """The error for an index that an array does not have."""
        shape = array.raw.shape
        shown = tuple(
            int(i) if isinstance(i, int | np.integer) else i for i in (index if isinstance(index, tuple) else (index,))
        )
        text = ", ".join(map(str, shown))
        rule, remedy = f"{array.label} has shape {shape}", ""
        for axis, (i, n) in enumerate(zip(shown, shape, strict=False)):
            if isinstance(i, int) and not -n <= i < n:
                which = f"index {axis} runs" if len(shape) > 1 else "its index runs"
                rule += f": {which} from 0 to {n - 1}"
                remedy = (
                    " Give the shared array more elements, or correct the index."
                    if array.space == "shared"
                    else " Guard the access with an if."
                )
                break
        else:
            rule += f"; an index is {'a whole number' if len(shape) == 1 else f'{len(shape)} whole numbers'}"
        return CuteLabError(f"{self.place_in_words()} {verb} {array.label}[{text}], but {rule}.{remedy}")

    def refuse_slice(self, array: Recorded, index: Any) -> CuteLabError:
        """The error for an assignment to many elements at once."""
        return CuteLabError(
            f"{self.place_in_words()} writes several elements of {array.label} at once; one access of a thread is one "
            "element here: write a loop over them"
        )


def _pointer(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


class Recorded:
    """A global, constant or shared array inside a simulated kernel."""

    __slots__ = (
        "_base",
        "_recorder",
        "_strides",
        "base_id",
        "label",
        "name",
        "ndim",
        "place",
        "raw",
        "root",
        "shape",
        "space",
    )

    def __init__(
        self,
        raw: np.ndarray,
        recorder: Recorder,
        space: str,
        name: str,
        base: int,
        root: Any,
        label: str = "",
        place: Place | None = None,
        base_id: Any = None,
    ) -> None:
        fits = raw.dtype.itemsize in WIDTHS and raw.dtype.kind in "biufc"
        if not fits and raw.dtype.fields is None:
            raise CuteLabError(
                f"{label or name} has elements of type {raw.dtype}; arrays of numbers of 1, 2, 4, 8 or 16 bytes are simulated, "
                "and records of them"
            )
        self.raw, self.space, self.name, self.root = raw, space, name, root
        self.label = label or name
        self.shape, self.ndim = raw.shape, raw.ndim
        self._recorder, self._base, self._strides = recorder, base, raw.strides
        self.base_id = id(root) if base_id is None else base_id
        self.place = place or Place(self.label, base, raw.shape, raw.strides, raw.dtype.itemsize)

    dtype = property(lambda self: self.raw.dtype)
    size = property(lambda self: self.raw.size)
    strides = property(lambda self: self.raw.strides)
    itemsize = property(lambda self: self.raw.itemsize)
    nbytes = property(lambda self: self.raw.nbytes)
    T = property(lambda self: self._view(self.raw.T))

    def _view(self, raw: np.ndarray) -> Recorded:
        moved = _pointer(raw) - _pointer(self.raw)
        place = self.place if raw.dtype == self.raw.dtype else None
        return Recorded(
            raw, self._recorder, self.space, self.name, self._base + moved, self.root, self.label, place, self.base_id
        )

    def __len__(self) -> int:
        return len(self.raw)

    def __getattr__(self, name: str) -> Any:
        raw = self.raw
        if raw.dtype.fields is None or name not in raw.dtype.fields:
            raise AttributeError(f"{self.label} has no {name!r} in the simulator")
        return self._field(raw, name)

    def _field(self, raw: np.ndarray, name: str) -> Recorded:
        """The array of one field of its records."""
        part = raw[name]
        moved = _pointer(part) - _pointer(self.raw) if part.size else 0
        return Recorded(
            part,
            self._recorder,
            self.space,
            f"{self.name}.{name}",
            self._base + moved,
            self.root,
            f"{self.label}.{name}",
            base_id=(self.base_id, name),
        )

    def reshape(self, *shape: Any) -> Recorded:
        return self._view(self.raw.reshape(*shape))

    def ravel(self) -> Recorded:
        return self._view(self.raw.reshape(-1))

    def view(self, dtype: Any) -> Recorded:
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
        except (IndexError, TypeError):
            raise self._recorder.outside(self, index, "reads") from None
        kind = type(value)
        if kind is np.ndarray:
            return self._view(value)
        if kind is np.void:
            return _Record(self, index)
        self._recorder.note(self, self.address(index), "load", self.raw.itemsize)
        return value

    def __setitem__(self, index: Any, value: Any) -> None:
        raw = self.raw
        try:
            before = raw[index]
        except (IndexError, TypeError):
            raise self._recorder.outside(self, index, "writes") from None
        kind = type(before)
        if kind is np.ndarray:
            raise self._recorder.refuse_slice(self, index)
        if kind is np.void:
            _Record(self, index).assign(value)
            return
        self._write(index, value)
        self._recorder.note(self, self.address(index), "store", raw.itemsize)

    def _write(self, index: Any, value: Any) -> None:
        try:
            self.raw[index] = value
        except (ValueError, OverflowError):
            if self.raw.dtype.kind not in "iu" or not isinstance(value, int):
                raise
            bits = 8 * self.raw.itemsize  # as the hardware does: the low bits stay
            low = value & ((1 << bits) - 1)
            self.raw[index] = np.array(low, f"u{self.raw.itemsize}").view(self.raw.dtype)[()]

    def _wide(self, index: Any, width: int, verb: str) -> tuple[Any, int]:
        *head, first = index if isinstance(index, tuple) else (index,)
        last = (*head, first + width - 1)
        self.check(last if len(last) > 1 else last[0], verb)
        address = self.address(index)
        if address % (width * self.raw.itemsize):
            raise CuteLabError(
                f"{self._recorder.place_in_words()} {verb} {width} elements of "
                f"{self.label} from {index} at once, {address % (width * self.raw.itemsize)} bytes past a multiple of "
                f"{width * self.raw.itemsize} bytes; a wide access must be aligned to its size"
            )
        return (*head, slice(int(first), int(first) + width)), address

    def vector_load(self, index: Any, width: int) -> np.ndarray:
        where, address = self._wide(index, width, "reads")
        self._recorder.note(self, address, "load", width * self.raw.itemsize)
        values: np.ndarray = self.raw[where]
        return values

    def vector_store(self, index: Any, values: Any) -> None:
        where, address = self._wide(index, len(values), "writes")
        self._recorder.note(self, address, "store", len(values) * self.raw.itemsize)
        self.raw[where] = values


class _Record:
    """One record of an array of records: each of its fields is an access of its own."""

    __slots__ = ("_array", "_index")

    def __init__(self, array: Recorded, index: Any) -> None:
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_index", index)

    def _part(self, name: str) -> Recorded:
        array: Recorded = self._array
        if array.raw.dtype.fields is None or name not in array.raw.dtype.fields:
            raise CuteLabError(
                f"{array._recorder.place_in_words()} asks for the field {name!r} of {array.label}; "
                f"its fields are {', '.join(array.raw.dtype.names or ())}"
            )
        return array._field(array.raw, name)

    def __getattr__(self, name: str) -> Any:
        return _load(self._part(name), self._index)

    def __getitem__(self, name: str) -> Any:
        return _load(self._part(name), self._index)

    def __setattr__(self, name: str, value: Any) -> None:
        _store(self._part(name), self._index, value)

    def __setitem__(self, name: str, value: Any) -> None:
        _store(self._part(name), self._index, value)

    def assign(self, value: Any) -> None:
        """Field by field, as a record is copied."""
        for name in self._array.raw.dtype.names:
            _store(self._part(name), self._index, value[name] if isinstance(value, np.void) else getattr(value, name))


def _load(part: Recorded, index: Any) -> Any:
    value = part.raw[index]
    if isinstance(value, np.ndarray):
        return part._view(value)
    if isinstance(value, np.void):
        return _Record(part, index)
    part._recorder.note(part, part.address(index), "load", part.raw.itemsize)
    return value


def _store(part: Recorded, index: Any, value: Any) -> None:
    part._write(index, value)
    part._recorder.note(part, part.address(index), "store", part.raw.itemsize)
