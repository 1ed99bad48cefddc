"""The words of topic "strips": the formula with its numbers, the verdict, what would help, what to copy."""

from __future__ import annotations

import numpy as np

from cutelab.core.errors import CuteLabError
from cutelab.course.card.picture import Offer, Texts, Verdict
from cutelab.course.card.words import count, number
from cutelab.course.topics.strips.knobs import MAX_PITCH, StripsParams
from cutelab.course.topics.strips.model import Array, Result, compute
from cutelab.course.topics.strips.rows import Rows


def title(params: StripsParams) -> str:
    """Row pitch, threads, Pitch, Strips, and the tile where one is given."""
    words = (
        f"row pitch {params.row_pitch}, {count(params.threads, 'thread')}, Pitch {params.pitch}, Strips {params.strips}"
    )
    if params.rows or params.columns:
        rows = str(params.rows) if params.rows else "all"
        words += f", tile {rows} x {params.columns or params.row_pitch}"
    return words


def formula(params: StripsParams, times: str = "·", over: str = "/") -> str:
    """The formula with the numbers put in.

    >>> formula(StripsParams())
    't % 8 + ((t / 8) % 4) · 16 + ((t / 8) / 4) · (8 · 4 · 16)'
    """
    p, s, pitch = params.pitch, params.strips, params.row_pitch
    row = f"(t {over} {p})"
    return f"t % {p} + ({row} % {s}) {times} {pitch} + ({row} {over} {s}) {times} ({p} {times} {s} {times} {pitch})"


def subtitle(result: Result, rows: Rows, columns: int, numbers: bool, offsets: bool) -> str:
    """The formula, and what the numbers in the cells are, or which rows and columns are drawn.

    columns: so many are drawn; numbers: do the cells carry their thread? offsets: and below it their offset?
    """
    params = result.params
    words = f"offset = {formula(params)}. "
    if rows.whole:
        both = "Upper number: thread. Lower: offset." if offsets else "Number: thread."
        words += both if numbers else f"Colour: {params.colour}."
    else:
        words += f"Rows {rows.first[0]} to {rows.last[-1]} of {number(rows.total)}."
    more = params.row_pitch - columns
    return words + (f" {count(more, 'more column')}." if more else "")


def verdict(result: Result) -> Verdict:
    """Is each element of the tile touched once, and if not, what goes wrong first?"""
    params, coverage, (rows, columns) = result.params, result.coverage, result.tile
    touched = f"{number(coverage.covered)} of {count(coverage.tile_elements, 'element')} touched"
    double, outside = result.thread_map.collisions, coverage.out_of_tile_elements
    if double:
        a, b = np.flatnonzero(result.offset == double[0])[:2]
        share = f"{count(len(double), 'offset')} {'belongs' if len(double) == 1 else 'belong'} to more than one thread"
        why = f"T{a} and T{b} both come to offset {double[0]}: Pitch {params.pitch} is wider than the row pitch {params.row_pitch}."
        return Verdict("bad", f"{touched}; {share}.", why)
    if outside:
        fall = "thread falls" if params.threads == 1 else "threads fall"
        words = f"{number(outside)} of {number(params.threads)} {fall} outside the {rows} x {columns} tile; {touched}."
        wide = f"Pitch {params.pitch} is wider than the tile: columns {columns} and up are outside."
        beside = bool((result.row[result.outside] < rows).all())
        return Verdict("bad", words, wide if beside else _jump(result) or _one_each(result))
    if coverage.exact:
        return Verdict("good", f"{touched}, each once.", _plain(result))
    runs = result.missed_rows
    if runs:
        last = runs[-1][1] == rows - 1
        skipped = len(runs) > last
        missed = f"{_rows(runs)} {'skipped' if skipped else 'missed'}."
        return Verdict("bad", f"{touched}; {missed}", (_jump(result) if skipped else "") or _one_each(result))
    free = f"columns {params.pitch} to {columns - 1} are not" if params.pitch < columns - 1 else "the rest are not"
    whole = params.threads % params.pitch == 0
    return Verdict(
        "note", f"{touched}; {free if whole else 'some rows are not full'}.", _jump(result) or _plain(result)
    )


def _rows(runs: tuple[tuple[int, int], ...]) -> str:
    """Which rows, with their verb?

    >>> _rows(((4, 31),)), _rows(((1, 1),)), _rows(((1, 7), (9, 15), (17, 23)))
    ('rows 4 to 31 are', 'row 1 is', '21 rows (1 to 7, 9 to 15, ...) are')
    """
    names = [f"{a} to {b}" if a < b else str(a) for a, b in runs]
    if len(runs) == 1:
        return f"rows {names[0]} are" if runs[0][0] < runs[0][1] else f"row {names[0]} is"
    if len(runs) == 2:
        return f"rows {names[0]} and {names[1]} are"
    return f"{number(sum(b - a + 1 for a, b in runs))} rows ({names[0]}, {names[1]}, ...) are"


def _jump(result: Result) -> str:
    """Where the second group of rows starts, and where it would have to."""
    params, t = result.params, result.jump
    if t == params.threads or params.pitch == 1:
        return ""
    step = params.strips * params.row_pitch
    return (
        f"T{t} starts at offset {number(int(result.offset[t]))}, row {result.row[t]}. "
        f"A step of Strips · row pitch = {number(step)} would go on at row {params.strips}."
    )


