"""The words of topic "tiling": the tiles in numbers, and the coordinate that slices one."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from cutelab.algebra import laws
from cutelab.algebra.explain import tiler_text
from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout
from cutelab.core.int_tuple import to_text
from cutelab.core.layout import Layout
from cutelab.course.card.parts.code import cpp_type, cpp_value, python_value
from cutelab.course.card.parts.sheet import crd_text
from cutelab.course.card.picture import Texts, Verdict
from cutelab.course.card.words import count_distinct, number
from cutelab.course.topics.tiling.cut import MATRIX, Cut, explained, tiler_words
from cutelab.course.topics.tiling.knobs import say_other
from cutelab.course.topics.tiling.model import Result, Sheet
from cutelab.course.topics.tiling.tilers import spell_tiler


def slice_coordinate(found: Cut, tile: int) -> tuple[Any, ...]:
    """With which coordinate does the result give this tile? None stands for CuTe's `_`.

    >>> from cutelab.course.topics.tiling.cut import cut
    >>> slice_coordinate(cut("logical_divide", Layout((128, 128)), (4, 8)), 163)
    ((None, 3), (None, 5))
    """
    assert found.offset is not None
    kind = found.operation.partition("_")[0]
    shape, rest = int_tuple.modes(found.offset.shape)
    tops = tuple(map(int_tuple.product, rest)) if isinstance(rest, tuple) else (int_tuple.product(rest),)
    at = int_tuple.idx2crd(tile, tops)
    assert isinstance(at, tuple)
    if found.operation in MATRIX:
        return tuple((None, c) if kind == "blocked" else (c, None) for c in at)
    if kind == "logical" and found.by_mode:
        return _by_mode(found.tiler, rest, tile)
    if kind in ("zipped", "logical"):
        return (None, at if found.pairs else tile)
    if kind == "tiled":
        return (None, *at)
    modes = len(shape) if isinstance(shape, tuple) else 1
    return (*[None] * modes, *at)


def _by_mode(tiler: Any, rest: Any, tile: int) -> tuple[Any, ...]:
    """The coordinate of logical_divide by mode: (_, c) for a mode that is cut, _ for a mode that is kept."""
    tops = tuple(map(int_tuple.product, rest))
    at = int_tuple.idx2crd(tile, tops)
    assert isinstance(at, tuple)
    found: list[Any] = []
    for k, c in enumerate(at):
        entry = tiler[k] if k < len(tiler) else 0
        if k >= len(tiler):
            found.append(c)
        elif entry is None:
            found.append(None)
        elif isinstance(entry, tuple):
            found.append(_by_mode(entry, rest[k], c))
        else:
            found.append((None, c))
    return tuple(found)


def cpp_coordinate(coordinate: tuple[Any, ...]) -> str:
    """The arguments of a C++ call.

    >>> cpp_coordinate((None, (3, 5)))
    '_, make_coord(3,5)'
    """

    def one(c: Any) -> str:
        return "_" if c is None else f"make_coord({','.join(map(one, c))})" if isinstance(c, tuple) else str(c)

    return ", ".join(map(one, coordinate))


def zeros(coordinate: Any) -> Any:
    """The coordinate of a tile's first element: 0 for each None."""
    if isinstance(coordinate, tuple):
        return tuple(map(zeros, coordinate))
    return 0 if coordinate is None else coordinate


def tile_name(found: Cut, tile: int) -> str:
    """How is a tile called: (3,5), or its number alone?"""
    return f"({tile % found.grid[0]},{tile // found.grid[0]})" if found.pairs else f"({tile})"


def what(found: Cut) -> tuple[str, str]:
    """The words for a tile and for many."""
    return ("tile", "tiles") if found.divides else ("copy", "copies")


def title(result: Result) -> str:
    params = result.params
    return f"{params.operation}({params.layout}, {spell_tiler(params.tiler)})" + (
        f" | {say_other(params.other)}" if params.other is not None else ""
    )


