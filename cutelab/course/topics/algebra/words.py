"""The words of topic "algebra": the law, whether it holds, and where it does not."""

from __future__ import annotations

import numpy as np

from cutelab.algebra import laws, max_common_vector
from cutelab.algebra.fold import Broken, compose_mode
from cutelab.algebra.simplify import coalesce_beyond
from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout
from cutelab.core.int_tuple import to_text
from cutelab.core.layout import Layout, compatible, size
from cutelab.core.queries import holes
from cutelab.course.card.parts.code import cpp_shape, cpp_value
from cutelab.course.card.parts.leaves import innermost
from cutelab.course.card.parts.sheet import crd_text
from cutelab.course.card.picture import Verdict
from cutelab.course.card.words import count, count_distinct, number
from cutelab.course.topics.algebra.chain import LAWS, SILENT, Chain
from cutelab.course.topics.algebra.knobs import say_cotarget
from cutelab.course.topics.algebra.model import Array, Result

MAX_HOLES = 2**16  # offsets up to which the unused ones of A are counted
KEYS = (
    "Here it fails",
    "does not divide",
    "cannot all come back",
    "the two overlap",
    "is not a multiple of",
    "lies below",
    "fit in. Take",
    "joined to",
    "there is room",
    "Above",
    "Stride 1 is",
    "is read in groups",
    "run along together",
    "begins a mode",
)
"""What marks the line of an explanation that decides the result, the first that occurs."""


def title(result: Result) -> str:
    """The operation as CuTe writes it."""
    params = result.params
    if params.operation == "composition":
        return f"{params.a} o {params.b}"
    second = {"max_common_vector": str(params.b), "complement": say_cotarget(params.cotarget)}.get(params.operation, "")
    return f"{params.operation}({params.a}{', ' if second else ''}{second})"


def subtitle(result: Result, numbers: bool) -> str:
    """What numbers and colours mean. numbers: do the cells of any map carry them?"""
    if result.params.operation == "complement" and result.layout is not None:
        words = "Colour: the copy j of A. Copy j begins at offset R(j); element i of it lies A(i) further."
        return f"Numbers are offsets. {words}" if numbers else words
    source = {"composition": "of B", "coalesce": "of A", "left_inverse": "of A", "complement": "of A"}.get(
        result.params.operation, "of R"
    )
    if result.layout is None and result.params.operation == "max_common_vector":
        source = "of A and of B"
    words = f"{'Numbers: what each map gives. ' if numbers else ''}Colour: the coordinate c {source} on its way"
    return (
        words + "; without colour: not reached."
        if any((m.cell < 0).any() for m in result.maps)
        else words + " from map to map."
    )


def key_lines(result: Result) -> list[str]:
    """What decides the result: what becomes of each mode of B, and the line of the explanation that decides."""
    found: list[str] = []
    if (
        result.chain.points is not None
        and "A(B(c))" not in result.chain.points.columns
        and "B(c)" in result.chain.points.columns
    ):
        return found
    links = {link.name: link.layout for link in result.chain.links}
    if result.params.operation == "composition" and isinstance(links["B"], Layout):
        found.append(_mode_by_mode(links["A"], links["B"]))
    if "Each mode of B alone" in result.chain.refusal:
        return [*found, "Each mode of B alone is admissible; together their offsets cross the end of a mode of A."]
    lines = [line.strip() for line in result.chain.explained.splitlines()[1:]]
    lines = [line for line in lines if " = 1 times" not in line and not line.startswith(("Refused", "Result"))]
    for key in KEYS:
        deciding = next((line for line in lines if key in line), None)
        if deciding:
            return [*found, deciding]
    return found or lines[:1]


def _mode_by_mode(a: Layout | ComposedLayout, b: Layout) -> str:
    modes = coalesce_beyond(innermost(a))
    parts = laws.flat_modes(b)[:6]
    results = [compose_mode(modes, extent, step)[0] for extent, step in parts]
    texts = [f"{s}:{d} → {'?' if isinstance(r, Broken) else r}" for (s, d), r in zip(parts, results, strict=True)]
    return f"A in fewest modes: {laws.from_modes(modes)}. Modes of B: {',  '.join(texts)}"


