"""`classroom`: everybody's results in one table. Nothing leaves the folder."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cutelab.core.display import file_path
from cutelab.core.errors import CuteLabError, escaped
from cutelab.course.ask.ids import canonical
from cutelab.course.ask.reading import shown
from cutelab.course.card.picture import Grid, Picture
from cutelab.course.lab.lessons import lessons
from cutelab.course.lab.paper import SCHEMA, TOPIC
from cutelab.course.lab.reply import Table
from cutelab.course.lab.report import RESULTS
from cutelab.course.lab.store import replace_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COMMON = 3
LONGEST = 14  # letters of a name in the picture
MAX_BYTES = 4 << 20  # of one results file


@dataclass(frozen=True)
class Exam:
    """What a file says that `exam` has written. topics: of each, how many answers were right and how many were asked."""

    name: str
    seed: str
    handed_in: str
    right: int
    asked: int
    topics: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Learner:
    """What a learner's files say. exercises and predictions are by their names; exams in the order of handing in."""

    name: str
    exercises: dict[str, dict[str, Any]]
    predictions: dict[str, dict[str, Any]]
    exams: tuple[Exam, ...] = ()

    def done(self, ids: tuple[str, ...]) -> int:
        return sum(self.exercises.get(id, {}).get("state") == "done" for id in ids)

    def total(self, what: str) -> int:
        return sum(n for e in self.exercises.values() if isinstance(n := e.get(what, 0), int))

    @property
    def sure_and_wrong(self) -> int:
        return sum(p.get("right") is False and p.get("sure", True) is not False for p in self.predictions.values())