def subtitle(result: Result, numbers: bool) -> str:
    """What numbers and colours mean, and which part is drawn. numbers: do the cells carry them?"""
    found, sheet = result.cut, result.sheets[0]
    if found.known is None:
        return "Numbers are offsets." if numbers else ""
    words = f"{'Numbers are offsets, in elements. ' if numbers else ''}Colour: the {what(found)[0]}"
    if not found.divides and found.operation not in MATRIX:
        words += "; one copy a column" if found.operation != "flat_product" else ""
    whole = max(found.extent[0], int(sheet.rows[-1]) + 1), max(found.extent[1], int(sheet.columns[-1]) + 1)
    if sheet.pair.shape != whole:
        rows, columns = sheet.rows, sheet.columns
        words += f". Rows {rows[0]} to {rows[-1]}, columns {columns[0]} to {columns[-1]} of {whole[0]} x {whole[1]}"
    return words + (". 8 colours in turn." if found.count > 8 else ".")


def picked_layout(found: Cut) -> str:
    """The layout of one tile."""
    assert found.offset is not None
    inner = found.offset.inner if isinstance(found.offset, ComposedLayout) else found.offset
    return str(inner[0])


def status(result: Result) -> str:
    """The probe in words."""
    found, sheet = result.cut, result.sheets[0]
    if found.known is None:
        return "no tile: the tiler is refused"
    element = crd_text(result.params.element, found.tile_shape)
    at = f"({result.place[0]},{result.place[1]})"
    return f"{what(found)[0]} {tile_name(found, sheet.tile)}, element {element} → {at} of the matrix → offset {result.offset} elements"


def slice_text(result: Result) -> str:
    """The C++ that takes the picked tile."""
    return f"t({cpp_coordinate(slice_coordinate(result.cut, result.sheets[0].tile))})"


def beware(result: Result) -> str:
    """What plain integers give instead, where CuTe would take them without complaint."""
    found, (i, j) = result.cut, (result.params.i, result.params.j)
    if found.operation not in ("zipped_divide", "zipped_product") or not found.pairs or found.offset is None:
        return ""
    if i >= found.elements or j >= found.count:
        return ""
    offset = int(laws.values(found.offset, np.array([i + found.elements * j]))[0])
    one = what(found)[0]
    return f"Beware: t({i},{j}) is no {one}, but element {i} of {one} number {j}: offset {offset}."


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """A sentence for each tiler."""
    return tuple(_verdict(result, k) for k in range(len(result.sheets)))


def _verdict(result: Result, k: int) -> Verdict:
    found = result.sheets[k].cut
    short = len(result.sheets) > 1
    if found.result is None:
        return _refused(found)
    one, many = what(found)
    each = "elements" if found.elements != 1 else "element"
    down, across = found.grid
    names = f"{number(found.count)} {one if found.count == 1 else many}"
    shape = f" ({number(down)} x {number(across)})" if found.pairs else ""
    sentence = f"{names}{shape} of {number(found.elements)} {each}"
    total, whole = found.elements * found.count, found.extent[0] * found.extent[1]
    if short:
        kind = "by mode" if found.by_mode else "over the 1-D order"
        return Verdict(
            "good" if total == whole else "note",
            f"{tiler_text(found.tiler)} {kind}: {sentence}.",
            f"R = {found.result}",
        )
    second = f"{one.capitalize()} {tile_name(found, result.sheets[0].tile)} begins at offset {number(result.origin)}."
    if found.divides:
        if result.met[2]:
            return Verdict("note", f"{sentence}: the tiler takes some elements more than once.", second)
        if total > whole:
            return Verdict(
                "note",
                f"{sentence}: the last ones reach beyond the matrix.",
                f"{number(total)} places for {number(whole)} elements: a kernel must leave out (predicate) the other "
                f"{number(total - whole)}{_drawn(result.sheets[0], total - whole)}.",
            )
        return Verdict("good", f"{sentence}: every element of the matrix is in exactly one tile.", second)
    return _product(found, sentence, second, total)


def _drawn(sheet: Sheet, beyond: int) -> str:
    """Are the places beyond the matrix in the picture?"""
    drawn = int((sheet.beyond & (sheet.pair >= 0)).sum())
    return "" if drawn == beyond else f"; {number(drawn)} of them are drawn" if drawn else "; none is drawn"


