"""The words of topic "coalescing": the access in a sentence, its verdict, its fixes, and code to copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutelab.core.layout import Layout
from cutelab.course.card.picture import Offer, Verdict
from cutelab.course.card.words import count, number, state_of
from cutelab.course.topics.coalescing.knobs import CoalescingParams
from cutelab.course.topics.coalescing.model import Array, Result, compute

VECTORS = {
    "int8": ("signed char", "char2", "char4", "uint2", "uint4"),
    "half": ("half", "half2", "uint2", "uint4"),
    "float32": ("float", "float2", "float4"),
    "float64": ("double", "double2"),
    "uint128": ("uint4",),
}


def place(params: CoalescingParams, lane: str) -> str:
    """Which place does a lane take, as a formula?

    >>> place(CoalescingParams(order="shuffled"), "i")
    '(5·i + 3) % 32'
    """
    lanes = params.chip.lanes
    return {"straight": lane, "reversed": f"{lanes - 1} - {lane}", "swapped pairs": f"{lane} ^ 1"}.get(
        params.order, f"(5·{lane} + 3) % {lanes}"
    )


def layout(params: CoalescingParams) -> Layout:
    """Which layout sends (lane, value) to elements, before the lanes change places and `start` is added?

    >>> print(layout(CoalescingParams(across=8)), layout(CoalescingParams(access_bytes=16, stride=4)))
    (8,4):(1,16) (32,4):(4,1)
    """
    lanes = params.chip.lanes
    shape: Any = lanes
    stride: Any = params.stride
    if params.across == 1:
        stride = params.pitch
    elif not params.one_row:
        shape, stride = (params.across, lanes // params.across), (params.stride, params.pitch)
    return Layout(shape, stride) if params.vector == 1 else Layout((shape, params.vector), (stride, 1))


def title(params: CoalescingParams) -> str:
    """The layout in CuTe's spelling, and what happens to the lanes before it."""
    return str(layout(params)) + ("" if params.order == "straight" else f", {params.order}")


def formula(params: CoalescingParams, p: str, times: str = "·") -> str:
    """Where the access of place `p` begins, in elements.

    >>> formula(CoalescingParams(start=1, across=8), "i"), formula(CoalescingParams(stride=32), "lane", " * ")
    ('1 + i % 8 + (i / 8)·16', 'lane * 32')
    """
    terms = [] if params.start == 0 else [str(params.start)]
    bare, p = p, f"({p})" if " " in p else p
    steps: tuple[tuple[str, int], ...]
    if params.one_row:
        steps = ((p, params.stride),)
    elif params.across == 1:
        steps = ((p, params.pitch),)
    else:
        steps = ((f"{p} % {params.across}", params.stride), (f"{p} / {params.across}", params.pitch))
    for what, step in steps:
        if step == 1:
            terms.append(what)
        elif step:
            terms.append(f"{what}{times}{step}" if what == p else f"({what}){times}{step}")
    return bare if terms == [p] else " + ".join(terms) or "0"


def subtitle(params: CoalescingParams) -> str:
    """Who touches what, in which order; what a colour is."""
    verb = "loads" if params.kind == "load" else "stores"
    p = "i" if params.order == "straight" else "p"
    words = f"{params.element}. Lane Ti {verb} {count(params.access_bytes, 'byte')} at element {formula(params, p)}"
    words += "" if p == "i" else f", p = {place(params, 'i')}"
    return words + ". Cells show lanes."


def reads(params: CoalescingParams) -> str:
    """Element type and who touches what, for the picture in words."""
    verb = "loads" if params.kind == "load" else "stores"
    who = "one warp" if params.whole else f"{count(params.active, 'lane')} of a warp"
    verb = verb if params.active == 1 or params.whole else verb[:-1]
    return f"{params.element}, {who} {verb} {count(params.access_bytes, 'byte')} a lane"


def percent(part: float) -> str:
    """A part of one, as it stands in a sentence."""
    return f"{100 * part:.0f} %"


def verdict(result: Result) -> Verdict:
    """How many sectors, how many would do, and why?"""
    sentence = f"{result.sectors.summary()}: {percent(result.efficiency)} of the bytes moved are used"
    return Verdict(state_of(result.count, result.ideal), sentence, _reason(result))


def _reason(result: Result) -> str:
    params, access, chip = result.params, result.access, result.params.chip
    where = access.byte_address[: params.active]
    distinct = result.used_bytes // params.access_bytes
    first, end = int(where.min()), int(where.max()) + params.access_bytes
    lanes = count(params.active, "lane")
    if distinct < params.active and params.kind == "store":
        return "Several lanes store to the same element: one of them wins, and nothing says which."
    if distinct < params.active and result.count == result.ideal:
        return f"{lanes} share {count(distinct, 'place')}: {count(result.used_bytes, 'byte')} in {count(result.count, 'sector')}."
    if result.count == result.ideal:
        return (
            f"{lanes} x {count(params.access_bytes, 'byte')} = {count(result.used_bytes, 'byte')} in "
            f"{count(result.count, 'sector')}, in {count(result.lines, 'line')} of {chip.line_bytes} bytes."
        )
    if end - first == result.used_bytes:
        return (
            f"The lanes stand side by side but begin {count(first % chip.sector_bytes, 'byte')} into a sector: "
            f"{count(result.count - result.ideal, 'sector')} more."
        )
    if result.count == params.active:
        return (
            f"Each lane stands in a sector of its own and uses {params.access_bytes} of its {chip.sector_bytes} bytes."
        )
    return f"The lanes use {result.used_bytes / result.count:.3g} of the {chip.sector_bytes} bytes of a sector, on average."


