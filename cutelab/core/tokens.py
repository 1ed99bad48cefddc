"""The tokens of a text, with the place of each, and the caret under the place where a reader stops.

Tokens are cut one by one as they are asked for, so a long paste costs only what is read of it.
"""

from __future__ import annotations

import re
from typing import NoReturn

from cutelab.core.errors import MAX_MESSAGE, CuteLabError, escaped

POINTER = (
    r"(?:(?:[gsr]mem_|sparse<\d+>_|trans_|Sw<-?\d+,-?\d+,-?\d+>_){0,6}(?:sub)?ptr\s*\[[^\]\n]{1,500}\]"
    r"|smem_sparse<\d+>_ptr\s*\[[^\]\n]{1,500}\]|tmem_(?:ptr)?\s*\[[^\]\n]{1,500}\])"
    r"\s*\((?:\([^()\n]{0,40}\)|[^()\n]{0,40})\)"
)
TOKEN = re.compile(
    rf"\s*(?:({POINTER})|([A-Za-z_]\w*)|(0[xX][0-9a-fA-F]+\w*|\d+\w*)|('[^'\n]*'|\"[^\"\n]*\")|(.))", re.S
)
MAX_TOKENS = 2000  # of one object; the longest golden type has 300


class Tokens:
    """The tokens of a text from a place on. `what` and `example` are words for its errors."""

    def __init__(self, text: str, what: str = "layout", example: str = "(4,2):(2,1)", start: int = 0) -> None:
        if not isinstance(text, str):
            raise CuteLabError(f"a {what} is written as text such as '{example}'; got {type(text).__name__}")
        if not text.strip():
            raise CuteLabError(f"the text is empty; write a {what} such as {example}")
        self.text, self.what = text, what
        self.tokens: list[tuple[str, int]] = []
        self._place = start
        self.at = 0
        self.failed_at = start  # the place of the last caret

    def _fill(self, count: int) -> None:
        while len(self.tokens) < count:
            match = TOKEN.match(self.text, self._place)
            if match is None or not match.group().strip():
                return
            if len(self.tokens) >= MAX_TOKENS:
                raise CuteLabError(
                    f"one {self.what} may have {MAX_TOKENS:,} words and signs; this text goes on. Paste less of it"
                )
            token = match.group().lstrip()
            self.tokens.append((token, match.end() - len(token)))
            self._place = match.end()

    def peek(self, ahead: int = 0) -> str:
        """The token so far ahead; '' at the end."""
        at = self.at + ahead
        if at < len(self.tokens):
            return self.tokens[at][0]
        self._fill(at + 1)
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def place(self, at: int | None = None) -> int:
        """Where in the text the token stands; the end of the text after the last."""
        at = self.at if at is None else at
        self._fill(at + 1)
        return self.tokens[at][1] if at < len(self.tokens) else len(self.text.rstrip())

    def take(self, token: str) -> bool:
        """Step over this token if it comes next."""
        if self.peek() == token:
            self.at += 1
            return True
        return False

    def want(self, token: str, why: str) -> None:
        """Step over this token, or fail."""
        if not self.take(token):
            self.fail(f"expected '{token}' {why}")

    def skip_namespaces(self) -> None:
        """Step over `cute::`, `::cute::`, `cute.` and words such as `const` and `struct`."""
        while self.skip_namespace():
            pass

    def skip_namespace(self) -> bool:
        """Step over one of them."""
        if not self.peek() or (self.peek()[0] not in ":_" and not self.peek()[0].isalpha()):
            return False
        if self.peek() == ":" and self.peek(1) == ":" and (self.peek(2)[:1].isalpha() or self.peek(2)[:1] == "_"):
            self.at += 2
        elif self.peek().isidentifier() and self.peek(1) == ":" and self.peek(2) == ":":
            self.at += 3
        elif self.peek() in MODULES and self.peek(1) == ".":
            self.at += 2
        elif self.peek() in ("const", "struct", "class", "typename"):
            self.at += 1
        else:
            return False
        return True

    def fail(self, expected: str, at: int | None = None) -> NoReturn:
        """Raise, with a caret under the token."""
        self.failed_at = self.place(at)
        raise CuteLabError(caret(expected, self.text, self.failed_at))

    def end(self) -> None:
        """Nothing but a semicolon may follow."""
        self.take(";")
        if self.peek():
            self.fail(f"expected the end of the {self.what}, found '{self.peek()[:24]}'")


MODULES = ("cute", "cutlass", "pycute", "cutelab", "cl", "nvgpu", "core", "tl")


def caret(message: str, text: str, place: int) -> str:
    """The message, the text around the place on one line, and a caret under it; at most 300 characters in all.

    >>> print(caret("expected a stride", "(4,2):x", 6))
    expected a stride
      (4,2):x
            ^
    """
    before = escaped(re.sub(r"\s", " ", text[max(0, place - 40) : place]))[-45:]
    before = ("..." if place > 40 else "") + before
    after = escaped(re.sub(r"\s", " ", text[place : place + 80]))
    lines = f"\n  {before}{after[: 85 - len(before)]}\n  {' ' * len(before)}^"
    room = MAX_MESSAGE - len(lines)
    return (message if len(message) <= room else message[: room - 3] + "...") + lines
