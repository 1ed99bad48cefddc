"""One Chromium for all browser tests, one page a notebook."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import lab
import pytest


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    """The browser that the pages are opened in."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright for the browser tests")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=lab.FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def open_cells(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Any]]:
    """`open_cells(*sources, dark=False)` writes a notebook, serves it, runs its first cell and gives the page."""
    with contextlib.ExitStack() as stack:

        def open_page(*cells: str, dark: bool = False, width: int = 1500, height: int = 1000) -> Any:
            folder = tmp_path_factory.mktemp("lab")
            address = stack.enter_context(lab.server(folder, dark))
            lab.write_notebook(folder / "notebooks" / "cells.ipynb", *cells)
            page = browser.new_page(viewport={"width": width, "height": height})
            stack.callback(page.close)
            page.set_default_timeout(20_000)
            page.faults, page.address = [], address
            page.on("pageerror", lambda error: page.faults.append(str(error)))
            lab.open_notebook(page, address, "cells.ipynb")
            lab.run_cell(page, 0)
            page.wait_for_selector(".cutelab-image[data-frame]")
            return page

        yield open_page
