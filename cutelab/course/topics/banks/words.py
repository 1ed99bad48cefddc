"""The words of topic "banks": who comes, what it costs, which fixes there are. Counts nothing itself."""

from __future__ import annotations

import numpy as np

from cutelab.advise.conflict_free import Fix
from cutelab.core.layout import Layout
from cutelab.course.card.parts.code import cpp_type, cpp_value
from cutelab.course.card.picture import Offer, Verdict
from cutelab.course.card.words import count, number, state_of
from cutelab.course.topics.banks.knobs import BanksParams
from cutelab.course.topics.banks.model import Array, Result
from cutelab.hardware.chip import Address

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
        groups, size = result.group_count, result.group_lanes
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
        if pieces >= params.chip.lanes:
            return (
                f"Lane Ti {does} {'column i' if vector == 1 else f'piece i ({vector} elements)'} of row {params.index}."
            )
        return f"The lanes go along row {params.index}, then the next rows."
    if params.read == "column":
        if rows >= params.chip.lanes:
            return f"Lane Ti {does} row i of {place(params)}."
        return f"Lane Ti {does} row i mod {rows} from {place(params)} on."
    if params.read == "diagonal":
        step = "i" if vector == 1 else f"{vector}i"
        return f"Lane Ti {does} row i, column ({first} + {step}) mod {pieces * vector}."
    high = params.block_rows
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
    return f"{params.element}. One warp {verb(params)} {where}, {count(params.access_bytes, 'byte')} a lane{kind}"


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """The count with its ideal, and which lanes are the reason; a second one where the swizzle does nothing."""
    waves, params = result.waves, result.params
    second = waves.reason()
    idle = params.chip.lanes - int(result.access.active[0].sum())
    if idle and "matrix" not in params.kind:
        second += f"; {count(idle, 'lane')} idle"
    pitch = params.pitch
    if params.row_major and pitch is not None and pitch > params.shape[1]:
        second += f"; {padding(params)} of padding"
    found = [Verdict(state_of(int(waves.count), int(waves.ideal), int(waves.ways)), waves.summary(), second)]
    swizzle = params.swizzle
    if swizzle is not None and (swizzle(result.table) == result.table).all():  # a swizzle is its own inverse
        why = (
            f"its source bits begin at offset {number(swizzle.yyy & -swizzle.yyy)}" if swizzle.yyy else "it has no bits"
        )
        found.append(Verdict("note", f"{swizzle} moves nothing in this tile: {why}."))
    return tuple(found)


def padding(params: BanksParams) -> str:
    """`32 words (3 %)`: the memory between the rows."""
    rows, cols = params.shape
    extra, word = (params.pitch - cols) * rows * params.item, params.chip.word_bytes
    share = f"({100 * (params.pitch - cols) / cols:.0f} %)"
    return f"{count(extra, 'byte') if extra % word else count(extra // word, 'word')} {share}"


def status(result: Result) -> str:
    """The probe in words."""
    row, column = result.params.row, result.params.column
    access = result.access
    start = access.col[0]
    here = access.active[0] & (access.row[0] == row) & (start <= column) & (column < start + result.params.vector)
    lanes = np.flatnonzero(here).tolist()
    words = f"({row},{column}) → {Address(int(result.table[row, column]), result.params.item, result.params.chip)}"
    if not lanes:
        return words
    names = ", ".join(f"T{lane}" for lane in lanes[:3]) + (f" ... ({len(lanes)} lanes)" if len(lanes) > 3 else "")
    return f"{words} · lane{'s' if len(lanes) > 1 else ''} {names}"


def offers(result: Result) -> tuple[Offer, ...]:
    """Three fixes at most that beat the tile as given, a padding among them if one does; and the way back, if padding hurts."""
    params, fixes = result.params, result.fixes
    if not fixes:
        return ()
    given, now = fixes[0].given, int(result.waves.count)
    plain = [f for f in fixes if f.kind == "as given" and f.wavefronts < now]
    better = [f for f in fixes if f.kind != "as given" and (given is None or f.wavefronts < given)]
    kept = better[:3]
    if not any(f.kind == "padding" for f in kept):
        kept[2:] = [f for f in better if f.kind == "padding"][:1] or kept[2:]
    back = [f for f in plain if not kept and f.wavefronts == given]
    return tuple(_offer(f, params) for f in back + kept)


def _offer(fix: Fix, params: BanksParams) -> Offer:
    return Offer(
        f"{fix.name if fix.kind != 'as given' else f'pitch {fix.pitch}'}  {count(fix.wavefronts, 'wavefront')}",
        fix.cost,
        {"pitch": fix.pitch, "swizzle": "" if fix.swizzle is None else str(fix.swizzle)},
        in_use=(params.pitch, params.swizzle) == (fix.pitch, fix.swizzle),
    )


def copies(result: Result) -> dict[str, str]:
    """The line that makes this view; the layout in CuTe C++; a shared array with its index for Numba."""
    params = result.params
    found = {"cutelab": params.call("banks"), "CuTe": str(result.layout)}
    if params.row_major:
        rows, cols = params.shape
        fix = Fix(rows, cols, params.item, params.pitch, params.swizzle, 0, 0, 0, (), 0, None, chip=params.chip)
        found["CuTe C++"] = fix.cpp
        if params.element in NUMBA:
            places = max(rows * params.pitch, int(result.table.max()) + 1)
            found["Numba"] = f"tile = cuda.shared.array({places}, numba.{NUMBA[params.element]})\ntile[{fix.index}]"
    else:
        layout = result.layout
        found["CuTe C++"] = cpp_type(layout) if isinstance(layout, Layout) else cpp_value(layout, offset=False)
    return found


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on a cell, and its numbers."""
    row, column = np.maximum(result.cells, 0).T
    at = Address(result.table[row, column], result.params.item, result.params.chip)
    table = np.stack([row, column, at.offset, at.byte, at.word, at.bank], axis=-1)
    return "({0},{1}) → offset {2}\nbyte {3} · word {4} · bank {5}", table.astype(np.int32)
