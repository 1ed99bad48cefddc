"""What tests share: the tools as modules, and what a machine may lack.

Tests marked `browser` need Chromium, tests marked `gpu` need an NVIDIA GPU. Helper modules beside the tests (small.py,
golden.py and the like) are imported by their plain names.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent

helpers = (path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith(("test_", "conftest")))
for folder in sorted({str(path.parent) for path in helpers} - set(sys.path)):
    sys.path.insert(0, folder)


@functools.cache
def tool(name: str) -> ModuleType:
    """tools/<name>.py as a module."""
    spec = importlib.util.spec_from_file_location(f"cutelab_tools_{name}", ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def tools():
    """tools("lab") is tools/lab.py as a module."""
    return tool


@pytest.fixture
def say(capsys, monkeypatch, tmp_path):
    """say("banks", ...) is the command `cutelab banks ...` in an empty folder: status, standard output, standard error."""
    from cutelab.cli import main

    monkeypatch.chdir(tmp_path)

    def run(*words: str, pipe: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(pipe))
        with pytest.raises(SystemExit) as end:
            main(list(words))
        return (end.value.code or 0, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the Chromium to drive."""
    path = tool("test").chromium()
    if path is None:
        pytest.skip("no Chromium for the browser tests")
    return path


@pytest.fixture(scope="session")
def firefox() -> str:
    """The path of the Firefox to drive."""
    path = tool("test").firefox()
    if path is None:
        pytest.skip("no Firefox for the test of one lesson in it")
    return path


@functools.cache
def lacking(marker: str) -> str | None:
    """Why tests with this marker cannot run here, or None if they can."""
    test = tool("test")
    if marker == "browser" and test.chromium() is None:
        return "no Chromium for the browser tests"
    if marker == "firefox" and test.firefox() is None:
        return "no Firefox for the test of one lesson in it"
    if marker == "gpu" and not test.has_gpu():
        return test.GPU
    return None


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in ("browser", "firefox", "gpu"):
        if item.get_closest_marker(marker) and (reason := lacking(marker)):
            pytest.skip(reason)
