"""Explorers of the toy scene, with its own renderer."""

import pytest
import toy as toy_module

from cutelab.course.lab import explorer


@pytest.fixture
def toy(monkeypatch):
    """`toy(...)` makes an Explorer; all are closed afterwards."""
    monkeypatch.setattr(explorer, "render", toy_module.render)
    made = []

    def make(*args, **options):
        lab = toy_module.toy(*args, **options)
        made.append(lab)
        if hasattr(lab._view, "_receive"):  # a browser has shown the first picture
            lab._view._receive(lab._view, {"shown": lab._view.frame}, [])
        return lab

    yield make
    for lab in made:
        lab.close()
