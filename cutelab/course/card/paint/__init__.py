"""Floor 4: from a `Picture` (plain data) to pixels, and to matplotlib.

`render` is the fast way: one indexed PNG, without matplotlib. `paint.figure` draws the same plan with it, as true text: whole cards, or
one panel into any Axes; `paint.export` writes files.
"""

from cutelab.course.card.paint.stamp import Rendered, render

__all__ = ["Rendered", "render"]
