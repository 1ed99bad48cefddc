"""Read whole-number formulas in t, such as `t // 8` or `t % 8 * 4`, and compute them for many t at once. No `eval`.

Operators, weakest first, as in Python and C:  |   ^   &   << >>   + -   * // %   - ~ (of one number)   ( )
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from cutelab.core.errors import CuteLabError, shown

MAX_TEXT, MAX_DEPTH = 200, 30
BOUND = 2**40  # every value on the way stays below this
TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(//|<<|>>|\*\*|.))", re.S)
LEVELS = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "//", "%"))
APPLY: dict[str, Callable[[Any, Any], Any]] = {
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "&": np.bitwise_and,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "%": np.remainder,
}


def formula(text: str, t: np.ndarray) -> np.ndarray:
    """What are the values of this formula for these t? Whole numbers, of the shape of t.

    Numbers, t, + - * // % & | ^ << >> ~ and brackets; // and % round down, as in Python. Raises CuteLabError, with a caret
    under the place, for other text, a division by zero, a shift that is negative or above 31, and values of 2^40 or more.

    >>> formula("t // 8", np.arange(0, 32, 4)).tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    >>> formula("t % 4 ^ t >> 2", np.arange(8)).tolist()
    [0, 1, 2, 3, 1, 0, 3, 2]
    >>> formula("t / 8", np.arange(8))
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: for whole numbers write // instead of /
      t / 8
        ^
    """
    reader = _Reader(text, np.asarray(t, dtype=np.int64))
    value = reader.level(0, 0)
    if reader.at < len(reader.tokens):
        reader.fail("expected an operator (+ - * // % & | ^ << >>) or the end")
    return value


class _Reader:
    """Tokens of one text, with the place of each for the caret; each method returns the values of what it has read."""

    def __init__(self, text: str, t: np.ndarray) -> None:
        if not isinstance(text, str):
            raise CuteLabError(f"a formula is written as text such as 't // 8'; got {type(text).__name__}")
        if not text.strip():
            raise CuteLabError("the formula is empty; write one such as t // 8")
        if len(text) > MAX_TEXT:
            raise CuteLabError(f"the formula has {len(text)} characters; at most {MAX_TEXT} are read")
        self.text, self.t, self.at = text, t.astype(np.int64, copy=False), 0
        self.tokens: list[tuple[str, int]] = []
        place = 0
        while (match := TOKEN.match(text, place)) is not None and (token := match.group().lstrip()):
            self.tokens.append((token, match.end() - len(token)))
            place = match.end()

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def fail(self, why: str, at: int | None = None) -> NoReturn:
        at = self.at if at is None else at
        place = self.tokens[at][1] if at < len(self.tokens) else len(self.text.rstrip())
        line = re.sub(r"\s", " ", self.text)
        start = max(0, place - 50)
        shown, place = line[start : start + 100], place - start
        if start:
            shown, place = "..." + shown, place + 3
        raise CuteLabError(f"{why}\n  {shown}\n  {' ' * place}^")

    def level(self, n: int, depth: int) -> np.ndarray:
        """Operators of level n and stronger, from left to right."""
        if n == len(LEVELS):
            return self.one(depth)
        value = self.level(n + 1, depth)
        while (sign := self.peek()) in LEVELS[n]:
            place, self.at = self.at, self.at + 1
            value = self.apply(sign, value, self.level(n + 1, depth), place)
        if n == len(LEVELS) - 1 and self.peek() in ("/", "**"):
            self.fail(
                "for whole numbers write // instead of /" if self.peek() == "/" else "** is not read; use * or <<"
            )
        return value

    def apply(self, sign: str, a: np.ndarray, b: np.ndarray, place: int) -> np.ndarray:
        if sign in ("//", "%") and (b == 0).any():
            self.fail("division by zero", place)
        if sign in ("<<", ">>") and ((b < 0) | (b > 31)).any():
            self.fail("a shift must be from 0 to 31", place)
        if sign == "*":  # before it happens: 2^40 times 2^40 would not fit
            large = np.abs(a).astype(float) * np.abs(b).astype(float) >= BOUND
        elif sign == "<<":
            large = np.abs(a) >= BOUND >> b
        else:
            large = None
        if large is None or not large.any():
            value = np.asarray(APPLY[sign](a, b))
            if not (np.abs(value) >= BOUND).any():
                return value
        self.fail("this becomes 2^40 or more", place)

    def one(self, depth: int) -> np.ndarray:
        """A number, t, something in brackets, or - or ~ before one of them."""
        token = self.peek()
        if depth > MAX_DEPTH:
            self.fail(f"brackets and signs go {MAX_DEPTH} deep at most")
        if token in ("-", "~", "+"):
            self.at += 1
            value = self.one(depth + 1)
            return -value if token == "-" else ~value if token == "~" else value
        if token == "(":
            self.at += 1
            value = self.level(0, depth + 1)
            if self.peek() != ")":
                self.fail("expected ')'")
            self.at += 1
            return value
        if token.isdecimal() and token.isascii():
            if len(token.lstrip("0")) > 13 or int(token) >= BOUND:
                self.fail("numbers must be below 2^40")
            self.at += 1
            return np.full(self.t.shape, int(token), dtype=np.int64)
        if token == "t":
            self.at += 1
            return self.t
        self.fail("expected a number, t or '('" + (f"; {shown(token)} is no name here" if token.isidentifier() else ""))
