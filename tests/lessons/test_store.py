"""progress.json: kept, merged, tolerant."""

import json
import os

import pytest

from cutelab.course.lab import store
from cutelab.course.lab.store import FILE, Store, merge
from cutelab.lessons import check, predict, progress

RIGHT, WRONG = "(6,4):(1,6)", "(6,4):(4,1)"


def state(id="layout.2"):
    return store.store().item(id).get("state", "open")


def test_progress_survives_a_new_kernel(fresh, restart):
    check("layout.2", WRONG)
    check("layout.2", RIGHT)
    restart()
    item = store.store().item("layout.2")
    assert (item["state"], item["tries"]) == ("done", 2)
    assert json.loads((fresh / FILE).read_text())["version"] == 1
    assert os.listdir(fresh) == [FILE]


def test_off_touches_no_file(fresh, monkeypatch):
    check("layout.2", RIGHT)
    before = (fresh / FILE).read_bytes()
    monkeypatch.setenv("CUTELAB_PROGRESS", "off")
    assert state() == "open"
    check("layout.3", RIGHT)
    predict("layout.a").lock(1)
    assert (fresh / FILE).read_bytes() == before and os.listdir(fresh) == [FILE]


def test_the_file_may_be_deleted_at_any_time(fresh):
    check("layout.2", RIGHT)
    (fresh / FILE).unlink()
    assert state() == "open"
    check("layout.3", WRONG)
    assert list(json.loads((fresh / FILE).read_text())["items"]) == ["layout.3"]


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '"x"', '{"items": 3}', "\x00\xff", "[" * 100000, '{"version": "x", "items": {}}']
)
def test_a_damaged_file_is_set_aside_said_once_and_the_lesson_goes_on(fresh, content):
    (fresh / FILE).write_text(content, encoding="latin-1")
    first, second = check("layout.2", RIGHT), check("layout.3", WRONG)
    assert "was damaged" in repr(first) and "damaged" not in repr(second)
    assert state() == "done"
    assert (fresh / "progress.damaged.json").read_text(encoding="latin-1") == content
    assert set(json.loads((fresh / FILE).read_text())["items"]) == {"layout.2", "layout.3"}


def test_damage_while_the_kernel_runs_loses_nothing(fresh):
    check("layout.2", RIGHT)
    (fresh / FILE).write_text("{")
    check("layout.3", WRONG)
    assert state("layout.2") == "done" and state("layout.3") == "tried"


@pytest.mark.parametrize(
    "item",
    [3, {"state": "won"}, {"tries": "many"}, {"tries": -1}, {"answer": {}, "locked": "x"}, {"answer": 3}, {"done": 5}],
)
def test_an_unsound_record_is_dropped_and_the_others_stay(fresh, item):
    items = {"layout.2": item, "layout.3": {"state": "done", "tries": 1, "first": "a", "last": "a", "done": "a"}}
    (fresh / FILE).write_text(json.dumps({"version": 1, "items": items}))
    assert state("layout.2") == "open" and state("layout.3") == "done"
    progress()


def test_a_newer_version_is_left_alone(fresh):
    text = json.dumps({"version": 2, "items": {}, "more": 1})
    (fresh / FILE).write_text(text)
    assert "newer version" in repr(check("layout.2", RIGHT))
    assert state() == "done" and (fresh / FILE).read_text() == text


def test_a_folder_that_cannot_be_written(fresh, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError("read-only")

    monkeypatch.setattr(store.tempfile, "mkstemp", refuse)
    first, second = check("layout.2", RIGHT), check("layout.3", WRONG)
    assert "cannot be written here" in repr(first) and "cannot" not in repr(second)
    assert state("layout.2") == "done" and state("layout.3") == "tried" and os.listdir(fresh) == []


def test_a_read_only_file_is_respected(fresh, monkeypatch):
    (fresh / FILE).write_text('{"version": 1, "items": {}}')
    real = os.access
    monkeypatch.setattr(store.os, "access", lambda path, mode: False if str(path).endswith(FILE) else real(path, mode))
    assert "cannot be written here" in repr(check("layout.2", RIGHT))
    assert state() == "done" and json.loads((fresh / FILE).read_text())["items"] == {}


def test_a_file_that_cannot_be_read(fresh):
    (fresh / FILE).mkdir()
    assert "cannot be read here" in repr(check("layout.2", RIGHT))
    assert state() == "done"


def test_a_crash_while_writing_leaves_the_old_file(fresh, monkeypatch):
    check("layout.2", RIGHT)
    before = (fresh / FILE).read_bytes()

    def crash(*args):
        raise OSError("disk full")

    monkeypatch.setattr(store.os, "replace", crash)
    check("layout.3", WRONG)
    assert (fresh / FILE).read_bytes() == before and os.listdir(fresh) == [FILE]


def test_two_kernels_keep_each_others_answers(fresh):
    a, b = Store(fresh / FILE), Store(fresh / FILE)
    a.change("layout.2", lambda item: {**item, "state": "done", "tries": 1})
    b.change("layout.3", lambda item: {**item, "state": "tried", "tries": 1})
    b.change("layout.2", lambda item: {**item, "state": "tried", "tries": 1})
    a.change("layout.4", lambda item: {**item, "state": "done", "tries": 2})
    assert {k: v["state"] for k, v in a.items().items()} == {
        "layout.2": "done",
        "layout.3": "tried",
        "layout.4": "done",
    }
    assert a.items() == b.items()


def test_the_first_lock_of_two_kernels_counts():
    early, late = {"answer": 1, "locked": "2024-01-01"}, {"answer": 2, "locked": "2024-01-02"}
    assert merge({"x": late}, {"x": early}) == merge({"x": early}, {"x": late}) == {"x": early}


def test_merging_is_commutative_and_repeats_without_effect():
    a = {"1": {"state": "tried", "tries": 5, "first": "b", "last": "d"}, "2": {"hints": 1}}
    b = {"1": {"state": "done", "tries": 2, "first": "a", "last": "c", "done": "c"}}
    both = merge(a, b)
    assert both == merge(b, a) == merge(both, a) == merge(both, b)
    assert both["1"] == {"state": "done", "tries": 5, "first": "a", "last": "d", "done": "c"}
