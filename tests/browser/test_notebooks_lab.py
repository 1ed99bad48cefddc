"""The lessons in real JupyterLab: all cells run, every explorer shows its picture, no barrier, live and reopened."""

from __future__ import annotations

import lab
import pytest

from cutelab.course.card import paint as draw
from cutelab.course.topics import layout

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture(scope="module")
def page(browser, served):
    """JupyterLab, in which one lesson after the other is opened."""
    page = browser.new_page(viewport={"width": 1500, "height": 1000})
    page.set_default_timeout(30_000)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    lab.open_lab(page, served[1])
    yield page
    page.close()


UNANSWERED = (
    "Error: Canceled future for create_subshell_request"  # JupyterLab's, of a kernel that ends before it replied
)
NAMES = sorted(path.name for path in (lab.ROOT / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_runs_and_has_no_barrier(page, name):
    page.faults.clear()
    lab.open_here(page, name)
    try:
        lab.idle(page)
        runs_and_has_no_barrier(page, name)
        found = list(page.faults)  # what a page says while its kernel is ended is no fault of the lesson
    finally:
        lab.end_kernel(page)
        lab.close_notebook(page)
    assert [fault for fault in found if not fault.startswith(UNANSWERED)] == []


def runs_and_has_no_barrier(page, name):
    lab.run_all(page)
    drawn = "explore." in (lab.ROOT / "notebooks" / name).read_text(encoding="utf-8")
    page.wait_for_selector(".cutelab-image[data-frame]" if drawn else ".jp-OutputArea-output")
    lab.still(page)
    assert page.locator(".jp-OutputArea [data-mime-type='application/vnd.jupyter.error']").count() == 0
    page.wait_for_function(  # the page names its sliders after it has built them
        """() => document.querySelectorAll('.cutelab-explorer').length
                   === document.querySelectorAll('.cutelab-image[data-frame]').length
                 && [...document.querySelectorAll('.cutelab-explorer [role=slider]')].every(s => s.getAttribute('aria-label'))"""
    )
    assert lab.axe(page) == []
    if name == "02_layout.ipynb":
        move_a_slider(page)
    lab.command(page, "docmanager:save")
    lab.reopen(page, name)
    page.wait_for_selector(".jp-OutputArea img[alt]" if drawn else ".jp-OutputArea-output")
    lab.still(page)
    assert lab.axe(page) == []


def move_a_slider(page):
    """By keyboard; the picture in the page is the one that Python renders for those parameters."""
    page.locator("[role=slider][aria-label='stride 0, elements']").first.focus()
    page.keyboard.press("ArrowRight")
    params = layout.Params().change(layout="(8,8):(9,1)", warp=False)
    lab.settle(page, draw.render(layout.panels(layout.compute(params)), 2).png, 5)
