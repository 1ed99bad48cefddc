"""Progress in one small file, `progress.json`, in the folder of the notebook. Delete it to start afresh.

CUTELAB_PROGRESS=off keeps everything in memory (tests, stored notebooks). Each change takes a lock, reads the file, merges,
and replaces the file in one step, so that two kernels keep each other's answers and a crash leaves the old file whole. What
this version does not understand stays in the file as it is. A file that cannot be read or written never stops a lesson: it
is said once, and the lesson goes on in memory.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cutelab.course.ask.ids import canonical

VERSION = 1
FILE = "progress.json"
RANK = {"open": 0, "tried": 1, "done": 2}
MOST_WRONG = 12  # different wrong answers kept for each exercise
LOCK_SECONDS = 5.0
STALE_SECONDS = 3600.0  # a half-written file older than this was left by a process that was killed
Item = dict[str, Any]
Items = dict[str, Item]


def now() -> str:
    """The time as text, in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def merge(a: Items, b: Items) -> Items:
    """What do two records say together? The better state, the larger counts, the earlier lock of a prediction.

    >>> merge({"layout.1": {"state": "tried", "tries": 3}}, {"layout.1": {"state": "done", "tries": 1}})
    {'layout.1': {'state': 'done', 'tries': 3}}
    """
    return {key: merge_one(a.get(key, {}), b.get(key, {})) for key in sorted({*a, *b})}


def merge_one(a: Item, b: Item) -> Item:
    """What do two records of one exercise or prediction say together?"""
    if "answer" in a and "answer" in b:  # two locks: the first one counts
        first = a if str(a.get("locked", "")) <= str(b.get("locked", "")) else b
        return dict(first)
    both = {**a, **b}
    for key in a.keys() & b.keys():
        if key == "state":
            both[key] = max(a[key], b[key], key=RANK.__getitem__)
        elif key in ("tries", "hints", "last"):
            both[key] = max(a[key], b[key])
        elif key == "wrong":
            both[key] = sorted({json.dumps(w): w for w in (*a[key], *b[key])}.values())[:MOST_WRONG]
        elif key in ("first", "done", "best"):  # the earlier time, the smaller answer of a puzzle
            both[key] = min(a[key], b[key])
    return both


