"""The words of topic "tensor_core": who holds what, how it is loaded, the probe. Reads a `Result`; computes nothing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cutelab import notation
from cutelab.composed import ComposedLayout
from cutelab.layout import Layout
from cutelab.scenes import panels
from cutelab.scenes.banks_tile import pitched
from cutelab.scenes.panels import Line, Verdict
from cutelab.scenes.tensor_core_input import element, letters
from cutelab.scenes.tensor_core_load import better
from cutelab.scenes.words import count, number

if TYPE_CHECKING:
    from cutelab.scenes.tensor_core import Result


def names(letter: str, numbers: np.ndarray) -> np.ndarray:
    """`T5`, `v3` for whole arrays."""
    return np.char.add(letter, numbers.astype("U5"))


def title(result: Result) -> str:
    """The operand and its layout, as CuTe prints it."""
    return f"{result.params.operand}: {result.layout}"


def short(result: Result) -> str:
    """The atom's name, without its template arguments where it is long."""
    name = result.atom.name
    return name if len(name) <= 40 else name.partition("<")[0].removeprefix("SM120::BLOCKSCALED::")


def kind(result: Result) -> str:
    """What the elements are called."""
    return element(result.atom.name, result.params.operand, result.bits)


def sizes(result: Result) -> str:
    """`16 x 8 half`."""
    return f"{result.tile[0]} x {result.tile[1]} {kind(result)}"


def subtitle(result: Result) -> str:
    """The atom, the operand, and what the numbers of the layout are."""
    m, k = letters(result.params.operand)
    words = f"{short(result)}, {result.params.operand} of {sizes(result)}."
    return f"{words} The layout maps (thread, value) to the code {m} + {result.tile[0]}·{k}."


def heading(result: Result) -> str:
    m, k = letters(result.params.operand)
    if result.owned.every_thread:
        return f"the tile: value at ({m},{k})"
    return f"the tile: thread and value at ({m},{k})"


def reading(result: Result) -> tuple[Line, ...]:
    """The registers of the probed thread, in one line."""
    shown = [f"v{i} ({m},{k})" for i, (m, k) in enumerate(result.held[:8].tolist())]
    more = "  ..." if result.values > 8 else ""
    who = "all" if result.owned.every_thread else result.name
    lines = [Line("  ".join(shown) + more, "read", bold=who)]
    if result.tmem is not None:
        lanes, columns = result.tmem.shape  # type: ignore[misc]
        lines.append(Line(f"Tensor memory: {result.tmem}, {lanes} lanes x {columns} elements; a lane is {number(result.tmem.stride[0])} elements on.", "plain"))  # type: ignore[index]
    if result.atom.note and result.place != "registers":
        lines.append(Line(f"{result.atom.note[0].upper()}{result.atom.note[1:]}.", "muted"))
    return tuple(lines)


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """Who holds the tile; then how the operand is loaded, and for how many wavefronts."""
    found = [_owners(result)]
    if result.feed is not None:
        found.append(_load(result))
    elif result.params.side == "narrow":
        found.append(Verdict("note", f"Elements of {result.bits} bits: loads below a byte are not modelled here."))
    return tuple(found)


def _owners(result: Result) -> Verdict:
    (rows, cols), owned = result.tile, result.owned
    tile = f"{rows} x {cols} tile"
    if result.place != "registers":
        where = f"It lies in {result.place}, and the instruction reads it there; no thread holds it in registers."
        if result.params.operand == "C":
            where = f"It lies in {result.place}; no thread holds it in registers during the instruction."
        if owned.every_thread:
            return Verdict("note", f"Every thread sees the whole {tile}: the thread stride is 0.", where)
        whose = "One thread stands for all" if result.threads == 1 else "Two blocks share it"
        return Verdict("note", f"{whose}: {tile}, {number(result.values)} values each.", where)
    if owned.one_to_one:
        sentence = f"Every element of the {tile} has exactly one owner: {result.threads} threads x {result.values} values = {number(rows * cols)}."
        return Verdict("good", sentence, _packing(result))
    words = owned.summary()
    return Verdict("note", f"{words[0].upper()}{words[1:]}.", _packing(result))


