"""Do the lessons run in a browser alone? `python benchmarks/lite.py SITE [LESSON ...]`, SITE being a folder that tools/site.py built.

Serves the folder on this computer, opens each lesson in Chromium, runs all its cells, and compares each printed text with the one that
the notebook stores. The site takes Pyodide, NumPy and matplotlib from where its kernel says: from the network, or from the site itself if
it was built with --pyodide. Prints a line for each lesson: cells run, seconds, errors, texts that differ, and a slider's step.
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
KERNEL_SECONDS, LESSON_SECONDS = 60, 180
NEEDS_NUMBA = ("01_gpu", "14_kernel")  # the cells that compile a kernel: no browser has Numba
CELLS = """() => [...window.jupyterapp.shell.currentWidget.content.model.cells].filter(c => c.type === 'code').map(c => ({
    count: c.executionCount, source: c.sharedModel.source, outputs: c.outputs.toJSON()}))"""
STEP = "() => document.querySelector('.cutelab-image')?.alt"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files without a line in the terminal for each."""

    def log_message(self, *_: Any) -> None: ...


def printed(cell: dict[str, Any]) -> str:
    texts = [o.get("text", "") for o in cell["outputs"] if o["output_type"] == "stream"]
    return "".join(text if isinstance(text, str) else "".join(text) for text in texts)


def stored(lesson: str) -> list[str]:
    cells = json.loads((ROOT / "notebooks" / f"{lesson}.ipynb").read_text(encoding="utf-8"))["cells"]
    return [printed(cell) for cell in cells if cell["cell_type"] == "code"]


def run(page: Page, address: str, lesson: str) -> tuple[str, bool]:
    """What happened, and was all well?"""
    page.goto(f"{address}/lab/index.html?path={lesson}.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=1000 * LESSON_SECONDS)
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=1000 * KERNEL_SECONDS)
    begin = time.monotonic()
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells') }")
    errors: list[str] = []
    cells: list[dict[str, Any]] = []
    while time.monotonic() - begin < LESSON_SECONDS:
        page.wait_for_timeout(1000)
        cells = page.evaluate(CELLS)
        errors = [
            f"{o['ename']}: {o['evalue']}"[:200] for c in cells for o in c["outputs"] if o["output_type"] == "error"
        ]
        if errors or all(cell["count"] for cell in cells if cell["source"].strip()):
            break
    ran = sum(bool(cell["count"]) for cell in cells)
    pairs = zip(stored(lesson), cells[1:], strict=True)  # the first cell of the site's copy installs the wheel
    other = [printed(cell)[:80] for text, cell in pairs if cell["count"] and printed(cell) != text]
    said = f"{lesson}: {ran} of {len(cells)} cells in {time.monotonic() - begin:.0f} s"
    said += f"; errors: {errors}" * bool(errors) + f"; printed otherwise: {other}" * bool(other)
    return said + step(page), not errors and not other and ran == len(cells)


def step(page: Page) -> str:
    """How long from a key on a slider to the new picture's words?"""
    handle = page.query_selector(".jp-OutputArea .noUi-handle")
    if handle is None:
        return ""
    handle.focus()
    times = []
    for key in ("ArrowRight", "ArrowLeft") * 3:
        before, begin = page.evaluate(STEP), time.monotonic()
        page.keyboard.press(key)
        while page.evaluate(STEP) == before and time.monotonic() - begin < 3:
            time.sleep(0.005)
        times.append(time.monotonic() - begin)
    return f"; a slider's step {1000 * sorted(times)[len(times) // 2]:.0f} ms"


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
