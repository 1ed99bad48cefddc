"""A `Picture` as a flat list of operations: the card, its title, its panels, its legend, its verdicts.

The card is 720 CSS pixels wide and as high as needed. Nothing here knows pixels of a file or matplotlib.
"""

from __future__ import annotations

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint.glyphs import shorten, text_width
from cutelab.course.card.paint.legend import plan_legend
from cutelab.course.card.paint.ops import Fill, Frame, Plan, Text
from cutelab.course.card.paint.palette import FRAME
from cutelab.course.card.paint.plan_grid import ACCESS_DASH, Block, head_height, head_width, plan_grid
from cutelab.course.card.paint.plan_spans import plan_spans, rows_width
from cutelab.course.card.picture import Bars, Grid, Lines, Panel, Picture, Spans, Verdict

WIDTH, PAD, ROOM = 720, 16, 688
INK, PAPER, MUTED = FRAME["ink"], FRAME["paper"], FRAME["muted"]
BETWEEN = 12  # between panels below each other
_SIGN = {"good": "✓", "note": "!", "bad": "✗"}
_BAR = {"good": "good", "note": "note", "bad": "bad", "plain": "accent"}


def plan(picture: Picture) -> Plan:
    """Which operations draw this picture, on which size of card, and where are its cells?"""
    block = _title(picture)
    y, lefts = 58.0, _lefts(picture)
    for n, row in enumerate(picture.body):
        columns = _columns(picture, n)
        heads = [head_height(c[0]) for c in row if c and isinstance(c[0], Grid)]
        ends = [y]
        for column, (x, width) in zip(row, columns, strict=True):
            at = y
            for k, panel in enumerate(column):
                drop = max(heads) - head_height(panel) if not k and isinstance(panel, Grid) else 0
                left = lefts.get((x, width), 0)
                inset = left if isinstance(panel, Lines) and not any(i.kind == "read" for i in panel.lines) else 0
                part = plan_panel(panel, x + inset, at + drop, width - inset, left)
                block.ops += part.ops
                block.boxes += part.boxes
                ends.append(at + drop + part.height)
                at = ends[-1] + BETWEEN
        y = max(ends) + BETWEEN
    if picture.legend:
        indent = next((left for (x, _), left in lefts.items() if x == PAD), 0)
        dashed = any(isinstance(op, Frame) and op.dash == ACCESS_DASH for op in block.ops)
        part = plan_legend(picture.legend, PAD + indent, y - BETWEEN + 7, WIDTH - PAD, dashed)
        block.ops += part.ops
        y += part.height + 5
    y = _verdicts(block, picture.verdicts, y)
    return Plan(WIDTH, round(y - BETWEEN + PAD - 2), tuple(block.ops), tuple(block.boxes))


def plan_panel(panel: Panel, x: float, y: float, width: float, left: int | None = None) -> Block:
    """Which operations draw one panel whose upper left corner is (x, y)?"""
    if isinstance(panel, Grid):
        return plan_grid(panel, x, y, width, left=left)
    if isinstance(panel, Spans):
        return plan_spans(panel, x, y, width, left)
    if isinstance(panel, Bars):
        return _bars(panel, x, y, width)
    if isinstance(panel, Lines):
        return _lines(panel, x, y, width)
    raise CuteLabError(f"a panel is a Grid, Spans, Bars or Lines, not {type(panel).__name__}")


def _title(picture: Picture) -> Block:
    block = Block()
    call_width = text_width(picture.call, "mono", 11)
    room = ROOM - min(call_width + 20, 180)
    size: float = next((z for z in (14, 13, 12, 11) if text_width(picture.title, "mono_bold", z) <= room), 11)
    title = shorten(picture.title, "mono_bold", size, room)
    call = shorten(picture.call, "mono", 11, ROOM - 20 - text_width(title, "mono_bold", size))
    block.ops.append(Fill(0, 0, WIDTH, 0, PAPER))
    block.ops.append(Text(PAD, 22, title, size, "mono_bold", INK, PAPER))
    block.ops.append(Text(WIDTH - PAD, 22, call, 11, "mono", MUTED, PAPER, "right"))
    size = next((z for z in (11.5, 11, 10.5, 10) if text_width(picture.subtitle, "sans", z) <= ROOM), 10)
    subtitle = shorten(picture.subtitle, "sans", size, ROOM)
    block.ops.append(Text(PAD, 42, subtitle, size, "sans", MUTED, PAPER))
    return block


