"""Strict nbval keeps the notebooks honest: one stored number changed turns the run red, unchanged ones stay green."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
PICTURE = (
    'from IPython.display import HTML\nHTML(\'<img alt="8 by 8 cells" src="data:image/png;base64,iVBORw0KGgo=">\')'
)


def red(paths: list[Path], tools, folder: Path) -> dict[str, int]:
    """How many cells of each notebook nbval finds changed."""
    test = tools("test")
    report = folder / "nbval.xml"
    command = test.nbval_command([str(path) for path in paths], f"--junitxml={report}", f"--rootdir={folder}")
    done = subprocess.run(command, cwd=folder, env=test.test_environment(), capture_output=True, text=True, timeout=300)
    assert report.exists(), done.stdout + done.stderr
    failed = dict.fromkeys((path.stem for path in paths), 0)
    ran = dict.fromkeys(failed, 0)
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        (name,) = (stem for stem in failed if stem in f"{case.get('classname')} {case.get('name')}")
        ran[name] += 1
        failed[name] += case.find("failure") is not None or case.find("error") is not None
    assert all(ran.values()), f"no cell was run: {ran}"
    assert (done.returncode != 0) == any(failed.values())
    return failed


def change_one_number(path: Path) -> str:
    """Change one digit in one stored text output; returns the line as it was."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            text = output.get("text") or output.get("data", {}).get("text/plain") or []
            for place, line in enumerate(text):
                if re.search(r"\d", line):
                    text[place] = re.sub(r"\d", lambda found: str((int(found.group()) + 1) % 10), line, count=1)
                    path.write_text(json.dumps(notebook), encoding="utf-8")
                    return line
    raise AssertionError(f"{path.name} stores no number")


@pytest.mark.long
def test_one_changed_number_is_seen_and_changed_pixels_are_not(tools, tmp_path):
    cells = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
        for source in ("print('offset', 2 * 8 + 3 * 1)", PICTURE)
    ]
    same = tmp_path / "same.ipynb"
    same.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))
    text = tools("notebooks").execute(same)
    assert "offset 19" in text and "iVBORw0KGgo=" in text
    paths = {name: tmp_path / f"{name}.ipynb" for name in ("same", "number", "pixels", "words")}
    for path in paths.values():
        path.write_text(text)
    assert change_one_number(paths["number"]) == "offset 19\n"
    stored = json.loads(text)
    html = stored["cells"][1]["outputs"][0]["data"]["text/html"]
    stored["cells"][1]["outputs"][0]["data"]["text/html"] = [html[0].replace("8 by 8", "9 by 8")]
    paths["words"].write_text(json.dumps(stored))
    stored["cells"][1]["outputs"][0]["data"]["text/html"] = [html[0].replace("KGgo=", "KGgp=")]
    paths["pixels"].write_text(json.dumps(stored))
    assert red(list(paths.values()), tools, tmp_path) == {"same": 0, "number": 1, "pixels": 0, "words": 1}


@pytest.mark.long
def test_one_changed_number_of_a_lesson_is_seen(tools, tmp_path):
    lessons = sorted(FOLDER.glob("01_*.ipynb")) or sorted(FOLDER.glob("*.ipynb"))
    if not lessons:
        pytest.skip("no notebook in notebooks/ yet")
    path = tmp_path / lessons[0].name
    shutil.copy(lessons[0], path)
    change_one_number(path)
    assert red([path], tools, tmp_path) == {path.stem: 1}


def test_nbval_runs_in_this_environment(tools):
    command = tools("test").nbval_command(["x.ipynb"])
    assert command[0] == sys.executable
    assert "--nbval" in command and "--nbval-lax" not in command
