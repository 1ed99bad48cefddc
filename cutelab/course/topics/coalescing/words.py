"""The words of topic "coalescing": the access in a sentence, its verdict, its fixes, and code to copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutelab.core.layout import Layout
from cutelab.course.card.picture import Offer, Verdict
from cutelab.course.card.words import count, number

if TYPE_CHECKING:
    from cutelab.course.topics.coalescing.model import CoalescingParams, Result

PLACES = {
    "straight": "{}",
    "reversed": "31 - {}",
    "swapped pairs": "{} ^ 1",
    "shuffled": "(5·{} + 3) % 32",
}
VECTORS = {
    "int8": ("signed char", "char2", "char4", "uint2", "uint4"),
    "half": ("half", "half2", "uint2", "uint4"),
    "float32": ("float", "float2", "float4"),
    "float64": ("double", "double2"),
    "uint128": ("uint4",),
}
NEARLY = 0.75  # part of the bytes moved that is used, from which on a verdict is a note


def layout(params: CoalescingParams) -> Layout:
    """Which layout sends (lane, value) to elements, before the lanes change places and `start` is added?

    >>> from cutelab.course.topics.coalescing.model import CoalescingParams
    >>> print(layout(CoalescingParams(across=8)), layout(CoalescingParams(access_bytes=16, stride=4)))
    (8,4):(1,16) (32,4):(4,1)
    """
    shape, stride = 32, params.stride
    if params.across == 1:
        stride = params.pitch
    elif params.across < 32:
        shape, stride = (params.across, 32 // params.across), (params.stride, params.pitch)
    return Layout(shape, stride) if params.vector == 1 else Layout((shape, params.vector), (stride, 1))


def title(params: CoalescingParams) -> str:
    """The layout in CuTe's spelling, and what happens to the lanes before it."""
    return str(layout(params)) + ("" if params.order == "straight" else f", {params.order}")


def formula(params: CoalescingParams, p: str, times: str = "·") -> str:
    """Where the access of place `p` begins, in elements.

    >>> from cutelab.course.topics.coalescing.model import CoalescingParams
    >>> formula(CoalescingParams(start=1, across=8), "i"), formula(CoalescingParams(stride=32), "lane", " * ")
    ('1 + i % 8 + (i / 8)·16', 'lane * 32')
    """
    terms = [] if params.start == 0 else [str(params.start)]
    bare, p = p, f"({p})" if " " in p else p
    if params.across == 1:
        steps = ((p, params.pitch),)
    elif params.across == 32:
        steps = ((p, params.stride),)
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
    words += "" if p == "i" else f", p = {PLACES[params.order].format('i')}"
    return words + ". Cells show lanes."


def reads(params: CoalescingParams) -> str:
    """Element type and who touches what, for the picture in words."""
    verb = "loads" if params.kind == "load" else "stores"
    who = "one warp" if params.active == 32 else f"{count(params.active, 'lane')} of a warp"
    verb = verb[:-1] if params.active not in (1, 32) else verb
    return f"{params.element}, {who} {verb} {count(params.access_bytes, 'byte')} a lane"


def percent(part: float) -> str:
    """A part of one, as it stands in a sentence."""
    return f"{100 * part:.0f} %"


def verdict(result: Result) -> Verdict:
    """How many sectors, how many would do, and why?"""
    state = "good" if result.count == result.ideal else "note" if result.efficiency >= NEARLY else "bad"
    sentence = f"{result.sectors.summary()}: {percent(result.efficiency)} of the bytes moved are used"
    return Verdict(state, sentence, _reason(result))


def _reason(result: Result) -> str:
    params, access, found = result.params, result.access, result.sectors
    where = access.byte_address[: params.active]
    distinct = found.used_bytes // params.access_bytes
    first, end = int(where.min()), int(where.max()) + params.access_bytes
    lanes = count(params.active, "lane")
    if distinct < params.active and params.kind == "store":
        return "Several lanes store to the same element: one of them wins, and nothing says which."
    if distinct < params.active and found.count == found.ideal:
        return f"{lanes} share {count(distinct, 'place')}: {count(found.used_bytes, 'byte')} in {count(found.count, 'sector')}."
    if found.count == found.ideal:
        return (
            f"{lanes} x {count(params.access_bytes, 'byte')} = {count(found.used_bytes, 'byte')} in "
            f"{count(found.count, 'sector')}, in {count(found.lines, 'line')} of 128 bytes."
        )
    if end - first == found.used_bytes:
        return (
            f"The lanes stand side by side but begin {count(first % 32, 'byte')} into a sector: "
            f"{count(found.excess, 'sector')} more."
        )
    if found.count == params.active:
        return f"Each lane stands in a sector of its own and uses {params.access_bytes} of its 32 bytes."
    return f"The lanes use {found.used_bytes / found.count:.3g} of the 32 bytes of a sector, on average."


def fixes(result: Result) -> tuple[Offer, ...]:
    """Which single changes need fewer sectors? Best first, then those that change least."""
    from cutelab.course.topics.coalescing.model import compute

    params, vector = result.params, result.params.vector
    if result.count == result.ideal:
        return ()
    sector = max(vector, 32 // params.item)
    offers = {
        "start": ({"start": 0}, "begin at the start of a line"),
        "stride": ({"stride": vector}, "neighbouring lanes side by side"),
        "pitch": ({"pitch": -(-params.pitch // sector) * sector}, "rows begin at a sector"),
        "across": ({"across": 32}, "the whole warp in one row"),
        "row": ({"across": 32, "stride": vector}, "the whole warp side by side in one row"),
        "all": ({"across": 32, "stride": vector, "start": 0}, "side by side, from the start of a line"),
    }
    found: list[tuple[int, int, Offer, dict[str, int]]] = []
    for changes, words in offers.values():
        changed = {k: v for k, v in changes.items() if getattr(params, k) != v}
        if not changed or any(changed == other for *_, other in found):
            continue
        after = compute(params.change(**changed)).count
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
    start = formula(params, PLACES[params.order].format("lane").replace("·", " * "), " * ")
    element = start.replace(" / ", " // ") + ("" if "lane" in start else " + 0 * lane")
    python = f"{params.item} * ({element})" if " " in element else f"{params.item} * {element}"
    who = "" if params.active == 32 else f", lane < {params.active}"
    kind = VECTORS[params.element][params.vector.bit_length() - 1]
    place = f"memory[{start}]"
    if params.vector > 1:
        const = "const " if params.kind == "load" else ""
        place = f"*reinterpret_cast<{const}{kind}*>(&{place})"
    line = f"{kind} value = {place};" if params.kind == "load" else f"{place} = value;"
    line = line if params.active == 32 else f"if (lane < {params.active}) {{ {line} }}"
    found = {"CuTe": str(layout(params))} if params.order == "straight" else {}
    return found | {
        "Python": f'lane = np.arange(32)\nWarpAccess({python}, {params.access_bytes}, "{params.kind}"{who})',
        "CUDA C++": f"int lane = threadIdx.x % 32;\n{line}",
    }


def at_lane(result: Result) -> str:
    """The probed lane's access, in one line."""
    lane = result.params.lane
    byte = int(result.access.byte_address[lane])
    return (
        f"T{lane} → element {number(int(result.element[lane]))} · byte {number(byte)} · line {number(byte // 128)} · "
        f"sector {number(byte // 32)}"
    )
