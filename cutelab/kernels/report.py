"""A trace as text: the kernel's source, and below each line what its accesses cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutelab.plans.access import Access, Uncounted

HEAD = ("  access", "warp instructions", "counted", "ideal", "excess", "used")
LABEL = 28  # characters of an expression


def access_name(a: Access | Uncounted) -> str:
    """What is accessed and how: "global load a[i + 1] 4 B"."""
    label = a.expression if len(a.expression) <= LABEL else a.expression[: LABEL - 1] + "…"
    return " ".join(part for part in (a.space, a.kind, label, f"{a.access_bytes} B") if part)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"


def _figures(a: Access | Uncounted) -> tuple[str, ...]:
    if isinstance(a, Uncounted):
        return ("  " + access_name(a), f"{a.accesses:,}", "not modelled", "", "", "")
    unit = a.unit if a.count != 1 else a.unit.removesuffix("s") + " "  # the digits stay below each other
    counted = f"{a.count:,} {unit}", f"{a.ideal:,}", f"{a.excess:,}", _percent(a.efficiency)
    return ("  " + access_name(a), f"{a.accesses:,}", *counted)


def source_view(source: Sequence[tuple[int, str]], lines: Mapping[int, Sequence[Access | Uncounted]]) -> list[str]:
    """The source line by line, and below a line one row for each of its accesses: so the figures stand near the left edge."""
    text = list(source) or [(line, "") for line in sorted(lines)]
    rows = {number: [_figures(a) for a in lines.get(number, ())] for number, _ in text}
    widths = [max(len(HEAD[i]), *(len(f[i]) for below in rows.values() for f in below), 0) for i in range(len(HEAD))]
    place = max(4, *(len(str(number)) for number, _ in text))

    def row(figures: tuple[str, ...], head: str = "") -> str:
        cells = [f"{figures[0]:<{widths[0]}}"] + [f"{f:>{w}}" for f, w in zip(figures[1:], widths[1:], strict=True)]
        return f"{head:>{place}}  {'  '.join(cells)}".rstrip()

    view = [row(HEAD, "line")]
    for number, line in text:
        view += [f"{number:>{place}}| {line}".rstrip(), *map(row, rows[number])]
    return view
