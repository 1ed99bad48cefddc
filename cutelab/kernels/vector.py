"""One access of several elements: a 2-, 4-, 8- or 16-byte load or store in a kernel.

Numba moves one array element with each access (a complex64 element as two of 4 bytes), and asks each index whether it is
negative. These device functions move `width` neighbouring elements with one instruction, to and from a local array that stays in
registers, and take indices as they are.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.kernels._cuda import machine

STREAM = "cs"  # PTX cache operator: this data is not used again


@cache
def vector_access(width: int, itemsize: int, hint: str = "") -> tuple[Any, Any]:
    """Which device functions load and store `width` elements of `itemsize` bytes at once?

    load(registers, at, array, index)         registers[at + k] = array[index + k]          for k < width
    store(array, index, registers, at, step)  array[index + k] = registers[at + k * step]   for k < width

    index: where the first element is, counted along the whole C-contiguous array whatever its dimensions; a multiple of
    `width`. hint: "" or "cs" (streaming; global memory only). Raises CuteLabError beyond 16 bytes.
    """
    if width * itemsize not in (1, 2, 4, 8, 16):
        raise CuteLabError(
            f"one access moves 1, 2, 4, 8 or 16 bytes; {width} elements of {itemsize} bytes are {width * itemsize}"
        )
    if hint not in ("", STREAM):
        raise CuteLabError(f"the cache hint is '' or 'cs', got {hint!r}")
    if machine.gpu:
        from cutelab.kernels import vector_gpu

        load, store = vector_gpu.make(width, itemsize, hint)
    else:
        load, store = _Stand(), _Stand()
    load.simulated, store.simulated = _simulated(width)
    return load, store


class _Stand:
    """Stands for a GPU instruction; the simulators run `simulated`."""

    def __call__(self, *args: Any) -> None:
        self.simulated(*args)  # type: ignore[attr-defined]


def _simulated(width: int) -> tuple[Any, Any]:
    def load(registers: Any, at: Any, array: Any, index: Any) -> Any:
        registers[at : at + width] = _take(_flat(array), index, width)

    def store(array: Any, index: Any, registers: Any, at: Any, step: Any) -> Any:
        _put(_flat(array), index, registers[at : at + width * step : step])

    return load, store


def _flat(array: Any) -> Any:
    return array if array.ndim == 1 else array.reshape(-1)


def _take(array: Any, index: int, width: int) -> Any:
    if hasattr(array, "vector_load"):
        return array.vector_load(index, width)
    return [array[index + k] for k in range(width)]


def _put(array: Any, index: int, values: Any) -> None:
    if hasattr(array, "vector_store"):
        array.vector_store(index, values)
        return
    for k, value in enumerate(values):
        array[index + k] = value
