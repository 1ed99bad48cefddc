"""Which Explorer does a notebook cell show? Running the cell again closes the one that it showed before."""

from __future__ import annotations

from typing import Any

_showing: dict[str, tuple[str, list[Any]]] = {}
"""Notebook cell -> the run that filled it, and the Explorers that it shows."""


def current() -> tuple[str, str] | None:
    """The notebook cell that runs now and the id of this run; None outside a notebook that tells."""
    try:
        from IPython import get_ipython

        parent = get_ipython().get_parent()
        return parent["metadata"]["cellId"], parent["header"]["msg_id"]
    except (ImportError, AttributeError, KeyError, TypeError):
        return None


def shown(explorer: Any) -> None:
    """Note that the running cell shows this Explorer. Those of the cell's earlier runs are closed, unless shown elsewhere."""
    now = current()
    if now is None:
        return
    cell, run = now
    before, explorers = _showing.get(cell, (run, []))
    if before == run:
        _showing[cell] = (run, [*explorers, explorer])
        return
    _showing[cell] = (run, [explorer])
    alive = [id(other) for _, others in _showing.values() for other in others]
    for old in explorers:
        if id(old) not in alive:
            old.close()
