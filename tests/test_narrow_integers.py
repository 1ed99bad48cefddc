"""Where NumPy counts with 32 bits, as in a browser, the library counts with 64 all the same: it says so wherever it makes numbers."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from cutelab.core.counting import as_index, how_often

ROOMS = ("core", "algebra", "hardware", "cutlass", "advise", "plans")
MADE = {"arange": 3, "indices": 1}  # and how many arguments stand before a dtype by position


def calls(path: Path) -> list[tuple[str, ast.Call]]:
    found = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    named = [(node.func, node) for node in found if isinstance(node.func, ast.Attribute)]
    return [(f.attr, node) for f, node in named if isinstance(f.value, ast.Name) and f.value.id == "np"]


def faults(path: Path) -> list[str]:
    """Where numbers are made in the machine's own width, or counted by what refuses 64 bits in a browser."""
    found = []
    for name, node in calls(path):
        words = {word.arg for word in node.keywords}
        last = node.args[-1] if node.args else None
        by_place = isinstance(last, ast.Attribute) and last.attr in ("int64", "intp", "uint8", "float64")
        if name in MADE and "dtype" not in words and not by_place:
            found.append(f"{path.name}:{node.lineno}: np.{name} without a dtype")
        if name in ("zeros", "ones", "full", "empty") and isinstance(last, ast.Name) and last.id == "int":
            found.append(f"{path.name}:{node.lineno}: np.{name} of int")
        if name == "bincount" and path.name != "counting.py":
            found.append(f"{path.name}:{node.lineno}: np.bincount; how_often counts everywhere")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_the_library_makes_its_numbers_in_64_bits(root, room):
    assert [fault for path in sorted((root / "cutelab" / room).rglob("*.py")) for fault in faults(path)] == []


def test_the_course_counts_by_what_counts_everywhere(root):
    files = [
        path for path in (root / "cutelab" / "course").rglob("*.py") if path.parent.name not in ("claims", "kernel")
    ]
    assert len(files) > 100
    assert [fault for path in files for fault in faults(path) if "bincount" in fault] == []


@pytest.mark.parametrize(
    "line", ["np.arange(4)", "np.indices((2, 2))", "np.full(3, 0, int)", "np.bincount(x)", "np.zeros(3, int)"]
)
def test_a_planted_fault_is_found(tmp_path, line):
    (tmp_path / "x.py").write_text(f"import numpy as np\ny = {line}\n")
    assert len(faults(tmp_path / "x.py")) == 1


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint8])
def test_how_often_counts_numbers_of_any_width(kind):
    numbers = np.array([0, 3, 3, 7], kind)
    assert how_often(numbers, 10).tolist() == [1, 0, 0, 2, 0, 0, 0, 1, 0, 0] and how_often(numbers).dtype == np.int64
    assert as_index(numbers).dtype == np.intp and how_often(numbers[:0], 2).tolist() == [0, 0]
