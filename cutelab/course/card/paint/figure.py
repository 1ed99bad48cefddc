"""The same pictures in matplotlib: whole cards as a Figure, single panels in any Axes. Nothing here saves a file or shows a window."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cutelab.core.errors import CuteLabError
from cutelab.core.layout import as_readable, offsets
from cutelab.course.card.paint.artists import add_ops
from cutelab.course.card.paint.glyphs import LOCK, text_width
from cutelab.course.card.paint.ops import Fill, Frame, Hatch, Text, Triangle
from cutelab.course.card.paint.palette import FRAME
from cutelab.course.card.paint.plan import ROOM, plan, plan_panel
from cutelab.course.card.paint.plan_grid import Block
from cutelab.course.card.picture import Bars, Grid, Lines, Panel, Picture, Spans

DOTS = 100  # CSS pixels an inch of a figure


class CardFigure(Figure):
    """A Figure that a notebook shows as its picture, also without pyplot."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        buffer = io.BytesIO()
        with LOCK:
            self.savefig(buffer, format="png", dpi=DOTS)
        return {"text/plain": repr(self), "image/png": base64.b64encode(buffer.getvalue()).decode("ascii")}


def figure(picture: Picture) -> Figure:
    """How does this picture look as a matplotlib Figure?

    7.2 inches wide, one hundredth of an inch for a CSS pixel, with a thin frame around the card. Text is text. pyplot
    does not know the Figure.

    >>> from cutelab.course.card.picture import Picture
    >>> float(figure(Picture("(8,8):(8,1)", "", "64 elements", ())).get_figwidth())
    7.2
    """
    made = plan(picture)
    with LOCK:
        size = (made.width / DOTS, made.height / DOTS)
        fig = CardFigure(figsize=size, dpi=DOTS, facecolor=FRAME["paper"])
        ax = fig.add_axes((0, 0, 1, 1))
        _sheet(ax, made.width, made.height)
        card = Frame(0, 0, made.width, made.height, FRAME["rule"])
        add_ops(ax, (*made.ops, card), 72 / DOTS)
    return fig


def heatmap(ax: Axes, grid: Any) -> tuple[Artist, ...]:
    """Which artists draw this grid, or the offsets of this layout (a text will do), into these Axes?

    The Axes are set to CSS pixels, y downwards, without ticks. Drawing a grid of the same name again replaces its artists.
    Nothing is saved, shown or closed.

    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> cells, *labels = heatmap(ax, Grid("tile", np.arange(4).reshape(2, 2), labels=np.array([["0", "1"], ["2", "3"]])))
    >>> [t.get_text() for t in labels]
    ['0', '1', '2', '3']
    >>> [t.get_text() for t in heatmap(ax, "(2,2):(1,3)")[1:5]]
    ['0', '3', '1', '4']
    """
    return _panel(ax, grid if isinstance(grid, Panel) else layout_grid(grid), Grid)


def layout_grid(layout: Any) -> Grid:
    """The offsets of a layout as a grid: mode 0 down, the others across.

    >>> layout_grid("(2,2):(1,3)").labels.tolist()
    [['0', '3'], ['1', '4']]
    """
    layout = as_readable(layout)
    found = offsets(layout)
    table = found.reshape(found.shape[0], -1, order="F") if found.ndim > 1 else found.reshape(1, -1)
    low, high = int(table.min(initial=0)), int(table.max(initial=0))
    step = (table - low) * 31 // max(high - low, 1)
    rows, columns = (tuple(map(str, range(n))) for n in table.shape)
    return Grid(str(layout), step, labels=table.astype(np.str_), row_heads=rows, col_heads=columns)


def bars(ax: Axes, bars: Bars) -> tuple[Artist, ...]:
    """Which artists draw these bars, each with its value and its ideal, into these Axes? As `heatmap` otherwise."""
    return _panel(ax, bars, Bars)


def spans(ax: Axes, spans: Spans) -> tuple[Artist, ...]:
    """Which artists draw these stretches of time into these Axes? As `heatmap` otherwise."""
    return _panel(ax, spans, Spans)


def lines(ax: Axes, lines: Lines) -> tuple[Artist, ...]:
    """Which artists draw these lines of text into these Axes? As `heatmap` otherwise."""
    return _panel(ax, lines, Lines)


def _panel(ax: Axes, panel: Panel, kind: type) -> tuple[Artist, ...]:
    if not isinstance(panel, kind):
        raise CuteLabError(f"this draws a {kind.__name__}, not a {type(panel).__name__}")
    block = plan_panel(panel, 4, 4, ROOM)
    width, height = _extent(block), block.height + 8
    tag = f"cutelab:{kind.__name__}:{panel.name}"
    with LOCK:
        for artist in list(ax.get_children()):
            if artist.get_gid() == tag:
                artist.remove()
        _sheet(ax, width, height)
        box = ax.get_window_extent()
        pixel = min(box.width / width, box.height / height)
        artists = add_ops(ax, tuple(block.ops), pixel * 72 / ax.figure.dpi)
        for artist in artists:
            artist.set_gid(tag)
    return artists


def _extent(block: Block) -> float:
    """How wide is what a panel draws?"""
    ends = [float(b.x[-1, 1]) for b in block.boxes if len(b.x)]
    ends += [op.x + op.w for op in block.ops if isinstance(op, Fill | Frame | Hatch | Triangle)]
    words = [op for op in block.ops if isinstance(op, Text)]
    part = {"left": 1.0, "middle": 0.5, "right": 0.0}
    ends += [t.x + text_width(t.text, t.font, t.size) * part[t.align] for t in words]
    return max(ends, default=ROOM) + 4


def _sheet(ax: Axes, width: float, height: float) -> None:
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
