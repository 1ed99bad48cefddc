"""Laws of the knobs: each works at both ends, follows `set`, and survives when others come and go."""

import pytest
from toy import ToyParams

from cutelab import explore
from cutelab.course.card.knobs import Control
from cutelab.course.lab.controls import build, close_widget, update


def ends(control):
    if control.kind in ("slider", "index"):
        return (control.lo, control.hi)
    if control.kind == "text":
        return ("1 x 1", "32 x 32")
    return (False, True) if control.kind == "check" else (control.choices[0], control.choices[-1])


@pytest.mark.parametrize("name", [n for n in ToyParams.names() if n != "chip"])
def test_each_knob_turns_its_parameter_at_both_ends(toy, name):
    for end in (0, 1):
        lab = toy("8 x 8", row=3, pitch=20)
        control = next(c for c in lab.params.controls() if c.name == name)
        value = ends(control)[end]
        lab._controls.widget(name).value = value
        if lab.error:  # a tile of 32 columns does not fit into a pitch of 20: a refusal in words is an answer too
            assert "must be" in lab.error
        else:
            assert getattr(lab.params, name) == value


def test_knobs_follow_set(toy):
    lab = toy()
    lab.set(pitch=33, bytes=16, vector=4, colour="row", row=7)
    for control in lab.params.controls():
        assert lab._controls.widget(control.name).value == getattr(lab.params, control.name), control.name


def test_what_was_typed_stays_while_it_says_the_value():
    lab = explore.layout()
    box = lab._controls.widget("layout")
    for deferred in (False, True):  # a picture that the browser asks for later brings the box in step later
        if not deferred:
            lab._view._shown = 1 << 30
        for text in ("(64,8)", " ( 4, 2 ) ", "(8,8):(8,1)"):
            box.value = text
            assert (box.value, lab.error) == (text, None)
            lab._frame()
            assert box.value == text
            lab.set(row=1)
            lab._frame()
            assert box.value == text, "another knob leaves the words alone"
    box.value = "(64,8)"
    lab.set(layout="(2,2):(2,1)")
    lab._frame()
    assert box.value == "(2,2):(2,1)", "another value comes in its own words"
    box.value = "(64,"
    assert lab.error and box.value == "(64,"
    lab.set(row=1)
    lab._frame()
    assert box.value == "(2,2):(2,1)", "what was refused never names a value"


def test_limits_follow_without_clamping(toy):
    lab = toy("4 x 4", pitch=8, row=3)
    seen = []
    lab._controls.widget("row").observe(lambda change: seen.append(change["new"]), "value")
    lab._view._shown = 1 << 30
    lab.set(expression="32 x 16", pitch=16)
    assert (lab._controls.widget("row").max, lab._controls.widget("pitch").min) == (31, 16)
    lab.set(row=31)
    lab.set(expression="2 x 2", pitch=8)
    assert lab._controls.widget("row").max == 1
    assert lab.error is None
    assert seen == [0, 31, 0]  # the values that were set, and none on the way


def test_syncing_back_does_not_turn_knobs(toy):
    lab, turned = toy(), []
    plain = lab._turn
    lab._view._shown = 1 << 30
    lab._controls._change = lambda **changes: turned.append(changes) or plain(**changes)
    lab._controls.widget("expression").value = "16 x 16"  # pitch 8 is refused
    assert "pitch must be from 16" in lab.error
    lab._controls.widget("pitch").value = 30
    assert len(turned) == 2


def test_a_knob_that_goes_leaves_the_others_alone(toy):
    lab = toy()
    lab._view._shown = 1 << 30
    pitch, vector = lab._controls.widget("pitch"), lab._controls.widget("vector")
    group = lab._controls._groups["Access"]
    lab._controls.widget("strip").value = False
    assert vector.comm is None and vector not in group.children
    assert lab._controls.widget("pitch") is pitch
    assert lab._controls._groups["Access"] is group
    lab._controls.widget("strip").value = True
    assert [c.description for c in group.children[1:]] == ["bytes", "vector", "colour", "memory strip"]


def test_fixes_apply_themselves(toy):
    lab = toy()
    lab._view._shown = 1 << 30
    (fix,) = lab._controls._buttons
    assert fix.description == "pitch 33  1 wavefront\n+32 words (3 %)"
    fix.click()
    assert lab.params.pitch == 33
    assert "✓ in use" in fix.description


def test_copy_lines(toy):
    lab = toy()
    assert list(lab._view.copies) == ["cutelab", "CuTe C++", "print", "link"]
    assert lab._view.files == ["SVG", "PNG", "HTML"]
    lab.set(pitch=9)
    assert lab._view.copies["CuTe C++"] == "make_layout(..., 9)"
    assert lab._view.copies["link"] == lab.link() == "cutelab:toy(pitch=9)"


def test_names_carry_the_unit(toy):
    names = toy()._controls.names()
    assert names["pitch"] == ["pitch, elements", "from row to row"]
    assert names["row"] == ["row", ""]


@pytest.mark.parametrize("first", [(0, 3, 1), (5, 9, 7), (-4, -1, -2), (0, 0, 0)])
@pytest.mark.parametrize("then", [(0, 3, 2), (10, 20, 15), (-9, -5, -7), (0, 100, 0)])
@pytest.mark.parametrize("kind", ["slider", "index"])
def test_any_range_follows_any_range(kind, first, then):
    def control(lo, hi, value):
        return Control("n", kind, value, "Tile", "n", lo=lo, hi=hi)

    knob = build(control(*first))
    update(knob, control(*then))
    assert (knob.min, knob.max, knob.value) == then
    close_widget(knob)


def test_a_slider_keeps_its_step():
    control = Control("stride", "slider", 4, "Access", "stride", lo=0, hi=128, step=4)
    knob = build(control)
    assert knob.step == 4
    update(knob, Control("stride", "slider", 2, "Access", "stride", lo=0, hi=64, step=2))
    assert (knob.step, knob.value, knob.max) == (2, 2, 64)
    close_widget(knob)
