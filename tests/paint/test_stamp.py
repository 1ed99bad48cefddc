"""The stamped picture: its file, its cells, its labels, its states, its size and its speed."""

from __future__ import annotations

import io
import threading
import zlib

import matplotlib.image
import numpy as np
import pictures
import pytest

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint import png, render, stamp_cells
from cutelab.course.card.paint.canvas import Canvas, rgb
from cutelab.course.card.paint.glyphs import CAP, advance, glyph_ink
from cutelab.course.card.paint.ops import Cells
from cutelab.course.card.paint.palette import FRAME, fill_and_ink, scale_colours
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.paint.stamp import stamp
from cutelab.course.card.picture import COLLISION, HOLE, INACTIVE, OUTSIDE, PAST_END, Grid, Picture, Ring
from cutelab.course.topics.layout import compute, panels
from cutelab.course.topics.layout.knobs import PRESETS, LayoutParams

NAMES = sorted(pictures.ALL)


def decode(data: bytes) -> np.ndarray:
    """The picture as another program reads it: uint8 [y, x, rgb]."""
    return np.round(matplotlib.image.imread(io.BytesIO(data), format="png")[..., :3] * 255).astype(np.uint8)


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("name", NAMES)
def test_the_file_decodes_to_the_canvas(name, scale):
    picture = pictures.ALL[name]()
    made = render(picture, scale)
    canvas = stamp(plan(picture), scale)
    assert (decode(made.png) == canvas.colours[canvas.pixels]).all()
    assert canvas.pixels.shape == (made.height * scale, made.width * scale)
    assert len(canvas.colours) <= 256


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (7, 1), (40, 50)])
def test_any_canvas_survives_the_file(shape):
    canvas = np.random.default_rng(1).integers(0, 256, shape).astype(np.uint8)
    colours = np.random.default_rng(2).integers(0, 256, (256, 3)).astype(np.uint8)
    assert (decode(png.encode(canvas, colours)) == colours[canvas]).all()


