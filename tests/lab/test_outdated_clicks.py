"""A click on an earlier picture is passed over and answered; a scale is a whole number."""

import pytest

from cutelab import explore
from cutelab.core.errors import CuteLabError


def test_click_on_an_outdated_picture(monkeypatch):
    lab = explore.layout("(32,32):(32,1)")
    lab.set(layout="(8,8):(8,1)")
    before, sent = lab.params, []
    monkeypatch.setattr(lab._view, "send", sent.append)
    lab._view._receive(lab._view, {"probe": 1000}, [])
    assert sent == [{"probed": 1000}] and lab.params == before and lab.error is None
    lab._view._receive(lab._view, {"probe": 5}, [])
    assert sent[1:] == [{"probed": 5}] and lab.params != before


@pytest.mark.parametrize("scale", [2.0, True, "2", 5])
def test_scale_is_a_whole_number(scale):
    with pytest.raises(CuteLabError, match="scale must be 1, 2, 3 or 4"):
        explore.layout(scale=scale)
