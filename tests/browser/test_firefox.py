"""A lesson in a stock Firefox: all cells run, every picture sharp, a slider by keyboard, a click on the picture, a prediction."""

from __future__ import annotations

import shutil

import bidi
import lab
import pytest

pytestmark = [pytest.mark.firefox, pytest.mark.long]

NOTEBOOK = "02_layout.ipynb"
LEFT, RIGHT, ENTER = "\ue012", "\ue014", "\ue007"
ALT = "document.querySelector('.cutelab-image').alt"


@pytest.fixture(scope="module")
def page(tmp_path_factory, root, firefox):
    """The lesson in JupyterLab, with all its cells run."""
    folder = tmp_path_factory.mktemp("firefox")
    shutil.copytree(root / "notebooks", folder / "notebooks")
    with lab.server(folder) as address, bidi.page(firefox, folder / "profile") as page:
        page.size(1500, 1000)
        page.go(f"{address}/lab/tree/{NOTEBOOK}?reset")
        kernel = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
        page.wait(f"{kernel}?.connectionStatus === 'connected' && {kernel}.status === 'idle'")
        page.ask("(window.faults = [], addEventListener('error', e => faults.push(e.message)), 0)")
        page.ask("jupyterapp.commands.execute('notebook:run-all-cells').then(() => 0)")
        page.wait("!!document.querySelector('.cutelab-image[data-frame]')")
        yield page


def focus(page, css):
    """Bring the first such element into sight and give it the keyboard."""
    page.wait(f"(e => e && (e.scrollIntoView({{block: 'center'}}), e.focus(), true))(document.querySelector({css!r}))")


def test_every_cell_ran_and_every_explorer_is_drawn_sharp(page):
    assert page.ask("document.querySelectorAll(\"[data-mime-type='application/vnd.jupyter.error']\").length") == 0
    explorers = page.ask("document.querySelectorAll('.cutelab-explorer').length")
    assert explorers > 0
    page.wait(f"document.querySelectorAll('.cutelab-image[data-frame]').length === {explorers}")
    images = "[...document.querySelectorAll('.cutelab-image')]"
    page.wait(f"{images}.every(i => i.complete && i.naturalWidth >= 2 * i.clientWidth - 2)")


def test_a_slider_moves_by_keyboard(page):
    focus(page, "[role=slider][aria-label='stride 0, elements']")
    assert "(8,8):(8,1)" in page.ask(ALT)
    page.press(RIGHT)
    page.wait(f"{ALT}.includes('(8,8):(9,1)')")
    page.press(LEFT)
    page.wait(f"{ALT}.includes('(8,8):(8,1)')")


def test_a_click_on_the_picture_picks_a_cell(page):
    focus(page, ".cutelab-image")
    before = page.ask(ALT)
    x, y, wide, high = page.ask(
        "(r => [r.x, r.y, r.width, r.height])(document.querySelector('.cutelab-image').getBoundingClientRect())"
    )
    page.click(x + 0.06 * wide, y + 0.4 * high)  # in the first column of the matrix
    assert "Probe (2,3)" in before
    page.wait(f"/Probe \\(\\d,0\\)/.test({ALT})", 20)


def test_a_prediction_is_locked_in_with_enter(page):
    focus(page, ".cutelab-alive:not(.cutelab-explorer) .widget-text input")
    page.press("1", "9", ENTER)
    page.wait("document.body.innerText.includes('Locked in')", 20)


def test_nothing_was_thrown(page):
    assert page.ask("window.faults") == []
