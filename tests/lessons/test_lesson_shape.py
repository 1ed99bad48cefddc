"""A lesson says where it comes from and where it leads: last time, the map, the glossary; you can now, and the next."""

import json
import re
from pathlib import Path

import pytest

from cutelab.course.lab.lessons import lessons

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
NUMBERED = sorted(path.stem for path in NOTEBOOKS.glob("[01]*.ipynb"))
ALL = [lesson.notebook for lesson in lessons()]
SHAPED = [name for name in ALL if "06" <= name < "12"]


def said(name):
    """The markdown of a lesson by cell id, and that of its first cell."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = {cell["id"]: "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"}
    return text, "".join(cells[0]["source"])


def links(text):
    return re.findall(r"\]\(([^)#]+)\)", re.sub(r"`[^`]*`", "", text))


@pytest.mark.parametrize("name", [*SHAPED, "case_strips"])
def test_a_lesson_opens_with_last_time_and_closes_with_you_can_now(name):
    text, opening = said(name)
    assert opening.startswith("# ") and "Last time" in opening and "Today" in opening and "minutes" in opening
    assert {"00_start.ipynb", "glossary.md"} <= set(links(opening))
    closing = text["next"]
    assert closing.startswith("You can now")
    if name in NUMBERED:
        before, after = (NUMBERED[NUMBERED.index(name) + step] for step in (-1, 1))
        assert f"{before}.ipynb" in links(opening) and f"{after}.ipynb" in links(closing)
    else:
        assert any(link.endswith(".ipynb") for link in links(closing))


@pytest.mark.parametrize("name", sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")))
def test_every_link_leads_somewhere(name):
    text, _ = said(name)
    for link in links("\n".join(text.values())):
        here = (NOTEBOOKS / link).resolve()
        inside = here.is_relative_to(NOTEBOOKS.resolve())  # a learner's copies have nothing beside them
        assert "://" in link or (here.exists() and inside), link


def test_a_word_stands_once_in_the_glossary_and_its_lesson_is_there():
    glossary = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    words = [line.split("|")[1].strip() for line in glossary.splitlines() if line.startswith("| ")][1:]
    assert len(words) == len(set(words))
    assert all((NOTEBOOKS / link).exists() for link in links(glossary))


def test_no_name_stands_in_a_lesson_before_the_one_that_explains_it():
    """Names, not words: TMA, cp.async, zipped_divide. A cell that uses one earlier says in which lesson it is explained."""
    glossary = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \|.*\| \[(\d\d)\]", glossary, re.MULTILINE)
    names = [(part.strip("`"), int(lesson)) for row, lesson in rows for part in row.split(", ")]
    names = [(name, lesson) for name, lesson in names if re.fullmatch(r"[A-Z]{3,}\w*|\w+[._]\w+", name)]
    assert {"GEMM", "TMA", "cp.async", "zipped_divide"} <= {name for name, _ in names}
    for notebook in NUMBERED[1:]:  # 00 has the map, and says that its words come later
        text, _ = said(notebook)
        for id, words in text.items():
            early = [n for n, at in names if at > int(notebook[:2]) and re.search(rf"\b{re.escape(n)}\b", words)]
            said_where = (rf"lesson {at:02}\b|\({at:02}[_)]" for n, at in names if n in early)
            assert all(re.search(where, words) for where in said_where), (notebook, id, early)
