"""What `cutelab show` says of a thing that was read: one true sentence, and a table where there can be one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_SHOWN = 4096  # cells of a printed table


@dataclass(frozen=True)
class Shown:
    """What is there to see of this?

    about        one sentence
    table        its cells as text, framed as print_layout frames them; "" where there can be none
    layout       the layout whose offsets are meant; None where there is no single one
    coordinates  of a coordinate layout: the coordinate of each 1-D index; None above 4,096
    """

    about: str
    table: str = ""
    layout: Any = None
    coordinates: tuple[Any, ...] | None = None


def table_of(found: Any) -> Shown:
    """The sentence and the table of whatever `read` gives.

    >>> from cutelab.cutlass.reading import read
    >>> print(table_of(read("Sw<1,0,1>")).about)
    bit 1 of an offset is XORed into bit 0; the pattern repeats every 4 offsets; what it makes of (2,2):(2,1):
    >>> print(table_of(read("(2,2):(1@1,1@0)")).table)
              0       1
        +-------+-------+
     0  | (0,0) | (1,0) |
        +-------+-------+
     1  | (0,1) | (1,1) |
        +-------+-------+
    """
    from cutelab.core import ComposedLayout, Layout, Swizzle
    from cutelab.core.coordinates import CoordLayout, CoordTensor
    from cutelab.cutlass.atoms.smem import SmemAtom
    from cutelab.cutlass.matrix_layouts.layouts import MatrixLayout
    from cutelab.cutlass.reading import Coordinate, Tensor, Tiler, Unknowns
    from cutelab.cutlass.thread_map.base import ThreadMap

    if isinstance(found, Tensor | SmemAtom):
        return _layout(found.layout)
    if isinstance(found, Layout | ComposedLayout):
        return _layout(found)
    if isinstance(found, CoordLayout | CoordTensor):
        return _coordinates(found)
    if isinstance(found, Swizzle):
        return _swizzle(found)
    if isinstance(found, ThreadMap):
        return _thread_map(found)
    if isinstance(found, MatrixLayout):
        return _matrix(found)
    if isinstance(found, Unknowns):
        return _unknowns(found)
    if isinstance(found, Tiler):
        return Shown(f'a tiler has no offsets of its own; cutelab algebra zipped_divide LAYOUT "{found}" cuts a layout')
    if isinstance(found, Coordinate):
        return Shown("a coordinate has no offset of its own; a layout called with it has, with None for _")
    if getattr(found, "src", 0) is None:
        return Shown(
            "its threads and values are those of the tensor map that it is made with, so there is no table here"
        )
    return Shown("cutelab tiled TEXT --thread 0 lists what a thread holds")


def framed(cells: list[list[str]]) -> str:
    """Rows of cells in the frame of print_layout.

    >>> print(framed([["a", "-"]]))
          0   1
        +---+---+
     0  | a | - |
        +---+---+
    """
    wide = max(len(cell) for row in cells for cell in row)
    columns = len(cells[0])
    rule = "    " + ("+" + "-" * (wide + 2)) * columns + "+"
    lines = [("    " + "".join(f" {n:>{wide + 1}} " for n in range(columns))).rstrip(), rule]
    for number, row in enumerate(cells):
        lines += [f"{number:2d}  " + "".join(f"| {cell:>{wide}} " for cell in row) + "|", rule]
    return "\n".join(lines)


def _too_many() -> str:
    return f"more than {MOST_SHOWN:,} cells are not printed"


def _drawn() -> str:
    return f"{_too_many()}; --svg FILE.svg draws them"


def _layout(layout: Any) -> Shown:
    from cutelab.core import cosize, offsets, print_layout, rank, size

    about = f"{size(layout)} coordinates, cosize {cosize(layout)}"
    if size(layout) > MOST_SHOWN:
        return Shown(f"{about}; {_drawn()}", layout=layout)
    if rank(layout) == 2:
        return Shown(about, print_layout(layout).split("\n", 1)[1].rstrip("\n"), layout)
    return Shown(about, np.array2string(offsets(layout), threshold=MOST_SHOWN + 1), layout)


def _coordinates(found: Any) -> Shown:
    from cutelab.core.int_tuple import product, rank

    count = product(found.shape)
    about = f"{count} coordinates, each of which has a coordinate, not an offset"
    if count > MOST_SHOWN:
        ends = " to ".join(_text(found(i)) for i in (0, count - 1))
        return Shown(f"{about}, {ends}; {_too_many()}; cutelab.read(TEXT).coordinates() has all")
    each = [found(i) for i in range(count)]
    texts = [_text(one) for one in each]
    rows = product(found.shape[0]) if isinstance(found.shape, tuple) and rank(found.shape) == 2 else 0
    table = framed([texts[row::rows] for row in range(rows)]) if rows else " ".join(texts)
    coordinates = tuple(one if isinstance(one, int | tuple) else one.coordinate for one in each)
    return Shown(about, table, coordinates=coordinates)


def _text(coordinate: Any) -> str:
    from cutelab.core.int_tuple import to_text

    return to_text(coordinate) if isinstance(coordinate, int | tuple) else str(coordinate)


def _swizzle(found: Any) -> Shown:
    from cutelab.core import ComposedLayout, Layout

    if not found.bits:
        return Shown("it changes no offset")
    source, target = (mask.bit_length() - found.bits for mask in (found.yyy, found.zzz))
    last = found.bits - 1
    bits = [f"bits {low} to {low + last}" if last else f"bit {low}" for low in (source, target)]
    verb = "are" if last else "is"
    about = f"{bits[0]} of an offset {verb} XORed into {bits[1]}; the pattern repeats every {found.period} offsets"
    if 4**found.bits > MOST_SHOWN:
        return Shown(f"{about}; {_too_many()}; cutelab.read(TEXT)(OFFSET) gives one")
    places = Layout((1 << found.bits, 1 << found.bits), (1 << source, 1 << target))
    inside = _layout(ComposedLayout(found, 0, places))
    return Shown(f"{about}; what it makes of {places}:", inside.table)


def _thread_map(found: Any) -> Shown:
    it, delta, tile = found.iterations, found.delta, found.tile
    about = (
        f"{found.threads} threads, {found.accesses_per_thread} accesses each: Iterations {it.contiguous} contiguous x "
        f"{it.strided} strided, Delta {delta.contiguous} x {delta.strided}; {found.coverage()}"
    )
    if tile.contiguous * tile.strided > MOST_SHOWN:
        return Shown(f"{about}; {_drawn()}")
    owners: list[list[list[int]]] = [[[] for _ in range(tile.contiguous)] for _ in range(tile.strided)]
    for thread, places in enumerate(found.elements().tolist()):
        for c, s in places:
            if 0 <= c < tile.contiguous and 0 <= s < tile.strided:
                owners[s][c].append(thread)
    return Shown(
        f"{about}; thread of each element:", framed([["+".join(map(str, o)) or "-" for o in row] for row in owners])
    )


def _matrix(found: Any) -> Shown:
    about = f"{found.extent[0]} x {found.extent[1]} ({' x '.join(found.coord_names)}), capacity {found.capacity}"
    if found.extent[0] * found.extent[1] > MOST_SHOWN:
        return Shown(f"{about}; {_too_many()}; cutelab.read(TEXT).offsets has all")
    return Shown(about, framed([[str(n) for n in row] for row in found.offsets.tolist()]))


def _unknowns(found: Any) -> Shown:
    from cutelab.core.errors import CuteLabError

    names = ", ".join(
        hole.name + (f" (a multiple of {hole.divisor})" if hole.divisor > 1 else "") for hole in found.holes
    )
    many = len(found.holes) > 1
    about = f"{len(found.holes)} numbers are open: {names}" if many else f"one number is open: {names}"
    for size in (8, 16, 64, 128):
        try:
            return Shown(
                f"{about}; write {'them' if many else 'it'}, as in {found(*(size * hole.divisor for hole in found.holes))}"
            )
        except CuteLabError:
            continue
    return Shown(about)
