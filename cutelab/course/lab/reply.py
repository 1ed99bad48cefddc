"""What a learner sees after `check`, `hint`, `solution` or a prediction: a sign, a sentence, and a second line.

Inline colours on an opaque strip, so that it reads the same in JupyterLab's light and dark theme; no script, no style sheet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Literal

INK = "#16202c"
COLOURS = {  # state: text colour, fill. Each pair has a contrast of at least 5.6
    "good": ("#0b6b50", "#e2f3ec"),
    "bad": ("#a8261c", "#fbe7e2"),
    "note": ("#7a4b00", "#fdf0d5"),
}
LINK = re.compile(r"\[([^\]]+)\]\((\w+\.ipynb)\)")
CODE = f"background:rgba(255,255,255,.6);color:{INK};padding:0 3px;font-size:inherit"


def calm(fill: str) -> str:
    """The fill as JupyterLab shows it: a little of the page's own colour in it, so that it does not glare on a dark page.

    >>> calm("#fdf0d5")
    'color-mix(in srgb, #fdf0d5 93%, var(--jp-layout-color0, #fff))'
    """
    return f"color-mix(in srgb, {fill} 93%, var(--jp-layout-color0, #fff))"


def to_html(text: str, *, code: str = CODE) -> str:
    """How is this text written in HTML? `code` in backticks becomes <code>; a text of several lines keeps its columns.
    A notebook is linked as in Markdown: [04_banks](04_banks.ipynb).

    `code` is the style of <code>: "" leaves it to the page, for text that does not stand on a card.

    >>> to_html("1 < `2`", code="")
    '1 &lt; <code>2</code>'
    """
    if "\n" in text:
        style = f"margin:4px 0 0;background:none;color:{INK};font-size:12px;white-space:pre-wrap"
        return f'<pre style="{style}">{escape(text)}</pre>'
    tag = f'<code style="{code}">' if code else "<code>"
    html = re.sub(r"`([^`]+)`", rf"{tag}\1</code>", escape(text))
    return LINK.sub(r'<a href="\2" style="color:inherit;text-decoration:underline">\1</a>', html)


def to_plain(text: str) -> str:
    """How is this text printed? A link becomes its words.

    >>> to_plain("Repeat [04_banks](04_banks.ipynb).")
    'Repeat 04_banks.'
    """
    return LINK.sub(r"\1", text)


@dataclass(frozen=True)
class Card:
    """A strip with a sign (never colour alone), a bold sentence and plain lines below it.

    >>> Card("good", "✓", "01.2 Column-major: right.", ("One step down is one element.",))
    ✓ 01.2 Column-major: right.
      One step down is one element.
    """

    state: Literal["good", "bad", "note"]
    sign: str
    sentence: str
    lines: tuple[str, ...] = ()

    def __repr__(self) -> str:
        below = "".join("\n  " + to_plain(line).replace("\n", "\n  ") for line in self.lines if line)
        return f"{self.sign} {self.sentence}{below}"

    def _repr_html_(self) -> str:
        colour, fill = COLOURS[self.state]
        below = "".join(f'<div style="margin-top:2px">{to_html(line)}</div>' for line in self.lines if line)
        return (
            f'<div style="background:{fill};background:{calm(fill)};color:{INK};border-left:4px solid {colour};padding:6px 10px;'
            f'max-width:720px;box-sizing:border-box;font-size:13px;line-height:1.45">'
            f'<div style="color:{colour}"><span style="font-size:17px">{self.sign}</span> '
            f"<strong>{to_html(self.sentence)}</strong></div>{below}</div>"
        )


@dataclass(frozen=True)
class Folded:
    """A text that opens with a click: a `<details>` element. `source` is the text itself."""

    summary: str
    source: str
    after: str = ""
    call: str = ""

    def __repr__(self) -> str:
        return f"▸ {self.summary}: folded away. To read it as text: print({self.call}.source)"

    def _repr_html_(self) -> str:
        block = f"background:#eceef0;color:{INK};padding:8px 10px;margin:6px 0 0;font-size:13px;white-space:pre-wrap"
        after = f'<div style="margin-top:4px">{to_html(self.after, code="")}</div>' if self.after else ""
        return (
            f'<details style="max-width:720px"><summary style="cursor:pointer">{escape(self.summary)} '
            f'(open to read)</summary><pre style="{block}"><code style="background:none;color:inherit">'
            f"{escape(self.source)}</code></pre>{after}</details>"
        )


@dataclass(frozen=True)
class Table:
    """A small table: a caption, headers, rows of text; the first column names the row."""

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        rows = tuple(tuple(map(to_plain, row)) for row in self.rows)
        everything = (self.heads, *rows)
        widths = [max(len(row[i]) for row in everything) for i in range(len(self.heads))]

        def line(row: tuple[str, ...]) -> str:
            cells = [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
            return "  ".join(cells).rstrip()

        return "\n".join([self.caption, *map(line, everything), *map(to_plain, self.notes)])

    def _repr_html_(self) -> str:
        head = "".join(
            f'<th scope="col" style="text-align:right;padding:2px 10px">{escape(h)}</th>' for h in self.heads
        )
        body = ""
        for first, *rest in self.rows:
            cells = "".join(f'<td style="text-align:right;padding:2px 10px">{escape(c)}</td>' for c in rest)
            body += f'<tr><th scope="row" style="text-align:left;padding:2px 10px">{to_html(first, code="")}</th>{cells}</tr>'
        notes = "".join(f"<div>{to_html(note, code='')}</div>" for note in self.notes)
        caption = f'<caption style="text-align:left;padding:2px 10px;caption-side:top">{escape(self.caption)}</caption>'
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
