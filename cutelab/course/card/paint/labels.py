"""How large are the labels of a grid, and where in the cell do they stand? The longest label decides for the whole grid."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cutelab.course.card.paint.glyphs import CAP, advances, charset, code_points
from cutelab.course.card.paint.ops import Label, Words
from cutelab.course.card.picture import HOLE, PAST_END, Grid

SIZES = (12, 11, 10.5, 10, 9.5, 9, 8.5, 8, 7.5, 7, 6.5, 6)
_LARGEST = ((29, 12.0), (24, 10.5), (18, 10.0), (13, 8.5), (9, 8.0))  # cell height, type size
_LEAST = {"auto": 7.0, "always": 6.0}
STRIPE = 4  # height of a stripe of banks at the foot of a cell
PAIR_AIR = 0.35  # of the type size: between the two labels of a cell, so that T100 and v0 do not read as one word


def widest(texts: Words, font: str) -> float:
    """How wide is the widest of these labels, as a part of the type size?"""
    codes = code_points(texts)
    if not codes.size:
        return 0.0
    return float(advances(font, charset(codes))[codes].sum(1).max())


def fit(texts: Words, font: str, largest: float, width: float, height: float, least: float) -> float | None:
    """Which is the largest size, not above `largest`, whose labels fit? None: not even `least` fits."""
    em = widest(texts, font)
    for size in SIZES:
        if least <= size <= largest and em * size + air(texts, size) <= width and CAP * size + 1 <= height:
            return size
    return None


def air(texts: Words, size: float) -> float:
    """How much of a cell's width stays free beside its label, in pixels? Else long numbers of neighbours read as one.

    Digits stand 0.18 of the type size apart; a pixel of paper lies between cells. Two characters are told apart without more.
    """
    return max(0.0, 0.3 * size - 1) if texts.dtype.itemsize > 8 else 0.0


def margins(label: Label, width: float, height: float) -> tuple[float, float]:
    """How far from the edges of its cell does this label end at the least, across and down, in pixels?"""
    wide = widest(label.texts, label.font) * label.size
    left = {"left": label.x, "middle": label.x - wide / 2, "right": label.x - wide}[label.align]
    high = CAP * label.size / 2
    return min(left, width - left - wide), min(label.middle - high, height - label.middle - high)


@lru_cache(maxsize=16)  # a grid is asked for its subtitle, and again when it is drawn
def cell_labels(grid: Grid, width: int, height: int, foot: int) -> tuple[Label, ...]:
    """Which labels do cells of width x height carry? Their lowest `foot` pixels and the last column and row stay free."""
    if grid.labels is None:
        return ()
    texts, second = _texts(grid, grid.labels), None if grid.second is None else _texts(grid, grid.second)
    inner, body = width - 1, height - 1 - foot
    least = _LEAST[grid.show_labels]
    if grid.mono:
        size = fit(texts, "mono_bold", 13, inner, body, least) if height < 20 else 13
        return () if size is None else (Label(texts, "mono_bold", size, inner / 2, body / 2),)
    largest = next((size for at_least, size in _LARGEST if height >= at_least), None)
    if largest is None or (height < 13 and width < 13 and grid.show_labels == "auto"):
        return ()
    if second is not None:
        found = {"stack": _stack, "pair": _pair, "split": _split}[grid.style](texts, second, inner, body, least)
        if found:
            return found
    size = fit(texts, "sans", largest, inner, body, least)
    return () if size is None else (Label(texts, "sans", size, inner / 2, body / 2),)


def numbered(grid: Grid) -> bool:
    """Are the labels of this grid, whose cells have a size, drawn? What a subtitle must know that says what the numbers are.

    >>> from cutelab.course.card.picture import Grid
    >>> fill = np.arange(4).reshape(2, 2)
    >>> [numbered(Grid("tile", fill, labels=fill.astype(str), cell=(side, side))) for side in (9, 20)]
    [False, True]
    """
    if grid.labels is None or grid.cell is None:
        return False
    heights = set(grid.row_heights or (grid.cell[1],))
    return any(cell_labels(grid, grid.cell[0], high, stripe_foot(grid, high)) for high in heights)


def stripe_foot(grid: Grid, height: int) -> int:
    """How many pixels at the foot of a cell does a stripe of banks take?"""
    return STRIPE if grid.stripe is not None and height > 3 * STRIPE else 0


def _texts(grid: Grid, texts: Words) -> Words:
    texts = np.asarray(texts, dtype=np.str_)
    if grid.states is not None and grid.states.any():
        texts = np.where(grid.states & (HOLE | PAST_END), "", texts)
    return texts


def _stack(texts: Words, second: Words, inner: float, body: float, least: float) -> tuple[Label, ...]:
    font = "bold" if (code_points(second) == ord("×")).any() else "sans"  # ×32: lanes served by one word
    upper = fit(texts, "sans", 11, inner, body * 0.5, least)
    lower = fit(second, font, 8.5, inner, body * 0.45, least)
    if upper is None or lower is None:
        return ()
    return (
        Label(texts, "sans", upper, inner / 2, body * 0.36),
        Label(second, font, min(lower, upper), inner / 2, body * 0.76),
    )


def _pair(texts: Words, second: Words, inner: float, body: float, least: float) -> tuple[Label, ...]:
    left, right = widest(texts, "sans"), widest(second, "sans")
    for before, behind in ((3, 2), (2, 1)):  # beside the two; a narrow cell has less there, and never less between them
        for size, small in ((10, 8), (9.5, 7.5), (9, 7.5), (8.5, 7), (8, 7), (7.5, 6.5), (7, 6)):
            wide = before + left * size + PAIR_AIR * size + right * small + behind
            if small >= least - 1 and wide <= inner and CAP * size + 2 <= body:
                return (
                    Label(texts, "sans", size, before, body / 2, "left"),
                    Label(second, "sans", small, inner - behind, body / 2, "right"),
                )
    return ()


def _split(texts: Words, second: Words, inner: float, body: float, least: float) -> tuple[Label, ...]:
    both = np.concatenate([texts.ravel(), second.ravel()])
    size = fit(both, "sans", 8.5, inner, body / 2 - 1, least)
    if size is None:
        return ()
    two = second != ""
    return (
        Label(np.where(two, "", texts), "sans", size, inner / 2, body / 2),
        Label(np.where(two, texts, ""), "sans", size, inner / 2, body / 4),
        Label(second, "sans", size, inner / 2, body * 3 / 4 + 0.5),
    )
