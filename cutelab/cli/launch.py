"""From texts to a traced kernel: `file.py::kernel`, and "grid, block, float32[64], 3" for its launch."""

from __future__ import annotations

import ast
import importlib.util
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cutelab.core.errors import CuteLabError, nearest, shown

MOST = 1 << 26  # elements of one argument
TYPES: tuple[str, ...] = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
TYPES += ("float16", "float32", "float64", "complex64", "complex128")
EXAMPLE = '"(1, 1), (32, 32), float32[32, 32], 32"'
OPTIONS = ("blocks", "shared_bytes")


def read_launch(text: str) -> tuple[list[Any], dict[str, Any]]:
    """Which launch does this text say? (grid, block, arguments ...), and `blocks` or `shared_bytes` if they are named.

    An array is its type and extents, float32[32, 32]; it holds 0, 1, 2, ... Nothing in the text is executed.

    >>> given, named = read_launch("1, (8, 4), float32[4], 7, shared_bytes=64")
    >>> given[0], given[1], given[2].tolist(), given[3], named
    (1, (8, 4), [0.0, 1.0, 2.0, 3.0], 7, {'shared_bytes': 64})
    >>> read_launch("1, 32, float33[4]")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: there is no array type 'float33'; near it are float32, float64, float16
    """
    try:
        call = ast.parse(f"f({text.strip()}\n)", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError
        given = [_value(node) for node in call.args]
        named = {str(pair.arg): _value(pair.value) for pair in call.keywords}
    except CuteLabError:
        raise
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise CuteLabError(f"a launch is grid, block and arguments, such as {EXAMPLE}; got {shown(text)}") from None
    if len(given) < 2:
        raise CuteLabError(f"a launch has a grid and a block first, such as {EXAMPLE}; got {shown(text)}")
    for name in named:
        if name not in OPTIONS:
            raise CuteLabError(f"a launch may name {' and '.join(OPTIONS)}, not {shown(name)}")
    return given, named


def _value(node: ast.expr) -> Any:
    if not isinstance(node, ast.Subscript):
        return ast.literal_eval(node)
    name = node.value.id if isinstance(node.value, ast.Name) else ""
    if name not in TYPES:
        near = nearest(name, TYPES) or ["float32"]
        raise CuteLabError(f"there is no array type {shown(name)}; near it are {', '.join(near)}")
    extents = ast.literal_eval(node.slice)
    extents = extents if isinstance(extents, tuple) else (extents,)
    if not all(type(n) is int and n >= 1 for n in extents) or math.prod(extents) > MOST:
        raise CuteLabError(f"an array has extents of 1 or more and up to {MOST:,} elements; got {shown(extents)}")
    return (np.arange(math.prod(extents)) % 97).astype(name).reshape(extents)


def find_kernel(place: str) -> Any:
    """The kernel that `file.py::kernel` names. The file is run, as Python runs a file that is imported."""
    file, mark, name = place.rpartition("::")
    if not mark or not file or not name:
        raise CuteLabError(f"name a file and a kernel in it, such as kernels.py::transpose; got {shown(place)}")
    path = Path(file)
    if not path.is_file():
        raise CuteLabError(f"there is no file {shown(file)}")
    spec = importlib.util.spec_from_file_location(f"cutelab_traced_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise CuteLabError(f"{shown(file)} is no Python file; its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise CuteLabError(f"{path.name} cannot be run: {type(error).__name__}: {error}") from None
    finally:
        sys.path.pop(0)
    if not hasattr(module, name):
        kernels = [n for n, thing in vars(module).items() if hasattr(thing, "py_func") or hasattr(thing, "kernel_id")]
        near = nearest(name, kernels) or kernels[:3]
        raise CuteLabError(f"{path.name} has no {shown(name)}" + (f"; its kernels: {', '.join(near)}" if near else ""))
    return getattr(module, name)
