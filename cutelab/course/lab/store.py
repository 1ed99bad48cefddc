"""Progress in one small file, `progress.json`, in the folder of the notebook. Delete it to start afresh.

CUTELAB_PROGRESS=off keeps everything in memory (tests, stored notebooks). Each change reads the file, merges, and replaces
the file in one step, so that two kernels keep each other's answers and a crash leaves the old file whole. A file that
cannot be read or written never stops a lesson: it is said once, and the lesson goes on in memory.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

VERSION = 1
FILE = "progress.json"
RANK = {"open": 0, "tried": 1, "done": 2}
Items = dict[str, dict[str, Any]]


def now() -> str:
    """The time as text, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def merge(a: Items, b: Items) -> Items:
    """What do two records say together? The better state, the larger counts, the earlier lock of a prediction.

    >>> merge({"01.1": {"state": "tried", "tries": 3}}, {"01.1": {"state": "done", "tries": 1}})
    {'01.1': {'state': 'done', 'tries': 3}}
    """
    return {key: _merge_one(a.get(key, {}), b.get(key, {})) for key in sorted({*a, *b})}


def _merge_one(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    if "answer" in a and "answer" in b:  # two locks: the first one counts
        return dict(min(a, b, key=lambda item: item.get("locked", "")))
    both = {**a, **b}
    for key in a.keys() & b.keys():
        if key == "state":
            both[key] = max(a[key], b[key], key=RANK.__getitem__)
        elif key in ("tries", "hints", "last"):
            both[key] = max(a[key], b[key])
        else:  # "first", "done": the earlier time
            both[key] = min(a[key], b[key])
    return both


def sound(item: Any) -> bool:
    """Is this record of one exercise or prediction as this version writes it?"""
    if not isinstance(item, dict):
        return False
    if "answer" in item:
        good = item["answer"]
        numbers = isinstance(good, list) and all(isinstance(n, int) for n in good)
        return isinstance(item.get("locked"), str) and (numbers or isinstance(good, int | str))
    texts = all(isinstance(item[k], str) for k in ("first", "last", "done") if k in item)
    counts = all(isinstance(item[k], int) and item[k] >= 0 for k in ("tries", "hints") if k in item)
    return texts and counts and item.get("state", "open") in RANK


class Store:
    """The progress of one folder. `path` None: memory only."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.memory: Items = {}
        self.on_disk = False  # the last write reached the file, so the file is the record
        self.notice = ""
        self.said: set[str] = set()

    def items(self) -> Items:
        """Everything known: the file, and what could not be written to it."""
        found = self._read()
        return found if self.on_disk else merge(found, self.memory)

    def item(self, key: str) -> dict[str, Any]:
        """What is known about one exercise or prediction: {} if nothing."""
        return dict(self.items().get(key, {}))

    def change(self, key: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        """Apply a change to one record and write. Returns the new record."""
        items = self.items()
        items[key] = _merge_one(items.get(key, {}), change(dict(items.get(key, {}))))
        self.memory = items
        self.on_disk = self._write(items)
        return items[key]

    def take_notice(self) -> str:
        """What the learner should know about the file, once; "" otherwise."""
        notice, self.notice = self.notice, ""
        return notice

    def _say(self, text: str) -> None:
        if text not in self.said:
            self.said.add(text)
            self.notice = text

    def _read(self) -> Items:
        if self.path is None:
            return {}
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            if not isinstance(data, dict) or not isinstance(data.get("items"), dict):
                raise ValueError("no items")
            version = int(data.get("version", 0))
        except FileNotFoundError:
            return {}
        except OSError:
            self._say(f"{FILE} cannot be read here; progress is kept until the kernel stops.")
            self.path = None
            self.on_disk = False
            return {}
        except (ValueError, TypeError, RecursionError):
            self.on_disk = False
            self._set_aside()
            return {}
        if version > VERSION:
            self._say(f"{FILE} is from a newer version of cutelab and stays as it is; progress is kept in memory.")
            self.path = None
            self.on_disk = False
            return {}
        return {str(k): v for k, v in data["items"].items() if sound(v)}

    def _set_aside(self) -> None:
        assert self.path is not None
        aside = self.path.with_name("progress.damaged.json")
        try:
            os.replace(self.path, aside)
        except OSError:
            self._say(f"{FILE} is damaged and cannot be replaced; progress is kept until the kernel stops.")
            self.path = None
            return
        self._say(f"{FILE} was damaged: a new one is begun, and the old one is now {aside.name}.")

    def _write(self, items: Items) -> bool:
        if self.path is None:
            return False
        text = json.dumps({"version": VERSION, "items": items}, indent=1, sort_keys=True, ensure_ascii=False)
        temporary = None
        try:
            if self.path.exists() and not os.access(self.path, os.W_OK):
                raise PermissionError(self.path)
            handle, temporary = tempfile.mkstemp(prefix=".progress-", dir=self.path.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            os.replace(temporary, self.path)
        except OSError:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            self._say(f"{FILE} cannot be written here; progress is kept until the kernel stops.")
            return False
        return True


_stores: dict[Path | None, Store] = {}


def store() -> Store:
    """The progress of the folder in which the kernel runs (memory only with CUTELAB_PROGRESS=off)."""
    off = os.environ.get("CUTELAB_PROGRESS", "").strip().lower() in ("off", "0", "no", "false")
    try:
        path = None if off else Path.cwd() / FILE
    except OSError:  # the folder is gone
        path = None
    return _stores.setdefault(path, Store(path))
