"""Do the lessons run in a browser alone? `python benchmarks/lite.py SITE [LESSON ...]`, SITE being a folder that tools/site.py built.

Serves the folder on this computer, opens each lesson in Chromium, runs all its cells, and compares each printed text with the one that
the notebook stores. The site takes Pyodide, NumPy and matplotlib from where its kernel says: from the network, or from the site itself if
it was built with --pyodide. Prints a line for each lesson: cells run, seconds, errors, and texts that differ.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]
KERNEL_SECONDS, LESSON_SECONDS = 8, 180
NEEDS_NUMBA = ("01_gpu", "14_kernel")  # the cells that compile a kernel: no browser has Numba
CELLS = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells].filter(c => c.type === 'code').map(c => {
    const outputs = c.outputs.toJSON(), text = o => Array.isArray(o.text) ? o.text.join('') : o.text;
    return {count: c.executionCount, source: c.sharedModel.source,
            printed: outputs.filter(o => o.output_type === 'stream').map(text).join(''),
            errors: outputs.filter(o => o.output_type === 'error').map(o => o.ename + ': ' + o.evalue)}})"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files without a line in the terminal for each."""

    def log_message(self, *_: Any) -> None: ...


def stored(lesson: str) -> list[str]:
    """What each code cell prints, as the notebook stores it."""
    cells = json.loads((ROOT / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [cell["outputs"] for cell in cells if cell["cell_type"] == "code"]
    return ["".join("".join(o["text"]) for o in out if o["output_type"] == "stream") for out in outputs]


def run(page: Page, address: str, lesson: str) -> tuple[str, bool]:
    """What happened, and was all well?"""
    page.goto(f"{address}/lab/index.html?path={lesson}.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=1000 * LESSON_SECONDS)
    page.wait_for_timeout(1000 * KERNEL_SECONDS)  # idle is shown before the kernel is there
    begin = time.monotonic()
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")
    errors: list[str] = []
    cells: list[dict[str, Any]] = []
    while time.monotonic() - begin < LESSON_SECONDS:
        page.wait_for_timeout(2000)
        cells = page.evaluate(CELLS)
        errors = [said[:200] for cell in cells for said in cell["errors"]]
        if errors or all(cell["count"] for cell in cells if cell["source"].strip()):
            break
    ran = sum(bool(cell["count"]) for cell in cells)
    pairs = zip(stored(lesson), cells[1:], strict=True)  # the first cell of the site's copy installs the wheel
    other = [cell["printed"][:80] for text, cell in pairs if cell["count"] and cell["printed"] != text]
    said = f"{lesson}: {ran} of {len(cells)} cells in {time.monotonic() - begin:.0f} s"
    said += f"; errors: {errors}" * bool(errors) + f"; printed otherwise: {other}" * bool(other)
    return said, not errors and not other and ran == len(cells)


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("site", type=Path)
    reader.add_argument("lessons", nargs="*")
    given = reader.parse_args()
    settings = given.site / "jupyter-lite.json"
    config = json.loads(settings.read_text(encoding="utf-8"))
    config["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(config, indent=2), encoding="utf-8")
    every = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    handler = functools.partial(Quiet, directory=str(given.site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    failed = False
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for lesson in given.lessons or every:
            page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
            said, fine = run(page, f"http://127.0.0.1:{server.server_port}", lesson)
            failed |= not fine and lesson not in NEEDS_NUMBA
            print(said, flush=True)
            page.context.close()
        browser.close()
    server.shutdown()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
