"""The picture as plain HTML: the fallback where anywidget cannot load. No probe, no flow control."""

from __future__ import annotations

import base64
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

STYLE = Path(__file__).with_name("explore.css").read_text(encoding="utf-8")


def image_tag(png: bytes, alt: str) -> str:
    """An `<img>` that carries its picture and its words."""
    data = base64.b64encode(png).decode("ascii")
    return f'<img class="cutelab-image" alt="{escape(alt)}" src="data:image/png;base64,{data}">'


class HtmlView(widgets.HTML):
    """Same door as PictureView: `show(make)`, and `error`."""

    def __init__(self) -> None:
        super().__init__()
        self._state: dict[str, Any] = {}

    def show(self, make: Callable[[], dict[str, Any]]) -> None:
        self._state = make()
        self._write()

    @property
    def error(self) -> str:
        return self._state.get("error", "")

    @error.setter
    def error(self, text: str) -> None:
        self._state["error"] = text
        self._write()

    def _write(self) -> None:
        state, error = self._state, escape(self.error)
        if error:
            line = f'<b>✗ </b>{error}\n<span class="cutelab-muted">The picture still shows the last good parameters.</span>'
        else:
            line = escape(state["status"])
        status = f'<div class="cutelab-status" role="status">{line}</div>' if line else ""
        stale = " cutelab-stale" if error else ""
        image = image_tag(state["png"], state["alt"])
        self.value = f'<style>{STYLE}</style><div class="cutelab-view{stale}"><div class="cutelab-card">{image}</div>{status}</div>'
