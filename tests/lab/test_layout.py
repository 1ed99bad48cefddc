"""`explore.layout` with the real scene and the real drawing: every knob at both ends, and what people type."""

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


def test_export_links(tmp_path):
    lab = explore.layout()
    for kind, start in (("SVG", "data:image/svg+xml;base64,"), ("PNG", "data:image/png;base64,")):
        lab._copy.value = kind
        assert start in lab._line.value and f'download="cutelab-layout.{kind.lower()}"' in lab._line.value
    lab.set(row=3)
    assert lab._copy.value == next(iter(lab.picture.copies))  # the file would show an earlier picture
    lab.figure().savefig(tmp_path / "figure.pdf")
    assert (tmp_path / "figure.pdf").stat().st_size > 1000
    lab.close()
