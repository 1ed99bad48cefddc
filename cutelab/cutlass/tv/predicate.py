"""predicate: which of a thread's values lie inside a tensor whose sizes no whole tiles cover?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutelab.algebra import typed
from cutelab.core.coordinates import CoordLayout, make_identity_layout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import Int, as_int_tuple, flatten, to_text
from cutelab.core.layout import check_table_size, size
from cutelab.core.leaves import ScaledBasis, stride_leaves
from cutelab.cutlass.tv.tiled_copy import TiledCopy
from cutelab.cutlass.tv.tiled_mma import TiledMMA

SIDES = ("S", "D", "A", "B", "C")


@dataclass(frozen=True, eq=False)
class Predicate:
    """Who must not touch what: the identity tensor of a shape, partitioned like the data.

    layout       the partitioned identity: a thread's value -> coordinate in the tensor, without its start
    coordinates  int64 (threads, values, modes): the coordinate of each value of each thread, in the order of the 1-D index
    inside       bool (threads, values): False where the coordinate lies outside the shape, so nothing may be read or written

    >>> from cutelab.core.layout import Layout
    >>> edge = predicate(TiledCopy(Layout((2, 2)), Layout(1)), (3, 2))
    >>> edge.inside.tolist(), edge.coordinates[1].tolist()
    ([[True, True], [True, False], [True, True], [True, False]], [[1, 0], [3, 0]])
    """

    layout: CoordLayout
    coordinates: np.ndarray
    inside: np.ndarray

    def summary(self) -> str:
        """What is outside, in words."""
        outside, idle = int((~self.inside).sum()), int((~self.inside.any(axis=1)).sum())
        if not outside:
            return f"all {self.inside.size:,} values lie inside: no predicate is needed"
        return f"{outside:,} of {self.inside.size:,} values lie outside; {idle:,} of {len(self.inside):,} threads have nothing inside"


def predicate(tiled: TiledCopy | TiledMMA, shape: Any, thread: int | None = None, side: str | None = None) -> Predicate:
    """Which values of which threads lie inside a tensor of this shape? The sizes are runtime integers, as in a kernel.

    side: "S" or "D" of a copy ("S" by default), "A", "B" or "C" of an MMA ("C" by default). With a thread only that thread, so
    that coordinates and inside have one row. Kernels do this with make_identity_tensor and elem_less.

    >>> from cutelab.core.layout import Layout
    >>> edge = predicate(TiledCopy(Layout((16, 8), (8, 1)), Layout((1, 8))), (100, 64), thread=37)
    >>> print(edge.layout, edge.coordinates[0, 0].tolist(), edge.summary(), sep="; ")
    ((_1,_8),7,1):((_0,_1@1),_16@0,_64@1); [4, 40]; 8 of 56 values lie outside; 0 of 1 threads have nothing inside
    """
    if not isinstance(tiled, TiledCopy | TiledMMA):
        raise CuteLabError(f"predicate takes a TiledCopy or a TiledMMA, got {shown(tiled)}")
    side = side or ("S" if isinstance(tiled, TiledCopy) else "C")
    allowed = "SD" if isinstance(tiled, TiledCopy) else "ABC"
    if not isinstance(side, str) or len(side) != 1 or side.upper() not in allowed:
        raise CuteLabError(f"the side is one of {', '.join(allowed)} here, got {shown(side)}")
    partition = getattr(tiled, f"partition_{side.upper()}")
    identity = make_identity_layout(as_int_tuple(shape, "shape"))
    marked = CoordLayout(identity.shape, _marked(identity.stride))
    layout = partition(marked)
    numbers = range(tiled.threads) if thread is None else [thread]
    check_table_size(len(numbers) * size(layout) * len(identity.paths), f"the coordinates of {to_text(identity.shape)}")
    origin = [partition(marked, t)[1] for t in numbers]
    starts = np.array([[_at(start, path) for path in identity.paths] for start in origin], dtype=np.int64)
    steps = _steps(layout, identity.paths)
    coordinates = starts[:, None, :] + steps[None, :, :]
    limits = np.array(flatten(identity.shape), dtype=np.int64)
    inside = (coordinates < limits).all(axis=-1)
    for array in (coordinates, inside):
        array.setflags(write=False)
    return Predicate(layout, coordinates, inside)


def _marked(stride: Any) -> Any:
    if isinstance(stride, tuple):
        return tuple(map(_marked, stride))
    return ScaledBasis(Int(stride.value), stride.path)


def _steps(layout: Any, paths: tuple[tuple[int, ...], ...]) -> np.ndarray:
    modes = typed.flat_modes(typed.Typed(layout.shape, layout.stride))
    table = np.zeros((1, len(paths)), np.int64)
    for extent, step in modes:
        row = np.array(
            [int(step.value) if isinstance(step, ScaledBasis) and step.path == p else 0 for p in paths], np.int64
        )
        table = (np.arange(int(extent), dtype=np.int64)[:, None, None] * row + table).reshape(-1, len(paths))
    assert len(table) == size(layout) and list(stride_leaves(layout.stride))
    return table


def _at(start: Any, path: tuple[int, ...]) -> int:
    for i in path:
        start = start[i] if isinstance(start, tuple) and i < len(start) else 0
    return int(start)
