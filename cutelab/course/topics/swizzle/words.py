"""The words of topic "swizzle": the verdict, the units, the probe, the offers, the texts to copy."""

from __future__ import annotations

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.course.card.parts.code import cpp_value
from cutelab.course.card.picture import Offer, Verdict
from cutelab.course.card.words import count, number, state_of, worst_of
from cutelab.course.topics.swizzle.model import Array, Result, better
from cutelab.hardware.chip import Address
from cutelab.hardware.wavefronts import Wavefronts


def title(result: Result) -> str:
    """The expression as CuTe spells it: a swizzle on bytes acts on the address of shared memory."""
    params = result.params
    middle = "0" if params.unit == "elements" else f"smem_ptr[{8 * result.item}b](unset)"
    return f"{params.swizzle} o {middle} o {params.layout}"


def units(result: Result) -> str:
    """The same map in both units: `Sw<3,2,3> on float32 = Sw<3,4,3> on bytes`."""
    params = result.params
    here, there = f"{params.on_elements} on {params.element}", f"{params.on_bytes} on bytes"
    if result.item == 1:
        return there
    return f"{there} = {here}" if params.unit == "bytes" else f"{here} = {there}"


def scaled(result: Result, offset: int) -> int:
    """An offset in the unit of the picture."""
    return offset * result.item if result.params.unit == "bytes" else offset


def subtitle(result: Result, numbers: bool) -> str:
    """The unit first, then what number and colour mean, then what is drawn. numbers: do the cells of the tile carry them?"""
    params = result.params
    unit = "bytes" if params.unit == "bytes" else f"elements of {count(result.item, 'byte')}"
    what = "Number = offset" if params.unit == "elements" else "Number = byte offset"
    if result.drawn > 1:
        what = f"One cell = {params.width} bytes. {what} of its first element"
    what = (
        f"{what}, colour" if numbers else f"One cell = {params.width} bytes. Colour" if result.drawn > 1 else "Colour"
    )
    words = (
        f"Unit: {unit}. {what} = {'first ' if result.drawn > 1 and params.width > params.chip.word_bytes else ''}bank."
    )
    rows, columns = params.extents
    if (len(result.rows), len(result.columns) * result.drawn) != (rows, columns):
        first, last = int(result.columns[0]), int(result.columns[-1]) + result.drawn - 1
        words += f" Rows {result.rows[0]} to {result.rows[-1]} of {rows}, columns {first} to {last} of {columns}."
    return words


def line_read(result: Result) -> str:
    """The name of what is read: `column 3`, `row 2`, `columns 8 to 15`."""
    if result.params.access == "row":
        return f"row {result.params.row}"
    first = int(result.read[0, 1])
    return f"column {first}" if result.vector == 1 else f"columns {first} to {first + result.vector - 1}"


def banks(result: Result, wave: Wavefronts | None) -> str:
    """In which banks do the lanes meet? All of them for up to 8 lanes, otherwise how many there are."""
    if wave is None:
        return f"no aligned piece of {result.params.width} bytes"
    bank, first = wave.bank[wave.access.active], "first " if wave.words.shape[1] > 1 else ""
    if len(bank) <= 8:
        return f"{first}bank{'s' if len(bank) > 1 else ''} {' '.join(map(str, bank))}"
    found, most = np.unique(bank, return_counts=True)
    return f"{count(len(found), first + 'bank')}, up to {count(int(most.max()), 'lane')} in one"


def status(result: Result) -> str:
    """The probe in words."""
    params, (before, after) = result.params, result.offset
    at, was = (Address(offset, result.item, params.chip) for offset in (after, before))
    lane = int(result.lane.ravel()[result.probed])
    words = f"({params.row},{params.column}) → offset {after} elements, {before} before"
    words += f" · byte {at.byte} · bank {at.bank}, {was.bank} before"
    return words + (f" · lane T{lane}" if lane >= 0 else "")


def reads(result: Result) -> str:
    """Element type and who reads what, for the alt text."""
    params = result.params
    return f"{params.element}, unit {params.unit}. {count(len(result.read), 'lane')} read {line_read(result)}, {count(params.width, 'byte')} a lane"


def bit_run(low: int, bits: int) -> str:
    """`bit 3`, `bits 3 to 5`."""
    return f"bit {low}" if bits == 1 else f"bits {low} to {low + bits - 1}"


def owner(result: Result, mask: int) -> str:
    """Whose bits of an element's offset are these: "row", "column", "row and column", or "" for nobody's."""
    row, column = result.bits_of
    return " and ".join(name for name, bits in (("row", row), ("column", column)) if bits & mask)


def verdict(result: Result) -> Verdict:
    """What does the read cost before and after, and what does the swizzle do to the tile?"""
    wave, after = result.wave, result.wave_after
    if wave is None or after is None:
        return _broken(result)
    vector = f" of {result.params.width}-byte pieces" if result.vector > 1 else ""
    sentence = f"Reading a {result.params.access}{vector} with {count(len(result.read), 'lane')}: "
    state = state_of(int(after.count), int(after.ideal), int(after.ways))
    if not result.moves:
        sentence = f"{result.params.swizzle} moves nothing: {count(int(wave.count), 'wavefront')} before and after"
        sentence += "." if after.count == after.ideal else f", where {after.ideal} would do."
        return Verdict(worst_of(("note", state)), sentence, _nothing(result))
    sentence += f"{count(int(wave.count), 'wavefront')} before, {after.count} after"
    if after.count == after.ideal:
        return Verdict(state, sentence + ".", mechanism(result))
    if after.ways == 1:
        sentence += f", free of bank conflicts; the bytes alone would need {after.ideal}."
        return Verdict(state, sentence, mechanism(result))
    return Verdict(state, f"{sentence}, where {after.ideal} would do.", f"After: {after.reason()}.")


