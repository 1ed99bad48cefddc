"""Imports go down only: every import statement of every file in cutelab/ is read and held against the table of floors."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

FLOORS = {
    "core": 0,
    "algebra": 1,
    "hardware": 2,
    "cutlass": 2,
    "advise": 3,  # asks several models at once
    "plans": 3,
    "kernels": 4,
    "memory": 4,  # an older name for the hardware's room
    "pipeline": 4,  # a short name of the hardware's pipeline
    "course.card": 5,
    "course.ask": 5,
    "course.topics": 6,
    "course.lab": 7,
    "draw": 8,
    "explore": 8,
    "lessons": 8,
    "cli": 9,
    "__main__": 10,
}
"""The rooms and their floors. A room imports rooms of lower floors; what stands on one floor does not know its neighbours."""

LIBRARY = 4  # the highest floor of the library; above it stands the course
WIDGETS = {"ipywidgets", "anywidget", "IPython", "traitlets"}
OUTSIDE = {
    "kernels": {"numba", "numba_cuda", "llvmlite", "cuda"},
    "course.card.paint": {"matplotlib", "zlib_ng", "isal", "PIL"},
    "course.lab": WIDGETS | {"matplotlib"},
    "explore": WIDGETS,
    "lessons": WIDGETS,
    "cli": {"typer", "jupyter_core"},
}
"""What a room may import besides NumPy and Python's own modules."""


