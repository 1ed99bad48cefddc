"""Open the course in JupyterLab and say its address: `python tools/lab.py [options of jupyter lab]`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from cutelab.cli.lab import FIRST, lab_command, of_bytes, open_lab, silence_news, working_copies  # noqa: E402

__all__ = ["FIRST", "lab_command", "of_bytes", "working_copies"]
OWN = "my-notebooks"  # where the learner works


def main(extra: list[str]) -> int:
    folder = ROOT / OWN
    if (ROOT / "notebooks").is_dir():
        if folder.exists() and not folder.is_dir():
            print(f"{OWN} is a file; rename it, so that your notebooks can have a folder of that name.")
            return 1
        kept = working_copies(ROOT / "notebooks", folder)
        if kept:
            print(
                f"You have worked in {', '.join(kept)}; the newer lessons lie beside yours in {OWN}/ as NAME.new.ipynb."
            )
    else:
        folder = ROOT
    silence_news()
    return open_lab(folder, extra)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
