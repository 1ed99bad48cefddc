"""`predict`: commit to an answer, then see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Prediction
from cutelab.course.ask.ids import canonical
from cutelab.course.ask.kinds import Choice, Value
from cutelab.course.ask.reading import shown
from cutelab.course.lab.checking import trouble
from cutelab.course.lab.html import live_and_kept, show
from cutelab.course.lab.lessons import find_prediction
from cutelab.course.lab.reply import Card, to_html
from cutelab.course.lab.report import restore
from cutelab.course.lab.store import now, store

OPEN = "Your prediction is not locked in yet."
WAKE = "Run this cell (Shift+Enter) to lock in an answer."
SHORT = 24  # characters; options up to this length are buttons, longer ones a list


class PredictView:
    """The control of one prediction: the question, an answer, "Lock in", and then the reveal. Made by `predict`."""

    def __init__(self, prediction: Prediction, options: tuple[tuple[Any, str], ...], id: str = "") -> None:
        self.prediction = prediction
        self.id = id or prediction.id
        self.options = options
        self._told: list[Callable[[], None]] = []
        self._question = widgets.HTML(self._asked())
        self._control = self._make_control()
        self._button = widgets.Button(
            description="Lock in",
            tooltip=f"Lock in your prediction: {prediction.title}",
            layout=widgets.Layout(margin="2px 2px 2px 16px"),
        )
        self._button.on_click(lambda _: self._lock_typed())
        self._guess = widgets.Checkbox(
            description="a guess",
            value=False,
            indent=False,
            tooltip="Tick it if you are not sure: the question comes back in a later review",
            layout=widgets.Layout(width="auto", margin="2px 2px 2px 12px"),
        )
        self._reveal = widgets.HTML()
        self._say(OPEN)
        self._row = widgets.HBox(
            [self._control, self._button, self._guess],
            layout=widgets.Layout(flex_flow="row wrap", align_items="center"),
        )
        self.box = widgets.VBox([self._question, self._row, self._reveal], layout=widgets.Layout(max_width="736px"))
        self._show()

    def _asked(self) -> str:
        title, question = to_html(self.prediction.title, code=""), to_html(self.prediction.question, code="")
        return f'<div style="line-height:1.5;margin:4px 0"><strong>{title}{"" if title.endswith("?") else "."}</strong> {question}</div>'

    def _make_control(self) -> Any:
        if not self.options:
            box = widgets.Text(
                description="prediction", placeholder=self._asked_for(), layout=widgets.Layout(width="220px")
            )
            box.on_msg(lambda _, content, __: self._lock_typed() if content.get("event") == "submit" else None)  # Enter
            return box
        pairs = [(text, key) for key, text in self.options]
        if max(len(text) for text, _ in pairs) <= SHORT:
            return widgets.ToggleButtons(options=pairs, value=None, style={"button_width": "auto"})
        return widgets.RadioButtons(options=pairs, value=None, layout=widgets.Layout(width="auto"))

    def _asked_for(self) -> str:
        """What the box wants: "a whole number", or "(row, column)"."""
        kind = self.prediction.kind
        if not isinstance(kind, Value) or kind.what == "int":
            return "a whole number"
        return f"({', '.join(kind.parts)})" if kind.parts else kind.example

    @property
    def locked(self) -> bool:
        """Is the prediction locked in?"""
        return "answer" in store().item(self.id)

    @property
    def answer(self) -> Any:
        """The locked answer, None before."""
        return restore(store().item(self.id).get("answer"))

    @property
    def sure(self) -> bool | None:
        """Was it locked in as sure, or as a guess (False)? None before."""
        item = store().item(self.id)
        return bool(item.get("sure", True)) if "answer" in item else None

    def lock(self, answer: Any, *, sure: bool = True) -> PredictView:
        """Lock this answer in, as sure or as a guess, and show the reveal. The first answer stays: a later call changes nothing."""
        reading = self.prediction.read(answer)
        kept = list(reading) if isinstance(reading, tuple) else reading
        record = {"answer": kept, "locked": now(), **({} if sure else {"sure": False})}
        store().change(self.id, lambda item: item or record)
        self._show()
        for told in self._told:
            told()
        return self

    def watch(self, told: Callable[[], None]) -> None:
        """Call this when an answer is locked in."""
        self._told.append(told)

    def _lock_typed(self) -> None:
        said = self._control.value
        if said is None:
            self._say("✗ Choose one of the answers first; then lock it in.")
            return
        try:
            self.lock(said, sure=not self._guess.value)
        except CuteLabError as error:
            empty = isinstance(said, str) and not said.strip()
            why = f"Type {self.prediction.kind.form} first; then lock it in." if empty else f"{error} Then lock it in."
            self._say(f"✗ {why}")

    def _say(self, text: str) -> None:
        self._reveal.value = f'<div role="status">{to_html(text)}</div>'

    def card(self) -> Card | None:
        """The reveal; None before the answer is locked in."""
        answer = self.answer
        if answer is None:
            return None
        try:
            verdict = self.prediction.reveal(answer)
        except CuteLabError:  # the question has changed since
            return Card("note", "!", f"Your locked answer {shown(answer)} is of an older question.")
        lines = tuple(filter(None, (verdict.second, store().take_notice())))
        return Card(verdict.state, "✓" if verdict.state == "good" else "!", verdict.sentence, lines)

    def _show(self) -> None:
        card = self.card()
        if card is None:
            return
        if self.options:
            keys = [key for key, _ in self.options]
            self._control.value = self.answer if self.answer in keys else None
        else:
            self._control.value = str(self.answer)
        self._control.disabled = self._button.disabled = self._guess.disabled = True
        self._guess.value = self.sure is False
        self._button.description = "Locked in"
        self._reveal.value = f'<div role="status">{self.revealed(card)}</div>'

    def revealed(self, card: Card) -> str:
        """What stands below the question once an answer is locked in, as HTML."""
        return card._repr_html_()

    def __repr__(self) -> str:
        card = self.card()
        return OPEN if card is None else repr(card)

    def kept(self) -> str:
        """The question as it stands, without its control, as HTML."""
        card = self.card()
        return f'<div style="max-width:720px">{self._asked()}<div>{OPEN if card is None else self.revealed(card)}</div></div>'

    def outputs(self) -> tuple[dict[str, Any], ...]:
        """The live control, and what is kept of it for another day: two mimebundles."""
        wake = "" if self.locked else WAKE
        return live_and_kept(self.box, f'predict("{self.prediction.id}")', repr(self), self.kept(), wake)

    def _ipython_display_(self) -> None:
        renew = show(self.outputs())
        self.watch(lambda: renew(self.outputs()[-1]))

    def close(self) -> None:
        """Close the widgets (a cell that is run again closes the control that it showed before)."""
        for widget in (self._question, self._control, self._button, self._guess, self._reveal, self._row, self.box):
            widget.close()


_shown: dict[str, PredictView] = {}


def predict(id: str, *choices: Any) -> PredictView | Card:
    """What do you expect? Shows the question with a control and "Lock in"; then the computed answer and a word on yours.

    A locked answer stays, also after the kernel is restarted. `choices`, if given, are offered as buttons in place of a
    number box. In plain code: `predict("layout.a").lock(19)`, or `.lock(19, sure=False)` for a guess. "layout.a+1" asks the
    same with other numbers.
    """
    try:
        prediction = find_prediction(id)
        options = offered(prediction, choices)
    except CuteLabError as error:
        return trouble(error)
    key = canonical(id)
    if key in _shown:
        _shown.pop(key).close()
    _shown[key] = PredictView(prediction, options, key)
    return _shown[key]


def offered(prediction: Prediction, choices: tuple[Any, ...]) -> tuple[tuple[Any, str], ...]:
    """Which options does the control offer? () for a number box. The right answer must be among given choices."""
    if not choices:
        return prediction.kind.options if isinstance(prediction.kind, Choice) else ()
    readings = tuple(map(prediction.read, choices))
    if prediction.answer() not in readings:
        raise CuteLabError(f"the choices for {prediction.id} lack the right answer; add it or give none")
    return tuple((reading, str(choice)) for reading, choice in zip(readings, choices, strict=True))
