"""Floor 4: from a `Picture` (plain data) to pixels, and to matplotlib.

`render` is the fast way: one indexed PNG. `figure` and `export` draw the same plan with matplotlib, as true text. `heatmap`, `spans`, `bars`
and `lines` draw one panel into any Axes.
"""

from cutelab.course.card.paint.figure import bars, export, figure, heatmap, lines, spans
from cutelab.course.card.paint.stamp import Rendered, render

__all__ = ["Rendered", "bars", "export", "figure", "heatmap", "lines", "render", "spans"]
