"""Tiler and Coordinate: a tile by mode, and a coordinate that keeps modes. Each is a tuple, with the text of its own."""

from __future__ import annotations

from typing import Any

from cutelab.core.int_tuple import to_text
from cutelab.core.layout import Layout
from cutelab.core.leaves import unmark


class Tiler(tuple[Any, ...]):
    """A tile, mode by mode: sizes, layouts, tuples of them, or None (keep the whole mode). Pass it to the divides as it is.

    >>> from cutelab.algebra import zipped_divide
    >>> tiler = Tiler((4, Layout(2, 4), None))
    >>> str(tiler), zipped_divide(Layout((8, 8)), Tiler((4, 4)))
    ('<4;2:4;_>', Layout('((4,4),(2,2)):((1,8),(4,32))'))
    """

    __slots__ = ()

    def __str__(self) -> str:
        return "<" + ";".join(map(_entry, self)) + ">"

    def __repr__(self) -> str:
        return f"Tiler('{self}')"


def _entry(entry: Any) -> str:
    if entry is None:
        return "_"
    if isinstance(entry, Layout):
        return str(Layout(unmark(entry.shape), unmark(entry.stride)))
    if isinstance(entry, tuple):
        return str(Tiler(entry))
    return str(int(entry))


class Coordinate(tuple[Any, ...]):
    """A coordinate; None keeps a mode. `layout(*coordinate)` slices.

    >>> str(Coordinate((1, None, (2, None))))
    '(1,_,(2,_))'
    """

    __slots__ = ()

    def __str__(self) -> str:
        return to_text(tuple(self))

    def __repr__(self) -> str:
        return f"Coordinate('{self}')"