def _columns(picture: Picture, n: int) -> tuple[tuple[float, float], ...]:
    """Where begins each column of body row n, and how wide is it?"""
    count = len(picture.body[n])
    widths = picture.widths[n] if n < len(picture.widths) else ()
    if not widths:
        widths = ((ROOM - 20 * (count - 1)) // max(count, 1),) * count
    if len(widths) != count or sum(widths) > ROOM:
        raise CuteLabError(
            f"body row {n} has {count} columns and the widths {widths}; give {count} widths of at most {ROOM} together"
        )
    gap = (ROOM - sum(widths)) / (count - 1) if count > 1 else 0
    return tuple((round(PAD + sum(widths[:i]) + gap * i), w) for i, w in enumerate(widths))


def _lefts(picture: Picture) -> dict[tuple[float, float], int]:
    """One width of row headers for all grids and spans that stand in one column, so that their cells are aligned."""
    found: dict[tuple[float, float], int] = {}
    for n, row in enumerate(picture.body):
        for column, place in zip(row, _columns(picture, n), strict=True):
            for panel in column:
                if isinstance(panel, Grid | Spans):
                    wide = head_width(panel) if isinstance(panel, Grid) else rows_width(panel)
                    found[place] = max(found.get(place, 0), wide)
    return found


def _verdicts(block: Block, verdicts: tuple[Verdict, ...], y: float) -> float:
    """Verdict strips beside each other where their words fit, else below each other. It returns where they end."""
    count = max(len(verdicts), 1)
    each = (ROOM - 12 * (count - 1)) / count
    needs = [max(text_width(v.sentence, "bold", 12), text_width(v.second, "sans", 11.5)) for v in verdicts]
    if count > 1 and max(needs) > each - 38:
        for verdict in verdicts:
            y = _verdicts(block, (verdict,), y) - 6
        return y + 6
    firsts = [wrap(v.sentence, "bold", 12, each - 36, 2) for v in verdicts]
    seconds = [wrap(v.second, "sans", 11.5, each - 36, 2) for v in verdicts]
    high = 28 + 16 * max((len(a) - 1 + len(b) for a, b in zip(firsts, seconds, strict=True)), default=0)
    for i, (v, first, second) in enumerate(zip(verdicts, firsts, seconds, strict=True)):
        x, colour, ground = round(PAD + i * (each + 12)), FRAME[v.state], FRAME[v.state + "_fill"]
        block.ops.append(Fill(x, y, round(each), high, ground))
        block.ops.append(Fill(x, y, 4, high, colour))
        block.ops.append(Text(x + 17, y + 14, _SIGN[v.state], 14, "sans", colour, ground, "middle"))
        for k, line in enumerate(first):
            block.ops.append(Text(x + 30, y + 14 + 16 * k, line, 12, "bold", INK, ground))
        for k, line in enumerate(second, len(first) - 1):
            block.ops.append(Text(x + 30, y + 31 + 16 * k, line, 11.5, "sans", INK, ground))
    return y + high + BETWEEN if verdicts else y


def wrap(text: str, font: str, size: float, room: float, most: int) -> list[str]:
    """A text in at most `most` lines; what does not fit into the last ends in an ellipsis.

    >>> wrap("lanes 0, 1, 2 meet in bank 0", "sans", 10, 80, 2), wrap("", "sans", 10, 80, 2)
    (['lanes 0, 1, 2', 'meet in bank 0'], [])
    """
    lines: list[str] = []
    for word in text.split(" ") if text else []:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and (len(lines) == most or text_width(longer, font, size) <= room):
            lines[-1] = longer
        else:
            lines.append(word)
    return [shorten(line, font, size, room) for line in lines]


def _lines(panel: Lines, x: float, y: float, width: float) -> Block:
    block, at = Block(), y
    for line in panel.lines:
        if line.kind == "rule":
            block.ops.append(Fill(x, at + 4, width, 1, FRAME["rule"]))
            at += 12
            continue
        font, size, ink = {
            "read": ("mono", 13, INK),
            "plain": ("sans", 11.5, INK),
            "muted": ("sans", 11.5, MUTED),
        }[line.kind]
        start = x
        if line.bold:
            bold = shorten(line.bold, "mono_bold", 13, width)
            block.ops.append(Text(x, at + 10, bold, 13, "mono_bold", INK, PAPER))
            start += text_width(bold, "mono_bold", 13) + 8
        room = x + width - start
        size = next((z for z in (size, size - 0.5, size - 1) if text_width(line.text, font, z) <= room), size - 1)
        text = shorten(line.text, font, size, room)
        block.ops.append(Text(start, at + 10, text, size, font, ink, PAPER))
        at += 20
    block.height = at - y
    return block


def number(value: float) -> str:
    """How is a number written? Whole numbers plain up to 9,999, then with commas; others with two decimals at most.

    >>> number(9999), number(16384.0), number(2.5)
    ('9999', '16,384', '2.5')
    """
    if value == round(value):
        return f"{round(value):,}" if abs(value) > 9999 else str(round(value))
    return (f"{value:,.2f}" if abs(value) >= 10_000 else f"{value:.2f}").rstrip("0").rstrip(".")


def _bars(panel: Bars, x: float, y: float, width: float) -> Block:
    block, at = Block(), y
    if panel.heading:
        block.ops.append(Text(x, y + 7, shorten(panel.heading, "bold", 11.5, width), 11.5, "bold", INK, PAPER))
        at += 18
    words = [
        f"{number(b.value)} {b.unit[:-1] if b.value == 1 and b.unit.endswith('s') else b.unit}"
        + ("" if b.ideal is None or not b.say_ideal else f", ideal {number(b.ideal)}")
        for b in panel.bars
    ]
    first = min(max((text_width(b.label, "sans", 11) for b in panel.bars), default=0) + 8, width * 0.35)
    last = min(max((text_width(t, "sans", 11) for t in words), default=0) + 8, width * 0.5)
    room = max(round(width - first - last), 8)
    largest = max([max(b.value, b.ideal or 0) for b in panel.bars] + [1e-9])
    for bar, text in zip(panel.bars, words, strict=True):
        left, most = round(x + first), max(bar.most or largest, bar.value, bar.ideal or 0)
        block.ops.append(Text(x, at + 11, shorten(bar.label, "sans", 11, first - 6), 11, "sans", MUTED, PAPER))
        block.ops.append(Fill(left, at + 4, room, 14, FRAME["faint"]))
        long = round(room * bar.value / most)
        block.ops.append(Fill(left, at + 4, long, 14, FRAME[_BAR[bar.state]]))
        if bar.ideal is not None:
            block.ops.append(Fill(left + max(round(room * bar.ideal / most) - 2, 0), at + 2, 2, 18, INK))
        text = shorten(text, "sans", 11, last - 6)
        block.ops.append(Text(left + room + 8, at + 11, text, 11, "sans", INK, PAPER))
        at += 22
    block.height = at - y
    return block
