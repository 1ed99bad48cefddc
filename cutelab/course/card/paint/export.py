"""A picture as a file for other programs: SVG from the plan, PDF and PNG by matplotlib, which is loaded for these only."""

from __future__ import annotations

import io

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint import svg
from cutelab.course.card.paint.glyphs import LOCK
from cutelab.course.card.paint.plan import plan
from cutelab.course.card.picture import Picture


def export(picture: Picture, format: str) -> bytes:
    """Which SVG, PDF or PNG file shows this picture? format: "svg", "pdf" or "png".

    Text stays text in SVG (set in DejaVu Sans) and is embedded as TrueType in PDF; PNG has two pixels a CSS pixel. Equal
    pictures give equal bytes.

    >>> from cutelab.course.card.picture import Picture
    >>> b"64 elements" in export(Picture("(8,8):(8,1)", "", "64 elements", ()), "svg")
    True
    """
    if format not in ("svg", "pdf", "png"):
        raise CuteLabError(f'format must be "svg", "pdf" or "png", got {format!r}')
    if format == "svg":
        return svg.write(plan(picture), picture.title, picture.alt)
    import matplotlib

    from cutelab.course.card.paint.figure import DOTS, figure

    buffer = io.BytesIO()
    metadata = {"CreationDate": None} if format == "pdf" else {}
    with LOCK, matplotlib.rc_context({"pdf.fonttype": 42}):
        figure(picture).savefig(buffer, format=format, dpi=2 * DOTS, metadata=metadata)
    return buffer.getvalue()
