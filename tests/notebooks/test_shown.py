"""After Run All every Explorer that a lesson shows stands where the cell put it that showed it: no later cell turns it away."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from cutelab.course.lab.explorer import Explorer

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WITHOUT = {"01_gpu", "15_claims", "16_puzzles", "17_exam"}  # pictures of another kind


class Run:
    """A notebook's code cells, one after the other in one process, and the Explorers that they show."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__", "display": self.display}
        self.shown: list[tuple[str, Explorer, str]] = []
        self.cell = ""

    def display(self, *values: Any, **_: Any) -> None:
        for value in values:
            if isinstance(value, Explorer):
                self.shown.append((self.cell, value, value.code()))

    def run(self, cell: str, source: str) -> None:
        self.cell, tree = cell, ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, cell, "exec"), self.names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), cell, "eval"), self.names)
            if not source.rstrip().endswith(";"):
                self.display(value)

    def turned(self) -> list[str]:
        """Which of the shown Explorers stand elsewhere now?"""
        return [f"{cell}: {code} -> {lab.code()}" for cell, lab, code in self.shown if lab.code() != code]


def run(path: Path) -> Run:
    found = Run()
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            found.run(cell["id"], "".join(cell["source"]))
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_shown_explorer_stands_where_its_cell_put_it(path, monkeypatch, capsys):
    monkeypatch.setenv("CUTELAB_PROGRESS", "off")
    monkeypatch.chdir(path.parent)
    found = run(path)
    assert found.turned() == []
    assert found.shown or path.stem in WITHOUT


def test_a_loop_over_a_shown_explorer_is_found():
    found = Run()
    found.run("shows", "from cutelab import explore\nlab = explore.banks()\nlab")
    found.run("turns", "for pitch in (32, 33, 48):\n    lab.set(pitch=pitch)")
    assert found.turned() == ['shows: explore.banks() -> explore.banks("(32,32):(48,1)")']
    found.run("puts back", "lab.set(pitch=32)")
    assert found.turned() == []
