"""One operation of the algebra as a chain of maps over one domain: what each panel of topic "algebra" stands for.

Every operation is a law about maps: composition says R(c) = A(B(c)), right_inverse A(R(c)) = c, and so on. A `Link` is one map
of the law; `before` leads from the domain's index c to the index that this map is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from cutelab.algebra import (
    coalesce,
    complement,
    composition,
    explain,
    laws,
    left_inverse,
    max_common_layout,
    right_inverse,
)
from cutelab.algebra.fold import Broken, admissible_near, compose_layouts, compose_mode
from cutelab.algebra.simplify import coalesce_beyond, join
from cutelab.core import int_tuple
from cutelab.core.composed import ComposedLayout
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import IntTuple
from cutelab.core.layout import AnyLayout, Layout, mode_offsets, size
from cutelab.course.card.parts.leaves import innermost

LAWS = {
    "composition": "R(c) = A(B(c))",
    "coalesce": "R(c) = A(c)",
    "complement": "no offset A(i) + R(j) is met twice",
    "right_inverse": "A(R(c)) = c",
    "left_inverse": "R(A(c)) = c",
    "max_common_vector": "A(R(c)) = A(0) + c and B(R(c)) = B(0) + c",
}
SILENT = ", and C++ does not notice"  # ends a rule that CuTe does not check
MAX_POINTS = 2**16  # coordinates up to which a refused pair is followed point by point


@dataclass(frozen=True)
class Link:
    """One map: its name, its layout, and the layout that leads from c to its index (None: c itself)."""

    name: str
    layout: AnyLayout
    before: AnyLayout | None = None

    def index(self, c: np.ndarray) -> np.ndarray:
        """At which 1-D index is this map asked for these c?"""
        return c if self.before is None else laws.values(self.before, c)


@dataclass(frozen=True, eq=False)
class Points:
    """A refused operation point by point: columns of numbers by c ("met by": another c), and where the law fails first."""

    columns: dict[str, np.ndarray] = field(default_factory=dict)
    wrong: np.ndarray | None = None  # bool by c: the last column breaks the law
    missing: np.ndarray | None = None  # bool by c: the last column has no value there

    @property
    def failing(self) -> int | None:
        """The first c where the law fails; None where none does, or where it was not followed."""
        return int(np.argmax(self.wrong)) if self.wrong is not None and self.wrong.any() else None


@dataclass(frozen=True, eq=False)
class Chain:
    """An operation with its arguments, worked out.

    result   R, or None where the operation is refused; `refusal` then says why, `rule` in short, `where` which modes meet
    links    the maps that are drawn, in the order in which a coordinate passes them
    domain   the shape of c
    hues     leads from c to what colours it (None: c itself), `hue_count` of them
    points   the table of a refused operation
    near     refused compositions: admissible layouts close to B
    explained  the text of `explain`
    """

    operation: str
    result: AnyLayout | None
    links: tuple[Link, ...]
    domain: IntTuple
    refusal: str = ""
    rule: str = ""
    where: str = ""
    hues: Layout | None = None
    points: Points | None = None
    near: tuple[Layout, ...] = ()
    explained: str = ""

    @property
    def count(self) -> int:
        return int_tuple.product(self.domain)

    @property
    def hue_count(self) -> int:
        return (
            int_tuple.product(self.domain)
            if self.hues is None or not isinstance(self.domain, tuple)
            else int(self.domain[1])
        )


@lru_cache(maxsize=64)
def chain(operation: str, a: AnyLayout, b: AnyLayout, cotarget: IntTuple | None) -> Chain:
    """What does this operation do with A and B? Never raises for a pair that the operation refuses.

    >>> chain("composition", Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)), None).result
    Layout('((2,2),3):((24,2),8)')
    >>> chain("composition", Layout((8, 8), (1, 9)), Layout(5, 3), None).points.failing
    3
    """
    arguments = {
        "composition": (a, b),
        "max_common_vector": (a, b),
        "complement": (a, cotarget) if cotarget is not None else (a,),
    }.get(operation, (a,))
    text = explain(operation, *arguments)
    try:
        return _lawful(operation, a, b, cotarget, text)
    except CuteLabError as error:
        return _refused(operation, a, b, str(error), text)


def _lawful(operation: str, a: AnyLayout, b: AnyLayout, cotarget: IntTuple | None, text: str) -> Chain:
    links: tuple[Link, ...]
    if operation == "composition":
        r: AnyLayout = composition(a, b)
        links, domain = (Link("B", b), Link("A", a, b), Link("R", r)), b.shape
    elif operation == "coalesce":
        r = coalesce(a)
        links, domain = (Link("A", a), Link("R", r)), a.shape
    elif operation == "right_inverse":
        r = right_inverse(a)
        links, domain = (Link("R", r), Link("A", a, r)), r.shape
    elif operation == "left_inverse":
        r = left_inverse(a)
        links, domain = (Link("A", a), Link("R", r, a)), a.shape
    elif operation == "max_common_vector":
        r = max_common_layout(a, b)
        links, domain = (Link("R", r), Link("A", a, r), Link("B", b, r)), r.shape
    else:
        return _complement(a, cotarget, text)
    return Chain(operation, r, links, domain, explained=text)


def _complement(a: AnyLayout, cotarget: IntTuple | None, text: str) -> Chain:
    r = complement(a, cotarget)
    domain = (size(a), size(r))
    i, j = Layout(domain, (1, 0)), Layout(domain, (0, 1))
    both: AnyLayout = (
        join([a, r]) if isinstance(a, Layout) else ComposedLayout(a.outer, a.offset, join([innermost(a), r]))
    )
    reach = int(laws.values(both, laws.points(domain)).max()) + 1
    whole = Layout(max(reach, 1 if cotarget is None else int_tuple.product(cotarget)))
    links = (Link("A", a, i), Link("R", r, j), Link("offsets", whole, both))
    return Chain("complement", r, links, domain, hues=j, explained=text)


def _refused(operation: str, a: AnyLayout, b: AnyLayout, refusal: str, text: str) -> Chain:
    rule = refusal.split(": ", 1)[-1] if refusal.startswith(operation) else refusal
    if operation == "composition":
        links: tuple[Link, ...] = (Link("B", b), Link("A", a, b))
        points = _composition_points(a, b)
        broken, where = rule, ""
        near: tuple[Layout, ...] = ()
        if isinstance(b, Layout) and "A(B(c))" in points.columns:
            broken, where, near = _blame(a, b)
        return Chain(operation, None, links, b.shape, refusal, broken, where, None, points, near, text)
    c = np.arange(min(size(a), MAX_POINTS), dtype=np.int64)
    columns = {"A(c)": laws.values(a, c)}
    if operation == "max_common_vector":
        columns["B(c)"] = laws.values(b, c)
        links = (Link("A", a), Link("B", b))
        return Chain(operation, None, links, a.shape, refusal, rule, "", None, Points(columns), (), text)
    _, first, which = np.unique(columns["A(c)"], return_index=True, return_inverse=True)
    again = first[which] != c
    if again.any():
        columns["met by"] = first[which]
    points = Points(columns, again, ~again) if again.any() else Points(columns)
    return Chain(operation, None, (Link("A", a),), a.shape, refusal, rule, "", None, points, (), text)


def _inner(a: AnyLayout) -> Layout:
    return innermost(a)


def _blame(a: AnyLayout, b: Layout) -> tuple[str, str, tuple[Layout, ...]]:
    """Which rule does B break, which modes meet there, and which layouts close to B break none?"""
    modes = coalesce_beyond(_inner(a))
    parts = laws.flat_modes(b)
    for i, (extent, step) in enumerate(parts):
        found, _ = compose_mode(modes, extent, step)
        if not isinstance(found, Broken) and _composes(_inner(a), Layout(extent, step)):
            continue
        tries = []
        for mode in admissible_near(modes, extent, step):
            leaves = [*parts[:i], mode, *parts[i + 1 :]]
            shape, stride = (int_tuple.unflatten(tuple(part), b.shape) for part in zip(*leaves, strict=True))
            tries.append(Layout(shape, stride))
        near = tuple(t for t in tries if _composes(_inner(a), t))
        if isinstance(found, Broken):
            return short_rule(found), f"{extent}:{step} of B meets {found.at.shape}:{found.at.stride} of A", near
        return f"{extent}:{step} of B does not step evenly through A{SILENT}", "", near
    return f"the modes of B add up across the end of a mode of A{SILENT}", "", ()


def short_rule(broken: Broken) -> str:
    """The rule that failed, in a few words.

    >>> short_rule(compose_mode([(8, 1), (8, 9)], 4, 12)[0])
    'stride 12 is neither a multiple of 8 nor below it (stride divisibility)'
    """
    at = broken.at
    if broken.kind == "stride":
        return f"stride {at.step} is neither a multiple of {at.shape} nor below it (stride divisibility)"
    fits = -(-at.shape // abs(at.step))
    return (
        f"of {at.shape} elements {fits} are met in steps of {abs(at.step)}, and {fits} does not divide {at.extent} "
        f"(shape divisibility)"
    )


def _composes(a: Layout, b: Layout) -> bool:
    try:
        compose_layouts(a, b, advise=False)
    except CuteLabError:
        return False
    return True


def _composition_points(a: AnyLayout, b: AnyLayout) -> Points:
    """B(c), A(B(c)) and what the fold gives when its conditions are not looked at."""
    if size(b) > MAX_POINTS:
        return Points()
    inner = laws.domain_values(b)
    columns = {"B(c)": inner}
    try:
        columns["A(B(c))"] = want = laws.values(a, inner)
    except CuteLabError:  # B walks below index 0
        return Points(columns, inner < 0)
    if not isinstance(b, Layout):
        return Points(columns)
    got, known = np.zeros(1, np.int64), np.ones(1, bool)
    modes = coalesce_beyond(_inner(a))
    for extent, step in laws.flat_modes(b):
        part, _ = compose_mode(modes, extent, step, checked=False)
        assert isinstance(part, Layout)
        values = mode_offsets(part.shape, part.stride)[:extent]
        padded = np.zeros(extent, np.int64)
        padded[: len(values)] = values
        got = (padded[:, None] + got).reshape(-1)
        known = ((np.arange(extent) < len(values))[:, None] & known).reshape(-1)
    if isinstance(a, ComposedLayout):
        got = laws.values(a.outer, a.offset + got)
    columns["R(c)"] = np.where(known, got, -1)
    return Points(columns, (got != want) | ~known, ~known)
