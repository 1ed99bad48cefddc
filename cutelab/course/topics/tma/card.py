"""The card of topic "tma": the matrix with the box on it, the tile in shared memory, barrier and coordinates. Computes no address."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.parts.frames import boxes
from cutelab.course.card.picture import HOLE, OUTSIDE, Grid, Key, Line, Lines, Picture, Ring, Tips
from cutelab.course.card.words import number
from cutelab.course.topics.tma import words
from cutelab.course.topics.tma.model import Array, Result
from cutelab.hardware.span import PIECE

LEFT, RIGHT = 290, 380  # columns of the card


def panels(result: Result) -> Picture:
    """The whole card, as plain data: matrix and box, shared memory, what barrier and coordinates say, the verdict."""
    params = result.params
    legend = [Key("the box", "access"), Key("zero: outside the matrix", "outside")]
    if (result.held < 0).any():
        legend.append(Key("untouched", "hole"))
    return Picture(
        title=words.title(result),
        call=params.call("tma"),
        subtitle=words.subtitle(result),
        body=(((_matrix(result),), (_memory(result), _said(result))),),
        widths=((LEFT, RIGHT),),
        legend=(*legend, Key("probe", "probe")),
        verdicts=words.verdicts(result),
        status=words.status(result),
        reads=words.reads(result),
        copies=words.copies(result),
        tips=Tips(*words.tips(result)),
        probed=result.probed,
        offers=words.offers(result),
    )


def _matrix(result: Result) -> Grid:
    """The matrix by pieces, the box on it."""
    p, boxed = result.params, result.boxed
    inside = (result.rows[:, None] >= 0) & (result.rows[:, None] < p.rows) & (result.first >= 0)
    inside &= result.first * p.vector < p.cols
    fill = np.where(boxed >= 0, boxed // result.piece.shape[1] % 8, -1)
    zeros = result.zeros.ravel()[np.maximum(boxed, 0)]
    out = (boxed >= 0) & (zeros == p.vector)
    states = np.where(out, OUTSIDE, 0)
    fill = np.where(out, -1, fill)
    field = np.where(inside & (boxed < 0), "·", "")
    labels = np.where(out, "", field)  # the frame says zero; a digit in so small a cell would hide it
    high = max(5, min(18, 330 // len(result.rows)))
    return Grid(
        name="matrix",
        fill=fill,
        scale="category",
        labels=labels,
        states=states.astype(np.uint8),
        heading="the matrix in global memory",
        subheading="· not copied",
        row_heads=tuple(map(str, result.rows.tolist())),
        col_heads=tuple(map(str, (result.first * p.vector).tolist())),
        cell=(min(26, 250 // len(result.first)), high),
        rings=(*(Ring(*box, "access") for box in boxes(boxed >= 0)), *_ring(boxed, result.probed)),
        probe=boxed,
    )


def _memory(result: Result) -> Grid:
    """The tile by address: a line of 128 bytes a row, which piece of the matrix lies in each piece."""
    held, p = result.held, result.params
    down, across = np.divmod(np.maximum(held, 0), result.piece.shape[1])
    zeros = np.where(held >= 0, result.zeros[down, across], 0)
    place = np.char.add(
        np.char.add(result.matrix_row[down].astype("U6"), ","), result.matrix_column[across].astype("U6")
    )
    out = zeros == p.vector
    labels = np.where(held < 0, "", np.where(out, "0", place))
    part = (zeros > 0) & ~out
    second = np.where(part, np.char.add("0 ×", zeros.astype("U2")), "") if part.any() else None
    states = np.where(held < 0, HOLE, np.where(out, OUTSIDE, 0))
    pieces = held.shape[1]
    return Grid(
        name="memory",
        fill=np.where((held < 0) | out, -1, down % 8),
        scale="category",
        labels=labels,
        second=second,
        states=states.astype(np.uint8),
        heading="the tile in shared memory",
        subheading="by address",
        corner="byte",
        row_heads=tuple(number(int(line) * p.chip.row_bytes) for line in result.lines),
        col_heads=tuple(f"+{PIECE * i}" for i in range(pieces)),
        cell=(max(9, min(41, 330 // pieces)), max(13, min(26, 420 // len(held)))),
        rings=_ring(held, result.probed),
        probe=held,
    )


def _ring(cells: Array, probed: int) -> tuple[Ring, ...]:
    return tuple(Ring(r, c, r, c, "probe") for r, c in np.argwhere(cells == probed).tolist())


def _said(result: Result) -> Lines:
    """Barrier and coordinates in words."""
    layout, maps, at = words.coordinates(result)
    tile = result.tile
    lines = (
        Line("told to the barrier (mbarrier)", "muted"),
        Line("", bold=f"expect_tx {number(tile.expect_bytes)} bytes"),
        Line(f"rows {tile.row_bytes} bytes apart, {words.mode(result)}", "plain"),
        Line(kind="rule"),
        Line("the matrix as a coordinate layout", "muted"),
        Line("", bold=layout),
        Line(maps, "muted"),
        Line(at, "plain"),
    )
    return Lines("said", lines)
