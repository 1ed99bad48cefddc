"""`claims`: ten statements that are in print; say of each whether it is true, and see at once what settles it."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from html import escape
from typing import Any

import ipywidgets as widgets

import cutelab
from cutelab.core.errors import CuteLabError
from cutelab.core.int_tuple import is_int
from cutelab.course.ask.reading import shown
from cutelab.course.lab.checking import trouble
from cutelab.course.lab.html import image_tag, live_and_kept, show
from cutelab.course.lab.lessons import find_lesson
from cutelab.course.lab.predicting import OPEN, WAKE, PredictView
from cutelab.course.lab.reply import INK, Card, Table, to_html
from cutelab.course.lab.store import Items, store
from cutelab.course.topics.claims.claim import Claim
from cutelab.course.topics.claims.lesson import TEN, TOPICS, WORDS, claims_of, question

BLOCK = f"background:#eceef0;color:{INK};padding:8px 10px;margin:6px 0;font-size:12px;line-height:1.4;"
BLOCK += "white-space:pre-wrap;max-width:720px;box-sizing:border-box"
LINK = "color:inherit;text-decoration:underline"  # a widget's links look like text otherwise


class ClaimView(PredictView):
    """The control of one statement: true, half true, false or cannot be known; then what settles it. Made by `claims`."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self._card = widgets.HTML()
        super().__init__(question(claim), tuple(WORDS.items()))
        self.box.children = (*self.box.children, self._card)
        self.box.layout.margin = "0 0 28px"

    def _show(self) -> None:
        """The verdict at once, and then the picture, which takes longer to draw."""
        super()._show()
        if self.locked:
            self._card.value = self._picture()

    def kept(self) -> str:
        """The statement as it stands, without its control, as HTML."""
        return f"{super().kept()}{self._card.value}"

    def close(self) -> None:
        """Close the widgets."""
        super().close()
        self._card.close()

    def revealed(self, card: Card) -> str:
        """The verdict and the right sentence, and the lines that ran with their figures."""
        ran = f'<pre style="{BLOCK}">{escape(_ran(self.claim))}</pre>' if self.claim.computed else ""
        lines = "".join(
            f'<div style="margin:4px 0">{line}</div>' for line in (_looked_up(self.claim), _lesson(self.claim))
        )
        return f"{card._repr_html_()}{ran}{lines}"

    def _picture(self) -> str:
        """The call of an explorer, and the card that it draws."""
        if not self.claim.picture:
            return ""
        opened: Any = cutelab.picture  # the explorers stand one floor above; the package knows them
        lab = opened(self.claim.picture)
        lab.close()
        call = f'<pre style="{BLOCK}">{escape(self.claim.picture)}</pre>'
        png = base64.b64decode(lab.outputs()[0]["image/png"])
        return call + image_tag(png, lab.picture.alt, "cutelab-last")

    def __repr__(self) -> str:
        card = self.card()
        if card is None:
            return f"{self.claim.id}. {self.claim.text}\n  {OPEN}"
        ran = _ran(self.claim).splitlines() if self.claim.computed else [_looked_up(self.claim)]
        below = "".join("\n  " + line for line in ran)
        return f"{self.claim.id}. {self.claim.text}\n{card!r}{below}"


def _ran(claim: Claim) -> str:
    """The lines that settle it, and what they found."""
    return f"{claim.code()}\n# {claim.told()}"


def _looked_up(claim: Claim) -> str:
    """Where it was looked up; "" if it was not."""
    if not claim.source:
        return ""
    return (
        f"{'Looked up' if claim.computed else 'No computation settles this; it was looked up'}: {escape(claim.source)}."
    )


def _lesson(claim: Claim) -> str:
    """A link to the lesson that teaches it; "" if there is none."""
    if not claim.lesson:
        return ""
    name = find_lesson(claim.lesson).notebook
    return f'The lesson on it: <a style="{LINK}" target="_blank" href="{name}.ipynb">{name}</a>.'


