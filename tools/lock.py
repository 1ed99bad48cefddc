"""Pin what the course runs with: `make lock` writes course.lock from the packages that are installed here."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent


def pinned(needs: list[str]) -> dict[str, str]:
    """Name -> installed version of everything that these requirements bring on this machine."""
    todo = [(Requirement(need), "") for need in needs]
    done: set[tuple[str, str]] = set()
    found: dict[str, str] = {}
    while todo:
        need, extra = todo.pop()
        if need.marker is not None and not need.marker.evaluate({"extra": extra}):
            continue
        name = re.sub(r"[-_.]+", "-", need.name).lower()
        found[name] = importlib.metadata.version(name)
        for asked in {"", *need.extras}:
            if (name, asked) not in done:
                done.add((name, asked))
                todo += [(Requirement(line), asked) for line in importlib.metadata.requires(name) or []]
    return dict(sorted(found.items()))


def main() -> int:
    meta = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = meta["optional-dependencies"]
    pins = pinned(meta["dependencies"] + extras["lab"] + [need for need in extras["test"] if need.startswith("nbval")])
    lines = [
        "# What the course was last run with; `make lock` renews it. Used as constraints by `make lab` and Binder.",
        f"# Python {platform.python_version()}, {platform.system()}",
        *(f"{name}=={version}" for name, version in pins.items()),
    ]
    (ROOT / "course.lock").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
