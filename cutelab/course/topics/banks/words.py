"""The words of topic "banks": who comes, what it costs, which cures there are. Reads a `Result`; counts nothing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cutelab.advise.conflict_free import Fix
from cutelab.core import notation
from cutelab.core.layout import Layout
from cutelab.course.card import picture as panels
from cutelab.course.card.picture import Verdict
from cutelab.course.card.words import count, number
from cutelab.course.topics.banks.access import block_rows
from cutelab.course.topics.banks.chart import group_count, group_lanes

if TYPE_CHECKING:
    from cutelab.course.topics.banks.model import BanksParams, Result

VERBS = {
    "load": "reads",
    "store": "writes",
    "ldmatrix": "reads",
    "stmatrix": "writes",
    "reduce": "adds to",
    "atomic": "adds to",
}
NUMBA = {"int8": "int8", "half": "float16", "float32": "float32", "float64": "float64"}
GROUPS = {1: "One group", 2: "Two groups", 4: "Four groups"}


def subtitle(result: Result) -> str:
    """Element type, who reads what, what number and colour mean; one line."""
    params = result.params
    words = f"{params.element}, {noun(params)}. {who(params)} "
    if result.wide:
        groups, size = group_count(result), group_lanes(result)
        words += f"{GROUPS[groups]} of {size} lanes." if groups > 1 else "All lanes go together."
    else:
        named = len(result.columns) <= 32 and len(result.rows) <= 32
        words += "Number and colour = bank." if named else "Colour = bank."
        for name, drawn, whole in zip(
            ("Rows", "Columns"), (result.rows, result.columns), result.table.shape, strict=True
        ):
            if len(drawn) < whole:
                words += f" {name} {drawn[0]} to {drawn[-1]} of {number(whole)}."
    return words


def noun(params: BanksParams) -> str:
    """The instruction with its width: `4-byte loads`, `ldmatrix x4`."""
    if "matrix" in params.kind:
        return params.kind
    plural = {"load": "loads", "store": "stores", "reduce": "reductions", "atomic": "atomics with result"}[params.kind]
    return f"{params.access_bytes}-byte {plural}"


def verb(params: BanksParams) -> str:
    return VERBS[params.kind.split()[0]]


def place(params: BanksParams) -> str:
    """Where the lanes begin: `column 12`, `columns 12 to 15`, `row 12`."""
    if params.read == "row":
        return f"row {params.index}"
    first = params.index // params.vector * params.vector
    return f"column {first}" if params.vector == 1 else f"columns {first} to {first + params.vector - 1}"


def who(params: BanksParams) -> str:
    """Which lane takes what, in a sentence."""
    (rows, cols), vector, does = params.shape, params.vector, verb(params)
    pieces, first = cols // vector, params.index // vector * vector
    if params.read == "own":
        row, col = (text if len(text) <= 24 else text[:23] + "…" for text in (params.lane_row, params.lane_col))
        return f"Lane t {does} ({row}, {col})."
    if params.read == "row":
        if pieces >= 32:
            return (
                f"Lane Ti {does} {'column i' if vector == 1 else f'piece i ({vector} elements)'} of row {params.index}."
            )
        return f"The lanes go along row {params.index}, then the next rows."
    if params.read == "column":
        if rows >= 32:
            return f"Lane Ti {does} row i of {place(params)}."
        return f"Lane Ti {does} row i mod {rows} from {place(params)} on."
    if params.read == "diagonal":
        step = "i" if vector == 1 else f"{vector}i"
        return f"Lane Ti {does} row i, column ({first} + {step}) mod {pieces * vector}."
    high = block_rows(params.kind)
    return f"Lane Ti {does} row i mod {high}, piece i div {high}."


def reads(result: Result) -> str:
    """Who reads what, for the alt text."""
    params = result.params
    if params.read == "own":
        where = f"row {params.lane_row}, column {params.lane_col} with lane t"
    elif params.read in ("row", "column"):
        where = place(params)
    else:
        where = f"a {params.read} from {place(params)} on"
    kind = "" if params.kind in ("load", "store") else f", {params.kind}"
    return f"{params.element}. One warp {verb(params)} {where}, {params.access_bytes} bytes a lane{kind}"


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """The count with its ideal, and which lanes are the reason; a second one where the swizzle does nothing."""
    waves, params = result.waves, result.params
    second = waves.reason()
    idle = 32 - int(result.access.active[0].sum())
    if idle and "matrix" not in params.kind:
        second += f"; {count(idle, 'lane')} idle"
    pitch = params.pitch
    if params.row_major and pitch is not None and pitch > params.shape[1]:
        second += f"; {padding(params)} of padding"
    found = [Verdict("good" if waves.ways == 1 or not waves.excess else "bad", waves.summary(), second)]
    if params.swizzled is not None:
        plain = offsets_before(result)
        if (plain == result.table).all():
            source = params.swizzled.yyy
            why = f"its source bits begin at offset {number(source & -source)}" if source else "it has no bits"
            found.append(Verdict("note", f"{params.swizzled} moves nothing in this tile: {why}."))
    return tuple(found)


def offsets_before(result: Result) -> np.ndarray:
    """The offsets without the swizzle (a swizzle is its own inverse)."""
    return result.params.swizzled(result.table)  # type: ignore[misc]


def padding(params: BanksParams) -> str:
    """`32 words (3 %)`: the memory between the rows."""
    rows, cols = params.shape
    extra = (params.pitch - cols) * rows * params.element_bytes  # type: ignore[operator]
    share = f"({100 * (params.pitch - cols) / cols:.0f} %)"  # type: ignore[operator]
    return f"{count(extra, 'byte') if extra % 4 else count(extra // 4, 'word')} {share}"


def status(result: Result) -> str:
    """The probe in words."""
    row, column = result.params.row, result.params.column
    offset = int(result.table[row, column])
    byte = offset * result.params.element_bytes
    access = result.access
    start = access.col[0]
    here = access.active[0] & (access.row[0] == row) & (start <= column) & (column < start + result.params.vector)
    lanes = np.flatnonzero(here).tolist()
    words = f"({row},{column}) → offset {offset} elements · byte {byte} · word {byte // 4} · bank {byte // 4 % 32}"
    if not lanes:
        return words
    names = ", ".join(f"T{lane}" for lane in lanes[:3]) + (f" ... ({len(lanes)} lanes)" if len(lanes) > 3 else "")
    return f"{words} · lane{'s' if len(lanes) > 1 else ''} {names}"


def offers(result: Result) -> tuple[panels.Cure, ...]:
    """Three cures at most that beat the tile as given, a padding among them if one does; and the way back, if padding hurts."""
    params, cures = result.params, result.cures
    if not cures:
        return ()
    given, now = cures[0].given, int(result.waves.count)
    plain = [c for c in cures if c.kind == "as given" and c.wavefronts < now]
    better = [c for c in cures if c.kind != "as given" and (given is None or c.wavefronts < given)]
    kept = better[:3]
    if not any(c.kind == "padding" for c in kept):
        kept[2:] = [c for c in better if c.kind == "padding"][:1] or kept[2:]
    back = [c for c in plain if not kept and c.wavefronts == given]
    return tuple(_offer(c, params) for c in back + kept)


def _offer(cure: Fix, params: BanksParams) -> panels.Cure:
    swizzle = "" if cure.swizzle is None else str(cure.swizzle)
    name = cure.name if cure.kind != "as given" else f"pitch {cure.pitch}"
    return panels.Cure(
        f"{name}  {count(cure.wavefronts, 'wavefront')}",
        cure.cost,
        {"pitch": cure.pitch, "swizzle": swizzle},
        in_use=(params.pitch, params.swizzle) == (cure.pitch, swizzle),
    )


def copies(result: Result) -> dict[str, str]:
    """The line that makes this view; the layout in CuTe C++; a shared array with its index for Numba."""
    params = result.params
    found = {"cutelab": params.call("banks"), "CuTe": str(result.layout)}
    if params.row_major:
        rows, cols = params.shape
        cure = Fix(rows, cols, params.element_bytes, params.pitch, params.swizzled, 0, 0, 0, (), 0, None)  # type: ignore[arg-type]
        found["CuTe C++"] = cure.cpp
        if params.element in NUMBA:
            places = max(rows * params.pitch, int(result.table.max()) + 1)  # type: ignore[operator]
            found["Numba"] = f"tile = cuda.shared.array({places}, numba.{NUMBA[params.element]})\ntile[{cure.index}]"
    elif isinstance(result.layout, Layout):
        found["CuTe C++"] = notation.print_type(result.layout.shape, result.layout.stride)
    else:
        inner = notation.print_type(result.layout.inner.shape, result.layout.inner.stride)
        found["CuTe C++"] = f"composition({str(result.layout.outer).replace('Sw', 'Swizzle')}{{}}, {inner}{{}})"
    return found
