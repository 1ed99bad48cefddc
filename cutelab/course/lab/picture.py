"""The picture in the browser: one small widget that shows a PNG, outlines cells and hands back the probed cell."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from cutelab.course.card.picture import Picture

WINDOW = 2
"""So many frames may be on their way to the browser; a newer one waits, and replaces one that waits already."""

BURST = 0.03
"""Changes that follow each other so fast (seconds) come from a loop: then one frame on its way is enough."""

PATIENCE = 5.0
"""After so many seconds without an acknowledgement the browser counts as gone, and the next frame is sent anyway."""

Make = Callable[[], dict[str, Any]]


class PictureView(anywidget.AnyWidget):
    """A viewer: what it shows is decided elsewhere, and only the kernel writes its traits.

    The browser sends five messages: `{shown: frame}` after it has decoded a picture that asks for it, `{probe: cell}`
    when a cell is chosen, `{file: kind}`, `{copy: name}`, and `{rest: frame}` when a picture has stood for a while. `probe` is called
    with the cell, `file` with the kind, `copy` with the name, `rest` with nothing, and `fail` with an exception of a frame that was
    made late.

    A frame that answers the browser (a slider, a probe) asks for no acknowledgement: the browser sends its next value
    only when the answer to the last has come. A frame that code has caused does ask, so that a loop does not outrun it.
    """

    _esm = Path(__file__).with_name("picture.js")
    _css = Path(__file__).with_name("explore.css")

    png = traitlets.Bytes(b"").tag(sync=True)
    alt = traitlets.Unicode("").tag(sync=True)
    width = traitlets.Int(720, help="CSS pixels").tag(sync=True)
    height = traitlets.Int(0, help="CSS pixels").tag(sync=True)
    grids: Any = traitlets.List(help="a grid: x and y, start and end of each column and row, as fractions").tag(
        sync=True
    )
    ids = traitlets.Bytes(b"", help="packed: the probe cell of each cell, grid after grid").tag(sync=True)
    tip = traitlets.Dict(help="text: a template with {0}, {1}, ...; columns: how many").tag(sync=True)
    tips = traitlets.Bytes(b"", help="packed: the tips' columns, one after the other").tag(sync=True)
    cell = traitlets.Int(-1, help="the probe cell that the picture rings").tag(sync=True)
    status = traitlets.Unicode("").tag(sync=True)
    error = traitlets.Unicode("", help="why the last change was refused").tag(sync=True)
    names = traitlets.Dict(help="label of a control -> [accessible name, hint]").tag(sync=True)
    copies = traitlets.Dict(help="name -> text, for Copy as; None: a long one, asked for when it is chosen").tag(
        sync=True
    )
    files = traitlets.List(traitlets.Unicode(), help="kinds of files that the kernel makes").tag(sync=True)
    asks = traitlets.Bool(False, help="is this frame to be acknowledged?").tag(sync=True)
    frame = traitlets.Int(0, help="counts the pictures that were sent").tag(sync=True)

    def __init__(
        self,
        probe: Callable[[int], None] = lambda cell: None,
        file: Callable[[str], tuple[str, bytes]] = lambda kind: ("", b""),
        copy: Callable[[str], str] = lambda name: "",
        rest: Callable[[], None] = lambda: None,
        fail: Callable[[Exception], None] | None = None,
        lock: threading.RLock | None = None,
    ) -> None:
        super().__init__()
        self._lock = lock or threading.RLock()
        self._probe, self._file, self._copy, self._rest, self._fail = probe, file, copy, rest, fail
        self._waiting: Make | None = None
        self._shown = 0
        self._sent_at = self._asked_at = time.monotonic()
        self.on_msg(self._receive)

    def show(self, make: Make, answer: bool = False) -> None:
        """Show what `make()` returns, a dict of traits: now, or as soon as the browser keeps up. The newest wins.

        answer: the browser has asked for it, and waits for it.
        """
        with self._lock:
            self._waiting = make
            if answer:
                self._send_frame(asks=False)
                self._shown = self.frame
            else:
                self._pump(1 if time.monotonic() - self._asked_at < BURST else WINDOW)
                self._asked_at = time.monotonic()

    def _pump(self, window: int = WINDOW) -> None:
        late = time.monotonic() - self._sent_at > PATIENCE
        if self.frame - self._shown < window or late:
            self._send_frame(asks=True)

    def _send_frame(self, asks: bool) -> None:
        if self._waiting is None or self.comm is None:
            return
        make, self._waiting = self._waiting, None
        state = make()
        with self.hold_sync():
            for key, value in state.items():
                setattr(self, key, value)
            self.asks = asks
            self.frame += 1
        self._sent_at = time.monotonic()

    def _receive(self, _: Any, content: dict[str, Any], buffers: Any) -> None:
        with self._lock:
            if "shown" in content:
                self._shown = max(self._shown, int(content["shown"]))
                self._try(self._pump)
            if "probe" in content:
                try:
                    self._probe(int(content["probe"]))
                finally:  # the browser waits for the reply before it sends the next click
                    self.send({"probed": content["probe"]})
            if "file" in content:
                self._try(lambda: self._send_file(str(content["file"])))
            if "rest" in content:
                self._try(self._rest)
            if "copy" in content:
                name = str(content["copy"])
                self.send({"copy": name, "text": self._copy(name)})

    def _send_file(self, kind: str) -> None:
        name, data = self._file(kind)
        self.send({"file": kind, "name": name}, [data])

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            if self._fail is None:
                raise
            self._fail(error)


def pack_integers(arrays: list[Any]) -> bytes:
    """Which bytes carry these arrays to the browser? One array after the other, as steps from number to number.

    zlib of little-endian int32. Numbers of cells walk in even steps: so a thousand of them are some hundred bytes.
    """
    if not arrays:
        return b""
    flat = np.concatenate([np.asarray(array, "<i4").ravel() for array in arrays])
    return zlib.compress(np.diff(flat, prepend=np.int32(0)).astype("<i4").tobytes(), 3)


def pack_edges(edges: Any) -> list[float]:
    """Start and end of each cell, as one flat list. `edges` holds n pairs, or n + 1 numbers of cells without gaps."""
    edges = np.asarray(edges, float)
    if edges.ndim == 1:
        edges = np.stack([edges[:-1], edges[1:]], axis=1)
    return [float(edge) for edge in np.round(edges, 5).ravel()]


def geometry(picture: Picture, drawn: Any) -> dict[str, Any]:
    """Where are the cells, which probe cell does each stand for, and what does the pointer read on it?"""
    grids = [grid for grid in drawn.grids if grid.probe is not None]
    tips = picture.tips
    return {
        "height": round(drawn.height),
        "width": round(drawn.width),
        "grids": [{"x": pack_edges(grid.x), "y": pack_edges(grid.y)} for grid in grids],
        "ids": pack_integers([grid.probe for grid in grids]),
        "tip": {"text": tips.template, "columns": tips.table.shape[1]} if tips else {"text": "", "columns": 1},
        "tips": pack_integers([tips.table.T]) if tips else b"",
        "cell": picture.probed,
    }
