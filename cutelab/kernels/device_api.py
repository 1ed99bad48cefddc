"""What `cuda.` means inside a simulated kernel: indices, barriers, shared and local arrays, atomics, warp shuffles and votes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba.cuda.simulator.kernelapi import FakeCUDAAtomic, FakeCUDAModule

from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.hardware.chip import H200
from cutelab.kernels.bytecode import instruction_start, instructions
from cutelab.kernels.recorder import Recorded, Recorder, as_dtype
from cutelab.kernels.simulator import AT_BLOCK, AT_WARP, WARP, Engine, Point

LOCAL = "cuda.local.array"
_ATOMICS: Any = FakeCUDAAtomic()
_Module: Any = FakeCUDAModule


class _Shared:
    """Shared memory. With a recorder its arrays take notes; without one they are plain."""

    def __init__(self, recorder: Recorder | None, dynamic: int) -> None:
        self._recorder, self._dynamic_bytes = recorder, dynamic
        self.new_block()

    def new_block(self) -> None:
        """Each block has shared memory of its own; what lay there before is noise."""
        self._arrays: dict[Any, Any] = {}
        self._used = 0
        self._dynamic = np.full(self._dynamic_bytes, 0xCD, np.uint8)

    def array(self, shape: Any, dtype: Any, alignment: Any = None) -> Any:
        frame = sys._getframe(1)
        key = (id(frame.f_code), instruction_start(frame))
        found = self._arrays.get(key)
        if found is None:
            name = instructions(frame.f_code).stored_in(frame.f_lasti) or "shared"
            found = self._arrays[key] = self._made(shape, as_dtype(dtype), key, name)
        return found

    def _made(self, shape: Any, kind: np.dtype, key: Any, name: str) -> Any:
        lengths = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
        if not lengths or not all(is_int(n) and n >= 0 for n in lengths):
            raise CuteLabError(f"cuda.shared.array takes a shape of whole numbers, for example (32, 33); got {shape!r}")
        if lengths == (0,):
            if not self._dynamic_bytes:
                raise CuteLabError(
                    f"cuda.shared.array(0, {kind}) takes dynamic shared memory, and this launch gives none; "
                    "say how many bytes: shared_bytes=4096"
                )
            count = self._dynamic_bytes // kind.itemsize
            raw, base = self._dynamic[: count * kind.itemsize].view(kind), 1 << 20
        else:
            count = int(np.prod([int(n) for n in lengths], dtype=object))
            start = -(-self._used // 128) * 128
            if start + count * kind.itemsize > H200.static_bytes:
                raise CuteLabError(
                    f"cuda.shared.array asks for {start + count * kind.itemsize:,} bytes in a block; a GPU gives "
                    f"{H200.static_bytes:,} to arrays of fixed size. Use a smaller tile."
                )
            base, self._used = start, start + count * kind.itemsize
            raw = np.full(count * kind.itemsize, 0xCD, np.uint8).view(kind).reshape(shape)
        if self._recorder is None:
            return raw
        return Recorded(raw, self._recorder, "shared", "shared", base, raw, label=name, base_id=key)


class _Local:
    def __init__(self, recorder: Recorder | None) -> None:
        self._recorder = recorder

    def array(self, shape: Any, dtype: Any, alignment: Any = None) -> np.ndarray:
        if self._recorder is not None and LOCAL not in self._recorder.omitted:
            self._recorder.omit(LOCAL)
        return np.zeros(shape, as_dtype(dtype))


class _Const:
    def __init__(self, recorder: Recorder | None) -> None:
        self._recorder = recorder

    def array_like(self, array: Any) -> Any:
        """A captured array has become one in constant memory already; another is made one here."""
        if self._recorder is None or isinstance(array, Recorded):
            return array
        return constant(np.asarray(array), "constant", self._recorder)


def constant(raw: np.ndarray, name: str, recorder: Recorder) -> Recorded:
    """An array of constant memory. Raises CuteLabError beyond 64 KB."""
    if raw.nbytes > 64 * 1024:
        raise CuteLabError(
            f"{name} takes {raw.nbytes:,} bytes; a kernel's constants, captured arrays among them, have 65,536. "
            "Give the array to the kernel as an argument."
        )
    return Recorded(raw, recorder, "constant", name, recorder.place(raw), recorder.root(raw))


class _Atomic:
    """Numba's simulated atomics, noted as what the hardware sees."""

    def __init__(self, recorder: Recorder | None) -> None:
        self._recorder = recorder

    def __getattr__(self, name: str) -> Any:
        operation = getattr(_ATOMICS, name)
        recorder = self._recorder
        if recorder is None:
            return operation
        whole = name == "compare_and_swap"

        def call(array: Any, *values: Any) -> Any:
            if not isinstance(array, Recorded):
                return operation(array, *values)
            index = (0,) * array.ndim if whole else values[0]
            array.check(index)
            recorder.note_atomic(array, index, name)
            return operation(array.raw, *values)

        return call


