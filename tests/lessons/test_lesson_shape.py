"""A lesson says where it comes from and where it leads: last time, the map, the glossary; you can now, and the next."""

import json
import re
from pathlib import Path

import pytest

from cutelab.course.lab.lessons import lessons

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
NUMBERED = sorted(path.stem for path in NOTEBOOKS.glob("[01]*.ipynb"))
ALL = [lesson.notebook for lesson in lessons()]
SHAPED = [name for name in ALL if "01" <= name < "15"]


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


LONG = 45  # minutes: a lesson above has a place for a pause, and says what to remember
WORDS_A_MINUTE, PREDICTION, EXERCISE, CELL = 130, 1.2, 2.5, 1.0  # how long a tired reader takes


def told(name):
    """How many minutes a lesson says that it takes."""
    text = said(name)[1]
    found = re.search(r"(\d+|ten)\s+minutes", text)
    return 10 if found[1] == "ten" else int(found[1])


def listed(file, row):
    """The minutes of each lesson in a table."""
    return {name: int(minutes) for name, minutes in re.findall(row, file.read_text(encoding="utf-8"), re.MULTILINE)}


def test_the_minutes_are_the_same_in_the_lesson_the_map_the_readme_and_the_teachers_page():
    lesson = {name: told(name) for name in ALL}
    root = NOTEBOOKS.parent
    assert listed(root / "README.md", r"^\| `(\w+)` \|.*\| (\d+) \|$") == lesson
    course_map = dict(re.findall(r"^\| \[?(\w+)\b.*\| (\d+) \|$", said("00_start")[0]["map"], re.MULTILINE))
    assert {name: int(minutes) for name, minutes in course_map.items()} == lesson
    teaching = listed(root / "docs" / "teaching.md", r"^\| (\w+) \|[^|]*\| (\d+)\b")
    assert teaching == {name.partition("_")[2]: minutes for name, minutes in lesson.items()}


@pytest.mark.parametrize("name", [name for name in ALL if name < "15" or name == "case_strips"])
def test_a_lesson_takes_no_longer_than_it_says_and_a_long_one_has_a_place_for_a_pause(name):
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    ends = [i for i, c in enumerate(cells) if c["id"] == "next" or "## For another evening" in "".join(c["source"])]
    sources = [(c["cell_type"], "".join(c["source"])) for c in cells[: ends[0] + 1]]
    words = sum(
        len(text.partition("## For another evening")[0].split()) for kind, text in sources if kind == "markdown"
    )
    code = [text for kind, text in sources if kind == "code"]
    predictions, exercises = (sum(f"{call}(" in text for text in code) for call in ("predict", "check"))
    others = len(code) - predictions - exercises
    needed = words / WORDS_A_MINUTE + PREDICTION * predictions + EXERCISE * exercises + CELL * others
    assert name == "00_start" or needed <= told(name) + 5  # 00 is mostly its map
    if told(name) > LONG:
        assert any("**Pause here**" in text and "Remember" in text for _, text in sources)


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


KNOBS = {  # sliders and boxes of an explorer
    "access", "across", "active", "b bits", "base", "bytes", "class", "column", "i", "j", "lines", "loop", "m base",
    "order", "row", "s shift", "shared", "show", "stages", "step", "stride 0", "text", "threads", "tile 0", "tile 1",
    "unit",
}  # fmt: skip
BUTTONS = {  # of the lab
    "b", "copy as", "ctrl+b", "fixes, best first", "hint", "lock in", "shift+enter", "solution",
}  # fmt: skip
SAID_LOUD = {  # a letter of a formula, a word of a table, a part of a row that the glossary has
    "a", "a constant xor", "addresses", "arrived", "attention heads", "b", "b = 3", "blackwell's umma", "byte",
    "c", "compiles, wrong", "counted", "covers", "cute dsl", "from the headers", "groups", "hopper's wgmma",
    "how far it reaches", "images", "index", "last time", "m", "m = 0", "names", "not measured", "one layout",
    "one line worked to the end", "one number", "pause here", "r", "receives", "s", "s = 5 - 0 = 5",
    "shape:stride", "static", "stride of 0", "t", "today", "used", "volta",
}  # fmt: skip
OTHER_NAME = {
    "row pitch": "pitch",
    "core matrices": "core matrix",
    "tensor memory accelerator": "TMA",
    "divide": "rest",
}


def bold(text):
    """What stands in bold, without sentences: those are no terms."""
    found = (" ".join(words.split()) for words in re.findall(r"\*\*([^*]+)\*\*", text))
    return {words.strip("` ").lower() for words in found if not words.endswith((".", "?", "!"))}


@pytest.mark.parametrize("name", [name for name in ALL if name < "15" or name == "case_strips"])
def test_every_term_that_a_lesson_defines_has_a_row_in_the_glossary(name):
    glossary = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in glossary.splitlines() if line.startswith("| ")][1:]
    known = {part.strip("` ").lower() for row in rows for part in (row, *row.split(", "))}
    terms = set.union(*map(bold, said(name)[0].values())) - KNOBS - BUTTONS - SAID_LOUD
    assert {OTHER_NAME[term] for term in terms & set(OTHER_NAME)} <= {
        part.strip("`") for row in rows for part in row.split(", ")
    }
    missing = {t for t in terms - set(OTHER_NAME) if t not in known and t.removesuffix("s") not in known}
    assert not missing


def test_words_that_every_lesson_uses_are_in_the_glossary():
    glossary = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    assert all(f"| {word} |" in glossary for word in ("half", "vector", "bijection", "word", "bank", "kernel", "warp"))


@pytest.mark.parametrize("name", [name for name in NUMBERED if name < "15"])
def test_a_picture_says_no_word_that_a_later_lesson_explains(name):
    """The words of the glossary, in what a picture says; a lesson may say one earlier if its text speaks of it."""
    glossary = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \|.*\| \[(\d\d)\]", glossary, re.MULTILINE)
    later = {part.strip("`").lower() for row, at in rows if int(at) > int(name[:2]) for part in row.split(", ")}
    prose = "\n".join(said(name)[0].values()).lower()
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = [o["data"] for cell in cells for o in cell.get("outputs", ()) if "image/png" in o.get("data", {})]
    for picture in shown:
        words = "".join(picture["text/plain"]).lower()
        early = {word for word in later if re.search(rf"\b{re.escape(word)}s?\b", words)}
        assert all(re.search(rf"\b{re.escape(word)}", prose) for word in early), early


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
