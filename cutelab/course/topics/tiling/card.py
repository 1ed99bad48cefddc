"""The card of topic "tiling": the matrix in its tiles, the picked tile alone, how to slice it."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from cutelab.algebra.explain import tiler_text
from cutelab.course.card.paint.labels import numbered
from cutelab.course.card.parts.sheet import crd_text, sheet, sum_text
from cutelab.course.card.picture import OUTSIDE, Grid, Key, Line, Lines, Offer, Picture, Ring, Tips
from cutelab.course.card.words import labels_of
from cutelab.course.topics.tiling import words
from cutelab.course.topics.tiling.model import WIDE, Array, Result, Sheet

DASHED = 24  # side of a cell from which the drawing dashes the frame of a tile
INT32 = 2**31 - 1


def panels(result: Result) -> Picture:
    """The whole card, as plain data: the matrix in tiles, the picked tile, how to slice it, the verdict."""
    wide = len(result.sheets) == 1 and len(result.sheets[0].columns) > WIDE
    room = 334 if len(result.sheets) > 1 else 688 if wide else 440
    matrices = [_matrix(result, s, room) for s in result.sheets]
    body: tuple[Any, ...]
    widths: tuple[tuple[int, ...], ...]
    if len(result.sheets) > 1:
        body, widths = (tuple((m,) for m in matrices), ((_lines(result, 88),),)), ((334, 334), (688,))
    elif result.cut.known is None:
        body, widths = (((matrices[0],),), ((_lines(result, 88),),)), ((688,), (688,))
    elif wide:
        body, widths = (((matrices[0],),), ((_tile(result),), (_lines(result, 52),))), ((688,), (236, 432))
    else:
        body, widths = (((matrices[0],), (_tile(result),)), ((_lines(result, 88),),)), ((440, 224), (688,))
    return Picture(
        title=words.title(result),
        call=result.params.call("tiling"),
        subtitle=words.subtitle(result, numbered(matrices[0])),
        body=body,
        widths=widths,
        legend=_legend(result, matrices),
        verdicts=words.verdicts(result),
        status=words.status(result),
        reads=words.reads(result),
        copies=words.copies(result),
        tips=_tips(result),
        probed=result.probed,
        offers=_offers(result),
    )


def _offers(result: Result) -> tuple[Offer, ...]:
    """Tilers that would do instead of a refused one over the 1-D order."""
    if result.cut.by_mode:
        return ()
    return tuple(Offer(f"tiler {tile}", "admissible", {"tiler": tile}) for tile in words.near(result.cut))


def _hue(sheet: Sheet, pair: Array) -> Array:
    """The category of each pair's tile: neighbours down differ by 1, neighbours across by 3."""
    tile = pair // sheet.cut.elements
    down = sheet.cut.grid[0]
    return np.where(pair >= 0, (tile % down + 3 * (tile // down)) % 8, -1)


def _gaps(tiles: Array, side: int) -> tuple[int, ...]:
    """Room between neighbouring rows that belong to other tiles; none where each row does."""
    if side < 7 or len(tiles) < 2:
        return ()
    edges = (tiles[1:] != tiles[:-1]).any(1)
    if edges.all():
        return ()
    return (0, *np.where(edges, 5, 0).tolist())


def _matrix(result: Result, s: Sheet, room: int) -> Grid:
    rows, columns = len(s.rows), len(s.columns)
    tiles = np.where(s.pair >= 0, s.pair // s.cut.elements, -1)
    across = _gaps(tiles.T, 9)
    width = max(5, min(30, (room - 28 - sum(across)) // columns))
    height = max(5, min(width, 26, 330 // rows))
    shown = ~s.beyond | (s.pair >= 0)
    labels = np.where(shown & ((s.pair >= 0) | s.cut.divides), labels_of(s.offsets), "")
    if width < 5 * np.char.str_len(labels).max() - 2:
        width = height = min(width, height)
    rings = [*_outline(s), *_probe(result, s)]
    heading, named = "", ""
    if len(result.sheets) > 1:
        heading, named = tiler_text(s.cut.tiler), "by mode" if s.cut.by_mode else "over the 1-D order"
    return Grid(
        name="matrix" if s is result.sheets[0] else "other",
        fill=_hue(s, s.pair),
        scale="category",
        labels=labels,
        states=np.where(s.beyond & (s.pair >= 0), OUTSIDE, 0).astype(np.uint8),
        heading=heading,
        subheading=named,
        row_heads=tuple(map(str, s.rows.tolist())),
        col_heads=tuple(map(str, s.columns.tolist())),
        cell=(width, height),
        row_gap=_gaps(tiles, height),
        col_gap=across,
        rings=tuple(rings),
        probe=_cells(result, result.sheets[0].pair),
    )


def _cells(result: Result, pair: Array) -> Array:
    """The probe cell of each pair, -1 where no pair stands."""
    place = np.minimum(np.searchsorted(result.ids, pair), len(result.ids) - 1)
    return np.where((pair >= 0) & (result.ids[place] == pair), place, -1)


def _outline(s: Sheet) -> list[Ring]:
    """A frame around the picked tile: one where it is in one piece, else one for each run of cells in a row."""
    if s.cut.known is None:
        return []
    mine = (s.pair >= 0) & (s.pair // s.cut.elements == s.tile)
    i, j = np.nonzero(mine)
    if not len(i):
        return []
    box = (int(i.min()), int(j.min()), int(i.max()), int(j.max()))
    if mine[box[0] : box[2] + 1, box[1] : box[3] + 1].all():
        return [Ring(*box, "access")]
    padded = np.pad(mine.astype(int), ((0, 0), (1, 1)))
    steps = np.diff(padded, axis=1)
    starts, ends = np.argwhere(steps == 1).tolist(), np.argwhere(steps == -1).tolist()
    return [Ring(r, a, r, b - 1, "access") for (r, a), (_, b) in zip(starts, ends, strict=True)][:64]


def _probe(result: Result, s: Sheet) -> list[Ring]:
    if s.cut.known is None:
        return []
    if s is result.sheets[0]:
        found = np.argwhere(s.pair == result.picked)
    else:  # the same place of the matrix
        found = np.argwhere(result.sheets[0].pair == result.picked)
    return [Ring(int(i), int(j), int(i), int(j)) for i, j in found[:1]]


def _tile(result: Result) -> Grid:
    """The picked tile alone: its own coordinates, the offsets of its elements."""
    found, s = result.cut, result.sheets[0]
    cells = sheet(found.tile_shape, result.params.element, most=16)
    inside = cells.inside & ~cells.beyond
    pair = np.where(inside, s.tile * found.elements + cells.index, -1)
    table = np.zeros(pair.shape, np.int64)
    table[inside] = found.offsets(pair[inside])
    width = max(5, min(30, (236 - 34 - sum(cells.col_gap)) // cells.columns))
    height = max(5, min(width + 2, 26, 200 // cells.rows))
    labels = np.where(inside, labels_of(table), "")
    ring = cells.find(result.params.element)
    down, across = found.places(np.maximum(pair, 0).ravel())
    beyond = ((down >= found.extent[0]) | (across >= found.extent[1])).reshape(pair.shape) & inside
    return Grid(
        name="tile",
        fill=_hue(s, pair),
        scale="category",
        labels=labels,
        states=np.where(beyond, OUTSIDE, 0).astype(np.uint8),
        heading=f"{words.what(found)[0]} {words.tile_name(found, s.tile)}",
        subheading=words.picked_layout(found) if found.result is not None else "",
        row_heads=cells.row_heads,
        col_heads=cells.col_heads,
        cell=(width, height),
        row_gap=cells.row_gap if height >= 9 else (),
        col_gap=cells.col_gap if width >= 9 else (),
        rings=(Ring(*ring, *ring),) if ring else (),
        probe=_cells(result, pair),
    )


def _lines(result: Result, letters: int) -> Lines:
    """The result, the slice, the picked element's way to its offset."""
    found = result.cut
    lines = [Line("", "rule")]

    def say(bold: str, text: str) -> None:
        if len(bold) + len(text) + 1 <= letters:
            lines.append(Line(text, "read", bold))
        else:
            lines.extend([Line("", "read", bold), *(Line(t, "read") for t in textwrap.wrap(text, letters)[:2])])

    for s in result.sheets:
        if s.cut.result is not None:
            say("R =" if len(result.sheets) == 1 else f"{tiler_text(s.cut.tiler)}:", str(s.cut.result))
    if found.result is not None:
        say(words.slice_text(result), f"→ {words.picked_layout(found)} from offset {result.origin}")
        element = crd_text(result.params.element, found.tile_shape)
        say(f"{element}", f"→ {result.origin} + {_within(result)}")
        if text := words.beware(result):
            lines.append(Line(text, "plain"))
    else:
        lines += [Line(t, "muted") for t in textwrap.wrap(found.refusal, 112 if letters > 60 else 68)[:4]]
    return Lines("slice", tuple(lines))


def _within(result: Result) -> str:
    """The place of the picked element in its tile, spelled out."""
    offset: Any = result.cut.offset
    inner = getattr(offset, "inner", offset)
    if inner is not offset:
        return f"{result.offset - result.origin} = {result.offset}, by {offset.outer}"
    text = sum_text(inner[0], result.params.element)
    return f"{text.split(' = ')[0]} = {result.offset}"


def _legend(result: Result, matrices: list[Grid]) -> tuple[Key, ...]:
    found = result.cut
    if found.known is None:
        return ()
    one = words.what(found)[0]
    sheet, keys = result.sheets[0], []
    tiles = np.unique(sheet.pair[sheet.pair >= 0] // found.elements)
    drawn = set(zip((tiles % found.grid[0]).tolist(), (tiles // found.grid[0]).tolist(), strict=True))
    i, j = min(drawn, default=(0, 0))
    for name in ((i, j), (i + 1, j), (i, j + 1)):
        if name in drawn:
            text = f"{one} ({name[0]},{name[1]})" if found.pairs else f"{one} ({name[0]})"
            keys.append(Key(text, "fill", "category", (name[0] + 3 * name[1]) % 8))
    dashed = min(min(grid.cell or (0, 0)) for grid in matrices) >= DASHED
    picked = f"the picked {one}" if len(matrices) == 1 else "the tile of the picked element"
    keys.append(Key(picked, "twin" if dashed else "access"))
    keys.append(Key("the picked element", "probe"))
    if any((s.beyond & (s.pair >= 0)).any() for s in result.sheets):
        keys.append(Key("beyond the matrix", "outside"))
    return tuple(keys)


def _tips(result: Result) -> Tips | None:
    found = result.cut
    if found.known is None:
        return None
    tile, element = np.divmod(result.ids, found.elements)
    down, across = found.places(result.ids)
    table = [tile % found.grid[0], tile // found.grid[0], element, down, across, found.offsets(result.ids)]
    name = "({0},{1})" if found.pairs else "({0})"
    who = f"{words.what(found)[0]} {name}, element {{2}}"
    for second in result.sheets[1:]:
        tiles = second.cut.holders(down, across)
        table += [tiles % second.cut.grid[0], tiles // second.cut.grid[0]]
        who = f"left {who}; right tile " + ("({6},{7})" if second.cut.pairs else "({6})")
    clipped = np.clip(np.stack(table, 1), -INT32, INT32).astype(np.int32)
    return Tips(f"{who}\n({{3}},{{4}}) → offset {{5}}", clipped)