def modules(package: Path) -> dict[str, Path]:
    """Every file of the package by its dotted name below it; the package itself is ""."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room(name: str, table: dict[str, object]) -> str | None:
    """The longest entry of the table that the module stands in."""
    fitting = [entry for entry in table if name == entry or name.startswith(entry + ".")]
    return max(fitting, key=len, default=None)


@cache
def parsed(text: str) -> tuple[list[ast.AST], set[int]]:
    """All nodes of a source, and which of them stand inside a function."""
    nodes = list(ast.walk(ast.parse(text)))
    return nodes, {id(n) for f in nodes if isinstance(f, ast.FunctionDef) for n in ast.walk(f)}


def imported(path: Path, name: str, package: Path) -> list[tuple[int, str, bool]]:
    """(line, dotted name, inside a function?) of every import in a file, wherever it stands; relative ones made absolute."""
    nodes, late = parsed(path.read_text(encoding="utf-8"))
    folder = path.parent.relative_to(package).parts
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, id(node) in late) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = [node.module] if node.module else []
            if node.level:
                here = [package.name, *folder]
                parts = here[: len(here) - node.level + 1] + parts
            base = ".".join(parts)
            found += [(node.lineno, f"{base}.{alias.name}", id(node) in late) for alias in node.names]
    return found


def arrows(package: Path) -> dict[str, list[tuple[int, str, bool]]]:
    """Module -> (line, module of the package that it imports, inside a function?)."""
    files = modules(package)
    found: dict[str, list[tuple[int, str, bool]]] = {name: [] for name in files}
    for name, path in files.items():
        for line, dotted, late in imported(path, name, package):
            head, _, rest = dotted.partition(".")
            if head != package.name or (name == "" and late):  # the package may load an upper floor when asked for it
                continue
            target = rest if rest in files else rest.rpartition(".")[0]
            while target not in files and target:  # an attribute of a module
                target = target.rpartition(".")[0]
            found[name].append((line, target, late))
    return found


def broken_rules(package: Path) -> list[str]:
    """One sentence for each import that breaks a rule, and for each module without a floor."""
    broken = []
    files, ways = modules(package), arrows(package)
    for name, path in files.items():
        where = f"{package.name}/{path.relative_to(package).as_posix()}"
        own = room(name, FLOORS)
        if own is None and name not in ("", "course"):
            broken.append(f"{where} has no floor: give {name!r} one in FLOORS")
            continue
        floor = FLOORS[own] if own else LIBRARY
        allowed = {"numpy"} | OUTSIDE.get(room(name, OUTSIDE) or "", set())
        for line, dotted, _ in imported(path, name, package):
            head = dotted.partition(".")[0]
            if head not in allowed and head not in sys.stdlib_module_names and head != package.name:
                broken.append(f"{where}:{line} imports {head}, and {own or 'the package itself'} may not")
        for line, target, late in ways[name]:
            place = f"{where}:{line}"
            other = room(target, FLOORS)
            if target == "":
                if floor <= LIBRARY:
                    broken.append(f"{place} imports from the package, not from the module that defines it")
            elif other is None or other == own:
                continue
            elif own is None:
                if FLOORS[other] > LIBRARY:
                    broken.append(f"{place} imports {target}, above the library")
            elif FLOORS[other] >= floor:
                broken.append(f"{place} imports {target}, floor {FLOORS[other]}; its own is {floor}")
            elif other == "kernels" and not late:
                broken.append(f"{place} imports {target} at once; Numba is loaded only where it is asked for")
    return broken


def circles(package: Path) -> list[list[str]]:
    """Files that import each other in a circle, each circle once; imports inside functions count."""
    graph = {name: {target for _, target, _ in ways} - {name} for name, ways in arrows(package).items()}
    reach: dict[str, set[str]] = {}
    for name in graph:
        seen: set[str] = set()
        todo = [name]
        while todo:
            new = graph[todo.pop()] - seen
            seen |= new
            todo += new
        reach[name] = seen
    found = {tuple(sorted(m for m in reach[n] if n in reach[m])) for n in graph if n in reach[n]}
    return [list(members) for members in sorted(found)]


def test_imports_go_down_only(root):
    assert broken_rules(root / "cutelab") == []


def test_no_circle(root):
    assert circles(root / "cutelab") == []


def test_every_file_is_examined(root):
    files = modules(root / "cutelab")
    assert len(files) == len(list((root / "cutelab").rglob("*.py"))) and {"algebra", "hardware.measured"} <= set(files)
    assert all(arrows(root / "cutelab")[name] for name in ("algebra", "core.layout", "course.topics.banks.card"))


def plant(folder: Path, files: dict[str, str]) -> Path:
    """A package `cutelab` with these files, and an empty __init__.py in each folder."""
    package = folder / "cutelab"
    for file, text in files.items():
        path = package / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        for up in path.relative_to(package).parents:
            if not (package / up / "__init__.py").exists():
                (package / up / "__init__.py").write_text("")
    return package


@pytest.mark.parametrize(
    ("file", "text", "word"),
    [
        ("core/errors.py", "from cutelab.hardware.chip import Chip", "floor 2; its own is 0"),
        ("core/errors.py", "def late():\n    import cutelab.hardware.chip", "floor 2; its own is 0"),
        ("core/layout.py", "import matplotlib.pyplot", "imports matplotlib"),
        ("course/topics/x/card.py", "import ipywidgets", "imports ipywidgets"),
        ("course/topics/x/card.py", "from ...lab import explorer", "floor 7; its own is 6"),
        ("course/card/paint/x.py", "import anywidget", "imports anywidget"),
        ("course/card/x.py", "import matplotlib", "imports matplotlib"),
        ("hardware/chip.py", "from cutelab.cutlass import atoms", "floor 2; its own is 2"),
        ("advise/x.py", "from cutelab.course.card import picture", "floor 5; its own is 3"),
        ("kernels/x.py", "def late():\n    from cutelab.course.card import picture", "floor 5; its own is 4"),
        ("hardware/chip.py", "from cutelab import Layout", "from the package, not"),
        ("course/topics/x/lesson.py", "import cutelab.kernels.trace", "at once"),
        ("course/topics/x/card.py", "import numba", "imports numba"),
        ("stray.py", "", "has no floor"),
        ("course/stray.py", "", "has no floor"),
        ("__init__.py", "from cutelab.explore import layout", "above the library"),
        ("__init__.py", "import matplotlib", "imports matplotlib"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, file, text, word):
    known = {f"{name.replace('.', '/')}/__init__.py": "" for name in FLOORS}
    known |= {
        "hardware/chip.py": "",
        "course/card/picture.py": "",
        "course/lab/explorer.py": "",
        "kernels/trace.py": "",
    }
    (found,) = broken_rules(plant(tmp_path, {**known, "cutlass/atoms.py": "", file: text}))
    assert word in found


def test_the_package_may_load_an_upper_floor_when_asked(tmp_path):
    late = "def __getattr__(name):\n    from cutelab import explore\n    return explore"
    assert broken_rules(plant(tmp_path, {"__init__.py": late, "explore.py": ""})) == []


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (
            {"core/a.py": "from cutelab.core.b import x", "core/b.py": "from cutelab.core.a import y"},
            ["core.a", "core.b"],
        ),
        (
            {"core/a.py": "def f():\n    from cutelab.core import b", "core/b.py": "from .a import y"},
            ["core.a", "core.b"],
        ),
        (
            {
                "core/layout.py": "def f():\n    from cutelab.algebra import coalesce",
                "algebra/__init__.py": "from cutelab.algebra.fold import coalesce",
                "algebra/fold.py": "from cutelab.core.layout import Layout",
            },
            ["algebra", "algebra.fold", "core.layout"],
        ),
        (
            {
                "course/topics/x/card.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cutelab.course.topics.x.model import Result",
                "course/topics/x/model.py": "from cutelab.course.topics.x import card",
            },
            ["course.topics.x.card", "course.topics.x.model"],
        ),
        ({"__init__.py": "from cutelab.core.a import x", "core/a.py": "from cutelab import y"}, ["", "core.a"]),
    ],
)
def test_a_planted_circle_is_found(tmp_path, files, found):
    assert circles(plant(tmp_path, files)) == [found]