@dataclass(frozen=True)
class ClaimsPage:
    """Up to ten statements of a topic, each with its control. `views` are those controls, `lock` answers in code."""

    topic: str
    number: int
    claims: tuple[Claim, ...]
    views: tuple[ClaimView, ...]

    def lock(self, id: str, answer: str, *, sure: bool = True) -> ClaimView:
        """Lock in an answer for one statement: "true", "half", "false" or "unknown", as sure or as a guess."""
        found = next((view for view in self.views if view.claim.id == id), None)
        if found is None:
            raise CuteLabError(f"{shown(id)} is not on this page; here are {', '.join(c.id for c in self.claims)}")
        found.lock(answer, sure=sure)
        return found

    @property
    def head(self) -> str:
        """Which statements these are, and how many have an answer."""
        done = sum(view.locked for view in self.views)
        every = TOPICS[self.topic]
        first = every.index(self.claims[0]) + 1
        return (
            f"{self.topic}, {first} to {first + len(self.claims) - 1} of {len(every)}: "
            f"{done} of these {len(self.claims)} answered"
        )

    def _head(self) -> str:
        return f"<p><strong>{self.head[:1].upper()}{self.head[1:]}.</strong></p>"

    def __repr__(self) -> str:
        return "\n".join([self.head, *map(repr, self.views)])

    def outputs(self) -> tuple[dict[str, Any], ...]:
        """The live controls, and what is kept of them for another day."""
        head = widgets.HTML()

        def count() -> None:
            head.value = self._head()

        count()
        for view in self.views:
            view.watch(count)
        box = widgets.VBox([head, *(view.box for view in self.views)])
        return self._kept(box)

    def _kept(self, box: widgets.Widget | None) -> tuple[dict[str, Any], ...]:
        kept = "".join(f'<div style="margin-bottom:28px">{view.kept()}</div>' for view in self.views)
        wake = "" if all(view.locked for view in self.views) else WAKE
        return live_and_kept(box, f'claims("{self.topic}", {self.number})', repr(self), self._head() + kept, wake)

    def _ipython_display_(self) -> None:
        renew = show(self.outputs())
        for view in self.views:
            view.watch(lambda: renew(*self._kept(None)))

    def close(self) -> None:
        """Close the widgets."""
        for view in self.views:
            view.close()


_shown: dict[tuple[str, int], ClaimsPage] = {}


def claims(topic: str, number: int | None = None) -> ClaimsPage | Card:
    """Which of these statements are true? Ten of a topic at a time, each with four buttons, and what settles it.

    topic    "thread maps", "layout algebra" or "swizzles and layouts"
    number   which ten, from 1; without one, those where you left off

    An answer stays, also after the kernel is restarted. In plain code: `claims("thread maps").lock("A01", "false")`, or
    `.lock("A01", "false", sure=False)` for a guess.
    """
    try:
        every = claims_of(topic)
        name = topic.strip().lower()
        tens = [every[i : i + TEN] for i in range(0, len(every), TEN)]
        if number is None:
            kept = store().items()
            number = next((n for n, ten in enumerate(tens, 1) if any(_answer(c, kept) is None for c in ten)), len(tens))
        if not is_int(number) or not 1 <= number <= len(tens):
            raise CuteLabError(f"the {len(every)} statements on {name} are tens 1 to {len(tens)}; got {shown(number)}")
    except CuteLabError as error:
        return trouble(error)
    key = name, int(number)
    if key in _shown:
        _shown.pop(key).close()
    ten = tens[key[1] - 1]
    _shown[key] = ClaimsPage(name, key[1], ten, tuple(map(ClaimView, ten)))
    return _shown[key]


def _answer(claim: Claim, items: Items) -> Any:
    """What was said of this statement; None if nothing yet."""
    return items.get(f"claims.{claim.id}", {}).get("answer")


@dataclass(frozen=True)
class Miss:
    """A statement that was answered sure and wrong: what was said, what it is, and what would be right."""

    claim: Claim
    said: str

    @property
    def sentence(self) -> str:
        finding = self.claim.settle()
        right = self.claim.correct.format(**finding.figures)
        return f"You said {WORDS[self.said]}, it is {WORDS[finding.verdict]}. {right}"  # type: ignore[index]


@dataclass(frozen=True)
class ClaimsTable:
    """How much of each topic was said rightly, and every statement that was answered sure and wrong. Made by `claims_table`."""

    table: Table
    misses: tuple[Miss, ...]

    def __repr__(self) -> str:
        return "\n".join([repr(self.table), *(f"{miss.claim.id}: {miss.sentence}" for miss in self.misses)])

    def _repr_html_(self) -> str:
        items = "".join(
            f"<li><strong>{m.claim.id}</strong> {to_html(m.claim.text, code='')} <em>{to_html(m.sentence, code='')}</em> "
            f"{_lesson(m.claim)}</li>"
            for m in self.misses
        )
        head = "<p><strong>Sure and wrong: look at these again.</strong></p>" if items else ""
        return f'{self.table._repr_html_()}{head}<ul style="max-width:720px">{items}</ul>'


def claims_table() -> ClaimsTable:
    """Where was I right, and where was I sure and wrong? By topic, with the right sentence and the lesson of each of those."""
    kept = store().items()
    rows, misses = [], []
    for topic, every in TOPICS.items():
        said = [(c, kept.get(f"claims.{c.id}", {})) for c in every if _answer(c, kept) is not None]
        right = [c for c, item in said if c.settle().verdict == item["answer"]]
        sure = [Miss(c, item["answer"]) for c, item in said if c not in right and item.get("sure", True)]
        misses += [miss for miss in sure if miss.said in WORDS]
        guessed = sum(c in right and not item.get("sure", True) for c, item in said)
        rows.append((topic, *map(str, (len(every), len(said), len(right), guessed, len(said) - len(right), len(sure)))))
    heads = ("topic", "statements", "answered", "right", "of these guessed", "wrong", "of these sure")
    total = sum(int(row[2]) for row in rows)
    caption = f"{total} of {sum(map(len, TOPICS.values()))} statements answered"
    return ClaimsTable(Table(caption, heads, tuple(rows)), tuple(misses))
