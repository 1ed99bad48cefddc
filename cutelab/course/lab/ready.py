"""`ready`: is this machine ready for the course?"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version

from cutelab.course.lab.reply import Card

NEEDED = ("numpy", "matplotlib", "ipywidgets", "anywidget")
WELCOME = {"jupyterlab": "the lab itself", "numba": "the kernels of the last lessons"}


def ready() -> Card:
    """Is this machine ready? Python, the packages, one picture drawn, and what the kernels will run on.

    >>> ready().state
    'good'
    """
    found = {name: found_version(name) for name in (*NEEDED, *WELCOME)}
    missing = [name for name in NEEDED if found[name] is None]
    lines = [f"Python {sys.version.split()[0]}, " + ", ".join(f"{n} {v}" for n, v in found.items() if v)]
    if missing:
        fix = "pip install " + " ".join(missing)
        return Card(
            "bad", "✗", f"Not ready: {', '.join(missing)} is missing. Run {fix} and restart the kernel.", tuple(lines)
        )
    lines.append(draw_one())
    lines += [f"{name} is not installed: {what} will not run." for name, what in WELCOME.items() if found[name] is None]
    gpu = shutil.which("nvidia-smi") and importlib.util.find_spec("numba_cuda")
    lines.append(
        "Kernels run on the GPU." if gpu else "No GPU is used: kernels run in Numba's simulator. That is enough."
    )
    return Card("good", "✓", "Ready: everything that the course needs is here.", tuple(lines))


def found_version(name: str) -> str | None:
    """The installed version of a package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def draw_one() -> str:
    """Draw one picture and say how large it is."""
    from cutelab.course.card.paint import render
    from cutelab.course.topics.layout import Params, compute, panels

    png = render(panels(compute(Params()))).png
    return f"One picture drawn: {len(png) // 1000} KB."