def offers(result: Result) -> tuple[Offer, ...]:
    """Which single changes need fewer sectors? Best first, then those that change least."""
    params, vector, lanes = result.params, result.params.vector, result.params.chip.lanes
    if result.count == result.ideal:
        return ()
    sector = max(vector, params.chip.sector_bytes // params.item)
    choices = {
        "start": ({"start": 0}, "begin at the start of a line"),
        "stride": ({"stride": vector}, "neighbouring lanes side by side"),
        "pitch": ({"pitch": -(-params.pitch // sector) * sector}, "rows begin at a sector"),
        "across": ({"across": lanes}, "the whole warp in one row"),
        "row": ({"across": lanes, "stride": vector}, "the whole warp side by side in one row"),
        "all": ({"across": lanes, "stride": vector, "start": 0}, "side by side, from the start of a line"),
    }
    found: list[tuple[int, int, Offer, dict[str, int]]] = []
    for changes, words in choices.values():
        changed = {k: v for k, v in changes.items() if getattr(params, k) != v}
        if not changed or any(changed == other for *_, other in found):
            continue
        after = compute(params.draft(changed)).count
        line = ", ".join(f"{k} {v}" for k, v in changed.items())
        found.append((after, len(changed), Offer(f"{line}  {count(after, 'sector')}", words, changed), changed))
    best = sorted((f for f in found if f[0] < result.count), key=lambda f: f[:2])
    kept: list[tuple[int, int, Offer, dict[str, int]]] = []
    for offer in best:
        if not any(o[3].items() <= offer[3].items() for o in kept):
            kept.append(offer)
    return tuple(fix for *_, fix, _ in kept[:3])


def copies(result: Result) -> dict[str, str]:
    """The access as code: CuTe's layout, a WarpAccess, the CUDA C++ line."""
    params = result.params
    start = formula(params, place(params, "lane").replace("·", " * "), " * ")
    element = start.replace(" / ", " // ") + ("" if "lane" in start else " + 0 * lane")
    python = f"{params.item} * ({element})" if " " in element else f"{params.item} * {element}"
    who = "" if params.whole else f", lane < {params.active}"
    who += "" if params.chip.measured else f", chip={params.spell('chip')}"
    kind = VECTORS[params.element][params.vector.bit_length() - 1]
    memory = f"memory[{start}]"
    if params.vector > 1:
        const = "const " if params.kind == "load" else ""
        memory = f"*reinterpret_cast<{const}{kind}*>(&{memory})"
    line = f"{kind} value = {memory};" if params.kind == "load" else f"{memory} = value;"
    line = line if params.whole else f"if (lane < {params.active}) {{ {line} }}"
    found = {"CuTe": str(layout(params))} if params.order == "straight" else {}
    return found | {
        "Python": f'lane = np.arange({params.chip.lanes})\nWarpAccess({python}, {params.access_bytes}, "{params.kind}"{who})',
        "CUDA C++": f"int lane = threadIdx.x % {params.chip.lanes};\n{line}",
    }


def at_lane(result: Result) -> str:
    """The probed lane's access, in one line."""
    at = result.probed
    return (
        f"T{result.params.lane} → element {number(at.offset)} · byte {number(at.byte)} · line {number(at.line)} · "
        f"sector {number(at.sector)}"
    )


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on a lane, and its numbers."""
    at = result.at
    table = np.stack([np.arange(len(at.offset)), at.offset, at.byte, at.line, at.sector], axis=1)
    return "T{0} → element {1}\nbyte {2} · line {3} · sector {4}", table.astype(np.int32)


def lines(params: CoalescingParams) -> str:
    """How memory is drawn."""
    chip = params.chip
    pieces = chip.line_bytes // chip.sector_bytes
    cut = {1: "one sector", 2: "two sectors", 4: "four sectors"}.get(pieces, f"{pieces} sectors")
    return f"one {chip.line_bytes}-byte line a row, cut into {cut} of {chip.sector_bytes} bytes; the columns name bytes"


def one_lane(result: Result) -> tuple[str, str, str, str]:
    """The probed lane's name; its sum; its byte, line and sector; whom that sector serves."""
    params, lane, at = result.params, result.params.lane, result.probed
    row, col = divmod(int(result.place[lane]), params.across)
    terms = [str(params.start)] if params.start else []
    terms += [f"{col}·{params.stride}"] if params.across > 1 else []
    terms += [f"{row}·{params.pitch}"] if not params.one_row else []
    took = "" if result.place[lane] == lane else f" p = {result.place[lane]}"
    here = result.sectors.sector == at.sector
    used = len(np.unique(result.access.byte_address[here])) * params.access_bytes
    return (
        f"T{lane}",
        f"{took} → {' + '.join(terms)} = {number(at.offset)}",
        f"byte {number(at.byte)} as {params.element}  ·  line {number(at.line)}  ·  sector {number(at.sector)}",
        f"That sector serves {count(int(here.sum()), 'lane')}; {used} of its {params.chip.sector_bytes} bytes are used.",
    )