def domain_text(result: Result, index: int) -> str:
    """The coordinate of a 1-D index of the domain."""
    return crd_text(index, result.chain.domain)


def short_text(result: Result, index: int) -> str:
    """The coordinate of a 1-D index of the domain, one number for each top-level mode."""
    domain = result.chain.domain
    return crd_text(index, tuple(map(int_tuple.product, domain)) if isinstance(domain, tuple) else domain)


def status(result: Result) -> str:
    """The probe on its way, in words."""
    operation, maps = result.params.operation, {m.link.name: m for m in result.maps}
    if operation == "complement" and result.layout is not None:
        a, r, whole = (maps[n] for n in ("A", "R", "offsets"))
        return f"i = {a.at}, copy j = {r.at} → A(i) + R(j) = {a.value} + {r.value} → offset {whole.at}"
    first, *others = result.maps
    words = f"c = {domain_text(result, result.params.index)} → {first.link.name}(c) = {first.value}"
    for m in others:
        if m.link.before is None:
            words += f" · {m.link.name}(c) = {m.value}"
        elif m.at < 0:
            words += f" → {m.link.name} has no index {m.at}"
        else:
            words += f" → {m.link.name}({m.at}) = {m.value}" if operation != "max_common_vector" else ""
    if operation == "max_common_vector" and result.layout is not None:
        words += f" → A({first.value}) = {maps['A'].value} · B({first.value}) = {maps['B'].value}"
    return words


def verdict(result: Result) -> Verdict:
    """Does the law hold? The result with its law, or the rule that refuses it."""
    found, operation = result.chain, result.params.operation
    if found.result is None:
        return _refused(result)
    r, law = found.result, LAWS[operation]
    checked = laws.checked_phrase(found.domain)
    if operation == "composition":
        return _composition(result, checked)
    if operation == "coalesce":
        modes = [len(int_tuple.flatten(x.shape)) for x in (result.chain.links[0].layout, r)]
        fewer = f"{count(modes[1], 'mode')} where there {'was' if modes[0] == 1 else 'were'} {modes[0]}"
        return Verdict("good", f"R = {r}: {fewer}.", f"The same function of the 1-D index: {law} {checked}.")
    if operation == "complement":
        return _complement(result)
    if operation == "right_inverse":
        whole = size(result.maps[1].link.layout)
        sentence = f"R = {r}: offset c lives at index R(c) of A, {law} {checked}."
        if found.count < whole:
            rest = f"No mode of A goes on at offset {found.count}, so R ends there; A has {number(whole)} elements."
            return Verdict("note", sentence, rest)
        return Verdict("good", sentence, "Every offset from 0 on holds one element of A.")
    if operation == "left_inverse":
        return Verdict("good", f"R = {r}: {law} {checked}.", "R finds the 1-D index again from the offset alone.")
    return _vector(result)


def _composition(result: Result, checked: str) -> Verdict:
    a, b, r = *(result.maps[i].link.layout for i in (1, 0)), result.layout
    sentence = f"R = {r}, and R(c) = A(B(c)) {checked}."
    reached = int(laws.domain_values(b, r.shape).max()) if isinstance(b, Layout) else 0
    if reached >= size(a):
        return Verdict(
            "note",
            sentence,
            f"B reaches index {number(reached)}, and A has {count(size(a), 'element')}: beyond them A's last mode goes on.",
        )
    if isinstance(a, Layout) and a.shape and size(a) <= MAX_HOLES and (unused := len(_holes(a))):
        return Verdict(
            "good", sentence, f"Between its elements A leaves {count(unused, 'offset')} unused; R meets none."
        )
    if compatible(b, r) and int_tuple.depth(r.shape) > int_tuple.depth(b.shape):
        return Verdict(
            "good", sentence, f"Every coordinate of {to_text(b.shape)} is also one of {to_text(r.shape)}: compatible."
        )
    return Verdict("good", sentence, "R has the coordinates of B and the offsets of A.")


