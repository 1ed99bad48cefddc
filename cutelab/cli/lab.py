"""The course opens in JupyterLab: the lessons into a folder of the learner's own, and the server's command line."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cutelab.core.errors import CuteLabError, shown

FIRST = "00_start.ipynb"
WAIT_SECONDS = 180
IDLE_MINUTES = 60  # until a kernel at which nobody works is stopped
CULL = {"cull_idle_timeout": 60 * IDLE_MINUTES, "cull_interval": 60, "cull_connected": True}
ASKS = re.compile(r"(?m)^predict\(")
CARD = re.compile(r"(?m)^(predict|claims|claims_table|check|hint|solution|review|progress|ready)\(")


def lessons_folder() -> Path:
    """Where the lessons lie: in the wheel inside the package, in a checkout beside it."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "course" / "notebooks", package.parent / "notebooks"):
        if (folder / FIRST).is_file():
            return folder
    raise CuteLabError("the lessons are not installed with this copy of cutelab; install it again with pip")


def put_lessons(folder: str | Path) -> list[str]:
    """The lessons into this folder; the names of those that the learner has changed, which stay."""
    target = Path(folder)
    try:
        return working_copies(lessons_folder(), target)
    except OSError as error:
        raise CuteLabError(f"{shown(str(folder))} cannot take the lessons: {error.strerror or error}") from None


def open_lab(folder: Path, extra: list[str]) -> int:
    """Start JupyterLab there, say its address, and wait for its end. Its exit status."""
    if find_spec("jupyterlab") is None:
        raise CuteLabError('JupyterLab is not installed; pip install "cutelab[lab]" brings it')
    browser = has_browser()
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    print("Starting JupyterLab ...", flush=True)
    command = lab_command(folder, extra, browser=browser, root=root)
    server = subprocess.Popen(command, cwd=folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is JupyterLab's: it asks, then stops
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    info = server_info(server)
    if info:
        first = (folder / FIRST).is_file()
        print("\ncutelab is ready. Open this address in a browser:\n")
        print("    " + address(info, f"lab/tree/{FIRST}" if first else "lab"))
        if not first:
            print(f"\n{FIRST} is not in {folder.name}/, so JupyterLab shows the folder instead.")
        print("\nCtrl+C twice stops it.")
        if any(f"cull_idle_timeout={CULL['cull_idle_timeout']}" in word for word in command):
            print(
                f"A kernel at which nobody works for {IDLE_MINUTES} minutes is stopped, to give its memory back. Notebooks and answers "
                "stay;\nrun the cells again, and a new one starts."
            )
        sys.stdout.flush()
    code = server.wait()
    return 0 if code in (0, -signal.SIGTERM, -signal.SIGINT) else code


def has_browser() -> bool:
    """Is there a browser that this process could open?"""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def lab_command(folder: Path, extra: list[str], *, browser: bool, root: bool) -> list[str]:
    """The command line: this computer only, the next free port if one is taken, the first notebook if it is there; kernels that
    idle are stopped, also those of an open page, but none at work. What `extra` says counts."""
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.ip=127.0.0.1",
    ]
    command += ["--ServerApp.port_retries=50", "--Application.log_level=WARN"]
    for name, value in CULL.items():
        if not any(name in word for word in extra):
            command.append(f"--MappingKernelManager.{name}={value}")
    if (folder / FIRST).is_file():
        command.append(f"--LabApp.default_url=/lab/tree/{FIRST}")
    if root:
        command.append("--allow-root")
    if not browser and "--no-browser" not in extra:
        command.append("--no-browser")
    return command + extra


