"""Open the course in JupyterLab and say its address: `python tools/lab.py [options of jupyter lab]`."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import webbrowser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST = "00_start.ipynb"
OWN = "my-notebooks"  # where the learner works
WAIT_SECONDS = 180


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
    """The command line: this computer only, the next free port if one is taken, the first notebook if it is there."""
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.ip=127.0.0.1",
    ]
    command += ["--ServerApp.port_retries=50", "--Application.log_level=WARN"]
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


def server_info(server: subprocess.Popen) -> dict | None:
    """What the running server wrote about itself, as soon as it answers; None if it ended before."""
    from jupyter_core.paths import jupyter_runtime_dir

    note = Path(jupyter_runtime_dir(), f"jpserver-{server.pid}.json")
    end = time.monotonic() + WAIT_SECONDS
    while server.poll() is None and time.monotonic() < end:
        try:
            info = json.loads(note.read_text())
            urllib.request.urlopen(info["url"] + "api", timeout=2).close()
            return info
        except urllib.error.HTTPError:
            return info  # it answers, if only to ask for a login
        except (OSError, ValueError):
            time.sleep(0.1)
    return None


def address(info: dict, page: str) -> str:
    """The address to type: server, page and token."""
    query = "?" + urllib.parse.urlencode({"token": info["token"]}) if info.get("token") else ""
    return info["url"] + page + query


def working_copies(source: Path, target: Path) -> list[str]:
    """Copy the lectures to a folder of the learner's own, so that answers do not change the project's files.

    A copy that nobody has changed follows a newer lecture. A copy with a person's work stays; returns the names of those
    whose lecture has changed since.
    """
    target.mkdir(exist_ok=True)
    note = target / ".copied.json"
    try:
        copied = json.loads(note.read_text())
    except (OSError, ValueError):
        copied = {}
    kept = []
    for file in sorted([*source.glob("*.ipynb"), *source.glob("*.md")]):
        new, own = digest(file), target / file.name
        if not own.exists() or digest(own) == copied.get(file.name):
            shutil.copyfile(file, own)
            copied[file.name] = new
        elif copied.get(file.name) != new:
            kept.append(file.name)
    note.write_text(json.dumps(copied))
    return kept


def digest(file: Path) -> str:
    """What tells two files' contents apart."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main(extra: list[str]) -> int:
    folder = ROOT / OWN
    if (ROOT / "notebooks").is_dir():
        kept = working_copies(ROOT / "notebooks", folder)
        if kept:
            print(f"Newer than your copies in {OWN}/: {', '.join(kept)}. Rename yours to get the new ones.")
    else:
        folder = ROOT
    browser = has_browser()
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    silence_news()
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
        print("\nCtrl+C twice stops it.", flush=True)
    code = server.wait()
    return 0 if code in (0, -signal.SIGTERM, -signal.SIGINT) else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