def _holes(a: Layout) -> Array:
    positive = all(d >= 0 for d in int_tuple.flatten(a.stride))
    span = sum((s - 1) * d for s, d in laws.flat_modes(a)) if positive else MAX_HOLES
    return holes(a) if span < MAX_HOLES else np.zeros(0, np.int64)


def _complement(result: Result) -> Verdict:
    r, (_, copies, whole) = result.layout, result.maps
    used = count_distinct(whole.link.index(laws.points(result.chain.domain)))
    total = size(whole.link.layout)
    sentence = f"R = {r}: {count(size(copies.link.layout), 'copy').replace('copys', 'copies')} of A, no two overlap."
    if used == total:
        return Verdict("good", sentence, f"Together they fill the offsets 0 to {number(total - 1)}.")
    if result.chain.count > laws.MAX_CHECK:
        return Verdict("note", sentence, "Too many offsets to look at each of them.")
    return Verdict("note", sentence, f"Together they fill {number(used)} of {number(total)} offsets.")


def _vector(result: Result) -> Verdict:
    a, b = (next(m.link.layout for m in result.maps if m.link.name == n) for n in "AB")
    wide, run = max_common_vector(a, b), result.chain.count
    if wide == 1:
        return Verdict("note", "1 element at a time: no two neighbours of A are neighbours of B in the same order.", "")
    sentence = f"{count(wide, 'element')} can be copied by one vector instruction."
    if wide > run:
        return Verdict(
            "good",
            sentence,
            f"Both go through one swizzle, so their inner layouts count; R = {result.layout} runs {run}.",
        )
    return Verdict(
        "good", sentence, f"Both run in steps of 1 along R = {result.layout}. Alignment of pointers is apart."
    )


def _who(found: Chain) -> str:
    """Who says no: CuTe, whose compiler stops; or only we, where C++ compiles and is wrong?"""
    if found.operation == "composition" and found.where:
        return "The compiler stops"
    return "Only cutelab refuses" if found.rule.endswith(SILENT) else "Refused"


def _refused(result: Result) -> Verdict:
    found, points = result.chain, result.chain.points
    rule, _, rest = found.rule.partition("; ")
    sentence = f"{_who(found)}: {rule.removesuffix(SILENT).rstrip('.')}."
    if found.operation != "composition" or points is None or "R(c)" not in points.columns:
        return Verdict("bad", sentence, f"{rest[:1].upper()}{rest[1:]}." if rest else "")
    where = f"{found.where}. " if found.where else ""
    at = points.failing
    if at is None:
        return Verdict(
            "bad", sentence, f"{where}The numbers would agree here, but the rule holds for any A of this shape."
        )
    b, want, got = (points.columns[k] for k in ("B(c)", "A(B(c))", "R(c)"))
    who = "C++ gives" if not found.where else "unchecked, R would give"
    gives = "has no such coordinate" if points.missing is not None and points.missing[at] else f"{who} {got[at]}"
    gives = gives if gives.startswith(("C++", "un")) else f"{'R' if found.where else 'C++: R'} {gives}"
    return Verdict(
        "bad", sentence, f"{where}First at c = {domain_text(result, at)}: A(B(c)) = A({b[at]}) = {want[at]}; {gives}."
    )


def copies(result: Result) -> dict[str, str]:
    """Texts to copy: the result, the call in Python and in C++, the explanation."""
    params = result.params
    layouts = [params.a, params.b] if params.operation in ("composition", "max_common_vector") else [params.a]
    python = [f'parse_layout("{text}")' for text in layouts]
    cpp = [cpp_value(link) for link in (m.link.layout for name in "AB" for m in result.maps if m.link.name == name)]
    if params.operation == "complement" and params.cotarget is not None:
        python.append(say_cotarget(params.cotarget))
        cpp.append(cpp_shape(params.cotarget))
    found = {} if result.layout is None else {"R": str(result.layout)}
    return {
        **found,
        "Python": f"{params.operation}({', '.join(python)})",
        "C++": f"{params.operation}({', '.join(cpp[: len(layouts)] + cpp[len(layouts) :])})",
        "explain": result.chain.explained,
    }
