"""From shared memory to registers: which instructions load an operand, and what each costs. Knows no picture and no knobs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.advise.conflict_free import Fix, store_rows
from cutelab.advise.copies import FragmentLoad, fragment_loads, tensor_core_fixes
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.course.card.parts.memory_lines import MemoryLines, memory_lines
from cutelab.cutlass.atoms import MmaAtom
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import Chip
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

Array = np.ndarray[Any, Any]
Smem = Layout | ComposedLayout
CORE = "core matrix"
LINES, MOST_FIXED = 16, 2**14


@dataclass(frozen=True, eq=False)
class Feed:
    """The shared-memory side of an operand.

    table    (row, column) of the tile in shared memory -> offset in elements; item: bytes of an element
    ways     the ways to load the operand, best first; empty where the instruction reads shared memory itself
    load     the chosen way, None for a core matrix (8 rows of 16 bytes, as the instruction finds them)
    steps    warp instructions of the chosen way, all warps together; step: the one that is drawn
    waves    the wavefronts of the drawn one
    memory   the lines of memory that are drawn
    store    wavefronts and ideal of filling the whole tile row by row, 16 bytes a lane; None where 16 bytes are not one piece
    """

    table: Array
    item: int
    ways: tuple[FragmentLoad, ...]
    load: FragmentLoad | None
    steps: int
    step: int
    waves: Wavefronts
    memory: MemoryLines
    store: tuple[int, int] | None

    @property
    def name(self) -> str:
        """The instruction that is drawn."""
        return CORE if self.load is None else self.load.instruction


@lru_cache(maxsize=256)
def ways(
    layout: Smem, atom: MmaAtom, operand: str, item: int, at: tuple[int, int], chip: Chip
) -> tuple[FragmentLoad, ...]:
    """fragment_loads, remembered: a step of the probe asks again for the same."""
    return fragment_loads(layout, atom, operand, item, at=at, chip=chip)


@lru_cache(maxsize=256)
def stored(layout: Smem, item: int, chip: Chip) -> tuple[int, int] | None:
    """Wavefronts and ideal of filling the tile row by row with 16-byte stores; None where 16 bytes are not one aligned piece."""
    table = offsets(layout)
    rows, cols = table.shape
    vector = 16 // item
    if vector < 1 or cols % vector:
        return None
    pieces = table.reshape(rows, -1, vector)
    if (pieces != pieces[..., :1] + np.arange(vector)).any() or (pieces[..., 0] * item % 16).any():
        return None
    access = store_rows(16, rows=rows, cols=cols, element_bytes=item, chip=chip)
    found = wavefronts(WarpAccess(table[access.row, access.col] * item, 16, "store", access.active, chip=chip))
    return int(np.sum(found.count)), int(np.sum(found.ideal))


def feed(layout: Smem, item: int, found: tuple[FragmentLoad, ...], chosen: FragmentLoad, step: int) -> Feed:
    """The operand loaded by the chosen one of the ways that were found; `step` is the warp instruction that is drawn."""
    single = [
        (access, warp, i)
        for warp in range(chosen.accesses[0].shape[0])
        for access in chosen.accesses
        for i in range(access.shape[1])
    ]
    access, warp, i = single[step]
    address, active = access.byte_address[warp, i], access.active[warp, i]
    one = WarpAccess(address, access.access_bytes, access.kind, active, chip=access.chip)
    return _feed(layout, item, found, chosen, len(single), step, one)


def core_matrix(layout: Smem, item: int, at: tuple[int, int], chip: Chip) -> Feed:
    """The 8 rows of 16 bytes that WGMMA and UMMA read together, at (row, column), counted as ldmatrix.x1 would be."""
    address = np.zeros(chip.lanes, np.int64)
    address[:8] = offsets(layout)[at[0] : at[0] + 8, at[1]] * item
    return _feed(
        layout, item, (), None, 1, 0, WarpAccess(address, 16, "ldmatrix", np.arange(chip.lanes) < 8, chip=chip)
    )


def _feed(
    layout: Smem,
    item: int,
    found: tuple[FragmentLoad, ...],
    chosen: FragmentLoad | None,
    steps: int,
    step: int,
    one: WarpAccess,
) -> Feed:
    table, chip = offsets(layout), one.chip
    memory = memory_lines(table, item, one.access_bytes, chip, one.byte_address[one.active], LINES, together=True)
    return Feed(table, item, found, chosen, steps, step, wavefronts(one), memory, stored(layout, item, chip))


@lru_cache(maxsize=128)
def fixes(atom: MmaAtom, operand: str, rows: int, cols: int, item: int, chip: Chip) -> tuple[Fix, ...]:
    """Paddings and swizzles for stores of 16 bytes by rows and for all loads of the tile, best first; () where none was sought."""
    if rows * cols > MOST_FIXED or cols * item % 16:
        return ()
    try:
        return tensor_core_fixes(atom, operand, rows, cols, item, chip=chip)
    except CuteLabError:
        return ()


def better(
    atom: MmaAtom, operand: str, plain: Layout, item: int, at: tuple[int, int], load: str, chip: Chip
) -> tuple[tuple[Fix, int], ...]:
    """Up to three fixes, a padding among them, that beat the plain tile, each with the wavefronts that the load then takes."""
    rows, cols = offsets(plain).shape
    found = fixes(atom, operand, rows, cols, item, chip)
    given = next((c for c in found if c.kind == "as given"), None)
    best = [c for c in found if given is not None and c.kind != "as given" and c.wavefronts < given.wavefronts]
    kept = best[:2] + [c for c in best[2:] if c.kind == "padding"][:1]
    if not any(c.kind == "swizzle" for c in kept):
        kept = kept[:2] + [c for c in best if c.kind == "swizzle"][:1]
    counted = []
    for fix in kept:
        tried = ways(fix.layout, atom, operand, item, at, chip)
        way = next((w for w in tried if w.instruction == load), tried[0])
        counted.append((fix, way.wavefronts))
    return tuple(counted)
