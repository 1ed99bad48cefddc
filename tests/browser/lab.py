"""JupyterLab in headless Chromium, for tests: a server of its own on 127.0.0.1, notebooks in a temporary folder."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]

SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "docmanager-extension/plugin": {"autosave": False},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


def write_notebook(path: Path, *cells: str) -> None:
    """A notebook of code cells without outputs."""
    found = [
        {"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "execution_count": None, "outputs": [], "source": c}
        for i, c in enumerate(cells)
    ]
    spec = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    note = {"cells": found, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(note), encoding="utf-8")


@contextlib.contextmanager
def server(folder: Path, dark: bool = False) -> Iterator[str]:
    """A JupyterLab whose files, settings and workspaces live in `folder`; gives its address."""
    names = ("config", "data", "runtime", "settings", "workspaces", "ipython", "notebooks")
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
    theme = {"apputils-extension/themes": {"theme": "JupyterLab Dark"}} if dark else {}
    for plugin, values in {**SETTINGS, **theme}.items():
        file = folder / "settings" / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests" / "lab")]),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    command += [f"--ServerApp.root_dir={folder / 'notebooks'}", "--LabApp.expose_app_in_browser=True"]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(command, env=env, cwd=folder, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/api/status", timeout=2).close()
                break
            assert process.poll() is None, (folder / "server.log").read_text()
            time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()


def open_notebook(page: Any, address: str, name: str) -> None:
    """Open a notebook and wait until its kernel is idle (the kernel's own sign comes too early)."""
    page.goto(f"{address}/lab/tree/{name}?reset")
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    page.wait_for_function(
        "() => document.querySelector('#jp-main-statusbar')?.textContent.includes('| Idle')", timeout=60_000
    )


def open_lab(page: Any, address: str) -> None:
    """Open JupyterLab without a notebook."""
    page.goto(f"{address}/lab?reset")
    page.wait_for_function("() => window.jupyterapp", timeout=60_000)
    page.evaluate("() => window.jupyterapp.restored.then(() => 0)")


def open_here(page: Any, name: str) -> None:
    """Open a notebook in the page that is there."""
    page.evaluate("path => window.jupyterapp.commands.execute('docmanager:open', { path }).then(() => 0)", name)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)


def close_notebook(page: Any) -> None:
    page.evaluate("() => window.jupyterapp.shell.currentWidget.dispose()")
    page.wait_for_function("() => !document.querySelector('.jp-Notebook')")


def idle(page: Any) -> None:
    """Wait until the kernel of the notebook that is open is connected and idle."""
    kernel = "window.jupyterapp.shell.currentWidget.sessionContext?.session?.kernel"
    page.wait_for_function(
        f"() => {kernel}?.connectionStatus === 'connected' && {kernel}.status === 'idle'", timeout=60_000
    )


def end_kernel(page: Any) -> None:
    """Shut down the kernel of the notebook that is open, if it has one."""
    page.evaluate("() => window.jupyterapp.shell.currentWidget?.sessionContext?.shutdown().then(() => 0)")


def reopen(page: Any, name: str) -> None:
    """Close the notebook that is open, and open it again as it was saved; its kernel goes on."""
    close_notebook(page)
    open_here(page, name)


def still(page: Any) -> None:
    """Wait until nothing has been added to an output for half a second."""
    page.wait_for_function(
        """() => { const count = document.querySelectorAll('.jp-OutputArea *').length, now = performance.now();
                   const last = window.cutelabLast;
                   if (last?.count !== count) window.cutelabLast = { count, since: now };
                   return last?.count === count && now - last.since > 500; }""",
        polling=100,
    )


def command(page: Any, name: str) -> None:
    """Execute a JupyterLab command."""
    page.evaluate("name => window.jupyterapp.commands.execute(name)", name)


def run_all(page: Any) -> None:
    """Run all cells, and wait until none of them waits or runs."""
    command(page, "notebook:run-all-cells")
    done = "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].every(p => /\\d/.test(p.textContent))"
    page.wait_for_function(done, timeout=120_000)


def picture(page: Any) -> bytes:
    """The bytes that the <img> shows."""
    script = """async () => {
        const bytes = new Uint8Array(await (await fetch(document.querySelector('.cutelab-image').src)).arrayBuffer());
        return btoa(Array.from(bytes, b => String.fromCharCode(b)).join(''));
    }"""
    return base64.b64decode(page.evaluate(script))


def settle(page: Any, want: bytes, seconds: float) -> float:
    """Wait until the page shows this picture; how long it took."""
    start = time.perf_counter()
    while picture(page) != want:
        assert time.perf_counter() - start < seconds, "the picture did not come"
        time.sleep(0.01)
    return time.perf_counter() - start


def wait_alt(page: Any, part: str) -> None:
    page.wait_for_function("part => document.querySelector('.cutelab-image').alt.includes(part)", arg=part)


def press(page: Any, key: str, times: int, every: float) -> None:
    for _ in range(times):
        start = time.perf_counter()
        page.keyboard.press(key)
        time.sleep(max(0.0, every - (time.perf_counter() - start)))


def run_cell(page: Any, index: int) -> None:
    page.evaluate(
        """i => { const panel = window.jupyterapp.shell.currentWidget;
                  panel.content.activeCellIndex = i; panel.content.mode = 'command'; panel.content.node.focus(); }""",
        index,
    )
    command(page, "notebook:run-cell")


def output(page: Any, index: int) -> str:
    return page.locator(".jp-Cell").nth(index).locator(".jp-OutputArea-output").last.inner_text().strip()


def run_and_wait(page: Any, index: int) -> str:
    """Run a cell that prints; what it printed."""
    prompt = page.locator(".jp-Cell").nth(index).locator(".jp-InputPrompt")
    before = prompt.inner_text()
    run_cell(page, index)
    for _ in range(200):
        if prompt.inner_text() not in (before, "[*]:"):
            return output(page, index)
        page.wait_for_timeout(50)
    raise AssertionError("the cell did not end")


def axe(page: Any) -> list[str]:
    """What axe finds wrong in the outputs."""
    from axe_playwright_python.base import AXE_SCRIPT

    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("async () => (await axe.run('.jp-OutputArea')).violations")
    return [f"{v['id']}: {[n['html'][:120] for n in v['nodes']]}" for v in found]
