"""The one exception that a user of cutelab meets, and how a value is shown in its text."""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from math import log10
from typing import Any

MAX_MESSAGE = 300  # characters of an error's text
MAX_SHOWN = 60  # characters of a value inside it
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
HIDDEN = (
    "Cc",
    "Cf",
    "Cs",
    "Co",
    "Cn",
    "Zl",
    "Zp",
)  # Unicode's categories of what is not seen, or turns the line around


class CuteLabError(ValueError):
    """Bad input. The text says which rule broke, with which value, and what would work, in at most 300 characters.

    >>> raise CuteLabError("shape must be positive, got 0; use 1 or more")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: shape must be positive, got 0; use 1 or more
    """

    def __init__(self, text: object = "") -> None:
        super().__init__(fit(text))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in a notebook: the sentence alone, no traceback."""
        return [f"{type(self).__name__}: {self}"]


def fit(text: object, most: int = MAX_MESSAGE) -> str:
    """The text of an error as it may be shown: no hidden characters, no addresses, at most 300 characters.

    A longer text loses its middle: the rule stands at its beginning, the remedy at its end.

    >>> fit("name \\x00 of <thing object at 0x7f00> is unknown")
    'name \\\\x00 of <thing object> is unknown'
    >>> len(fit("x" * 1000)), len(fit("x" * 1000, 250))
    (300, 250)
    """
    line = escaped(ADDRESS.sub("", str(text)), keep="\n")
    if len(line) <= most:
        return line
    head = most * 3 // 5
    return f"{line[:head]} ... {line[len(line) - (most - head - 5) :]}"


def escaped(text: str, keep: str = "") -> str:
    """The text with control characters, marks that turn the line around, and lone surrogates written as escapes.

    >>> escaped("a\\u202eb")
    'a\\\\u202eb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c
        if c in keep or unicodedata.category(c) not in HIDDEN
        else c.encode("unicode_escape", "backslashreplace").decode("ascii")
        for c in text
    )


def shown(value: Any, most: int = MAX_SHOWN) -> str:
    """How is a value that somebody gave written in an error? Short and safe, whatever it is.

    Numbers of many digits become a power of ten, large arrays their shape, lists that contain themselves end in `...`.

    >>> shown("x" * 100, 20), shown(10**5000), shown(range(3)), shown(object())
    ("'xxxxxxxxxxxxxxxx...", 'about 10^5000', 'range(0, 3)', '<object object>')
    >>> loop = [1]
    >>> loop.append(loop)
    >>> shown(loop)
    '[1, [1, [1, [1, ...]]]]'
    """
    text = escaped(ADDRESS.sub("", _shown(value, 0)))
    return text if len(text) <= most else text[: most - 3] + "..."


def brief(value: Any, most: int = MAX_SHOWN) -> str:
    """The text of a layout (or of another value of ours) in an error: as it prints, at most 60 characters.

    >>> brief("(4,2):(2,1)"), brief("x" * 100, 8)
    ('(4,2):(2,1)', 'xxxxx...')
    """
    text = str(value)
    return text if len(text) <= most else text[: most - 3] + "..."


def _shown(value: Any, level: int) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = int(value)
        return str(value) if abs(value) < 10**20 else f"{'-' if value < 0 else ''}about 10^{digits(value)}"
    if isinstance(value, str | bytes):
        return repr(value[: 4 * MAX_SHOWN])
    if isinstance(value, tuple | list | set):
        parts = [v for v in list(value)[:8] if level < 3 or not isinstance(v, tuple | list | set)]
        inside = ", ".join([_shown(v, level + 1) for v in parts] + ["..."] * (len(value) > len(parts)))
        if isinstance(value, tuple):
            return f"({inside}{',' if len(value) == 1 else ''})"
        return f"[{inside}]" if isinstance(value, list) else f"{{{inside}}}"
    if type(value) is dict:
        return "{}" if not value else "a dict"
    if hasattr(value, "dtype") and getattr(value, "ndim", False):
        return f"an array of shape {value.shape}" if value.size > 8 else " ".join(repr(value).split())
    try:
        return repr(value)
    except Exception:  # a repr that fails is no reason to fail
        return f"a {type(value).__name__}"


def digits(value: int) -> int:
    """About how many digits follow the first one? The power of ten of a whole number, however large.

    >>> digits(10**400), digits(2**64)
    (400, 19)
    """
    size = abs(int(value))
    shift = max(0, size.bit_length() - 64)
    return int(log10(size >> shift or 1) + shift * log10(2) + 1e-9)


def nearest(name: str, names: Any, most: int = 3) -> list[str]:
    """Which of these names are like this one? At most three, the most like first; upper and lower case are alike.

    >>> nearest("RowMajo", ("RowMajor", "ColumnMajor", "PitchLinear"))
    ['RowMajor', 'ColumnMajor']
    """
    table = {str(n).lower(): str(n) for n in names}
    return [table[n] for n in get_close_matches(str(name)[:200].lower(), list(table), n=most, cutoff=0.5)]


def count_text(value: int) -> str:
    """A count in words of an error: with commas up to a billion, then as a power of ten.

    >>> count_text(67108864), count_text(10**15), count_text(10**400)
    ('67,108,864', '1e+15', 'about 10^400')
    """
    return f"{value:,}" if abs(value) < 10**9 else f"{value:.3g}" if abs(value) < 10**300 else shown(value)
