"""A trace as text: the kernel's source with its figures beside the lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutelab.plans.access import Access, Uncounted

HEAD = ("access", "warp instructions", "counted", "ideal", "excess", "used")
LABEL = 28  # characters of an expression


def access_name(a: Access | Uncounted) -> str:
    """What is accessed and how: "global load a[i + 1] 4 B"."""
    label = a.expression if len(a.expression) <= LABEL else a.expression[: LABEL - 1] + "…"
    return " ".join(part for part in (a.space, a.kind, label, f"{a.access_bytes} B") if part)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"


def _figures(a: Access | Uncounted) -> tuple[str, ...]:
    if isinstance(a, Uncounted):
        return (access_name(a), f"{a.accesses:,}", "not modelled", "", "", "")
    unit = a.unit if a.count != 1 else a.unit.removesuffix("s") + " "  # the digits stay below each other
    counted = f"{a.count:,} {unit}", f"{a.ideal:,}", f"{a.excess:,}", _percent(a.efficiency)
    return (access_name(a), f"{a.accesses:,}", *counted)


def source_view(source: Sequence[tuple[int, str]], lines: Mapping[int, Sequence[Access | Uncounted]]) -> list[str]:
    """The source, one row for each access; source lines without an access have no figures."""
    rows: list[tuple[str, str, tuple[str, ...]]] = []
    for number, text in list(source) or [(line, "") for line in sorted(lines)]:
        here = lines.get(number, ())
        rows.append((str(number), text, _figures(here[0]) if here else ("",) * len(HEAD)))
        rows += [("", "", _figures(a)) for a in here[1:]]
    widths = [max(len(HEAD[i]), *(len(f[i]) for _, _, f in rows)) for i in range(len(HEAD))]
    place = max(4, *(len(n) for n, _, _ in rows))

    def line(number: str, figures: tuple[str, ...], text: str) -> str:
        cells = [f"{figures[0]:<{widths[0]}}"] + [f"{f:>{w}}" for f, w in zip(figures[1:], widths[1:], strict=True)]
        return f"{number:>{place}}  {'  '.join(cells)}  | {text}".rstrip()

    return [line("line", HEAD, "source"), *(line(number, figures, text) for number, text, figures in rows)]