def mechanism(result: Result) -> str:
    """Which bits go where, whose they are, and which offsets stay together?"""
    swizzle, given = result.swizzle, result.params.swizzle
    named = []
    for low, mask in ((given.base + max(0, given.shift), swizzle.yyy), (given.base - min(0, given.shift), swizzle.zzz)):
        name = owner(result, mask)
        named.append(bit_run(low, given.bits) + (f" (the {name})" if name in ("row", "column") else ""))
    text = f"{named[0].capitalize()} {'is' if given.bits == 1 else 'are'} XORed into {named[1]}: "
    rows, columns = result.table.shape
    kept = {"row": ("each row", columns), "column": ("each column", rows), "tile": ("the tile", rows * columns)}
    if result.keeps:
        who, n = kept[result.keeps]
        return f"{text}{who} keeps its {number(n)} offsets, in another order."
    low, high = int(result.table_after.min()), int(result.table_after.max())
    more = high - int(result.table.max())
    if more > 0:
        return f"{text}the tile now reaches offset {number(high)}, {number(more)} elements further."
    return f"{text}the tile now takes other offsets from {low} to {number(high)}."


def _nothing(result: Result) -> str:
    given = result.params.swizzle
    if not given.bits:
        return "It has no bits to XOR: B is 0."
    run = bit_run(given.base + max(0, given.shift), given.bits)
    last = scaled(result, int(result.table.max()))
    unit = "bytes" if result.params.unit == "bytes" else "elements"
    return f"Its source, {run}, is 0 in all offsets of the tile, 0 to {number(last)}; its period is {number(given.period)} {unit}."


def _broken(result: Result) -> Verdict:
    """A lane's bytes are not one aligned piece: no single load can fetch them."""
    params, vector = result.params, result.vector
    spoiled = result.wave is not None
    table = result.table_after if spoiled else result.table
    rows = result.rows
    columns = np.arange(params.extents[1] // vector) * vector
    each = table[rows[:, None, None], columns[:, None] + np.arange(vector)]
    wrong = (each[..., 0] % vector != 0) | (np.diff(each, axis=-1) != 1).any(-1)
    lanes = np.zeros_like(wrong)
    lanes[result.read[:, 0] - rows[0], result.read[:, 1] // vector] = True
    other = not (wrong & lanes).any()
    i, j = (int(x) for x in np.argwhere(wrong if other else wrong & lanes)[0])
    at, last = int(columns[j]), int(columns[j]) + vector - 1
    listed = ", ".join(str(scaled(result, int(x))) for x in each[i, j, :4]) + (" ..." if vector > 4 else "")
    place = f"({rows[i]},{at}) to ({rows[i]},{last}) lie at {'byte ' if params.unit == 'bytes' else ''}offsets {listed}"
    if spoiled:
        least = vector.bit_length() - 1 + (result.item.bit_length() - 1 if params.unit == "bytes" else 0)
        sentence = f"After {params.swizzle} a lane's {params.width} bytes are not one aligned piece: no single load fetches them."
        if other:
            torn = f"their {params.width} bytes are not one aligned piece"
            sentence = f"This read is whole, but {params.swizzle} tears other pieces: {torn}."
        return Verdict("bad", sentence, f"{place}. A base of {least} or more moves such pieces whole.")
    sentence = (
        f"In {params.layout} a lane's {params.width} bytes are not one aligned piece: no single load fetches them."
    )
    return Verdict("bad", sentence, f"{place}. Fewer bytes a lane, or another layout, would do.")


def offers(result: Result) -> tuple[Offer, ...]:
    """The swizzles that beat the tile as given, in the unit of the knobs."""
    found = []
    for swizzle, taken in better(result):
        shown = swizzle.recast(result.item, 1) if result.params.unit == "bytes" else swizzle
        changes = {"swizzle": str(shown)}
        line = f"{shown}  {count(taken, 'wavefront')}"
        found.append(Offer(line, "no extra memory", changes, in_use=swizzle == result.swizzle))
    return tuple(found)


def copies(result: Result) -> dict[str, str]:
    """The expression, and the same map on elements as Python, as C++ and as a formula."""
    layout, s = result.layout, result.swizzle
    return {
        "CuTe": title(result),
        "Python": f'ComposedLayout({s!r}, 0, parse_layout("{layout}"))',
        "C++": cpp_value(ComposedLayout(s, 0, layout), offset=False),
        "Numba": f"offset ^ ((offset & {s.yyy:#x}) {'>>' if s.shift >= 0 else '<<'} {abs(s.shift)})",
    }


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on a cell, and its numbers."""
    row, column = np.broadcast_arrays(result.rows[:, None], result.columns)
    bank = [Address(offset, result.item, result.params.chip).bank for offset in (result.before, result.after)]
    table = np.stack([row, column, result.before, result.after, *bank], -1).reshape(-1, 6)
    words = "({0},{1}) → offset {3} elements, {2} before\nbank {5}, {4} before"
    return words, np.clip(table, -(2**31), 2**31 - 1).astype(np.int32)
