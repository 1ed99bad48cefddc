"""Topic "tensor_core", from shared memory to registers: which instructions load the operand, and what each costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.advise.conflict_free import Fix, store_rows
from cutelab.advise.copies import FragmentLoad, fragment_loads, tensor_core_fixes
from cutelab.core.errors import CuteLabError
from cutelab.core.layout import Layout, offsets
from cutelab.cutlass.atoms import mma_atom
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.wavefronts import Wavefronts, wavefronts

CORE = "core matrix"
LINES, MOST_CURED = 16, 2**14


@dataclass(frozen=True, eq=False)
class Feed:
    """The shared-memory side of an operand.

    layout   (row, column) of the tile in shared memory -> offset in elements; table: all of them
    item     bytes of an element
    ways     the ways to load the operand, best first; empty where the instruction reads shared memory itself
    load     the chosen way, None for a core matrix (8 rows of 16 bytes, as the instruction finds them)
    steps    warp instructions of the chosen way, all warps together; step: the one that is drawn
    waves    the wavefronts of the drawn one
    store    wavefronts and ideal of filling the whole tile row by row, 16 bytes a lane; None where 16 bytes are not one piece
    """

    layout: Any
    table: np.ndarray
    item: int
    ways: tuple[FragmentLoad, ...]
    load: FragmentLoad | None
    steps: int
    step: int
    waves: Wavefronts
    store: tuple[int, int] | None

    @property
    def name(self) -> str:
        """The instruction that is drawn."""
        return CORE if self.load is None else self.load.instruction

    @property
    def unit(self) -> int:
        """Bytes of a drawn cell: what a lane moves, a word at least."""
        return max(4, self.waves.access.access_bytes)

    @property
    def lines(self) -> np.ndarray:
        """The 128-byte lines of memory that are drawn: all, or those around the access."""
        last = int(self.table.max()) * self.item // 128
        if last < LINES:
            return np.arange(last + 1)
        touched = np.unique(self.waves.word[self.waves.access.active] // 32)
        if touched[-1] - touched[0] < LINES:
            first = min(int(touched[0]) // 8 * 8, last + 1 - LINES)
            return np.arange(first, first + LINES)
        return touched


@lru_cache(maxsize=256)
def ways(layout: Any, atom: str, operand: str, item: int, at: tuple[int, int]) -> tuple[FragmentLoad, ...]:
    """fragment_loads, remembered: a step of the probe asks again for the same."""
    return fragment_loads(layout, mma_atom(atom), operand, item, at=at)


@lru_cache(maxsize=256)
def stored(layout: Any, item: int) -> tuple[int, int] | None:
    """Wavefronts and ideal of filling the tile row by row with 16-byte stores; None where 16 bytes are not one aligned piece."""
    table = offsets(layout)
    rows, cols = table.shape
    vector = 16 // item
    if vector < 1 or cols % vector:
        return None
    pieces = table.reshape(rows, -1, vector)
    if (pieces != pieces[..., :1] + np.arange(vector)).any() or (pieces[..., 0] * item % 16).any():
        return None
    access = store_rows(16, rows=rows, cols=cols, element_bytes=item)
    found = wavefronts(WarpAccess(table[access.row, access.col] * item, 16, "store", access.active))
    return int(np.sum(found.count)), int(np.sum(found.ideal))


def feed(layout: Any, atom: str, operand: str, item: int, at: tuple[int, int], load: str, step: int) -> Feed | None:
    """How is the operand loaded? `load` names the way (the best one if it is not possible); None where nothing can load it."""
    found = ways(layout, atom, operand, item, at)
    if not found:
        return None
    chosen = next((way for way in found if way.instruction == load), found[0])
    single = [
        (access, warp, i)
        for warp in range(chosen.accesses[0].shape[0])
        for access in chosen.accesses
        for i in range(access.shape[1])
    ]
    step = min(step, len(single) - 1)
    access, warp, i = single[step]
    one = WarpAccess(access.byte_address[warp, i], access.access_bytes, access.kind, access.active[warp, i])
    table = offsets(layout)
    return Feed(layout, table, item, found, chosen, len(single), step, wavefronts(one), stored(layout, item))


def core_matrix(layout: Any, item: int, at: tuple[int, int]) -> Feed:
    """The 8 rows of 16 bytes that WGMMA and UMMA read together, at (row, column), counted as ldmatrix.x1 would be."""
    table = offsets(layout)
    address = np.zeros(32, np.int64)
    address[:8] = table[at[0] : at[0] + 8, at[1]] * item
    waves = wavefronts(WarpAccess(address, 16, "ldmatrix", np.arange(32) < 8))
    return Feed(layout, table, item, (), None, 1, 0, waves, stored(layout, item))


@lru_cache(maxsize=128)
def cures(atom: str, operand: str, rows: int, cols: int, item: int) -> tuple[Fix, ...]:
    """Paddings and swizzles for stores of 16 bytes by rows and for all loads of the tile, best first; () where none was sought."""
    if rows * cols > MOST_CURED or cols * item % 16:
        return ()
    try:
        return tensor_core_fixes(mma_atom(atom), operand, rows, cols, item)
    except CuteLabError:
        return ()


def better(
    atom: str, operand: str, plain: Layout, item: int, at: tuple[int, int], load: str
) -> tuple[tuple[Fix, int], ...]:
    """Up to three cures, a padding among them, that beat the plain tile, each with the wavefronts that the load then takes."""
    rows, cols = offsets(plain).shape
    found = cures(atom, operand, rows, cols, item)
    given = next((c for c in found if c.kind == "as given"), None)
    best = [c for c in found if given is not None and c.kind != "as given" and c.wavefronts < given.wavefronts]
    kept = best[:2] + [c for c in best[2:] if c.kind == "padding"][:1]
    if not any(c.kind == "swizzle" for c in kept):
        kept = kept[:2] + [c for c in best if c.kind == "swizzle"][:1]
    counted = []
    for cure in kept:
        tried = ways(cure.layout, atom, operand, item, at)
        way = next((w for w in tried if w.instruction == load), tried[0])
        counted.append((cure, way.wavefronts))
    return tuple(counted)
