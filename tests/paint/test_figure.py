"""The matplotlib way draws what the stamped way draws, as true text, and leaves nothing behind."""

from __future__ import annotations

import sys

import numpy as np
import pictures
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text as MplText

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint import bars, export, figure, heatmap, lines
from cutelab.course.card.paint.ops import Cells, Text
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.paint.stamp import stamp

NAMES = sorted(pictures.ALL)


@pytest.mark.parametrize("name", NAMES)
def test_cells_and_colours_are_those_of_the_stamped_picture(name):
    picture = pictures.ALL[name]()
    made = plan(picture)
    cells_only = type(made)(made.width, made.height, tuple(o for o in made.ops if isinstance(o, Cells)), made.grids)
    canvas = stamp(cells_only, 2)
    image = canvas.colours[canvas.pixels]
    (ax,) = figure(picture).axes
    grids = [c for c in ax.collections if isinstance(c, PolyCollection) and not len(c.get_edgecolors())]
    drawn = {}
    for collection in grids:
        colours = collection.get_facecolors()
        for n, path in enumerate(collection.get_paths()):
            x0, y0, x1, y1 = path.get_extents().extents
            drawn[x0, y0, x1, y1] = to_hex(colours[n % len(colours)])
    for op in cells_only.ops:
        for i, j in np.ndindex(*op.pair.shape):
            x, y, w = int(op.xs[j]), int(op.ys[i]), int(op.widths[j])
            high = op.height
            if (x, y, x + w, y + high) not in drawn:  # an empty field reaches to the next row
                high = op.pitch[1]
            colour = drawn[x, y, x + w, y + high]
            assert colour == op.colours[op.pair[i, j]][0]
            if op.states is None or not op.states[i, j]:
                r, g, b = image[y * 2, x * 2]
                assert colour == f"#{r:02x}{g:02x}{b:02x}"


@pytest.mark.parametrize("name", NAMES)
def test_labels_and_words_are_those_of_the_plan(name):
    picture = pictures.ALL[name]()
    wanted = []
    for op in plan(picture).ops:
        if isinstance(op, Text) and op.text:
            wanted.append(op.text)
        elif isinstance(op, Cells):
            wanted += [str(t) for label in op.labels for t in label.texts.ravel() if t != ""]
    (ax,) = figure(picture).axes
    assert sorted(t.get_text() for t in ax.texts) == sorted(wanted)


def test_labels_stand_in_their_cells():
    picture = pictures.layout()
    fig = figure(picture)
    (ax,) = fig.axes
    box, height = plan(picture).grids[0], plan(picture).height
    fig.draw_without_rendering()
    inside = 0
    for text in ax.texts:
        if text.get_text().isdigit() and 30 < text.get_window_extent().x0 < 300:
            extent = text.get_window_extent()
            at = box.at((extent.x0 + extent.x1) / 2, height - (extent.y0 + extent.y1) / 2)
            if at:
                assert text.get_text() == str(at[0] * 8 + at[1])
                inside += 1
    assert inside == 64


def test_cells_are_one_collection():
    ax = Figure().subplots()
    artists = heatmap(ax, pictures.numbers().grids()[0])
    assert sum(isinstance(a, PolyCollection) for a in artists) == 1
    assert len(ax.patches) < 20 and len(ax.texts) > 1024


def test_artists_do_not_grow_on_repeated_draws():
    ax = Figure().subplots()
    picture = pictures.states()
    panels = picture.body[0][0] + picture.body[0][1]
    counts = []
    for _ in range(10):
        for panel in panels:
            {"Grid": heatmap, "Bars": bars}[type(panel).__name__](ax, panel)
        lines(ax, pictures.layout().body[0][1][1])
        counts.append(len(ax.get_children()))
    assert len(set(counts)) == 1


def test_a_panel_is_drawn_into_any_axes_and_what_is_there_stays():
    fig = Figure(figsize=(8, 4))
    left, right = fig.subplots(1, 2)
    (line,) = left.plot([1, 2, 3])
    artists = heatmap(left, pictures.layout().grids()[0])
    assert line in left.lines and all(a.axes is left or a in left.get_children() for a in artists)
    assert not right.texts and not right.collections
    assert left.get_ylim()[0] > left.get_ylim()[1]


@pytest.mark.parametrize("name", ["collisions", "strips", "states"])
def test_exports(name):
    picture = pictures.ALL[name]()
    svg = export(picture, "svg")
    assert picture.title.encode() in svg and b"<text" in svg and b"DejaVu Sans Mono" in svg
    assert svg == export(picture, "svg")
    assert export(picture, "pdf")[:5] == b"%PDF-" and b"/FontFile2" in export(picture, "pdf")
    assert export(picture, "png")[:4] == b"\x89PNG"


def test_dollar_signs_are_letters():
    grid = pictures.Grid("g", np.zeros((1, 1), int), labels=np.array([["$x$"]]), cell=(36, 36))
    assert b"$x$" in export(pictures.Picture("a $b$", "c", "s", (((grid,),),)), "svg")


def test_a_format_or_panel_that_does_not_exist_is_told():
    with pytest.raises(CuteLabError, match="svg"):
        export(pictures.layout(), "gif")
    with pytest.raises(CuteLabError, match="Grid"):
        heatmap(Figure().subplots(), pictures.states().body[0][1][2])


def test_pyplot_is_not_loaded():
    figure(pictures.layout())
    assert isinstance(figure(pictures.layout()).axes[0].texts[0], MplText)
    assert "matplotlib.pyplot" not in sys.modules