def silence_news() -> None:
    """In this project's own environment, keep JupyterLab from asking whether it may fetch news."""
    if sys.prefix == sys.base_prefix:
        return
    page = Path(sys.prefix, "etc", "jupyter", "labconfig", "page_config.json")
    if not page.exists():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(json.dumps({"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}))


def server_info(server: subprocess.Popen[bytes]) -> dict[str, Any] | None:
    """What the running server wrote about itself, as soon as it answers; None if it ended before."""
    from jupyter_core.paths import jupyter_runtime_dir

    note = Path(jupyter_runtime_dir(), f"jpserver-{server.pid}.json")
    end = time.monotonic() + WAIT_SECONDS
    while server.poll() is None and time.monotonic() < end:
        try:
            info: dict[str, Any] = json.loads(note.read_text())
            urllib.request.urlopen(info["url"] + "api", timeout=2).close()
            return info
        except urllib.error.HTTPError:
            return info  # it answers, if only to ask for a login
        except (OSError, ValueError):
            time.sleep(0.1)
    return None


def address(info: dict[str, Any], page: str) -> str:
    """The address to type: server, page and token."""
    query = "?" + urllib.parse.urlencode({"token": info["token"]}) if info.get("token") else ""
    return str(info["url"]) + page + query


def working_copies(source: Path, target: Path) -> list[str]:
    """Copy the lessons to a folder of the learner's own, so that answers do not change the project's files.

    A copy in which nobody has changed a cell follows a newer lesson, also after JupyterLab has saved its outputs. A copy
    with a person's work stays, and the newer lesson is put beside it as NAME.new.ipynb; returns the names of those.
    """
    target.mkdir(parents=True, exist_ok=True)
    note = target / ".copied.json"
    copied = read_note(note)
    kept = []
    for file in sorted([*source.glob("*.ipynb"), *source.glob("*.md")]):
        new, own = digest(file), target / file.name
        beside = own.with_name(f"{own.stem}.new{own.suffix}")
        if own.is_dir():
            kept.append(file.name)
        elif not own.exists() or not {digest(own), of_bytes(own)}.isdisjoint({copied.get(file.name), new}):
            if digest(own) != new:
                copy_whole(file, own)
            copied[file.name] = new
            if beside.is_file() and digest(beside) == copied.get(beside.name):
                beside.unlink()
                del copied[beside.name]
        elif copied.get(file.name) != new:
            if not beside.exists() or digest(beside) == copied.get(beside.name):
                copy_whole(file, beside)
                copied[beside.name] = new
            kept.append(file.name)
        write_whole(note, json.dumps(copied))
    return kept


def of_bytes(file: Path) -> str:
    """What the note held in earlier versions: the digest of all bytes."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def read_note(note: Path) -> dict[str, str]:
    """Which lesson, by its digest, is each copy of? {} if the note is missing or damaged."""
    try:
        found = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}


def copy_whole(file: Path, target: Path) -> None:
    """Copy in one step: after a kill the target is the old one or the new one, never half of it."""
    write_whole(target, without_answers(file.read_bytes()))


def without_answers(lesson: bytes) -> bytes:
    """The same lesson without the stored outputs that would answer a prediction before it is locked in.

    From the first prediction on only the cards of questions keep their outputs, and before it the pictures: a printed
    result would answer the sentence above its cell. What is no notebook stays as it is.
    """
    try:
        notebook = json.loads(lesson)
        asked = False
        for cell in notebook["cells"]:
            source = "".join(cell["source"])
            asked = asked or (cell["cell_type"] == "code" and ASKS.search(source) is not None)
            if cell["cell_type"] != "code" or CARD.search(source):
                continue
            drawn = any("image/png" in output.get("data", ()) for output in cell.get("outputs", ()))
            if asked or not drawn:
                cell.update(outputs=[], execution_count=None)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return lesson
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode() if asked else lesson


def write_whole(target: Path, content: str | bytes) -> None:
    """Write in one step. A link that leads nowhere is replaced, not followed."""
    handle, temporary = tempfile.mkstemp(prefix=".copy-", dir=target.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    os.chmod(temporary, 0o644)
    os.replace(temporary, target)


def digest(file: Path) -> str:
    """What tells two files' contents apart: of a notebook its cells' sources alone, of any other file its bytes; "" if there
    is none.

    Outputs, counters and metadata change when JupyterLab saves; the sources are what a person writes.
    """
    try:
        content = file.read_bytes()
    except OSError:
        return ""
    try:
        if file.suffix == ".ipynb":
            cells = json.loads(content)["cells"]
            content = json.dumps([[cell["cell_type"], "".join(cell["source"])] for cell in cells]).encode()
    except (ValueError, KeyError, TypeError, RecursionError):
        pass  # half a notebook, or none: its bytes tell
    return hashlib.sha256(content).hexdigest()
