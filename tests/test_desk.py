"""Pictures in one call, the gallery, the gate for other people's CI, the lock file, and work where a browser runs Python."""

from __future__ import annotations

import html
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
import zipfile

import pytest
from packaging.requirements import Requirement

import cutelab

PICTURED = {
    "((4,2),(2,4)):((2,16),(1,8))": "((4,2),(2,4)):((2,16),(1,8)), ",
    "Sw<3,0,3> o 0 o (8,8):(8,1)": "Sw<3,0,3> o 0 o (8,8):(8,1), ",
    "Sw<3,0,3>": "Sw<3,0,3>",
    "SM80_16x8x8_F32F16F16F32_TN": "SM80_16x8x8_F32F16F16F32_TN",
    "PitchLinearStripminedThreadMap<PitchLinearShape<16,8>, 32, 1>": "PitchLinearStripminedThreadMap",
    "make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})": "Copy",
    "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{})": "TiledMMA, 32 threads",
}
"""A text, and what the words of its picture hold."""


@pytest.mark.parametrize("text", PICTURED)
def test_a_picture_is_one_call(tmp_path, text):
    assert b"<svg" in cutelab.picture(text).save(tmp_path / "x.svg").read_bytes()[:400]
    value = cutelab.read(text)
    assert cutelab.picture(value).picture.alt == cutelab.picture(text).picture.alt


@pytest.mark.parametrize("text", PICTURED)
def test_a_notebook_shows_a_value_as_its_picture(text):
    """And a prompt shows its text: there nobody asks for HTML."""
    from IPython.core.formatters import DisplayFormatter

    value, formatter = cutelab.read(text), DisplayFormatter()
    shown, _ = formatter.format(value)
    assert set(shown) == {"text/html", "text/plain"} and shown["text/plain"] == repr(value)
    alt = re.search('<img [^>]*alt="([^"]*)"', shown["text/html"])[1]
    assert PICTURED[text] in html.unescape(alt)
    formatter.active_types = ["text/plain"]
    assert set(formatter.format(value)[0]) == {"text/plain"}


def test_a_picture_that_fails_leaves_the_text(monkeypatch):
    from IPython.core.formatters import DisplayFormatter

    def broken() -> object:
        raise RuntimeError("no painter")

    monkeypatch.setattr("cutelab.core.display.find_painter", broken)
    assert set(DisplayFormatter().format(cutelab.Layout(4))[0]) == {"text/plain"}


def test_what_has_no_picture_is_said():
    with pytest.raises(
        cutelab.CuteLabError, match="there is no picture of a CoordTensor; there are pictures of layouts"
    ):
        cutelab.picture("ArithTuple(0,0) o (4,5):(1@0,1@1)")


def test_the_gallery_has_every_topic_and_small_files(root, tools):
    folder = root / "docs" / "gallery"
    topics = set(cutelab.explore.__all__) - {"Explorer", "picture", "view", "trace"}
    assert (
        {path.stem for path in folder.glob("*.svg")} == topics == {v.partition("(")[0] for v in tools("gallery").VIEWS}
    )
    assert max(path.stat().st_size for path in folder.glob("*.svg")) < 120_000
    page = (folder / "README.md").read_text(encoding="utf-8")
    for view in tools("gallery").VIEWS:
        assert f"\n{cutelab.explore.view(view).code()}\n" in page


def test_the_gate_holds_and_shuts(root, tmp_path):
    text = (root / "docs" / "gate" / "test_tile.py").read_text()
    assert len(text.splitlines()) <= 10
    for swizzle, passes in (("Sw<5,0,5> o 0 o ", True), ("", False)):
        space: dict = {}
        exec(text.replace("Sw<5,0,5> o 0 o ", swizzle), space)
        if passes:
            space["test_a_warp_reads_any_column_without_conflicts"]()
        else:
            with pytest.raises(AssertionError, match="wavefronts"):
                space["test_a_warp_reads_any_column_without_conflicts"]()


def needed(root) -> list[Requirement]:
    """What the course needs: the project's own lines, its lab, and what the notebooks are checked with."""
    meta = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = meta["optional-dependencies"]
    return [Requirement(n) for n in meta["dependencies"] + extras["lab"] + [n for n in extras["test"] if "nbval" in n]]


def locked(root) -> dict[str, str]:
    lines = (root / "course.lock").read_text().splitlines()
    return dict(line.split(" ;")[0].split("==") for line in lines if not line.startswith("#"))


def test_the_lock_pins_all_that_pyproject_needs(root):
    pins = locked(root)
    for need in needed(root):
        assert need.name in pins and need.specifier.contains(pins[need.name]), str(need)


