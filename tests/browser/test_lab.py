"""The Explorer in real JupyterLab: what a learner sees, hears and presses."""

from __future__ import annotations

import base64
import statistics
import time

import pytest

pytestmark = pytest.mark.browser
sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'cutelab[test]'")
import lab as jupyter  # noqa: E402
from toy import ToyParams, compute, panels, render  # noqa: E402

if jupyter.CHROMIUM is None:
    pytest.skip("needs Chromium: apt install chromium", allow_module_level=True)

CELLS = (
    "from toy import toy\nlab = toy()\nlab",
    "for pitch in range(60):\n    lab.set(pitch=8 + pitch % 30)",
    'lab.set(expression="8 x 8", pitch=8)',
    "import time\nfor i in range(80):\n    lab.set(pitch=8 + i % 8)\n    time.sleep(0.02)\nprint(lab.code())",
    "from ipywidgets.widgets.widget import _instances\nprint(len(_instances))",
)
PITCH = ".cutelab-group [role=slider][aria-label='pitch, elements']"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    with jupyter.server(folder) as address:
        jupyter.write_notebook(folder / "notebooks" / "toy.ipynb", *CELLS)
        yield address


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=jupyter.CHROMIUM, args=jupyter.FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page(browser, address):
    """The toy notebook, first cell run."""
    page = browser.new_page(viewport={"width": 1500, "height": 1000})
    page.set_default_timeout(20_000)
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    jupyter.open_notebook(page, address, "toy.ipynb")
    jupyter.command(page, "notebook:run-cell")
    page.wait_for_selector(".cutelab-image[data-frame]")
    yield page
    assert page.faults == []
    page.close()


def picture(page) -> bytes:
    """The bytes that the <img> shows."""
    script = """async () => {
        const bytes = new Uint8Array(await (await fetch(document.querySelector('.cutelab-image').src)).arrayBuffer());
        return btoa(Array.from(bytes, b => String.fromCharCode(b)).join(''));
    }"""
    return base64.b64decode(page.evaluate(script))


def expected(**params) -> bytes:
    return render(panels(compute(ToyParams(**params))), 1).png


def settle(page, want: bytes, seconds: float) -> float:
    """Wait until the page shows this picture; how long it took."""
    start = time.perf_counter()
    while picture(page) != want:
        assert time.perf_counter() - start < seconds, "the picture did not come"
        time.sleep(0.01)
    return time.perf_counter() - start


def alt(page) -> str:
    return page.locator(".cutelab-image").get_attribute("alt")


def wait_alt(page, part: str) -> None:
    page.wait_for_function("part => document.querySelector('.cutelab-image').alt.includes(part)", arg=part)


def press(page, key: str, times: int, every: float) -> None:
    for _ in range(times):
        start = time.perf_counter()
        page.keyboard.press(key)
        time.sleep(max(0.0, every - (time.perf_counter() - start)))


@pytest.fixture
def fresh(page):
    """The Explorer as it was at first."""
    run_cell(page, 2)
    settle(page, expected(), 10)
    page.wait_for_timeout(900)  # the live region has spoken
    return page


def run_cell(page, index: int) -> None:
    page.evaluate(
        """i => { const panel = window.jupyterapp.shell.currentWidget;
                  panel.content.activeCellIndex = i; panel.content.mode = 'command'; panel.content.node.focus(); }""",
        index,
    )
    jupyter.command(page, "notebook:run-cell")


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
    assert page.evaluate("window.spoken") == [alt(page)]


def test_refused_value_is_told_and_the_picture_stays(fresh):
    page = fresh
    box = page.locator(".cutelab-group input[aria-label=tile]")
    box.fill("8 y 8")
    box.press("Enter")
    page.wait_for_selector(".cutelab-stale")
    told = page.locator(".cutelab-status").inner_text()
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


def test_thirty_keys_settle(fresh):
    page = fresh
    page.locator(PITCH).focus()
    page.keyboard.press("ArrowRight")
    settle(page, expected(pitch=9), 5)
    press(page, "ArrowRight", 30, 1 / 30)
    took = settle(page, expected(pitch=39), 5)
    print(f"\n30 keys at 30 a second: settled {1000 * took:.0f} ms after the last")
    assert took < 0.6  # 0.2 on a quiet machine


