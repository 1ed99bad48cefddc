"""The picture as plain HTML: what a notebook keeps beside the live widget, a page of its own, and a view without anywidget."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

import ipywidgets as widgets

STYLE = Path(__file__).with_name("explore.css").read_text(encoding="utf-8")
SCRIPT = Path(__file__).with_name("picture.js").read_text(encoding="utf-8")
WIDGET = "application/vnd.jupyter.widget-view+json"

_TURNS = """<style>
.jp-OutputArea-child:has(.cutelab-alive) + .jp-OutputArea-child:has(.cutelab-kept),
.jp-OutputArea-child:not(:has(.cutelab-alive)):has(+ .jp-OutputArea-child .cutelab-kept) { display: none; }
.cutelab-wake { margin: 8px 0 4px; font-size: 13px; line-height: 20px; color: var(--jp-ui-font-color2, #56616e); }
[data-jp-theme-light="false"] .cutelab-last { filter: brightness(0.93); }
</style>"""
"""The live widget and what is kept of it are neighbours, and one of them is seen. A notebook that is opened on another
day has no live widget, only JupyterLab's word that the model is gone: this hides it. Whoever strips styles (a notebook
that is not trusted, GitHub) shows no live widget either."""


def image_tag(png: bytes, alt: str, name: str = "cutelab-image", style: str = "") -> str:
    """An `<img>` that carries its picture and its words."""
    data = base64.b64encode(png).decode("ascii")
    look = f' style="{style}"' if style else ""
    return f'<img class="{name}"{look} alt="{escape(alt)}" src="data:image/png;base64,{data}">'


def live_and_kept(
    box: widgets.Widget | None, name: str, text: str, html: str, wake: str, png: bytes = b""
) -> tuple[dict[str, Any], ...]:
    """Which two outputs show a widget now and its last state on another day?

    box    the widget (None: it is closed, and only the second is given); name: one line for it in plain text
    text   what is kept, in words; html: the same for a page; png: and as an image, for viewers that strip HTML
    wake   one line that says how to get the live widget back
    """
    kept: dict[str, Any] = {"text/plain": text}
    line = f'<p class="cutelab-wake">{escape(wake)}</p>' if wake else ""
    kept["text/html"] = f'{_TURNS}<div class="cutelab-kept">{line}{html}</div>'
    if png:
        kept["image/png"] = base64.b64encode(png).decode("ascii")
    if box is None:
        return (kept,)
    box.add_class("cutelab-alive")
    view = {"version_major": 2, "version_minor": 0, "model_id": box.model_id}
    return {WIDGET: view, "text/html": "<span></span>", "text/plain": name}, kept


def show(bundles: tuple[dict[str, Any], ...]) -> Callable[[dict[str, Any]], None]:
    """Give these outputs to the running cell. Returns what puts another output in the place of the last one, also after the
    cell has ended: so what a notebook keeps for another day follows what was done with the live widget."""
    from IPython import display

    put: Any = display.display
    name = uuid4().hex
    for bundle in bundles[:-1]:
        put(bundle, raw=True)
    put(bundles[-1], raw=True, display_id=name)
    return lambda bundle: put(bundle, raw=True, display_id=name, update=True)


def page(title: str, state: dict[str, Any]) -> str:
    """A page of its own that shows one frame of the picture view, with its tips, and needs no Python.

    The view's own script draws it; in place of the kernel stands the frame.
    """
    packed = {k: {"bytes": base64.b64encode(v).decode()} if isinstance(v, bytes) else v for k, v in state.items()}
    data = json.dumps(packed).replace("<", "\\u003c")
    script = SCRIPT.replace("export default { render };", "")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
body {{ max-width: 720px; margin: 24px auto; padding: 0 16px; font: 14px/20px system-ui, sans-serif; }}
{STYLE}
</style>
</head>
<body>
<main class="cutelab-explorer"></main>
<script type="module">
{script}
const state = {data};
for (const [key, value] of Object.entries(state)) {{
  if (value?.bytes !== undefined) state[key] = Uint8Array.from(atob(value.bytes), (c) => c.charCodeAt(0));
}}
const model = {{ get: (key) => state[key], on() {{}}, off() {{}}, send() {{}} }};
render({{ model, el: document.querySelector("main") }});
</script>
</body>
</html>
"""


STALE = "The picture still shows the last good parameters."  # stands below an error; picture.js says the same


class HtmlView(widgets.HTML):  # type: ignore[misc]  # ipywidgets has no types
    """Same door as PictureView: `show(make)`, and `error`. No probe, no flow control."""

    def __init__(self) -> None:
        super().__init__()
        self._state: dict[str, Any] = {}

    def show(self, make: Callable[[], dict[str, Any]], answer: bool = False) -> None:
        self._state = make()
        self._write()

    @property
    def error(self) -> str:
        return str(self._state.get("error", ""))

    @error.setter
    def error(self, text: str) -> None:
        self._state["error"] = text
        self._write()

    def _write(self) -> None:
        state, error = self._state, escape(self.error)
        told = (
            f'<div class="cutelab-error" role="status"><b>✗ </b>{error}\n'
            f'<span class="cutelab-muted">{STALE}</span></div>'
            if error
            else ""
        )
        stale = " cutelab-stale" if error else ""
        line = escape(state["status"])
        status = f'<div class="cutelab-status" role="status">{line}</div>' if line else ""
        copies = "".join(
            f"<details><summary>{escape(name)}</summary>"
            f'<pre class="cutelab-line" tabindex="0" data-lm-suppress-shortcuts="true">{escape(text)}</pre></details>'
            for name, text in state["copies"].items()
        )
        image = image_tag(state["png"], state["alt"])
        self.value = (
            f'<style>{STYLE}</style><div class="cutelab-view{stale}"><div class="cutelab-stage">'
            f'<div class="cutelab-card">{image}</div>{told}</div>{status}{copies}</div>'
        )