def _plain(result: Result) -> str:
    params = result.params
    if result.jump < params.threads:
        return f"With Pitch 1 a group is {count(params.strips, 'thread')} high, and the next one follows it."
    return f"Strips {params.strips} is at least threads / Pitch: the third term is 0, and this is the plain map."


def _one_each(result: Result) -> str:
    threads, elements = result.params.threads, result.coverage.tile_elements
    if threads < elements:
        each = "thread touches" if threads == 1 else "threads touch"
        return f"{number(threads)} {each} one element each; this tile has {number(elements)}."
    return f"{count(threads, 'thread')} for {count(elements, 'element')}: there are more threads than the tile needs."


def status(result: Result) -> str:
    """The probe in words."""
    params, t, at = result.params, result.params.thread, result.probed
    lanes = params.chip.lanes
    return (
        f"T{t} → offset {at.offset} element{'' if at.offset == 1 else 's'} · row {result.row[t]}, column {result.column[t]} · byte {at.byte} · "
        f"bank {at.bank} · warp {t // lanes}, lane {t % lanes} · strip {result.thread_map.strip[t]}"
    )


def terms(result: Result) -> str:
    """The three terms of the probed thread.

    >>> terms(compute(StripsParams(thread=41)))
    ' → 41 % 8 + (5 % 4)·16 + (5 / 4)·512 = 1 + 16 + 512 = 529'
    """
    params, t = result.params, result.params.thread
    row, step = t // params.pitch, params.pitch * params.strips * params.row_pitch
    values = (t % params.pitch, row % params.strips * params.row_pitch, row // params.strips * step)
    return (
        f" → {t} % {params.pitch} + ({row} % {params.strips})·{params.row_pitch} + ({row} / {params.strips})·{step} = "
        f"{values[0]} + {values[1]} + {values[2]} = {result.offset[t]}"
    )


def reads(result: Result) -> str:
    """Element type and cost, for the alt text."""
    return (
        f"{result.params.element}, one element a thread. All warps together: {result.sectors.summary()}, in global memory; "
        f"{result.wavefronts.summary()}, in shared memory"
    )


def table(result: Result) -> str:
    """Thread to offset, one line each, as a small host program prints it.

    >>> table(compute(StripsParams(threads=2))).splitlines()
    ['0 -> 0', '1 -> 1']
    """
    threads = np.arange(result.params.threads).astype("U5")
    return "\n".join(np.char.add(np.char.add(threads, " -> "), result.offset.astype("U12")).tolist())


def copies(result: Result) -> Texts:
    """The formula as Python, CuTe layout, C++ host program and Numba line, and the table that the program prints."""
    params = result.params
    try:
        cute = str(result.thread_map.layout())
    except CuteLabError as error:
        cute = f"// {error}"
    program = (
        "#include <cstdio>\n\nint main() {\n"
        f"  for (int t = 0; t < {params.threads}; ++t)\n"
        f'    std::printf("%d -> %d\\n", t, {formula(params, "*")});\n}}'
    )
    texts = {
        "Python": f"StripThreadMap(row_pitch={params.row_pitch}, threads={params.threads}, pitch={params.pitch}, strips={params.strips})",
        "CuTe": cute,
        "C++": program,
        "Numba": f"t = cuda.threadIdx.x\noffset = {formula(params, '*', '//')}",
    }
    return Texts(texts, table=lambda: table(result))


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on a thread, and its numbers."""
    at, thread = result.at, np.arange(result.params.threads)
    columns = [thread, at.offset, result.row, result.column, at.byte, at.bank, result.warp, result.thread_map.strip]
    template = "T{0} → offset {1}\nrow {2}, column {3} · byte {4} · bank {5}\nwarp {6} · strip {7}"
    return template, np.clip(np.stack(columns, axis=-1), 0, 2**31 - 1).astype(np.int32)


def offers(result: Result) -> tuple[Offer, ...]:
    """Which Pitch and Strips help? Whole coverage first, then the lower cost; none with a bad verdict.

    Enough Strips that no row is skipped; and a Pitch as wide as the tile, so that whole rows are touched.
    """
    params, columns = result.params, result.tile[1]
    found = []
    enough, rows = -(-params.threads // params.pitch), -(-params.threads // columns)
    if enough > 1 and params.pitch > 1:
        strips = max(enough, params.strips)
        found.append(Offer(f"Strips {strips}", "no row is skipped", {"strips": strips}, params.strips >= enough))
    if params.pitch != columns <= MAX_PITCH or (params.strips >= rows and params.pitch == columns):
        changes = {"pitch": columns, "strips": rows}
        use = params.pitch == columns and params.strips >= rows
        found.append(Offer(f"Pitch {columns}, Strips {rows}", "whole rows", changes, use))
    tried = [(fix, result if fix.in_use else compute(params.draft(fix.changes))) for fix in found]
    good = [(fix, after) for fix, after in tried if verdict(after).state != "bad"]
    return tuple(fix for fix, _ in sorted(good, key=lambda one: _rank(one[1])))


def _rank(result: Result) -> tuple[float, int]:
    """How good is this? The share of the tile that is missed, then sectors and wavefronts together."""
    cost = int(np.sum(result.sectors.count)) + int(np.sum(result.wavefronts.count))
    return -result.coverage.covered / max(result.coverage.tile_elements, 1), cost
