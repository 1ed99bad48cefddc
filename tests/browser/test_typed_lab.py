"""What a person types in real JupyterLab stays as typed: no slider's old range cuts it."""

from __future__ import annotations

import pytest
from lab import run_cell

from cutelab.course.topics import layout

pytestmark = [pytest.mark.browser, pytest.mark.long]

CELLS = (
    "from cutelab import explore\nlab = explore.layout()\nlab",
    "tile = explore.banks()\ntile",
)
LAYOUTS = ("(64,8)", "(8,64):(64,1)", "(8,8):(65,1)", "(1000000,1000000)", "(200,2)", "(8,8):(-3,100)", "(8,8):(8,1)")
TILES = ("(64,64):(64,1)", "(32,8):(8,1)", "(8,128):(128,1)", "(32,32):(32,1)")


@pytest.fixture(scope="module")
def page(open_cells):
    page = open_cells(*CELLS)
    run_cell(page, 1)
    page.wait_for_function("() => document.querySelectorAll('.cutelab-image[data-frame]').length === 2")
    yield page
    assert page.faults == []


def type_into(page, which: int, text: str):
    box = page.locator(".cutelab-explorer").nth(which).locator("input[placeholder]").first
    box.fill(text)
    box.press("Enter")
    page.wait_for_timeout(1200)  # time for a knob to answer back
    return box.input_value()


def alt(page, which: int) -> str:
    return page.locator(".cutelab-image").nth(which).get_attribute("alt")


@pytest.mark.parametrize("text", LAYOUTS)
def test_a_typed_layout_stays(page, text):
    assert type_into(page, 0, text) == text
    params = layout.Params().change(layout=text)
    assert alt(page, 0).split(".")[0] == layout.panels(layout.compute(params)).alt.split(".")[0]


@pytest.mark.parametrize("text", TILES)
def test_a_typed_tile_stays(page, text):
    assert type_into(page, 1, text) == text
    assert alt(page, 1).startswith(text)
