"""What a learner saved stays: two kernels at once, links, pipes, records of other versions, results of others."""

import json
import os
import stat
import subprocess
import sys
import time

import pytest

from cutelab import CuteLabError
from cutelab.course.lab import store
from cutelab.course.lab.store import FILE, Store, locked
from cutelab.lessons import check, predict, progress, reset, results

RIGHT = "(6,4):(1,6)"

WRITER = """
import sys
from cutelab.course.lab.store import Store, FILE
from pathlib import Path
kept = Store(Path(FILE))
for n in range(25):
    kept.change(f"{sys.argv[1]}.{n}", lambda item: {"state": "done", "tries": 1})
"""


def items(folder):
    return json.loads((folder / FILE).read_text())["items"]


def test_two_processes_at_once_lose_no_answer(fresh):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, name], env=env, cwd=fresh) for name in ("x", "y", "z")]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert len(items(fresh)) == 75 and os.listdir(fresh) == [FILE]


def test_a_lock_excludes_and_ends_with_its_process(fresh):
    code = "import sys, time\nfrom pathlib import Path\nfrom cutelab.course.lab.store import locked\n"
    code += "with locked(Path('x')):\n    print('have', flush=True)\n    time.sleep(60)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    other = subprocess.Popen([sys.executable, "-c", code], env=env, cwd=fresh, stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "have\n"
    assert store._is_still(fresh / ".x.lock", os.open(fresh / ".x.lock", os.O_RDWR))
    with pytest.raises(OSError):
        store._lock(os.open(fresh / ".x.lock", os.O_RDWR))
    other.kill()
    other.wait()
    with locked(fresh / "x"):
        pass
    assert os.listdir(fresh) == []


def test_a_link_stays_a_link_and_permissions_stay(fresh):
    real = fresh / "cloud" / "mine.json"
    real.parent.mkdir()
    real.write_text('{"version": 1, "items": {}}')
    real.chmod(0o664)
    (fresh / FILE).symlink_to(real)
    check("layout.2", RIGHT)
    assert (fresh / FILE).is_symlink() and "layout.2" in json.loads(real.read_text())["items"]
    assert stat.S_IMODE(real.stat().st_mode) == 0o664


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_does_not_hang(fresh):
    os.mkfifo(fresh / FILE)
    assert "cannot be read here" in repr(check("layout.2", RIGHT))


@pytest.mark.parametrize(
    "text",
    [
        '{"version": Infinity, "items": {}}',
        '{"version": 1e400, "items": {}}',
        '{"version": true, "items": {}}',
        '{"version": 1, "items": {"layout.2": {"state": []}}}',
        '{"version": 1, "items": {"layout.2": {"state": {}}}}',
        '{"version": 1, "items": {"\\ud800": {"tries": 1}}}',
        '{"version": 1, "items": {"layout.a": {"answer": "\\ud800", "locked": "x"}}}',
        '{"version": 1, "items": {"layout.2": {"wrong": [3]}}}',
        '{"version": 1, "items": {"layout.2": {"tries": true, "state": "tried"}}}',
    ],
)
def test_a_damaged_file_never_raises(fresh, text):
    (fresh / FILE).write_text(text)
    assert check("layout.2", RIGHT).state == "good"
    repr(predict("layout.a"))
    repr(progress())
    results()
    assert items(fresh)["layout.2"]["state"] == "done"


def test_set_aside_files_are_numbered(fresh, restart):
    for text in ("broken 1", "broken 2"):
        (fresh / FILE).write_text(text)
        restart()
        check("layout.2", RIGHT)
    kept = {name: (fresh / name).read_text() for name in os.listdir(fresh) if "damaged" in name}
    assert kept == {"progress.damaged.json": "broken 1", "progress.damaged-2.json": "broken 2"}


def test_what_is_not_understood_stays(fresh):
    odd = {"layout.3": {"state": "mastered"}, "new.1": 7, "layout.2": {"tries": "3"}}
    (fresh / FILE).write_text(json.dumps({"version": 1, "theme": "dark", "items": odd}))
    check("layout.2", RIGHT)
    data = json.loads((fresh / FILE).read_text())
    assert data["theme"] == "dark" and data["items"]["layout.3"] == {"state": "mastered"}
    assert data["items"]["new.1"] == 7
    assert data["items"]["layout.2"]["state"] == "done" and data["items"]["layout.2"]["unread"] == {"tries": "3"}


def test_what_a_newer_version_finished_is_shown_and_its_locks_hold(fresh):
    done = {"layout.2": {"state": "done", "tries": 1}, "layout.a": {"answer": 19, "locked": "2026"}}
    text = json.dumps({"version": 2, "items": done})
    (fresh / FILE).write_text(text)
    table = progress()
    assert table.rows[2][1] == "1" and "newer version" in repr(table)
    assert predict("layout.a").lock(38).answer == 19
    check("layout.3", "(8,8):(9,1)")
    assert progress().rows[2][1] == "2" and (fresh / FILE).read_text() == text


def test_records_under_old_names_count(fresh):
    old = {
        "01.2": {"state": "done", "tries": 2},
        "layout.2": {"tries": 5, "state": "tried"},
        "01.a": {"answer": 19, "locked": "x"},
    }
    (fresh / FILE).write_text(json.dumps({"version": 1, "items": old}))
    assert Store(fresh / FILE).item("01.2") == {"state": "done", "tries": 5}
    assert predict("01.a").answer == 19 and predict("layout.a").locked
    check("01.3", "(8,8):(9,1)")
    assert set(items(fresh)) == {"layout.2", "layout.3", "layout.a"}


def test_half_written_files_of_killed_processes_go(fresh):
    left = fresh / ".progress-abc"
    left.write_text("{")
    os.utime(left, (time.time() - 7200,) * 2)
    (fresh / ".progress-now").write_text("{")
    check("layout.2", RIGHT)
    assert set(os.listdir(fresh)) == {FILE, ".progress-now"}


@pytest.mark.parametrize("name", ["progress.json", "01_layout.ipynb"])
def test_results_write_over_nothing_else(fresh, name):
    check("layout.2", RIGHT)
    (fresh / "01_layout.ipynb").write_text('{"cells": []}')
    before = (fresh / name).read_bytes()
    with pytest.raises(CuteLabError, match="stays as it is"):
        results(path=name)
    assert (fresh / name).read_bytes() == before
    results(path="mine.json")
    results("Ada", path="mine.json")
    assert json.loads((fresh / "mine.json").read_text())["name"] == "Ada"


@pytest.mark.parametrize("path", [None, "", "a\0b", 3])
def test_a_path_that_is_none(fresh, path):
    with pytest.raises(CuteLabError, match="must be a file name"):
        results(path=path)
    assert results("\ud800").exists()


def test_one_lesson_afresh_with_a_copy_set_aside(fresh):
    check("layout.2", RIGHT)
    check("start.1", 32)
    predict("layout.a").lock(19)
    before = json.loads((fresh / FILE).read_text())
    assert "2 records" in repr(reset("layout"))
    assert set(items(fresh)) == {"start.1"} and not predict("layout.a").locked
    assert json.loads((fresh / "progress.before-reset.json").read_text()) == before
    reset()
    assert items(fresh) == {} and (fresh / "progress.before-reset-2.json").exists()
    assert "Nothing to forget" in repr(reset("layout")) and "Nothing to forget" in repr(reset())
    assert not (fresh / "progress.before-reset-3.json").exists()
    assert "there is no lesson" in repr(reset("99")).lower()