def test_key_to_paint(fresh):
    """From key press to the second animation frame after the new picture has come."""
    page = fresh
    page.locator(PITCH).focus()
    page.evaluate("""() => { const image = document.querySelector('.cutelab-image'); let start = 0; window.times = [];
        document.addEventListener('keydown', () => { start = performance.now(); }, true);
        new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(
            () => window.times.push(performance.now() - start)))).observe(image, {attributeFilter: ['data-frame']}); }""")
    for i in range(25):
        page.keyboard.press("ArrowRight")
        page.wait_for_function("count => window.times.length >= count", arg=i + 1)
        page.wait_for_timeout(100)
    times = page.evaluate("window.times")
    median = statistics.median(times)
    print(f"\nkey to paint: median {median:.0f} ms, worst {max(times):.0f} ms of {len(times)}")
    assert len(times) == 25
    assert median < 250  # 100 on a quiet machine


def test_loop_of_sets_on_a_slow_line(fresh):
    page = fresh
    network = page.context.new_cdp_session(page)
    line = {"offline": False, "latency": 150, "downloadThroughput": 250_000, "uploadThroughput": 250_000}
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", line)
    before = int(page.locator(".cutelab-image").get_attribute("data-frame"))
    try:
        start = time.perf_counter()
        run_cell(page, 1)
        settle(page, expected(pitch=8 + 59 % 30), 20)
        took = time.perf_counter() - start
    finally:
        network.send(
            "Network.emulateNetworkConditions", {**line, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        )
    frames = int(page.locator(".cutelab-image").get_attribute("data-frame")) - before
    print(f"\n60 set() at 2 Mbit/s, 150 ms: {took:.2f} s, {frames} frames")
    assert frames <= 5
    assert took < 2


def output(page, index: int) -> str:
    return page.locator(".jp-Cell").nth(index).locator(".jp-OutputArea-output").last.inner_text().strip()


def run_and_wait(page, index: int) -> str:
    """Run a cell that prints; what it printed."""
    prompt = page.locator(".jp-Cell").nth(index).locator(".jp-InputPrompt")
    before = prompt.inner_text()
    run_cell(page, index)
    for _ in range(200):
        if prompt.inner_text() not in (before, "[*]:"):
            return output(page, index)
        page.wait_for_timeout(50)
    raise AssertionError("the cell did not end")


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


def test_reloaded_page_shows_the_present_picture(fresh, address):
    page = fresh
    jupyter.command(page, "docmanager:save")
    page.locator(PITCH).focus()
    page.keyboard.press("ArrowRight")
    settle(page, expected(pitch=9), 5)
    jupyter.open_notebook(page, address, "toy.ipynb")
    page.wait_for_selector(".cutelab-image[data-frame]")
    settle(page, expected(pitch=9), 5)


def test_export_is_a_file(fresh):
    pytest.importorskip("cutelab.draw")
    page = fresh
    page.get_by_role("button", name="SVG").click()
    with page.expect_download() as download:
        page.locator(".cutelab-line a").click()
    assert download.value.suggested_filename == "cutelab-toy.svg"


def axe(page) -> list[str]:
    """What axe finds wrong in the outputs."""
    source = pytest.importorskip("axe_playwright_python.base", reason="needs axe-playwright-python")
    page.evaluate(source.AXE_SCRIPT)
    found = page.evaluate("async () => (await axe.run('.jp-OutputArea')).violations")
    return [f"{v['id']}: {[n['html'][:120] for n in v['nodes']]}" for v in found]


def test_no_barrier_live_in_error_and_reopened(fresh, browser, address):
    page = fresh
    assert axe(page) == []
    box = page.locator(".cutelab-group input[aria-label=tile]")
    box.fill("8 y 8")
    box.press("Enter")
    page.wait_for_selector(".cutelab-stale")
    assert [v for v in axe(page) if "color-contrast" not in v or "cutelab-image" not in v] == []
    jupyter.command(page, "docmanager:save")
    page.wait_for_timeout(1000)
    again = browser.new_page()
    jupyter.open_notebook(again, address, "toy.ipynb")
    again.wait_for_selector(".jp-OutputArea img[alt]")
    assert axe(again) == []
    again.close()
