"""conflict_free: try every padding and every swizzle on a tile, count with `cutelab.hardware`, and rank."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from cutelab.advise.conflict_free.fix import Fix
from cutelab.advise.conflict_free.tile_access import TileAccess
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import is_int
from cutelab.core.swizzle import Swizzle
from cutelab.hardware.access import WarpAccess
from cutelab.hardware.chip import Chip
from cutelab.hardware.wavefronts import wavefronts

MAX_BASE, MAX_SHIFT = 7, 7
MAX_ACCESSES = 4096


def conflict_free(
    accesses: TileAccess | Sequence[TileAccess],
    rows: int,
    cols: int,
    element_bytes: int,
    *,
    may_pad: bool = True,
    keep_alignment: int | None = None,
    keep_size: bool = False,
    max_pad: int | None = None,
) -> tuple[Fix, ...]:
    """Which padding or swizzle frees this row-major tile of bank conflicts, for all these accesses together?

    Tried: the tile as given; every pitch from cols to cols + max_pad elements; every Swizzle(B, M, S) on element offsets
    with 2^B up to the number of banks, M <= 7, |S| <= 7. Swizzles that do the same to this tile count once, by their simplest name. All are
    ranked: fewest wavefronts (the sum over all accesses), then least extra memory, then simplest (fewest swizzle bits,
    positive and smaller shift, smaller padding). `[0].free` says whether anything is free of conflicts.

    may_pad         False: the pitch stays cols
    keep_alignment  bytes: rows start at multiples of it, and a swizzle moves aligned pieces of that size whole.
                    None, and at least: the widest access
    keep_size       True: nothing that needs more memory than rows * cols elements
    max_pad         elements; None: as many as there are banks

    Banks, words and shared memory are those of the chip that the accesses name. Raises CuteLabError for a tile beyond the
    shared memory of a block, an access that leaves the tile or is not aligned, and when the limits leave nothing to try.

    >>> from cutelab.advise.conflict_free.tile_access import read_column
    >>> fixes = conflict_free([read_column(0)], 32, 8, 4)
    >>> fixes[0].name, fixes[0].wavefronts, fixes[0].why
    ('Sw<3,0,5>', 1, 'free of bank conflicts: 1 wavefront, the ideal; 7 fewer than as given; no extra memory')
    >>> next(fix.name for fix in fixes if fix.kind == "padding"), fixes[0].units
    ('pitch 9', 'Sw<3,0,5> on 4-byte elements = Sw<3,2,5> on bytes')
    """
    if isinstance(accesses, TileAccess):
        accesses = (accesses,)
    many = isinstance(accesses, range) or not isinstance(accesses, Sequence) or len(accesses) > MAX_ACCESSES
    accesses = () if many else tuple(accesses)
    chip = _chip(accesses)
    max_pad = chip.banks if max_pad is None else max_pad
    _check_tile(rows, cols, element_bytes, max_pad, chip)
    rows, cols, element_bytes, max_pad = int(rows), int(cols), int(element_bytes), int(max_pad)
    align = _alignment(rows, cols, element_bytes, accesses, keep_alignment)
    pads = np.arange(max_pad + 1, dtype=np.int64) if may_pad and not keep_size else np.zeros(1, dtype=np.int64)
    pitches = cols + pads
    pitches = pitches[(pitches * element_bytes % align == 0) & (rows * pitches * element_bytes <= chip.block_bytes)]
    as_given = cols * element_bytes % align == 0
    swizzles: tuple[Swizzle, ...] = ()
    beyond: tuple[int, ...] = ()
    if as_given:
        swizzles, beyond = _distinct_swizzles(rows * cols, max(1, align // element_bytes), chip.banks.bit_length() - 1)
    kept = [
        (s, b)
        for s, b in zip(swizzles, beyond, strict=True)
        if not (keep_size and b) and (rows * cols + b) * element_bytes <= chip.block_bytes
    ]
    if not len(pitches) and not kept:
        raise CuteLabError(
            f"nothing to try: rows of {cols} elements of {element_bytes} bytes do not start at multiples of {align} bytes, "
            "and the limits forbid a pitch that does; allow padding (may_pad=True, keep_size=False) or narrower accesses"
        )
    counts = [_count(access, pitches, [s for s, _ in kept], cols, element_bytes) for access in accesses]
    total, ideal = (np.sum([c[i] for c in counts], axis=0) for i in (0, 1))
    ways = np.max([c[2] for c in counts], axis=0)
    extra = [int(p - cols) * rows * element_bytes for p in pitches] + [b * element_bytes for _, b in kept]
    given = int(total[0]) if as_given else None
    nothing_free = bool((ways > 1).all())
    order = sorted(
        range(len(extra)),
        key=lambda i: (
            int(total[i]),
            extra[i],
            (0, int(pitches[i])) if i < len(pitches) else (1, *_simplicity(kept[i - len(pitches)][0])),
        ),
    )
    per_access = np.stack([c[0] for c in counts], axis=1)
    return tuple(
        Fix(
            rows=rows,
            cols=cols,
            element_bytes=element_bytes,
            pitch=int(pitches[i]) if i < len(pitches) else cols,
            swizzle=None if i < len(pitches) else kept[i - len(pitches)][0],
            wavefronts=int(total[i]),
            ideal=int(ideal[i]),
            ways=int(ways[i]),
            per_access=tuple(per_access[i].tolist()),
            extra_bytes=extra[i],
            given=given,
            best_of_bad=nothing_free and place == 0,
            chip=chip,
        )
        for place, i in enumerate(order)
    )


def _chip(accesses: tuple[TileAccess, ...]) -> Chip:
    """The one chip of all accesses."""
    if not accesses or not all(isinstance(a, TileAccess) for a in accesses):
        raise CuteLabError("name at least one access, a TileAccess; for example read_column(0) or store_rows(16)")
    chips = list(dict.fromkeys(a.chip for a in accesses))
    if len(chips) > 1:
        raise CuteLabError(
            f"the accesses name {len(chips)} chips, such as {chips[0].name} and {chips[1].name}; use one"
        )
    return chips[0]


def _check_tile(rows: Any, cols: Any, element_bytes: Any, max_pad: Any, chip: Chip) -> None:
    for name, value in (("rows", rows), ("cols", cols)):
        if not is_int(value) or value < 1:
            raise CuteLabError(f"{name} must be a whole number of 1 or more, got {shown(value)}")
    if not is_int(element_bytes) or element_bytes not in (1, 2, 4, 8, 16):
        raise CuteLabError(f"an element has 1, 2, 4, 8 or 16 bytes, got {shown(element_bytes)}")
    if not is_int(max_pad) or not 0 <= max_pad <= 1024:
        raise CuteLabError(f"max_pad must be a whole number from 0 to 1024, got {shown(max_pad)}")
    if rows * cols * element_bytes > chip.block_bytes:
        raise CuteLabError(
            f"a tile of {rows} x {cols} elements of {element_bytes} bytes has {rows * cols * element_bytes:,} bytes; "
            f"a block has {chip.block_bytes:,} of shared memory at most"
        )


def _alignment(rows: int, cols: int, element_bytes: int, accesses: tuple[TileAccess, ...], keep: int | None) -> int:
    """The alignment that rows and pieces keep, in bytes; every access is checked against the tile."""
    if keep is not None and (not is_int(keep) or keep < 1 or keep & (keep - 1)):
        raise CuteLabError(f"keep_alignment must be a power of two of bytes, got {shown(keep)}; for example 16")
    for number, a in enumerate(accesses):
        WarpAccess(
            np.zeros(a.row.shape, dtype=np.int64), a.access_bytes, a.kind, a.active, chip=a.chip
        )  # kind, width, lanes
        vector = a.access_bytes // element_bytes
        if vector < 1:
            raise CuteLabError(
                f"access {number} moves {a.access_bytes} bytes a lane, less than an element of {element_bytes} bytes"
            )
        outside = a.active & ((a.row < 0) | (a.row >= rows) | (a.col < 0) | (a.col + vector > cols))
        crooked = a.active & (a.col % vector != 0)
        for wrong, rule in (
            (outside, f"leaves the tile of {rows} x {cols} elements"),
            (crooked, f"is not aligned; {a.access_bytes} bytes must start at a column that is a multiple of {vector}"),
        ):
            if wrong.any():
                warp, lane = (int(i) for i in np.argwhere(wrong)[0])
                at = f"({a.row[warp, lane]},{a.col[warp, lane]})"
                raise CuteLabError(
                    f"access {number}, lane {lane} moves {vector} element{'' if vector == 1 else 's'} from {at} on: this {rule}"
                )
    return int(max(keep or 1, *(a.access_bytes for a in accesses)))


def _simplicity(s: Swizzle) -> tuple[Any, ...]:
    return s.bits, s.shift < 0, abs(s.shift), s.base


@lru_cache(maxsize=64)
def _distinct_swizzles(elements: int, piece: int, max_bits: int) -> tuple[tuple[Swizzle, ...], tuple[int, ...]]:
    """Swizzles that differ on offsets 0 .. elements - 1 and keep pieces whole, and how far each reaches beyond the tile.

    A swizzle is XOR-linear: what it does to the powers of two below `elements` says what it does to every offset.
    """
    basis = 1 << np.arange((elements - 1).bit_length(), dtype=np.int64)
    shifts = [s for n in range(1, MAX_SHIFT + 1) for s in (n, -n)]
    tried = [
        Swizzle(b, m, s) for b in range(1, max_bits + 1) for m in range(MAX_BASE + 1) for s in shifts if abs(s) >= b
    ]
    seen, found, beyond = {basis.tobytes()}, [], []
    offsets = np.arange(elements, dtype=np.int64)
    for swizzle in sorted(tried, key=_simplicity):
        image = swizzle(basis)
        name = image.tobytes()
        if name in seen:
            continue
        seen.add(name)
        inside = basis < piece
        if (image[inside] != basis[inside]).any() or (image[~inside] % piece).any():
            continue
        stays = basis.size and elements == 2 * basis[-1] and image.max() < elements
        found.append(swizzle)
        beyond.append(0 if stays else max(0, int(swizzle(offsets).max()) + 1 - elements))
    return tuple(found), tuple(beyond)


def _count(
    access: TileAccess, pitches: np.ndarray, swizzles: list[Swizzle], cols: int, element_bytes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Wavefronts, ideal and ways of every candidate: pitches first, then swizzles."""
    row, col = (np.where(access.active, v, 0) for v in (access.row, access.col))
    padded = row * pitches[:, None, None] + col
    offset = row * cols + col
    swizzled = np.stack([s(offset) for s in swizzles]) if swizzles else np.empty((0, *offset.shape), dtype=np.int64)
    address = np.concatenate([padded, swizzled]) * element_bytes
    result = wavefronts(WarpAccess(address, access.access_bytes, access.kind, access.active, chip=access.chip))
    return np.sum(result.count, axis=1), np.sum(result.ideal, axis=1), np.max(result.ways, axis=1)
