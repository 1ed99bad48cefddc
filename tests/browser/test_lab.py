"""The Explorer in real JupyterLab: what a learner sees, hears and presses. With the toy scene, so that only this floor is tried."""

from __future__ import annotations

import lab as jupyter
import pytest
from lab import axe, output, picture, press, run_and_wait, run_cell, settle, wait_alt
from toy import ToyParams, compute, panels, render

pytestmark = pytest.mark.browser

CELLS = (
    "from toy import toy\nlab = toy()\nlab",
    "for pitch in range(60):\n    lab.set(pitch=8 + pitch % 30)",
    'lab.set(expression="8 x 8", pitch=8)',
    "import time\nfor i in range(80):\n    lab.set(pitch=8 + i % 8)\n    time.sleep(0.02)\nprint(lab.code())",
    "from ipywidgets.widgets.widget import _instances\nprint(len(_instances))",
)
PITCH = ".cutelab-group [role=slider][aria-label='pitch, elements']"


@pytest.fixture(scope="module")
def page(open_cells):
    """The toy notebook, first cell run."""
    page = open_cells(*CELLS)
    yield page
    assert page.faults == []


def expected(**params) -> bytes:
    return render(panels(compute(ToyParams(**params))), 1).png


@pytest.fixture
def fresh(page):
    """The Explorer as it was at first."""
    run_cell(page, 2)
    settle(page, expected(), 10)
    page.wait_for_timeout(900)  # the live region has spoken
    return page


def test_slider_by_keyboard_shows_what_python_renders(fresh):
    page = fresh
    page.locator(PITCH).focus()
    for pitch in (9, 10, 11):
        page.keyboard.press("ArrowRight")
        settle(page, expected(pitch=pitch), 5)
    assert page.locator(".cutelab-line").inner_text() == "explore.toy(pitch=11)"


def test_probe_by_mouse_and_by_keyboard(fresh):
    page = fresh
    area = page.locator(".cutelab-probe")
    area.click(position={"x": 60, "y": 60})  # row 1, column 1 of the tile
    wait_alt(page, "Probe (1,1)")
    for key, where in (
        ("ArrowDown", "(2,1)"),
        ("ArrowRight", "(2,2)"),
        ("End", "(2,7)"),
        ("PageDown", "(7,7)"),
        ("Home", "(7,0)"),
    ):
        page.keyboard.press(key)
        assert page.locator(".cutelab-tip").inner_text().startswith(where)  # at once, without the kernel
        wait_alt(page, f"Probe {where}")
    assert page.locator(".cutelab-mark").count() == 2  # in the tile and in the memory strip
    assert settle(page, expected(row=7), 5) < 5
    assert page.locator(".cutelab-status").inner_text() == "(7,0) → offset 56 elements · bank 24"