def test_the_lock_is_closed_and_names_no_host(root):
    pins = locked(root)
    assert "//" not in (root / "course.lock").read_text() and len(pins) > 50
    for name in pins:
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for need in map(Requirement, needs):
            if need.marker is None:
                assert re.sub(r"[-_.]+", "-", need.name).lower() in pins, f"{name} needs {need}"


def test_the_lock_is_what_is_used(root):
    assert (root / "Makefile").read_text().count("-c course.lock -e '.[lab]'") == 1
    assert "      - --constraint ../course.lock\n" in (root / "binder" / "environment.yml").read_text()


def test_the_workflow_runs_the_commands_of_the_readme(root):
    text = (root / ".github" / "workflows" / "test.yml").read_text()
    for word in (
        "ubuntu-latest",
        "macos-latest",
        "windows-latest",
        '"3.11"',
        '"3.13"',
        '"3.x"',
        "make lab",
        "make test",
    ):
        assert word in text, word


HIDDEN = (
    "numba",
    "anywidget",
    "typer",
    "zlib_ng",
    "isal",
    "multiprocessing",
    "_multiprocessing",
    "ssl",
    "_ssl",
    "sqlite3",
    "lzma",
    "resource",
    "termios",
    "readline",
    "curses",
    "tkinter",
)
ALONE = f"""
import sys, threading
for name in {HIDDEN}:
    sys.modules[name] = None
def start(self):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start
import types
sys.modules["fcntl"] = types.ModuleType("fcntl")  # there, and hollow
import subprocess
def popen(*_, **__):
    raise OSError(138, "emscripten does not support processes.")
subprocess.Popen.__init__ = popen
import cutelab, cutelab.lessons
from cutelab import explore
for text in ("(8,8):(8,1)", "Sw<3,0,3>", "SM80_16x8x8_F32F16F16F32_TN"):
    assert len(cutelab.picture(text).image) > 1000
names = sorted(set(explore.__all__) - {{"Explorer", "picture", "trace", "view"}})
assert len(names) > 13, names
for name in names:
    lab = getattr(explore, name)(view="html")
    lab._controls
    assert len(lab.image) > 1000 and lab.figure() is not None, name
for answer in (12, 32):
    said = repr(cutelab.lessons.check("start.1", answer))
assert "right" in said and '"done"' in open("progress.json").read(), said
cutelab.lessons.progress()
repr(cutelab.lessons.ready())
print("drawn")
"""


@pytest.mark.long
def test_it_imports_and_draws_without_what_a_browser_lacks(root, tmp_path):
    env = {"PYTHONPATH": str(root), "MPLCONFIGDIR": str(tmp_path), "PATH": "", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ALONE], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "drawn\n"), done.stderr[-2000:]


@pytest.mark.long
def test_the_site_holds_the_lessons_the_wheel_and_the_widgets(root, tools, tmp_path):
    assert tools("site").main([str(tmp_path / "out")]) == 0
    files = tmp_path / "out" / "files"
    assert {path.name for path in files.iterdir()} == {
        path.name for path in (root / "notebooks").iterdir() if path.suffix in (".md", ".ipynb")
    }
    for path in files.glob("*.ipynb"):
        first, *rest = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert first["source"] == ["%pip install -q cutelab"]
        assert rest == json.loads((root / "notebooks" / path.name).read_text(encoding="utf-8"))["cells"]
    said = json.loads((tmp_path / "out" / "jupyter-lite.json").read_text(encoding="utf-8"))["jupyter-config-data"]
    shown = {one["name"] for one in said["federated_extensions"]}
    assert {"anywidget", "@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension"} <= shown
    wheels = json.loads((tmp_path / "out" / "pypi" / "all.json").read_text(encoding="utf-8"))["cutelab"]["releases"]
    ((wheel,),) = wheels.values()
    with zipfile.ZipFile(tmp_path / "out" / "pypi" / wheel["filename"]) as packed:
        assert "cutelab/explore.py" in packed.namelist()
        (about,) = [name for name in packed.namelist() if name.endswith("/METADATA")]
        lines = packed.read(about).decode().splitlines()
    needs = [Requirement(line.partition(" ")[2]) for line in lines if line.startswith("Requires-Dist:")]
    browser = {"sys_platform": "emscripten", "extra": ""}
    assert {one.name for one in needs if one.marker is None or one.marker.evaluate(browser)} == {
        "numpy",
        "matplotlib",
        "pillow",
        "ipywidgets",
        "anywidget",
    }


def test_a_site_without_its_packages_says_what_to_install(tools, tmp_path, capsys, monkeypatch):
    site = tools("site")
    monkeypatch.setattr(site, "NEEDS", ("jupyterlite_core", "not_here"))
    assert site.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == "The site needs not-here: pip install '.[site]'\n"
