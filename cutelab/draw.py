"""matplotlib's door: a layout, or a panel of a picture, drawn into Axes of your own.

    from matplotlib import pyplot as plt
    from cutelab import draw

    draw.heatmap(plt.gca(), "(8,8):(9,1)")

A whole card is `explore.layout(...).figure()`. Live pictures are stamped in place of drawn, because a Figure of a thousand numbers
takes matplotlib a hundred times as long: `make bench BENCH_ARGS="-k 'set_and_render or figure_with'"` shows it on your machine.
"""

from cutelab.course.card.paint.figure import bars, heatmap, lines, spans

__all__ = ["bars", "heatmap", "lines", "spans"]
