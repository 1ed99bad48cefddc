"""No prediction is answered beside it: not by the two cells above, nor by the heading of the cell below."""

import json
import re
from pathlib import Path

import pytest

from cutelab.course.ask.exercise import Prediction
from cutelab.course.ask.kinds import Value
from cutelab.course.ask.reading import to_words
from cutelab.course.lab.lessons import find_prediction

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
EVERYWHERE = {*range(10), 16, 32, 64, 128}  # such a number answers only with the unit of the question behind it


TABLE = re.compile(
    r"^[\s\[]*\d+(?:\s+\d+){5,}[\s\]]*$", re.MULTILINE
)  # a row of six numbers or more points at none of them


def rendered(cell: dict) -> str:
    """What a reader sees of a cell: prose; or code, and the text that is stored below it, but not the rows of tables."""
    text = "".join(cell["source"])
    for output in cell.get("outputs", ()):
        text += "\n" + TABLE.sub("", "".join(output.get("text") or output.get("data", {}).get("text/plain", "")))
    return text


def heading(cell: dict) -> str:
    """The headings of a cell of prose."""
    if cell["cell_type"] != "markdown":
        return ""
    return "\n".join(line for line in "".join(cell["source"]).splitlines() if line.startswith("#"))


def beside(cells: list[dict], at: int) -> str:
    """What stands in the two cells above this one (no other question's card), and in the heading below."""
    above = [
        rendered(c) for c in cells[max(0, at - 2) : at] if not re.search(r"\b(predict|check)\(", "".join(c["source"]))
    ]
    return "\n".join([*above, *(heading(c) for c in cells[at + 1 : at + 2])])


def told(question: Prediction, text: str) -> str:
    """The words in this text that answer the question; "" if there are none."""
    right, unit = question.answer(), getattr(question.kind, "unit", "")
    words = dict(getattr(question.kind, "options", ())).get(right) or to_words(right)
    bare = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    if not words.isdecimal():
        found = re.search(re.escape("".join(words.split())), "".join(text.split()), re.IGNORECASE)
    elif int(words) in EVERYWHERE or not isinstance(question.kind, Value):
        unit = unit or counted(question.question)
        found = re.search(rf"(?<![\w.]){words} {unit.removesuffix('s')}s?\b", bare) if unit else None
    elif re.search(rf"(?<![\w.]){words}(?!\w)", question.question):
        return ""  # the question gives this number itself
    else:
        found = re.search(rf"(?<![\w.,]){words}(?![\w%]| %)", bare)
    return found[0] if found else ""


def counted(question: str) -> str:
    """What is asked for: "wavefronts", "sectors"; "" if it is not said in one word."""
    found = re.search(r"[Hh]ow many (\w+s)\b|(\bSectors)\?", question)
    return (found[1] or found[2]).lower() if found else ""


QUESTIONS = [
    pytest.param(path, id, id=id)
    for path in NOTEBOOKS
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    for id in re.findall(r'\bpredict\("([^"+]+)"', "".join(cell["source"]))
]


@pytest.mark.parametrize(("path", "id"), QUESTIONS)
def test_nothing_beside_a_prediction_answers_it(path, id):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    at = next(i for i, cell in enumerate(cells) if f'predict("{id}"' in "".join(cell["source"]))
    assert told(find_prediction(id), beside(cells, at)) == ""


@pytest.mark.parametrize(
    ("id", "text", "answers"),
    [
        ("layout.a", "Probe (2,3): offset 19 elements, byte 38, bank 9.", True),
        ("layout.a", "0.38 ms, 138 elements, 38 % and x38", False),
        ("tiling.a", "tile (3,5) begins at 5,132", True),
        ("banks.d", "34 2 wavefronts where 1 would do", True),
        ("banks.d", "mode 2, and 12 wavefronts", False),
        ("coalescing.c", "row 1 begins at byte 400: 5 sectors", True),
        ("composition.b", "## Why it refuses: the compiler stops", True),
        ("thread_map.b", "warp 1 touches lines 8 to 15", True),
        ("inverse.c", "1 element can be copied", True),
    ],
)
def test_the_search_finds_an_answer_and_no_other_number(id, text, answers):
    assert bool(told(find_prediction(id), text)) == answers


def test_the_answer_in_a_stored_output_above_or_in_the_heading_below_is_seen():
    cells = [
        {"cell_type": "code", "source": ["lab"], "outputs": [{"data": {"text/plain": ["offset 38"]}}]},
        {"cell_type": "markdown", "source": ["So much for 7."]},
        {"cell_type": "code", "source": ['predict("layout.a")'], "outputs": []},
        {"cell_type": "markdown", "source": ["## Why 38?\n", "Because."]},
    ]
    assert told(find_prediction("layout.a"), beside(cells, 2)) == "38"
    assert told(find_prediction("layout.a"), beside(cells[2:], 0)) == "38"
    cells[0]["outputs"], cells[3]["source"] = [], ["Because it is 38."]
    assert told(find_prediction("layout.a"), beside(cells, 2)) == ""
