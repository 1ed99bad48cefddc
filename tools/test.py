"""Run the tests that this machine can, and say what was left out: `python tools/test.py [options of pytest]`.

`--long` adds those that take more than about two seconds each, and all lessons in a browser. With CUTELAB_NOTHING_LEFT_OUT=1
whatever is left out is a failure, except what needs an NVIDIA GPU or CUTLASS's headers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SANITIZE = "tests/nbval_sanitize.cfg"
GPU, HEADERS = "needs an NVIDIA GPU", "needs a C++ compiler and CUTLASS_INCLUDE"  # what not every machine can have
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """The Chromium that browser tests drive: CUTELAB_CHROMIUM, or the first one on the path."""
    named = os.environ.get("CUTELAB_CHROMIUM")
    if named:
        return shutil.which(named)
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def firefox() -> str | None:
    """The stock Firefox that one lesson is opened in."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


def has_gpu() -> bool:
    """Does an NVIDIA driver answer?"""
    tool = shutil.which("nvidia-smi")
    return bool(tool) and subprocess.run([tool, "-L"], capture_output=True).returncode == 0


def notebooks() -> list[str]:
    """The lessons, and the notebook for teachers."""
    found = [*(ROOT / "notebooks").glob("*.ipynb"), *(ROOT / "docs").glob("*.ipynb")]
    return sorted(str(path.relative_to(ROOT).as_posix()) for path in found)


def nbval_command(paths: list[str], *options: str) -> list[str]:
    """pytest that executes notebooks and compares every stored text output, in this very environment."""
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-sanitize-with", str(ROOT / SANITIZE)]
    command += ["--nbval-current-env", "--nbval-cell-timeout=300", "-o", "addopts=", "-p", "no:cacheprovider"]
    return [*command, "-q", *options, *paths]


def test_environment() -> dict[str, str]:
    """No answers of a learner are read or written; matplotlib chooses its backend itself; what is compiled is kept.

    Some fifty processes import the package: without the files in __pycache__ each compiles it anew.
    """
    env = {**os.environ, "CUTELAB_PROGRESS": "off"}
    env.pop("MPLBACKEND", None)
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return env


def skipped(report: Path) -> Counter[str]:
    """The reasons for which tests were skipped, and how many for each."""
    if not report.exists():
        return Counter()
    found = ElementTree.parse(report).getroot().iter("skipped")
    return Counter(s.get("message") or "no reason given" for s in found if s.get("type") == "pytest.skip")


def how_to_get(reason: str) -> str:
    """What to do about a reason, if that is known."""
    if "Chromium" in reason:
        return "install it (Debian, Ubuntu: apt-get install chromium) or name one with CUTELAB_CHROMIUM=/path/to/it"
    if "Firefox" in reason:
        return "install it (Debian: apt-get install firefox-esr)"
    if GPU in reason:
        return "run this on a machine with one, after: pip install 'cutelab[gpu]'"
    return ""


def main(arguments: list[str]) -> int:
    long = "--long" in arguments
    arguments = [a for a in arguments if a != "--long"]
    strict = os.environ.get("CUTELAB_NOTHING_LEFT_OUT", "") not in ("", "0")
    if strict and not chromium():
        print("CUTELAB_NOTHING_LEFT_OUT is set, and there is no Chromium for the browser tests.")
        return 1
    books = notebooks()
    python = sys.executable
    with tempfile.TemporaryDirectory() as folder:
        reports = [Path(folder, f"{name}.xml") for name in ("report", "browser", "long")]
        pytest = [python, "-m", "pytest", "-q"]
        files = ["-n", "auto", "--dist", "loadfile"]
        pages = ["-n", "2", "--dist", "loadfile"]
        steps = [
            ("ruff check", [python, "-m", "ruff", "check", "."]),
            ("ruff format", [python, "-m", "ruff", "format", "--check", "."]),
            ("mypy", [python, "-m", "mypy"]),
            ("pytest", [*pytest, *files, "--ignore=tests/browser", f"--junitxml={reports[0]}", *arguments]),
            ("browser", [*pytest, *pages, "tests/browser", f"--junitxml={reports[1]}", *arguments]),
        ]
        if long:
            spread = ["-n", "auto", "--dist", "worksteal"]
            steps.append(("long", [*pytest, *spread, "-m", "long", f"--junitxml={reports[2]}", *arguments]))
        if books:
            steps.append(("notebooks", nbval_command(books, *files)))
        lines, failed = [], False
        for name, command in steps:
            print(f"\n=== {name}", flush=True)
            started = time.monotonic()
            code = subprocess.run(command, cwd=ROOT, env=test_environment()).returncode
            passed = code == 0 or (code == 5 and bool(arguments))  # 5: the options leave nothing of this step
            failed |= not passed
            lines.append(f"  {name:12s} {'passed' if passed else 'FAILED'}  {time.monotonic() - started:4.0f} s")
        left_out = sum(map(skipped, reports), Counter())
    print(f"\n=== make test{'-long' if long else ''}: " + ("FAILED" if failed else "passed"))
    print("\n".join(lines))
    if not books:
        print("  notebooks    none yet in notebooks/")
    if arguments:
        print(f"Left out: whatever these options of pytest deselect: {' '.join(arguments)}")
    for reason, count in left_out.items():
        remedy = how_to_get(reason)
        print(f"Left out: {count} test{'s' * (count > 1)}: {reason}" + (f"; {remedy}" if remedy else ""))
        failed |= strict and GPU not in reason and HEADERS not in reason
    if not left_out and not arguments:
        print("Nothing was left out.")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
