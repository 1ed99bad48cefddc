"""The pages for teachers: every lesson, minutes that agree everywhere, syllabi that add up, and the notebook that shows them."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest

from cutelab import CuteLabError
from cutelab.course.lab.lessons import lessons
from cutelab.course.lab.made_up import made_up_class
from cutelab.lessons import classroom

WORDS = {"ten": 10}
PARTS = {"90 minutes": 90, "One day": 210, "Six evenings": 120}  # minutes of a part at most


@pytest.fixture(scope="module")
def page(root) -> str:
    return (root / "docs" / "teaching.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def minutes(page) -> dict[str, int]:
    """Of each lesson, in the order of the table."""
    table = page[page.index("## Lesson by lesson") :]
    return {name: int(n) for name, n in re.findall(r"(?m)^\| (\w+) \|[^|]*\| (\d+)\b", table)}


def cells(root, name: str) -> list[str]:
    book = json.loads((root / name).read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in book["cells"]]


def test_every_lesson_has_its_row_in_the_order_of_the_course(page, minutes):
    assert list(minutes) == [one.topic for one in lessons()]
    for line in page.splitlines():
        if line.startswith("| ") and line.split("|")[1].strip() in minutes:
            entries = [entry.strip() for entry in line.split("|")[1:-1]]
            assert len(entries) == 6 and all(entries), line


def test_the_minutes_of_the_readme_of_lesson_00_and_of_the_lessons_are_these(root, minutes):
    readme = (root / "README.md").read_text(encoding="utf-8")
    start = "".join(cells(root, "notebooks/00_start.ipynb"))
    for one in lessons():
        told = minutes[one.topic]
        assert re.search(rf"(?m)^\| `{one.notebook}` \|.*\| {told} \|$", readme), one.notebook
        if one.notebook != "00_start":
            assert re.search(rf"(?m)^\| \[{one.notebook}\].*\| {told} \|$", start), one.notebook
        own = re.findall(r"(\d+|ten)\s+minutes", cells(root, f"notebooks/{one.notebook}.ipynb")[0])
        assert told in [WORDS.get(n) or int(n) for n in own], one.notebook


def test_the_syllabi_add_up_and_take_no_lesson_for_longer_than_it_lasts(page, minutes):
    lines = page[page.index("## Three syllabi") : page.index("## Lesson by lesson")].splitlines()
    rows = [[entry.strip() for entry in line.split("|")[1:-1]] for line in lines if re.search(r"\| \d+ \|$", line)]
    assert len(rows) == 9
    most, plan = 0, ""
    seen: dict[str, list[str]] = {}
    for name, _, said, total in rows:
        if name.strip():
            plan = re.search(r"\*\*(.*?)\*\*", name)[1]
            most = PARTS[plan]
        times = [(topic, int(n)) for topic, n in re.findall(r"(\w+) (\d+)", said)]
        talk = 10 if "ten minutes of questions" in said else 0
        assert sum(n for _, n in times) + talk == int(total) <= most, said
        for topic, n in times:
            assert n <= minutes[topic], topic
        seen.setdefault(plan, []).extend(topic for topic, _ in times)
    order = list(minutes)
    for topics in seen.values():
        assert [order.index(topic) for topic in topics] == sorted({order.index(topic) for topic in topics})
    assert seen["Six evenings"] == order[:15]


def test_the_notebook_writes_nothing_twice(root, page):
    """What teaching.md holds is read from there; the notebook's own words are few and none of them are the page's."""
    notebook = json.loads((root / "docs" / "teaching.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = [
        "".join(out["data"]["text/markdown"])
        for cell in code
        for out in cell["outputs"]
        if "text/markdown" in out.get("data", {})
    ]
    assert shown[0] == page[page.index("## Three syllabi") : page.index("## Lesson by lesson")]
    own = " ".join(
        " ".join("".join(cell["source"]).split()) for cell in notebook["cells"] if cell["cell_type"] == "markdown"
    )
    sentences = [s.strip() for s in re.split(r"(?<=[.:;])\s", " ".join(page.split())) if len(s) > 40]
    assert len(sentences) > 30 and [s for s in sentences if s in own] == []


def test_the_notebook_is_none_of_the_courses_and_is_checked_as_they_are(root, tools):
    assert not (root / "notebooks" / "teaching.ipynb").exists()
    assert "docs/teaching.ipynb" in tools("test").notebooks()


@pytest.mark.parametrize("learners", [1, 15])
def test_a_made_up_class_is_read_as_a_class(tmp_path, learners):
    folder = made_up_class(tmp_path / "class", learners)
    table = classroom(folder)
    assert len(table.learners) == learners and table.damaged == ()
    for one, row in zip(table.learners, table.rows, strict=True):
        done = sum(
            int(entry.partition("/")[0])
            for head, entry in zip(table.heads, row, strict=True)
            if head[:2].isdigit() and head != "17_exam"
        )
        assert done >= sum(len(lesson.exercises) for lesson in lessons()[:2]) and one.name.startswith("learner ")
    assert any(n > 0 for found in table.wrong().values() for n, _, _ in found)


def test_what_is_wrong_in_it_is_what_the_lessons_foresee(tmp_path):
    table = classroom(made_up_class(tmp_path / "class", 5))
    foreseen = {e.id: {w.words for w in e.wrong} for one in lessons() for e in one.exercises}
    assert all(words in foreseen[id] for id, found in table.wrong().items() for _, _, words in found)


def test_answers_that_as_many_gave_stand_in_an_order_of_their_own(tmp_path):
    found = classroom(made_up_class(tmp_path / "class", 30)).wrong(most=100).values()
    assert all(several == sorted(several, key=lambda one: (-one[0], one[1:])) for several in found)
    assert any(a[0] == b[0] for several in found for a, b in pairwise(several))


def test_the_same_seed_is_the_same_class(tmp_path):
    first, again, other = (made_up_class(tmp_path / str(i), 3, seed) for i, seed in enumerate((7, 7, 8)))
    texts = [{p.name: p.read_text(encoding="utf-8") for p in folder.iterdir()} for folder in (first, again, other)]
    assert texts[0] == texts[1] != texts[2]


def test_it_goes_into_no_folder_that_holds_something(tmp_path):
    (tmp_path / "Ada.json").write_text("{}")
    with pytest.raises(CuteLabError, match="is not empty"):
        made_up_class(tmp_path)
    with pytest.raises(CuteLabError, match="1 to 200 learners"):
        made_up_class(tmp_path / "new", 0)
