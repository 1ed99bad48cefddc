"""The plan: where cells lie, what room words have, which errors are told."""

from __future__ import annotations

import dataclasses

import numpy as np
import pictures
import pytest

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint import labels
from cutelab.course.card.paint.glyphs import text_width
from cutelab.course.card.paint.ops import Cells, Fill, Frame, Text
from cutelab.course.card.paint.palette import fill_and_ink
from cutelab.course.card.paint.plan import INK, ROOM, number, plan, plan_panel, wrap
from cutelab.course.card.picture import Bar, Bars, Grid, Key, Line, Lines, Picture, Ring, Verdict

NAMES = sorted(pictures.ALL)


def card(*columns, **more) -> Picture:
    return Picture("title", "call()", "subtitle", (columns,), **more)


@pytest.mark.parametrize("name", NAMES)
def test_the_middle_of_a_cell_is_that_cell(name):
    picture = pictures.ALL[name]()
    made = plan(picture)
    assert [g.name for g in made.grids] == [g.name for g in picture.grids()]
    for box in made.grids:
        for i, (top, foot) in enumerate(box.y):
            for j, (left, right) in enumerate(box.x):
                assert box.at((left + right) / 2, (top + foot) / 2) == (i, j)
                assert box.at(left, top) == (i, j)
        assert box.at(box.x[0, 0] - 1, box.y[0, 0]) is None


@pytest.mark.parametrize("name", NAMES)
def test_cells_do_not_overlap_and_stay_on_the_card(name):
    made = plan(pictures.ALL[name]())
    taken = np.zeros((made.height, made.width), int)
    for op in made.ops:
        if isinstance(op, Cells) and op.name:
            for y in op.ys:
                for x, w in zip(op.xs, op.widths, strict=True):
                    taken[y : y + op.height, x : x + w] += 1
                    assert x >= 0 and x + w <= made.width and y + op.height <= made.height
    assert taken.max() == 1


@pytest.mark.parametrize("name", NAMES)
def test_words_do_not_overlap_and_stay_on_the_card(name):
    made = plan(pictures.ALL[name]())
    spans = []
    for op in made.ops:
        if isinstance(op, Text) and op.text:
            wide = text_width(op.text, op.font, op.size)
            left = op.x - {"left": 0, "middle": wide / 2, "right": wide}[op.align]
            assert left >= 11 and left + wide <= made.width - 8, op
            spans.append((left, left + wide, op.y - op.size * 0.37, op.y + op.size * 0.37, op.text))
    for n, (a, b, c, d, text) in enumerate(spans):
        for e, f, g, h, other in spans[n + 1 :]:
            assert b <= e or f <= a or d <= g or h <= c, (text, other)


def test_words_wider_than_their_room_end_in_an_ellipsis():
    long = "word " * 60
    lines = Lines("l", (Line(long, "read", bold=long), Line(long, "muted"), Line(long, "plain")))
    grid = Grid("g", np.zeros((2, 2), int), heading=long, subheading=long, col_heads=(long, long), row_heads=("a", "b"))
    bars = Bars("b", (Bar(long, 1, 2, long),), long)
    picture = Picture(
        long,
        long,
        long,
        (((grid, bars), (lines,)),),
        (),
        (Key(long),),
        (Verdict("good", long, long), Verdict("bad", long)),
    )
    firsts = [
        wrap(long, font, size, ROOM - 36, 2)[0] for font, size in (("bold", 12), ("sans", 11.5))
    ]  # of a verdict's two
    for op in plan(picture).ops:
        if isinstance(op, Text) and op.text not in ("✓", "✗", "a", "b", *firsts):
            assert op.text.endswith("…") or not op.text, op
            wide = text_width(op.text, op.font, op.size)
            left = op.x - {"left": 0, "middle": wide / 2, "right": wide}[op.align]
            assert left >= 11 and left + wide <= 709, op


@pytest.mark.parametrize(
    "shape, side",
    [((8, 8), 36), ((16, 16), 36), ((32, 32), 21), ((128, 128), 5), ((64, 64), 10), ((128, 1), 5), ((1, 128), 5)],
)
def test_the_side_of_a_cell_comes_from_the_room(shape, side):
    box = plan(card((Grid("g", np.zeros(shape, int)),))).grids[0]
    assert (np.diff(box.x, axis=1) == side).all() and (np.diff(box.y, axis=1) == side).all()


@pytest.mark.parametrize("shape, drawn", [((8, 8), True), ((32, 32), True), ((64, 64), False), ((128, 128), False)])
def test_numbers_go_when_cells_are_small(shape, drawn):
    fill = np.zeros(shape, int)
    made = plan(card((Grid("g", fill, labels=fill.astype(np.str_)),)))
    assert bool(next(op for op in made.ops if isinstance(op, Cells)).labels) == drawn


def test_headers_every_fourth_below_side_24():
    def heads(cell):
        grid = Grid("g", np.zeros((1, 16), int), col_heads=tuple(map(str, range(16))), cell=(cell, cell))
        return [op.text for op in plan(card((grid,))).ops if isinstance(op, Text) and op.text.isdigit()]

    assert heads(24) == [str(i) for i in range(16)]
    assert heads(23) == ["0", "4", "8", "12"]


def test_gaps_come_before_their_row_and_column():
    grid = Grid("g", np.zeros((2, 4), int), row_gap=(0, 5), col_gap=(0, 0, 10, 0), cell=(20, 20))
    box = plan(card((grid,))).grids[0]
    assert (box.x[:, 0] - box.x[0, 0]).tolist() == [0, 20, 50, 70]
    assert (box.y[:, 0] - box.y[0, 0]).tolist() == [0, 25]


