"""A trace as text and as a picture: the kernel's source with its figures beside the lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutelab.course.card.picture import Bar, Bars, Line, Lines, Picture, Verdict

if TYPE_CHECKING:
    from cutelab.kernels.trace import LineAccess, Trace

HEAD = ("access", "warps", "counted", "ideal", "excess", "used")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"


def _access(a: LineAccess) -> str:
    name = "" if a.array == "shared" else f" {a.array}"
    return f"{a.space} {a.kind}{name} {a.access_bytes} B"


def _figures(a: LineAccess) -> tuple[str, ...]:
    if a.count is None:
        return (_access(a), f"{a.accesses:,}", "not modelled", "", "", "")
    return (
        _access(a),
        f"{a.accesses:,}",
        f"{a.count:,} {a.unit}",
        f"{a.ideal:,}",
        f"{a.excess:,}",
        _percent(a.efficiency),
    )


def as_text(trace: Trace) -> str:
    """The source view. One row for each access; source lines without an access have no figures."""
    rows: list[tuple[str, str, tuple[str, ...]]] = []
    numbers = list(trace.source) or [(line, "") for line in sorted({a.line for a in trace.lines})]
    for number, text in numbers:
        here = trace.at(number)
        rows.append((str(number), text, _figures(here[0]) if here else ("",) * len(HEAD)))
        rows += [("", "", _figures(a)) for a in here[1:]]
    widths = [max(len(HEAD[i]), *(len(f[i]) for _, _, f in rows)) for i in range(len(HEAD))]
    place = max(4, *(len(n) for n, _, _ in rows))

    def line(number: str, figures: tuple[str, ...], text: str) -> str:
        cells = [f"{figures[0]:<{widths[0]}}"] + [f"{f:>{w}}" for f, w in zip(figures[1:], widths[1:], strict=True)]
        return f"{number:>{place}}  {'  '.join(cells)}  | {text}".rstrip()

    launch = f"{trace.kernel}, grid {trace.grid}, block {trace.block}"
    out = [launch, line("line", HEAD, "source")]
    out += [line(number, figures, text) for number, text, figures in rows]
    bad = [a for a in trace.lines if a.excess]
    if bad:
        worst = max(bad, key=lambda a: a.excess or 0)
        out.append(f"worst: line {worst.line}, {_access(worst)}: {worst.explain().replace(chr(10), '; ')}")
    return "\n".join([*out, *(f"- {limit}" for limit in trace.limits)])


def as_picture(trace: Trace) -> Picture:
    """A card: one bar for each access, its ideal beside it, and the worst access in words."""
    counted = [a for a in trace.lines if a.count is not None]
    bars = tuple(
        Bar(
            f"{a.line}: {_access(a)}",
            float(a.count or 0),
            float(a.ideal or 0),
            a.unit,
            "bad" if (a.excess or 0) > 0 else "good",
        )
        for a in counted
    )
    source = _source_lines(trace)
    limits = tuple(Line(limit, "muted") for limit in trace.limits)
    return Picture(
        title=trace.kernel,
        call="kernels.trace",
        subtitle=f"grid {trace.grid}, block {trace.block}; {len(trace.blocks)} of "
        f"{trace.grid[0] * trace.grid[1] * trace.grid[2]:,} blocks traced",
        body=(((Lines("source", source),),), ((Bars("accesses", bars),),), ((Lines("limits", limits),),)),
        verdicts=(_verdict(trace, counted),),
        reads="every access of the kernel",
    )


def _source_lines(trace: Trace) -> tuple[Line, ...]:
    """The source in mono, each line behind its figures; lines that touch memory are bold."""
    texts = [text for _, text in trace.source if text.strip()]
    margin = min((len(text) - len(text.lstrip()) for text in texts), default=0)
    found = [Line(f"{'counted / ideal':>17}  line", "read")]
    for number, text in trace.source:
        here = [f"{a.count:,} / {a.ideal:,}" if a.count is not None else "not modelled" for a in trace.at(number)]
        row = f"{here[0] if here else '':>17}  {number:>4}  {text[margin:]}".rstrip()
        found.append(Line("", "read", bold=row) if here else Line(row, "read"))
        found += [Line("", "read", bold=f"{more:>17}") for more in here[1:]]
    return tuple(found) if trace.source else ()


def _verdict(trace: Trace, counted: list[LineAccess]) -> Verdict:
    if not counted:
        return Verdict("note", "No access to global or shared memory was counted")
    worst = max(counted, key=lambda a: ((a.excess or 0), a.count or 0))
    if not worst.excess:
        return Verdict("good", "Every access takes the ideal number of sectors and wavefronts")
    return Verdict(
        "bad",
        f"Line {worst.line}, {_access(worst)}: {worst.count:,} {worst.unit} where {worst.ideal:,} would do",
        worst.explain().replace("\n", ": "),
    )
