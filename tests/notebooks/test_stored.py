"""The stored notebooks are in canonical form and no bigger than a lesson; executing one twice gives the same bytes."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = [*sorted((ROOT / "notebooks").glob("*.ipynb")), *sorted((ROOT / "docs").glob("*.ipynb"))]
SOURCES = [
    "import ipywidgets\nimport os",
    "print('one', flush=True)\nprint('two', flush=True)",
    "ipywidgets.IntSlider(value=3)",
    "6 * 7",
    "print(os.environ['CUTELAB_PROGRESS'], os.path.basename(os.getcwd()), os.environ.get('MPLBACKEND') == 'agg')",
]


def bare(sources: list[str]) -> dict:
    """A notebook as a person might leave it: no ids, no outputs."""
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "# A lesson"}]
    empty = {"cell_type": "code", "execution_count": None, "metadata": {"scrolled": True}, "outputs": []}
    cells += [{**empty, "source": source} for source in sources]
    return {"cells": cells, "metadata": {"widgets": {}}, "nbformat": 4, "nbformat_minor": 4}


@pytest.fixture(scope="module")
def stored(tmp_path_factory, tools) -> Path:
    """A small notebook that was executed and stored once."""
    path = tmp_path_factory.mktemp("lesson") / "lesson.ipynb"
    path.write_text(json.dumps(bare(SOURCES)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPLBACKEND", "agg")
        path.write_text(tools("notebooks").execute(path))
    return path


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_stored_notebook_has_no_faults(path, tools):
    assert tools("notebooks").faults(path) == []


def test_executing_twice_gives_the_same_bytes(stored, tools):
    assert tools("notebooks").execute(stored) == stored.read_text()


def test_what_is_stored(stored, tools):
    assert tools("notebooks").faults(stored) == []
    notebook = json.loads(stored.read_text())
    assert [cell["id"] for cell in notebook["cells"]] == [f"cell-{i:02d}" for i in range(6)]
    assert [cell["execution_count"] for cell in notebook["cells"][1:]] == [1, 2, 3, 4, 5]
    outputs = [cell["outputs"] for cell in notebook["cells"][1:]]
    assert outputs[1] == [{"name": "stdout", "output_type": "stream", "text": ["one\n", "two\n"]}]
    assert outputs[3][0]["data"] == {"text/plain": ["42"]}
    assert outputs[4][0]["text"] == [f"off {stored.parent.name} False\n"]
    assert "widgets" not in notebook["metadata"]
    assert all(cell["metadata"] == {} for cell in notebook["cells"])


def test_it_is_written_as_jupyter_writes_it(stored):
    import nbformat

    text = stored.read_text()
    assert nbformat.writes(nbformat.reads(text, as_version=4)) + "\n" == text


def planted(notebook: dict, fault: str) -> dict:
    """The notebook with one fault."""
    cells = notebook["cells"]
    if fault == "ids":
        cells[2]["id"] = cells[1]["id"]
    elif fault == "long":
        cells[1]["source"] = ["x = 1\n"] * 12 + ["y = 2"]
    elif fault == "median":
        for cell in cells[1:]:
            cell["source"] = ["x = 1\n"] * 4 + ["y = 2"]
    elif fault == "unrun":
        cells[1]["execution_count"] = None
    elif fault == "silent":
        for cell in cells[1:]:
            cell["outputs"] = []
    elif fault == "path":
        cells[2]["outputs"][0]["text"] = ["/" + "home/someone/cutelab/notebooks\n"]
    elif fault == "address":
        cells[4]["outputs"][0]["data"]["text/plain"] = ["<Thing at 0x7f12345678>"]
    elif fault == "big":
        cells[0]["source"] = ["a" * 600_000]
    elif fault == "time":
        cells[1]["metadata"] = {"execution": {"iopub.status.busy": "2026-01-01"}}
    return notebook


@pytest.mark.parametrize(
    ("fault", "word"),
    [
        ("ids", "not unique"),
        ("long", "13 lines"),
        ("median", "median code cell has 5 lines"),
        ("unrun", "without having been run"),
        ("silent", "no output is stored"),
        ("path", "'/home/'"),
        ("address", "'at 0x7f12345678'"),
        ("big", "bytes"),
        ("time", "not in canonical form"),
    ],
)
def test_a_planted_fault_is_found(stored, tools, tmp_path, fault, word):
    path = tmp_path / "lesson.ipynb"
    path.write_text(tools("notebooks").dumps(planted(copy.deepcopy(json.loads(stored.read_text())), fault)))
    assert any(word in found for found in tools("notebooks").faults(path))
