"""The matplotlib way draws what the stamped way draws, as true text, and leaves nothing behind."""

from __future__ import annotations

import base64
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pictures
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text as MplText

from cutelab.core.errors import CuteLabError
from cutelab.core.layout import as_layout
from cutelab.course.card.paint.export import export
from cutelab.course.card.paint.figure import bars, figure, heatmap, layout_grid, lines
from cutelab.course.card.paint.ops import Cells, Text
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.paint.stamp import stamp

NAMES = sorted(pictures.ALL)


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.parametrize("name", sorted(pictures.ALL))
def test_an_svg_file_says_and_shows_what_the_plan_does(name):
    picture = pictures.ALL[name]()
    made, space = plan(picture), "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(export(picture, "svg"))
    assert (root.get("width"), root.get("height")) == (str(made.width), str(made.height))
    assert root.find(space + "desc").text == picture.alt
    words = [op.text for op in made.ops if isinstance(op, Text) and op.text.strip()]
    cells = [op for op in made.ops if isinstance(op, Cells)]
    words += [text for op in cells for label in op.labels for text in label.texts.ravel().tolist() if text]
    assert sorted(e.text for e in root.iter(space + "text")) == sorted(words)
    corners: set[tuple[str, float, float]] = set()
    for path in root.iter(space + "path"):
        found = re.findall(r"M(-?[\d.]+) (-?[\d.]+)h", path.get("d"))
        corners |= {(path.get("fill"), float(x), float(y)) for x, y in found}
    for op in cells:
        for i, j in np.ndindex(op.pair.shape):
            assert (op.colours[op.pair[i, j]][0], float(op.xs[j]), float(op.ys[i])) in corners


def test_an_svg_file_of_a_thousand_numbers_is_small():
    assert len(export(pictures.numbers(), "svg")) <= 150_000


def test_a_figure_is_shown_as_its_picture():
    shown = figure(pictures.layout())._repr_mimebundle_()
    assert base64.b64decode(shown["image/png"])[:4] == b"\x89PNG"


@pytest.mark.parametrize("text, shape", [("(4,8):(8,1)", (4, 8)), ("6:2", (1, 6)), ("(2,3,4)", (2, 12)), ("Sw<2,0,2> o 0 o (4,4):(4,1)", (4, 4))])  # fmt: skip
def test_a_heatmap_takes_a_layout(text, shape):
    layout = as_layout(text)
    grid = layout_grid(layout)
    assert grid.shape == shape
    assert grid.labels.ravel(order="F").tolist() == [str(layout(i)) for i in range(grid.labels.size)]
    words = [a.get_text() for a in heatmap(Figure().subplots(), text) if hasattr(a, "get_text")]
    assert set(grid.labels.ravel()) <= set(words)