def test_keys_on_the_picture_leave_the_cells_alone(fresh):
    page = fresh
    before = page.locator(".jp-Cell").count()
    page.locator(".cutelab-probe").focus()
    for key in ("x", "b", "a", "d", "d", "Shift+M", "ArrowUp", "ArrowUp", "z", "0", "0"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert page.locator(".jp-Cell").count() == before
    assert page.evaluate("document.activeElement.className") == "cutelab-probe"


def test_live_region_speaks_once_a_pause(fresh):
    page = fresh
    page.evaluate("""() => { window.spoken = [];
        new MutationObserver(() => window.spoken.push(document.querySelector('.cutelab-live').textContent))
            .observe(document.querySelector('.cutelab-live'), {childList: true, characterData: true, subtree: true}); }""")
    page.locator(PITCH).focus()
    press(page, "ArrowRight", 30, 1 / 30)
    wait_alt(page, "(8,8):(38,1)")
    page.wait_for_timeout(1200)
    assert page.evaluate("window.spoken") == [page.locator(".cutelab-image").get_attribute("alt")]


def test_refused_value_is_told_and_the_picture_stays(fresh):
    page = fresh
    box = page.locator(".cutelab-group input[aria-label=tile]")
    box.fill("8 y 8")
    box.press("Enter")
    page.wait_for_selector(".cutelab-stale")
    told = page.locator(".cutelab-error").inner_text()
    assert page.locator(".cutelab-error").bounding_box()["y"] == page.locator(".cutelab-card").bounding_box()["y"]
    assert told.startswith("✗ tile must be") and told.endswith("The picture still shows the last good parameters.")
    assert picture(page) == expected()
    assert box.input_value() == "8 y 8"  # nothing is reset
    box.fill("8 x 8")
    box.press("Enter")
    page.wait_for_selector(".cutelab-view:not(.cutelab-stale)")


def test_number_box_walks_by_arrow_keys(fresh):
    page = fresh
    page.locator("input[aria-label=row]").focus()
    for row in (1, 2, 3):
        page.keyboard.press("ArrowUp")
        settle(page, expected(row=row), 5)


def test_knobs_work_while_a_cell_sets(fresh):
    """The browser's messages arrive in another thread than the cell's."""
    page = fresh
    run_cell(page, 3)
    page.locator("input[aria-label=row]").focus()
    press(page, "ArrowUp", 5, 0.2)
    page.wait_for_timeout(1500)
    settle(page, expected(pitch=15, row=5), 5)
    assert output(page, 3).startswith("explore.toy(pitch=15")
    assert page.locator(".cutelab-stale").count() == 0


def test_running_the_cell_again_leaks_nothing(fresh):
    page = fresh
    counts = []
    for _ in range(3):
        run_cell(page, 0)
        page.wait_for_timeout(1000)
        counts.append(int(run_and_wait(page, 4)))
    assert counts[0] == counts[1] == counts[2]
    assert page.locator(".cutelab-explorer").count() == 1
    settle(page, expected(), 5)


def test_reloaded_page_shows_the_present_picture(fresh):
    page = fresh
    jupyter.command(page, "docmanager:save")
    page.locator(PITCH).focus()
    page.keyboard.press("ArrowRight")
    settle(page, expected(pitch=9), 5)
    jupyter.open_notebook(page, page.address, page.notebook)
    page.wait_for_selector(".cutelab-image[data-frame]")
    settle(page, expected(pitch=9), 5)


def test_export_is_a_file(fresh):
    page = fresh
    for kind in ("SVG", "HTML"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        assert download.value.suggested_filename == f"cutelab-toy.{kind.lower()}"
    page.locator(PITCH).focus()
    page.keyboard.press("ArrowRight")
    wait_alt(page, "(8,8):(9,1)")
    assert page.locator(".cutelab-line").inner_text() == "explore.toy(pitch=9)"  # the file showed an earlier picture


def test_the_copy_button_says_so(fresh):
    page = fresh
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="CuTe C++").click()
    page.get_by_role("button", name="copy", exact=True).click()
    page.get_by_role("button", name="copied", exact=True).wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == "make_layout(..., 8)"
    page.get_by_role("button", name="cutelab", exact=True).click()


def test_a_group_folds_under_its_heading(fresh):
    page = fresh
    heading = page.get_by_role("button", name="Tile")
    for shown in (False, True):
        heading.focus()
        page.keyboard.press("Enter")
        assert heading.get_attribute("aria-expanded") == str(shown).lower()
        assert page.locator(PITCH).is_visible() == shown


def test_nothing_below_jumps_while_a_control_is_in_use(fresh):
    page = fresh
    box = page.locator("input[aria-label=tile]")
    below = [page.locator(".cutelab-copy").bounding_box()["y"]]
    for tile in ("32 x 4", "4 x 4", "8 x 8"):
        box.fill(tile)
        box.press("Enter")
        wait_alt(page, f"({tile.replace(' x ', ',')}):")
        below.append(page.locator(".cutelab-copy").bounding_box()["y"])
    assert below == sorted(below)


@pytest.mark.long
def test_no_barrier_live_and_reopened(fresh, browser):
    page = fresh
    assert axe(page) == []
    jupyter.command(page, "docmanager:save")
    page.wait_for_timeout(1000)
    again = browser.new_page()
    jupyter.open_notebook(again, page.address, page.notebook)
    again.wait_for_selector(".jp-OutputArea img[alt]")
    assert axe(again) == []
    again.close()


@pytest.mark.long
def test_a_kernel_that_is_gone_is_told_and_nothing_can_be_moved(open_cells):
    page = open_cells(*CELLS[:1])
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.wait_for_selector(".cutelab-explorer.cutelab-gone")
    page.locator(PITCH).click(force=True)
    assert page.evaluate("document.activeElement.closest('.cutelab-controls')") is None
    page.locator(".cutelab-probe").click(position={"x": 60, "y": 60})
    page.wait_for_timeout(300)
    assert axe(page) == []
    assert page.faults == []


@pytest.mark.long
def test_another_day_shows_the_last_picture_and_how_to_wake_it(open_cells, browser):
    """A fully run notebook is trusted, and then JupyterLab prefers a widget whose kernel is gone."""
    page = open_cells(*CELLS[:1])
    page.locator(PITCH).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('.cutelab-image')?.dataset.frame === '2'")
    seen = page.locator(".cutelab-image").get_attribute("alt")
    page.wait_for_function("alt => document.querySelector('.cutelab-kept img')?.alt === alt", arg=seen)
    jupyter.command(page, "docmanager:save")
    page.wait_for_timeout(1500)
    for close_kernel in (False, True):  # a page that is loaded again meets the explorer; another kernel does not
        if close_kernel:
            page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
            page.wait_for_timeout(1000)
        again = browser.new_page()
        jupyter.open_notebook(again, page.address, page.notebook)
        again.wait_for_timeout(1500)
        assert again.locator(".cutelab-explorer").count() == (not close_kernel)
        assert again.locator(".cutelab-kept img[alt]").is_visible() == close_kernel
        assert again.locator(".cutelab-kept img").get_attribute("alt") == seen  # the state that was left, not the first
        assert again.locator(".jp-OutputArea img").filter(visible=True).count() == 1
        words = again.locator(".jp-OutputArea").inner_text()
        assert "Error" not in words and ("Run this cell" in words) == close_kernel
        assert axe(again) == []
        again.close()
