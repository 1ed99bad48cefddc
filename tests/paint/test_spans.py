"""Stretches of time: where they lie, what they say, who is ringed, and that both ways of drawing agree."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from matplotlib.figure import Figure

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint.figure import figure, spans
from cutelab.course.card.paint.glyphs import text_width
from cutelab.course.card.paint.ops import Fill, Frame, Hatch, Text
from cutelab.course.card.paint.palette import FRAME, fill_and_ink
from cutelab.course.card.paint.plan import plan, plan_panel
from cutelab.course.card.paint.plan_spans import ticks
from cutelab.course.card.paint.stamp import stamp
from cutelab.course.card.picture import Bar, Bars, Picture, Spans

X, WIDTH, LEFT = 16, 688, 38
TIME = Spans(
    name="time",
    rows=("copy", "MMA"),
    row=np.array([0, 0, 0, 1, 1]),
    start=np.array([0.0, 100.0, 300.0, 0.0, 300.0]),
    end=np.array([100.0, 300.0, 301.0, 300.0, 650.0]),
    fill=np.array([-1, 0, 1, -1, 8]),
    probe=np.array([-1, 0, 1, -1, 0]),
    first=0,
    last=650,
    labels=(np.array(["", "copy 0", "copy 1", "", "MMA 0"]), np.array(["", "0", "1", "", "0"])),
    row_heights=(26, 20),
    row_gap=(0, 8),
    heading="two tiles",
    probed=0,
    marks=((325, "here"),),
)


def drawn(panel: Spans = TIME):
    return plan_panel(panel, X, 58, WIDTH, LEFT)


def place(t: float) -> int:
    return X + LEFT + round(t * (WIDTH - LEFT) / 650)


def test_a_stretch_lies_where_its_time_is():
    block = drawn()
    fills = {(op.x, op.colour): op for op in block.ops if isinstance(op, Fill)}
    for start, end, fill, top, high in ((100, 300, 0, 76, 25), (300, 650, 8, 110, 19)):
        op = fills[place(start), fill_and_ink("category", fill)[0]]
        assert (op.y, op.h) == (top, high) and op.w == place(end) - place(start) - 1
    hatches = [(op.x, op.w) for op in block.ops if isinstance(op, Hatch)]
    assert hatches == [(place(0), 99), (place(0), 299)]


def test_the_pointer_finds_each_stretch_in_its_row():
    boxes = drawn().boxes
    assert [box.probe.tolist() for box in boxes] == [[[0, 1]], [[0]]]
    for box, top, time, cell in ((boxes[0], 80, 200, 0), (boxes[0], 80, 300.5, 1), (boxes[1], 112, 500, 0)):
        row, col = box.at(place(time), top)
        assert box.probe[row, col] == cell
    assert boxes[1].at(place(200), 112) is None, "waiting belongs to no tile here"


def test_the_first_label_that_fits():
    words = [op.text for op in drawn().ops if isinstance(op, Text)]
    assert "copy 0" in words and "MMA 0" in words and "copy 1" not in words and "1" not in words
    for factor, expected in ((1, "copy 0"), (8, "0"), (90, None)):
        longer = dataclasses.replace(TIME, last=650 * factor)
        block = drawn(longer)
        texts = [op for op in block.ops if isinstance(op, Text) and op.text in ("copy 0", "0") and op.size != 9]
        texts = [op for op in texts if op.y < 102]
        assert [op.text for op in texts] == ([expected] if expected else [])
        for op in texts:
            assert text_width(op.text, op.font, op.size) <= 200 / (650 * factor) * (WIDTH - LEFT)


def test_the_probe_is_ringed_in_each_row():
    rings = [op for op in drawn().ops if isinstance(op, Frame) and op.colour == FRAME["ink"]]
    assert [(r.x, r.x + r.w) for r in rings] == [
        (place(100) - 3, place(300) + 2),
        (place(300) - 3, place(650) + 2),
    ]
    assert not [op for op in drawn(dataclasses.replace(TIME, probed=-1)).ops if isinstance(op, Frame)]


def test_a_mark_stands_at_its_time_and_names_it():
    block = drawn()
    (line,) = [op for op in block.ops if isinstance(op, Fill) and op.colour == FRAME["ink"]]
    assert line.x == place(325) and line.h > 26 + 8 + 20
    assert [op.x for op in block.ops if isinstance(op, Text) and op.text == "here"] == [place(325) + 5]
    outside = drawn(dataclasses.replace(TIME, marks=((700, "gone"),)))
    assert not [op for op in outside.ops if isinstance(op, Text) and op.text == "gone"]


@pytest.mark.parametrize(("first", "last"), [(0, 1), (0, 650), (0, 7256), (18_360, 41_000), (0.5, 0.75), (0, 10**7)])
def test_ticks_are_round_and_not_too_many(first, last):
    found = ticks(first, last)
    assert 2 <= len(found) <= 9 and found[0] >= first - 1e-9 and found[-1] <= last + 1e-9
    step = found[1] - found[0]
    assert np.allclose(np.diff(found), step)
    assert float(f"{step:.6e}"[0]) in (1, 2, 5) and np.allclose(found / step, np.round(found / step))


def test_both_ways_of_drawing_agree():
    picture = Picture("t", "c", "s", (((TIME,),),))
    made, canvas = plan(picture), stamp(plan(picture), 1)
    (ax,) = figure(picture).axes
    wanted = sorted(op.text for op in made.ops if isinstance(op, Text) and op.text)
    assert sorted(t.get_text() for t in ax.texts) == wanted
    image = canvas.colours[canvas.pixels]
    for op in made.ops:
        if isinstance(op, Fill) and op.colour == fill_and_ink("category", 0)[0] and op.w > 20:
            r, g, b = image[int(op.y) + 4, int(op.x) + 4]
            assert f"#{r:02x}{g:02x}{b:02x}" == op.colour
    one = Figure().subplots()
    assert len(spans(one, TIME)) == len(spans(one, TIME))
    assert sorted(t.get_text() for t in one.texts) == sorted(w for w in wanted if w not in "tcs")


def test_an_axis_without_length_is_told():
    with pytest.raises(CuteLabError, match="first before its last"):
        drawn(dataclasses.replace(TIME, last=0))
    with pytest.raises(CuteLabError, match="at most 4000 spans"):
        many = np.zeros(5000)
        drawn(dataclasses.replace(TIME, row=many.astype(int), start=many, end=many))


def test_bars_may_leave_the_number_of_the_ideal_to_the_heading():
    bar = Bar("2 stages", 812, 512, "cycles")
    for said in (True, False):
        block = plan_panel(Bars("b", (dataclasses.replace(bar, say_ideal=said),)), X, 58, 300)
        words = [op.text for op in block.ops if isinstance(op, Text)]
        assert ("812 cycles, ideal 512" in words) == said and ("812 cycles" in words) == (not said)
        assert sum(isinstance(op, Fill) and op.colour == FRAME["ink"] for op in block.ops) == 1


def test_words_go_right_of_a_mark_where_they_do_not_fit_left_of_it():
    def subheading(time):
        panel = dataclasses.replace(TIME, subheading="what there is to say about it", marks=((time, "here"),))
        return next(op for op in drawn(panel).ops if isinstance(op, Text) and op.text.startswith("what"))

    assert subheading(600).x < place(600) and subheading(80).x > place(80)
    assert subheading(600).text == subheading(80).text == "what there is to say about it"
