"""One step of a slider in JupyterLab, from the key to the paint: `python benchmarks/browser.py`, with a Chromium.

In one session of one browser: `explore.layout` and `explore.banks` at 32 x 32, a bare ipywidgets slider with a label, and
`interact` with a matplotlib figure of the same 1,024 numbers. Counts are exact, times are this machine's: read their ratios.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "browser"), str(ROOT / "tools")]

import lab  # noqa: E402
from test import chromium  # noqa: E402

CELLS = {
    "explore.layout": 'from cutelab import explore\nexplore.layout("(32,32):(32,1)")',
    "explore.banks": "explore.banks()",
    "a bare slider": (
        "import ipywidgets\ns, h = ipywidgets.IntSlider(32, 32, 64), ipywidgets.HTML()\n"
        's.observe(lambda c: setattr(h, "value", str(c["new"])), "value")\nipywidgets.VBox([s, h])'
    ),
    "interact + matplotlib": (
        "import io, numpy as np\nfrom IPython.display import Image, display\nfrom matplotlib.figure import Figure\n"
        "def draw(stride=32):\n    v = np.arange(32)[:, None] * stride + np.arange(32)\n"
        "    f = Figure(figsize=(7.2, 7.8), dpi=200); ax = f.subplots(); ax.imshow(v)\n"
        '    for (r, c), x in np.ndenumerate(v): ax.text(c, r, str(x), ha="center", va="center", fontsize=5)\n'
        '    b = io.BytesIO(); f.savefig(b, format="png"); display(Image(b.getvalue(), width=720))\n'
        "ipywidgets.interact(draw, stride=(32, 64));"
    ),
}
WATCH = {  # slider and what shows the step, inside the cell
    "explore.layout": ("[aria-label='stride 0, elements'][role=slider]", ".cutelab-image", "data-frame"),
    "explore.banks": ("[aria-label^='pitch'][role=slider]", ".cutelab-image", "data-frame"),
    "a bare slider": ("[role=slider]", ".widget-html", ""),
    "interact + matplotlib": ("[role=slider]", ".widget-output", ""),
}
COUNT = """([cell, target, attribute]) => {
    const node = document.querySelectorAll('.jp-Cell')[cell].querySelector(target);
    window.times = []; window.watching?.disconnect(); document.removeEventListener('keydown', window.onKey, true);
    let start = 0; window.onKey = () => { start = performance.now(); };
    document.addEventListener('keydown', window.onKey, true);
    const what = attribute ? { attributeFilter: [attribute] } : { childList: true, subtree: true, characterData: true };
    window.watching = new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(
        () => window.times.push(performance.now() - start))));
    window.watching.observe(node, what);
}"""


def measure(page: Any, frames: list[Any], name: str, steps: int) -> float:
    cell = list(CELLS).index(name)
    slider, target, attribute = WATCH[name]
    page.evaluate(COUNT, [cell, target, attribute])
    page.locator(".jp-Cell").nth(cell).locator(slider).first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(1500)
    page.evaluate("window.times = []")
    frames.clear()
    for i in range(steps):
        page.keyboard.press("ArrowRight")
        page.wait_for_function("n => window.times.length >= n", arg=i + 1, timeout=60_000)
        page.wait_for_timeout(150)
    page.wait_for_timeout(500)
    median = statistics.median(page.evaluate("window.times"))
    size = sum(map(len, frames)) / steps / 1000
    print(f"{name:22} {median:6.0f} ms  {size:6.1f} KB  {len(frames) / steps:4.1f} messages", flush=True)
    return median


def main() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, lab.server(Path(folder)) as address, sync_playwright() as started:
        lab.write_notebook(Path(folder) / "notebooks" / "steps.ipynb", *CELLS.values())
        browser = started.chromium.launch(executable_path=chromium(), args=lab.FLAGS)
        page = browser.new_page(viewport={"width": 1500, "height": 1000})
        frames: list[Any] = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(frame)))
        lab.open_notebook(page, address, "steps.ipynb")
        lab.run_all(page)
        page.wait_for_selector(".cutelab-image[data-frame]", timeout=60_000)
        page.wait_for_timeout(2000)
        found = {name: measure(page, frames, name, 6 if "matplotlib" in name else 25) for name in CELLS}
        browser.close()
    for name in list(CELLS)[:2]:
        bare, figure = found["a bare slider"], found["interact + matplotlib"]
        print(f"{name}: {found[name] / bare:.1f} times a bare slider, 1/{figure / found[name]:.0f} of interact")


if __name__ == "__main__":
    main()