class DeviceApi(_Module):  # type: ignore[misc]
    """`cuda` inside a simulated kernel. Without a recorder nothing is noted or checked: a second, faster run."""

    def __init__(self, grid: Point, block: Point, shared_bytes: int, recorder: Recorder | None) -> None:
        super().__init__(grid, block, 0)
        self._recorder = recorder
        self._engine: Any = None
        self._shared_memory, self._local_memory = _Shared(recorder, shared_bytes), _Local(recorder)
        self._atomics, self._constants = _Atomic(recorder), _Const(recorder)

    def runs_on(self, engine: Engine) -> None:
        """The engine whose threads call this."""
        self._engine = engine

    @property
    def shared(self) -> Any:
        return self._shared_memory

    @property
    def local(self) -> Any:
        return self._local_memory

    @property
    def const(self) -> Any:
        return self._constants

    @property
    def atomic(self) -> Any:
        return self._atomics

    @property
    def cg(self) -> Any:
        raise CuteLabError("cooperative groups are not simulated; use cuda.syncthreads() and cuda.syncwarp()")

    @property
    def threadIdx(self) -> Any:
        return self._engine.current.threadIdx

    @property
    def blockIdx(self) -> Any:
        return self._engine.current.blockIdx

    @property
    def laneid(self) -> int:
        return int(self._engine.current.lane)

    def threadfence(self) -> None:
        if self._recorder is not None:
            self._recorder.fence()

    threadfence_block = threadfence_system = threadfence

    def _block(self, value: Any = None) -> Any:
        return self._engine.wait(AT_BLOCK, sys._getframe(2).f_lineno, value)

    def syncthreads(self) -> None:
        self._block()

    def syncthreads_count(self, value: Any) -> int:
        return sum(bool(v) for v in self._block(value))

    def syncthreads_and(self, value: Any) -> int:
        return int(all(self._block(value)))

    def syncthreads_or(self, value: Any) -> int:
        return int(any(self._block(value)))

    def _warp(self, mask: int, value: Any = None, orders: bool = False) -> dict[int, Any]:
        engine, line = self._engine, sys._getframe(2).f_lineno
        lanes = int(mask) & 0xFFFFFFFF
        if not lanes >> self.laneid & 1:
            raise CuteLabError(
                f"line {line}: {engine.current} is not in the mask {lanes:#010x} that it gives; "
                "a thread names itself and those that it waits for"
            )
        found: dict[int, Any] = engine.wait(AT_WARP, line, value, lanes, orders)
        return found

    def syncwarp(self, mask: int = 0xFFFFFFFF) -> None:
        self._warp(mask, orders=True)

    def shfl_sync(self, mask: int, value: Any, source: int) -> Any:
        return self._warp(mask, value).get(int(source) % WARP, value)

    def shfl_up_sync(self, mask: int, value: Any, delta: int) -> Any:
        return self._warp(mask, value).get(self.laneid - int(delta), value)

    def shfl_down_sync(self, mask: int, value: Any, delta: int) -> Any:
        return self._warp(mask, value).get(self.laneid + int(delta), value)

    def shfl_xor_sync(self, mask: int, value: Any, lanes: int) -> Any:
        return self._warp(mask, value).get(self.laneid ^ int(lanes), value)

    def all_sync(self, mask: int, value: Any) -> bool:
        return all(self._warp(mask, value).values())

    def any_sync(self, mask: int, value: Any) -> bool:
        return any(self._warp(mask, value).values())

    def eq_sync(self, mask: int, value: Any) -> bool:
        return len(set(self._warp(mask, bool(value)).values())) == 1

    def ballot_sync(self, mask: int, value: Any) -> int:
        return sum(1 << lane for lane, v in self._warp(mask, value).items() if v)

    def match_any_sync(self, mask: int, value: Any) -> int:
        return sum(1 << lane for lane, v in self._warp(mask, value).items() if v == value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise CuteLabError(
            f"cuda.{name} is not simulated. Simulated are: grid and thread indices, shared and local arrays, "
            "syncthreads, syncwarp, shuffles, votes, atomics and arithmetic; the rest needs a GPU."
        )
