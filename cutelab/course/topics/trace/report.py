"""A trace as a card: verdict, the source with its figures, a bar for each access, races in words. Plain data, from its own numbers."""

from __future__ import annotations

from typing import Any

from cutelab.course.card.picture import Bar, Bars, Line, Lines, Picture, Verdict
from cutelab.course.card.words import above, state_of

MOST_LINES, MOST_BARS, MOST_RACES = 60, 24, 6
LONGEST = 96  # characters of a source line


def trace_card(trace: Any) -> Picture:
    """The card of a `cutelab.kernels.Trace`. A long kernel shows the lines that touch memory, and says how many are left out."""
    counted = [a for a in trace.lines if a.count is not None]
    worst_first = sorted(counted, key=lambda a: (-a.excess, a.line))[:MOST_BARS]
    bars = tuple(
        Bar(
            f"{a.line}: {name_of(a)}",
            float(a.count),
            float(a.ideal),
            a.unit,
            state_of(a.count, a.ideal, a.ways),
        )
        for a in sorted(worst_first, key=lambda a: a.line)
    )
    total = trace.grid[0] * trace.grid[1] * trace.grid[2]
    limits = tuple(Line(plain(limit), "muted") for limit in trace.limits)
    return Picture(
        title=trace.kernel,
        call="kernels.trace",
        subtitle=f"grid {trace.grid}, block {trace.block}; {len(trace.blocks):,} of {total:,} blocks traced",
        body=(
            ((Lines("source", source_lines(trace)),),),
            ((Bars("accesses", bars),),),
            ((Lines("limits", limits),),),
        ),
        verdicts=(*_races(trace), _cost(counted)),
        reads="every access of the kernel",
    )


def name_of(access: Any) -> str:
    """What is accessed and how, short enough for a bar."""
    label = plain(access.expression)
    label = label if len(label) <= 24 else label[:23] + "…"
    return f"{access.space} {access.kind} {label} {access.access_bytes} B"


def plain(text: str) -> str:
    """The text with a box for every character that the cards' fonts do not have (Chinese, emoji, control characters).

    >>> plain("a[i]  # \\u884c\\t\\u00e4")
    'a[i]  # \\u25a1 \\xe4'
    """
    return "".join(" " if c in "\t\r\n\f\v" else c if _has_glyph(c) else "□" for c in text)


def _has_glyph(c: str) -> bool:
    """Latin, Greek and Cyrillic letters, punctuation, arrows, signs of mathematics, boxes."""
    plain_text = " " <= c <= "~" or "\xa1" <= c < "\u0370" or "\u0391" <= c <= "\u0456"
    return c.isprintable() and (
        plain_text or "\u2010" <= c <= "\u2027" or "\u2190" <= c < "\u2300" or "\u2500" <= c <= "\u25ff"
    )


def source_lines(trace: Any) -> tuple[Line, ...]:
    """The source in mono, each line behind its figures; lines that touch memory are bold, those that race are marked."""
    if not trace.source:
        return ()
    texts = [text for _, text in trace.source if text.strip()]
    margin = min((len(text) - len(text.lstrip()) for text in texts), default=0)
    racing = {line for race in trace.races for line in race.lines}
    touched = {a.line for a in trace.lines} | racing
    shown = [(n, t) for n, t in trace.source]
    left_out = 0
    if len(shown) > MOST_LINES:
        chosen = [(n, t) for n, t in shown if n in touched][:MOST_LINES]
        left_out, shown = len(shown) - len(chosen), chosen
    found = [Line(f"{'counted / ideal':>17}  line", "read")]
    for number, text in shown:
        here = [f"{a.count:,} / {a.ideal:,}" if a.count is not None else "not modelled" for a in trace.at(number)]
        mark = "!" if number in racing else " "
        row = f"{here[0] if here else '':>17} {mark}{number:>4}  {plain(text[margin:])[:LONGEST]}".rstrip()
        found.append(Line("", "read", bold=row) if number in touched else Line(row, "read"))
        found += [Line("", "read", bold=f"{more:>17}") for more in here[1:]]
    if left_out:
        found.append(Line(f"{left_out:,} lines are not shown here; text() has them all", "muted"))
    return tuple(found)


def _races(trace: Any) -> tuple[Verdict, ...]:
    if not trace.checked:
        return ()
    if not trace.races:
        return (Verdict("good", "No race in what was traced", plain(trace.order[:1].upper() + trace.order[1:])),)
    shown = [Verdict("bad", *_halves(str(race))) for race in trace.races[:MOST_RACES]]
    more = len(trace.races) - len(shown)
    if more:
        shown.append(Verdict("bad", f"{more} more: text() has them all"))
    return tuple(shown)


def _halves(text: str) -> tuple[str, str]:
    """What happens, and what to do about it."""
    head, _, tail = plain(text).rpartition(". ")
    return (head[:1].upper() + head[1:], tail) if head else (tail, "")


def _cost(counted: list[Any]) -> Verdict:
    if not counted:
        return Verdict("note", "No access to global or shared memory was counted")
    worst = max(counted, key=lambda a: (a.excess, a.count))
    if not worst.excess:
        return Verdict("good", "Every access takes the ideal number of sectors and wavefronts")
    return Verdict(
        state_of(worst.count, worst.ideal, worst.ways),
        f"Line {worst.line}, {name_of(worst)}: {worst.count:,} {worst.unit}{above(worst.ideal, worst.ways)}",
        worst.explain().replace("\n", ": "),
    )


def measured_card(record: Any) -> Picture:
    """The card of a `cutelab.kernels.Measured`: a bar for each counter, what the trace says as its mark."""
    bars = tuple(
        Bar(
            name if name in record.counted else f"{name}, traced",
            float(record.counted.get(name, traced)),
            float(traced),
            "sectors" if name.startswith("global") else "wavefronts",
            "plain" if name not in record.counted else "good" if record.counted[name] == traced else "bad",
        )
        for name, traced in record.traced.items()
    )
    if not record.counted:
        verdict = Verdict("note", "Traced, not counted", plain(record.missing))
    elif record.agrees:
        verdict = Verdict("good", "Every counter reads what the trace says")
    else:
        apart = ", ".join(f"{name} {more:+,}" for name, more in record.difference.items() if more)
        verdict = Verdict("bad", f"Counter and trace differ: {apart}")
    time = f"; {record.nanoseconds / 1000:.3g} us under the profiler" if record.nanoseconds else ""
    where = f" on {record.machine['gpu']}" if record.counted and "gpu" in record.machine else ""
    return Picture(
        title=record.kernel,
        call="kernels.measure",
        subtitle=f"grid {tuple(record.grid)}, block {tuple(record.block)}{where}{time}",
        body=(((Bars("counters", bars),),),),
        verdicts=(verdict,),
        reads="counted by the hardware, marked by the trace",
    )