def test_first_grids_of_a_row_begin_at_one_height():
    left = Grid("a", np.zeros((2, 2), int), heading="heading", col_heads=("0", "1"), cell=(20, 20))
    right = Grid("b", np.zeros((2, 2), int), cell=(20, 20))
    a, b = plan(card((left,), (right,))).grids
    assert a.y.tolist() == b.y.tolist()


def test_skipped_rows_are_low():
    box = plan(pictures.strips()).grids[0]
    assert np.diff(box.y, axis=1).ravel().tolist() == [29] * 4 + [5] * 28 + [29] * 4


def test_verdicts_stand_beside_each_other_only_where_they_fit():
    short, long = Verdict("good", "1 wavefront, the ideal"), Verdict("bad", "32 wavefronts where 1 would do " * 2)
    beside = plan(card(verdicts=(short, short))).height
    below = plan(card(verdicts=(short, long))).height
    assert below > beside


def test_an_empty_grid_and_an_empty_body_are_drawn():
    assert plan(Picture("t", "c", "s", ())).height > 40
    assert plan(card((Grid("none", np.zeros((0, 4), int)), Grid("no", np.zeros((3, 0), int))))).width == 720


@pytest.mark.parametrize(
    "picture, words",
    [
        (card((Grid("g", np.zeros((1, 5000), int)),)), "do not fit"),
        (card((Grid("g", np.full((2, 2), 32), "offset"),)), "0 to 31"),
        (card((Grid("g", np.full((2, 2), 3), "hue"),)), "scale"),
        (card((), widths=((300, 300),)), "columns"),
        (card(("not a panel",)), "panel"),
        (card(legend=(Key("x", "unknown"),)), "legend"),
    ],
)
def test_what_cannot_be_drawn_is_told(picture, words):
    with pytest.raises(CuteLabError, match=words):
        plan(picture)


def test_numbers_have_commas_above_9999():
    assert [number(v) for v in (0, 9999, 10000, 1.5, 0.333)] == ["0", "9999", "10,000", "1.5", "0.33"]


def test_a_key_of_every_kind_is_drawn():
    kinds = ("hole", "collision", "outside", "inactive", "past_end", "probe", "twin", "access", "stripe")
    plain = plan(card()).ops
    for kind in (*kinds, "ramp", "banks", "fill"):
        assert len(plan(card(legend=(Key("words", kind),))).ops) >= len(plain) + 2, kind


@pytest.mark.parametrize("names", [("W0", "W1", "W2", "W3"), tuple(f"thread {i}" for i in range(10))])
def test_a_legend_names_each_of_its_colours(names):
    (cells,) = (
        op for op in plan(card(legend=(Key("warp", "names", "category", names=names),))).ops if isinstance(op, Cells)
    )
    assert cells.labels[0].texts.tolist() == [list(names)]
    fills = [cells.colours[n][0] for n in cells.pair[0]]
    assert fills == [fill_and_ink("category", i)[0] for i in range(len(names))]


@pytest.mark.parametrize("side", (16, 23, 24, 36))
def test_the_access_swatch_is_dashed_where_the_rings_are(side):
    grid = Grid("g", np.zeros((2, 2), int), "category", cell=(side, side), rings=(Ring(0, 0, 1, 0, "access"),))
    frames = [op for op in plan(card((grid,), legend=(Key("read", "access"),))).ops if isinstance(op, Frame)]
    ring, swatch = (op for op in frames if op.width == 2 and op.colour == INK)
    assert ring.dash == swatch.dash == ((5, 3) if side >= 24 else None)


def test_pictures_are_plain_values():
    """Planning leaves the picture as it was."""
    picture = pictures.collisions()
    before = [dataclasses.astuple(g)[1].copy() for g in picture.grids()]
    plan(picture)
    for grid, fill in zip(picture.grids(), before, strict=True):
        assert (grid.fill == fill).all()


def test_a_bar_ends_where_its_most_says():
    given = [Bar("a", 8, None, "sectors"), Bar("b", 8, None, "sectors", most=32), Bar("c", 8, None, "sectors", most=4)]
    ops = [op for op in plan_panel(Bars("b", tuple(given)), 0, 0, 300).ops if isinstance(op, Fill)]
    (room, whole), (_, quarter), (_, capped) = ((a.w, b.w) for a, b in zip(ops[::2], ops[1::2], strict=True))
    assert (whole, quarter, capped) == (room, round(room / 4), room)


def test_row_headers_beside_tall_rows_are_not_cut():
    grid = Grid("g", np.zeros((2, 4), int), row_heads=("4160", "4192"), cell=(20, 12), row_heights=(40, 12))
    texts = {op.text for op in plan_panel(grid, 0, 0, 300).ops if isinstance(op, Text)}
    assert {"4160", "4192"} <= texts


@pytest.mark.parametrize("width", range(18, 64, 3))
@pytest.mark.parametrize("most", [8, 32, 128, 256])
def test_the_two_labels_of_a_cell_do_not_read_as_one_word(width, most):
    thread = np.char.add("T", np.arange(most).astype("U3"))
    left, right = labels._pair(thread, np.char.add("v", np.arange(8).astype("U1")), width - 1, 27, 7) or (None, None)
    if left is None:  # no room: the thread stands alone
        assert width < 42
        return
    end = left.x + labels.widest(left.texts, left.font) * left.size
    begin = right.x - labels.widest(right.texts, right.font) * right.size
    assert begin - end >= labels.PAIR_AIR * left.size - 1e-9
    assert left.x >= 2 and right.x <= width - 2
