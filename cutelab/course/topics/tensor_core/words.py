"""The words of topic "tensor_core": who holds what, how it is loaded, the probe. Computes nothing itself."""

from __future__ import annotations

import numpy as np

from cutelab.core.composed import ComposedLayout
from cutelab.core.layout import Layout, offsets
from cutelab.course.card.parts.code import cpp_type, cpp_value
from cutelab.course.card.picture import Line, Offer, Verdict
from cutelab.course.card.shared_tile import pitched, plain_modes, say_swizzle
from cutelab.course.card.words import State, count, number, state_of, worst_of
from cutelab.course.topics.tensor_core.load import Feed, better
from cutelab.course.topics.tensor_core.model import Array, Result
from cutelab.course.topics.tensor_core.typed import SCALES, element, letters
from cutelab.hardware.chip import Address


def names(letter: str, numbers: Array) -> Array:
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
    code = f"{m} + {result.tile[0]}·{k}."
    maps = " The layout maps (thread, value) to the code "
    return words + (maps if len(words + maps + code) <= 108 else " (thread, value) → code ") + code


def whose(result: Result) -> str:
    """The heading of the list of one thread's values."""
    if result.everyone:
        return "values"
    return f"{result.name} holds" if result.place == "registers" else f"{result.name} has"


def reading(result: Result) -> tuple[Line, ...]:
    """The registers of the probed thread, in one line."""
    shown = [f"v{i} ({m},{k})" for i, (m, k) in enumerate(result.held[:8].tolist())]
    while len("  ".join(shown)) > 82:
        shown.pop()
    more = "  ..." if result.values > len(shown) else ""
    lines = [Line("  ".join(shown) + more, "read", bold="all" if result.everyone else result.name)]
    if result.tmem is not None:
        (rows, columns), step = offsets(result.tmem).shape, number(int(result.tmem(1, 0)))
        said = f"Tensor memory: {result.tmem}. {rows} lanes x {columns} elements; from lane to lane {step}."
        lines.append(Line(said, "plain"))
    if result.by_lane:
        lanes = result.lanes.tolist()
        half = len(lanes) // 2
        runs = f"T{lanes[0]} to T{lanes[half - 1]} and T{lanes[half]} to T{lanes[-1]}"
        lines.append(
            Line(
                f"A quad pair: {runs} work together. A warp has {result.params.chip.lanes // len(lanes)} of them.",
                "muted",
            )
        )
    if result.atom.note and result.place != "registers":
        lines.append(Line(f"{result.atom.note[0].upper()}{result.atom.note[1:]}.", "muted"))
    return tuple(lines)


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """Who holds the tile; then how the operand is loaded, and for how many wavefronts."""
    found = [_owners(result)]
    if result.feed is not None:
        found.append(_load(result, result.feed))
    elif result.params.side == "narrow":
        found.append(
            Verdict("note", f"Elements of {count(result.bits, 'bit')}: loads below a byte are not modelled here.")
        )
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
        if result.threads == 1:
            return Verdict("note", f"One thread stands for all: it sees the whole {tile}.", where)
        return Verdict("note", f"Two thread blocks share the {tile}: {number(result.values)} values each.", where)
    if owned.one_to_one:
        sentence = f"Every element of the {tile} has exactly one owner: {result.threads} threads x {result.values} values = {number(rows * cols)}."
        return Verdict("good", sentence, _packing(result))
    words = owned.summary()
    return Verdict("note", f"{words[0].upper()}{words[1:]}.", _packing(result))


def _places(coordinates: Array) -> str:
    return " ".join(f"({a},{b})" for a, b in coordinates.tolist())


