"""Laws of the Explorer: one door, the last good picture stays, any thread, nothing left behind."""

import base64
import re
import threading

import pytest
from ipywidgets.widgets.widget import _instances
from toy import ToyParams, compute, panels, render

from cutelab.core.errors import CuteLabError
from cutelab.course.lab import cells, explorer


def expected(**params):
    """What Python renders for these parameters, without any Explorer."""
    return render(panels(compute(ToyParams(**params))), 1).png


def test_set_is_compute_then_draw(toy):
    lab = toy()
    for pitch in (8, 9, 33, 40):
        lab.set(pitch=pitch, row=2)
        assert lab.params == ToyParams(pitch=pitch, row=2)
        assert lab.image == expected(pitch=pitch, row=2)
        assert lab.error is None
    assert lab.code() == "explore.toy(pitch=40, row=2)"


@pytest.mark.parametrize(
    "bad, words",
    [
        ({"expression": "9y"}, "rows x columns"),
        ({"expression": ""}, "rows x columns"),
        ({"pitch": 100}, "from 8 to 40, got 100"),
        ({"pitch": "wide"}, "whole number"),
        ({"speed": 3}, "no parameter 'speed'"),
        ({"colour": "pink"}, "one of bank, offset"),
    ],
)
def test_bad_value_keeps_the_last_good_picture(toy, bad, words):
    lab = toy(pitch=9)
    before = lab.params, lab.result, lab.picture, lab.image
    with pytest.raises(CuteLabError, match=words):
        lab.set(**bad)
    assert words in lab.error
    assert lab._view.error == lab.error
    assert (lab.params, lab.result, lab.picture, lab.image) == before
    lab.set(pitch=9)  # the same value again: good, so the message goes
    assert lab.error is None


def test_fault_in_the_scene_is_shown_and_kept(toy, caplog):
    lab = toy(colour="column")
    with pytest.raises(RuntimeError):
        lab.set(pitch=13)
    lab._controls.widget("pitch").value = 13  # as the browser would: nobody catches it, nothing breaks
    assert lab.error == "RuntimeError: a fault in the scene"
    assert "a control failed" in caplog.text
    assert lab.params.pitch == 8
    lab._controls.widget("pitch").value = 14
    assert (lab.error, lab.params.pitch) == (None, 14)


def test_fault_in_drawing_keeps_the_last_good_picture(toy, monkeypatch):
    lab = toy()

    def broken(picture, scale):
        raise RuntimeError("no ink")

    with monkeypatch.context() as patch:
        patch.setattr(explorer, "render", broken)
        with pytest.raises(RuntimeError):
            lab.set(pitch=9)
    assert (lab.error, lab.params.pitch) == ("RuntimeError: no ink", 8)


def test_error_is_one_line_in_a_notebook():
    assert CuteLabError("no")._render_traceback_() == ["CuteLabError: no"]


def test_threads_end_on_the_last_picture(toy):
    lab = toy()
    rounds = [threading.Thread(target=lambda k=k: [lab.set(pitch=8 + (k + i) % 5) for i in range(40)]) for k in (0, 2)]
    for thread in rounds:
        thread.start()
    for thread in rounds:
        thread.join(30)
    acknowledge(lab)
    assert lab.image == expected(pitch=lab.params.pitch) == lab._view.png
    assert lab._controls.widget("pitch").value == lab.params.pitch


def acknowledge(lab):
    """As a browser that has decoded everything."""
    for _ in range(3):
        lab._view._receive(lab._view, {"shown": lab._view.frame}, [])


def test_loop_sends_few_frames_and_then_the_newest(toy, monkeypatch):
    lab, sent = toy(), []
    monkeypatch.setattr(lab._view, "_send", lambda message, buffers=None: sent.append(message))
    for i in range(60):
        lab.set(pitch=8 + i % 5)
    assert len(sent) <= 3
    acknowledge(lab)
    frames = [m["state"] for m in sent if "frame" in m.get("state", {})]
    assert len(frames) <= 3
    assert lab._view.png == expected(pitch=8 + 59 % 5)
    acknowledge(lab)
    assert len(frames) <= 3  # nothing more to say


def test_one_message_a_frame(toy, monkeypatch):
    lab, sent = toy(), []
    monkeypatch.setattr(lab._view, "_send", lambda message, buffers=None: sent.append(message))
    lab.set(pitch=20)
    assert len(sent) == 1
    assert {"frame", "alt"} <= set(sent[0]["state"])


def test_lost_browser_does_not_hold_the_picture(toy, monkeypatch):
    lab = toy()
    for pitch in (9, 10, 11):
        lab.set(pitch=pitch)
    frame = lab._view.frame
    lab._view._sent_at -= 6
    lab.set(pitch=12)
    assert lab._view.frame == frame + 1


