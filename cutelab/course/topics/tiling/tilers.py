"""Tilers as text: `<4, 8>` by mode, `(4,8):(1,16)` as one layout over the 1-D order, `_` for a whole mode."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cutelab.algebra.explain import tiler_text
from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout, parse_layout
from cutelab.core.errors import CuteLabError, shown
from cutelab.core.int_tuple import MAX_DEPTH
from cutelab.core.layout import Layout, size


@lru_cache(maxsize=128)
def parse_tiler(text: str) -> Any:
    """Which tiler does this text say? In angle brackets: one entry for each mode, an int, a layout, `_` or brackets again.
    Without them: one layout, or a number of elements, for the whole 1-D order.

    >>> parse_tiler("<4, 8:2, _>"), parse_tiler("(4,8)"), parse_tiler("Tile<_4,_8>"), parse_tiler("6")
    ((4, Layout('8:2'), None), Layout('(4,8):(1,4)'), (4, 8), 6)
    """
    said = text.strip()
    said = said.removeprefix("Tile") if said.startswith("Tile<") else said
    if not said.startswith("<"):
        return _entry(said, text)
    return _entries(said, text, 0)


def spell_tiler(tiler: Any) -> str:
    """The text of a tiler: what `parse_tiler` reads.

    >>> spell_tiler((4, None)), spell_tiler(Layout((4, 8)))
    ('<4, _>', '(4,8):(1,4)')
    """
    return tiler if isinstance(tiler, str) else tiler_text(tiler)


def _entries(said: str, text: str, depth: int) -> tuple[Any, ...]:
    if depth > MAX_DEPTH:
        raise CuteLabError(f"tiler {shown(text[:40])} is nested more than {MAX_DEPTH} levels deep")
    if not said.endswith(">"):
        raise CuteLabError(f"tiler {shown(text)}: a bracket > is missing at the end; for example <4, 8>")
    parts, level, start = [], 0, 1
    for i, char in enumerate(said):
        level += (char in "<(") - (char in ">)")
        if level == 1 and char in ",;":
            parts.append(said[start:i])
            start = i + 1
        if level < 0 or (level == 0 and i < len(said) - 1):
            raise CuteLabError(f"tiler {shown(text)}: the brackets do not match at place {i}; for example <4, 8>")
    parts.append(said[start:-1])
    return tuple(_part(p.strip(), text, depth) for p in parts)


def _part(said: str, text: str, depth: int) -> Any:
    if said == "_":
        return None
    return _entries(said, text, depth + 1) if said.startswith("<") else _entry(said, text)


def _entry(said: str, text: str) -> Any:
    try:
        parsed = parse_layout(said)
    except CuteLabError as error:
        raise CuteLabError(
            f"tiler {shown(text)}: {error}\nA tiler is <4, 8> (one entry for each mode; _ keeps it whole), or one layout such as (4,8):(1,16)"
        ) from None
    if isinstance(parsed, ComposedLayout):
        raise CuteLabError(f"tiler {shown(text)}: {parsed} has a swizzle; a tiler is a plain layout")
    return parsed.shape if ":" not in said and int_tuple.is_int(parsed.shape) else parsed


def numbers(tiler: Any) -> list[tuple[int, int]]:
    """Which entries of a tiler can a slider turn: (place, number)?

    >>> numbers((4, None, 8)), numbers(Layout((2, 5))), numbers(Layout(4, 2))
    ([(0, 4), (2, 8)], [(0, 2), (1, 5)], [])
    """
    if isinstance(tiler, tuple):
        return [(k, t) for k, t in enumerate(tiler) if isinstance(t, int)]
    if isinstance(tiler, int):
        return [(0, tiler)]
    flat = isinstance(tiler.shape, tuple) and int_tuple.depth(tiler.shape) == 1
    return list(enumerate(tiler.shape)) if flat and tiler == Layout(tiler.shape) else []


def turned(tiler: Any, knob: str, value: Any) -> Any:
    """The tiler with its entry tile_k set.

    >>> turned((4, 8), "tile_1", 16)
    (4, 16)
    """
    if not (knob[5:].isdecimal() and int(knob[5:]) in dict(numbers(tiler))):
        raise CuteLabError(f"the tiler {spell_tiler(tiler)} has no number for {shown(knob)}")
    if not int_tuple.is_int(value) or value < 1:
        raise CuteLabError(f"{knob} must be 1 or more, got {shown(value)}")
    k = int(knob[5:])
    if isinstance(tiler, int):
        return int(value)
    entries = list(tiler if isinstance(tiler, tuple) else tiler.shape)
    entries[k] = int(value)
    return tuple(entries) if isinstance(tiler, tuple) else Layout(tuple(entries))


def of_kind(tiler: Any, before: str, after: str) -> Any:
    """A tiler that goes on making sense when the operation changes between divides and products.

    >>> of_kind((4, 8), "zipped_divide", "blocked_product")
    Layout('(4,8):(1,4)')
    """
    if after in ("blocked_product", "raked_product") and not isinstance(tiler, Layout):
        entries = tiler if isinstance(tiler, tuple) else (tiler,)
        return Layout(
            tuple(1 if t is None or isinstance(t, tuple) else t if isinstance(t, int) else size(t) for t in entries)
        )
    if (
        before.endswith("product")
        and after.endswith("divide")
        and isinstance(tiler, Layout)
        and isinstance(tiler.shape, tuple)
    ):
        return tuple(map(int_tuple.product, tiler.shape))
    return tiler