def _packing(result: Result) -> str:
    """Which values share a register, and where the registers of the probed thread begin."""
    if result.params.operand in SCALES:
        serves = result.atom.name.rstrip("> ").rpartition(",")[2]
        return f"One factor serves {serves} neighbours along k: v0 to v{int(serves) - 1} are one and the same byte."
    packed, words = 32 // result.bits, ""
    held = result.held
    if packed > 1 and result.values >= packed:
        step = np.diff(held[: result.values // packed * packed].reshape(-1, packed, 2), axis=1)
        ways = zip(letters(result.params.operand), ((1, 0), (0, 1)), strict=True)
        axis = next((name for name, along in ways if (step == along).all()), None)
        together = "v0 and v1 share" if packed == 2 else f"v0 to v{packed - 1} share"
        words = f"{together} a 4-byte register" + (f", neighbours along {axis}. " if axis else ". ")
    elif packed <= 1:
        words = (
            "A value takes a register of 4 bytes. "
            if result.bits == 32
            else f"A value takes {result.bits // 32} registers of 4 bytes. "
        )
    starts = held[:: max(1, packed)]
    if len(starts) > 4:
        last = "({},{})".format(*starts[-1].tolist())
        return f"{words}{result.name}'s registers begin at {_places(starts[:3])} ... {last}."
    return f"{words}{result.name}'s register{'s begin' if len(starts) > 1 else ' begins'} at {_places(starts)}."


def _load(result: Result, feed: Feed) -> Verdict:
    """The load with its ideal, who meets where, and what the store of the tile costs."""
    store, waves, load = "", feed.waves, feed.load
    stored: State = "good"
    if feed.store is not None:
        taken, least = feed.store
        ideal = ", the ideal" if taken == least else f" where {number(least)} would do"
        store = f"16-byte stores: {count(taken, 'wavefront')}{ideal}."
        stored = state_of(taken, least)
    if load is None:
        free = waves.count == 1
        where = f"lie in all {result.params.chip.banks} banks" if free else "meet in some banks"
        sentence = f"The 8 rows of a core matrix {where}: {count(int(waves.count), 'wavefront')}, counted as ldmatrix."
        second = f"{store} What the MMA itself takes is not modelled.".strip()
        return Verdict(worst_of((stored, state_of(int(waves.count), 1))), sentence, second)
    good, ways = load.wavefronts == load.ideal, max(int(np.max(found.ways)) for found in load.results)
    ending = "" if good else f" ({ways}-way)" if ways > 1 else ", free of bank conflicts"
    reason = waves.reason() if waves.ways > 1 else ""
    second = f"{reason[0].upper()}{reason[1:]}. {store}".rstrip() if reason else store
    state = worst_of((stored, state_of(load.wavefronts, load.ideal, ways)))
    return Verdict(state, f"{load.summary()}{ending}.", second)


def status(result: Result) -> str:
    """The probe in words."""
    params = result.params
    (row, column), rows = result.held[params.value].tolist(), result.tile[0]
    who = f"{result.name} v{params.value}"
    if result.by_lane:
        who = f"thread {params.thread} of the quad pair is lane {who}"
    elif result.everyone:
        who = f"v{params.value}" + (" of every thread" if result.threads > 1 else "")
    words = f"{who} → ({row},{column}) · code {result.code} = {row} + {rows}·{column}"
    feed = result.feed
    if feed is None or feed.load is None:
        return words
    offset = int(feed.table[row + params.start[0], column + params.start[1]])
    at = Address(offset, feed.item, params.chip)
    return f"{words} · offset {offset} element{'' if offset == 1 else 's'} · byte {at.byte} · bank {at.bank}"


def offers(result: Result) -> tuple[Offer, ...]:
    """The fixes of a row-major tile, best first, with the wavefronts that the chosen load then takes."""
    params, feed, modes = result.params, result.feed, plain_modes(result.params.inner)
    if feed is None or feed.load is None or pitched(params.inner) != 0 or modes is None:
        return ()
    rows, cols = modes[:2]
    plain, load = Layout((rows, cols), (cols, 1)), feed.load.instruction
    found = better(params.atom, params.operand, plain, feed.item, params.start, load, params.chip)
    return tuple(
        Offer(
            f"{fix.name}  {count(taken, 'wavefront')}",
            fix.cost,
            {"pitch": fix.pitch, "swizzle": say_swizzle(fix.swizzle)},
            in_use=(params.pitch, params.swizzle) == (fix.pitch, fix.swizzle),
        )
        for fix, taken in found
    )


def copies(result: Result) -> dict[str, str]:
    """The line that makes this view; the layout and its C++ type; the tile in shared memory."""
    params = result.params
    found = {
        "cutelab": params.call("tensor_core"),
        "CuTe": str(result.layout),
        "C++": cpp_type(result.layout),
        "Python": f'mma_atom("{result.atom.name}").{params.operand.lower()}',
    }
    if result.feed is not None:
        laid_out = params.laid_out
        code = cpp_value(laid_out, offset=False) if isinstance(laid_out, ComposedLayout) else cpp_type(laid_out)
        found["smem"] = code if params.side == "load" else str(laid_out)
    return found


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on a cell, and its numbers."""
    row, column = (a.ravel() for a in np.broadcast_arrays(result.rows[:, None], result.columns))
    thread, value = result.owned.thread[row, column], result.owned.value[row, column]
    code = row + result.tile[0] * column
    columns = [row, column, code, result.lanes[np.maximum(thread, 0)], value]
    template = "({0},{1}) → code {2}\nT{3} v{4}" if not result.everyone else "({0},{1}) → code {2}\nv{4}"
    feed = result.feed
    if feed is not None and feed.load is not None:
        top, left = result.params.start
        at = Address(feed.table[row + top, column + left], feed.item, result.params.chip)
        columns += [at.offset, at.bank]
        template += "\noffset {5} elements · bank {6}"
    return template, np.stack(columns, -1).astype(np.int32)
