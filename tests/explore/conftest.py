"""Explorers of the toy scene, with its own renderer."""

import pytest
import toy as toy_module

from cutelab.explore import explorer


@pytest.fixture
def toy(monkeypatch):
    """`toy(...)` makes an Explorer; all are closed afterwards."""
    monkeypatch.setattr(explorer, "render", toy_module.render)
    made = []

    def make(*args, **options):
        made.append(toy_module.toy(*args, **options))
        return made[-1]

    yield make
    for lab in made:
        lab.close()
