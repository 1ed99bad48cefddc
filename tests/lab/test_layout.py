"""`explore.layout` with the real scene and the real drawing: every knob at both ends, and what people type."""

import base64
import json
import re

import pytest

from cutelab import explore
from cutelab.core.errors import CuteLabError
from cutelab.course.card import paint as draw
from cutelab.course.topics import layout as scene

EXPRESSIONS = (
    "(8,8):(8,1)",
    "(32,32):(32,1)",
    "((4,2),(2,4)):((2,16),(1,8))",
    "Sw<3,0,3> o 0 o (8,8):(8,1)",
    "12:1",
    "7:-1",
)

UNREADABLE = (
    *("", " ", "(", "(8,8", "(4x,8)", "(0,8):(8,1)", "(-2,8):(8,1)", "(8,8):(8,1,1)", "eight"),
    *("(" * 40 + "1" + ")" * 40, "Sw<9,9,1> o 0 o (8,8):(8,1)", "1.5:1", "8:1:1", "__import__('os')"),
)


def expected(params):
    return draw.render(scene.panels(scene.compute(params)), 2).png


@pytest.mark.long
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_knob_at_both_ends(expression):
    names = [control.name for control in scene.Params().change(layout=expression).controls()]
    for name in names:
        for end in (0, -1):
            lab = explore.layout(expression)
            control = next(c for c in lab.params.controls() if c.name == name)
            value = (control.choices or (control.lo, control.hi))[end] if control.kind != "text" else "4:1"
            lab._controls.widget(name).value = value
            assert lab.error is None, (name, value, lab.error)
            turned = next(c for c in lab.params.controls() if c.name == name)
            assert turned.value == value
            assert lab.image == expected(lab.params)
            lab.close()


@pytest.mark.parametrize("typed", UNREADABLE)
def test_what_cannot_be_read_is_told(typed):
    lab = explore.layout()
    image = lab.image
    lab._controls.widget("layout").value = typed
    assert lab.error and "Error" not in lab.error.split(":")[0]
    assert lab._view.error == lab.error
    assert (lab.image, lab.params) == (image, scene.Params())
    assert lab._controls.widget("layout").value == typed
    with pytest.raises(CuteLabError):
        lab.set(layout=typed)
    lab.close()


@pytest.mark.parametrize(
    "typed", ["(1000000,1000000000):(1,1000000)", "(4,8):(-8,1)", "(8,8)", "_4", "(_4,_2):(_2,_1)"]
)
def test_what_is_unusual_is_answered(typed):
    lab = explore.layout(typed)
    assert lab.error is None
    assert lab.image[:4] == b"\x89PNG"
    assert lab.picture.alt
    lab.close()


def test_the_line_rebuilds_the_view():
    lab = explore.layout("((4,2),8):((8,32),1)", colour="bank", row=5)
    again = eval(lab.code(), {"explore": explore})  # our own line, not typed text
    assert again.params == lab.params
    lab.close()
    again.close()


def test_unknown_parameter_is_told():
    with pytest.raises(CuteLabError, match="no parameter 'pitch'"):
        explore.layout(pitch=3)


def test_files_for_the_browser_and_for_the_disk(tmp_path, monkeypatch):
    lab, answers = explore.layout(), []
    monkeypatch.setattr(lab._view, "send", lambda content, buffers=None: answers.append((content, buffers[0])))
    for kind, start in (("SVG", b"<?xml"), ("PNG", b"\x89PNG"), ("HTML", b"<!DOCTYPE html>")):
        lab._view._receive(lab._view, {"file": kind}, [])
        content, data = answers.pop()
        assert content == {"file": kind, "name": f"cutelab-layout.{kind.lower()}"}
        assert data.startswith(start)
        assert lab.save(tmp_path / f"view.{kind.lower()}").read_bytes() == data
    lab._view._receive(lab._view, {"file": "exe"}, [])
    assert not answers and "exe" in lab.error
    for path, words in (("view.txt", ".html"), ("no/such/view.svg", "cannot be written")):
        with pytest.raises(CuteLabError, match=words):
            lab.save(tmp_path / path)
    lab.figure().savefig(tmp_path / "figure.pdf")
    assert (tmp_path / "figure.pdf").stat().st_size > 1000
    lab.close()


def test_a_page_of_its_own_holds_all_that_it_shows():
    lab = explore.layout("(8,8):(9,1)", row=4)
    page = lab._content("html").decode()
    state = json.loads(re.search(r"^const state = (.*);$", page, re.M)[1])
    assert base64.b64decode(state["png"]["bytes"]) == lab.image
    assert state["alt"] == lab.picture.alt and state["copies"]["cutelab"] == lab.code()
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page
    lab.close()


@pytest.mark.parametrize("name", [n for n in explore.__all__ if n not in ("Explorer", "picture", "view")])
def test_a_link_opens_the_same_view(name):
    lab = getattr(explore, name)()
    again = explore.view(lab.link())
    assert (again.code(), again.image) == (lab.code(), lab.image)
    assert len(lab.link()) < 300


@pytest.mark.parametrize(
    "text",
    ["", "cutelab:", "layout", "layuot()", "__import__('os')", "layout(__import__('os'))", "layout(1+1)", "layout(**{})",
     "Explorer()", "view('layout()')", "banks.__doc__", "layout('(8,8)', 3)", "(" * 5000, 3],
)  # fmt: skip
def test_what_is_no_link_is_told(text):
    with pytest.raises(CuteLabError) as told:
        explore.view(text)
    assert len(str(told.value)) <= 300
