"""`--wheels FOLDER`: a folder with wheels (numpy<2.5, say) to put in front of what is installed, without network.

Import it before anything that is not Python's own: what was imported stays.
"""

from __future__ import annotations

import os
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def use_wheels(folder: Path) -> str:
    """Unpack the wheels of a folder. Returns the place."""
    place = tempfile.mkdtemp(prefix="cutelab-wheels-")
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(place)
    return place


def put_in_front() -> None:
    """Do what `--wheels` on the command line asks for, here and in processes that are started; then this repository's cutelab."""
    if "--wheels" in sys.argv[:-1]:
        folder = Path(sys.argv[sys.argv.index("--wheels") + 1])
        if not folder.is_dir():
            sys.exit(f"--wheels {folder}: no such folder")
        place = use_wheels(folder)
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [place, os.environ.get("PYTHONPATH", "")]))
        sys.path.insert(0, place)
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))


put_in_front()
