"""What `cuda.` means inside a simulated kernel: indices, barriers, shared and local arrays, atomics, warp shuffles and votes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba.cuda.simulator.kernelapi import Dim3, FakeCUDAAtomic, FakeCUDAModule

from cutelab.core.errors import CuteLabError
from cutelab.kernels.bytecode import instruction_start
from cutelab.kernels.recorder import Recorded, Recorder
from cutelab.kernels.simulator import AT_BLOCK, AT_WARP, WARP, Engine

STATIC_SHARED = 48 * 1024


def as_dtype(dtype: Any) -> np.dtype:
    """numpy's name for a Numba or numpy type."""
    try:
        return np.dtype(dtype)
    except TypeError:
        return np.dtype({"boolean": "bool"}.get(str(dtype), str(dtype)))


class _Shared:
    def __init__(self, device: DeviceApi, dynamic: int) -> None:
        self._device, self._dynamic_bytes = device, dynamic
        self.new_block()

    def new_block(self) -> None:
        """Each block has shared memory of its own; what lay there before is noise."""
        self._arrays: dict[Any, Recorded] = {}
        self._used = 0
        self._dynamic = np.full(self._dynamic_bytes, 0xCD, np.uint8)

    def array(self, shape: Any, dtype: Any, alignment: Any = None) -> Recorded:
        frame = sys._getframe(1)
        key = (id(frame.f_code), instruction_start(frame))
        found = self._arrays.get(key)
        if found is None:
            kind = as_dtype(dtype)
            if shape in (0, (0,)):
                count = self._dynamic_bytes // kind.itemsize
                raw, base = self._dynamic[: count * kind.itemsize].view(kind), 1 << 20
            else:
                count = int(np.prod(shape))
                self._used = -(-self._used // 128) * 128
                base, self._used = self._used, self._used + count * kind.itemsize
                if self._used > STATIC_SHARED:
                    raise CuteLabError(
                        f"cuda.shared.array asks for {self._used:,} bytes in a block; a GPU gives {STATIC_SHARED:,} "
                        "to arrays of fixed size. Use a smaller tile."
                    )
                raw = np.full(count * kind.itemsize, 0xCD, np.uint8).view(kind).reshape(shape)
            found = self._arrays[key] = Recorded(raw, self._device._recorder, "shared", "shared", base, raw)
        return found


class _Local:
    def array(self, shape: Any, dtype: Any, alignment: Any = None) -> np.ndarray:
        return np.zeros(shape, as_dtype(dtype))


class _Atomic:
    """Numba's simulated atomics, noted as what the hardware sees."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._plain = recorder, FakeCUDAAtomic()

    def __getattr__(self, name: str) -> Any:
        operation = getattr(self._plain, name)
        whole = name == "compare_and_swap"

        def call(array: Any, *values: Any) -> Any:
            if not isinstance(array, Recorded):
                return operation(array, *values)
            index = (0,) * array.ndim if whole else values[0]
            array.check(index)
            self._recorder.note_atomic(array, index, name in ("compare_and_swap", "cas"))
            return operation(array.raw, *values)

        return call


class DeviceApi(FakeCUDAModule):
    """`cuda` inside a simulated kernel."""

    def __init__(
        self, grid: tuple[int, ...], block: tuple[int, ...], shared_bytes: int, engine: Engine, recorder: Recorder
    ):
        super().__init__(grid, block, 0)
        self._engine, self._recorder = engine, recorder
        self._shared_memory, self._local_memory, self._atomics = (
            _Shared(self, shared_bytes),
            _Local(),
            _Atomic(recorder),
        )

    @property
    def shared(self) -> Any:
        return self._shared_memory

    @property
    def local(self) -> Any:
        return self._local_memory

    @property
    def atomic(self) -> Any:
        return self._atomics

    @property
    def cg(self) -> Any:
        raise CuteLabError("cooperative groups are not simulated; use cuda.syncthreads() and cuda.syncwarp()")

    @property
    def threadIdx(self) -> Dim3:
        return self._engine.current.threadIdx

    @property
    def blockIdx(self) -> Dim3:
        return self._engine.current.blockIdx

    @property
    def laneid(self) -> int:
        return self._engine.current.lane

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

    def _warp(self, mask: int, value: Any = None) -> dict[int, Any]:
        return self._engine.wait(AT_WARP, sys._getframe(2).f_lineno, value, int(mask) & 0xFFFFFFFF)

    def syncwarp(self, mask: int = 0xFFFFFFFF) -> None:
        self._warp(mask)

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
        if name.startswith("__"):
            raise AttributeError(name)
        raise CuteLabError(
            f"cuda.{name} is not simulated. Simulated are: grid and thread indices, shared and local arrays, "
            "syncthreads, syncwarp, shuffles, votes, atomics and arithmetic; the rest needs a GPU."
        )
