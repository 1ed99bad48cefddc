"""The commands of the README: what they need, what they leave out, and that the lab answers at the address it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

OLD_PYTHON = f"""#!/bin/sh
exec "{sys.executable}" -c 'import sys; sys.version_info = (3, 9, 1); exec(sys.argv[2])' "$@"
"""


def make(root, tmp_path, *arguments: str) -> subprocess.CompletedProcess:
    """`make` with the repository's Makefile in an empty folder."""
    shutil.copy(root / "Makefile", tmp_path)
    shutil.copy(root / "pyproject.toml", tmp_path)
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)


def test_an_old_python_is_named_in_one_sentence(root, tmp_path):
    old = tmp_path / "python-old"
    old.write_text(OLD_PYTHON)
    old.chmod(0o755)
    done = make(root, tmp_path, "lab", f"PYTHON={old}")
    assert done.returncode != 0
    assert f"cutelab needs Python 3.11 or newer, and {old} is 3.9" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_missing_python_is_named_in_one_sentence(root, tmp_path):
    done = make(root, tmp_path, "test", "PYTHON=python-that-is-not-there")
    assert done.returncode != 0
    assert "there is no python-that-is-not-there here" in done.stdout
    assert not (tmp_path / ".venv").exists()


def test_make_alone_lists_the_commands(root, tmp_path):
    done = make(root, tmp_path)
    assert done.returncode == 0
    assert [f"make {name}" in done.stdout for name in ("lab", "test", "notebooks", "bench", "clean")] == [True] * 5


def test_the_lab_takes_root_and_no_browser_as_they_come(tools, tmp_path):
    lab = tools("lab")
    plain = lab.lab_command(tmp_path, [], browser=True, root=False)
    assert "--no-browser" not in plain and "--allow-root" not in plain
    assert not any("default_url" in option for option in plain)
    (tmp_path / lab.FIRST).touch()
    bare = lab.lab_command(tmp_path, ["--port=9000"], browser=False, root=True)
    assert {"--no-browser", "--allow-root", f"--LabApp.default_url=/lab/tree/{lab.FIRST}"} <= set(bare)
    assert "--ServerApp.ip=127.0.0.1" in bare
    assert bare[-1] == "--port=9000"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals and sockets as on Unix")
def test_the_lab_answers_at_the_address_it_says(root, tmp_path):
    """On a port that is taken: it moves on to the next one, says so plainly, and stops when told."""
    env = {**os.environ, "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"), "JUPYTER_CONFIG_DIR": str(tmp_path / "c")}
    log = tmp_path / "log"
    with socket.socket() as taken, log.open("w") as out:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, str(root / "tools" / "lab.py"), "--no-browser", f"--port={port}"]
        lab = subprocess.Popen(command, cwd=root, env=env, stdout=out, stderr=subprocess.STDOUT)
        try:
            end = time.monotonic() + 90
            while "stops it" not in log.read_text() and lab.poll() is None and time.monotonic() < end:
                time.sleep(0.1)
            said = re.search(r"^    (http://127\.0\.0\.1:(\d+)/lab\S*\?token=\S+)$", log.read_text(), re.MULTILINE)
            assert said, log.read_text()
            assert int(said[2]) != port
            with urllib.request.urlopen(said[1], timeout=30) as page:
                assert b"JupyterLab" in page.read()
        finally:
            lab.send_signal(signal.SIGTERM)
            assert lab.wait(timeout=30) == 0


def test_what_was_skipped_is_said_with_its_remedy(tools, tmp_path):
    test = tools("test")
    report = tmp_path / "report.xml"
    report.write_text(
        "<testsuites><testsuite>"
        + '<testcase><skipped type="pytest.skip" message="no Chromium for the browser tests"/></testcase>' * 2
        + '<testcase><skipped type="pytest.xfail" message="known"/></testcase>'
        + "<testcase/></testsuite></testsuites>"
    )
    assert dict(test.skipped(report)) == {"no Chromium for the browser tests": 2}
    assert "apt-get install chromium" in test.how_to_get("no Chromium for the browser tests")
    assert test.how_to_get("something else") == ""
    assert not test.skipped(tmp_path / "none.xml")


