import pytest

from cutelab.course.lab import exam as exam_view
from cutelab.course.lab import predicting as predict_view
from cutelab.course.lab import store


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """Each test works in an empty folder, with progress on, as a kernel that has just started."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CUTELAB_PROGRESS", raising=False)
    monkeypatch.setattr(store, "_stores", {})
    monkeypatch.setattr(exam_view, "_views", {})
    return tmp_path


@pytest.fixture
def restart(monkeypatch):
    """Forget all that a kernel holds in memory."""

    def again():
        monkeypatch.setattr(store, "_stores", {})
        monkeypatch.setattr(predict_view, "_shown", {})
        monkeypatch.setattr(exam_view, "_views", {})

    return again
