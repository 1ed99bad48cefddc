"""How a result of the library gets a picture: it asks a painter, and does not know who that is.

The library draws nothing. Whoever can draw (the course) registers a painter here; without one a result is shown as its text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from cutelab.core.errors import CuteLabError, shown


class Painter(Protocol):
    """Draws results of the library."""

    def html(self, thing: Any) -> str:
        """A picture of this as HTML."""

    def figure(self, thing: Any) -> Any:
        """A picture of this as a matplotlib Figure."""

    def file(self, thing: Any, suffix: str) -> bytes:
        """A picture of this as a file: "png", "svg" or "pdf"."""


def no_painter() -> Painter:
    """Stands where nobody has registered."""
    raise CuteLabError('nothing that draws is installed; text() says the same. Pictures come with "import cutelab"')


find_painter: Callable[[], Painter] = no_painter
"""Asked for the painter whenever one is needed; the package sets it when it is imported."""


def file_path(given: object, example: str) -> Path:
    """The path of a file that is to be written. Raises CuteLabError for what no path can be.

    >>> file_path(5, "view.svg")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: the path must be a file name, got 5; for example "view.svg"
    """
    try:
        if isinstance(given, str | Path) and Path(given).name and "\0" not in str(given):
            Path(given).exists()
            return Path(given)
    except (OSError, ValueError):  # longer than a name may be
        pass
    raise CuteLabError(f'the path must be a file name, got {shown(given)}; for example "{example}"')


class Pictured:
    """A value that a notebook shows as its picture. At a prompt, and where it cannot be drawn, it is its text, as everywhere."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        try:
            return find_painter().html(self)
        except Exception:  # a picture too many is no reason to lose the text
            return None


class Shown:
    """A result with a text that a notebook shows as a picture, and as text where it cannot be drawn."""

    def text(self) -> str:
        """The result in words and figures."""
        raise NotImplementedError

    def figure(self) -> Any:
        """How does this look as a matplotlib Figure? Raises CuteLabError where it cannot be drawn."""
        return _drawn(lambda: find_painter().figure(self))

    def save(self, path: str | Path) -> Path:
        """Write the picture (.png, .svg, .pdf) or the text (.txt) to a file; the name's end says which. Returns the path.

        Raises CuteLabError for another ending, and where the folder does not exist.
        """
        target = file_path(path, "view.svg")
        suffix = target.suffix.lower().lstrip(".")
        if suffix not in ("png", "svg", "pdf", "txt"):
            raise CuteLabError(f"the name must end in .png, .svg, .pdf or .txt, got {shown(target.name)}")
        return self._write(
            target, self.text().encode() if suffix == "txt" else _drawn(lambda: find_painter().file(self, suffix))
        )

    @staticmethod
    def _write(path: str | Path, data: bytes) -> Path:
        target = file_path(path, "view.json")
        try:
            target.write_bytes(data)
        except OSError as error:
            raise CuteLabError(f"{target.name} cannot be written: {error.strerror or error}") from None
        return target

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """In a notebook: the picture, and the same as text; where it cannot be drawn, the text alone."""
        bundle = {"text/plain": self.text()}
        try:
            bundle["text/html"] = find_painter().html(self)
        except Exception:
            return bundle
        return bundle

    def __str__(self) -> str:
        return self.text()


def _drawn(draw: Callable[[], Any]) -> Any:
    try:
        return draw()
    except CuteLabError:
        raise
    except Exception as error:
        raise CuteLabError(
            f"it cannot be drawn here ({type(error).__name__}: {error}); text() says the same"
        ) from error