def test_with_nothing_left_out_a_missing_browser_is_a_failure(root, tmp_path):
    env = {**os.environ, "CUTELAB_NOTHING_LEFT_OUT": "1", "CUTELAB_CHROMIUM": str(tmp_path / "none")}
    command = [sys.executable, str(root / "tools" / "test.py")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "no Chromium" in done.stdout


def test_a_learner_works_on_copies(tools, tmp_path):
    lab, source, target = tools("lab"), tmp_path / "notebooks", tmp_path / "mine"
    source.mkdir()
    (source / "00.ipynb").write_text("first")
    (source / "glossary.md").write_text("words")
    assert lab.working_copies(source, target) == []
    assert (target / "00.ipynb").read_text() == "first" and (target / "glossary.md").exists()
    (source / "00.ipynb").write_text("second")
    assert lab.working_copies(source, target) == [] and (target / "00.ipynb").read_text() == "second"
    (target / "00.ipynb").write_text("answers")
    assert lab.working_copies(source, target) == [] and (target / "00.ipynb").read_text() == "answers"
    (source / "00.ipynb").write_text("third")
    assert lab.working_copies(source, target) == ["00.ipynb"] and (target / "00.ipynb").read_text() == "answers"
    (target / ".copied.json").write_text("damaged")
    assert lab.working_copies(source, target) == ["00.ipynb"]


def lesson(*sources, output=""):
    cells = [
        {
            "cell_type": "code",
            "source": [s],
            "outputs": [output] if output else [],
            "metadata": {},
            "execution_count": 1,
        }
        for s in sources
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_a_copy_that_was_only_saved_again_follows_the_lecture_and_a_changed_one_gets_it_beside(tools, tmp_path):
    lab, source, target = tools("lab"), tmp_path / "notebooks", tmp_path / "mine"
    source.mkdir()
    (source / "00.ipynb").write_text(lesson("one"))
    (source / "01.ipynb").write_text(lesson("one"))
    lab.working_copies(source, target)
    (target / "00.ipynb").write_text(lesson("one", output="saved by the lab"))
    (target / "01.ipynb").write_text(lesson("one, and my own"))
    for name in ("00.ipynb", "01.ipynb"):
        (source / name).write_text(lesson("two"))
    assert lab.working_copies(source, target) == ["01.ipynb"]
    assert (target / "00.ipynb").read_text() == lesson("two")
    assert "my own" in (target / "01.ipynb").read_text() and (target / "01.new.ipynb").read_text() == lesson("two")
    (source / "01.ipynb").write_text(lesson("three"))
    lab.working_copies(source, target)
    assert (target / "01.new.ipynb").read_text() == lesson("three")
    (target / "01.new.ipynb").rename(target / "01.ipynb")
    assert lab.working_copies(source, target) == [] and not (target / "01.new.ipynb").exists()


def test_a_learners_copy_answers_no_prediction_and_keeps_its_questions(tools, tmp_path, root):
    lab, target = tools("lab"), tmp_path / "mine"
    lab.working_copies(root / "notebooks", target)
    seen = 0
    for file in sorted((root / "notebooks").glob("*.ipynb")):
        stored, mine = (json.loads(path.read_text(encoding="utf-8"))["cells"] for path in (file, target / file.name))
        assert [cell["source"] for cell in stored] == [cell["source"] for cell in mine]
        asked = False
        for was, cell in zip(stored, mine, strict=True):
            source = "".join(cell["source"])
            asked = asked or "\npredict(" in "\n" + source
            card = any(
                f"\n{name}(" in "\n" + source
                for name in ("predict", "claims", "claims_table", "check", "progress", "ready")
            )
            if (
                cell["cell_type"] == "code"
                and any("\npredict(" in "\n" + "".join(c["source"]) for c in stored)
                and (asked or not any("image/png" in out.get("data", ()) for out in was["outputs"]))
                and not card
                and "hint(" not in source
                and "solution(" not in source
            ):
                assert cell["outputs"] == [] and cell["execution_count"] is None, (file.name, source)
                seen += bool(was["outputs"])
            else:
                assert cell == was
    assert seen > 50
    assert lab.working_copies(root / "notebooks", target) == []


@pytest.mark.parametrize("note", ["[]", "null", "3", '"x"', "{", '{"00.ipynb": []}'])
def test_a_damaged_note_or_a_kill_in_the_first_copying_costs_nothing(tools, tmp_path, note):
    lab, source, target = tools("lab"), tmp_path / "notebooks", tmp_path / "mine"
    source.mkdir()
    (source / "00.ipynb").write_text(lesson("one"))
    lab.working_copies(source, target)
    (target / ".copied.json").write_text(note)
    assert lab.working_copies(source, target) == []
    (source / "00.ipynb").write_text(lesson("two"))
    assert lab.working_copies(source, target) == [] and "two" in (target / "00.ipynb").read_text()
    assert not list(target.glob(".copy-*"))


def test_a_folder_in_the_place_of_a_copy_and_a_link_to_nowhere(tools, tmp_path):
    lab, source, target = tools("lab"), tmp_path / "notebooks", tmp_path / "mine"
    source.mkdir()
    target.mkdir()
    (source / "00.ipynb").write_text(lesson("one"))
    (source / "01.ipynb").write_text(lesson("one"))
    (target / "00.ipynb").mkdir()
    (target / "01.ipynb").symlink_to(tmp_path / "elsewhere.ipynb")
    assert lab.working_copies(source, target) == ["00.ipynb"]
    assert (target / "01.ipynb").read_text() == lesson("one") and not (tmp_path / "elsewhere.ipynb").exists()
