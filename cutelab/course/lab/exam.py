"""`exam`: fifteen questions over the whole course. Nothing is said about an answer before all are handed in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.kinds import Choice
from cutelab.course.ask.reading import is_starter, shown
from cutelab.course.lab.checking import trouble
from cutelab.course.lab.html import live_and_kept, show
from cutelab.course.lab.paper import MINUTES, TOPIC, Item, Report, draw_paper, mark_all, want_seed
from cutelab.course.lab.predicting import SHORT
from cutelab.course.lab.reply import Card, to_html
from cutelab.course.lab.store import Item as Record
from cutelab.course.lab.store import now, numbered, replace_file, store

FIRST = "1"  # the exam of somebody who asks for none in particular
WAKE = "Run this cell (Shift+Enter) to answer."


class ExamView:
    """The control of one exam: its questions with a box or buttons each, and "Hand in". Made by `exam`."""

    def __init__(self, seed: str) -> None:
        self.seed, self.name, self._key = seed, "", f"{TOPIC}.{seed}"
        self.paper = draw_paper(seed)
        self.rows = [Row(self, item) for item in self.paper]
        self._head, self._below = widgets.HTML(), widgets.HTML()
        self._button = widgets.Button(
            tooltip="Hand in the exam", layout=widgets.Layout(width="160px", margin="14px 2px 2px")
        )
        self._button.on_click(lambda _: self._press())
        self._sure = False
        self._notice = ""  # what the store has to say of its file
        self._renew: list[Callable[[dict[str, Any]], None]] = []  # what puts a new page in the place of a kept one
        self.box = widgets.VBox(
            [self._head, *(row.box for row in self.rows), self._button, self._below],
            layout=widgets.Layout(max_width="736px"),
        )
        self._show()

    def named(self, name: str | None) -> ExamView:
        """The same view, with what other windows have written meanwhile; the name, if there is one, goes into the result."""
        self.name = name or self.name
        self._show()
        return self

    def record(self) -> Record:
        """What is kept of this exam: answers as texts by question; first and last: when; done: when it was handed in."""
        return store().item(self._key)

    @property
    def answers(self) -> dict[str, str]:
        """The answers as they were given, by the key of their question."""
        return said_in(self.record())

    @property
    def handed_in(self) -> bool:
        """Was it handed in? Then nothing changes any more."""
        return "done" in self.record()

    def answer(self, number: int, text: object) -> ExamView:
        """Give, change or take back (with "") the answer to this question. What is typed is kept as it is typed."""
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(self.paper):
            raise CuteLabError(f"the exam has questions 1 to {len(self.paper)}, not {shown(number)}")
        self.keep(self.paper[number - 1], "" if is_starter(text) else str(text).strip())
        return self

    def keep(self, item: Item, text: str) -> None:
        """Write an answer down at once, if it is another one than before."""
        if self.answers.get(item.key, "") == text:
            return

        def changed(record: Record) -> Record:
            if "done" in record:  # handed in, here or in another window
                return record
            answers = {**said_in(record), item.key: text}
            return {**self._begun(record), "answers": {key: said for key, said in answers.items() if said}}

        store().change(self._key, changed)
        self._sure = False
        self._show()

    def _begun(self, record: Record) -> Record:
        name = {"name": self.name} if self.name else {}
        return {**record, "answers": said_in(record), **name, "first": record.get("first", now()), "last": now()}

    def open(self) -> list[int]:
        """The numbers of the questions without an answer that can be read."""
        answers = self.answers
        return [item.number for item in self.paper if fault(item, answers.get(item.key, "")) is not None]

    def hand_in(self) -> Report | Card:
        """Hand the exam in: the answers stay as they are, and the report is shown and written into `exam-SEED.json`."""

        def changed(record: Record) -> Record:
            return record if "done" in record else {**self._begun(record), "done": now()}

        kept = store()
        kept.change(self._key, changed)
        if kept.path is not None and not self.record().get("file"):
            target = numbered(kept.path.with_name(f"exam-{self.seed}.json"))
            kept.change(self._key, lambda record: {**record, "file": target.name})
            text = json.dumps(self._result().to_dict(), indent=1, ensure_ascii=False)
            try:
                replace_file(target, text + "\n")
            except OSError:
                kept.change(self._key, lambda record: {**record, "file": ""})
        self._show()
        for renew in self._renew:
            renew(self.outputs()[-1])
        return self.report()

    def report(self) -> Report | Card:
        """What was right, by topic, and why; before the exam is handed in, how many questions are answered."""
        if self.handed_in:
            return self._result()
        count = len(self.paper) - len(self.open())
        sentence = f"Exam {self.seed} is not handed in yet; {count} of {len(self.paper)} questions are answered."
        return Card("note", "…", sentence, ("The report stands here when it is.",))

    def _result(self) -> Report:
        record = self.record()
        said = (record.get("name"), record.get("first"), record.get("done"), record.get("file"))
        name, begun, done, file = (text if isinstance(text, str) else "" for text in said)
        return Report(self.seed, name or None, begun, done, mark_all(self.paper, self.answers), file)

    def _press(self) -> None:
        """The button: pressed once, it says what is open; pressed twice, it hands in."""
        if self._sure:
            self.hand_in()
            return
        self._sure = True
        self._show()

    def _show(self) -> None:
        done, answers, open_ = self.handed_in, self.answers, self.open()
        for row in self.rows:
            row.show(answers.get(row.item.key, ""), done)
        self._head.value = self._heading(open_)
        self._button.description = "Handed in" if done else "Yes, hand in" if self._sure else "Hand in"
        self._button.disabled = done
        self._below.value = f'<div role="status">{self._said(open_)}</div>'

    def _heading(self, open_: list[int]) -> str:
        count = len(self.paper) - len(open_)
        state = "handed in" if self.handed_in else f"{count} of {len(self.paper)} answered"
        style = "line-height:1.5;margin:4px 0"
        return f'<div style="{style}"><strong>Exam {self.seed}</strong>: {state}. Plan {MINUTES} minutes.</div>'

    def _said(self, open_: list[int]) -> str:
        """What stands below the questions: the report, or before it what handing in would mean."""
        if self.handed_in:
            return str(self.report()._repr_html_())
        self._notice = store().take_notice() or self._notice
        if not self._sure:
            return to_html(self._notice or "Every answer is kept at once, and can be changed until you hand in.")
        rest = f"Open: {', '.join(map(str, open_))}. " if open_ else "All questions are answered. "
        return to_html(f"{self._notice} {rest}After this nothing can be changed. Press once more to hand in, or go on.")

    def __repr__(self) -> str:
        """The questions; of the answers only that they are there."""
        open_ = self.open()
        state = "handed in" if self.handed_in else f"{len(self.paper) - len(open_)} of {len(self.paper)} answered"
        asked = "".join(
            f"\n{i.number:3} {'open' if i.number in open_ else 'kept'}  {i.asked.question}" for i in self.paper
        )
        return f"Exam {self.seed}: {state}{asked}"

    def outputs(self) -> tuple[dict[str, Any], ...]:
        """The live control, and what is kept of it for another day: two mimebundles."""
        asked = "".join(row.question for row in self.rows)
        below, wake = (self._said([]), "") if self.handed_in else ("", WAKE)
        html = f'<div style="max-width:720px">{self._heading(self.open())}{asked}{below}</div>'
        return live_and_kept(self.box, f'exam("{self.seed}")', repr(self), html, wake)

    def _ipython_display_(self) -> None:
        self._renew.append(show(self.outputs()))


class Row:
    """One question of an exam with its control. What is typed is kept when the box is left, or with Enter."""

    def __init__(self, view: ExamView, item: Item) -> None:
        self.item, self._view = item, view
        title, asked = to_html(item.asked.title, code=""), to_html(item.asked.question, code="")
        stop = "" if title.endswith("?") else "."
        style = "line-height:1.5;margin:14px 0 2px"
        self.question = f'<div style="{style}"><strong>{item.number} {title}{stop}</strong> {asked}</div>'
        self._asked, self._said = widgets.HTML(self.question), widgets.HTML()
        self._control = self._make_control()
        self._showing = False
        self._control.observe(self._typed, "value")
        self.box = widgets.VBox([self._asked, self._control, self._said])

    def _make_control(self) -> Any:
        kind = self.item.asked.kind
        if not isinstance(kind, Choice):
            return widgets.Text(
                description=f"answer {self.item.number}", continuous_update=False, layout=widgets.Layout(width="340px")
            )
        pairs = [(text, key) for key, text in kind.options]
        if max(len(text) for text, _ in pairs) <= SHORT:
            return widgets.ToggleButtons(options=pairs, value=None, style={"button_width": "auto"})
        return widgets.RadioButtons(options=pairs, value=None, layout=widgets.Layout(width="auto"))

    def _typed(self, _: object) -> None:
        if not self._showing:
            self._view.keep(self.item, str(self._control.value or "").strip())

    def show(self, text: str, done: bool) -> None:
        """Put this answer into the control, and say how it is understood: of right and wrong nothing."""
        self._showing = True  # what is put into the box is not typed
        try:
            if isinstance(self.item.asked.kind, Choice):
                self._control.value = text if text in dict(self.item.asked.kind.options) else None
            else:
                self._control.value = text
        finally:
            self._showing = False
        self._control.disabled = done
        self._said.value = (
            f'<div role="status" style="line-height:1.5">{to_html(self._line(text, done), code="")}</div>'
        )

    def _line(self, text: str, done: bool) -> str:
        """What stands below the control."""
        said, kind = fault(self.item, text), self.item.asked.kind
        if said is None:
            return f"Kept as {self.item.reading(text)}."
        if text:
            return f"Kept, but it cannot be read: {said[:1].lower()}{said[1:]}"
        return "Open." if done else "" if isinstance(kind, Choice) else f"Answer with {kind.form}."


def said_in(record: Record) -> dict[str, str]:
    """The answers in a record, by the key of their question; what is none, in a file that somebody edited, is left out."""
    kept = record.get("answers")
    return {key: said for key, said in kept.items() if isinstance(said, str)} if isinstance(kept, dict) else {}


def fault(item: Item, text: str) -> str | None:
    """What is wrong with the form of this answer? None if it can be read; nothing of whether it is right."""
    if not text:
        return ""
    try:
        item.reading(text)
    except CuteLabError as error:
        return str(error)
    return None


_views: dict[str, ExamView] = {}
"""One view of each exam: two cells that ask for it show the same controls."""


def exam(seed: int | str | None = None, name: str | None = None) -> ExamView | Card:
    """What do I know of the whole course? Fifteen questions with fresh numbers, and a report when they are handed in.

    Until then nothing says whether an answer is right; each is kept at once and can be changed, also after a restart.
    `seed` is a number or a word: the same seed asks the same questions on every machine. Without one it is the exam that you
    worked on last, and the first time exam 1. `name` stands in the file of the result, `exam-SEED.json`.

    In plain code: `exam(7).answer(1, "24").hand_in()`; `exam(7).report()` shows the result again.
    """
    try:
        text = latest() if seed is None else want_seed(seed)
        if name is not None and not isinstance(name, str):
            raise CuteLabError(f'the name must be a text, got {shown(name)}; for example exam(7, name="Ada")')
    except CuteLabError as error:
        return trouble(error)
    if text not in _views:
        _views[text] = ExamView(text)
    return _views[text].named(name)


def latest() -> str:
    """The seed of the exam that was worked on last."""
    mine = {key: item for key, item in store().items().items() if key.startswith(f"{TOPIC}.")}
    if not mine:
        return FIRST
    return max(mine, key=lambda key: (str(mine[key].get("last", "")), key)).partition(".")[2]
