"""A kernel as a Python function: the kernel's own code, with `cuda` and everything it calls replaced."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.kernels._cuda import cuda

Captured = Callable[[np.ndarray, str], Any]


def as_python(function: Any, replace: dict[int, Any], captured: Captured | None = None) -> Any:
    """The Python function of a kernel or device function, with everything it calls made Python too.

    replace   id of a value that the code refers to -> what stands for it here (`cuda` and its members)
    captured  (array, name) -> what stands for an array that the code refers to by a name of its surroundings
    """
    return _Maker(replace, captured).made(function)


class _Maker:
    def __init__(self, replace: dict[int, Any], captured: Captured | None) -> None:
        self._replace, self._captured = replace, captured
        self._seen: dict[int, Any] = {}

    def made(self, function: Any) -> Any:
        code = getattr(function, "py_func", function)
        if not isinstance(code, types.FunctionType):
            raise CuteLabError(f"a kernel is a function decorated with @cuda.jit, got {type(function).__name__}")
        if id(code) in self._seen:
            return self._seen[id(code)]
        names = set(_names(code.__code__))
        cells = [types.CellType() for _ in code.__closure__ or ()]
        scope = {k: v for k, v in code.__globals__.items() if k in names or k.startswith("__")}
        made = types.FunctionType(code.__code__, scope, code.__name__, code.__defaults__, tuple(cells))
        made.__kwdefaults__ = code.__kwdefaults__
        self._seen[id(code)] = made
        for name in list(scope):
            if name in names:
                scope[name] = self._value(scope[name], name, code)
        for name, mine, cell in zip(code.__code__.co_freevars, cells, code.__closure__ or (), strict=True):
            try:
                value = cell.cell_contents
            except ValueError:
                continue  # an empty cell: a name that is not bound yet
            mine.cell_contents = self._value(value, name, code)
        return made

    def _value(self, value: Any, name: str, code: types.FunctionType) -> Any:
        if id(value) in self._replace:
            return self._replace[id(value)]
        if hasattr(value, "simulated"):
            return value.simulated
        if isinstance(value, np.ndarray) and value.ndim and self._captured is not None:
            return self._captured(value, name)
        if hasattr(value, "py_func") or (isinstance(value, types.FunctionType) and value.__module__ == code.__module__):
            return self.made(value)
        return value


def _names(code: types.CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def replacements(device: Any) -> dict[int, Any]:
    """What stands for `cuda`, for the package `numba`, and for members imported by name (`from numba.cuda import grid`)."""
    import numba

    table: dict[int, Any] = {id(cuda): device}
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