def test_image_is_rendered_on_demand(toy):
    lab = toy()
    for pitch in range(9, 13):  # no browser: the view holds an early frame
        lab.set(pitch=pitch)
    assert lab._view.png != lab.image == expected(pitch=12)


def test_probe_moves_and_is_answered(toy, monkeypatch):
    lab, answers = toy(), []
    monkeypatch.setattr(lab._view, "send", lambda content, buffers=None: answers.append(content))
    lab._view._receive(lab._view, {"probe": 19}, [])
    assert (lab.params.row, lab.params.column) == (2, 3)
    assert answers == [{"probed": 19}]
    assert lab._view.cell == 19


def test_a_picture_that_a_person_asked_for_is_sent_at_once(toy, monkeypatch):
    """Its browser sends the next value only after this answer: nothing to acknowledge, nothing that waits."""
    lab = toy()
    for pitch in range(9, 14):
        lab._controls.widget("pitch").value = pitch
        assert (lab._view.png, lab._view.asks) == (expected(pitch=pitch), False)
    lab.set(pitch=20)
    assert (lab._view.png, lab._view.asks) == (expected(pitch=20), True)


def test_outputs_are_the_widget_and_what_is_kept_of_it(toy):
    lab = toy(scale=2)
    live, kept = lab.outputs()
    assert live["text/plain"] == lab.code() and lab.picture.alt not in str(live)
    assert live["application/vnd.jupyter.widget-view+json"]["model_id"] == lab._box.model_id
    assert "cutelab-alive" in lab._box._dom_classes
    assert set(kept) == {"text/html", "text/plain", "image/png"}
    assert kept["text/plain"] == lab.picture.alt
    assert lab.picture.alt in kept["text/html"] and "Run this cell" in kept["text/html"]
    png = re.search('base64,([^"]*)', kept["text/html"])[1]
    assert base64.b64decode(png) == expected() and kept["image/png"] == png  # at scale 1
    lab.close()
    assert [set(bundle) for bundle in lab.outputs()] == [{"text/html", "text/plain", "image/png"}]


def test_a_picture_at_rest_is_the_one_that_is_kept(toy, monkeypatch):
    """In each cell that shows the explorer, once; what was refused changes nothing."""
    renewed = []
    monkeypatch.setattr(explorer, "show", lambda bundles: lambda kept: renewed.append((len(bundles), kept)))
    lab = toy()
    for cell in ("a", "b", "a"):
        monkeypatch.setattr(cells, "current", lambda cell=cell: (cell, "run"))
        lab._ipython_display_()
    for changes, expected_pitch in (({"pitch": 9}, 9), ({"pitch": 100}, 9), ({"pitch": 12}, 12)):
        renewed.clear()
        lab._turn(**changes)
        lab._view._receive(lab._view, {"rest": lab._view.frame}, [])
        assert len(renewed) == 2
        for count, kept in renewed:
            assert count == 2 and kept == lab.outputs()[-1]
            assert base64.b64decode(kept["image/png"]) == expected(pitch=expected_pitch)


def test_running_a_cell_again_closes_what_it_showed(toy, monkeypatch):
    def shown_by(lab, cell, run):
        monkeypatch.setattr(cells, "current", lambda: (cell, run))
        cells.shown(lab)

    first, second, other = toy(), toy(), toy()
    shown_by(first, "a", 1)
    shown_by(second, "a", 1)  # two in one cell
    shown_by(second, "b", 2)
    shown_by(other, "a", 3)
    assert (first._closed, second._closed, other._closed) == (True, False, False)
    shown_by(other, "a", 4)  # shows itself again
    assert not other._closed


def test_close_leaves_no_comm_behind(toy):
    before = set(_instances)
    lab = toy()
    lab.set(expression="4 x 16", pitch=33, strip=False)
    lab.set(strip=True)
    acknowledge(lab)
    lab.close()
    lab.close()
    assert set(_instances) == before
    lab.set(pitch=40)  # still a value
    assert lab.image == expected(expression="4 x 16", pitch=40)


def test_html_view_shows_the_same(toy):
    lab = toy(view="html")
    lab.set(pitch=33)
    html = lab._view.value
    assert base64.b64encode(lab.image).decode() in html
    assert lab.picture.alt in html
    with pytest.raises(CuteLabError):
        lab.set(expression="<b>")
    assert "&lt;b&gt;" in lab._view.value and "last good parameters" in lab._view.value
    lab.set(pitch=34)
    assert "last good" not in lab._view.value


@pytest.mark.parametrize("options", [{"scale": 0}, {"scale": "big"}, {"view": "canvas"}])
def test_bad_option(toy, options):
    with pytest.raises(CuteLabError):
        toy(**options)