@dataclass(frozen=True)
class ClassTable:
    """One class: learners, lesson by lesson; the most frequent wrong answers; files that could not be read."""

    learners: tuple[Learner, ...]
    damaged: tuple[str, ...]

    @property
    def heads(self) -> tuple[str, ...]:
        return ("learner", *(lesson.notebook for lesson in lessons()), "tries", "hints", "predicted", "sure and wrong")

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """One row a learner: exercises done of each lesson, tries, hints, predictions locked in, those sure and wrong.

        Of the exam stands what was right in the one that was handed in last.
        """
        found = []
        for one in self.learners:
            done = []
            for lesson in lessons():
                ids = tuple(e.id for e in lesson.exercises)
                score = f"{one.exams[-1].right}/{one.exams[-1].asked}" if one.exams else "-"
                done.append(score if lesson.topic == TOPIC else f"{one.done(ids)}/{len(ids)}")
            locked = sum(p.get("answer") is not None for p in one.predictions.values())
            numbers = (one.total("tries"), one.total("hints"), locked, one.sure_and_wrong)
            found.append((one.name, *done, *map(str, numbers)))
        return tuple(found)

    def wrong(self, most: int = MOST_COMMON) -> dict[str, list[tuple[int, str, str]]]:
        """The most frequent wrong answers of each exercise: how many gave it, the answer, and what was meant by it.

        Answers that as many gave stand in the order of their text.
        """
        counts: dict[str, Counter[tuple[str, str]]] = {}
        for one in self.learners:
            for id, exercise in one.exercises.items():
                said = {
                    (str(w.get("answer", "")), str(w.get("words", "")))
                    for w in exercise.get("wrong", [])
                    if isinstance(w, dict)
                }
                counts.setdefault(id, Counter()).update(said)
        ranked = {id: sorted(c.items(), key=lambda one: (-one[1], one[0])) for id, c in counts.items() if c}
        return {id: [(n, *pair) for pair, n in found[:most]] for id, found in ranked.items()}

    def exam_topics(self) -> dict[str, tuple[int, int]]:
        """Of each topic, over all exams: how many answers were right, and how many were asked."""
        right, asked = Counter[str](), Counter[str]()
        every = {(exam.name, exam.seed, exam.handed_in): exam for one in self.learners for exam in one.exams}
        for exam in every.values():
            for topic, (good, count) in exam.topics.items():
                right[topic] += good
                asked[topic] += count
        return {topic: (right[topic], count) for topic, count in asked.items()}

    def csv(self, path: str | Path | None = None) -> str:
        """The table as CSV text; with a path, also written there (a new file, or one that this has written)."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.heads)
        writer.writerows([("'" + row[0] if row[0][:1] in "=+-@" else row[0], *row[1:]) for row in self.rows])
        if path is not None:
            target = file_path(path, "class.csv")
            if target.exists() and not is_table(target):
                raise CuteLabError(f"{target} holds something else and stays as it is; give another name")
            try:
                replace_file(target, text.getvalue())
            except OSError as error:
                raise CuteLabError(f"{target} cannot be written ({error.strerror}); give another place") from None
        return text.getvalue()

    def picture(self) -> Picture:
        """The class as a card: a row for each learner, a column for each lesson, the fuller the darker; for everybody to see
        where many stopped."""
        lessons_ = [one.notebook for one in lessons() if one.exercises or one.topic == TOPIC]
        at = [self.heads.index(name) for name in lessons_]
        labels = np.array([[row[i] for i in at] for row in self.rows], dtype=str).reshape(len(self.rows), len(at))
        fill = np.array([[shade(label) for label in row] for row in labels], dtype=int).reshape(labels.shape)
        names = tuple(row[0] if len(row[0]) <= LONGEST else row[0][: LONGEST - 1] + "…" for row in self.rows)
        heads = tuple(name.partition("_")[0] for name in lessons_)
        grid = Grid("class", fill, labels=labels, row_heads=names, col_heads=heads, cell=(31, 22), show_labels="always")
        said = f"{len(self.learners)} learners: exercises done of each lesson"
        return Picture("The class", "", said, (((grid,),),))

    def figure(self) -> Figure:
        """The same as a matplotlib Figure, which a notebook shows."""
        from cutelab.course.card.paint.figure import figure

        return figure(self.picture())

    def save(self, path: str | Path) -> Path:
        """Write the picture as .svg, .pdf or .png. Raises CuteLabError for another ending and where it cannot be written."""
        from cutelab.course.card.paint.export import export

        target = file_path(path, "class.svg")
        content = export(self.picture(), target.suffix.lower().removeprefix("."))
        try:
            target.write_bytes(content)
        except OSError as error:
            raise CuteLabError(f"{target} cannot be written ({error.strerror}); give another place") from None
        return target

    def _table(self) -> Table:
        notes = [f"{name}: not readable as results, left out" for name in self.damaged]
        for id, found in sorted(self.wrong().items()):
            notes.append(f"{id}: " + "; ".join(f"{n} x {said} ({words.rstrip('.')})" for n, said, words in found))
        if exams := self.exam_topics():
            said = (f"{topic} {right} of {asked}" for topic, (right, asked) in exams.items())
            notes.append(f"right in exams: {', '.join(said)}")
        return Table(f"{len(self.learners)} learners, exercises done", self.heads, self.rows, tuple(notes))

    def __repr__(self) -> str:
        return repr(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def classroom(folder: str | Path) -> ClassTable:
    """How far is the class? Reads every results file (*.json) in this folder and below it, of any version, and exams.

    A file that is no results file is left out; one that should be and cannot be read is named. A learner without a name has
    the file's. Raises CuteLabError if there is no such folder.
    """
    if not is_folder(folder):
        given = str(folder) if isinstance(folder, Path) else folder
        raise CuteLabError(f"{shown(given)} is no folder; give the one that holds everybody's results files")
    learners: list[Learner] = []
    exams: list[Exam] = []
    damaged: list[str] = []
    for path in sorted(p for p in Path(folder).rglob("*.json") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        try:
            if path.stat().st_size > MAX_BYTES:
                raise ValueError("too large")
            data = json.loads(path.read_text(encoding="utf-8-sig"))
            schema = str(data.get("schema", "")) if isinstance(data, dict) else ""
            if schema.startswith(RESULTS):
                learners.append(read_learner(data, path))
            elif schema.startswith(SCHEMA):
                exams.append(read_exam(data, path))
            elif "results" in path.name:
                damaged.append(name)
        except (OSError, ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
            damaged.append(name)
    return ClassTable(with_exams(learners, exams), tuple(damaged))


def is_folder(given: object) -> bool:
    """Is this the path of a folder? No for what no path can be."""
    try:
        return isinstance(given, str | Path) and Path(given).is_dir()
    except (OSError, ValueError):  # too long a name
        return False


def is_table(path: Path) -> bool:
    """Does this file hold a table that `csv` has written? A folder or a device does not, and is not read."""
    try:
        with path.open(encoding="utf-8", errors="replace") if path.is_file() else io.StringIO() as file:
            return file.read(len("learner,")) == "learner,"
    except OSError:
        return False


def shade(label: str) -> int:
    """Which step of the scale of 32 has this part, "2/6"? -1, paper, for nothing.

    >>> shade("0/6"), shade("3/6"), shade("6/6"), shade("-")
    (-1, 15, 31, -1)
    """
    part, _, whole = label.partition("/")
    return int(part) * 31 // int(whole) if whole and int(part) else -1


def with_exams(learners: list[Learner], exams: list[Exam]) -> tuple[Learner, ...]:
    """The learners by name, each with the exams of this name; a name that has handed in an exam alone is a learner, too."""
    known = {one.name for one in learners}
    alone = [Learner(name, {}, {}) for name in dict.fromkeys(exam.name for exam in exams) if name not in known]
    taken = sorted(exams, key=lambda exam: (exam.handed_in, exam.seed))
    every = [replace(one, exams=tuple(exam for exam in taken if exam.name == one.name)) for one in (*learners, *alone)]
    return tuple(sorted(every, key=lambda one: one.name.lower()))


def read_exam(data: dict[str, Any], path: Path) -> Exam:
    """The result of one exam. Raises one of the errors of a damaged file if it is none."""
    topics = {str(one["topic"]): (int(one["right"]), int(one["asked"])) for one in data["topics"]}
    right, asked = int(data["right"]), int(data["asked"])
    if sum(good for good, _ in topics.values()) != right or not 0 <= right <= asked:
        raise ValueError("the parts are not the whole")
    return Exam(whose(data, path, "exam-"), str(data["seed"]), str(data["handed_in"]), right, asked, topics)


def whose(data: dict[str, Any], path: Path, usual: str) -> str:
    """The name in a file. Without one: the file's own, or its folder's where the file has the usual name."""
    name = data.get("name")
    other = path.parent.name if path.stem.startswith(usual) else path.stem
    return escaped(" ".join(name.split())) if isinstance(name, str) and name.strip() else other


def read_learner(data: dict[str, Any], path: Path) -> Learner:
    """One results file, of any version: names of exercises are brought to today's. Raises ValueError for a damaged entry."""
    exercises, predictions = {}, {}
    for notebook in data["notebooks"]:
        for entry in notebook["exercises"]:
            if not isinstance(entry.get("wrong", []), list):
                raise ValueError("the wrong answers are no list")
            exercises[canonical(entry["id"])] = dict(entry)
        for entry in notebook["predictions"]:
            predictions[canonical(entry["id"])] = dict(entry)
    return Learner(whose(data, path, "results"), exercises, predictions)