def _packing(result: Result) -> str:
    """Which values share a register, and where the registers of the probed thread begin."""
    packed, words = 32 // result.bits, ""
    held = result.held
    if packed > 1 and result.values >= packed:
        step = np.diff(held[: result.values // packed * packed].reshape(-1, packed, 2), axis=1)
        axis = next((a for a, s in zip(letters(result.params.operand), ((1, 0), (0, 1)), strict=True) if (step == s).all()), None)
        together = "v0 and v1 share" if packed == 2 else f"v0 to v{packed - 1} share"
        words = f"{together} a 4-byte register" + (f", neighbours along {axis}. " if axis else ". ")
    elif packed <= 1:
        words = "A value takes a register of 4 bytes. " if result.bits == 32 else f"A value takes {result.bits // 32} registers of 4 bytes. "
    starts = held[:: max(1, packed)]
    listed = " ".join(f"({a},{b})" for a, b in starts[:4].tolist()) + (" ..." if len(starts) > 4 else "")
    return f"{words}{result.name}'s begin at {listed}."


def _load(result: Result) -> Verdict:
    """The load with its ideal, who meets where, and what the store of the tile costs."""
    feed = result.feed
    store = ""
    if feed.store is not None:  # type: ignore[union-attr]
        taken, least = feed.store  # type: ignore[union-attr]
        store = f" Filling the tile by rows, 16 bytes a lane: {count(taken, 'wavefront')}" + (", the ideal." if taken == least else f" where {least} would do.")
    waves = feed.waves  # type: ignore[union-attr]
    if feed.load is None:  # type: ignore[union-attr]
        free = waves.count == 1
        sentence = f"The 8 rows of a core matrix, 16 bytes each, lie in {'all 32 banks' if free else 'banks that meet'}: {waves.summary()}."
        return Verdict("good" if free else "bad", sentence, store.strip())
    load = feed.load  # type: ignore[union-attr]
    good = load.wavefronts == load.ideal
    free = all(np.max(found.ways) == 1 for found in load.results)
    ending = "" if good or not free else ", free of bank conflicts"
    sentence = f"{load.summary()}{ending}."
    reason = waves.reason() if waves.ways > 1 else ""
    second = f"{reason[0].upper()}{reason[1:]}.{store}" if reason else store.strip()
    return Verdict("good" if good else "note" if free else "bad", sentence, second)


def status(result: Result) -> str:
    """The probe in words."""
    params = result.params
    (row, column), rows = result.held[params.value].tolist(), result.tile[0]
    who = f"{result.name} v{params.value}"
    if result.by_lane:
        who = f"thread {params.thread} of the quad pair is lane {who}"
    elif result.owned.every_thread:
        who = f"v{params.value} of every thread"
    words = f"{who} → ({row},{column}) · code {result.code} = {row} + {rows}·{column}"
    feed = result.feed
    if feed is None or feed.load is None:
        return words
    offset = int(feed.table[row + params.down * rows, column + params.across * result.tile[1]])
    byte = offset * feed.item
    return f"{words} · offset {offset} elements · byte {byte} · bank {byte // 4 % 32}"


def offers(result: Result) -> tuple[panels.Cure, ...]:
    """The cures of a row-major tile, best first, with the wavefronts that the chosen load then takes."""
    params, feed = result.params, result.feed
    if feed is None or feed.load is None or pitched(params.inner) != 0:
        return ()
    rows, cols = params.inner.shape  # type: ignore[misc]
    at = params.down * result.tile[0], params.across * result.tile[1]
    load = feed.load.instruction
    found = better(params.atom, params.operand, Layout((rows, cols), (cols, 1)), feed.item, at, load)
    return tuple(
        panels.Cure(
            f"{cure.name}  {count(taken, 'wavefront')}",
            cure.cost,
            {"pitch": cure.pitch, "swizzle": "" if cure.swizzle is None else str(cure.swizzle)},
            in_use=(params.pitch, params.swizzle) == (cure.pitch, "" if cure.swizzle is None else str(cure.swizzle)),
        )
        for cure, taken in found
    )


def copies(result: Result) -> dict[str, str]:
    """The line that makes this view; the layout and its C++ type; the tile in shared memory."""
    params = result.params
    found = {
        "cutelab": params.call("tensor_core"),
        "CuTe": str(result.layout),
        "C++": notation.print_type(result.layout.shape, result.layout.stride),
        "Python": f'mma_atom("{result.atom.name}").{params.operand.lower()}',
    }
    if result.feed is not None:
        inner = params.laid_out
        text = notation.print_type(params.inner.shape, params.inner.stride)
        if isinstance(inner, ComposedLayout) and params.side == "load":
            text = f"composition({str(inner.outer).replace('Sw', 'Swizzle')}{{}}, {text}{{}})"
        found["smem"] = text if params.side == "load" else str(inner)
    return found