def slow_cell(op: Cells, row: int, col: int, scale: int) -> np.ndarray:
    """One plain cell, drawn pixel by pixel: colours [y, x, rgb]."""
    high, wide = op.height * scale, int(op.widths[col]) * scale
    fill, ink = (np.array(rgb(c), float) for c in op.colours[op.pair[row, col]])
    levels = np.zeros((high, wide), int)
    for label in op.labels:
        text = str(label.texts[row, col])
        steps = [round(advance(label.font, c) * label.size * scale) for c in text]
        longest = max(sum(round(advance(label.font, c) * label.size * scale) for c in t) for t in label.texts.flat)
        if longest > wide:
            steps = [s - 1 for s in steps]
        x = round(label.x * scale)
        pen = {"left": x, "right": x - sum(steps), "middle": (2 * x - sum(steps) + 1) // 2}[label.align]
        for char, step in zip(text, steps, strict=True):
            glyph = glyph_ink(char, label.font, label.size * scale)
            baseline = label.middle * scale + CAP * label.size * scale / 2
            for (y, x), level in np.ndenumerate(glyph.levels):
                a, b = round(baseline) - glyph.top + y, pen + glyph.left + x
                if 0 <= a < high and 0 <= b < wide:
                    levels[a, b] = max(levels[a, b], level)
            pen += step
    return np.round(fill + (ink - fill) * levels[..., None] / 3).astype(np.uint8)


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("name", ["layout", "banks", "swizzle", "numbers", "states"])
def test_every_label_is_the_one_given(name, scale):
    made = plan(pictures.ALL[name]())
    ringless = type(made)(made.width, made.height, tuple(o for o in made.ops if isinstance(o, Cells)), made.grids)
    canvas = stamp(ringless, scale)
    image = canvas.colours[canvas.pixels]
    for op in ringless.ops:
        for row, col in list(np.ndindex(*op.pair.shape))[:: max(1, op.pair.size // 60)]:
            if (op.states is not None and op.states[row, col]) or op.stripe is not None:
                continue
            if op.empty is not None and op.empty[row, col]:
                continue
            y, x = op.ys[row] * scale, op.xs[col] * scale
            cell = image[y : y + op.height * scale, x : x + int(op.widths[col]) * scale]
            assert (cell == slow_cell(op, row, col, scale)).all(), (op.name, row, col)


def test_labels_of_any_length_and_alphabet_are_stamped():
    labels = np.array([["", "7", "T31", "×32", "1023", "(2,3)", "é→·", " "]])
    op = Cells(
        "t", 40 * np.arange(8), np.array([0]), np.full(8, 39), 20, (40, 21), np.arange(8)[None], scale_colours("bank"),
        (pictures.label(labels, 10, 20, 10),),
    )  # fmt: skip
    canvas = Canvas(320, 21, 2, FRAME["paper"], FRAME["ink"])
    from cutelab.course.card.paint.stamp_cells import stamp_cells

    stamp_cells(canvas, op)
    image = canvas.colours[canvas.pixels]
    for col in range(8):
        assert (image[:40, col * 80 : col * 80 + 78] == slow_cell(op, 0, col, 2)).all(), labels[0, col]


def cell_of(flag: int = 0, rings=(), scale: int = 2, cell=(36, 36)) -> np.ndarray:
    grid = Grid("g", np.full((3, 3), 9), labels=np.full((3, 3), "16"), cell=cell, rings=rings,
                states=np.where(np.arange(9).reshape(3, 3) == 4, flag, 0))  # fmt: skip
    picture = Picture("t", "c", "s", (((grid,),),))
    box = plan(picture).grids[0]
    canvas = stamp(plan(picture), scale)
    (x0, x1), (y0, y1) = box.x[1] * scale, box.y[1] * scale
    return canvas.colours[canvas.pixels][y0 - 8 : y1 + 8, x0 - 8 : x1 + 8]


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("cell", [(36, 36), (13, 13), (6, 6)])
def test_every_state_and_ring_differs_from_plain_and_from_each_other(scale, cell):
    seen = [cell_of(f, scale=scale, cell=cell) for f in (0, HOLE, COLLISION, OUTSIDE, INACTIVE, PAST_END)]
    kinds = ("probe", "twin", "access", "box")
    seen += [cell_of(rings=(Ring(1, 1, 1, 1, k),), scale=scale, cell=cell) for k in kinds]
    different = {image.tobytes() for image in seen}
    assert len(different) == 10


def test_marks_are_where_they_should_be():
    mark, bad = np.array(rgb(FRAME["mark"])), np.array(rgb(FRAME["bad"]))
    clash = cell_of(COLLISION)[8:-10, 8:-10]
    assert (clash[0] == mark).all() and (clash[:, -1] == mark).all() and (clash[4, -9] == mark).all()
    assert not (clash[4, 9] == mark).all()
    outside = cell_of(OUTSIDE)[8:-10, 8:-10]
    dashes = (outside[0] == bad).all(1)
    assert 0.4 < dashes.mean() < 0.8
    probe = cell_of(rings=(Ring(1, 1, 1, 1),))
    ink, paper = np.array(rgb(FRAME["ink"])), np.array(rgb(FRAME["paper"]))
    box = cell_of(rings=(Ring(1, 1, 1, 1, "box"),))[8:-10, 8:-10]
    for edge in (box[:2], box[-2:], box[:, :2], box[:, -2:]):
        assert (edge == ink).all()
    assert not (box[2:4, 2:-2] == ink).all(2).any() and not (box[2:-2, 2:4] == ink).all(2).any()
    row = probe[40]
    assert (row[:2] == paper).all() and (row[2:6] == ink).all() and (row[6:8] == paper).all()
    fill = np.array(rgb(fill_and_ink("offset", 9)[0]))
    assert (row[8:12] == fill).all()


def test_a_shared_cell_of_a_strip_is_split():
    made = plan(pictures.collisions())
    canvas = stamp(made, 2)
    image, box = canvas.colours[canvas.pixels], made.grids[1]
    (x0, x1), (y0, y1) = box.x[2] * 2, box.y[1] * 2
    middle = (y0 + y1 - 2) // 2
    assert (image[middle, x0 : x1 - 2] == rgb(FRAME["mark"])).all()


def test_more_colours_than_a_palette_holds_are_drawn_with_the_nearest():
    canvas = Canvas(4, 4, 1, FRAME["paper"], FRAME["ink"])
    entries = [canvas.pair(*p) for scale in ("bank", "offset", "category") for p in scale_colours(scale)]
    assert len(canvas.colours) <= 256 and max(entries) < 256
    assert canvas.solid("#102030") < 256
    wanted = [rgb(p[0]) for scale in ("bank", "offset", "category") for p in scale_colours(scale)]
    found = canvas.colours[entries].astype(int)
    assert np.abs(found - np.array(wanted)).sum(1).max() < 120


def test_geometry_is_in_fractions_of_the_card():
    made, planned = render(pictures.layout(), 1), plan(pictures.layout())
    for box, where in zip(made.grids, planned.grids, strict=True):
        assert box.x * made.width == pytest.approx(where.x) and box.y * made.height == pytest.approx(where.y)
        assert (box.probe == where.probe).all()


@pytest.mark.parametrize("scale", [0, 5, 1.5, "2", None])
def test_a_scale_that_does_not_exist_is_told(scale):
    with pytest.raises(CuteLabError, match="scale"):
        render(pictures.layout(), scale)


def test_size_of_32_by_32_numbers():
    """At most 80 KB at scale 2 and 25 KB at scale 1 whatever the pitch."""
    made = [pictures.numbers(seed) for seed in range(8)]
    for picture in made:
        assert len(render(picture, 2).png) <= 80_000
        assert len(render(picture, 1).png) <= 25_000


def test_zlib_writes_the_same_picture_where_zlib_ng_is_missing(monkeypatch):
    picture = pictures.numbers()
    wanted = decode(render(picture, 2).png)
    monkeypatch.setattr(png, "compress", zlib.compress)
    assert (decode(render(picture, 2).png) == wanted).all()
    assert len(render(picture, 2).png) <= 80_000


def test_kept_labels_are_those_stamped_anew():
    """An atlas that has grown, or was emptied, gives each label the ink that it had alone."""

    def cells(texts) -> np.ndarray:
        found = np.zeros((1, 30, len(texts), 60), np.uint8)
        stamp_cells.stamp_label(found, pictures.label(np.array([texts]), 10, 15, 7), 2, 60)
        return found[0].transpose(1, 0, 2)

    stamp_cells._atlas.cache_clear()
    texts = ["7", "1023", "(2,3)", "Åg|", ""]
    together = cells(texts)
    for text, ink in zip(texts, together, strict=True):
        stamp_cells._atlas.cache_clear()
        assert (cells([text])[0] == ink).all(), text
    cells([str(n) for n in range(stamp_cells._KEPT)])
    assert (cells(texts) == together).all()


def test_pictures_of_the_layout_scene_are_small():
    """Every preset, and 1024 labels of up to four digits that all change along both axes."""
    for text in (*PRESETS.values(), "(32,32):(1,33)"):
        picture = panels(compute(LayoutParams(layout=text)))
        assert len(render(picture, 2).png) <= 80_000, text
        assert len(render(picture, 1).png) <= 30_000, text


def test_a_probed_cell_between_its_twins_keeps_its_inside():
    rings = (Ring(0, 1, 0, 1, "twin"), Ring(1, 1, 1, 1, "probe"), Ring(2, 1, 2, 1, "twin"))
    alone = cell_of(rings=(Ring(1, 1, 1, 1, "probe"),))[8:-10, 8:-10]
    assert (cell_of(rings=rings)[8:-10, 8:-10] == alone).all()


def test_threads_may_draw_at_once():
    wanted = {name: render(pictures.ALL[name](), 1).png for name in NAMES}
    glyph_ink.cache_clear()
    wrong = []

    def work(name):
        if render(pictures.ALL[name](), 1).png != wanted[name]:
            wrong.append(name)

    threads = [threading.Thread(target=work, args=(n,)) for n in NAMES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
