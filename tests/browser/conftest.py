"""One Chromium and one server for all browser tests of a process; a page for the lessons, and one for each notebook of cells."""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lab
import pytest

NUMBERS = itertools.count()  # two notebooks of one name would share a kernel


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    """The browser that the pages are opened in."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright for the browser tests")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=lab.FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[tuple[Path, str]]:
    """A folder that JupyterLab serves, the lessons in it, and the address."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(root / "notebooks", folder / "notebooks")
    with lab.server(folder) as address:
        yield folder, address


@pytest.fixture(scope="module")
def open_cells(
    browser: Any, served: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Any]]:
    """`open_cells(*sources, dark=False)` writes a notebook, runs its first cell and gives the page."""
    with contextlib.ExitStack() as stack:

        def open_page(*cells: str, dark: bool = False, width: int = 1500, height: int = 1000) -> Any:
            folder, address = served
            if dark:
                folder = tmp_path_factory.mktemp("dark")
                address = stack.enter_context(lab.server(folder, dark))
            page = browser.new_page(viewport={"width": width, "height": height})
            stack.callback(page.close)
            page.set_default_timeout(20_000)
            page.faults, page.address, page.notebook = [], address, f"cells_{next(NUMBERS)}.ipynb"
            page.on("pageerror", lambda error: page.faults.append(str(error)))
            lab.write_notebook(folder / "notebooks" / page.notebook, *cells)
            lab.open_notebook(page, address, page.notebook)
            stack.callback(lab.end_kernel, page)
            lab.run_cell(page, 0)
            page.wait_for_selector(".cutelab-image[data-frame]")
            return page

        yield open_page
