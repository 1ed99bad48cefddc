"""Imports go down only: every import statement in cutelab/ is read and held against the table of floors."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

FLOORS = {
    0: ("errors", "int_tuple", "notation", "formula", "data"),
    1: ("layout", "swizzle", "composed", "printing", "queries", "algebra", "pitch_linear"),
    2: ("memory", "tv", "thread_map", "strips", "matrix_layouts", "atoms", "ldmatrix", "pipeline"),
    2.5: ("conflict_free", "copies", "kernel_plans"),  # ask several models at once
    3: ("scenes",),
    4: ("draw",),
    5: ("explore",),
    6: ("lessons",),
}
ANNEX = "kernels"
FLOOR_OF = {name: floor for floor, names in FLOORS.items() for name in names}
WIDGETS = {"ipywidgets", "anywidget", "IPython", "traitlets"}
PUBLIC = 3  # floors from here up may use the package's public names, which are those of the floors below
ROOT_IMPORTS = 2.5  # and the package itself takes them from no higher


def libraries(floor: float) -> set[str]:
    """What a floor may import besides Python's own modules and the floors below it."""
    return {"numpy"} | ({"matplotlib"} if floor >= 4 else set()) | (WIDGETS if floor >= 5 else set())


def top_name(path: Path, package: Path) -> str:
    """The module or folder directly below the package that a file belongs to; "" for the package itself."""
    first = path.relative_to(package).parts[0]
    return "" if first == "__init__.py" else first.removesuffix(".py")


def imported(path: Path, package: Path) -> list[tuple[int, str]]:
    """(line, dotted name) of every import in a file; relative ones made absolute.

    Imports inside functions count too, but for the package itself, which may load an upper floor when asked for it.
    """
    found = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if path.parent != package or path.stem != "__init__" else tree.body:
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = [node.module] if node.module else []
            if node.level:
                here = [package.name, *path.relative_to(package).parts[:-1]]
                parts = here[: len(here) - node.level + 1] + parts
            base = ".".join(parts)
            found += [(node.lineno, f"{base}.{alias.name}") for alias in node.names]
    return found


def broken_rules(package: Path) -> list[str]:
    """One sentence for each import that breaks a rule, and for each module without a floor."""
    broken = []
    for path in sorted(package.rglob("*.py")):
        name = top_name(path, package)
        where = f"{package.name}/{path.relative_to(package).as_posix()}"
        if name and name != ANNEX and name not in FLOOR_OF:
            broken.append(f"{where} has no floor: give {name!r} one in FLOORS")
            continue
        floor = FLOOR_OF.get(name, ROOT_IMPORTS)
        for line, dotted in imported(path, package):
            head, *rest = dotted.split(".")
            place = f"{where}:{line}"
            target = rest[0] if rest else ""
            if head != package.name:
                allowed = name == ANNEX or head in libraries(floor) or head in sys.stdlib_module_names
                if not allowed:
                    broken.append(f"{place} imports {head}, and floor {floor} may not")
            elif target == name or name == ANNEX:
                continue
            elif target == ANNEX:
                broken.append(f"{place} imports the annex {ANNEX}, and nobody may")
            elif target not in FLOOR_OF:
                if floor < PUBLIC:
                    broken.append(f"{place} imports {dotted} from the package, not from the module that defines it")
            elif FLOOR_OF[target] > floor:
                broken.append(f"{place} imports {target}, floor {FLOOR_OF[target]} above its own floor {floor}")
            elif name and floor == FLOOR_OF[target] == 2:
                broken.append(f"{place} imports {target}, and the models of floor 2 never import each other")
    return broken


def circles(package: Path) -> list[str]:
    """Modules of floors 0 and 1 that import each other in a circle."""
    names = FLOORS[0] + FLOORS[1]
    below = {}
    for name in names:
        path = package / f"{name}.py"
        targets = [dotted.split(".")[1:2] for _, dotted in imported(path, package)] if path.exists() else []
        below[name] = {t[0] for t in targets if t and t[0] in names and t[0] != name}

    def reached(start: str) -> set[str]:
        seen, todo = set(), [start]
        while todo:
            for name in below[todo.pop()] - seen:
                seen.add(name)
                todo.append(name)
        return seen

    return [name for name in names if name in reached(name)]


def test_imports_go_down_only(root):
    assert broken_rules(root / "cutelab") == []


def test_no_circle_on_the_lower_floors(root):
    assert circles(root / "cutelab") == []


@pytest.mark.parametrize(
    ("file", "text", "word"),
    [
        ("errors.py", "from cutelab.layout import Layout", "above its own floor 0"),
        ("errors.py", "def late():\n    import cutelab.scenes.layout", "above its own floor 0"),
        ("layout.py", "import matplotlib.pyplot", "imports matplotlib"),
        ("scenes/x.py", "import ipywidgets", "imports ipywidgets"),
        ("scenes/x.py", "from ..draw import render", "above its own floor 3"),
        ("draw/x.py", "import anywidget", "imports anywidget"),
        ("memory.py", "from cutelab import atoms", "never import each other"),
        ("memory.py", "from cutelab import Layout", "from the package, not"),
        ("lessons/x.py", "import cutelab.kernels", "nobody may"),
        ("scenes/x.py", "import numba", "imports numba"),
        ("stray.py", "", "has no floor"),
        ("__init__.py", "from cutelab import explore", "above its own floor"),
        ("__init__.py", "import matplotlib", "imports matplotlib"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, file, text, word):
    path = tmp_path / "cutelab" / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (found,) = broken_rules(tmp_path / "cutelab")
    assert word in found


def test_the_package_may_load_an_upper_floor_when_asked(tmp_path):
    package = tmp_path / "cutelab"
    package.mkdir()
    (package / "__init__.py").write_text("def __getattr__(name):\n    from cutelab import explore\n    return explore")
    assert broken_rules(package) == []


def test_a_planted_circle_is_found(tmp_path):
    (tmp_path / "layout.py").write_text("from cutelab.swizzle import Swizzle")
    (tmp_path / "swizzle.py").write_text("from cutelab.layout import Layout")
    package = tmp_path.rename(tmp_path.with_name("cutelab"))
    assert circles(package) == ["layout", "swizzle"]
