"""recommend_copy: which TiledCopy brings this tile from global memory, and which thread map of CUTLASS 2.x? With the reasons."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cutelab.advise.cost import cost
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.layout import Layout
from cutelab.cutlass.atoms.copy import copy_atom
from cutelab.cutlass.atoms.types import bits_of
from cutelab.cutlass.pitch_linear import PitchLinearShape
from cutelab.cutlass.thread_map.base import ThreadMap
from cutelab.cutlass.thread_map.stripmined import PitchLinearStripminedThreadMap
from cutelab.cutlass.tv.predicate import predicate
from cutelab.cutlass.tv.tiled_copy import TiledCopy, make_tiled_copy
from cutelab.hardware.chip import H200, Chip

MAX_THREADS, MAX_EXTENT = 1024, 1024
VECTORS = (16, 8, 4, 2, 1)


@dataclass(frozen=True)
class CopyAdvice:
    """One TiledCopy for a tile, what it costs, and why it stands where it stands.

    copy           the TiledCopy;  code  the C++ that makes it
    vector_bytes   bytes that a thread moves at a time
    instructions   of each thread, for the whole tile;  sectors  that all warps request, ideal  the fewest
    outside        values of threads that lie beyond the tile and must be predicated
    thread_map     the map of CUTLASS 2.x with the same order of threads; None where its classes have none
    why            the reasons, in words
    """

    copy: TiledCopy
    code: str
    vector_bytes: int
    instructions: int
    sectors: int
    ideal: int
    outside: int
    thread_map: ThreadMap | None
    why: str


def recommend_copy(
    rows: int,
    cols: int,
    element: str,
    threads: int,
    order: str = "row",
    *,
    asynchronous: bool = False,
    chip: Chip = H200,
) -> tuple[CopyAdvice, ...]:
    """Which TiledCopy brings a tile of rows x cols elements from global memory? Best first, with the reasons.

    element: a C++ type of whole bytes. threads: how many copy together. order: "row" (row-major, cols contiguous) or "column".
    asynchronous: cp.async instead of loads into registers. The tensor around the tile is taken to be much wider than the tile,
    each row aligned to 16 bytes. Tried: every vector of 1 to 16 bytes that the contiguous extent holds a whole number of, and
    every power of two of threads along it. Ranked: nothing outside the tile, then fewest sectors, then fewest instructions, then
    whole lines of neighbouring threads. Raises CuteLabError when nothing fits.

    >>> best = recommend_copy(128, 64, "half_t", 128)[0]
    >>> print(best.code)
    make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})
    >>> best.why, str(best.thread_map)
    ('16 bytes a thread, 8 instructions; 512 sectors, the ideal; 8 threads read one row of 128 bytes', 'PitchLinearStripminedThreadMap<PitchLinearShape<64,128>, 128, 8>')
    """
    bits = bits_of(element)
    for value, name, most in (
        (rows, "rows", MAX_EXTENT),
        (cols, "cols", MAX_EXTENT),
        (threads, "threads", MAX_THREADS),
    ):
        if not is_int(value) or not 1 <= value <= most:
            raise CuteLabError(f"{name} must be a whole number from 1 to {most}, got {shown(value)}")
    if bits % 8:
        raise CuteLabError(f"elements of {bits} bits are not modelled; use a type of whole bytes")
    if order not in ("row", "column"):
        raise CuteLabError(f"the order is 'row' or 'column', got {shown(order)}")
    item = bits // 8
    along = cols if order == "row" else rows
    found = []
    for vector in VECTORS:
        if vector % item or along % (vector // item) or (asynchronous and vector < 4):
            continue
        values = vector // item
        lanes = 1
        while lanes <= min(threads, along // values):
            if threads % lanes == 0 and (along // values) % lanes == 0:
                found.append(_advice(rows, cols, element, threads, order, vector, lanes, asynchronous, chip))
            lanes *= 2
    if not found:
        raise CuteLabError(
            f"no vector of {'4 to 16' if asynchronous else '1 to 16'} bytes fits {along} elements of {item} bytes with {threads} threads"
        )
    return tuple(
        sorted(found, key=lambda a: (a.outside > 0, a.sectors, a.instructions, a.outside, -a.copy.tile[order == "row"]))
    )


def _advice(
    rows: int,
    cols: int,
    element: str,
    threads: int,
    order: str,
    vector: int,
    lanes: int,
    asynchronous: bool,
    chip: Chip,
) -> CopyAdvice:
    item = bits_of(element) // 8
    values, others = vector // item, threads // lanes
    row = order == "row"
    thr = Layout((others, lanes), (lanes, 1)) if row else Layout((lanes, others))
    val = Layout((1, values)) if row else Layout((values, 1))
    operation = f"UniversalCopy<uint{8 * vector}_t>"
    if asynchronous:
        operation = f"SM80_CP_ASYNC_{'CACHEGLOBAL' if vector == 16 else 'CACHEALWAYS'}<uint{8 * vector}_t>"
    copy = make_tiled_copy(copy_atom(operation, element), thr, val)
    pitch = 4096 * -(-max(rows, cols) // 1024)
    tile = Layout((rows, cols), (pitch, 1) if row else (1, pitch))
    counted = cost(copy, tile, tile, element, "global", "registers", chip=chip).source
    assert counted.count is not None and counted.ideal is not None
    instructions = -(-rows // copy.tile[0]) * -(-cols // copy.tile[1])
    outside = int((~predicate(copy, (rows, cols)).inside).sum())
    shape = f"Layout<Shape<_{others},_{lanes}>,Stride<_{lanes},_1>>" if row else f"Layout<Shape<_{lanes},_{others}>>"
    vals = f"Layout<Shape<_1,_{values}>>" if row else f"Layout<Shape<_{values},_1>>"
    code = f"make_tiled_copy(Copy_Atom<{operation}, {element}>{{}}, {_named(shape)}{{}}, {_named(vals)}{{}})"
    ideal = ", the ideal" if counted.count == counted.ideal else f" where {counted.ideal} would do"
    line = "row" if row else "column"
    why = [
        f"{vector} bytes a thread, {instructions} instruction{'s' * (instructions != 1)}",
        f"{counted.count} sectors{ideal}",
        f"{lanes} thread{'s' * (lanes != 1)} read{'s' * (lanes == 1)} {'one' if lanes * values == (cols if row else rows) else 'a part of a'} {line} of {lanes * vector} bytes",
    ]
    if outside:
        why.append(f"{outside} values lie outside the tile and need a predicate")
    return CopyAdvice(
        copy,
        code,
        vector,
        instructions,
        counted.count,
        counted.ideal,
        outside,
        _thread_map(rows, cols, row, threads, values, lanes),
        "; ".join(why),
    )


STATIC = frozenset((*range(11), 12, 16, *range(24, 257, 8), 384, 512, 768, *(1 << k for k in range(10, 20))))
"""The integers that CuTe names `_n`; of the others one writes Int<n>. Source: cute/numeric/integral_constant.hpp."""


def _named(text: str) -> str:
    """The same with Int<n> where CuTe has no short name _n."""
    return re.sub(r"_(\d+)", lambda m: m[0] if int(m[1]) in STATIC else f"Int<{m[1]}>", text)


def _thread_map(rows: int, cols: int, row: bool, threads: int, values: int, lanes: int) -> Any:
    """The strip-mined map whose threads follow each other in the same order, if it exists."""
    contiguous, strided = (cols, rows) if row else (rows, cols)
    if lanes * values != contiguous:
        return None
    try:
        return PitchLinearStripminedThreadMap(PitchLinearShape(contiguous, strided), threads, values)
    except CuteLabError:
        return None