def sound(item: Any) -> bool:
    """Is this record of one exercise or prediction as this version writes it? What else it holds does not matter."""
    if not isinstance(item, dict):
        return False
    if "answer" in item:
        good = item["answer"]
        return isinstance(item.get("locked"), str) and (_is_numbers(good) or isinstance(good, int | str))
    texts = all(isinstance(item[k], str) for k in ("first", "last", "done") if k in item)
    counts = all(_is_count(item[k]) for k in ("tries", "hints", "best") if k in item)
    wrong = item.get("wrong", [])
    pairs = isinstance(wrong, list) and all(
        isinstance(w, list) and len(w) == 2 and all(isinstance(part, str) for part in w) for w in wrong
    )
    return (
        texts and counts and pairs and isinstance(item.get("state", "open"), str) and item.get("state", "open") in RANK
    )


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(n, int) or _is_numbers(n) for n in value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def numbered(path: Path) -> Path:
    """This path, or the next one with a number that is still free.

    >>> numbered(Path("/nowhere/progress.damaged.json")).name
    'progress.damaged.json'
    """
    free, n = path, 1
    while free.exists() or free.is_symlink():
        n += 1
        free = path.with_name(f"{path.stem}-{n}{path.suffix}")
    return free


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Nobody else who asks for this file's lock has it meanwhile. Where no lock can be had, the work goes on without one.

    The lock is the operating system's, on a file beside it: it ends with the process, whatever happens to that.
    """
    lock = path.with_name(f".{path.name}.lock")
    handle = _take(lock)
    try:
        yield
    finally:
        if handle is not None:
            with contextlib.suppress(OSError):
                lock.unlink()
            _free(handle)


def _take(lock: Path) -> int | None:
    """The open, locked file; None if it cannot be had."""
    end = time.monotonic() + LOCK_SECONDS
    while time.monotonic() < end:
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except PermissionError:
            if sys.platform != "win32":
                return None
            time.sleep(0.01)  # another process is about to delete it
            continue
        except OSError:
            return None
        try:
            _lock(handle)
            if _is_still(lock, handle):
                return handle
        except OSError:
            pass
        os.close(handle)
        time.sleep(0.005)
    return None


def _is_still(lock: Path, handle: int) -> bool:
    """Is the file that was locked still the one of this name? The one before may have deleted it meanwhile."""
    try:
        here, there = os.fstat(handle), os.stat(lock)
    except OSError:
        return False
    return (here.st_ino, here.st_dev) == (there.st_ino, there.st_dev)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _free(handle: int) -> None:
        with contextlib.suppress(OSError):
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
        os.close(handle)

else:
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock

        def _lock(handle: int) -> None:
            flock(handle, LOCK_EX | LOCK_NB)

    except ImportError:  # a browser, whose fcntl is missing or hollow: there is one process only

        def _lock(handle: int) -> None: ...

    def _free(handle: int) -> None:
        os.close(handle)


def replace_file(path: Path, text: str) -> None:
    """Write this text in place of the file, in one step: a reader sees the old one or the new one. Raises OSError.

    A link stays a link, and the permissions of a file that is there already stay.
    """
    target = path.resolve()
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o644
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(target)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.stem}-", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        with contextlib.suppress(OSError):
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def sweep(path: Path) -> None:
    """Delete what killed processes left half-written beside this file."""
    with contextlib.suppress(OSError):
        for left in path.parent.glob(f".{path.stem}-*"):
            if time.time() - left.stat().st_mtime > STALE_SECONDS:
                left.unlink()


class Store:
    """The progress of one folder. `path` None: memory only."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.memory: Items = {}
        self.on_disk = False  # the last write reached the file, so the file is the record
        self.unread: dict[str, Any] = {}  # records and entries of the file that this version does not understand
        self.around: dict[str, Any] = {}
        self.only_read = False  # a newer version's file: shown, never written
        self.notice = ""
        self.said: set[str] = set()

    def items(self) -> Items:
        """Everything known: the file, and what could not be written to it."""
        found = self._read()
        return found if self.on_disk else merge(found, self.memory)

    def item(self, key: str) -> Item:
        """What is known about one exercise or prediction: {} if nothing."""
        return dict(self.items().get(canonical(key), {}))

    def change(self, key: str, change: Callable[[Item], Item]) -> Item:
        """Apply a change to one record and write. Returns the new record."""
        key = canonical(key)

        def changed(items: Items) -> Items:
            items[key] = merge_one(items.get(key, {}), change(dict(items.get(key, {}))))
            return items

        return self._update(changed)[key]

    def drop(self, keys: set[str]) -> None:
        """Forget these records."""
        self.memory = {key: item for key, item in self.memory.items() if key not in keys}
        self.unread = {key: item for key, item in self.unread.items() if canonical(key) not in keys}
        self._update(lambda items: {key: item for key, item in items.items() if key not in keys})

    def _update(self, change: Callable[[Items], Items]) -> Items:
        with locked(self.path.resolve()) if self.path is not None else contextlib.nullcontext():
            items = change(self.items())
            self.memory = items
            self.on_disk = self._write(items)
        return items

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
            if self.path.exists() and not self.path.is_file():  # a folder, or a pipe that would never answer
                raise IsADirectoryError(self.path)
            data = json.loads(self.path.read_text(encoding="utf-8-sig"))
            if not isinstance(data, dict) or not isinstance(data.get("items"), dict):
                raise ValueError("no items")
            version = data.get("version", 0)
            if isinstance(version, bool) or not isinstance(version, int | float) or not math.isfinite(version):
                raise ValueError("no version")
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
        if version > VERSION and not self.only_read:
            self._say(f"{FILE} is from a newer version of cutelab and stays as it is; new answers are kept in memory.")
            self.only_read, self.on_disk = True, False
        self.around = {key: value for key, value in data.items() if key not in ("items", "version")}
        self.unread = {key: value for key, value in data["items"].items() if not sound(value)}
        found: Items = {}
        for key, value in data["items"].items():
            if sound(value):
                found = {**found, canonical(key): merge_one(found.get(canonical(key), {}), value)}
        return found

    def _set_aside(self) -> None:
        assert self.path is not None
        aside = numbered(self.path.with_name("progress.damaged.json"))
        try:
            os.replace(self.path.resolve(), aside)
        except OSError:
            self._say(f"{FILE} is damaged and cannot be replaced; progress is kept until the kernel stops.")
            self.path = None
            return
        self._say(f"{FILE} was damaged: a new one is begun, and the old one is now {aside.name}.")

    def _write(self, items: Items) -> bool:
        if self.path is None or self.only_read:
            return False
        kept = {key: value for key, value in self.unread.items() if key not in items}
        grown = {
            key: {**item, "unread": self.unread[key]} if key in self.unread and "unread" not in item else item
            for key, item in items.items()
        }
        content = {**self.around, "version": VERSION, "items": {**kept, **grown}}
        try:
            replace_file(self.path, json.dumps(content, indent=1, sort_keys=True) + "\n")
            sweep(self.path)
        except OSError:
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
