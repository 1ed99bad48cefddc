"""From knob to picture: an Explorer holds the parameters of one scene, computes, draws and shows."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import ipywidgets as widgets

from cutelab.core.display import file_path
from cutelab.core.errors import MAX_MESSAGE, CuteLabError, fit
from cutelab.core.int_tuple import is_int
from cutelab.course.card.knobs import Params, plain
from cutelab.course.card.picture import Picture, Texts
from cutelab.course.lab import cells
from cutelab.course.lab.controls import Controls, close_widget
from cutelab.course.lab.html import STALE, HtmlView, image_tag, live_and_kept, page, show

FILES = ("SVG", "PNG", "HTML")
LONG = 400  # characters; a longer text goes to the browser only when it is asked for
WAKE = "Run this cell (Shift+Enter) to move its controls."


def render(picture: Picture, scale: int) -> Any:
    """The card as PNG, and where its cells are. Tests put their own in its place."""
    from cutelab.course.card import paint

    return paint.render(picture, scale)


class Explorer:
    """What happens to the picture when a parameter changes?

    Shown as the last line of a notebook cell, it is a set of knobs beside a picture. In code, `set` turns the same knobs:

        lab = explore.layout("(8,8):(8,1)")
        lab.set(row=2, col=3)
        lab.result, lab.image, lab.code()

    A value that breaks a rule leaves everything as it was; `error` then says why. Safe to call from several threads.

    name     the function in `cutelab.explore` that makes it, for `code()`
    scene    a module with `compute(params)` and `panels(result)`
    params   the parameters to start with
    scale    image pixels per CSS pixel: 2 for sharp screens, 1 for slow networks
    view     "widget", or "html" where anywidget cannot load
    """

    def __init__(
        self,
        name: str,
        scene: ModuleType | Any,
        params: Params,
        scale: int = 2,
        view: Literal["widget", "html"] = "widget",
    ) -> None:
        if not is_int(scale) or scale not in (1, 2, 3, 4):
            raise CuteLabError(f"scale must be 1, 2, 3 or 4 image pixels per CSS pixel, got {scale!r}")
        if view not in ("widget", "html"):
            raise CuteLabError(f'view must be "widget" or "html", got {view!r}')
        self.name, self._scene, self._scale = name, scene, int(scale)
        self._lock = threading.RLock()
        self._error: str | None = None
        self._closed = False
        self._renew: dict[Any, Any] = {}  # notebook cell -> what puts another picture beside the live one
        self._params, self._result = params, scene.compute(params)
        self._picture = self._panels()
        self._controls = Controls(self._turn, self._lock)
        if view == "html":
            self._view: Any = HtmlView()
        else:
            from cutelab.course.lab.picture import PictureView

            self._view = PictureView(self._probe, self._file, self._copied, self._keep, self._fail, self._lock)
        right = widgets.Box([self._view])
        right.add_class("cutelab-right")
        columns = widgets.Box([self._controls.box, right])
        columns.add_class("cutelab-columns")
        self._box = widgets.Box([self._controls.wide, columns])
        self._box.add_class("cutelab-explorer")
        self._view.show(self._frame)

    # -- the one door ---------------------------------------------------------------------------------------------

    def set(self, **changes: Any) -> None:
        """Which picture belongs to these parameters? Knobs, probe, buttons and code all come through here.

        Raises CuteLabError for a value that breaks a rule; parameters, result and picture then stay as they were.
        """
        self._apply(changes, answer=False)

    def _apply(self, changes: dict[str, Any], answer: bool) -> None:
        """answer: a person has moved a knob, and the browser waits for the picture."""
        with self._lock:
            before = self._params, self._result, self._picture
            try:
                params = self._params.change(**{name: plain(name, value) for name, value in changes.items()})
                if params != self._params:
                    self._params, self._result = params, self._scene.compute(params)
                    self._picture = self._panels()
                self._error = None
                self._view.show(self._frame, answer)
            except Exception as error:
                self._params, self._result, self._picture = before
                self._fail(error)
                raise

    def _panels(self) -> Picture:
        """The picture of the result; of a chip that no hardware here confirmed it says so."""
        picture: Picture = self._scene.panels(self._result)
        chip = self._params.chip
        return picture if chip.measured else replace(picture, subtitle=f"{chip.name}: not measured. {picture.subtitle}")

    def _turn(self, **changes: Any) -> Params | None:
        """`set` for widgets: the error is on the screen and in `error`; there is nobody to catch it. None: refused."""
        try:
            self._apply(changes, answer=True)
            return self._params
        except CuteLabError:
            pass
        except Exception:
            logging.getLogger("cutelab").exception("%s: a control failed", self.name)
        return None

    def _probe(self, cell: int) -> None:
        try:
            changes = self._scene.probe(self._result, cell)
        except CuteLabError:  # a click on an earlier picture, which had more cells
            return
        if changes:
            self._turn(**changes)

    def _fail(self, error: Exception) -> None:
        with self._lock:
            known = isinstance(error, CuteLabError)
            text = str(error) if known else f"{type(error).__name__}: {error}"
            self._error = fit(text, MAX_MESSAGE - len(STALE) - 1)  # on the screen a sentence follows
            self._view.error = self._error

    def _frame(self) -> dict[str, Any]:
        """All that the screen shows of the present state. Called when the browser is ready for it."""
        picture = self._picture
        drawn = render(picture, self._scale)
        self._controls.sync(self._params.controls(), picture.offers)
        frame = {
            "png": drawn.png,
            "alt": picture.alt,
            "status": picture.status,
            "error": self._error or "",
        }
        if isinstance(self._view, HtmlView):
            return {**frame, "copies": {**picture.copies, "link": self.link()}}
        from cutelab.course.lab.picture import geometry

        late = picture.copies.later if isinstance(picture.copies, Texts) else {}
        known = {name: None if name in late else picture.copies[name] for name in picture.copies} | {
            "link": self.link()
        }
        return {
            **frame,
            "copies": {name: text if text and len(text) <= LONG else None for name, text in known.items()},
            **geometry(picture, drawn),
            "names": self._controls.names(),
            "files": list(FILES),
        }

    # -- sharing --------------------------------------------------------------------------------------------------

    def code(self) -> str:
        """Which line rebuilds this view?"""
        return self._params.call(self.name)

    def link(self) -> str:
        """Which text gives this view to somebody else? `explore.view(text)` opens it."""
        return "cutelab:" + self.code().removeprefix("explore.")

    def save(self, path: str | Path) -> Path:
        """Write the view as a file: .html (picture, tips and code; a browser is enough), .svg, .pdf or .png."""
        path = file_path(path, "view.html")
        kind = path.suffix.lower().removeprefix(".")
        if kind not in ("html", "svg", "pdf", "png"):
            raise CuteLabError(f'a view is saved as .html, .svg, .pdf or .png, not as {str(path)!r}; try "view.html"')
        content = self._content(kind)
        try:
            path.write_bytes(content)
        except OSError as error:
            raise CuteLabError(f"{path} cannot be written: {error.strerror or error}") from error
        return path

    def _content(self, kind: str) -> bytes:
        with self._lock:
            picture = self._picture
            if kind != "html":
                from cutelab.course.card.paint.export import export

                return export(picture, kind)
            from cutelab.course.lab.picture import geometry

            drawn = render(picture, self._scale)
            words = [part for v in picture.verdicts for part in (v.sentence, v.second) if part]
            state = {
                "png": drawn.png,
                "alt": picture.alt,
                "status": picture.status,
                "error": "",
                "frame": 1,
                "names": {},
            }
            state |= {**geometry(picture, drawn), "files": [], "copies": {"cutelab": self.code(), **picture.copies}}
            return page(". ".join([picture.title, *words[:1]]), state).encode()

    def _copied(self, name: str) -> str:
        """A long text that the browser asks for."""
        return self._picture.copies.get(name, "")

    def _file(self, kind: str) -> tuple[str, bytes]:
        """The file that the browser asks for: its name and its bytes."""
        return f"cutelab-{self.name}.{kind.lower()}", self._content(kind.lower())

    # -- reading --------------------------------------------------------------------------------------------------

    @property
    def params(self) -> Params:
        """The parameters that the picture shows."""
        return self._params

    @property
    def result(self) -> Any:
        """What the scene computed from `params`."""
        return self._result

    @property
    def picture(self) -> Picture:
        """The picture as plain data."""
        return self._picture

    @property
    def error(self) -> str | None:
        """Why the last change was refused; None if it was not."""
        return self._error

    @property
    def image(self) -> bytes:
        """The picture as PNG, rendered now."""
        return self._render(self._scale)

    def _render(self, scale: int) -> bytes:
        with self._lock:
            return bytes(render(self._picture, scale).png)

    def figure(self) -> Any:
        """The picture as a matplotlib Figure with true text, to save as SVG, PDF or PNG."""
        from cutelab.course.card.paint.figure import figure

        with self._lock:
            return figure(self._picture)

    # -- showing --------------------------------------------------------------------------------------------------

    def outputs(self) -> tuple[dict[str, Any], ...]:
        """The live widget, and for whoever reads the notebook later a picture with its words: two mimebundles."""
        with self._lock:
            alt, png = self._picture.alt, self._render(1)
            box = None if self._closed else self._box
            return live_and_kept(box, self.code(), alt, image_tag(png, alt, "cutelab-last"), WAKE, png)

    def _ipython_display_(self) -> None:
        cells.shown(self)
        self._renew[(cells.current() or ("",))[0]] = show(self.outputs())

    def _keep(self) -> None:
        """The browser's picture has come to rest: from now on the notebook keeps this one for another day."""
        kept = self.outputs()[-1]
        for renew in self._renew.values():
            renew(kept)

    def __repr__(self) -> str:
        return self.code()

    def close(self) -> None:
        """Take the widgets off the page and free what they hold. Parameters and result can still be read and set."""
        with self._lock:
            if not self._closed:
                self._closed = True
                close_widget(self._box)
