"""Read a tiler: one entry for each mode (a size, a layout, `_`), or one layout for the whole.

A shape as tiler works mode by mode, as in CuTe: `(4,8)`, `Shape<_4,_8>` and `<4;8>` are tuples, `(4,8):(1,4)` is a layout.
"""

from __future__ import annotations

from typing import Any

from cutelab.core import lines
from cutelab.core.int_tuple import MAX_DEPTH, is_int
from cutelab.core.layout import Layout, layout_of
from cutelab.core.notation import CALLS, TUPLES, Hole, Reader


class TilerReader(Reader):
    """The grammar of tilers, on top of that of layouts."""

    def tiler(self) -> Any:
        """A tuple by mode, a Layout, an integer, or None."""
        self.skip_namespaces()
        token = self.peek()
        if token == "<":
            return self.entries("<", ">")
        if token in ("make_tile", *TUPLES, *CALLS) and self.peek(1) in ("<", "("):
            self.name()
            opened = self.peek()
            self.inside += opened == "("
            found = self.entries(opened, ">" if opened == "<" else ")")
            self.inside -= opened == "("
            self.braces()
            return found
        return self.entry(0)

    def plain_layout(self, begin: int) -> Layout:
        """A layout without a swizzle, as an entry."""
        found = layout_of(self.layout())
        if not isinstance(found, Layout):
            self.fail("an entry of a tile is a size, a plain layout or _", begin)
        return found

    def entries(self, opened: str, close: str, level: int = 0) -> tuple[Any, ...]:
        """The entries of a tile between its brackets."""
        if level > MAX_DEPTH:
            self.fail(f"nested more than {MAX_DEPTH} levels deep; real tiles need fewer than 6")
        begin = self.at
        self.want(opened, "before the entries of a tile")
        entries = [self.entry(level)]
        while self.take(",") or self.take(";"):
            if self.peek() == close and close == ")":
                break
            entries.append(self.entry(level))
        if not self.take(close):
            if not self.peek():
                self.fail(f"'{opened}' opened here is never closed", begin)
            self.fail(f"expected ',' or '{close}' in the tile, found '{self.peek()[:24]}'")
        return tuple(entries)

    def entry(self, level: int) -> Any:
        """One entry: a size, a layout, `_`, or entries in brackets."""
        self.skip_namespaces()
        token = self.peek()
        if token in ("_", "None", "Underscore", "X"):
            self.at += 1
            self.braces()
            return None
        if token in ("(", "<", "["):
            begin = self.at
            inner = self.entries(token, {"(": ")", "<": ">", "[": "]"}[token], level + 1)
            if self.peek() != ":":
                return inner
            self.at = begin
            return self.plain_layout(begin)
        word = token
        if word in ("Layout", "make_layout", "make_ordered_layout"):
            begin = self.at
            return self.plain_layout(begin)
        if word in (*TUPLES, "make_tile", *CALLS):
            self.name()
            opened = self.peek()
            inner = self.entries(opened, ")" if opened == "(" else ">", level + 1)
            self.braces()
            return inner
        begin = self.at
        value = self.expression("a size, a layout or _", level)
        if isinstance(value, Hole) or not is_int(value):
            self.fail("a tile holds sizes, layouts and _", begin)
        if self.peek() == ":" and self.peek(1) != ":":
            self.at = begin
            return self.plain_layout(begin)
        if value < 0 or (value == 0 and not isinstance(value, int)):
            self.fail("a size is 1 or more", begin)
        return value


def parse_tiler(text: str) -> Any:
    """Which tiler does this text say? A tuple with an entry for each mode, a Layout or an integer for the whole, or None.

    >>> parse_tiler("(1,2)"), parse_tiler("Shape<_1,_2>"), parse_tiler("<32,None>"), parse_tiler("(1,2):(1,1)")
    ((1, 2), (1, 2), (32, None), Layout('(1,2):(1,1)'))
    """
    return lines.find(text, lambda t, start: TilerReader(t, "tiler", "<4;8>", start=start), TilerReader.tiler).value
