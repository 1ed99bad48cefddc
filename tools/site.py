"""The course as a static site that runs Python in the browser: `python tools/site.py FOLDER`. Needs jupyterlite-core and its Pyodide kernel.

The wheel and the notebooks go in; NumPy and matplotlib come from where the Pyodide kernel takes them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDS = ("jupyterlite_core", "jupyterlite_pyodide_kernel", "hatchling")


def command(wheel: Path, folder: Path) -> list[str]:
    """The line that builds the site."""
    build = [sys.executable, "-m", "jupyterlite_core", "build", "--output-dir", str(folder.resolve())]
    return [*build, "--contents", str(ROOT / "notebooks"), "--piplite-wheels", str(wheel)]


def main(arguments: list[str]) -> int:
    missing = [name.replace("_", "-") for name in NEEDS if find_spec(name) is None]
    if missing:
        print(f"The site needs {', '.join(missing)}: pip install {' '.join(missing)}", file=sys.stderr)
        return 2
    folder = Path(arguments[0]) if arguments else ROOT / "build" / "site"
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", place], cwd=ROOT, check=True)
        (wheel,) = Path(place).glob("*.whl")
        return subprocess.run(command(wheel, folder), cwd=place).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
