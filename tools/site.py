"""The course as a static site that runs Python in the browser: `python tools/site.py FOLDER`, with the packages of `pip install .[site]`.

Options behind FOLDER go on to `jupyter lite build`; `--pyodide FILE.tar.bz2` serves Pyodide, NumPy and matplotlib with the site.
The wheel, the notebooks and the widgets' pages go in; NumPy and matplotlib come from where the Pyodide kernel takes them.
Each notebook gets one cell in front, which installs the wheel in the browser.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEEDS = (
    "jupyterlite_core",
    "jupyterlite_pyodide_kernel",
    "jupyter_server",
    "jupyterlab_widgets",
    "anywidget",
    "hatchling",
)
INSTALL = {
    "cell_type": "code",
    "id": "install-in-the-browser",
    "metadata": {},
    "execution_count": None,
    "outputs": [],
    "source": ["%pip install -q cutelab"],
}


def contents(folder: Path) -> Path:
    """The notebooks and their glossary as the site shows them, written to this folder."""
    folder.mkdir(parents=True)
    for path in sorted((ROOT / "notebooks").iterdir()):
        if path.suffix == ".md":
            (folder / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        elif path.suffix == ".ipynb":
            notebook = json.loads(path.read_text(encoding="utf-8"))
            notebook["cells"].insert(0, INSTALL)
            notebook["metadata"]["kernelspec"] = {"display_name": "Python", "language": "python", "name": "python"}
            (folder / path.name).write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")
    return folder


def main(arguments: list[str]) -> int:
    missing = [name.replace("_", "-") for name in NEEDS if find_spec(name) is None]
    if missing:
        print(f"The site needs {', '.join(missing)}: pip install '.[site]'", file=sys.stderr)
        return 2
    folder = Path(arguments[0] if arguments else ROOT / "build" / "site").resolve()
    with tempfile.TemporaryDirectory() as place:
        wheels, pages = Path(place, "wheel"), contents(Path(place, "contents"))
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", wheels], cwd=ROOT, check=True)
        (wheel,) = wheels.glob("*.whl")
        build = [sys.executable, "-m", "jupyterlite_core", "build", "--output-dir", str(folder)]
        build += ["--contents", str(pages), "--piplite-wheels", str(wheel), *arguments[1:]]
        return subprocess.run(build, cwd=place).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
