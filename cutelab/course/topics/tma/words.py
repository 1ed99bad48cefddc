"""The words of topic "tma": what arrives, what the barrier is told, where the pattern begins. Counts nothing itself."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.picture import Offer, Verdict
from cutelab.course.card.words import count, number
from cutelab.course.topics.tma.model import Array, Result
from cutelab.hardware.chip import Address
from cutelab.hardware.span import PIECE


def title(result: Result) -> str:
    """Box, matrix and start in one line."""
    p = result.params
    return f"box {p.box_rows} x {p.inner} of a {p.rows} x {p.cols} matrix, from row {p.row}, column {p.column}"


def subtitle(result: Result) -> str:
    """What a cell is, what number and colour mean."""
    p = result.params
    return (
        f"{p.element}. A cell = 16 bytes, {count(p.vector, 'element')}. Colour = row of the box, number = row,column."
    )


def mode(result: Result) -> str:
    """The swizzle mode as a few words."""
    span = result.params.swizzle_bytes
    return f"swizzled over {span} bytes" if span else "without swizzle"


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """What the barrier expects; what hangs over; a pattern that begins in its midst."""
    p, tile, zero = result.params, result.tile, result.zero_elements
    wide = p.box_rows * p.inner
    bytes_ = f"The barrier must expect {number(tile.expect_bytes)} bytes"
    gap = f"{count(result.gap_bytes, 'byte')} between the short rows stay untouched" if result.gap_bytes else ""
    if zero:
        hung = f"{number(zero)} of {number(wide)} elements lie outside the matrix and arrive as zero; the barrier counts them"
        found = [Verdict("note", f"{bytes_}: the whole box, though it hangs over the edge", "; ".join(filter(None, (hung, gap))))]  # fmt: skip
    else:
        found = [Verdict("good", f"{bytes_}: the whole box, {p.box_rows} rows of {tile.inner_bytes} bytes", gap)]
    if result.shift:
        found.append(
            Verdict(
                "note",
                f"The tile begins in the midst of the pattern: it is shifted by {count(result.shift, 'line')} of 128 bytes",
                f"the swizzle acts on addresses; start at a multiple of {number(tile.boundary)}",
            )
        )
    return tuple(found)


def coordinates(result: Result) -> tuple[str, str, str]:
    """The matrix as CuTe's coordinate tensor: the layout, what it maps, the probe through it."""
    p, layout = result.params, result.tile.coordinate_layout
    row, column = int(result.matrix_row[p.down]), int(result.matrix_column[p.across])
    at = f"({row},{column}) → coordinate ({column},{row})"
    return str(layout), "(row,column) → (column,row): a coordinate, not an offset", at


def status(result: Result) -> str:
    """The probe in words."""
    p = result.params
    row, column = int(result.matrix_row[p.down]), int(result.matrix_column[p.across])
    byte, zeros = int(result.piece[p.down, p.across]) * PIECE, int(result.zeros[p.down, p.across])
    words = f"({row},{column}) → {Address(byte // p.item, p.item, p.chip)}"
    if not zeros:
        return words
    return words + (" · all zero" if zeros == p.vector else f" · {zeros} of {p.vector} zero")


def reads(result: Result) -> str:
    """The tile in words, for the alt text."""
    return f"{result.params.element}, {mode(result)}, base {result.params.smem_base}"


def offers(result: Result) -> tuple[Offer, ...]:
    """The base where the pattern begins, where it is another."""
    if not result.shift:
        return ()
    return (Offer("base 0  the pattern begins", "a multiple of 1,024 bytes", {"smem_base": 0}),)


def copies(result: Result) -> dict[str, str]:
    """The line that makes this view; the tile in Python; the coordinate layout; the two PTX instructions."""
    p, tile = result.params, result.tile
    shape = f"({p.rows}, {p.cols}), {p.item}, ({p.inner}, {p.box_rows}), {p.swizzle_bytes}, {p.smem_base}"
    ptx = (
        f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {tile.expect_bytes};\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
        f"[tile], [map, {{{p.column}, {p.row}}}], [bar];"
    )
    return {
        "cutelab": p.call("tma"),
        "TmaTile": f"TmaTile({shape}).load({p.column}, {p.row})",
        "CuTe": str(tile.coordinate_layout),
        "PTX": ptx,
    }


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on a piece, and its numbers."""
    rows, columns = result.piece.shape
    row, column = np.repeat(result.matrix_row, columns), np.tile(result.matrix_column, rows)
    byte = result.piece.ravel() * PIECE
    table = np.stack([row, column, byte, result.params.chip.bank(byte), result.zeros.ravel()], axis=-1)
    return "({0},{1}) → byte {2}, from bank {3}\nzeros {4}", table.astype(np.int32)
