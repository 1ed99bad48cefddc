"""The notebooks ask every exercise and prediction, and no other."""

import json
import re
from pathlib import Path

import pytest

from cutelab.course.ask.ids import canonical
from cutelab.course.lab.lessons import lessons
from cutelab.course.topics.claims.lesson import TEN, TOPICS, ClaimQuestion

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@pytest.mark.parametrize("lesson", lessons(), ids=lambda x: x.notebook)
def test_a_notebook_asks_what_is_registered_for_it(lesson):
    path = NOTEBOOKS / f"{lesson.notebook}.ipynb"
    if not path.exists():
        pytest.skip(f"{path.name} is not written yet")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert asked("check", code) == {e.id for e in lesson.exercises}
    assert asked("predict", code) == {p.id for p in lesson.predictions if not isinstance(p, ClaimQuestion)}


def test_the_claims_lab_asks_every_ten_of_every_topic_once():
    cells = json.loads((NOTEBOOKS / "15_claims.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    calls = re.findall(r'\bclaims\("([^"]+)", (\d+)\)', code)
    assert calls == [(name, str(n)) for name, every in TOPICS.items() for n in range(1, -(-len(every) // TEN) + 1)]


def asked(what, code):
    return {canonical(id) for id in re.findall(rf'\b{what}\("([^"+]+)"', code)}