def _product(found: Cut, sentence: str, second: str, total: int) -> Verdict:
    ids = laws.points(total)
    table = found.offsets(ids)
    low, high = int(table.min()), int(table.max())
    if count_distinct(table) < len(ids):
        return Verdict("note", f"{sentence}: block or tiler repeat offsets of their own.", second)
    if total > laws.MAX_CHECK or high - low + 1 > total:
        return Verdict("note", f"{sentence}: no two overlap; they reach offset {number(high)}.", second)
    return Verdict("good", f"{sentence}: each offset from {number(low)} to {number(high)} is taken once.", second)


def near(found: Cut) -> tuple[str, ...]:
    """Which tiles of one mode would do instead of a refused one?"""
    said = re.search(r"\(but by ([^)]*)\)", found.refusal)
    return tuple(said.group(1).split(" or ")) if said else ()


def _refused(found: Cut) -> Verdict:
    """The rule, and what would work."""
    text = found.refusal
    rule = text.rsplit(" is refused: ", 1)[-1].split(". ")[0] if " is refused: " in text else text
    cause, _, remedy = rule.removeprefix(f"{found.operation}: ").partition("; ")
    if "R(c) = A(B(c)) does not hold" in text:
        cause, remedy = "C++ compiles this, but its tiles hold other elements than A has there", ""
    elif ": complement of " in cause:
        cause = cause[cause.index("complement of ") :]
    second = f"A tile of {' or '.join(near(found))} would do. " if near(found) else ""
    who = "Only cutelab refuses" if cause.startswith("C++ compiles") else "Refused"
    return Verdict("bad", f"{who}: {cause.rstrip('.')}.", f"{second}{remedy[:1].upper()}{remedy[1:]}".strip())


def copies(result: Result) -> Texts:
    """Texts to copy: the result, the C++ that slices, the call in Python, the explanation."""
    params, found = result.params, result.cut
    tiler = python_tiler(found.tiler)
    texts = {}
    if found.result is not None:
        at = slice_coordinate(found, result.sheets[0].tile)
        texts["R"] = str(found.result)
        layout = cpp_value(found.layout)
        first = f"auto t = {params.operation}({layout}, {cpp_tiler(found.tiler)});\n"  # of layouts only: C++ multiplies no tensor
        if found.divides:
            tensor = f"Tensor tensor = make_tensor(make_gmem_ptr(data), {layout});\n"
            first = f"{tensor}auto t = {params.operation}(tensor, {cpp_tiler(found.tiler)});\n"
        texts["C++"] = (
            f"{first}"
            f"auto {what(found)[0]} = t({cpp_coordinate(at)});  // {picked_layout(found)} from offset {result.origin}"
        )
        texts["Python"] = (
            f'{params.operation}(parse_layout("{params.layout}"), {tiler})({python_value(at)[1:-1].rstrip(",")})'
        )
    else:
        texts["Python"] = f'{params.operation}(parse_layout("{params.layout}"), {tiler})'
    return Texts(texts, explain=lambda: explained(found))


def python_tiler(tiler: Any) -> str:
    """A tiler as Python source.

    >>> python_tiler((4, Layout(8, 2), None))
    '(4, parse_layout("8:2"), None)'
    """
    if isinstance(tiler, tuple):
        return "(" + ", ".join(map(python_tiler, tiler)) + ("," if len(tiler) == 1 else "") + ")"
    return f'parse_layout("{tiler}")' if isinstance(tiler, Layout) else str(tiler)


def cpp_tiler(tiler: Any) -> str:
    """A tiler as C++ source.

    >>> cpp_tiler((4, Layout(8, 2), None))
    'make_tile(Int<4>{}, Layout<_8,_2>{}, _)'
    """
    if isinstance(tiler, tuple):
        return f"make_tile({', '.join(map(cpp_tiler, tiler))})"
    if tiler is None:
        return "_"
    return f"Int<{tiler}>{{}}" if isinstance(tiler, int) else cpp_type(tiler) + "{}"


def reads(result: Result) -> str:
    """Who is in the picture: for the alt text."""
    found = result.cut
    words = f"the tiler is {tiler_words(found.tiler)}" if found.divides else f"copies by {tiler_text(found.tiler)}"
    return (
        words
        + (f", result {found.result}" if found.result is not None else "")
        + (f", tile shape {to_text(found.tile_shape)}" if found.known else "")
    )
